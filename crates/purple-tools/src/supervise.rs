//! One server: connected when it is needed, let go when it fails, left alone for a while when it keeps failing.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::Url;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::bridge::{Bridge, under};
use crate::config::{Dialect, Era, ServerKind, parse_url};
use crate::limits::{
    BACKOFF_MS_MAX, BACKOFF_MS_MIN, CONNECT_MS_MAX, GREETING_MS_MAX, LIST_MS_MAX, PROBE_MS_MAX,
};
use crate::mcp::{self, Changed, Mcp};
use crate::oauth::{Consent, Denied, LoggedIn, Login};
use crate::request::Request;
use crate::said::{Outcome, Then};

/// Where MCP is looked for below a base URL, in this order.
const MCP_BELOW: [&str; 3] = ["", "mcp", "rpc"];

/// A server, and the connection to it if there is one.
#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) name: String,
    kind: ServerKind,
    http: reqwest::Client,
    state: Mutex<State>,
    changed: Changed,
    /// When its tools were listed last, as far as that list still stands.
    listed: Mutex<Option<Instant>>,
    /// Set once, before the first request.
    login: OnceLock<Arc<Login>>,
}

#[derive(Debug)]
struct State {
    link: Option<Arc<Link>>,
    /// What the first connection found out, so that it is not asked again.
    era: Era,
    place: Option<Place>,
    /// Failures since the last answer.
    strikes: u32,
    /// Nothing is tried before this, and why.
    rest: Option<(Instant, String)>,
}

#[derive(Debug)]
enum Link {
    Mcp(Mcp),
    Bridge(Bridge),
}

/// What was found at a base URL.
#[derive(Clone, Debug)]
enum Place {
    Mcp(Url),
    Bridge(Url),
}

impl Server {
    pub(crate) fn new(name: String, kind: ServerKind, era: Era, http: reqwest::Client) -> Self {
        let state = State { link: None, era, place: None, strikes: 0, rest: None };
        Self {
            name,
            kind,
            http,
            state: Mutex::new(state),
            changed: Changed::default(),
            listed: Mutex::default(),
            login: OnceLock::new(),
        }
    }

    /// From now on it can be logged in to. Only servers over HTTP can.
    pub(crate) fn with_login(&self, login: impl FnOnce() -> Login) {
        match &self.kind {
            ServerKind::Url(_) => {
                let _ = self.login.set(Arc::new(login()));
            }
            ServerKind::Stdio(_) | ServerKind::Bridge(_) | ServerKind::Streams(_) => {}
        }
    }

    /// Whether it wants a login that nobody made.
    pub(crate) fn wants_login(&self) -> bool {
        let denied = self.login.get().and_then(|login| login.denied());
        denied.is_some_and(|denied| denied.is_for_want_of_a_login())
    }

    /// Logs in where the server wants it, or where it is.
    pub(crate) async fn log_in(&self, consent: &dyn Consent) -> Result<LoggedIn, Denied> {
        let (Some(login), Some(url)) = (self.login.get(), self.kind.url()) else {
            return Ok(LoggedIn::NotNeeded);
        };
        // To be refused is the way to learn what is wanted, and where.
        let _ = self.list().await;
        let place = match &self.state.lock().await.place {
            Some(Place::Mcp(place)) => Some(place.to_string()),
            Some(Place::Bridge(_)) => return Ok(LoggedIn::NotNeeded),
            None => None,
        };
        let url = place.or_else(|| login.wanted_at()).unwrap_or_else(|| url.to_owned());
        let logged_in = login.log_in(&url, consent).await;
        if logged_in.is_ok() {
            let mut state = self.state.lock().await;
            (state.strikes, state.rest, state.link) = (0, None, None);
        }
        logged_in
    }

    /// Every definition as it came, or why there are none.
    pub(crate) async fn list(&self) -> Result<Vec<Value>, String> {
        let mut listed = self.listed.lock().await;
        self.list_at(&mut listed).await
    }

    /// The definitions anew if what is known of them may be out of date; `None` if it still stands.
    pub(crate) async fn relist(&self, fresh: Duration) -> Result<Option<Vec<Value>>, String> {
        // A connection that is gone may come back as another version of the server.
        self.link().await?;
        let mut listed = self.listed.lock().await;
        let recent = listed.is_some_and(|at| at.elapsed() < fresh);
        if recent && !self.changed.load(Ordering::Acquire) {
            return Ok(None);
        }
        self.list_at(&mut listed).await.map(Some)
    }

    async fn list_at(&self, when: &mut Option<Instant>) -> Result<Vec<Value>, String> {
        *when = None;
        let link = self.link().await?;
        // Before the list is read: what changes meanwhile is seen the next time.
        self.changed.store(false, Ordering::Release);
        let listed = async {
            match &*link {
                Link::Mcp(mcp) => mcp.list().await,
                Link::Bridge(bridge) => bridge.list().await,
            }
        };
        let listed = timeout(Duration::from_millis(LIST_MS_MAX), listed).await;
        let listed = listed.unwrap_or_else(|_| Err(format!("no whole list within {LIST_MS_MAX} ms")));
        self.note(&link, if listed.is_ok() { Then::Keep } else { Then::Discard }, "").await;
        *when = listed.is_ok().then(Instant::now);
        listed
    }

    /// What is spoken on the open connection; `None` without one.
    pub(crate) async fn dialect(&self) -> Option<Dialect> {
        let state = self.state.lock().await;
        Some(match state.link.as_deref()? {
            Link::Bridge(_) => Dialect::Bridge,
            Link::Mcp(mcp) => match mcp.era() {
                Era::Modern => Dialect::Stateless,
                Era::Auto | Era::Legacy => Dialect::Sessions,
            },
        })
    }

    /// The version that the server at the open connection gives itself.
    pub(crate) async fn version(&self) -> Option<String> {
        let state = self.state.lock().await;
        match state.link.as_deref()? {
            Link::Bridge(_) => None,
            Link::Mcp(mcp) => mcp.version(),
        }
    }

    /// Sends one request, or none at all.
    pub(crate) async fn call(&self, request: Request) -> Outcome {
        let link = match self.link().await {
            Ok(link) => link,
            Err(reason) => return Outcome::not_sent(&reason, Then::Keep),
        };
        let outcome = match &*link {
            Link::Mcp(mcp) => mcp.call(request).await,
            Link::Bridge(bridge) => bridge.call(request).await,
        };
        let reason = match &outcome.called {
            purple_port::Called::NotSent { reason } | purple_port::Called::Lost { reason } => {
                reason.for_work().as_str()
            }
            purple_port::Called::Answered(_)
            | purple_port::Called::Refused { .. }
            | purple_port::Called::Asked(_) => "",
        };
        self.note(&link, outcome.link, reason).await;
        outcome
    }

    /// The open connection, or a new one. One caller connects, the others wait for it.
    async fn link(&self) -> Result<Arc<Link>, String> {
        let mut state = self.state.lock().await;
        if let Some(link) = &state.link {
            if link.is_open() {
                return Ok(Arc::clone(link));
            }
            // It closed between two calls, so nothing was lost with it.
            state.link = None;
        }
        if let Some((until, reason)) = &state.rest {
            let left = until.saturating_duration_since(Instant::now());
            if !left.is_zero() {
                return Err(format!("it is down ({reason}) and is tried again in {} ms", left.as_millis()));
            }
        }
        let connected = timeout(Duration::from_millis(CONNECT_MS_MAX), self.connect(&mut state)).await;
        match connected.unwrap_or_else(|_| Err(format!("no greeting within {CONNECT_MS_MAX} ms"))) {
            Ok(link) => {
                let link = Arc::new(link);
                state.link = Some(Arc::clone(&link));
                Ok(link)
            }
            Err(reason) => {
                state.strike(&reason);
                Err(reason)
            }
        }
    }

    async fn connect(&self, state: &mut State) -> Result<Link, String> {
        let link = match &self.kind {
            ServerKind::Stdio(program) => {
                let greet = |era| mcp::to_program(program, era, &self.changed);
                Link::Mcp(greeted(state.era, greet).await?)
            }
            ServerKind::Streams(factory) => {
                let greet = |era| mcp::over_streams(factory, era, &self.changed);
                Link::Mcp(greeted(state.era, greet).await?)
            }
            ServerKind::Bridge(url) => {
                let base = parse_url(url).ok_or_else(|| format!("`{url}` is no URL"))?;
                Link::Bridge(Bridge::new(self.http.clone(), &base))
            }
            ServerKind::Url(url) => {
                let base = parse_url(url).ok_or_else(|| format!("`{url}` is no URL"))?;
                match state.place.clone() {
                    Some(place) => self.go_to(place, state.era).await?,
                    None => self.probe(&base, state).await?,
                }
            }
        };
        if let Link::Mcp(mcp) = &link {
            state.era = mcp.era();
        }
        Ok(link)
    }

    async fn go_to(&self, place: Place, era: Era) -> Result<Link, String> {
        Ok(match place {
            Place::Mcp(url) => Link::Mcp(self.over_http(&url, era).await?),
            Place::Bridge(base) => Link::Bridge(Bridge::new(self.http.clone(), &base)),
        })
    }

    async fn over_http(&self, url: &Url, era: Era) -> Result<Mcp, String> {
        let login = self.login.get().cloned();
        mcp::over_http(&self.http, url.as_str(), era, &self.changed, login).await
    }

    /// Looks for MCP at and below a base URL, then for the plain bridge. One question at a time, none of them a call.
    async fn probe(&self, base: &Url, state: &mut State) -> Result<Link, String> {
        let mut seen = Vec::new();
        for below in MCP_BELOW {
            let url = if below.is_empty() { base.clone() } else { under(base, below) };
            match timeout(Duration::from_millis(PROBE_MS_MAX), self.over_http(&url, state.era)).await {
                Ok(Ok(mcp)) => {
                    state.place = Some(Place::Mcp(url));
                    return Ok(Link::Mcp(mcp));
                }
                // Who wants a login is there.
                Ok(Err(reason)) if self.wants_login() => return Err(reason),
                Ok(Err(reason)) => seen.push(format!("MCP at {}: {reason}", url.path())),
                Err(_) => seen.push(format!("MCP at {}: silence", url.path())),
            }
        }
        let bridge = Bridge::new(self.http.clone(), base);
        match bridge.list().await {
            Ok(_) => {
                state.place = Some(Place::Bridge(base.clone()));
                Ok(Link::Bridge(bridge))
            }
            Err(reason) => {
                seen.push(format!("bridge: {reason}"));
                Err(seen.join("; "))
            }
        }
    }

    /// Takes note of how a connection did.
    async fn note(&self, link: &Arc<Link>, then: Then, reason: &str) {
        let mut state = self.state.lock().await;
        match then {
            Then::Keep => {
                state.strikes = 0;
                state.rest = None;
                return;
            }
            Then::Discard => {}
            Then::Strike => state.strike(reason),
        }
        // Somebody may have connected anew already.
        if state.link.as_ref().is_some_and(|current| Arc::ptr_eq(current, link)) {
            state.link = None;
        }
    }
}

/// Greets a server whose era may not be known: the newer way first, and then, on a fresh connection, the older way.
async fn greeted<F: Future<Output = Result<Mcp, String>>>(
    era: Era,
    greet: impl Fn(Era) -> F,
) -> Result<Mcp, String> {
    match era {
        Era::Legacy | Era::Modern => greet(era).await,
        Era::Auto => match timeout(Duration::from_millis(GREETING_MS_MAX), greet(Era::Modern)).await {
            Ok(Ok(mcp)) => Ok(mcp),
            Ok(Err(_)) | Err(_) => greet(Era::Legacy).await,
        },
    }
}

impl State {
    /// The first failure costs nothing, since servers restart; from the second on we wait, longer each time.
    fn strike(&mut self, reason: &str) {
        self.strikes = self.strikes.saturating_add(1);
        if let Some(doublings) = self.strikes.checked_sub(2) {
            let pause = BACKOFF_MS_MIN.saturating_mul(1 << doublings.min(16)).min(BACKOFF_MS_MAX);
            self.rest = Some((Instant::now() + Duration::from_millis(pause), reason.to_owned()));
        }
    }
}

impl Link {
    fn is_open(&self) -> bool {
        match self {
            Self::Mcp(mcp) => mcp.is_open(),
            Self::Bridge(_) => true,
        }
    }
}

//! The login at one server: which token goes with a request, and what happens when the server wants another.

use std::fmt;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex as Slot, PoisonError};

use tokio::sync::Mutex;

use super::challenge::{Challenge, Missing};
use super::grant::{self, Found, Session};
use super::record::Record;
use super::wire::Wire;
use super::{Consent, Denied, Grant, Keep, LoggedIn, Logins, OAuth};
use crate::addresses::Guard;
use crate::limits::LOGINS_IN_A_ROW_MAX;

/// The login at one server.
pub(crate) struct Login {
    server: String,
    oauth: OAuth,
    consent: Option<Arc<dyn Consent>>,
    keep: Arc<dyn Keep>,
    command: String,
    wire: Wire,
    session: Mutex<Option<Session>>,
    /// Logins since a request was let in.
    in_a_row: AtomicU32,
    last: Slot<Last>,
}

/// What the server wanted last.
#[derive(Clone, Debug, Default)]
struct Last {
    /// Where it said what it wants, and how.
    challenge: Option<(String, Challenge)>,
    denied: Option<Denied>,
}

impl fmt::Debug for Login {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Login").field("server", &self.server).finish()
    }
}

impl Login {
    pub(crate) fn new(server: &str, logins: &Logins, http: reqwest::Client, guard: Guard) -> Self {
        Self {
            server: server.to_owned(),
            oauth: logins.servers.get(server).cloned().unwrap_or_default(),
            consent: logins.consent.clone(),
            keep: Arc::clone(&logins.keep),
            command: logins.command.clone(),
            wire: Wire { http, guard },
            session: Mutex::default(),
            in_a_row: AtomicU32::new(0),
            last: Slot::default(),
        }
    }

    /// The token for a request to `url`; `None` where nobody is logged in.
    pub(crate) async fn token(&self, url: &str) -> Result<Option<String>, Denied> {
        let mut session = self.session.lock().await;
        self.remember(&mut session, url).await;
        let Some(held) = session.as_mut() else { return Ok(None) };
        let before = held.held();
        let mut token = held.token().await?;
        if token.is_none() {
            token = self.token_anew(&mut session, url, before.as_deref()).await?;
        }
        if token.is_none() {
            *session = None;
            // A token that is known to be void is not sent, and neither is a request without one.
            return if self.can_agree() { Ok(None) } else { Err(self.deny(self.no_login())) };
        }
        match session.as_ref() {
            Some(held) if held.held() != before => self.save(held)?,
            Some(_) | None => {}
        }
        Ok(token)
    }

    /// A token in place of one that is void and cannot be renewed.
    async fn token_anew(
        &self,
        session: &mut Option<Session>,
        url: &str,
        void: Option<&str>,
    ) -> Result<Option<String>, Denied> {
        // Another process may have renewed it, and thereby made ours void.
        *session = None;
        self.remember(session, url).await;
        let Some(kept) = session.as_mut() else { return Ok(None) };
        if kept.held().as_deref() != void {
            return kept.token().await;
        }
        match self.oauth.grant {
            Grant::Person => Ok(None),
            Grant::Client => {
                kept.renew_by_client().await?;
                kept.token().await
            }
        }
    }

    /// A request was let in.
    pub(crate) fn accepted(&self) {
        self.in_a_row.store(0, Ordering::Relaxed);
        self.last().denied = None;
    }

    /// Gets a token that the server may take, after it refused one, or a request without one.
    pub(crate) async fn answer(
        &self,
        url: &str,
        challenge: &Challenge,
        sent: Option<&str>,
    ) -> Result<(), Denied> {
        self.last().challenge = Some((url.to_owned(), challenge.clone()));
        let mut session = self.session.lock().await;
        let answered = self.answer_with(&mut session, url, challenge, sent).await;
        answered.map_err(|denied| self.deny(denied))
    }

    async fn answer_with(
        &self,
        session: &mut Option<Session>,
        url: &str,
        challenge: &Challenge,
        sent: Option<&str>,
    ) -> Result<(), Denied> {
        self.remember(session, url).await;
        let is_newer = |session: &Option<Session>| {
            session.as_ref().and_then(Session::held).is_some_and(|held| Some(held.as_str()) != sent)
        };
        if is_newer(session) {
            return Ok(());
        }
        // Another process may have logged in, or renewed what is ours too.
        let mut kept = None;
        self.remember(&mut kept, url).await;
        if is_newer(&kept) {
            *session = kept;
            return Ok(());
        }
        let more = match &challenge.missing {
            Missing::Permission => return Err(Denied::Forbidden),
            Missing::Scope(scopes) => self.more(session.as_mut(), scopes)?,
            Missing::Token => Vec::new(),
        };
        if session.is_none() && !self.can_agree() {
            return Err(self.for_want(url, challenge).await?);
        }
        let found = self.discover(url, challenge).await?;
        if let (Some(held), Missing::Token) = (session.as_mut(), &challenge.missing) {
            if !found.is_of(&held.record) {
                // Tokens of one authorization server are worth nothing at another.
                *session = None;
                self.forget()?;
            } else if held.renew().await? {
                return self.save(held);
            }
        }
        let Some(by) = self.by() else { return Err(self.no_login()) };
        let times = self.in_a_row.fetch_add(1, Ordering::Relaxed);
        if times >= LOGINS_IN_A_ROW_MAX {
            return Err(Denied::TooOften { times });
        }
        let granted = session.as_ref().map_or(&[][..], |held| held.record.granted());
        let scopes = self.scopes(&found, granted, &more).await;
        let new = self.agree(found, &scopes, by).await?;
        self.save(&new)?;
        *session = Some(new);
        Ok(())
    }

    /// Logs in anew, with somebody who agrees.
    pub(crate) async fn log_in(&self, url: &str, consent: &dyn Consent) -> Result<LoggedIn, Denied> {
        let last = self.last().challenge.clone().filter(|(place, _)| place == url);
        let header = last.and_then(|(_, challenge)| challenge.header);
        let Some(found) = grant::discover(&self.wire, url, header.as_deref()).await? else {
            return Ok(LoggedIn::NotNeeded);
        };
        let before = Record::load(&*self.keep, &self.server, url, &self.oauth);
        let before = before.filter(|record| found.is_of(record));
        let (granted, wanted) = before.map_or_else(Default::default, |record| {
            (record.credentials.granted_scopes.clone(), record.wanted)
        });
        let scopes = self.scopes(&found, &granted, &wanted).await;
        let by = match self.oauth.grant {
            Grant::Person => By::Person(consent),
            Grant::Client => By::Client,
        };
        let new = self.agree(found, &scopes, by).await?;
        self.save(&new)?;
        *self.session.lock().await = Some(new);
        self.accepted();
        Ok(LoggedIn::Yes)
    }

    /// Where the server last said that it wants a login.
    pub(crate) fn wanted_at(&self) -> Option<String> {
        self.last().challenge.as_ref().map(|(url, _)| url.clone())
    }

    /// Why the last request stayed without a token.
    pub(crate) fn denied(&self) -> Option<Denied> {
        self.last().denied.clone()
    }

    /// Takes up what was kept, where nothing is held yet.
    async fn remember(&self, session: &mut Option<Session>, url: &str) {
        if session.as_ref().is_some_and(|held| held.record.url != url) {
            *session = None;
        }
        if session.is_none()
            && let Some(record) = Record::load(&*self.keep, &self.server, url, &self.oauth)
        {
            *session = Session::restore(&self.wire, record).await.ok();
        }
    }

    /// The scopes that are missing, if more may be asked for.
    fn more(&self, session: Option<&mut Session>, scopes: &[String]) -> Result<Vec<String>, Denied> {
        if let Some(scope) = scopes.iter().find(|scope| !self.may_ask(scope)) {
            return Err(Denied::Scope { scope: crate::said::cut(scope), server: self.server.clone() });
        }
        if let Some(held) = session {
            if scopes.iter().all(|scope| held.record.granted().contains(scope)) {
                return Err(Denied::Forbidden);
            }
            if !self.can_agree() {
                held.record.wanted = union(&held.record.wanted, scopes);
                self.save(held)?;
                return Err(self.no_login());
            }
        }
        Ok(scopes.to_vec())
    }

    fn may_ask(&self, scope: &String) -> bool {
        self.oauth.scopes.is_empty() || self.oauth.scopes.contains(scope)
    }

    fn by(&self) -> Option<By<'_>> {
        match self.oauth.grant {
            Grant::Client => Some(By::Client),
            Grant::Person => self.consent.as_deref().map(By::Person),
        }
    }

    fn can_agree(&self) -> bool {
        self.by().is_some()
    }

    async fn discover(&self, url: &str, challenge: &Challenge) -> Result<Found, Denied> {
        grant::discover(&self.wire, url, challenge.header.as_deref()).await?.ok_or(Denied::NoWay)
    }

    /// Whether a login would help: the server says so, or names where.
    async fn for_want(&self, url: &str, challenge: &Challenge) -> Result<Denied, Denied> {
        if !challenge.names_tokens() {
            self.discover(url, challenge).await?;
        }
        Ok(self.no_login())
    }

    async fn scopes(&self, found: &Found, granted: &[String], more: &[String]) -> Vec<String> {
        if !self.oauth.scopes.is_empty() {
            return self.oauth.scopes.clone();
        }
        let asked = if more.is_empty() { found.scopes().await } else { more.to_vec() };
        union(granted, &asked)
    }

    async fn agree(&self, found: Found, scopes: &[String], by: By<'_>) -> Result<Session, Denied> {
        match by {
            By::Person(consent) => found.by_person(&self.oauth, scopes, consent).await,
            By::Client => found.by_client(&self.oauth, scopes).await,
        }
    }

    fn no_login(&self) -> Denied {
        Denied::NoLogin { command: self.command.clone(), server: self.server.clone() }
    }

    fn deny(&self, denied: Denied) -> Denied {
        self.last().denied = Some(denied.clone());
        denied
    }

    fn save(&self, session: &Session) -> Result<(), Denied> {
        let saved = session.record.save(&*self.keep, &self.server);
        saved.map_err(|error| Denied::NotKept { why: error.to_string() })
    }

    fn forget(&self) -> Result<(), Denied> {
        let forgotten = self.keep.forget(&self.server);
        forgotten.map(|_| ()).map_err(|error| Denied::NotKept { why: error.to_string() })
    }

    fn last(&self) -> std::sync::MutexGuard<'_, Last> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Who agrees.
enum By<'a> {
    Person(&'a dyn Consent),
    Client,
}

fn union(some: &[String], more: &[String]) -> Vec<String> {
    let new = more.iter().filter(|scope| !some.contains(scope));
    some.iter().chain(new).cloned().collect()
}

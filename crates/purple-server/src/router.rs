//! The paths, and what happens to a request before it is one of A2A: size, kind, version, who sends it.

use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::{ConnectInfo, DefaultBodyLimit, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::stream::unfold;
use purple_port::PersonId;
use serde_json::Value;
use tokio::time::Instant;

use crate::a2a::card::Cards;
use crate::a2a::counter::Counter;
use crate::a2a::fault::{Fault, echo};
use crate::a2a::model::{Dialect, Operation};
use crate::a2a::rest;
use crate::a2a::rpc::{self, Envelope, Reply};
use crate::a2a::stream::Reel;
use crate::auth::{Caller, Doorman, Lock, bearer, from_a_strange_page};
use crate::health::{self, Readiness};
use crate::limits::{BODY_BYTES_MAX, CARD_AGE_SECONDS, KEEP_ALIVE_EVERY, MESSAGE_ID_BYTES_MAX, NOT_NOW_S};
use crate::metrics::Tally;
use crate::older;
use crate::permit::Power;
use crate::rate::Rate;
use crate::seats::{Seat, Seats};
use crate::trace::{About, Came, Traced, Tracer};

/// What every handler is given.
#[derive(Clone)]
pub(crate) struct Door {
    pub counter: Counter,
    pub cards: Arc<Cards>,
    /// The cards once callers must show a token, which can begin while the server runs.
    pub locked_cards: Arc<Cards>,
    pub doorman: Arc<dyn Doorman>,
    /// How often each caller may come.
    pub rate: Arc<Rate<PersonId>>,
    /// How often an address may show a token that opens nothing.
    pub strangers: Arc<Rate<IpAddr>>,
    pub streams: Arc<Seats>,
    pub body_within: Duration,
    pub readiness: Option<Arc<dyn Readiness>>,
    /// `None` where nothing is counted.
    pub tally: Option<Arc<Tally>>,
    /// `None` where nobody wants traces.
    pub tracer: Option<Arc<dyn Tracer>>,
}

const VERSION: &str = "a2a-version";
const A2A_JSON: &str = "application/a2a+json";

/// Every path of the door.
pub(crate) fn router(door: Door) -> Router {
    Router::new()
        .route("/", post(call))
        .route("/.well-known/agent-card.json", get(card))
        .route("/.well-known/agent.json", get(card))
        .route("/health", get(health::ready))
        .route("/readyz", get(health::ready))
        .route("/livez", get(health::live))
        .route("/api/a2a/purple-agent", post(older))
        .route("/api/a2a/purple-agent/", post(older))
        .route("/metrics", get(metrics))
        .route("/rl/status", get(learned))
        .fallback(plain)
        .method_not_allowed_fallback(other_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(door)
}

/// The agent card. It is public: a caller must read it to know how to come in.
async fn card(State(door): State<Door>, headers: HeaderMap) -> Response {
    let card = door.cards().of(headers.get(VERSION).and_then(|value| value.to_str().ok()));
    let tags = headers.get(header::IF_NONE_MATCH).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // A card that is the same for its readers is the same: a cache may have weakened its tag.
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let known = tags.split(',').map(strong).any(|tag| tag == card.etag || tag == "*");
    let mut response = match known {
        true => StatusCode::NOT_MODIFIED.into_response(),
        false => text(StatusCode::OK, card.body.clone()),
    };
    let age = HeaderValue::from_str(&format!("public, max-age={CARD_AGE_SECONDS}"));
    if let (Ok(tag), Ok(age)) = (HeaderValue::from_str(&card.etag), age) {
        response.headers_mut().insert(header::ETAG, tag);
        response.headers_mut().insert(header::CACHE_CONTROL, age);
        response.headers_mut().insert(header::VARY, HeaderValue::from_static("a2a-version"));
    }
    response
}

/// One JSON-RPC request.
async fn call(State(door): State<Door>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let (caller, body) = match door.admit(&parts, body).await {
        Ok(admitted) => admitted,
        Err(fault) => return refuse(&Value::Null, &fault),
    };
    let Envelope { id, dialect, operation } = match rpc::read(&body) {
        Ok(envelope) => envelope,
        Err(unread) => return refuse(&unread.id, &unread.fault),
    };
    match door.serve(&parts.headers, &caller, dialect, operation).await {
        Ok(Served::Reply(reply)) => json(StatusCode::OK, &reply.to_rpc(&id, dialect)),
        Ok(Served::Reel(reel, seat)) => events(*reel, seat, move |reply| reply.to_rpc(&id, dialect)),
        Err(fault) => refuse(&id, &fault),
    }
}

/// One request of the older endpoint.
async fn older(State(door): State<Door>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let served = async {
        let (caller, body) = door.admit(&parts, body).await?;
        caller.may(Power::Ask)?;
        let asked = older::read(&body)?;
        let operation = Operation::Send(asked.send()?);
        match door.serve(&parts.headers, &caller, Dialect::V1, operation).await? {
            Served::Reply(Reply::Sent(task)) => Ok::<_, Fault>(asked.answer(&task)),
            Served::Reply(_) | Served::Reel(..) => Err(Fault::Internal),
        }
    };
    match served.await {
        Ok(answer) => json(StatusCode::OK, &answer),
        Err(fault) => challenged(json(fault.status().0, &fault.to_rest()), &fault),
    }
}

/// One request of HTTP+JSON: whatever is no other path.
async fn plain(State(door): State<Door>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let served = async {
        let (caller, body) = door.admit(&parts, body).await?;
        let query = parts.uri.query().unwrap_or_default();
        let operation = rest::read(&parts.method, parts.uri.path(), query, &body)?;
        door.serve(&parts.headers, &caller, Dialect::V1, operation).await
    };
    let mut response = match served.await {
        Ok(Served::Reply(reply)) => json(StatusCode::OK, &reply.write(Dialect::V1)),
        Ok(Served::Reel(reel, seat)) => return events(*reel, seat, |reply| reply.write(Dialect::V1)),
        Err(fault) => challenged(json(fault.status().0, &fault.to_rest()), &fault),
    };
    if wants_a2a_json(&parts.headers) {
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(A2A_JSON));
    }
    response
}

/// A path that is there, and a method that it does not take.
async fn other_method(uri: Uri) -> Response {
    let allow = match uri.path() {
        "/" | "/api/a2a/purple-agent" | "/api/a2a/purple-agent/" => "POST",
        _ => "GET, HEAD",
    };
    let fault = Fault::WrongMethod { allow };
    challenged(json(fault.status().0, &fault.to_rest()), &fault)
}

/// Whether the answer is to be of the kind that 1.0.1 names: who says what they read gets it, others the kind that
/// they sent.
fn wants_a2a_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let accepted = accepted.flat_map(|value| value.split(','));
    let mut kinds =
        accepted.map(|kind| kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase());
    let named = kinds.find(|kind| kind == A2A_JSON || kind == "application/json");
    named.map_or_else(|| essence(headers) == A2A_JSON, |kind| kind == A2A_JSON)
}

/// An answer, or the events of one.
enum Served {
    Reply(Reply),
    Reel(Box<Reel>, Seat),
}

impl Door {
    fn cards(&self) -> &Cards {
        match self.doorman.lock() {
            Lock::Tokens => &self.locked_cards,
            Lock::OpenOnLoopback | Lock::OpenAnywhere => &self.cards,
        }
    }

    /// Lets a request in: where it comes from, who sends it, what it is; and only then its body is read.
    async fn admit(&self, parts: &Parts, body: Body) -> Result<(Caller, Bytes), Fault> {
        let headers = &parts.headers;
        if self.doorman.lock() == Lock::OpenOnLoopback && from_a_strange_page(headers) {
            return Err(Fault::StrangePage);
        }
        let caller = self.caller(parts).await?;
        let body = if parts.method == Method::POST {
            // A request about a task by its path alone has no body, and so no kind.
            let bare = parts.uri.path().starts_with("/tasks/") && !headers.contains_key(header::CONTENT_TYPE);
            if !bare {
                is_json(headers)?;
            }
            version(headers, &parts.uri)?;
            whole(body, self.body_within).await?
        } else {
            version(headers, &parts.uri)?;
            Bytes::new()
        };
        Ok((caller, body))
    }

    /// Who sends a request, if they do not come too often.
    async fn caller(&self, parts: &Parts) -> Result<Caller, Fault> {
        let now = Instant::now();
        let late = |wait: Duration| Fault::TooOften { wait_s: wait.as_secs() + 1 };
        match self.doorman.admit(bearer(&parts.headers)).await {
            Ok(caller) => {
                self.rate.take(&caller.person, now).map_err(late)?;
                Ok(caller)
            }
            Err(away) => {
                let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip());
                let peer = peer.unwrap_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
                self.strangers.take(&peer, now).map_err(late)?;
                Err(Fault::TurnedAway(away))
            }
        }
    }

    /// Serves one operation of somebody who was let in, and tells whoever wants its trace.
    async fn serve(
        &self,
        headers: &HeaderMap,
        caller: &Caller,
        dialect: Dialect,
        operation: Operation,
    ) -> Result<Served, Fault> {
        let operation = keyed(headers, operation)?;
        let seen = last_event(headers);
        let now = || self.counter.worker.clock.now();
        let tracer = self.tracer.as_ref();
        let traced = tracer.and_then(|tracer| Traced::begin(tracer, &*self.counter.ids, headers, now()));
        let Some(traced) = traced else {
            return self.operate(&self.counter, caller, dialect, operation, seen).await;
        };
        let about = About::of(&operation);
        let counter = Counter { traced: Some(traced.clone()), ..self.counter.clone() };
        let served = self.operate(&counter, caller, dialect, operation, seen).await;
        let came = match &served {
            Ok(Served::Reply(reply)) => Came::Reply(reply),
            Ok(Served::Reel(reel, _)) => {
                let (task, conversation) = reel.follows();
                Came::Stream { task, conversation }
            }
            Err(fault) => Came::Fault(fault),
        };
        traced.served(about, came, now());
        served
    }

    async fn operate(
        &self,
        counter: &Counter,
        caller: &Caller,
        dialect: Dialect,
        operation: Operation,
        seen: Option<u64>,
    ) -> Result<Served, Fault> {
        caller.may(needed(&operation))?;
        let reply = match operation {
            Operation::Send(send) => Reply::Sent(counter.send(caller, send).await?),
            Operation::Get { id, history } => Reply::Task(counter.get(caller, &id, history).await?),
            Operation::List(list) => Reply::Page(counter.list(caller, &list).await?),
            Operation::Cancel { id } => Reply::Task(counter.cancel(caller, &id).await?),
            Operation::Stream(send) => {
                let seat = self.streams.take(&caller.person)?;
                return Ok(Served::Reel(Box::new(counter.stream(caller, send).await?), seat));
            }
            Operation::Subscribe { id } => {
                let seat = self.streams.take(&caller.person)?;
                return Ok(Served::Reel(Box::new(counter.subscribe(caller, &id, seen).await?), seat));
            }
            Operation::Push(push) => counter.push(caller, push).await?,
            Operation::ExtendedCard => Reply::Card(self.cards().extended(caller, dialect)?),
        };
        Ok(Served::Reply(reply))
    }
}

/// What an operation needs, as far as can be told before it is looked at. Whose task it is about comes later.
fn needed(operation: &Operation) -> Power {
    match operation {
        Operation::Send(send) | Operation::Stream(send) if send.decision.is_some() => Power::Decide,
        // Words may be a decision, so who may only decide may speak; where they may, the counter says.
        Operation::Send(send) | Operation::Stream(send) if send.task.is_some() || send.context.is_some() => {
            Power::Decide
        }
        Operation::Send(_) | Operation::Stream(_) => Power::Ask,
        Operation::Get { .. } | Operation::List(_) | Operation::Subscribe { .. } => Power::Look,
        Operation::Cancel { .. } => Power::Cancel,
        Operation::Push(_) => Power::Notify,
        Operation::ExtendedCard => Power::ReadCard,
    }
}

/// Figures for operators.
async fn metrics(State(door): State<Door>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let told = async {
        let tally = door.figures(&parts).await?;
        Ok::<_, Fault>(tally.text(&door.counter.worker.brake).await?)
    };
    match told.await {
        Ok(told) => {
            let kind = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
            ([(header::CONTENT_TYPE, kind)], told).into_response()
        }
        Err(fault) => challenged(json(fault.status().0, &fault.to_rest()), &fault),
    }
}

/// What was learned, in numbers.
async fn learned(State(door): State<Door>, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let told = async {
        let tally = door.figures(&parts).await?;
        Ok::<_, Fault>(health::learned(&tally.figures().learned().await?))
    };
    match told.await {
        Ok(told) => json(StatusCode::OK, &told),
        Err(fault) => challenged(json(fault.status().0, &fault.to_rest()), &fault),
    }
}

impl Door {
    /// The figures, for somebody who may read them.
    async fn figures(&self, parts: &Parts) -> Result<Arc<Tally>, Fault> {
        if self.doorman.lock() == Lock::OpenOnLoopback && from_a_strange_page(&parts.headers) {
            return Err(Fault::StrangePage);
        }
        self.caller(parts).await?.may(Power::ReadFigures)?;
        self.tally.clone().ok_or(Fault::NoSuchPath)
    }
}

/// The body, if it is small enough and comes in time.
async fn whole(body: Body, within: Duration) -> Result<Bytes, Fault> {
    let too_large = Fault::TooLarge { bytes_max: BODY_BYTES_MAX };
    match tokio::time::timeout(within, to_bytes(body, BODY_BYTES_MAX)).await {
        Ok(Ok(bytes)) => Ok(bytes),
        // A connection that broke hears no answer, so the other cause is told.
        Ok(Err(_)) => Err(too_large),
        Err(_) => Err(Fault::TooSlow),
    }
}

/// A body that does not say that it is JSON is not read: a web page can send any other kind without asking.
fn is_json(headers: &HeaderMap) -> Result<(), Fault> {
    match essence(headers).as_str() {
        "application/json" | A2A_JSON => Ok(()),
        other => Err(Fault::BadBody { media: echo(other) }),
    }
}

/// The kind of a body without its parameters.
fn essence(headers: &HeaderMap) -> String {
    let media = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("none");
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// The version, in a header or in the query. None is fine; the method says what is meant.
fn version(headers: &HeaderMap, uri: &Uri) -> Result<(), Fault> {
    let in_query = uri.query().unwrap_or_default().split('&').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        name.eq_ignore_ascii_case(VERSION).then_some(value)
    });
    let in_header = headers.get(VERSION).map(|value| value.to_str().unwrap_or("?"));
    let Some(said) = in_header.or(in_query).map(str::trim).filter(|said| !said.is_empty()) else {
        return Ok(());
    };
    let mut numbers = said.split('.');
    let spoken = matches!((numbers.next(), numbers.next()), (Some("1"), Some("0")) | (Some("0"), Some("3")));
    let patch = numbers
        .next()
        .is_none_or(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()));
    if spoken && patch && numbers.next().is_none() {
        return Ok(());
    }
    Err(Fault::BadVersion { version: echo(said) })
}

/// A message without a name of its own is called by the key that its sender made for it.
fn keyed(headers: &HeaderMap, mut operation: Operation) -> Result<Operation, Fault> {
    let Some(key) = headers.get("idempotency-key") else { return Ok(operation) };
    if let Operation::Send(send) | Operation::Stream(send) = &mut operation
        && send.message_id.is_none()
    {
        let key = key.to_str().ok().filter(|key| (1..=KEY_BYTES_MAX).contains(&key.len()));
        let why = || format!("must be plain text of 1 to {KEY_BYTES_MAX} bytes");
        let key = key.ok_or_else(|| Fault::params("Idempotency-Key", why()))?;
        send.message_id = Some(format!("key:{key}"));
    }
    Ok(operation)
}

/// The longest key, in bytes: with its mark it is as long as the longest message id.
const KEY_BYTES_MAX: usize = MESSAGE_ID_BYTES_MAX - 4;

/// The last event that a reader saw before its stream was cut.
fn last_event(headers: &HeaderMap) -> Option<u64> {
    headers.get("last-event-id")?.to_str().ok()?.trim().parse().ok()
}

/// The events of a task as a stream that proxies leave alone.
fn events(reel: Reel, seat: Seat, write: impl Fn(&Reply) -> Value + Send + 'static) -> Response {
    let events = unfold((reel, seat, write), async |(mut reel, seat, write)| {
        let frame = reel.next().await?;
        let event = Event::default().data(write(&Reply::Update(frame.update)).to_string());
        let event = match frame.seq {
            Some(seq) => event.id(seq.to_string()),
            None => event,
        };
        Some((Ok::<_, Infallible>(event), (reel, seat, write)))
    });
    let alive = KeepAlive::new().interval(KEEP_ALIVE_EVERY).text("keep-alive");
    let mut response = Sse::new(events).keep_alive(alive).into_response();
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response
}

fn refuse(id: &Value, fault: &Fault) -> Response {
    challenged(json(fault.rpc_status(), &rpc::refusal(id, fault)), fault)
}

/// Says what to show, to those who were turned away.
fn challenged(mut response: Response, fault: &Fault) -> Response {
    if let Fault::WrongMethod { allow } = fault {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    }
    if matches!(fault, Fault::TurnedAway(_)) {
        response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    let wait_s = match fault {
        Fault::TooOften { wait_s } => Some(*wait_s),
        Fault::NotNow => Some(NOT_NOW_S),
        _ => None,
    };
    if let Some(wait_s) = wait_s {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(wait_s));
    }
    response
}

fn json(status: StatusCode, body: &Value) -> Response {
    text(status, body.to_string())
}

fn text(status: StatusCode, body: String) -> Response {
    let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
    (status, kind, body).into_response()
}

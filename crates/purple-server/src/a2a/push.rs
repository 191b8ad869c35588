//! Notifications of a task: who wants them, and how they are sent. They wait in the outbox until they arrived.

use purple_port::WorkerHandle;
use purple_port::{
    BoxFuture, Delivery, Digest, MOVED_KIND, Moved, Notice, Outbox, SessionId, Watcher, Watchers,
};
use reqwest::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::redirect::Policy;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use super::address::{Loopback, PushRules};
use super::address::{PublicOnly, Trust};
use super::counter::{Counter, Ticket};
use super::fault::{Fault, echo};
use super::known::Found;
use super::model::{Accepts, Dialect, Push, PushConfig, Pushed, Send, Task, Update};
use super::round_of::round_of;
use super::rounds;
use super::rpc::Reply;
use super::snapshot::Look;
use super::story::{Name, Place, Story};
use super::wait::Settled;
use crate::auth::Caller;
use crate::config::PauseAs;
use crate::limits::{JOURNAL_PAGE, PUSH_CONFIGS_MAX, PUSH_CONNECT_WITHIN, PUSH_WITHIN};
use crate::permit::Power;

/// A config as it is kept.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Kept {
    /// The task, as its caller names it.
    task: String,
    /// The round; 0 while only its message is known.
    round: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<Name>,
    url: String,
    token: Option<String>,
    scheme: Option<String>,
    credentials: Option<String>,
    dialect: Spoken,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
enum Spoken {
    #[serde(rename = "1.0")]
    V1,
    #[serde(rename = "0.3")]
    V03,
    #[serde(rename = "0.1")]
    V01,
}

impl From<Dialect> for Spoken {
    fn from(dialect: Dialect) -> Self {
        match dialect {
            Dialect::V1 => Self::V1,
            Dialect::V03 => Self::V03,
            Dialect::V01 => Self::V01,
        }
    }
}

impl From<Spoken> for Dialect {
    fn from(spoken: Spoken) -> Self {
        match spoken {
            Spoken::V1 => Self::V1,
            Spoken::V03 => Self::V03,
            Spoken::V01 => Self::V01,
        }
    }
}

impl Kept {
    /// The task that it is for.
    fn place(&self, story: &Story) -> Place {
        let Some(name) = &self.message else { return Place::Round(self.round) };
        let found = story.find(name).and_then(|heard| story.place(heard));
        found.unwrap_or_else(|| Place::Queued(name.clone()))
    }
}

impl Counter {
    /// What is asked about the notifications of a task. A config is there for whoever set it up, and for nobody else:
    /// it may hold their secrets.
    pub(crate) async fn push(&self, caller: &Caller, push: Push) -> Result<Reply, Fault> {
        let watchers = self.watchers.as_ref().ok_or(Fault::NoPush)?;
        caller.may(Power::Notify)?;
        let task = match &push {
            Push::Set { task, .. }
            | Push::Get { task, .. }
            | Push::List { task }
            | Push::Delete { task, .. } => task.clone(),
        };
        let Found { known, story, place } = self.find(caller, &task).await?;
        let run = known.row.session;
        let mine = |watcher: &&Watcher| watcher.owner == caller.person;
        let all = watchers.watchers(&run).await?;
        let own = all.iter().filter(mine).filter_map(|watcher| {
            let config = read(watcher, &story, &place)?;
            Some((watcher.id.clone(), Pushed { task: task.clone(), config }))
        });
        let own: Vec<(String, Pushed)> = own.collect();
        match push {
            Push::Set { config, .. } => {
                self.set_push(caller, (run, &story, place), task, config).await.map(Reply::Pushed)
            }
            Push::List { .. } => Ok(Reply::AllPushed(own.into_iter().map(|(_, pushed)| pushed).collect())),
            Push::Get { id, .. } => {
                let is = |pushed: &Pushed| id.is_none() || pushed.config.id == id;
                let none = || Fault::NoSuchPush { id: echo(id.as_deref().unwrap_or_default()) };
                let found = own.into_iter().map(|(_, pushed)| pushed).find(is);
                found.map(Reply::Pushed).ok_or_else(none)
            }
            Push::Delete { id, .. } => {
                let is = |pushed: &Pushed| pushed.config.id.as_deref() == Some(id.as_str());
                for (kept, _) in own.iter().filter(|(_, pushed)| is(pushed)) {
                    watchers.unwatch(&run, kept).await?;
                }
                Ok(Reply::Nothing)
            }
        }
    }

    /// Sets up what a message brought along. It is durable before the message is answered.
    pub(super) async fn push_with(&self, caller: &Caller, ticket: &Ticket, send: &Send) -> Result<(), Fault> {
        let Some(config) = send.push.clone() else { return Ok(()) };
        let Settled { place, story } = self.so_far(ticket).await?;
        let task = story.task_id(&ticket.run, &place);
        self.set_push(caller, (ticket.run.clone(), &story, place), task, config).await.map(drop)
    }

    /// Whether what a message brings along could be set up. Asked before the message is taken in.
    pub(super) fn may_push(&self, caller: &Caller, send: &Send) -> Result<(), Fault> {
        let Some(config) = &send.push else { return Ok(()) };
        if self.watchers.is_none() {
            return Err(Fault::NoPush);
        }
        caller.may(Power::Notify)?;
        self.push_rules.check(&config.url).map(drop)
    }

    async fn set_push(
        &self,
        caller: &Caller,
        (run, story, place): (SessionId, &Story, Place),
        task: String,
        config: PushConfig,
    ) -> Result<Pushed, Fault> {
        let watchers = self.watchers.as_ref().ok_or(Fault::NoPush)?;
        let (url, _) = self.push_rules.check(&config.url)?;
        let chosen = || Digest::of(config.url.as_bytes()).to_string().chars().skip(7).take(16).collect();
        let id = config.id.clone().unwrap_or_else(chosen);
        let others = watchers.watchers(&run).await?;
        let same = others.iter().find(|one| {
            let config = read(one, story, &place).filter(|_| one.owner == caller.person);
            config.is_some_and(|config| config.id.as_ref() == Some(&id))
        });
        let kept = same.map_or_else(|| kept_id(caller, &place, &id), |one| one.id.clone());
        if others.iter().filter(|one| one.id != kept).count() >= PUSH_CONFIGS_MAX {
            let why = format!("a context has at most {PUSH_CONFIGS_MAX} notification configs");
            return Err(Fault::params("url", why));
        }
        let (round, message) = match place {
            Place::Round(round) => (round, None),
            Place::Aside(_) => (story.round, None),
            Place::Queued(name) => (0, Some(name)),
        };
        let body = Kept {
            task: task.clone(),
            round,
            message,
            url: url.to_string(),
            token: config.token.clone(),
            scheme: config.scheme.clone(),
            credentials: config.credentials.clone(),
            dialect: config.dialect.into(),
        };
        let watcher = Watcher { session: run, id: kept, owner: caller.person.clone(), body: json!(body) };
        watchers.watch(watcher).await?;
        Ok(Pushed { task, config: PushConfig { id: Some(id), url: url.to_string(), ..config } })
    }
}

/// The name under which a config is kept: those of two people, or of two tasks, are two.
fn kept_id(caller: &Caller, place: &Place, id: &str) -> String {
    let which = match place {
        Place::Round(round) => round.to_string(),
        Place::Aside(seq) => format!("at{seq}"),
        Place::Queued(name) => name.mark(),
    };
    format!("{}:{which}:{id}", caller.person)
}

/// The config in a watcher of this task.
fn read(watcher: &Watcher, story: &Story, place: &Place) -> Option<PushConfig> {
    let kept: Kept = serde_json::from_value(watcher.body.clone()).ok()?;
    if kept.place(story) != *place {
        return None;
    }
    // The owner, the task and the id that the caller knows.
    let id = watcher.id.strip_prefix(watcher.owner.as_str())?.splitn(3, ':').nth(2)?.to_owned();
    Some(PushConfig {
        id: Some(id),
        url: kept.url,
        token: kept.token,
        scheme: kept.scheme,
        credentials: kept.credentials,
        dialect: kept.dialect.into(),
    })
}

/// Sends notifications of tasks to those who want them. Notices of other kinds are not its own.
pub struct PushOutbox {
    worker: WorkerHandle,
    watchers: std::sync::Arc<dyn Watchers>,
    rules: PushRules,
    pause_as: PauseAs,
    guarded: reqwest::Client,
    named: reqwest::Client,
}

/// No HTTP client could be made.
#[derive(Debug, thiserror::Error)]
#[error("notifications cannot be sent: {0}")]
pub struct NoPush(#[from] reqwest::Error);

impl PushOutbox {
    /// Reads tasks through the worker, and sends them by these rules.
    pub fn new(
        worker: WorkerHandle,
        watchers: std::sync::Arc<dyn Watchers>,
        rules: PushRules,
        pause_as: PauseAs,
    ) -> Result<Self, NoPush> {
        let client = || {
            reqwest::Client::builder()
                .no_proxy()
                .redirect(Policy::none())
                .timeout(PUSH_WITHIN)
                .connect_timeout(PUSH_CONNECT_WITHIN)
        };
        let guarded = client().dns_resolver(PublicOnly).build()?;
        Ok(Self { worker, watchers, rules, pause_as, guarded, named: client().build()? })
    }

    async fn send(&self, notice: &Notice) -> Result<Delivery, Fault> {
        let Ok(moved) = serde_json::from_value::<Moved>(notice.body.value().clone()) else {
            return Ok(Delivery::Hopeless);
        };
        let watchers = self.watchers.watchers(&notice.session).await?;
        // Whoever does not want it any more has it.
        let Some(watcher) = watchers.into_iter().find(|one| one.id == moved.watcher) else {
            return Ok(Delivery::Delivered);
        };
        let Ok(kept) = serde_json::from_value::<Kept>(watcher.body) else { return Ok(Delivery::Hopeless) };
        let mut story = Story::default();
        let mut rounds = Vec::new();
        self.read(&notice.session, &mut story, &moved, &mut rounds).await?;
        let place = kept.place(&story);
        if !concerns(&story, &place, &rounds, &moved) {
            return Ok(Delivery::Delivered);
        }
        let Ok((url, trust)) = self.rules.check(&kept.url) else { return Ok(Delivery::Hopeless) };
        let look = Look { pause_as: self.pause_as, accepts: Accepts::Data };
        let mut task = rounds::task(&self.worker, &notice.session, &mut story, &place, look).await?;
        let seq = story.seq;
        task.id.clone_from(&kept.task);
        task.metadata.insert("purple/seq".to_owned(), json!(seq));
        let Some(headers) = headers(&kept, &notice.id, seq) else { return Ok(Delivery::Hopeless) };
        let client = match trust {
            Trust::Named => &self.named,
            Trust::Guarded => &self.guarded,
        };
        let request = client.post(url).headers(headers).body(written(task, kept.dialect.into()).to_string());
        Ok(match request.send().await {
            Ok(response) => judged(response.status().as_u16()),
            Err(_) => Delivery::Later,
        })
    }
}

impl PushOutbox {
    /// Reads the journal, and which rounds what is new in it names.
    async fn read(
        &self,
        run: &SessionId,
        story: &mut Story,
        moved: &Moved,
        rounds: &mut Vec<u32>,
    ) -> Result<(), Fault> {
        loop {
            let page = self.worker.trace(run, story.seq, JOURNAL_PAGE).await?;
            for one in &page {
                story.take(one);
                if moved.from < one.seq && one.seq <= moved.to {
                    rounds.extend(round_of(one.record()));
                }
            }
            if page.len() < JOURNAL_PAGE {
                return Ok(());
            }
        }
    }
}

/// What is told: 1.0 tells an event, earlier dialects the task.
fn written(task: Task, dialect: Dialect) -> Value {
    match dialect {
        Dialect::V1 => Reply::Update(Update::Task(task)).write(dialect),
        Dialect::V03 | Dialect::V01 => Reply::Task(task).write(dialect),
    }
}

fn headers(kept: &Kept, id: &str, seq: u64) -> Option<HeaderMap> {
    let mut headers = HeaderMap::new();
    let kind = match kept.dialect {
        Spoken::V1 => "application/a2a+json",
        Spoken::V03 | Spoken::V01 => "application/json",
    };
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    if let Some(token) = &kept.token {
        let name = HeaderName::from_static("x-a2a-notification-token");
        headers.insert(name, HeaderValue::from_str(token).ok()?);
    }
    if let (Some(scheme), Some(credentials)) = (&kept.scheme, &kept.credentials) {
        let mut value = HeaderValue::from_str(&format!("{scheme} {credentials}")).ok()?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    // A receiver drops what it has, and puts what comes out of order in its place.
    headers.insert(HeaderName::from_static("x-a2a-notification-id"), HeaderValue::from_str(id).ok()?);
    headers.insert(HeaderName::from_static("x-a2a-event-id"), HeaderValue::from(seq));
    Some(headers)
}

/// What an answer of the receiver means. One that may change is asked for again.
fn judged(status: u16) -> Delivery {
    match status {
        200..=299 => Delivery::Delivered,
        400 | 405 | 410 | 413 | 415 | 422 => Delivery::Hopeless,
        _ => Delivery::Later,
    }
}

/// Whether what is new in the journal says something about a task.
fn concerns(story: &Story, place: &Place, rounds: &[u32], moved: &Moved) -> bool {
    match place {
        Place::Round(round) => {
            // A round that did not end by itself ends when another one takes its place.
            let replaced = rounds.iter().any(|one| one > round) && story.ended(*round).is_none();
            rounds.contains(round) || replaced
        }
        Place::Aside(seq) => moved.from < *seq && *seq <= moved.to,
        Place::Queued(_) => false,
    }
}

impl Outbox for PushOutbox {
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(async move {
            if notice.kind != MOVED_KIND {
                return Delivery::Hopeless;
            }
            self.send(notice).await.unwrap_or(Delivery::Later)
        })
    }
}

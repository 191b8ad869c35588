//! The process that gets killed: the real store, the real worker, and clients that post what people would.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use purple_backoffice::{IDEMPOTENCY_META, Ledger};
use purple_journal::record::write::Intent;
use purple_process::{Directory as People, Mode, State, StepId, ToolName};
use purple_server::{IdMaker, NoId, OpenDoor, Server, Webhook};
use purple_store::{Engine, Store};
use purple_testkit::TestClient;
use purple_tools::{Era, ServerConfig, ServerKind, ToolServers};
use purple_worker::port::{
    Blobs as _, BoxFuture, Clock, DedupKey, Directory, Events as _, KeyPlace, Pause, PersonId, SessionId,
};
use purple_worker::{
    Channel, Choice, ClientError, Manifest, Message, Notices, Ports, Process, RunView, Settings, Settlement,
    Shipped, Start, Stated, Status, ToolId, Worker, WorkerHandle,
};
use serde::{Deserialize, Serialize};

use crate::business::{KEYED, Kind, kind, name, task};
use crate::driven;
use crate::points::{Points, Stormy, StormyInbox, StormyOutbox, StormyTools};

/// The environment variable with the orders.
pub(crate) const ORDERS: &str = "PURPLE_STORM_ORDERS";
/// A Wednesday morning, when the storm begins.
const BEGIN: &str = "2026-03-04T08:00:00Z";

/// What the child is to do.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) folder: PathBuf,
    /// Where the tools are, and the ledger that people look at.
    pub(crate) url: String,
    pub(crate) ledger: PathBuf,
    /// Where approvers are told.
    pub(crate) notify_url: String,
    /// Whether decisions on rejections come from outside, by HTTP.
    pub(crate) decisions: Decisions,
    pub(crate) sessions: u32,
    /// The real time at which the storm began.
    pub(crate) began: Timestamp,
    /// Die when this point is passed for the n-th time.
    pub(crate) point: Option<(String, u32)>,
    pub(crate) keys: Keys,
    pub(crate) weak: Option<Weakness>,
    /// A model drives every session, under this mode.
    pub(crate) driven: Option<Mode>,
}

/// Whether the operator declared which tools take keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Keys {
    Declared,
    Unknown,
}

/// Where the yes to a rejection comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Decisions {
    /// From somebody in the child.
    Inside,
    /// From the parent, through the HTTP door of the child.
    Outside,
}

/// A worker that is worse than ours, so that the judge can be seen to judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Weakness {
    /// The intent becomes durable only after the operation was sent.
    IntentAfterSend,
    /// After a restart it does not look what it had announced, and sends again.
    ForgetsIntents,
    /// It calls a notice delivered before it has posted it.
    ForgetsNotices,
}

#[expect(clippy::disallowed_methods, reason = "the storm runs in real time")]
pub(crate) fn real_time() -> Timestamp {
    Timestamp::now()
}

/// Runs with real time on the demo company's day.
struct Morning {
    ahead: SignedDuration,
}

impl Clock for Morning {
    fn now(&self) -> Timestamp {
        real_time().checked_add(self.ahead).unwrap()
    }
}

struct Keyboard;

impl Directory for Keyboard {
    fn on(&self, _: jiff::civil::Date) -> People {
        People::Keyboard
    }
}

struct NoPause;

impl Pause for NoPause {
    fn pause(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

/// Every run of the storm has its name already.
struct NoIds;

impl IdMaker for NoIds {
    fn fresh(&self) -> Result<SessionId, NoId> {
        Err(NoId)
    }
}

fn settings(orders: &Orders) -> Settings {
    let mut settings = Settings::careful(Process::shipped().unwrap());
    if let Some(mode) = orders.driven {
        settings = Settings { mode, ..Settings::careful(driven::files()) };
    }
    settings.notices = Notices::Approvers;
    settings.look_within = [20, 40].map(Duration::from_millis).to_vec();
    settings.look_later = [50, 100].map(Duration::from_millis).to_vec();
    let mut manifest = Manifest::default().with_shipped("office", Shipped::find("demo-company").unwrap());
    if orders.keys == Keys::Declared {
        let stated = |name: &str| {
            let key = Some(KeyPlace::Meta(IDEMPOTENCY_META.to_owned()));
            let id = ToolId { server: "office".to_owned(), tool: ToolName::parse(name).unwrap() };
            (id, Stated { key, ..Stated::default() })
        };
        manifest.tools = KEYED.into_iter().map(stated).collect();
    }
    settings.manifest = Arc::new(manifest);
    settings
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn this_is_the_child_and_does_nothing_when_run_alone() {
    let Some(orders) = std::env::var_os(ORDERS) else { return };
    let orders: Orders = serde_json::from_str(orders.to_str().unwrap()).unwrap();
    let begin: Timestamp = BEGIN.parse().unwrap();
    let clock = Arc::new(Morning { ahead: begin.duration_since(orders.began) });
    // Not counted as the worker's fault: they are all ours.
    let kept = purple_store::Settings {
        crashes_max: u32::MAX,
        reserve_bytes: 0,
        ..purple_store::Settings::default()
    };
    let store = Store::open(&orders.folder, kept, clock.clone()).unwrap();
    println!("opened");
    let points = Points::new(&orders);
    let server =
        ServerConfig { name: "office".to_owned(), kind: ServerKind::Url(orders.url.clone()), era: Era::Auto };
    let tools = StormyTools {
        servers: ToolServers::new(vec![server]).unwrap(),
        points: Arc::clone(&points),
        ledger: orders.ledger.clone(),
    };
    let shared = Arc::new(store.clone());
    let ports = Ports {
        tools: Arc::new(tools),
        blobs: shared.clone(),
        events: shared.clone(),
        memory: shared.clone(),
        directory: Arc::new(Keyboard),
        clock: clock.clone(),
        pause: Arc::new(NoPause),
        models: orders.driven.map(|_| driven::models(&points)),
        workshop: None,
    };
    let worker = Worker::new(ports, settings(&orders));
    let stormy = Stormy { worker, points: Arc::clone(&points), weak: orders.weak };
    let webhook = Webhook::to(&orders.notify_url).unwrap();
    let outbox = StormyOutbox { webhook, points: Arc::clone(&points), weak: orders.weak };
    let engine = Engine::start(store.clone(), Arc::new(stormy), Arc::new(outbox));
    let inbox = Arc::new(StormyInbox { inbox: shared.clone(), points: Arc::clone(&points) });
    let (events, blobs) = (shared.clone(), shared.clone());
    let client = purple_worker::Client {
        inbox,
        events,
        blobs,
        brake: shared,
        clock,
        endpoints_allowed: Vec::new(),
        account: None,
    };
    let worker = TestClient::new(client);
    if orders.decisions == Decisions::Outside {
        serve(worker.handle()).await;
    }
    let mut clients = tokio::task::JoinSet::new();
    // One look at a time, as one person has one pair of eyes; it also keeps the ledger readable for the others.
    let eyes = Arc::new(Mutex::new(orders.ledger.clone()));
    for number in 0..orders.sessions {
        let client = Client {
            number,
            run: SessionId::parse(&name(number)).unwrap(),
            worker: worker.clone(),
            store: store.clone(),
            points: Arc::clone(&points),
            eyes: Arc::clone(&eyes),
            decisions: orders.decisions,
            is_driven: orders.driven.is_some(),
        };
        clients.spawn(client.see_through());
    }
    clients.join_all().await;
    told(&store).await;
    engine.stop().await.unwrap();
    println!("all done");
}

/// Opens the HTTP door, and tells where.
async fn serve(worker: WorkerHandle) {
    let config = purple_server::ServerConfig::at("127.0.0.1:0".parse().unwrap());
    let door = Arc::new(OpenDoor::on_loopback(person("bea")));
    let server =
        Server::bind(config, purple_server::Ports::new(worker, door, Arc::new(NoIds))).await.unwrap();
    println!("serving http://{}/.", server.address());
    tokio::spawn(server.run(std::future::pending()));
}

/// Waits until everybody was told.
async fn told(store: &Store) {
    loop {
        let health = store.reader().health().unwrap();
        assert_eq!(health.dead_notices, 0);
        if health.notices == 0 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// Everybody who has to do with one session.
struct Client {
    number: u32,
    run: SessionId,
    worker: TestClient,
    store: Store,
    points: Arc<Points>,
    eyes: Arc<Mutex<PathBuf>>,
    decisions: Decisions,
    is_driven: bool,
}

fn person(name: &str) -> PersonId {
    PersonId::parse(name).unwrap()
}

impl Client {
    /// Posts what is to be posted until the session has ended, or waits for somebody who never comes.
    async fn see_through(self) {
        let start = Start {
            text: if self.is_driven { driven::task(self.number) } else { task(self.number) },
            by: person("alex"),
            channel: Channel::Cli,
            account: None,
            policy: None,
            tools_endpoint: None,
            message_id: None,
        };
        self.worker.start(self.run.clone(), DedupKey(format!("start:{}", self.run)), start).await.unwrap();
        self.points.pass("accepted, not told");
        println!("accepted {}.", self.run);
        loop {
            let row = self.store.session(&self.run).await.unwrap();
            let entries = row.map_or(0, |row| row.entries);
            let view = self.worker.view(&self.run).await;
            if let Ok(view) = view
                && view.entries == entries
            {
                assert_eq!(view.stuck, None, "{} is stuck", self.run);
                if self.answer(&view).await {
                    self.points.pass("ended, not told");
                    println!("finished {} {:?} {:?}.", self.run, view.summary.status, view.summary.ending);
                    return;
                }
            }
            self.store.changed(&self.run, entries).await.unwrap();
        }
    }

    /// Does what the session waits for; `true` when nothing more is to be done.
    async fn answer(&self, view: &RunView) -> bool {
        match view.summary.status {
            Status::Working | Status::WaitingModel => {}
            Status::Halted => unreachable!("nobody halted {}", self.run),
            Status::Waiting if self.is_driven => self.decide(view).await,
            Status::Closed if self.is_driven => return true,
            Status::Waiting if kind(self.number) == Kind::Unanswered => return true,
            Status::Waiting => self.decide(view).await,
            Status::InDoubt => self.settle(view.summary.doubt.as_ref().unwrap().step.clone()).await,
            Status::Closed => {
                let first = kind(self.number) == Kind::Offboarding && view.summary.round == 1;
                if !first || view.summary.state != State::Complete {
                    return true;
                }
                self.say("revoke", "Now revoke system access and send exit survey").await;
            }
        }
        false
    }

    async fn decide(&self, view: &RunView) {
        let approval = view.summary.approval.as_ref().unwrap();
        if kind(self.number) == Kind::Rejection && self.decisions == Decisions::Outside {
            println!("waits {} {}.", self.run, approval.id);
        } else if kind(self.number) == Kind::Order && !self.is_driven {
            self.say(&approval.id, "Confirmed, proceed").await;
        } else {
            match self.worker.decide(&self.run, person("bea"), Channel::Cli, Choice::Approve).await {
                // The decision that she posted before the last kill was run just now.
                Ok(_) | Err(ClientError::NothingWaits { .. }) => {}
                Err(error) => unreachable!("{error}"),
            }
            self.points.pass("decision accepted, not told");
        }
    }

    async fn say(&self, about: &str, text: &str) {
        let message =
            Message { text: text.to_owned(), by: person("alex"), channel: Channel::A2a, account: None };
        let dedup = DedupKey(format!("say:{}:{about}", self.run));
        self.worker.say(self.run.clone(), dedup, message).await.unwrap();
        self.points.pass("decision accepted, not told");
    }

    /// A person looks at the company's own books.
    async fn settle(&self, step: StepId) {
        let journal = self.store.since(&self.run, 0, usize::MAX).await.unwrap();
        let intents = journal.iter().filter_map(|it| it.record().get::<Intent>());
        let intent = intents.rev().find(|intent| intent.step == step).unwrap();
        let sent = self.store.get(intent.sent).await.unwrap().unwrap();
        let sent: serde_json::Value = serde_json::from_slice(&sent).unwrap();
        let done = {
            let ledger = Ledger::read(&self.eyes.lock().unwrap()).unwrap();
            ledger.effects_of(intent.tool.as_str()).any(|effect| effect.arguments == sent)
        };
        let done = if done { Settlement::Done } else { Settlement::NotDone };
        println!("settled {} {step} {done:?}.", self.run);
        self.worker.settle(&self.run, step, done, person("casey")).await.unwrap();
    }
}

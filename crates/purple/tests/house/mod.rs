//! A whole house for tests: the real store, the real worker, real tool servers, and the demo business behind a door.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::civil::date;
use purple_backoffice::{HttpDoor, Ledger, Office, Setup, serve_mcp};
use purple_process::{Digest, Directory as People, PersonId, SessionId, ToolName};
use purple_store::{Engine, Store};
pub use purple_testkit::HandClock;
use purple_testkit::TestClient;
use purple_testkit::within;
use purple_tools::{Era, ServerConfig, ServerKind, StreamFactory, Streams, ToolServers};
use purple_worker::port::*;
use purple_worker::{
    Channel, Client, Manifest, Message, Ports, Process, RunView, Settings, Shipped, Start, Stated, ToolId,
    Worker, Workshop,
};
use tempfile::TempDir;

/// A Wednesday morning.
pub const NOW: &str = "2026-03-04T09:00:00Z";

/// The people of a test.
pub struct Staff(pub Mutex<People>);

impl Directory for Staff {
    fn on(&self, _: jiff::civil::Date) -> People {
        self.0.lock().unwrap().clone()
    }
}

pub struct NoPause;

impl Pause for NoPause {
    fn pause(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

pub struct Silent;

impl Outbox for Silent {
    fn deliver<'a>(&'a self, _: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(std::future::ready(Delivery::Delivered))
    }
}

/// Through which door the business is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    Streams,
    HttpMcp,
    Bridge,
}

pub struct House {
    pub worker: TestClient,
    pub office: Arc<Office>,
    pub clock: Arc<HandClock>,
    pub staff: Arc<Staff>,
    pub engine: Option<Engine>,
    pub folder: TempDir,
    pub settings: Settings,
    pub door: Door,
    pub tools: Arc<ToolServers>,
    pub models: Option<Models>,
    /// Whether processes and functions are made here.
    pub makes: bool,
    _http: Option<HttpDoor>,
}

/// Tools of the demo business that take a key.
pub fn keyed(tools: &[&str]) -> Manifest {
    let stated = |name: &&str| {
        let key = Some(KeyPlace::Meta(purple_backoffice::IDEMPOTENCY_META.to_owned()));
        (id(name), Stated { key, ..Stated::default() })
    };
    Manifest { tools: tools.iter().map(stated).collect(), ..reviewed() }
}

/// A tool of the demo business, which these tests call `office`.
pub fn id(tool: &str) -> ToolId {
    ToolId { server: "office".to_owned(), tool: ToolName::parse(tool).unwrap() }
}

/// The operator says that the office is the demo company.
pub fn reviewed() -> Manifest {
    Manifest::default().with_shipped("office", Shipped::find("demo-company").unwrap())
}

/// The careful settings of these processes at the demo business.
pub fn careful(processes: Vec<Process>) -> Settings {
    Settings { manifest: Arc::new(reviewed()), ..Settings::careful(processes) }
}

pub fn settings() -> Settings {
    careful(Process::shipped().unwrap())
}

impl House {
    pub async fn open(door: Door, settings: Settings, faults: &[&str]) -> Self {
        Self::with_models(door, settings, faults, None).await
    }

    /// The same, with somebody who thinks.
    pub async fn with_models(
        door: Door,
        settings: Settings,
        faults: &[&str],
        models: Option<Models>,
    ) -> Self {
        Self::with_workshop(door, settings, faults, models, false).await
    }

    /// The same, with a place where what is missing is made.
    pub async fn with_workshop(
        door: Door,
        settings: Settings,
        faults: &[&str],
        models: Option<Models>,
        makes: bool,
    ) -> Self {
        let mut setup = Setup::in_memory(date(2026, 3, 4));
        for fault in faults {
            setup.faults.push(fault.parse().unwrap());
        }
        let office = Arc::new(Office::open(setup).unwrap());
        let (http, kind) = match door {
            Door::Streams => {
                let office = Arc::clone(&office);
                let factory = StreamFactory::new(move || {
                    let (ours, theirs) = tokio::io::duplex(1 << 20);
                    let (reader, writer) = tokio::io::split(theirs);
                    let office = Arc::clone(&office);
                    tokio::spawn(async move { serve_mcp(office, reader, writer).await });
                    let (reader, writer) = tokio::io::split(ours);
                    Ok(Streams { reader: Box::new(reader), writer: Box::new(writer) })
                });
                (None, ServerKind::Streams(factory))
            }
            Door::HttpMcp | Door::Bridge => {
                let http = HttpDoor::open(Arc::clone(&office), "127.0.0.1:0".parse().unwrap()).await.unwrap();
                let base = format!("http://{}", http.address());
                let kind =
                    if door == Door::HttpMcp { ServerKind::Url(base) } else { ServerKind::Bridge(base) };
                (Some(http), kind)
            }
        };
        Self::with_server((door, kind, http), office, settings, models, makes)
    }

    /// The same, with any server of tools.
    pub fn with_server(
        (door, kind, http): (Door, ServerKind, Option<HttpDoor>),
        office: Arc<Office>,
        settings: Settings,
        models: Option<Models>,
        makes: bool,
    ) -> Self {
        let server = ServerConfig { name: "office".to_owned(), kind, era: Era::Auto };
        let tools = Arc::new(ToolServers::new(vec![server]).unwrap());
        let clock = Arc::new(HandClock::at(NOW.parse().unwrap()));
        let staff = Arc::new(Staff(Mutex::new(People::Keyboard)));
        let folder = tempfile::tempdir().unwrap();
        let (engine, worker) = start(folder.path(), &settings, &tools, &clock, &staff, (&models, makes));
        let engine = Some(engine);
        Self {
            worker,
            office,
            clock,
            staff,
            engine,
            folder,
            settings,
            door,
            tools,
            models,
            makes,
            _http: http,
        }
    }

    /// Stops and starts again on the same data, with these settings.
    pub async fn restart(&mut self, settings: Settings) {
        self.stop().await;
        self.settings = settings;
        let thinks = (&self.models, self.makes);
        let (engine, worker) =
            start(self.folder.path(), &self.settings, &self.tools, &self.clock, &self.staff, thinks);
        self.engine = Some(engine);
        self.worker = worker;
    }

    pub async fn stop(&mut self) {
        if let Some(engine) = self.engine.take() {
            let store = engine.store().clone();
            within("the engine to stop", engine.stop()).await.unwrap();
            within("the store to close", store.close()).await.unwrap();
        }
    }

    /// Sends a task and waits until the run stands still.
    pub async fn task(&self, run: &str, text: &str) -> RunView {
        let start = Start {
            text: text.to_owned(),
            by: person("alex"),
            channel: Channel::Cli,
            account: None,
            policy: None,
            tools_endpoint: None,
            message_id: None,
        };
        self.start(run, start).await
    }

    /// Sends a task and does not wait.
    pub async fn task_posted(&self, run: &str, text: &str) {
        let start = Start {
            text: text.to_owned(),
            by: person("alex"),
            channel: Channel::Cli,
            account: None,
            policy: None,
            tools_endpoint: None,
            message_id: None,
        };
        let run = session(run);
        self.worker.start(run.clone(), DedupKey(format!("start:{run}")), start).await.unwrap();
    }

    pub async fn start(&self, run: &str, start: Start) -> RunView {
        let run = session(run);
        self.worker.start(run.clone(), DedupKey(format!("start:{run}")), start).await.unwrap();
        self.still(&run).await
    }

    /// Says something and waits until the run stands still.
    pub async fn say(&self, run: &str, by: &str, text: &str) -> RunView {
        let run = session(run);
        let entries = self.worker.view(&run).await.unwrap().entries;
        let message = Message { text: text.to_owned(), by: person(by), channel: Channel::A2a, account: None };
        let dedup = DedupKey(format!("say:{run}:{entries}:{}", Digest::of(text.as_bytes())));
        self.worker.say(run.clone(), dedup, message).await.unwrap();
        self.still(&run).await
    }

    /// Waits until no event is due.
    pub async fn idle(&self) {
        within("the engine to become idle", self.engine.as_ref().unwrap().idle()).await.unwrap();
    }

    /// Waits until no event is due, and returns the run.
    pub async fn still(&self, run: &SessionId) -> RunView {
        self.idle().await;
        let row = self.worker.events.session(run).await.unwrap();
        assert!(row.as_ref().is_none_or(|row| row.stuck.is_none()), "{:?}", row.unwrap().stuck);
        self.worker.view(run).await.unwrap()
    }

    pub fn ledger(&self) -> Ledger {
        self.office.ledger().unwrap()
    }

    /// The tools that had an effect, in order.
    pub fn effects(&self) -> Vec<String> {
        self.ledger().effects.iter().map(|effect| effect.tool.clone()).collect()
    }
}

/// Where a request may say that its tools are.
pub const ALLOWED_TOOLS: &str = "http://tools.example:8080";

fn start(
    folder: &std::path::Path,
    settings: &Settings,
    tools: &Arc<ToolServers>,
    clock: &Arc<HandClock>,
    staff: &Arc<Staff>,
    (models, makes): (&Option<Models>, bool),
) -> (Engine, TestClient) {
    let store = Store::open(folder, purple_store::Settings::default(), clock.clone()).unwrap();
    let shared = Arc::new(store.clone());
    let ports = Ports {
        tools: tools.clone(),
        blobs: shared.clone(),
        events: shared.clone(),
        memory: shared.clone(),
        directory: staff.clone(),
        clock: clock.clone(),
        pause: Arc::new(NoPause),
        models: models.clone(),
        workshop: makes.then(|| Workshop {
            definitions: shared.clone(),
            sandbox: Arc::new(purple_sandbox::RhaiSandbox::new(clock.clone())),
        }),
    };
    let allowed = vec![ALLOWED_TOOLS.to_owned()];
    let worker = Worker::new(ports, Settings { endpoints_allowed: allowed, ..settings.clone() });
    let engine = Engine::start(store, Arc::new(worker), Arc::new(Silent));
    let client = Client {
        inbox: shared.clone(),
        events: shared.clone(),
        blobs: shared.clone(),
        brake: shared,
        clock: clock.clone(),
        endpoints_allowed: vec![ALLOWED_TOOLS.to_owned()],
        account: None,
    };
    (engine, TestClient::new(client))
}

pub fn person(name: &str) -> PersonId {
    PersonId::parse(name).unwrap()
}

pub fn session(name: &str) -> SessionId {
    SessionId::parse(name).unwrap()
}

//! The demo business behind every door, and one way to call it.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may panic")]

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use purple_backoffice::{Clock, Fault, HttpDoor, Ledger, Office, Setup, serve_mcp};
use purple_port::{CallOptions, Called, Json, KeyPlace, Listing, Pass, Tools, ToolsAt, Values};
use purple_testkit::{read_pass, write_pass};
use purple_tools::{Era, Program, ServerConfig, ServerKind, StreamFactory, Streams, ToolServers};
use serde_json::Value;

/// Longer than any honest answer takes here, so that a slow machine is not taken for a silent server.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// For answers that never come.
pub(crate) const SHORT: Duration = Duration::from_secs(2);

/// A way to the company.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Door {
    Stdio(Era),
    Streams(Era),
    Http(Era),
    Bridge,
}

impl Door {
    pub(crate) const ALL: [Self; 7] = [
        Self::Stdio(Era::Modern),
        Self::Stdio(Era::Legacy),
        Self::Streams(Era::Auto),
        Self::Streams(Era::Legacy),
        Self::Http(Era::Modern),
        Self::Http(Era::Legacy),
        Self::Bridge,
    ];

    pub(crate) fn is_bridge(self) -> bool {
        self == Self::Bridge
    }
}

/// A company, a door to it, and the servers that know only this one.
pub(crate) struct Company {
    witness: Witness,
    pub(crate) config: ServerConfig,
    pub(crate) servers: ToolServers,
    door: Option<HttpDoor>,
}

enum Witness {
    Office(Arc<Office>),
    File(Folder, PathBuf),
}

impl Company {
    pub(crate) async fn behind(door: Door, faults: &[&str]) -> Self {
        let (witness, http, kind, era) = match door {
            Door::Stdio(era) => {
                let folder = Folder::new();
                let file = folder.0.join("company.db");
                let kind = ServerKind::Stdio(program(&file, faults));
                (Witness::File(folder, file), None, kind, era)
            }
            Door::Streams(era) => {
                let office = office(faults);
                (Witness::Office(Arc::clone(&office)), None, streams(office), era)
            }
            Door::Http(era) => {
                let (office, http) = listening(faults).await;
                let url = http.mcp_url();
                (Witness::Office(office), Some(http), ServerKind::Url(url), era)
            }
            Door::Bridge => {
                let (office, http) = listening(faults).await;
                let url = format!("{}?session_id=s-1", http.bridge_url());
                (Witness::Office(office), Some(http), ServerKind::Bridge(url), Era::Auto)
            }
        };
        let config = ServerConfig { name: "company".to_owned(), kind, era };
        let servers = ToolServers::new(vec![config.clone()]).unwrap();
        Self { witness, config, servers, door: http }
    }

    pub(crate) async fn list(&self) -> Listing {
        self.servers.list(&ToolsAt::Configured).await.unwrap()
    }

    pub(crate) async fn call(&self, pass: Pass) -> Called {
        self.call_with(pass, PATIENCE, None).await
    }

    pub(crate) async fn call_with(&self, pass: Pass, deadline: Duration, key: Option<KeyPlace>) -> Called {
        self.servers.call(&ToolsAt::Configured, pass, CallOptions { deadline, key, answers: None }).await
    }

    pub(crate) fn ledger(&self) -> Ledger {
        match &self.witness {
            Witness::Office(office) => office.ledger().unwrap(),
            Witness::File(_, file) => Ledger::read(file).unwrap(),
        }
    }

    /// Tools of the calls that arrived, in order.
    pub(crate) fn arrived(&self) -> Vec<String> {
        self.ledger().calls.into_iter().map(|call| call.tool).collect()
    }

    pub(crate) async fn close_door(&mut self) {
        if let Some(door) = self.door.take() {
            door.close().await;
        }
    }
}

pub(crate) fn office(faults: &[&str]) -> Arc<Office> {
    let mut setup = Setup::in_memory(jiff::civil::date(2026, 3, 4));
    setup.clock = Clock::running(jiff::civil::date(2026, 3, 4));
    setup.faults = faults.iter().map(|fault| fault.parse::<Fault>().unwrap()).collect();
    Arc::new(Office::open(setup).unwrap())
}

pub(crate) async fn listening(faults: &[&str]) -> (Arc<Office>, HttpDoor) {
    let office = office(faults);
    let http = HttpDoor::open(Arc::clone(&office), "127.0.0.1:0".parse().unwrap()).await.unwrap();
    (office, http)
}

/// MCP on streams inside this process; each connection is a new conversation with the same office.
pub(crate) fn streams(office: Arc<Office>) -> ServerKind {
    ServerKind::Streams(StreamFactory::new(move || Ok(connect(&office))))
}

pub(crate) fn connect(office: &Arc<Office>) -> Streams {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(serve_mcp(Arc::clone(office), reader, writer));
    let (reader, writer) = tokio::io::split(ours);
    Streams { reader: Box::new(reader), writer: Box::new(writer) }
}

/// The example beside this test's own program: `target/…/examples/company`.
pub(crate) fn program(file: &std::path::Path, faults: &[&str]) -> Program {
    let here = std::env::current_exe().unwrap();
    let built = here.parent().and_then(std::path::Path::parent).unwrap();
    let mut args = vec![file.to_str().unwrap().to_owned()];
    args.extend(faults.iter().map(|fault| (*fault).to_owned()));
    Program {
        command: built.join("examples").join("company").to_str().unwrap().to_owned(),
        args,
        env: BTreeMap::new(),
        cwd: None,
    }
}

pub(crate) fn values(raw: &Value) -> Values {
    let fields = raw.as_object().unwrap().iter();
    fields.map(|(name, value)| (name.clone(), Json::from_serde(value).unwrap())).collect()
}

pub(crate) fn read(tool: &str, arguments: Value) -> Pass {
    read_pass(tool, values(&arguments)).unwrap()
}

pub(crate) fn write(tool: &str, arguments: Value) -> Pass {
    write_pass("ses_1", tool, values(&arguments)).unwrap()
}

pub(crate) fn get_invoice() -> Pass {
    read("get_invoice", serde_json::json!({"invoice_id": "INV-2024-447"}))
}

pub(crate) fn reject() -> Pass {
    write("reject_invoice", serde_json::json!({"invoice_id": "INV-2024-447", "reason": "AP-3"}))
}

/// A folder that goes when the test does.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("tools-{}-{next}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

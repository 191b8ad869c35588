//! Mounts the server's own code on a scripted engine, so that the official compatibility kit can be run against it.
//!
//! ```text
//! cargo run -p purple-testkit --example a2a-conformance -- [--port 9999] [--line 1.0|0.3]
//! ```
//!
//! For the line 1.0 the card has the fields of 1.0 only, which that kit demands. Notifications may go to this machine.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a tool for tests")]

mod engine;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use engine::{Conformance, Otherwise};
use purple_server::{
    CardProfile, IdMaker, Loopback, NoId, OpenDoor, PauseAs, Ports, PushOutbox, PushRules, Server,
    ServerConfig, Skill,
};
use purple_worker::port::{PersonId, SessionId};

struct Counted(AtomicU64);

impl IdMaker for Counted {
    fn fresh(&self) -> Result<SessionId, NoId> {
        let next = self.0.fetch_add(1, Ordering::Relaxed);
        SessionId::parse(&format!("ctx-{next:08x}")).map_err(|_| NoId)
    }
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let given = |name: &str, otherwise: &str| {
        let at = arguments.iter().position(|one| one == name);
        at.and_then(|at| arguments.get(at + 1)).cloned().unwrap_or_else(|| otherwise.to_owned())
    };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let newer = given("--line", "1.0") == "1.0";
    let mut config = ServerConfig::at(format!("127.0.0.1:{}", given("--port", "9999")).parse().unwrap());
    config.card_profile = if newer { CardProfile::PureV1 } else { CardProfile::Hybrid };
    config.requests_per_minute = 0;
    config.push = PushRules { allowed_origins: Vec::new(), loopback: Loopback::Allowed };
    config.skills = vec![Skill {
        id: "tck".to_owned(),
        name: "Compatibility kit".to_owned(),
        description: "Does what the compatibility kit asks for.".to_owned(),
        tags: vec!["tck".to_owned()],
        examples: Vec::new(),
    }];
    let conformance = Conformance::new(if newer { Otherwise::Completed } else { Otherwise::WorksThenAsks });
    let worker = conformance.worker();
    let outbox =
        PushOutbox::new(worker.clone(), conformance.clone(), config.push.clone(), PauseAs::InputRequired)
            .unwrap();
    conformance.deliver_by(Arc::new(outbox));
    let door = Arc::new(OpenDoor::on_loopback(PersonId::parse("tck").unwrap()));
    let ports = Ports {
        watchers: Some(conformance),
        ..Ports::new(worker, door, Arc::new(Counted(AtomicU64::new(1))))
    };
    let server = Server::bind(config, ports).await.unwrap();
    println!("http://{}/", server.address());
    server.run(async { tokio::signal::ctrl_c().await.unwrap() }).await;
}

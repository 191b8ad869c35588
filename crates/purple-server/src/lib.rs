//! The HTTP door: other agents and programs reach the worker here, in every dialect of A2A, on one endpoint.
//!
//! A request is extracted, converted to the neutral model, submitted to the worker, and the answer is converted back
//! to the dialect it was asked in. Nothing is decided here, and nothing is kept here: a task is a round of a session,
//! and it is read from the journal each time it is asked for.
//!
//! ```no_run
//! # use std::sync::Arc;
//! # use purple_server::{IdMaker, NoId, OpenDoor, Ports, Server, ServerConfig};
//! # use purple_port::{PersonId, SessionId};
//! # use purple_port::WorkerHandle;
//! # struct Ids;
//! # impl IdMaker for Ids {
//! #     fn fresh(&self) -> Result<SessionId, NoId> { SessionId::parse("run_1").map_err(|_| NoId) }
//! # }
//! # async fn serve(worker: WorkerHandle) -> Result<(), Box<dyn std::error::Error>> {
//! let config = ServerConfig::at("127.0.0.1:9010".parse()?);
//! let door = Arc::new(OpenDoor::on_loopback(PersonId::parse("alex")?));
//! let server = Server::bind(config, Ports::new(worker, door, Arc::new(Ids))).await?;
//! println!("http://{}/", server.address());
//! server.run(async { let _ = tokio::signal::ctrl_c().await; }).await;
//! # Ok(())
//! # }
//! ```

mod server;

mod auth;
mod config;
mod ids;
mod permit;
mod rate;
mod seats;

mod connections;
mod router;
mod tls;
mod trace;

mod a2a;
mod health;
mod metrics;
mod older;
mod webhook;

pub mod limits;

pub use a2a::push::{Loopback, NoPush, PushOutbox, PushRules};
pub use auth::{Caller, Doorman, Lock, OpenDoor, TurnedAway};
pub use config::{CardProfile, Identity, PauseAs, ServerConfig, Skill};
pub use health::{Readiness, Ready};
pub use ids::{IdMaker, NoId};
pub use server::{Ports, ServeError, Server};
pub use tls::{BadTls, TlsFiles};
pub use trace::{RequestSpan, SpanContext, Tracer};
pub use webhook::{BadWebhook, Webhook};

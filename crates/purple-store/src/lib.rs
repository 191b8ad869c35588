//! Remembers: sessions, journals, timers and learning in one SQLite database, and runs turns on it.
//!
//! [`Store`] takes events and answers readers; [`Engine`] runs one turn per event, strictly serial within a
//! session; [`Reader`] looks at the same data from another process. What was acknowledged survives `kill -9`.
//!
//! ```
//! use std::sync::Arc;
//! use purple_store::{Engine, Settings, Store};
//! use purple_journal::{Entry, Redacted, record::run::Stopped};
//! use purple_port::*;
//! # struct Noon;
//! # impl Clock for Noon {
//! #     fn now(&self) -> jiff::Timestamp { "2026-03-02T12:00:00Z".parse().unwrap() }
//! # }
//! # struct Silent;
//! # impl Outbox for Silent {
//! #     fn deliver<'a>(&'a self, _: &'a Notice) -> BoxFuture<'a, Delivery> {
//! #         Box::pin(std::future::ready(Delivery::Delivered))
//! #     }
//! # }
//!
//! struct Worker;
//!
//! impl Handler for Worker {
//!     fn handle<'a>(&'a self, turn: &'a dyn Turn, _event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
//!         Box::pin(async move {
//!             let stopped = Stopped { why: Redacted::of("INV-447 is disputed") };
//!             turn.record(Entry { at: turn.began(), record: stopped.into() })?;
//!             turn.durable().await?; // From here on the record survives a crash.
//!             Ok(())
//!         })
//!     }
//! }
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! let store = Store::open(folder.path(), Settings::default(), Arc::new(Noon))?;
//! let engine = Engine::start(store, Arc::new(Worker), Arc::new(Silent));
//! let session = SessionId::parse("invoice-447")?;
//! let dedup = DedupKey("message-1".to_owned());
//! let post = Post { session: session.clone(), dedup, due: None, event: Event::Continue };
//! assert_eq!(engine.store().post(post.clone()).await?, Posted::Accepted);
//! assert_eq!(engine.store().post(post).await?, Posted::Repeated { session: session.clone() });
//! engine.idle().await?;
//! assert_eq!(engine.store().since(&session, 0, 10).await?.len(), 1);
//! engine.stop().await?;
//! # Ok(())
//! # }
//! ```

mod apply;
pub mod audit;
mod backup;
mod board;
mod caught;
mod claim;
mod configuration;
mod definitions;
mod deliver;
mod dispatch;
mod engine;
mod error;
mod figures;
mod files;
mod forgotten;
mod halts;
mod keys;
mod learning;
#[cfg(unix)]
mod local;
mod lock;
mod logins;
mod memory;
mod migrate;
mod open;
mod operators;
mod pack;
mod pins;
mod read;
mod reader;
mod readers;
mod recent;
mod recover;
mod refused;
mod reserve;
mod row;
mod settings;
mod store;
mod time;
mod tokens;
mod turn;
mod vault;
mod watchers;
mod work;
mod writer;

pub use engine::Engine;
pub use error::OpenError;
#[cfg(unix)]
pub use local::{LocalDoor, LocalError, Remote, RemoteError};
pub use logins::LoginFiles;
pub use memory::Known;
pub use reader::{Health, ReadOnly, Reader};
pub use settings::Settings;
pub use store::{Intake, Store};
pub use work::{ToolPin, Unstick};

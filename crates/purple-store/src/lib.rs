//! Remembers: sessions, journals, timers and learning in one SQLite database, and runs turns on it.
//!
//! [`Store`] takes events and answers readers; [`Engine`] runs one turn per event, strictly serial within a
//! session; [`Reader`] looks at the same data from another process. What was acknowledged survives `kill -9`.

mod apply;
mod audit;
mod backup;
mod board;
mod canonical;
mod caught;
mod chain;
mod claim;
mod deliver;
mod dispatch;
mod engine;
mod error;
mod files;
mod lock;
mod migrate;
mod open;
mod read;
mod reader;
mod readers;
mod recover;
mod reserve;
mod row;
mod settings;
mod store;
mod time;
mod turn;
mod work;
mod writer;

pub use audit::{
    Anchor, AuditKey, AuditReport, BadAnchor, BadLine, BadRecord, BundleReport, Fault, KeyError, LineFault,
    Scope, verify_bundle,
};
pub use engine::Engine;
pub use error::OpenError;
pub use reader::{Health, Reader};
pub use settings::Settings;
pub use store::{Intake, Store};
pub use work::Unstick;

//! What happened to a run, as typed records in a hash chain.
//!
//! A [`Record`] is one struct per kind, grouped in families. An [`Entry`] adds the time, and a [`chain::Link`] its place.
//! Text from outside is held as [`Redacted`] or [`RedactedJson`], which cannot be made without masking secrets.
//!
//! ```
//! use purple_journal::{Entry, Record, Redacted, record::run};
//!
//! let stopped = run::Stopped { why: Redacted::of("the password is hunter2!") };
//! let entry = Entry { at: "2026-03-02T12:00:00Z".parse()?, record: stopped.into() };
//! assert!(!entry.text().contains("hunter2"));
//! assert_eq!(Entry::parse(&entry.text())?, entry);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod entry;
pub mod record;

mod redacted;
pub mod strategy;
pub mod word;

mod blob_hash;
mod blobs;
pub mod canonical;
pub mod chain;

pub use blob_hash::BlobHash;
pub use entry::{Entry, Recorded};
pub use purple_privacy::{redact, redact_json};
pub use record::family::{Field, Kind};
pub use record::{Record, RecordType, Unknown};
pub use redacted::{Clean, Redacted, RedactedJson};

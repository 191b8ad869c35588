//! A small company behind real tool doors, with a ledger that counts every effect.
//!
//! An [`Office`] carries out calls; the doors ([`serve_stdio`], [`serve_mcp`], [`HttpDoor`]) only carry them to it.
//! What goes wrong is set by [`Fault`]s, and what really happened is in the [`Ledger`].
//!
//! ```
//! use purple_backoffice::{Answer, Call, Office, Setup};
//! use serde_json::{Map, json};
//!
//! let mut setup = Setup::in_memory(jiff::civil::date(2026, 3, 4));
//! setup.faults.push("reject_invoice:lie".parse()?);
//! let office = Office::open(setup)?;
//!
//! let arguments = Map::from_iter([
//!     ("invoice_id".to_owned(), json!("INV-2024-447")),
//!     ("reason".to_owned(), json!("more than 2 % above its order")),
//! ]);
//! let served = office.call(&Call::new("reject_invoice", arguments));
//! assert!(matches!(served.answer, Answer::Done(invoice) if invoice["status"] == "rejected"));
//!
//! // It said so. The witness knows better.
//! let ledger = office.ledger()?;
//! assert_eq!((ledger.calls.len(), ledger.effects.len()), (1, 0));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod canonical;
mod money;
mod parameter;
mod record;
mod refusal;

mod desk;
mod paging;
mod tool;

mod tools;

mod catalogue;

mod clock;
mod fault;
mod switchboard;

mod seed;

mod ledger;
mod witness;

mod office;
mod serve;

mod door;

pub use catalogue::{Annotations, Definition, IDEMPOTENCY_META};
pub use clock::Clock;
pub use door::{DoorError, HttpDoor, serve_mcp, serve_stdio};
pub use fault::{Applied, BadFault, Drifted, Fault, FaultKind, parse_faults};
pub use ledger::{CallRecord, EffectRecord, Ledger};
pub use office::{Answer, Approver, Call, Delivery, Office, OpenError, Served, Setup};

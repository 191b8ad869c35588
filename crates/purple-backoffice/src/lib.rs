//! A small company behind real tool doors, with a ledger that counts every effect.

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

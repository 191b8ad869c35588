//! What tests share: a reader of the workspace itself, passes by the real gate, models without a model, and an engine
//! in memory.
//!
//! ```no_run
//! let workspace = purple_testkit::Workspace::read()?;
//! for room in workspace.rooms() {
//!     assert!(room.folder().join("README.md").exists());
//! }
//! # Ok::<(), purple_testkit::WorkspaceError>(())
//! ```
//!
//! Fakes live here and never in `src/` of a product crate.

mod deadline;
mod passes;
mod workspace;

mod brain;
mod clerk;
mod client;
pub mod provider;

mod engine;
mod recollection;

pub mod records;

pub use brain::{Asked, Brain, Seat, call};
pub use clerk::{Clerk, Job};
pub use client::TestClient;
pub use deadline::{ChildDeadline, WAIT_MAX, becomes, ended, output_of, within};
pub use engine::{Forgets, HandClock, MemoryEngine};
pub use passes::{read_pass, write_pass};
pub use purple_worker::Client;
pub use recollection::Recollection;
pub use workspace::{Edge, EdgeKind, Room, Workspace, WorkspaceError};

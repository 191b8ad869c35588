//! What tests share: a reader of the workspace itself, so that its shape can be tested, and passes by the real gate.
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

mod passes;
mod workspace;

pub use passes::{read_pass, write_pass};
pub use workspace::{Edge, EdgeKind, Room, Workspace, WorkspaceError};

//! What tests share: today a reader of the workspace itself, so that its shape can be tested.
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

mod workspace;

pub use workspace::{Edge, EdgeKind, Room, Workspace, WorkspaceError};

//! Turns of the engine.

use jiff::Timestamp;
use purple_process::{Digest, State};

use crate::family::family;
use crate::word::EventName;
use crate::{BlobHash, Redacted};

family! {
    /// Turns of the engine.
    Turn {
        /// A turn began.
        "turn.began" Began {
            /// The event that it handles.
            event: EventName,
            /// How often the event was begun before.
            attempt: u32,
            /// When the turn began.
            began: Timestamp,
            /// The event; null where the privacy guard refused it.
            kept: Option<BlobHash>,
        }
        /// A turn ended, and its checkpoint was saved.
        "turn.ended" Ended {
            /// The state of the run.
            state: State,
            /// The digest of the checkpoint.
            saved: Digest,
            /// Blobs of this turn that no other record names.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            kept: Option<Vec<BlobHash>>,
        }
        /// An event had no effect.
        "event.ignored" EventIgnored {
            /// The event.
            event: EventName,
            /// The reason.
            why: Redacted,
        }
    }
}

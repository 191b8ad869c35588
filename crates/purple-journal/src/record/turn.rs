//! Turns of the engine.

use jiff::Timestamp;
use purple_process::{Digest, State};

use crate::record::family::family;
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
            /// The account of the operating system that the event was given from, on the command line.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            account: Option<Redacted>,
        }
        /// The version of the program that works on the run from this turn on.
        "program.version" Version {
            /// The version.
            version: Redacted,
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
        /// The engine gave up on an event; the run waits for an operator.
        "engine.stuck" Stuck {
            /// How often the event was begun.
            attempts: u32,
            /// The error of the last attempt.
            reason: Redacted,
        }
        /// An operator had the engine try the event again.
        "engine.retried" Retried {
            /// Who.
            by: Redacted,
        }
        /// An operator had the engine drop the event.
        "engine.skipped" Skipped {
            /// Who.
            by: Redacted,
        }
    }
}

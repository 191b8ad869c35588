//! What was asked for, and how it was received.

use crate::record::family::family;
use crate::word::{Access, Channel, FoldedBy};
use crate::{BlobHash, Redacted, RedactedJson};

family! {
    /// What was asked for, and how it was received.
    Task {
        /// A task or a message arrived.
        "task.received" Received {
            /// Who sent it.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The sender's id of the message.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            message: Option<Redacted>,
            /// The text, unless it is long.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            text: Option<Redacted>,
            /// The beginning of a long text.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            begins: Option<Redacted>,
            /// A long text as a blob.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            whole: Option<BlobHash>,
            /// Set when the server accepted callers without authentication.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            access: Option<Access>,
        }
        /// A message arrived that decides about a plan by data.
        "decision.received" DecisionReceived {
            /// Who sent it.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The sender's id of the message.
            message: Redacted,
            /// The message.
            said: RedactedJson,
        }
        /// The privacy guard refused the text, which was not stored.
        "privacy.refused" PrivacyRefused {
            /// The reason, such as `privacy.card_number`.
            code: Redacted,
        }
        /// The request was rejected before any work.
        "request.rejected" Rejected {
            /// A stable code.
            code: Redacted,
            /// The reason.
            why: Redacted,
        }
        /// The requester was asked for missing inputs.
        "input.asked" InputAsked {
            /// The missing inputs, each with the reason.
            missing: Vec<Redacted>,
        }
        /// The requester confirmed a task that was restated, because its words were not a clear order. Not an approval.
        "task.confirmed" Confirmed {
            /// Who confirmed it.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The task as it was restated.
            restated: Redacted,
        }
        /// The text held several tasks; each became a run.
        "task.divided" Divided {
            /// The words of each part.
            tasks: Vec<Redacted>,
            /// The runs, in the order of the tasks.
            runs: Vec<Redacted>,
        }
        /// The words ask to undo something: the run that did it was sought.
        "reversal.sought" ReversalSought {
            /// The run whose undo is offered; `None` where nothing can be reversed.
            run: Option<Redacted>,
            /// What was found.
            kept: BlobHash,
        }
        /// The request came with policy as prose, which is shown to models as advice.
        "policy.advisory" PolicyAdvisory {
            /// Its length in characters.
            chars: usize,
        }
        /// The brief for a model was assembled.
        "brief.made" BriefMade {
            /// The brief.
            brief: BlobHash,
            /// Its size as text.
            bytes: usize,
        }
        /// Older parts of the conversation were summarised.
        "conversation.folded" ConversationFolded {
            /// Who summarised them.
            by: FoldedBy,
        }
    }
}

//! What people were asked about plans, and what they decided.

use jiff::Timestamp;
use purple_process::{Digest, Mode, PlanHash, StepId};

use crate::record::family::family;
use crate::word::{Access, Basis, CallResult, Channel, DecisionKind, EditedField, SeparationOfDuties};
use crate::{BlobHash, Redacted};

family! {
    /// What people were asked about plans, and what they decided.
    Approval {
        /// Past cases about the same party were looked up for the card.
        "history.seen" HistorySeen {
            /// The number of cases.
            cases: usize,
            /// The cases.
            history: BlobHash,
        }
        /// A plan waits for a person.
        "approval.asked" Asked {
            /// The approval.
            approval: Redacted,
            /// The plan.
            plan: PlanHash,
            /// The approval card.
            card: BlobHash,
            /// The plan in one line.
            headline: Redacted,
            /// Who must approve.
            asks: Vec<Redacted>,
            /// When the approval expires.
            expires_at: Timestamp,
            /// The approval mode.
            mode: Mode,
        }
        /// A person decided about a plan.
        "approval.decided" Decided {
            /// The approval.
            approval: Redacted,
            /// The plan.
            plan: PlanHash,
            /// The decision.
            decision: DecisionKind,
            /// The operations that were approved.
            operations: Vec<StepId>,
            /// Who decided.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The reason of a rejection.
            reason: Option<Redacted>,
            /// The digest of the card that was shown.
            shown: Digest,
            /// The approval mode.
            mode: Mode,
            /// Requester and approver compared.
            sod: SeparationOfDuties,
            /// Set when the server accepted callers without authentication.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            access: Option<Access>,
            /// The account of the operating system, where the command line was used.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            account: Option<Redacted>,
        }
        /// The plan is granted.
        "approval.granted" Granted {
            /// The plan.
            plan: PlanHash,
            /// Who granted it.
            basis: Basis,
        }
        /// The decisions do not grant the plan.
        "approval.refused" Refused {
            /// The plan.
            plan: PlanHash,
            /// The reason.
            why: Redacted,
        }
        /// The approval was not decided in time.
        "approval.expired" Expired {
            /// The plan.
            plan: PlanHash,
            /// Whether the substitute had been asked.
            next_asked: bool,
        }
        /// A new task replaced the plan that waited.
        "approval.superseded" Superseded {
            /// The plan.
            plan: PlanHash,
        }
        /// A person edited declared fields of the plan, which makes a new plan.
        "approval.edited" Edited {
            /// The approval.
            approval: Redacted,
            /// The plan.
            plan: PlanHash,
            /// The fields.
            fields: Vec<EditedField>,
            /// Who edited.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The digest of the card that was shown.
            shown: Digest,
            /// The approval mode.
            mode: Mode,
            /// The people whose decisions no longer count.
            void: Vec<Redacted>,
            /// Requester and editor compared.
            sod: SeparationOfDuties,
        }
        /// A decision was not accepted.
        "approval.not_taken" NotTaken {
            /// The plan that it names.
            plan: PlanHash,
            /// Who decided.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The reason.
            why: Redacted,
        }
        /// An edit was not accepted.
        "edit.not_taken" EditNotTaken {
            /// The plan that it names.
            plan: PlanHash,
            /// Who edited.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The reason.
            why: Redacted,
        }
        /// An approval tool was asked about the plan.
        "approval.channel" ChannelAsked {
            /// The tool.
            tool: Redacted,
            /// Whether it approved; null where it gave no answer.
            answer: Option<bool>,
            /// The result of the call.
            result: CallResult,
        }
    }
}

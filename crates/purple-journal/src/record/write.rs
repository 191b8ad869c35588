//! Operations that change something outside, from intent to read-back.

use purple_process::{Effect, OperationKey, Outcome, PlanHash, Round, StepId};

use crate::record::family::family;
use crate::word::{Attempt, CallResult, HaltNote, Reply, Settlement, Witness};
use crate::{BlobHash, Redacted, RedactedJson};

family! {
    /// Operations that change something outside, from intent to read-back.
    Write {
        /// An operation is about to be sent. Durable before anything is sent.
        "write.intent" Intent {
            /// The operation.
            step: StepId,
            /// Its key.
            key: OperationKey,
            /// The plan.
            plan: PlanHash,
            /// Whether it is sent for the first time.
            attempt: Attempt,
            /// The operation in one line.
            headline: Redacted,
            /// The tool.
            tool: Redacted,
            /// The effect of the tool.
            effect: Effect,
            /// The arguments; long values by their size.
            arguments: RedactedJson,
            /// The exact arguments.
            sent: BlobHash,
            /// The checked fields before the operation.
            before: BlobHash,
        }
        /// The call returned, or did not.
        "write.outcome" CallEnded {
            /// The operation.
            step: StepId,
            /// Its key.
            key: OperationKey,
            /// What the tool replied; null where the call was certainly not sent.
            reply: Option<Reply>,
            /// The reply in words.
            why: Redacted,
            /// The result.
            result: Option<BlobHash>,
            /// The result of the call.
            called: CallResult,
        }
        /// The outcome of an operation is known.
        "write.verified" Verified {
            /// The operation.
            step: StepId,
            /// Its key.
            key: OperationKey,
            /// The tool.
            tool: Redacted,
            /// The operation in one line.
            headline: Redacted,
            /// The effect of the tool.
            effect: Effect,
            /// The checked fields before; long values by their size.
            before: RedactedJson,
            /// The checked fields after; long values by their size.
            after: RedactedJson,
            /// The checked fields after.
            seen: BlobHash,
            /// The outcome.
            outcome: Outcome,
            /// A note on the outcome.
            note: Option<Redacted>,
            /// What the outcome rests on; absent in records of the first versions.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            witness: Option<Witness>,
            /// Whether an undo is declared.
            reversible: bool,
            /// The round.
            round: Round,
        }
        /// An operation whose intent is recorded was not sent.
        "write.withheld" Withheld {
            /// The operation.
            step: StepId,
            /// Its key.
            key: Option<OperationKey>,
            /// The reason.
            why: Redacted,
        }
        /// An operation could not be started and is tried later.
        "write.put_off" PutOff {
            /// The operation.
            step: StepId,
            /// The reason.
            why: Redacted,
            /// How often it was put off.
            times: u32,
        }
        /// The outcome of an operation is unknown, and a person is asked.
        "write.in_doubt" InDoubt {
            /// The operation.
            step: StepId,
            /// Its key.
            key: Option<OperationKey>,
            /// The reason.
            why: Redacted,
            /// The checked fields as last read.
            seen: RedactedJson,
        }
        /// A person stated the outcome of an operation in doubt.
        "write.settled" Settled {
            /// The operation.
            step: StepId,
            /// The outcome.
            done: Settlement,
            /// Who stated it.
            by: Redacted,
            /// What a look showed at that moment.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            read_back: Option<Redacted>,
            /// The checked fields as read then.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            seen: Option<RedactedJson>,
        }
        /// A statement about an operation in doubt was not accepted.
        "settle.not_taken" SettleNotTaken {
            /// The operation.
            step: StepId,
            /// Who stated it.
            by: Redacted,
            /// The reason.
            why: Redacted,
        }
        /// A notification waits for the end of quiet hours.
        "notice.held" NoticeHeld {
            /// The operation.
            step: StepId,
            /// The quiet hours.
            quiet: Option<Redacted>,
        }
        /// An undo of a verified operation was requested.
        "undo.asked" UndoAsked {
            /// The operation.
            step: StepId,
            /// Who requested it.
            by: Redacted,
            /// The round in which the operation ran.
            of_round: u32,
            /// The key of the operation.
            key: OperationKey,
        }
        /// A request to undo was not accepted.
        "undo.not_taken" UndoNotTaken {
            /// The operation.
            step: StepId,
            /// Who requested it.
            by: Redacted,
            /// The reason.
            why: Redacted,
        }
        /// A halt of the operator stops the start of operations.
        "halt.seen" HaltSeen {
            /// The halt.
            halt: HaltNote,
        }
    }
}

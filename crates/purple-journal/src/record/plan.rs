//! Figures, verdicts, plans, and the business keys that plans claim.

use std::collections::BTreeSet;

use purple_process::{Digest, Mode, PlanHash, StepId};

use crate::record::family::family;
use crate::word::{Figure, PlannedOperation, RuleDoubt};
use crate::{BlobHash, Redacted, RedactedJson};

family! {
    /// Figures, verdicts, plans, and the business keys that plans claim.
    Plan {
        /// The figures that a process file declares were computed.
        "figures" Figures {
            /// The figures.
            figures: Vec<Figure>,
        }
        /// A shipped function answered a pure calculation.
        "figures" Calculation {
            /// The function.
            function: Redacted,
            /// Its arguments: name and value.
            given: Vec<(Redacted, Redacted)>,
            /// The result.
            result: Redacted,
            /// The steps of the computation.
            lines: Vec<Redacted>,
            /// Notes for the reader.
            notes: Vec<Redacted>,
        }
        /// The rules were evaluated.
        "policy.verdict" PolicyVerdict {
            /// The process.
            process: Redacted,
            /// The rule of the process file that decided.
            rule: Option<Redacted>,
            /// Its condition with the values put in.
            explanation: Redacted,
            /// Its `because`.
            because: Option<Redacted>,
            /// Its `source`.
            source: Option<Redacted>,
            /// Rules that could not be evaluated.
            doubts: Vec<RuleDoubt>,
            /// The outcome that the rule leads to.
            leads_to: Redacted,
            /// The verdict of each source of rules.
            sources: RedactedJson,
        }
        /// A plan was made and judged.
        "plan.made" Made {
            /// The hash of the plan.
            plan: PlanHash,
            /// The plan.
            kept: BlobHash,
            /// The plan in one line.
            headline: Redacted,
            /// Its operations.
            operations: Vec<PlannedOperation>,
            /// The strictest verdict.
            verdict: Redacted,
            /// The approval mode.
            mode: Mode,
            /// The ruling in full.
            ruling: RedactedJson,
            /// The exact text that the orders of its operations are held against.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            words: Option<BlobHash>,
        }
        /// The grant ended before every operation was started; the rest becomes a new plan.
        "plan.expired" Expired {
            /// The plan.
            plan: PlanHash,
            /// The reason.
            why: Redacted,
            /// The operations that were not started.
            rest: BTreeSet<StepId>,
        }
        /// A record that the plan rests on has changed; everything is read and decided again.
        "plan.stale" Stale {
            /// The plan.
            plan: PlanHash,
            /// What changed.
            why: Redacted,
        }
        /// The run claimed a business key.
        "business_key.claimed" KeyClaimed {
            /// The digest of the key.
            key: Digest,
            /// The round.
            round: u32,
        }
        /// Another run has the business key, or an earlier round used it.
        "business_key.taken" KeyTaken {
            /// The parts of the key.
            key: RedactedJson,
            /// The run that has it.
            by: Redacted,
        }
        /// The run gave a business key back, because the round had no effect.
        "business_key.released" KeyReleased {
            /// The digest of the key.
            key: Digest,
            /// The round.
            round: u32,
        }
    }
}

//! Calls of language models, what they asked for, and checks of what they said.

use purple_process::{Digest, PlanHash, State, StepId};

use crate::record::family::family;
use crate::word::{
    Becomes, DoubtedFigure, Finish, Polarity, Purpose, TaskAct, Tier, UnknownCost, Usage, WordsPermit,
};
use crate::{BlobHash, Redacted, RedactedJson};

family! {
    /// Calls of language models, what they asked for, and checks of what they said.
    Model {
        /// A model is about to be called. Durable before the call.
        "model.asked" Asked {
            /// The number of the call in this round, from 0.
            call: u32,
            /// The state in which it is called.
            state: State,
            /// The purpose of the call.
            purpose: Purpose,
            /// The tier.
            tier: Tier,
            /// The model.
            model: Redacted,
            /// The number of messages.
            messages: usize,
            /// The tools that are offered.
            tools: Vec<Redacted>,
            /// The limit of the reply in tokens.
            output_tokens_max: u32,
        }
        /// A model replied.
        "model.replied" Replied {
            /// The number of the call in this round.
            call: u32,
            /// The state in which it was called.
            state: State,
            /// The tier.
            tier: Tier,
            /// The model that replied.
            model: Redacted,
            /// The reply.
            reply: BlobHash,
            /// Tokens as the provider counts them; null where it does not.
            usage: Option<Usage>,
            /// Tokens that count against the budget.
            cost: u64,
            /// Tokens spent so far in this round.
            spent: u64,
            /// Why the model stopped.
            finish: Finish,
            /// The number of tool calls in the reply.
            calls: usize,
            /// The duration of the call.
            took_ms: u64,
        }
        /// Another model replied than was asked.
        "model.other" Other {
            /// The number of the call in this round.
            call: u32,
            /// The tier.
            tier: Tier,
            /// The model that was asked.
            asked: Redacted,
            /// The model that replied.
            answered: Redacted,
        }
        /// A model call failed.
        "model.failed" Failed {
            /// The number of the call in this round.
            call: u32,
            /// The state in which it was called.
            state: State,
            /// The tier.
            tier: Tier,
            /// The error.
            error: RedactedJson,
        }
        /// The reading of the task by a model, a second opinion. The stricter of the two readings counts.
        "model.task_read" TaskRead {
            /// What the words do; absent where the model did not say it in a known word.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            act: Option<TaskAct>,
            /// Whether it is to be done or left.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            polarity: Option<Polarity>,
            /// The records and people that the model names and that the task holds.
            targets: Vec<Redacted>,
            /// What the grammar's reading permits.
            grammar: WordsPermit,
            /// What counts.
            counts: WordsPermit,
        }
        /// A call of an interrupted attempt whose reply was lost.
        "model.lost" Lost {
            /// The number of the call in this round.
            call: u32,
            /// Always `unknown`.
            cost: UnknownCost,
            /// Tokens that count against the budget.
            at_least: u64,
        }
        /// A model asked for something that was refused.
        "model.refused" Refused {
            /// The state.
            state: State,
            /// The tool.
            tool: Redacted,
            /// The digest of the arguments.
            arguments: Option<Digest>,
            /// The reason.
            why: Redacted,
        }
        /// The agent loop refused a tool call before it reached the worker.
        "model.refused" LoopRefused {
            /// The state.
            state: State,
            /// The tool.
            tool: Redacted,
            /// The reason.
            why: Redacted,
        }
        /// The agent loop stopped.
        "model.halted" Halted {
            /// The state.
            state: State,
            /// A stable code.
            cause: Redacted,
            /// The reason.
            why: Redacted,
        }
        /// The model of the other tier is asked, because one cannot be reached.
        "model.fallback" Fallback {
            /// Why the first one was not used.
            why: Redacted,
            /// The tier that is asked instead.
            tier: Tier,
        }
        /// The budget is spent: no more model calls in this round.
        "model.spent" Spent {
            /// The reason.
            why: Redacted,
            /// Tokens spent.
            spent: u64,
        }
        /// The run waits for a model that does not answer.
        "model.waiting" Waiting {
            /// The last error.
            why: Redacted,
            /// The number of attempts so far.
            tries: u32,
            /// When it is asked again, in seconds.
            after_s: u64,
        }
        /// A write that a model called was judged.
        "model.wants" Wants {
            /// The state.
            state: State,
            /// The operation in one line.
            headline: Redacted,
            /// The operation.
            step: StepId,
            /// What follows.
            becomes: Becomes,
            /// The reasons.
            why: Redacted,
        }
        /// A read for a model succeeded and became a finding.
        "model.found" Found {
            /// The name of the finding.
            name: Redacted,
            /// The tool.
            tool: Redacted,
            /// The arguments.
            arguments: RedactedJson,
            /// The result.
            result: BlobHash,
        }
        /// A value was computed for a model.
        "model.computed" Computed {
            /// The name of the value.
            name: Redacted,
            /// The function.
            by: Redacted,
            /// The arguments.
            arguments: RedactedJson,
            /// The value.
            value: RedactedJson,
        }
        /// A model proposed operations.
        "model.proposed" Proposed {
            /// The operations, one line each.
            operations: Vec<Redacted>,
        }
        /// A model phrased a note for the approval card.
        "model.note" Note {
            /// The plan.
            plan: PlanHash,
            /// The note.
            note: Redacted,
        }
        /// The recomputation found no wrong figure.
        "audit.passed" AuditPassed {
            /// The state.
            state: State,
            /// The number of statements that were recomputed.
            statements: usize,
            /// The number of figures in the operations.
            figures: usize,
            /// Figures whose origin is unknown.
            unknown_origin: Vec<Redacted>,
        }
        /// The recomputation found wrong figures; the operations were not accepted.
        "audit.failed" AuditFailed {
            /// The state.
            state: State,
            /// How often it failed in this round.
            failed: u8,
            /// What is wrong.
            faults: Vec<Redacted>,
        }
        /// A second model disagrees with figures.
        "audit.doubted" AuditDoubted {
            /// The state.
            state: State,
            /// The figures.
            doubts: Vec<DoubtedFigure>,
        }
        /// The answers of two models were compared.
        "moa.compared" AnswersCompared {
            /// Whether they agree.
            agree: bool,
        }
        /// Independent calculations of figures were compared.
        "moa.numbers" FiguresCompared {
            /// The number of figures.
            figures: usize,
            /// On how many the models agree.
            agree: usize,
            /// On how many they differ.
            differ: usize,
            /// How many were decided by a third model.
            settled: usize,
        }
        /// The answer lacks fields that were asked for; the model is asked again.
        "answer.gaps" AnswerGaps {
            /// The missing fields.
            missing: Vec<Redacted>,
        }
        /// The answer is not the list that was asked for; the model is asked again.
        "answer.no_list" AnswerNoList {}
        /// The answer was scored as weak; the model is asked to improve it.
        "answer.reflected" AnswerReflected {
            /// The score from 0 to 1.
            score: Redacted,
            /// The reasons.
            reasons: Vec<Redacted>,
        }
    }
}

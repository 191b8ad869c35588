//! Tools: the catalogue, reads, questions that tools ask, and functions that models wrote.

use purple_process::{Digest, State, StepId};

use crate::record::family::family;
use crate::word::{CallResult, Channel, DetectedBy, Question};
use crate::{BlobHash, Redacted, RedactedJson};

family! {
    /// Tools: the catalogue, reads, questions that tools ask, and functions that models wrote.
    Tool {
        /// The tools of the run were listed and pinned.
        "catalogue.pinned" CataloguePinned {
            /// The number of tools.
            tools: usize,
            /// The catalogue.
            catalogue: BlobHash,
            /// Tools that were left out, each with the reason.
            left_out: Vec<Redacted>,
        }
        /// There are more tools than are offered to a model at once.
        "tools.crowded" Crowded {
            /// The number of tools.
            tools: usize,
            /// The number that is offered at most.
            offered_max: usize,
        }
        /// A read was performed.
        "tool.read" Read {
            /// The tool.
            tool: Redacted,
            /// The state.
            state: State,
            /// The arguments; absent where the record would be too large.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            arguments: Option<RedactedJson>,
            /// The result.
            result: CallResult,
        }
        /// A column has another name than was asked for, and the read was corrected.
        "schema.fixed" SchemaFixed {
            /// The tool.
            tool: Redacted,
            /// The name that was asked for.
            column: Redacted,
            /// The name that the column has.
            is: Redacted,
        }
        /// A tool asks a person something before it executes an operation.
        "tool.asks" Asks {
            /// The operation.
            step: StepId,
            /// The tool.
            tool: Redacted,
            /// The questions.
            questions: Vec<Question>,
            /// How often it has asked.
            round: u8,
        }
        /// A person answered the questions of a tool.
        "tool.answered" Answered {
            /// The operation.
            step: StepId,
            /// The tool.
            tool: Redacted,
            /// Who answered.
            by: Redacted,
            /// Through which channel.
            channel: Channel,
            /// The fields that were given, by question.
            fields: RedactedJson,
        }
        /// The answer of a person does not fit the question of a tool.
        "tool.answer_refused" AnswerRefused {
            /// The operation.
            step: StepId,
            /// The tool.
            tool: Redacted,
            /// Who answered.
            by: Redacted,
            /// What does not fit.
            misfits: Vec<Redacted>,
        }
        /// A tool is not called any more in this run.
        "tool.quarantined" Quarantined {
            /// The tool.
            tool: Redacted,
            /// Its server.
            server: Redacted,
            /// The reason.
            why: Redacted,
            /// What detected it.
            by: DetectedBy,
            /// The state.
            state: State,
        }
        /// A model wrote a function, and it was admitted.
        "function.synthesized" FunctionSynthesized {
            /// The function.
            function: Redacted,
            /// The hash of the program.
            hash: Digest,
            /// The digest of the definition in effect.
            digest: Digest,
            /// The model.
            model: Redacted,
            /// Whether this definition was stored; false where one of that name existed.
            first: bool,
            /// The definition in effect.
            definition: BlobHash,
            /// What the admission rests on.
            admission: RedactedJson,
        }
        /// A function that a model wrote was not admitted.
        "function.refused" FunctionRefused {
            /// The function.
            function: Redacted,
            /// The number of the attempt.
            r#try: u8,
            /// The reason.
            why: Redacted,
        }
        /// A function that a model wrote was called.
        "function.called" FunctionCalled {
            /// The function.
            function: Redacted,
            /// The hash of the program.
            hash: Digest,
            /// Whether every argument has a source.
            founded: bool,
            /// The result.
            value: RedactedJson,
            /// The name of the computed value; null where it has none.
            name: Option<Redacted>,
            /// The round.
            round: u32,
        }
        /// A function that a model wrote contradicts what was verified, and is not used any more.
        "function.quarantined" FunctionQuarantined {
            /// The function.
            function: Redacted,
            /// The reason.
            why: Redacted,
        }
    }
}

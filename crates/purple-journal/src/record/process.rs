//! Which process file a run follows, and definitions that were synthesized.

use purple_process::{Digest, Route};

use crate::record::family::family;
use crate::word::{ChosenBy, DefinitionNote};
use crate::{BlobHash, Redacted, RedactedJson};

family! {
    /// Which process file a run follows, and definitions that were synthesized.
    Process {
        /// The process of the round was chosen.
        "process.chosen" Chosen {
            /// The process.
            process: Redacted,
            /// The task of its file.
            task: Redacted,
            /// How it was chosen.
            by: ChosenBy,
            /// The keywords that matched.
            hits: Vec<Redacted>,
            /// The inputs that the text provides.
            inputs: RedactedJson,
            /// The process file.
            file: BlobHash,
            /// The route of the task.
            route: Route,
            /// How its calls are bound to the tools of the run, where the operator mapped them.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            binding: Option<BlobHash>,
            /// Set when the file was synthesized or signed here.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            defined: Option<DefinitionNote>,
        }
        /// The text also points to another process, whose rules apply too.
        "process.pointed" Pointed {
            /// The process.
            process: Redacted,
            /// The task of its file.
            task: Redacted,
            /// The keywords that matched.
            hits: Vec<Redacted>,
            /// The process file.
            file: BlobHash,
            /// Whether the text points to it beyond doubt.
            sure: bool,
            /// Set when the file was synthesized or signed here.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            defined: Option<DefinitionNote>,
        }
        /// The synthesized definitions that existed when the round began.
        "definitions.known" DefinitionsKnown {
            /// The definitions.
            definition: BlobHash,
            /// How many there are.
            count: usize,
        }
        /// A model wrote a process file.
        "process.synthesized" Synthesized {
            /// The process.
            process: Redacted,
            /// The digest of the definition.
            digest: Digest,
            /// The model.
            model: Redacted,
            /// Whether this definition was stored; false where one of that name existed.
            first: bool,
            /// The definition in effect.
            definition: BlobHash,
        }
        /// A process file or function could not be synthesized.
        "synthesis.failed" SynthesisFailed {
            /// The function.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            function: Option<Redacted>,
            /// The process.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            process: Option<Redacted>,
            /// The reason.
            why: Redacted,
        }
    }
}

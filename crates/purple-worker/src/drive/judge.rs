//! What stands behind the operations of a model, and what the rules make of them.

use purple_process::playbook::Case;
use purple_process::{Json, Operation, Ruling, Sources, unfounded};

use crate::dossier::Opened;

impl Opened {
    /// Everything that may stand behind an argument of an operation.
    pub(crate) fn sources(&self, case: &Case<'_>) -> Sources {
        let mut sources = Sources::new(self.dossier.text.clone());
        for read in &self.dossier.reads {
            let answers = read.answers.as_deref().unwrap_or_default();
            for (arguments, answer) in read.calls.iter().zip(answers) {
                if let Ok(answer) = Json::from_serde(answer) {
                    sources.add_read(arguments, &answer);
                }
            }
        }
        for value in case.figures().into_iter().filter_map(|(_, value)| value.ok()) {
            if let Ok(value) = Json::from_serde(&value.to_json()) {
                sources.add_computed(&value);
            }
        }
        for found in self.dossier.driven.iter().flat_map(|driven| &driven.reads) {
            for seen in found.vouches().iter().filter_map(|seen| Json::from_serde(seen).ok()) {
                sources.add_read(&found.arguments, &seen);
            }
        }
        for computed in self.dossier.driven.iter().flat_map(|driven| &driven.computed) {
            if let Ok(value) = Json::from_serde(&computed.value) {
                sources.add_computed(&value);
            }
        }
        sources
    }
}

/// What is asked of a person about an operation that a model proposed, whatever the rules say.
pub(crate) fn asked_anyway(operation: &Operation, sources: &Sources) -> Option<Ruling> {
    let doubts = unfounded(operation, sources);
    let why: Vec<String> = doubts.iter().map(ToString::to_string).collect();
    (!why.is_empty()).then(|| {
        Ruling::asking(
            purple_policy::Authority::Process,
            Vec::new(),
            format!("provenance: {}", why.join("; ")),
        )
    })
}

/// What a file says that only a model chose: it asks, and does not allow.
pub(crate) fn not_pointed() -> Ruling {
    let why = "the process was chosen by a model, and the words of the task do not point to it: its rules can ask, but not allow";
    Ruling::asking(purple_policy::Authority::Process, Vec::new(), why)
}

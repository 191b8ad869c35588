//! What stands behind the operations of a model, and what the rules make of them.

use purple_policy::{Authority, Verdict};
use purple_process::file::ProcessFile;
use purple_process::playbook::{Case, Decision};
use purple_process::{Json, Operation, Ruling, Sources, Values, unfounded};

use crate::dossier::{Opened, known};
use crate::drive::memo::Driven;
use crate::session::Also;

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
            let Ok(value) = Json::from_serde(&computed.value) else { continue };
            match &computed.claimed_by {
                None => sources.add_computed(&value),
                Some(by) => sources.add_claimed(&value, by),
            }
        }
        sources
    }
}

impl Opened {
    /// What was read in this round: the arguments and the answer of each call.
    pub(crate) fn reads(&self) -> Vec<(&Values, Json)> {
        let declared = self
            .dossier
            .reads
            .iter()
            .flat_map(|read| read.calls.iter().zip(read.answers.as_deref().unwrap_or_default()));
        let driven = self.dossier.driven.iter().flat_map(|driven| &driven.reads);
        let driven = driven.flat_map(|found| found.vouches().iter().map(|seen| (&found.arguments, seen)));
        let read = declared.chain(driven);
        read.filter_map(|(asked, answer)| Some((asked, Json::from_serde(answer).ok()?))).collect()
    }
}

impl Opened {
    /// What the files say to operations that the words of the task point to, where a model chose another one or none, and
    /// those that earlier rounds pointed to.
    ///
    /// It can only be stricter: what it would allow is not its to allow here, and what it cannot evaluate, because its
    /// data was not read, is asked. Where a single keyword points to it, it asks nobody: only what it plainly forbids or
    /// hands over counts.
    pub(crate) fn also_says(&self, operations: &[Operation]) -> Vec<Vec<Ruling>> {
        let mut said: Vec<Vec<Ruling>> = vec![Vec::new(); operations.len()];
        let driven = self.dossier.driven.as_ref();
        for (also, file) in self.beside() {
            let is_earlier = driven.is_some_and(|driven| driven.earlier.contains(also));
            let words = if is_earlier { "an earlier round" } else { "the words of the task" };
            let whence = format!("{words} point{} to `{}`", if is_earlier { "s" } else { "" }, file.name());
            for (place, ruling) in said.iter_mut().zip(self.said_by(also, file, &whence, operations)) {
                place.extend(ruling);
            }
        }
        said
    }

    /// What one of these files says to each operation.
    fn said_by(
        &self,
        also: &Also,
        file: &ProcessFile,
        whence: &str,
        operations: &[Operation],
    ) -> Vec<Option<Ruling>> {
        let in_doubt = || {
            let why = format!("{whence}, and its rules could not all be evaluated");
            also.is_sure.then(|| Ruling::asking(Authority::Process, Vec::new(), why))
        };
        let (Some(task), Ok(inputs)) = (file.task(&also.chosen.task), known(&also.inputs)) else {
            return operations.iter().map(|_| in_doubt()).collect();
        };
        let one = |decision: Decision| match decision.verdict() {
            None | Some(Verdict::Allow) => None,
            Some(Verdict::RequireApproval) if !also.is_sure => None,
            Some(Verdict::RequireApproval | Verdict::Escalate | Verdict::Block) => {
                Some(decision.ruling(file.owner(), None)?.told_first(whence))
            }
        };
        let case = Case::start(task, &inputs, self.dossier.today);
        let case = match self.case() {
            Ok(own) => case.knowing(std::sync::Arc::clone(own.known())),
            Err(_) => case,
        };
        case.judge_all(operations).into_iter().map(one).collect()
    }
}

/// What is asked of a person about an operation that a model proposed, whatever the rules say.
pub(crate) fn asked_anyway(operation: &Operation, sources: &Sources) -> Option<Ruling> {
    let doubts = unfounded(operation, sources);
    let why: Vec<String> = doubts.iter().map(ToString::to_string).collect();
    (!why.is_empty())
        .then(|| Ruling::asking(Authority::Process, Vec::new(), format!("provenance: {}", why.join("; "))))
}

/// What is asked of a person about figures that a second model does not agree with. The words are ours.
pub(crate) fn doubted(operation: &Operation, driven: &Driven) -> Option<Ruling> {
    let own = driven.doubted.iter().filter(|one| one.step == operation.step);
    let why: Vec<String> = own
        .map(|one| match &one.gives {
            Some(number) => format!("independent calculations give {number} for `{}`", one.argument),
            None => format!("a second model takes `{}` for wrong", one.argument),
        })
        .collect();
    let because = format!("audit: {}", why.join("; "));
    (!why.is_empty()).then(|| Ruling::asking(Authority::Process, Vec::new(), because))
}

/// What a file says that only a model chose: it asks, and does not allow.
pub(crate) fn not_pointed() -> Ruling {
    let why = "the process was chosen by a model, and the words of the task do not point to it: its rules can ask, but not allow";
    Ruling::asking(Authority::Process, Vec::new(), why)
}

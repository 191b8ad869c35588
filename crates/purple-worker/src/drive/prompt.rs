//! What a model is told. The words are files under `prompts/`, reviewed like code; data is put in behind a fence.

use purple_process::State;

use crate::drive::budget::Thrift;
use crate::outside::escaped;

/// What every line of data begins with.
const FENCE: &str = "| ";
/// The longest piece of data in a prompt, in bytes. What is cut says so.
const DATA_BYTES_MAX: usize = 6 * 1024;
/// The longest task in a prompt, in bytes: said twice, it must leave most of the budget to the work.
const TASK_BYTES_MAX: usize = 10 * 1024;
/// The longest beginning of a task, in bytes.
const BEGINNING_BYTES_MAX: usize = 2 * 1024;

/// A prompt with places for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Prompt(&'static str);

pub(crate) const SYSTEM: Prompt = Prompt(include_str!("../../prompts/system.md"));
pub(crate) const CLASSIFY: Prompt = Prompt(include_str!("../../prompts/classify.md"));
pub(crate) const READING: Prompt = Prompt(include_str!("../../prompts/reading.md"));
pub(crate) const DECOMPOSE: Prompt = Prompt(include_str!("../../prompts/decompose.md"));
pub(crate) const TASK: Prompt = Prompt(include_str!("../../prompts/task.md"));
pub(crate) const ASSESS: Prompt = Prompt(include_str!("../../prompts/assess.md"));
pub(crate) const COMPUTE: Prompt = Prompt(include_str!("../../prompts/compute.md"));
pub(crate) const PROPOSE: Prompt = Prompt(include_str!("../../prompts/propose.md"));
pub(crate) const MUTATE: Prompt = Prompt(include_str!("../../prompts/mutate.md"));
pub(crate) const NOTIFY: Prompt = Prompt(include_str!("../../prompts/notify.md"));
pub(crate) const COMPLETE: Prompt = Prompt(include_str!("../../prompts/complete.md"));
pub(crate) const GAPS: Prompt = Prompt(include_str!("../../prompts/gaps.md"));
pub(crate) const ADVICE: Prompt = Prompt(include_str!("../../prompts/advice.md"));
pub(crate) const NOTE: Prompt = Prompt(include_str!("../../prompts/note.md"));
pub(crate) const DIGEST: Prompt = Prompt(include_str!("../../prompts/digest.md"));
pub(crate) const AUDIT: Prompt = Prompt(include_str!("../../prompts/audit.md"));
pub(crate) const NUMBERS: Prompt = Prompt(include_str!("../../prompts/numbers.md"));
pub(crate) const SYNTHESIS: Prompt = Prompt(include_str!("../../prompts/synthesis.md"));
pub(crate) const IMPROVE: Prompt = Prompt(include_str!("../../prompts/improve.md"));
pub(crate) const PHASE_PLAN: Prompt = Prompt(include_str!("../../prompts/phase_plan.md"));
pub(crate) const PHASE_GATHER: Prompt = Prompt(include_str!("../../prompts/phase_gather.md"));
pub(crate) const PHASE_SYNTHESIZE: Prompt = Prompt(include_str!("../../prompts/phase_synthesize.md"));
pub(crate) const PHASE_ARTIFACT: Prompt = Prompt(include_str!("../../prompts/phase_artifact.md"));
pub(crate) const PHASE_INSIGHT: Prompt = Prompt(include_str!("../../prompts/phase_insight.md"));
pub(crate) const SYNTHESIZE: Prompt = Prompt(include_str!("../../prompts/synthesize.md"));
pub(crate) const GAP: Prompt = Prompt(include_str!("../../prompts/gap.md"));
pub(crate) const CASES: Prompt = Prompt(include_str!("../../prompts/cases.md"));
pub(crate) const FUNCTION: Prompt = Prompt(include_str!("../../prompts/function.md"));
pub(crate) const FACTS: Prompt = Prompt(include_str!("../../prompts/facts.md"));
pub(crate) const REPAIR: Prompt = Prompt(include_str!("../../prompts/repair.md"));

impl Prompt {
    /// The prompt of a state in which a model works.
    pub(crate) const fn of(state: State) -> Option<Self> {
        match state {
            State::Decompose => Some(DECOMPOSE),
            State::Assess => Some(ASSESS),
            State::Compute => Some(COMPUTE),
            State::Mutate => Some(MUTATE),
            State::ScheduleNotify => Some(NOTIFY),
            State::Complete => Some(COMPLETE),
            State::PolicyCheck | State::ApprovalGate | State::Escalate | State::Failed => None,
        }
    }

    /// The prompt with its places filled; a line whose place is empty is left out.
    ///
    /// A value is put in as it stands, so that a place inside it is not filled again.
    pub(crate) fn fill(self, places: &[(&str, &str)]) -> String {
        let mut out = String::with_capacity(self.0.len());
        for line in self.0.lines() {
            let mut rest = line;
            let mut filled = String::new();
            let (mut any, mut all_empty) = (false, true);
            while let Some((before, after)) = rest.split_once("{{") {
                let Some((name, behind)) = after.split_once("}}") else { break };
                let value = places.iter().find(|(place, _)| *place == name).map_or("", |(_, value)| *value);
                filled.push_str(before);
                filled.push_str(value);
                (any, all_empty) = (true, all_empty && value.is_empty());
                rest = behind;
            }
            filled.push_str(rest);
            let placeholder_only = any && all_empty && filled.trim().is_empty();
            if !placeholder_only {
                out.push_str(filled.trim_end());
                out.push('\n');
            }
        }
        out.trim().to_owned()
    }
}

/// Data behind the fence, one line each, without anything hidden, and cut where it is too long.
pub(crate) fn fenced(text: &str) -> String {
    fenced_within(text, DATA_BYTES_MAX)
}

/// The words of the task, for whoever works on it.
pub(crate) fn fenced_task(text: &str) -> String {
    fenced_within(text, TASK_BYTES_MAX)
}

/// The beginning of the task, for whoever only wants to know what it is about.
pub(crate) fn fenced_beginning(text: &str) -> String {
    fenced_within(text, BEGINNING_BYTES_MAX)
}

fn fenced_within(text: &str, bytes_max: usize) -> String {
    let mut out = String::new();
    let mut left = bytes_max;
    for line in text.lines() {
        let line = format!("{FENCE}{}\n", escaped(line));
        if line.len() > left {
            let kept = line.floor_char_boundary(left);
            out.push_str(line.get(..kept).unwrap_or_default().trim_end());
            out.push_str("… [cut]");
            break;
        }
        left -= line.len();
        out.push_str(&line);
    }
    out.trim_end().to_owned()
}

/// How much the model is to save words.
pub(crate) const fn thrift(thrift: Thrift) -> &'static str {
    match thrift {
        Thrift::Mild => "Be brief.",
        Thrift::Strict => {
            "A good part of the budget is spent: call only what is needed, and write as little as possible."
        }
        Thrift::Emergency => "The budget is nearly spent: finish now, with what is known.",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn every_prompt_is_as_reviewed() {
        let all = [
            SYSTEM,
            CLASSIFY,
            READING,
            DECOMPOSE,
            TASK,
            ASSESS,
            COMPUTE,
            PROPOSE,
            MUTATE,
            NOTIFY,
            COMPLETE,
            GAPS,
            REPAIR,
            ADVICE,
            NOTE,
            DIGEST,
            AUDIT,
            NUMBERS,
            SYNTHESIS,
            IMPROVE,
            PHASE_PLAN,
            PHASE_GATHER,
            PHASE_SYNTHESIZE,
            PHASE_ARTIFACT,
            PHASE_INSIGHT,
            SYNTHESIZE,
            GAP,
            CASES,
            FUNCTION,
            FACTS,
        ];
        let text: Vec<String> = all.iter().map(|prompt| prompt.0.trim().to_owned()).collect();
        insta::assert_snapshot!(text.join("\n\n=====\n\n"));
    }

    #[test]
    fn an_empty_place_leaves_no_line_behind() {
        let shown = ASSESS.fill(&[("instruction", "Read the invoice."), ("thrift", thrift(Thrift::Mild))]);
        insta::assert_snapshot!(shown);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn data_stays_behind_its_fence(text in "(\\PC|\n|[{][{]thrift[}][}]|\u{202e}){0,80}") {
            let shown = TASK.fill(&[("task", &fenced(&text)), ("thrift", "never")]);
            prop_assert!(shown.lines().skip(1).all(|line| line.starts_with('|')), "{}", shown);
            prop_assert!(!shown.contains("never") || text.contains("never"));
        }
    }
}

//! Reads a message at the gate: is the whole of it a decision?
//!
//! A closed grammar, never a model. One word outside of it, and it is none: `Confirmed, but 3x` decides nothing.

use crate::plan::Plan;

/// The longest message that can be a decision, in bytes.
const MESSAGE_BYTES_MAX: usize = 2_000;

/// What a message says about a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// Yes, to all of it.
    Approve,
    /// No.
    Reject {
        /// Why, if it says so.
        reason: Option<String>,
    },
    /// It could be either: the plan itself rejects something. To be asked again with these words.
    AskAgain {
        /// The words that mean yes.
        approve: String,
        /// The words that mean no.
        decline: String,
    },
    /// Something else: a question, a new task, a condition.
    NotADecision,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    Yes,
    No,
    /// Yes to the plan, or yes to what the plan rejects?
    NamesApproval,
    /// No to the plan, or no to what the plan rejects?
    NamesRejection,
    Filler,
}

/// Every phrase of the grammar. Longer ones are tried first.
const PHRASES: &[(&str, Sense)] = &[
    ("do not proceed", Sense::No),
    ("don't proceed", Sense::No),
    ("do not do it", Sense::No),
    ("don't do it", Sense::No),
    ("not approved", Sense::NamesRejection),
    ("not confirmed", Sense::No),
    ("do not", Sense::No),
    ("don't", Sense::No),
    ("no", Sense::No),
    ("rejected", Sense::NamesRejection),
    ("reject", Sense::NamesRejection),
    ("declined", Sense::NamesRejection),
    ("decline", Sense::NamesRejection),
    ("approved", Sense::NamesApproval),
    ("approve", Sense::NamesApproval),
    ("confirmed", Sense::Yes),
    ("confirm", Sense::Yes),
    ("go ahead", Sense::Yes),
    ("proceed", Sense::Yes),
    ("agreed", Sense::Yes),
    ("agree", Sense::Yes),
    ("do it", Sense::Yes),
    ("yes", Sense::Yes),
    ("okay", Sense::Yes),
    ("ok", Sense::Yes),
    ("the plan", Sense::Filler),
    ("this plan", Sense::Filler),
    ("thank you", Sense::Filler),
    ("thanks", Sense::Filler),
    ("please", Sense::Filler),
    ("this", Sense::Filler),
    ("and", Sense::Filler),
    ("it", Sense::Filler),
    ("i", Sense::Filler),
];

/// The answer of a requester to a task that was restated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answered {
    /// That is what they want.
    Yes,
    /// It is not.
    No,
}

/// Reads a whole message as the answer to a restated task; `None` where one word is outside the grammar.
pub fn read_answer(message: &str) -> Option<Answered> {
    const YES: [&str; 19] = [
        "y",
        "yep",
        "yeah",
        "yup",
        "correct",
        "right",
        "that is right",
        "that's right",
        "exactly",
        "sure",
        "ja",
        "ja bitte",
        "ja, bitte",
        "genau",
        "oui",
        "sí",
        "👍",
        "✅",
        "yes, that's right",
    ];
    const NO: [&str; 13] = [
        "n",
        "nope",
        "cancel",
        "cancel it",
        "cancel that",
        "forget it",
        "never mind",
        "nevermind",
        "stop",
        "nein",
        "non",
        "👎",
        "❌",
    ];
    if message.len() > MESSAGE_BYTES_MAX {
        return None;
    }
    let folded = squeezed(message).to_lowercase();
    if YES.contains(&folded.as_str()) {
        return Some(Answered::Yes);
    }
    if NO.contains(&folded.as_str()) {
        return Some(Answered::No);
    }
    let senses = senses(&folded)?;
    match (senses.contains(&Sense::Yes), senses.contains(&Sense::No)) {
        // "Approve" and "reject" name an outcome, and answer no question about the words.
        _ if senses.iter().any(|sense| matches!(sense, Sense::NamesApproval | Sense::NamesRejection)) => None,
        (true, false) => Some(Answered::Yes),
        (false, true) => Some(Answered::No),
        (true, true) | (false, false) => None,
    }
}

/// Reads a whole message as a decision about this plan, or as none.
pub fn read_message(message: &str, plan: &Plan) -> Said {
    if message.len() > MESSAGE_BYTES_MAX {
        return Said::NotADecision;
    }
    // Only ASCII is folded: no other letter may turn into one of the grammar's.
    let text = squeezed(message);
    let folded = text.to_ascii_lowercase();
    let own = |label: String| squeezed(&label).to_ascii_lowercase() == folded;
    if own(plan.headline()) {
        return Said::Approve;
    }
    if own(plan.decline_label()) {
        return Said::Reject { reason: None };
    }
    let (decision, reason) = match split_reason(&folded) {
        Some((decision, at)) => (decision, text.get(at..).map(|reason| reason.trim().to_owned())),
        None => (folded.as_str(), None),
    };
    let Some(senses) = senses(decision) else { return Said::NotADecision };
    let any = |wanted: &[Sense]| senses.iter().any(|sense| wanted.contains(sense));
    let yes = any(&[Sense::Yes, Sense::NamesApproval]);
    let no = any(&[Sense::No, Sense::NamesRejection]);
    let ambiguous = plan.is_rejection() && any(&[Sense::NamesApproval, Sense::NamesRejection]);
    match (yes, no, reason) {
        (true, true, _) | (false, false, _) => Said::NotADecision,
        // A yes with a remark is a yes with a condition until somebody reads it.
        (true, false, Some(_)) => Said::NotADecision,
        (true, false, None) | (false, true, _) if ambiguous => {
            Said::AskAgain { approve: plan.headline(), decline: plan.decline_label() }
        }
        (true, false, None) => Said::Approve,
        (false, true, reason) => Said::Reject { reason },
    }
}

/// One space between words, none around, no full stops or exclamation marks at the end.
fn squeezed(text: &str) -> String {
    let words: Vec<&str> = text.split([' ', '\t', '\r', '\n']).filter(|word| !word.is_empty()).collect();
    words.join(" ").trim_end_matches(['.', '!', ' ']).to_owned()
}

/// Cuts `reject: wrong vendor` and `no, because …` before the reason.
fn split_reason(folded: &str) -> Option<(&str, usize)> {
    let cuts = [":", " - ", " because "];
    let (start, cut) = cuts.iter().filter_map(|cut| Some((folded.find(cut)?, *cut))).min()?;
    let at = start.checked_add(cut.len())?;
    let has_reason = !folded.get(at..)?.trim().is_empty();
    if has_reason { Some((folded.get(..start)?, at)) } else { None }
}

/// The senses of all phrases, if the text consists of nothing else.
fn senses(text: &str) -> Option<Vec<Sense>> {
    let words: Vec<&str> = text.split([' ', ',', ';', '.', '!']).filter(|word| !word.is_empty()).collect();
    let mut rest = words.as_slice();
    let mut senses = Vec::new();
    while !rest.is_empty() {
        let (length, sense) = PHRASES.iter().find_map(|(phrase, sense)| {
            let phrase: Vec<&str> = phrase.split(' ').collect();
            rest.starts_with(&phrase).then_some((phrase.len(), *sense))
        })?;
        senses.push(sense);
        rest = rest.get(length..)?;
    }
    Some(senses)
}

#[cfg(test)]
#[path = "said_tests.rs"]
mod tests;

//! Which process a task points to, by its words; and whether it is only a question.
//!
//! The fallback when no model classifies. See `docs/spec/process-files.md`, "Which file a task goes to".

use crate::route::Arithmetic;

/// What a process offers to the classifier.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// The name of the process or task.
    pub name: &'a str,
    /// The words that point to it.
    pub keywords: &'a [String],
    /// Whether the task text holds all its inputs.
    pub inputs_found: bool,
}

/// How a task scored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classified<'a> {
    /// The process or task that won.
    pub name: &'a str,
    /// The keywords that were found in the text.
    pub hits: Vec<&'a str>,
}

/// The candidate with the most keywords in `text`; `None` when none has any.
///
/// Ties go to one that finds all its inputs, then to the shorter keyword list, then to the first name.
pub fn classify<'a>(text: &str, candidates: &[Candidate<'a>]) -> Option<Classified<'a>> {
    let words = Words::of(text);
    candidates
        .iter()
        .map(|candidate| (words.hits(candidate.keywords), candidate))
        .filter(|(hits, _)| !hits.is_empty())
        .min_by_key(|(hits, candidate)| {
            let fewest_first = std::cmp::Reverse(hits.len());
            (fewest_first, !candidate.inputs_found, candidate.keywords.len(), candidate.name)
        })
        .map(|(hits, candidate)| Classified { name: candidate.name, hits })
}

const ASKING: [&str; 12] = [
    "what is",
    "what are",
    "what was",
    "what were",
    "show me",
    "show",
    "find",
    "list",
    "how many",
    "how much",
    "which",
    "who",
];

const ACTIONS: [&str; 37] = [
    "approve",
    "reject",
    "create",
    "update",
    "delete",
    "cancel",
    "void",
    "close",
    "submit",
    "send",
    "post",
    "apply",
    "assign",
    "transfer",
    "flag",
    "escalate",
    "resolve",
    "refund",
    "charge",
    "credit",
    "pay",
    "book",
    "schedule",
    "notify",
    "modify",
    "change",
    "process",
    "reconcile",
    "settle",
    "adjust",
    "authorize",
    "revoke",
    "reset",
    "migrate",
    "onboard",
    "offboard",
    "remove",
];

const ARITHMETIC: [&str; 15] = [
    "how much",
    "how many",
    "total",
    "sum",
    "average",
    "mean",
    "difference",
    "variance",
    "percent",
    "percentage",
    "count",
    "calculate",
    "compute",
    "ratio",
    "highest",
];

/// A word after one of these is a noun: "what is the credit", "show me our refund policy".
const BEFORE_A_NOUN: [&str; 20] = [
    "the", "a", "an", "this", "that", "these", "those", "my", "our", "your", "their", "its", "his", "her",
    "of", "each", "every", "any", "last", "open",
];

/// Whether the task only asks something (it begins like a question and holds no action verb), and what that takes.
pub fn is_question(text: &str) -> Option<Arithmetic> {
    let words = Words::of(text);
    if !ASKING.iter().any(|opening| words.begins_with(opening)) || words.orders_something() {
        return None;
    }
    let arithmetic = ARITHMETIC.iter().any(|phrase| words.has(phrase)) || text.contains('%');
    Some(if arithmetic { Arithmetic::Needed } else { Arithmetic::None })
}

/// The words of a text, in lower case, without punctuation at their ends.
struct Words {
    list: Vec<String>,
}

impl Words {
    /// A task text is bounded elsewhere; keywords are looked for in its beginning only.
    const WORDS_MAX: usize = 5_000;

    fn of(text: &str) -> Self {
        let edge = |c: char| !c.is_alphanumeric() && c != '&';
        let list = text
            .split(|c: char| c.is_whitespace() || "/,;:()[]\"".contains(c))
            .map(|word| word.trim_matches(edge).to_lowercase())
            .filter(|word| !word.is_empty())
            .take(Self::WORDS_MAX)
            .collect();
        Self { list }
    }

    fn hits<'k>(&self, keywords: &'k [String]) -> Vec<&'k str> {
        keywords.iter().map(String::as_str).filter(|keyword| self.has(keyword)).collect()
    }

    /// Whether the phrase occurs as whole words; the last one may be a plural.
    fn has(&self, phrase: &str) -> bool {
        let phrase = Self::of(phrase).list;
        !phrase.is_empty() && self.list.windows(phrase.len()).any(|window| same_phrase(window, &phrase))
    }

    fn begins_with(&self, phrase: &str) -> bool {
        let phrase = Self::of(phrase).list;
        // "Please show me …" asks as well.
        let polite = ["please", "can", "could", "you", "kindly"];
        let from = self.list.iter().take_while(|word| polite.contains(&word.as_str())).count();
        self.list.get(from..from + phrase.len()) == Some(phrase.as_slice())
    }

    fn orders_something(&self) -> bool {
        self.list.iter().enumerate().any(|(place, word)| {
            let before = place.checked_sub(1).and_then(|place| self.list.get(place));
            let noun = before.is_some_and(|before| BEFORE_A_NOUN.contains(&before.as_str()));
            ACTIONS.contains(&word.as_str()) && !noun
        })
    }
}

fn same_phrase(window: &[String], phrase: &[String]) -> bool {
    let Some(((last, phrase), (word, window))) = phrase.split_last().zip(window.split_last()) else {
        return false;
    };
    let plural = word
        .strip_suffix('s')
        .is_some_and(|stem| stem == last || stem.strip_suffix('e') == Some(last.as_str()));
    window == phrase && (word == last || plural)
}

#[cfg(test)]
#[path = "classify_tests.rs"]
mod tests;

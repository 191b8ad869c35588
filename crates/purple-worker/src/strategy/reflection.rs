//! Self-reflection: an answer in prose is scored, and below a mark it is asked for once more.
//!
//! By its types it sees prose and gives back prose: no mutation log, no verdict and no plan can be reached from here, and
//! an exact-match answer is no prose.

use purple_finance::Exact;

use crate::execute::finish::is_exact_match;
use crate::reflect::score::{Fields, Prosaic, prose_score};
use crate::strategy::consensus::keeps_figures;

/// Below this score an answer is improved once.
const GOOD_ENOUGH: &str = "0.65";

/// An answer that may be improved: words, and nothing that is compared character by character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prose(String);

impl Prose {
    /// `None` for an exact-match answer, and for nothing at all.
    pub(crate) fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty() && !is_exact_match(text)).then(|| Self(text.to_owned()))
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }
}

/// What an answer had to hold: names of fields, and nothing about what was done.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked<'a> {
    pub fields: &'a [String],
}

/// What is wrong with an answer that is not good enough.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Weak {
    pub score: Exact,
    pub reasons: Vec<String>,
}

/// Scores an answer; `None` where it is good enough.
pub(crate) fn weakness(answer: &Prose, asked: Asked<'_>) -> Option<Weak> {
    let (score, reasons) = scored(answer, asked)?;
    let mark = Exact::parse(GOOD_ENOUGH).ok()?;
    (score < mark).then_some(Weak { score, reasons })
}

/// The better of two answers; the first, where the second is no better, lost a figure, or says next to nothing.
pub(crate) fn better(before: Prose, after: Option<Prose>, asked: Asked<'_>) -> Prose {
    let Some(after) = after else { return before };
    let words = |prose: &Prose| prose.0.split_whitespace().count();
    if !keeps_figures(&before.0, &after.0) || words(&after) * 2 < words(&before) {
        return before;
    }
    let of = |prose: &Prose| scored(prose, asked).map(|(score, _)| score);
    if of(&after) > of(&before) { after } else { before }
}

fn scored(answer: &Prose, asked: Asked<'_>) -> Option<(Exact, Vec<String>)> {
    let missing = crate::execute::finish::missing_fields(asked.fields, &answer.0);
    let fields = Fields::of(asked.fields.len(), missing.len());
    prose_score(&Prosaic { answer: &answer.0, fields }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Asked<'static> = Asked { fields: &[] };

    #[test]
    fn an_exact_match_answer_is_no_prose() {
        assert_eq!(Prose::of(r#"["INV-1", "INV-2"]"#), None);
        assert_eq!(Prose::of("  "), None);
        assert!(Prose::of("Rejected. [Reason: variance exceeds threshold]").is_some());
    }

    #[test]
    fn an_answer_that_says_what_was_decided_is_good_enough_and_one_that_apologises_is_not() {
        let prose = |text: &str| Prose::of(text).unwrap();
        assert_eq!(weakness(&prose("The invoice was rejected."), NONE), None);
        let weak = weakness(&prose("I am unable to help with that."), NONE).unwrap();
        assert!(weak.reasons.iter().any(|why| why.contains("unable to")), "{weak:?}");
        let fields = ["credit amount".to_owned(), "vendor".to_owned()];
        let asked = Asked { fields: &fields };
        assert!(weakness(&prose("It is so."), asked).is_some());
        assert_eq!(weakness(&prose("The credit amount of the vendor was applied."), asked), None);
    }

    #[test]
    fn an_improvement_that_is_no_better_is_not_taken() {
        let prose = |text: &str| Prose::of(text).unwrap();
        let before = prose("I could not find the invoice.");
        assert_eq!(better(before.clone(), None, NONE), before);
        assert_eq!(better(before.clone(), Some(prose("An error occurred: failed to read.")), NONE), before);
        let after = prose("No invoice has this number; nothing was approved.");
        assert_eq!(better(before.clone(), Some(after.clone()), NONE), after);
        assert_eq!(better(before.clone(), Some(prose("Done.")), NONE), before, "it says next to nothing");
        let counted = prose("I could not find 3 of 7 invoices.");
        let vague = prose("Some invoices were approved, and others were not.");
        assert_eq!(better(counted.clone(), Some(vague), NONE), counted, "a figure is gone");
    }
}

//! What the words of the orders say about the words beside them: reasons for the verb that is ordered, and what a mark
//! divides from it.

use super::Covering;
use crate::act::{Mood, Role, Word};
use crate::language::Lexicon;
use crate::say::{SayForm, is_reason};
use crate::span::Span;
use crate::token::{Token, tokens};

/// Marks that divide a remark from an order.
const SEPARATORS: [&str; 9] = [",", ";", ":", "(", ". ", "\n", "–", "—", " - "];

/// The longest words that lead from a record to a reason, in bytes.
const LEADING_MAX: usize = 80;

/// What the orders of a text say, read once.
pub(super) struct Ordered<'a> {
    /// Each form, with the words that give a reason for the only verb of it that is ordered.
    reasons: Vec<(&'a SayForm, Vec<&'a str>)>,
    /// Where the values that inputs take and the verbs of orders end, in the order of the text.
    ends: Vec<usize>,
    /// Where marks are that divide a remark from an order, in the order of the text.
    marks: Vec<Span>,
}

impl Ordered<'_> {
    /// Whether the verb that is ordered takes reasons.
    pub(super) fn takes_reasons(&self) -> bool {
        self.reasons.iter().any(|(_, reasons)| !reasons.is_empty())
    }

    /// Whether a word gives a reason for the verb that is ordered.
    fn gives_reason(&self, word: &Word, text: &str) -> bool {
        let from_here = text.get(word.span.start..).unwrap_or_default();
        let mut reasons = self.reasons.iter().flat_map(|(_, reasons)| reasons);
        reasons.any(|reason| is_reason(reason, word, from_here))
    }

    /// Whether a word gives a reason for another verb of a form than the one that is ordered: the goods of an invoice
    /// that is to be approved "arrived damaged".
    pub(super) fn speaks_for_another(&self, word: &Word, text: &str) -> bool {
        let from_here = text.get(word.span.start..).unwrap_or_default();
        let mut forms = self.reasons.iter();
        forms.any(|(form, reasons)| {
            let own = || reasons.iter().any(|reason| is_reason(reason, word, from_here));
            form.has_reason(word, from_here) && !own()
        })
    }

    /// What is between a place and the value or verb of the order before it.
    fn gap(&self, place: usize) -> Option<Span> {
        let last = self.ends.partition_point(|end| *end <= place).checked_sub(1)?;
        self.ends.get(last).map(|end| Span::new(*end, place))
    }

    fn is_divided(&self, gap: Span) -> bool {
        let next = self.marks.partition_point(|mark| mark.start < gap.start);
        self.marks.get(next).is_some_and(|mark| gap.contains(*mark))
    }
}

impl<'a> Covering<'a> {
    /// What the orders say.
    pub(super) fn ordered(&self) -> &Ordered<'a> {
        self.ordered.get_or_init(|| {
            let orders = self.acts.iter().filter(|(_, mood)| *mood == Mood::Order);
            let words: Vec<&Word> = orders.flat_map(|(act, _)| &act.words).collect();
            let reasons =
                self.forms.iter().map(|form| (*form, form.reasons(&words).map(String::as_str).collect()));
            let values = self.reading.values.iter().map(|value| value.span);
            let values = values.filter(|span| (self.asked.takes)(*span));
            let verbs = words.iter().filter(|word| matches!(word.role, Role::Verb(_))).map(|word| word.span);
            let mut ends: Vec<usize> = values.chain(verbs).map(|span| span.end).collect();
            ends.sort_unstable();
            let marks = SEPARATORS.iter().flat_map(|mark| self.text.match_indices(mark));
            let mut marks: Vec<Span> = marks.map(|(at, mark)| Span::new(at, at + mark.len())).collect();
            marks.sort();
            Ordered { reasons: reasons.collect(), ends, marks }
        })
    }

    /// Whether a word says why the verb of the order is right, and is not part of what it is about: "Reject it, the goods
    /// were damaged". "The duplicate of invoice 7" is another record.
    pub(super) fn suits_verb(&self, word: &Word) -> bool {
        self.ordered().gives_reason(word, self.text) && self.is_apart(word)
    }

    /// Whether a mark divides a word from the values and verbs of the order before it.
    pub(super) fn is_apart(&self, word: &Word) -> bool {
        let ordered = self.ordered();
        let gap = ordered.gap(word.span.start);
        gap.is_some_and(|gap| ordered.is_divided(gap) || self.leads_to_reason(gap))
    }

    /// Whether these words lead from a record to a reason: `as`, `wegen`, `por`.
    fn leads_to_reason(&self, gap: Span) -> bool {
        if gap.end - gap.start > LEADING_MAX {
            return false;
        }
        let words = tokens(gap.of(self.text));
        let is = |token: &Token, is: fn(&Lexicon, &str) -> bool| {
            self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower))
        };
        words.iter().any(|token| is(token, Lexicon::is_ground))
            && words.iter().all(|token| is(token, Lexicon::is_function_word))
    }
}

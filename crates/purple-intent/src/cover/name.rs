//! Which names the records of the case have to hold.

use std::ops::Range;

use super::Covering;
use super::explain::{NAME_MAX, without_possessive};
use crate::act::{Act, Mood, Role, Word};
use crate::language::Lexicon;
use crate::span::Span;
use crate::token::tokens;

impl Covering<'_> {
    /// The names that the records have to hold: those of orders and of statements in their sentence ("get Maria's okay
    /// and approve it"), and those that are a whole remark in the line of an order ("Approve it. Kidding!").
    pub(super) fn names_to_check(&self) -> Vec<String> {
        let counts = |act: &Act, mood: Mood| match mood {
            Mood::Order => true,
            _ => {
                !self.is_signature(act)
                    && (self.is_in_sentence(act) || self.is_remark(act) && !self.follows_courtesy(act.span))
            }
        };
        let acts = self.acts.iter().filter(|(act, mood)| counts(act, *mood));
        let names = acts.flat_map(|(act, _)| {
            let grounds = self.grounds(act);
            act.words.iter().filter(move |word| !grounds.iter().any(|ground| ground.contains(word.span)))
        });
        // A German noun that nobody knows looks like a name: "Systemzugang" is a kind of "Zugang".
        let as_noun = |word: &Word| Word { role: Role::Other, ..word.clone() };
        let names = names
            .filter(|word| word.role == Role::Name || self.is_numbered(word))
            .filter(|word| !self.belongs(word) && !self.belongs(&as_noun(word)));
        names.map(|word| without_possessive(&word.lower).to_owned()).collect()
    }

    /// Where an act says on whose word it is done: "as Maria suggested". Who that was is no party of a record.
    fn grounds(&self, act: &Act) -> Vec<Span> {
        let names = || act.words.iter().any(|word| word.role == Role::Name);
        let words = if names() { tokens(act.span.of(self.text)) } else { Vec::new() };
        let place = |at: usize| words.get(at).map(|token| token.span);
        let is_ground =
            |lexicon: &Lexicon, at: usize| words.get(at).is_some_and(|token| lexicon.is_ground(&token.lower));
        let around = self.lexicons.iter().flat_map(|lexicon| {
            let around = lexicon.said(&words).around.into_iter();
            around.filter(|around| is_ground(lexicon, around.start))
        });
        let span = |around: Range<usize>| {
            let (first, last) = (place(around.start)?, place(around.end)?);
            Some(Span::new(act.span.start + first.start, act.span.start + last.end))
        };
        around.filter_map(span).collect()
    }

    /// Whether a word that has a meaning is part of a name with a number after it: `Harbor Electric 41`.
    pub(super) fn is_numbered(&self, word: &Word) -> bool {
        let is_capital = |text: &str| text.chars().next().is_some_and(char::is_uppercase);
        let rest = self.text.get(word.span.end..).unwrap_or_default();
        let number = rest.trim_start_matches([' ', '-']).starts_with(|letter: char| letter.is_ascii_digit());
        let before = self.before(word.span.start, NAME_MAX).split_whitespace().next_back();
        word.role == Role::Other
            && rest.starts_with(' ')
            && number
            && is_capital(word.span.of(self.text))
            && before.is_some_and(is_capital)
    }

    /// Whether an order follows in the same sentence.
    fn is_in_sentence(&self, act: &Act) -> bool {
        let orders = self.acts.iter().filter(|(_, mood)| *mood == Mood::Order).map(|(order, _)| order.span);
        let next = orders.filter(|order| order.start >= act.span.end).min_by_key(|order| order.start);
        let gap = next.map(|order| Span::new(act.span.end, order.start).of(self.text));
        gap.is_some_and(|gap| !gap.contains(['.', '!', '?', '\n']))
    }

    /// Whether an act is names only, in one line with another act.
    fn is_remark(&self, act: &Act) -> bool {
        let others = || self.acts.iter().map(|(other, _)| other.span);
        let before = others().filter(|other| other.end <= act.span.start).max_by_key(|other| other.end);
        let after = others().filter(|other| other.start >= act.span.end).min_by_key(|other| other.start);
        let gaps = [
            before.map(|other| Span::new(other.end, act.span.start)),
            after.map(|other| Span::new(act.span.end, other.start)),
        ];
        let in_line = gaps.iter().flatten().any(|gap| !gap.of(self.text).contains('\n'));
        in_line && act.words.iter().all(|word| word.role == Role::Name)
    }
}

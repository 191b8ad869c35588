//! Which figures and days of a task nothing explains.

use std::collections::HashSet;

use super::Covering;
use crate::act::{Act, Mood, Role, Word};
use crate::language::Lexicon;
use crate::occasion::occasion;
use crate::span::{Span, holding, inside};
use crate::token::{Token, each_token, tokens};
use crate::value::{Day, Meaning, Unit, Value};

impl Covering<'_> {
    pub(super) fn unexplained_values(&self, first: usize) -> Vec<String> {
        let begins = self.reading.acts.get(first).map_or(0, |act| act.span.start);
        let own = |value: &&Value| holding(&self.reading.own, value.span, |part| *part).is_some();
        // "They were at 97 %. Apply the credit": a figure before an order may contradict what the systems say.
        // "On 1 April, revoke the access": a day before an order may be its own. "They signed on 1 April" is a report.
        let moves = |value: &Value| is_day(value) && self.leads_day(value, begins);
        let counts = |value: &&Value| value.span.start >= begins || is_percent(value) || moves(value);
        let values = self.reading.values.iter().filter(counts).filter(own);
        let names = self.words().filter(|word| word.role == Role::Name || self.is_numbered(word));
        let name_ends: HashSet<usize> = names.map(|word| word.span.end).collect();
        let left = values.filter(|value| {
            !(self.asked.takes)(value.span)
                && !is_part_of_name(value, &name_ends)
                && !is_today(value)
                && !self.is_over(value)
                && !self.is_reported(value)
                && !self.is_aside_figure(value)
                && !self.compares(value)
                && !self.is_of_reason(value)
                && !self.is_deadline(value)
        });
        left.map(|value| value.span.of(self.text).to_owned()).collect()
    }

    /// Whether a day is in the sentence of the order that begins here, with nothing before it that states something.
    fn leads_day(&self, value: &Value, begins: usize) -> bool {
        let gap = Span::new(value.span.end.min(begins), begins).of(self.text);
        let act = self.acts.iter().find(|(act, _)| act.span.contains(value.span));
        let states = |word: &Word| match &word.role {
            Role::Verb(_) => self.is_past(&word.lower) || self.states(&word.lower),
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        !gap.contains(['.', '!', ';', '\n']) && !act.is_some_and(|(act, _)| act.words.iter().any(states))
    }

    /// Whether a percentage only says by how much something deviates: "seven percent too much".
    fn compares(&self, value: &Value) -> bool {
        let percent = value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_)));
        let rest = self.text.get(value.span.end..).unwrap_or_default();
        let next = each_token(rest).next().filter(|_| percent);
        next.is_some_and(|token| self.lexicons.iter().any(|lexicon| lexicon.is_compared(&token.lower)))
    }

    /// Whether a figure says why the verb of the order is right: "reject it because it is 74.30 above the order".
    fn is_of_reason(&self, value: &Value) -> bool {
        let act = self.acts.iter().find(|(act, _)| act.span.contains(value.span));
        let exceeds = |word: &Word| match &word.role {
            Role::Verb(lemmas) => {
                word.span.end <= value.span.start && lemmas.iter().any(|one| one == "exceed")
            }
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        let states = act.is_some_and(|(act, mood)| {
            *mood == Mood::Statement || act.reason || act.words.iter().any(exceeds)
        });
        is_number(value) && states && self.ordered().takes_reasons()
    }

    /// Whether a day says when something happened: "approve it, the goods arrived yesterday".
    fn is_over(&self, value: &Value) -> bool {
        /// The longest words before, in bytes.
        const NEAR: usize = 60;
        if !value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Day(_))) {
            return false;
        }
        let is_past = matches!(value.only(), Some(Meaning::Day(Day::Ahead { days: ..0 })));
        let before = self.before(value.span.start, NEAR);
        let part = before.rsplit([',', ';', ':', '.', '(']).next().unwrap_or_default();
        let part_is_empty = part.trim().is_empty();
        let part = Span::new(value.span.start - part.len(), value.span.start);
        let act = holding(&self.reading.acts, value.span, |act| act.span);
        let words = || inside(act.map_or(&[][..], |act| &act.words), part, |word| word.span).iter();
        let happened = |word: &Word| self.is_past(&word.lower) || is_past;
        // "As I wrote yesterday": what leads to the day means nothing by itself.
        let led = is_past && !part_is_empty && words().next().is_none();
        (led || words().any(happened))
            && !words().any(|word| self.forms.iter().any(|form| form.requires(word)))
    }

    /// Whether a count, a day or a month is part of a report of its own: "all 30 monitors arrived on Friday".
    fn is_reported(&self, value: &Value) -> bool {
        let is_plain = |meaning: &Meaning| match meaning {
            Meaning::Number(_) | Meaning::Day(_) | Meaning::Month(_) => true,
            Meaning::Quantity { unit, .. } => *unit == Unit::Piece,
            Meaning::Id(_) | Meaning::Amount(_) | Meaning::Percent(_) => false,
        };
        let mut acts = self.acts.iter().filter(|(act, _)| act.span.contains(value.span));
        value.meanings.iter().all(is_plain) && acts.next().is_some_and(|(act, mood)| self.reports(act, *mood))
    }

    /// Whether an act states that something happened, and names nothing that the process does.
    pub(super) fn reports(&self, act: &Act, mood: Mood) -> bool {
        let happened = |word: &Word| self.lexicons.iter().any(|lexicon| lexicon.is_event(&word.lower));
        let is_process = |word: &Word| self.forms.iter().any(|form| form.requires(word));
        mood == Mood::Statement && act.words.iter().any(happened) && !act.words.iter().any(is_process)
    }

    /// Whether a day only says by when an order has to be done: "approve it by Friday". What lasts may end then instead:
    /// "block it until Friday" is the same in some languages.
    fn is_deadline(&self, value: &Value) -> bool {
        /// The longest words before, in bytes.
        const NEAR: usize = 60;
        if !is_day(value) || (self.asked.takes)(value.span) || self.lasting {
            return false;
        }
        let before = tokens(self.before(value.span.start, NEAR));
        let knows = |token: &Token, is: fn(&Lexicon, &str) -> bool| {
            self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower))
        };
        if occasion(&before, before.len(), &self.lexicons).is_some() {
            return true;
        }
        let mut words = before.iter().rev();
        let word = words
            .find(|token| knows(token, Lexicon::is_deadline) || !knows(token, Lexicon::is_function_word));
        word.is_some_and(|token| knows(token, Lexicon::is_deadline))
    }

    /// Whether a word leads to a deadline: `before` of "before Friday".
    pub(super) fn leads_to_deadline(&self, word: &Word) -> bool {
        /// The longest words between, with the day, in bytes.
        const NEAR: usize = 60;
        let leads =
            |lexicon: &&Lexicon| lexicon.is_deadline(&word.lower) || lexicon.leads_to_occasion(&word.lower);
        self.lexicons.iter().copied().any(|lexicon| leads(&lexicon))
            && inside(&self.reading.values, Span::new(word.span.end, word.span.end + NEAR), |value| {
                value.span
            })
            .first()
            .is_some_and(|value| {
                let gap = Span::new(word.span.end, value.span.start).of(self.text);
                let said = tokens(Span::new(word.span.start, value.span.start).of(self.text));
                let to_occasion = occasion(&said, said.len(), &self.lexicons) == Some(0);
                (to_occasion || gap.split_whitespace().count() <= 1) && self.is_deadline(value)
            })
    }

    /// Whether a word is part of an occasion by which something is done: "before the audit on Friday".
    pub(super) fn is_of_occasion(&self, word: &Word) -> bool {
        /// The longest words between it and the day, in bytes.
        const NEAR: usize = 40;
        let rest = Span::new(word.span.end, word.span.end + NEAR);
        let next = inside(&self.reading.values, rest, |value| value.span).first();
        self.lexicons.iter().any(|lexicon| lexicon.is_occasion(&word.lower))
            && next.is_some_and(|value| self.is_deadline(value))
    }
}

/// Whether a value is a percentage and nothing else.
fn is_percent(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_)))
}

/// Whether a value is a percentage or an amount.
fn is_figure(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_) | Meaning::Amount(_)))
}

/// Whether a value is a day and nothing else.
fn is_day(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Day(_)))
}

/// Whether a value is a number, a percentage or an amount.
fn is_number(value: &Value) -> bool {
    is_figure(value) || value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Number(_)))
}

/// Whether a value is today: what is ordered is done now.
fn is_today(value: &Value) -> bool {
    matches!(value.only(), Some(Meaning::Day(Day::Ahead { days: 0 })))
}

/// Whether a bare number directly follows a name: `Depot 27`. `name_ends` are the places where names end.
fn is_part_of_name(value: &Value, name_ends: &HashSet<usize>) -> bool {
    let number = value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Number(_)));
    let before = value.span.start.checked_sub(1);
    number && before.is_some_and(|before| name_ends.contains(&before))
}

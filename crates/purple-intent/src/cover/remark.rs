//! Remarks around an order: what is said beside it, and whether it may change what is ordered.
//!
//! The clause that orders is read strictly, word by word. A remark is judged by its role: a complete statement about the
//! business says something beside the order, unless it holds a danger (`Danger`) or is about the order itself.

use std::collections::HashSet;

use super::Covering;
use super::explain::is_checking;
use crate::act::{Act, Mood, Role, Word};
use crate::language::{Cue, Danger, Lexicon};
use crate::read::corrects;
use crate::span::{Span, inside};
use crate::structure::{PartKind, parts};
use crate::token::{Token, tokens};
use crate::value::{Day, Meaning, Unit, Value};

impl Covering<'_> {
    /// The words of the text that may change or take back an order. `first` is the first act that orders.
    pub(super) fn dangers(&self, first: usize) -> Vec<String> {
        let begins = self.reading.acts.get(first).map_or(0, |act| act.span.start);
        let is_said = |kind: PartKind| matches!(kind, PartKind::Own | PartKind::Subject);
        let said = parts(self.text).into_iter().filter(|part| is_said(part.kind));
        // A subject line is about all of the text, wherever it is.
        let begins = |kind: PartKind| if kind == PartKind::Subject { 0 } else { begins };
        said.flat_map(|part| self.dangers_in(part.span, begins(part.kind))).collect()
    }

    fn dangers_in(&self, part: Span, begins: usize) -> Vec<String> {
        let moved = |token: Token| Token {
            span: Span::new(part.start + token.span.start, part.start + token.span.end),
            ..token
        };
        let words: Vec<Token> = tokens(part.of(self.text)).into_iter().map(moved).collect();
        let rejects = self.ordered().takes_reasons();
        let mut found = Vec::new();
        for lexicon in &self.lexicons {
            let said = lexicon.said(&words);
            // "I'd appreciate it if you approved it" holds under no condition.
            let wishes = said.phrases.iter().filter(|phrase| phrase.cue == Cue::Wish);
            let wishes: HashSet<usize> = wishes
                .filter(|phrase| phrase.words.len() > 1)
                .flat_map(|phrase| phrase.words.iter().copied())
                .collect();
            let neutral = said.neutral;
            for (danger, places) in lexicon.dangers(&words) {
                let said = || places.iter().filter_map(|at| words.get(*at));
                let before = said().all(|token| token.span.end <= begins);
                let is_free = match danger {
                    Danger::Turn => self.is_inner(&words, &places),
                    Danger::Fault => rejects,
                    Danger::Correction | Danger::Contrast => said().all(|token| self.replaces(token)),
                    // "Until 30 June" where that is the day of the order.
                    Danger::Later => {
                        let next = places.last().and_then(|last| words.get(last + 1));
                        next.is_some_and(|next| (self.asked.takes)(next.span))
                    }
                    Danger::Permission => places.iter().all(|at| wishes.contains(at)),
                    _ => false,
                };
                let counts = !is_free && (!before || danger.counts_before());
                let explained = |token: &Token| {
                    self.is_of_order(token) || self.is_own_reason(token) || self.is_in_address(token)
                };
                let in_neutral = places.iter().any(|at| neutral.contains(at));
                if counts && !in_neutral && !said().all(explained) {
                    let words: Vec<&str> = said().map(|token| token.lower.as_str()).collect();
                    found.push(words.join(" "));
                }
            }
        }
        found
    }

    /// Whether a word only replaces a value of the order by another one: "INV-1, sorry, I meant INV-2".
    fn replaces(&self, token: &Token) -> bool {
        let mut pairs = self.reading.values.windows(2);
        pairs.any(|pair| match pair {
            [one, next] => {
                one.span.end <= token.span.start
                    && token.span.end <= next.span.start
                    && (self.asked.takes)(next.span)
                    && corrects(self.text, one.span, next.span)
            }
            _ => false,
        })
    }

    /// Whether a word is part of an address of a mail or a page.
    fn is_in_address(&self, token: &Token) -> bool {
        let before = self.text.get(..token.span.start).and_then(|text| text.chars().next_back());
        let after = self.text.get(token.span.end..).and_then(|text| text.chars().next());
        before == Some('@') || after == Some('@')
    }

    /// Whether a word is one that the process is asked for with, in an act that orders or asks for a check of it.
    fn is_of_order(&self, token: &Token) -> bool {
        let holds = |act: &Act, mood: Mood| mood == Mood::Order || self.only_looks(act);
        let mut acts = self.acts.iter().filter(|(act, mood)| holds(act, *mood));
        let is_said = acts.any(|(act, _)| act.span.contains(token.span));
        let plain = Word { span: token.span, lower: token.lower.clone(), role: Role::Other };
        let said = self.words().find(|word| word.span == token.span).unwrap_or(&plain);
        // What a check of the process does is part of it: "check and approve".
        let is_check = || {
            let mut acts = self.acts.iter().filter(|(act, _)| self.only_looks(act));
            matches!(said.role, Role::Verb(_)) && acts.any(|(act, _)| act.span.contains(token.span))
        };
        let corrects = matches!(said.role, Role::Cue(Cue::Correction));
        // "Check it and approve it".
        let is_step = || match &said.role {
            Role::Verb(lemmas) => is_checking(lemmas) && self.leads_to_order(said),
            Role::Cue(_) | Role::Name | Role::Other => false,
        };
        (self.asked.takes)(token.span)
            || is_said && (corrects || self.belongs(said) || is_step())
            || is_check()
    }

    /// Whether a word contrasts two halves of a remark: it does not begin its sentence, and no order is in it.
    fn is_inner(&self, words: &[Token], places: &[usize]) -> bool {
        /// Words of the first half, at least.
        const HALF: usize = 3;
        let Some(at) = places.first() else { return false };
        let ends = |at: &usize| {
            words.get(*at).is_some_and(|token| matches!(&*token.lower, "." | "!" | "?" | ";" | ":" | "…"))
        };
        let begin = (0..*at).rev().find(ends).map_or(0, |mark| mark + 1);
        let end = (*at..words.len()).find(ends).unwrap_or(words.len());
        let place = words.get(begin).zip(words.get(end.saturating_sub(1)));
        let sentence = place.map(|(first, last)| Span::new(first.span.start, last.span.end));
        let is_order = |(act, mood): &(&Act, Mood)| {
            *mood == Mood::Order && sentence.is_some_and(|sentence| sentence.overlaps(act.span))
        };
        at - begin >= HALF && end - at > HALF && !self.acts.iter().any(is_order)
    }

    /// Whether a word says why what is ordered is right: the `duplicate` that is rejected.
    fn is_own_reason(&self, token: &Token) -> bool {
        self.suits_verb(&Word { span: token.span, lower: token.lower.clone(), role: Role::Other })
    }

    /// Whether an act is a complete statement about something of the business, and not about what is ordered.
    pub(super) fn is_aside(&self, at: usize) -> bool {
        let Some((act, mood)) = self.acts.get(at) else { return false };
        let first = self.acts.iter().position(|(_, mood)| *mood == Mood::Order);
        // What was taken back before the order is not the order.
        let takes_back = *mood == Mood::Reversal && first.is_some_and(|first| first < at);
        act.states
            && !takes_back
            // Words around a calculation may say that only the figure is wanted.
            && !self.calculates()
            && !act.imperative
            && !act.orders()
            && *mood != Mood::Order
            && !self.addresses(act)
            && !self.concerns_order(act, *mood, first.is_some_and(|first| at < first))
            && !self.speaks_against(act)
            && self.is_anchored(act)
    }

    /// Whether a count or a day is part of a statement beside the order. Where the order itself names a day, another one
    /// may contradict it.
    pub(super) fn is_aside_figure(&self, value: &Value) -> bool {
        let day = |meaning: &Meaning| matches!(meaning, Meaning::Day(_));
        let is_past = matches!(value.only(), Some(Meaning::Day(Day::Ahead { days: ..=0 })));
        let plain = |meaning: &Meaning| match meaning {
            Meaning::Number(_) | Meaning::Month(_) | Meaning::Day(_) => true,
            Meaning::Quantity { unit, .. } => *unit == Unit::Piece,
            Meaning::Id(_) | Meaning::Amount(_) | Meaning::Percent(_) => false,
        };
        let takes_day = || {
            self.reading.values.iter().any(|one| (self.asked.takes)(one.span) && one.meanings.iter().any(day))
        };
        let mut acts = self.acts.iter().enumerate();
        let held = acts.find(|(_, (act, _))| act.span.contains(value.span));
        let first = self.acts.iter().position(|(_, mood)| *mood == Mood::Order);
        // "It arrives on Monday. Approve it then": a later day before an order may be its own.
        let is_later = |at: usize| is_past || first.is_some_and(|first| first < at);
        held.is_some_and(|(at, _)| self.is_aside(at) && (is_later(at) || !value.meanings.iter().any(day)))
            && value.meanings.iter().all(plain)
            && !(value.meanings.iter().any(day) && takes_day())
    }

    /// Whether an act is a name after a courtesy at the end of the text: "Best, Lea's team".
    pub(super) fn is_signature(&self, act: &Act) -> bool {
        const WORDS_MAX: usize = 6;
        let is_capital = |word: &Word| word.span.of(self.text).chars().next().is_some_and(char::is_uppercase);
        let named = |word: &Word| matches!(word.role, Role::Name | Role::Other) && is_capital(word);
        let words = act.words.iter();
        let first = act.words.first().map(|word| word.span);
        let is_last = self.text.get(act.span.end..).is_some_and(|rest| rest.trim().is_empty());
        let polite = |token: &Token| self.lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower));
        let begins = tokens(act.span.of(self.text)).first().is_some_and(polite);
        act.words.len() <= WORDS_MAX
            && words.clone().next().is_some_and(is_capital)
            && words.clone().all(|word| named(word) || self.is_light(word))
            && (begins || first.is_some_and(|first| self.follows_courtesy(first)))
            && is_last
    }

    /// Whether a word is known: `team` of "Lea's team".
    fn is_light(&self, word: &Word) -> bool {
        word.role == Role::Other
            && self.lexicons.iter().any(|lexicon| {
                lexicon.is_common(&word.lower)
                    || lexicon.is_circumstance(&word.lower)
                    || lexicon.is_abbreviation(&word.lower)
            })
    }

    /// Whether a statement has a word that addresses the reader. German `sie` with a small letter is somebody else, and a
    /// verb that can address may as well state.
    fn addresses(&self, act: &Act) -> bool {
        let any = |token: &Token, is: fn(&Lexicon, &str) -> bool| {
            self.lexicons.iter().any(|lexicon| is(lexicon, &token.lower))
        };
        let words = tokens(act.span.of(self.text));
        let safe: Vec<usize> = self.lexicons.iter().flat_map(|lexicon| lexicon.safe_words(&words)).collect();
        let second = |at: usize, token: &Token| {
            let polite = matches!(token.lower.as_str(), "sie" | "ihnen");
            any(token, Lexicon::is_second_person)
                && !any(token, Lexicon::is_determiner)
                && !any(token, Lexicon::is_subject)
                && (!polite || at > 0 && token.capital)
                && !safe.contains(&at)
                // "You saved me last time".
                && !words.get(at + 1).is_some_and(|next| self.is_past(&next.lower))
        };
        words.iter().enumerate().any(|(at, token)| second(at, token))
    }

    /// Whether a statement gives a reason for something else than what is ordered.
    fn speaks_against(&self, act: &Act) -> bool {
        let against = |word: &Word| self.ordered().speaks_for_another(word, self.text);
        act.words.iter().any(against)
    }

    /// Whether a statement of another mood is about what is ordered, or about what the speaker wants.
    fn concerns_order(&self, act: &Act, mood: Mood, before: bool) -> bool {
        let is_process = |word: &Word| self.forms.iter().any(|form| form.requires(word));
        let is_verb = |word: &Word| matches!(word.role, Role::Verb(_)) && is_process(word);
        let words = tokens(act.span.of(self.text));
        let safe: Vec<usize> = self.lexicons.iter().flat_map(|lexicon| lexicon.safe_words(&words)).collect();
        let is_safe = |word: &Word| {
            let place = |at: &usize| words.get(*at).map(|token| token.span.start + act.span.start);
            safe.iter().filter_map(place).any(|start| start == word.span.start)
        };
        let is_cue = |word: &Word| matches!(word.role, Role::Cue(Cue::Negation)) && !is_safe(word);
        match mood {
            Mood::Statement => false,
            Mood::Negated if !act.words.iter().any(is_cue) => false,
            // What was not so before something is ordered does not concern it, if nobody does what is ordered.
            _ if act.words.iter().any(is_cue) && !before => {
                let has_id = !inside(&self.reading.values, act.span, |value| value.span).is_empty();
                has_id || act.words.iter().any(is_process)
            }
            _ => act.words.iter().any(is_verb),
        }
    }

    /// Whether the words of a statement are mostly known, and it is about the business: one of its words is, or it
    /// speaks of people.
    fn is_anchored(&self, act: &Act) -> bool {
        /// So many unknown words change nothing in a statement of any length.
        const UNKNOWN_MAX: usize = 2;
        let any = |word: &Word, is: fn(&Lexicon, &str) -> bool| {
            self.lexicons.iter().any(|lexicon| is(lexicon, &word.lower))
        };
        let is_business = |word: &Word| {
            word.role == Role::Name
                || self.belongs(word)
                || any(word, Lexicon::is_common)
                || any(word, Lexicon::is_circumstance)
                || any(word, Lexicon::is_event)
        };
        let is_known = |word: &Word| {
            !matches!(word.role, Role::Other)
                || is_business(word)
                || any(word, Lexicon::explains)
                || any(word, Lexicon::is_remark)
                || any(word, Lexicon::is_selecting)
        };
        let is_person = |token: &Token| self.lexicons.iter().any(|lexicon| lexicon.is_anchor(&token.lower));
        let all = act.words.len();
        let unknown = act.words.iter().filter(|word| !is_known(word)).count();
        let has_value = !inside(&self.reading.values, act.span, |value| value.span).is_empty();
        let speaks_of_people = || tokens(act.span.of(self.text)).iter().any(is_person);
        // "Maria has no objections": a phrase that is known to mean nothing else.
        let is_safe = || act.words.iter().any(|word| self.is_in_safe_phrase(act, word));
        (has_value || act.words.iter().any(is_business) || speaks_of_people() || is_safe())
            && (unknown <= UNKNOWN_MAX || unknown * 2 <= all)
    }

    /// Whether a word is part of a phrase that means nothing by itself: `enjoy the weekend`.
    pub(super) fn is_in_safe_phrase(&self, act: &Act, word: &Word) -> bool {
        let words = tokens(act.span.of(self.text));
        let mut safe = self.lexicons.iter().flat_map(|lexicon| lexicon.safe_words(&words));
        safe.any(|at| words.get(at).is_some_and(|token| token.span.start + act.span.start == word.span.start))
    }
}

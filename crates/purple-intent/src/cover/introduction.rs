//! Whether words beside an order present it as somebody else's: "The vendor sent us this mail. Please approve it."
//!
//! A sentence does that where it says nothing but whose words something is. One that says more is a reason: "They wrote
//! that the goods have arrived, so please approve it."

use std::collections::HashSet;

use super::Covering;
use super::explain::{is_checking, without_possessive};
use crate::act::{Mood, Role, Word};
use crate::language::Lexicon;
use crate::span::{Span, holding, inside};
use crate::structure::{PartKind, is_first_person, parts};
use crate::token::{Token, TokenKind, tokens};

/// Tokens of a short question.
const SHORT: usize = 7;
/// Tokens of a label that says no more than that something was received: "Got it:".
const SHORT_LABEL: usize = 3;

impl Covering<'_> {
    /// Whether a sentence beside the orders says whose words they are, or asks for something to be done with a text.
    pub(super) fn is_introduced(&self, orders: &[usize]) -> bool {
        let acts = || orders.iter().filter_map(|at| self.acts.get(*at)).map(|(act, _)| act.span);
        // "Can you check this mail? Add two Hub": the check orders nothing of the process.
        let is_own = |act: &&usize| {
            let act = self.acts.get(**act).map(|(act, _)| *act);
            act.is_some_and(|act| {
                self.ordering_verbs(act).any(|verb| self.forms.iter().any(|form| form.names(verb)))
            })
        };
        let own = orders.iter().find(is_own).and_then(|at| self.acts.get(*at)).map(|(act, _)| act.span);
        let (Some(first), Some(last)) = (own.or(acts().next()), acts().last()) else { return false };
        let names = self.words().filter(|word| word.role == Role::Name).map(|word| word.span.start).collect();
        if self.is_second_mail(first) {
            return true;
        }
        self.sentences().into_iter().any(|span| {
            let said = Sentence::of(self, span, &names);
            let before = Span::new(span.start, span.end.min(first.start.max(span.start)));
            match span.start < first.start {
                true => {
                    let said = if before == span { said } else { Sentence::of(self, before, &names) };
                    let names = said.names_message() || said.ends_pointing();
                    said.only_introduces()
                        || said.presents()
                        || before == span && said.hands_on() && !self.asks_for_work(span)
                        || before == span && names && self.inspects(before)
                }
                false => span.start >= last.end && (said.only_introduces() || said.refers()),
            }
        })
    }

    /// Whether an order is in a second mail of the text, each with a closing of its own: nobody knows who wrote it.
    fn is_second_mail(&self, order: Span) -> bool {
        let closings = || parts(self.text).into_iter().filter(|part| part.kind == PartKind::Closing);
        let before = closings().any(|part| part.span.end <= order.start);
        before && closings().any(|part| part.span.start >= order.end)
    }

    /// The sentences of the requester's own words; a colon, a bracket and the end of a line end one.
    fn sentences(&self) -> Vec<Span> {
        let ends = |letter: char| matches!(letter, '.' | '!' | '?' | ';' | ':' | '\n' | '(' | ')');
        let mut all = Vec::new();
        for own in &self.reading.own {
            let mut from = own.start;
            for (at, letter) in own.of(self.text).char_indices().filter(|(_, letter)| ends(*letter)) {
                let end = own.start + at + letter.len_utf8();
                all.push(Span::new(from, end));
                from = end;
            }
            all.push(Span::new(from, own.end));
        }
        all
    }

    /// Whether something is ordered in a sentence: "Please do the following, as we were asked".
    fn asks_for_work(&self, span: Span) -> bool {
        inside(&self.acts, span, |(act, _)| act.span).iter().any(|(_, mood)| *mood == Mood::Order)
    }

    /// Whether somebody is asked to do something that is not the order: "Can you check this mail?"
    fn inspects(&self, span: Span) -> bool {
        inside(&self.acts, span, |(act, _)| act.span).iter().any(|(act, mood)| {
            let asks = act.imperative || act.mood == Mood::Question;
            let looks = || act.words.iter().any(looks_only);
            (*mood != Mood::Order || looks()) && asks && span.contains(act.span)
        })
    }
}

/// Whether a word is a verb that only looks at something.
fn looks_only(word: &Word) -> bool {
    matches!(&word.role, Role::Verb(lemmas) if is_checking(lemmas))
}

/// A sentence beside an order.
struct Sentence<'s, 'a> {
    covering: &'s Covering<'a>,
    tokens: Vec<Token>,
    /// Whether each token is part of a name or of a value.
    named: Vec<bool>,
    valued: Vec<bool>,
}

impl<'s, 'a> Sentence<'s, 'a> {
    fn of(covering: &'s Covering<'a>, span: Span, names: &HashSet<usize>) -> Self {
        let moved = |token: Token| Token {
            span: Span::new(span.start + token.span.start, span.start + token.span.end),
            ..token
        };
        let tokens: Vec<Token> = tokens(span.of(covering.text)).into_iter().map(moved).collect();
        let named = tokens.iter().map(|token| names.contains(&token.span.start)).collect();
        let values = &covering.reading.values;
        let valued = tokens.iter().map(|token| holding(values, token.span, |value| value.span).is_some());
        let valued = valued.collect();
        Self { covering, tokens, named, valued }
    }

    fn is(&self, at: usize, is: fn(&Lexicon, &str) -> bool) -> bool {
        let token = self.tokens.get(at);
        token.is_some_and(|token| {
            let word = without_possessive(&token.lower);
            self.covering.lexicons.iter().any(|lexicon| is(lexicon, word))
        })
    }

    fn any(&self, is: fn(&Lexicon, &str) -> bool) -> bool {
        (0..self.tokens.len()).any(|at| self.is(at, is))
    }

    /// Whether a text is named that is not the requester's own: "this mail", but not "my mail".
    fn names_message(&self) -> bool {
        self.messages() > 0
    }

    fn messages(&self) -> usize {
        let own = |at: usize| at.checked_sub(1).is_some_and(|before| self.is(before, Lexicon::is_own));
        (0..self.tokens.len()).filter(|at| self.is(*at, Lexicon::is_message) && !own(*at)).count()
    }

    /// Whether it presents what follows: "I deleted this mail", "the text of the button is as follows". "I am sending you
    /// this mail because" does not, and "this request is urgent" neither.
    fn presents(&self) -> bool {
        let speaks = self.speaks();
        let points =
            |at: usize| at.checked_sub(1).is_some_and(|before| self.is(before, Lexicon::is_pointing));
        let pointed = (0..self.tokens.len()).any(|at| self.is(at, Lexicon::is_message) && points(at));
        let follows = self.any(Lexicon::is_presenting);
        let is_urgent = |at: usize| {
            !self.is_word(at)
                || self.is(at, Lexicon::is_label)
                || self.is(at, Lexicon::is_function_word)
                || self.is(at, Lexicon::is_message)
        };
        let sends = speaks && self.any(Lexicon::is_saying);
        let names = self.names_message();
        names && follows || pointed && !sends && !(0..self.tokens.len()).all(is_urgent)
    }

    /// Whether it begins by pointing back, and names a text: "This is how the mail ended".
    fn refers(&self) -> bool {
        let first = (0..self.tokens.len()).find(|at| self.is_word(*at));
        let plain = |at: usize| !self.is_word(at) || self.is(at, Lexicon::is_label) || self.is_light(at);
        first.is_some_and(|first| self.is(first, Lexicon::is_pointing))
            && self.names_message()
            && !self.speaks()
            && !(0..self.tokens.len()).all(plain)
    }

    /// Whether it hands on what somebody sent or said: "We were sent the following by mistake:", "This came in today:".
    /// Who speaks only as the object of that, or received it, is not whose words follow.
    fn hands_on(&self) -> bool {
        let last = self.tokens.last();
        let ends_in_colon = last.is_some_and(|token| &*token.lower == ":");
        let rest = self.covering.text.get(last.map_or(0, |token| token.span.end)..).unwrap_or_default();
        let ends_line = rest.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        let presents = ends_in_colon && self.any(Lexicon::is_pointing)
            || (ends_in_colon || ends_line) && self.any(Lexicon::is_presenting);
        let receives = || self.any(Lexicon::is_receiving);
        // "Our chatbot answered the vendor with:", "Found on the printer:".
        let first = (0..self.tokens.len()).find(|at| self.is_word(*at));
        let only_says = || {
            let said = (0..self.tokens.len()).find(|at| self.is(*at, Lexicon::is_saying));
            said.is_some_and(|said| (said + 1..self.tokens.len()).all(|at| self.is_part(at)))
                && !self.speaks()
        };
        let begins = || {
            first.is_some_and(|first| {
                self.is(first, Lexicon::is_receiving) && !self.is(first + 1, Lexicon::is_anchor)
            })
        };
        // "The agenda has two points:".
        let is_finite = |at: usize| self.is(at, Lexicon::is_finite) || self.is(at, Lexicon::is_subject);
        let lists = || {
            self.names_message()
                && self.any(Lexicon::is_listing)
                && (0..self.tokens.len()).any(is_finite)
                && !self.speaks()
        };
        if ends_in_colon && (lists() || only_says() || begins() && self.tokens.len() > SHORT_LABEL) {
            return true;
        }
        presents
            && (receives() || self.any(Lexicon::is_saying))
            && (!self.speaks() || receives() || self.any(Lexicon::is_passive))
    }

    fn is_light(&self, at: usize) -> bool {
        self.is(at, Lexicon::is_function_word) || self.is(at, Lexicon::is_message)
    }

    /// Whether it ends by pointing to what follows: "Can you check this?"
    fn ends_pointing(&self) -> bool {
        let last = (0..self.tokens.len()).rev().find(|at| self.is_word(*at));
        last.is_some_and(|last| self.is(last, Lexicon::is_pointing)) && self.tokens.len() <= SHORT
    }

    /// Whether it says whose words something is, and nothing else.
    fn only_introduces(&self) -> bool {
        if !(0..self.tokens.len()).all(|at| self.is_part(at)) {
            return false;
        }
        let speaks = self.speaks();
        let receives = self.any(Lexicon::is_receiving);
        let points = self.any(Lexicon::is_pointing);
        let says = self.any(Lexicon::is_saying) && !speaks;
        let wants = points && self.any(Lexicon::is_wanting) && !speaks;
        let others = (0..self.tokens.len()).any(|at| self.is_other(at));
        match self.messages() {
            0 => others && (says || wants || receives && self.is_from_other()),
            1 => receives || others && (points || says || !speaks),
            _ => points || receives || others,
        }
    }

    /// Whether somebody else is whom something is from: "vom Lieferanten", "from Acme".
    fn is_from_other(&self) -> bool {
        let leads = |at: usize| {
            let before =
                |back: usize| at.checked_sub(back).is_some_and(|at| self.is(at, Lexicon::is_preposition));
            before(1) || before(2)
        };
        (0..self.tokens.len()).any(|at| self.is_other(at) && leads(at))
    }

    /// Whether the requester is the subject. French `nous` is one only at the beginning.
    fn speaks(&self) -> bool {
        let first = (0..self.tokens.len()).find(|at| self.is_word(*at));
        let counts = |(at, token): (usize, &Token)| {
            is_first_person(&token.lower) && (token.lower != "nous" || Some(at) == first)
        };
        self.tokens.iter().enumerate().any(counts)
    }

    fn is_word(&self, at: usize) -> bool {
        self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Word)
    }

    fn is_named(&self, at: usize) -> bool {
        self.named.get(at) == Some(&true) || self.begins_with_name(at)
    }

    /// Whether it begins with this word, with a capital letter, and no language explains it: "Tom got this".
    fn begins_with_name(&self, at: usize) -> bool {
        let unknown = !self.is(at, Lexicon::explains) && !self.is(at, Lexicon::is_remark);
        let capital = self.tokens.get(at).is_some_and(|token| token.capital);
        at == 0
            && capital
            && unknown
            && !self.is(at, Lexicon::is_receiving)
            && !self.is(at, Lexicon::is_pointing)
    }

    /// Whether a word says nothing of its own beside whose words something is.
    fn is_part(&self, at: usize) -> bool {
        const LIGHT: [fn(&Lexicon, &str) -> bool; 9] = [
            Lexicon::is_function_word,
            Lexicon::is_people,
            Lexicon::is_anchor,
            Lexicon::is_message,
            Lexicon::is_saying,
            Lexicon::is_wanting,
            Lexicon::is_receiving,
            Lexicon::is_pointing,
            Lexicon::is_moment,
        ];
        !self.is_word(at)
            || self.valued.get(at) == Some(&true)
            || self.is_named(at)
            || LIGHT.into_iter().any(|is| self.is(at, is))
            || self.is_sender(at)
    }

    /// Whether a word with a capital letter is whom something is from: "from Acme", "von Acme".
    fn is_sender(&self, at: usize) -> bool {
        let unknown = !self.is(at, Lexicon::explains);
        let capital = self.tokens.get(at).is_some_and(|token| token.capital && token.kind == TokenKind::Word);
        let from = |before: usize| self.is(before, Lexicon::is_agent);
        capital
            && unknown
            && at.checked_sub(1).is_some_and(|before| from(before) || self.is_sender_word(before))
    }

    fn is_sender_word(&self, at: usize) -> bool {
        let capital = self.tokens.get(at).is_some_and(|token| token.capital);
        let from = at.checked_sub(1).is_some_and(|before| self.is(before, Lexicon::is_agent));
        capital && from
    }

    /// Whether somebody else is named: a person, a company, `they`.
    fn is_other(&self, at: usize) -> bool {
        let own = at.checked_sub(1).is_some_and(|before| self.is(before, Lexicon::is_own));
        let is_own = self.is(at, Lexicon::is_own)
            || self.tokens.get(at).is_some_and(|token| is_first_person(&token.lower));
        self.is_word(at)
            && !is_own
            && (self.is_named(at)
                || self.is_sender(at)
                || self.is(at, Lexicon::is_people)
                || !own && self.is(at, Lexicon::is_anchor) && !self.is(at, Lexicon::is_speaker))
    }
}

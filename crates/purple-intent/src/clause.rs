//! Sentences and clauses of the requester's own words.

mod build;
mod index;

use std::ops::Range;

use crate::language::{Cue, Form, FoundVerb, Lexicon, Phrase};
use crate::span::{Span, holding, inside};
use crate::token::{Token, TokenKind, each_token, enumerator};
use crate::value::{Meaning, Value};
use build::sentence;
use index::{CuePlaces, Flags, Owners};

/// A sentence: its tokens, and what was found in it. Indexes are those of its tokens.
#[derive(Debug)]
pub(crate) struct Sentence {
    pub tokens: Vec<Token>,
    /// Whether a token is part of a value.
    pub in_value: Vec<bool>,
    /// Whether a token is part of the id of a record.
    pub in_id: Vec<bool>,
    /// Whether a token is part of a percentage.
    pub in_percent: Vec<bool>,
    pub phrases: Vec<Phrase>,
    /// The phrases that each token belongs to.
    pub phrases_at: Owners,
    /// In the order of their first words.
    pub verbs: Vec<FoundVerb>,
    /// The verbs that each token belongs to.
    pub verbs_at: Owners,
    /// Where each cue begins.
    pub cues: CuePlaces,
    /// Whether it ends with a question mark.
    pub asks: bool,
    /// Whether a token ends the scope of what was before.
    pub contrast: Vec<bool>,
    /// The tokens that are a subject or a finite auxiliary.
    pub subject: Flags,
    /// Whether a token belongs to a phrase that means nothing by itself.
    pub neutral: Vec<bool>,
    /// Whether it asks the reader to do something: a question that does is a polite order.
    pub addressed: bool,
    /// Whether words with a capital letter need not be names.
    pub capital_nouns: bool,
    /// Whether a token begins a reason.
    pub reason: Vec<bool>,
    /// The tokens with which a subject can begin.
    begins_subject: Vec<bool>,
    /// The tokens that begin an event by which something is to be done: `before the books close`.
    pub deadline: Vec<bool>,
    /// The tokens that are a preposition.
    pub determined: Vec<bool>,
    /// The tokens that are a finite verb which orders nothing.
    pub finite: Vec<bool>,
    /// The tokens that ask for something: `please`.
    pub asking: Vec<bool>,
    /// Whether a subject can be left out, as in Spanish.
    pub drops_subject: bool,
    /// The tokens that can begin a relative clause.
    pub relative: Vec<bool>,
    /// The tokens that are part of a verb, a value or a neutral phrase.
    content: Flags,
}

/// The sentences of the requester's own words.
pub(crate) fn sentences(
    text: &str,
    own: &[Span],
    tokens: &[Token],
    values: &[Value],
    lexicons: &[&Lexicon],
) -> Vec<Sentence> {
    let mut out = Vec::new();
    for part in own {
        let inside = inside(tokens, *part, |token| token.span);
        let mut begin = 0;
        for at in 0..inside.len() {
            let (Some(token), next) = (inside.get(at), inside.get(at + 1)) else { continue };
            let before = at.checked_sub(1).and_then(|before| inside.get(before));
            if ends_sentence(text, (before, token), next, values, lexicons) {
                out.extend(sentence(inside.get(begin..=at).unwrap_or_default(), values, lexicons));
                begin = at + 1;
            }
        }
        out.extend(sentence(inside.get(begin..).unwrap_or_default(), values, lexicons));
    }
    out
}

/// Whether a sentence ends after this token.
fn ends_sentence(
    text: &str,
    (before, token): (Option<&Token>, &Token),
    next: Option<&Token>,
    values: &[Value],
    lexicons: &[&Lexicon],
) -> bool {
    let is_end = token.kind == TokenKind::Mark && matches!(token.lower.as_str(), "." | "!" | "?" | ";" | "…");
    let Some(next) = next else { return true };
    let is_picture = |letter: char| matches!(letter, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1faff}');
    if token.lower.chars().all(is_picture) {
        return true;
    }
    let gap = Span::new(token.span.end, next.span.start).of(text);
    let abbreviated = token.lower == "."
        && before.is_some_and(|word| lexicons.iter().any(|lexicon| lexicon.is_abbreviation(&word.lower)));
    let in_value = || holding(values, token.span, |value| value.span).is_some();
    let word = |token: &Token| token.kind == TokenKind::Word;
    // "Approve it for Acme Corp. Thanks, Anna."
    let polite =
        |token: &Token| token.capital && lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower));
    let abbreviated = abbreviated && !polite(next);
    // "Thanks, P. Miller": a letter after a mark or a polite word is the beginning of a name.
    let initial = token.lower == "."
        && next.capital
        && word(next)
        && !polite(next)
        && before.is_some_and(|letter| is_initial(text, letter, lexicons));
    // "Ab 01.04. freigeben": the full stop belongs to the day.
    let ordinal = token.lower == "."
        && word(next)
        && !next.capital
        && before.is_some_and(|number| number.span.end == token.span.start && ends_value(number, values));
    if initial || ordinal {
        return false;
    }
    if is_end && !abbreviated && (!gap.is_empty() || next.kind == TokenKind::Mark) && !in_value() {
        return true;
    }
    let lines = gap.matches('\n').count();
    let is_numbered = || gap.rsplit('\n').next().is_some_and(|rest| enumerator(rest.trim_start()).is_some());
    lines > 1 || (lines == 1 && (begins_item(next) || is_numbered()))
}

/// Whether a capital letter alone is the beginning of a name: after a polite word, a comma or another such letter.
fn is_initial(text: &str, letter: &Token, lexicons: &[&Lexicon]) -> bool {
    const NEAR: usize = 24;
    let single = letter.kind == TokenKind::Word && letter.capital && letter.lower.chars().nth(1).is_none();
    let from = letter.span.start.saturating_sub(NEAR);
    let from = (from..=letter.span.start).find(|at| text.is_char_boundary(*at)).unwrap_or(letter.span.start);
    let before = each_token(Span::new(from, letter.span.start).of(text)).last();
    let leads = |token: &Token| {
        token.lower == "," || lexicons.iter().any(|lexicon| lexicon.is_courtesy(&token.lower))
    };
    single && before.is_some_and(|token| leads(&token))
}

/// Whether a day or another value ends with this token.
fn ends_value(token: &Token, values: &[Value]) -> bool {
    let held = holding(values, token.span, |value| value.span);
    // "Last day 2026-03-13. start it" ends a sentence.
    let is_ordinal = token.lower.len() <= 2 || token.lower.contains('.');
    is_ordinal
        && held.is_some_and(|value| {
            value.span.end == token.span.end
                && value.meanings.iter().any(|meaning| matches!(meaning, Meaning::Day(_)))
        })
}

/// Whether a line that begins with this token is an item of a list.
fn begins_item(token: &Token) -> bool {
    matches!(token.lower.as_str(), "-" | "*" | "•" | "–" | "·")
        || (token.kind == TokenKind::Number && token.lower.len() <= 2)
}

impl Sentence {
    /// Whether a cue begins in this range. A preposition before a value is not a cue: `until 31 March`,
    /// `according to CTR-1`.
    pub(crate) fn has(&self, cue: Cue, range: &Range<usize>) -> bool {
        self.cues.has(cue, range)
    }

    /// Where a cue first begins in this range.
    pub(crate) fn first(&self, cue: Cue, range: &Range<usize>) -> Option<usize> {
        self.cues.first(cue, range)
    }

    /// The verbs whose first word is in this range.
    pub(crate) fn verbs_in(&self, range: &Range<usize>) -> &[FoundVerb] {
        let before = |end: usize| {
            self.verbs.partition_point(|verb| verb.words.first().is_none_or(|first| *first < end))
        };
        self.verbs.get(before(range.start)..before(range.end)).unwrap_or_default()
    }

    /// The verbs that a token belongs to.
    pub(crate) fn verbs_of(&self, at: usize) -> impl Iterator<Item = &FoundVerb> {
        self.verbs_at.of(at).filter_map(|verb| self.verbs.get(verb))
    }

    /// The phrases that a token belongs to.
    pub(crate) fn phrases_of(&self, at: usize) -> impl Iterator<Item = &Phrase> {
        self.phrases_at.of(at).filter_map(|phrase| self.phrases.get(phrase))
    }

    /// Whether a verb is part of a request: `solicito`.
    pub(crate) fn asks_with(&self, verb: &FoundVerb) -> bool {
        verb.words.iter().all(|at| self.phrases_of(*at).any(|phrase| phrase.cue == Cue::Wish))
    }

    /// The whole sentence.
    pub(crate) fn all(&self) -> Range<usize> {
        0..self.tokens.len()
    }

    /// The place of a range of its tokens.
    pub(crate) fn span(&self, range: &Range<usize>) -> Option<Span> {
        let tokens = self.tokens.get(range.clone())?;
        Some(Span::new(tokens.first()?.span.start, tokens.last()?.span.end))
    }

    /// Its clauses: each begins where a conjunction or a comma is followed by a verb in a form that can order, or by
    /// a word that changes the mood.
    pub(crate) fn clauses(&self, is_light: impl Fn(usize) -> bool) -> Vec<Range<usize>> {
        let mut begins = vec![0];
        // The first token that carries something, looked for once although several places before it may ask.
        let mut first = 0;
        for at in 1..self.tokens.len() {
            let is_begin = self.reason.get(at) == Some(&true)
                || self.deadline.get(at) == Some(&true)
                || self.replaces_record(at, *begins.last().unwrap_or(&0));
            if is_begin && self.content.any(*begins.last().unwrap_or(&0)..at) {
                begins.push(at);
                continue;
            }
            if !self.joins(at) || self.ends_negated(at) {
                continue;
            }
            let begin = *begins.last().unwrap_or(&0);
            if self.begins_second(at) || self.begins_exception(at) || self.begins_request(begin, at) {
                begins.push(at + 1);
                continue;
            }
            first = (first.max(at + 1)..self.tokens.len())
                .find(|index| !is_light(*index))
                .unwrap_or(self.tokens.len());
            if (self.begins_clause(first, at) || self.begins_report(at) || self.begins_statement(first, at))
                && self.content.any(*begins.last().unwrap_or(&0)..at)
            {
                begins.push(at + 1);
            }
        }
        let ends = begins.iter().skip(1).copied().chain([self.tokens.len()]);
        begins.iter().copied().zip(ends).map(|(begin, end)| begin..end).collect()
    }

    /// Whether a record is named here instead of which another one is meant: "INV-1 instead of INV-2".
    fn replaces_record(&self, at: usize, begin: usize) -> bool {
        let negates = |phrase: &Phrase| phrase.cue == Cue::Negation && phrase.words.first() == Some(&at);
        let Some(phrase) = self.phrases_of(at).find(|phrase| negates(phrase)) else { return false };
        let next = phrase.words.last().map_or(at, |last| last + 1);
        let kind = |at: usize| {
            let token = self.tokens.get(at).filter(|_| self.in_id.get(at) == Some(&true))?;
            Some(
                token
                    .lower
                    .split(|letter: char| !letter.is_alphabetic())
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            )
        };
        /// Tokens before it that are looked at.
        const NEAR: usize = 8;
        let before = || (begin..at).rev().take(NEAR).any(|one| kind(one) == kind(next));
        kind(next).is_some_and(|kind| !kind.is_empty()) && before()
    }

    /// Whether a second act begins after this conjunction in a language whose verbs are at the end: "INV-1 freigeben und
    /// INV-2 ablehnen".
    fn begins_second(&self, joint: usize) -> bool {
        let is_infinitive = |at: usize| {
            self.verbs_of(at).any(|verb| {
                let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
                has(Form::Infinitive) && !has(Form::Imperative) && !has(Form::Noun)
            })
        };
        let ends = joint.checked_sub(1).is_some_and(is_infinitive);
        /// Words of an act, at most.
        const LONGEST: usize = 16;
        let end = (joint + 1..self.tokens.len()).take(LONGEST).find(|at| self.joins(*at));
        let end = end.unwrap_or(self.tokens.len().min(joint + 1 + LONGEST));
        let value = (joint + 1..end).find(|at| self.in_id.get(*at) == Some(&true));
        ends && value.is_some_and(|value| (value..end).any(is_infinitive))
    }

    /// Whether a request begins after a statement: "E-7 ist weg, bitte alle Zugänge sperren".
    fn begins_request(&self, begin: usize, joint: usize) -> bool {
        /// Words of an act, at most.
        const LONGEST: usize = 24;
        let is_comma = self.tokens.get(joint).is_some_and(|token| &*token.lower == ",");
        is_comma
            && self.asking.get(joint + 1) == Some(&true)
            && (begin.max(joint.saturating_sub(LONGEST))..joint).any(|at| self.is_finite(at))
            && self.verbs_in(&(joint + 1..joint + 1 + LONGEST)).iter().any(only_orders)
    }

    /// Whether a record is excepted after this comma: "INV-2 aber nicht".
    fn begins_exception(&self, joint: usize) -> bool {
        let is_comma = self.tokens.get(joint).is_some_and(|token| &*token.lower == ",");
        let value = |at: usize| self.in_id.get(at) == Some(&true);
        let end = (joint + 1..self.tokens.len()).find(|at| !value(*at)).unwrap_or(joint + 1);
        is_comma && end > joint + 1 && self.ends_negated(end)
    }

    /// Whether nothing but a negation follows this contrast: "INV-2 but not".
    fn ends_negated(&self, at: usize) -> bool {
        let contrast = self.contrast.get(at) == Some(&true);
        let negates = |at: usize| self.phrases_of(at).any(|phrase| phrase.cue == Cue::Negation);
        let is_mark = |at: usize| self.tokens.get(at).is_some_and(|token| token.kind == TokenKind::Mark);
        /// Words of a negation, at most.
        const NEAR: usize = 3;
        let rest = at + 1..self.tokens.len();
        contrast
            && rest.len() <= NEAR
            && rest.clone().any(negates)
            && rest.clone().all(|at| negates(at) || is_mark(at))
    }

    /// Whether the token joins what is before it and what is after it.
    pub(crate) fn joins(&self, at: usize) -> bool {
        let is_mark = self.tokens.get(at).is_some_and(|token| {
            token.kind == TokenKind::Mark && matches!(token.lower.as_str(), "," | ":" | "-" | "–" | "—" | "/")
        });
        let free = self.in_value.get(at) == Some(&false);
        let ends_sequence = |phrase: &Phrase| phrase.cue == Cue::Sequence && phrase.words.last() == Some(&at);
        free && (is_mark || self.contrast.get(at) == Some(&true) || self.phrases_of(at).any(ends_sequence))
    }

    /// Whether this token is a subject, a finite auxiliary, with its negation or not, or a verb that states something.
    pub(crate) fn is_finite(&self, at: usize) -> bool {
        let negated = |token: &Token| token.lower.ends_with("n't") || token.lower.starts_with("n'");
        self.subject.any(at..at + 1)
            || self.tokens.get(at).is_some_and(negated)
            || self.verbs_of(at).any(states)
            || self.finite.get(at) == Some(&true)
    }

    /// Whether a statement begins after what joins it: "approve it, the goods have arrived". `first` is the first token
    /// that carries something.
    fn begins_statement(&self, first: usize, joint: usize) -> bool {
        let next = (first..self.tokens.len()).find(|at| *at > first && self.joins(*at));
        let rest = first..next.unwrap_or(self.tokens.len());
        let is_verb = |at: usize| self.is_finite(at);
        let is_name = || self.tokens.get(first).is_some_and(|token| token.capital);
        let begins = self.begins_subject.get(first) == Some(&true) || is_name();
        let in_value = self.in_value.get(first) == Some(&true);
        let is_comma = self.tokens.get(joint).is_some_and(|token| token.kind == TokenKind::Mark);
        // "Who left us on Friday" after a comma says more about somebody.
        let relates = is_comma && self.relative.get(first) == Some(&true);
        // "Ya dejó la empresa": a verb alone.
        let alone = |at: usize| self.verbs_of(at).any(states);
        if is_comma && self.drops_subject && (alone(first) || alone(first + 1)) {
            return true;
        }
        !in_value
            && (begins || relates)
            && rest.skip(usize::from(!self.subject.any(first..first + 1))).any(is_verb)
    }

    /// Whether a negated report begins after this comma: "reject it, the price isn't the agreed one".
    fn begins_report(&self, comma: usize) -> bool {
        let is_comma = self.tokens.get(comma).is_some_and(|token| matches!(&*token.lower, "," | "–" | "—"));
        let next = (comma + 1..self.tokens.len()).find(|at| self.joins(*at)).unwrap_or(self.tokens.len());
        let rest = comma + 1..next;
        is_comma
            && self.begins_subject.get(comma + 1) == Some(&true)
            && self.has(Cue::Negation, &rest)
            && rest.clone().any(|at| self.is_finite(at))
    }

    /// Whether a clause can begin with this token, the first that carries something after what joins it.
    fn begins_clause(&self, first: usize, joint: usize) -> bool {
        let can_order = |verb: &FoundVerb| {
            verb.words.first() == Some(&first)
                && verb.forms.iter().any(|form| matches!(form.form, Form::Imperative | Form::Infinitive))
        };
        let changes = |phrase: &Phrase| {
            // "So please go ahead": a wish may begin with words that carry nothing by themselves.
            let wishes = phrase.cue == Cue::Wish
                && phrase.words.contains(&first)
                && phrase.words.first() > Some(&joint);
            (wishes || phrase.words.first() == Some(&first))
                && !matches!(phrase.cue, Cue::Courtesy | Cue::Sequence | Cue::Limit | Cue::OtherTime)
        };
        self.verbs_of(first).any(can_order) || self.phrases_of(first).any(changes)
    }
}

/// Whether a verb is an infinitive and nothing else.
fn only_orders(verb: &FoundVerb) -> bool {
    let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
    has(Form::Infinitive) && !has(Form::Imperative) && !has(Form::Noun)
}

/// Whether a verb is in a form that states something and orders nothing.
fn states(verb: &FoundVerb) -> bool {
    let has = |form: Form| verb.forms.iter().any(|one| one.form == form);
    (has(Form::Past) || has(Form::ThirdPerson)) && !has(Form::Imperative) && !has(Form::Infinitive)
}

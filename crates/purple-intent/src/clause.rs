//! Sentences and clauses of the requester's own words.

use std::ops::Range;

use crate::language::{Cue, Form, FoundVerb, Lexicon, Phrase};
use crate::span::Span;
use crate::token::{Token, TokenKind};
use crate::value::{Meaning, Value};

/// A sentence: its tokens, and what was found in it. Indexes are those of its tokens.
#[derive(Debug)]
pub(crate) struct Sentence {
    pub tokens: Vec<Token>,
    /// Whether a token is part of a value.
    pub in_value: Vec<bool>,
    /// Whether a token is part of a date, a month or a percentage.
    pub in_figure: Vec<bool>,
    /// Whether a token is part of a percentage.
    pub in_percent: Vec<bool>,
    pub phrases: Vec<Phrase>,
    pub verbs: Vec<FoundVerb>,
    /// Whether it ends with a question mark.
    pub asks: bool,
    /// Whether a token ends the scope of what was before.
    pub contrast: Vec<bool>,
    /// Whether a token is a subject or a finite auxiliary.
    pub subject: Vec<bool>,
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
        let inside: Vec<&Token> = tokens.iter().filter(|token| part.contains(token.span)).collect();
        let mut begin = 0;
        for at in 0..inside.len() {
            let (Some(token), next) = (inside.get(at), inside.get(at + 1)) else { continue };
            let before = at.checked_sub(1).and_then(|before| inside.get(before)).copied();
            if ends_sentence(text, (before, token), next.copied(), values, lexicons) {
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
    let in_value = values.iter().any(|value| value.span.contains(token.span));
    let is_end = token.kind == TokenKind::Mark && matches!(token.lower.as_str(), "." | "!" | "?" | ";" | "…");
    let Some(next) = next else { return true };
    let gap = Span::new(token.span.end, next.span.start).of(text);
    let abbreviated = token.lower == "."
        && before.is_some_and(|word| lexicons.iter().any(|lexicon| lexicon.is_abbreviation(&word.lower)));
    if is_end && !in_value && !abbreviated && (!gap.is_empty() || next.kind == TokenKind::Mark) {
        return true;
    }
    let lines = gap.matches('\n').count();
    lines > 1 || (lines == 1 && begins_item(next))
}

/// Whether a line that begins with this token is an item of a list.
fn begins_item(token: &Token) -> bool {
    matches!(token.lower.as_str(), "-" | "*" | "•" | "–" | "·")
        || (token.kind == TokenKind::Number && token.lower.len() <= 2)
}

fn sentence(tokens: &[&Token], values: &[Value], lexicons: &[&Lexicon]) -> Option<Sentence> {
    let tokens: Vec<Token> = tokens.iter().map(|token| (*token).clone()).collect();
    tokens.iter().find(|token| token.kind != TokenKind::Mark)?;
    let in_value: Vec<bool> =
        tokens.iter().map(|token| values.iter().any(|value| value.span.contains(token.span))).collect();
    let in_figure = tokens
        .iter()
        .map(|token| values.iter().any(|value| value.span.contains(token.span) && is_figure(value)))
        .collect();
    let in_percent = tokens
        .iter()
        .map(|token| values.iter().any(|value| value.span.contains(token.span) && is_percent(value)))
        .collect();
    let phrases = lexicons.iter().flat_map(|lexicon| lexicon.phrases(&tokens)).collect();
    let mut verbs: Vec<FoundVerb> = lexicons.iter().flat_map(|lexicon| lexicon.verbs(&tokens)).collect();
    verbs.retain(|verb| verb.words.iter().all(|word| in_value.get(*word) == Some(&false)));
    verbs.sort_by_key(|verb| verb.words.first().copied());
    let asks =
        tokens.iter().rev().take_while(|token| token.kind == TokenKind::Mark).any(|token| token.lower == "?");
    let contrasts = |token: &Token| lexicons.iter().any(|lexicon| lexicon.is_contrast(&token.lower));
    let contrast = tokens.iter().map(contrasts).collect();
    let is_subject = |token: &Token| lexicons.iter().any(|lexicon| lexicon.is_subject(&token.lower));
    let subject = tokens.iter().map(is_subject).collect();
    Some(Sentence { tokens, in_value, in_figure, in_percent, phrases, verbs, asks, contrast, subject })
}

/// Whether a value is a date, a month or a percentage, and nothing else.
fn is_figure(value: &Value) -> bool {
    value
        .meanings
        .iter()
        .all(|meaning| matches!(meaning, Meaning::Day(_) | Meaning::Month(_) | Meaning::Percent(_)))
}

fn is_percent(value: &Value) -> bool {
    value.meanings.iter().all(|meaning| matches!(meaning, Meaning::Percent(_)))
}

impl Sentence {
    /// Whether a cue begins in this range. A preposition before a value is not a cue: `until 31 March`,
    /// `according to CTR-1`.
    pub(crate) fn has(&self, cue: Cue, range: &Range<usize>) -> bool {
        let here = |phrase: &&Phrase| {
            phrase.cue == cue && phrase.words.first().is_some_and(|word| range.contains(word))
        };
        let before_value = |phrase: &Phrase| {
            let next = phrase.words.last().map_or(0, |last| last + 1);
            match cue {
                Cue::Condition => self.in_figure.get(next) == Some(&true),
                Cue::Reported => self.in_value.get(next) == Some(&true),
                // `99.1 % instead of 99.9 %` compares.
                Cue::Negation => self.in_percent.get(next) == Some(&true),
                _ => false,
            }
        };
        self.phrases.iter().filter(here).any(|phrase| !before_value(phrase))
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
        for at in 1..self.tokens.len() {
            if self.joins(at)
                && self.begins_clause(at + 1, &is_light)
                && self.has_content(*begins.last().unwrap_or(&0)..at)
            {
                begins.push(at + 1);
            }
        }
        let ends = begins.iter().skip(1).copied().chain([self.tokens.len()]);
        begins.iter().copied().zip(ends).map(|(begin, end)| begin..end).collect()
    }

    /// Whether the token joins what is before it and what is after it.
    fn joins(&self, at: usize) -> bool {
        let is_mark = self.tokens.get(at).is_some_and(|token| {
            token.kind == TokenKind::Mark && matches!(token.lower.as_str(), "," | ":" | "-" | "–" | "—" | "/")
        });
        let free = self.in_value.get(at) == Some(&false);
        let is_sequence =
            self.phrases.iter().any(|phrase| phrase.cue == Cue::Sequence && phrase.words.last() == Some(&at));
        (is_mark || is_sequence || self.contrast.get(at) == Some(&true)) && free
    }

    /// Whether a clause begins at this token, after words that carry nothing.
    fn begins_clause(&self, at: usize, is_light: &impl Fn(usize) -> bool) -> bool {
        let first = (at..self.tokens.len()).find(|index| !is_light(*index));
        let Some(first) = first else { return false };
        let can_order = |verb: &FoundVerb| {
            verb.words.first() == Some(&first)
                && verb.forms.iter().any(|form| matches!(form.form, Form::Imperative | Form::Infinitive))
        };
        let changes = |phrase: &Phrase| {
            phrase.words.first() == Some(&first)
                && !matches!(phrase.cue, Cue::Courtesy | Cue::Sequence | Cue::Limit | Cue::OtherTime)
        };
        self.verbs.iter().any(can_order) || self.phrases.iter().any(changes)
    }

    /// Whether there is a verb or a value in this range.
    fn has_content(&self, range: Range<usize>) -> bool {
        let verb = self.verbs.iter().any(|verb| verb.words.iter().any(|word| range.contains(word)));
        verb || range.clone().any(|index| self.in_value.get(index) == Some(&true))
    }
}

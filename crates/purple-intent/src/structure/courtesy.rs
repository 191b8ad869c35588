//! Sentences of a mail that are only polite: "Thank you for your help yesterday."

use super::mail::{beginning, first_words, mail_words};
use super::words::{has_cue, has_verb};
use crate::language::Cue;
use crate::span::Span;
use crate::token::{Token, TokenKind, tokens};

/// What is never only polite.
const CUES: [Cue; 6] =
    [Cue::Negation, Cue::Condition, Cue::Reversal, Cue::Reported, Cue::Correction, Cue::Calculation];

/// The sentences of a passage that only thank or wish: they begin like that, and hold no verb of business, no number
/// and nothing that could change what is ordered.
pub(super) fn courtesies(text: &str, passage: Span) -> Vec<Span> {
    let all = tokens(passage.of(text));
    let ends = |token: &Token| matches!(token.lower.as_str(), "." | "!" | "?" | ";" | "…");
    let sentences = all.split_inclusive(ends).filter(|sentence| is_courtesy(sentence));
    let span = |sentence: &[Token]| {
        let (first, last) = (sentence.first()?, sentence.last()?);
        Some(Span::new(passage.start + first.span.start, passage.start + last.span.end))
    };
    sentences.filter_map(span).collect()
}

fn is_courtesy(sentence: &[Token]) -> bool {
    let Some(count) = beginning(&mail_words().thanks, &first_words(sentence)) else { return false };
    let rest = sentence.get(count..).unwrap_or_default();
    let ended = sentence.last().is_some_and(|token| matches!(token.lower.as_str(), "." | "!"));
    let numbers = rest.iter().any(|token| token.lower.contains(|letter: char| letter.is_numeric()));
    let joined =
        rest.iter().any(|token| token.kind == TokenKind::Mark && token.lower != "." && token.lower != "!");
    ended && !numbers && !joined && !has_verb(rest) && !has_cue(rest, &CUES)
}

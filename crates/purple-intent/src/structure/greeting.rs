//! The greeting at the top of a mail.

use super::line::Line;
use super::mail::{PHRASE_WORDS_MAX, beginning, first_words, fold, mail_words};
use super::words::has_meaning;
use crate::span::Span;
use crate::token::{Token, TokenKind, each_token};

/// The most words of a greeting after its first ones.
const NAMES: usize = 6;

/// The greeting that a line begins with. Names belong to it where a comma or the end of the line follows; a word that
/// could mean something never does.
pub(super) fn greeting(line: &Line) -> Option<Span> {
    let all: Vec<Token> = each_token(line.text).take(PHRASE_WORDS_MAX + NAMES + 2).collect();
    let words = first_words(&all);
    let count = beginning(&mail_words().greetings, &words)?;
    let rest = all.get(count..).unwrap_or_default();
    let names = rest.iter().take_while(|token| token.kind == TokenKind::Word || is_name_mark(token)).count();
    let ended = rest.get(names).is_none_or(ends_greeting);
    let are_names = names <= NAMES && rest.iter().take(names).all(is_name);
    let end = if ended && are_names { count + names } else { count };
    let next = all.get(end);
    // `All invoices …` and `Team leads …` begin like a greeting.
    if !next.is_none_or(ends_greeting) && needs_end(&words, count) {
        return None;
    }
    let last = if next.is_some_and(ends_greeting) { end } else { end - 1 };
    Some(Span::new(line.start, line.start + all.get(last)?.span.end))
}

fn ends_greeting(token: &Token) -> bool {
    matches!(token.lower.as_str(), "," | "!" | ":" | "." | ";" | "-" | "–" | "—")
}

fn is_name_mark(token: &Token) -> bool {
    matches!(token.lower.as_str(), "&" | "/" | "@")
}

fn is_name(token: &Token) -> bool {
    let addressee = mail_words().addressees.split_whitespace().any(|word| word == fold(&token.lower));
    addressee || token.kind == TokenKind::Mark || !has_meaning(&token.lower)
}

/// Whether these first words are a greeting only with a mark or the end of the line after them.
fn needs_end(words: &[String], count: usize) -> bool {
    let greets = [
        "hi", "hello", "hey", "hallo", "hola", "bonjour", "bonsoir", "salut", "moin", "servus", "dear",
        "good", "guten",
    ];
    count == 1 && !words.first().is_some_and(|word| greets.contains(&word.as_str()))
}

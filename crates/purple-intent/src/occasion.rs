//! Occasions by which something is to be done: "before the payment run on Friday".

use crate::language::Lexicon;
use crate::token::{Token, TokenKind};

/// Where words that end here name an occasion after a preposition, the place of the preposition: "for the payment run".
/// What is done for people is done at the time that follows.
pub(crate) fn occasion(tokens: &[Token], end: usize, lexicons: &[&Lexicon]) -> Option<usize> {
    /// Words between the preposition and the time, at most.
    const NEAR: usize = 6;
    let is = |token: &Token, is: fn(&Lexicon, &str) -> bool| {
        lexicons.iter().any(|lexicon| is(lexicon, &token.lower))
    };
    let mut names = false;
    for at in (0..end).rev().take(NEAR) {
        let token = tokens.get(at).filter(|token| token.kind == TokenKind::Word)?;
        if names && is(token, Lexicon::leads_to_occasion) {
            return Some(at);
        }
        names |= is(token, Lexicon::is_occasion);
        let plain = is(token, Lexicon::is_occasion)
            || is(token, Lexicon::is_function_word)
            || is(token, Lexicon::is_preposition)
            || names && (is(token, Lexicon::explains) || is(token, Lexicon::is_people));
        if !plain {
            return None;
        }
    }
    None
}

//! How a text says that one side is the other: `=`, an arrow, or a verb.

use super::token::{Token, TokenKind, is_sign};

/// How two sides are said to be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Relation {
    pub(super) is_about: bool,
    /// A word such as `is`, which says other things too.
    pub(super) is_word: bool,
    /// No blank on either side of the sign.
    pub(super) is_tight: bool,
    /// The token after it.
    pub(super) next: usize,
}

/// The relation at this token, if there is one: `= x`, `→ x`, "comes to x", ", which is x", ", i.e. x", ", leaving x".
pub(super) fn relation(text: &str, tokens: &[Token], at: usize) -> Option<Relation> {
    let word = |at: usize| match tokens.get(at).map(|token| &token.kind) {
        Some(TokenKind::Word(word)) => Some(word.as_str()),
        _ => None,
    };
    let comma = usize::from(is_sign(text, tokens, at, &[","]));
    let start = at + comma;
    let token = tokens.get(start)?;
    let (mut is_about, is_word, mut next) = match &token.kind {
        TokenKind::Equals if comma == 0 => (false, false, start + 1),
        TokenKind::About if comma == 0 => (true, false, start + 1),
        TokenKind::Other if comma == 0 && is_sign(text, tokens, start, &["→", "⇒", "->", "=>"]) => {
            (false, false, start + 1)
        }
        TokenKind::Word(first) => {
            let words = [Some(first.as_str()), word(start + 1), word(start + 2)];
            let length = match (words, comma) {
                ([Some("which" | "that"), ..], _) => 1 + verb([words[1], words[2], word(start + 3)])?,
                ([Some("i.e."), ..], _) => 1 + usize::from(is_sign(text, tokens, start + 1, &[","])),
                (_, 0) => participle(words).or_else(|| verb(words))?,
                (_, _) => participle(words)?,
            };
            (false, true, start + length)
        }
        TokenKind::Figure(_)
        | TokenKind::Operator(_)
        | TokenKind::Open
        | TokenKind::Close
        | TokenKind::Equals
        | TokenKind::About
        | TokenKind::Other => return None,
    };
    match (word(next), tokens.get(next).map(|token| &token.kind)) {
        (Some("about" | "approximately" | "roughly" | "around" | "circa" | "nearly" | "almost"), _)
        | (None, Some(TokenKind::About)) => (is_about, next) = (true, next + 1),
        (Some("exactly" | "only" | "just" | "also" | "then" | "therefore"), _) => next += 1,
        (Some(_) | None, _) => {}
    }
    // "makes a total of $800"
    let named = next + usize::from(matches!(word(next), Some("a" | "the")));
    if matches!(word(named), Some("total" | "sum")) && word(named + 1) == Some("of") {
        next = named + 2;
    }
    // "The $500 + $300 total is $800" has a noun.
    let may_be_noun = matches!(word(start), Some("total" | "sum" | "left" | "equal" | "work" | "result"));
    let is_value =
        matches!(tokens.get(next).map(|token| &token.kind), Some(TokenKind::Figure(_) | TokenKind::Open));
    if may_be_noun && !is_value {
        return None;
    }
    let is_tight = !token.spaced_before && !token.spaced_after;
    Some(Relation { is_about, is_word, is_tight, next })
}

/// How many words a verb has that says what something comes to.
fn verb(words: [Option<&str>; 3]) -> Option<usize> {
    let [first, second, third] = words;
    Some(match (first?, second, third) {
        ("is" | "are" | "was", Some("equal"), Some("to")) => 3,
        ("works" | "work" | "worked", Some("out"), Some("to" | "at" | "as")) => 3,
        ("adds" | "add" | "sums" | "sum" | "comes" | "come", Some("up"), Some("to")) => 3,
        ("comes" | "come" | "came" | "amounts" | "amount" | "amounted", Some("to"), _) => 2,
        ("sums" | "sum" | "adds" | "equals" | "equates" | "evaluates", Some("to"), _) => 2,
        ("results" | "result" | "resulted", Some("in"), _) => 2,
        ("would" | "should" | "will" | "must" | "has" | "have", Some("be" | "been"), _) => 2,
        ("is" | "are" | "was" | "were" | "equals" | "equal", _, _) => 1,
        ("makes" | "make" | "made" | "gives" | "give" | "gave" | "yields" | "yield", _, _) => 1,
        ("leaves" | "leave" | "left" | "totals" | "total" | "totaled" | "totalled", _, _) => 1,
        ("becomes" | "become" | "became", _, _) => 1,
        _ => return None,
    })
}

/// The same as a participle, behind a comma or without one.
fn participle(words: [Option<&str>; 3]) -> Option<usize> {
    let [first, second, _] = words;
    Some(match (first?, second) {
        ("resulting", Some("in")) | ("adding", Some("up")) | ("coming" | "amounting", Some("to")) => 2,
        ("calculated" | "computed", Some("as")) => 2,
        (
            "being" | "leaving" | "making" | "giving" | "yielding" | "totalling" | "totaling" | "equalling",
            _,
        ) => 1,
        _ => return None,
    })
}

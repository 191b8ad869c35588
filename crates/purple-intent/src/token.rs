//! Words, numbers and marks of a text.

use crate::span::Span;

/// A word, a number or a mark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Where it is.
    pub span: Span,
    /// What it is.
    pub kind: TokenKind,
    /// The text in lower case, with typographic apostrophes and hyphens as on a keyboard.
    pub lower: String,
    /// Whether it begins with a capital letter.
    pub capital: bool,
}

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, with apostrophes and hyphens between them: `don't`, `follow-up`.
    Word,
    /// It begins with a digit: `52,340.00`, `2024`, `3x`.
    Number,
    /// One sign: `.`, `?`, `$`, `"`.
    Mark,
}

/// The tokens of a text, in order. Spaces and line ends are no tokens.
pub fn tokens(text: &str) -> Vec<Token> {
    each_token(text).collect()
}

/// The tokens of a text, one after the other.
pub(crate) fn each_token(text: &str) -> impl Iterator<Item = Token> {
    let mut letters = text.char_indices().peekable();
    std::iter::from_fn(move || {
        let is_visible = |(_, letter): &(usize, char)| !letter.is_whitespace() && !is_invisible(*letter);
        let (start, first) = letters.find(is_visible)?;
        let kind = match first {
            _ if first.is_alphabetic() => TokenKind::Word,
            _ if first.is_numeric() => TokenKind::Number,
            _ => TokenKind::Mark,
        };
        let mut end = start + first.len_utf8();
        if kind != TokenKind::Mark {
            while let Some((at, next)) = letters.peek().copied() {
                let after = text.get(at + next.len_utf8()..).and_then(|rest| rest.chars().next());
                if !goes_on(kind, next, after) {
                    break;
                }
                end = at + next.len_utf8();
                letters.next();
            }
        }
        let span = Span::new(start, end);
        Some(Token { span, kind, lower: folded(span.of(text)), capital: first.is_uppercase() })
    })
}

/// Whether a word or number goes on with this character, before that one.
fn goes_on(kind: TokenKind, next: char, after: Option<char>) -> bool {
    if next.is_alphanumeric() || is_invisible(next) {
        return true;
    }
    let joins = after.is_some_and(char::is_alphanumeric);
    match kind {
        TokenKind::Word => joins && matches!(next, '\'' | '’' | '-' | '‑' | '_' | '&'),
        TokenKind::Number => {
            after.is_some_and(|after| after.is_ascii_digit())
                && matches!(next, '.' | ',' | '\'' | '’' | '-' | '/' | ':')
        }
        TokenKind::Mark => false,
    }
}

/// Characters that nobody sees. A word with one inside reads like the word without it.
fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

fn folded(text: &str) -> String {
    if text.is_ascii() {
        let mut lower = text.to_ascii_lowercase();
        if lower == "`" {
            "'".clone_into(&mut lower);
        }
        return lower;
    }
    let plain = |letter: char| match letter {
        '’' | '‘' | 'ʼ' | '`' | '´' => '\'',
        '‑' | '‐' | '–' => '-',
        other => other,
    };
    text.chars().filter(|letter| !is_invisible(*letter)).flat_map(char::to_lowercase).map(plain).collect()
}

/// The length of the number of an item at the beginning of a line, with its mark: `1.` of "1. Approve it".
pub(crate) fn enumerator(line: &str) -> Option<usize> {
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    let rest = line.get(digits..)?;
    let marked = rest.starts_with(['.', ')']) && rest.get(1..).is_some_and(|rest| rest.starts_with(' '));
    ((1..=2).contains(&digits) && marked).then_some(digits + 1)
}

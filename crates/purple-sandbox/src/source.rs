//! Reads a text before the language does, and refuses what has no place in it.
//!
//! What is refused here could not reach anything either: it gives the author a reason at once. Two things rest on it:
//! numbers that the language would cut, and assignments to a part of a value, which the language does not measure. So
//! it reads exactly what the language reads: no comments but `//`, no texts but plain ones, no control characters.

use std::collections::BTreeSet;

use purple_port::NotAdmitted;

use crate::limits::LITERAL_DIGITS_MAX;

/// Words that belong to the grammar.
const GRAMMAR: &[&str] = &[
    "fn", "let", "const", "if", "else", "for", "in", "while", "return", "throw", "true", "false", "break",
    "continue",
];

/// Words that the language knows and this place does not, each with the reason.
pub(crate) const DISALLOWED: &[(&str, &str)] = &[
    ("eval", "text is not run as code"),
    ("import", "there are no modules"),
    ("export", "there are no modules"),
    ("as", "there are no modules"),
    ("global", "functions share nothing"),
    ("private", "every function is a plain one"),
    ("print", "a function computes and shows nothing"),
    ("debug", "a function computes and shows nothing"),
    ("Fn", "functions are called by their names"),
    ("call", "functions are called by their names"),
    ("curry", "functions are called by their names"),
    ("this", "functions have parameters only"),
    ("is_shared", "nothing is shared"),
    ("is_def_fn", "what there is, is known beforehand"),
    ("is_def_var", "what there is, is known beforehand"),
    ("type_of", "parameters have the declared kinds"),
    ("try", "a fault ends the call; refuse with `throw`"),
    ("catch", "a fault ends the call; refuse with `throw`"),
    ("loop", "write `for`, or `while` with a condition"),
    ("do", "write `for`, or `while` with a condition"),
    ("until", "write `for`, or `while` with a condition"),
    ("switch", "write `if` and `else`"),
    ("sleep", "a function does not wait"),
    ("spawn", "a function does one thing"),
    ("thread", "a function does one thing"),
    ("go", "a function does one thing"),
    ("sync", "a function does one thing"),
    ("async", "a function does one thing"),
    ("await", "a function does one thing"),
    ("yield", "a function does one thing"),
];

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece<'a> {
    Word(&'a str),
    Number(&'a str),
    Text,
    /// `=`, `+=` and their like.
    Assignment(&'a str),
    Sign(char),
}

/// Signs of more than one character, the longest first. Of these only assignments matter by themselves.
const SIGNS: &[&str] =
    &["**=", "..=", "==", "!=", "<=", ">=", "=>", "&&", "||", "+=", "-=", "*=", "/=", "%=", "**", "..", "="];
const ASSIGNMENTS: &[&str] = &["=", "+=", "-=", "*=", "/=", "%=", "**="];

/// Reads the text. `known` are the functions of the sandbox.
pub(crate) fn check(code: &str, known: &BTreeSet<&'static str>) -> Result<(), NotAdmitted> {
    let pieces = pieces(code)?;
    let defined: BTreeSet<&str> = pieces
        .windows(2)
        .filter_map(|pair| match pair {
            [(Piece::Word("fn"), _), (Piece::Word(name), _)] => Some(*name),
            _ => None,
        })
        .collect();
    let (mut depth, mut in_header) = (0usize, false);
    for (at, (piece, line)) in pieces.iter().enumerate() {
        let line = *line;
        let next = |by: usize| pieces.get(at + by).map(|(piece, _)| piece);
        if depth == 0 && !in_header {
            in_header = *piece == Piece::Word("fn");
            if !in_header {
                return Err(disallowed(shown(piece), line, "outside of functions there is nothing"));
            }
        }
        match piece {
            Piece::Word("fn") if depth > 0 => {
                return Err(disallowed("fn".to_owned(), line, "functions are not inside each other"));
            }
            Piece::Word("while") if endless(next(1), next(2)) => {
                return Err(NotAdmitted::Unbounded { construct: "while", line });
            }
            Piece::Word(word) => {
                let is_call = next(1) == Some(&Piece::Sign('(')) && !GRAMMAR.contains(word);
                if is_call && !known.contains(word) && !defined.contains(word) {
                    return Err(NotAdmitted::UnknownFunction { name: (*word).to_owned(), line });
                }
            }
            Piece::Number(number) => check_number(number, line)?,
            Piece::Text => {}
            Piece::Assignment(sign) => {
                let before =
                    |by: usize| at.checked_sub(by).and_then(|at| pieces.get(at)).map(|(piece, _)| piece);
                let to_variable =
                    matches!(before(1), Some(Piece::Word(_))) && before(2) != Some(&Piece::Sign('.'));
                if !to_variable {
                    let why = "values do not change in part; write `list += [x]` or `record = put(record, name, x)`";
                    return Err(disallowed((*sign).to_owned(), line, why));
                }
            }
            Piece::Sign('{') => {
                depth += 1;
                in_header = false;
            }
            Piece::Sign('}') => depth = depth.saturating_sub(1),
            Piece::Sign(_) => {}
        }
    }
    Ok(())
}

/// Whether a condition is always true, as far as its first words tell.
fn endless(first: Option<&Piece<'_>>, second: Option<&Piece<'_>>) -> bool {
    let constant = |piece: Option<&Piece<'_>>| matches!(piece, Some(Piece::Word("true")));
    let opens = first == Some(&Piece::Sign('('));
    let closed = |piece: Option<&Piece<'_>>| matches!(piece, Some(Piece::Sign('{')));
    (constant(first) && closed(second)) || (opens && constant(second))
}

fn check_number(number: &str, line: usize) -> Result<(), NotAdmitted> {
    let plain = number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_' || byte == b'.');
    if !plain {
        return Err(disallowed(number.to_owned(), line, "write the digits of a number out"));
    }
    if number.bytes().filter(u8::is_ascii_digit).count() > LITERAL_DIGITS_MAX {
        return Err(disallowed(number.to_owned(), line, "a written number has 28 digits at most"));
    }
    Ok(())
}

fn disallowed(symbol: String, line: usize, why: &'static str) -> NotAdmitted {
    NotAdmitted::Disallowed { symbol: crate::fault::cut(&symbol), line, why }
}

fn shown(piece: &Piece<'_>) -> String {
    match piece {
        Piece::Word(text) | Piece::Number(text) | Piece::Assignment(text) => (*text).to_owned(),
        Piece::Text => "\"…\"".to_owned(),
        Piece::Sign(sign) => sign.to_string(),
    }
}

/// The pieces of a text with their lines, without blanks and comments.
fn pieces(code: &str) -> Result<Vec<(Piece<'_>, usize)>, NotAdmitted> {
    let mut reader = Reader { code, at: 0, line: 1 };
    let mut pieces = Vec::new();
    while let Some(found) = reader.next_piece()? {
        pieces.push(found);
    }
    Ok(pieces)
}

struct Reader<'a> {
    code: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.code.get(self.at..).unwrap_or_default()
    }

    /// Takes so many bytes and counts their lines.
    fn take(&mut self, bytes: usize) -> &'a str {
        let taken = self.rest().get(..bytes).unwrap_or_default();
        self.line += taken.matches('\n').count();
        self.at += taken.len();
        taken
    }

    fn take_while(&mut self, belongs: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        self.take(rest.find(|sign: char| !belongs(sign)).unwrap_or(rest.len()))
    }

    fn next_piece(&mut self) -> Result<Option<(Piece<'a>, usize)>, NotAdmitted> {
        self.skip_blanks();
        let line = self.line;
        let Some(sign) = self.rest().chars().next() else { return Ok(None) };
        let piece = match sign {
            '"' => {
                self.take_text(line)?;
                Piece::Text
            }
            sign if sign.is_ascii_digit() => Piece::Number(self.take_number()),
            sign if sign.is_ascii_alphabetic() || sign == '_' => {
                let word = self.take_while(|sign| sign.is_ascii_alphanumeric() || sign == '_');
                if let Some((_, why)) = DISALLOWED.iter().find(|(name, _)| *name == word) {
                    return Err(disallowed(word.to_owned(), line, why));
                }
                Piece::Word(word)
            }
            sign => {
                self.check_sign(sign, line)?;
                let long = SIGNS.iter().find(|long| self.rest().starts_with(**long));
                let taken = self.take(long.map_or(sign.len_utf8(), |long| long.len()));
                if ASSIGNMENTS.contains(&taken) { Piece::Assignment(taken) } else { Piece::Sign(sign) }
            }
        };
        Ok(Some((piece, line)))
    }

    /// Signs that have another meaning in the language than they may have here.
    fn check_sign(&self, sign: char, line: usize) -> Result<(), NotAdmitted> {
        let follows = |other: char| self.rest().chars().nth(1) == Some(other);
        let why = match sign {
            '`' | '\'' => "texts are written in double quotes",
            '#' if !follows('{') => "texts are written in double quotes",
            '|' if !follows('|') => "there are no closures and no bits; write `||`",
            '&' if !follows('&') => "there are no bits; write `&&`",
            '<' if follows('<') => "there are no bits",
            '>' if follows('>') => "there are no bits",
            '^' | '~' => "there are no bits",
            ':' if follows(':') => "there are no modules",
            '?' => "nothing is absent here",
            '/' if follows('*') => "comments begin with `//`",
            '@' | '$' | '\\' => "it means nothing here",
            sign if sign.is_control() => "it cannot be seen",
            sign if !sign.is_ascii() => "outside of texts and comments everything is ASCII",
            _ => return Ok(()),
        };
        Err(disallowed(sign.to_string(), line, why))
    }

    fn skip_blanks(&mut self) {
        loop {
            self.take_while(|sign| matches!(sign, ' ' | '\t' | '\n'));
            if self.rest().starts_with("\r\n") {
                self.take(2);
            } else if self.rest().starts_with("//") {
                self.take_while(|sign| sign == '\t' || !sign.is_control());
            } else {
                return;
            }
        }
    }

    fn take_text(&mut self, line: usize) -> Result<(), NotAdmitted> {
        self.take(1);
        loop {
            self.take_while(|sign| sign != '"' && sign != '\\' && !sign.is_control());
            match self.rest().chars().next() {
                Some('"') => {
                    self.take(1);
                    return Ok(());
                }
                Some('\\') if matches!(self.rest().chars().nth(1), Some('"' | '\\' | 'n' | 't')) => {
                    self.take(2);
                }
                Some(_) | None => {
                    return Err(disallowed(
                        "\"".to_owned(),
                        line,
                        "a text ends on its line, and escapes only `\"`, `\\`, `n` and `t`",
                    ));
                }
            }
        }
    }

    /// Digits, with one point if a digit follows it; letters that touch it belong to it and will be refused.
    fn take_number(&mut self) -> &'a str {
        let start = self.at;
        let mut has_point = false;
        loop {
            self.take_while(|sign| sign.is_ascii_alphanumeric() || sign == '_');
            let point =
                self.rest().starts_with('.') && self.rest().as_bytes().get(1).is_some_and(u8::is_ascii_digit);
            if !point || has_point {
                return self.code.get(start..self.at).unwrap_or_default();
            }
            has_point = true;
            self.take(1);
        }
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;

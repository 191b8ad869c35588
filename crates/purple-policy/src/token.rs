//! Cuts the text of an expression into tokens.

use crate::diagnostic::{Code, Diagnostic, Span, is_invisible};
use crate::limits::{EXPRESSION_BYTES_MAX, EXPRESSION_TOKENS_MAX, NUMBER_DIGITS_MAX};

/// One token and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a token is. The text of names and numbers is read from the source by the token's span.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Number,
    Percent,
    Text(String),
    Name,
    Sign(Sign),
    End,
}

/// The signs of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    And,
    Or,
    Not,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Equal,
    NotEqual,
    StrictlyEqual,
    StrictlyNotEqual,
    Plus,
    Minus,
    Times,
    Over,
    Dot,
    Range,
    Comma,
    OpenRound,
    CloseRound,
    OpenSquare,
    CloseSquare,
}

/// Longest first, so that `===` is never read as `==` and `=`.
const SIGNS: &[(&str, Sign)] = &[
    ("===", Sign::StrictlyEqual),
    ("!==", Sign::StrictlyNotEqual),
    ("&&", Sign::And),
    ("||", Sign::Or),
    ("<=", Sign::LessOrEqual),
    (">=", Sign::GreaterOrEqual),
    ("==", Sign::Equal),
    ("!=", Sign::NotEqual),
    ("..", Sign::Range),
    ("<", Sign::Less),
    (">", Sign::Greater),
    ("!", Sign::Not),
    ("+", Sign::Plus),
    ("-", Sign::Minus),
    ("*", Sign::Times),
    ("/", Sign::Over),
    (".", Sign::Dot),
    (",", Sign::Comma),
    ("(", Sign::OpenRound),
    (")", Sign::CloseRound),
    ("[", Sign::OpenSquare),
    ("]", Sign::CloseSquare),
];

/// Signs people write that mean nothing here, with what they most likely meant.
const MISTAKES: &[(&str, Code, &str, &str)] = &[
    ("<>", Code::BadCharacter, "`<>` is not a sign of this language", "write `!=`"),
    ("=>", Code::BadCharacter, "`=>` is not a sign of this language", "write `>=`"),
    ("=<", Code::BadCharacter, "`=<` is not a sign of this language", "write `<=`"),
    ("**", Code::BadCharacter, "there are no powers in this language", "multiply: `x * x`"),
];

/// Like [`MISTAKES`], tried after the true signs.
const LONE_MISTAKES: &[(&str, Code, &str, &str)] = &[
    ("=", Code::Assignment, "`=` does not compare", "write `==`"),
    ("&", Code::BadCharacter, "`&` is not a sign of this language", "write `&&`"),
    ("|", Code::BadCharacter, "`|` is not a sign of this language", "write `||`"),
    ("%", Code::BadCharacter, "`%` stands only right after a number", "write a percentage as `2.5%`"),
    ("$", Code::BadCharacter, "`$` is not a currency here", "write the code after the amount: `5000 USD`"),
    ("€", Code::BadCharacter, "`€` is not a currency here", "write the code after the amount: `5000 EUR`"),
    ("≥", Code::BadCharacter, "`≥` is not a sign of this language", "write `>=`"),
    ("≤", Code::BadCharacter, "`≤` is not a sign of this language", "write `<=`"),
    ("≠", Code::BadCharacter, "`≠` is not a sign of this language", "write `!=`"),
    ("−", Code::BadCharacter, "`−` (U+2212) is not a minus here", "write `-`"),
    ("?", Code::BadCharacter, "`?` is not a sign of this language", "write `if(condition, then, otherwise)`"),
    ("{", Code::BadCharacter, "records cannot be written here", "use a name such as `invoice.total`"),
    ("\u{201C}", Code::BadCharacter, "curly quotes do not open a text", "write straight quotes: `\"text\"`"),
    ("\u{2018}", Code::BadCharacter, "curly quotes do not open a text", "write straight quotes: `'text'`"),
    (";", Code::BadCharacter, "an expression is one value", "remove the `;`"),
];

/// Cuts `source` into tokens; the last one is always [`TokenKind::End`].
pub(crate) fn tokens(source: &str) -> Result<Vec<Token>, Diagnostic> {
    if source.len() > EXPRESSION_BYTES_MAX {
        let message =
            format!("the expression has {} bytes, at most {EXPRESSION_BYTES_MAX} are read", source.len());
        return Err(
            Diagnostic::new(Code::Limit, Span::NOWHERE, message).help("compute parts of it under names")
        );
    }
    let mut lexer = Lexer { source, at: 0 };
    let mut tokens = Vec::new();
    loop {
        let token = lexer.next()?;
        let ended = token.kind == TokenKind::End;
        if tokens.len() == EXPRESSION_TOKENS_MAX && !ended {
            let message = format!("the expression has more than {EXPRESSION_TOKENS_MAX} words and signs");
            return Err(
                Diagnostic::new(Code::Limit, token.span, message).help("compute parts of it under names")
            );
        }
        tokens.push(token);
        if ended {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    source: &'a str,
    at: usize,
}

impl Lexer<'_> {
    fn next(&mut self) -> Result<Token, Diagnostic> {
        self.skip(|c| matches!(c, ' ' | '\t' | '\n' | '\r'));
        let start = self.at;
        let kind = match self.peek() {
            None => TokenKind::End,
            Some('0'..='9') => self.number()?,
            Some('a'..='z' | 'A'..='Z' | '_') => {
                self.skip(|c| c.is_ascii_alphanumeric() || c == '_');
                TokenKind::Name
            }
            Some(quote @ ('"' | '\'')) => self.text(quote)?,
            Some(other) => self.sign(other)?,
        };
        Ok(Token { kind, span: Span::new(start, self.at) })
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn skip(&mut self, wanted: impl Fn(char) -> bool) {
        let rest = self.rest();
        let length = rest.find(|c| !wanted(c)).unwrap_or(rest.len());
        self.at += length;
    }

    /// A plain decimal such as `5000` or `2.5`, and the percent sign right after it.
    fn number(&mut self) -> Result<TokenKind, Diagnostic> {
        let start = self.at;
        self.skip(|c| c.is_ascii_digit());
        let mut following = self.rest().chars();
        if following.next() == Some('.') && following.next().is_some_and(|c| c.is_ascii_digit()) {
            self.at += 1;
            self.skip(|c| c.is_ascii_digit());
        }
        let digits = self.at - start;
        if digits > NUMBER_DIGITS_MAX {
            let message = format!("this number has more than {NUMBER_DIGITS_MAX} digits");
            return Err(Diagnostic::new(Code::Limit, Span::new(start, self.at), message));
        }
        match self.peek() {
            Some('%') => {
                self.at += 1;
                Ok(TokenKind::Percent)
            }
            Some(c) if c.is_alphanumeric() || c == '_' => Err(self.run_on_number(start)),
            Some('.') if !self.rest().starts_with("..") => Err(self.run_on_number(start)),
            Some(_) | None => Ok(TokenKind::Number),
        }
    }

    /// Explains what is stuck to a number.
    fn run_on_number(&mut self, start: usize) -> Diagnostic {
        let number = self.source.get(start..self.at).unwrap_or_default().to_owned();
        let tail_start = self.at;
        self.skip(|c| c.is_alphanumeric() || c == '_' || c == '.');
        let tail = self.source.get(tail_start..self.at).unwrap_or_default();
        let diagnostic = Diagnostic::new(
            Code::BadNumber,
            Span::new(start, self.at),
            format!("`{number}{tail}` is not a number"),
        );
        match tail.as_bytes() {
            [b'e' | b'E', ..] => {
                diagnostic.help("exponents are refused: write all digits, such as `1500000`")
            }
            [b'_', ..] => diagnostic.help(format!("write digits only: `{number}{}`", tail.replace('_', ""))),
            [b'.'] => diagnostic.help(format!("write `{number}` or `{number}.0`")),
            [a, b, c] if [a, b, c].iter().all(|byte| byte.is_ascii_uppercase()) => {
                diagnostic.help(format!("put a space before the currency: `{number} {tail}`"))
            }
            _ => diagnostic.help("a number has digits and at most one point; a name starts with a letter"),
        }
    }

    fn text(&mut self, quote: char) -> Result<TokenKind, Diagnostic> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        loop {
            let here = self.at;
            let Some(character) = self.peek() else { return Err(unended(start, self.at)) };
            self.at += character.len_utf8();
            match character {
                c if c == quote => return Ok(TokenKind::Text(text)),
                '\n' => return Err(unended(start, here)),
                '\\' => text.push(self.escape(here)?),
                c if is_invisible(c) => {
                    let message =
                        format!("a text cannot hold the invisible character U+{:04X}", u32::from(c));
                    return Err(Diagnostic::new(Code::BadText, Span::new(here, self.at), message)
                        .help("write `\\n`, `\\r` or `\\t`"));
                }
                c => text.push(c),
            }
        }
    }

    fn escape(&mut self, start: usize) -> Result<char, Diagnostic> {
        let escaped = self.peek();
        self.at += escaped.map_or(0, char::len_utf8);
        match escaped {
            Some(c @ ('\\' | '"' | '\'')) => Ok(c),
            Some('n') => Ok('\n'),
            Some('r') => Ok('\r'),
            Some('t') => Ok('\t'),
            Some(_) | None => {
                let span = Span::new(start, self.at);
                Err(Diagnostic::new(
                    Code::BadText,
                    span,
                    format!("`{}` is not an escape", span.text(self.source)),
                )
                .help("there are `\\\\`, `\\\"`, `\\'`, `\\n`, `\\r` and `\\t`"))
            }
        }
    }

    fn sign(&mut self, first: char) -> Result<TokenKind, Diagnostic> {
        let rest = self.rest();
        let mistake = |table: &'static [(&'static str, Code, &'static str, &'static str)]| {
            table.iter().find(|(text, ..)| rest.starts_with(text)).map(|(text, code, message, help)| {
                Diagnostic::new(*code, Span::new(self.at, self.at + text.len()), *message).help(*help)
            })
        };
        if let Some(diagnostic) = mistake(MISTAKES) {
            return Err(diagnostic);
        }
        if let Some((text, sign)) = SIGNS.iter().find(|(text, _)| rest.starts_with(text)) {
            if *sign == Sign::Dot
                && rest[1..].starts_with(|c: char| c.is_ascii_digit())
                && !self.follows_value()
            {
                let span = Span::new(self.at, self.at + 1);
                return Err(Diagnostic::new(Code::BadNumber, span, "a number starts with a digit")
                    .help("write the zero: `0.5`"));
            }
            self.at += text.len();
            return Ok(TokenKind::Sign(*sign));
        }
        if let Some(diagnostic) = mistake(LONE_MISTAKES) {
            return Err(diagnostic);
        }
        let span = Span::new(self.at, self.at + first.len_utf8());
        let message = if is_invisible(first) {
            format!("the invisible character U+{:04X} means nothing here", u32::from(first))
        } else {
            format!("`{first}` means nothing here")
        };
        let help = first.is_alphanumeric().then(|| "names are made of a-z, A-Z, 0-9 and `_`".to_owned());
        Err(Diagnostic::new(Code::BadCharacter, span, message).help_if(help))
    }

    /// Whether the text before this place ends a value, so that a point here means a field.
    fn follows_value(&self) -> bool {
        self.source
            .get(..self.at)
            .and_then(|before| before.chars().next_back())
            .is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | ')' | ']'))
    }
}

fn unended(start: usize, end: usize) -> Diagnostic {
    Diagnostic::new(Code::BadText, Span::new(start, end), "this text does not end")
        .help("close it with the quote it was opened with")
}

//! Cuts a piece of text into figures, operators, words and signs.
//!
//! A figure stands for itself: what touches a letter, a number sign or another point belongs to an identifier, a date,
//! a version or a line of code, and is none.

use std::ops::Range;

use purple_finance::{Currency, Exact};

use super::quantity::{Quantity, ten_to};

/// The most digits of a figure.
const FIGURE_DIGITS_MAX: usize = 30;
/// The most digits of a bare number, such as the ends of a range: years have four.
const BARE_DIGITS_MAX: usize = 4;

/// A token, where it stands, and whether blanks are around it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
    pub(super) spaced_before: bool,
    pub(super) spaced_after: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum TokenKind {
    Figure(Quantity),
    Operator(Operator),
    Open,
    Close,
    /// `=`
    Equals,
    /// `≈`
    About,
    Word(String),
    /// Anything else, an identifier or a line of code as a whole.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus(Stroke),
    Times,
    Over,
}

/// How a minus is written: a hyphen and a dash are also punctuation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stroke {
    Hyphen,
    Dash,
    Minus,
}

/// The tokens of a piece that begins at `offset` of its text.
pub(super) fn tokens(piece: &str, offset: usize) -> Vec<Token> {
    let mut reader = Reader { piece, at: 0, tokens: Vec::new(), offset };
    while reader.step() {}
    reader.tokens
}

struct Reader<'a> {
    piece: &'a str,
    at: usize,
    tokens: Vec<Token>,
    offset: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.piece.get(self.at..).unwrap_or_default()
    }

    fn before(&self) -> Option<char> {
        self.piece.get(..self.at).unwrap_or_default().chars().next_back()
    }

    /// Takes one token, or blanks; `false` at the end.
    fn step(&mut self) -> bool {
        let Some(sign) = self.rest().chars().next() else { return false };
        if is_blank(sign) {
            self.at += sign.len_utf8();
            return true;
        }
        // Emphasis is no operator.
        let stars = self.rest().len() - self.rest().trim_start_matches('*').len();
        if stars >= 2 && !(self.is_blank_before() && self.is_blank_after(stars)) {
            self.at += stars;
            return true;
        }
        let (kind, bytes) = self.read(sign);
        self.push(kind, bytes);
        true
    }

    fn push(&mut self, kind: TokenKind, bytes: usize) {
        let bytes = bytes.max(1);
        let token = Token {
            kind,
            span: self.offset + self.at..self.offset + self.at + bytes,
            spaced_before: self.is_blank_before(),
            spaced_after: self.is_blank_after(bytes),
        };
        self.tokens.push(token);
        self.at += bytes;
    }

    fn is_blank_before(&self) -> bool {
        self.before().is_none_or(is_blank)
    }

    fn is_blank_after(&self, bytes: usize) -> bool {
        self.rest().get(bytes..).unwrap_or_default().chars().next().is_none_or(is_blank)
    }

    fn read(&self, sign: char) -> (TokenKind, usize) {
        if let Some(found) = self.figure() {
            return found;
        }
        let one = sign.len_utf8();
        if sign.is_alphanumeric() {
            return self.word();
        }
        let rest = self.rest();
        let compound = [
            "==", "!=", "<=", ">=", "=>", "->", "+=", "-=", "*=", "/=", "**", "++", "--", "//", "..", "::",
            ":=",
        ];
        if let Some(compound) = compound.iter().find(|compound| rest.starts_with(**compound)) {
            return (TokenKind::Other, compound.len());
        }
        let written = [("\\times", Operator::Times), ("\\cdot", Operator::Times), ("\\div", Operator::Over)];
        if let Some((name, operator)) = written.into_iter().find(|(name, _)| rest.starts_with(name)) {
            return (TokenKind::Operator(operator), name.len());
        }
        let operator = |operator| (TokenKind::Operator(operator), one);
        match sign {
            '+' => operator(Operator::Plus),
            '-' => operator(Operator::Minus(Stroke::Hyphen)),
            '–' | '—' => operator(Operator::Minus(Stroke::Dash)),
            '−' => operator(Operator::Minus(Stroke::Minus)),
            '*' | '×' | '·' | '⋅' | '✕' => operator(Operator::Times),
            '/' | '÷' | '⁄' | '∕' => operator(Operator::Over),
            '(' => (TokenKind::Open, one),
            ')' => (TokenKind::Close, one),
            '=' => (TokenKind::Equals, one),
            '≈' | '≅' | '≃' | '~' => (TokenKind::About, one),
            _ => (TokenKind::Other, one),
        }
    }

    /// A word, or what begins like one and goes on like an identifier, an address or code.
    fn word(&self) -> (TokenKind, usize) {
        if let Some(bytes) = self.times() {
            return (TokenKind::Operator(Operator::Times), bytes);
        }
        let rest = self.rest();
        if rest.get(..4).is_some_and(|four| four.eq_ignore_ascii_case("i.e.")) {
            return (TokenKind::Word("i.e.".to_owned()), 4);
        }
        let letters = rest
            .find(|sign: char| !sign.is_alphanumeric() && sign != '_' && sign != '\'')
            .unwrap_or(rest.len());
        let run = run(rest);
        let word = rest.get(..letters).unwrap_or_default();
        if run > letters || word.chars().any(|sign| sign.is_numeric() || sign == '_') {
            return (TokenKind::Other, run.max(letters));
        }
        let touches_sign = self.before().is_some_and(|sign| "#@\\_$&%~^".contains(sign));
        if touches_sign {
            (TokenKind::Other, letters)
        } else {
            (TokenKind::Word(word.to_lowercase()), letters)
        }
    }

    /// `x` between figures: as a word of its own, or touching the figures on both sides.
    fn times(&self) -> Option<usize> {
        let after = self.rest().strip_prefix(['x', 'X'])?;
        let behind =
            matches!(self.tokens.last(), Some(Token { kind: TokenKind::Figure(_) | TokenKind::Close, .. }));
        let is_word = self.is_blank_before() && after.starts_with(is_blank);
        let is_between = behind && !self.is_blank_before();
        ((is_word || is_between) && self.next_is_figure(1)).then_some(1)
    }

    /// Whether a figure, or a parenthesis, follows after so many bytes.
    fn next_is_figure(&self, bytes: usize) -> bool {
        let rest = self.rest().get(bytes..).unwrap_or_default().trim_start_matches(is_blank);
        let rest = rest.trim_start_matches('*');
        currency_before(rest).is_some() || rest.starts_with(|sign: char| sign.is_ascii_digit() || sign == '(')
    }

    /// A figure at this place: sign, currency, digits, and what belongs to them.
    fn figure(&self) -> Option<(TokenKind, usize)> {
        let rest = self.rest();
        let mut at = 0;
        let mut is_negative = false;
        let follows_value =
            matches!(self.tokens.last(), Some(Token { kind: TokenKind::Figure(_) | TokenKind::Close, .. }));
        // Behind a value a minus is an operator, whatever touches it.
        if !follows_value {
            at += minus(rest, &mut is_negative);
        }
        let mut currency = None;
        if let Some((sign, bytes)) = currency_before(rest.get(at..)?) {
            currency = Some(sign);
            at += bytes;
            at += minus(rest.get(at..)?, &mut is_negative);
        }
        let digits = rest.get(at..)?;
        if !digits.starts_with(|sign: char| sign.is_ascii_digit()) {
            return None;
        }
        if !self.may_begin() {
            return Some((TokenKind::Other, at + run(digits).max(1)));
        }
        let Some(number) = Number::read(digits) else {
            return Some((TokenKind::Other, at + run(digits).max(1)));
        };
        at += number.bytes;
        let (quantity, bytes) = self.finish(number, currency, is_negative, rest.get(at..)?)?;
        Some(match quantity {
            Some(quantity) => (TokenKind::Figure(quantity), at + bytes),
            None => (TokenKind::Other, at + bytes),
        })
    }

    /// Whether a figure may begin here: nothing touches it but blanks, brackets, operators and quotes.
    fn may_begin(&self) -> bool {
        let head = self.piece.get(..self.at).unwrap_or_default();
        match head.chars().next_back() {
            None => true,
            // `Total:$5` but not `3:1` and not `10:30`.
            Some(':') => !head.trim_end_matches(':').ends_with(|sign: char| sign.is_ascii_digit()),
            Some(sign) => is_blank(sign) || "([=≈≅≃+-–—−*×·⋅✕/÷⁄∕|\"“„'>xX~".contains(sign),
        }
    }

    /// What follows the digits: a multiplier, a percent sign, a currency, a unit. The figure is none if it is glued to
    /// something else.
    fn finish(
        &self,
        number: Number,
        mut currency: Option<String>,
        is_negative: bool,
        after: &str,
    ) -> Option<(Option<Quantity>, usize)> {
        let mut bytes = 0;
        let mut places = number.places;
        let mut value = number.value;
        if let Some((power, taken)) = multiplier(after, currency.is_some()) {
            value = value.times(&ten_to(power)?).ok()?;
            places -= i32::try_from(power).ok()?;
            bytes += taken;
        }
        let mut is_percent = false;
        if let Some(taken) = percent(after.get(bytes..)?) {
            value = value.over(&Exact::from(100)).ok()?;
            (places, is_percent) = (places + 2, true);
            bytes += taken;
        }
        if let Some((sign, taken)) = currency_after(after.get(bytes..)?) {
            currency.get_or_insert(sign);
            bytes += taken;
        }
        let (unit, taken) = glued_unit(after.get(bytes..)?);
        bytes += taken;
        let tail = after.get(bytes..)?;
        let is_hexadecimal = number.is_zero && tail.starts_with(['x', 'X']);
        if is_hexadecimal || is_glued(tail) {
            return Some((None, bytes + run(tail).max(1)));
        }
        let is_bare = number.is_bare && places == 0 && currency.is_none() && !is_negative;
        let value = if is_negative { value.negated() } else { value };
        let (is_grouped, zeros) = (number.is_grouped, number.zeros);
        let quantity = Quantity { value, places, is_percent, currency, unit, is_bare, is_grouped, zeros };
        Some((Some(quantity), bytes))
    }
}

/// Digits with commas between thousands and a point before decimals.
struct Number {
    value: Exact,
    places: i32,
    bytes: usize,
    is_bare: bool,
    is_grouped: bool,
    is_zero: bool,
    zeros: u32,
}

impl Number {
    fn read(text: &str) -> Option<Self> {
        let whole_end = text.find(|sign: char| !sign.is_ascii_digit() && sign != ',').unwrap_or(text.len());
        let whole = text.get(..whole_end)?.trim_end_matches(',');
        let mut bytes = whole.len();
        let groups: Vec<&str> = whole.split(',').collect();
        let (first, others) = groups.split_first()?;
        let is_grouped = !others.is_empty();
        if is_grouped && (first.len() > 3 || first.is_empty() || others.iter().any(|group| group.len() != 3))
        {
            return None;
        }
        if first.starts_with('0') && (first.len() > 1 || is_grouped) {
            return None;
        }
        let after = text.get(bytes..)?;
        let decimals = after.strip_prefix('.').map_or("", |after| {
            let end = after.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(after.len());
            after.get(..end).unwrap_or_default()
        });
        if !decimals.is_empty() {
            bytes += 1 + decimals.len();
            // A second point makes a version or an address, a comma after decimals another country's number.
            let next = text.get(bytes..)?;
            let goes_on = |sign: char| {
                next.strip_prefix(sign).is_some_and(|next| next.starts_with(|s: char| s.is_ascii_digit()))
            };
            if goes_on('.') || goes_on(',') {
                return None;
            }
        }
        let digits: String = groups.concat();
        if digits.len() + decimals.len() > FIGURE_DIGITS_MAX {
            return None;
        }
        let plain = if decimals.is_empty() { digits.clone() } else { format!("{digits}.{decimals}") };
        let zeros = if digits == "0" { 0 } else { digits.len() - digits.trim_end_matches('0').len() };
        Some(Self {
            value: Exact::parse(&plain).ok()?,
            places: i32::try_from(decimals.len()).ok()?,
            bytes,
            is_zero: plain == "0",
            is_grouped,
            is_bare: !is_grouped && decimals.is_empty() && digits.len() <= BARE_DIGITS_MAX,
            zeros: u32::try_from(zeros).ok()?,
        })
    }
}

/// Whether what follows a figure makes it a part of something else. `3x4` is a product, and `5:` ends a label.
fn is_glued(tail: &str) -> bool {
    let mut signs = tail.chars();
    let (first, next) = (signs.next(), signs.next());
    match first {
        Some('x' | 'X') => !next.is_some_and(|next| next.is_ascii_digit() || "$€£¥(".contains(next)),
        Some(':') => next.is_some_and(char::is_alphanumeric),
        Some(sign) => sign.is_alphanumeric() || "_@#\\".contains(sign),
        None => false,
    }
}

/// How far an identifier, an address, a date or a piece of code goes on: until a blank or a sign that ends it.
fn run(text: &str) -> usize {
    let mut end = 0;
    let mut signs = text.char_indices().peekable();
    while let Some((at, sign)) = signs.next() {
        let goes_on = sign.is_alphanumeric()
            || sign == '_'
            || ("-.,/:@#?&=%+\\'~;[]{}<>".contains(sign)
                && signs
                    .peek()
                    .is_some_and(|(_, next)| next.is_alphanumeric() || "_/[]{}<>=&?#".contains(*next)));
        if !goes_on {
            return at;
        }
        end = at + sign.len_utf8();
    }
    end
}

pub(super) fn is_blank(sign: char) -> bool {
    sign.is_whitespace() || matches!(sign, '`' | '\u{200b}' | '\u{feff}')
}

fn minus(text: &str, is_negative: &mut bool) -> usize {
    match text.chars().next() {
        Some(sign @ ('-' | '−')) => {
            *is_negative = !*is_negative;
            sign.len_utf8()
        }
        _ => 0,
    }
}

/// A currency sign, or a code with or without a blank, before digits.
fn currency_before(text: &str) -> Option<(String, usize)> {
    for sign in ["US$", "$", "€", "£", "¥"] {
        if let Some(after) = text.strip_prefix(sign) {
            let blanks = after.len() - after.trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
            let after = after.get(blanks..)?;
            let begins = after.starts_with(|sign: char| sign.is_ascii_digit() || sign == '-' || sign == '−');
            return (begins && blanks <= 2).then(|| (sign.to_owned(), sign.len() + blanks));
        }
    }
    let code = text.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_uppercase()))?;
    let after = text.get(3..)?;
    let blanks = after.len() - after.trim_start_matches([' ', '\u{a0}']).len();
    let begins = after.get(blanks..)?.starts_with(|sign: char| sign.is_ascii_digit());
    (begins && blanks <= 2 && Currency::parse(code).is_ok()).then(|| (code.to_owned(), 3 + blanks))
}

fn currency_after(text: &str) -> Option<(String, usize)> {
    let blanks = text.len() - text.trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
    let after = text.get(blanks..).filter(|_| blanks <= 2)?;
    for sign in ["€", "£"] {
        if after.starts_with(sign)
            && !after.get(sign.len()..)?.starts_with(|sign: char| sign.is_ascii_digit())
        {
            return Some((sign.to_owned(), blanks + sign.len()));
        }
    }
    let code = after.get(..3).filter(|code| code.bytes().all(|byte| byte.is_ascii_uppercase()))?;
    let ends = !after.get(3..)?.starts_with(|sign: char| sign.is_alphanumeric());
    (ends && Currency::parse(code).is_ok()).then(|| (code.to_owned(), blanks + 3))
}

/// The power of ten of `k`, `M`, `bn` and their words.
fn multiplier(text: &str, is_money: bool) -> Option<(u32, usize)> {
    let blanks = text.len() - text.trim_start_matches(' ').len();
    let after = text.get(blanks..)?;
    let end = after.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(after.len());
    let word = after.get(..end)?;
    let power = match word {
        "k" | "K" if blanks == 0 => 3,
        "M" | "mn" if blanks == 0 => 6,
        "bn" | "B" if blanks == 0 => 9,
        // "$1.2m" and "$1.2 M" are millions; "1.2m" may be metres.
        "m" | "mm" if blanks == 0 && is_money => 6,
        "b" if blanks == 0 && is_money => 9,
        "k" | "K" if is_money => 3,
        "M" | "mn" if is_money => 6,
        "bn" | "B" if is_money => 9,
        "thousand" => 3,
        "million" => 6,
        "billion" => 9,
        _ => return None,
    };
    (blanks <= 1).then_some((power, blanks + end))
}

fn percent(text: &str) -> Option<usize> {
    let blanks = text.len() - text.trim_start_matches([' ', '\u{a0}', '\u{202f}']).len();
    let after = text.get(blanks..).filter(|_| blanks <= 1)?;
    if let Some(next) = after.strip_prefix('%') {
        return (!next.starts_with(|sign: char| sign.is_alphanumeric())).then_some(blanks + 1);
    }
    let end = after.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(after.len());
    matches!(after.get(..end)?, "percent" | "pct").then_some(blanks + end)
}

/// A unit that touches the figure: `kg`, `/hr`. Ordinals and hexadecimal letters are none.
fn glued_unit(text: &str) -> (Option<String>, usize) {
    const UNIT_BYTES_MAX: usize = 12;
    let start = usize::from(text.starts_with('/'));
    let letters = text.get(start..).unwrap_or_default();
    let end = letters.find(|sign: char| !sign.is_ascii_alphabetic()).unwrap_or(letters.len());
    let word = letters.get(..end).unwrap_or_default();
    let times = start == 0 && matches!(word, "x" | "X");
    let unfit =
        end == 0 || end > UNIT_BYTES_MAX || times || matches!(word, "st" | "nd" | "rd" | "th" | "e" | "E");
    let goes_on = letters
        .get(end..)
        .unwrap_or_default()
        .starts_with(|sign: char| sign.is_alphanumeric() || sign == '_');
    let sign = if start == 0 { "" } else { "/" };
    if unfit || goes_on { (None, 0) } else { (Some(format!("{sign}{}", word.to_lowercase())), start + end) }
}

/// Whether the token is one of these signs.
pub(super) fn is_sign(text: &str, tokens: &[Token], at: usize, signs: &[&str]) -> bool {
    let Some(token) = tokens.get(at) else { return false };
    let written = text.get(token.span.clone()).unwrap_or_default();
    token.kind == TokenKind::Other && signs.contains(&written)
}

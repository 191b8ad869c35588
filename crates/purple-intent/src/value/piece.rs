//! The pieces of a text that values are made of: words, digits, spaces and signs.

use crate::span::Span;

/// A run of letters, digits or spaces, or one sign.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) span: Span,
    pub(super) kind: Kind,
    /// A word in lower case and without accents, the digits of a number; empty for the others.
    pub(super) text: String,
    pub(super) case: Case,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    /// The digits 0 to 9.
    Digits,
    /// Spaces inside a line.
    Space,
    /// One of the spaces that group digits and never end a line.
    HardSpace,
    LineEnd,
    Sign(char),
    /// Digits of another script, fractions, and marks put on a digit. No value has one.
    Foreign,
    /// Part of an address of mail or the web.
    Opaque,
}

/// How the letters of a word are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    /// A capital letter first.
    Capital,
    /// Only capital letters.
    Upper,
}

/// The pieces of a text in order. Invisible characters belong to the piece before them.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for (start, letter) in text.char_indices() {
        let span = Span::new(start, start + letter.len_utf8());
        let kind = kind(letter);
        match out.last_mut() {
            Some(last) if is_invisible(letter) => last.span.end = span.end,
            Some(last) if goes_on(last.kind, kind, letter) => last.add(letter, span.end),
            // An invisible character before the first piece.
            None if is_invisible(letter) => {}
            _ => {
                let mut piece = Piece { span, kind, text: String::new(), case: Case::Lower };
                piece.begin(letter);
                out.push(piece);
            }
        }
    }
    hide_addresses(&mut out);
    out
}

impl Piece {
    fn begin(&mut self, letter: char) {
        match self.kind {
            Kind::Word => {
                self.case = if letter.is_uppercase() { Case::Upper } else { Case::Lower };
                fold(letter, &mut self.text);
            }
            Kind::Digits => self.text.push(letter),
            _ => {}
        }
    }

    fn add(&mut self, letter: char, end: usize) {
        self.span.end = end;
        match self.kind {
            Kind::Word => {
                if self.case == Case::Upper && !letter.is_uppercase() {
                    self.case = Case::Capital;
                }
                fold(letter, &mut self.text);
            }
            Kind::Digits => self.text.push(letter),
            _ => {}
        }
    }
}

fn goes_on(before: Kind, next: Kind, letter: char) -> bool {
    match before {
        Kind::Word => next == Kind::Word || is_combining(letter),
        Kind::Digits | Kind::Space | Kind::LineEnd | Kind::Foreign => next == before,
        Kind::HardSpace | Kind::Sign(_) | Kind::Opaque => false,
    }
}

fn kind(letter: char) -> Kind {
    match letter {
        '0'..='9' => Kind::Digits,
        '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => Kind::LineEnd,
        '\u{a0}' | '\u{202f}' | '\u{2007}' | '\u{2009}' => Kind::HardSpace,
        _ if letter.is_whitespace() => Kind::Space,
        _ if is_combining(letter) => Kind::Foreign,
        _ if letter.is_alphabetic() => Kind::Word,
        _ if letter.is_numeric() => Kind::Foreign,
        _ => Kind::Sign(letter),
    }
}

fn is_combining(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}')
}

fn is_invisible(letter: char) -> bool {
    matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{ad}')
}

/// Adds a letter in lower case, without the accents of German, French and Spanish.
fn fold(letter: char, out: &mut String) {
    for lower in letter.to_lowercase() {
        match lower {
            'à' | 'á' | 'â' | 'ä' | 'ã' | 'å' => out.push('a'),
            'è' | 'é' | 'ê' | 'ë' => out.push('e'),
            'ì' | 'í' | 'î' | 'ï' => out.push('i'),
            'ò' | 'ó' | 'ô' | 'ö' | 'õ' => out.push('o'),
            'ù' | 'ú' | 'û' | 'ü' => out.push('u'),
            'ç' => out.push('c'),
            'ñ' => out.push('n'),
            'ß' => out.push_str("ss"),
            _ if is_combining(lower) => {}
            other => out.push(other),
        }
    }
}

/// Marks the pieces of `name@host`, `https://host/path` and `www.host`, so that nothing in them is read.
fn hide_addresses(pieces: &mut [Piece]) {
    let is_gap = |piece: &Piece| matches!(piece.kind, Kind::Space | Kind::HardSpace | Kind::LineEnd);
    for chunk in pieces.split_mut(is_gap) {
        if is_address(chunk) {
            for piece in chunk {
                piece.kind = Kind::Opaque;
            }
        }
    }
}

fn is_address(chunk: &[Piece]) -> bool {
    let sign = |piece: &Piece, wanted: char| piece.kind == Kind::Sign(wanted);
    let name = |piece: &Piece| matches!(piece.kind, Kind::Word | Kind::Digits);
    chunk.windows(3).any(|three| {
        let mail = name(&three[0]) && sign(&three[1], '@') && name(&three[2]);
        let web = sign(&three[0], ':') && sign(&three[1], '/') && sign(&three[2], '/');
        let host = three[0].text == "www" && sign(&three[1], '.');
        mail || web || host
    })
}

//! Lines of a text.

use crate::span::Span;

/// A line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Where it is, with its line end.
    pub(super) span: Span,
    /// Its words, without space around them.
    pub(super) text: &'a str,
    /// Where its words begin.
    pub(super) start: usize,
}

impl Line<'_> {
    /// Whether nothing is on it.
    pub(super) fn is_blank(&self) -> bool {
        self.text.is_empty()
    }
}

/// Whether this character ends a line.
fn ends_line(letter: char) -> bool {
    matches!(letter, '\n' | '\r' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// The lines of a text. Together they are the whole text.
pub(super) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for piece in text.replace("\r\n", " \n").split_inclusive(ends_line) {
        let span = Span::new(start, start + piece.len());
        let whole = span.of(text);
        let indent = whole.len() - whole.trim_start().len();
        lines.push(Line { span, text: whole.trim(), start: span.start + indent });
        start = span.end;
    }
    lines
}

//! Text in quotation marks.

use super::line::lines;
use super::words::{has_cue, has_verb, words};
use crate::language::Cue;
use crate::span::Span;
use crate::token::tokens;

/// A quotation mark.
#[derive(Clone, Copy, Debug)]
struct Mark {
    at: usize,
    sign: char,
    before: Option<char>,
    after: Option<char>,
    paragraph: usize,
}

/// How far the end of a mark is searched that means nothing without an end, in marks.
const REACH: usize = 32;
/// The most words of a name.
const NAME: usize = 3;

/// The quotations of a passage, in order and with their marks.
pub(super) fn quotations(text: &str, passage: Span) -> Vec<Span> {
    let (marks, ends) = marks(text, passage);
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(mark) = marks.get(at) {
        let rest = marks.get(at + 1..).unwrap_or_default();
        at += 1;
        if !mark.opens() {
            continue;
        }
        let closed = if mark.is_single() { single_end(mark, rest) } else { end(mark, rest) };
        let span = match closed.and_then(|index| Some((index, rest.get(index)?))) {
            Some((index, end)) => {
                at += index + 1;
                Span::new(mark.at, end.at + end.sign.len_utf8())
            }
            None if mark.is_single() || mark.sign == '`' => continue,
            None => {
                at += rest.partition_point(|other| other.paragraph == mark.paragraph);
                Span::new(mark.at, ends.get(mark.paragraph).copied().unwrap_or(passage.end))
            }
        };
        if is_quotation(span.of(text)) {
            found.push(span);
        }
    }
    found
}

/// Whether the text is more than a name. A negation without a verb stays where it is: in `do "not" approve it` the
/// marks only stress it.
fn is_quotation(text: &str) -> bool {
    let tokens = tokens(text);
    let short = words(&tokens).count() <= NAME;
    let verb = has_verb(&tokens);
    let negated = (short || !verb) && has_cue(&tokens, &[Cue::Negation]);
    !negated && (verb || !short)
}

/// The quotation marks of a passage, and where each of its paragraphs ends.
fn marks(text: &str, passage: Span) -> (Vec<Mark>, Vec<usize>) {
    let (mut marks, mut ends) = (Vec::new(), Vec::new());
    let mut before = None;
    let passage_text = passage.of(text);
    for line in lines(passage_text) {
        let start = passage.start + line.span.start;
        if line.is_blank() {
            ends.push(start);
        }
        let mut letters = line.span.of(passage_text).char_indices().peekable();
        while let Some((at, sign)) = letters.next() {
            let after = letters.peek().map(|(_, letter)| *letter);
            if closers(sign).is_some() || CLOSING.contains(sign) {
                let sign = if sign == '＂' { '"' } else { sign };
                marks.push(Mark { at: start + at, sign, before, after, paragraph: ends.len() });
            }
            before = Some(sign);
        }
    }
    ends.push(passage.end);
    (marks, ends)
}

/// Signs that only end a quotation.
const CLOSING: &str = "」』’}";

/// The signs that end a quotation which begins with this one.
fn closers(sign: char) -> Option<&'static str> {
    Some(match sign {
        '"' | '＂' => "\"”“",
        '“' => "”\"",
        '”' => "”",
        '„' => "“”\"",
        '«' => "»",
        '»' => "«",
        '‹' => "›",
        '›' => "‹",
        '「' => "」",
        '『' => "』",
        '`' => "`´",
        '{' => "}",
        '\'' => "'’",
        '‘' => "’'",
        '‚' => "‘’'",
        _ => return None,
    })
}

fn is_space(letter: Option<char>) -> bool {
    letter.is_none_or(char::is_whitespace)
}

impl Mark {
    fn is_single(&self) -> bool {
        "'‘‚’".contains(self.sign)
    }

    /// Whether a word begins after this mark and none ends before it.
    fn is_before_word(&self) -> bool {
        let free =
            is_space(self.before) || self.before.is_some_and(|letter| "([{:-–—/=>,\"“„".contains(letter));
        free && !is_space(self.after)
    }

    fn opens(&self) -> bool {
        match self.sign {
            '“' | '„' | '«' | '‹' | '「' | '『' => true,
            '"' => self.is_before_word() || is_space(self.before),
            '»' | '›' | '”' | '`' => self.is_before_word(),
            '{' => matches!(self.after, Some('"' | '\'')),
            '\'' | '‘' | '‚' => self.is_before_word() && self.after.is_some_and(char::is_alphanumeric),
            _ => false,
        }
    }

    /// Whether this mark ends a quotation that began with the other one.
    fn closes(&self, open: &Self) -> bool {
        let listed = closers(open.sign).is_some_and(|signs| signs.contains(self.sign));
        let straight = matches!(self.sign, '"' | '“' | '`');
        listed && !(straight && open.sign != '„' && is_space(self.before) && !is_space(self.after))
    }
}

/// The mark that ends a quotation, by its index. A mark that opens again inside needs an end of its own.
fn end(open: &Mark, rest: &[Mark]) -> Option<usize> {
    let mut depth = 1_usize;
    let reach = if open.sign == '`' { REACH } else { rest.len() };
    for (index, mark) in rest.iter().enumerate().take(reach) {
        if mark.paragraph != open.paragraph {
            // A quotation of several paragraphs: its end comes before another begins.
            let mut later = rest.iter().enumerate().skip(index).take(REACH);
            let next = later.find(|(_, mark)| mark.sign == open.sign || mark.closes(open));
            return next
                .filter(|(_, mark)| mark.closes(open) && !mark.is_before_word())
                .map(|(index, _)| index);
        }
        if mark.closes(open) {
            depth -= 1;
        } else if mark.sign == open.sign && mark.opens() {
            depth += 1;
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// The end of a single quotation mark. An apostrophe after `s` is an end only where there is no other.
fn single_end(open: &Mark, rest: &[Mark]) -> Option<usize> {
    let ends = |mark: &Mark| {
        let closing = closers(open.sign).is_some_and(|signs| signs.contains(mark.sign));
        closing && !is_space(mark.before) && !mark.after.is_some_and(char::is_alphanumeric)
    };
    let here = || {
        let near =
            rest.iter().enumerate().take(REACH).take_while(|(_, mark)| mark.paragraph == open.paragraph);
        near.filter(|(_, mark)| ends(mark))
    };
    let clear = here().find(|(_, mark)| mark.before != Some('s'));
    clear.or_else(|| here().next()).map(|(index, _)| index)
}

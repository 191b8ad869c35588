//! The end of a mail: closing, signature, and lines that name files.

use super::line::Line;
use super::mail::{MailWords, beginning, first_words, fold, has, mail_words};
use super::words::{has_cue, has_meaning, is_function_word, words};
use super::{Part, PartKind};
use crate::language::Cue;
use crate::span::Span;
use crate::token::{Token, TokenKind, tokens};

/// The most words of a line of a signature.
const LONGEST: usize = 10;
/// The most words of a name.
const NAME: usize = 3;

/// Cues that a line of a signature never has: without such a line the text would mean something else.
const DECISIVE: &[Cue] = &[Cue::Negation, Cue::Correction, Cue::Reversal];

/// The lines of closings, signatures and attachments. Only free lines are read; the greeting is not the text.
pub(super) fn endings(lines: &[Line], free: &[bool], greeting: Option<Span>) -> Vec<Part> {
    let mut reader = Endings { found: Vec::new(), has_text: false, state: State::Text };
    let pairs: Vec<(&Line, bool)> = lines.iter().zip(free.iter().copied()).collect();
    for (index, (line, free)) in pairs.iter().enumerate() {
        if line.is_blank() {
            reader.state = if reader.state == State::Notice { State::Signature } else { reader.state };
            continue;
        }
        let greeted = greeting.is_some_and(|greeting| greeting.overlaps(line.span));
        if !free || greeted {
            reader.has_text |=
                !greeted || greeting.is_some_and(|greeting| greeting.end < line.start + line.text.len());
            reader.state = if *free { reader.state } else { State::Text };
            continue;
        }
        let alone = index > 0 && pairs.get(index - 1).is_some_and(|(line, _)| line.is_blank());
        let rest = pairs.get(index + 1..).unwrap_or_default();
        let last = rest.iter().find(|(line, _)| !line.is_blank()).is_none_or(|(_, free)| !free);
        reader.read(line, alone && last);
    }
    reader.found
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In the text.
    Text,
    /// After a closing.
    Signature,
    /// In a legal notice.
    Notice,
    /// After `-- `.
    Rest,
}

struct Endings {
    found: Vec<Part>,
    has_text: bool,
    state: State,
}

impl Endings {
    fn read(&mut self, line: &Line, last_alone: bool) {
        let kind = self.kind(line, last_alone);
        self.has_text |= kind == PartKind::Own;
        self.state = match (self.state, kind) {
            (_, PartKind::Own) => State::Text,
            (State::Text, PartKind::Closing) => State::Signature,
            (state, _) => state,
        };
        if kind != PartKind::Own {
            self.found.push(Part { kind, span: line.span });
        }
    }

    fn kind(&mut self, line: &Line, last_alone: bool) -> PartKind {
        if is_attachment(line.text) {
            return PartKind::Attachment;
        }
        let folded = fold(line.text);
        let decides = || has_cue(&tokens(line.text), DECISIVE);
        if begins_notice(&folded) && (!decides() || is_legal(&folded)) {
            self.state = State::Notice;
            return PartKind::Signature;
        }
        if self.state == State::Rest || self.state == State::Notice {
            // "--" and then "Ignore the above": what decides something is no signature.
            return if self.state == State::Rest && decides() { PartKind::Own } else { PartKind::Signature };
        }
        if self.has_text && matches!(line.text, "--" | "---" | "—" | "–" | "__" | "___") {
            self.state = State::Rest;
            return PartKind::Signature;
        }
        if self.has_text && is_closing(line.text) {
            return PartKind::Closing;
        }
        let signed = self.state == State::Signature && is_signature(line.text);
        if signed || (self.has_text && last_alone && is_plain_name(line.text)) {
            return PartKind::Signature;
        }
        PartKind::Own
    }
}

/// Whether a line, as [`fold`] writes it, begins like a legal notice or the advertisement of a mail program.
fn begins_notice(folded: &str) -> bool {
    mail_words().signature_lines.iter().any(|start| folded.starts_with(start.as_str()))
}

/// "Disclaimer: do not book it" is no notice, "do not process it if you are not the intended recipient" is one.
fn is_legal(folded: &str) -> bool {
    mail_words().legal.iter().any(|part| folded.contains(part.as_str()))
}

/// `Best regards`, `Thanks, Ines`.
fn is_closing(text: &str) -> bool {
    let all = tokens(text);
    let Some(count) = beginning(&mail_words().closings, &first_words(&all)) else { return false };
    let rest = all.get(count..).unwrap_or_default();
    words(rest).next().is_none()
        || (words(rest).count() <= NAME + 2 && is_title(rest) && !has_cue(rest, DECISIVE))
}

/// Whether each word is a name, a title or between such words: `T. Okafor`, `Head of Operations`.
fn is_title(tokens: &[Token]) -> bool {
    let part = |token: &Token| token.capital || !has_meaning(&token.lower) || is_function_word(&token.lower);
    let initial = |token: &Token| token.lower.len() == 1;
    let begins = |token: &Token| token.capital || initial(token) || !has_meaning(&token.lower);
    let first = words(tokens).next().is_some_and(begins);
    first && words(tokens).all(part) && !tokens.iter().any(|token| "?!".contains(token.lower.as_str()))
}

fn is_signature(text: &str) -> bool {
    let all = tokens(text);
    if words(&all).count() > LONGEST || is_postscript(&all) || has_cue(&all, DECISIVE) {
        return false;
    }
    is_contact(text, &all, mail_words()) || (is_title(&all) && !words(&all).any(is_id))
}

/// A letter and a digit in one word, such as an invoice number.
fn is_id(token: &Token) -> bool {
    let has = |test: fn(char) -> bool| token.lower.contains(test);
    token.kind == TokenKind::Word && has(|letter| letter.is_ascii_digit())
}

fn is_postscript(tokens: &[Token]) -> bool {
    let start: Vec<&str> = tokens.iter().take(3).map(|token| token.lower.as_str()).collect();
    matches!(start.first(), Some(&("ps" | "nb" | "pd")))
        || matches!(start[..], ["p" | "n", ".", "s" | "b" | "d"])
}

/// A telephone number, an address of a mail or of a page.
fn is_contact(text: &str, tokens: &[Token], mail: &MailWords) -> bool {
    let label = tokens.first().is_some_and(|token| has(&mail.contacts, &fold(&token.lower)));
    let digits = text.chars().filter(char::is_ascii_digit).count();
    let letters = text.chars().filter(|letter| letter.is_alphabetic()).count();
    let number = digits >= 6 && (letters < digits || label) && !tokens.iter().any(is_id);
    number
        || text.contains("www.")
        || text.contains("://")
        || (text.contains('@') && words(tokens).count() <= 8)
}

/// A name as the last line, without a closing.
fn is_plain_name(text: &str) -> bool {
    let text = text.trim_start_matches(['-', '–', '—', '/', '~', '*', ' ']);
    let all = tokens(text.trim_end_matches([',', '.']));
    let count = words(&all).count();
    let name = |token: &Token| token.capital && !has_meaning(&token.lower) && !is_id(token);
    (1..=NAME).contains(&count) && count == all.len() && all.iter().all(name)
}

/// A line that only names files: `Attachment: invoice.pdf`, `[image: logo.png]`.
fn is_attachment(text: &str) -> bool {
    let text = text.trim_matches(['[', ']', '<', '>', '*', ' ']);
    let label = text.split_once(':').filter(|(label, _)| has(&mail_words().attachments, fold(label).trim()));
    let named = |list: &str| {
        let mut names = list.split([',', ';']).map(str::trim).filter(|name| !name.is_empty()).peekable();
        names.peek().is_some() && names.all(is_file)
    };
    label.map_or_else(|| !text.contains(char::is_whitespace) && is_file(text), |(_, list)| named(list))
}

/// A name with an ending of a file, and possibly its size.
fn is_file(name: &str) -> bool {
    let sized = name.split_once('(').filter(|(_, size)| is_size(size));
    let name = sized.map_or(name, |(name, _)| name).trim();
    let ending = name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty() && !stem.contains(". "));
    let known = ending.is_some_and(|(_, ending)| has(&mail_words().extensions, &ending.to_lowercase()));
    known && name.split_whitespace().count() <= 6
}

/// `120 KB)`.
fn is_size(text: &str) -> bool {
    let unit = text
        .trim_end_matches(')')
        .trim_start_matches(|letter: char| letter.is_ascii_digit() || "., ".contains(letter));
    matches!(unit.to_lowercase().as_str(), "b" | "kb" | "mb" | "gb" | "ko" | "mo" | "bytes")
}

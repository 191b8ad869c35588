//! Words that announce somebody else's words: `Acme wrote:`, `Translate into German:`.

use super::line::{Line, lines};
use super::mail::{fold, has, mail_words};
use super::words::words;
use crate::span::Span;
use crate::token::{Token, tokens};

/// How many tokens before a colon can announce what follows.
const BEFORE: usize = 24;

/// Whether the lines after this one are somebody else's words.
pub(super) fn announces(line: &Line) -> bool {
    let Some(text) = line.text.strip_suffix(':') else { return false };
    let (mail, text) = (mail_words(), fold(text));
    let all = tokens(&text);
    let any = |list: &[String]| words(&all).any(|word| has(list, &word.lower));
    let notice = mail.notices.iter().any(|notice| format!(" {text}").contains(&format!(" {notice}")));
    notice || says(&all) || (any(&mail.messages) && any(&mail.pointers))
}

/// Whether these words end with a verb of saying whose subject is not the requester.
fn says(tokens: &[Token]) -> bool {
    let mail = mail_words();
    let mut back = words(tokens).map(|token| token.lower.as_str()).rev();
    let verb = back.next().is_some_and(|word| has(&mail.say_verbs, word));
    verb && !back.take(3).any(|word| has(&mail.first_person, word))
}

/// The quotations of a passage, and the texts that a colon announces inside a line.
pub(super) fn with_introduced(text: &str, passage: Span, quotations: Vec<Span>) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    for paragraph in paragraphs(text, passage) {
        if found.last().is_none_or(|last| last.end <= paragraph.start) {
            found.extend(introduced(text, paragraph, passage, &quotations));
        }
    }
    let announced = found.clone();
    let inside = |span: &Span| {
        let next = announced.partition_point(|other| other.end <= span.start);
        announced.get(next).is_some_and(|other| other.overlaps(*span))
    };
    found.extend(quotations.into_iter().filter(|span| !inside(span)));
    found.sort();
    found
}

/// The paragraphs of a passage: words without an empty line between them.
fn paragraphs(text: &str, passage: Span) -> Vec<Span> {
    let mut found: Vec<Span> = Vec::new();
    let mut open = false;
    for line in lines(passage.of(text)) {
        let span = Span::new(passage.start + line.span.start, passage.start + line.span.end);
        match found.last_mut().filter(|_| open) {
            _ if line.is_blank() => {}
            Some(last) => last.end = span.end,
            None => found.push(span),
        }
        open = !line.is_blank();
    }
    found
}

/// The announced text of a paragraph: after `says:` to its end without questions at the end, after `translate …:` to
/// the end of the passage.
fn introduced(text: &str, paragraph: Span, passage: Span, quotations: &[Span]) -> Option<Span> {
    paragraph.of(text).find(':')?;
    let all = tokens(paragraph.of(text));
    let mut sentence = 0;
    for (index, token) in all.iter().enumerate() {
        let end = paragraph.start + token.span.end;
        if matches!(token.lower.as_str(), "." | "?" | "!") {
            sentence = index + 1;
        }
        let next = quotations.partition_point(|span| span.end < end);
        let inside = quotations.get(next).is_some_and(|span| span.start < end);
        if token.lower != ":" || inside {
            continue;
        }
        let before = all.get(sentence.max(index.saturating_sub(BEFORE))..index).unwrap_or_default();
        if names_text_verb(before) && !passage_is_blank(text, end, passage.end) {
            return Some(Span::new(end, passage.end)).filter(|_| !quoted_next(text, end, quotations));
        }
        if says(before) && !quoted_next(text, end, quotations) {
            return Some(Span::new(end, without_questions(text, end, paragraph.end)));
        }
    }
    None
}

fn passage_is_blank(text: &str, start: usize, end: usize) -> bool {
    Span::new(start, end).of(text).trim().is_empty()
}

fn names_text_verb(tokens: &[Token]) -> bool {
    let begins = |word: &str| mail_words().text_verbs.iter().any(|verb| word.starts_with(verb.as_str()));
    words(tokens)
        .any(|word| if word.lower.is_ascii() { begins(&word.lower) } else { begins(&fold(&word.lower)) })
}

/// Whether a quotation follows after at most some space.
fn quoted_next(text: &str, at: usize, quotations: &[Span]) -> bool {
    let next = quotations.get(quotations.partition_point(|span| span.start < at));
    next.is_some_and(|next| passage_is_blank(text, at, next.start))
}

/// The end of a text without the questions at its end. A question is no order, so it may be the requester's.
fn without_questions(text: &str, start: usize, end: usize) -> usize {
    let mut ends: Vec<(usize, char)> = vec![(start, '.')];
    let marks = Span::new(start, end).of(text).char_indices().filter(|(_, letter)| ".?!".contains(*letter));
    ends.extend(marks.map(|(at, letter)| (start + at + 1, letter)));
    let rest = |at: usize| passage_is_blank(text, at, end);
    if ends.last().is_none_or(|(at, letter)| *letter != '?' || !rest(*at)) {
        return end;
    }
    let question = |(_, letter): &(usize, char)| *letter == '?';
    let last = ends.iter().rposition(|mark| !question(mark)).unwrap_or(0);
    ends.get(last).map_or(end, |(at, _)| *at)
}

//! The parts of an e-mail.
//!
//! Text in quotation marks, under a reply header or after a forward header is evidence and never an order. Where it is
//! not clear whose words a passage is, it counts as quoted.

mod block;
mod courtesy;
mod greeting;
mod header;
mod introduction;
mod line;
mod mail;
mod quotation;
mod signature;
mod words;

use crate::span::Span;
use line::Line;

/// A part of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Where it is.
    pub span: Span,
}

/// What a part of a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PartKind {
    /// The subject and other lines at the top: `Subject: …`, `To: …`, `Re: …`.
    Subject,
    /// `Hi Anna,`, and sentences that are only polite: `Thank you for your help yesterday.`
    Greeting,
    /// The requester's own words.
    Own,
    /// `Best regards`.
    Closing,
    /// Name, title, telephone number, company, legal notice.
    Signature,
    /// Somebody else's words, code, data and rows of a table.
    Quoted,
    /// Everything after a forward header.
    Forwarded,
    /// A line that only names a file.
    Attachment,
}

/// Whether a word, in lower case, is the requester as a subject: `i`, `wir`.
pub(crate) fn is_first_person(word: &str) -> bool {
    mail::has(&mail::mail_words().first_person, &mail::fold(word))
}

/// The parts of a text. They cover it in order and do not overlap.
pub fn parts(text: &str) -> Vec<Part> {
    let lines = line::lines(text);
    let mut blocks = block::blocks(&lines);
    header::mark_subject(&lines, &mut blocks);
    let mut marked: Vec<Part> = Vec::new();
    for (line, kind) in lines.iter().zip(&blocks) {
        marked.extend(kind.map(|kind| Part { kind, span: line.span }));
    }
    for free in free_passages(&lines, &blocks) {
        let spans = quotation::quotations(text, free);
        let spans = introduction::with_introduced(text, free, spans);
        marked.extend(spans.into_iter().map(|span| Part { kind: PartKind::Quoted, span }));
    }
    marked.sort_by_key(|part| part.span);
    marked.extend(letter(&lines, &blocks, &marked));
    marked.sort_by_key(|part| part.span);
    let own = cover(text, &marked).into_iter().filter(|part| part.kind == PartKind::Own);
    let polite = own.flat_map(|part| courtesy::courtesies(text, part.span));
    marked.extend(polite.map(|span| Part { kind: PartKind::Greeting, span }).collect::<Vec<_>>());
    marked.sort_by_key(|part| part.span);
    cover(text, &marked)
}

/// Greeting, closing, signature and attachments: lines outside of blocks and quotations.
fn letter(lines: &[Line], blocks: &[Option<PartKind>], marked: &[Part]) -> Vec<Part> {
    let is_free = |line: &Line, kind: &Option<PartKind>| kind.is_none() && !touches(marked, line.span);
    let free: Vec<bool> = lines.iter().zip(blocks).map(|(line, kind)| is_free(line, kind)).collect();
    let mut found = Vec::new();
    let first = lines.iter().zip(blocks).position(|(line, kind)| kind.is_none() && !line.is_blank());
    let top = |index: &usize| {
        blocks.iter().take(*index).all(|kind| kind.is_none_or(|kind| kind == PartKind::Subject))
    };
    if let Some(line) = first.filter(top).and_then(|index| lines.get(index)) {
        let greeting = greeting::greeting(line).filter(|span| !touches(marked, *span));
        found.extend(greeting.map(|span| Part { kind: PartKind::Greeting, span }));
    }
    let greeted = found.first().map(|part| part.span);
    found.extend(signature::endings(lines, &free, greeted));
    found
}

/// Whether a part, of parts in order, has a byte of this place.
fn touches(parts: &[Part], span: Span) -> bool {
    let next = parts.partition_point(|part| part.span.end <= span.start);
    parts.get(next).is_some_and(|part| part.span.overlaps(span))
}

/// The longest rows of lines that belong to no block.
fn free_passages(lines: &[Line], blocks: &[Option<PartKind>]) -> Vec<Span> {
    let mut passages: Vec<Span> = Vec::new();
    for (line, _) in lines.iter().zip(blocks).filter(|(_, kind)| kind.is_none()) {
        match passages.last_mut().filter(|last| last.end == line.span.start) {
            Some(last) => last.end = line.span.end,
            None => passages.push(line.span),
        }
    }
    passages
}

/// Fills what lies between the marked parts: words are own words, and space belongs to the part before it.
fn cover(text: &str, marked: &[Part]) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    let mut add = |kind: PartKind, span: Span| {
        if span.start >= span.end {
            return;
        }
        let blank = span.of(text).trim().is_empty();
        match parts.last_mut() {
            Some(last) if last.kind == kind || blank => last.span.end = span.end,
            _ => parts.push(Part { kind, span }),
        }
    };
    let mut at = 0;
    for part in marked {
        let start = part.span.start.max(at);
        add(PartKind::Own, Span::new(at, start));
        add(part.kind, Span::new(start, part.span.end.max(start)));
        at = part.span.end.max(start);
    }
    add(PartKind::Own, Span::new(at, text.len()));
    parts
}

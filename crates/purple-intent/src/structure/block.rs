//! Passages of whole lines that are not the requester's words: quoted lines, replies, forwarded mails, code, data and
//! tables.

use std::collections::HashMap;

use super::PartKind;
use super::header::{begins_forwarded, reply_header, ruled_title};
use super::introduction::announces;
use super::line::Line;
use super::mail::{has, mail_words};

/// The kind of each line that belongs to such a passage.
pub(super) fn blocks(lines: &[Line]) -> Vec<Option<PartKind>> {
    let mut reader =
        Reader { lines, kinds: vec![None; lines.len()], closing: closing_tags(lines), unclosed: false };
    let mut at = 0;
    while at < lines.len() {
        at = reader.read(at).max(at + 1);
    }
    reader.kinds
}

struct Reader<'a> {
    lines: &'a [Line<'a>],
    kinds: Vec<Option<PartKind>>,
    /// The lines with each closing tag, in order.
    closing: HashMap<String, Vec<usize>>,
    /// Whether a brace was never closed. Later ones end with their paragraph.
    unclosed: bool,
}

impl Reader<'_> {
    /// Reads the passage that begins here and returns the next line to read.
    fn read(&mut self, at: usize) -> usize {
        let all = self.lines.len();
        let Some(line) = self.lines.get(at).filter(|line| !line.is_blank()) else { return at + 1 };
        if is_quoted(line) {
            return self.mark(at, at + 1, PartKind::Quoted);
        }
        if begins_forwarded(self.lines, at) {
            return self.mark(at, all, PartKind::Forwarded);
        }
        if let Some(count) = reply_header(self.lines, at) {
            let end = if self.marked_next(at + count) { at + count } else { all };
            return self.mark(at, end, PartKind::Quoted);
        }
        if announces(line) {
            return if self.marked_next(at + 1) { at + 1 } else { self.mark(at + 1, all, PartKind::Quoted) };
        }
        match self.data_end(at, line) {
            Some(end) => self.mark(at, end, PartKind::Quoted),
            None => at + 1,
        }
    }

    fn mark(&mut self, from: usize, to: usize, kind: PartKind) -> usize {
        for place in self.kinds.iter_mut().take(to).skip(from) {
            *place = Some(kind);
        }
        to
    }

    /// Whether the next words after a header are marked as quoted in their own way, so that the header ends there.
    fn marked_next(&self, at: usize) -> bool {
        let next =
            (at..self.lines.len()).find(|index| self.lines.get(*index).is_some_and(|line| !line.is_blank()));
        let Some((index, line)) = next.and_then(|index| Some((index, self.lines.get(index)?))) else {
            return true;
        };
        let opens = line.text.starts_with(['"', '“', '„', '«', '»', '‚', '‘', '\'']);
        let own_way = is_quoted(line) || opens || begins_forwarded(self.lines, index);
        own_way || is_fence(line) || starts_data(line) || is_row(line)
    }

    /// The end of code, data, a table or a passage between rules that begins here.
    fn data_end(&mut self, at: usize, line: &Line) -> Option<usize> {
        if is_fence(line) {
            return Some(self.fence_end(at));
        }
        if let Some(title) = ruled_title(line.text) {
            return self.ruled_end(at, &title);
        }
        if is_row(line) {
            return Some(at + 1);
        }
        if !starts_data(line) {
            return None;
        }
        Some(if line.text.starts_with('<') { self.tag_end(at, line) } else { self.brace_end(at) })
    }

    fn fence_end(&self, at: usize) -> usize {
        let sign = self.lines.get(at).and_then(|line| line.text.get(..3)).unwrap_or_default();
        let closes =
            |line: &Line| line.text.starts_with(sign) && line.text.trim_start_matches(['`', '~']).is_empty();
        let rest = self.lines.iter().skip(at + 1);
        rest.clone().position(closes).map_or(self.lines.len(), |found| at + found + 2)
    }

    /// After `-- quoted text --`: to the line with `end`, or to the end of the text.
    fn ruled_end(&self, at: usize, title: &str) -> Option<usize> {
        let mail = mail_words();
        let mut words = title.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
        if !words.any(|word| has(&mail.quote_titles, word)) {
            return None;
        }
        let is_end = |line: &Line| {
            let title = ruled_title(line.text);
            title.is_some_and(|title| mail.quote_ends.iter().any(|end| title.starts_with(end.as_str())))
        };
        let found = self.lines.iter().skip(at + 1).position(is_end);
        Some(found.map_or(self.lines.len(), |found| at + found + 2))
    }

    /// The line after the last one of this paragraph.
    fn paragraph_end(&self, at: usize) -> usize {
        let rest = self.lines.iter().skip(at);
        rest.clone().position(Line::is_blank).map_or(self.lines.len(), |found| at + found)
    }

    fn tag_end(&self, at: usize, line: &Line) -> usize {
        let name = tag_name(line.text.trim_start_matches(['<', '?', '!'])).to_lowercase();
        let closing = self.closing.get(&name).map_or(&[][..], Vec::as_slice);
        let next = closing.get(closing.partition_point(|index| *index < at)).copied();
        next.map_or_else(|| self.paragraph_end(at), |index| index + 1)
    }

    fn brace_end(&mut self, at: usize) -> usize {
        if self.unclosed {
            return self.paragraph_end(at);
        }
        let (mut depth, mut quoted) = (0_i64, false);
        for (index, line) in self.lines.iter().enumerate().skip(at) {
            let mut escaped = false;
            for letter in line.text.chars() {
                match letter {
                    '"' if !escaped => quoted = !quoted,
                    '{' | '[' if !quoted => depth += 1,
                    '}' | ']' if !quoted => depth -= 1,
                    _ => {}
                }
                escaped = letter == '\\' && !escaped;
            }
            if depth <= 0 && !quoted {
                return index + 1;
            }
        }
        self.unclosed = true;
        self.paragraph_end(at)
    }
}

/// `> like this`.
fn is_quoted(line: &Line) -> bool {
    line.text.starts_with('>') || line.text.starts_with("&gt;") || line.text.starts_with('＞')
}

fn is_fence(line: &Line) -> bool {
    line.text.starts_with("```") || line.text.starts_with("~~~")
}

/// A row of a table: cells between `|` or tabs.
fn is_row(line: &Line) -> bool {
    let text = line.text;
    let bars = text.matches('|').count();
    bars >= 3
        || (bars == 2 && text.starts_with('|') && text.ends_with('|'))
        || text.matches('\t').count() >= 2
}

/// Whether JSON or XML begins here. `<anna@example.com>` and `[1]` do not.
fn starts_data(line: &Line) -> bool {
    let mut letters = line.text.chars();
    let first = letters.next();
    let second = letters.find(|letter| !letter.is_whitespace());
    match first {
        Some('{') => second.is_none_or(|letter| "\"'{[}".contains(letter)),
        Some('[') => second.is_none_or(|letter| "\"{[".contains(letter)),
        Some('<') => {
            let tag = second.is_some_and(|letter| letter.is_alphabetic() || "?!/".contains(letter));
            let inner = line.text.get(1..).and_then(|rest| rest.split('>').next()).unwrap_or_default();
            tag && line.text.contains('>') && !inner.contains('@') && !inner.contains("://")
        }
        _ => false,
    }
}

/// The name at the start of a tag.
fn tag_name(text: &str) -> &str {
    let end =
        text.find(|letter: char| !letter.is_alphanumeric() && !":-_.".contains(letter)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn closing_tags(lines: &[Line]) -> HashMap<String, Vec<usize>> {
    let mut found: HashMap<String, Vec<usize>> = HashMap::new();
    for (index, line) in lines.iter().enumerate() {
        for rest in line.text.split("</").skip(1) {
            found.entry(tag_name(rest).to_lowercase()).or_default().push(index);
        }
    }
    found
}

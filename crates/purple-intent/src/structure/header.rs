//! Lines at the top of a mail, and headers of replies and forwarded mails.

use super::PartKind;
use super::line::Line;
use super::mail::{fold, has, mail_words};

/// What a header line says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Header {
    From,
    Sent,
    To,
    Subject,
}

/// The most lines of a header.
const LONGEST: usize = 10;

/// Marks the subject and other header lines before the first words of the text.
pub(super) fn mark_subject(lines: &[Line], blocks: &mut [Option<PartKind>]) {
    for (line, kind) in lines.iter().zip(blocks) {
        if line.is_blank() {
            continue;
        }
        if kind.is_some() || !is_top_line(line.text) {
            return;
        }
        *kind = Some(PartKind::Subject);
    }
}

fn is_top_line(text: &str) -> bool {
    let prefix =
        text.split_once(':').is_some_and(|(label, _)| has(&mail_words().prefixes, fold(label).trim()));
    prefix || header(text).is_some()
}

/// The label before the colon of a line, without signs for bold letters.
fn header(text: &str) -> Option<Header> {
    let (label, _) = text.split_once(':').filter(|(label, _)| label.len() <= 40)?;
    let label = fold(label.trim_matches(|letter: char| letter.is_whitespace() || "*_>".contains(letter)));
    let words = mail_words();
    let lists = [
        (&words.from, Header::From),
        (&words.sent, Header::Sent),
        (&words.to, Header::To),
        (&words.subject, Header::Subject),
    ];
    lists.into_iter().find(|(list, _)| has(list, &label)).map(|(_, header)| header)
}

/// Whether a forwarded mail begins with this line.
pub(super) fn begins_forwarded(lines: &[Line], index: usize) -> bool {
    let Some(line) = lines.get(index).filter(|line| !line.is_blank()) else { return false };
    is_forward_line(line.text) || is_header_block(lines.get(index..).unwrap_or_default())
}

/// `---------- Forwarded message ---------` or `Begin forwarded message:`.
fn is_forward_line(text: &str) -> bool {
    let words = mail_words();
    if let Some(title) = ruled_title(text) {
        return words.forward_titles.iter().any(|listed| title.starts_with(listed.as_str()));
    }
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || "*_".contains(letter));
    text.strip_suffix(':').is_some_and(|text| has(&words.forward_lines, fold(text).trim()))
}

/// The words of a line between rules: `title` of `--- title ---`. They are folded.
pub(super) fn ruled_title(text: &str) -> Option<String> {
    let is_rule = |letter: char| "-_=*#~–—─+<>".contains(letter);
    let inner = text.trim_start_matches(is_rule);
    let rule = text.chars().take_while(|letter| is_rule(*letter)).count();
    let closed = text.ends_with(is_rule) || rule >= 5;
    let title = inner.trim_matches(|letter: char| is_rule(letter) || letter.is_whitespace() || letter == ':');
    (rule >= 2 && closed && !title.is_empty()).then(|| fold(title))
}

/// `Von: … Gesendet: … An: … Betreff: …`, in several lines or in one. A single label is no header.
fn is_header_block(lines: &[Line]) -> bool {
    let Some(first) = lines.first().filter(|line| header(line.text).is_some()) else { return false };
    let mut found: Vec<Header> = Vec::new();
    for line in lines.iter().take(LONGEST).take_while(|line| !line.is_blank()) {
        found.extend(header(line.text).filter(|header| !found.contains(header)));
    }
    let several = found.len() >= 2 && found.contains(&Header::From);
    several || is_header_in_one_line(first.text)
}

fn is_header_in_one_line(text: &str) -> bool {
    let text: String = fold(text).chars().filter(|letter| !"*_".contains(*letter)).take(400).collect();
    let words = mail_words();
    let has_label = |list: &[String]| list.iter().any(|label| text.contains(&format!(" {label}:")));
    let others = [&words.sent, &words.to, &words.subject].into_iter().filter(|list| has_label(list)).count();
    header(&text) == Some(Header::From) && others >= 2
}

/// The number of lines of a reply header such as `On Tue, 3 Mar 2026, Anna wrote:`.
pub(super) fn reply_header(lines: &[Line], index: usize) -> Option<usize> {
    let mut joined = String::new();
    for (count, line) in lines.iter().skip(index).take(3).enumerate() {
        if line.is_blank() || joined.len() + line.text.len() > 300 {
            return None;
        }
        joined.push_str(line.text);
        joined.push(' ');
        if is_reply_header(&fold(&joined), count > 0) {
            return Some(count + 1);
        }
    }
    None
}

/// Whether this is a reply header. One that was wrapped has an address; otherwise the first line would be own words.
fn is_reply_header(text: &str, wrapped: bool) -> bool {
    let Some(text) = text.trim_end().strip_suffix(':') else { return false };
    let mail = mail_words();
    let words = text.split(|letter: char| letter.is_whitespace() || ",;".contains(letter));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let begins = words.first().is_some_and(|first| has(&mail.reply_starts, first));
    let begins_with_date = text.starts_with(|letter: char| letter.is_ascii_digit());
    let dated = text.contains(|letter: char| letter.is_ascii_digit());
    let addressed = text.contains('@');
    let verb = words.iter().any(|word| has(&mail.reply_verbs, word));
    let own = words.iter().any(|word| has(&mail.first_person, word));
    if wrapped {
        return addressed && (begins || begins_with_date) && (verb || begins_with_date);
    }
    !own && ((verb && (begins || dated || addressed)) || (addressed && begins_with_date))
}

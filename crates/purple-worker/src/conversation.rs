//! What was said in a session, kept small: the last turns as they were, and a digest of those before.
//!
//! The digest is made by code. Ids, amounts, dates and decisions come first; newer ones push out older ones.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// The most turns that are kept as they were.
const TURNS_MAX: usize = 20;
/// From so many turns on a model may sum up the older ones, before code must.
const LONG_TURNS: usize = 14;
/// The most tokens that are kept as they were.
const TOKENS_MAX: usize = 8 * 1024;
const CHARS_PER_TOKEN: usize = 4;
/// The turns that stay as they were when the others are folded.
const KEPT_TURNS: usize = 6;
/// The longest digest, in words.
const DIGEST_WORDS_MAX: usize = 200;
/// The most words of ids, amounts and dates in a digest. The rest is for decisions and what was said.
const NAMED_WORDS_MAX: usize = 130;
/// The most words of decisions in a digest, beside those of ids.
const DECIDED_WORDS_MAX: usize = 50;
/// The longest word in a digest, in bytes of its stored form.
const WORD_BYTES_MAX: usize = 40;
/// The most words of one sentence in a digest.
const SENTENCE_WORDS_MAX: usize = 16;
/// The longest kept line, in bytes of its stored form. What is longer is cut, and says so.
const LINE_BYTES_MAX: usize = 5 * 1024;
/// The most bytes of the stored form of all kept lines.
const LINES_BYTES_MAX: usize = 36 * 1024;
/// The largest stored conversation, in bytes.
pub(crate) const CONVERSATION_BYTES_MAX: usize = 48 * 1024;

/// Bytes of the stored form around a line's text, and around everything.
const ENVELOPE_BYTES_MAX: usize = 128;

const _: () = assert!(KEPT_TURNS < LONG_TURNS && LONG_TURNS < TURNS_MAX);
const _: () = assert!(NAMED_WORDS_MAX + DECIDED_WORDS_MAX < DIGEST_WORDS_MAX);
// The kept turns and a digest fit the tokens, so that folding ends.
const _: () = assert!(KEPT_TURNS * LINE_BYTES_MAX + DIGEST_WORDS_MAX * 8 <= TOKENS_MAX * CHARS_PER_TOKEN);
const _: () = assert!(KEPT_TURNS * (LINE_BYTES_MAX + ENVELOPE_BYTES_MAX) <= LINES_BYTES_MAX);
const _: () = assert!(
    LINES_BYTES_MAX + DIGEST_WORDS_MAX * (WORD_BYTES_MAX + 1) + 2 * ENVELOPE_BYTES_MAX
        <= CONVERSATION_BYTES_MAX
);

/// Who said something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Speaker {
    /// Who asked for the work.
    Requester,
    /// We did.
    Worker,
    /// Who decided about a plan.
    Approver,
}

impl Speaker {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Requester => "requester",
            Self::Worker => "worker",
            Self::Approver => "approver",
        }
    }
}

/// One turn.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Line {
    pub(crate) who: Speaker,
    pub(crate) text: String,
    pub(crate) at: Timestamp,
}

/// What was said so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Conversation {
    lines: Vec<Line>,
    digest: Option<String>,
    folded: u32,
}

impl Conversation {
    /// The last turns, as they were.
    #[cfg(test)]
    pub(crate) fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// What the turns before said, in short.
    #[cfg(test)]
    pub(crate) fn digest(&self) -> Option<&str> {
        self.digest.as_deref()
    }

    /// How many turns the digest stands for.
    #[cfg(test)]
    pub(crate) fn folded(&self) -> u32 {
        self.folded
    }

    /// What somebody said, as far as it is kept as it was, the oldest first.
    pub(crate) fn said_by(&self, who: Speaker) -> impl Iterator<Item = &str> {
        self.lines.iter().filter(move |line| line.who == who).map(|line| line.text.as_str())
    }

    /// Adds a turn, and folds the older ones where there are too many.
    pub(crate) fn push(&mut self, line: Line) {
        self.lines.push(Line { text: cut(&line.text), ..line });
        self.compress();
    }

    /// The conversation as one text, the oldest first.
    pub(crate) fn to_text(&self) -> String {
        let digest = self.digest.iter().map(|digest| format!("{} earlier turns\n{digest}", self.folded));
        let lines = self.lines.iter().map(|line| format!("{}: {}", line.who.name(), line.text));
        digest.chain(lines).collect::<Vec<_>>().join("\n")
    }

    /// The older turns as one text, where the conversation is long and not yet too long; nothing else is worth a summary.
    pub(crate) fn older(&self) -> Option<String> {
        let count = self.lines.len().saturating_sub(KEPT_TURNS);
        if self.lines.len() < LONG_TURNS || count == 0 {
            return None;
        }
        let older = self.lines.iter().take(count);
        Some(older.map(|line| format!("{}: {}", line.who.name(), line.text)).collect::<Vec<_>>().join("\n"))
    }

    /// Folds the older turns: ids, amounts, dates and decisions by code, what else was said in these words.
    pub(crate) fn fold_with(&mut self, summary: &str) {
        let count = self.lines.len().saturating_sub(KEPT_TURNS);
        let mut gist = Gist::read(self.digest.as_deref().unwrap_or_default());
        self.lines.drain(..count).for_each(|line| gist.take(&line));
        gist.said = sentences(summary).collect();
        self.digest = Some(gist.write());
        self.folded = self.folded.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }

    /// Folds all but the last turns into the digest, if there is too much. Doing it twice changes nothing.
    pub(crate) fn compress(&mut self) {
        let chars: usize = self.lines.iter().map(|line| line.text.chars().count()).sum();
        let bytes: usize = self.lines.iter().map(|line| stored(&line.text) + ENVELOPE_BYTES_MAX).sum();
        let over = self.lines.len() > TURNS_MAX
            || chars.div_ceil(CHARS_PER_TOKEN) > TOKENS_MAX
            || bytes > LINES_BYTES_MAX;
        let count = self.lines.len().saturating_sub(KEPT_TURNS);
        if !over || count == 0 {
            return;
        }
        let mut gist = Gist::read(self.digest.as_deref().unwrap_or_default());
        self.lines.drain(..count).for_each(|line| gist.take(&line));
        self.digest = Some(gist.write());
        self.folded = self.folded.saturating_add(u32::try_from(count).unwrap_or(u32::MAX));
    }
}

/// The length of a text's stored form, without quotes.
fn stored(text: &str) -> usize {
    text.chars().map(stored_char).sum()
}

fn stored_char(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        control if control < ' ' => 6,
        other => other.len_utf8(),
    }
}

fn cut(text: &str) -> String {
    if stored(text) <= LINE_BYTES_MAX {
        return text.to_owned();
    }
    let mark = format!("… [cut: {} characters in all]", text.chars().count());
    format!("{}{mark}", head(text, LINE_BYTES_MAX.saturating_sub(mark.len())))
}

/// As much of a text as has this many bytes in its stored form.
fn head(text: &str, bytes_max: usize) -> &str {
    let mut used = 0;
    for (at, character) in text.char_indices() {
        used += stored_char(character);
        if used > bytes_max {
            return text.get(..at).unwrap_or_default();
        }
    }
    text
}

/// A digest in its parts: ids, amounts and dates; decisions and outcomes; what else was said. The oldest first.
#[derive(Default)]
struct Gist {
    named: Vec<String>,
    decided: Vec<String>,
    said: Vec<String>,
}

const NAMED: &str = "named:";
const DECIDED: &str = "decided:";
const SAID: &str = "said:";
const BETWEEN: &str = "; ";

impl Gist {
    fn read(digest: &str) -> Self {
        let part = |label: &str| -> Vec<String> {
            let line = digest.lines().find_map(|line| line.strip_prefix(label)).unwrap_or_default().trim();
            line.split(BETWEEN).filter(|item| !item.is_empty()).map(ToOwned::to_owned).collect()
        };
        Self { named: part(NAMED), decided: part(DECIDED), said: part(SAID) }
    }

    fn take(&mut self, line: &Line) {
        self.named.extend(named(&line.text));
        let decisions: Vec<String> = sentences(&line.text).filter(|sentence| decides(sentence)).collect();
        let who = line.who.name();
        if decisions.is_empty() {
            self.said.extend(sentences(&line.text).next().map(|sentence| format!("{who}: {sentence}")));
        } else {
            self.decided.extend(decisions.into_iter().map(|sentence| format!("{who}: {sentence}")));
        }
    }

    /// The newest of each part that fit.
    fn write(self) -> String {
        let mut words = DIGEST_WORDS_MAX - [NAMED, DECIDED, SAID].len();
        let mut lines = Vec::new();
        let parts = [
            (NAMED, self.named, NAMED_WORDS_MAX),
            (DECIDED, self.decided, NAMED_WORDS_MAX + DECIDED_WORDS_MAX),
            (SAID, self.said, DIGEST_WORDS_MAX),
        ];
        let all = words;
        for (label, items, share) in parts {
            // What an earlier part leaves is there for the next one.
            let room = share.saturating_sub(all - words).min(words);
            let (kept, used) = newest(items, room);
            words -= used;
            if !kept.is_empty() {
                lines.push(format!("{label} {}", kept.join(BETWEEN)));
            }
        }
        lines.join("\n")
    }
}

/// The newest items, each once, that have no more than so many words together; in their old order.
fn newest(items: Vec<String>, words_max: usize) -> (Vec<String>, usize) {
    let mut kept: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    let mut used = 0;
    for item in items.into_iter().rev() {
        if !seen.insert(item.clone()) {
            continue;
        }
        let words = item.split_whitespace().count();
        if used + words > words_max {
            break;
        }
        used += words;
        kept.push(item);
    }
    kept.reverse();
    (kept, used)
}

/// A word that can stand in a digest: no separator in it, and not too long.
fn word(raw: &str) -> String {
    let clean: String = raw
        .chars()
        .map(|character| match character {
            ';' => ',',
            control if control.is_control() => '?',
            other => other,
        })
        .collect();
    if stored(&clean) <= WORD_BYTES_MAX {
        return clean;
    }
    format!("{}…", head(&clean, WORD_BYTES_MAX - '…'.len_utf8()))
}

/// The ids, amounts and dates of a text: words with digits, a currency beside them included.
fn named(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split_whitespace().map(bare).collect();
    let is_currency = |at: Option<usize>| {
        let word = at.and_then(|at| words.get(at)).copied().unwrap_or_default();
        (word.len() == 3 && word.bytes().all(|byte| byte.is_ascii_uppercase())).then_some(word)
    };
    let mut found = Vec::new();
    for (at, raw) in words.iter().enumerate() {
        if !raw.chars().any(char::is_numeric) {
            continue;
        }
        let number = raw.chars().all(|character| character.is_numeric() || ",.-".contains(character));
        let item = match (number, is_currency(Some(at + 1)), is_currency(at.checked_sub(1))) {
            (true, Some(after), _) => format!("{} {after}", word(raw)),
            (true, None, Some(before)) => format!("{before} {}", word(raw)),
            (true, None, None) | (false, ..) => word(raw),
        };
        found.push(item);
    }
    found
}

/// A word without the punctuation around it.
fn bare(word: &str) -> &str {
    word.trim_matches(|character: char| ".,;:!?()[]{}\"'`#*".contains(character))
}

/// The sentences of a text, each cut to a few words.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    let breaks = |line: &'_ str| -> Vec<String> {
        let mut sentences = Vec::new();
        let mut words: Vec<String> = Vec::new();
        for raw in line.split_whitespace() {
            words.push(word(raw));
            if raw.ends_with(['.', '!', '?']) {
                sentences.push(std::mem::take(&mut words));
            }
        }
        sentences.push(words);
        sentences.into_iter().filter(|words| !words.is_empty()).map(shortened).collect()
    };
    text.lines().flat_map(breaks).collect::<Vec<_>>().into_iter()
}

fn shortened(words: Vec<String>) -> String {
    let more = if words.len() > SENTENCE_WORDS_MAX { "…" } else { "" };
    let kept: Vec<String> = words.into_iter().take(SENTENCE_WORDS_MAX).collect();
    format!("{}{more}", kept.join(" "))
}

/// Stems of words that tell of a decision or an outcome.
const DECISIONS: &[&str] = &[
    "approv", "reject", "confirm", "declin", "cancel", "refus", "escalat", "block", "done", "verif",
    "complet", "wait", "expire", "doubt", "fail", "paid", "revoke", "settled", "undone", "proceed",
];

fn decides(sentence: &str) -> bool {
    let lower = sentence.to_lowercase();
    lower
        .split(|character: char| !character.is_alphanumeric())
        .any(|word| DECISIONS.iter().any(|stem| word.starts_with(stem)))
}

#[cfg(test)]
#[path = "conversation_tests.rs"]
mod tests;

//! The words of e-mails, from `data/mail.toml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::token::Token;

/// The data file. All words are in lower case.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MailWords {
    pub(super) greetings: Vec<String>,
    /// Beginnings of a sentence that only thanks or wishes.
    pub(super) thanks: Vec<String>,
    pub(super) addressees: String,
    pub(super) closings: Vec<String>,
    pub(super) signature_lines: Vec<String>,
    /// Parts of words of legal notices.
    pub(super) legal: Vec<String>,
    pub(super) contacts: Vec<String>,
    pub(super) from: Vec<String>,
    pub(super) sent: Vec<String>,
    pub(super) to: Vec<String>,
    pub(super) subject: Vec<String>,
    pub(super) prefixes: Vec<String>,
    pub(super) forward_titles: Vec<String>,
    pub(super) forward_lines: Vec<String>,
    pub(super) quote_titles: Vec<String>,
    pub(super) quote_ends: Vec<String>,
    pub(super) reply_starts: Vec<String>,
    pub(super) reply_verbs: Vec<String>,
    pub(super) say_verbs: Vec<String>,
    pub(super) first_person: Vec<String>,
    pub(super) messages: Vec<String>,
    pub(super) pointers: Vec<String>,
    pub(super) notices: Vec<String>,
    pub(super) text_verbs: Vec<String>,
    pub(super) attachments: Vec<String>,
    pub(super) extensions: Vec<String>,
}

/// The words, as [`fold`] writes them. The file is part of the program and tested.
pub(super) fn mail_words() -> &'static MailWords {
    static WORDS: LazyLock<MailWords> =
        LazyLock::new(|| toml::from_str(&fold(include_str!("../../data/mail.toml"))).unwrap_or_default());
    &WORDS
}

/// A text in lower case and with `ss` for `ß` and so on, so that `Gruß`, `GRUSS` and `Gruss` are the same.
pub(super) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase().replace('`', "'");
    }
    let lower = text.to_lowercase().replace('ß', "ss").replace(['’', '‘', '´', '`'], "'");
    lower.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")
}

/// Whether a list has this word.
pub(super) fn has(list: &[String], word: &str) -> bool {
    list.iter().any(|listed| listed == word)
}

/// The most words of a phrase that [`beginning`] looks for.
pub(super) const PHRASE_WORDS_MAX: usize = 8;

/// The first words of a passage, as [`fold`] writes them: as many as a phrase can have.
pub(super) fn first_words(tokens: &[Token]) -> Vec<String> {
    tokens.iter().take(PHRASE_WORDS_MAX).map(|token| fold(&token.lower)).collect()
}

/// The longest phrase of a list that these words begin with, as a number of words.
pub(super) fn beginning(list: &[String], words: &[String]) -> Option<usize> {
    let count = |phrase: &String| {
        let mut words = words.iter();
        let parts = phrase.split_whitespace();
        parts.clone().all(|part| words.next().is_some_and(|word| word == part)).then(|| parts.count())
    };
    let first = words.first()?;
    list.iter().filter(|phrase| phrase.starts_with(first.as_str())).filter_map(count).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_phrase_has_more_words_than_are_looked_at() {
        let words = mail_words();
        let lists = [&words.greetings, &words.thanks, &words.closings];
        let longest = lists.into_iter().flatten().map(|phrase| phrase.split_whitespace().count()).max();
        assert!(longest.is_some_and(|longest| (1..=PHRASE_WORDS_MAX).contains(&longest)), "{longest:?}");
    }
}

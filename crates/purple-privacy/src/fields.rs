//! What the name of a field says about its value. The names are data, one file a language.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::fold::fold;
use crate::pattern::pattern;

/// What a name says about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    Credential,
    Ssn,
    Card,
    Account,
    Plain,
}

const FILES: [&str; 4] = [
    include_str!("fields/en.txt"),
    include_str!("fields/de.txt"),
    include_str!("fields/fr.txt"),
    include_str!("fields/es.txt"),
];

/// The lines of all languages: for each name its words.
static WORDS: LazyLock<BTreeMap<&'static str, Vec<&'static str>>> = LazyLock::new(|| {
    let mut words: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let lines = FILES.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with('#'));
    for (name, listed) in lines.filter_map(|line| line.split_once('=')) {
        words.entry(name.trim()).or_default().push(listed.trim());
    }
    words
});

/// The single words of a line, in every language.
fn words(name: &str) -> impl Iterator<Item = &'static str> {
    WORDS.get(name).into_iter().flatten().flat_map(|line| line.split_whitespace())
}

/// The terms of a line in the first language and in the others; a term is a part of a pattern.
pub(crate) fn terms(name: &str) -> Vec<&'static str> {
    let lines = WORDS.get(name).into_iter().flatten();
    lines.flat_map(|line| line.split(',')).map(str::trim).filter(|term| !term.is_empty()).collect()
}

/// An alternation of the terms of a line, their spaces written as a pattern.
pub(crate) fn any_of(name: &str) -> String {
    terms(name).into_iter().map(|term| term.replace(' ', r"\s")).collect::<Vec<_>>().join("|")
}

/// The same of the single words of a line.
pub(crate) fn any_word_of(name: &str) -> String {
    words(name).collect::<Vec<_>>().join("|")
}

/// Whether a word of another language than English says how a password fares.
pub(crate) fn is_state(word: &str) -> bool {
    static STATES: LazyLock<Vec<&'static str>> = LazyLock::new(|| words("states").collect());
    STATES.iter().any(|state| match state.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        None => word == *state,
    })
}

/// Every name of a secret, for a look at the letters and digits of a text that is cheap.
pub(crate) fn hints() -> String {
    let lines = ["credential", "credential whole", "credential written", "ssn"];
    let mut hints: Vec<String> = lines.into_iter().flat_map(words).map(str::to_owned).collect();
    let letters =
        |term: &str| term.replace("(?:\\w*)", "").replace("[- ]", "").replace(' ', "").replace('\'', ".?");
    hints.extend(["passwords", "codes"].into_iter().flat_map(terms).map(letters));
    hints.join("|")
}

/// The names of one kind, by the last letter.
struct Names(BTreeMap<u8, Vec<(&'static str, bool, Named)>>);

static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let lines = [
        ("place", false, Named::Plain),
        ("credential", false, Named::Credential),
        ("credential whole", true, Named::Credential),
        ("ssn", false, Named::Ssn),
        ("card", false, Named::Card),
        ("card whole", true, Named::Card),
        ("account", false, Named::Account),
    ];
    let mut names: BTreeMap<u8, Vec<(&str, bool, Named)>> = BTreeMap::new();
    for (line, is_whole, named) in lines {
        for word in words(line) {
            let Some(last) = word.bytes().next_back() else { continue };
            names.entry(last).or_default().push((word, is_whole, named));
        }
    }
    Names(names)
});

/// What the name says.
pub(crate) fn named(name: &str) -> Named {
    if name.is_ascii() {
        return named_ascii(name);
    }
    named_ascii(&fold(name).text)
}

fn named_ascii(name: &str) -> Named {
    let as_written =
        |word: &str| name == word || name.bytes().eq(word.bytes().map(|byte| byte.to_ascii_uppercase()));
    if words("credential written").any(as_written) {
        return Named::Credential;
    }
    let last = name.bytes().rev().find(u8::is_ascii_alphanumeric).map(|last| last.to_ascii_lowercase());
    let listed = last.and_then(|last| NAMES.0.get(&last)).into_iter().flatten();
    listed
        .filter_map(|(word, is_whole, named)| {
            let whole = ends_in(name, word)?;
            (whole || !is_whole).then_some(*named)
        })
        .next()
        .unwrap_or(Named::Plain)
}

/// Whether the letters and digits of a name end with a word, and whether that is all of them.
fn ends_in(name: &str, word: &str) -> Option<bool> {
    let mut letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let same = |wanted: u8| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&wanted));
    word.bytes().rev().all(same).then(|| letters.next().is_none())
}

/// Whether a member of a record holds the name of another: `{"name": "password", "value": …}`.
pub(crate) fn names_another(member: &str) -> bool {
    is_one_of("pair names", member)
}

/// Whether a member of such a record holds the value.
pub(crate) fn holds_the_value(member: &str) -> bool {
    is_one_of("pair values", member)
}

fn is_one_of(line: &str, member: &str) -> bool {
    words(line).any(|word| ends_in(member, word) == Some(true))
}

/// Whether the value is a mask already.
pub(crate) fn is_mask(value: &str) -> bool {
    static MASK: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^\[(?:ssn|credential|api key|(?:card|account)(?: …\w{1,4})?)\]$"));
    MASK.is_match(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_the_same_in_every_language_and_spelling() {
        for name in [
            "password",
            "db_password",
            "apiKey",
            "X-API-Key",
            "Passwort",
            "Kennwort",
            "contraseña",
            "mot_de_passe",
            "recovery_codes",
            "seedPhrase",
            "signing-key",
            "sessionid",
            "mfa_code",
            "pin",
            "cvv",
            "clé privée",
        ] {
            assert_eq!(named(name), Named::Credential, "{name}");
        }
        for name in [
            "password_policy",
            "total_tokens",
            "next_page_token",
            "pinned",
            "spin",
            "key",
            "keyword",
            "status",
        ] {
            assert_eq!(named(name), Named::Plain, "{name}");
        }
        assert_eq!(named("numéro de carte"), Named::Card);
        assert_eq!(named("Kontonummer"), Named::Account);
    }
}

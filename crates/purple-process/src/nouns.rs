//! Which words of a name are known to be the names of things. What is not known may be a verb.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::products::PRODUCTS;
use crate::words::in_table;

/// What a word of a name is, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The name of a thing, and no verb.
    Thing,
    /// The name of a thing that is a verb as well: `order`, `credit`.
    Either,
    /// The plural of such a word. No name orders anything with it.
    Plural,
    /// It describes a thing: `open`, `monthly`, a number.
    Adjective,
    /// A form of a verb that describes a thing before it: `archived`, `trending`.
    Participle,
    /// Nothing is known of it.
    Unknown,
}

impl Kind {
    /// Whether it names a thing.
    pub(crate) const fn is_noun(self) -> bool {
        matches!(self, Self::Thing | Self::Either | Self::Plural)
    }

    /// Whether it can be the verb of an order: `credit_account`.
    pub(crate) const fn may_be_verb(self) -> bool {
        !matches!(self, Self::Thing | Self::Plural)
    }
}

/// What this word is.
pub(crate) fn kind(word: &str) -> Kind {
    if word.len() == 1 || !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Kind::Adjective;
    }
    let found = |words: &BTreeSet<&str>| words.contains(word);
    let plural = |words: &BTreeSet<&str>| singulars(word).any(|one| words.contains(one.as_str()));
    if found(&THINGS) || IRREGULAR.contains(&word) || PRODUCTS.contains(&word) {
        return Kind::Thing;
    }
    if found(&EITHER) {
        return Kind::Either;
    }
    if plural(&THINGS) || plural(&EITHER) {
        return Kind::Plural;
    }
    if found(&ADJECTIVES) {
        return Kind::Adjective;
    }
    if is_participle(word) {
        return Kind::Participle;
    }
    by_ending(word)
}

/// What `word` is the plural of, in every way in which plurals are made.
fn singulars(word: &str) -> impl Iterator<Item = String> {
    let stem = |ending: &str, other: &str| Some(format!("{}{other}", word.strip_suffix(ending)?));
    [
        stem("s", ""),
        stem("es", ""),
        stem("ies", "y"),
        stem("ices", "ex"),
        stem("ices", "ix"),
        stem("yses", "ysis"),
    ]
    .into_iter()
    .flatten()
}

/// Whether a word is a plural without an ending of one.
pub(crate) fn is_irregular(word: &str) -> bool {
    IRREGULAR.contains(&word)
}

fn is_participle(word: &str) -> bool {
    const LETTERS_MIN: usize = 5;
    let regular = word.len() >= LETTERS_MIN && (word.ends_with("ed") || word.ends_with("ing"));
    (regular && !NO_PARTICIPLES.contains(&word)) || PARTICIPLES.contains(&word)
}

/// Nouns that are made of other words. Those that are verbs are not among them.
fn by_ending(word: &str) -> Kind {
    const LETTERS_MIN: usize = 7;
    let ends = |word: &str| ENDINGS.iter().any(|ending| word.ends_with(ending)) && word.len() >= LETTERS_MIN;
    let verb = |word: &str| {
        let made_of = |stem: &&str| word.strip_suffix(*stem).is_some_and(is_prefixes);
        VERB_STEMS.iter().any(made_of)
    };
    let plural = word.strip_suffix('s').filter(|one| ends(one) && !verb(one)).is_some()
        || word.strip_suffix("ies").is_some_and(|stem| ends(&format!("{stem}y")));
    match (ends(word) && !verb(word), plural) {
        (true, _) => Kind::Thing,
        (false, true) => Kind::Plural,
        (false, false) => Kind::Unknown,
    }
}

/// Whether there is nothing here but what stands before a verb and leaves it one.
fn is_prefixes(text: &str) -> bool {
    text.is_empty() || PREFIXES.iter().any(|prefix| text.strip_prefix(prefix).is_some_and(is_prefixes))
}

/// Whether these words name what opens doors: whoever reads it can do more than read.
pub(crate) fn is_secret(words: &[&str]) -> bool {
    let rule = words.last().is_some_and(|last| in_table(ABOUT_SECRETS, last).is_some());
    let named = words.iter().any(|word| in_table(SECRETS, word).is_some());
    let pair = words.windows(2).any(|pair| match pair {
        [which, what] => {
            SECRET_PAIRS.iter().any(|(one, other)| which == one && in_table(&[other], what).is_some())
        }
        _ => false,
    });
    (named || pair) && !rule
}

/// Whether a word could be a statement about somebody: `credits`, which is also a plural.
pub(crate) fn may_be_statement(word: &str) -> bool {
    singulars(word).any(|one| EITHER.contains(one.as_str()))
}

static THINGS: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| table(include_str!("vocabulary/nouns.txt")));
static EITHER: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| table(include_str!("vocabulary/also_verbs.txt")));
static ADJECTIVES: LazyLock<BTreeSet<&'static str>> =
    LazyLock::new(|| table(include_str!("vocabulary/adjectives.txt")));

fn table(text: &'static str) -> BTreeSet<&'static str> {
    text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

/// Plurals that are not made by an ending, and things that are not counted.
const IRREGULAR: &[&str] = &["children", "criteria", "feet", "men", "people", "women"];

/// Irregular participles.
const PARTICIPLES: &[&str] = &[
    "bought",
    "broken",
    "built",
    "chosen",
    "done",
    "drawn",
    "forgotten",
    "frozen",
    "given",
    "gone",
    "held",
    "hidden",
    "known",
    "lost",
    "made",
    "paid",
    "sent",
    "shut",
    "sold",
    "spent",
    "taken",
    "thrown",
    "torn",
    "withdrawn",
    "won",
    "written",
];
/// Words that only look like participles.
const NO_PARTICIPLES: &[&str] = &[
    "embed", "exceed", "proceed", "succeed", "speed", "breed", "shred", "sled", "shed", "wed", "bring",
    "spring", "string",
];

/// Endings of words that name things.
const ENDINGS: &[&str] = &["tion", "sion", "ity", "ology", "ness", "graphy", "ship"];
/// Words with such an ending that are verbs, and what is made of them: `reposition`.
const VERB_STEMS: &[&str] = &[
    "apportion",
    "auction",
    "audition",
    "caution",
    "commission",
    "condition",
    "envision",
    "function",
    "harness",
    "mention",
    "partition",
    "petition",
    "portion",
    "position",
    "proportion",
    "provision",
    "question",
    "ration",
    "requisition",
    "sanction",
    "ship",
    "transition",
    "vision",
    "witness",
];

/// What stands before a verb and leaves it one.
const PREFIXES: &[&str] = &[
    "air", "auto", "bulk", "co", "de", "dis", "drop", "en", "mass", "mis", "out", "over", "pre", "re",
    "tran", "trans", "un",
];

/// What nobody is told who is not to have the access that it gives.
const SECRETS: &[&str] = &[
    "apikey",
    "credential",
    "dotenv",
    "env",
    "keychain",
    "keystore",
    "otp",
    "passcode",
    "passphrase",
    "password",
    "secret",
];
const SECRET_PAIRS: &[(&str, &str)] = &[
    ("access", "key"),
    ("access", "token"),
    ("api", "key"),
    ("api", "token"),
    ("auth", "token"),
    ("bearer", "token"),
    ("encryption", "key"),
    ("environment", "variable"),
    ("private", "key"),
    ("recovery", "code"),
    ("refresh", "token"),
    ("seed", "phrase"),
    ("session", "token"),
    ("signing", "key"),
    ("ssh", "key"),
];
/// What may be known about them.
const ABOUT_SECRETS: &[&str] = &["count", "date", "expiry", "policy", "rule", "status"];

#[cfg(test)]
#[path = "nouns_tests.rs"]
mod tests;

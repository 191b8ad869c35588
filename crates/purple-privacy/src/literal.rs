//! Finds secrets that stand in a text: numbers of people and cards, passwords, tokens and keys.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::pattern::pattern;
use crate::refusal::PrivacyCode;
use crate::{card, number};

/// A secret in a folded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) code: PrivacyCode,
}

/// Every secret, in no order; ranges may overlap.
pub(crate) fn find(text: &str) -> Vec<Found> {
    let found = |code| move |range| Found { range, code };
    let mut all = Vec::new();
    if may_hold_a_number(text) {
        all.extend(number::find_ssns(text).into_iter().map(found(PrivacyCode::Ssn)));
        all.extend(card::find(text).into_iter().map(found(PrivacyCode::CardNumber)));
    }
    if may_hold_a_word(text) {
        all.extend(keys(text).into_iter().map(found(PrivacyCode::ApiKey)));
        all.extend(credentials(text).into_iter().map(found(PrivacyCode::Credential)));
    }
    all
}

/// Whether a folded text could hold a secret at all. Most texts could not, and that is cheap to see.
pub(crate) fn may_hold(text: &str) -> bool {
    may_hold_a_number(text) || may_hold_a_word(text)
}

/// The fewest digits of a number that is looked for.
const DIGITS_MIN: usize = 9;

fn may_hold_a_number(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= DIGITS_MIN
}

fn may_hold_a_word(text: &str) -> bool {
    HINT.is_match(text)
}

/// A part of each form of key and credential below, without which none of them matches.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) pass | pwd | psw | pin | key | token | secret | bearer | authorization | :// | begin | eyj
            | akia | asia | aroa | aida | gh[pousr]_ | glpat- | github_pat_ | xox | xapp- | aiza | ya29
            | sk[-_] | [rp]k_ | whsec_ | sg\. | (?:hf|npm|dop_v1|shpat|pypi)[_-]",
    )
});

/// Keys that show what they are by their form.
static FORMED_KEYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)(?:\b|_)(?P<v> (?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}
            | gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{16,}
            | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,}
            | sk-(?:ant-|proj-|svcacct-|or-|live-)?[A-Za-z0-9_-]{16,}
            | AIza[0-9A-Za-z_-]{30,} | ya29\.[0-9A-Za-z_-]{20,}
            | (?:sk|rk|pk|whsec)_(?:live_|test_)?[0-9A-Za-z]{14,}
            | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}
            | (?:hf|npm|dop_v1|shpat|pypi)[_-][A-Za-z0-9]{20,} )",
    )
});

/// Keys that are named: `api_key=…`.
static NAMED_KEYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?xi)(?:\b|_)(?: api[\ _-]?(?:key|token|secret) | (?:secret|access|account|signing|encryption|subscription|shared|master)[\ _-]?(?:access[\ _-]?)?key
            | client[\ _-]?secret | webhook[\ _-]?secret
            | (?:access|auth|bearer|refresh|session|id|personal[\ _-]access)[\ _-]?token | token | secret )
            ["']?\s*(?::=|=>|[:=]|\ is\ |\ was\ |\ )\s*["'`]?(?P<v>[A-Za-z0-9_+/=.~-]{12,})"#,
    )
});

/// The fewest different letters of a value that looks drawn by lot.
const DISTINCT_MIN: usize = 8;

fn keys(text: &str) -> Vec<Range<usize>> {
    let formed = values(text, &FORMED_KEYS).filter(|value| has_digit_and_letter(value.as_str()));
    let named = values(text, &NAMED_KEYS).filter(|value| looks_random(value.as_str()));
    formed.chain(named).map(|value| value.range()).collect()
}

fn values<'t>(text: &'t str, pattern: &'static Regex) -> impl Iterator<Item = regex::Match<'t>> {
    pattern.captures_iter(text).filter_map(|found| found.name("v"))
}

fn has_digit_and_letter(value: &str) -> bool {
    value.bytes().any(|b| b.is_ascii_digit()) && value.bytes().any(|b| b.is_ascii_alphabetic())
}

fn looks_random(value: &str) -> bool {
    let mut distinct: Vec<u8> = value.bytes().collect();
    distinct.sort_unstable();
    distinct.dedup();
    has_digit_and_letter(value) && distinct.len() >= DISTINCT_MIN && !BUSINESS_ID.is_match(value)
}

/// `INV-2024-447`, `2026-01-31`: what a business calls its things. No secret is drawn in this form.
static BUSINESS_ID: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"^(?:[A-Z]{1,10}[-_/#]){0,3}[A-Z]{0,4}[0-9]{1,24}(?:[-_/.][0-9]{1,12})*[.,;:]?$")
});

/// Credentials that show what they are by their form.
static FORMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)(?P<v> -{3,5}\s?BEGIN\s[A-Z0-9\ ]{0,40}PRIVATE\sKEY(?:\sBLOCK)?\s?-{3,5}
                (?: [^-]* -{3,5}\s?END\s[A-Z0-9\ ]{0,40}PRIVATE\sKEY(?:\sBLOCK)?\s?-{3,5} )?
            | \beyJ[A-Za-z0-9_-]{5,}\.[A-Za-z0-9_-]{5,}(?:\.[A-Za-z0-9_-]*)? )",
    )
});

/// `postgres://user:secret@host`: the secret is between the colon and the at sign.
static IN_URL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\b[a-z][a-z0-9+.-]{1,24}://[^\s:/@\[]{0,128}:(?P<v>[^\s@/\[]{1,256})@[^\s]")
});

static HEADER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:bearer|authorization:?\s+basic|authorization:?\s+token)\s+(?P<v>[A-Za-z0-9._~+/=-]{12,})",
    )
});

static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?xi)(?:\b|_)(?P<name>passwords?|passwd|passphrases?|passcodes?|pwd|psw|pass)
            (?:\s(?:for|of|to)\s[^\s:=]{1,64}(?:\s[^\s:=]{1,64}){0,3}?)? ["']?
            \s*(?P<how>:=|=>|->|[:=]|\ is\s*:|\ (?:is|was)(?:\ now|\ set\ to|\ changed\ to)?\ |\ set\ to\ |\ changed\ to\ |\ to\ |\ )
            \s*["'`(<]{0,2}(?P<v>[^\s"'`\[\]<>]{3,256})"#,
    )
});

static PIN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?i)\bpin(?: ?code| number)?(?: of [^\s:=]{1,32})?(?: is| was|\s?[:=]) ?(?P<v>[0-9]{4,8})\b")
});

fn credentials(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = values(text, &FORMED).map(|value| value.range()).collect();
    found.extend(values(text, &IN_URL).filter(|value| !is_placeholder(value.as_str())).map(|v| v.range()));
    found.extend(
        values(text, &HEADER).filter(|value| has_digit_and_letter(value.as_str())).map(|v| v.range()),
    );
    found.extend(values(text, &PIN).map(|value| value.range()));
    for parts in ASSIGNED.captures_iter(text) {
        let part = |name| parts.name(name).map(|part| part.as_str()).unwrap_or_default();
        let Some(value) = parts.name("v") else { continue };
        // "is older than 90 days" compares it.
        let compares = text.get(value.end()..).unwrap_or_default().trim_start().starts_with("than ");
        if !compares && is_password(&part("name").to_lowercase(), part("how").trim(), value.as_str()) {
            found.push(value.start()..value.start().saturating_add(trimmed(value.as_str()).len()));
        }
    }
    found
}

fn trimmed(value: &str) -> &str {
    value.trim_end_matches(['.', ',', ';', ')', '>', '!', '?'])
}

/// Whether this value, joined to its name in this way, is a password and not the next word of a sentence.
fn is_password(name: &str, how: &str, value: &str) -> bool {
    let value = trimmed(value);
    if value.chars().count() < 3 || is_placeholder(value) || BUSINESS_ID.is_match(value) && how != "=" {
        return false;
    }
    let plain_word = value.chars().all(|c| c.is_alphabetic() || c == '-' || c == '\'' || c == '/');
    let mixed = !plain_word && value.chars().any(char::is_alphanumeric);
    if name == "pass" {
        return mixed && matches!(how, "=" | ":" | ":=") && value.chars().any(char::is_alphabetic);
    }
    match how {
        "=" | ":=" | "=>" => true,
        // `password to` and `password hunter2`: only what is no word.
        "" | "to" => mixed && has_digit_and_letter(value) && value.len() >= 6,
        _ => mixed || !is_sentence_word(&value.to_lowercase()),
    }
}

fn is_placeholder(value: &str) -> bool {
    let masked = value.chars().all(|c| matches!(c, '*' | 'x' | 'X' | '.' | '•' | '…' | '_' | '-' | '?'));
    masked
        || value.starts_with("${")
        || value.starts_with("{{")
        || value.starts_with('$')
        || value.starts_with('%')
}

/// Words that say how a password fares.
const SENTENCE_WORDS: &[&str] = &[
    "a",
    "about",
    "again",
    "all",
    "already",
    "also",
    "an",
    "and",
    "any",
    "as",
    "at",
    "bad",
    "being",
    "blank",
    "broken",
    "by",
    "case",
    "correct",
    "due",
    "empty",
    "fine",
    "for",
    "forgotten",
    "from",
    "gone",
    "good",
    "help",
    "his",
    "her",
    "how",
    "in",
    "incorrect",
    "insecure",
    "invalid",
    "just",
    "known",
    "lost",
    "missing",
    "must",
    "never",
    "new",
    "no",
    "not",
    "now",
    "ok",
    "okay",
    "old",
    "on",
    "one",
    "only",
    "our",
    "out",
    "overdue",
    "part",
    "please",
    "policy",
    "re-set",
    "reset",
    "resets",
    "rotate",
    "safe",
    "same",
    "secure",
    "set",
    "shared",
    "so",
    "still",
    "stolen",
    "strong",
    "that",
    "the",
    "their",
    "there",
    "this",
    "to",
    "too",
    "under",
    "unknown",
    "unsafe",
    "up",
    "user",
    "valid",
    "very",
    "weak",
    "what",
    "when",
    "why",
    "with",
    "working",
    "wrong",
    "yes",
    "your",
    "n/a",
    "none",
    "tbd",
    "change",
    "update",
    "issue",
    "problem",
    "request",
    "rotation",
    "we",
    "i",
    "between",
    "she",
    "he",
    "they",
    "it",
    "who",
    "has",
    "had",
    "can",
    "cannot",
    "does",
    "did",
    "will",
    "if",
    "because",
    "after",
    "before",
    "account",
    "access",
    "longer",
    "shorter",
    "stuck",
    "within",
    "sent",
];

fn is_sentence_word(word: &str) -> bool {
    let inflected =
        word.len() > 4 && (word.ends_with("ed") || word.ends_with("ing") || word.ends_with("n't"));
    inflected || SENTENCE_WORDS.contains(&word)
}

//! Finds secrets that stand in a text: numbers of people and cards, passwords, tokens and keys.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::fold::{decode, fold};
use crate::form::{BUSINESS_ID, has_digit_and_letter, is_placeholder, trimmed};
use crate::pattern::pattern;
use crate::refusal::PrivacyCode;
use crate::{assigned, card, fields, number};

/// A secret in a folded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) code: PrivacyCode,
}

/// Every secret of a text, by its place there, in no order; ranges may overlap.
///
/// Escapes stand between words or for letters, so the text is read as it is and as they are meant.
pub(crate) fn find_in(text: &str) -> Vec<Placed> {
    let read = [Some(fold(text)), decode(text)];
    let all = read.into_iter().flatten().flat_map(|folded| {
        let found = find(&folded.text).into_iter();
        let placed = found.map(|Found { range, code }| {
            let secret = folded.text.get(range.clone()).unwrap_or_default().to_owned();
            Placed { range: folded.origin(range), code, secret }
        });
        placed.collect::<Vec<_>>()
    });
    all.collect()
}

/// A secret in a text as it was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) range: Range<usize>,
    pub(crate) code: PrivacyCode,
    /// The secret in plain letters.
    pub(crate) secret: String,
}

/// Every secret of a folded text, in no order; ranges may overlap.
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
        all.extend(assigned::find(text).into_iter().map(found(PrivacyCode::Credential)));
    }
    all
}

/// Whether a text in plain letters could hold a secret at all. Most texts could not, and that is cheap to see.
pub(crate) fn may_hold(text: &str) -> bool {
    may_hold_a_number(text) || may_hold_a_word(text) || ESCAPE.is_match(text)
}

/// A letter or sign of a name of a secret, written as an escape.
static ESCAPE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?i)\\u00[2-7]|\\x[2-7][0-9a-f]|%[2-7][0-9a-f]|&#"));

/// The fewest digits of a number that is looked for.
const DIGITS_MIN: usize = 9;

fn may_hold_a_number(text: &str) -> bool {
    text.bytes().filter(u8::is_ascii_digit).count() >= DIGITS_MIN
}

fn may_hold_a_word(text: &str) -> bool {
    if HINT.is_match(text) {
        return true;
    }
    // The names of fields are looked for in the letters and digits alone.
    let letters: String = text.chars().filter(|c| c.is_alphanumeric()).collect();
    NAME.is_match(&letters)
}

/// A part of each form of key and credential below, without which none of them matches.
static HINT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi) bearer | authorization | :// | begin | eyj
            | akia | asia | aroa | aida | gh[pousr]_ | glpat- | github_pat_ | xox | xapp- | aiza | ya29
            | sk[-_] | [rp]k_ | whsec_ | sg\. | (?:hf|npm|dop_v1|shp[a-z]{2}|pypi)[_-] | hv[sbr]\. | sk[0-9a-f]{32}
            | cvv | cvc | security\ code | prüfziffer | totp | 2fa | \bpw\b | sig= | cookie | \s-[pwau] | account | shared",
    )
});

static NAME: LazyLock<Regex> = LazyLock::new(|| pattern(&format!("(?i){}|pass|key", fields::hints())));

/// Keys that show what they are by their form. Some begin so that they need no end of a word before them.
static FORMED_KEYS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?x)(?P<v> (?: gh[pousr]_[A-Za-z0-9]{20,} | github_pat_[A-Za-z0-9_]{20,} | glpat-[A-Za-z0-9_-]{16,}
            | xox[abeoprs]-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,}
            | sk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{16,} | [sr]k_(?:live|test)_[0-9A-Za-z]{14,}
            | AIza[0-9A-Za-z_-]{30,} | dop_v1_[A-Za-z0-9]{20,} | shp(?:at|ca|pa|ss)_[A-Za-z0-9]{20,}
            | AGE-SECRET-KEY-1[0-9A-Z]{20,} | SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64} ) )
        | (?:\b|_)(?P<w> (?:AKIA|ASIA|AROA|AIDA)[0-9A-Z]{16}
            | sk-(?:or-|live-)?[A-Za-z0-9_-]{16,} | ya29\.[0-9A-Za-z_-]{20,} | hv[sbr]\.[A-Za-z0-9_-]{16,}
            | (?:sk|rk|pk|whsec)_(?:live_|test_)?[0-9A-Za-z]{14,} | SK[0-9a-f]{32}\b
            | (?:hf|npm|pypi)[_-][A-Za-z0-9]{20,} )",
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
    pattern.captures_iter(text).filter_map(|found| found.name("v").or_else(|| found.name("w")))
}

fn looks_random(value: &str) -> bool {
    let mut distinct: Vec<u8> = value.bytes().collect();
    distinct.sort_unstable();
    distinct.dedup();
    has_digit_and_letter(value) && distinct.len() >= DISTINCT_MIN && !BUSINESS_ID.is_match(value)
}

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

/// `password: …`.
static ASSIGNED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?xi)(?:\b|_)(?P<name>{names})
            (?:\s(?:{of})\s?[^\s:=]{{1,64}}(?:\s[^\s:=]{{1,64}}){{0,3}}?)? ["']?
            \s*(?P<how>:=|=>|->|[:=]|\ (?:{is})\s*:|\ (?:{is})(?:\ now|\ set\ to|\ changed\ to)?\ |\ set\ to\ |\ changed\ to\ |\ to\ |\ )
            \s*["'`(<]{{0,2}}(?P<v>[^\s"'`\[\]<>]{{3,256}})"#,
        names = fields::any_of("passwords"),
        of = fields::any_word_of("of"),
        is = fields::any_word_of("is"),
    ))
});

/// `Das Passwort von Frau Kern lautet …`: whose it is may take several words.
static ASSIGNED_OF: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r#"(?xi)(?:\b|_)(?P<name>{names}) \s(?:{of})\s?[^\s:=]+(?:\s[^\s:=]+){{0,3}}?
            (?:\s*(?P<sign>[:=])|\s(?P<how>{is})\s) \s*["'`(<]{{0,2}}(?P<v>[^\s"'`\[\]<>]{{3,256}})"#,
        names = fields::any_of("passwords"),
        of = fields::any_word_of("of"),
        is = fields::any_word_of("is"),
    ))
});

/// `PIN: 1234`, `the door code is 4711#`.
/// The check digits of a card, the seed of one-time codes, and `pw=…`.
static SHORT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?xi)\b(?:cvv2?|cvc2?|(?:card\ )?security\ code|prüfziffer)\b[\s:=\#-]{0,4}(?:is\ |ist\ )?(?P<v>[0-9]{3,4})\b
            | \b(?:totp|2fa|otp)[\ _-]?(?:seed|secret|key)\b[\s:=]{1,4}(?P<w>[A-Z2-7]{16,})\b",
    )
});
static PW: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\bpw\s?[:=]\s?(?P<v>[^\s,;&]{4,64})"));

static CODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:{codes})(?: (?:{of}) ?[^\s:=]{{1,32}}(?: [^\s:=]{{1,32}})?)?(?: (?:{is})|\s?[:=]) ?(?P<v>[0-9]{{3,10}}\b[#*]?)",
        codes = fields::any_of("codes"),
        of = fields::any_word_of("of"),
        is = fields::any_word_of("is"),
    ))
});

fn credentials(text: &str) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = values(text, &FORMED).map(|value| value.range()).collect();
    found.extend(values(text, &IN_URL).filter(|value| !is_placeholder(value.as_str())).map(|v| v.range()));
    found.extend(
        values(text, &HEADER).filter(|value| has_digit_and_letter(value.as_str())).map(|v| v.range()),
    );
    found.extend(values(text, &CODE).map(|value| value.range()));
    found.extend(values(text, &SHORT).map(|value| value.range()));
    found.extend(values(text, &PW).filter(|value| !is_placeholder(value.as_str())).map(|v| v.range()));
    let assigned = ASSIGNED.captures_iter(text).chain(ASSIGNED_OF.captures_iter(text));
    found.extend(assigned.filter_map(|parts| password(text, &parts)));
    found
}

fn password(text: &str, parts: &regex::Captures<'_>) -> Option<Range<usize>> {
    let part = |name| parts.name(name).map(|part| part.as_str().trim());
    let (name, value) = (part("name")?, parts.name("v")?);
    let how = part("how").or_else(|| part("sign")).unwrap_or_default();
    // "is older than 90 days" compares it.
    let compares = text.get(value.end()..).unwrap_or_default().trim_start().starts_with("than ");
    let is_digest = text.get(..value.start()).unwrap_or_default().ends_with("sha256:");
    let is_one = !compares
        && !is_digest
        && !is_state_of(name, how, value.as_str())
        && is_password(&name.to_lowercase(), how, value.as_str());
    is_one.then(|| value.start()..value.start().saturating_add(trimmed(value.as_str()).len()))
}

/// Whether another language than English says how a password fares. There only what is no word is one, or what stands
/// alone after a colon.
fn is_state_of(name: &str, how: &str, value: &str) -> bool {
    let word = trimmed(value).to_lowercase();
    let is_word = word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '/'));
    is_word
        && !ENGLISH.is_match(name)
        && match how {
            "=" | ":=" | "=>" => false,
            ":" => fields::is_state(&word),
            _ => true,
        }
}

static ENGLISH: LazyLock<Regex> =
    LazyLock::new(|| pattern("(?i)^(?:pass|pwd|psw)(?:words?|wd|phrases?|codes?)?$"));

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
        "" | "to" => {
            mixed && !value.starts_with("sha256:") && has_digit_and_letter(value) && value.len() >= 6
        }
        _ => mixed || !is_sentence_word(&value.to_lowercase()),
    }
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

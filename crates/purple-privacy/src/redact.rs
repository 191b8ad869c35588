//! Masks secrets in text and JSON that is stored or displayed.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Number, Value};

use crate::fold::fold;
use crate::literal;
use crate::pattern::pattern;
use crate::refusal::PrivacyCode;

/// How many characters of a card or an account stay readable.
const KEPT_CHARACTERS: usize = 4;

/// How often a text is looked at again, because a mask took away what hid the next secret.
const PASSES_MAX: usize = 8;

/// Returns the text with its secrets masked. The function is idempotent.
pub fn redact(text: &str) -> String {
    if cannot_hold_a_secret(text) { text.to_owned() } else { redact_all(text) }
}

/// Masks secrets in every text and number of a JSON value. A field stays whatever it is named, because a schema may define
/// a password; only a name that is a secret itself is masked.
pub fn redact_texts(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(redact(&text)),
        Value::Array(items) => items.into_iter().map(redact_texts).collect(),
        Value::Object(fields) => {
            let masked = fields.into_iter().map(|(name, value)| (redact(&name), redact_texts(value)));
            masked.collect::<Map<_, _>>().into()
        }
        Value::Number(number) => redact_number(number),
        Value::Null | Value::Bool(_) => value,
    }
}

/// A number stays one unless it is a secret.
fn redact_number(number: Number) -> Value {
    let written = number.to_string();
    let masked = redact(&written);
    if masked == written { Value::Number(number) } else { Value::String(masked) }
}

fn redact_all(text: &str) -> String {
    let mut masked = redact_once(text);
    for _ in 1..PASSES_MAX {
        let again = redact_once(&masked);
        if again == masked {
            break;
        }
        masked = again;
    }
    masked
}

/// Most of what a journal holds: our own words and digests, and plain texts without a trace of a secret.
fn cannot_hold_a_secret(text: &str) -> bool {
    const WORD_BYTES_MAX: usize = 15;
    // One short word: every secret that is looked for has a digit, a space, a sign of assignment or more letters.
    let short = text.len() <= WORD_BYTES_MAX;
    if short && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_') {
        return true;
    }
    // Text in ASCII is written in plain letters already.
    is_digest(text) || (text.is_ascii() && !literal::may_hold(text))
}

/// Whether the text has the displayed form of a SHA-256 digest. Only the form matters here, so the crate does not
/// depend on the one that owns digests.
fn is_digest(text: &str) -> bool {
    const HEX_CHARS: usize = 64;
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    text.strip_prefix("sha256:").is_some_and(|hash| hash.len() == HEX_CHARS && hash.bytes().all(hex))
}

fn redact_once(text: &str) -> String {
    let folded = fold(text);
    let mut found = literal::find(&folded.text);
    if found.is_empty() {
        return text.to_owned();
    }
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut masked = String::with_capacity(text.len());
    let (mut written, mut end) = (0, 0);
    for found in found {
        // What overlaps an earlier one is hidden with it.
        if found.range.start < end && found.range.end <= end {
            continue;
        }
        let secret = folded.text.get(found.range.clone()).unwrap_or_default();
        let origin = folded.origin(found.range.clone());
        if found.range.start >= end {
            masked.push_str(text.get(written..origin.start).unwrap_or_default());
            masked.push_str(&mask(found.code, secret));
        }
        written = origin.end;
        end = found.range.end;
    }
    masked.push_str(text.get(written..).unwrap_or_default());
    masked
}

fn mask(code: PrivacyCode, secret: &str) -> String {
    match code {
        PrivacyCode::Ssn => "[ssn]".to_owned(),
        PrivacyCode::CardNumber => format!("[card …{}]", kept(secret).unwrap_or_default()),
        PrivacyCode::Credential | PrivacyCode::SecretRequest | PrivacyCode::Disclosure => {
            "[credential]".to_owned()
        }
        PrivacyCode::ApiKey => "[api key]".to_owned(),
    }
}

/// The last letters and digits; `None` where they would be most of it.
fn kept(secret: &str) -> Option<String> {
    let plain: Vec<char> = secret.chars().filter(|c| c.is_alphanumeric()).collect();
    let start = plain.len().checked_sub(KEPT_CHARACTERS)?;
    (start >= KEPT_CHARACTERS).then(|| plain.iter().skip(start).collect())
}

/// Returns the value with its secrets masked: those within strings, and the whole value of a key that names a secret.
///
/// The function is idempotent.
pub fn redact_json(value: Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value,
        Value::Number(number) => redact_number(number),
        Value::String(text) if cannot_hold_a_secret(&text) => Value::String(text),
        Value::String(text) => Value::String(redact_all(&text)),
        Value::Array(items) => Value::Array(items.into_iter().map(redact_json).collect()),
        Value::Object(fields) => Value::Object(redact_fields(fields)),
    }
}

fn redact_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    if !fields.keys().all(|key| cannot_hold_a_secret(key)) {
        let masked = fields.into_iter().map(|(key, value)| {
            let key = redact(&key);
            let value = redact_field(&key, value);
            (key, value)
        });
        return masked.collect();
    }
    for (key, value) in &mut fields {
        let whole = std::mem::take(value);
        *value = redact_field(key, whole);
    }
    fields
}

/// What a key says about its value.
enum Named {
    Credential,
    Ssn,
    Card,
    Account,
    Plain,
}

fn redact_field(key: &str, value: Value) -> Value {
    let named = named(key);
    let written = match (&named, value) {
        (Named::Plain, value) => return redact_json(value),
        (_, value @ (Value::Null | Value::Bool(_))) => return value,
        (Named::Card | Named::Account | Named::Ssn, Value::Array(items)) => {
            return Value::Array(items.into_iter().map(|item| redact_field(key, item)).collect());
        }
        (Named::Card | Named::Account | Named::Ssn, value @ Value::Object(_)) => return redact_json(value),
        // The card of an approval is named by its digest, and no card of a bank is.
        (Named::Card, Value::String(text)) if is_digest(&text) => return Value::String(text),
        (_, Value::String(text)) if text.is_empty() || MASK.is_match(&text) => return Value::String(text),
        (_, Value::String(text)) => text,
        (_, other) => other.to_string(),
    };
    let ending = |word: &str| match kept(&written) {
        Some(kept) => format!("[{word} …{kept}]"),
        None => format!("[{word}]"),
    };
    Value::String(match named {
        Named::Credential | Named::Plain => "[credential]".to_owned(),
        Named::Ssn => "[ssn]".to_owned(),
        Named::Card => ending("card"),
        Named::Account => ending("account"),
    })
}

static MASK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"^\[(?:ssn|credential|api key|(?:card|account)(?: …\w{1,4})?)\]$"));

/// Endings of keys whose value is a credential, and keys that are one as a whole.
const CREDENTIAL_ENDINGS: &[&str] = &[
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "secret",
    "secrets",
    "token",
    "apikey",
    "apikeys",
    "secretkey",
    "privatekey",
    "accesskey",
    "credential",
    "credentials",
    "authorization",
];
const CREDENTIALS: &[&str] = &["cvv", "cvc", "cvv2", "pin", "pincode", "cookie", "setcookie", "tokens"];
const SSN_ENDINGS: &[&str] = &["ssn", "socialsecurity", "socialsecuritynumber"];
const CARD_ENDINGS: &[&str] = &["cardnumber", "ccnumber", "creditcard", "debitcard", "cardno"];
const CARDS: &[&str] = &["pan", "card"];
const ACCOUNT_ENDINGS: &[&str] = &["iban", "accountnumber", "accountno", "bankaccount"];
/// The place in a list is no secret, and a run cannot be followed without it.
const PLACE_ENDINGS: &[&str] = &["pagetoken", "cursortoken", "continuationtoken"];

fn named(key: &str) -> Named {
    if key.is_ascii() {
        return named_by(|word| ends_in_ascii(key, word));
    }
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    named_by(|word| plain.strip_suffix(word).map(str::is_empty))
}

/// By a look whether the letters and digits of a key end with a word, and whether that is all of them.
fn named_by(end: impl Fn(&str) -> Option<bool>) -> Named {
    let ends = |words: &[&str]| words.iter().any(|word| end(word).is_some());
    let is = |words: &[&str]| words.iter().any(|word| end(word) == Some(true));
    if ends(PLACE_ENDINGS) {
        return Named::Plain;
    }
    if ends(CREDENTIAL_ENDINGS) || is(CREDENTIALS) {
        return Named::Credential;
    }
    if ends(SSN_ENDINGS) {
        return Named::Ssn;
    }
    if ends(CARD_ENDINGS) || is(CARDS) {
        return Named::Card;
    }
    if ends(ACCOUNT_ENDINGS) {
        return Named::Account;
    }
    Named::Plain
}

/// The same without a copy of the key.
fn ends_in_ascii(key: &str, word: &str) -> Option<bool> {
    let mut letters = key.bytes().rev().filter(u8::is_ascii_alphanumeric);
    let same = |wanted: u8| letters.next().is_some_and(|letter| letter.eq_ignore_ascii_case(&wanted));
    word.bytes().rev().all(same).then(|| letters.next().is_none())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_card_of_an_approval_keeps_its_digest_and_every_other_card_is_masked() {
        let digest = format!("sha256:{}", "0123456789abcdef".repeat(4));
        let kept = json!({"card": digest, "cards": [digest], "approval": {"card": digest}});
        assert_eq!(redact_json(kept.clone()), kept);
        let short = digest.get(..digest.len() - 1).unwrap();
        for secret in ["4111 1111 1111 1111", "4111111111111111", short, "0123456789abcdef"] {
            let masked = redact_json(json!({ "card": secret }));
            assert_ne!(masked["card"], secret);
            assert!(masked["card"].as_str().unwrap().starts_with("[card …"), "{masked}");
        }
        // Under the name of a credential nothing is a digest.
        for key in ["password", "api_token", "pin"] {
            assert_eq!(redact_json(json!({ key: digest })), json!({ key: "[credential]" }));
        }
    }
}

//! Masks secrets in what is journaled.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::{Map, Value};

use super::PrivacyCode;
use super::fold::fold;
use super::literal;
use crate::prime::pattern::pattern;

/// How many characters of a card or an account stay readable.
const KEPT_CHARACTERS: usize = 4;

/// How often a text is looked at again, because a mask took away what hid the next secret.
const PASSES_MAX: usize = 8;

/// The text with its secrets masked. Masking twice changes nothing more.
pub(super) fn redact(text: &str) -> String {
    if cannot_hold_a_secret(text) {
        return text.to_owned();
    }
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

/// Our own words, which most of a journal is: a digest, or one short word without digits and spaces. Every secret that
/// is looked for has a digit, a space, a sign of assignment or more letters than that.
fn cannot_hold_a_secret(text: &str) -> bool {
    const WORD_BYTES_MAX: usize = 15;
    const DIGEST_HEX_CHARS: usize = 64;
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if let Some(digest) = text.strip_prefix("sha256:") {
        return digest.len() == DIGEST_HEX_CHARS && digest.bytes().all(hex);
    }
    text.len() <= WORD_BYTES_MAX && text.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
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

/// The value with its secrets masked: in every text, and whole where a key says that it is one.
pub(super) fn redact_json(value: &Value) -> Value {
    match value {
        Value::Null | Value::Bool(_) => value.clone(),
        Value::Number(number) => {
            let written = number.to_string();
            let masked = redact(&written);
            if masked == written { value.clone() } else { Value::String(masked) }
        }
        Value::String(text) => Value::String(redact(text)),
        Value::Array(items) => Value::Array(items.iter().map(redact_json).collect()),
        Value::Object(fields) => {
            let masked: Map<String, Value> = fields
                .iter()
                .map(|(key, value)| {
                    let key = redact(key);
                    let value = redact_field(&key, value);
                    (key, value)
                })
                .collect();
            Value::Object(masked)
        }
    }
}

/// What a key says about its value.
enum Named {
    Credential,
    Ssn,
    Card,
    Account,
    Plain,
}

fn redact_field(key: &str, value: &Value) -> Value {
    let named = named(key);
    let written = match (&named, value) {
        (Named::Plain, _) => return redact_json(value),
        (_, Value::Null | Value::Bool(_)) => return value.clone(),
        (Named::Card | Named::Account | Named::Ssn, Value::Array(items)) => {
            return Value::Array(items.iter().map(|item| redact_field(key, item)).collect());
        }
        (Named::Card | Named::Account | Named::Ssn, Value::Object(_)) => return redact_json(value),
        (_, Value::String(text)) if text.is_empty() || MASK.is_match(text) => return value.clone(),
        (_, Value::String(text)) => text.clone(),
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

fn named(key: &str) -> Named {
    let plain: String = key.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
    let ends = |words: &[&str]| words.iter().any(|word| plain.ends_with(word));
    let is = |words: &[&str]| words.contains(&plain.as_str());
    // The place in a list is no secret, and a run cannot be followed without it.
    if ends(&["pagetoken", "cursortoken", "continuationtoken"]) {
        return Named::Plain;
    }
    if ends(&[
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
    ]) || is(&["cvv", "cvc", "cvv2", "pin", "pincode", "cookie", "setcookie", "tokens"])
    {
        return Named::Credential;
    }
    if ends(&["ssn", "socialsecurity", "socialsecuritynumber"]) {
        return Named::Ssn;
    }
    if ends(&["cardnumber", "ccnumber", "creditcard", "debitcard", "cardno"]) || is(&["pan", "card"]) {
        return Named::Card;
    }
    if ends(&["iban", "accountnumber", "accountno", "bankaccount"]) {
        return Named::Account;
    }
    Named::Plain
}

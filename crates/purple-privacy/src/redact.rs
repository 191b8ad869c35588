//! Masks secrets in text and JSON that is stored or displayed.

use serde_json::{Map, Number, Value};

use crate::fields::{Named, is_mask, named};
use crate::literal;
use crate::refusal::PrivacyCode;
use structure::{redact_columns, redact_embedded, redact_headed, redact_pair, redact_table};

mod structure;

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
    let read = redact_embedded(text);
    let read = read.as_deref().unwrap_or(text);
    let table = redact_table(read);
    redact_literals(table.as_deref().unwrap_or(read))
}

fn redact_literals(text: &str) -> String {
    let mut found = literal::find_in(text);
    if found.is_empty() {
        return text.to_owned();
    }
    found.sort_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)));
    let mut masked = String::with_capacity(text.len());
    let mut written = 0;
    for found in found {
        // What overlaps an earlier one is hidden with it.
        if found.range.start < written {
            written = written.max(found.range.end);
            continue;
        }
        masked.push_str(text.get(written..found.range.start).unwrap_or_default());
        masked.push_str(&mask(found.code, &found.secret));
        written = found.range.end;
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
        Value::Array(mut items) => {
            redact_headed(&mut items);
            Value::Array(items.into_iter().map(redact_json).collect())
        }
        Value::Object(fields) => Value::Object(redact_fields(fields)),
    }
}

fn redact_fields(mut fields: Map<String, Value>) -> Map<String, Value> {
    redact_pair(&mut fields);
    redact_columns(&mut fields);
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

/// Masks what a field holds, by its name.
pub(crate) fn redact_field(key: &str, value: Value) -> Value {
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
        (_, Value::String(text)) if text.is_empty() || is_mask(&text) => return Value::String(text),
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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_check_digits_of_a_card_are_masked_and_other_short_numbers_are_not() {
        for (text, masked) in [
            ("paid by card, cvv 737, in March", "paid by card, cvv [credential], in March"),
            ("CVC: 321", "CVC: [credential]"),
            ("exp 04/29 security code 998", "exp 04/29 security code [credential]"),
            ("the building has 321 rooms and gate 998", "the building has 321 rooms and gate 998"),
        ] {
            assert_eq!(redact(text), masked);
        }
    }

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

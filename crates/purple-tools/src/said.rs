//! What a server's words come to.

use purple_port::Called;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::StreamableHttpError;
use serde_json::Value;

use crate::limits::{ANSWER_BYTES_MAX, WORDS_BYTES_MAX};

/// What a call came to, and what that says about the connection.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) called: Called,
    pub(crate) link: Then,
}

/// What becomes of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It works.
    Keep,
    /// It is not trusted any more; the next call makes a new one.
    Discard,
    /// It died, or there was none; too many of these in a row, and we wait.
    Strike,
}

impl Outcome {
    pub(crate) fn answered(called: Called) -> Self {
        Self { called, link: Then::Keep }
    }

    pub(crate) fn lost(reason: &str, link: Then) -> Self {
        Self { called: Called::Lost { reason: cut(reason).into() }, link }
    }

    pub(crate) fn not_sent(reason: &str, link: Then) -> Self {
        Self { called: Called::NotSent { reason: cut(reason).into() }, link }
    }

    pub(crate) fn refused(code: Option<&str>, message: &str) -> Self {
        Self::answered(refused(code, message))
    }
}

pub(crate) fn refused(code: Option<&str>, message: &str) -> Called {
    Called::Refused { code: code.map(|code| cut(code).into()), message: cut(message).into() }
}

pub(crate) fn too_long() -> String {
    format!("the answer is longer than {ANSWER_BYTES_MAX} bytes")
}

/// Code and words of an error that is written as `{"error": …, "type": …}`, or with the usual variations of it.
pub(crate) fn error_body(body: &Value) -> Option<Called> {
    let error = body.get("error").filter(|error| !is_blank(error))?;
    let inner = |name: &str| error.get(name).and_then(word);
    let outer = |name: &str| body.get(name).and_then(word);
    let code = outer("type").or_else(|| outer("code")).or_else(|| inner("type")).or_else(|| inner("code"));
    let message = word(error).or_else(|| inner("message")).unwrap_or_else(|| error.to_string());
    Some(refused(code.as_deref(), &message))
}

fn is_blank(error: &Value) -> bool {
    matches!(error, Value::Null | Value::Bool(false)) || error.as_str() == Some("")
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Words of a server, cut to what a reason may hold.
pub(crate) fn cut(words: &str) -> String {
    if words.len() <= WORDS_BYTES_MAX {
        return words.to_owned();
    }
    let mut end = WORDS_BYTES_MAX;
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    let kept = words.get(..end).unwrap_or_default();
    format!("{kept}…")
}

/// An error with all its causes, in one line.
pub(crate) fn whole(error: &(dyn std::error::Error + 'static)) -> String {
    // Of a login only our own words are told.
    if let Some(AuthError::AuthorizationFailed(words) | AuthError::TokenRefreshFailed(words)) =
        causes(error).skip(1).find_map(|cause| cause.downcast_ref::<AuthError>())
    {
        return cut(words);
    }
    let mut words = error.to_string();
    for cause in causes(error).skip(1) {
        let cause = cause.to_string();
        if !words.contains(&cause) {
            words.push_str(": ");
            words.push_str(&cause);
        }
    }
    cut(&without_types(&words))
}

/// Words without the names of Rust types that a library puts into brackets: they tell a reader nothing.
fn without_types(words: &str) -> String {
    let mut plain = String::with_capacity(words.len());
    let mut rest = words;
    while let Some((before, after)) = rest.split_once(" [") {
        plain.push_str(before);
        match after.split_once(']') {
            Some((inner, behind)) if inner.contains("::") => rest = behind,
            Some(_) | None => {
                plain.push_str(" [");
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

/// An error and what is behind it.
pub(crate) fn causes<'a>(
    error: &'a (dyn std::error::Error + 'static),
) -> impl Iterator<Item = &'a (dyn std::error::Error + 'static)> {
    std::iter::successors(Some(error), |error| match error.downcast_ref() {
        // The library does not call the client's error a source.
        Some(StreamableHttpError::<reqwest::Error>::Client(behind)) => Some(behind as _),
        Some(_) | None => error.source(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(body: Value, code: Option<&str>, message: &str) {
        assert_eq!(error_body(&body), Some(refused(code, message)), "{body}");
    }

    #[test]
    fn the_names_of_types_are_not_told() {
        for (words, plain) in [
            (
                "Transport [rmcp::worker::W<a::B<c::D>>] error: refused, when [x]",
                "Transport error: refused, when [x]",
            ),
            ("nothing [here] and [a::b", "nothing [here] and [a::b"),
            ("at http://[::1]:80 of [a::B]", "at http://[::1]:80 of"),
            ("plain", "plain"),
        ] {
            assert_eq!(without_types(words), plain);
        }
    }

    #[test]
    fn an_error_body_gives_its_code_and_its_words() {
        check(json!({"error": "no such invoice", "type": "NOT_FOUND"}), Some("NOT_FOUND"), "no such invoice");
        check(json!({"error": "no", "code": 404}), Some("404"), "no");
        check(json!({"error": {"message": "no", "code": "GONE"}}), Some("GONE"), "no");
        check(json!({"error": {"why": 1}}), None, r#"{"why":1}"#);
        check(json!({"error": true}), None, "true");
    }

    #[test]
    fn what_names_no_error_is_none() {
        for body in
            [json!({"error": null, "id": 1}), json!({"error": ""}), json!({"error": false}), json!([1])]
        {
            assert_eq!(error_body(&body), None, "{body}");
        }
    }

    #[test]
    fn long_words_are_cut_between_letters() {
        let long = "ä".repeat(WORDS_BYTES_MAX);
        let kept = cut(&long);
        assert!(kept.len() <= WORDS_BYTES_MAX + '…'.len_utf8() && kept.ends_with("ä…"));
    }
}

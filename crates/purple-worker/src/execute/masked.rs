//! Failures that are dressed as answers: envelopes that say no, texts that tell of an error, nothing at all.
//!
//! Pure. A record that has fields of its own stays one, whatever it says about itself: a job may have failed, and reading
//! it did not.

use serde_json::{Map, Value};

use super::complaint::missing_column;
use crate::port::Called;
use crate::port::untrusted::Untrusted;

/// What is known of a read, against which its answer is held.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Expected<'a> {
    /// The values that it was asked with. A field that only repeats one says nothing.
    pub asked: &'a [String],
    /// Whether its tool has given records before.
    pub records: bool,
}

/// How deep failures are looked for inside envelopes.
const DEPTH_MAX: usize = 4;
/// The longest text that is told of a failure, in characters.
const TOLD_CHARS_MAX: usize = 300;
/// A longer text is a document, whatever it begins with.
const COMPLAINT_CHARS_MAX: usize = 400;

/// Names under which an envelope says whether a call went well.
const ACKNOWLEDGES: &[&str] = &["ok", "success", "successful", "succeeded", "issuccess"];
/// Names under which it says that it did not.
const DENIES: &[&str] = &["iserror", "haserror", "haserrors"];
/// Names under which it says how a call ended.
const STATES: &[&str] = &["status", "state", "result", "outcome", "type"];
/// What it says there of a call that failed.
const FAILURES: &[&str] = &[
    "error",
    "errored",
    "err",
    "failed",
    "failure",
    "fail",
    "fatal",
    "exception",
    "unavailable",
    "timeout",
    "timedout",
    "unauthorized",
    "unauthorised",
    "unauthenticated",
    "forbidden",
    "accessdenied",
    "permissiondenied",
    "notallowed",
    "internalerror",
    "internalservererror",
    "servererror",
    "badgateway",
    "serviceunavailable",
    "gatewaytimeout",
    "ratelimited",
    "toomanyrequests",
    "badrequest",
];
/// And of one that went well.
const SUCCESSES: &[&str] = &["ok", "success", "successful", "succeeded", "200"];
/// Names under which it says what went wrong.
const ERRORS: &[&str] = &["error", "errors", "exception", "fault", "errormessage", "errordescription"];
/// Names of the text that goes with it, in the order in which it is told.
const TEXTS: &[&str] =
    &["message", "reason", "detail", "details", "description", "msg", "title", "hint", "info", "error"];
/// Names of its number or code.
const CODES: &[&str] =
    &["code", "errorcode", "statuscode", "httpstatus", "httpcode", "httpstatuscode", "status", "type"];
/// Names of what a server tells of the call itself.
const ASIDE: &[&str] = &[
    "requestid",
    "traceid",
    "correlationid",
    "spanid",
    "timestamp",
    "time",
    "path",
    "method",
    "instance",
    "documentationurl",
    "retryafter",
    "duration",
    "durationms",
    "elapsed",
    "took",
    "version",
    "apiversion",
    "jsonrpc",
    "meta",
    "metadata",
    "links",
    "stack",
    "stacktrace",
    "warnings",
    "debug",
    "help",
];
/// Names under which a server puts what it answers.
const WRAPPERS: &[&str] = &["data", "result", "results", "response", "payload", "body", "content", "value"];
/// How texts begin that tell of a failure.
const COMPLAINTS: &[&str] = &[
    "error",
    "exception",
    "traceback",
    "fatal",
    "failed to",
    "failure",
    "internal error",
    "internal server error",
    "connection refused",
    "connection reset",
    "connection timed out",
    "timeout",
    "timed out",
    "request timed out",
    "unavailable",
    "service unavailable",
    "bad gateway",
    "gateway timeout",
    "unauthorized",
    "forbidden",
    "access denied",
    "permission denied",
    "too many requests",
    "could not connect",
    "cannot connect",
    "unable to connect",
];

/// What a tool said instead of an answer.
struct Refusal {
    code: Option<String>,
    message: String,
}

impl Refusal {
    fn told(message: impl Into<String>) -> Self {
        Self { code: None, message: message.into() }
    }
}

/// The answer of a read, or the failure that it is.
pub(crate) fn unmask(called: Called, expected: Expected<'_>) -> Called {
    refused(called, |value| match value {
        Value::String(text) => complaint(text, expected),
        Value::Object(fields) => failure(value, expected.asked, 0).or_else(|| no_record(fields, expected)),
        Value::Array(_) => failure(value, expected.asked, 0),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    })
}

/// The answer of a write, or the failure that it is. A write may well say nothing but that it went well.
pub(crate) fn refusal(called: Called) -> Called {
    refused(called, |value| failure(value, &[], 0))
}

/// Whether an answer shows records.
pub(crate) fn shows_records(value: &Value) -> bool {
    match value {
        Value::Object(fields) => !fields.is_empty(),
        Value::Array(items) => items.iter().any(Value::is_object),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

fn refused(called: Called, judge: impl FnOnce(&Value) -> Option<Refusal>) -> Called {
    let Called::Answered(value) = called else { return called };
    match judge(value.for_work()) {
        Some(Refusal { code, message }) => {
            Called::Refused { code: code.map(Untrusted::new), message: message.into() }
        }
        None => Called::Answered(value),
    }
}

/// The failure that an envelope tells of.
fn failure(value: &Value, asked: &[String], depth: usize) -> Option<Refusal> {
    if depth > DEPTH_MAX {
        return None;
    }
    let fields = match value {
        Value::Object(fields) => fields,
        // Each of several things that were asked for failed.
        Value::Array(items) => {
            let failures: Option<Vec<Refusal>> =
                items.iter().map(|item| failure(item, asked, depth + 1)).collect();
            return failures.and_then(|failures| failures.into_iter().next());
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return None,
    };
    let says_no = fields.iter().any(|(name, value)| {
        let name = plain(name);
        let is = |of: &[&str], truth: bool| of.contains(&name.as_str()) && said_truth(value) == Some(truth);
        is(ACKNOWLEDGES, false) || is(DENIES, true)
    });
    if says_no {
        return Some(told_by(fields));
    }
    let business: Vec<(&String, &Value)> =
        fields.iter().filter(|(name, value)| is_business(name, value, asked)).collect();
    match business.as_slice() {
        [] => {}
        [(name, inner)] if WRAPPERS.contains(&plain(name).as_str()) => {
            return failure(inner, asked, depth + 1);
        }
        _ => return None,
    }
    let fails = fields.iter().any(|(name, value)| {
        let name = plain(name);
        let is = |of: &[&str]| of.contains(&name.as_str());
        (is(STATES) && is_failure(value))
            || (is(ERRORS) && !is_blank(value) && *value != Value::Bool(false))
            || (is(CODES) && http_failure(value).is_some())
    });
    fails.then(|| told_by(fields))
}

/// Nothing but that all is well, or only words from a tool that gives records.
fn no_record(fields: &Map<String, Value>, expected: Expected<'_>) -> Option<Refusal> {
    let mut acknowledged = false;
    let mut words = None;
    for (name, value) in fields {
        let name = plain(name);
        let is = |of: &[&str]| of.contains(&name.as_str());
        if (is(ACKNOWLEDGES) && said_truth(value) == Some(true))
            || ((is(STATES) || is(CODES)) && is_success(value))
            || is(DENIES)
        {
            acknowledged = true;
        } else if is(TEXTS) && value.is_string() {
            words = value.as_str();
        } else {
            return None;
        }
    }
    match words {
        Some(words) if expected.records => Some(Refusal::told(format!("it shows no record: {}", cut(words)))),
        Some(_) => None,
        None => acknowledged.then(|| Refusal::told("it says that all is well, and shows no record")),
    }
}

/// The failure that a text tells of.
fn complaint(text: &str, expected: Expected<'_>) -> Option<Refusal> {
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Some(Refusal::told("it answered with an empty text"));
    }
    let lower: String = trimmed.chars().take(COMPLAINT_CHARS_MAX).flat_map(char::to_lowercase).collect();
    let told = || Some(Refusal::told(cut(trimmed)));
    let start: String = lower.chars().take(64).collect();
    if start.contains("error") && missing_column(text).is_some() {
        return Some(Refusal::told(text));
    }
    let is_short = trimmed.chars().count() < COMPLAINT_CHARS_MAX && trimmed.lines().count() <= 4;
    let is_page = lower.starts_with("<!doctype html") || lower.starts_with("<html");
    if (is_page && (expected.records || is_error_page(trimmed))) || (is_short && complains(&lower)) {
        return told();
    }
    if expected.records { told() } else { None }
}

/// Whether a short text begins like an error: `Error: …`, `502 Bad Gateway`, `HTTP 503`.
fn complains(lower: &str) -> bool {
    let begins = |with: &&str| {
        let rest = lower.strip_prefix(*with);
        rest.is_some_and(|rest| !rest.starts_with(|sign: char| sign.is_alphanumeric() || sign == '-'))
    };
    // "Error handling in Rust" is a title.
    let is_error = lower.strip_prefix("error").is_some_and(|rest| {
        let rest = rest.trim_start_matches(|sign: char| sign.is_ascii_digit() || sign == ' ');
        rest.is_empty() || rest.starts_with([':', '!', '.', '-', '(', '['])
    });
    let typed = lower.split(':').next().is_some_and(|head| {
        !head.contains(' ') && (head.ends_with("error") || head.ends_with("exception")) && lower.contains(':')
    });
    is_error || typed || status_line(lower) || COMPLAINTS.iter().skip(1).any(begins)
}

/// `502 Bad Gateway`, `http 503`, `http/1.1 500 internal server error`.
fn status_line(lower: &str) -> bool {
    let mut words = lower.split(|sign: char| sign.is_whitespace() || matches!(sign, ':' | ','));
    let first = words.next().unwrap_or_default();
    let is_http = first == "http" || first.starts_with("http/");
    let number = if is_http { words.next().unwrap_or_default() } else { first };
    let is_failure = number.len() == 3 && number.parse().is_ok_and(|code: u16| (400..600).contains(&code));
    let names = [
        "bad",
        "not",
        "internal",
        "service",
        "gateway",
        "forbidden",
        "unauthorized",
        "too",
        "request",
        "from",
        "error",
    ];
    is_failure && (is_http || words.next().is_none_or(|word| names.contains(&word)))
}

/// Whether a page shows an error: by its title, or by the first words that it shows.
fn is_error_page(page: &str) -> bool {
    const SHOWN_CHARS: usize = 2_000;
    let mut shown = String::new();
    let mut in_tag = false;
    for sign in page.chars().take(SHOWN_CHARS) {
        match sign {
            '<' => in_tag = true,
            '>' => {
                in_tag = false;
                shown.push(' ');
            }
            sign if !in_tag => shown.extend(sign.to_lowercase()),
            _ => {}
        }
    }
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    complains(&shown)
}

/// What a failing envelope says, as code and text.
fn told_by(fields: &Map<String, Value>) -> Refusal {
    let mut said: Vec<String> = Vec::new();
    let mut code = None;
    let mut say = |text: &str| {
        let text = text.trim();
        if !text.is_empty() && !said.iter().any(|known| known == text) {
            said.push(text.to_owned());
        }
    };
    for name in ERRORS.iter().chain(TEXTS) {
        for (_, value) in fields.iter().filter(|(own, _)| plain(own) == *name) {
            texts(value, &mut say, 0);
            if let Value::Object(inner) = value {
                code = code.or_else(|| code_of(inner));
            }
        }
    }
    let code = code_of(fields).or(code);
    if said.is_empty() {
        let states = fields.iter().filter(|(name, _)| STATES.contains(&plain(name).as_str()));
        said.extend(states.filter_map(|(_, value)| value.as_str()).map(str::to_owned));
    }
    if said.is_empty() {
        said.push(Value::Object(fields.clone()).to_string());
    }
    Refusal { code, message: cut(&said.join("; ")) }
}

fn texts(value: &Value, say: &mut impl FnMut(&str), depth: usize) {
    match value {
        Value::String(text) => say(text),
        Value::Array(items) if depth < DEPTH_MAX => items.iter().for_each(|item| texts(item, say, depth + 1)),
        Value::Object(inner) if depth < DEPTH_MAX => {
            let named = |name: &&str| inner.iter().find(|(own, _)| plain(own) == **name);
            let told = TEXTS.iter().find_map(named);
            if let Some((_, value)) = told {
                texts(value, say, depth + 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {}
    }
}

/// The code of an error. A bare 404 may be the record or the address: nobody knows, so that it is none.
fn code_of(fields: &Map<String, Value>) -> Option<String> {
    let named = |name: &&str| fields.iter().find(|(own, _)| plain(own) == **name).map(|(_, value)| value);
    CODES.iter().filter(|name| **name != "status").find_map(|name| match named(name)? {
        Value::String(code) if !code.trim().is_empty() && !is_failure(&Value::from(code.as_str())) => {
            Some(code.clone()).filter(|code| code != "404")
        }
        value => http_failure(value).filter(|code| *code != 404).map(|code| code.to_string()),
    })
}

/// Whether a field says something of what was asked for, and not of the call.
fn is_business(name: &str, value: &Value, asked: &[String]) -> bool {
    let name = plain(name);
    let is = |of: &[&str]| of.contains(&name.as_str());
    let repeats = || scalar(value).is_some_and(|text| asked.contains(&text));
    let of_call = is(ERRORS)
        || is(ASIDE)
        || (is(TEXTS) && !value.is_object() && !value.is_array())
        || (is(ACKNOWLEDGES) && said_truth(value).is_some())
        || (is(DENIES) && said_truth(value).is_some())
        || (is(STATES) && (is_failure(value) || is_success(value)))
        || (is(CODES) && (is_success(value) || http_failure(value).is_some() || is_code_word(&name, value)));
    !of_call && !is_blank(value) && !repeats()
}

/// A code in words is one of an error beside an error; alone it may be a voucher's.
fn is_code_word(name: &str, value: &Value) -> bool {
    let is_shouted = |text: &str| {
        text.contains('_')
            && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_' || byte.is_ascii_digit())
    };
    name != "status" && value.as_str().is_some_and(is_shouted)
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        Value::Object(fields) => fields.values().all(is_blank),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn is_failure(value: &Value) -> bool {
    value.as_str().is_some_and(|text| FAILURES.contains(&plain(text).as_str()))
}

fn is_success(value: &Value) -> bool {
    let is_good = |code: u64| (200..300).contains(&code);
    value.as_str().is_some_and(|text| SUCCESSES.contains(&plain(text).as_str()))
        || value.as_u64().is_some_and(is_good)
}

/// A number by which servers say that a call failed.
fn http_failure(value: &Value) -> Option<u16> {
    let code: u16 = match value {
        Value::Number(number) => number.to_string().parse().ok()?,
        Value::String(text) => text.trim().parse().ok()?,
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
    };
    (400..600).contains(&code).then_some(code)
}

fn said_truth(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(truth) => Some(*truth),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(false),
        Value::Number(number) if number.as_u64() == Some(0) => Some(false),
        Value::Number(number) if number.as_u64() == Some(1) => Some(true),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A name or a word without case and signs: `http_status` and `httpStatus` are one.
fn plain(name: &str) -> String {
    name.chars().filter(|sign| sign.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(TOLD_CHARS_MAX) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
#[path = "masked_tests.rs"]
mod tests;

//! What the dialects read alike: parts, what comes beside the words, and decisions as data.

use purple_port::preview::preview;
use serde_json::{Map, Value};

use super::fault::{Fault, echo};
use super::fields::Fields;
use super::model::{Accepts, Answer, Decision, Dialect, Extras, HistoryLength, Part, PushConfig};
use crate::limits::{ENDPOINT_BYTES_MAX, MESSAGE_ID_BYTES_MAX, PARTS_MAX, PUSH_TEXT_BYTES_MAX};

/// What the parts of a message say: words, and at most one decision.
pub(super) struct Said {
    pub(super) words: String,
    pub(super) decision: Option<Decision>,
}

/// Reads every part by the dialect's own reader.
pub(super) fn said(
    message: &Fields<'_>,
    read: impl Fn(&Fields<'_>) -> Result<Part, Fault>,
) -> Result<Said, Fault> {
    let place = message.at("parts");
    let parts = message.list("parts")?.filter(|parts| !parts.is_empty());
    let parts = parts.ok_or_else(|| Fault::params(place.clone(), "is needed, with at least one part"))?;
    if parts.len() > PARTS_MAX {
        return Err(Fault::params(place, format!("has {} parts; at most {PARTS_MAX}", parts.len())));
    }
    let mut said = Said { words: String::new(), decision: None };
    for (at, part) in parts.iter().enumerate() {
        let place = format!("{place}[{at}]");
        let line = match read(&Fields::of(part, place.clone())?)? {
            Part::Text(text) => text,
            Part::Data(data) => match decision(&data, &place)? {
                Some(_) if said.decision.is_some() => {
                    return Err(Fault::params(place, "is a second decision; one message decides once"));
                }
                Some(decision) => {
                    said.decision = Some(decision);
                    continue;
                }
                None => data.to_string(),
            },
        };
        if !said.words.is_empty() {
            said.words.push('\n');
        }
        said.words.push_str(&line);
    }
    Ok(said)
}

/// A data part that names an approval is a decision about it, and nothing else.
fn decision(data: &Value, place: &str) -> Result<Option<Decision>, Fault> {
    let Value::Object(map) = data else { return Ok(None) };
    if !map.contains_key("approvalId") && !map.contains_key("approval_id") {
        return Ok(None);
    }
    let fields = Fields::of(data, place)?;
    let approval = fields.needed("approvalId")?.to_owned();
    let word = match fields.text("decision")? {
        Some(word) => word,
        None => fields.needed("option")?,
    };
    let reason = fields.text("reason")?.unwrap_or_default().to_owned();
    let some = fields.list("operations")?;
    let answer = match (word, some) {
        ("approve", None) => Answer::Approve,
        ("approve", Some(steps)) => {
            let steps = steps.iter().map(|step| step.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>();
            let steps = steps.filter(|steps| !steps.is_empty());
            let why = "must be a list of the names of operations";
            Answer::ApproveSome(steps.ok_or_else(|| Fault::params(fields.at("operations"), why))?)
        }
        ("reject", _) => Answer::Reject { reason },
        _ => return Err(Fault::params(fields.at("decision"), "must be `approve` or `reject`")),
    };
    let plan = fields.text("planHash")?.map(str::to_owned);
    Ok(Some(Decision { approval, plan, answer }))
}

/// The id of a message, short enough to be kept for ever.
pub(super) fn message_id(message: &Fields<'_>) -> Result<String, Fault> {
    let id = message.needed("messageId")?;
    if id.len() > MESSAGE_ID_BYTES_MAX {
        let why = format!("has {} bytes; at most {MESSAGE_ID_BYTES_MAX}", id.len());
        return Err(Fault::params(message.at("messageId"), why));
    }
    Ok(id.to_owned())
}

/// What came beside the words, from the request's metadata and the message's; the request's counts first.
pub(super) fn extras(params: &Fields<'_>, message: &Fields<'_>) -> Result<Extras, Fault> {
    let places = [params.object("metadata")?, message.object("metadata")?];
    let find = |name: &str| {
        let mut found =
            places.iter().flatten().filter_map(|fields| Some((fields.raw(name)?, fields.at(name))));
        found.next()
    };
    let text = |name: &str| match find(name) {
        None => Ok(None),
        Some((Value::String(text), _)) if text.is_empty() => Ok(None),
        Some((Value::String(text), _)) => Ok(Some(text.clone())),
        Some((_, place)) => Err(Fault::params(place, "must be a text")),
    };
    let policy = find("policy_doc").map(|(value, place)| policy(value, &place)).transpose()?.flatten();
    let session = text("session_id")?;
    let tools_endpoint = match text("tools_endpoint")? {
        None => None,
        Some(url) => Some(endpoint(url, session.as_deref())?),
    };
    Ok(Extras { policy, tools_endpoint, session })
}

/// Rules as JSON, or prose. What looks like rules and cannot be read is refused: as prose it would restrict nothing.
pub(crate) fn policy(value: &Value, place: &str) -> Result<Option<Value>, Fault> {
    let read = read_policy(value, place)?;
    // Rules that the run could not read are refused before anything is taken in.
    match read.as_ref().map(|policy| preview(policy, "")) {
        Some(Err(bad)) => {
            let why = bad.to_string().lines().map(str::trim).collect::<Vec<_>>().join(" ");
            Err(Fault::params(place, format!("must be {POLICY_FORM}: {why}")))
        }
        Some(Ok(_)) | None => Ok(read),
    }
}

/// What a policy of a request looks like.
const POLICY_FORM: &str = "prose, a list of rules, or `{\"rules\": [...], \"context\": {...}}`";

fn read_policy(value: &Value, place: &str) -> Result<Option<Value>, Fault> {
    let wrapped = |rules: &Vec<Value>| {
        let rules = Value::Array(rules.clone());
        Value::Object(Map::from_iter([("rules".to_owned(), rules)]))
    };
    match value {
        Value::Object(_) => Ok(Some(value.clone())),
        Value::Array(rules) => Ok(Some(wrapped(rules))),
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            match serde_json::from_str::<Value>(text) {
                Ok(Value::Array(rules)) => Ok(Some(wrapped(&rules))),
                Ok(rules) => Ok(Some(rules)),
                Err(error) => Err(Fault::params(place, format!("begins like JSON and is none: {error}"))),
            }
        }
        Value::String(_) => Ok(Some(value.clone())),
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            Err(Fault::params(place, format!("must be {POLICY_FORM}")))
        }
    }
}

/// An address of tools, with the session that they belong to. Whether it is allowed is the worker's to say.
fn endpoint(url: String, session: Option<&str>) -> Result<String, Fault> {
    let place = "metadata.tools_endpoint";
    let web = url.starts_with("http://") || url.starts_with("https://");
    if !web || url.len() > ENDPOINT_BYTES_MAX || !url.bytes().all(|byte| byte.is_ascii_graphic()) {
        let why = format!("`{}` is no http address", echo(&url));
        return Err(Fault::params(place, why));
    }
    let Some(session) = session.filter(|_| !url.contains("session_id=") && !url.contains('#')) else {
        return Ok(url);
    };
    let joint = if url.contains('?') { '&' } else { '?' };
    Ok(format!("{url}{joint}session_id={}", escaped(session)))
}

/// A text as one value of a query.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

/// Where and how a program is told. 1.0 names one scheme of authentication, earlier dialects a list.
pub(super) fn push(fields: &Fields<'_>, dialect: Dialect) -> Result<PushConfig, Fault> {
    let short = |name: &str| -> Result<Option<String>, Fault> {
        let Some(text) = fields.text(name)?.filter(|text| !text.is_empty()) else { return Ok(None) };
        bounded(text, fields.at(name)).map(Some)
    };
    let url = fields.needed("url")?;
    if url.len() > ENDPOINT_BYTES_MAX {
        let why = format!("has {} bytes; at most {ENDPOINT_BYTES_MAX}", url.len());
        return Err(Fault::params(fields.at("url"), why));
    }
    let (mut scheme, mut credentials) = (None, None);
    if let Some(authentication) = fields.object("authentication")? {
        let listed = authentication.list("schemes")?.and_then(|schemes| schemes.first()).map(|first| {
            first
                .as_str()
                .ok_or_else(|| Fault::params(authentication.at("schemes"), "must be a list of texts"))
        });
        let named = authentication.text("scheme")?.filter(|name| !name.is_empty());
        scheme = match (named, listed) {
            (Some(named), _) => Some(bounded(named, authentication.at("scheme"))?),
            (None, Some(listed)) => Some(bounded(listed?, authentication.at("schemes"))?),
            (None, None) => None,
        };
        let given = authentication.text("credentials")?.filter(|text| !text.is_empty());
        credentials = given.map(|text| bounded(text, authentication.at("credentials"))).transpose()?;
    }
    Ok(PushConfig {
        id: short("id")?,
        url: url.to_owned(),
        token: short("token")?,
        scheme,
        credentials,
        dialect,
    })
}

/// A text that fits into a header and is kept.
fn bounded(text: &str, place: String) -> Result<String, Fault> {
    let plain = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if plain && text.len() <= PUSH_TEXT_BYTES_MAX {
        return Ok(text.to_owned());
    }
    Err(Fault::params(place, format!("must be plain text of at most {PUSH_TEXT_BYTES_MAX} bytes")))
}

/// What the caller reads. An empty list is that of clients which put every part into one text.
pub(super) fn accepts(fields: Option<&Fields<'_>>) -> Result<Accepts, Fault> {
    let modes = match fields {
        Some(fields) => fields.list("acceptedOutputModes")?,
        None => None,
    };
    let Some(modes) = modes else { return Ok(Accepts::Data) };
    let takes_data = |mode: &Value| {
        mode.as_str().is_some_and(|mode| {
            let mode = mode.trim().to_ascii_lowercase();
            mode == "data" || mode == "*/*" || mode == "application/*" || mode.starts_with("application/json")
        })
    };
    Ok(if modes.iter().any(takes_data) { Accepts::Data } else { Accepts::TextOnly })
}

/// How much history is wanted; all of it where nothing is said.
pub(super) fn history(fields: Option<&Fields<'_>>) -> Result<HistoryLength, Fault> {
    let length = match fields {
        Some(fields) => fields.count("historyLength")?,
        None => None,
    };
    Ok(length.map_or(HistoryLength::All, HistoryLength::Last))
}

/// A file, which nobody here can read.
pub(super) fn no_file(media: Option<&str>) -> Fault {
    Fault::BadContent { media: echo(media.unwrap_or("file")) }
}

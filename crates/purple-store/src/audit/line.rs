//! One line of an export or an anchor: canonical JSON with the hash of the rest of it.

use purple_journal::canonical;
use purple_port::Digest;
use serde_json::{Map, Value};

use super::key::Signature;

/// The hash of an object without its own hash and signature.
pub(super) fn hash_of(object: &Map<String, Value>) -> Digest {
    let mut rest = object.clone();
    rest.remove("hash");
    rest.remove("signature");
    Digest::of(canonical::text(&Value::Object(rest)).as_bytes())
}

/// The line of an object that has one member, signed if there is a signature.
pub(super) fn write(name: &str, value: Value, sign: impl FnOnce(&Digest) -> Option<Signature>) -> String {
    let mut object = Map::new();
    object.insert(name.to_owned(), value);
    let hash = hash_of(&object);
    object.insert("hash".to_owned(), Value::String(hash.to_string()));
    if let Some(signature) = sign(&hash) {
        let mut signed = Map::new();
        signed.insert("key".to_owned(), Value::String(signature.key));
        signed.insert("value".to_owned(), Value::String(signature.value));
        object.insert("signature".to_owned(), Value::Object(signed));
    }
    canonical::text(&Value::Object(object))
}

/// Why a line is not one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotALine {
    NotCanonical,
    HashDiffers,
}

/// Reads a line that is exactly the canonical text of an object and has the hash that it says.
pub(super) fn read(text: &str) -> Result<Map<String, Value>, NotALine> {
    let value: Value = serde_json::from_str(text).map_err(|_| NotALine::NotCanonical)?;
    // Every byte counts: what is not written in the one way was touched.
    if canonical::text(&value) != text {
        return Err(NotALine::NotCanonical);
    }
    let Value::Object(object) = value else { return Err(NotALine::NotCanonical) };
    let said = object.get("hash").and_then(Value::as_str);
    if said != Some(hash_of(&object).to_string().as_str()) {
        return Err(NotALine::HashDiffers);
    }
    Ok(object)
}

/// The signature of a line.
pub(super) fn signature(object: &Map<String, Value>) -> Option<Signature> {
    serde_json::from_value(object.get("signature")?.clone()).ok()
}

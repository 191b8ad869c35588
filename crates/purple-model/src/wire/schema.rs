//! Schemas of arguments, as providers take them.

use serde_json::{Map, Value, json};

/// What a provider refuses at the top of the schema of arguments. The worker checks arguments against the whole
/// schema whatever the model was told.
const NOT_AT_THE_TOP: &[&str] = &["oneOf", "anyOf", "allOf", "not", "enum", "const"];

/// The schema as an object at the top.
pub(super) fn of_arguments(schema: &Value) -> Value {
    let mut top = match schema {
        Value::Object(top) => top.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => Map::new(),
    };
    NOT_AT_THE_TOP.iter().for_each(|key| {
        top.remove(*key);
    });
    top.insert("type".to_owned(), json!("object"));
    if !top.get("properties").is_some_and(Value::is_object) {
        top.insert("properties".to_owned(), json!({}));
    }
    Value::Object(top)
}

/// Whether values of this schema can be arguments as they are.
pub(super) fn is_of_an_object(schema: &Value) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
        && NOT_AT_THE_TOP.iter().all(|key| schema.get(*key).is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_always_an_object() {
        let empty = json!({"type": "object", "properties": {}});
        for odd in
            [json!(null), json!(true), json!([1]), json!({}), json!({"anyOf": []}), json!({"type": "string"})]
        {
            assert_eq!(of_arguments(&odd), empty, "{odd}");
        }
        let good = json!({"type": "object", "properties": {"a": {"enum": [1.10]}}, "required": ["a"]});
        assert_eq!(of_arguments(&good), good);
        assert!(is_of_an_object(&good) && !is_of_an_object(&json!({"type": "object", "oneOf": []})));
    }
}

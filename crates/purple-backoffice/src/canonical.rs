//! Arguments in one writing, so that equal calls are equal texts.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The object with its keys in order, at every depth.
pub(crate) fn canonical(arguments: &Map<String, Value>) -> String {
    let mut text = String::new();
    write_object(arguments, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => write_object(map, text),
        Value::Array(entries) => {
            text.push('[');
            for (index, entry) in entries.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                write(entry, text);
            }
            text.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            text.push_str(&value.to_string())
        }
    }
}

fn write_object(map: &Map<String, Value>, text: &mut String) {
    let sorted: BTreeMap<&String, &Value> = map.iter().collect();
    text.push('{');
    for (index, (name, value)) in sorted.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&Value::String(name.clone()).to_string());
        text.push(':');
        write(value, text);
    }
    text.push('}');
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameter::object;
    use serde_json::json;

    #[test]
    fn keys_are_in_order_at_every_depth_and_lists_stay_as_they_are() {
        let value = object(json!({"b": [{"z": 1, "a": "x\"y"}, null, true], "a": {"d": 2, "c": 1}}));
        assert_eq!(canonical(&value), r#"{"a":{"c":1,"d":2},"b":[{"a":"x\"y","z":1},null,true]}"#);
        assert_eq!(canonical(&Map::new()), "{}");
    }
}

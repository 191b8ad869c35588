//! Whether the arguments of an operation fit what its tool declares, as far as the declaration is simple. The port checks
//! all of it when the call is made; here a plan is checked as a whole before its first write.

use purple_process::Operation;
use serde_json::{Map, Value};

use crate::execute::catalogue::Catalogue;
use crate::execute::rule::to_serde;

/// Why an operation of the plan could not be called, if one could not be.
pub(crate) fn unfit(operations: &[Operation], catalogue: &Catalogue) -> Option<String> {
    operations.iter().find_map(|operation| {
        let known = catalogue.get(&operation.tool)?;
        let mut given = Map::new();
        let mut later = Vec::new();
        for (name, argument) in &operation.arguments {
            match argument.value() {
                Some(value) => {
                    given.insert(name.clone(), to_serde(value));
                }
                // It is known only when an earlier operation has answered.
                None => later.push(name.clone()),
            }
        }
        let why = misfit(&known.definition.input_schema, &given, &later)?;
        Some(format!("`{}` does not take these arguments: {why}", operation.tool))
    })
}

/// The first argument that does not fit.
fn misfit(schema: &Value, given: &Map<String, Value>, later: &[String]) -> Option<String> {
    let required =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let mut absent =
        required.filter(|name| !given.contains_key(*name) && !later.iter().any(|one| one == name));
    if let Some(name) = absent.next() {
        return Some(format!("`{name}` is missing"));
    }
    let properties = schema.get("properties").and_then(Value::as_object)?;
    given.iter().find_map(|(name, value)| {
        let wanted = properties.get(name)?;
        let length = |key: &str| wanted.get(key).and_then(Value::as_u64);
        let count = match value {
            Value::Array(items) => Some((items.len(), length("minItems"), length("maxItems"), "items")),
            Value::String(text) => {
                Some((text.chars().count(), length("minLength"), length("maxLength"), "characters"))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        };
        let (count, least, most, of) = count?;
        let count = u64::try_from(count).ok()?;
        let too_few = least.filter(|least| count < *least).map(|least| format!("at least {least}"));
        let too_many = most.filter(|most| count > *most).map(|most| format!("at most {most}"));
        too_few.or(too_many).map(|bound| format!("`{name}` has {count} {of}, and it takes {bound}"))
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn checked(given: &Value) -> Option<String> {
        let schema = json!({"required": ["id", "systems"],
            "properties": {"id": {"type": "string", "minLength": 1}, "systems": {"type": "array", "minItems": 1}}});
        misfit(&schema, given.as_object().unwrap(), &[])
    }

    #[test]
    fn an_empty_list_or_a_missing_argument_is_found_before_a_call() {
        assert_eq!(checked(&json!({"id": "E-1", "systems": ["Okta"]})), None);
        let empty = checked(&json!({"id": "E-1", "systems": []}));
        assert_eq!(empty.as_deref(), Some("`systems` has 0 items, and it takes at least 1"));
        assert_eq!(checked(&json!({"id": "E-1"})).as_deref(), Some("`systems` is missing"));
        assert_eq!(
            checked(&json!({"id": "", "systems": ["Okta"]})).as_deref(),
            Some("`id` has 0 characters, and it takes at least 1")
        );
    }

    #[test]
    fn an_argument_of_a_later_answer_is_not_missing() {
        let schema = json!({"required": ["id"], "properties": {}});
        assert_eq!(misfit(&schema, &Map::new(), &["id".to_owned()]), None);
    }
}

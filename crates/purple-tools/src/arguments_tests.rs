use purple_port::{Annotations, Json, ToolName};
use serde_json::json;

use super::*;

fn definition(input_schema: Value) -> Definition {
    Definition {
        version: None,
        server: "books".to_owned(),
        name: ToolName::parse("pay").unwrap(),
        description: "".into(),
        input_schema,
        output_schema: None,
        annotations: Annotations { read_only: None, destructive: None },
    }
}

fn values(raw: &str) -> Values {
    let raw: Map<String, Value> = serde_json::from_str(raw).unwrap();
    raw.iter().map(|(name, value)| (name.clone(), Json::from_serde(value).unwrap())).collect()
}

fn complained(schema: Value, arguments: &str) -> Vec<String> {
    match Checker::default().check(&definition(schema), &values(arguments)) {
        Ok(()) => Vec::new(),
        Err(BadArguments { tool, complaints }) => {
            assert_eq!(tool.as_str(), "pay");
            complaints
        }
    }
}

fn pay() -> Value {
    json!({
        "type": "object",
        "properties": {
            "invoice_id": {"type": "string", "pattern": "^INV-"},
            "amount": {"type": "number", "maximum": 100},
            "lines": {"type": "array", "items": {"type": "object", "required": ["quantity"], "properties": {"quantity": {"type": "integer"}}}}
        },
        "required": ["invoice_id"],
        "additionalProperties": false
    })
}

#[test]
fn arguments_that_fit_pass_and_the_schema_is_compiled_once() {
    let checker = Checker::default();
    for _ in 0..2 {
        let fit = values(r#"{"invoice_id": "INV-1", "amount": 99.90, "lines": [{"quantity": 2}]}"#);
        assert_eq!(checker.check(&definition(pay()), &fit), Ok(()));
    }
    assert_eq!(checker.compiled.lock().unwrap().len(), 1);
}

#[test]
fn a_complaint_names_the_place_and_what_is_expected() {
    let said =
        complained(pay(), r#"{"amount": 100.01, "lines": [{"quantity": 1}, {"quantity": "two"}, {}]}"#)
            .join("\n");
    for part in [
        "\"invoice_id\" is a required property",
        "`amount`: ",
        "100",
        "`lines/1/quantity`: ",
        "integer",
        "`lines/2`: ",
    ] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!said.contains("two"), "values are not repeated: {said}");
}

#[test]
fn an_unknown_argument_gets_a_suggestion() {
    assert_eq!(
        complained(pay(), r#"{"invoice_id": "INV-1", "ammount": 1}"#),
        ["there is no argument `ammount`; did you mean `amount`?"]
    );
    assert_eq!(
        complained(pay(), r#"{"invoice_id": "INV-1", "colour": 1}"#),
        ["there is no argument `colour`; known are: `amount`, `invoice_id`, `lines`"]
    );
    let none = json!({"type": "object", "additionalProperties": false});
    assert_eq!(complained(none, r#"{"a": 1}"#), ["there is no argument `a`, and none is taken"]);
}

#[test]
fn a_schema_that_cannot_be_used_is_a_complaint() {
    for schema in [
        json!({"type": 7}),
        json!({"properties": {"a": {"pattern": "("}}}),
        json!({"$ref": "https://example.com/schema.json"}),
        json!({"$ref": "file:///etc/passwd"}),
        json!({"$ref": "#/nowhere"}),
    ] {
        let said = complained(schema.clone(), r#"{"a": "x"}"#);
        assert!(said[0].starts_with("its schema cannot be used: "), "{schema}: {said:?}");
    }
}

#[test]
fn references_inside_a_schema_are_followed_and_numbers_are_exact() {
    let schema = json!({"$defs": {"id": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/id"}}});
    assert_eq!(complained(schema.clone(), r#"{"a": "x"}"#), [""; 0]);
    assert_eq!(complained(schema, r#"{"a": 1}"#).len(), 1);
    let integer = json!({"properties": {"n": {"type": "integer"}}});
    assert_eq!(complained(integer.clone(), r#"{"n": 12345678901234567890123}"#), [""; 0]);
    assert_eq!(complained(integer, r#"{"n": 12345678901234567890123.5}"#).len(), 1);
}

#[test]
fn a_pattern_that_backtracks_without_end_is_stopped() {
    let schema = json!({"properties": {"a": {"pattern": "^(a+)+\\1b$"}}});
    let said = complained(schema, &json!({"a": "a".repeat(60)}).to_string());
    assert_eq!(said.len(), 1, "{said:?}");
}

#[test]
fn the_distance_counts_letters() {
    for (one, other, steps) in
        [("", "", 0), ("a", "", 1), ("ammount", "amount", 1), ("invoice", "invoices", 1), ("abc", "cba", 2)]
    {
        assert_eq!((distance(one, other), distance(other, one)), (steps, steps), "{one} {other}");
    }
}

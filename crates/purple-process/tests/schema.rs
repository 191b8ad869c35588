//! The committed JSON Schema is the generated one, and the shipped files fit it.
#![expect(clippy::panic, reason = "tests may panic, in their helpers too")]

use purple_process::file::BUILTIN;
use purple_process::schema;
use serde_json::Value;

const COMMITTED: &str = include_str!("../../../docs/schema/process.schema.json");

/// YAML as an editor sees it. Only what the shipped files use: block and flow, plain and quoted.
fn as_json(text: &str) -> Value {
    purple_process::file::to_json(text).unwrap_or_else(|refused| panic!("{refused}"))
}

#[test]
fn the_committed_schema_is_the_generated_one() {
    let committed: Value = serde_json::from_str(COMMITTED).unwrap();
    assert_eq!(committed, schema(), "regenerate it: cargo run -p purple-process --example describe");
}

#[test]
fn the_schema_is_draft_2020_12_and_closed() {
    let schema = schema();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!(schema["additionalProperties"], false);
    assert!(!schema.to_string().contains("\"null\""));
}

#[test]
fn every_shipped_file_fits_the_schema() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let examples =
        [include_str!("fixtures/invoice_reconciliation.yaml"), include_str!("fixtures/sla_breach.yaml")];
    for text in BUILTIN.iter().map(|(_, text)| *text).chain(examples) {
        let errors: Vec<String> = validator
            .iter_errors(&as_json(text))
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{errors:#?}");
    }
}

#[test]
fn the_schema_refuses_unknown_keys_and_wrong_types() {
    let validator = jsonschema::draft202012::new(&schema()).unwrap();
    let good = include_str!("fixtures/pay_invoice.yaml");
    assert!(validator.is_valid(&as_json(good)));
    for (from, to) in [
        ("once_per:", "one_per:"),
        ("type: money", "type: monye"),
        ("owner: accounts_payable\n", ""),
        ("MUTATE, COMPLETE", "MUTTATE, COMPLETE"),
        ("writes: 2,", "writes: two,"),
        ("expect: pay, ", ""),
    ] {
        assert!(good.contains(from));
        assert!(!validator.is_valid(&as_json(&good.replacen(from, to, 1))), "{to}");
    }
}

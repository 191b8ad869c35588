//! The processes that ship with the product find the tools, parameters and fields they name.

#![expect(clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

mod desk;

use std::collections::BTreeSet;
use std::path::Path;

use desk::Desk;
use regex::Regex;
use serde_json::{Value, json};

fn files() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../processes");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            files.push((
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(path).unwrap(),
            ));
        }
    }
    assert!(files.len() >= 15, "{} process files", files.len());
    files
}

/// The functions of the expression language look like tools; a tool is called with named parameters.
fn calls(text: &str) -> Vec<(String, Vec<String>)> {
    let call = Regex::new(r"\b([a-z][a-z_]+)\(((?:[a-z_]+=[^,()]+(?:, )?)+)\)").unwrap();
    let parameter = Regex::new(r"(?:^|, )([a-z_]+)=").unwrap();
    let names = |inside: &str| parameter.captures_iter(inside).map(|found| found[1].to_owned()).collect();
    call.captures_iter(text).map(|found| (found[1].to_owned(), names(&found[2]))).collect()
}

/// What is told, with the fields it carries: `{tool: x, to: y, with: {a: b}}`.
fn notices(text: &str) -> Vec<(String, Vec<String>)> {
    let notice = Regex::new(r"tool: ([a-z_]+), to: [^,]+, with: \{([^}]*)\}").unwrap();
    let field = Regex::new(r"(?:^|, )([a-z_]+):").unwrap();
    notice
        .captures_iter(text)
        .map(|found| {
            let mut fields: Vec<String> =
                field.captures_iter(&found[2]).map(|found| found[1].to_owned()).collect();
            fields.push("to".to_owned());
            (found[1].to_owned(), fields)
        })
        .collect()
}

#[test]
fn every_tool_and_parameter_that_a_process_names_exists() {
    let definitions = Desk::open().0.definitions();
    let mut checked = BTreeSet::new();
    for (file, text) in files() {
        for (tool, parameters) in calls(&text).into_iter().chain(notices(&text)) {
            let definition = definitions.iter().find(|definition| definition.name == tool);
            let schema = definition
                .unwrap_or_else(|| panic!("{file}: no tool `{tool}`"))
                .input_schema
                .as_ref()
                .unwrap();
            for parameter in &parameters {
                assert!(
                    schema["properties"].get(parameter).is_some(),
                    "{file}: `{tool}` takes no `{parameter}`"
                );
            }
            for required in schema["required"].as_array().unwrap() {
                let given = parameters.iter().any(|parameter| required == parameter);
                assert!(given, "{file}: `{tool}` needs {required}");
            }
            checked.insert(tool);
        }
    }
    println!("{} tools are named by processes: {checked:?}", checked.len());
    assert!(checked.len() >= 25, "{checked:?}");
}

#[test]
fn every_field_that_a_process_reads_or_checks_is_answered() {
    let desk = prepared();
    let read = Regex::new(r"(?m)^ +([a-z]+): (?:\{for_each: [^}]* call: )?(get_[a-z_]+)\([a-z_]+=").unwrap();
    let check = Regex::new(r"(get_[a-z_]+)\([^()]*\)\.([a-z_]+)").unwrap();
    let expect = Regex::new(r"read: (get_[a-z_]+)\([^()]*\), expect: \{([^}]*)\}").unwrap();
    let field = Regex::new(r"(?:^|, )([a-z_]+):").unwrap();
    let mut checked = 0;
    for (file, text) in files() {
        let mut used: BTreeSet<(String, String)> = BTreeSet::new();
        for found in read.captures_iter(&text).filter(|found| !matches!(&found[1], "check" | "show" | "undo"))
        {
            let uses = Regex::new(&format!(r"\b{}\.([a-z_]+)", &found[1])).unwrap();
            used.extend(uses.captures_iter(&text).map(|use_| (found[2].to_owned(), use_[1].to_owned())));
        }
        used.extend(check.captures_iter(&text).map(|found| (found[1].to_owned(), found[2].to_owned())));
        for found in expect.captures_iter(&text) {
            used.extend(field.captures_iter(&found[2]).map(|name| (found[1].to_owned(), name[1].to_owned())));
        }
        for (tool, field) in used {
            let answer = desk.done(&tool, example(&tool));
            assert!(answer.get(&field).is_some(), "{file}: `{tool}` does not answer `{field}`");
            checked += 1;
        }
    }
    println!("{checked} uses of fields");
    assert!(checked >= 25, "{checked}");
}

/// An office in which every record that a process checks exists.
fn prepared() -> Desk {
    let desk = Desk::open();
    let systems = json!(["GitHub", "AWS", "Slack", "Jira", "Okta"]);
    let leaving = json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": systems});
    desk.done("create_offboarding_checklist", leaving);
    let credit = json!({"vendor_id": "INFRA-9", "amount": "1020.00 USD", "reference": "SLA-CTR-441-2026-02"});
    desk.done("apply_account_credit", credit);
    desk
}

fn example(tool: &str) -> Value {
    match tool {
        "get_invoice" => json!({"invoice_id": "INV-2024-447"}),
        "get_purchase_order" => json!({"po_id": "PO-8821"}),
        "get_order" => json!({"order_id": "ORD-5592"}),
        "get_inventory" => json!({"item": "Widget B"}),
        "get_contract" => json!({"contract_id": "CTR-441"}),
        "get_uptime" => json!({"vendor_id": "INFRA-9", "month": "2026-02"}),
        "get_employee" | "get_offboarding_checklist" => json!({"employee_id": "E-2291"}),
        "get_pay_calendar" => json!({"employee_id": "E-2291", "after": "2026-03-06"}),
        "get_system_access" => json!({"employee_id": "E-2291", "system": "GitHub"}),
        "get_credit" => json!({"reference": "SLA-CTR-441-2026-02"}),
        other => panic!("no example of `{other}`: add one"),
    }
}

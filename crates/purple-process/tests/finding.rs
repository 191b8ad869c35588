//! Inputs that the words do not state, and that records of the system of record give.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::BTreeMap;

use jiff::civil::date;
use purple_intent::Cover;
use purple_policy::Currency;
use purple_process::file::{Extracted, ProblemCode, Records, Setting, Task, Why, builtin, extract, load};
use purple_process::playbook::Case;
use serde_json::{Value, json};

fn setting() -> Setting {
    Setting { today: date(2026, 3, 4), dollar: Currency::USD }
}

/// What a text says where the tool lists these records for the input.
fn read(process: &str, task: &str, input: &str, listed: &Value, text: &str) -> (Extracted, bool) {
    let files = builtin().unwrap();
    let file = files.iter().find(|file| file.name() == process).unwrap();
    let task: &Task = file.task(task).unwrap();
    let mut records = Records::default();
    records.add(task, input, listed);
    let extracted = task.extract_with(text, &BTreeMap::new(), &records, &setting());
    let reading = task.read(text, &setting());
    let cover = task.cover(text, &reading, &extracted.found, &extracted.places);
    let ordered = matches!(cover, Cover::Covered { .. }) && extracted.missing.is_empty();
    (extracted, ordered)
}

fn revoke(text: &str) -> (Option<String>, bool) {
    let person = |id: &str, name: &str| json!({"employee_id": id, "name": name});
    let listed = json!({"total": 5, "employees": [
        person("E-1", "Jo Kim"), person("E-2", "Jo Kim 2"), person("E-3", "Ada Lund"),
        person("E-4", "Sam Roe"), person("E-5", "Sam Roe"),
    ]});
    let (extracted, ordered) = read("hr_offboarding", "revoke_access", "employee_id", &listed, text);
    (extracted.found.get("employee_id").map(ToString::to_string), ordered)
}

#[test]
fn a_person_whose_name_is_one_record_is_not_asked_for() {
    for (text, id) in [
        ("Please cut off Jo Kim's accounts now.", "E-1"),
        ("Revoke Jo Kim 2's system access.", "E-2"),
        ("Revoke the access of Ada Lund and send the exit survey.", "E-3"),
        ("Bitte alle Zugänge von Ada Lund sperren.", "E-3"),
        ("Revoke the access of employee Jo Kim.", "E-1"),
    ] {
        assert_eq!(revoke(text), (Some(id.to_owned()), true), "{text}");
    }
}

#[test]
fn two_records_and_names_beside_the_matter_are_asked_for() {
    for text in [
        "Revoke the access of Sam Roe.",
        "Revoke Jo Kim's access, as Ada Lund told you.",
        "Revoke the accounts of Jo Kim and Ada Lund.",
        "At Jo Kim's request, revoke all access.",
        "On behalf of Jo Kim, please revoke all access.",
        "Please revoke all access.\n\nRegards\nJo Kim",
        "Revoke all access.\n\n> Jo Kim's accounts are still open.",
        "Revoke Jo's access.",
        "Revoke the access of Jo Kimmel.",
    ] {
        let (found, ordered) = revoke(text);
        assert!(!ordered && found.is_none(), "{text}: {found:?}");
    }
}

#[test]
fn a_name_makes_no_order_of_what_is_none() {
    for text in [
        "Should we revoke Jo Kim's access?",
        "Do not revoke Jo Kim's access.",
        "If Ada agrees, revoke Jo Kim's access.",
    ] {
        assert!(!revoke(text).1, "{text}");
    }
}

#[test]
fn the_only_contract_of_a_vendor_is_not_asked_for() {
    let text = "Please claim last month's SLA credit from INFRA-2.";
    let read = |listed: Value| {
        let (extracted, ordered) = read("sla_breach", "sla_breach", "contract_id", &listed, text);
        (extracted.missing.first().map(|missing| missing.why.clone()), ordered)
    };
    let contract = |id: &str| json!({"contract_id": id, "vendor_id": "INFRA-2"});
    assert_eq!(read(json!({"contracts": [contract("CTR-1")]})), (None, true));
    assert_eq!(read(json!([contract("CTR-1")])), (None, true));
    let both = Why::Ambiguous { values: vec!["CTR-1".to_owned(), "CTR-2".to_owned()] };
    assert_eq!(read(json!({"contracts": [contract("CTR-1"), contract("CTR-2")]})), (Some(both), false));
    for nothing in [json!({"contracts": []}), json!({"a": [contract("CTR-1")], "b": []}), json!("CTR-1")] {
        assert_eq!(read(nothing), (Some(Why::Absent), false));
    }
}

#[test]
fn records_are_listed_only_for_what_is_missing_and_can_be_asked() {
    let files = builtin().unwrap();
    let task = files.iter().find_map(|file| file.task("sla_breach")).unwrap();
    let calls = |text: &str| {
        let Extracted { found, missing, .. } = extract(text, task.inputs(), &BTreeMap::new(), &setting());
        let case = Case::start(task, &found, date(2026, 3, 4));
        case.look_ups(&missing).iter().map(|due| format!("{} {:?}", due.tool, due.calls)).collect::<Vec<_>>()
    };
    assert_eq!(calls("Apply the February credit for INFRA-2.").len(), 1);
    assert!(calls("Apply the February credit for INFRA-2 under CTR-1.").is_empty());
    assert!(calls("Apply the February credit for INFRA-2 under CTR-1 or CTR-2.").is_empty());
    // Who the vendor is may be said by its name: that is listed first.
    let vendors = calls("Apply the February credit.");
    assert!(vendors.len() == 1 && vendors.iter().all(|call| call.starts_with("list_vendors")), "{vendors:?}");
}

#[test]
fn find_goes_with_an_id_and_uses_inputs_only() {
    let file = |input: &str| {
        format!(
            "process: gates\ntitle: Open a gate\nowner: facilities\n\
             inputs: {{site: {{type: id, pattern: 'S-[0-9]+'}}, gate: {input}}}\nread: {{state: get_gate(gate=gate)}}\n"
        )
    };
    let id = "type: id, pattern: 'G-[0-9]+'";
    assert!(load(&file(&format!("{{{id}, find: list_gates(site=site), by: name}}"))).is_ok());
    for bad in [
        format!("{{{id}, by: name}}"),
        format!("{{{id}, find: list_gates(site=state.site)}}"),
        format!("{{{id}, find: delete_gate(site=site)}}"),
        "{type: number, find: list_gates()}".to_owned(),
        "{type: item_changes, find: list_gates()}".to_owned(),
    ] {
        let refused = load(&file(&bad)).err();
        let refused = refused.unwrap_or_else(|| panic!("{bad}"));
        let code = refused.problems().first().unwrap().code;
        assert!(
            matches!(code, ProblemCode::BadInput | ProblemCode::UnknownName | ProblemCode::NotARead),
            "{bad}: {refused}"
        );
    }
}

#[test]
fn who_a_statement_says_is_leaving_is_the_one_and_who_is_only_named_is_not() {
    let person = |id: &str, name: &str| json!({"employee_id": id, "name": name});
    let listed = json!({"employees": [person("E-1", "Jo Kim"), person("E-3", "Ada Lund")]});
    let start = |text: &str| read("hr_offboarding", "start", "employee_id", &listed, text);
    let (extracted, ordered) = start("Jo Kim is leaving on 2026-03-20. Please start the offboarding.");
    assert_eq!(extracted.found.get("employee_id").map(ToString::to_string), Some("E-1".to_owned()));
    assert!(ordered);
    for text in [
        "Please start the offboarding, last day 2026-03-20. Thanks, Jo Kim",
        "Jo Kim asks for it. Please start the offboarding, last day 2026-03-20.",
        "Jo Kim and Ada Lund are leaving on 2026-03-20. Please start the offboarding.",
    ] {
        let (extracted, ordered) = start(text);
        assert!(!ordered && !extracted.found.contains_key("employee_id"), "{text}");
    }
}

#[test]
fn a_title_before_a_name_is_no_full_name() {
    let files = builtin().unwrap();
    let task = files
        .iter()
        .find(|file| file.name() == "hr_offboarding")
        .and_then(|file| file.task("start"))
        .unwrap();
    for (text, stated) in [
        ("Bitte Frau Chen (E-1005) offboarden, letzter Arbeitstag 20.03.2026.", None),
        ("Bitte Sarah Chen (E-1005) offboarden, letzter Arbeitstag 20.03.2026.", Some("Sarah Chen")),
    ] {
        let extracted = extract(text, task.inputs(), &BTreeMap::new(), &setting());
        let found = extracted.found.get("stated_name").map(ToString::to_string);
        assert_eq!(found.as_deref(), stated, "{text}");
    }
}

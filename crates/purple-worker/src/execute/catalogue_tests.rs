use jiff::civil::date;
use purple_backoffice::{Office, Setup};
use purple_process::{Annotations, DecidedBy};
use serde_json::json;

use super::super::office;
use super::*;

fn company() -> Catalogue {
    let office = Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap();
    Catalogue::new(office::listing(&office), &Manifest::default())
}

fn name(raw: &str) -> ToolName {
    ToolName::parse(raw).unwrap()
}

fn definition(raw: &str, input_schema: Value) -> Definition {
    Definition {
        server: "books".to_owned(),
        name: name(raw),
        description: String::new(),
        input_schema,
        output_schema: None,
        annotations: Annotations { read_only: None, destructive: None },
    }
}

fn catalogue(tools: Vec<Definition>, manifest: &Manifest) -> Catalogue {
    Catalogue::new(Listing { tools, left_out: Vec::new() }, manifest)
}

fn names<'a>(tools: impl Iterator<Item = &'a Known>) -> Vec<&'a str> {
    tools.map(|known| known.name().as_str()).collect()
}

#[test]
fn all_tools_of_the_demo_business_have_an_effect_and_none_is_lost() {
    let catalogue = company();
    assert_eq!((catalogue.iter().count(), catalogue.left_out().len()), (133, 0));
    assert_eq!(catalogue.iter().count(), 133);
    let counts = Effect::ALL.map(|effect| catalogue.tools_of(effect).count());
    assert_eq!(counts.iter().sum::<usize>(), 133);
    let effect = |tool: &str| catalogue.get(&name(tool)).unwrap().tool.effect();
    assert_eq!(effect("get_invoice"), Effect::Read);
    assert_eq!(effect("calculate_business_days"), Effect::Compute);
    assert_eq!(effect("check_and_reserve_stock"), Effect::Write, "its hint says that it only reads");
    assert_eq!(effect("confirm_with_user"), Effect::Approval);
    assert!(catalogue.get(&name("get_nothing")).is_none());
}

/// One line for each write: the read that shows it, what it takes from the arguments, and what from the reply.
const READ_BACKS: &[(&str, &str, &[&str], &[&str])] = &[
    ("apply_account_credit", "get_credit", &["reference"], &[]),
    ("approve_expense", "get_expense_claim", &["claim_id"], &[]),
    ("approve_invoice", "get_invoice", &["invoice_id"], &[]),
    ("assign_incident", "get_incident", &["incident_id"], &[]),
    ("assign_ticket", "get_ticket", &["ticket_id"], &[]),
    ("cancel_order", "get_order", &["order_id"], &[]),
    ("cancel_purchase_order", "get_purchase_order", &["po_id"], &[]),
    ("cancel_subscription", "get_subscription", &["subscription_id"], &[]),
    ("change_subscription_plan", "get_subscription", &["subscription_id"], &[]),
    ("close_period", "get_period", &["period"], &[]),
    ("close_ticket", "get_ticket", &["ticket_id"], &[]),
    ("create_bank_file", "get_bank_file", &[], &["file_id"]),
    ("create_customer", "get_customer", &[], &["customer_id"]),
    ("create_offboarding_checklist", "get_offboarding_checklist", &["employee_id"], &[]),
    ("create_pay_run", "get_pay_run", &[], &["run_id"]),
    ("create_payment_plan", "get_payment_plan", &[], &["plan_id"]),
    ("create_purchase_order", "get_purchase_order", &[], &["po_id"]),
    ("create_ticket", "get_ticket", &[], &["ticket_id"]),
    ("grant_access", "get_system_access", &["employee_id", "system"], &[]),
    ("issue_refund", "list_refunds", &["customer_id", "reference"], &[]),
    ("modify_order_items", "get_order", &["order_id"], &[]),
    ("pause_subscription", "get_subscription", &["subscription_id"], &[]),
    ("post_journal_entry", "get_journal_entry", &[], &["entry_id"]),
    ("provision_workspace", "get_workspace", &[], &["workspace_id"]),
    ("put_invoice_on_hold", "get_invoice", &["invoice_id"], &[]),
    ("reject_expense", "get_expense_claim", &["claim_id"], &[]),
    ("reject_invoice", "get_invoice", &["invoice_id"], &[]),
    ("reopen_invoice", "get_invoice", &["invoice_id"], &[]),
    ("resolve_dispute", "get_dispute", &["dispute_id"], &[]),
    ("restore_order_items", "get_order", &["order_id"], &[]),
    ("resume_subscription", "get_subscription", &["subscription_id"], &[]),
    ("reverse_credit", "get_credit", &["reference"], &[]),
    ("reverse_journal_entry", "get_journal_entry", &["entry_id"], &[]),
    ("revoke_access", "get_system_access", &["employee_id", "system"], &[]),
    ("rollback_deployment", "get_deployment", &["deployment_id"], &[]),
    ("send_po", "get_purchase_order", &["po_id"], &[]),
    ("update_employee_status", "get_employee", &["employee_id"], &[]),
    ("update_incident_status", "get_incident", &["incident_id"], &[]),
    ("update_vendor_status", "get_vendor", &["vendor_id"], &[]),
    ("write_off_receivable", "get_receivable", &["receivable_id"], &[]),
];

#[test]
fn every_write_of_the_demo_business_has_the_read_that_shows_it_or_none() {
    let catalogue = company();
    let mut found: Vec<(String, String, Vec<String>, Vec<String>)> = Vec::new();
    for write in catalogue.iter() {
        if let Some(back) = catalogue.read_back_for(write) {
            let [tool, read] = [write, back.tool].map(|known| known.name().to_string());
            found.push((tool, read, back.from_arguments, back.from_reply));
        }
    }
    let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let expected: Vec<_> = READ_BACKS
        .iter()
        .map(|(tool, read, given, told)| ((*tool).to_owned(), (*read).to_owned(), owned(given), owned(told)))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn two_reads_that_fit_equally_well_are_no_read_back() {
    let by_id =
        json!({"type": "object", "properties": {"bill_id": {"type": "string"}}, "required": ["bill_id"]});
    let tools = |reads: &[&str]| {
        let mut tools = vec![definition("cancel_bill", by_id.clone())];
        tools.extend(reads.iter().map(|read| definition(read, by_id.clone())));
        catalogue(tools, &Manifest::default())
    };
    let back = |catalogue: &Catalogue| {
        let write = catalogue.get(&name("cancel_bill")).unwrap();
        catalogue.read_back_for(write).map(|back| back.tool.name().to_string())
    };
    assert_eq!(back(&tools(&["get_bill"])).as_deref(), Some("get_bill"));
    assert_eq!(back(&tools(&["get_bill", "fetch_bill"])), None);
    assert_eq!(back(&tools(&["delete_bill_copy", "get_contract"])), None);
}

#[test]
fn the_operators_word_decides_and_survives_storing_while_an_effect_does_not() {
    let tools = vec![definition("log_visit", json!({})), definition("purge_cache", json!({}))];
    let mut manifest = Manifest::default();
    let key = KeyPlace::Argument("request_id".to_owned());
    let stated = Stated { effect: Some(Effect::Notify), key: Some(key.clone()) };
    manifest.tools.insert(name("log_visit"), stated);
    let first = catalogue(tools, &manifest);
    let known = first.get(&name("log_visit")).unwrap();
    assert_eq!((known.tool.effect(), known.tool.decided_by()), (Effect::Notify, DecidedBy::Manifest));
    assert_eq!(known.key, Some(key));

    let stored = first.to_bytes().unwrap();
    assert_eq!(Catalogue::from_bytes(&stored, &manifest).unwrap(), first);
    let without = Catalogue::from_bytes(&stored, &Manifest::default()).unwrap();
    let known = without.get(&name("log_visit")).unwrap();
    assert_eq!((known.tool.effect(), known.key.as_ref()), (Effect::Write, None));
    let pins = |of: &Catalogue| of.iter().map(|known| known.tool.pin()).collect::<Vec<_>>();
    assert_ne!(pins(&first), pins(&without));
    assert!(Catalogue::from_bytes(b"{}", &manifest).is_err());
}

#[test]
fn only_a_trusted_server_can_loosen_an_effect() {
    let mut sync = definition("sync_report", json!({}));
    sync.annotations.read_only = Some(true);
    let effect = |manifest: &Manifest| {
        let catalogue = catalogue(vec![sync.clone()], manifest);
        catalogue.get(&name("sync_report")).unwrap().tool.effect()
    };
    assert_eq!(effect(&Manifest::default()), Effect::Write);
    let mut manifest = Manifest::default();
    manifest.servers.insert("books".to_owned(), Trust::Trusted);
    assert_eq!(effect(&manifest), Effect::Read);
}

#[test]
fn the_first_of_two_tools_with_one_name_stays_and_the_other_is_told_of() {
    let twice = vec![definition("get_bill", json!({"a": 1})), definition("get_bill", json!({}))];
    let catalogue = catalogue(twice, &Manifest::default());
    assert_eq!(catalogue.get(&name("get_bill")).unwrap().definition.input_schema, json!({"a": 1}));
    assert_eq!(catalogue.left_out(), ["`get_bill` of books: the name is taken"]);
}

#[test]
fn a_schema_that_cannot_be_pinned_leaves_its_tool_out() {
    let mut deep = json!({});
    for _ in 0..40 {
        deep = json!({ "properties": deep });
    }
    let catalogue = catalogue(vec![definition("get_bill", deep)], &Manifest::default());
    assert_eq!(catalogue.iter().count(), 0);
    assert_eq!(catalogue.left_out(), ["`get_bill` of books: its schema: nested deeper than 32"]);
}

#[test]
fn synonyms_do_the_same_to_the_same_and_have_the_same_effect() {
    let tools =
        ["get_bill", "fetch_bills", "books__read_bill", "list_bills", "get_bill_status", "delete_bill"];
    let mut manifest = Manifest::default();
    let read = Stated { effect: Some(Effect::Read), key: None };
    manifest.tools.insert(name("books__read_bill"), read);
    let catalogue = catalogue(tools.map(|tool| definition(tool, json!({}))).into(), &manifest);
    let synonyms = |tool: &str| names(catalogue.synonyms(catalogue.get(&name(tool)).unwrap()));
    assert_eq!(synonyms("get_bill"), ["books__read_bill", "fetch_bills"]);
    assert!(synonyms("list_bills").is_empty() && synonyms("delete_bill").is_empty());

    let office = company();
    let pairs: usize = office.iter().map(|known| office.synonyms(known).count()).sum();
    assert_eq!(pairs, 0, "the demo business has each tool once");
}

#[test]
fn describing_tools_speak_of_structure_and_read() {
    assert_eq!(names(company().describe_tools()), ["describe_table"]);
    let tools = ["get_table_schema", "listColumns", "inspect_structure", "update_schema", "get_describer"];
    let catalogue = catalogue(tools.map(|tool| definition(tool, json!({}))).into(), &Manifest::default());
    assert_eq!(names(catalogue.describe_tools()), ["get_table_schema", "inspect_structure", "listColumns"]);
}

#[test]
fn a_tool_that_is_not_as_it_was_pinned_is_left_out() {
    let before = definition("get_bill", json!({"type": "object", "properties": {"id": {"type": "string"}}}));
    let after = definition("get_bill", json!({"type": "object", "properties": {"sql": {"type": "string"}}}));
    let pin =
        catalogue(vec![before.clone()], &Manifest::default()).get(&name("get_bill")).unwrap().tool.pin();
    let manifest = Manifest { pins: [(name("get_bill"), pin)].into(), ..Manifest::default() };
    let offered = |tool: Definition| {
        let found = catalogue(vec![tool, definition("get_order", json!({}))], &manifest);
        (found.get(&name("get_bill")).is_some(), found.left_out().to_vec())
    };
    assert_eq!(offered(before), (true, Vec::new()));
    let (there, left_out) = offered(after);
    assert!(!there, "its schema is another one");
    assert_eq!(left_out.len(), 1);
    assert!(left_out[0].contains("not the tool that was pinned"), "{left_out:?}");
    // Another effect is another tool as well.
    let mut stricter = manifest;
    stricter.tools.insert(name("get_bill"), Stated { effect: Some(Effect::Write), ..Stated::default() });
    let again = definition("get_bill", json!({"type": "object", "properties": {"id": {"type": "string"}}}));
    assert!(catalogue(vec![again], &stricter).get(&name("get_bill")).is_none());
}

use jiff::civil::date;
use purple_backoffice::{Office, Setup};
use purple_process::{Annotations, DecidedBy};
use serde_json::json;

use super::super::office;
use super::*;

fn company() -> Catalogue {
    let office = Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap();
    Catalogue::new(office::listing(&office), &office::manifest())
}

fn id(server: &str, tool: &str) -> ToolId {
    ToolId { server: server.to_owned(), tool: name(tool) }
}

fn name(raw: &str) -> ToolName {
    ToolName::parse(raw).unwrap()
}

fn definition(raw: &str, input_schema: Value) -> Definition {
    Definition {
        version: None,
        server: "books".to_owned(),
        name: name(raw),
        description: "".into(),
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

/// Without a manifest, and without trust in its hints, of which some are wrong on purpose.
#[test]
fn tools_of_the_demo_business_are_told_apart_without_a_manifest() {
    let office = Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap();
    let changes: std::collections::BTreeMap<&str, bool> =
        office.definitions().iter().map(|definition| (definition.name, definition.changes)).collect();
    let catalogue = Catalogue::new(office::listing(&office), &Manifest::default());
    let (mut open, mut wrong) = (Vec::new(), Vec::new());
    for known in catalogue.iter() {
        let name = known.name().as_str();
        match (changes[name], known.tool.class()) {
            (true, purple_process::Class::Read) => wrong.push(name),
            (false, class) if class != purple_process::Class::Read => open.push(name),
            _ => {}
        }
    }
    assert_eq!(wrong, Vec::<&str>::new());
    // Three only compute or check, two take a free-form record, and the hint of one says that it writes.
    let expected = [
        "calculate_business_days",
        "count_records",
        "get_usage",
        "query_records",
        "sum_amounts",
        "validate_iban",
    ];
    assert_eq!(open, expected);
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
    let stated = Stated { effect: Some(Effect::Notify), key: Some(key.clone()), ..Stated::default() };
    manifest.tools.insert(id("books", "log_visit"), stated);
    let first = catalogue(tools, &manifest);
    let known = first.get(&name("log_visit")).unwrap();
    assert_eq!((known.tool.effect(), known.tool.decided_by()), (Effect::Notify, DecidedBy::Review));
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
    manifest.servers.insert("books".to_owned(), ServerStated { trust: Trust::Trusted, shipped: None });
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
    let read = Stated { effect: Some(Effect::Read), ..Stated::default() };
    manifest.tools.insert(id("books", "read_bill"), read);
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
    let tools = ["get_table_schema", "listColumns", "view_structure", "update_schema", "get_describer"];
    let catalogue = catalogue(tools.map(|tool| definition(tool, json!({}))).into(), &Manifest::default());
    assert_eq!(names(catalogue.describe_tools()), ["get_table_schema", "listColumns", "view_structure"]);
}

fn of_server(server: &str, tool: &str, schema: Value) -> Definition {
    Definition { server: server.to_owned(), ..definition(tool, schema) }
}

#[test]
fn a_tool_that_carries_its_server_is_judged_by_its_own_name() {
    let tools = vec![
        of_server("other", "other__get_bill", json!({})),
        of_server("other", "other__delete_bill", json!({})),
    ];
    let catalogue = catalogue(tools, &Manifest::default());
    let effect = |tool: &str| catalogue.get(&name(tool)).unwrap().tool.effect();
    assert_eq!((effect("other__get_bill"), effect("other__delete_bill")), (Effect::Read, Effect::Write));
}

#[test]
fn what_the_operator_says_about_a_tool_holds_for_its_server_only() {
    let mut manifest = Manifest::default();
    let says = |effect| Stated { effect: Some(effect), ..Stated::default() };
    manifest.tools.insert(id("books", "sync_bill"), says(Effect::Read));
    let literal = of_server("other", "books__sync_bill", json!({}));
    let qualified = of_server("books", "books__sync_bill", json!({}));
    let effect = |tools: Vec<Definition>| {
        let catalogue = catalogue(tools, &manifest);
        catalogue.iter().next().unwrap().tool.effect()
    };
    assert_eq!(effect(vec![of_server("books", "sync_bill", json!({}))]), Effect::Read);
    assert_eq!(effect(vec![of_server("other", "sync_bill", json!({}))]), Effect::Write);
    // Whichever of the two is listed first has the name; the statement follows the server.
    assert_eq!(effect(vec![literal.clone(), qualified.clone()]), Effect::Write);
    assert_eq!(effect(vec![qualified, literal]), Effect::Read);
}

#[test]
fn sql_in_an_argument_decides_the_call_as_far_as_anybody_says_that_it_is_sql() {
    let text = |description: &str| json!({"type": "object", "properties": {"query": {"type": "string", "description": description}}});
    let mut told = definition("read_query", text("SELECT SQL query to execute"));
    told.description = "Runs a question".into();
    let mut manifest = Manifest::default();
    manifest
        .tools
        .insert(id("books", "execute_sql"), Stated { sql: Some("sql".to_owned()), ..Stated::default() });
    let by_name = json!({"type": "object", "properties": {"sql": {"type": "string"}}});
    let tools = vec![
        told,
        definition("search_bills", text("words to look for")),
        definition("execute_sql", by_name.clone()),
        definition("get_rows", by_name),
    ];
    let catalogue = catalogue(tools, &manifest);
    let effect = |tool: &str, argument: &str, sql: &str| {
        let values = purple_process::Values::from([(argument.to_owned(), Json::from(sql))]);
        catalogue.get(&name(tool)).unwrap().tool.effect_of(&values)
    };
    for (tool, argument) in [("read_query", "query"), ("get_rows", "sql"), ("execute_sql", "sql")] {
        assert_eq!(effect(tool, argument, "SELECT * FROM bills"), Effect::Read, "{tool}");
        assert_eq!(effect(tool, argument, "SELECT 1; DELETE FROM bills"), Effect::Write, "{tool}");
    }
    assert_eq!(effect("search_bills", "query", "delete from the list"), Effect::Read, "words are not SQL");
}

#[test]
fn a_definition_that_is_not_the_pinned_one_is_quarantined_from_the_start() {
    let tools = || vec![definition("get_bill", json!({})), definition("get_order", json!({}))];
    let mut manifest = Manifest::default();
    for tool in tools() {
        let pin = if tool.name == name("get_bill") { Digest::of(b"another") } else { tool.digest() };
        manifest.tools.insert(
            ToolId { server: tool.server, tool: tool.name },
            Stated { pin: Some(pin), ..Stated::default() },
        );
    }
    let catalogue = catalogue(tools(), &manifest);
    let quarantined = |tool: &str| catalogue.get(&name(tool)).unwrap().quarantined.is_some();
    assert_eq!((quarantined("get_bill"), quarantined("get_order")), (true, false));
    let changed = |edit: fn(&mut Definition)| {
        let mut tool = definition("get_bill", json!({}));
        edit(&mut tool);
        tool.digest()
    };
    let before = changed(|_| {});
    for edit in [
        |tool: &mut Definition| tool.description = "another".into(),
        |tool: &mut Definition| tool.input_schema = json!({"x": 1}),
        |tool: &mut Definition| tool.output_schema = Some(json!({})),
        |tool: &mut Definition| tool.annotations.destructive = Some(true),
        |tool: &mut Definition| tool.server.push('2'),
    ] {
        assert_ne!(changed(edit), before);
    }
}

use std::collections::BTreeSet;

use purple_policy::{Expression, Facts, Scope, Source, Value as Fact};
use serde_json::json;

use super::super::office::Desk;
use super::super::reader::READ_CALLS_MAX;
use super::*;

fn whys(story: &ReadStory) -> Vec<Why> {
    story.calls.iter().map(|call| call.why).collect()
}

fn value(story: &ReadStory) -> &Value {
    story.outcome.as_ref().unwrap()
}

#[test]
fn every_style_of_paging_of_the_demo_business_gives_every_row_once() {
    let desk = Desk::with_faults(&[]);
    for (tool, rows, id, table) in [
        ("list_invoices", "invoices", "invoice_id", "invoices"),
        ("list_vendors", "vendors", "vendor_id", "vendors"),
        ("list_expense_claims", "data", "claim_id", "expense_claims"),
        ("list_orders", "data", "order_id", "orders"),
        ("list_disputes", "disputes", "dispute_id", "disputes"),
        ("list_purchase_orders", "items", "po_id", "purchase_orders"),
        ("list_quotes", "results", "quote_id", "quotes"),
        ("list_tickets", "results", "ticket_id", "tickets"),
    ] {
        let count = desk.read("count_records", json!({"table": table}));
        let expected = value(&count)["count"].as_u64().unwrap();
        let story = desk.read(tool, json!({}));
        let all = value(&story)[rows].as_array().unwrap();
        let ids: BTreeSet<&str> = all.iter().map(|row| row[id].as_str().unwrap()).collect();
        assert_eq!((all.len() as u64, ids.len()), (expected, all.len()), "{tool}");
        assert_eq!(story.completeness, Completeness::Whole, "{tool}");
        assert_eq!(value(&story)["complete"], true, "{tool}");
        assert!(value(&story).get("next_cursor").is_none_or(Value::is_null));
        assert!(value(&story).get("has_more").is_none_or(|more| more == false));
    }
}

#[test]
fn an_expression_over_all_rows_of_a_month_gives_the_exact_sum() {
    let desk = Desk::with_faults(&[]);
    let story = desk.read("get_transactions", json!({"month": "2026-02"}));
    assert!(story.calls.len() > 1, "one page is no test");
    let books = Fact::from_json(value(&story)).unwrap();
    let facts = Facts::new().with(Source::Read, "books", books);
    let evaluate = |source: &str| {
        Expression::compile(source, &Scope::open()).unwrap().evaluate(&facts).unwrap().to_string()
    };
    assert_eq!(evaluate("count(books.transactions)"), "287");
    assert_eq!(evaluate("sum(books.transactions, row.amount)"), "-1000207.49 USD");
    let balances = desk.read("get_trial_balance", json!({"month": "2026-02"}));
    let accounts = value(&balances)["balances"].as_array().unwrap().len();
    assert_eq!(evaluate("count(group_by(books.transactions, row.account))"), accounts.to_string());
}

#[test]
fn an_answer_without_pages_passes_unchanged() {
    let desk = Desk::with_faults(&[]);
    for (tool, arguments) in [
        ("get_invoice", json!({"invoice_id": "INV-2024-447"})),
        ("get_order", json!({"order_id": "ORD-5592"})),
        ("list_plans", json!({})),
        ("get_pay_calendar", json!({"employee_id": "E-2291"})),
    ] {
        let story = desk.read(tool, arguments);
        assert_eq!(story.calls.len(), 1, "{tool}");
        assert!(value(&story).get("complete").is_none(), "{tool}");
    }
}

#[test]
fn a_page_that_the_caller_chose_is_the_only_one_and_says_so() {
    let desk = Desk::with_faults(&[]);
    let story = desk.read("list_invoices", json!({"limit": 3}));
    assert_eq!((value(&story)["invoices"].as_array().unwrap().len(), story.calls.len()), (3, 1));
    assert_eq!(value(&story)["complete"], false);
    assert_eq!(value(&story)["incomplete_because"], "only the page was read that `limit` asked for");
    let last = desk.read("list_invoices", json!({"page": 2, "limit": 200}));
    assert_eq!(value(&last)["complete"], false);
}

#[test]
fn drifted_columns_are_put_right_once_and_remembered() {
    let desk = Desk::with_faults(&[]);
    let mut fixes = SchemaFixes::default();
    let ask = json!({
        "table": "crm_accounts", "columns": ["client_name", "amount"], "order_by": "created_at",
        "where": {"email": "hello@org1.example"},
    });
    let story = desk.read_with("query_records", ask.clone(), &mut fixes);
    let rows = value(&story)["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 1);
    let names: Vec<&String> = rows[0].as_object().unwrap().keys().collect();
    assert_eq!(names, ["org_name", "total"]);
    assert_eq!(whys(&story), [Why::Asked, Why::Describe, Why::Corrected]);
    let told: Vec<(&str, &str)> =
        story.repairs.iter().map(|repair| (repair.column.as_str(), repair.is.as_str())).collect();
    let expected = [
        ("amount", "total"),
        ("client_name", "org_name"),
        ("created_at", "create_date"),
        ("email", "e_mail"),
    ];
    assert_eq!(told, expected);

    let stored = serde_json::to_string(&fixes).unwrap();
    let mut fixes: SchemaFixes = serde_json::from_str(&stored).unwrap();
    let again = desk.read_with("query_records", ask, &mut fixes);
    assert_eq!(whys(&again), [Why::Asked]);
    assert_eq!((value(&again), &again.repairs), (value(&story), &story.repairs));
    // Another table is another story.
    let other =
        desk.read_with("query_records", json!({"table": "customers", "columns": ["email"]}), &mut fixes);
    assert!(other.repairs.iter().all(|repair| repair.table.as_deref() == Some("customers")));
}

#[test]
fn a_filter_on_a_column_that_was_never_filled_finds_the_one_that_was() {
    let desk = Desk::with_faults(&[]);
    let story = desk.read("query_records", json!({"table": "crm_accounts", "where": {"status": "active"}}));
    let rows = value(&story)["rows"].as_array().unwrap();
    assert!(rows.len() > 50 && rows.iter().all(|row| row["state_code"] == "active"));
    assert_eq!((story.repairs[0].column.as_str(), story.repairs[0].is.as_str()), ("status", "state_code"));
    assert!(whys(&story).starts_with(&[Why::Asked, Why::Unfiltered, Why::Corrected]));
}

#[test]
fn a_filter_that_honestly_finds_nothing_stays_empty() {
    let desk = Desk::with_faults(&[]);
    let ask = json!({"table": "invoices", "where": {"status": "burnt"}});
    let story = desk.read("query_records", ask);
    assert_eq!(value(&story)["rows"], json!([]));
    assert_eq!((whys(&story), story.repairs.len()), (vec![Why::Asked, Why::Unfiltered], 0));
}

#[test]
fn a_column_like_nothing_is_explained() {
    let desk = Desk::with_faults(&[]);
    let story = desk.read("query_records", json!({"table": "crm_accounts", "columns": ["zodiac"]}));
    let unread = story.outcome.unwrap_err();
    assert_eq!(
        unread.to_string(),
        "`query_records` does not know `zodiac`, and nothing like it was found: no such column: zodiac \
         (2 calls, also by `describe_table`)"
    );
}

#[test]
fn a_passing_failure_is_waited_out() {
    let desk = Desk::with_faults(&["get_invoice:rate_limit,times=2"]);
    let story = desk.read("get_invoice", json!({"invoice_id": "INV-2024-447"}));
    assert_eq!(value(&story)["invoice_id"], "INV-2024-447");
    assert_eq!(whys(&story), [Why::Asked, Why::Retry, Why::Retry]);
    // The server said when.
    assert_eq!(desk.waits(), [Duration::from_secs(1), Duration::from_secs(1)]);
    for fault in ["unavailable", "drop,applied=no", "garbage"] {
        let desk = Desk::with_faults(&[&format!("get_invoice:{fault},times=1")]);
        let story = desk.read("get_invoice", json!({"invoice_id": "INV-2024-447"}));
        assert!(story.outcome.is_ok(), "{fault}");
        assert_eq!(desk.waits(), [Duration::from_millis(500)], "{fault}");
    }
}

#[test]
fn a_failure_that_lasts_is_explained_after_a_few_tries() {
    let desk = Desk::with_faults(&["get_invoice:unavailable"]);
    let story = desk.read("get_invoice", json!({"invoice_id": "INV-2024-447"}));
    let unread = story.outcome.unwrap_err();
    assert_eq!(unread.to_string(), "`get_invoice` does not answer at the moment: 503 (4 calls)");
    assert_eq!(desk.waits().len(), 3);
    assert_eq!(desk.office.ledger().unwrap().effects.len(), 0);
}

#[test]
fn a_list_that_breaks_off_is_told_as_a_part() {
    let desk = Desk::with_faults(&["get_transactions:fail,after=1"]);
    let story = desk.read("get_transactions", json!({"month": "2026-02"}));
    assert_eq!(value(&story)["transactions"].as_array().unwrap().len(), 200);
    assert_eq!(value(&story)["complete"], false);
    assert!(matches!(story.completeness, Completeness::Cut { .. }));
    assert!(value(&story)["incomplete_because"].as_str().unwrap().starts_with("page 2 cannot be read"));
}

#[test]
fn slow_answers_and_what_does_not_exist_are_taken_as_they_are() {
    let desk = Desk::with_faults(&["get_invoice:slow,ms=50"]);
    assert!(desk.read("get_invoice", json!({"invoice_id": "INV-2024-447"})).outcome.is_ok());
    let story = desk.read("get_invoice", json!({"invoice_id": "INV-0"}));
    let unread = story.outcome.unwrap_err();
    assert_eq!((unread.trouble, unread.calls), (Trouble::Absent, 1));
}

#[test]
fn several_ids_in_one_are_read_one_by_one() {
    let desk = Desk::with_faults(&[]);
    let story = desk.read("get_invoice", json!({"invoice_id": "INV-2024-447, INV-2024-447"}));
    let ids: Vec<&Value> = value(&story).as_array().unwrap().iter().map(|row| &row["invoice_id"]).collect();
    assert_eq!(ids, ["INV-2024-447", "INV-2024-447"]);
    assert_eq!(whys(&story), [Why::Asked, Why::Part, Why::Part]);

    let part = desk.read("get_invoice", json!({"invoice_id": ["INV-2024-447", "INV-0"]}));
    assert_eq!(value(&part)["complete"], false);
    assert_eq!(value(&part)["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn no_tool_of_the_demo_business_changes_anything_when_it_is_asked_to_read() {
    let desk = Desk::with_faults(&[]);
    for known in desk.catalogue.iter() {
        let story = desk.read(known.name().as_str(), json!({}));
        assert!(story.calls.len() < READ_CALLS_MAX);
        for call in &story.calls {
            let called = desk.catalogue.get(&call.tool).unwrap();
            assert_eq!(called.tool.effect(), purple_process::Effect::Read, "{}", call.tool);
        }
    }
    let ledger = desk.office.ledger().unwrap();
    assert_eq!(ledger.effects.len(), 0);
    assert!(ledger.calls.len() > 40, "{} calls", ledger.calls.len());
}

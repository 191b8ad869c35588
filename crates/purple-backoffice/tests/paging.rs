//! Pages add up: no row is missed, none comes twice, sums are exact.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod desk;

use std::collections::BTreeSet;

use desk::Desk;
use serde_json::{Value, json};

/// How a list is walked: the arguments of the next page, from the answer of this one.
type Walk = fn(&Value, &mut Value) -> bool;

fn by_page(answer: &Value, next: &mut Value) -> bool {
    let page = answer["page"].as_i64().unwrap();
    next["page"] = json!(page + 1);
    page < answer["total_pages"].as_i64().unwrap()
}

fn by_has_more(answer: &Value, next: &mut Value) -> bool {
    next["page"] = json!(answer["page"].as_i64().unwrap() + 1);
    answer["has_more"].as_bool().unwrap()
}

fn by_offset(answer: &Value, next: &mut Value) -> bool {
    let seen = answer["offset"].as_i64().unwrap() + answer["limit"].as_i64().unwrap();
    next["offset"] = json!(seen);
    seen < answer["total"].as_i64().unwrap()
}

fn by_cursor(answer: &Value, next: &mut Value) -> bool {
    next["cursor"] = answer["next_cursor"].clone();
    !next["cursor"].is_null()
}

/// All rows of a list, and how many pages they took.
fn walk(desk: &Desk, tool: &str, mut arguments: Value, rows: &str, walk: Walk) -> (Vec<Value>, usize) {
    let (mut all, mut pages) = (Vec::new(), 0);
    loop {
        let answer = desk.done(tool, arguments.clone());
        all.extend(answer[rows].as_array().unwrap().iter().cloned());
        pages += 1;
        assert!(pages < 500, "`{tool}` never ends");
        if !walk(&answer, &mut arguments) {
            return (all, pages);
        }
    }
}

#[test]
fn each_style_of_paging_gives_every_row_once() {
    let desk = Desk::open();
    let lists: &[(&str, &str, &str, &str, Walk)] = &[
        ("list_invoices", "invoices", "invoice_id", "invoices", by_page),
        ("list_vendors", "vendors", "vendor_id", "vendors", by_page),
        ("list_expense_claims", "data", "claim_id", "expense_claims", by_page),
        ("list_orders", "data", "order_id", "orders", by_cursor),
        ("list_disputes", "disputes", "dispute_id", "disputes", by_cursor),
        ("list_purchase_orders", "items", "po_id", "purchase_orders", by_offset),
        ("list_quotes", "results", "quote_id", "quotes", by_offset),
        ("list_tickets", "results", "ticket_id", "tickets", by_has_more),
    ];
    for (tool, rows, id, table, style) in lists {
        let expected = desk.done("count_records", json!({"table": table}))["count"].as_u64().unwrap();
        for limit in [1, 7, 200] {
            let (all, pages) = walk(&desk, tool, json!({"limit": limit}), rows, *style);
            let ids: BTreeSet<&str> = all.iter().map(|row| row[*id].as_str().unwrap()).collect();
            assert_eq!(all.len() as u64, expected, "{tool} limit {limit}");
            assert_eq!(ids.len(), all.len(), "{tool} repeats rows");
            assert_eq!(pages as u64, expected.div_ceil(limit).max(1), "{tool} limit {limit}");
        }
    }
}

#[test]
fn a_month_of_transactions_sums_exactly_over_all_pages() {
    let desk = Desk::open();
    let (all, pages) =
        walk(&desk, "get_transactions", json!({"month": "2026-02"}), "transactions", by_cursor);
    assert_eq!((all.len(), pages), (287, 6));
    let cents = |row: &Value| {
        let text = row["amount"].as_str().unwrap().strip_suffix(" USD").unwrap().replace('.', "");
        text.parse::<i64>().unwrap()
    };
    let total: i64 = all.iter().map(cents).sum();
    let balances = desk.done("get_trial_balance", json!({"month": "2026-02"}));
    let balances = balances["balances"].as_array().unwrap();
    let by_account: i64 = balances.iter().map(|row| cents(&json!({"amount": row["balance"]}))).sum();
    assert_eq!(total, by_account);
    let counted: i64 = balances.iter().map(|row| row["transactions"].as_i64().unwrap()).sum();
    assert_eq!(counted, 287);
    assert_eq!(total, -100_020_749, "the rows of seed 1 changed");
}

#[test]
fn open_receivables_sum_to_the_aging_report() {
    let desk = Desk::open();
    let (all, pages) = walk(&desk, "list_open_receivables", json!({}), "rows", by_has_more);
    assert!(pages > 3, "{pages} pages of {} rows", all.len());
    let cents = |text: &Value| {
        text.as_str().unwrap().strip_suffix(" USD").unwrap().replace('.', "").parse::<i64>().unwrap()
    };
    let mut sums = [0; 4];
    for row in &all {
        let bucket = match row["days_overdue"].as_i64().unwrap() {
            0..=30 => 0,
            31..=60 => 1,
            61..=90 => 2,
            _ => 3,
        };
        sums[bucket] += cents(&row["amount"]);
    }
    let report = desk.done("get_aging_report", json!({}));
    let told = ["days_0_30", "days_31_60", "days_61_90", "days_over_90"].map(|bucket| cents(&report[bucket]));
    assert_eq!(sums, told);
    assert!(sums.iter().all(|sum| *sum > 0), "every age has debts");
}

#[test]
fn names_that_drifted_are_described_and_the_old_ones_are_not_there() {
    let desk = Desk::open();
    let (code, message) = desk
        .refused("query_records", json!({"table": "crm_accounts", "where": {"email": "hello@org1.example"}}));
    assert_eq!((code.as_str(), message.as_str()), ("NO_SUCH_COLUMN", "no such column: email"));
    let described = desk.done("describe_table", json!({"table": "crm_accounts"}));
    let names: Vec<&str> = described["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "account_no",
            "org_name",
            "e_mail",
            "status",
            "state_code",
            "kind",
            "assignee_id",
            "create_date",
            "total"
        ]
    );
    let found = desk
        .done("query_records", json!({"table": "crm_accounts", "where": {"e_mail": "hello@org1.example"}}));
    assert_eq!(found["total"], 1);
    // The column that everybody asks for exists and was never filled.
    let count = |filter: Value| {
        desk.done("count_records", json!({"table": "crm_accounts", "where": filter}))["count"].clone()
    };
    assert_eq!(count(json!({"status": "active"})), 0);
    assert!(count(json!({"state_code": "active"})).as_i64().unwrap() > 50);
}

#[test]
fn a_query_cannot_be_talked_into_other_statements() {
    let desk = Desk::open();
    for arguments in [
        json!({"table": "invoices; DROP TABLE invoices"}),
        json!({"table": "sqlite_schema"}),
        json!({"table": "effects"}),
        json!({"table": "invoices", "columns": ["invoice_id FROM keys --"]}),
        json!({"table": "invoices", "order_by": "1; DELETE FROM invoices"}),
        json!({"table": "invoices", "where": {"1=1 OR status": "paid"}}),
    ] {
        let (code, _) = desk.refused("query_records", arguments.clone());
        assert!(code.starts_with("NO_SUCH"), "{arguments}: {code}");
    }
    let odd = json!({"table": "invoices", "where": {"status": "paid' OR '1'='1"}});
    assert_eq!(desk.done("query_records", odd)["total"], 0);
}

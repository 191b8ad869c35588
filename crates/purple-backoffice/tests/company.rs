//! The rows everybody knows, and that everything else is made alike each time.

mod desk;

use desk::{Desk, TODAY};
use purple_backoffice::{Office, Setup};
use serde_json::{Value, json};

#[test]
fn the_rows_of_the_invoice_case_are_there() {
    let desk = Desk::open();
    let invoice = desk.done("get_invoice", json!({"invoice_id": "INV-2024-447"}));
    assert_eq!(invoice["total"], "52340.00 USD");
    assert_eq!(invoice["vendor"], "Acme Corp");
    assert_eq!(invoice["status"], "received");
    let order = desk.done("get_purchase_order", json!({"po_id": invoice["po_id"]}));
    assert_eq!(order["po_id"], "PO-8821");
    assert_eq!(order["total"], "51200.00 USD");
    assert_eq!(order["vendor_id"], invoice["vendor_id"]);
}

#[test]
fn the_rows_of_the_order_case_are_there() {
    let desk = Desk::open();
    let order = desk.done("get_order", json!({"order_id": "ORD-5592"}));
    assert_eq!(order["customer_id"], "C-8821");
    assert_eq!(order["status"], "open");
    assert_eq!(order["items"][0], json!({"item": "Widget A", "quantity": 5, "unit_price": "29.99 USD"}));
    let stock = desk.done("get_inventory", json!({"item": "Widget B"}));
    assert_eq!((&stock["available"], &stock["reserved"]), (&json!(47), &json!(12)));
    assert_eq!(stock["unit_price"], "32.00 USD");
}

#[test]
fn the_rows_of_the_service_level_case_are_there() {
    let desk = Desk::open();
    let contract = desk.done("get_contract", json!({"contract_id": "CTR-441"}));
    assert_eq!(contract["vendor_id"], "INFRA-9");
    assert_eq!(contract["monthly_fee"], "85000.00 USD");
    assert_eq!(contract["multiplier"].to_string(), "1.5");
    assert_eq!(contract["sla_percent"].to_string(), "99.9");
    assert!(contract["contact"].as_str().unwrap().contains('@'));
    let uptime = desk.done("get_uptime", json!({"vendor_id": "INFRA-9", "month": "2026-02"}));
    assert_eq!(uptime["percent"].to_string(), "99.1");
    let balance = desk.done("get_account_balance", json!({"vendor_id": "INFRA-9"}));
    assert_eq!(balance["balance"], "0.00 USD");
}

#[test]
fn the_rows_of_the_people_cases_are_there() {
    let desk = Desk::open();
    let employee = desk.done("get_employee", json!({"employee_id": "E-2291"}));
    assert_eq!(employee["name"], "Jordan Kim");
    assert_eq!(employee["department"], "Platform Engineering");
    assert_eq!(employee["status"], "active");
    assert_eq!(employee["systems"], json!(["GitHub", "AWS", "Slack", "Jira", "Okta"]));
    let pay = desk.done("get_pay_calendar", json!({"employee_id": "E-2291", "after": "2026-03-06"}));
    assert_eq!(pay["next_pay_date"], "2026-03-13", "the 15th is a Sunday");
    let record = desk.done("get_employee_record", json!({"name": "Sarah Chen"}));
    assert_eq!(record["id"], "EMP-4421");
    assert_eq!(record["department"], "Engineering");
    assert_eq!(record["state"], "CA");
    assert_eq!(record["hourly_rate"], "28.00 USD");
}

#[test]
fn nothing_is_special_about_the_known_rows() {
    let desk = Desk::open();
    let total = |tool: &str, arguments: Value| desk.done(tool, arguments)["total"].as_i64().unwrap();
    assert!(total("list_vendors", json!({})) >= 40);
    assert!(total("list_employees", json!({})) >= 80);
    for status in ["received", "approved", "rejected", "on_hold", "disputed", "paid"] {
        assert!(total("list_invoices", json!({"status": status})) >= 5, "{status}");
    }
    for status in ["active", "offboarding", "terminated"] {
        assert!(total("list_employees", json!({"status": status})) >= 1, "{status}");
    }
    let exactly = desk.done("get_invoice", json!({"invoice_id": "INV-2024-448"}));
    let order = desk.done("get_purchase_order", json!({"po_id": exactly["po_id"]}));
    assert_eq!([&exactly["total"], &order["total"]], ["25500.00 USD", "25000.00 USD"], "exactly 2 %");
    let foreign = desk.done("get_invoice", json!({"invoice_id": "INV-2024-449"}));
    assert_eq!(foreign["total"], "8000.00 EUR");
    let twice = desk.done("find_duplicate_invoices", json!({"invoice_id": "INV-2024-451"}));
    assert_eq!(twice["duplicates"][0]["invoice_id"], "INV-2024-450");
}

#[test]
fn the_same_seed_makes_the_same_company_and_another_seed_another() {
    let rows = |seed| {
        let office = Office::open(Setup { seed, ..Setup::in_memory(TODAY) }).unwrap();
        let desk = Desk(std::sync::Arc::new(office));
        let query = json!({"table": "transactions", "limit": 200});
        (desk.done("query_records", query), desk.done("list_employees", json!({"limit": 200})))
    };
    assert_eq!(rows(1), rows(1));
    assert_ne!(rows(1), rows(2));
}

#[test]
fn a_file_keeps_its_day_and_its_seed() {
    let folder = desk::Folder::new("company");
    let file = folder.path("company.db");
    let setup = |today, seed| Setup { data: Some(file.clone()), seed, ..Setup::in_memory(today) };
    drop(Office::open(setup(TODAY, 1)).unwrap());
    assert_eq!(Office::founded_on(&file).unwrap(), Some(TODAY));
    assert!(Office::open(setup(TODAY, 1)).is_ok());
    let other_day = Office::open(setup(jiff::civil::date(2026, 4, 1), 1)).unwrap_err().to_string();
    assert_eq!(other_day, "this company was founded with today 2026-03-04, not 2026-04-01");
    let other_seed = Office::open(setup(TODAY, 2)).unwrap_err().to_string();
    assert_eq!(other_seed, "this company was founded with seed 1, not 2");
    assert_eq!(Office::founded_on(&folder.path("none.db")).unwrap(), None);
}

#[test]
fn a_company_can_be_given_more_business_once() {
    let office = Office::open(Setup::in_memory(TODAY)).unwrap();
    office.enlarge(3).unwrap();
    let invoice = |id: &str| {
        let arguments = [("invoice_id".to_owned(), json!(id))].into_iter().collect();
        match office.call(&purple_backoffice::Call::new("get_invoice", arguments)).answer {
            purple_backoffice::Answer::Done(invoice) => invoice["total"].clone(),
            other => unreachable!("{other:?}"),
        }
    };
    assert_eq!([invoice("INV-2026-20000"), invoice("INV-2026-20001")], ["1020.00 USD", "1030.00 USD"]);
    assert!(office.enlarge(1).is_err());
}

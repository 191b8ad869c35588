//! The records of the demo company that sentences are about, read from the company itself.

use jiff::civil::date;
use purple_backoffice::{Office, Setup};
use serde_json::Value;

use crate::company::get;

pub(super) struct Invoice {
    pub(super) id: String,
    pub(super) order: String,
    pub(super) vendor: String,
    pub(super) cents: i64,
    /// Whether the policy approves it: at most 2 % above its order.
    pub(super) within: bool,
}

pub(super) struct Employee {
    pub(super) id: String,
    pub(super) name: String,
}

pub(super) struct Contract {
    pub(super) id: String,
    pub(super) vendor: String,
    pub(super) uptime: String,
    /// What the vendor owes for February 2026, in cents.
    pub(super) credit: i64,
}

pub(super) struct Order {
    pub(super) id: String,
    pub(super) customer: String,
    /// An item of the order, of which one can be removed.
    pub(super) item: String,
}

pub(super) struct Records {
    pub(super) invoices: Vec<Invoice>,
    pub(super) active: Vec<Employee>,
    pub(super) leaving: Vec<Employee>,
    pub(super) contracts: Vec<Contract>,
    pub(super) orders: Vec<Order>,
}

impl Records {
    pub(super) fn read() -> Self {
        let office = Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap();
        let serials = (447..=460).map(|one| format!("INV-2024-{one}"));
        let invoices = serials.chain((1000..1360).map(|one| format!("INV-2025-{one}")));
        let employees = |status: &str| {
            let ids = (1001..=1084).map(|one| format!("E-{one}"));
            ids.filter_map(|id| employee(&office, &id, status)).collect::<Vec<_>>()
        };
        Self {
            invoices: invoices.filter_map(|id| invoice(&office, &id)).collect(),
            active: employees("active"),
            leaving: employees("offboarding"),
            contracts: (433..=441).filter_map(|one| contract(&office, &format!("CTR-{one}"))).collect(),
            orders: (5000..5600).filter_map(|one| order(&office, &format!("ORD-{one}"))).collect(),
        }
    }
}

fn text(record: &Value, field: &str) -> Option<String> {
    match record.get(field)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// `52340.00 USD` in cents; nothing for other currencies.
fn cents(record: &Value, field: &str) -> Option<i64> {
    record[field].as_str()?.strip_suffix(" USD")?.replace('.', "").parse().ok()
}

fn invoice(office: &Office, id: &str) -> Option<Invoice> {
    let record = get(office, "get_invoice", "invoice_id", id)?;
    let order = text(&record, "po_id")?;
    let ordered = cents(&get(office, "get_purchase_order", "po_id", &order)?, "total")?;
    let cents = cents(&record, "total")?;
    let within = (cents - ordered) * 100 <= ordered * 2;
    let open = record["status"] == "received";
    open.then_some(Invoice { id: id.to_owned(), order, vendor: text(&record, "vendor")?, cents, within })
}

fn employee(office: &Office, id: &str, status: &str) -> Option<Employee> {
    let record = get(office, "get_employee", "employee_id", id)?;
    let name = text(&record, "name")?;
    (record["status"] == status).then_some(Employee { id: id.to_owned(), name })
}

/// A number with at most two decimals, in hundredths.
fn hundredths(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    format!("{whole}{part:0<2}").parse().ok()
}

/// A contract whose uptime was missed in February, with a credit that needs no approval.
fn contract(office: &Office, id: &str) -> Option<Contract> {
    let record = get(office, "get_contract", "contract_id", id)?;
    let vendor = text(&record, "vendor_id")?;
    let arguments = [("vendor_id".to_owned(), vendor.clone().into()), ("month".to_owned(), "2026-02".into())];
    let call = purple_backoffice::Call::new("get_uptime", serde_json::Map::from_iter(arguments));
    let purple_backoffice::Answer::Done(measured) = office.call(&call).answer else { return None };
    let uptime = text(&measured, "percent")?;
    let missed = hundredths(&text(&record, "sla_percent")?)? - hundredths(&uptime)?;
    let (fee, multiplier) = (cents(&record, "monthly_fee")?, hundredths(&text(&record, "multiplier")?)?);
    let exact = missed * fee * multiplier;
    let credit = exact / 1_000_000;
    // A result between two cents would need the rule for rounding.
    (missed > 0 && credit <= 500_000 && exact % 1_000_000 == 0).then_some(Contract {
        id: id.to_owned(),
        vendor,
        uptime,
        credit,
    })
}

fn order(office: &Office, id: &str) -> Option<Order> {
    let record = get(office, "get_order", "order_id", id)?;
    let lines = record["items"].as_array()?;
    let line = lines.iter().find(|line| line["quantity"].as_i64().is_some_and(|count| count > 1))?;
    let (customer, item) = (text(&record, "customer_id")?, text(line, "item")?);
    (record["status"] == "open").then_some(Order { id: id.to_owned(), customer, item })
}

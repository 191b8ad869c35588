//! The rows of well-known cases, exactly as they are told.

use super::{Ground, month_name};
use crate::office::OpenError;

pub(super) fn put(ground: &Ground<'_>) -> Result<(), OpenError> {
    invoices(ground)?;
    order(ground)?;
    service_level(ground)?;
    employees(ground)
}

pub(super) const VENDOR: &str = "INSERT INTO vendors (vendor_id, name, status, email, country, terms_days, risk_rating) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
pub(super) const PURCHASE: &str = "INSERT INTO purchase_orders (po_id, vendor_id, vendor, status, total_minor, currency, \
     description, cost_center, created_on) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
pub(super) const INVOICE: &str = "INSERT INTO invoices (invoice_id, number, vendor_id, vendor, po_id, status, \
     total_minor, currency, issued_on, due_on, reason) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)";
pub(super) const STOCK: &str = "INSERT INTO inventory (item, sku, available, reserved, unit_price_minor, currency, \
     warehouse) VALUES (?1, ?2, ?3, ?4, ?5, 'USD', ?6)";
pub(super) const CUSTOMER: &str = "INSERT INTO customers (customer_id, account_name, status, email, country, tier, \
     created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
pub(super) const ORDER: &str = "INSERT INTO orders (order_id, customer_id, status, contact, currency, placed_on) \
     VALUES (?1, ?2, ?3, ?4, 'USD', ?5)";
pub(super) const LINE: &str = "INSERT INTO order_items (order_id, item, quantity, unit_price_minor) \
     VALUES (?1, ?2, ?3, (SELECT unit_price_minor FROM inventory WHERE item = ?2))";
pub(super) const CONTRACT: &str = "INSERT INTO contracts (contract_id, vendor_id, status, service, monthly_fee_minor, \
     currency, multiplier, sla_percent, contact, starts_on, ends_on) VALUES (?1, ?2, ?3, ?4, ?5, 'USD', ?6, ?7, ?8, ?9, ?10)";
pub(super) const UPTIME: &str =
    "INSERT INTO uptime (vendor_id, month, percent, source) VALUES (?1, ?2, ?3, 'external probes')";
pub(super) const ACCOUNT: &str =
    "INSERT INTO accounts (vendor_id, opening_minor, balance_minor, currency) VALUES (?1, ?2, ?2, 'USD')";
pub(super) const EMPLOYEE: &str = "INSERT INTO employees (employee_id, full_name, email, department, title, manager_id, \
     status, country, state, hired_on, hourly_rate_minor, currency, last_day) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 'USD', ?12)";
pub(super) const ACCESS: &str =
    "INSERT INTO system_access (employee_id, system, rank, active, granted_on) VALUES (?1, ?2, ?3, ?4, ?5)";

/// Id, number, order, status, total, currency, reason.
type KnownInvoice =
    (&'static str, &'static str, Option<&'static str>, &'static str, i64, &'static str, Option<&'static str>);

/// Invoices around the 2 % line, one in another currency, one that came twice.
fn invoices(ground: &Ground<'_>) -> Result<(), OpenError> {
    const NONE: Option<&str> = None;
    ground
        .put(VENDOR, &[&"V-1001", &"Acme Corp", &"approved", &"billing@acme.example", &"US", &30, &"low"])?;
    let orders: &[(&str, i64, &str)] = &[
        ("PO-8821", 5_120_000, "USD"),
        ("PO-8822", 2_500_000, "USD"),
        ("PO-8823", 800_000, "USD"),
        ("PO-8824", 1_240_000, "USD"),
        ("PO-8780", 4_900_000, "USD"),
        ("PO-8791", 3_300_000, "USD"),
    ];
    let created = ground.days_ago(45)?;
    for (id, total, currency) in orders {
        ground.put(
            PURCHASE,
            &[id, &"V-1001", &"Acme Corp", &"received", total, currency, &"Components", &"CC-100", &created],
        )?;
    }
    let invoices: &[KnownInvoice] = &[
        ("INV-2024-447", "AC-447", Some("PO-8821"), "received", 5_234_000, "USD", None),
        ("INV-2024-448", "AC-448", Some("PO-8822"), "received", 2_550_000, "USD", None),
        ("INV-2024-449", "AC-449", Some("PO-8823"), "received", 800_000, "EUR", None),
        ("INV-2024-450", "AC-450", Some("PO-8824"), "paid", 1_240_000, "USD", None),
        ("INV-2024-451", "AC-450", Some("PO-8824"), "received", 1_240_000, "USD", None),
        (
            "INV-2024-390",
            "AC-390",
            Some("PO-8780"),
            "rejected",
            5_046_000,
            "USD",
            Some("2.98 % above the order"),
        ),
        (
            "INV-2024-402",
            "AC-402",
            Some("PO-8791"),
            "rejected",
            3_400_000,
            "USD",
            Some("3.03 % above the order"),
        ),
        ("INV-2024-460", "AC-460", NONE, "received", 99_900, "USD", None),
    ];
    for (id, number, order, status, total, currency, reason) in invoices {
        ground.put(
            INVOICE,
            &[
                id,
                number,
                &"V-1001",
                &"Acme Corp",
                order,
                status,
                total,
                currency,
                &ground.days_ago(10)?,
                &ground.days_ago(-20)?,
                reason,
            ],
        )?;
    }
    Ok(())
}

fn order(ground: &Ground<'_>) -> Result<(), OpenError> {
    ground.put(STOCK, &[&"Widget A", &"WID-A", &120_i64, &31_i64, &2999_i64, &"Reno"])?;
    ground.put(STOCK, &[&"Widget B", &"WID-B", &47_i64, &12_i64, &3200_i64, &"Reno"])?;
    ground.put(
        CUSTOMER,
        &[
            &"C-8821",
            &"Northwind Retail",
            &"active",
            &"orders@northwind.example",
            &"US",
            &"standard",
            &ground.days_ago(700)?,
        ],
    )?;
    ground
        .put(ORDER, &[&"ORD-5592", &"C-8821", &"open", &"orders@northwind.example", &ground.days_ago(3)?])?;
    ground.put(LINE, &[&"ORD-5592", &"Widget A", &5_i64])?;
    ground.put(LINE, &[&"ORD-5592", &"Widget B", &1_i64])
}

fn service_level(ground: &Ground<'_>) -> Result<(), OpenError> {
    ground.put(
        VENDOR,
        &[
            &"INFRA-9",
            &"Ninth Cloud Hosting",
            &"approved",
            &"accounts@ninthcloud.example",
            &"US",
            &30,
            &"medium",
        ],
    )?;
    ground.put(
        CONTRACT,
        &[
            &"CTR-441",
            &"INFRA-9",
            &"active",
            &"Managed hosting",
            &8_500_000_i64,
            &"1.5",
            &"99.9",
            &"sla@ninthcloud.example",
            &ground.days_ago(400)?,
            &ground.days_ago(-330)?,
        ],
    )?;
    ground.put(ACCOUNT, &[&"INFRA-9", &0_i64])?;
    let uptime = ["99.1", "99.95", "99.92", "99.9", "100", "99.97"];
    for (months, percent) in (1_i64..).zip(uptime) {
        ground.put(UPTIME, &[&"INFRA-9", &month_name(ground.month_ago(months)?), &percent])?;
    }
    Ok(())
}

fn employees(ground: &Ground<'_>) -> Result<(), OpenError> {
    const NONE: Option<&str> = None;
    let hired = ground.days_ago(1100)?;
    ground.put(
        EMPLOYEE,
        &[
            &"E-2291",
            &"Jordan Kim",
            &"jordan.kim@backoffice.example",
            &"Platform Engineering",
            &"Senior Engineer",
            &"E-1002",
            &"active",
            &"US",
            &"WA",
            &hired,
            &Option::<i64>::None,
            &NONE,
        ],
    )?;
    for (rank, system) in (0_i64..).zip(["GitHub", "AWS", "Slack", "Jira", "Okta"]) {
        ground.put(ACCESS, &[&"E-2291", &system, &rank, &1, &hired])?;
    }
    ground.put(
        EMPLOYEE,
        &[
            &"EMP-4421",
            &"Sarah Chen",
            &"sarah.chen@backoffice.example",
            &"Engineering",
            &"Technician",
            &"E-1002",
            &"active",
            &"US",
            &"CA",
            &hired,
            &2800_i64,
            &NONE,
        ],
    )?;
    let week = ground.days_ago(i64::from(ground.today.weekday().to_monday_zero_offset()))?;
    ground.put("INSERT INTO timesheets (employee_id, week, hours) VALUES ('EMP-4421', ?1, '52')", &[&week])
}

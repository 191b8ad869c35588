//! More business of the same kind: as many records alike as somebody needs to work on at once.

use super::{Ground, cases, month_name};
use crate::office::OpenError;

/// The first number of what is added; what the company has by itself is far below.
const FIRST: i64 = 20_000;
const ORDER_MINOR: i64 = 100_000;
/// Exactly 2 % above the order, and 3 %.
const BILLED_MINOR: [i64; 2] = [102_000, 103_000];

pub(super) fn put(ground: &Ground<'_>, count: u32) -> Result<(), OpenError> {
    for number in 0..i64::from(count) {
        invoice(ground, number)?;
        missed_uptime(ground, number)?;
        order(ground, number)?;
        colleague(ground, number)?;
    }
    Ok(())
}

fn invoice(ground: &Ground<'_>, number: i64) -> Result<(), OpenError> {
    let (po, id) = (format!("PO-{}", FIRST + number), format!("INV-2026-{}", FIRST + number));
    let (created, issued, due) = (ground.days_ago(40)?, ground.days_ago(8)?, ground.days_ago(-22)?);
    ground.put(
        cases::PURCHASE,
        &[
            &po,
            &"V-1001",
            &"Acme Corp",
            &"received",
            &ORDER_MINOR,
            &"USD",
            &"Components",
            &"CC-100",
            &created,
        ],
    )?;
    let billed = BILLED_MINOR.get(usize::from(number % 2 == 1)).copied().unwrap_or(ORDER_MINOR);
    let vendors_number = format!("AC-{}", FIRST + number);
    const NONE: Option<&str> = None;
    ground.put(
        cases::INVOICE,
        &[
            &id,
            &vendors_number,
            &"V-1001",
            &"Acme Corp",
            &po,
            &"received",
            &billed,
            &"USD",
            &issued,
            &due,
            &NONE,
        ],
    )
}

fn missed_uptime(ground: &Ground<'_>, number: i64) -> Result<(), OpenError> {
    let vendor = format!("INFRA-{}", FIRST + number);
    let contact = format!("sla@infra{}.example", FIRST + number);
    let name = format!("Hosting {}", FIRST + number);
    ground.put(cases::VENDOR, &[&vendor, &name, &"approved", &contact, &"US", &30, &"medium"])?;
    ground.put(
        cases::CONTRACT,
        &[
            &format!("CTR-{}", FIRST + number),
            &vendor,
            &"active",
            &"Hosting",
            &8_500_000_i64,
            &"1.5",
            &"99.9",
            &contact,
            &ground.days_ago(400)?,
            &ground.days_ago(-300)?,
        ],
    )?;
    ground.put(cases::ACCOUNT, &[&vendor, &0_i64])?;
    ground.put(cases::UPTIME, &[&vendor, &month_name(ground.month_ago(1)?), &"99.1"])
}

fn order(ground: &Ground<'_>, number: i64) -> Result<(), OpenError> {
    let id = format!("ORD-{}", FIRST + number);
    let contact = "orders@northwind.example";
    ground.put(cases::ORDER, &[&id, &"C-8821", &"open", &contact, &ground.days_ago(2)?])?;
    ground.put(cases::LINE, &[&id, &"Widget A", &5_i64])
}

fn colleague(ground: &Ground<'_>, number: i64) -> Result<(), OpenError> {
    const NONE: Option<&str> = None;
    let id = format!("E-{}", FIRST + number);
    let (name, email) = (format!("Robin Vale {number}"), format!("robin.vale{number}@backoffice.example"));
    let hired = ground.days_ago(800)?;
    ground.put(
        cases::EMPLOYEE,
        &[
            &id,
            &name,
            &email,
            &"Support",
            &"Specialist",
            &"E-1002",
            &"active",
            &"US",
            &"WA",
            &hired,
            &Option::<i64>::None,
            &NONE,
        ],
    )?;
    for (rank, system) in (0_i64..).zip(["Okta", "Slack"]) {
        ground.put(cases::ACCESS, &[&id, &system, &rank, &1, &hired])?;
    }
    Ok(())
}

//! Made-up vendors, what was ordered from them and what they invoiced.

use super::random::Random;
use super::{Ground, cases, month_name};
use crate::office::OpenError;

const FIRST: &[&str] =
    &["Alder", "Birch", "Cobalt", "Delta", "Ember", "Fjord", "Granite", "Harbor", "Iris", "Juniper"];
const SECOND: &[&str] =
    &["Supply", "Logistics", "Systems", "Paper", "Electric", "Foods", "Freight", "Tooling"];
const GOODS: &[&str] =
    &["Components", "Office supplies", "Freight", "Software licences", "Cleaning", "Test equipment"];
const VENDORS: i64 = 46;
const ORDERS: i64 = 180;

pub(super) fn put(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    budgets(ground)?;
    for number in 2..=VENDORS {
        let name = format!("{} {} {number}", random.pick(FIRST), random.pick(SECOND));
        let status = match number {
            2 => "suspended",
            _ if random.chance(85) => "approved",
            _ => random.pick(&["pending", "suspended"]),
        };
        let email = format!("billing{number}@vendor{number}.example");
        let country = random.pick(&["US", "US", "DE", "GB", "JP", "SE"]);
        let terms = random.pick(&["14", "30", "45", "60"]);
        let risk = random.pick(&["low", "low", "medium", "high"]);
        ground.put(cases::VENDOR, &[&id(number), &name, &status, &email, &country, &terms, &risk])?;
    }
    orders(ground, random)?;
    quotes(ground, random)?;
    hosting(ground, random)
}

fn id(number: i64) -> String {
    format!("V-{}", 1000 + number)
}

fn budgets(ground: &Ground<'_>) -> Result<(), OpenError> {
    let sql = "INSERT INTO budgets (cost_center, owner, allotted_minor, spent_minor, currency) VALUES (?1, ?2, ?3, ?4, 'USD')";
    for (number, owner) in (1_i64..).zip(["E-1002", "E-1003", "E-1004", "E-1005", "E-1006"]) {
        let center = format!("CC-{}", number * 100);
        ground.put(sql, &[&center, &owner, &(25_000_000 * number), &(11_234_500 * number)])?;
    }
    Ok(())
}

/// An order and what is billed for it.
struct Order {
    number: i64,
    po: String,
    vendor_id: String,
    vendor: String,
    total: i64,
    age: i64,
}

/// One order each, most of them invoiced: within 2 %, above it, or not at all.
fn orders(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let name_of = "SELECT name FROM vendors WHERE vendor_id = ?1";
    for number in 0..ORDERS {
        let po = format!("PO-{}", 9100 + number);
        let vendor_id = id(random.between(2, VENDORS));
        let vendor: String = ground.db.query_row(name_of, [&vendor_id], |row| row.get(0))?;
        let total = random.between(200, 90_000) * 100;
        let age = if number < 3 { 10 } else { random.between(5, 400) };
        let status = match age {
            ..15 => "open",
            15..40 => random.pick(&["open", "sent"]),
            _ => random.pick(&["received", "closed"]),
        };
        let (center, goods) = (format!("CC-{}", random.between(1, 5) * 100), random.pick(GOODS));
        let created = ground.days_ago(age)?;
        ground.put(
            cases::PURCHASE,
            &[&po, &vendor_id, &vendor, &status, &total, &"USD", &goods, &center, &created],
        )?;
        if age >= 15 {
            bill(ground, random, &Order { number, po, vendor_id, vendor, total, age })?;
        }
    }
    Ok(())
}

/// One or two invoices for an order.
fn bill(ground: &Ground<'_>, random: &mut Random, order: &Order) -> Result<(), OpenError> {
    let parts = if random.chance(20) { 2 } else { 1 };
    for part in 0..parts {
        let excess = random.pick(&["0", "0", "0", "100", "150", "200", "250", "700"]);
        let excess: i64 = excess.parse().unwrap_or(0);
        let billed = (order.total / parts) * (10_000 + excess) / 10_000;
        let serial = order.number * 2 + part;
        let status = match order.age {
            ..60 => random.pick(&["received", "received", "on_hold", "on_hold"]),
            60..120 => random.pick(&["received", "approved", "disputed"]),
            _ => random.pick(&["paid", "paid", "paid", "rejected"]),
        };
        let reason = (status == "rejected").then_some("above the order");
        let (id, number) = (
            format!("INV-2025-{}", 1000 + serial),
            format!("{}-{serial}", order.vendor_id.replace("V-", "N")),
        );
        let (issued, due) = (ground.days_ago(order.age - 12)?, ground.days_ago(order.age - 42)?);
        let (vendor_id, vendor, po) = (&order.vendor_id, &order.vendor, Some(&order.po));
        ground.put(
            cases::INVOICE,
            &[&id, &number, vendor_id, vendor, &po, &status, &billed, &"USD", &issued, &due, &reason],
        )?;
    }
    Ok(())
}

fn quotes(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO quotes (quote_id, vendor_id, item, quantity, total_minor, currency, valid_until) \
               VALUES (?1, ?2, ?3, ?4, ?5, 'USD', ?6)";
    for number in 0..48 {
        let quote = format!("Q-{}", 400 + number);
        let item = random.pick(&["Laptop", "Monitor", "Desk", "Rack server", "Label printer"]);
        let quantity = random.between(1, 40);
        let total = quantity * random.between(9_000, 180_000);
        let until = ground.days_ago(-random.between(5, 60))?;
        ground.put(sql, &[&quote, &id(random.between(2, VENDORS)), &item, &quantity, &total, &until])?;
    }
    Ok(())
}

/// Hosting vendors with contracts like the well-known one: met, missed, missed badly, exactly met.
fn hosting(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let last_month = ["99.95", "99.5", "99.9", "95.9", "98.2", "99.99", "20.0", "100"];
    for (number, uptime) in (1_i64..).zip(last_month) {
        let vendor = format!("INFRA-{number}");
        let name = format!("{} Hosting {number}", random.pick(FIRST));
        let contact = format!("sla@infra{number}.example");
        let (starts, ends) =
            (ground.days_ago(random.between(200, 900))?, ground.days_ago(-random.between(60, 500))?);
        ground.put(cases::VENDOR, &[&vendor, &name, &"approved", &contact, &"US", &30, &"medium"])?;
        let fee = random.between(40, 1200) * 10_000;
        let multiplier = random.pick(&["1", "1.25", "1.5", "2"]);
        ground.put(
            cases::CONTRACT,
            &[
                &format!("CTR-{}", 432 + number),
                &vendor,
                &"active",
                &"Hosting",
                &fee,
                &multiplier,
                &"99.9",
                &contact,
                &starts,
                &ends,
            ],
        )?;
        ground.put(cases::ACCOUNT, &[&vendor, &(random.between(0, 500) * 1000)])?;
        ground.put(cases::UPTIME, &[&vendor, &month_name(ground.month_ago(1)?), &uptime])?;
        for months in 2..=6 {
            let percent = format!("99.{}", random.between(90, 99));
            ground.put(cases::UPTIME, &[&vendor, &month_name(ground.month_ago(months)?), &percent])?;
        }
    }
    Ok(())
}

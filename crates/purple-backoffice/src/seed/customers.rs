//! Made-up customers: their orders, debts, disputes and subscriptions.

use super::random::Random;
use super::{Ground, cases};
use crate::office::OpenError;

const FIRST: &[&str] =
    &["Aurora", "Beacon", "Cedar", "Dune", "Echo", "Falcon", "Glacier", "Horizon", "Indigo", "Jade"];
const SECOND: &[&str] =
    &["Retail", "Clinics", "Schools", "Media", "Energy", "Studios", "Bakery", "Insurance"];
const GOODS: &[(&str, i64)] = &[
    ("Widget C", 4500),
    ("Widget D", 12_900),
    ("Gadget S", 899),
    ("Gadget M", 1599),
    ("Gadget L", 2499),
    ("Bracket", 349),
    ("Sensor", 7800),
    ("Sensor Pro", 14_900),
    ("Cable 2 m", 1290),
    ("Cable 5 m", 1890),
    ("Hub", 5490),
    ("Hub Pro", 10_990),
    ("Mount", 2190),
    ("Battery", 990),
    ("Charger", 3490),
    ("Case", 1290),
];
const CUSTOMERS: i64 = 64;
const ORDERS: i64 = 170;

pub(super) fn put(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    for (item, price) in GOODS {
        let sku = item.to_uppercase().replace(' ', "-");
        let (available, reserved) = (random.between(0, 400), random.between(0, 30));
        ground.put(
            cases::STOCK,
            &[item, &sku, &available, &reserved, price, &random.pick(&["Reno", "Memphis"])],
        )?;
    }
    plans(ground)?;
    for number in 1..=CUSTOMERS {
        customer(ground, random, number)?;
    }
    identity(ground, "C-8821", ["passed", "low"], [0, 0])?;
    for number in 0..ORDERS {
        order(ground, random, number)?;
    }
    receivables(ground, random)?;
    disputes(ground, random)?;
    accounts(ground, random)
}

fn id(number: i64) -> String {
    format!("C-{}", 8000 + number)
}

fn customer(ground: &Ground<'_>, random: &mut Random, number: i64) -> Result<(), OpenError> {
    let id = id(number);
    let name = format!("{} {} {number}", random.pick(FIRST), random.pick(SECOND));
    let status = random.pick(&["active", "active", "active", "active", "paused", "closed"]);
    let email = format!("contact@customer{number}.example");
    let country = random.pick(&["US", "US", "US", "DE", "GB", "SE"]);
    let tier = random.pick(&["standard", "standard", "gold"]);
    ground.put(
        cases::CUSTOMER,
        &[&id, &name, &status, &email, &country, &tier, &ground.days_ago(random.between(30, 1500))?],
    )?;
    let kyc = if random.chance(80) { "passed" } else { random.pick(&["pending", "failed"]) };
    let risk = random.pick(&["low", "low", "medium", "high"]);
    let flags = [i64::from(random.chance(4)), i64::from(random.chance(3))];
    identity(ground, &id, [kyc, risk], flags)?;
    let sql = "INSERT INTO subscriptions (subscription_id, customer_id, plan_id, status, seats_used, started_on, \
               renews_on, termination_fee_minor, currency) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'USD')";
    let (plan, seats_most) = match random.between(1, 3) {
        1 => ("basic", 10),
        2 => ("team", 50),
        _ => ("business", 250),
    };
    let seats = random.between(1, seats_most);
    let status = if number < 4 { "active" } else { random.pick(&["active", "active", "active", "paused"]) };
    let (started, renews) =
        (ground.days_ago(random.between(40, 300))?, ground.days_ago(-random.between(10, 320))?);
    let fee = random.between(0, 30) * 10_000;
    ground.put(sql, &[&format!("SUB-{}", 700 + number), &id, &plan, &status, &seats, &started, &renews, &fee])
}

fn identity(
    ground: &Ground<'_>,
    id: &str,
    [status, risk]: [&str; 2],
    [exposed, hit]: [i64; 2],
) -> Result<(), OpenError> {
    let sql = "INSERT INTO kyc (customer_id, kyc_status, risk_rating, politically_exposed, sanctions_hit, reviewed_on) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    ground.put(sql, &[&id, &status, &risk, &exposed, &hit, &ground.days_ago(90)?])
}

fn plans(ground: &Ground<'_>) -> Result<(), OpenError> {
    let sql = "INSERT INTO plans (plan_id, title, monthly_price_minor, currency, seat_limit) VALUES (?1, ?2, ?3, 'USD', ?4)";
    let plans: &[(&str, &str, i64, i64)] = &[
        ("basic", "Basic", 2900, 10),
        ("team", "Team", 9900, 50),
        ("business", "Business", 29_900, 250),
        ("enterprise", "Enterprise", 99_000, 5000),
    ];
    for (id, title, price, seats) in plans {
        ground.put(sql, &[id, title, price, seats])?;
    }
    Ok(())
}

fn order(ground: &Ground<'_>, random: &mut Random, number: i64) -> Result<(), OpenError> {
    let id = format!("ORD-{}", 5000 + number);
    let customer = random.between(1, CUSTOMERS);
    let age = random.between(0, 240);
    let status = match age {
        ..8 => "open",
        8..20 => random.pick(&["open", "shipped"]),
        _ => random.pick(&["delivered", "delivered", "delivered", "cancelled"]),
    };
    let contact = format!("contact@customer{customer}.example");
    ground.put(cases::ORDER, &[&id, &self::id(customer), &status, &contact, &ground.days_ago(age)?])?;
    let first = random.between(0, 15);
    for step in 0..random.between(1, 4) {
        let index = usize::try_from((first + step * 5) % 16).unwrap_or(0);
        if let Some((item, _)) = GOODS.get(index) {
            ground.put(cases::LINE, &[&id, item, &random.between(1, 12)])?;
        }
    }
    Ok(())
}

fn receivables(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO receivables (receivable_id, customer_id, customer_status, amount_minor, currency, due_on, \
               status) VALUES (?1, ?2, ?3, ?4, 'USD', ?5, ?6)";
    for number in 0..160 {
        let customer = random.between(1, CUSTOMERS);
        let standing = match customer % 16 {
            3 => "disputed",
            7 => "insolvent",
            _ => "active",
        };
        let status = match number {
            0 => "written_off",
            1..10 => "open",
            _ => random.pick(&["open", "open", "open", "paid", "written_off"]),
        };
        let due = ground.days_ago(random.between(-25, 140))?;
        let amount = random.between(5_000, 2_500_000);
        ground.put(
            sql,
            &[&format!("AR-{}", 1000 + number), &id(customer), &standing, &amount, &due, &status],
        )?;
    }
    Ok(())
}

fn disputes(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO disputes (dispute_id, customer_id, order_id, amount_minor, currency, status, reason, \
               opened_on, resolution) VALUES (?1, ?2, ?3, ?4, 'USD', ?5, ?6, ?7, ?8)";
    for number in 0..36 {
        let status = match number {
            ..2 => "open",
            2 => "withdrawn",
            _ => random.pick(&["open", "open", "resolved", "withdrawn"]),
        };
        let reason = random.pick(&["not received", "damaged", "charged twice", "not as described"]);
        let resolution = (status == "resolved").then_some("refund");
        let order = format!("ORD-{}", 5000 + random.between(0, ORDERS - 1));
        let amount = random.between(1_000, 1_600_000);
        ground.put(
            sql,
            &[
                &format!("DSP-{}", 501 + number),
                &id(random.between(1, CUSTOMERS)),
                &order,
                &amount,
                &status,
                &reason,
                &ground.days_ago(random.between(1, 110))?,
                &resolution,
            ],
        )?;
    }
    Ok(())
}

/// The table that an earlier system left behind.
fn accounts(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let sql = "INSERT INTO crm_accounts (account_no, org_name, e_mail, status, state_code, kind, assignee_id, \
               create_date, total) VALUES (?1, ?2, ?3, '', ?4, ?5, ?6, ?7, ?8)";
    for number in 0..220 {
        let org = format!("{} {} {number}", random.pick(FIRST), random.pick(SECOND));
        let total = format!("{}.{:02} USD", random.between(0, 90_000), random.between(0, 99));
        ground.put(
            sql,
            &[
                &format!("A{:05}", 10 + number),
                &org,
                &format!("hello@org{number}.example"),
                &random.pick(&["active", "active", "dormant", "lost"]),
                &random.pick(&["partner", "direct"]),
                &format!("E-{}", random.between(1002, 1040)),
                &ground.days_ago(random.between(100, 2000))?,
                &total,
            ],
        )?;
    }
    Ok(())
}

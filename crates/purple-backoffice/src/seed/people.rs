//! Made-up colleagues: what they may use, what they worked, what they claim.

use jiff::ToSpan;
use jiff::civil::Weekday;

use super::random::Random;
use super::{Ground, cases};
use crate::office::OpenError;

const FIRST: &[&str] =
    &["Alex", "Blake", "Casey", "Dana", "Eli", "Frankie", "Gray", "Harper", "Indira", "Jules", "Kai", "Lena"];
const LAST: &[&str] = &[
    "Abara", "Bauer", "Costa", "Dietrich", "Eng", "Fischer", "Gupta", "Hansen", "Ito", "Jensen", "Kowalski",
];
const DEPARTMENTS: &[&str] =
    &["Engineering", "Platform Engineering", "Finance", "Sales", "Support", "People", "Operations"];
const SYSTEMS: &[&str] =
    &["Okta", "Slack", "GitHub", "Jira", "AWS", "Salesforce", "NetSuite", "Zendesk", "Figma"];
const PEOPLE: i64 = 84;

pub(super) fn put(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    for number in 1..=PEOPLE {
        person(ground, random, number)?;
    }
    pay_calendar(ground)?;
    claims(ground, random)
}

fn id(number: i64) -> String {
    format!("E-{}", 1000 + number)
}

fn person(ground: &Ground<'_>, random: &mut Random, number: i64) -> Result<(), OpenError> {
    let id = id(number);
    let (first, last) = (random.pick(FIRST), random.pick(LAST));
    let name = format!("{first} {last} {number}");
    let email = format!("{}.{}{number}@backoffice.example", first.to_lowercase(), last.to_lowercase());
    let department = random.pick(DEPARTMENTS);
    let status = match number {
        ..=10 => "active",
        11 => "terminated",
        12 => "offboarding",
        _ if random.chance(90) => "active",
        _ => random.pick(&["on_leave", "terminated", "offboarding"]),
    };
    let country = random.pick(&["US", "US", "US", "DE", "GB"]);
    let state = (country == "US").then(|| random.pick(&["CA", "WA", "NY", "TX"]));
    let manager = (number > 1).then(|| self::id(1 + number % 6));
    let hired = ground.days_ago(random.between(60, 2500))?;
    let hourly = random.chance(30).then(|| random.between(18, 60) * 100);
    let last_day = match status {
        "terminated" => Some(ground.days_ago(random.between(10, 200))?),
        "offboarding" => Some(ground.days_ago(-random.between(3, 20))?),
        _ => None,
    };
    let title = random.pick(&["Analyst", "Engineer", "Specialist", "Lead", "Coordinator"]);
    ground.put(
        cases::EMPLOYEE,
        &[
            &id,
            &name,
            &email,
            &department,
            &title,
            &manager,
            &status,
            &country,
            &state,
            &hired,
            &hourly,
            &last_day,
        ],
    )?;
    let active = i64::from(status != "terminated");
    for (rank, system) in (0_i64..).zip(SYSTEMS) {
        if rank < 2 || random.chance(45) {
            ground.put(cases::ACCESS, &[&id, system, &rank, &active, &hired])?;
        }
    }
    if hourly.is_some() {
        let monday = i64::from(ground.today.weekday().to_monday_zero_offset());
        for weeks in 0..4 {
            let hours = format!("{}.{}", random.between(30, 49), random.pick(&["0", "25", "5", "75"]));
            let week = ground.days_ago(monday + weeks * 7)?;
            ground.put(
                "INSERT INTO timesheets (employee_id, week, hours) VALUES (?1, ?2, ?3)",
                &[&id, &week, &hours],
            )?;
        }
    }
    Ok(())
}

/// Twice a month in the US, once elsewhere; a weekend moves the date to the Friday before.
fn pay_calendar(ground: &Ground<'_>) -> Result<(), OpenError> {
    let sql =
        "INSERT INTO pay_calendar (country, pay_date, period_start, period_end) VALUES (?1, ?2, ?3, ?4)";
    for months in -14..=6 {
        let first = ground.month_ago(months)?;
        let last = first.last_of_month();
        let middle = ground.shifted(first, 14.days())?;
        let sixteenth = ground.shifted(first, 15.days())?;
        for country in ["US", "DE", "GB"] {
            let periods =
                if country == "US" { vec![(first, middle), (sixteenth, last)] } else { vec![(first, last)] };
            for (start, end) in periods {
                let back = match end.weekday() {
                    Weekday::Saturday => 1,
                    Weekday::Sunday => 2,
                    _ => 0,
                };
                let paid = ground.shifted(end, (-back).days())?;
                ground.put(sql, &[&country, &paid.to_string(), &start.to_string(), &end.to_string()])?;
            }
        }
    }
    Ok(())
}

/// Claims whose receipts add up, and some whose receipts do not.
fn claims(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let claim = "INSERT INTO expense_claims (claim_id, employee_id, type, amount_minor, currency, cost_center, status, \
                 notes, submitted_on) VALUES (?1, ?2, ?3, ?4, 'USD', ?5, ?6, ?7, ?8)";
    let receipt = "INSERT INTO receipts (receipt_id, claim_id, amount_minor, currency, merchant, spent_on) \
                   VALUES (?1, ?2, ?3, 'USD', ?4, ?5)";
    for number in 0..90 {
        let id = format!("EXP-{}", 3001 + number);
        let age = if number < 4 { 5 } else { random.between(1, 120) };
        let kind = random.pick(&["travel", "meals", "equipment", "training"]);
        let mut sum = 0;
        for part in 0..random.between(1, 4) {
            let amount = random.between(900, 320_000);
            sum += amount;
            let merchant = random.pick(&["Airline", "Hotel", "Restaurant", "Taxi", "Bookshop"]);
            let spent = ground.days_ago(age + random.between(1, 20))?;
            ground.put(
                receipt,
                &[&format!("RC-{}", 7000 + number * 4 + part), &id, &amount, &merchant, &spent],
            )?;
        }
        let claimed = if random.chance(92) { sum } else { sum + 1_000 };
        let status = if age < 30 { "submitted" } else { random.pick(&["approved", "paid", "rejected"]) };
        let center = format!("CC-{}", random.between(1, 5) * 100);
        ground.put(
            claim,
            &[
                &id,
                &self::id(random.between(1, PEOPLE)),
                &kind,
                &claimed,
                &center,
                &status,
                &format!("{kind} claim"),
                &ground.days_ago(age)?,
            ],
        )?;
    }
    Ok(())
}

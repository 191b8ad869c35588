//! Made-up books: hundreds of transactions a month, the bank's side of them, and closed periods.

use jiff::ToSpan;

use super::random::Random;
use super::{Ground, month_name};
use crate::office::OpenError;

const ACCOUNTS: &[&str] =
    &["4000 Revenue", "5000 Materials", "6000 Wages", "6100 Rent", "6200 Software", "1200 Bank"];
/// Transactions of each month, from last month backwards.
const COUNTS: &[i64] = &[287, 263, 271, 240];

pub(super) fn put(ground: &Ground<'_>, random: &mut Random) -> Result<(), OpenError> {
    let mut serial = 0;
    for (months, count) in (1_i64..).zip(COUNTS) {
        month(ground, random, (months, *count), &mut serial)?;
    }
    for months in 0..=12 {
        let status = if months < 2 { "open" } else { "closed" };
        let period = month_name(ground.month_ago(months)?);
        ground.put("INSERT INTO periods (period, status) VALUES (?1, ?2)", &[&period, &status])?;
    }
    Ok(())
}

fn month(
    ground: &Ground<'_>,
    random: &mut Random,
    (months, count): (i64, i64),
    serial: &mut i64,
) -> Result<(), OpenError> {
    let first = ground.month_ago(months)?;
    let name = month_name(first);
    let days = i64::from(first.days_in_month());
    let transaction = "INSERT INTO transactions (transaction_id, month, booked_on, account, counterparty, amount_minor, \
                       currency, description) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 'USD', ?7)";
    let line = "INSERT INTO bank_lines (line_id, month, booked_on, text, amount_minor, currency) \
                VALUES (?1, ?2, ?3, ?4, ?5, 'USD')";
    let entry = "INSERT INTO journal_entries (entry_id, period, debit_account, credit_account, amount_minor, currency, \
                 memo, status) VALUES (?1, ?2, ?3, ?4, ?5, 'USD', ?6, 'posted')";
    for number in 0..count {
        *serial += 1;
        let booked = ground.shifted(first, random.between(0, days - 1).days())?.to_string();
        let account = random.pick(ACCOUNTS);
        let sign = if account.starts_with('4') { 1 } else { -1 };
        let amount = sign * random.between(1_500, 950_000);
        let counterparty = if sign > 0 {
            format!("C-{}", random.between(8001, 8064))
        } else {
            format!("V-{}", random.between(1002, 1046))
        };
        let text = random.pick(&["Invoice", "Standing order", "Card payment", "Transfer"]);
        ground.put(
            transaction,
            &[&format!("TX-{serial:06}"), &name, &booked, &account, &counterparty, &amount, &text],
        )?;
        // The bank has not seen all of them yet.
        if number % 3 != 0 {
            ground.put(
                line,
                &[&format!("BL-{serial:06}"), &name, &booked, &format!("{text} {counterparty}"), &amount],
            )?;
        }
    }
    for number in 0..12 {
        let id = format!("JE-{}-{number:02}", name.replace('-', ""));
        let amount = random.between(10_000, 4_000_000);
        ground.put(entry, &[&id, &name, &random.pick(ACCOUNTS), &"2000 Accruals", &amount, &"Accrual"])?;
    }
    Ok(())
}

//! Tools that only compute.

use jiff::civil::Weekday;
use serde_json::{Value, json};

use crate::parameter::{Form, needs};
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};

/// Days between two dates that are counted one by one.
const DAYS_MAX: i32 = 3660;

pub(super) const TOOLS: &[Tool] = &[
    Tool::read(
        "calculation",
        ["calculate_business_days", "Counts Mondays to Fridays from one day up to and including another."],
        &[needs("from", Form::Day, "first day"), needs("to", Form::Day, "last day")],
        |_, arguments| {
            let (from, to) = (arguments.day("from")?, arguments.day("to")?);
            let span = from.until(to).map_or(i32::MAX, |span| span.get_days());
            if !(0..=DAYS_MAX).contains(&span) {
                return Err(Refusal::BadParameter {
                    name: "to".to_owned(),
                    wanted: format!("from 0 to {DAYS_MAX} days after `from`"),
                    given: to.to_string(),
                });
            }
            let workdays = from
                .series(jiff::Span::new().days(1))
                .take_while(|date| *date <= to)
                .filter(|date| !matches!(date.weekday(), Weekday::Saturday | Weekday::Sunday));
            Ok(json!({"business_days": workdays.count()}))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "calculation",
        ["validate_iban", "Checks the check digits of an IBAN; stores nothing."],
        &[needs("iban", Form::Text, "the IBAN, with or without spaces")],
        |_, arguments| Ok(json!({"valid": is_iban(arguments.text("iban")?)})),
    ),
    Tool::read(
        "calculation",
        ["sum_amounts", "Adds amounts of one currency exactly."],
        &[needs("amounts", Form::Texts, "amounts such as 12.50 USD")],
        |_, arguments| sum(&arguments.texts("amounts")),
    )
    .hints(Hints::ReadOnly),
];

fn sum(amounts: &[String]) -> Result<Value, Refusal> {
    let mut total: Option<crate::money::Money> = None;
    for text in amounts {
        let bad = || Refusal::BadParameter {
            name: "amounts".to_owned(),
            wanted: "amounts of one currency that add up".to_owned(),
            given: text.clone(),
        };
        let amount = crate::money::Money::parse(text).ok_or_else(bad)?;
        total = Some(match total {
            None => amount,
            Some(mut so_far) if so_far.currency == amount.currency => {
                so_far.minor = so_far.minor.checked_add(amount.minor).ok_or_else(bad)?;
                so_far
            }
            Some(_) => return Err(bad()),
        });
    }
    Ok(json!({"sum": total.map(|total| total.to_string())}))
}

/// ISO 13616: the rearranged number leaves 1 when divided by 97.
fn is_iban(text: &str) -> bool {
    let plain: Vec<u8> = text.bytes().filter(|byte| *byte != b' ').collect();
    if !(15..=34).contains(&plain.len()) || !plain.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (head, tail) = plain.split_at(4);
    let rest = tail.iter().chain(head).fold(0_u32, |rest, byte| {
        let (value, shift) = if byte.is_ascii_digit() {
            (u32::from(byte - b'0'), 10)
        } else {
            (u32::from(byte.to_ascii_uppercase() - b'A') + 10, 100)
        };
        (rest * shift + value) % 97
    });
    rest == 1
}

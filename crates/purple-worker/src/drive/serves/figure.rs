//! Whether the figures of an operation agree with those that the words state.

use purple_finance::Exact;
use purple_intent::value::Meaning;
use purple_intent::{Act, Reading};
use purple_process::{Json, Values};

/// Words of a parameter that say how much money.
const MONEY: [&str; 9] = ["amount", "total", "price", "sum", "value", "fee", "refund", "payment", "salary"];
/// Words of a parameter that say how many.
const COUNT: [&str; 6] = ["quantity", "qty", "count", "units", "seats", "hours"];

/// What a figure says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Figure {
    Money,
    Count,
}

/// Whether nothing disagrees: where the act states amounts and the operation has one, one of them is the same.
pub(super) fn agree(reading: &Reading, act: &Act, values: &Values) -> bool {
    [Figure::Money, Figure::Count].into_iter().all(|figure| {
        let stated = stated(reading, act, figure);
        let given: Vec<Exact> =
            values.iter().filter_map(|(name, value)| given(name, value, figure)).collect();
        stated.is_empty() || given.is_empty() || given.iter().any(|value| stated.contains(value))
    })
}

fn stated(reading: &Reading, act: &Act, figure: Figure) -> Vec<Exact> {
    let inside = reading.values.iter().filter(|value| act.span.contains(value.span));
    let number = |meaning: &Meaning| match (meaning, figure) {
        (Meaning::Amount(amount), Figure::Money) => Some(amount.number.clone()),
        (Meaning::Number(number) | Meaning::Quantity { number, .. }, Figure::Count) => Some(number.clone()),
        _ => None,
    };
    inside.flat_map(|value| value.meanings.iter().filter_map(number)).collect()
}

fn given(name: &str, value: &Json, figure: Figure) -> Option<Exact> {
    let list: &[&str] = match figure {
        Figure::Money => &MONEY,
        Figure::Count => &COUNT,
    };
    let is_named = super::words(name).last().is_some_and(|word| list.contains(&word.as_str()));
    let text = match value {
        Json::Number(number) if is_named => number.as_str().to_owned(),
        Json::Text(text) if is_named => text.clone(),
        _ => return None,
    };
    Exact::parse(text.split_whitespace().next()?).ok()
}

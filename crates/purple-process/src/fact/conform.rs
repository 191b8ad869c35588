//! What a company writes in its own notation, as a file declares it: `"Y"` for true, `"USD 1,200.00"` for an amount,
//! `"ON HOLD"` for the status `on_hold` that a rule compares with.
//!
//! What can be read in two ways stays as it is written: it is not of the declared kind, and a rule over it asks a person.

use std::sync::Arc;

use purple_policy::{Currency, Exact, Kind, Value};

use crate::file::{InputType, Setting, read_value};

/// Words that systems write for true.
const YES: [&str; 6] = ["true", "yes", "y", "t", "1", "on"];
/// Words that systems write for false.
const NO: [&str; 6] = ["false", "no", "n", "f", "0", "off"];

/// A value of the declared kind, where what is written can only mean one. `words` are those that rules compare it with.
pub(super) fn conform(value: Value, kind: Kind, words: &[Arc<str>]) -> Value {
    match (kind, &value) {
        (Kind::Bool, Value::Text(text)) => truth(text).map_or(value, Value::Bool),
        (Kind::Bool, Value::Number(number)) => truth(&number.to_string()).map_or(value, Value::Bool),
        (Kind::Number, Value::Text(text)) => number(text).map_or(value, Value::Number),
        (Kind::Percent, Value::Text(text)) => figure(text, InputType::Percent).unwrap_or(value),
        (Kind::Money, Value::Text(text)) => figure(text, InputType::Money).unwrap_or(value),
        (Kind::Text | Kind::Unknown, Value::Text(text)) => match word(text, words) {
            Some(word) => Value::Text(word),
            None => value,
        },
        _ => value,
    }
}

fn truth(text: &str) -> Option<bool> {
    let text = text.trim().to_lowercase();
    let is = |words: &[&str]| words.contains(&text.as_str());
    match (is(&YES), is(&NO)) {
        (true, _) => Some(true),
        (_, true) => Some(false),
        (false, false) => None,
    }
}

/// A number as programs write it. `1,234` could be either of two numbers.
fn number(text: &str) -> Option<Exact> {
    Exact::parse(text.trim()).ok()
}

fn figure(text: &str, kind: InputType) -> Option<Value> {
    let Ok(dollar) = Currency::parse("USD") else { return None };
    let setting = Setting { today: jiff::civil::Date::ZERO, dollar };
    read_value(text, kind, &setting).ok()
}

/// The one of these words that is meant, in whatever case and with whatever separators it is written.
fn word(text: &str, words: &[Arc<str>]) -> Option<Arc<str>> {
    let folded = fold(text);
    let mut same = words.iter().filter(|word| fold(word) == folded && !folded.is_empty());
    let first = same.next()?;
    // Where a file tells two spellings apart, it means it.
    same.all(|other| other == first).then(|| Arc::clone(first))
}

fn fold(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn as_declared(json: serde_json::Value, kind: Kind, words: &[&str]) -> String {
        let words: Vec<Arc<str>> = words.iter().map(|word| Arc::from(*word)).collect();
        let value = conform(Value::from_json(&json).unwrap(), kind, &words);
        format!("{}: {value}", value.kind())
    }

    #[test]
    fn what_is_written_otherwise_is_read_as_declared() {
        use serde_json::json;
        for (json, kind, expected) in [
            (json!("TRUE"), Kind::Bool, "true or false: true"),
            (json!("Y"), Kind::Bool, "true or false: true"),
            (json!(1), Kind::Bool, "true or false: true"),
            (json!(" no "), Kind::Bool, "true or false: false"),
            (json!("perhaps"), Kind::Bool, "a text: perhaps"),
            (json!(2), Kind::Bool, "a number: 2"),
            (json!("120"), Kind::Number, "a number: 120"),
            (json!("1,234"), Kind::Number, "a text: 1,234"),
            (json!("USD 1,200.50"), Kind::Money, "money: 1200.50 USD"),
            (json!("$5,000.01"), Kind::Money, "money: 5000.01 USD"),
            (json!("1.234,50 EUR"), Kind::Money, "money: 1234.50 EUR"),
            (json!("about 5 USD"), Kind::Money, "a text: about 5 USD"),
            (json!("2.5"), Kind::Percent, "a percentage: 2.5%"),
        ] {
            assert_eq!(as_declared(json.clone(), kind, &[]), expected, "{json}");
        }
    }

    #[test]
    fn a_status_is_the_word_that_rules_compare_it_with() {
        use serde_json::json;
        let words = ["on_hold", "sev1", "Ab", "AB"];
        for (written, expected) in [
            ("ON HOLD", "on_hold"),
            ("On-Hold", "on_hold"),
            ("SEV-1", "sev1"),
            ("held", "held"),
            ("AB", "AB"),
            ("ab", "ab"),
            ("", ""),
        ] {
            assert_eq!(as_declared(json!(written), Kind::Text, &words), format!("a text: {expected}"));
        }
    }
}

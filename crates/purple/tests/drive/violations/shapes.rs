//! The forms in which systems answer: envelopes, other cases of names and words, strings for everything.

use serde_json::{Map, Value, json};

/// One way to write a record. Seed 0 is the record as it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    wrap: usize,
    names: usize,
    words: usize,
    truths: usize,
    numbers: usize,
    money: usize,
}

impl Shape {
    pub(crate) fn new(seed: usize) -> Self {
        // Numbers without a common divisor, so that the seeds walk through all combinations.
        Self {
            wrap: seed % 7,
            names: seed % 3,
            words: seed % 4,
            truths: seed % 5,
            numbers: seed % 2,
            money: seed % 5,
        }
    }

    /// The answer of a read.
    pub(crate) fn of(self, tool: &str, record: &Value) -> Value {
        let fields: Map<String, Value> = record
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, value)| (self.name(name), self.value(name, value)))
            .collect();
        let written = Value::Object(fields);
        let noun = tool.split_once('_').unwrap().1;
        match self.wrap {
            1 => json!({"data": written}),
            2 => json!({"ok": true, "result": {"items": [written]}}),
            3 => json!({"status": "success", "code": 200, "data": written}),
            4 => json!({self.name(noun): written}),
            5 => json!({"response": {"meta": {"took_ms": 12, "status": "ok"}, "record": written}}),
            6 => json!([written]),
            _ => written,
        }
    }

    fn name(self, name: &str) -> String {
        let words = name.split('_');
        match self.names {
            1 => words
                .enumerate()
                .map(|(at, word)| if at == 0 { word.to_owned() } else { capital(word) })
                .collect(),
            2 => name.to_uppercase(),
            _ => name.to_owned(),
        }
    }

    fn value(self, name: &str, value: &Value) -> Value {
        let is_id = name.ends_with("_id") || name == "name" || name == "period";
        match value {
            Value::Bool(truth) => match (self.truths, truth) {
                (1, true) => json!("TRUE"),
                (1, false) => json!("FALSE"),
                (2, true) => json!("Y"),
                (2, false) => json!("N"),
                (3, truth) => json!(i32::from(*truth)),
                (4, true) => json!("yes"),
                (4, false) => json!("no"),
                _ => value.clone(),
            },
            Value::Number(number) if self.numbers == 1 => json!(number.to_string()),
            Value::String(text) if !is_id => match text.split_once(' ') {
                Some((amount, currency)) if currency.len() == 3 && amount.parse::<f64>().is_ok() => {
                    self.amount(amount, currency)
                }
                _ => json!(self.word(text)),
            },
            _ => value.clone(),
        }
    }

    fn amount(self, amount: &str, currency: &str) -> Value {
        match self.money {
            1 => json!({"amount": amount, "currency": currency}),
            2 => json!({"value": amount, "currency_code": currency}),
            3 => json!(format!("{currency} {amount}")),
            4 => {
                json!({"amount": amount.parse::<f64>().unwrap(), "currency": currency, "formatted": format!("${amount}")})
            }
            _ => json!(format!("{amount} {currency}")),
        }
    }

    fn word(self, text: &str) -> String {
        match self.words {
            1 => text.to_uppercase(),
            2 => capital(text),
            3 => text.replace('_', " "),
            _ => text.to_owned(),
        }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

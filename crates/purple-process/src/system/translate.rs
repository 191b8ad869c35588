//! Values in the company's names, and back.

use purple_policy::{Currency, Exact, Money};

use super::{CurrencyOf, FieldMap, Fields, Form};
use crate::json::{Json, Number, Values};
use crate::name::is_id_name;

/// A record of the company under the names of the file. What is not mapped stays under its own name, unless a name of
/// the file stands for something else here.
pub(super) fn to_business(answer: &Json, fields: &Fields) -> Json {
    match answer {
        Json::List(rows) => Json::List(rows.iter().map(|row| to_business(row, fields)).collect()),
        Json::Record(given) => Json::Record(record_to_business(given, fields)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => answer.clone(),
    }
}

fn record_to_business(given: &Values, fields: &Fields) -> Values {
    let mut record = given.clone();
    for (name, field) in fields {
        record.remove(name);
        let path = field.path(name);
        if !path.contains('.') {
            record.remove(path);
        }
    }
    for (name, field) in fields {
        if let Some(value) = at_record(given, field.path(name)) {
            record.insert(name.clone(), field.to_business(name, value, given));
        }
    }
    record
}

/// The file's values as the company's: each under its path.
pub(super) fn to_company(values: &Values, fields: &Fields) -> Values {
    let mut made = Values::new();
    for (name, value) in values {
        match fields.get(name) {
            Some(field) => {
                for (path, value) in field.to_company(name, value) {
                    put(&mut made, &path, value);
                }
            }
            None => {
                made.insert(name.clone(), value.clone());
            }
        }
    }
    made
}

impl FieldMap {
    /// Where the company keeps it.
    pub(super) fn path<'n>(&'n self, name: &'n str) -> &'n str {
        if self.at.is_empty() { name } else { &self.at }
    }

    fn to_business(&self, name: &str, value: &Json, beside: &Values) -> Json {
        if let Some(word) = self.words.iter().find_map(|(own, theirs)| says(value, theirs).then_some(own)) {
            return word_of(word);
        }
        if let Some(currency) = &self.currency {
            return self.money(value, currency, beside).unwrap_or_else(|| value.clone());
        }
        match value {
            // An id is text in process files, whatever a company counts with.
            Json::Number(number) if is_id_name(name) => Json::Text(number.as_str().to_owned()),
            Json::List(_) | Json::Record(_) if !self.within.is_empty() => to_business(value, &self.within),
            other => other.clone(),
        }
    }

    fn money(&self, value: &Json, currency: &CurrencyOf, beside: &Values) -> Option<Json> {
        let currency = match currency {
            CurrencyOf::Is(code) => code.0,
            CurrencyOf::In(path) => Currency::parse(at_record(beside, path)?.as_text()?).ok()?,
        };
        let plain = match value {
            Json::Number(number) => number.as_str(),
            Json::Text(text) => text,
            Json::Null | Json::Bool(_) | Json::List(_) | Json::Record(_) => return None,
        };
        let plain = if self.is_minor { shifted(plain, currency)? } else { plain.to_owned() };
        let money = Money::exact(&Exact::parse(&plain).ok()?, currency).ok()?;
        Some(Json::Text(money.to_string()))
    }

    /// The paths and values that say the same to the company's tool.
    pub(super) fn to_company(&self, name: &str, value: &Json) -> Vec<(String, Json)> {
        let path = self.path(name).to_owned();
        let word = self.words.iter().find(|(own, _)| says(value, own)).map(|(_, theirs)| theirs);
        if let Some(word) = word {
            return vec![(path, self.formed(&Json::Text(word.clone())))];
        }
        let money = value.as_text().and_then(|text| Money::parse(text).ok());
        if let (Some(currency), Some(money)) = (&self.currency, money) {
            let digits = match self.is_minor {
                true => money.minor().to_string(),
                false => money.amount().to_plain().unwrap_or_default(),
            };
            if let Ok(number) = Number::parse(&digits) {
                let value = match self.form {
                    Some(Form::Text) => Json::Text(digits),
                    Some(Form::Number | Form::Flag) | None => Json::Number(number),
                };
                let beside = match currency {
                    CurrencyOf::Is(_) => None,
                    CurrencyOf::In(path) => Some((path.clone(), Json::from(money.currency().code()))),
                };
                // An amount of another currency than the one that the tool counts in is passed on as it is: the tool's
                // schema refuses it, and nobody pays euros for dollars.
                let is_same = match currency {
                    CurrencyOf::Is(code) => code.0 == money.currency(),
                    CurrencyOf::In(_) => true,
                };
                if is_same {
                    return std::iter::once((path, value)).chain(beside).collect();
                }
            }
        }
        vec![(path, self.formed(&self.within_to_company(value)))]
    }

    fn within_to_company(&self, value: &Json) -> Json {
        match value {
            Json::List(rows) => Json::List(rows.iter().map(|row| self.within_to_company(row)).collect()),
            Json::Record(fields) if !self.within.is_empty() => Json::Record(to_company(fields, &self.within)),
            other => other.clone(),
        }
    }

    /// A value as the schema of the tool takes it, where both say the same.
    fn formed(&self, value: &Json) -> Json {
        let formed = match (self.form, value) {
            (Some(Form::Number), Json::Text(text)) => Number::parse(text).ok().map(Json::Number),
            (Some(Form::Text), Json::Number(number)) => Some(Json::Text(number.as_str().to_owned())),
            (Some(Form::Flag), Json::Text(text)) => match text.as_str() {
                "true" | "1" => Some(Json::Bool(true)),
                "false" | "0" => Some(Json::Bool(false)),
                _ => None,
            },
            _ => None,
        };
        formed.unwrap_or_else(|| value.clone())
    }
}

/// Whether a value is this word.
fn says(value: &Json, word: &str) -> bool {
    match value {
        Json::Text(text) => text == word,
        Json::Number(number) => number.as_str() == word,
        Json::Bool(flag) => (if *flag { "true" } else { "false" }) == word,
        Json::Null | Json::List(_) | Json::Record(_) => false,
    }
}

/// A word of the file as its value.
fn word_of(word: &str) -> Json {
    match word {
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        other => Json::from(other),
    }
}

/// Cents as an amount: `5234000` is `52340.00`.
fn shifted(minor: &str, currency: Currency) -> Option<String> {
    let (sign, digits) = minor.strip_prefix('-').map_or(("", minor), |rest| ("-", rest));
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let places = usize::from(currency.digits());
    let padded = format!("{digits:0>width$}", width = places + 1);
    let (whole, cents) = padded.split_at(padded.len() - places);
    Some(if cents.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{cents}") })
}

/// What stands at a dotted path; a number is a place in a list.
pub fn at<'j>(value: &'j Json, path: &str) -> Option<&'j Json> {
    if path.is_empty() {
        return Some(value);
    }
    path.split('.').try_fold(value, |value, step| match value {
        Json::Record(fields) => fields.get(step),
        Json::List(items) => items.get(step.parse::<usize>().ok()?),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) => None,
    })
}

pub(super) fn at_record<'j>(fields: &'j Values, path: &str) -> Option<&'j Json> {
    let (first, rest) = path.split_once('.').unwrap_or((path, ""));
    at(fields.get(first)?, rest)
}

/// Puts a value at a dotted path; records on the way are made.
pub(crate) fn put(into: &mut Values, path: &str, value: Json) {
    let Some((first, rest)) = path.split_once('.') else {
        into.insert(path.to_owned(), value);
        return;
    };
    let inner = into.entry(first.to_owned()).or_insert_with(|| Json::Record(Values::new()));
    if let Json::Record(fields) = inner {
        put(fields, rest, value);
    }
}

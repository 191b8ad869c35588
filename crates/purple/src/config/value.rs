//! One value as it was written, checked against what its key expects.

use std::collections::BTreeMap;
use std::fmt;

use jiff::civil::Date;
use purple_policy::{Currency, Money};
use purple_process::file::{Span, TimeUnit};
use purple_process::{Digest, HostPattern, PersonId, Role, ToolName};
use purple_worker::Shipped;
use toml::de::DeValue;

use crate::config::key::Kind;
use crate::config::problem::{ProblemCode, nearest};
use crate::config::secret::{SecretRef, sounds_secret};

/// Who stands in for somebody, and on which days; both days count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Substitute {
    pub(crate) person: PersonId,
    pub(crate) from: Date,
    pub(crate) until: Date,
}

/// A value that fits its key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Flag(bool),
    Count(u64),
    List(Vec<String>),
    Secret(SecretRef),
    Variables(BTreeMap<String, Result<String, SecretRef>>),
    Names(BTreeMap<String, String>),
    Substitutes(Vec<Substitute>),
}

/// Why a value does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misfit {
    pub(crate) code: ProblemCode,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Misfit {
    fn shape(kind: Kind, found: &str) -> Self {
        let message = format!("this is {found}");
        Self { code: ProblemCode::WrongShape, message, help: format!("write {}", kind.expected()) }
    }

    fn value(kind: Kind, given: &str) -> Self {
        let near = match kind {
            Kind::Choice(words) => nearest(given, words.iter().copied()),
            _ => None,
        };
        let help = near.map_or_else(
            || format!("write {}", kind.expected()),
            |near| format!("did you mean `{near}`? Write {}", kind.expected()),
        );
        Self { code: ProblemCode::BadValue, message: format!("`{given}` cannot be used here"), help }
    }

    fn inline_secret() -> Self {
        Self {
            code: ProblemCode::InlineSecret,
            message: "a secret does not belong into this file".to_owned(),
            help:
                "keep it in a variable, a file or a password manager, and write `env:NAME`, `file:PATH` or \
                   `cmd:PROGRAM` here; if this file was shared, change the secret"
                    .to_owned(),
        }
    }
}

/// Reads a value of a TOML file.
pub(crate) fn of_toml(kind: Kind, given: &DeValue<'_>) -> Result<Value, Misfit> {
    match (kind, given) {
        (Kind::Variables, DeValue::Table(table)) => variables(table),
        (Kind::Names, DeValue::Table(table)) => {
            let mut all = BTreeMap::new();
            names(&mut Vec::new(), table, &mut all)?;
            Ok(Value::Names(all))
        }
        (Kind::Substitutes, DeValue::Array(items)) => items
            .iter()
            .map(|item| substitute(item.get_ref()))
            .collect::<Result<_, _>>()
            .map(Value::Substitutes),
        (_, DeValue::Array(items)) if is_list(kind) => {
            let texts = items.iter().map(|item| text_of(kind, item.get_ref()));
            of_list(kind, texts.collect::<Result<_, _>>()?)
        }
        (Kind::Flag, DeValue::Boolean(flag)) => Ok(Value::Flag(*flag)),
        (Kind::Count { .. }, DeValue::Integer(number)) => of_text(kind, &number.to_string()),
        (Kind::Flag | Kind::Count { .. } | Kind::Variables | Kind::Names | Kind::Substitutes, other) => {
            Err(Misfit::shape(kind, found(other)))
        }
        (_, DeValue::String(text)) => of_text(kind, text),
        (_, other) => Err(Misfit::shape(kind, found(other))),
    }
}

/// Reads a value of a variable or a flag. Lists are separated by commas.
pub(crate) fn of_text(kind: Kind, given: &str) -> Result<Value, Misfit> {
    let bad = || Misfit::value(kind, given);
    let text = |fits: bool| if fits { Ok(Value::Text(given.to_owned())) } else { Err(bad()) };
    match kind {
        Kind::Text | Kind::Path => text(!given.trim().is_empty()),
        Kind::Choice(words) => text(words.contains(&given)),
        Kind::Flag => match given {
            "true" | "1" | "yes" | "on" => Ok(Value::Flag(true)),
            "false" | "0" | "no" | "off" => Ok(Value::Flag(false)),
            _ => Err(bad()),
        },
        Kind::Count { min, max } => {
            let number = given.parse::<u64>().ok().filter(|number| (min..=max).contains(number));
            number.map(Value::Count).ok_or_else(bad)
        }
        Kind::Url => text(origin_of(given).is_some()),
        Kind::Secret => SecretRef::parse(given).map(Value::Secret).ok_or_else(Misfit::inline_secret),
        Kind::Span => text(span_of(given).is_some()),
        Kind::Money => text(Money::parse(given).is_ok()),
        Kind::Currency => text(Currency::parse(given).is_ok()),
        Kind::Zone => text(given == "UTC" || jiff::tz::TimeZone::get(given).is_ok()),
        Kind::Moment => text(given.parse::<jiff::Timestamp>().is_ok()),
        Kind::Role => text(Role::parse(given).is_ok()),
        Kind::KeyPlace => text(key_place(given).is_some()),
        Kind::Pin => text(Digest::parse(given).is_ok()),
        Kind::Manifest => text(Shipped::find(given).is_some()),
        Kind::Paths | Kind::Origins | Kind::Hosts | Kind::Roles | Kind::Tools | Kind::Words => {
            let words = given.split(',').map(str::trim).filter(|word| !word.is_empty());
            of_list(kind, words.map(str::to_owned).collect())
        }
        Kind::Variables | Kind::Names | Kind::Substitutes => Err(Misfit::shape(kind, "text")),
    }
}

fn of_list(kind: Kind, items: Vec<String>) -> Result<Value, Misfit> {
    let fits = |item: &String| match kind {
        Kind::Origins => origin_of(item).is_some(),
        Kind::Roles => Role::parse(item).is_ok(),
        Kind::Tools => ToolName::parse(item).is_ok(),
        Kind::Hosts => HostPattern::parse(item).is_ok(),
        _ => true,
    };
    match items.iter().find(|item| !fits(item)) {
        Some(item) => Err(Misfit::value(kind, item)),
        None => Ok(Value::List(items)),
    }
}

fn is_list(kind: Kind) -> bool {
    matches!(kind, Kind::Paths | Kind::Origins | Kind::Hosts | Kind::Roles | Kind::Tools | Kind::Words)
}

fn text_of(kind: Kind, given: &DeValue<'_>) -> Result<String, Misfit> {
    match given {
        DeValue::String(text) => Ok(text.to_string()),
        other => Err(Misfit::shape(kind, found(other))),
    }
}

fn variables(table: &toml::de::DeTable<'_>) -> Result<Value, Misfit> {
    let mut all = BTreeMap::new();
    for (name, value) in table {
        let name = name.get_ref().to_string();
        let text = text_of(Kind::Variables, value.get_ref())?;
        let value = match SecretRef::parse(&text) {
            Some(reference) => Err(reference),
            None if sounds_secret(&name) => return Err(Misfit::inline_secret()),
            None => Ok(text),
        };
        all.insert(name, value);
    }
    Ok(Value::Variables(all))
}

/// Names and texts; a table within a table adds its name with a dot.
fn names(
    path: &mut Vec<String>,
    table: &toml::de::DeTable<'_>,
    into: &mut BTreeMap<String, String>,
) -> Result<(), Misfit> {
    for (name, value) in table {
        path.push(name.get_ref().to_string());
        match value.get_ref() {
            DeValue::Table(inner) => names(path, inner, into)?,
            DeValue::Boolean(flag) => {
                into.insert(path.join("."), flag.to_string());
            }
            DeValue::Integer(number) => {
                into.insert(path.join("."), number.to_string());
            }
            other => {
                into.insert(path.join("."), text_of(Kind::Names, other)?);
            }
        }
        path.pop();
    }
    Ok(())
}

fn substitute(given: &DeValue<'_>) -> Result<Substitute, Misfit> {
    const KEYS: [&str; 3] = ["person", "from", "until"];
    let shape = |found: &str| Misfit::shape(Kind::Substitutes, found);
    let DeValue::Table(table) = given else { return Err(shape(found(given))) };
    if let Some(odd) = table.keys().map(|key| key.get_ref()).find(|key| !KEYS.contains(&key.as_ref())) {
        let near = nearest(odd, KEYS).map_or_else(String::new, |near| format!("did you mean `{near}`? "));
        let message = format!("a substitute has no `{odd}`");
        let help = format!("{near}write {}", Kind::Substitutes.expected());
        return Err(Misfit { code: ProblemCode::UnknownKey, message, help });
    }
    let text = |key: &str| {
        let value = table.get(key).ok_or_else(|| shape(&format!("a substitute without `{key}`")))?;
        match value.get_ref() {
            DeValue::String(text) => Ok(text.to_string()),
            DeValue::Datetime(date) => Ok(date.to_string()),
            other => Err(shape(found(other))),
        }
    };
    let date = |key: &str| {
        let text = text(key)?;
        text.parse::<Date>().map_err(|_| Misfit::value(Kind::Substitutes, &text))
    };
    let name = text("person")?;
    let person = PersonId::parse(&name).map_err(|_| Misfit::value(Kind::Substitutes, &name))?;
    let (from, until) = (date("from")?, date("until")?);
    if until < from {
        Err(shape("a time that ends before it begins"))
    } else {
        Ok(Substitute { person, from, until })
    }
}

fn found(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "text",
        DeValue::Integer(_) => "a number",
        DeValue::Float(_) => "a number with a fraction, which is not exact here",
        DeValue::Boolean(_) => "`true` or `false`",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// `scheme://host:port` of an HTTP address, in small letters.
pub(crate) fn origin_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let scheme = scheme.to_ascii_lowercase();
    let authority = rest.split(['/', '?', '#']).next()?;
    let clean = |byte: u8| byte.is_ascii_alphanumeric() || b".-:[]_".contains(&byte);
    let fits =
        ["http", "https"].contains(&scheme.as_str()) && !authority.is_empty() && authority.bytes().all(clean);
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    (fits && !host.is_empty()).then(|| format!("{scheme}://{}", authority.to_ascii_lowercase()))
}

/// A length of time: in words, in short (`4h`, `2d`) or as ISO 8601 (`PT4H`). Whole minutes, and nothing longer than weeks.
pub(crate) fn span_of(text: &str) -> Option<Span> {
    if let Some(words) = Span::parse(text) {
        return Some(words);
    }
    let given: jiff::Span = text.trim().parse().ok()?;
    let parts = [
        (i64::from(given.get_weeks()), TimeUnit::Weeks, 7 * 24 * 60),
        (i64::from(given.get_days()), TimeUnit::Days, 24 * 60),
        (i64::from(given.get_hours()), TimeUnit::Hours, 60),
        (given.get_minutes(), TimeUnit::Minutes, 1),
    ];
    let finer = given.get_seconds() != 0
        || given.get_milliseconds() != 0
        || given.get_microseconds() != 0
        || given.get_nanoseconds() != 0;
    let coarser = given.get_years() != 0 || given.get_months() != 0;
    if finer || coarser || !given.is_positive() {
        return None;
    }
    let set: Vec<_> = parts.into_iter().filter(|(count, ..)| *count != 0).collect();
    let (count, unit) = match set.as_slice() {
        [(count, unit, _)] => (*count, *unit),
        several => {
            let minutes = several.iter().map(|(count, _, minutes)| count.checked_mul(*minutes));
            (minutes.sum::<Option<i64>>()?, TimeUnit::Minutes)
        }
    };
    let count = u16::try_from(count).ok().filter(|count| (1..=Span::COUNT_MAX).contains(count))?;
    Some(Span::of(count, unit))
}

/// `("argument" | "meta", name)`.
pub(crate) fn key_place(text: &str) -> Option<(&str, &str)> {
    let (place, name) = text.split_once(':')?;
    (["argument", "meta"].contains(&place) && !name.trim().is_empty()).then_some((place, name.trim()))
}

/// The value as people see it. A secret shows where it is, never what it is.
impl fmt::Display for Value {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => out.write_str(text),
            Self::Flag(flag) => write!(out, "{flag}"),
            Self::Count(number) => write!(out, "{number}"),
            Self::List(items) => out.write_str(&items.join(", ")),
            Self::Secret(reference) => write!(out, "{reference}"),
            Self::Variables(all) => {
                let shown = all.iter().map(|(name, value)| match value {
                    Ok(text) => format!("{name}={text}"),
                    Err(reference) => format!("{name}={reference}"),
                });
                out.write_str(&shown.collect::<Vec<_>>().join(", "))
            }
            Self::Names(all) => {
                let shown = all.iter().map(|(name, text)| format!("{name}={text}"));
                out.write_str(&shown.collect::<Vec<_>>().join(", "))
            }
            Self::Substitutes(all) => {
                let shown =
                    all.iter().map(|one| format!("{} from {} until {}", one.person, one.from, one.until));
                out.write_str(&shown.collect::<Vec<_>>().join(", "))
            }
        }
    }
}

//! The slow second evaluator: the specification, read again, on big rationals.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

use super::tree::{Context, E, V};

/// Why there is no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum No {
    /// There is nothing: `default` helps.
    Absent,
    /// There is something wrong.
    Wrong,
}

type Answer = Result<V, No>;

pub(crate) struct Reference<'c> {
    pub(crate) context: &'c Context,
}

/// Rows in sight, innermost last.
type Rows = Vec<(String, V)>;

impl Reference<'_> {
    pub(crate) fn evaluate(&self, expr: &E) -> Answer {
        self.eval(expr, &Vec::new())
    }

    pub(crate) fn truth(&self, expr: &E) -> Result<bool, No> {
        self.holds(expr, &Vec::new())
    }

    pub(crate) fn eval(&self, expr: &E, rows: &Rows) -> Answer {
        match expr {
            E::Literal(value, _) => Ok(value.clone()),
            E::Name(name) => self.name(name, rows),
            E::List(items) => {
                items.iter().map(|item| self.eval(item, rows)).collect::<Result<_, _>>().map(V::List)
            }
            E::Not(inner) => Ok(V::Bool(!self.holds(inner, rows)?)),
            E::Negate(inner) => unit_kept(&self.eval(inner, rows)?, |number| -number),
            E::All(items) => {
                Ok(V::Bool(!kleene_or(items.iter().map(|item| self.holds(item, rows).map(|t| !t)))?))
            }
            E::Any(items) => Ok(V::Bool(kleene_or(items.iter().map(|item| self.holds(item, rows)))?)),
            E::Compare(sign, left, right) => self.compare_parts(sign, left, right, rows).map(V::Bool),
            E::In(needle, list) => {
                let needle = self.eval(needle, rows)?;
                let items: Vec<Answer> = match &**list {
                    E::List(items) => items.iter().map(|item| self.eval(item, rows)).collect(),
                    other => match self.eval(other, rows)? {
                        V::List(items) => items.into_iter().map(Ok).collect(),
                        V::Null => return Err(No::Absent),
                        _ => return Err(No::Wrong),
                    },
                };
                kleene_or(items.into_iter().map(|item| compared("==", &needle, &item?))).map(V::Bool)
            }
            E::Within(needle, low, high, low_in, high_in) => {
                let needle = self.eval(needle, rows)?;
                let low_sign = if *low_in { ">=" } else { ">" };
                let high_sign = if *high_in { "<=" } else { "<" };
                let outside_low = self.eval(low, rows).and_then(|low| compared(low_sign, &needle, &low));
                let outside_high = self.eval(high, rows).and_then(|high| compared(high_sign, &needle, &high));
                let outside =
                    kleene_or([outside_low, outside_high].into_iter().map(|inside| inside.map(|t| !t)))?;
                Ok(V::Bool(!outside))
            }
            E::Arithmetic(sign, left, right) => {
                let (left, right) = (self.eval(left, rows)?, self.eval(right, rows)?);
                computed(*sign, &left, &right)
            }
            E::Call(function, arguments) => self.call(function, arguments, rows),
            E::Rows(function, list, alias, body) => {
                self.over_rows(function, list, alias.as_deref(), body, rows)
            }
            E::Round(value, places, mode) => {
                let value = self.eval(value, rows)?;
                let places = match (places, &value) {
                    (Some(places), _) => *places,
                    (None, V::Money(_, "JPY")) => 0,
                    (None, V::Money(..)) => 2,
                    (None, V::Null) => return Err(No::Absent),
                    (None, _) => return Err(No::Wrong),
                };
                unit_kept(&value, |number| rounded(number, places, mode))
            }
        }
    }

    fn holds(&self, expr: &E, rows: &Rows) -> Result<bool, No> {
        match self.eval(expr, rows)? {
            V::Bool(truth) => Ok(truth),
            V::Null => Err(No::Absent),
            _ => Err(No::Wrong),
        }
    }

    /// Only `null` as written can be asked about.
    fn compare_parts(&self, sign: &str, left: &E, right: &E, rows: &Rows) -> Result<bool, No> {
        let is_null = |expr: &E| matches!(expr, E::Literal(V::Null, _));
        let equality = ["==", "===", "!=", "!=="].contains(&sign);
        if equality && (is_null(left) || is_null(right)) {
            let other = if is_null(right) { left } else { right };
            let null = self.eval(other, rows)? == V::Null;
            return Ok(if sign.starts_with('!') { !null } else { null });
        }
        compared(sign, &self.eval(left, rows)?, &self.eval(right, rows)?)
    }

    fn name(&self, name: &str, rows: &Rows) -> Answer {
        let (root, path) = name.split_once('.').unwrap_or((name, ""));
        if let Some((_, row)) = rows.iter().rev().find(|(known, _)| known == root) {
            return walk(row, path).ok_or(No::Absent);
        }
        // Whether there is anything, nobody knows: neither of it, nor of a part of it, nor of what it is a part of.
        let is_part = |part: &str, whole: &str| part == whole || part.starts_with(&format!("{whole}."));
        let mut unread = self.context.iter().filter(|(_, values)| values.is_empty()).map(|(known, _)| known);
        if unread.any(|known| is_part(name, known) || is_part(known, name)) {
            return Err(No::Wrong);
        }
        let mut found: Vec<V> = Vec::new();
        for (known, values) in self.context {
            let rest = match name.strip_prefix(known.as_str()) {
                Some("") => "",
                Some(rest) if rest.starts_with('.') => &rest[1..],
                _ => continue,
            };
            found.extend(values.iter().filter_map(|value| walk(value, rest)));
        }
        if found.is_empty() {
            return self.gathered(name);
        }
        agreed(&found)
    }

    /// Facts set one by one make a record.
    fn gathered(&self, name: &str) -> Answer {
        let mut fields = std::collections::BTreeMap::new();
        for (known, values) in self.context {
            if let Some(field) = known.strip_prefix(&format!("{name}.")) {
                fields.insert(field.to_owned(), agreed(values)?);
            }
        }
        if fields.is_empty() { Err(No::Absent) } else { Ok(V::Record(fields)) }
    }

    fn call(&self, function: &str, arguments: &[E], rows: &Rows) -> Answer {
        let arg = |index: usize| self.eval(&arguments[index], rows);
        match function {
            "exists" => match arg(0) {
                Ok(value) => Ok(V::Bool(value != V::Null)),
                Err(No::Absent) => Ok(V::Bool(false)),
                Err(No::Wrong) => Err(No::Wrong),
            },
            "default" => match arg(0) {
                Ok(V::Null) | Err(No::Absent) => arg(1),
                other => other,
            },
            "if" => {
                if self.holds(&arguments[0], rows)? {
                    arg(1)
                } else {
                    arg(2)
                }
            }
            "abs" => unit_kept(&arg(0)?, |number| number.abs()),
            "amount" => match arg(0)? {
                V::Money(amount, _) => Ok(V::Number(amount)),
                other => Err(refusal(&other)),
            },
            "percent" => match arg(0)? {
                V::Number(number) | V::Percent(number) => Ok(V::Percent(number)),
                other => Err(refusal(&other)),
            },
            "percent_of" => {
                let (rate, amount) = (arg(0)?, arg(1)?);
                let (V::Percent(rate) | V::Number(rate)) = rate else { return Err(refusal(&rate)) };
                if !matches!(amount, V::Number(_) | V::Money(..)) {
                    return Err(refusal(&amount));
                }
                let factor = bounded(rate / BigRational::from_integer(100.into()))?;
                computed('*', &V::Number(factor), &amount)
            }
            "len" => match arg(0)? {
                V::Text(text) => Ok(whole(text.chars().count())),
                V::List(items) => Ok(whole(items.len())),
                other => Err(refusal(&other)),
            },
            "count" => match arg(0)? {
                V::List(items) => Ok(whole(items.len())),
                other => Err(refusal(&other)),
            },
            "lower" | "concat" | "contains" => self.text_call(function, arguments, rows),
            "sum" | "max" | "min" => {
                let values: Result<Vec<V>, No> = (0..arguments.len()).map(arg).collect();
                reduced(function, values?)
            }
            other => panic!("the reference does not know `{other}`"),
        }
    }

    fn text_call(&self, function: &str, arguments: &[E], rows: &Rows) -> Answer {
        let values: Result<Vec<V>, No> = arguments.iter().map(|argument| self.eval(argument, rows)).collect();
        let texts: Result<Vec<String>, No> = values?
            .into_iter()
            .map(|value| match value {
                V::Text(text) => Ok(text),
                other if function == "concat" => written(&other),
                other => Err(refusal(&other)),
            })
            .collect();
        let texts = texts?;
        Ok(match function {
            "lower" => V::Text(texts[0].to_lowercase()),
            "contains" => V::Bool(texts[0].contains(&texts[1])),
            _ => V::Text(texts.concat()),
        })
    }

    fn over_rows(&self, function: &str, list: &E, alias: Option<&str>, body: &E, rows: &Rows) -> Answer {
        let items = match self.eval(list, rows)? {
            V::List(items) => items,
            other => return Err(refusal(&other)),
        };
        let with = |row: &V| {
            let mut inner = rows.clone();
            inner.push((alias.unwrap_or("row").to_owned(), row.clone()));
            inner
        };
        match function {
            "any" => kleene_or(items.iter().map(|row| self.holds(body, &with(row)))).map(V::Bool),
            "all" => {
                let none = kleene_or(items.iter().map(|row| self.holds(body, &with(row)).map(|t| !t)))?;
                Ok(V::Bool(!none))
            }
            "filter" | "count" => {
                let mut kept = Vec::new();
                for row in &items {
                    if self.holds(body, &with(row))? {
                        kept.push(row.clone());
                    }
                }
                Ok(if function == "count" { whole(kept.len()) } else { V::List(kept) })
            }
            "map" => {
                items.iter().map(|row| self.eval(body, &with(row))).collect::<Result<_, _>>().map(V::List)
            }
            "sum" | "max" | "min" => {
                let made: Result<Vec<V>, No> = items.iter().map(|row| self.eval(body, &with(row))).collect();
                reduced(function, vec![V::List(made?)])
            }
            other => panic!("the reference does not know `{other}`"),
        }
    }
}

fn agreed(values: &[V]) -> Answer {
    if values.iter().all(|value| *value == values[0]) { Ok(values[0].clone()) } else { Err(No::Wrong) }
}

/// A text, or anything else a function cannot take: null is an absence, the rest is wrong.
fn refusal(value: &V) -> No {
    if *value == V::Null { No::Absent } else { No::Wrong }
}

/// A value as text, if it can be written exactly.
fn written(value: &V) -> Result<String, No> {
    let exactly = |number: &BigRational, places: usize| {
        let scaled = number * BigRational::from_integer(BigInt::from(10).pow(u32::try_from(places).unwrap()));
        let digits = format!("{:0>width$}", scaled.numer().abs().to_string(), width = places + 1);
        let (whole, fraction) = digits.split_at(digits.len() - places);
        let sign = if number.is_negative() { "-" } else { "" };
        let point = if places > 0 { "." } else { "" };
        scaled.is_integer().then(|| format!("{sign}{whole}{point}{fraction}"))
    };
    let plain = |number: &BigRational| (0..=255).find_map(|places| exactly(number, places)).ok_or(No::Wrong);
    match value {
        V::Text(text) => Ok(text.clone()),
        V::Bool(truth) => Ok(truth.to_string()),
        V::Number(number) => plain(number),
        V::Percent(number) => Ok(format!("{}%", plain(number)?)),
        V::Money(amount, code) => {
            let places = if *code == "JPY" { 0 } else { 2 };
            Ok(format!("{} {code}", exactly(amount, places).ok_or(No::Wrong)?))
        }
        V::Date(year, month, day) => Ok(format!("{year:04}-{month:02}-{day:02}")),
        V::Null | V::List(_) | V::Record(_) => Err(refusal(value)),
    }
}

fn whole(number: usize) -> V {
    V::Number(BigRational::from_integer(number.into()))
}

fn walk(value: &V, path: &str) -> Option<V> {
    if path.is_empty() {
        return Some(value.clone());
    }
    let (field, rest) = path.split_once('.').unwrap_or((path, ""));
    match value {
        V::Record(fields) => walk(fields.get(field)?, rest),
        V::List(items) => items.iter().map(|item| walk(item, path)).collect::<Option<_>>().map(V::List),
        V::Money(amount, _) if field == "amount" => walk(&V::Number(amount.clone()), rest),
        V::Money(_, code) if field == "currency" => walk(&V::Text((*code).to_owned()), rest),
        _ => None,
    }
}

/// True if any part is; else unknown if any part is unknown, with the first reason; else false.
fn kleene_or(parts: impl Iterator<Item = Result<bool, No>>) -> Result<bool, No> {
    let parts: Vec<Result<bool, No>> = parts.collect();
    if parts.contains(&Ok(true)) {
        return Ok(true);
    }
    match parts.into_iter().find(Result::is_err) {
        Some(no) => no,
        None => Ok(false),
    }
}

fn reduced(function: &str, values: Vec<V>) -> Answer {
    let items = match values.as_slice() {
        [V::List(items)] => items.clone(),
        _ if function == "sum" => return Err(refusal(&values[0])),
        _ => values,
    };
    let mut items = items.into_iter();
    let mut best = items.next().ok_or(No::Absent)?;
    if function == "sum" {
        best = unit_kept(&best, BigRational::clone)?;
        for item in items {
            best = computed('+', &best, &item)?;
        }
        return Ok(best);
    }
    let sign = if function == "max" { ">" } else { "<" };
    let items: Vec<V> = items.collect();
    for item in std::iter::once(&best).chain(&items) {
        if !matches!(item, V::Number(_) | V::Percent(_) | V::Money(..) | V::Date(..)) {
            return Err(refusal(item));
        }
    }
    for item in items {
        if compared(sign, &item, &best)? {
            best = item;
        }
    }
    Ok(best)
}

/// Numbers beyond 256 bits are refused.
fn bounded(number: BigRational) -> Result<BigRational, No> {
    let fits = |part: &BigInt| part.bits() <= 256;
    if fits(number.numer()) && fits(number.denom()) { Ok(number) } else { Err(No::Wrong) }
}

fn unit_kept(value: &V, change: impl FnOnce(&BigRational) -> BigRational) -> Answer {
    match value {
        V::Number(number) => Ok(V::Number(change(number))),
        V::Percent(number) => Ok(V::Percent(change(number))),
        V::Money(amount, code) => Ok(V::Money(change(amount), code)),
        other => Err(refusal(other)),
    }
}

fn computed(sign: char, left: &V, right: &V) -> Answer {
    use V::{Money, Null, Number, Percent};
    if *left == Null || *right == Null {
        return Err(No::Absent);
    }
    let apply = |a: &BigRational, b: &BigRational| match sign {
        '+' => bounded(a + b),
        '-' => bounded(a - b),
        '*' => bounded(a * b),
        _ if b.is_zero() => Err(No::Wrong),
        _ => bounded(a / b),
    };
    match (left, sign, right) {
        (Number(a), _, Number(b)) => apply(a, b).map(Number),
        (Percent(a), '+' | '-', Percent(b) | Number(b)) | (Number(a), '+' | '-', Percent(b)) => {
            apply(a, b).map(Percent)
        }
        (Number(a), '*', Percent(b)) | (Percent(a), '*', Number(b)) => apply(a, b).map(Percent),
        (Percent(a), '/', Number(b) | Percent(b)) => apply(a, b).map(Number),
        (Money(a, x), '+' | '-', Money(b, y)) if x == y => Ok(Money(apply(a, b)?, x)),
        (Money(a, x), '/', Money(b, y)) if x == y => apply(a, b).map(Number),
        (Money(a, x), '*' | '/', Number(b)) => Ok(Money(apply(a, b)?, x)),
        (Number(a), '*', Money(b, x)) => Ok(Money(apply(a, b)?, x)),
        _ => Err(No::Wrong),
    }
}

fn compared(sign: &str, left: &V, right: &V) -> Result<bool, No> {
    use V::{Bool, Date, Money, Null, Number, Percent, Text};
    if *left == Null || *right == Null {
        return Err(No::Absent);
    }
    let strict = sign.len() == 3;
    let number = |text: &String| plain_decimal(text).ok_or(No::Wrong);
    let date = |text: &String| calendar_day(text).ok_or(No::Wrong);
    let order = match (left, right) {
        (Number(a), Number(b)) | (Percent(a), Percent(b)) => a.cmp(b),
        (Money(a, x), Money(b, y)) if x == y => a.cmp(b),
        (Date(a, b, c), Date(d, e, f)) => (a, b, c).cmp(&(d, e, f)),
        (Bool(a), Bool(b)) => return equality(sign, a == b),
        (Text(a), Text(b)) => return equality(sign, a == b),
        _ if strict => return Err(No::Wrong),
        (Number(a), Percent(b)) | (Percent(a), Number(b)) => a.cmp(b),
        (Number(a), Text(b)) => a.cmp(&number(b)?),
        (Text(a), Number(b)) => number(a)?.cmp(b),
        (Date(a, b, c), Text(text)) => (*a, *b, *c).cmp(&date(text)?),
        (Text(text), Date(a, b, c)) => date(text)?.cmp(&(*a, *b, *c)),
        _ => return Err(No::Wrong),
    };
    Ok(match sign {
        "<" => order == Ordering::Less,
        "<=" => order != Ordering::Greater,
        ">" => order == Ordering::Greater,
        ">=" => order != Ordering::Less,
        "==" | "===" => order == Ordering::Equal,
        _ => order != Ordering::Equal,
    })
}

fn equality(sign: &str, equal: bool) -> Result<bool, No> {
    match sign {
        "==" | "===" => Ok(equal),
        "!=" | "!==" => Ok(!equal),
        _ => Err(No::Wrong),
    }
}

/// `-?digits[.digits]`.
pub(crate) fn plain_decimal(text: &str) -> Option<BigRational> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |digits| (true, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    if !plain(whole) || !plain(fraction) {
        return None;
    }
    let numerator: BigInt = format!("{whole}{fraction}").parse().ok()?;
    let places = u32::try_from(fraction.len()).ok()?;
    let number = BigRational::new(numerator, BigInt::from(10).pow(places));
    Some(if negative { -number } else { number })
}

fn calendar_day(text: &str) -> Option<(i64, i64, i64)> {
    let parts: Vec<&str> = text.split('-').collect();
    let [year, month, day] = parts.as_slice() else { return None };
    if (year.len(), month.len(), day.len()) != (4, 2, 2) {
        return None;
    }
    let (year, month, day): (i64, i64, i64) = (year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = match month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return None,
    };
    (1..=length).contains(&day).then_some((year, month, day))
}

fn rounded(number: &BigRational, places: u8, mode: &str) -> BigRational {
    let scale = BigRational::from_integer(BigInt::from(10).pow(u32::from(places)));
    let scaled = number * &scale;
    let size = scaled.abs();
    let (below, half) = (size.floor(), BigRational::new(1.into(), 2.into()));
    let rest = &size - &below;
    let up = match mode {
        "half_even" => rest > half || (rest == half && (below.to_integer() % 2) == One::one()),
        "half_up" => rest >= half,
        "half_down" => rest > half,
        "up" => !rest.is_zero(),
        "down" => false,
        "ceiling" => !rest.is_zero() && !scaled.is_negative(),
        "floor" => !rest.is_zero() && scaled.is_negative(),
        other => panic!("no mode `{other}`"),
    };
    let size = if up { below + BigRational::one() } else { below };
    (if scaled.is_negative() { -size } else { size }) / scale
}

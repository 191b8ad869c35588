//! Figures that a task determines before anything is read: variance, minutes of downtime, proration, credit.
//!
//! Only where the text gives every part once; what it leaves open is not computed.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::ToSpan;
use purple_finance::catalogue::{self, Answer, Parameter};
use purple_finance::{Exact, Figure as Value, Money, Rate, Rounding};
use purple_intent::value::Unit;
use purple_process::file::Setting;
use regex::Regex;

use super::figures::{Figure, Reading};
use super::pattern::pattern;
use super::reader::Reader;
use super::wording::says;

/// The minutes of a day.
const DAY_MINUTES: i64 = 24 * 60;

/// A figure that the task determines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Precomputed {
    /// Its name: `variance_percent`.
    pub(crate) name: &'static str,
    /// Its value.
    pub(crate) value: String,
    /// How it was computed.
    pub(crate) because: String,
}

/// What the task determines, in a fixed order.
pub(crate) fn precompute(text: &str, setting: &Setting) -> Vec<Precomputed> {
    let Some(reader) = Reader::of(text, setting) else { return Vec::new() };
    let task = Task { reader, setting };
    let parts = [task.variance(), task.downtime(), task.proration(), task.credit()];
    parts.into_iter().flatten().flatten().collect()
}

struct Task<'s> {
    reader: Reader,
    setting: &'s Setting,
}

type Arguments = BTreeMap<String, Value>;

impl Task<'_> {
    fn variance(&self) -> Option<Vec<Precomputed>> {
        let mut given = self.told("apply_variance_check", &["invoiced", "po"])?;
        // The threshold is the policy's to know; the variance does not depend on it.
        given.insert("threshold_pct".to_owned(), Value::Percent(Rate::percent(&Exact::ZERO).ok()?));
        let answer = catalogue::call("apply_variance_check", &given).ok()?;
        let exactly = answer.value("exact_percent")?.to_string();
        let mut percent = taken(&answer, "variance_percent", "variance_percent", "variance percent")?;
        if exactly != percent.value {
            percent.because.push_str(&format!(", exactly {exactly}"));
        }
        Some(vec![taken(&answer, "variance", "variance", "variance")?, percent])
    }

    fn downtime(&self) -> Option<Vec<Precomputed>> {
        let answer = self.downtime_answer()?;
        [
            ("sla_allowed_minutes", "allowed", "allowed minutes"),
            ("sla_actual_minutes", "actual", "actual minutes"),
            ("sla_excess_minutes", "excess", "excess minutes"),
        ]
        .into_iter()
        .map(|(name, value, line)| taken(&answer, name, value, line))
        .collect()
    }

    fn downtime_answer(&self) -> Option<Answer> {
        let mut given = self.told("sla_downtime", &["target_pct", "measured_pct"])?;
        let minutes = self.period_days()?.checked_mul(DAY_MINUTES)?;
        given.insert("total_minutes".to_owned(), Value::Number(Exact::from(minutes)));
        catalogue::call("sla_downtime", &given).ok()
    }

    fn proration(&self) -> Option<Vec<Precomputed>> {
        if !PRORATES.is_match(&self.reader.lower) {
            return None;
        }
        let total = self.only_money()?;
        let days =
            self.told("prorated_amount", &["days_used", "total_days"]).or_else(|| self.days_of_a_month())?;
        let (used, whole) = (days.get("days_used")?.clone(), days.get("total_days")?.clone());
        let mut given = days;
        given.insert("total".to_owned(), Value::Money(total));
        let answer = catalogue::call("prorated_amount", &given).ok()?;
        let remaining = answer.value("remaining")?.as_money()?;
        let elapsed = total.minus(&remaining).ok()?;
        Some(vec![
            Precomputed {
                name: "prorated_used",
                value: elapsed.to_string(),
                because: format!("{used} of {whole}: {total} − {remaining} = {elapsed}"),
            },
            taken(&answer, "prorated_remaining", "remaining", "remaining value")?,
        ])
    }

    /// One number of days, and the month it is a part of.
    fn days_of_a_month(&self) -> Option<Arguments> {
        let mut days = self.days();
        let (Some(used), None) = (days.next(), days.next()) else { return None };
        let whole = self.month_days()?;
        Some(BTreeMap::from([
            ("days_used".to_owned(), Value::Days(used)),
            ("total_days".to_owned(), Value::Days(whole)),
        ]))
    }

    fn credit(&self) -> Option<Vec<Precomputed>> {
        if !says(&self.reader.lower, "credit") {
            return None;
        }
        let amount = self.only_money()?;
        let percents: Vec<&Rate> = self.reader.figures.iter().filter_map(percent).collect();
        if let [rate] = percents.as_slice() {
            let credit = rate.of(&amount, Rounding::HalfEven).ok()?;
            let because = format!("{amount} × {rate} = {credit}");
            return Some(vec![Precomputed { name: "credit", value: credit.to_string(), because }]);
        }
        self.credit_for_downtime(amount)
    }

    fn credit_for_downtime(&self, fee: Money) -> Option<Vec<Precomputed>> {
        let downtime = self.downtime_answer()?;
        let mut given = self.told("sla_penalty", &["multiplier"])?;
        let minutes = self.period_days()?.checked_mul(DAY_MINUTES)?;
        given.insert("excess_minutes".to_owned(), downtime.value("excess")?.clone());
        given.insert("total_minutes".to_owned(), Value::Number(Exact::from(minutes)));
        given.insert("monthly_fee".to_owned(), Value::Money(fee));
        let answer = catalogue::call("sla_penalty", &given).ok()?;
        Some(vec![taken(&answer, "credit", "penalty", "penalty")?])
    }

    /// The arguments of these names, if the words of the text tell each of them and no figure of their kind is left.
    fn told(&self, function: &str, names: &[&str]) -> Option<Arguments> {
        if self.reader.has_unclear_amount() {
            return None;
        }
        let function = catalogue::find(function).ok()?;
        let wanted: Vec<&'static Parameter> =
            function.parameters.iter().filter(|parameter| names.contains(&parameter.name)).collect();
        let fits = |at: usize| wanted.iter().any(|parameter| self.reader.value(at, parameter).is_some());
        let fitting = (0..self.reader.figures.len()).filter(|at| fits(*at) && !self.is_period(*at)).count();
        let taken: Vec<bool> = (0..self.reader.figures.len()).map(|at| self.is_period(at)).collect();
        let mut told = self.reader.by_words(&wanted, &taken)?;
        if let Some(last) = self.last_one(&wanted, &told, &taken) {
            told.push(last);
        }
        let complete = told.len() == wanted.len() && fitting == wanted.len();
        let argument = |(at, parameter): &(usize, &'static Parameter)| {
            Some((parameter.name.to_owned(), self.reader.value(*at, parameter)?))
        };
        if complete { told.iter().map(argument).collect() } else { None }
    }

    /// One figure and one parameter that are left over belong together, where the others were told by words.
    fn last_one(
        &self,
        wanted: &[&'static Parameter],
        told: &[(usize, &'static Parameter)],
        taken: &[bool],
    ) -> Option<(usize, &'static Parameter)> {
        let mut open = wanted.iter().filter(|one| !told.iter().any(|(_, other)| other.name == one.name));
        let (Some(parameter), None, false) = (open.next(), open.next(), told.is_empty()) else { return None };
        let free = |at: &usize| taken.get(*at) == Some(&false) && !told.iter().any(|(other, _)| other == at);
        let mut figures = (0..self.reader.figures.len())
            .filter(free)
            .filter(|at| self.reader.value(*at, parameter).is_some());
        match (figures.next(), figures.next()) {
            (Some(figure), None) => Some((figure, *parameter)),
            _ => None,
        }
    }

    /// "a month of 30 days", "30-day month": the length of the period, and nothing else.
    fn is_period(&self, at: usize) -> bool {
        let Some(figure) = self.reader.figures.get(at) else { return false };
        let lower = &self.reader.lower;
        let (before, after) = (lower.get(..figure.range.start), lower.get(figure.range.end..));
        let is_days = matches!(figure.reading, Reading::Count(_, Some(Unit::Day)));
        is_days
            && (before.is_some_and(|before| BEFORE_PERIOD.is_match(before))
                || after.is_some_and(|after| after.trim_start().starts_with("month")))
    }

    /// The days of the period that downtime is measured in.
    fn period_days(&self) -> Option<i64> {
        let mut stated = (0..self.reader.figures.len()).filter(|at| self.is_period(*at));
        match (stated.next(), stated.next()) {
            (Some(at), None) => days_of(self.reader.figures.get(at)?),
            (Some(_), Some(_)) => None,
            (None, _) => self.named_month_days().or_else(|| {
                let mut days = self.days();
                match (days.next(), days.next()) {
                    (Some(only), None) => Some(only),
                    _ => None,
                }
            }),
        }
    }

    /// The days of the month that a proration is about: stated or named.
    fn month_days(&self) -> Option<i64> {
        let stated = (0..self.reader.figures.len()).find(|at| self.is_period(*at));
        match stated {
            Some(at) => days_of(self.reader.figures.get(at)?),
            None => self.named_month_days(),
        }
    }

    /// The length of "last month" or "this month"; `None` where the text says both or neither.
    fn named_month_days(&self) -> Option<i64> {
        let says = |words: [&str; 2]| words.iter().any(|word| says(&self.reader.lower, word));
        let first = self.setting.today.first_of_month();
        let month = match (says(["last month", "previous month"]), says(["this month", "current month"])) {
            (true, false) => first.checked_sub(1.month()).ok()?,
            (false, true) => first,
            (true, true) | (false, false) => return None,
        };
        Some(i64::from(month.days_in_month()))
    }

    /// The numbers of days that are not the length of the period.
    fn days(&self) -> impl Iterator<Item = i64> + '_ {
        (0..self.reader.figures.len())
            .filter(|at| !self.is_period(*at))
            .filter_map(|at| self.reader.figures.get(at))
            .filter_map(days_of)
    }

    fn only_money(&self) -> Option<Money> {
        let mut amounts = self.reader.figures.iter().filter_map(|figure| match &figure.reading {
            Reading::Money(money) => Some(*money),
            Reading::Price(..)
            | Reading::Percent(_)
            | Reading::Count(..)
            | Reading::BareAmount(_)
            | Reading::Date(_)
            | Reading::Relative(_)
            | Reading::OtherTime
            | Reading::Id
            | Reading::Unclear => None,
        });
        let unclear = self.reader.figures.iter().any(|figure| figure.reading == Reading::Unclear);
        match (amounts.next(), amounts.next()) {
            (Some(only), None) if !unclear => Some(only),
            _ => None,
        }
    }
}

static PRORATES: LazyLock<Regex> = LazyLock::new(|| pattern(r"\bpro-?(?:rat|\srat)"));
static BEFORE_PERIOD: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b(?:month|period) (?:of|with|has) (?:the )?$"));

fn percent(figure: &Figure) -> Option<&Rate> {
    if let Reading::Percent(rate) = &figure.reading { Some(rate) } else { None }
}

fn days_of(figure: &Figure) -> Option<i64> {
    match &figure.reading {
        Reading::Count(days, Some(Unit::Day)) => days.to_i128().and_then(|days| i64::try_from(days).ok()),
        Reading::Count(..)
        | Reading::Money(_)
        | Reading::Price(..)
        | Reading::Percent(_)
        | Reading::BareAmount(_)
        | Reading::Date(_)
        | Reading::Relative(_)
        | Reading::OtherTime
        | Reading::Id
        | Reading::Unclear => None,
    }
}

/// A value of the answer, with the line that computed it.
fn taken(answer: &Answer, name: &'static str, value: &str, label: &str) -> Option<Precomputed> {
    let line = answer.lines.iter().find(|line| line.label == label)?;
    let value = answer.value(value)?.to_string();
    Some(Precomputed { name, because: format!("{} = {}", line.expression, line.result), value })
}

#[cfg(test)]
#[path = "precompute_tests.rs"]
mod tests;

//! Finds rules that can never be the first to match.

use std::sync::LazyLock;

use purple_policy::Exact;
use regex::Regex;

use super::model::{Rule, Task};
use super::problem::{Mark, ProblemCode, Problems};
use super::raw::RawRule;

/// Refuses rules after one that always matches, repeated conditions, and bounds that earlier rules cover.
pub(crate) fn check(task: &Task, raw: &[RawRule], problems: &mut Problems) {
    let bounds: Vec<Option<Bound>> = task.rules.iter().map(Bound::of).collect();
    for (place, (rule, raw_rule)) in task.rules.iter().zip(raw).enumerate() {
        let earlier = task.rules.get(..place).unwrap_or_default();
        let why = matched_before(rule, earlier).or_else(|| {
            let bound = bounds.get(place)?.as_ref()?;
            covered_before(bound, earlier.iter().zip(&bounds))
        });
        if let Some(why) = why {
            problems.add(
                at(raw_rule),
                ProblemCode::UnreachableRule,
                format!("`{}` can never be the first rule that matches: {why}", rule.id),
                "the first match decides: move the narrower rule up, or leave this one out",
            );
        }
    }
}

fn at(raw: &RawRule) -> Mark {
    raw.r#if.as_ref().map_or(raw.at, |text| text.at)
}

/// An earlier rule that always matches, or matches whenever this one does.
fn matched_before(rule: &Rule, earlier: &[Rule]) -> Option<String> {
    if let Some(always) = earlier.iter().find(|earlier| earlier.condition.is_none()) {
        return Some(format!("`{}` always matches", always.id));
    }
    let condition = rule.condition.as_ref()?;
    let same = earlier.iter().find(|earlier| earlier.condition.as_ref() == Some(condition))?;
    Some(format!("`{}` has the same condition", same.id))
}

/// Earlier rules with bounds on the same name that together leave nothing over.
fn covered_before<'r>(
    bound: &Bound,
    earlier: impl Iterator<Item = (&'r Rule, &'r Option<Bound>)>,
) -> Option<String> {
    let comparable: Vec<(&Rule, &Bound)> = earlier
        .filter_map(|(earlier, other)| Some((earlier, other.as_ref()?)))
        .filter(|(_, other)| other.path == bound.path && other.unit == bound.unit)
        .collect();
    if comparable.is_empty() || !covers(comparable.iter().map(|(_, other)| *other), bound)? {
        return None;
    }
    let ids: Vec<String> = comparable.iter().map(|(earlier, _)| format!("`{}`", earlier.id)).collect();
    let verb = if ids.len() == 1 { "covers" } else { "cover" };
    Some(format!("{} {verb} all its values", ids.join(" and ")))
}

/// A condition of the form `name > 5000 USD`.
#[derive(Debug)]
struct Bound {
    path: String,
    sign: String,
    limit: Exact,
    unit: String,
}

static SIMPLE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"^(?P<path>[A-Za-z_][A-Za-z0-9_.]*) (?P<sign><=|>=|<|>|==) (?P<limit>-?[0-9]+(?:\.[0-9]+)?)(?: ?(?P<unit>%|[A-Z]{3}))?$").ok()
});

impl Bound {
    fn of(rule: &Rule) -> Option<Self> {
        // The canonical text has single spaces and no needless brackets.
        let text = rule.condition.as_ref()?.expression().to_string();
        let found = SIMPLE.as_ref()?.captures(&text)?;
        Some(Self {
            path: found["path"].to_owned(),
            sign: found["sign"].to_owned(),
            limit: Exact::parse(&found["limit"]).ok()?,
            unit: found.name("unit").map(|unit| unit.as_str().to_owned()).unwrap_or_default(),
        })
    }

    fn holds(&self, value: &Exact) -> bool {
        match self.sign.as_str() {
            "<" => *value < self.limit,
            "<=" => *value <= self.limit,
            ">" => *value > self.limit,
            ">=" => *value >= self.limit,
            _ => *value == self.limit,
        }
    }
}

/// Whether every value that `bound` admits is admitted by one of the others.
///
/// Between two neighbouring limits nothing changes, so the limits, their midpoints and the two outsides are enough.
fn covers<'b>(others: impl Iterator<Item = &'b Bound> + Clone, bound: &Bound) -> Option<bool> {
    let mut limits: Vec<Exact> = others.clone().map(|other| other.limit.clone()).collect();
    limits.push(bound.limit.clone());
    limits.sort();
    let two = Exact::from(2);
    let mut samples = limits.clone();
    samples.push(limits.first()?.minus(&two).ok()?);
    samples.push(limits.last()?.plus(&two).ok()?);
    for pair in limits.windows(2) {
        if let [low, high] = pair {
            samples.push(low.plus(high).ok()?.over(&two).ok()?);
        }
    }
    Some(
        samples
            .iter()
            .filter(|value| bound.holds(value))
            .all(|value| others.clone().any(|other| other.holds(value))),
    )
}

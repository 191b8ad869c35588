//! The figures that came out of a round, and what they are called: what values that were computed beforehand are held
//! against.

use std::collections::{BTreeMap, BTreeSet};

use purple_process::{Argument, Ending, OperationKey, Outcome};
use serde_json::Value;

use crate::audit::agree;
use crate::dossier::Opened;
use crate::execute::close::Left;
use crate::execute::rule::to_serde;
use crate::run::{Phase, Run};
use crate::view::Mutation;

/// How deep figures are looked for in what was read back and computed.
const LEVELS_MAX: u8 = 4;
/// The most figures of one round.
const FIGURES_MAX: usize = 1_000;

/// How a figure came out. The first counts before the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Means {
    /// It was read back after a write.
    ReadBack,
    /// It went into an operation that was read back as it should be.
    Operation,
    /// A function or an expression gave it.
    Computed,
    /// The file of the process gave it, from what was read.
    File,
}

/// A figure that came out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CameOut {
    /// Its name: `credit`, or what an argument is called.
    pub name: String,
    /// The tool whose argument or field it is.
    pub tool: Option<String>,
    /// The figure as it is written.
    pub value: String,
    pub means: Means,
}

impl Run<'_> {
    /// The figures of this round.
    ///
    /// Under a playbook, what the file computed counts where it went into an operation that was verified. Under a model
    /// all of it does, with what it had computed, if it came to a good end: a result without a name is called as the
    /// argument that it became. What was verified counts whatever the end.
    pub(crate) async fn came_out(
        &self,
        left: &Left,
        mutations: &[Mutation],
        opened: &Opened,
    ) -> Phase<Vec<CameOut>> {
        let ended: BTreeMap<OperationKey, Outcome> =
            mutations.iter().map(|mutation| (mutation.key, mutation.outcome)).collect();
        let mut came = Vec::new();
        for mutation in mutations.iter().filter(|mutation| mutation.outcome == Outcome::Verified) {
            collect(("", Some(mutation.tool.as_str())), &mutation.after, Means::ReadBack, &mut came);
        }
        let mut unseen = Vec::new();
        for hash in &left.trail.permitted {
            for (operation, key) in self.plan(*hash).await?.keyed() {
                let into = match ended.get(&key) {
                    Some(Outcome::Verified) => &mut came,
                    Some(Outcome::Unverifiable) => &mut unseen,
                    Some(Outcome::Absent | Outcome::Mismatch | Outcome::InDoubt) | None => continue,
                };
                for (name, argument) in &operation.arguments {
                    let Argument::Value(value) = argument else { continue };
                    let named = (name.as_str(), Some(operation.tool.as_str()));
                    collect(named, &to_serde(value), Means::Operation, into);
                }
            }
        }
        // Of a round that was blocked, declined or given up nobody took what was computed.
        let is_done = self.session.walk.ending() == Some(Ending::Done);
        let driven = opened.dossier.driven.as_ref().filter(|_| is_done);
        for one in driven.into_iter().flat_map(|driven| &driven.computed) {
            collect((&one.name, None), &one.value, Means::Computed, &mut came);
            // What nobody reads back is believed as far as it was computed.
            let used = unseen.iter().filter(|used| is_value(&one.value, &used.value)).cloned();
            came.extend(used.map(|used| CameOut { means: Means::Computed, ..used }));
        }
        let is_used = |value: &str| {
            let mut used = came.iter().filter(|one| one.means == Means::Operation);
            used.any(|one| agree(value, &one.value) == Some(true))
        };
        let means = if driven.is_some() { Means::File } else { Means::Operation };
        let of_file: Vec<CameOut> = left
            .figures
            .iter()
            .filter(|(_, value)| driven.is_some() || is_used(value))
            .map(|(name, value)| CameOut { name: name.clone(), tool: None, value: value.clone(), means })
            .collect();
        came.extend(of_file);
        Ok(came)
    }
}

fn is_value(value: &Value, written: &str) -> bool {
    match value {
        Value::String(text) => agree(text, written) == Some(true),
        Value::Number(number) => agree(&number.to_string(), written) == Some(true),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

/// The figures inside a value, each with the name of its field.
fn collect((name, tool): (&str, Option<&str>), value: &Value, means: Means, into: &mut Vec<CameOut>) {
    let mut open = vec![(name.to_owned(), value, 0_u8)];
    while let Some((name, value, level)) = open.pop()
        && into.len() < FIGURES_MAX
    {
        let written = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Object(fields) if level < LEVELS_MAX => {
                open.extend(fields.iter().rev().map(|(field, value)| (field.clone(), value, level + 1)));
                continue;
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => continue,
        };
        into.push(CameOut { name, tool: tool.map(str::to_owned), value: written, means });
    }
}

/// Words that say nothing about what a figure is.
const GENERAL: &[&str] =
    &["amount", "value", "figure", "total", "result", "sla", "minutes", "exact", "usd", "eur"];

/// What the shipped functions call a figure, and what it is called beforehand.
const ALSO_CALLED: &[(&str, &str)] =
    &[("credit", "penalty"), ("prorated_remaining", "remaining"), ("prorated_used", "used")];

impl CameOut {
    /// Whether this is the figure of that name: `credit_amount` is the credit, and so is the `amount` of a tool that
    /// credits.
    pub(crate) fn is_called(&self, figure: &str) -> bool {
        let (wanted, called) = (telling(figure), telling(&self.name));
        if called.is_empty() {
            let tool = self.tool.as_deref().map(telling).unwrap_or_default();
            return !wanted.is_empty() && wanted.is_subset(&tool);
        }
        called == wanted || ALSO_CALLED.iter().any(|(one, other)| *one == figure && *other == self.name)
    }
}

/// The words of a name that tell what it is, cut at signs and at capitals.
fn telling(name: &str) -> BTreeSet<String> {
    let mut cut = String::new();
    for sign in name.chars() {
        if sign.is_uppercase() && cut.ends_with(char::is_lowercase) {
            cut.push('_');
        }
        cut.extend(sign.to_lowercase());
    }
    let words = cut.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty());
    let words = words.map(|word| if matches!(word, "pct" | "percentage") { "percent" } else { word });
    words.filter(|word| !GENERAL.contains(word)).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn called(name: &str, tool: Option<&str>) -> CameOut {
        let tool = tool.map(str::to_owned);
        CameOut { name: name.to_owned(), tool, value: "1".to_owned(), means: Means::ReadBack }
    }

    #[test]
    fn a_figure_is_known_by_the_words_that_tell_what_it_is() {
        let same = [
            ("variance_percent", "variance_pct", None),
            ("variance", "total_variance", None),
            ("credit", "creditAmount", None),
            ("credit", "credit_amount", None),
            ("credit", "amount", Some("apply_account_credit")),
            ("credit", "penalty", None),
            ("sla_excess_minutes", "excess", None),
            ("prorated_remaining", "remaining", None),
        ];
        for (figure, name, tool) in same {
            assert!(called(name, tool).is_called(figure), "{figure}: {name}");
        }
        let other = [
            ("variance", "variance_percent", None),
            ("variance_percent", "variance", None),
            ("credit", "credit_limit", None),
            ("credit", "amount", Some("pay_invoice")),
            ("credit", "amount", None),
            ("credit", "c1", None),
            ("variance_percent", "amount", Some("record_variance")),
        ];
        for (figure, name, tool) in other {
            assert!(!called(name, tool).is_called(figure), "{figure}: {name}");
        }
    }

    #[test]
    fn figures_are_collected_by_the_names_of_their_fields_within_limits() {
        let mut came = Vec::new();
        let value = json!({"values": {"variance": "5.00 USD", "rows": [1, 2], "ok": true}, "n": 7});
        collect(("c1", None), &value, Means::Computed, &mut came);
        let found: Vec<(&str, &str)> =
            came.iter().map(|one| (one.name.as_str(), one.value.as_str())).collect();
        assert_eq!(found, [("n", "7"), ("variance", "5.00 USD")]);
        let mut deep = json!(5);
        for _ in 0..200 {
            deep = json!({ "in": deep });
        }
        came.clear();
        collect(("c1", None), &deep, Means::Computed, &mut came);
        assert_eq!(came, []);
        let wide: Value =
            (0..5_000).map(|at| (at.to_string(), json!(at))).collect::<serde_json::Map<_, _>>().into();
        collect(("c1", None), &wide, Means::Computed, &mut came);
        assert_eq!(came.len(), FIGURES_MAX);
    }
}

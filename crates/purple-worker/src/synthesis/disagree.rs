//! A function whose figure is not the one that was verified in the end is not used again.

use std::collections::BTreeMap;
use std::sync::Arc;

use purple_process::Outcome;
use serde_json::{Value, json};

use crate::port::{DefinitionKind, Recorded, Redefinition};
use crate::prime::wording::says;
use crate::run::{Phase, Run};
use crate::synthesis::origin::{equal, figure};
use crate::view::Mutation;

/// The journal's word for a call of a function that was made.
pub(crate) const FUNCTION_CALLED: &str = "function.called";

/// What a function computed in a round.
struct Claimed {
    function: String,
    value: Value,
}

impl Run<'_> {
    /// Holds what functions computed in this round against what was verified in it.
    pub(crate) async fn question_functions(&self, mutations: &[Mutation]) -> Phase<()> {
        let Some(workshop) = &self.ports.workshop else { return Ok(()) };
        let journal = self.scribe.turn.journal(0).await?;
        let verified: Vec<&Value> = mutations
            .iter()
            .filter(|mutation| mutation.outcome == Outcome::Verified)
            .flat_map(|mutation| confirmed(mutation, &journal))
            .collect();
        // Nothing that could agree or disagree.
        if verified.is_empty() {
            return Ok(());
        }
        for (function, claims) in self.claimed(&journal) {
            if !contradicted(&claims, &verified) {
                continue;
            }
            let defined = self.holdings.definitions.iter().find(|one| {
                one.kind == DefinitionKind::Tool && one.name == function && one.quarantined.is_none()
            });
            // One that was made in this very turn is not among them; the next verified outcome judges it.
            let Some(defined) = defined else { continue };
            let told = |values: Vec<String>| values.join(", ");
            let why = format!(
                "in run {} it computed {}, and what was verified is {}",
                self.id(),
                told(claims.iter().map(|claim| claim.value.to_string()).collect()),
                told(verified.iter().map(ToString::to_string).collect())
            );
            let (kind, digest) = (DefinitionKind::Tool, defined.digest());
            let change = Redefinition::Quarantine { kind, name: function.clone(), digest, why: why.clone() };
            workshop.definitions.redefine(change).await?;
            self.scribe.note("function.quarantined", json!({"function": function, "why": why}))?;
        }
        Ok(())
    }

    /// The money that functions computed in this round and that nothing else was computed from.
    fn claimed(&self, journal: &[Arc<Recorded>]) -> BTreeMap<String, Vec<Claimed>> {
        let round = self.session.round();
        let mut claims: BTreeMap<String, Vec<Claimed>> = BTreeMap::new();
        let computed = || journal.iter().filter(|one| one.entry.kind == "model.computed");
        for one in journal.iter().filter(|one| one.entry.kind == FUNCTION_CALLED) {
            let data = &one.entry.data;
            let text = |name: &str| data.get(name).and_then(Value::as_str);
            let (Some(function), Some(value)) = (text("function"), data.get("value")) else { continue };
            let same_round = data.get("round").and_then(Value::as_u64) == Some(u64::from(round));
            let rests_on = |name: &str| {
                computed().any(|later| {
                    let given = later.entry.data.get("arguments").map(ToString::to_string);
                    later.seq > one.seq && given.is_some_and(|given| says(&given, name))
                })
            };
            if same_round && is_money(value) && !text("name").is_some_and(rests_on) {
                let claim = Claimed { function: function.to_owned(), value: value.clone() };
                claims.entry(claim.function.clone()).or_default().push(claim);
            }
        }
        claims
    }
}

/// The money that an operation was given and that was read back as given. What else was read back with it, such as the
/// balance of an account, is no figure that a function was asked for.
fn confirmed<'m>(mutation: &'m Mutation, journal: &[Arc<Recorded>]) -> Vec<&'m Value> {
    let key = json!(mutation.key);
    let given: Vec<&Value> = journal
        .iter()
        .filter(|one| one.entry.kind == "write.intent" && one.entry.data.get("key") == Some(&key))
        .filter_map(|one| one.entry.data.get("arguments"))
        .flat_map(amounts)
        .collect();
    as_given(&mutation.after, &given)
}

fn as_given<'a>(after: &'a Value, given: &[&Value]) -> Vec<&'a Value> {
    amounts(after).into_iter().filter(|amount| given.iter().any(|one| equal(one, amount))).collect()
}

/// Whether nothing that was verified is what the function computed. Without anything verified nobody knows.
fn contradicted(claims: &[Claimed], verified: &[&Value]) -> bool {
    !verified.is_empty()
        && !claims.iter().any(|claim| verified.iter().any(|found| equal(&claim.value, found)))
}

fn is_money(value: &Value) -> bool {
    figure(value).is_some_and(|(_, currency)| currency.is_some())
}

/// Every amount of money in a value.
fn amounts(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(amounts).collect(),
        Value::Object(fields) => fields.values().flat_map(amounts).collect(),
        other if is_money(other) => vec![other],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claims(values: &[&str]) -> Vec<Claimed> {
        let one = |value: &&str| Claimed { function: "storage_charge".to_owned(), value: json!(value) };
        values.iter().map(one).collect()
    }

    #[test]
    fn a_figure_that_was_not_verified_contradicts_and_one_that_was_does_not() {
        let after =
            json!({"amount": "8500.00 USD", "status": "open", "lines": [{"total": "12.00 USD"}], "count": 3});
        let verified = amounts(&after);
        assert_eq!(verified.len(), 2);
        assert!(contradicted(&claims(&["85.00 USD"]), &verified));
        assert!(!contradicted(&claims(&["85.00 USD", "8500 USD"]), &verified));
        assert!(contradicted(&claims(&["8500.00 EUR"]), &verified), "another currency is another amount");
        assert!(!contradicted(&claims(&["85.00 USD"]), &[]), "nothing was verified");
    }

    #[test]
    fn a_balance_that_is_read_back_too_is_held_against_nothing() {
        let after = json!({"amount": "85.00 USD", "balance": "9915.00 USD"});
        assert_eq!(as_given(&after, &[&json!("85 USD")]), [&json!("85.00 USD")]);
        assert!(as_given(&json!({"balance": "9915.00 USD"}), &[&json!("85 USD")]).is_empty());
    }

    #[test]
    fn only_money_is_held_against_what_was_verified() {
        assert!(is_money(&json!("1.50 USD")));
        assert!(!is_money(&json!("1.50")) && !is_money(&json!(7)) && !is_money(&json!("open")));
    }
}

//! A function whose figure is not the one that was verified in the end is not used again.
//!
//! Money is held against money, a number against a number, a date against a date, each exactly.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::civil::Date;
use purple_journal::record::{model, tool, write};
use purple_journal::{Record, Redacted};
use purple_process::Outcome;
use serde_json::Value;

use crate::dossier::{Dossier, known};
use crate::port::{BlobHash, DefinitionKind, Recorded, Redefinition};
use crate::prime::wording::says;
use crate::reflect::entities::entities;
use crate::run::{Phase, Run};
use crate::synthesis::origin::{equal, figure};
use crate::view::Mutation;

/// What can be held against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    Money,
    Number,
    Date,
}

impl Class {
    const ALL: [Self; 3] = [Self::Money, Self::Number, Self::Date];

    fn of(value: &Value) -> Option<Self> {
        match figure(value) {
            Some((_, Some(_))) => Some(Self::Money),
            Some((_, None)) => Some(Self::Number),
            None => value.as_str()?.parse::<Date>().ok().map(|_| Self::Date),
        }
    }
}

impl Run<'_> {
    /// Holds what functions computed in this round against what was verified in it.
    pub(crate) async fn question_functions(
        &self,
        mutations: &[Mutation],
        case: Option<BlobHash>,
    ) -> Phase<()> {
        let Some(workshop) = &self.ports.workshop else { return Ok(()) };
        let journal = self.scribe.journal().await?;
        let claims = self.claimed(&journal);
        if claims.is_empty() {
            return Ok(());
        }
        let verified: Vec<&Value> = mutations
            .iter()
            .filter(|mutation| mutation.outcome == Outcome::Verified)
            .flat_map(|mutation| confirmed(mutation, &journal))
            .collect();
        // Nothing that could agree or disagree.
        if verified.is_empty() {
            return Ok(());
        }
        let opened = match case {
            Some(case) => Some(self.opened(case).await?),
            None => None,
        };
        let sources = opened.as_ref().map(|opened| sources(&opened.dossier)).unwrap_or_default();
        for (function, claims) in claims {
            let Some(against) = contradicted(&claims, &verified, &sources) else { continue };
            // Asked for now: it may have been made in this very turn.
            let defined = workshop.definitions.definitions().await?.into_iter().find(|one| {
                one.kind == DefinitionKind::Tool && one.name == function && one.quarantined.is_none()
            });
            let Some(defined) = defined else { continue };
            let told =
                |values: &[&Value]| values.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            let claimed: Vec<&Value> = claims.iter().collect();
            let why = format!(
                "in run {} it computed {}, and what was verified is {}",
                self.id(),
                told(&claimed),
                told(&against)
            );
            let (kind, digest) = (DefinitionKind::Tool, defined.digest());
            let change = Redefinition::Quarantine { kind, name: function.clone(), digest, why: why.clone() };
            workshop.definitions.redefine(change).await?;
            let (function, why) = (Redacted::of(&function), Redacted::of(&why));
            self.scribe.note(tool::FunctionQuarantined { function, why })?;
        }
        Ok(())
    }

    /// What functions computed in this round and nothing else was computed from, by function.
    fn claimed(&self, journal: &[Arc<Recorded>]) -> BTreeMap<String, Vec<Value>> {
        let round = self.session.round();
        let mut claims: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for one in journal {
            let Record::Tool(tool::Tool::FunctionCalled(called)) = one.record() else { continue };
            let rests_on = |name: &Redacted| {
                let later = journal.iter().filter(|later| later.seq > one.seq);
                later
                    .filter_map(|later| computed(later))
                    .any(|computed| says(&computed.arguments.value().to_string(), name.as_str()))
            };
            if called.round == round && !called.name.as_ref().is_some_and(rests_on) {
                let figures = leaves(called.value.value()).into_iter().cloned();
                claims.entry(called.function.to_string()).or_default().extend(figures);
            }
        }
        claims.retain(|_, values| !values.is_empty());
        claims
    }
}

/// The record of a value that was computed for a model.
fn computed(one: &Recorded) -> Option<&model::Computed> {
    one.record().get::<model::Computed>()
}

/// What an operation was given and what was read back as given. What else was read back with it, such as the balance of
/// an account, is no figure that a function was asked for.
fn confirmed<'m, 'j>(mutation: &'m Mutation, journal: &'j [Arc<Recorded>]) -> Vec<&'m Value> {
    let arguments = |one: &'j Arc<Recorded>| {
        let intent = one.record().get::<write::Intent>().filter(|intent| intent.key == mutation.key);
        intent.map(|intent| intent.arguments.value())
    };
    let given: Vec<&Value> = journal.iter().filter_map(arguments).flat_map(leaves).collect();
    as_given(&mutation.after, &given)
}

fn as_given<'a>(after: &'a Value, given: &[&Value]) -> Vec<&'a Value> {
    leaves(after).into_iter().filter(|value| given.iter().any(|one| equal(one, value))).collect()
}

/// What was verified in the place of what the function computed; `None` where it was verified itself, or where nothing
/// of its kind was. Without anything verified nobody knows.
///
/// What was read, named or computed otherwise has a source of its own: an invoice that is paid is no fault of the function
/// that gave its late fee.
fn contradicted<'v>(claims: &[Value], verified: &[&'v Value], sources: &[Value]) -> Option<Vec<&'v Value>> {
    Class::ALL.into_iter().find_map(|class| {
        let of_class = |value: &Value| Class::of(value) == Some(class);
        let is_free = |value: &Value| !sources.iter().any(|source| is_source(source, value));
        let own: Vec<&Value> = claims.iter().filter(|claim| of_class(claim)).collect();
        let all: Vec<&'v Value> = verified.iter().copied().filter(|value| of_class(value)).collect();
        let is_verified = own.iter().any(|claim| all.iter().any(|found| equal(claim, found)));
        let against: Vec<&'v Value> = all.into_iter().filter(|value| is_free(value)).collect();
        (!own.is_empty() && !is_verified && !against.is_empty()).then_some(against)
    })
}

/// Whether a value is that of a source. An amount may stand there without its currency, in a field of its own.
fn is_source(source: &Value, value: &Value) -> bool {
    match (figure(source), figure(value)) {
        (Some((source, None)), Some((value, Some(_)))) => source == value,
        _ => equal(source, value),
    }
}

/// The figures and dates that a case has from elsewhere: what was read, what the task says, what else was computed.
fn sources(dossier: &Dossier) -> Vec<Value> {
    let read = dossier.reads.iter().filter_map(|read| read.answers.as_ref().ok()).flatten();
    let found = dossier.driven.iter().flat_map(|driven| &driven.reads).map(|found| found.answer.for_work());
    let computed = dossier.driven.iter().flat_map(|driven| &driven.computed).map(|computed| &computed.value);
    let mut sources: Vec<Value> = read.chain(found).chain(computed).flat_map(leaves).cloned().collect();
    let inputs = known(&dossier.inputs).unwrap_or_default();
    let inputs: Vec<Value> = inputs.values().map(purple_policy::Value::to_json).collect();
    sources.extend(inputs.iter().flat_map(leaves).cloned());
    let words = dossier.text.split(|sign: char| sign.is_whitespace() || ",;:()#".contains(sign));
    let words = words.map(|word| Value::from(word.trim_end_matches(['.', '!', '?', '%'])));
    sources.extend(words.filter(|word| Class::of(word).is_some()));
    let named = entities(&dossier.text).into_iter().filter(|entity| entity.kind == "amount");
    sources.extend(named.map(|amount| Value::from(amount.name.replace(',', ""))));
    sources
}

/// Every figure and date in a value.
fn leaves(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        Value::Object(fields) => fields.values().flat_map(leaves).collect(),
        other if Class::of(other).is_some() => vec![other],
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn against(claims: &[Value], verified: &[Value], sources: &[Value]) -> Option<Vec<Value>> {
        let verified: Vec<&Value> = verified.iter().collect();
        let found = contradicted(claims, &verified, sources)?;
        Some(found.into_iter().cloned().collect())
    }

    #[test]
    fn money_that_was_not_verified_contradicts_and_money_that_was_does_not() {
        let after =
            json!({"amount": "8500.00 USD", "status": "open", "lines": [{"total": "12.00 USD"}], "count": 3});
        let verified: Vec<Value> = leaves(&after).into_iter().cloned().collect();
        assert_eq!(verified.len(), 3);
        let money = [json!("8500.00 USD"), json!("12.00 USD")];
        assert_eq!(against(&[json!("85.00 USD")], &verified, &[]), Some(money.to_vec()));
        assert_eq!(against(&[json!("85.00 USD"), json!("8500 USD")], &verified, &[]), None);
        assert!(against(&[json!("8500.00 EUR")], &verified, &[]).is_some(), "another currency");
        assert_eq!(against(&[json!("85.00 USD")], &[], &[]), None, "nothing was verified");
    }

    #[test]
    fn a_number_or_a_date_is_held_exactly_against_its_own_kind() {
        let verified = [json!(7), json!("2026-05-31"), json!("10.00 USD")];
        assert_eq!(against(&[json!("6")], &verified, &[]), Some(vec![json!(7)]));
        assert_eq!(against(&[json!("7.0")], &verified, &[]), None);
        assert_eq!(against(&[json!("7.0000001")], &verified, &[]), Some(vec![json!(7)]));
        assert_eq!(against(&[json!("2026-05-30")], &verified, &[]), Some(vec![json!("2026-05-31")]));
        assert_eq!(against(&[json!("2026-05-31")], &verified, &[]), None);
        assert_eq!(against(&[json!("open"), json!(true)], &verified, &[]), None, "words are not compared");
        assert_eq!(
            against(&[json!("2026-05-30")], &[json!(7)], &[]),
            None,
            "a date is not held against a number"
        );
    }

    #[test]
    fn what_was_read_or_named_is_held_against_nothing() {
        let verified = [json!(7), json!("2026-05-31")];
        let sources = [json!("7"), json!("2026-05-31")];
        assert_eq!(against(&[json!(6)], &verified, &sources), None);
        assert_eq!(against(&[json!("2026-05-30")], &verified, &sources), None);
        assert_eq!(against(&[json!("6 USD")], &[json!("7.00 USD")], &[json!("7 USD")]), None);
        assert_eq!(
            against(&[json!("6 USD")], &[json!("7.00 USD")], &[json!(7)]),
            None,
            "its currency stands apart"
        );
        let two = [json!("7.00 USD"), json!("8.00 USD")];
        assert_eq!(against(&[json!("6 USD")], &two, &[json!("7 USD")]), Some(vec![json!("8.00 USD")]));
    }

    #[test]
    fn a_balance_that_is_read_back_too_is_held_against_nothing() {
        let after = json!({"amount": "85.00 USD", "balance": "9915.00 USD"});
        assert_eq!(as_given(&after, &[&json!("85 USD")]), [&json!("85.00 USD")]);
        assert!(as_given(&json!({"balance": "9915.00 USD"}), &[&json!("85 USD")]).is_empty());
    }
}

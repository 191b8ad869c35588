//! The order in which the operations of a plan of a model run. Pure.
//!
//! Who is asked is asked before what depends on the answer: the writes on the records that the question names, or all
//! writes where it names none of theirs. Only what a question is about, because it uses its result, comes before it.
//! Messages come last, and tell of what was done. Everything else stays as the model put it.

use purple_process::fact::names_a_record;
use purple_process::{Argument, Effect, Json, Operation};

/// The same operations in the order in which they run.
pub(crate) fn in_sequence(operations: Vec<Operation>) -> Vec<Operation> {
    let before: Vec<Vec<usize>> = (0..operations.len()).map(|at| waits_for(at, &operations)).collect();
    let made: Vec<Vec<usize>> = (0..operations.len()).map(|at| made_before(at, &operations)).collect();
    let mut left: Vec<usize> = (0..operations.len()).collect();
    let mut order: Vec<usize> = Vec::new();
    while !left.is_empty() {
        let ready = |waits: &[Vec<usize>]| {
            let is_ready = |at: &usize| {
                waits.get(*at).is_some_and(|before| before.iter().all(|first| order.contains(first)))
            };
            left.iter().position(is_ready)
        };
        // Two questions may each be about what waits for the other: then only what is used comes first.
        let next = ready(&before).or_else(|| ready(&made)).unwrap_or_default();
        order.push(left.remove(next));
    }
    let mut operations: Vec<Option<Operation>> = operations.into_iter().map(Some).collect();
    order.into_iter().filter_map(|at| operations.get_mut(at)?.take()).collect()
}

/// Which operations come before one.
fn waits_for(at: usize, operations: &[Operation]) -> Vec<usize> {
    let Some(own) = operations.get(at) else { return Vec::new() };
    let mut first = made_before(at, operations);
    let is_first = |other: &Operation| match (own.effect, other.effect) {
        (Effect::Notify, Effect::Notify) => false,
        (Effect::Notify, _) => !uses(other, own, operations),
        (Effect::Write, Effect::Approval) => depends(own, other, operations) && !uses(other, own, operations),
        _ => false,
    };
    let others = operations.iter().enumerate().filter(|(other, _)| *other != at);
    first.extend(others.filter(|(_, other)| is_first(other)).map(|(place, _)| place));
    first
}

/// Which operations make what one uses.
fn made_before(at: usize, operations: &[Operation]) -> Vec<usize> {
    let Some(own) = operations.get(at) else { return Vec::new() };
    let uses_it = |other: &Operation| {
        own.arguments.values().filter_map(Argument::reference).any(|to| to.step == other.step)
    };
    let others = operations.iter().enumerate().filter(|(other, _)| *other != at);
    others.filter(|(_, other)| uses_it(other)).map(|(place, _)| place).collect()
}

/// Whether an operation uses what another one makes, directly or through others.
fn uses(one: &Operation, other: &Operation, operations: &[Operation]) -> bool {
    let mut reached: Vec<&Operation> = vec![one];
    let mut seen = 0;
    while let Some(next) = reached.get(seen).copied() {
        seen += 1;
        for to in next.arguments.values().filter_map(Argument::reference) {
            if to.step == other.step {
                return true;
            }
            let made_by = operations.iter().find(|one| one.step == to.step);
            reached.extend(made_by.filter(|made_by| !reached.iter().any(|known| known.step == made_by.step)));
        }
    }
    false
}

/// Whether a write depends on the answer to a question: they are about the same record, or the question names no record
/// of any write of the plan.
fn depends(write: &Operation, question: &Operation, operations: &[Operation]) -> bool {
    let names_one = |write: &Operation| records(write).iter().any(|id| mentions(question, id));
    let writes = || operations.iter().filter(|one| one.effect == Effect::Write);
    names_one(write) || !writes().any(names_one)
}

/// The records that an operation is given, by id.
fn records(operation: &Operation) -> Vec<String> {
    let given = operation.arguments.iter().filter_map(|(name, argument)| Some((name, argument.value()?)));
    given.filter(|(name, value)| names_a_record(name, value)).filter_map(|(_, value)| plain(value)).collect()
}

fn plain(value: &Json) -> Option<String> {
    match value {
        Json::Text(text) if !text.trim().is_empty() => Some(text.trim().to_lowercase()),
        Json::Number(number) => Some(number.as_str().to_owned()),
        Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Record(_) => None,
    }
}

/// Whether an argument of an operation is an id, or has it as a word.
fn mentions(operation: &Operation, id: &str) -> bool {
    operation.arguments.values().filter_map(Argument::value).any(|value| has(value, id))
}

fn has(value: &Json, id: &str) -> bool {
    match value {
        Json::List(items) => items.iter().any(|item| has(item, id)),
        Json::Record(fields) => fields.values().any(|field| has(field, id)),
        other => plain(other).is_some_and(|text| has_word(&text, id)),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |sign: char| sign.is_alphanumeric();
    text.match_indices(word).any(|(at, found)| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at + found.len()..).and_then(|after| after.chars().next());
        !before.is_some_and(is_part) && !after.is_some_and(is_part)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use purple_process::{Arguments, Check, Order, Reference, StepId, ToolName};

    use super::*;

    /// Operations by name: `write 1`, `ask`, `ask 1`, `ask of 0`, `tell`, where a number is a record and `of` a result.
    fn plan(names: &[&str]) -> Vec<Operation> {
        let one = |(at, name): (usize, &&str)| {
            let mut words = name.split(' ');
            let effect = match words.next().unwrap() {
                "write" => Effect::Write,
                "ask" => Effect::Approval,
                _ => Effect::Notify,
            };
            let rest: Vec<&str> = words.collect();
            let mut arguments = Arguments::new();
            match rest.as_slice() {
                ["of", step] => {
                    let reference = Reference {
                        step: StepId::parse(&format!("op{step}")).unwrap(),
                        field: "id".to_owned(),
                    };
                    arguments.insert("of".to_owned(), Argument::Reference(reference));
                }
                [record] if effect == Effect::Approval => {
                    let text = format!("Shall CL-{record} be approved?");
                    arguments.insert("question".to_owned(), Argument::Value(text.as_str().into()));
                }
                [record] => {
                    let id = format!("CL-{record}");
                    arguments.insert("claim_id".to_owned(), Argument::Value(id.as_str().into()));
                }
                _ => {
                    arguments.insert("text".to_owned(), Argument::Value("all of it".into()));
                }
            }
            let step = StepId::parse(&format!("op{at}")).unwrap();
            let tool = ToolName::parse("act_on_claim").unwrap();
            Operation::new(step, tool, effect, arguments, Check::Unverifiable, Order::missing())
        };
        names.iter().enumerate().map(one).collect()
    }

    fn order(names: &[&str]) -> Vec<String> {
        in_sequence(plan(names)).iter().map(|one| one.step.to_string()).collect()
    }

    #[test]
    fn a_question_comes_before_the_writes_that_depend_on_its_answer() {
        assert_eq!(order(&["write 1", "ask"]), ["op1", "op0"]);
        assert_eq!(order(&["write 1", "ask 1"]), ["op1", "op0"]);
        assert_eq!(order(&["write 2", "write 1", "ask 1"]), ["op0", "op2", "op1"]);
        // It names no record that is written: it may be about all of them.
        assert_eq!(order(&["write 2", "write 1", "ask 7"]), ["op2", "op0", "op1"]);
        assert_eq!(order(&["write 1", "tell", "ask"]), ["op2", "op0", "op1"]);
        // `CL-1` is not part of `CL-11`.
        assert_eq!(order(&["write 1", "write 11", "ask 11"]), ["op0", "op2", "op1"]);
    }

    #[test]
    fn a_question_about_a_result_comes_after_what_makes_it() {
        assert_eq!(order(&["write 1", "ask of 0"]), ["op0", "op1"]);
        assert_eq!(order(&["write 1", "write 2", "ask of 0"]), ["op0", "op2", "op1"]);
        assert_eq!(order(&["write 1", "write of 0", "ask of 1"]), ["op0", "op1", "op2"]);
        assert_eq!(order(&["tell of 1", "write 1"]), ["op1", "op0"]);
    }

    #[test]
    fn what_asks_nobody_stays_as_it_was() {
        assert_eq!(order(&["write 2", "write 1", "write"]), ["op0", "op1", "op2"]);
        assert_eq!(order(&[]), [""; 0]);
    }

    proptest! {
        #[test]
        fn whatever_is_planned_runs_once_after_what_it_uses_and_after_who_is_asked_about_it(
            kinds in prop::collection::vec((0_u8..3, 0_u8..4, 0_usize..8), 0..8)
        ) {
            let names: Vec<String> = kinds.iter().enumerate().map(|(at, (kind, record, from))| {
                let verb = ["write", "ask", "tell"][usize::from(*kind)];
                match record {
                    0 => verb.to_owned(),
                    3 if *from < at && kinds[*from].0 == 0 => format!("{verb} of {from}"),
                    record => format!("{verb} {record}"),
                }
            }).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let of_results = names.iter().filter(|name| name.starts_with("ask of")).count();
            let before = plan(&names);
            let after = in_sequence(before.clone());
            prop_assert_eq!(before.len(), after.len());
            let place = |step: &StepId| after.iter().position(|one| one.step == *step).unwrap();
            for one in &after {
                for to in one.arguments.values().filter_map(Argument::reference) {
                    prop_assert!(place(&to.step) < place(&one.step), "{:?}", names);
                }
                for question in after.iter().filter(|one| one.effect == Effect::Approval) {
                    let must = of_results < 2
                        && one.effect == Effect::Write
                        && depends(one, question, &before)
                        && !uses(question, one, &before);
                    prop_assert!(!must || place(&question.step) < place(&one.step), "{:?}", names);
                }
            }
        }
    }
}

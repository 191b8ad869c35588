//! No text states what was not evaluated: generated records for every rule of every shipped file.
//!
//! A reason is held against the values themselves, by its own words: "is above", "is more than", "is X, not Y", "differ".
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::date;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use purple_policy::{Exact, Facts, Source, Unevaluable, Unread, Value, Verdict};
use purple_process::Role;
use purple_process::file::{Task, builtin};
use purple_process::playbook::{Case, Decision};

/// Generated cases for each task of a file.
const CASES_EACH: usize = 1_500;

const SINGLE: &[&str] = &[
    "0",
    "1",
    "2",
    "2.0",
    "2.01",
    "-50",
    "59",
    "60",
    "61",
    "90",
    "91",
    "120",
    "0 USD",
    "10 USD",
    "999.99 USD",
    "1000 USD",
    "1000.01 USD",
    "5000 USD",
    "5000.01 USD",
    "10000 USD",
    "10000.01 USD",
    "50000 USD",
    "50000.01 USD",
    "100000 USD",
    "100000.01 USD",
    "7200 EUR",
    "2%",
    "3%",
    "received",
    "approved",
    "rejected",
    "disputed",
    "draft",
    "open",
    "cancelled",
    "shipped",
    "closed",
    "active",
    "offboarding",
    "terminated",
    "on_leave",
    "suspended",
    "pending",
    "passed",
    "failed",
    "insolvent",
    "high",
    "low",
    "p1",
    "p3",
    "resolved",
    "withdrawn",
    "C-1",
    "C-2",
    "V-1",
    "PO-1",
    "PO-2",
    "someone@example.com",
    "Somebody",
];

/// What is told of a name.
#[derive(Clone, Debug)]
enum Told {
    Single(&'static str),
    Flag(bool),
    Day(i8),
    Rows(Vec<(&'static str, i64, i64)>),
    Disputed(&'static str, &'static str),
    Null,
    Unread,
    Missing,
}

fn told() -> impl Strategy<Value = Told> {
    let single = || proptest::sample::select(SINGLE);
    let row = (proptest::sample::select(&["Widget A", "Widget B"][..]), 0_i64..6, 0_i64..6);
    prop_oneof![
        12 => single().prop_map(Told::Single),
        2 => any::<bool>().prop_map(Told::Flag),
        2 => (1_i8..28).prop_map(Told::Day),
        2 => proptest::collection::vec(row, 0..3).prop_map(Told::Rows),
        1 => (single(), single()).prop_map(|(one, other)| Told::Disputed(one, other)),
        1 => Just(Told::Null),
        1 => Just(Told::Unread),
        2 => Just(Told::Missing),
    ]
}

fn put(facts: &mut Facts, name: &str, told: &Told) {
    match told {
        Told::Single(text) => facts.set(Source::Read, name, Value::from_literal(text)),
        Told::Flag(flag) => facts.set(Source::Read, name, Value::Bool(*flag)),
        Told::Day(day) => facts.set(Source::Read, name, Value::Date(date(2026, 3, *day))),
        Told::Rows(rows) => facts.set(Source::Read, name, Value::list(rows.iter().map(row))),
        Told::Disputed(one, other) => {
            facts.set(Source::Read, name, Value::from_literal(one));
            facts.set(Source::Input, name, Value::from_literal(other))
        }
        Told::Null => facts.set(Source::Read, name, Value::Null),
        Told::Unread => {
            let why = Unevaluable::Unread { name: name.to_owned(), how: Unread::Failed };
            facts.doubt(Source::Read, name, why)
        }
        Told::Missing => facts,
    };
}

/// A row as the files look at it: of an order, of a stock list, of wanted changes.
fn row((item, quantity, reserved): &(&'static str, i64, i64)) -> Value {
    let wanted = Value::record([("item", Value::text(*item)), ("quantity", Value::from(*quantity))]);
    let action = if quantity % 2 == 0 { "add" } else { "remove" };
    Value::record([
        ("item", Value::text(*item)),
        ("action", Value::text(action)),
        ("quantity", Value::from(*quantity)),
        ("available", Value::from(*quantity)),
        ("reserved", Value::from(*reserved)),
        ("unit_price", Value::from_literal("10.00 USD")),
        ("wanted", wanted),
    ])
}

/// Every name that the file reads and does not make itself.
fn names(task: &Task) -> Vec<String> {
    let computed: BTreeSet<&str> = task.computes().map(|compute| compute.name()).collect();
    let parameters: BTreeSet<&str> = task.parameters().iter().map(|parameter| parameter.name()).collect();
    let of_rules = task.rules().iter().flat_map(|rule| rule.names());
    let of_figures = task.computes().flat_map(|compute| compute.expression().names());
    let all: BTreeSet<String> = of_rules.chain(of_figures).collect();
    let own = |name: &String| {
        let root = name.split('.').next().unwrap_or_default();
        !computed.contains(root) && !parameters.contains(root) && root != "today"
    };
    all.into_iter().filter(own).collect()
}

/// The figures of a sentence, in order.
fn figures(text: &str) -> Vec<Exact> {
    let words = text.split(|c: char| c.is_whitespace());
    words.filter_map(|word| Exact::parse(&word.trim_end_matches([',', '.']).replace(',', "")).ok()).collect()
}

/// What is wrong with a reason, by its own words; `None` where nothing is.
fn falsehood(because: &str) -> Option<String> {
    let said = figures(because);
    let pair = || said.first().zip(said.get(1));
    let wrong = |holds: bool| (!holds).then(|| because.to_owned());
    if because.contains("not more than") {
        return None;
    }
    if because.contains("is above the") || because.contains("is above") || because.contains("more than") {
        return pair().and_then(|(one, other)| wrong(one > other));
    }
    if because.contains("differ") || because.contains("come to") {
        return pair().and_then(|(one, other)| wrong(one != other));
    }
    if because.contains("are in use and the plan holds") {
        return pair().and_then(|(one, other)| wrong(one > other));
    }
    let (is, not) = because.split_once(", not ")?;
    wrong(!is.ends_with(&format!(" {not}")))
}

/// What may not be so in a decision.
fn wrong(task: &Task, case: &Case<'_>, decision: &Decision) -> Vec<String> {
    let mut wrong = Vec::new();
    let owner = Role::parse("owner").unwrap();
    let text = decision.ruling(&owner, None).map(|ruling| ruling.because().to_owned()).unwrap_or_default();
    if let Some(because) = decision.because() {
        let rule = task.rules().iter().find(|rule| Some(rule.id()) == decision.rule()).unwrap();
        if !rule.holds(case.facts()) {
            wrong.push(format!("{} says `{because}` and does not hold", rule.id()));
        }
        wrong.extend(falsehood(because).map(|text| format!("{} says `{text}`", rule.id())));
        if because.contains('{') {
            wrong.push(format!("{} says `{because}`", rule.id()));
        }
    }
    for doubt in decision.doubts() {
        let rule = task.rules().iter().find(|rule| rule.id() == doubt.rule).unwrap();
        let said = |because: &&str| text.contains(&format!("({because})"));
        if let Some(because) = rule.because().filter(said)
            && decision.because() != Some(because)
        {
            wrong.push(format!("{} could not be checked, and `{because}` is said in `{text}`", doubt.rule));
        }
        if decision.verdict().is_some() && !text.contains("could not be checked") {
            wrong.push(format!("nothing says that {} could not be checked: `{text}`", doubt.rule));
        }
    }
    wrong
}

#[test]
fn no_reason_of_a_shipped_file_says_what_the_records_do_not() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[17; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut cases, mut reasons, mut doubts) = (0_usize, BTreeMap::<String, usize>::new(), 0_usize);
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for file in builtin().unwrap() {
        for task in file.tasks() {
            let names = names(task);
            for _ in 0..CASES_EACH {
                let mut facts = Facts::new().with(Source::Context, "today", Value::Date(date(2026, 3, 4)));
                for name in &names {
                    put(&mut facts, name, &told().new_tree(&mut runner).unwrap().current());
                }
                let case = Case::with_facts(task, facts);
                let decision = case.decide();
                cases += 1;
                doubts += usize::from(decision.is_in_doubt());
                if let (Some(rule), Some(_)) = (decision.rule(), decision.because()) {
                    *reasons.entry(rule.to_owned()).or_default() += 1;
                }
                for text in wrong(task, &case, &decision) {
                    *found
                        .entry(text.split(" says ").next().unwrap_or_default().to_owned())
                        .or_insert_with(|| {
                            println!("{}: {text}", file.name());
                            0
                        }) += 1;
                }
            }
        }
    }
    println!("{cases} cases, {} rules gave a reason, {doubts} decisions beside a doubt", reasons.len());
    assert!(found.is_empty(), "{found:#?}");
    assert!(reasons.len() >= 35, "only {} rules decided: {reasons:?}", reasons.len());
}

#[test]
fn hiding_a_value_never_takes_anybody_away_from_those_who_are_asked() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[18; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let (mut compared, mut asked) = (0_usize, 0_usize);
    for file in builtin().unwrap() {
        for task in file.tasks() {
            let names = names(task);
            for number in 0..400 {
                let mut facts = Facts::new().with(Source::Context, "today", Value::Date(date(2026, 3, 4)));
                for name in &names {
                    put(&mut facts, name, &told().new_tree(&mut runner).unwrap().current());
                }
                let Some(hidden) = names.get(number % names.len().max(1)) else { continue };
                let before = Case::with_facts(task, facts.clone()).decide();
                put(&mut facts, hidden, &Told::Unread);
                let after = Case::with_facts(task, facts).decide();
                compared += 1;
                let (was, is) = (before.verdict(), after.verdict());
                let told = format!("{} without `{hidden}`: {before:?}\n{after:?}", file.name());
                // What restricts stays restricted: a person is asked, takes over, or it is forbidden as before.
                if was > Some(Verdict::Allow) {
                    assert!(is >= Some(Verdict::RequireApproval), "{told}");
                }
                if was == Some(Verdict::RequireApproval) && is == Some(Verdict::RequireApproval) {
                    let kept = before
                        .demands()
                        .iter()
                        .all(|one| after.demands().iter().any(|other| other.ask == one.ask));
                    assert!(kept, "{told}");
                    asked += 1;
                }
            }
        }
    }
    println!("{compared} cases compared, {asked} of them with people who stay");
    assert!(asked > 1_000, "{asked}");
}

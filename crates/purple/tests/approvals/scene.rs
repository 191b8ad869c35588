//! What the tests have in common: a process of the operator, people, and questions to the journal.

#![allow(unreachable_pub, reason = "shared by the test files beside it")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use purple_journal::RecordType;
use purple_journal::record::approval;
use purple_policy::{Authority, Money, PolicyDocument};
use purple_process::{Directory as People, Ending, Mode, Person, Role, State};
use purple_testkit::records;
use purple_worker::{Channel, Choice, Policy, Process, RunView, Settings, Status};
use serde_json::Value;

use crate::house::{Door, House, person, session};

pub(crate) const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
pub(crate) const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
pub(crate) const LOCKOUT: &str = "Lockout E-2291";
pub(crate) const REJECTS: &str = "Reject invoice INV-2024-447 of 52340.00 USD";

/// Which systems the process of the tests works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Systems {
    One,
    All,
}

/// A process of the operator: locks an employee out of one system or of all five.
pub(crate) fn lockout(systems: Systems, ask: &str, approval: &str) -> Process {
    let (each, system) = match systems {
        Systems::One => ("", "\"Okta\""),
        Systems::All => ("for_each: employee.systems as system\n        ", "system"),
    };
    let ask = if ask.is_empty() { String::new() } else { format!(", ask: {ask}") };
    let text = format!(
        r#"process: lockout
title: Lock an employee out
owner: security
keywords: [lockout, locked out]
format: 2
say: {{en: ["lockout [once more {{employee_id}}]"]}}
inputs:
  employee_id: {{type: id, pattern: 'E-[0-9]+', earlier: true}}
read:
  employee: get_employee(employee_id=employee_id)
decide:
  - {{rule: LOCK-1, if: 'employee.status != "gone"', outcome: lock{ask}, because: "the employee is still here"}}
outcomes:
  lock:
    do:
      - {each}call: revoke_access(employee_id=employee_id, system={system})
        check: get_system_access(employee_id=employee_id, system={system}).active == false
        undo: grant_access(employee_id=employee_id, system={system})
approval: {{{approval}}}
tests:
  - {{employee_id: E-17, employee: {{status: active, systems: [GitHub, AWS]}}, expect: lock}}
"#
    );
    Process::parse(&text).unwrap()
}

/// Careful settings with the shipped processes and this one.
pub(crate) fn with(process: Process) -> Settings {
    let mut processes = Process::shipped().unwrap();
    processes.push(process);
    crate::house::careful(processes)
}

pub(crate) fn in_mode(mut settings: Settings, mode: Mode) -> Settings {
    settings.mode = mode;
    settings
}

pub(crate) fn under(mut settings: Settings, rules: Value) -> Settings {
    settings.policy = Some(Arc::new(policy(&rules)));
    settings
}

pub(crate) fn policy(rules: &Value) -> Policy {
    let text = rules.to_string();
    let document = PolicyDocument::parse(&text, Authority::Operator).unwrap();
    Policy { name: "house rules".to_owned(), document, text }
}

pub(crate) async fn open(settings: Settings) -> House {
    House::open(Door::Streams, settings, &[]).await
}

/// Somebody with these roles.
pub(crate) fn one(roles: &[&str]) -> Person {
    Person { roles: roles.iter().map(|role| Role::parse(role).unwrap()).collect(), ..Person::default() }
}

pub(crate) fn limited(roles: &[&str], limit: &str) -> Person {
    Person { limit: Some(Money::parse(limit).unwrap()), ..one(roles) }
}

pub(crate) fn standing_in(roles: &[&str], principals: &[&str]) -> Person {
    let stands_in_for: BTreeSet<_> = principals.iter().map(|name| person(name)).collect();
    Person { stands_in_for, ..one(roles) }
}

/// Sets who is known here from now on.
pub(crate) fn staff(house: &House, people: &[(&str, Person)]) {
    let people: BTreeMap<_, _> = people.iter().map(|(name, one)| (person(name), one.clone())).collect();
    *house.staff.0.lock().unwrap() = People::People(people);
}

/// Decides on the command line, and waits until the run stands still.
pub(crate) async fn decide(house: &House, run: &str, by: &str, choice: Choice) -> RunView {
    let posted = house.worker.decide(&session(run), person(by), Channel::Cli, choice).await.unwrap();
    assert!(!posted.repeated);
    house.still(&session(run)).await
}

pub(crate) async fn approve(house: &House, run: &str, by: &str) -> RunView {
    decide(house, run, by, Choice::Approve).await
}

pub(crate) fn reject(reason: &str) -> Choice {
    Choice::Reject { reason: reason.to_owned() }
}

/// The records of one type in the journal of a run.
pub(crate) async fn told<T: RecordType + Clone>(house: &House, run: &str) -> Vec<T> {
    records::all(&house.worker.trace(&session(run), 0, 10_000).await.unwrap())
}

/// Why decisions were not taken.
pub(crate) async fn not_taken(house: &House, run: &str) -> Vec<String> {
    let entries = told::<approval::NotTaken>(house, run).await;
    entries.iter().map(|entry| entry.why.to_string()).collect()
}

#[track_caller]
pub(crate) fn waits(view: &RunView) {
    let stands = (view.summary.status, view.summary.state);
    assert_eq!(stands, (Status::Waiting, State::ApprovalGate), "{:?}", view.answer);
}

#[track_caller]
pub(crate) fn ended(view: &RunView, ending: Ending) {
    assert_eq!(view.stuck, None);
    assert_eq!(
        (view.summary.status, view.summary.ending),
        (Status::Closed, Some(ending)),
        "{:?}",
        view.answer
    );
}

pub(crate) fn text(view: &RunView) -> &str {
    &view.answer.as_ref().unwrap().text
}

pub(crate) fn code(view: &RunView) -> Option<&str> {
    view.answer.as_ref().unwrap().data.code.as_deref()
}

pub(crate) fn nothing() -> Vec<String> {
    Vec::new()
}

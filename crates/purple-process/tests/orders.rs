//! The open half of the corpus against the forms of the shipped files: which sentences are covered orders.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::BTreeMap;

use jiff::civil::date;
use purple_intent::Cover;
use purple_policy::Currency;
use purple_process::file::{BUILTIN, Setting, Task, extract, load};
use serde_json::Value;

/// Rows that are no orders of one task and are covered: they name an invoice and an employee that do not exist, which
/// only the system of record knows. The list may only shrink.
const COVERED_WRONGLY: [&str; 2] = ["a-523", "a-524"];
/// Orders of which every word is explained, at least.
const COVERED_MIN: usize = 151;
/// A sentence of a tester that orders nothing and is covered: an order that names somebody who wants it. The list may
/// only shrink.
const OUTSIDE_COVERED_WRONGLY: [&str; 1] = ["o-490"];
/// Orders of the testers that are covered, at least.
const OUTSIDE_COVERED_MIN: usize = 480;

/// Which names the records have to hold if a text orders a task and everything that it needs is there.
fn covered(text: &str, task: &Task) -> Option<Vec<String>> {
    let setting = Setting { today: date(2026, 3, 4), dollar: Currency::parse("USD").unwrap() };
    let extracted = extract(text, task.inputs(), &BTreeMap::new(), &setting);
    match task.cover(text, &task.read(text, &setting), &extracted.found, &extracted.places) {
        Cover::Covered { names, .. } if extracted.missing.is_empty() => Some(names),
        Cover::Covered { .. } | Cover::Doubtful(_) | Cover::ReadOnly(_) => None,
    }
}

/// The rows of a corpus that a task covers: id, what is expected, names to be compared.
fn covered_rows(corpus: &str) -> Vec<(String, String, Vec<String>)> {
    let files: Vec<_> = BUILTIN.iter().map(|(_, text)| load(text).unwrap()).collect();
    let tasks = files.iter().flat_map(|file| file.tasks());
    let tasks: Vec<&Task> = tasks.filter(|task| !task.say().is_empty()).collect();
    let row = |line: &str| -> Option<(String, String, Vec<String>)> {
        let row: Value = serde_json::from_str(line).unwrap();
        let text = row["text"].as_str().unwrap();
        let names = tasks.iter().find_map(|task| covered(text, task))?;
        Some((row["id"].as_str().unwrap().to_owned(), row["expect"].as_str().unwrap().to_owned(), names))
    };
    corpus.lines().filter_map(row).collect()
}

#[test]
fn sentences_of_an_outside_tester_are_covered_only_if_they_order_something() {
    let rows = covered_rows(include_str!("../../../checks/corpus/outside.jsonl"));
    // A name that no input takes is compared with the records before anything is written.
    let wrong: Vec<&str> = rows
        .iter()
        .filter(|(_, expect, names)| expect == "none" && names.is_empty())
        .map(|row| &*row.0)
        .collect();
    assert_eq!(wrong, OUTSIDE_COVERED_WRONGLY, "covered, and not ordered");
    let orders = rows.iter().filter(|row| row.1 == "order").count();
    assert!(orders >= OUTSIDE_COVERED_MIN, "{orders} orders are covered");
}

/// Orders of one text that are covered as one task, at least. Those with several are divided before they are read.
const DESK_COVERED_MIN: usize = 104;

#[test]
fn sentences_from_the_desk_are_covered_only_if_they_order_something() {
    let rows = covered_rows(include_str!("../../../checks/corpus/desk.jsonl"));
    let wrong: Vec<&str> = rows.iter().filter(|row| row.1 == "none").map(|row| &*row.0).collect();
    assert_eq!(wrong, [""; 0], "covered, and not ordered");
    let orders = rows.iter().filter(|row| row.1 == "order").count();
    assert!(orders >= DESK_COVERED_MIN, "{orders} orders are covered");
}

/// Orders in fresh constructions that are covered, at least.
const FRESH_COVERED_MIN: usize = 71;

#[test]
fn fresh_sentences_are_covered_only_if_they_order_something() {
    let rows = covered_rows(include_str!("../../../checks/corpus/fresh2.jsonl"));
    let wrong: Vec<&str> = rows.iter().filter(|row| row.1 == "none").map(|row| &*row.0).collect();
    assert_eq!(wrong, [""; 0], "covered, and not ordered");
    let orders = rows.iter().filter(|row| row.1 == "order").count();
    assert!(orders >= FRESH_COVERED_MIN, "{orders} orders are covered");
}

#[test]
fn only_orders_are_covered_and_most_of_them_are() {
    let (mut wrong, mut covered) = (Vec::new(), 0);
    for (id, expect, _) in covered_rows(include_str!("../../../checks/corpus/open.jsonl")) {
        match expect.as_str() {
            "does" => covered += 1,
            "lists" => {}
            _ => wrong.push(id),
        }
    }
    assert_eq!(wrong, COVERED_WRONGLY, "covered, and not ordered");
    assert!(covered >= COVERED_MIN, "{covered} orders are covered");
}

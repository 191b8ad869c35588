//! Which rows of a corpus the complete shipped files cover, and why the others are not.
//!
//! `cargo run -p purple-process --example cover_rows -- checks/corpus/outside.jsonl [order|none] [covered|open]`

#![expect(clippy::print_stdout, reason = "it prints what it finds")]

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use jiff::civil::date;
use purple_intent::{Cover, Doubt};
use purple_policy::Currency;
use purple_process::file::{Extracted, Records, Setting, Task, builtin, extract};
use purple_process::playbook::Case;
use serde_json::{Value as Json, json};

/// What one task says about a text: what is missing, and how its words are read.
fn covers(text: &str, task: &Task, setting: &Setting) -> (Vec<String>, Cover) {
    let first = extract(text, task.inputs(), &BTreeMap::new(), setting);
    // What the system of record can say is not missing.
    let case = Case::start(task, &first.found, setting.today);
    let listed: Vec<String> = case.look_ups(&first.missing).iter().map(|due| due.name.to_owned()).collect();
    let mut records = Records::default();
    listed.iter().for_each(|input| records.add(task, input, &list_of(input)));
    let Extracted { found, missing, places } = task.extract_with(text, &BTreeMap::new(), &records, setting);
    let missing: Vec<String> = missing.into_iter().map(|one| one.name).collect();
    let cover = task.cover(text, &task.read(text, setting), &found, &places);
    (missing, cover)
}

/// What the system of record lists for an input: the records that the sentences name.
fn list_of(input: &str) -> Json {
    match input {
        "employee_id" => json!([
            {"employee_id": "E-2291", "name": "Jordan Kim"},
            {"employee_id": "EMP-4421", "name": "Sarah Chen"},
        ]),
        "changes" => json!([{"item": "Widget A"}, {"item": "Widget B"}, {"item": "Widget C"}]),
        "contract_id" => json!([{"contract_id": "CTR-441"}]),
        _ => json!([]),
    }
}

/// The acts of a text with their moods.
fn acts(text: &str, task: &Task, setting: &Setting) -> String {
    let reading = task.read(text, setting);
    let act = |act: &purple_intent::Act| {
        let states = if act.states { " (statement)" } else { "" };
        format!("{:?}{states} {:?}", act.mood, act.span.of(text))
    };
    reading.acts.iter().map(act).collect::<Vec<_>>().join(" | ")
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("give a file of JSON Lines")?;
    let only: Vec<String> = arguments.collect();
    let wants = |word: &str, others: &[&str]| {
        only.iter().any(|one| one == word) || !only.iter().any(|one| others.contains(&one.as_str()))
    };
    let setting = Setting { today: date(2026, 3, 4), dollar: Currency::USD };
    let files = builtin()?;
    let tasks: Vec<&Task> =
        files.iter().flat_map(|file| file.tasks()).filter(|task| !task.say().is_empty()).collect();
    let mut counts: BTreeMap<(String, bool), usize> = BTreeMap::new();
    for line in fs::read_to_string(path)?.lines().filter(|line| !line.trim().is_empty()) {
        let row: Json = serde_json::from_str(line)?;
        let field = |name: &str| row.get(name).and_then(Json::as_str).unwrap_or_default().to_owned();
        let (text, expect) = (field("text"), field("expect"));
        let read: Vec<(Vec<String>, Cover)> =
            tasks.iter().map(|task| covers(&text, task, &setting)).collect();
        let names = read.iter().find_map(|(missing, cover)| match cover {
            Cover::Covered { names, .. } if missing.is_empty() => Some(names.clone()),
            Cover::Covered { .. } | Cover::Doubtful(_) | Cover::ReadOnly(_) => None,
        });
        *counts.entry((expect.clone(), names.is_some())).or_default() += 1;
        let (shown, hidden) = if names.is_some() { ("covered", "open") } else { ("open", "covered") };
        if !wants(&expect, &["order", "none", "does"]) || !wants(shown, &[hidden]) {
            continue;
        }
        println!(
            "{} {expect} {shown} {}",
            field("id"),
            names.map_or_else(String::new, |names| format!("{names:?}"))
        );
        println!("    {}", text.replace('\n', "⏎"));
        if shown == "open" {
            let process = field("process");
            for (task, (missing, cover)) in tasks.iter().zip(&read) {
                if !process.is_empty() && *cover == Cover::Doubtful(Doubt::NoForm) {
                    continue;
                }
                println!("    {}: {cover:?} missing {missing:?}", task.name());
            }
        }
        if let Some(task) = tasks.first() {
            println!("    {}", acts(&text, task, &setting).replace('\n', "⏎"));
        }
    }
    for ((expect, covered), count) in counts {
        println!("{expect} {}: {count}", if covered { "covered" } else { "open" });
    }
    Ok(())
}

//! What people can write and what they are answered: examples, dead ends, chat, and plan against run.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod business;

use business::Business;
use serde_json::Value;

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The record of a run's result among the lines of `--json`.
fn result(out: &str) -> Value {
    out.lines().map(json).rfind(|line| !line["result"].is_null()).unwrap()
}

#[test]
fn the_examples_of_every_complete_process_and_calculation_are_listed() {
    let business = Business::open();
    let (code, out, _) = business.purple(&["process", "examples", "--json"]);
    let listed = json(&out);
    assert_eq!(code, 0, "{out}");
    let processes = listed["processes"].as_array().unwrap();
    let sentences = |process: &str| -> Vec<String> {
        let found = processes.iter().find(|one| one["process"] == process).unwrap();
        let tasks = found["tasks"].as_array().unwrap().iter();
        let examples = tasks.flat_map(|task| task["examples"].as_array().unwrap());
        examples.map(|one| one["sentence"].as_str().unwrap().to_owned()).collect()
    };
    assert!(sentences("invoice_reconciliation").len() >= 4, "{out}");
    assert!(sentences("hr_offboarding").iter().any(|one| one.contains("E-1005")), "{out}");
    assert_eq!(sentences("payroll"), Vec::<String>::new());
    let calculations = listed["calculations"].as_array().unwrap();
    assert!(calculations.iter().any(|one| one["example"] == "Extract 19% VAT from 1,190.00 EUR gross"));

    let (_, page, _) = business.purple(&["help", "tasks"]);
    let (_, whole, _) = business.purple(&["process", "examples"]);
    let first = &sentences("invoice_reconciliation")[0];
    assert!(page.contains(first) && whole.contains(first), "{page}");
    assert!(page.lines().count() < whole.lines().count(), "{page}");

    let (code, out, _) = business.purple(&["process", "examples", "invoice_reconciliation", "--json"]);
    assert_eq!((code, json(&out)["processes"].as_array().unwrap().len()), (0, 1));
    let (code, _, talk) = business.purple(&["process", "examples", "invoices"]);
    assert_eq!(code, 1, "{talk}");
    assert!(talk.contains("invoice_reconciliation") && talk.contains("payroll"), "{talk}");
}

#[test]
fn files_whose_forms_overlap_are_accepted_with_a_warning() {
    let business = Business::open();
    let shipped = business.purple(&["process", "show", "invoice_reconciliation"]).1;
    let file =
        business.file("copy.yaml", &shipped.replacen("process: invoice_reconciliation", "process: copy", 1));
    let (code, out, talk) = business.purple(&["process", "validate", &file]);
    assert_eq!(code, 0, "{out}{talk}");
    assert!(talk.contains("warning:") && talk.contains("`copy`"), "{talk}");
    assert!(talk.contains("`invoice_reconciliation`"), "{talk}");
    let (_, out, _) = business.purple(&["process", "validate", &file, "--json"]);
    assert!(!json(&out)[0]["warnings"].as_array().unwrap().is_empty(), "{out}");
    let same = business.file("same.yaml", &shipped);
    let (code, _, talk) = business.purple(&["process", "validate", &same]);
    assert_eq!((code, talk.contains("warning:")), (0, false), "{talk}");
}

#[test]
fn a_dead_end_names_the_nearest_tasks_what_is_missing_and_how_to_get_a_model() {
    let business = Business::open();
    let (_, out, _) = business.purple(&["run", "Reset the password of E-1005"]);
    assert!(out.contains("\"Offboard employee E-1005, last day <last day>\""), "{out}");
    assert!(out.contains("set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST"), "{out}");
    assert!(out.contains("`purple help tasks`"), "{out}");
    let (code, out, _) = business.purple(&["run", "Offboard E-1005"]);
    assert_eq!(code, 3, "{out}");
    assert!(out.contains("the last day is not in the task"), "{out}");
    assert!(out.contains("\"Offboard employee E-1005, last day <last day>\""), "{out}");
    let (_, out, _) =
        business.purple(&["run", "Approve invoice INV-2024-448 for 52.340 USD against PO-8822"]);
    assert!(out.contains("invoice total") && !out.contains("stated_"), "{out}");
    let (_, out, _) = business.purple(&["run", "Hello, how are you?"]);
    assert!(out.contains("`purple help tasks`") && !out.contains("these sentences"), "{out}");
    assert_eq!(business.effects(), Vec::<String>::new());
}

#[test]
fn a_chat_goes_on_after_small_talk_unknown_commands_and_failed_runs() {
    let business = Business::open();
    let long = "x".repeat(200_000);
    let lines = format!(
        "/why\n/show\nasdf qwer zxcv\nhello there\n\n   \n/dance now\n{long}\n/help\nShould we approve invoice INV-2024-448?\n/why\nthanks!\n\
         /new\nPlease approve invoice INV-2024-448 zzgrmpf.\n/why\nno\n\
         Approve invoice INV-2024-448 against PO-8822.\n/why\n/quit\nnever read\n"
    );
    let (code, out, talk) = business.told(&["chat"], &lines);
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(talk.matches("nothing was asked yet").count(), 2, "{talk}");
    assert!(talk.contains("there is no `/dance`"), "{talk}");
    assert!(talk.contains("/new ") && talk.contains("INV-2024-448 per policy"), "{talk}");
    assert!(talk.contains("bytes"), "{talk}");
    assert!(out.contains("read as         question, about `invoice_reconciliation`"), "{out}");
    assert!(out.contains("not understood  zzgrmpf"), "{out}");
    assert!(out.contains("read as         order, about `invoice_reconciliation`"), "{out}");
    assert!(out.contains("rule            AP-4"), "{out}");
    // A run that failed takes another task; `/new` began the second one.
    assert_eq!(talk.lines().filter(|line| line.starts_with("run ")).count(), 2, "{talk}");
    assert_eq!(business.effects(), ["approve_invoice"]);
}

#[test]
fn a_chat_ends_with_its_input() {
    let business = Business::open();
    let (code, out, talk) = business.told(&["chat"], "");
    assert_eq!((code, out.as_str()), (0, ""), "{talk}");
    let (_, out, _) = business.told(&["chat", "--json"], "Do not approve invoice INV-2024-448.\n/why\n");
    let why = json(out.lines().last().unwrap());
    assert_eq!(why["why"]["reading"]["kind"], "negation", "{out}");
}

#[test]
fn a_chat_shows_the_results_of_several_tasks_and_goes_on_with_the_one_that_waits() {
    let business = Business::open();
    // Nothing but a review or a manifest says that the return of equipment notifies.
    let review = "[tools_endpoints]\nmanifest = \"demo-company\"\n";
    business.file("purple.toml", review);
    let lines = "Approve INV-2024-451, and offboard employee E-1020\n2026-03-20\nUndo the approval of INV-2024-451\nyes\n";
    let (code, out, talk) = business.told(&["chat"], lines);
    assert_eq!(code, 0, "{out}{talk}");
    assert!(out.contains("1. Approve invoice INV-2024-451 of 12,400.00 USD"), "{out}");
    assert!(out.contains("the last day is not in the task"), "{out}");
    assert!(talk.contains("your next message is for run"), "{talk}");
    assert!(out.contains("Reopen invoice INV-2024-451"), "{out}");
    assert!(out.contains("last_day (2026-03-20)"), "{out}");
    assert_eq!(business.effects(), ["approve_invoice", "reopen_invoice"]);
}

#[test]
fn a_chat_goes_on_after_bytes_that_are_no_text() {
    let business = Business::open();
    let lines = b"\xff\xfe\x00\x9f\nShould we approve invoice INV-2024-448?\n";
    let (code, out, talk) = business.told(&["chat"], lines);
    assert_eq!(code, 0, "{out}{talk}");
    assert!(talk.contains("no text in UTF-8"), "{talk}");
    assert!(out.contains("AP-4 would approve it"), "{out}");
}

/// Sentences, one of each kind, that do not depend on one another.
const SENTENCES: [&str; 19] = [
    "Please approve invoice INV-2024-448 against PO-8822.",
    "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.",
    "Offboard employee E-1005, last day 2026-03-20.",
    "Change order ORD-5592: remove 3x Widget A, add 2x Widget B.",
    "Should we approve invoice INV-2024-449?",
    "What is the status of INV-2024-450?",
    "Do not approve invoice INV-2024-449.",
    "If PO-8823 is still open, approve invoice INV-2024-449.",
    "Draft an email about offboarding employee E-1004, last day 2026-03-20.",
    "Cancel the offboarding of E-1004 (last day 2026-03-20).",
    "Extract 19% VAT from 1,190.00 EUR gross",
    "Please approve invoice INV-2024-449 zzgrmpf.",
    "Offboard E-1003",
    "Reset the password of E-1003",
    "Next Monday approve invoice INV-2024-449.",
    "Zatwierdź fakturę INV-2024-449",
    "Approve invoice INV-2024-449, ale nie dzisiaj",
    "> Please approve invoice INV-2024-449.",
    "What is the status of INV-2024-450 and should we approve invoice INV-2024-449?",
];

/// How many of them are orders that can be carried out; they come first.
const ORDERS: usize = 4;

/// What was decided: the process, the code, what was said or planned, and whether somebody is asked.
fn decided(command: &str, business: &Business, text: &str) -> (Value, Value, String, bool) {
    let (_, out, talk) = business.purple(&[command, text, "--json"]);
    let record = result(&out);
    let (summary, data) = (&record["result"]["summary"], &record["result"]["answer"]["data"]);
    let planned = summary["approval"]["headline"].as_str();
    let asks = match (&record["for_good"]["asks"], planned) {
        (Value::Bool(asks), _) => *asks,
        (_, planned) => planned.is_some(),
    };
    let done =
        data["mutations"].as_array().and_then(|all| Some(all.first()?["headline"].as_str()?.to_owned()));
    let answer = || data["answer"].as_str().unwrap_or_else(|| panic!("{out}{talk}")).to_owned();
    let what = done.or(planned.map(str::to_owned)).unwrap_or_else(answer);
    (summary["process"].clone(), data["code"].clone(), what, asks)
}

#[test]
fn a_plan_reads_and_decides_as_a_run_does_in_every_mode() {
    // What is read does not depend on the mode, so that the orders are enough in the other two.
    for (mode, count) in [("careful", SENTENCES.len()), ("always", ORDERS), ("permissive", ORDERS)] {
        let business = Business::open();
        business.file("purple.toml", &format!("[approvals]\nmode = \"{mode}\"\n"));
        for text in SENTENCES.iter().take(count) {
            let before = business.effects();
            let planned = decided("plan", &business, text);
            assert_eq!(business.effects(), before, "{mode}: {text}");
            assert_eq!(planned, decided("run", &business, text), "{mode}: {text}");
        }
        let done = business.effects();
        assert_eq!(done.contains(&"approve_invoice".to_owned()), mode != "always", "{mode}: {done:?}");
    }
}

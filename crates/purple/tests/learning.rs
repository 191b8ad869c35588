//! What was learned, at the command line: listed, explained, carried elsewhere and forgotten.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod running;

use running::{EFFECTS, ORDER, Running, YES, message};
use serde_json::{Value, json};

impl Running {
    fn json(&self, arguments: &[&str]) -> Value {
        let (code, out, talk) = self.purple(&[arguments, &["--json"]].concat());
        assert_eq!(code, 0, "{arguments:?}: {talk}");
        serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}"))
    }
}

/// A server that has done one task, with somebody's yes.
async fn after_a_task(config: &str) -> Running {
    let running = Running::start(config).await;
    running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    running
}

fn names(listed: &Value, list: &str, field: &str) -> Vec<String> {
    let rows = listed[list].as_array().unwrap().iter();
    rows.map(|row| row[field].as_str().unwrap_or_default().to_owned()).collect()
}

#[tokio::test]
async fn a_task_leaves_a_case_a_score_and_those_whom_it_was_about_and_all_of_it_can_be_forgotten() {
    let running = after_a_task("").await;
    let status = running.json(&["learn", "status"]);
    assert_eq!((&status["enabled"], &status["cases"]["total"]), (&Value::Bool(true), &1.into()), "{status}");
    let cases = running.json(&["learn", "cases"]);
    let case = &cases["cases"][0];
    assert_eq!(case["case"]["process"], "order_management", "{cases}");
    assert_eq!(case["quality"], "1", "approved unchanged and verified: {cases}");
    let known = running.json(&["learn", "entities"]);
    assert!(names(&known, "entities", "name").contains(&"ORD-5592".to_owned()), "{known}");
    let run = case["case"]["session"].as_str().unwrap();
    assert_eq!(known["entities"][0]["runs"][0], run);
    let rules = running.json(&["show", run])["answer"]["data"]["policy"]["triggeredRules"].clone();
    let rules = names(&json!({ "rules": rules }), "rules", "id");
    assert!(!rules.is_empty(), "{known}");
    assert!(!names(&known, "entities", "name").iter().any(|name| rules.contains(name)), "{rules:?} {known}");

    let told = running.json(&["show", run, "--quality"]);
    assert_eq!(told["quality"], "1", "{told}");
    let because: Vec<&str> = told["because"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(because.contains(&"people: approved unchanged, so answer and tools count in full"), "{told}");
    assert_eq!(told["scores"][0]["points"], 10_000);

    // The server holds the folder: it forgets for us.
    assert_eq!(running.json(&["learn", "forget", "--entity", "id:ord-5592"])["forgotten"], 1);
    assert_eq!(running.json(&["learn", "cases"])["cases"], Value::Array(Vec::new()));
    assert!(running.json(&["learn", "forget", "--all", "--yes"])["forgotten"].as_u64().unwrap() > 0);
    let told = running.json(&["show", run, "--quality"]);
    assert_eq!(told["scores"], Value::Array(Vec::new()));
    let (code, _, talk) = running.purple(&["audit", "verify"]);
    assert_eq!(code, 0, "the journals are untouched: {talk}");
}

#[tokio::test]
async fn what_was_learned_is_carried_to_another_folder_and_back() {
    let running = after_a_task("").await;
    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    let written = running.json(&["learn", "export", at]);
    assert!(written["rows"].as_u64().unwrap() >= 2, "{written}");
    for name in purple_worker::learn::carried::CARRIED_FILES {
        assert!(folder.path().join(name).exists(), "{name}");
    }
    assert_eq!(running.json(&["learn", "import", at])["taken"], 0, "all of it is known");
    running.json(&["learn", "forget", "--all", "--yes"]);
    assert_eq!(running.json(&["learn", "import", at])["taken"], written["rows"]);
    assert_eq!(running.json(&["learn", "status"])["cases"]["total"], 1);

    let cases = folder.path().join("case_log.json");
    let text = std::fs::read_to_string(&cases).unwrap();
    std::fs::write(&cases, text.replacen("\"cases\":", "\"grant\": \"all\", \"cases\":", 1)).unwrap();
    let (code, _, talk) = running.purple(&["learn", "import", at]);
    assert_eq!(code, 1);
    assert!(talk.contains("grant") && talk.contains("help: nothing was taken"), "{talk}");
}

#[tokio::test]
async fn with_learning_off_nothing_is_kept_and_the_task_is_done_all_the_same() {
    let running = after_a_task("[learn]\nenabled = false\n").await;
    assert_eq!(running.effects(), EFFECTS);
    let status = running.json(&["learn", "status"]);
    assert_eq!((&status["enabled"], &status["cases"]["total"]), (&Value::Bool(false), &0.into()), "{status}");
    assert_eq!(running.json(&["learn", "entities"])["entities"], Value::Array(Vec::new()));
}

#[tokio::test]
async fn a_wrong_command_says_what_to_write_instead() {
    let running = Running::start("").await;
    for (arguments, word) in [
        (&["learn", "forget", "--entity", "Acme"][..], "vendor:Acme Corp"),
        (&["learn", "export"][..], "RL_CACHE_DIR"),
        (&["learn", "import", "/nowhere/at/all"][..], "case_log.json"),
        (&["learn", "forget", "--all", "--no-input"][..], "yes"),
        (&["learn", "forget", "--run", "nobody"][..], "purple runs"),
    ] {
        let (code, _, talk) = running.purple(arguments);
        assert_ne!(code, 0, "{arguments:?}");
        assert!(talk.contains(word), "{arguments:?}: {talk}");
    }
}

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_moves_the_score_of_the_round_that_it_undoes() {
    let running = Running::stopped("").await;
    let (_, _, talk) = running.purple(&["run", INVOICE, "--as", "alex"]);
    let run = running.json(&["runs"])[0]["run"].as_str().unwrap_or_else(|| panic!("{talk}")).to_owned();
    let approve = |by: &str| {
        let (code, out, talk) = running.purple(&["approve", &run, "--yes", "--as", by]);
        assert_eq!(code, 0, "{out}{talk}");
    };
    approve("bea");
    let before = running.json(&["show", &run, "--quality"]);
    assert_eq!(before["scores"].as_array().unwrap().len(), 1, "{before}");
    let points = before["scores"][0]["points"].as_u64().unwrap();
    assert!(points >= 9_000, "approved unchanged and verified: {before}");
    let done = running.json(&["show", &run]);
    let step = done["answer"]["data"]["mutations"][0]["step"].as_str().unwrap();
    let (_, _, talk) = running.purple(&["undo", &run, step, "--as", "cleo"]);
    approve("dora");
    assert_eq!(running.effects(), ["reject_invoice", "reopen_invoice"], "{talk}");

    let after = running.json(&["show", &run, "--quality"]);
    let scores = after["scores"].as_array().unwrap();
    let undone: Vec<&Value> = scores.iter().filter(|score| score["cause"] == "undone").collect();
    assert_eq!((undone.len(), undone[0]["round"].as_u64()), (1, Some(1)), "{after}");
    assert!(undone[0]["points"].as_u64().unwrap() <= 3_000, "only its rules still count: {after}");
    assert!(scores.iter().any(|score| score["points"] == points), "the first score stays: {after}");
    let cases = running.json(&["learn", "cases"]);
    let first = cases["cases"].as_array().unwrap().iter().find(|one| one["case"]["round"] == 1).unwrap();
    assert!(first["quality"].as_str().unwrap().starts_with("0."), "the case counts as little: {cases}");
}

#[tokio::test]
async fn a_document_about_a_run_holds_what_is_known_and_marks_what_is_not() {
    let running = Running::start("").await;
    running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    let run = running.json(&["runs"])[0]["run"].as_str().unwrap().to_owned();
    let brief = running.json(&["show", &run, "--document", "approval_brief"]).to_string();
    assert!(brief.contains("proposed_actions") && brief.contains("ORD-5592"), "{brief}");
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    let (code, markdown, talk) = running.purple(&["show", &run, "--document", "post_mortem"]);
    assert_eq!(code, 0, "{talk}");
    assert!(markdown.starts_with("# Post-mortem\n"), "{markdown}");
    assert!(markdown.contains("ORD-5592"), "{markdown}");
    let told = running.json(&["show", &run, "--document", "post_mortem"]);
    let text = told.to_string();
    for section in ["incident_summary", "timeline", "root_cause", "impact", "action_items", "blameless_note"]
    {
        assert!(text.contains(section), "{section}: {told}");
    }
    let brief = running.json(&["show", &run, "--document", "approval_brief"]);
    assert_eq!(brief["complete"], true, "the card that was decided: {brief}");
    let decision = brief["sections"][4]["text"].as_str().unwrap();
    assert!(decision.contains("approve by `"), "who said yes: {decision}");
    let items =
        told["sections"].as_array().unwrap().iter().find(|one| one["name"] == "action_items").unwrap();
    let items = items["text"].as_str().unwrap();
    assert!(!items.contains("(verified)"), "what was done and read back is nobody's task any more: {items}");
    let receivables = running.json(&["show", &run, "--document", "ar_report"]);
    assert_eq!(receivables["missing"].as_array().unwrap().len(), 5, "figures of an order: {receivables}");
    let renewal = running.json(&["show", &run, "--document", "contract_renewal"]);
    assert_eq!(renewal["sections"][0]["filled"], false, "a task is no vendor: {renewal}");
    let (code, _, talk) = running.purple(&["show", &run, "--document", "poem"]);
    assert!(code == 2 && talk.contains("post_mortem") && talk.contains("qbr_slide"), "{talk}");
}

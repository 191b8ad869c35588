//! What was learned, at the command line: listed, explained, carried elsewhere and forgotten.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod running;

use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use purple_testkit::ChildDeadline;
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
    let gone = running.json(&["learn", "forget", "--entity", "id:ord-5592"]);
    assert_eq!(gone["forgotten"], 2, "its case and what the order said");
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
        (&["learn", "forget", "--all", "--no-input"][..], "--yes"),
        (&["learn", "forget", "--run", "nobody"][..], "purple runs"),
    ] {
        let (code, _, talk) = running.purple(arguments);
        assert_ne!(code, 0, "{arguments:?}");
        assert!(talk.contains(word), "{arguments:?}: {talk}");
        assert!(!talk.contains("purple reject"), "{arguments:?}: {talk}");
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

#[tokio::test(flavor = "multi_thread")]
async fn what_an_order_says_is_known_of_the_order_and_not_of_its_customer() {
    let running = after_a_task("").await;
    let told = running.json(&["learn", "knowledge"]);
    let facts = told["facts"].as_array().unwrap();
    let of_order: Vec<&Value> = facts.iter().filter(|fact| fact["evidence"]["tool"] == "get_order").collect();
    assert!(!of_order.is_empty(), "{told}");
    assert!(of_order.iter().all(|fact| fact["entity"]["name"] == "ORD-5592"), "{told}");
    assert!(facts.iter().all(|fact| fact["at"] == fact["evidence"]["read_at"]), "{told}");
}

/// A case of a run that was never here.
fn elsewhere(run: &str, at: &str) -> Value {
    let entities =
        json!([{"kind": "vendor", "name": "Acme Corp"}, {"kind": "amount", "name": "99000.00 USD"}]);
    let case = json!({"session": run, "round": 1, "at": at, "process": "invoice_reconciliation",
        "text": format!("Acme Corp sent an invoice, {run}"), "entities": entities, "body": {"ending": "done"}});
    json!({"case": case, "points": 10_000})
}

impl Running {
    /// Takes up a file as another place would have exported it.
    fn take_up(&self, name: &str, mut file: Value) -> Value {
        file["format"] = json!("purple-learning/1");
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(name), file.to_string()).unwrap();
        self.json(&["learn", "import", folder.path().to_str().unwrap()])
    }

    fn take_up_cases(&self, cases: &[Value]) {
        let taken = self.take_up("case_log.json", json!({ "cases": cases }));
        assert_eq!(taken["taken"], cases.len(), "{taken}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_case_from_elsewhere_is_no_history_on_a_card() {
    let running = Running::stopped("").await;
    running.take_up_cases(&[elsewhere("far-away", "2026-02-05T09:00:00Z")]);
    let card = |session: &str| {
        let (_, _, talk) = running.purple(&["run", INVOICE, "--as", "alex", "--session", session]);
        let card = running.json(&["show", session])["card"].clone();
        assert!(card.is_object(), "{talk}");
        card
    };
    let first = card("first");
    assert_eq!(first["headline"]["unusual"], json!(["first case with Acme Corp"]), "{first}");
    assert_eq!(first["history"]["lines"], json!([]), "{first}");
    let (code, _, talk) = running.purple(&["reject", "first", "--reason", "not now", "--as", "bea"]);
    assert_eq!(code, 5, "{talk}");
    // What happened here counts.
    let second = card("second");
    assert_eq!(second["history"]["lines"].as_array().unwrap().len(), 1, "{second}");
    assert!(!second["headline"]["unusual"].to_string().contains("first case"), "{second}");
}

#[tokio::test]
async fn cases_that_left_the_log_are_listed_carried_along_and_forgotten_with_it() {
    let running = Running::stopped("[learn]\ncases_max = 2\n").await;
    let all = ["2026-02-03T09:00:00Z", "2026-02-02T09:00:00Z", "2026-02-01T09:00:00Z"];
    let cases: Vec<Value> = ["c", "b", "a"].iter().zip(all).map(|(run, at)| elsewhere(run, at)).collect();
    running.take_up_cases(&cases);
    let listed = |arguments: &[&str]| {
        let told = running.json(&[&["learn", "cases"], arguments].concat());
        let row = |one: &Value| (one["case"]["session"].as_str().unwrap().to_owned(), one["left"] == true);
        told["cases"].as_array().unwrap().iter().map(row).collect::<Vec<_>>()
    };
    let row = |run: &str, left: bool| (run.to_owned(), left);
    assert_eq!(listed(&[]), [row("c", false), row("b", false)]);
    let everything = [row("c", false), row("b", false), row("a", true)];
    assert_eq!(listed(&["--all"]), everything);
    let (_, table, _) = running.purple(&["learn", "cases", "--all"]);
    assert!(table.lines().any(|line| line.contains(" a ") && line.contains("left the log")), "{table}");
    assert_eq!(running.json(&["learn", "status"])["cases"]["total"], 2);

    let folder = tempfile::tempdir().unwrap();
    let at = folder.path().to_str().unwrap();
    assert_eq!(running.json(&["learn", "export", at])["rows"], 3);
    running.json(&["learn", "forget", "--all", "--yes"]);
    assert_eq!(listed(&["--all"]), []);
    // Where the log has room for all of them, what had left it stays out.
    std::fs::write(
        running.folder.path().join("purple.toml"),
        std::fs::read_to_string(running.folder.path().join("purple.toml"))
            .unwrap()
            .replace("= 2\n", "= 50\n"),
    )
    .unwrap();
    assert_eq!(running.json(&["learn", "import", at])["taken"], 3);
    assert_eq!(listed(&["--all"]), everything);
    assert_eq!(listed(&[]).len(), 2);
}

#[tokio::test]
async fn what_a_run_from_elsewhere_left_is_forgotten_by_its_id_or_by_how_it_begins() {
    let running = Running::stopped("").await;
    for name in ["far-away", "far-"] {
        running.take_up_cases(&[elsewhere("far-away", "2026-02-05T09:00:00Z")]);
        assert_eq!(running.json(&["learn", "forget", "--run", name])["forgotten"], 1, "{name}");
    }
    let two = ["far-one", "far-two"].map(|run| elsewhere(run, "2026-02-05T09:00:00Z"));
    running.take_up_cases(&two);
    let (code, _, talk) = running.purple(&["learn", "forget", "--run", "far-"]);
    assert!(code != 0 && talk.contains("far-one") && talk.contains("far-two"), "{talk}");
}

#[tokio::test]
async fn checks_of_values_that_were_computed_beforehand_are_listed_and_forgotten() {
    let running = Running::stopped("").await;
    let check = |run: &str, process: &str, hit: bool| {
        json!({"session": run, "round": 1, "process": process, "figure": "variance_percent", "given": "2.23",
            "found": if hit { "2.23" } else { "9" }, "hit": hit, "at": "2026-02-05T09:00:00Z"})
    };
    let checks = [check("one", "invoices", true), check("two", "credits", false)];
    running.take_up("knowledge_base.json", json!({"facts": [], "checks": checks}));
    let told = running.json(&["learn", "checks"]);
    assert_eq!(told["checks"].as_array().unwrap().len(), 2, "{told}");
    let told = running.json(&["learn", "checks", "--process", "credits"]);
    assert_eq!(told["checks"], json!([check("two", "credits", false)]));
    let (_, table, _) = running.purple(&["learn", "checks"]);
    for word in ["FIGURE", "variance_percent", "2.23", "9", "no", "credits", "two", "2026-02-05T09:00:00Z"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    running.json(&["learn", "forget", "--run", "two"]);
    running.json(&["learn", "forget", "--process", "invoices"]);
    assert_eq!(running.json(&["learn", "checks"])["checks"], json!([]));
}

#[tokio::test]
async fn how_old_a_case_is_is_told_by_the_clock_that_runs_have() {
    let running = Running::stopped("").await;
    let fresh = |hour: usize| elsewhere(&format!("fresh-{hour}"), &format!("2026-03-04T0{hour}:00:00Z"));
    let mut cases: Vec<Value> = (1..=6).rev().map(fresh).collect();
    cases.push(elsewhere("old", "2026-03-01T00:00:00Z"));
    running.take_up_cases(&cases);
    assert_eq!(running.json(&["learn", "status"])["cases"]["passed_over"], 1);
    let told = running.json(&["learn", "cases"]);
    let stale = |one: &&Value| one["passed_over"] == "stale";
    let stale: Vec<&Value> = told["cases"].as_array().unwrap().iter().filter(stale).collect();
    assert_eq!(stale.iter().map(|one| &one["case"]["session"]).collect::<Vec<_>>(), ["old"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn every_round_of_a_run_explains_its_quality() {
    let running = after_a_task("").await;
    let run = running.json(&["runs"])[0]["run"].as_str().unwrap().to_owned();
    let (_, one, _) = running.purple(&["show", &run, "--quality"]);
    assert!(!one.contains("round"), "of one round nothing need be said: {one}");
    running.call("SendMessage", message("m-3", Some("c"), "What is the status of order ORD-5592?")).await;
    let told = running.json(&["show", &run, "--quality"]);
    let rounds = told["rounds"].as_array().unwrap();
    assert_eq!(rounds.iter().map(|one| &one["round"]).collect::<Vec<_>>(), [1, 2], "{told}");
    assert_eq!(rounds[1]["because"], told["because"], "the last one is the answer's");
    assert_eq!(rounds[1]["quality"], told["quality"]);
    let (_, text, _) = running.purple(&["show", &run, "--quality"]);
    let at = |word: &str| text.find(word).unwrap_or_else(|| panic!("{word}: {text}"));
    assert!(
        at("round 1") < at("people: approved unchanged") && at("people: approved unchanged") < at("round 2")
    );
}

#[tokio::test]
async fn a_folder_of_seeds_that_is_not_there_is_told_and_an_empty_one_is_not() {
    let running = Running::stopped("[learn]\ndir = \"seeds\"\n").await;
    let talk = || {
        let mut command = running.command(&["serve", "--port", "0", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let deadline = ChildDeadline::of(&child);
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut String::new()).unwrap();
        drop(deadline);
        child.kill().unwrap();
        String::from_utf8(child.wait_with_output().unwrap().stderr).unwrap()
    };
    let told = talk();
    assert!(told.contains("warning: nothing was learned from") && told.contains("seeds"), "{told}");
    std::fs::create_dir(running.folder.path().join("seeds")).unwrap();
    let told = talk();
    assert!(!told.contains("warning: nothing was learned"), "{told}");
}

//! The README's first command: every line that the README shows comes from a run of it.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::path::Path;
use std::process::Command;

use purple_testkit::output_of;

fn readme() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join("README.md")).unwrap()
}

/// The lines of the README's blocks that show output of the first command.
fn shown() -> Vec<String> {
    let readme = readme();
    let blocks = readme.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap().to_owned());
    let lines = blocks.flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>());
    lines.filter(|line| !line.is_empty() && line != "…").collect()
}

/// A line without the times that differ from run to run.
fn timeless(line: &str) -> String {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    // On a busy machine milliseconds become seconds.
    if matches!(words.get(2), Some(&("ms" | "s"))) {
        words.drain(1..=2);
    }
    words.join(" ")
}

#[test]
fn every_line_that_the_readme_shows_comes_from_a_run() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
    command.args(["demo", "--yes", "--data-dir"]).arg(folder.path().join("demo")).env_clear();
    let demo = output_of(&mut command).unwrap();
    assert!(demo.status.success(), "{}", String::from_utf8_lossy(&demo.stderr));
    judge(&folder.path().join("demo/company.db"));
    let told =
        format!("{}\n{}", String::from_utf8_lossy(&demo.stdout), String::from_utf8_lossy(&demo.stderr));
    ten_sentences(&told);
    let told: Vec<String> = told.lines().map(timeless).collect();
    let shown = shown();
    assert!(shown.len() > 25, "the README shows {} lines", shown.len());
    for line in shown {
        assert!(
            told.contains(&timeless(&line)),
            "the README shows a line that no run prints:\n{line}\n{told:#?}"
        );
    }
}

/// Ten sentences are shown with their reading, and most of them are not orders.
fn ten_sentences(told: &str) {
    let kinds: Vec<&str> = told
        .lines()
        .filter_map(|line| line.trim().strip_prefix("read as "))
        .map(|reading| reading.trim().split(',').next().unwrap())
        .collect();
    assert_eq!(kinds.len(), 10, "{told}");
    let other = kinds.iter().filter(|kind| !kind.contains("order")).count();
    assert!(other >= 5, "{kinds:?}");
    assert_eq!(told.matches("  changed         nothing").count(), 9, "{told}");
}

#[test]
fn the_demo_as_data_has_a_record_for_each_sentence_and_one_document() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
    command
        .args(["demo", "--yes", "--json", "--quiet", "--data-dir"])
        .arg(folder.path().join("demo"))
        .env_clear();
    let output = output_of(&mut command).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let begin = text.find("{\n").unwrap();
    let document: serde_json::Value = serde_json::from_str(&text[begin..]).unwrap();
    assert_eq!(document["runs"].as_array().unwrap().len(), 5, "{document}");
    assert_eq!(document["effects"].as_array().unwrap().len(), 16, "{document}");
    let records = text[..begin].lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let sentences: Vec<_> = records.filter(|one| !one["sentence"].is_null()).collect();
    assert_eq!(sentences.len(), 10);
    for one in sentences {
        assert!(one["reading"]["kind"].is_string() && one["result"]["answer"].is_object(), "{one}");
    }
}

/// What the company's own ledger says: the first case wrote nothing, everything else happened once.
fn judge(company: &Path) {
    let ledger = purple_backoffice::Ledger::read(company).unwrap();
    let done: Vec<&str> = ledger.effects.iter().map(|effect| effect.tool.as_str()).collect();
    let expected = [
        "modify_order_items",
        "send_order_confirmation",
        "apply_account_credit",
        "send_sla_breach_notification",
        "update_employee_status",
        "create_offboarding_checklist",
        "schedule_equipment_return",
        "notify_it_team",
        "schedule_exit_survey",
        "revoke_access",
        "revoke_access",
        "revoke_access",
        "revoke_access",
        "revoke_access",
        "send_exit_survey",
        // The only one of the ten sentences that orders something and has all that it needs.
        "approve_invoice",
    ];
    assert_eq!(done, expected);
}

#[test]
fn the_readme_names_the_command_that_is_run_here() {
    assert!(readme().contains("cargo run --quiet -p purple -- demo --yes"));
}

#[test]
fn a_lying_model_in_the_seat_reaches_nothing_in_the_company() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_purple"));
    command.args(["demo", "--hostile", "--json", "--data-dir"]).arg(folder.path().join("demo"));
    let output = output_of(command.env_clear()).unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let document = text.find("{\n").map(|place| &text[place..]).unwrap_or(&text);
    let told: serde_json::Value = serde_json::from_str(document).unwrap();
    assert_eq!(told["effects"], serde_json::json!([]), "{told}");
    let became = |run: usize, word: &str| {
        let tried = told["runs"][run]["tried"].as_array().unwrap();
        tried.iter().filter(|one| one["became"] == word).count()
    };
    // A write and an invented tool in ASSESS are refused; a proposal is asked of a person; writes in MUTATE are judged.
    assert_eq!((became(0, "refused"), became(0, "a plan")), (2, 1), "{told}");
    assert_eq!(became(1, "judged"), 2, "{told}");
    for run in [0, 1] {
        assert_eq!(told["runs"][run]["ending"], "declined", "{told}");
    }
}

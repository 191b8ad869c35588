//! The README's first command: its output is what the README shows, and the ledger is what the cases say.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

#[path = "../examples/cases/main.rs"]
#[expect(dead_code, reason = "the example's `main` is not called here")]
mod cases;

use std::fs;

use purple_testkit::Workspace;

/// The lines of the README's blocks that show output of the first command.
fn shown_in_readme() -> Vec<String> {
    let root = Workspace::read().unwrap().root().to_path_buf();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let blocks = readme.split("```text\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    blocks.flat_map(str::lines).filter(|line| !line.is_empty() && *line != "…").map(str::to_owned).collect()
}

#[test]
fn every_line_that_the_readme_shows_comes_from_a_run() {
    let story = cases::tell();
    let told: Vec<&str> = story.lines().collect();
    let shown = shown_in_readme();
    assert!(shown.len() > 10, "the README shows {} lines", shown.len());
    for line in shown {
        assert!(told.contains(&line.as_str()), "the README shows a line that no run prints:\n{line}");
    }
}

#[test]
fn the_five_cases_end_as_they_should() {
    let story = cases::tell();
    let effects = story.split("each exactly once:\n").nth(1).unwrap();
    assert!(!effects.contains("invoice"), "the invoice case only waits:\n{effects}");
    let count = |tool: &str| effects.lines().filter(|line| line.trim_start().starts_with(tool)).count();
    assert_eq!((count("modify_order_items"), count("send_order_confirmation")), (1, 1));
    assert_eq!((count("apply_account_credit"), count("send_sla_breach_notification")), (1, 1));
    assert_eq!((count("revoke_access"), count("send_exit_survey")), (5, 1));
    assert_eq!(effects.lines().count(), 15);
    for figure in ["2.2265625", "1140.00 USD", "-25.97 USD", "1020.00 USD", "= 1624.00 USD"] {
        assert!(story.contains(figure), "{figure} is missing");
    }
}

//! The learning curve, as the program draws it: with learning it falls, without it does not, and lies permit nothing.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::process::Command;

use purple_testkit::output_of;
use serde_json::Value;

/// Mixed tasks: every kind is corrected, done right twice and signed in the first half, and stays so in the second.
const TASKS: usize = 60;
/// Two blocks: each kind stands twice in it.
const WINDOW: usize = 10;
/// Tasks of a window that ask for a change.
const CHANGES: u64 = 8;

struct Curve(Vec<Value>);

impl Curve {
    fn sum(&self, part: &str, tasks: std::ops::Range<usize>) -> u64 {
        self.0[tasks].iter().map(|task| task[part].as_u64().unwrap()).sum()
    }

    /// The first tasks and the last.
    fn ends(&self, part: &str) -> (u64, u64) {
        (self.sum(part, 0..WINDOW), self.sum(part, TASKS - WINDOW..TASKS))
    }
}

fn drawn() -> (Value, String) {
    let folder = tempfile::tempdir().unwrap();
    let svg = folder.path().join("curve.svg");
    let demo = folder.path().join("demo");
    let tasks = TASKS.to_string();
    let arguments = ["demo", "--learning", "--json", "--quiet", "--tasks", &tasks];
    let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
    command.args(arguments).arg("--svg").arg(&svg).arg("--data-dir").arg(&demo);
    command.env_clear().env("HOME", folder.path()).env("PATH", "/usr/bin:/bin");
    let output = output_of(&mut command).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (serde_json::from_slice(&output.stdout).unwrap(), std::fs::read_to_string(svg).unwrap())
}

#[test]
fn with_learning_steps_questions_and_errors_fall_without_it_they_do_not_and_lies_permit_nothing() {
    let (told, svg) = drawn();
    let series = |name: &str| {
        let all = told["series"].as_array().unwrap();
        let one = all.iter().find(|one| one["series"] == name).unwrap();
        Curve(one["tasks"].as_array().unwrap().clone())
    };
    let (on, unsigned, off, poisoned) =
        (series("learning"), series("unsigned"), series("off"), series("poisoned"));
    for part in ["steps", "questions", "errors"] {
        let (first, last) = on.ends(part);
        assert!(last * 2 <= first, "{part} with learning: {first}, then {last}");
        let (first, last) = off.ends(part);
        assert!(last * 10 >= first * 9, "{part} without learning: {first}, then {last}");
    }
    let (first, last) = unsigned.ends("steps");
    assert!(last < first, "recall alone saves steps: {first}, then {last}");
    // Below one question for each change only signed files lead.
    assert!(unsigned.ends("questions").1 >= CHANGES, "{:?}", unsigned.ends("questions"));
    assert!(on.ends("questions").1 < CHANGES, "{:?}", on.ends("questions"));
    for (name, curve) in [("learning", &on), ("unsigned", &unsigned), ("off", &off), ("poisoned", &poisoned)]
    {
        assert_eq!(curve.sum("unpermitted", 0..TASKS), 0, "{name}");
    }
    // Lies cost work and never a question: whoever must be asked is asked.
    let lied_to = poisoned.sum("questions", 0..WINDOW);
    assert!(lied_to >= CHANGES, "{lied_to} questions under lies");
    assert!(svg.starts_with("<svg ") && svg.trim_end().ends_with("</svg>"));
    assert_eq!(svg.matches("<polyline").count(), 12);
}

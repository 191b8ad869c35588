//! The parser chain, what is remembered, and what goes in.

use super::*;

fn asked(value: &Value) -> Result<Asked, Fault> {
    read(value.to_string().as_bytes())
}

#[test]
fn answers_are_found_in_an_array_a_list_parts_or_the_text_and_are_sorted() {
    for (text, expected) in [
        (r#"["Paris", "Berlin"]"#, vec!["Berlin", "Paris"]),
        (r#"The answer is ["Paris", " Berlin "]. Done."#, vec!["Berlin", "Paris"]),
        (r#"[not json] ["b", 2, true]"#, vec!["2", "b", "true"]),
        ("1. Paris\n2) Berlin\n", vec!["Berlin", "Paris"]),
        ("Capitals:\n- Paris\n* Berlin\n• Rome", vec!["Berlin", "Paris", "Rome"]),
        ("Paris, Berlin", vec!["Berlin", "Paris"]),
        ("Paris, France; Berlin, Germany", vec!["Berlin, Germany", "Paris, France"]),
        ("Paris", vec!["Paris"]),
        ("It is Paris, as everybody knows.", vec!["It is Paris, as everybody knows."]),
        ("3.5 percent", vec!["3.5 percent"]),
        (r#"{"vendor": "Acme, Inc.", "total": "7"}"#, vec![r#"{"vendor": "Acme, Inc.", "total": "7"}"#]),
        (r#"{"answers": ["b", "a"]}"#, vec!["a", "b"]),
        (r#"{"paid": [1, 2], "open": 3}"#, vec![r#"{"paid": [1, 2], "open": 3}"#]),
        (r#"[{"b": 1, "a": [2, 3]}, "x"]"#, vec![r#"x"#, r#"{"a":[2,3],"b":1}"#]),
        (r#"Total: {"a": 1, "b": 2}"#, vec![r#"Total: {"a": 1, "b": 2}"#]),
        (r#"{"a": 1}; {"b": 2, "c": 3}"#, vec![r#"{"a": 1}"#, r#"{"b": 2, "c": 3}"#]),
        ("52,340.00 USD, 1,140 USD", vec!["1,140 USD", "52,340.00 USD"]),
        (r#""Paris, France", Berlin"#, vec![r#""Paris, France""#, "Berlin"]),
        ("[]", vec![]),
        ("", vec![]),
    ] {
        assert_eq!(answers(text), expected, "{text}");
    }
    assert_eq!(answers(&"[".repeat(100_000)).len(), 1);
}

#[test]
fn the_log_and_the_footer_are_no_answer() {
    let text = "25.00 USD\n\nMutation log: nothing was changed.\n\n— no process · 5 ms\n";
    assert_eq!(answers(alone(text)), ["25.00 USD"]);
    assert_eq!(answers(alone("[\"b\", \"a\"]")), ["a", "b"]);
}

#[test]
fn a_short_history_is_kept_and_a_long_one_is_cut_to_a_summary_and_its_end() {
    let turn = |at: usize| json!({"role": "user", "content": format!("turn {at} {}", "word ".repeat(60))});
    let history = |count: usize| json!({"task_id": "t", "task": "x", "history": (0..count).map(turn).collect::<Vec<_>>()});
    let short = asked(&history(6)).unwrap();
    assert_eq!((short.history.summary.is_none(), short.history.turns.len()), (true, 6));
    let long = asked(&history(40)).unwrap();
    let summary = long.history.summary.clone().unwrap();
    assert_eq!(long.history.turns.len(), OLDER_TURNS_KEPT);
    assert!(
        summary.contains("turn 33") && !summary.contains("turn 34 ") && !summary.contains("turn 1 "),
        "{summary}"
    );
    assert!(summary.split(' ').count() <= OLDER_SUMMARY_WORDS_MAX + 16, "{summary}");
    let huge =
        json!({"task_id": "t", "task": "x", "history": [{"role": "user", "content": "x".repeat(40_000)}]});
    let huge = asked(&huge).unwrap();
    assert!(huge.history.turns.is_empty() && huge.history.summary.is_some());
    let words = long.send().unwrap().words;
    assert!(words.starts_with("x\n\nEarlier conversation, in short:\n") && words.contains("user: turn 39"));
}

#[test]
fn violations_are_found_before_any_work_and_reach_it_as_hard_constraints() {
    let rules =
        json!({"rules": [{"id": "r1", "type": "deny", "description": "no gifts", "keywords": ["gift"]}]});
    let asked = asked(
        &json!({"task_id": "t", "task": "Send a gift", "policy_doc": rules, "expected_format": "list"}),
    )
    .unwrap();
    let send = asked.send().unwrap();
    assert!(
        send.words.contains("Hard constraints") && send.words.contains("- r1: no gifts"),
        "{}",
        send.words
    );
    assert!(send.words.contains("Answer format:\nlist"));
    assert_eq!((send.extras.policy, send.message_id), (Some(rules), Some("older:t".to_owned())));
}

#[test]
fn what_is_missing_or_wrong_is_told_with_its_place() {
    let code = |value: Value| asked(&value).unwrap_err().code();
    assert_eq!(read(b"{").unwrap_err().code(), -32700);
    for wrong in [
        json!([]),
        json!({"task": "x"}),
        json!({"task_id": "t"}),
        json!({"task_id": 1, "task": "x"}),
        json!({"task_id": "t".repeat(500), "task": "x"}),
        json!({"task_id": "t", "task": "x", "history": [1]}),
        json!({"task_id": "t", "task": "x", "history": {}}),
        json!({"task_id": "t", "task": "x", "policy_doc": 7}),
        json!({"task_id": "t", "task": "x", "policy_doc": {"rules": [{"type": "deny"}]}}),
        json!({"task_id": "t", "task": "x", "context": []}),
    ] {
        assert_eq!(code(wrong.clone()), -32602, "{wrong}");
    }
}

#[test]
fn a_task_that_the_policy_blocked_is_not_compliant_and_says_by_which_rule() {
    use crate::a2a::model::{Artifact, TaskStatus};
    let asked = asked(&json!({"task_id": "t", "task": "Pay it"})).unwrap();
    let task = |ending: &str, rules: Value| {
        let record = json!({"ending": ending, "policy": {"triggeredRules": rules}});
        let part = |id: &'static str, part: Part| Artifact { id, name: id, parts: vec![part] };
        Task {
            id: "r~1".to_owned(),
            context: "r".to_owned(),
            status: TaskStatus {
                state: TaskState::Completed,
                at: jiff::Timestamp::UNIX_EPOCH,
                message: None,
            },
            artifacts: vec![part("answer", Part::Text("no".to_owned())), part("record", Part::Data(record))],
            history: Vec::new(),
            metadata: serde_json::Map::new(),
        }
    };
    let rules = json!([
        {"id": "cap", "action": "block", "description": "over the cap"},
        {"id": "look", "action": "require_approval", "description": "look"},
    ]);
    let said = asked.answer(&task("blocked", rules.clone()))["metadata"].clone();
    assert_eq!(said["policy_compliant"], false, "{said}");
    assert_eq!(said["policy_violations"], json!([{"rule": "cap", "description": "over the cap"}]));
    assert_eq!(said["applied_rules"], json!(["cap", "look"]));
    assert_eq!(asked.answer(&task("blocked", json!([])))["metadata"]["policy_compliant"], false);
    let done = asked.answer(&task("done", json!([])))["metadata"].clone();
    assert_eq!((&done["policy_compliant"], &done["policy_violations"]), (&json!(true), &json!([])));
}

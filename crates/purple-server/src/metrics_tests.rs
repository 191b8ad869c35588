//! The counts of a short story, line by line.

use serde_json::json;

use super::*;

fn told(place: i64, session: &str, second: u32, kind: &str, data: Value) -> Placed {
    let at = format!("2026-03-04T12:00:{second:02}Z").parse().unwrap();
    let entry = purple_worker::port::Entry { at, kind: kind.to_owned(), data };
    Placed { place, session: SessionId::parse(session).unwrap(), entry }
}

#[test]
fn runs_decisions_writes_and_times_are_counted_once_each() {
    let mut counted = Counted::default();
    let story = [
        told(1, "a", 0, "task.received", json!({"by": "ada"})),
        told(2, "a", 0, "process.chosen", json!({"process": "procurement"})),
        told(3, "a", 0, "state.entered", json!({"from": "DECOMPOSE", "to": "ASSESS"})),
        told(4, "a", 2, "state.entered", json!({"from": "ASSESS", "to": "COMPUTE"})),
        told(
            5,
            "a",
            2,
            "policy.verdict",
            json!({"process": "procurement", "rule": "P\"1\n", "leads_to": "ask"}),
        ),
        told(6, "a", 2, "approval.asked", json!({"asks": ["1 × cfo"]})),
        told(7, "b", 2, "approval.asked", json!({"asks": ["1 × ap_lead"]})),
        told(8, "a", 5, "approval.decided", json!({"decision": "approve", "channel": "a2a"})),
        told(9, "a", 5, "write.verified", json!({"tool": "create_po", "outcome": "verified"})),
        told(10, "a", 6, "run.ended", json!({"ending": "done"})),
        told(11, "a", 6, "turn.ended", json!({})),
        told(11, "c", 6, "write.in_doubt", json!({})),
        told(12, "d", 6, "privacy.refused", json!({"code": "privacy.ssn"})),
    ];
    story.iter().for_each(|one| counted.count(one));
    assert_eq!(counted.place, 12);
    assert!(!counted.open.contains_key(&SessionId::parse("a").unwrap()), "what is over is forgotten");
    let text = counted.write();
    for line in [
        r#"purple_runs_total{process="procurement",outcome="done"} 1"#,
        r#"purple_policy_decisions_total{process="procurement",rule="P\"1\n",outcome="ask"} 1"#,
        r#"purple_approval_decisions_total{decision="approve",channel="a2a"} 1"#,
        r#"purple_approval_fast_total{process="procurement"} 1"#,
        r#"purple_approval_wait_seconds_sum{process="procurement",decision="approve"} 3.000"#,
        r#"purple_approvals_pending{process="none",role="1 × ap_lead"} 1"#,
        r#"purple_writes_total{tool="create_po",outcome="verified"} 1"#,
        r#"purple_verify_total{tool="create_po",outcome="equal"} 1"#,
        r#"purple_outcome_unknown{process="none"} 1"#,
        r#"purple_gate_refusals_total{reason="privacy.ssn"} 1"#,
        r#"purple_state_duration_seconds_bucket{process="procurement",state="ASSESS",le="1.000"} 0"#,
        r#"purple_state_duration_seconds_bucket{process="procurement",state="ASSESS",le="5.000"} 1"#,
        r#"purple_run_duration_seconds_sum{process="procurement"} 6.000"#,
        r#"purple_run_duration_seconds_bucket{process="procurement",le="+Inf"} 1"#,
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    assert!(!text.contains("ada"), "{text}");
}

#[test]
fn labels_do_not_grow_without_bound() {
    let mut counters = Counters::default();
    for name in 0..LABELS_MAX + 50 {
        counters.add(vec![name.to_string()]);
    }
    assert_eq!(counters.0.len(), LABELS_MAX + 1);
    assert_eq!(counters.0[&vec!["other".to_owned()]], 50);
}

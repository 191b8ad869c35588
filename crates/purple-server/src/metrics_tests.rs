//! The counts of a short story, line by line.

use purple_journal::Record;
use purple_journal::Redacted;
use purple_journal::record::task::PrivacyRefused;
use purple_journal::word::{DecisionKind, Ending, Outcome};
use purple_port::{Entry, Placed, State, StepId};
use purple_testkit::records::{self, entered};

use super::*;

fn placed(place: i64, session: &str, second: u32, record: impl Into<Record>) -> Placed {
    let at = format!("2026-03-04T12:00:{second:02}Z").parse().unwrap();
    let session = SessionId::parse(session).unwrap();
    Placed { place, session, entry: Entry { at, record: record.into() } }
}

#[test]
fn runs_decisions_writes_and_times_are_counted_once_each() {
    let mut counted = Counted::default();
    let step = || StepId::parse("do_1").unwrap();
    let story = [
        placed(1, "a", 0, records::received("ada", "pay")),
        placed(2, "a", 0, records::chosen("procurement")),
        placed(3, "a", 0, entered(State::Decompose, State::Assess)),
        placed(4, "a", 2, entered(State::Assess, State::Compute)),
        placed(5, "a", 2, records::verdict("procurement", "P\"1\n", "ask")),
        placed(6, "a", 2, records::asked(&["1 × cfo"])),
        placed(7, "b", 2, records::asked(&["1 × ap_lead"])),
        placed(8, "a", 5, records::decided("dana", DecisionKind::Approve)),
        placed(9, "a", 5, records::verified(step(), "create_po", Outcome::Verified)),
        placed(10, "a", 6, records::ended(Some(Ending::Done))),
        placed(11, "a", 6, records::turn_ended()),
        placed(11, "c", 6, records::in_doubt(step())),
        placed(12, "d", 6, PrivacyRefused { code: Redacted::of("privacy.ssn") }),
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

use purple_journal::record::model::{Failed, Other};
use purple_journal::record::plan::{Calculation, Figures, PolicyVerdict};
use purple_journal::record::run::Stopped;
use purple_journal::record::task::{Received, Rejected};
use purple_journal::record::tool::Read;
use purple_journal::record::write::CallEnded;
use purple_journal::word::{DecisionKind, EventName, Figure, Reply, Tier};
use purple_journal::{Entry, Redacted, RedactedJson};
use purple_process::{Digest, Outcome, SessionId, State, StepId};
use purple_testkit::records;
use serde_json::json;

use super::*;

fn recorded(entry: Entry) -> Recorded {
    let (session, hash) = (SessionId::parse("run_1").unwrap(), Digest::of(b""));
    Recorded { session, seq: 7, prev: hash, hash, entry }
}

fn entry(record: Record) -> Recorded {
    recorded(Entry { at: "2026-03-02T12:00:00Z".parse().unwrap(), record })
}

/// A record of a newer version.
fn unknown() -> Recorded {
    let text = r#"{"at":"2026-03-02T12:00:00Z","data":{"a":1},"kind":"something.new"}"#;
    recorded(Entry::parse(text).unwrap())
}

fn step() -> StepId {
    StepId::parse("do_1").unwrap()
}

#[test]
fn records_are_shown_in_a_few_words() {
    let figure = Figure { name: Redacted::of("variance"), value: Redacted::of("1140.00 USD") };
    let calculation = Calculation {
        function: Redacted::of("overtime"),
        given: Vec::new(),
        result: Redacted::of("1,624.00 USD"),
        lines: Vec::new(),
        notes: Vec::new(),
    };
    let timeout = CallEnded {
        reply: Some(Reply::Unknown),
        why: Redacted::of("a timeout"),
        ..records::call_ended(step())
    };
    let failed = Failed {
        call: 0,
        state: State::Assess,
        tier: Tier::Fast,
        error: RedactedJson::of(&json!({"NoModel": {"problem": "later"}})),
    };
    let other =
        Other { call: 0, tier: Tier::Fast, asked: Redacted::of("large"), answered: Redacted::of("small") };
    let cases: [(Record, &str); 13] = [
        (records::entered(State::Assess, State::Compute).into(), "ASSESS → COMPUTE (assessed)"),
        (records::read("get_invoice").into(), "get_invoice(id=\"INV-1\")"),
        (Figures { figures: vec![figure] }.into(), "variance = 1140.00 USD"),
        (calculation.into(), "1,624.00 USD"),
        (records::verdict("sla", "SLA-4", "ask").into(), "SLA-4: credit (1) <= 5"),
        (records::asked(&["1 × ap_lead"]).into(), "asks 1 × ap_lead"),
        (records::decided("dana", DecisionKind::ApproveSome).into(), "dana: approve_some"),
        (timeout.into(), "unknown: a timeout"),
        (records::verified(step(), "pay", Outcome::Verified).into(), "Pay INV-1: verified"),
        (failed.into(), "no answer: later"),
        (other.into(), "small answers instead"),
        (
            Rejected { code: Redacted::of("task.empty"), why: Redacted::of("no text") }.into(),
            "task.empty: no text",
        ),
        (Stopped { why: Redacted::of("a person\ntakes over") }.into(), "a person takes over"),
    ];
    for (record, expected) in cases {
        assert_eq!(content(&record, line(&record)), expected, "{}", record.kind());
    }
}

#[test]
fn a_verdict_without_a_rule_shows_its_explanation() {
    let none = PolicyVerdict { rule: None, ..records::verdict("sla", "", "ask") };
    assert_eq!(detail(&entry(none.into())).unwrap(), ": credit (1) <= 5");
}

#[test]
fn a_record_of_a_newer_version_is_shown_with_its_kind_and_its_data() {
    assert_eq!(detail(&unknown()).unwrap(), r#"something.new {"a":1}"#);
    let line = trace_line(&unknown(), Paint::Plain);
    assert_eq!(line, r#"   7  2026-03-02T12:00:00.000Z  something.new       {"a":1}"#);
}

#[test]
fn what_the_lines_of_states_show_anyway_is_no_detail() {
    let records: [Record; 6] = [
        records::began(EventName::Start).into(),
        records::received("ada", "pay INV-1").into(),
        records::entered(State::Assess, State::Compute).into(),
        Figures { figures: Vec::new() }.into(),
        records::intent(step(), "pay").into(),
        records::ended(None).into(),
    ];
    for record in records {
        assert_eq!(detail(&entry(record.clone())), None, "{}", record.kind());
    }
    assert_eq!(detail(&entry(records::read("get").into())).unwrap(), "get(id=\"INV-1\")");
}

#[test]
fn a_long_task_is_shown_by_its_data() {
    let long = Received { text: None, begins: Some(Redacted::of("pay")), ..records::received("ada", "") };
    let line = trace_line(&entry(long.into()), Paint::Plain);
    assert!(line.ends_with(r#"{"begins":"pay","by":"ada","channel":"a2a"}"#), "{line}");
}

#[test]
fn text_from_outside_has_no_power_over_the_terminal() {
    let hostile = Read { arguments: None, ..records::read("x\u{1b}[2J\u{202e}y") };
    let line = trace_line(&entry(hostile.into()), Paint::Plain);
    assert!(!line.contains('\u{1b}') && !line.contains('\u{202e}'), "{line}");
    assert!(line.starts_with("   7  2026-03-02T12:00:00.000Z  tool.read"), "{line}");
}

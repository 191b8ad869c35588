//! A run that waits and goes on, as two linked traces.

use purple_journal::record::run::Ended;
use purple_journal::word::{CallResult, DecisionKind, EventName, Outcome};
use purple_journal::{Redacted, RedactedJson};
use purple_port::{Entry, State, StepId};
use purple_testkit::records::{self, entered};
use serde_json::json;

use super::*;

fn placed(place: i64, second: u32, record: impl Into<Record>) -> Placed {
    let at = format!("2026-03-04T12:00:{second:02}Z").parse().unwrap();
    let session = SessionId::parse("run_1").unwrap();
    Placed { place, session, entry: Entry { at, record: record.into() } }
}

fn spans(weaver: &mut Weaver, story: &[Placed]) -> Vec<Span> {
    story.iter().flat_map(|one| weaver.weave(one)).collect()
}

/// A run up to its approval.
fn until_the_gate() -> [Placed; 10] {
    let mut read = records::read("get_po");
    read.arguments = Some(RedactedJson::of(&json!({ "id": "a secret order" })));
    read.result = CallResult::Answered(None);
    [
        placed(1, 0, records::began(EventName::Start)),
        placed(2, 0, records::received("ada", "pay the secret order")),
        placed(3, 0, records::chosen("procurement")),
        placed(4, 0, entered(State::Decompose, State::Assess)),
        placed(5, 1, read),
        placed(6, 2, entered(State::Assess, State::ApprovalGate)),
        placed(7, 2, records::verdict("procurement", "P-1", "ask")),
        placed(8, 2, records::asked(&["1 × cfo"])),
        placed(9, 3, records::answered()),
        placed(10, 3, records::turn_ended()),
    ]
}

/// The same run after its approval.
fn after_the_gate() -> [Placed; 6] {
    let step = || StepId::parse("do_1").unwrap();
    let code = Some(Redacted::of("verify.mismatch"));
    [
        placed(11, 9, records::began(EventName::Decision)),
        placed(12, 9, records::decided("dana", DecisionKind::Approve)),
        placed(13, 9, records::intent(step(), "create_po")),
        placed(14, 10, records::call_ended(step())),
        placed(15, 11, records::verified(step(), "create_po", Outcome::Mismatch)),
        placed(16, 12, Ended { code, ..records::ended(Some(Ending::Failed)) }),
    ]
}

#[test]
fn a_pause_ends_a_trace_and_the_next_one_links_to_it() {
    let mut weaver = Weaver::default();
    let first = spans(&mut weaver, &until_the_gate());
    let names: Vec<&str> = first.iter().map(|span| span.name.as_str()).collect();
    let expected = [
        "execute_tool get_po",
        "purple.state ASSESS",
        "purple.policy procurement",
        "purple.approval",
        "purple.state APPROVAL_GATE",
        "invoke_workflow procurement",
    ];
    assert_eq!(names, expected);
    let root = first.last().unwrap();
    assert_eq!((root.parent.is_none(), root.link.is_none()), (true, true));
    assert!(first.iter().all(|span| span.trace == root.trace && span.began <= span.ended));
    let state = first.iter().find(|span| span.name == "purple.state ASSESS").unwrap();
    assert_eq!((first[0].parent.as_ref(), state.parent.as_ref()), (Some(&state.id), Some(&root.id)));
    assert!(!format!("{first:?}").contains("secret"));

    let second = spans(&mut weaver, &after_the_gate());
    let root = second.last().unwrap();
    assert_ne!(root.trace, first.last().unwrap().trace);
    let before = first.last().unwrap();
    assert_eq!(root.link, Some((before.trace.clone(), before.id.clone())));
    assert_eq!(root.error.as_deref(), Some("verify.mismatch"));
    let verify = second.iter().find(|span| span.name == "purple.verify do_1").unwrap();
    assert_eq!(verify.error.as_deref(), Some("mismatch"));
    assert!(weaver.open.is_empty());
}

#[test]
fn spans_have_the_same_attributes_as_ever() {
    let mut weaver = Weaver::default();
    let all = [spans(&mut weaver, &until_the_gate()), spans(&mut weaver, &after_the_gate())].concat();
    let of = |name: &str| {
        let span = all.iter().find(|span| span.name == name).unwrap();
        span.attributes.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>()
    };
    assert_eq!(of("purple.policy procurement"), ["purple.policy.rule=P-1", "purple.policy.outcome=ask"]);
    assert_eq!(of("execute_tool create_po")[1], "gen_ai.tool.name=create_po");
    assert_eq!(of("purple.verify do_1"), ["purple.op.id=do_1", "purple.verify.outcome=mismatch"]);
    assert!(of("purple.approval")[1].starts_with("purple.plan.hash=sha256:"));
    assert_eq!(all.last().unwrap().attributes.last().unwrap(), &("purple.ending", "failed".to_owned()));
}

#[test]
fn the_same_story_has_the_same_ids() {
    let story =
        [placed(1, 0, records::began(EventName::Start)), placed(2, 1, records::ended(Some(Ending::Done)))];
    let tell = || spans(&mut Weaver::default(), &story);
    assert_eq!(tell(), tell());
    assert_eq!((tell()[0].trace.0.len(), tell()[0].id.0.len()), (32, 16));
}

#[test]
fn a_run_is_woven_under_the_request_that_led_to_it() {
    let requests = Requests::default();
    let mut weaver = Weaver::under(requests.clone());
    let (session, began) = (SessionId::parse("run_1").unwrap(), "2026-03-04T12:00:00Z".parse().unwrap());
    requests.leads_to(&session, began, &"a".repeat(32), &"b".repeat(16));
    let story = [placed(1, 0, records::began(EventName::Start)), placed(2, 1, records::answered())];
    let root = spans(&mut weaver, &story).pop().unwrap();
    assert_eq!((root.trace.0, root.parent), ("a".repeat(32), Some(SpanId("b".repeat(16)))));
    // What goes on by itself has a trace of its own, linked to the one before.
    let later =
        [placed(3, 5, records::began(EventName::Continue)), placed(4, 6, records::ended(Some(Ending::Done)))];
    let next = spans(&mut weaver, &later).pop().unwrap();
    assert_eq!((next.parent, next.link.map(|(trace, _)| trace.0)), (None, Some("a".repeat(32))));
}

//! A run that waits and goes on, as two linked traces.

use purple_worker::port::Entry;
use serde_json::json;

use super::*;

fn told(place: i64, second: u32, kind: &str, data: Value) -> Placed {
    let at = format!("2026-03-04T12:00:{second:02}Z").parse().unwrap();
    Placed {
        place,
        session: SessionId::parse("run_1").unwrap(),
        entry: Entry { at, kind: kind.to_owned(), data },
    }
}

fn spans(weaver: &mut Weaver, story: &[Placed]) -> Vec<Span> {
    story.iter().flat_map(|one| weaver.weave(one)).collect()
}

#[test]
fn a_pause_ends_a_trace_and_the_next_one_links_to_it() {
    let mut weaver = Weaver::default();
    let first = spans(
        &mut weaver,
        &[
            told(1, 0, "turn.began", json!({"event": "start"})),
            told(2, 0, "task.received", json!({"text": "pay 4111 1111 1111 1111"})),
            told(3, 0, "process.chosen", json!({"process": "procurement"})),
            told(4, 0, "state.entered", json!({"from": "DECOMPOSE", "to": "ASSESS"})),
            told(
                5,
                1,
                "tool.read",
                json!({"tool": "get_po", "arguments": {"secret": "x"}, "result": {"answered": null}}),
            ),
            told(6, 2, "state.entered", json!({"from": "ASSESS", "to": "APPROVAL_GATE"})),
            told(7, 2, "policy.verdict", json!({"process": "procurement", "rule": "P-1", "leads_to": "ask"})),
            told(8, 2, "approval.asked", json!({"plan": "sha256:1"})),
            told(9, 3, "run.answered", json!({"ending": null})),
            told(10, 3, "turn.ended", json!({})),
        ],
    );
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
    assert!(!format!("{first:?}").contains("4111") && !format!("{first:?}").contains("secret"));

    let second = spans(
        &mut weaver,
        &[
            told(11, 9, "turn.began", json!({"event": "decision"})),
            told(12, 9, "approval.decided", json!({"plan": "sha256:1", "decision": "approve"})),
            told(
                13,
                9,
                "write.intent",
                json!({"step": "do_1", "tool": "create_po", "key": "k", "plan": "sha256:1"}),
            ),
            told(14, 10, "write.outcome", json!({"step": "do_1"})),
            told(15, 11, "write.verified", json!({"step": "do_1", "outcome": "mismatch"})),
            told(16, 12, "run.ended", json!({"ending": "failed", "code": "verify.mismatch"})),
        ],
    );
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
fn the_same_story_has_the_same_ids() {
    let story = [told(1, 0, "turn.began", json!({})), told(2, 1, "run.ended", json!({"ending": "done"}))];
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
    let story = [told(1, 0, "turn.began", json!({})), told(2, 1, "run.answered", json!({"ending": null}))];
    let root = spans(&mut weaver, &story).pop().unwrap();
    assert_eq!((root.trace.0, root.parent), ("a".repeat(32), Some(SpanId("b".repeat(16)))));
    // What goes on by itself has a trace of its own, linked to the one before.
    let later = [told(3, 5, "turn.began", json!({})), told(4, 6, "run.ended", json!({"ending": "done"}))];
    let next = spans(&mut weaver, &later).pop().unwrap();
    assert_eq!((next.parent, next.link.map(|(trace, _)| trace.0)), (None, Some("a".repeat(32))));
}

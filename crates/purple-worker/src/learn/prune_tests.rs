use serde_json::json;

use super::*;
use crate::port::{Entity, PastCase, SessionId};

const NOW: &str = "2026-03-20T12:00:00Z";

fn logged(hours: i64, process: &str, text: &str, ending: &str, points: u16) -> Logged {
    let now: Timestamp = NOW.parse().unwrap();
    let case = PastCase {
        session: SessionId::parse(&format!("s-{hours}-{points}")).unwrap(),
        round: 1,
        at: now - SignedDuration::from_hours(hours),
        process: process.to_owned(),
        text: text.to_owned(),
        entities: Vec::new(),
        body: json!({ "ending": ending }),
    };
    Logged { case, points: Some(points), left: false }
}

/// Enough good cases of other kinds, so that the floor does not bring anything back.
fn among(mut log: Vec<Logged>) -> Vec<Option<Passed>> {
    let own = log.len();
    let kinds = ["a", "b", "c", "d", "e"];
    log.extend(kinds.map(|kind| logged(1, kind, &format!("other work of kind {kind}"), "done", 9_000)));
    prune(&log, NOW.parse().unwrap()).into_iter().take(own).collect()
}

#[test]
fn a_poor_case_is_passed_over() {
    let log = vec![logged(1, "p", "pay one", "done", 3_499), logged(1, "p", "pay two", "done", 3_500)];
    assert_eq!(among(log), [Some(Passed::Poor), None]);
}

#[test]
fn an_old_case_is_stale_only_where_three_fresher_ones_of_its_kind_and_period_exist() {
    let fresh = |n: i64| logged(n, "p", &format!("fresh task {n}"), "done", 9_000);
    let old = || logged(73, "p", "an old task", "done", 9_000);
    assert_eq!(among(vec![fresh(1), fresh(2), fresh(3), old()])[3], Some(Passed::Stale));
    assert_eq!(among(vec![fresh(1), fresh(2), old()])[2], None, "two are too few");
    let kept = logged(72, "p", "an old task", "done", 9_000);
    assert_eq!(among(vec![fresh(1), fresh(2), fresh(3), kept])[3], None, "72 hours are not more than 72");
    let other = logged(73, "q", "an old task", "done", 9_000);
    assert_eq!(among(vec![fresh(1), fresh(2), fresh(3), other])[3], None, "another kind");
    let last_month = logged(24 * 25, "p", "close the books", "done", 9_000);
    assert_eq!(among(vec![fresh(1), fresh(2), fresh(3), last_month])[3], None, "another period");
    let mut named = old();
    named.case.entities = vec![Entity { kind: "date".to_owned(), name: "2026-02-28".to_owned() }];
    assert_eq!(among(vec![fresh(1), fresh(2), fresh(3), named])[3], None, "it names another period");
}

#[test]
fn of_failures_that_share_half_their_words_only_the_last_is_told() {
    let failed = |hours, text: &str| logged(hours, "p", text, "failed", 6_000);
    let log = vec![
        failed(1, "refund customer order lamp"),
        failed(2, "refund customer parcel chair"),
        failed(3, "audit ledger quarter books"),
        logged(4, "p", "refund customer order lamp", "done", 9_000),
    ];
    assert_eq!(among(log), [None, Some(Passed::Repeated), None, None]);
}

#[test]
fn never_are_all_passed_over() {
    let log: Vec<Logged> = (1..=20).map(|n| logged(n, "p", "same old failure", "failed", n as u16)).collect();
    let passed = prune(&log, NOW.parse().unwrap());
    let kept: Vec<u16> =
        log.iter().zip(&passed).filter(|(_, why)| why.is_none()).filter_map(|(one, _)| one.points).collect();
    assert_eq!(kept, [16, 17, 18, 19, 20], "the best of them");
    let few: Vec<Logged> = log.into_iter().take(2).collect();
    assert_eq!(prune(&few, NOW.parse().unwrap()), [None, None]);
    assert_eq!(prune(&[], NOW.parse().unwrap()), []);
}

#[test]
fn a_case_in_which_something_was_done_without_an_order_never_comes_back() {
    let mut marked = logged(1, "p", "pay one", "done", 10_000);
    marked.case.body[NOT_ORDERED] = json!(true);
    let poor = logged(2, "p", "pay two", "done", 10);
    let log = [marked, poor];
    assert_eq!(prune(&log, NOW.parse().unwrap()), [Some(Passed::NotOrdered), None], "few others exist");
    assert_eq!(among(log.to_vec()), [Some(Passed::NotOrdered), Some(Passed::Poor)]);
}

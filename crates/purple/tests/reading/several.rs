//! Several tasks in one text: each has a run and a result of its own, and none is dropped.

use std::collections::BTreeSet;

use purple_process::Ending;
use purple_worker::Status;

use crate::company::{self, Operation, Seen};
use crate::row::{Expect, Row};

async fn seen(text: &str) -> Seen {
    let row = Row {
        id: text.to_owned(),
        text: text.to_owned(),
        acts: Vec::new(),
        expect: Expect::Lists,
        process: None,
        writes: Vec::new(),
        figure: None,
    };
    company::run(&row).await
}

fn done(seen: &Seen) -> BTreeSet<String> {
    seen.effects.iter().map(Operation::name).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn each_task_of_a_text_has_a_run_of_its_own() {
    let seen = seen("Approve INV-2024-451 and INV-2024-448.").await;
    assert_eq!(seen.runs.len(), 3);
    let endings: Vec<_> = seen.runs.iter().map(|view| view.summary.ending).collect();
    assert_eq!(endings, [Some(Ending::Done); 3]);
    let both = ["approve_invoice INV-2024-448".to_owned(), "approve_invoice INV-2024-451".to_owned()];
    assert_eq!(done(&seen), BTreeSet::from(both));
    let listed = &seen.runs[0].answer.as_ref().unwrap().text;
    for part in ["1. Approve INV-2024-451", "2. Approve INV-2024-448"] {
        assert!(listed.contains(part), "{listed}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_lacks_something_asks_for_it_and_the_other_one_is_done() {
    let seen = seen("Approve invoice INV-2024-448 and also offboard employee E-1020.").await;
    assert_eq!(done(&seen), BTreeSet::from(["approve_invoice INV-2024-448".to_owned()]));
    let status: Vec<_> = seen.runs.iter().map(|view| view.summary.status).collect();
    assert_eq!(status, [Status::Closed, Status::Closed, Status::Waiting]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_to_be_done_is_listed_and_left() {
    let seen = seen("Please approve INV-2024-451, but do not touch INV-2024-447.").await;
    assert_eq!(done(&seen), BTreeSet::from(["approve_invoice INV-2024-451".to_owned()]));
    let listed = &seen.runs[0].answer.as_ref().unwrap().text;
    assert!(listed.contains("INV-2024-447"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_condition_divides_nothing() {
    let seen = seen("If the orders match, approve INV-2024-451 and INV-2024-448.").await;
    assert_eq!((done(&seen), seen.runs.len()), (BTreeSet::new(), 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn alternatives_are_not_all_done() {
    for text in [
        "Approve INV-2024-451 or INV-2024-448",
        "Approve either INV-2024-451 or INV-2024-448.",
        "Approve one of INV-2024-451 and INV-2024-448.",
        "Approve only one: INV-2024-451, INV-2024-448",
        "Bitte INV-2024-451 oder INV-2024-448 freigeben.",
    ] {
        let seen = seen(text).await;
        assert_eq!((done(&seen), seen.runs.len()), (BTreeSet::new(), 1), "{text}");
        assert!(seen.planned.is_empty(), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_not_taken_up_is_named() {
    for text in [
        "Approve INV-2024-451; offboard E-1005, last day 2026-03-20, if he resigned",
        "Approve INV-2024-451 and possibly offboard E-1005 last day 2026-03-20",
    ] {
        let seen = seen(text).await;
        assert_eq!((done(&seen), seen.runs.len()), (BTreeSet::new(), 1), "{text}");
        let said = &seen.runs[0].answer.as_ref().unwrap().text;
        assert!(said.contains("Not part of it: INV-2024-451."), "{text}: {said}");
    }
}

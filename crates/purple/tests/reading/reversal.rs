//! Reversals of something that was done: the undo is offered as a plan, and nothing is changed before somebody approves it.

use purple_worker::{Awaited, FurtherRun, RunView, Status};

use crate::company;
use crate::house::{Door, House, settings};
use crate::judge::{Verdict, judge};
use crate::row::{Act, Expect, Mood, Row};

const INVOICE: &str = "Approve invoice INV-2024-448 for $25,500.00 against PO-8822.";
const OFFBOARDING: &str = "Start offboarding for employee E-2291 (last day Friday)";
const CREDIT: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";

const REVERSALS: [(&str, &str, &str); 6] = [
    (INVOICE, "Undo the approval of INV-2024-448.", "INV-2024-448"),
    (INVOICE, "Bitte die Freigabe von INV-2024-448 wieder zurücknehmen.", "INV-2024-448"),
    (OFFBOARDING, "Cancel the offboarding of E-2291.", "E-2291"),
    (OFFBOARDING, "Annulez l'offboarding de E-2291.", "E-2291"),
    (CREDIT, "Please reverse the SLA credit for INFRA-9.", "INFRA-9"),
    (CREDIT, "Anule el crédito SLA de INFRA-9.", "INFRA-9"),
];

#[tokio::test]
async fn a_reversal_offers_the_undo_of_what_an_earlier_run_did() {
    for (earlier, text, target) in REVERSALS {
        let act = Act { mood: Mood::Reversal, verb: String::new(), targets: vec![target.to_owned()] };
        let row = Row {
            id: text.to_owned(),
            text: text.to_owned(),
            acts: vec![act],
            expect: Expect::Undoes,
            process: None,
            writes: Vec::new(),
            figure: None,
        };
        let seen = company::run_after(Some(earlier), &row).await;
        assert_eq!(judge(&row, &seen), Verdict::Right, "{text}");
        assert!(!seen.planned.is_empty(), "{text}: there is something to reverse");
    }
}

const OTHER: &str = "Approve invoice INV-2024-451.";
const QUESTION: &str = "What is the status of invoice INV-2024-452?";

async fn company() -> House {
    House::open(Door::Streams, settings(), &[]).await
}

/// The records that the plan of a run would change.
fn planned(view: &RunView) -> Vec<String> {
    let operations = view.card.iter().flat_map(|card| card.effects());
    let arguments = operations.flat_map(|one| one.arguments.iter());
    arguments.map(|named| named.value.as_str().trim_matches('"').to_owned()).collect()
}

/// The runs whose undo a run asked for, each with its plan.
async fn offered(house: &House, view: &RunView) -> Vec<(String, Vec<String>)> {
    let mut offered = Vec::new();
    for FurtherRun { run, after } in view.answer.iter().flat_map(|answer| &answer.data.runs) {
        let view = house.worker.idle(run, &Awaited::turn_of(*after, 1)).await.unwrap();
        offered.push((run.to_string(), planned(&view)));
    }
    offered
}

#[tokio::test]
async fn an_undo_in_a_run_is_about_that_run_and_its_plan_waits_there() {
    let mut house = company().await;
    house.task("own", INVOICE).await;
    house.task("later", OTHER).await;
    for text in ["Undo that.", "undo the approval of inv-2024-448"] {
        let view = house.say("own", "alex", text).await;
        assert_eq!((view.summary.status, planned(&view)), (Status::Waiting, vec!["INV-2024-448".to_owned()]));
        house.say("own", "alex", "Do not reopen invoice INV-2024-448 of 25500.00 USD").await;
    }
    assert_eq!(house.effects().len(), 2);
    house.stop().await;
}

#[tokio::test]
async fn an_undo_finds_what_the_words_name_in_every_notation_and_round() {
    for text in ["undo the approval of inv-2024-448", "Undo the approval of invoice 448"] {
        let mut house = company().await;
        house.task("first", INVOICE).await;
        house.say("first", "alex", QUESTION).await;
        house.task("later", OTHER).await;
        let view = house.task("undo", text).await;
        let wanted = vec![("first".to_owned(), vec!["INV-2024-448".to_owned()])];
        assert_eq!(offered(&house, &view).await, wanted, "{text}");
        house.stop().await;
    }
}

#[tokio::test]
async fn several_records_are_undone_each_in_its_run_and_none_is_dropped() {
    let mut house = company().await;
    house.task("first", INVOICE).await;
    house.task("later", OTHER).await;
    let text = "Undo the approvals of INV-2024-448, INV-2024-451 and INV-2024-999";
    let view = house.task("undo", text).await;
    let mut offered = offered(&house, &view).await;
    offered.sort();
    let one = |run: &str, id: &str| (run.to_owned(), vec![id.to_owned()]);
    assert_eq!(offered, [one("first", "INV-2024-448"), one("later", "INV-2024-451")]);
    let answer = &view.answer.as_ref().unwrap().text;
    assert!(answer.contains("nothing to reverse for INV-2024-999"), "{answer}");
    house.stop().await;
}

#[tokio::test]
async fn words_for_something_that_was_not_done_offer_no_undo_of_something_else() {
    let mut house = company().await;
    house.task("first", INVOICE).await;
    for (number, text) in
        ["Undo the offboarding", "Undo the approval of INV-2024-999", "Revert the Globex payment"]
            .into_iter()
            .enumerate()
    {
        let view = house.task(&format!("undo-{number}"), text).await;
        assert_eq!(offered(&house, &view).await, [], "{text}");
        let answer = &view.answer.as_ref().unwrap().text;
        assert!(answer.contains("- Approve invoice INV-2024-448"), "{text}: {answer}");
    }
    house.stop().await;
}

#[tokio::test]
async fn an_undo_of_what_waits_names_the_run() {
    let mut house = company().await;
    house.task("waits", "Approve or reject invoice INV-2024-447 against PO-8821.").await;
    let view = house.task("undo", "Undo the rejection of INV-2024-447.").await;
    let answer = &view.answer.as_ref().unwrap().text;
    assert!(answer.contains("Run waits is about it and not over"), "{answer}");
    house.stop().await;
}

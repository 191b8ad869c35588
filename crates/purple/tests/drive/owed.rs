//! What was approved is done, notices included, whatever the model says afterwards or does not say.

use purple_journal::Recorded;
use purple_journal::record::{approval, model, write};
use purple_process::{Ending, Outcome};
use purple_testkit::records;
use purple_worker::port::FinishReason;
use purple_worker::{RunView, Status};
use serde_json::json;

use crate::house::House;
use crate::scripted::{
    Said, Script, calls, down, garbage, noted, performed_again, plain, proposes, read_invoice,
    rejects_and_tells, soon, text, unfinished,
};

const TASK: &str = "Please look after the paperwork of INV-2024-447 and turn it down.";
const DONE: [&str; 2] = ["reject_invoice", "send_email"];

/// A plan of one write and one message is approved while the model goes astray in one state.
async fn approved(state: &str, said: &[Said]) -> (House, RunView) {
    let script = Script::new(&[
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPUTE", &[proposes(rejects_and_tells())]),
        ("NOTE", &[text("none")]),
        (state, said),
        // What begins a state again begins with words of its own.
        ("OTHER", said),
    ]);
    let house = plain(&script).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let headline = view.summary.approval.unwrap().headline;
    let view = soon(house.say("run", "alex", &headline)).await;
    (house, view)
}

fn astray() -> Vec<(&'static str, Vec<Said>)> {
    let invented = calls(&[("nope_a", json!({})), ("nope_b", json!({})), ("nope_c", json!({}))]);
    vec![
        ("withheld", vec![unfinished(FinishReason::Filtered); 8]),
        ("cut", vec![unfinished(FinishReason::Length); 8]),
        ("down", vec![down(); 8]),
        ("garbage", vec![garbage(); 8]),
        ("invented", vec![invented; 8]),
    ]
}

#[tokio::test]
async fn an_approved_message_is_sent_whatever_the_model_says_after_the_writes() {
    for state in ["MUTATE", "SCHEDULE_NOTIFY"] {
        for (name, said) in astray() {
            let (house, view) = approved(state, &said).await;
            // The clock stood still: nothing waited for a model.
            assert_eq!(house.effects(), DONE, "{state} {name}: {:#?}", view.answer);
        }
    }
}

#[tokio::test]
async fn a_run_whose_model_cannot_be_used_any_more_tells_what_was_done() {
    let said = vec![unfinished(FinishReason::Filtered); 8];
    let (house, view) = approved("SCHEDULE_NOTIFY", &said).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:#?}", view.answer);
    let answer = view.answer.unwrap();
    let done: Vec<(&str, bool)> = answer
        .data
        .mutations
        .iter()
        .map(|one| (one.tool.as_str(), matches!(one.outcome, Outcome::Verified | Outcome::Unverifiable)))
        .collect();
    assert_eq!(done, [("reject_invoice", true), ("send_email", true)], "{}", answer.text);
    assert!(answer.text.contains("the model's replies cannot be used"), "{}", answer.text);
    performed_again(&house).await;
}

#[tokio::test]
async fn no_model_is_asked_between_the_write_and_the_message_of_an_approved_plan() {
    let (house, view) = approved("COMPLETE", &[text("It was turned down.")]).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    let run = crate::house::session("run");
    let journal = house.worker.trace(&run, 0, 10_000).await.unwrap();
    let is_verified = |one: &Recorded| one.record().get::<write::Verified>().is_some();
    let first = journal.iter().position(is_verified).unwrap();
    let last = journal.iter().rposition(is_verified).unwrap();
    assert!(first < last, "{journal:#?}");
    let between = records::all::<model::Asked>(&journal[first..last]);
    assert_eq!(between, []);
    assert_eq!(noted::<approval::Asked>(&house, "run").await.len(), 1);
}

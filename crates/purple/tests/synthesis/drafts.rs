//! A process file drafted from a run that was approved and verified.

use purple_process::{Ending, State};
use purple_testkit::Job;
use purple_worker::port::*;
use purple_worker::{Channel, Choice, NoDraft, draft_from_run};
use serde_json::json;

use crate::house::{Door, House, person, session, settings};
use crate::scribbler::{Question, Scene, Scribbler};

pub(crate) const TASK: &str = "Credit INFRA-9 2 percent of its fee as a kindness, under CTR-441.";

pub(crate) fn scribbler() -> Scribbler {
    credits(TASK)
}

/// Credits 2 percent of the fee, whatever the words are.
fn credits(task: &str) -> Scribbler {
    let job = Job {
        about: task.to_owned(),
        looks: vec![
            ("get_contract".to_owned(), json!({"contract_id": "CTR-441"})),
            (
                "calculate".to_owned(),
                json!({"expression": "round(r1.monthly_fee * 2 / 100, cents, half_even)"}),
            ),
        ],
        proposes: vec![json!({
            "tool": "apply_account_credit",
            "arguments": {"vendor_id": "INFRA-9", "amount": "1700.00 USD", "reference": "KIND-CTR-441"},
            "check": {"amount": "1700.00 USD"},
        })],
        answer: "Done.".to_owned(),
        ..Job::default()
    };
    Scribbler::new(vec![job]).says(Question::Classify, &[json!({"process": "none"})])
}

#[tokio::test]
async fn a_draft_loads_does_the_same_and_counts_once_it_is_signed() {
    let scene = Scene::open(scribbler(), settings()).await;
    let worker = &scene.house.worker;
    let view = scene.house.task("first", TASK).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    let ports = (&*worker.events, &*worker.blobs);
    let early = draft_from_run(ports, &scene.house.settings, &session("first"), None).await;
    assert!(matches!(early, Err(NoDraft::Incomplete { .. })), "{early:?}");
    worker.decide(&session("first"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = scene.house.still(&session("first")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
    let done = scene.house.ledger().effects.remove(0).arguments;
    assert_eq!(done["amount"], "1700.00 USD");

    let drafted =
        draft_from_run(ports, &scene.house.settings, &session("first"), Some("kindness")).await.unwrap();
    let file = purple_process::file::load(&drafted.text).unwrap();
    assert!(file.tasks()[0].is_complete(), "{}", drafted.text);
    assert_eq!(file.tasks()[0].test_count(), 1);

    // Another house with the same business, and no model at all.
    let house = House::with_workshop(Door::Streams, settings(), &[], None, true).await;
    let store = house.engine.as_ref().unwrap().store().clone();
    let new = Defined {
        kind: DefinitionKind::Process,
        name: "kindness".to_owned(),
        text: drafted.text,
        origin: Origin::Run { run: session("first") },
        at: house.clock.now(),
        signed: None,
        quarantined: None,
    };
    let signed = Signed { by: person("bea"), at: new.at, digest: new.digest() };
    assert!(store.redefine(Redefinition::Define(new)).await.unwrap());
    let view = house.task("unsigned", TASK).await;
    assert_ne!(view.summary.state, State::ApprovalGate, "an unsigned draft does nothing: {:?}", view.answer);
    assert!(house.effects().is_empty());
    let change = Redefinition::Sign { kind: DefinitionKind::Process, name: "kindness".to_owned(), signed };
    assert!(store.redefine(change).await.unwrap());
    // The draft takes neither the vendor nor the percentage from the words: the requester confirms them.
    let view = house.task("signed", TASK).await;
    assert!(view.answer.unwrap().text.contains("I did not understand: INFRA-9, 2 percent."));
    let view = house.say("signed", "alex", "yes").await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    house.worker.decide(&session("signed"), person("cleo"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = house.still(&session("signed")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
    assert_eq!(house.ledger().effects.remove(0).arguments, done);
}

#[tokio::test]
async fn a_run_that_did_what_nobody_ordered_becomes_no_draft() {
    let task = "Grant INFRA-9 2 percent of its fee as a kindness, under CTR-441.";
    let scene = Scene::open(credits(task), settings()).await;
    let worker = &scene.house.worker;
    let view = scene.house.task("first", task).await;
    assert!(view.card.unwrap().to_text(100).starts_with("NOT IN THE REQUEST"));
    worker.decide(&session("first"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    assert_eq!(scene.house.still(&session("first")).await.summary.ending, Some(Ending::Done));
    let ports = (&*worker.events, &*worker.blobs);
    let draft = draft_from_run(ports, &scene.house.settings, &session("first"), Some("kindness")).await;
    assert!(draft.unwrap_err().to_string().contains("`apply_account_credit` is not in the request"));
}

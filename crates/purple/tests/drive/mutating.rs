//! What a model calls in MUTATE: run alone, captured, refused, or the end.

use std::sync::Arc;
use std::time::Duration;

use purple_journal::record::model;
use purple_journal::word::Becomes;
use purple_process::{Ending, Mode, Outcome};
use purple_worker::port::DedupKey;
use purple_worker::{Channel, Message, Settings, Status};
use serde_json::{Value, json};

use crate::house::{keyed, person, session};
use crate::scripted::{Said, Script, calls, house, noted, performed_again, read_invoice, text, with_desk};
use crate::shaky::{Shaky, passed, rested, rewire};

const TASK: &str = "Some deskwork: finish INV-2024-447.";
const CLASSIFIED: &str = r#"{"process": "claims_desk"}"#;

fn reject(reason: &str) -> (&'static str, Value) {
    ("reject_invoice", json!({"invoice_id": "INV-2024-447", "reason": reason}))
}

fn approve() -> (&'static str, Value) {
    ("approve_invoice", json!({"invoice_id": "INV-2024-447"}))
}

async fn mutating(settings: Settings, said: &[Said]) -> (crate::house::House, std::sync::Arc<Script>) {
    let script = Script::new(&[
        ("CLASSIFY", &[text(CLASSIFIED)]),
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPUTE", &[text("nothing yet")]),
        ("MUTATE", said),
    ]);
    (house(&script, settings, &[]).await, script)
}

#[tokio::test]
async fn a_write_that_a_rule_allows_runs_at_once_and_the_model_sees_the_result() {
    let (house, script) = mutating(with_desk(), &[calls(&[approve()]), text("done")]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["approve_invoice"]);
    assert!(script.told("MUTATE").contains("outcome"), "{}", script.told("MUTATE"));
    assert_eq!(noted::<model::Wants>(&house, "run").await[0].becomes, Becomes::Runs);
}

#[tokio::test]
async fn a_write_that_needs_a_person_is_captured_and_so_is_every_later_one() {
    let (house, _) =
        mutating(with_desk(), &[calls(&[reject("asked"), approve()]), text("that is all")]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    assert_eq!(house.effects(), [""; 0]);
    let wants = noted::<model::Wants>(&house, "run").await;
    let becomes: Vec<Becomes> = wants.iter().map(|one| one.becomes).collect();
    assert_eq!(becomes, [Becomes::Captured, Becomes::Captured]);
    assert_eq!(view.card.unwrap().effects().len(), 2);
}

fn ticket(number: usize) -> (&'static str, Value) {
    ("create_ticket", json!({"title": format!("Look at it, part {number}"), "body": "please"}))
}

#[tokio::test]
async fn after_each_captured_plan_the_model_goes_on_five_times_in_a_row() {
    let said: Vec<Said> = (1..=5).flat_map(|number| [calls(&[ticket(number)]), text("next")]).collect();
    let mut settings = with_desk();
    settings.mode = Mode::Always;
    let (house, _) = mutating(settings, &said).await;
    let mut view = house.task("run", TASK).await;
    for gate in 1..=5 {
        assert_eq!(view.summary.status, Status::Waiting, "gate {gate}: {:#?}", view.answer);
        assert_eq!(house.effects().len(), gate - 1);
        let headline = view.summary.approval.unwrap().headline;
        view = house.say("run", "alex", &headline).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["create_ticket"; 5]);
    let log = view.answer.unwrap().data.mutations;
    assert!(log.iter().all(|one| one.outcome == Outcome::Verified), "{log:#?}");
}

#[tokio::test]
async fn the_loops_of_mutate_are_bounded() {
    let said: Vec<Said> = (1..=30).flat_map(|number| [calls(&[ticket(number)]), text("next")]).collect();
    let mut settings = with_desk();
    (settings.mode, settings.model_limits.iterations_max) = (Mode::Always, 200);
    settings.model_limits.task_tokens_max = 1_000_000;
    let (house, _) = mutating(settings, &said).await;
    let mut view = house.task("run", TASK).await;
    let mut gates = 0;
    while view.summary.status == Status::Waiting {
        gates += 1;
        let headline = view.summary.approval.unwrap().headline;
        view = house.say("run", "alex", &headline).await;
    }
    assert_eq!((gates, view.summary.ending), (8, Some(Ending::Failed)));
    let answer = view.answer.unwrap();
    assert!(answer.text.contains("may go on 8 times"), "the limit is named: {}", answer.text);
}

#[tokio::test]
async fn a_mismatch_stops_the_rest_of_the_reply() {
    let script = Script::new(&[
        ("CLASSIFY", &[text(CLASSIFIED)]),
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPUTE", &[text("nothing yet")]),
        ("MUTATE", &[calls(&[reject("routine"), ticket(1)]), text("done")]),
    ]);
    let mut settings = with_desk();
    settings.mode = Mode::Permissive;
    let house = house(&script, settings, &["reject_invoice:lie"]).await;
    let mut view = house.task("run", TASK).await;
    for _ in 0..20 {
        house.clock.forward(std::time::Duration::from_secs(4_000));
        view = house.still(&session("run")).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:#?}", view.answer);
    assert_eq!(house.effects(), [""; 0]);
}

/// Three writes, each allowed by the mode, in a run that dies at one of its port calls.
async fn three_writes(call: usize, mode: Mode) -> (Vec<String>, usize) {
    let said: Vec<Said> = [calls(&[ticket(1), ticket(2)]), calls(&[ticket(3)]), text("done")].into();
    let script = Script::steady(&[
        ("CLASSIFY", &[text(CLASSIFIED)]),
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPUTE", &[text("nothing yet")]),
        ("MUTATE", &said),
    ]);
    let mut settings = with_desk();
    (settings.mode, settings.manifest) = (mode, Arc::new(keyed(&["create_ticket"])));
    let mut house = house(&script, settings, &[]).await;
    let shaky = Shaky::dying_at(call);
    rewire(&mut house, &shaky).await;
    house.task_posted("run", TASK).await;
    let mut view = rested(&house, "run").await;
    for _ in 0..10 {
        let Some(approval) = view.summary.approval else { break };
        let message =
            Message { text: approval.headline, by: person("alex"), channel: Channel::A2a, account: None };
        // The same words for the same plan are one message, however often the process dies over them.
        house.worker.say(session("run"), DedupKey(approval.id), message).await.unwrap();
        view = passed(&house, "run", Duration::from_secs(5)).await;
    }
    let mut opened: Vec<String> =
        house.ledger().effects.iter().map(|one| one.arguments.to_string()).collect();
    let effects = opened.len();
    opened.sort();
    opened.dedup();
    assert_eq!(opened.len(), effects, "dying at {call} in {mode}: a ticket was opened twice");
    match (view.summary.status, view.summary.ending) {
        (Status::Closed, Some(Ending::Done)) => assert_eq!(effects, 3, "dying at {call} in {mode}"),
        other => panic!("dying at {call} in {mode}: {other:?} {:#?}", view.answer),
    }
    performed_again(&house).await;
    (shaky.log(), noted::<model::Lost>(&house, "run").await.len())
}

#[tokio::test]
async fn a_run_that_dies_anywhere_goes_on_and_repeats_no_write() {
    for mode in [Mode::Permissive, Mode::Always] {
        let (log, lost) = three_writes(0, mode).await;
        assert_eq!(lost, 0);
        let mut lost = 0;
        // Replies of the model before they are kept, and a few calls of the other ports.
        for call in (1..=log.len()).filter(|at| at % 29 == 0 || (log[at - 1] == "model done" && at % 2 == 0))
        {
            lost += three_writes(call, mode).await.1;
        }
        assert!(lost > 0, "{log:?}");
    }
}

#[tokio::test]
async fn a_forbidden_write_is_refused_and_one_for_a_person_ends_the_run() {
    let (house, _) = mutating(with_desk(), &[calls(&[reject("forbidden")]), text("then not")]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), [""; 0]);
    let (house, _) = mutating(with_desk(), &[calls(&[reject("handover"), approve()])]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:#?}", view.answer);
    assert_eq!(house.effects(), [""; 0]);
}

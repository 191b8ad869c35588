//! Tool servers that change, ask and answer in another form: what the run does then, judged by the ledger of the business.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![expect(clippy::panic, reason = "tests may panic")]

mod house;
mod shaky;

use std::sync::Arc;
use std::time::Duration;

use house::{Door, House, id, reviewed, session, settings};
use purple_backoffice::{Office, serve_mcp};
use purple_journal::record::{incident, tool, write};
use purple_journal::word::CallResult;
use purple_process::{Digest, Ending, Outcome};
use purple_testkit::records;
use purple_tools::{Era, ServerConfig, ServerKind, StreamFactory, Streams, ToolServers};
use purple_worker::port::Called;
use purple_worker::{Archive, Manifest, Settings, Stated, Status, replay};
use serde_json::json;
use shaky::{Shaky, count, journal, kinds, passed, rested, rewire};

const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
const CREDIT: &str = "apply_account_credit";
const NOTICE: &str = "send_sla_breach_notification";

fn streams(office: &Arc<Office>) -> ServerKind {
    let office = Arc::clone(office);
    ServerKind::Streams(StreamFactory::new(move || {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(theirs);
        tokio::spawn(serve_mcp(Arc::clone(&office), reader, writer));
        let (reader, writer) = tokio::io::split(ours);
        Ok(Streams { reader: Box::new(reader), writer: Box::new(writer) })
    }))
}

/// A house that looks at the list of its tools before every call.
async fn watchful(settings: Settings) -> House {
    let mut house = House::open(Door::Streams, settings.clone(), &[]).await;
    let server = ServerConfig { name: "office".to_owned(), kind: streams(&house.office), era: Era::Auto };
    house.tools = Arc::new(ToolServers::new(vec![server]).unwrap().with_fresh_lists(Duration::ZERO));
    house.restart(settings).await;
    house
}

fn faults(house: &House, faults: &[&str]) {
    house.office.set_faults(faults.iter().map(|fault| fault.parse().unwrap()).collect());
}

async fn replays(house: &House, run: &str) {
    let archive = Archive {
        events: house.worker.events.clone(),
        blobs: house.worker.blobs.clone(),
        directory: house.staff.clone(),
        sandbox: None,
    };
    let replayed = replay(&archive, &house.settings, &session(run)).await.unwrap();
    assert_eq!(replayed.difference.map(|found| format!("{found:?}")), None, "{run}");
}

#[tokio::test]
async fn a_tool_that_changes_while_its_plan_waits_is_quarantined_and_not_called() {
    for what in ["description", "schema", "annotations"] {
        let house = watchful(settings()).await;
        let view = house.task("order", ORDER).await;
        assert_eq!(view.summary.status, Status::Waiting, "{what}");
        faults(&house, &[&format!("modify_order_items:drift,what={what}")]);
        let view = house.say("order", "alex", "Confirmed, proceed").await;
        assert_eq!(
            view.summary.ending,
            Some(Ending::Escalated),
            "{what}: {:?}",
            kinds(&house, "order").await
        );
        assert_eq!(house.effects(), Vec::<String>::new(), "{what}");
        assert_eq!(house.ledger().calls_of("modify_order_items").count(), 0, "{what}: no new call");
        assert_eq!(count::<tool::Quarantined>(&house, "order").await, 1, "{what}");
        let said = view.answer.unwrap().text;
        assert!(said.contains("`modify_order_items` is quarantined"), "{what}: {said}");
        replays(&house, "order").await;
    }
}

#[tokio::test]
async fn a_read_that_changes_in_the_middle_is_not_called_again_even_when_it_changes_back() {
    let house = watchful(settings()).await;
    house.task("order", ORDER).await;
    faults(&house, &["get_order:drift"]);
    let view = house.say("order", "alex", "Confirmed, proceed").await;
    assert_ne!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "order").await);
    assert_eq!(house.effects(), Vec::<String>::new());
    let before = house.ledger().calls_of("get_order").count();
    assert_eq!(count::<tool::Quarantined>(&house, "order").await, 1);
    faults(&house, &[]);
    house.clock.forward(Duration::from_secs(3_600));
    rested(&house, "order").await;
    assert_eq!(house.ledger().calls_of("get_order").count(), before, "it stays in quarantine");
    assert_eq!(house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn a_tool_that_is_not_as_the_operator_pinned_it_is_never_called() {
    let mut settings = settings();
    let stated = Stated { pin: Some(Digest::of(b"what the operator saw")), ..Stated::default() };
    let tools = [(id(CREDIT), stated)].into();
    settings.manifest = Arc::new(Manifest { tools, ..reviewed() });
    let house = watchful(settings).await;
    let view = house.task("sla", SLA).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated));
    assert_eq!((house.effects(), count::<tool::Quarantined>(&house, "sla").await), (Vec::new(), 1));
    replays(&house, "sla").await;
}

#[tokio::test]
async fn a_question_of_a_tool_during_a_write_waits_for_a_person_and_their_answer_goes_to_the_tool() {
    let house = House::open(Door::Streams, settings(), &[&format!("{CREDIT}:question")]).await;
    let view = house.task("sla", SLA).await;
    assert_eq!((view.summary.status, view.summary.ending), (Status::Waiting, None));
    let asked = view.answer.unwrap().text;
    assert!(asked.contains("Which cost centre does this belong to?"), "{asked}");
    assert_eq!(house.effects(), Vec::<String>::new());
    let view = passed(&house, "sla", Duration::from_secs(3_600)).await;
    assert_eq!(view.summary.status, Status::Waiting, "nothing answers by itself");
    let view = house.say("sla", "alex", "{\"other\": 1}").await;
    assert_eq!(view.summary.status, Status::Waiting, "what does not fit is asked again");
    assert!(view.answer.unwrap().text.contains("does not fit"));
    let view = house.say("sla", "alex", "4711").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
    let answered: Vec<tool::Answered> = records::all(&journal(&house, "sla").await);
    assert_eq!(answered.len(), 1);
    assert_eq!(answered[0].by, "alex");
    replays(&house, "sla").await;
}

#[tokio::test]
async fn a_question_that_nobody_answers_ends_without_an_effect() {
    let house = House::open(Door::Streams, settings(), &[&format!("{CREDIT}:question")]).await;
    house.task("sla", SLA).await;
    let view = house.say("sla", "alex", "Decline.").await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated));
    assert_eq!(house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn a_tool_that_asks_for_a_secret_is_quarantined_and_nobody_is_asked() {
    let house = House::open(Door::Streams, settings(), &[&format!("{CREDIT}:input_required")]).await;
    let view = house.task("sla", SLA).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated));
    assert_eq!(house.effects(), Vec::<String>::new());
    assert_eq!(count::<tool::Quarantined>(&house, "sla").await, 1);
    assert_eq!(count::<incident::Reported>(&house, "sla").await, 1);
    assert_eq!(count::<tool::Asks>(&house, "sla").await, 0);
}

/// A house in which one tool answers something else than it would.
async fn answering(tool: &'static str, value: serde_json::Value) -> House {
    let shaky = Shaky::dying_at(0);
    shaky.minds_forms.store(true, std::sync::atomic::Ordering::SeqCst);
    let mut house = House::open(Door::Streams, settings(), &[]).await;
    rewire(&mut house, &shaky).await;
    shaky.bending(move |called, answer| match answer {
        Called::Answered(_) if called == tool => Called::Answered(value.clone().into()),
        other => other,
    });
    house
}

#[tokio::test]
async fn a_write_whose_answer_has_another_form_is_read_back_and_not_called_failed() {
    let house = answering("reject_invoice", json!(["surprise"])).await;
    house.task("invoice", INVOICE).await;
    let view = house.say("invoice", "alex", "Reject invoice INV-2024-447 of 52340.00 USD").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "invoice").await);
    assert_eq!(house.ledger().effects_of("reject_invoice").count(), 1);
    let mutation = &view.answer.unwrap().data.mutations[0];
    assert_eq!(mutation.outcome, Outcome::Verified);
    let note = mutation.note.clone().unwrap();
    assert!(note.contains("not of the form that the tool declares"), "{note}");
}

#[tokio::test]
async fn a_read_whose_answer_has_another_form_is_told_as_such_and_nothing_is_written() {
    let house = answering("get_contract", json!({"sla_percent": {"not": "a number"}})).await;
    let view = house.task("sla", SLA).await;
    assert_ne!(view.summary.ending, Some(Ending::Done));
    assert_eq!(house.effects(), Vec::<String>::new());
    let reads = records::all::<tool::Read>(&journal(&house, "sla").await);
    let is_bad = |read: &tool::Read| match &read.result {
        CallResult::Refused { code, .. } => code.as_ref().is_some_and(|code| *code == "BAD_ANSWER"),
        _ => false,
    };
    assert!(reads.iter().any(is_bad), "{:?}", kinds(&house, "sla").await);
}

#[tokio::test]
async fn too_many_calls_half_way_through_a_batch_stop_it_there_and_it_goes_on_at_the_next_operation() {
    let house = House::open(Door::Streams, settings(), &["revoke_access:rate_limit,after=2,times=2"]).await;
    house.task("leaver", "Start offboarding for employee E-2291 (last day Friday)").await;
    house.say("leaver", "alex", "Now revoke system access and send exit survey").await;
    let view = rested(&house, "leaver").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "leaver").await);
    assert_eq!(house.ledger().effects_of("revoke_access").count(), 5, "each once");
    assert_eq!(house.ledger().calls_of("revoke_access").count(), 7, "and two refused");
    assert_eq!(count::<write::PutOff>(&house, "leaver").await, 2);
}

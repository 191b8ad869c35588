//! What turns learn, and how it is found again.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::time::Duration;

use proptest::prelude::*;
use purple_port::limits::CASE_BYTES_MAX;
use purple_port::{Digest, EngineError, Entity, Memory, PastCase, Ranked, Whose};
use purple_store::{Engine, Reader};
use serde_json::{Value, json};
use support::{HandClock, entry, id, idle, message, say, script, stop, told, words};

fn entity(kind: &str, name: &str) -> Entity {
    Entity { kind: kind.to_owned(), name: name.to_owned() }
}

fn case(session: &str, round: u32, hour: u32, text: &str, entities: &[(&str, &str)]) -> PastCase {
    PastCase {
        session: id(session),
        round,
        at: format!("2026-03-02T{hour:02}:00:00.000001Z").parse().unwrap(),
        process: "invoice-payment".to_owned(),
        text: text.to_owned(),
        entities: entities.iter().map(|(kind, name)| entity(kind, name)).collect(),
        body: serde_json::from_str(r#"{"amount": 1250.00, "exact": 12345678901234567890.10}"#).unwrap(),
    }
}

/// An engine whose turns learn the case that their words hold; words that begin with `fail ` fail at first, after it.
async fn learner(folder: &std::path::Path, clock: &std::sync::Arc<HandClock>) -> Engine {
    let handler = script(|turn, event| {
        Box::pin(async move {
            let said = words(&event);
            let (fails, text) =
                said.strip_prefix("fail ").map_or((false, said.as_str()), |text| (true, text));
            for case in serde_json::from_str::<Vec<PastCase>>(text).unwrap() {
                turn.learn(case.into())?;
            }
            if fails && turn.attempt() == 0 {
                return Err(EngineError::ShuttingDown.into());
            }
            Ok(())
        })
    });
    support::engine(folder, clock, handler).await
}

async fn learn(engine: &Engine, cases: &[PastCase]) {
    let text = serde_json::to_string(cases).unwrap();
    support::post(engine.store(), "learner", &Digest::of(text.as_bytes()).to_string(), message(&text)).await;
    idle(engine).await;
    assert_eq!(engine.store().reader().health().unwrap().events, 0, "the turn failed");
}

fn found(ranked: &[Ranked]) -> Vec<String> {
    ranked.iter().map(|one| format!("{}/{}", one.session, one.round)).collect()
}

fn names(cases: &[PastCase]) -> Vec<String> {
    cases.iter().map(|case| format!("{}/{}", case.session, case.round)).collect()
}

#[tokio::test]
async fn the_most_similar_case_comes_first_and_comes_back_as_it_was_learned() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = learner(folder.path(), &clock).await;
    let pay =
        case("a", 1, 9, "Pay the invoice of Müller GmbH", &[("vendor", "Müller GmbH"), ("id", "INV-447")]);
    let refund = case("b", 1, 10, "Refund the customer for a broken lamp", &[]);
    let hire = case("c", 1, 11, "Onboard a new colleague", &[]);
    learn(&engine, &[pay.clone(), refund.clone(), hire.clone()]).await;
    let store = engine.store();
    assert_eq!(found(&store.recall("paying the invoices of muller for a lamp", 9).await.unwrap())[0], "a/1");
    assert_eq!(found(&store.recall("the lamps were broken", 1).await.unwrap()), ["b/1"]);
    assert_eq!(found(&store.recall("customer invoice lamp", 9).await.unwrap()), ["b/1", "a/1"]);
    assert_eq!(store.recall("zebra", 9).await.unwrap(), []);
    assert_eq!(store.recall("invoice", 0).await.unwrap(), []);
    // The same from another process, beside this one.
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(found(&reader.recall("broken lamp", 1).await.unwrap()), ["b/1"]);
    let log: Vec<PastCase> = store.log(9).await.unwrap().into_iter().map(|logged| logged.case).collect();
    assert_eq!(log, [hire, refund, pay]);
    stop(engine).await;
}

#[tokio::test]
async fn the_history_of_an_entity_is_newest_first_however_its_name_is_spelled() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = learner(folder.path(), &clock).await;
    learn(
        &engine,
        &[
            case("a", 1, 9, "one", &[("vendor", "Acme  Corp"), ("vendor", "ACME Corp")]),
            case("a", 2, 12, "two", &[("id", "INV-1"), ("vendor", "acme corp")]),
            case("b", 1, 10, "three", &[("vendor", "Acme Corp")]),
            case("b", 2, 11, "four", &[("person", "Acme Corp"), ("vendor", "Acme Corporation")]),
        ],
    )
    .await;
    let store = engine.store();
    let found = store.history(&entity("vendor", "ACME CORP"), Whose::Ours, 9).await.unwrap();
    assert_eq!(names(&found), ["a/2", "b/1", "a/1"]);
    assert_eq!(found[0].entities, [entity("id", "INV-1"), entity("vendor", "acme corp")]);
    assert_eq!(
        names(&store.history(&entity("vendor", "Acme Corp"), Whose::Ours, 2).await.unwrap()),
        ["a/2", "b/1"]
    );
    let reader = Reader::open(folder.path()).unwrap();
    assert_eq!(
        names(&reader.history(&entity("person", "acme corp"), Whose::Ours, 9).await.unwrap()),
        ["b/2"]
    );
    assert_eq!(reader.history(&entity("product", "acme corp"), Whose::Ours, 9).await.unwrap(), []);
    stop(engine).await;
}

#[tokio::test]
async fn a_case_is_learned_once_and_only_by_a_turn_that_ended() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = learner(folder.path(), &clock).await;
    let first = case("a", 1, 9, "first words", &[("vendor", "Acme")]);
    let text = format!("fail {}", serde_json::to_string(&[&first]).unwrap());
    say(engine.store(), "learner", &text).await;
    idle(&engine).await;
    assert_eq!(engine.store().recall("words", 9).await.unwrap(), [], "the turn did not end");
    clock.advance(Duration::from_secs(1));
    idle(&engine).await;
    assert_eq!(found(&engine.store().recall("words", 9).await.unwrap()), ["a/1"]);
    let second = case("a", 1, 10, "second words", &[("vendor", "Acme"), ("vendor", "Bolt")]);
    learn(&engine, &[second.clone(), second]).await;
    assert_eq!(found(&engine.store().recall("words", 9).await.unwrap()), ["a/1"]);
    assert_eq!(engine.store().recall("second", 9).await.unwrap(), []);
    assert_eq!(engine.store().history(&entity("vendor", "Acme"), Whose::Ours, 9).await.unwrap(), [first]);
    assert_eq!(engine.store().history(&entity("vendor", "Bolt"), Whose::Ours, 9).await.unwrap(), []);
    stop(engine).await;
}

#[tokio::test]
async fn a_case_that_is_too_large_is_refused() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let handler = script(|turn, _| {
        Box::pin(async move {
            let mut large = case("a", 1, 9, "", &[]);
            let empty = serde_json::to_string(&large).unwrap().len();
            large.text = "x".repeat(CASE_BYTES_MAX - empty);
            turn.learn(large.clone().into())?;
            large.round = 2;
            large.body = json!([large.body, Value::Null]);
            let error = turn.learn(large.into()).unwrap_err();
            assert!(matches!(error, EngineError::TooLarge { what: "case", .. }), "{error}");
            turn.record(entry("done", Value::Null))?;
            Ok(())
        })
    });
    let engine = support::engine(folder.path(), &clock, handler).await;
    say(engine.store(), "s", "go").await;
    idle(&engine).await;
    assert_eq!(told(engine.store(), "s", "done").await.len(), 1);
    stop(engine).await;
}

const HOSTILE: &[&str] = &[
    "\"",
    "\"\"",
    "'",
    "*",
    "invoice*",
    "text:invoice",
    "-invoice",
    "^invoice",
    "NEAR(invoice, 2)",
    "invoice AND",
    "OR",
    "NOT invoice",
    "{text}: invoice",
    "(",
    ")",
    "\0",
    "a\0b",
    "invoice\" OR \"",
    "+ + +",
    ";DROP TABLE cases;--",
    "\u{feff}\u{202e}",
    "😀",
    "ﬁ ½ ²",
    "",
    "   ",
    "%_",
    "\\",
];

#[tokio::test]
async fn nothing_that_is_asked_for_is_an_operator() {
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = learner(folder.path(), &clock).await;
    learn(&engine, &[case("a", 1, 9, "Pay the invoice", &[]), case("b", 1, 9, "near not and or", &[])]).await;
    let store = engine.store().clone();
    for text in HOSTILE {
        let found = store.recall(text, 9).await.unwrap();
        if text.contains("invoice") {
            assert_eq!(found.iter().filter(|found| found.session == id("a")).count(), 1, "{text}");
        }
        store.history(&entity(text, text), Whose::Ours, 9).await.unwrap();
    }
    assert_eq!(found(&store.recall("NOT zebra", 9).await.unwrap()), ["b/1"]);
    let long = "word ".repeat(100_000) + &"x".repeat(100_000) + " invoice";
    assert_eq!(found(&store.recall(&long, 9).await.unwrap()), ["a/1"]);
    stop(engine).await;
}

#[test]
fn any_text_can_be_asked_for() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (folder, clock) = (tempfile::tempdir().unwrap(), HandClock::new());
    let engine = runtime.block_on(learner(folder.path(), &clock));
    runtime.block_on(learn(&engine, &[case("a", 1, 9, "Pay the invoice", &[])]));
    proptest!(ProptestConfig::with_cases(200), |(text in any::<String>())| {
        runtime.block_on(engine.store().recall(&text, 3)).unwrap();
        let asked = format!("{text} invoice");
        prop_assert_eq!(runtime.block_on(engine.store().recall(&asked, 3)).unwrap().len(), 1);
    });
    runtime.block_on(stop(engine));
}

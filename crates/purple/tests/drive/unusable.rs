//! Replies that cannot be used: one is asked for again, and then a person takes over.

use std::time::Duration;

use purple_journal::record::{model, process};
use purple_process::Ending;
use purple_worker::Status;
use purple_worker::port::{FinishReason, ModelReply};

use crate::house::session;
use crate::scripted::{
    Said, Script, garbage, house, noted, performed_again, plain, read_invoice, soon, text, unfinished,
    with_desk,
};

const TASK: &str = "Please look after the paperwork of INV-2024-447 and turn it down.";
const REPAIR: &str = "could not be used";

/// How often a model was told that its reply could not be used.
fn repairs(script: &Script) -> usize {
    let asked = script.asked.lock().unwrap();
    asked.iter().filter(|(_, request)| format!("{:?}", request.messages.last()).contains(REPAIR)).count()
}

#[tokio::test]
async fn a_reply_that_cannot_be_used_is_asked_for_once_more_and_then_a_person_takes_over() {
    let bad: [(&str, Said); 4] = [
        ("DECOMPOSE", garbage()),
        ("DECOMPOSE", text("no plan at all")),
        ("DECOMPOSE", text(r#"{"goal": 7, "data_needs": "all"}"#)),
        ("ASSESS", garbage()),
    ];
    for (state, said) in bad {
        let script = Script::new(&[(state, &vec![said.clone(); 8]), ("OTHER", &vec![said; 8])]);
        let house = plain(&script).await;
        let view = house.task("run", TASK).await;
        assert_eq!(view.summary.ending, Some(Ending::Escalated), "{state}: {:#?}", view.answer);
        assert!(view.answer.unwrap().text.contains("the model's replies cannot be used"));
        assert_eq!(repairs(&script), 1, "{state}");
        assert_eq!(noted::<model::Waiting>(&house, "run").await, [], "nobody is waited for");
        assert_eq!(house.effects(), [""; 0]);
        performed_again(&house).await;
    }
}

#[tokio::test]
async fn a_reply_that_is_mended_goes_on() {
    let bad = [
        ("DECOMPOSE", garbage()),
        ("DECOMPOSE", text("no plan at all")),
        ("ASSESS", garbage()),
        ("ASSESS", unfinished(FinishReason::Length)),
        ("ASSESS", unfinished(FinishReason::Filtered)),
    ];
    for (state, said) in bad {
        let script = Script::new(&[(state, &[said])]);
        let house = plain(&script).await;
        let view = house.task("run", TASK).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{state}: {:#?}", view.answer);
        assert_eq!(repairs(&script), 1, "{state}");
    }
}

#[tokio::test]
async fn a_reply_that_is_cut_or_withheld_twice_goes_to_a_person() {
    for finish in [FinishReason::Length, FinishReason::Filtered] {
        for state in ["ASSESS", "COMPUTE", "MUTATE"] {
            let said = vec![unfinished(finish.clone()); 8];
            let script = Script::new(&[(state, &said), ("OTHER", &said)]);
            let house = plain(&script).await;
            let view = house.task("run", TASK).await;
            assert_eq!(view.summary.ending, Some(Ending::Escalated), "{state}: {:#?}", view.answer);
            assert_eq!(house.effects(), [""; 0]);
        }
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_used_is_put_together_without_a_model() {
    let said = vec![garbage(); 8];
    let script =
        Script::new(&[("ASSESS", &[read_invoice(), text("read")]), ("COMPLETE", &said), ("OTHER", &said)]);
    let house = plain(&script).await;
    let view = house.task("run", "What is the vendor of INV-2024-447?").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    let answer = view.answer.unwrap().text;
    assert!(answer.contains("put together without a language model"), "{answer}");
}

#[tokio::test]
async fn keywords_decide_where_a_classification_is_garbage() {
    for said in [garbage(), text("<html>"), unfinished(FinishReason::Length)] {
        let script = Script::new(&[("CLASSIFY", &[said])]);
        let house = house(&script, with_desk(), &[]).await;
        let view = house.task("run", "Some deskwork: finish INV-2024-447.").await;
        assert_eq!(view.summary.status, Status::Closed, "{:#?}", view.answer);
        let chosen = noted::<process::Chosen>(&house, "run").await;
        assert_eq!(chosen[0].process, "claims_desk");
    }
}

#[tokio::test]
async fn keywords_decide_where_a_classification_takes_longer_than_its_short_time() {
    let script = Script::new(&[("CLASSIFY", &[Said::Stalls])]);
    let house = house(&script, with_desk(), &[]).await;
    house.task_posted("run", "Some deskwork: finish INV-2024-447.").await;
    soon(script.stalled.notified()).await;
    house.clock.forward(Duration::from_secs(11));
    let view = soon(house.still(&session("run"))).await;
    assert_eq!(view.summary.status, Status::Closed, "{:#?}", view.answer);
    let chosen = noted::<process::Chosen>(&house, "run").await;
    assert_eq!(chosen[0].process, "claims_desk");
}

#[tokio::test]
async fn another_model_than_was_asked_is_on_record_and_told_once() {
    let by = |model: &str, said: &str| {
        let reply = ModelReply { model: Some(model.to_owned()), ..ModelReply::text(said) };
        Said::Reply(reply)
    };
    let script = Script::new(&[
        ("CLASSIFY", &[by("small-20260101", r#"{"process": "none"}"#)]),
        ("ASSESS", &[read_invoice(), by("tiny", "read")]),
        ("COMPLETE", &[by("tiny", "The vendor is Acme Corp.")]),
    ]);
    let house = plain(&script).await;
    let view = house.task("run", "What is the vendor of INV-2024-447?").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    let others = noted::<model::Other>(&house, "run").await;
    assert_eq!(others.len(), 1, "{others:?}");
    assert_eq!((others[0].asked.as_str(), others[0].answered.as_str()), ("small", "tiny"));
    let answer = view.answer.unwrap().text;
    let told = "answered with the model tiny, not with small";
    assert_eq!(answer.matches(told).count(), 1, "{answer}");
    performed_again(&house).await;
}

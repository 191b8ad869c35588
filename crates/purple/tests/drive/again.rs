//! Budgets that end, answers with gaps, and runs that are performed again without a model.

use purple_journal::record::model;
use purple_process::Ending;
use purple_worker::port::{FinishReason, Message, ModelError, ModelReply};
use purple_worker::{LimitBy, ModelLimits, Status};
use serde_json::json;

use crate::house::session;
use crate::scripted::{
    Said, Script, calls, down, house, noted, performed_again, plain, proposes, read_invoice,
    rejects_and_tells, text, with_desk,
};

const TASK: &str = "Please look after the paperwork of INV-2024-447 and turn it down.";

#[tokio::test]
async fn a_run_with_a_faulty_proposal_a_gate_and_a_captured_write_is_the_same_without_model_and_tools() {
    let rejects = json!({"invoice_id": "INV-2024-447", "reason": "asked"});
    let script = Script::new(&[
        ("CLASSIFY", &[text(r#"{"process": "claims_desk"}"#)]),
        ("DECOMPOSE", &[down(), text("no plan at all")]),
        ("ASSESS", &[read_invoice(), calls(&[("get_invoice", json!({"invoice": 7}))]), text("read")]),
        (
            "COMPUTE",
            &[
                proposes(json!([{"tool": "reject_invoice", "arguments": {"invoice": 7}}])),
                calls(&[("calculate", json!({"expression": "r1.total * 2"}))]),
                proposes(
                    json!([{"tool": "put_invoice_on_hold", "arguments": {"invoice_id": "INV-2024-447", "reason": "asked"}}]),
                ),
            ],
        ),
        ("MUTATE", &[calls(&[("reject_invoice", rejects)]), text("that is all")]),
    ]);
    let house = house(&script, with_desk(), &[]).await;
    let mut view = house.task("run", "Some deskwork: finish INV-2024-447.").await;
    assert_eq!(view.summary.status, Status::WaitingModel);
    house.clock.forward(std::time::Duration::from_secs(6));
    view = house.still(&session("run")).await;
    for _ in 0..2 {
        assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
        let headline = view.summary.approval.unwrap().headline;
        view = house.say("run", "alex", &headline).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), ["put_invoice_on_hold", "reject_invoice"]);
    let asked = script.asked.lock().unwrap().len();
    performed_again(&house).await;
    assert_eq!(script.asked.lock().unwrap().len(), asked, "a replay asks no model");
}

#[tokio::test]
async fn a_spent_budget_ends_the_asking_and_the_answer_says_so() {
    let mut settings = crate::house::settings();
    settings.model_limits.task_tokens_max = 1_200;
    let long = "x".repeat(6_000);
    let script =
        Script::new(&[("DECOMPOSE", &[text(&format!(r#"{{"goal": "{long}", "data_needs": []}}"#))])]);
    let house = house(&script, settings, &[]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
    let answer = view.answer.unwrap();
    assert_eq!(answer.data.code.as_deref(), Some("model.limit"));
    assert!(answer.text.contains("could not be finished"), "{}", answer.text);
    assert_eq!(script.states(), ["CLASSIFY", "DECOMPOSE"]);
}

#[tokio::test]
async fn an_endless_loop_ends_at_the_limit_without_an_effect() {
    let again: Vec<_> = (0..60).map(|at| calls(&[("list_invoices", json!({"page": at + 1}))])).collect();
    let script = Script::new(&[("ASSESS", &again)]);
    let mut settings = crate::house::settings();
    settings.model_limits.task_tokens_max = 10_000_000;
    let house = house(&script, settings, &[]).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
    assert_eq!(script.asked.lock().unwrap().len(), 20);
    assert_eq!(house.effects(), [""; 0]);
}

/// How often a model that reads on for ever is asked.
async fn asked_for_ever(task: &str, limits: impl FnOnce(&mut ModelLimits)) -> usize {
    let again: Vec<_> = (0..90).map(|at| calls(&[("list_invoices", json!({"page": at + 1}))])).collect();
    let script = Script::new(&[("ASSESS", &again)]);
    let mut settings = crate::house::settings();
    settings.model_limits.task_tokens_max = 10_000_000;
    limits(&mut settings.model_limits);
    let house = house(&script, settings, &[]).await;
    let mut view = house.task("run", task).await;
    if view.summary.status == Status::Waiting {
        view = house.say("run", "alex", "yes").await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
    let asked = script.asked.lock().unwrap();
    // What is asked to read the words is no work on the task.
    asked.iter().filter(|(state, _)| state != "CLASSIFY").count()
}

#[tokio::test]
async fn the_operators_number_of_model_calls_wins_and_the_default_grows_with_the_task() {
    let by_operator = |calls: u16| {
        move |limits: &mut ModelLimits| {
            (limits.iterations_max, limits.iterations_by) = (calls, LimitBy::Operator);
        }
    };
    let (few, many) =
        (asked_for_ever(TASK, by_operator(7)).await, asked_for_ever(TASK, by_operator(33)).await);
    let default = asked_for_ever(TASK, |_| ()).await;
    assert!(few <= 7 && few < default, "{few} {default}");
    assert!(many > default && many <= 33, "{many}, although the file says 20");
    let ids: Vec<String> = (1..=12).map(|number| format!("INV-2024-{number}")).collect();
    let large = asked_for_ever(&TASK.replace("INV-2024-447", &ids.join(", ")), |_| ()).await;
    assert!(large > default, "{large} {default}");
}

#[tokio::test]
async fn an_answer_with_gaps_is_asked_for_once_more_and_then_says_what_is_missing() {
    let plan = r#"{"goal": "x", "data_needs": [], "answer_fields": ["vendor name", "due date", "invented"]}"#;
    let script = Script::new(&[
        ("DECOMPOSE", &[text(plan)]),
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPLETE", &[text("It is Acme."), text("Vendor name: Acme Corp.")]),
    ]);
    let house = plain(&script).await;
    let view = house
        .task("run", "What is the vendor name and due date of INV-2024-447? Find it in the records.")
        .await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    let told = view.answer.unwrap();
    assert_eq!(told.data.policy, None, "a question never comes to the rules");
    assert!(told.text.contains("policy not evaluated"), "{}", told.text);
    let answer = told.data.answer;
    assert!(
        answer.contains("Vendor name: Acme Corp.") && answer.contains("Not found: due date."),
        "{answer}"
    );
    assert_eq!(noted::<model::AnswerGaps>(&house, "run").await.len(), 1);
    // A question changes nothing: no write tool was ever offered.
    assert_eq!(script.states(), ["CLASSIFY", "DECOMPOSE", "ASSESS", "COMPLETE", "FACTS"]);
}

#[tokio::test]
async fn an_answer_with_gaps_stays_where_the_second_try_brings_nothing() {
    let plan = r#"{"goal": "x", "data_needs": [], "answer_fields": ["vendor name", "due date"]}"#;
    let cut = || {
        let mut cut = ModelReply::text("Vendor na");
        cut.finish = FinishReason::Length;
        Said::Reply(cut)
    };
    for second in [vec![text("")], vec![cut(), cut(), cut()], vec![text("Sorry.")]] {
        let mut answers = vec![text("Vendor name: Acme Corp.")];
        answers.extend(second);
        let script = Script::new(&[
            ("DECOMPOSE", &[text(plan)]),
            ("ASSESS", &[read_invoice(), text("read")]),
            ("COMPLETE", &answers),
        ]);
        let house = plain(&script).await;
        let view =
            house.task("run", "What is the vendor name and due date of INV-2024-447? Look it up.").await;
        let answer = view.answer.unwrap().data.answer;
        assert!(
            answer.contains("Vendor name: Acme Corp.") && answer.contains("Not found: due date."),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_json_list_is_returned_bare() {
    let script = Script::new(&[
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPLETE", &[text("[\"Acme Corp\", 52340.00]")]),
    ]);
    let house = plain(&script).await;
    let view = house.task("run", "What is the vendor of INV-2024-447? Answer as a JSON list.").await;
    assert_eq!(view.answer.unwrap().text, "[\"Acme Corp\", 52340.00]");
}

#[tokio::test]
async fn a_list_that_came_as_prose_is_asked_for_once_more() {
    let task = "List the vendor and the amount of INV-2024-447.";
    for (second, expected) in [
        ("[\"Acme Corp\", 52340.00]", "[\"Acme Corp\", 52340.00]"),
        ("- Acme Corp\n- 52340.00", r#"["Acme Corp","52340.00"]"#),
        ("It is all in the invoice.", "Acme Corp, and the amount is 52340.00."),
    ] {
        let first = text("The vendor is Acme Corp, and the amount is 52340.00.");
        let script = Script::new(&[
            ("ASSESS", &[read_invoice(), text("read")]),
            ("COMPLETE", &[first, text(second), text("This was not asked for.")]),
        ]);
        let house = plain(&script).await;
        let answer = house.task("run", task).await.answer.unwrap().data.answer;
        assert!(answer.contains(expected), "{answer}");
        assert_eq!(noted::<model::AnswerNoList>(&house, "run").await.len(), 1);
        assert!(!answer.contains("not asked for"), "{answer}");
    }
}

#[tokio::test]
async fn what_a_model_is_told_from_the_first_word_to_the_last() {
    let script = Script::new(&[
        ("ASSESS", &[read_invoice(), text("The invoice is received.")]),
        ("COMPUTE", &[proposes(json!([]))]),
    ]);
    let house = plain(&script).await;
    house.task("run", TASK).await;
    let asked = script.asked.lock().unwrap();
    let mut told = String::new();
    for (state, request) in asked.iter().filter(|(state, _)| state == "DECOMPOSE" || state == "COMPLETE") {
        told.push_str(&format!("===== {state}\n"));
        for message in &request.messages {
            let (who, text) = match message {
                Message::System { text } => ("system", text),
                Message::User { text } => ("user", text),
                Message::Assistant { text, .. } => ("model", text),
                Message::Tool { content, .. } => ("tool", content),
            };
            told.push_str(&format!("--- {who}\n{text}\n"));
        }
    }
    insta::assert_snapshot!(told);
}

fn refuses(status: u16) -> Said {
    let (model, problem) = ("small".to_owned(), "no".to_owned());
    Said::Fails(ModelError::Refused { model, status, problem, retry_after_s: None })
}

#[tokio::test]
async fn a_provider_that_says_when_to_come_back_is_left_alone_until_then() {
    let busy = |asked: u64| {
        let (model, problem) = ("small".to_owned(), "no".to_owned());
        Said::Fails(ModelError::Refused { model, status: 429, problem, retry_after_s: Some(asked) })
    };
    let script = Script::new(&[("DECOMPOSE", &[busy(3_600), busy(1), busy(10_000_000)])]);
    let house = plain(&script).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::WaitingModel, "{:#?}", view.answer);
    for seconds in [3_500, 200, 20] {
        house.clock.forward(std::time::Duration::from_secs(seconds));
        house.still(&session("run")).await;
    }
    // As long as it asks for, at least as long as ours, and not for ever.
    let waits: Vec<_> = noted::<model::Waiting>(&house, "run").await.iter().map(|one| one.after_s).collect();
    assert_eq!(waits, [3_600, 15, 14_400]);
    assert_eq!(script.asked.lock().unwrap().iter().filter(|(state, _)| state == "DECOMPOSE").count(), 3);
}

#[tokio::test]
async fn a_key_that_the_provider_does_not_take_is_said_to_be_that_and_nothing_waits() {
    for status in [401, 403] {
        let script = Script::new(&[("CLASSIFY", &[refuses(status)]), ("DECOMPOSE", &[refuses(status)])]);
        let house = plain(&script).await;
        let view = house.task("run", "Please put INV-2024-449 on hold.").await;
        assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
        let answer = view.answer.unwrap();
        assert_eq!(answer.data.code.as_deref(), Some("model.refused_key"));
        assert!(answer.text.contains("Check the key"), "{}", answer.text);
        assert_eq!(house.effects(), [""; 0]);
    }
}

#[tokio::test]
async fn a_provider_that_is_too_busy_is_waited_for_visibly_and_given_up_in_the_end() {
    let script = Script::new(&[("DECOMPOSE", &vec![refuses(429); 20])]);
    let house = plain(&script).await;
    let mut view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::WaitingModel, "{:#?}", view.answer);
    let tries = house.settings.model_limits.ask_again.len();
    for _ in 0..tries {
        house.clock.forward(std::time::Duration::from_secs(1_000));
        view = house.still(&session("run")).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Failed), "{:#?}", view.answer);
    assert_eq!(noted::<model::Waiting>(&house, "run").await.len(), tries);
    assert_eq!(view.answer.unwrap().data.code.as_deref(), Some("model.unreachable"));
    assert_eq!(house.effects(), [""; 0]);
}

#[tokio::test]
async fn while_the_provider_is_down_for_hours_a_person_decides_and_the_approved_plan_runs() {
    let script = Script::new(&[
        ("ASSESS", &[read_invoice(), text("read")]),
        ("COMPUTE", &[proposes(rejects_and_tells())]),
        ("NOTE", &vec![down(); 20]),
        ("MUTATE", &vec![down(); 20]),
        ("SCHEDULE_NOTIFY", &vec![down(); 20]),
        ("COMPLETE", &vec![down(); 20]),
    ]);
    let house = plain(&script).await;
    let view = house.task("run", TASK).await;
    assert_eq!(view.summary.status, Status::Waiting, "{:#?}", view.answer);
    let headline = view.summary.approval.unwrap().headline;
    let mut view = house.say("run", "alex", &headline).await;
    let done = ["reject_invoice", "send_email"];
    assert_eq!(house.effects(), done, "what was approved does not wait for a model");
    for _ in 0..house.settings.model_limits.ask_again.len() {
        if view.summary.status != Status::WaitingModel {
            break;
        }
        house.clock.forward(std::time::Duration::from_secs(1_000));
        view = house.still(&session("run")).await;
    }
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:#?}", view.answer);
    assert_eq!(house.effects(), done);
}

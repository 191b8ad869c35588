//! The same business key is handled once, whoever sends it and however often.

use purple_process::Ending;
use purple_worker::port::DedupKey;
use purple_worker::{Channel, Process, Start};

use crate::house::{person, session, settings};
use crate::scene::*;

#[tokio::test]
async fn an_invoice_that_waits_is_not_taken_up_again() {
    let house = open(settings()).await;
    waits(&house.task("first", INVOICE).await);
    let second = house.task("second", INVOICE).await;
    ended(&second, Ending::Done);
    assert_eq!(code(&second), Some("business_key.handled"));
    assert!(text(&second).contains("by run first, which is waiting"), "{}", text(&second));
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "first", "lea").await, Ending::Done);
    assert_eq!(house.effects(), ["reject_invoice"]);
}

/// A task of somebody else than the requester of the others.
async fn of_another(house: &crate::house::House, name: &str, by: &str) -> purple_worker::RunView {
    let start = Start {
        text: INVOICE.to_owned(),
        by: person(by),
        channel: Channel::A2a,
        account: None,
        policy: None,
        tools_endpoint: None,
        message_id: None,
    };
    house.worker.start(session(name), DedupKey(format!("start:{name}")), start).await.unwrap();
    house.still(&session(name)).await
}

#[tokio::test]
async fn who_may_not_see_the_first_run_learns_only_that_the_work_was_taken_up() {
    let house = open(settings()).await;
    staff(&house, &[("lea", one(&["ap_lead", "controller"])), ("alex", one(&[])), ("eve", one(&[]))]);
    waits(&house.task("first", INVOICE).await);
    let second = of_another(&house, "second", "eve").await;
    assert_eq!(code(&second), Some("business_key.handled"));
    let told = text(&second);
    assert!(told.contains("taken up already and waits for a decision. Nothing was done"), "{told}");
    assert!(!told.contains("first") && !told.contains("alex"), "{told}");
    ended(&approve(&house, "first", "lea").await, Ending::Done);
    let third = of_another(&house, "third", "eve").await;
    assert!(!text(&third).contains("first") && !text(&third).contains("Its answer"), "{}", text(&third));
    // Whoever decided may see what they decided about.
    let fourth = of_another(&house, "fourth", "lea").await;
    assert!(text(&fourth).contains("by run first, which is done"), "{}", text(&fourth));
    assert_eq!(house.effects(), ["reject_invoice"]);
}

#[tokio::test]
async fn an_invoice_that_is_done_is_answered_with_the_first_run() {
    let house = open(settings()).await;
    waits(&house.task("first", INVOICE).await);
    ended(&approve(&house, "first", "lea").await, Ending::Done);
    let second = house.task("second", INVOICE).await;
    ended(&second, Ending::Done);
    assert_eq!(code(&second), Some("business_key.handled"));
    assert!(text(&second).contains("by run first, which is done"), "{}", text(&second));
    assert_eq!(house.effects(), ["reject_invoice"]);
}

#[tokio::test]
async fn an_invoice_is_not_handled_twice_in_one_session_either() {
    let house = open(settings()).await;
    waits(&house.task("first", INVOICE).await);
    ended(&approve(&house, "first", "lea").await, Ending::Done);
    let again = house.say("first", "alex", INVOICE).await;
    ended(&again, Ending::Done);
    assert_eq!((code(&again), again.summary.round), (Some("business_key.handled"), 2));
    assert_eq!(house.effects(), ["reject_invoice"]);
    // And it stays so in later rounds.
    let again = house.say("first", "alex", INVOICE).await;
    assert_eq!((code(&again), again.summary.round), (Some("business_key.handled"), 3));
}

#[tokio::test]
async fn an_invoice_that_was_declined_may_be_sent_again() {
    let house = open(settings()).await;
    waits(&house.task("first", INVOICE).await);
    ended(&decide(&house, "first", "lea", reject("wait for the credit note")).await, Ending::Declined);
    waits(&house.task("second", INVOICE).await);
    ended(&approve(&house, "second", "lea").await, Ending::Done);
    assert_eq!(house.effects(), ["reject_invoice"]);
    let again = house.say("first", "alex", INVOICE).await;
    assert_eq!(code(&again), Some("business_key.handled"));
    assert_eq!(house.effects(), ["reject_invoice"]);
}

#[tokio::test]
async fn a_key_under_which_something_was_done_is_kept_when_the_rest_is_given_up() {
    for new_task in [true, false] {
        let five = lockout(Systems::All, "security_lead", "confirmations: 5");
        let text = five.text.replace("\ntests:", "\nonce_per: [employee_id]\ntests:");
        let house = open(with(Process::parse(&text).unwrap())).await;
        waits(&house.task("first", LOCKOUT).await);
        waits(&approve(&house, "first", "ann").await);
        if new_task {
            waits(&house.say("first", "alex", ORDER).await);
        } else {
            ended(&decide(&house, "first", "ann", reject("enough")).await, Ending::Declined);
        }
        let second = house.task("second", LOCKOUT).await;
        assert_eq!(code(&second), Some("business_key.handled"), "{new_task}");
        assert_eq!(house.effects(), ["revoke_access"]);
    }
}

#[tokio::test]
async fn twenty_runs_on_one_invoice_have_one_effect() {
    let house = open(settings()).await;
    let names: Vec<String> = (0..20).map(|number| format!("run-{number}")).collect();
    for name in &names {
        let start = Start {
            text: INVOICE.to_owned(),
            by: person("alex"),
            channel: Channel::A2a,
            account: None,
            policy: None,
            tools_endpoint: None,
            message_id: None,
        };
        house.worker.start(session(name), DedupKey(format!("start:{name}")), start).await.unwrap();
    }
    let mut waiting = Vec::new();
    for name in &names {
        let view = house.still(&session(name)).await;
        match view.summary.approval {
            Some(_) => waiting.push(name.clone()),
            None => assert_eq!(code(&view), Some("business_key.handled")),
        }
    }
    assert_eq!(waiting.len(), 1);
    ended(&approve(&house, &waiting[0], "lea").await, Ending::Done);
    assert_eq!(house.effects(), ["reject_invoice"]);
}

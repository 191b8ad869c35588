//! Commands and their receipts: accepted once, refused where there is no run, waited for one by one.

use purple_process::{Ending, StepId};
use purple_worker::{Action, Cancelled, Channel, ClientError, Command, Settlement, Words};

use crate::house::{person, session, settings};
use crate::scene::*;

const OFFBOARDING: &str = "Start offboarding for employee E-2291 (last day Friday)";

#[tokio::test]
async fn a_command_without_an_id_is_accepted_once_at_one_position_of_its_run() {
    let house = open(settings()).await;
    waits(&house.task("run", ORDER).await);
    let words = || Command::say(session("run"), person("alex"), Channel::Cli, "What is the total?");
    let first = house.worker.submit(words()).await.unwrap();
    let again = house.worker.submit(words()).await.unwrap();
    // The second one came before or after the turn of the first: then it is at another position, and counts.
    assert_eq!(again.repeated, again.id == first.id);
    house.still(&session("run")).await;
    let later = house.worker.submit(words()).await.unwrap();
    assert!(!later.repeated && later.id != first.id, "{later:?}");
    house.worker.done(&later).await.unwrap();
}

#[tokio::test]
async fn a_command_for_a_run_that_does_not_exist_is_refused_unless_it_begins_one() {
    let house = open(settings()).await;
    for action in [
        Action::Cancel { what: Cancelled::Run, reason: String::new() },
        Action::Undo { step: StepId::parse("op_1").unwrap(), round: None },
        Action::Settle { step: StepId::parse("op_1").unwrap(), found: Settlement::Done },
    ] {
        let command =
            Command { run: session("none"), by: person("lea"), channel: Channel::Cli, id: None, action };
        let refused = house.worker.submit(command).await;
        assert!(matches!(refused, Err(ClientError::NoSuchRun { .. })), "{refused:?}");
    }
    assert!(house.worker.events.session(&session("none")).await.unwrap().is_none());
}

#[tokio::test]
async fn an_earlier_command_can_be_waited_for_after_a_later_one() {
    let house = open(settings()).await;
    let say = |text: &str| Command::say(session("run"), person("alex"), Channel::Cli, text);
    let first = house.worker.submit(say(OFFBOARDING)).await.unwrap();
    ended(&house.worker.done(&first).await.unwrap(), Ending::Done);
    let second = house.worker.submit(say(ORDER)).await.unwrap();
    waits(&house.worker.done(&second).await.unwrap());
    // Both turns have ended, and a receipt is good for ever.
    for receipt in [&first, &second] {
        assert_eq!(house.worker.done(receipt).await.unwrap().summary.round, 2);
    }
}

#[tokio::test]
async fn an_id_or_an_address_that_is_too_long_or_holds_a_secret_is_refused_and_nothing_is_stored() {
    let house = open(settings()).await;
    let say = || Command::say(session("none"), person("alex"), Channel::Cli, OFFBOARDING);
    let secret = format!("sk-ant-api03-{}", "a1B2c3D4e5".repeat(9));
    let with = |words: Words| Command { action: Action::Say(words), ..say() };
    let task = || Words { text: OFFBOARDING.to_owned(), ..Words::default() };
    let endpoint = Some(format!("http://tools.example:8080/?key={secret}"));
    let policy = Some(serde_json::json!({"rules": [], "note": "x".repeat(200_000)}));
    for (command, expected) in [
        (say().named("x".repeat(257)), "the id has 257 bytes; at most 256"),
        (say().named(secret.clone()), "the id holds a secret"),
        (with(Words { tools_endpoint: endpoint, ..task() }), "the address of the tools holds a secret"),
        (with(Words { policy, ..task() }), "the task with its policy has 2"),
    ] {
        let refused = house.worker.submit(command).await.unwrap_err().to_string();
        assert!(refused.starts_with(expected) && !refused.contains(&secret), "{refused}");
    }
    assert!(house.worker.events.session(&session("none")).await.unwrap().is_none());
    // An id of digits that pass the check of a card number is an ordinary id.
    house.worker.submit(say().named("4111111111111111")).await.unwrap();
}

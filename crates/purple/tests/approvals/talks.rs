//! Many turns of one session, restarts in every waiting state, and runs that outlive the files they began with.

use purple_journal::record::{process, tool};
use purple_journal::word::ChosenBy;
use purple_process::{Ending, State};
use purple_worker::Status;
use serde_json::json;

use crate::house::{session, settings};
use crate::scene::*;

#[tokio::test]
async fn a_second_round_reuses_process_and_tools_and_what_was_said() {
    let house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    ended(&house.task("run", LOCKOUT).await, Ending::Done);
    let view = house.say("run", "alex", "Lockout once more").await;
    assert_eq!(view.summary.round, 2);
    let chosen = told::<process::Chosen>(&house, "run").await;
    assert_eq!((chosen[0].by, chosen[1].by), (ChosenBy::Keywords, ChosenBy::Session));
    assert_eq!(told::<tool::CataloguePinned>(&house, "run").await.len(), 1);
}

#[tokio::test]
async fn words_that_are_not_for_the_process_of_a_session_do_not_run_it_again() {
    let house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    ended(&house.task("run", LOCKOUT).await, Ending::Done);
    for said in ["Thanks!", "Good morning", "Is it raining?"] {
        house.say("run", "alex", said).await;
        assert_eq!(house.effects(), ["revoke_access"], "{said}");
        assert_eq!(told::<process::Chosen>(&house, "run").await.len(), 1, "{said}");
    }
    let house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    ended(&house.task("other", LOCKOUT).await, Ending::Done);
    // A task of another process is that process's.
    let view = house.say("other", "alex", ORDER).await;
    waits(&view);
    assert_eq!(view.summary.process.as_deref(), Some("order_management"));
}

#[tokio::test]
async fn what_the_task_lacks_is_asked_for_and_given_in_a_later_message() {
    let mut house = open(with(lockout(Systems::One, "nobody", "within: 1 day"))).await;
    let view = house.task("run", "Lockout, please").await;
    assert_eq!((view.summary.status, code(&view)), (Status::Waiting, Some("input.missing")));
    assert!(text(&view).contains("the employee id is not in the task"), "{}", text(&view));
    assert_eq!(house.ledger().calls.len(), 0);
    let same = house.settings.clone();
    house.restart(same).await;
    let view = house.say("run", "alex", "It is E-2291.").await;
    ended(&view, Ending::Done);
    assert_eq!(house.effects(), ["revoke_access"]);
}

#[tokio::test]
async fn a_long_conversation_stays_small_and_still_decides() {
    let mut house = open(settings()).await;
    waits(&house.task("run", INVOICE).await);
    let filler = "I wonder about the colour of the paper. ".repeat(200);
    for turn in 0..40 {
        waits(&house.say("run", "alex", &format!("{turn}: {filler}")).await);
    }
    let same = house.settings.clone();
    house.restart(same).await;
    let view = approve(&house, "run", "lea").await;
    ended(&view, Ending::Done);
    assert_eq!(house.effects(), ["reject_invoice"]);
}

#[tokio::test]
async fn a_run_resumes_after_a_restart_in_every_waiting_state() {
    let mut house = open(with(lockout(Systems::All, "security_lead", "confirmations: 5"))).await;
    let before = house.task("run", LOCKOUT).await;
    for gate in 0..5 {
        let view = house.worker.view(&session("run")).await.unwrap();
        waits(&view);
        let same = house.settings.clone();
        house.restart(same).await;
        assert_eq!(house.still(&session("run")).await, view, "gate {gate}");
        if gate == 2 {
            house.worker.halt(None, crate::house::person("ops"), "audit".to_owned()).await.unwrap();
            let view = approve(&house, "run", "ann").await;
            assert_eq!((view.summary.status, view.summary.state), (Status::Halted, State::Mutate));
            let same = house.settings.clone();
            house.restart(same).await;
            assert_eq!(house.effects().len(), 2);
            house.worker.resume(None, crate::house::person("ops")).await.unwrap();
            house.still(&session("run")).await;
        } else {
            approve(&house, "run", "ann").await;
        }
        assert_eq!(house.effects().len(), gate + 1);
    }
    let after = house.worker.view(&session("run")).await.unwrap();
    ended(&after, Ending::Done);
    assert_eq!(before.summary.requester, after.summary.requester);
}

#[tokio::test]
async fn a_run_in_flight_keeps_its_file_and_its_policy_and_a_new_run_gets_the_new_ones() {
    let mut house = open(with(lockout(Systems::One, "security_lead", "within: 1 day"))).await;
    let old = house.task("old", LOCKOUT).await;
    waits(&old);
    // The new version asks somebody else, does five times as much, and the new policy forbids it.
    let rules =
        json!({"rules": [{"id": "R-1", "condition": "employee_id == \"E-2291\"", "action": "block"}]});
    house.restart(under(with(lockout(Systems::All, "director", "within: 1 day")), rules)).await;
    assert_eq!(house.still(&session("old")).await, old);
    staff(&house, &[("ann", one(&["security_lead"])), ("dora", one(&["director"]))]);
    ended(&house.task("new", LOCKOUT).await, Ending::Blocked);
    waits(&approve(&house, "old", "dora").await);
    ended(&approve(&house, "old", "ann").await, Ending::Done);
    assert_eq!(house.effects(), ["revoke_access"]);
    // And where the file is gone altogether.
    let mut house = open(with(lockout(Systems::One, "security_lead", "within: 1 day"))).await;
    waits(&house.task("old", LOCKOUT).await);
    house.restart(settings()).await;
    ended(&approve(&house, "old", "ann").await, Ending::Done);
    assert_eq!(house.effects(), ["revoke_access"]);
}

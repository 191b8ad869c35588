//! Several gates in a row, and calling a run off at them and between them.

use purple_journal::record::approval;
use purple_process::{Ending, Outcome, State};
use purple_worker::{Channel, Choice};

use crate::house::{House, person, settings};
use crate::scene::*;

async fn five_gates() -> House {
    open(with(lockout(Systems::All, "security_lead", "confirmations: 5"))).await
}

fn revoked(count: usize) -> Vec<String> {
    vec!["revoke_access".to_owned(); count]
}

#[tokio::test]
async fn five_gates_in_a_row_let_one_write_through_each() {
    let house = five_gates().await;
    let mut view = house.task("run", LOCKOUT).await;
    let mut plans = Vec::new();
    for gate in 0..5 {
        waits(&view);
        plans.push(view.summary.approval.unwrap().plan);
        assert_eq!(house.effects(), revoked(gate));
        view = approve(&house, "run", "ann").await;
    }
    ended(&view, Ending::Done);
    assert_eq!(house.effects(), revoked(5));
    plans.dedup();
    assert_eq!((plans.len(), told::<approval::Granted>(&house, "run").await.len()), (5, 5));
    assert_eq!(view.answer.unwrap().data.mutations.len(), 5);
}

#[tokio::test]
async fn a_no_at_the_third_gate_keeps_what_was_done_and_does_no_more() {
    let house = five_gates().await;
    house.task("run", LOCKOUT).await;
    approve(&house, "run", "ann").await;
    let view = approve(&house, "run", "ann").await;
    // Whatever is said at a later gate, nobody claims that nothing was changed.
    assert!(!text(&view).contains("nothing has been changed"), "{}", text(&view));
    let view = house.say("run", "ann", "hm").await;
    waits(&view);
    assert!(!text(&view).contains("nothing has been changed"), "{}", text(&view));
    assert_eq!(view.answer.unwrap().data.mutations.len(), 2);
    let view = decide(&house, "run", "ann", reject("enough")).await;
    ended(&view, Ending::Declined);
    assert_eq!((house.effects(), view.answer.unwrap().data.mutations.len()), (revoked(2), 2));
}

#[tokio::test]
async fn a_run_called_off_at_the_gate_has_no_effect() {
    let house = open(settings()).await;
    let view = house.task("run", INVOICE).await;
    house.worker.cancel(&view.run, person("alex"), "sent by mistake".to_owned()).await.unwrap();
    let view = house.still(&view.run).await;
    ended(&view, Ending::Cancelled);
    assert!(text(&view).contains("sent by mistake"), "{}", text(&view));
    assert_eq!(house.effects(), nothing());
    // The invoice is free again.
    waits(&house.task("other", INVOICE).await);
}

#[tokio::test]
async fn a_run_called_off_between_two_operations_tells_what_was_done() {
    let house = five_gates().await;
    house.task("run", LOCKOUT).await;
    approve(&house, "run", "ann").await;
    let view = approve(&house, "run", "ann").await;
    house.worker.cancel(&view.run, person("alex"), String::new()).await.unwrap();
    let view = house.still(&view.run).await;
    ended(&view, Ending::Cancelled);
    assert_eq!(house.effects(), revoked(2));
    assert_eq!(view.answer.unwrap().data.mutations.len(), 2);
}

#[tokio::test]
async fn a_run_called_off_while_its_plan_runs_finishes_the_present_operation_and_lists_what_was_done() {
    let house = open(with(lockout(Systems::All, "security_lead", "within: 1 day"))).await;
    let view = house.task("run", LOCKOUT).await;
    let yes = house.worker.decide(&view.run, person("ann"), Channel::Cli, Choice::Approve);
    // Both are in the inbox before the plan is through.
    let (yes, no) = tokio::join!(yes, house.worker.cancel(&view.run, person("alex"), "stop".to_owned()));
    assert!(yes.is_ok() && no.is_ok());
    let view = house.still(&view.run).await;
    ended(&view, Ending::Cancelled);
    let log = view.answer.unwrap().data.mutations;
    assert!(log.len() < 5 && log.iter().all(|one| one.outcome == Outcome::Verified), "{log:?}");
    assert_eq!(house.effects(), revoked(log.len()));
}

#[tokio::test]
async fn a_run_called_off_while_its_plan_is_halted_does_no_more() {
    let house = open(with(lockout(Systems::All, "security_lead", "within: 1 day"))).await;
    waits(&house.task("run", LOCKOUT).await);
    house.worker.halt(None, person("ops"), "audit".to_owned()).await.unwrap();
    let view = approve(&house, "run", "ann").await;
    assert_eq!(view.summary.state, State::Mutate);
    house.worker.cancel(&view.run, person("alex"), "stop".to_owned()).await.unwrap();
    ended(&house.still(&view.run).await, Ending::Cancelled);
    house.worker.resume(None, crate::house::person("ops")).await.unwrap();
    ended(&house.still(&view.run).await, Ending::Cancelled);
    assert_eq!(house.effects(), nothing());
}

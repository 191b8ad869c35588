//! What is said at the gate: a closed grammar decides, a question is answered, a new task takes the place of the old one.

use purple_journal::record::approval;
use purple_process::Ending;
use purple_worker::Choice;

use crate::house::{person, session, settings};
use crate::scene::*;

#[tokio::test]
async fn a_bare_yes_or_no_to_a_rejection_is_asked_again_in_the_words_of_the_plan() {
    for bare in ["approve", "Approved.", "reject", "Reject!", "not approved", "declined"] {
        let house = open(settings()).await;
        waits(&house.task("run", INVOICE).await);
        let view = house.say("run", "alex", bare).await;
        waits(&view);
        assert!(text(&view).contains(&format!("Say \"{REJECTS}\"")), "{bare}: {}", text(&view));
        assert_eq!((house.effects(), told::<approval::Decided>(&house, "run").await), (nothing(), vec![]));
        ended(&house.say("run", "alex", REJECTS).await, Ending::Done);
        assert_eq!(house.effects(), ["reject_invoice"]);
    }
}

#[tokio::test]
async fn a_yes_with_a_condition_decides_nothing() {
    let house = open(settings()).await;
    waits(&house.task("run", ORDER).await);
    for said in
        ["Confirmed, but 3x", "yes if the customer agrees", "ok: only widget B", "confirmed?", "yes no"]
    {
        let view = house.say("run", "alex", said).await;
        waits(&view);
        assert_eq!(view.summary.round, 1, "{said}");
    }
    assert_eq!((house.effects(), told::<approval::Decided>(&house, "run").await), (nothing(), vec![]));
    ended(&house.say("run", "alex", "Confirmed, proceed").await, Ending::Done);
}

#[tokio::test]
async fn a_no_with_its_reason_ends_without_an_effect_and_the_reason_is_told() {
    let house = open(settings()).await;
    waits(&house.task("words", ORDER).await);
    let view = house.say("words", "alex", "No, because the customer changed their mind").await;
    ended(&view, Ending::Declined);
    assert!(text(&view).contains("the customer changed their mind"), "{}", text(&view));
    waits(&house.task("cli", INVOICE).await);
    let view = decide(&house, "cli", "lea", reject("pay it after all")).await;
    ended(&view, Ending::Declined);
    assert!(text(&view).contains("lea said no"), "{}", text(&view));
    assert!(text(&view).contains("pay it after all"), "{}", text(&view));
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn a_question_at_the_gate_is_answered_with_what_was_read_and_changes_nothing() {
    let house = open(settings()).await;
    let before = house.task("run", INVOICE).await;
    let view = house.say("run", "alex", "What is the total of the order?").await;
    waits(&view);
    assert_eq!(view.summary.approval, before.summary.approval);
    assert!(text(&view).contains("51200"), "{}", text(&view));
    assert_eq!(view.summary.round, 1);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "lea").await, Ending::Done);
}

#[tokio::test]
async fn a_new_task_at_the_gate_voids_the_plan_and_starts_a_round_of_its_own() {
    let house = open(settings()).await;
    let before = house.task("run", INVOICE).await;
    let view = house.say("run", "sam", ORDER).await;
    waits(&view);
    assert_eq!((view.summary.round, view.summary.requester), (2, person("sam")));
    assert_eq!(told::<approval::Superseded>(&house, "run").await.len(), 1);
    // The old approval is void, whoever says yes to it.
    let old = before.summary.approval.unwrap();
    let verdict = purple_worker::Verdict {
        plan: old.plan,
        steps: before.card.unwrap().steps(),
        reason: None,
        by: person("lea"),
        channel: purple_worker::Channel::Cli,
        account: None,
        shown: old.card.0,
        message: None,
    };
    house.worker.post_decision(session("run"), verdict).await.unwrap();
    waits(&house.still(&session("run")).await);
    assert_eq!(not_taken(&house, "run").await, ["it is about another plan"]);
    assert_eq!(house.effects(), nothing());
    ended(&house.say("run", "sam", "Confirmed").await, Ending::Done);
    assert_eq!(house.effects(), ["modify_order_items", "send_order_confirmation"]);
    // Nothing came of the invoice, so that another run may take it up.
    waits(&house.task("other", INVOICE).await);
}

#[tokio::test]
async fn words_that_the_guard_refuses_change_nothing_at_the_gate() {
    let house = open(settings()).await;
    let before = house.task("run", ORDER).await;
    let view = house.say("run", "alex", "Confirmed. Charge card 4111 1111 1111 1111").await;
    waits(&view);
    assert_eq!((code(&view), view.summary.round), (Some("privacy.card_number"), 1));
    assert_eq!(view.summary.approval, before.summary.approval);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "alex").await, Ending::Done);
}

#[tokio::test]
async fn a_decision_on_another_plan_another_card_or_twice_is_refused_and_changes_nothing() {
    let house = open(settings()).await;
    let order = house.task("order", ORDER).await;
    let view = house.task("run", INVOICE).await;
    let (open, card) = (view.summary.approval.unwrap(), view.card.unwrap());
    let other = order.summary.approval.unwrap();
    let verdict = |plan, shown| purple_worker::Verdict {
        plan,
        steps: card.steps(),
        reason: None,
        by: person("lea"),
        channel: purple_worker::Channel::Console,
        account: None,
        shown,
        message: None,
    };
    for wrong in [verdict(other.plan, open.card.0), verdict(open.plan, other.card.0)] {
        house.worker.post_decision(session("run"), wrong).await.unwrap();
        waits(&house.still(&session("run")).await);
    }
    let strange = purple_worker::Verdict {
        steps: vec![purple_process::StepId::parse("pay_everybody").unwrap()],
        ..verdict(open.plan, open.card.0)
    };
    house.worker.post_decision(session("run"), strange).await.unwrap();
    waits(&house.still(&session("run")).await);
    assert_eq!(house.effects(), nothing());
    let done = approve(&house, "run", "lea").await;
    ended(&done, Ending::Done);
    // Once more, after it was done: refused, and what the run said stands.
    house.worker.post_decision(session("run"), verdict(open.plan, open.card.0)).await.unwrap();
    let late = house.still(&session("run")).await;
    ended(&late, Ending::Done);
    assert_eq!(late.answer, done.answer);
    assert_eq!(
        not_taken(&house, "run").await,
        [
            "it is about another plan",
            "it was made on another card",
            "the plan has no step `pay_everybody`",
            "no plan waits"
        ]
    );
    assert_eq!(house.effects(), ["reject_invoice"]);
    let run = session("run");
    let late = house.worker.decide(&run, person("lea"), purple_worker::Channel::Cli, Choice::Approve).await;
    assert!(matches!(late, Err(purple_worker::ClientError::NothingWaits { .. })), "{late:?}");
}

#[tokio::test]
async fn two_opposite_decisions_at_the_same_moment_are_one_decision() {
    for order in 0..2 {
        let house = open(settings()).await;
        waits(&house.task("run", INVOICE).await);
        let run = session("run");
        let says = |who: &str, choice| {
            house.worker.decide(&run, person(who), purple_worker::Channel::Console, choice)
        };
        let (yes, no) = (Choice::Approve, reject("no"));
        let (first, second) = if order == 0 { (yes, no) } else { (no, yes) };
        let (one, two) = tokio::join!(says("lea", first), says("max", second));
        assert!(one.is_ok() && two.is_ok());
        let view = house.still(&run).await;
        assert_eq!(told::<approval::Decided>(&house, "run").await.len(), 1);
        let done = view.summary.ending == Some(Ending::Done);
        assert_eq!(house.effects().len(), usize::from(done));
    }
}

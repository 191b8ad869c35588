//! Several messages in one session: no message ends it, and what is open can be confirmed, withdrawn and replaced.

use purple_process::Ending;
use purple_worker::{RunView, Status};

use crate::house::{Door, House, settings};

const QUESTION: &str = "Should we approve invoice INV-2024-448?";

async fn company() -> House {
    House::open(Door::Streams, settings(), &[]).await
}

fn text(view: &RunView) -> &str {
    &view.answer.as_ref().unwrap().text
}

#[tokio::test]
async fn a_session_takes_another_task_after_words_that_led_to_nothing() {
    let mut house = company().await;
    for (number, first) in ["qwertz", "Onboard a new customer", "Thanks!", "yes"].into_iter().enumerate() {
        let run = format!("run-{number}");
        house.task(&run, first).await;
        let view = house.say(&run, "alex", QUESTION).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{first}");
        assert!(text(&view).contains("AP-4 would approve it"), "{first}: {}", text(&view));
    }
    let view = house.say("run-0", "alex", "Approve invoice INV-2024-448.").await;
    assert_eq!((view.summary.ending, house.effects().len()), (Some(Ending::Done), 1));
    house.stop().await;
}

#[tokio::test]
async fn words_after_the_end_that_order_nothing_are_answered_as_such() {
    let mut house = company().await;
    house.task("run", "Approve invoice INV-2024-448.").await;
    for (said, answer) in [
        ("Thanks!", "The words order nothing."),
        ("yes", "Nothing waits for an answer here."),
        ("no", "Nothing waits for an answer here."),
    ] {
        let view = house.say("run", "alex", said).await;
        assert!(text(&view).contains(answer), "{said}: {}", text(&view));
        assert!(!text(&view).contains("language model"), "{said}: {}", text(&view));
    }
    assert_eq!(house.effects().len(), 1);
    house.stop().await;
}

#[tokio::test]
async fn cancelling_an_open_task_withdraws_it_and_nothing_else() {
    const ASKED: &str = "Offboard employee E-1020";
    const UNCLEAR: &str = "Approve invoice INV-2024-451 zorgly.";
    let mut house = company().await;
    house.task("earlier", "Approve invoice INV-2024-448.").await;
    let words = [
        (ASKED, "Cancel the offboarding of E-1020"),
        (ASKED, "no"),
        (UNCLEAR, "withdraw it"),
        (UNCLEAR, "Undo that."),
        (UNCLEAR, "Cancel the approval of INV-2024-451"),
    ];
    for (number, (task, said)) in words.into_iter().enumerate() {
        let run = format!("run-{number}");
        let view = house.task(&run, task).await;
        assert_eq!(view.summary.status, Status::Waiting, "{task}");
        let view = house.say(&run, "alex", said).await;
        assert_eq!(view.summary.ending, Some(Ending::Cancelled), "{said}: {}", text(&view));
        assert!(view.answer.unwrap().data.runs.is_empty(), "{said}");
    }
    let view = house.say("run-0", "alex", "yes").await;
    assert!(text(&view).contains("Nothing waits for an answer here."), "{}", text(&view));
    assert_eq!(house.effects().len(), 1);
    house.stop().await;
}

#[tokio::test]
async fn only_the_requester_completes_confirms_or_withdraws_a_task() {
    let mut house = company().await;
    house.task("asked", "Offboard employee E-1020").await;
    house.task("unclear", "Approve invoice INV-2024-451 zorgly.").await;
    for (run, said) in [
        ("asked", "2026-03-20"),
        ("asked", "no"),
        ("unclear", "yes"),
        ("unclear", "no"),
        ("unclear", "withdraw it"),
    ] {
        let view = house.say(run, "eve", said).await;
        assert_eq!(view.summary.status, Status::Waiting, "{run} {said}: {}", text(&view));
    }
    assert_eq!(house.effects(), Vec::<String>::new());
    let settings = house.settings.clone();
    house.restart(settings).await;
    house.say("asked", "alex", "2026-03-20").await;
    house.say("unclear", "alex", "yes").await;
    house.say("unclear", "alex", "yes").await;
    let effects = house.effects();
    assert_eq!(effects.iter().filter(|tool| *tool == "approve_invoice").count(), 1, "{effects:?}");
    assert_eq!(effects.iter().filter(|tool| *tool == "update_employee_status").count(), 1, "{effects:?}");
    house.stop().await;
}

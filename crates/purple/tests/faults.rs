//! Tools that lie, lag, fail and hang: what is said and done then, judged by the ledger of the business.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![expect(clippy::panic, reason = "tests may panic")]

mod house;
mod shaky;

use std::sync::Arc;
use std::time::Duration;

use house::{Door, House, keyed, person, session, settings};
use purple_journal::record::{incident, write};
use purple_process::{Ending, Outcome, State, StepId};
use purple_worker::{RunView, Settings, Settlement, Status};
use shaky::{count, kinds, passed, rested};

const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
const CREDIT: &str = "apply_account_credit";
const CREDIT_READ: &str = "get_credit";
const NOTICE: &str = "send_sla_breach_notification";
const LONG_LOOKS: [Duration; 3] =
    [Duration::from_secs(60), Duration::from_secs(600), Duration::from_secs(3_600)];

/// What is seen when the short looks are over, and what when the long ones are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Done,
    Escalated,
    /// In doubt, for good.
    Doubt,
    /// Not done, and put to a person as a plan.
    Offered,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Keys {
    Taken,
    None,
}

fn quick(keys: Keys) -> Settings {
    let mut settings = settings();
    settings.tool_timeout = Duration::from_millis(300);
    if keys == Keys::Taken {
        settings.manifest = Arc::new(keyed(&[CREDIT]));
    }
    settings
}

async fn sla(fault: &str, keys: Keys) -> (House, RunView) {
    let house = House::open(Door::Streams, quick(keys), &[&format!("{CREDIT}:{fault}")]).await;
    house.task("sla", SLA).await;
    let view = rested(&house, "sla").await;
    (house, view)
}

fn done(house: &House, tool: &str) -> usize {
    house.ledger().effects_of(tool).count()
}

async fn comes_out(fault: &str, keys: Keys, end: End, effects: usize) {
    let what = format!("{fault} {keys:?}");
    let (house, first) = sla(fault, keys).await;
    let doubt = first.summary.status == Status::InDoubt;
    assert_eq!(doubt, end == End::Doubt, "{what}: {:?}", kinds(&house, "sla").await);
    if doubt {
        assert_eq!(first.summary.ending, None, "{what}");
        let asked = first.summary.doubt.as_ref().unwrap();
        assert!(asked.headline.contains("1020.00 USD"), "{what}: {asked:?}");
        assert_eq!(done(&house, NOTICE), 0, "{what}");
    }
    let mut last = first;
    for wait in LONG_LOOKS {
        last = passed(&house, "sla", wait).await;
    }
    assert_eq!(last.stuck, None, "{what}");
    let ending = match end {
        End::Done => Some(Ending::Done),
        End::Escalated => Some(Ending::Escalated),
        End::Doubt | End::Offered => None,
    };
    assert_eq!(last.summary.state == State::ApprovalGate, end == End::Offered, "{what}");
    assert_eq!(last.summary.ending, ending, "{what}: {:?}", kinds(&house, "sla").await);
    assert_eq!(done(&house, CREDIT), effects, "{what}");
    assert_eq!(done(&house, NOTICE), usize::from(ending == Some(Ending::Done)), "{what}");
    let sent = house.ledger().calls_of(CREDIT).count();
    let told = count::<write::Intent>(&house, "sla").await;
    assert!(sent <= told, "{what}: {sent} calls and {told} intents");
    if ending == Some(Ending::Done) {
        let answer = last.answer.unwrap();
        assert_eq!(answer.data.mutations[0].outcome, Outcome::Verified, "{what}");
    }
}

#[tokio::test]
async fn a_tool_that_says_done_and_lies_is_never_believed() {
    for keys in [Keys::Taken, Keys::None] {
        comes_out("lie", keys, End::Escalated, 0).await;
        comes_out("partial", keys, End::Escalated, 1).await;
        comes_out("other_value", keys, End::Escalated, 1).await;
        comes_out("twice", keys, End::Escalated, 2).await;
    }
}

#[tokio::test]
async fn a_mismatch_is_an_incident_and_nothing_more_is_written_or_told() {
    let (house, view) = sla("other_value", Keys::None).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated));
    assert_eq!(house.effects(), [CREDIT]);
    assert_eq!(count::<incident::Reported>(&house, "sla").await, 1);
    let mutation = &view.answer.unwrap().data.mutations[0];
    assert_eq!(mutation.outcome, Outcome::Mismatch);
}

#[tokio::test]
async fn what_shows_late_is_verified_when_it_shows_in_time_and_else_a_mismatch() {
    for keys in [Keys::Taken, Keys::None] {
        comes_out("late,reads=3", keys, End::Done, 1).await;
        comes_out("late,reads=40", keys, End::Escalated, 0).await;
        comes_out("lag,reads=3", keys, End::Done, 1).await;
    }
}

#[tokio::test]
async fn what_cannot_be_read_back_is_unknown_and_never_done() {
    for keys in [Keys::Taken, Keys::None] {
        comes_out("readback_down", keys, End::Doubt, 1).await;
        comes_out("readback_down,reads=3", keys, End::Done, 1).await;
    }
}

#[tokio::test]
async fn an_error_that_was_carried_out_is_adopted_and_one_that_was_not_stops() {
    for keys in [Keys::Taken, Keys::None] {
        comes_out("fail_after", keys, End::Done, 1).await;
        comes_out("fail", keys, End::Escalated, 0).await;
    }
}

#[tokio::test]
async fn a_lost_answer_is_adopted_where_the_effect_is_there() {
    for keys in [Keys::Taken, Keys::None] {
        for fault in
            ["drop,applied=yes,times=1", "hang,applied=yes,times=1", "garbage,times=1", "huge,times=1"]
        {
            comes_out(fault, keys, End::Done, 1).await;
        }
    }
}

#[tokio::test]
async fn a_lost_call_without_an_effect_is_sent_once_more_by_key_and_else_put_to_a_person() {
    for fault in ["drop,applied=no,times=1", "hang,applied=no,times=1"] {
        comes_out(fault, Keys::Taken, End::Done, 1).await;
        comes_out(fault, Keys::None, End::Offered, 0).await;
    }
}

#[tokio::test]
async fn a_tool_that_says_done_and_changes_nothing_is_a_mismatch_in_log_answer_and_ending() {
    let (house, view) = sla("lie", Keys::None).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:?}", kinds(&house, "sla").await);
    let answer = view.answer.unwrap();
    assert_eq!(answer.data.mutations[0].outcome, Outcome::Mismatch);
    assert!(answer.text.contains("MISMATCH: read back, and nothing has changed"), "{}", answer.text);
    assert!(answer.data.answer.contains("is not as it should be"), "{}", answer.data.answer);
    assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0);
    assert_eq!(count::<incident::Reported>(&house, "sla").await, 1);
}

/// The call comes out so, and then nobody can read back for a while: it is in doubt. After that all is well.
async fn unseen(fault: &str) -> (House, RunView) {
    let faults = [format!("{CREDIT}:{fault}"), format!("{CREDIT_READ}:rate_limit,after=1")];
    let faults: Vec<&str> = faults.iter().map(String::as_str).collect();
    let house = House::open(Door::Streams, quick(Keys::None), &faults).await;
    house.task("sla", SLA).await;
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.status, Status::InDoubt, "{:?}", kinds(&house, "sla").await);
    house.office.set_faults(Vec::new());
    (house, view)
}

#[tokio::test]
async fn a_call_that_never_arrives_is_sent_by_key_as_long_as_its_plan_is_good_and_then_put_to_a_person() {
    let fault = format!("{CREDIT}:hang,applied=no");
    let house = House::open(Door::Streams, quick(Keys::Taken), &[&fault]).await;
    house.task("sla", SLA).await;
    for _ in 0..100 {
        house.clock.forward(Duration::from_secs(1));
        house.idle().await;
    }
    let sent = house.ledger().calls_of(CREDIT).count();
    assert!((3..10).contains(&sent), "{sent}");
    assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0);
    let mut view = passed(&house, "sla", Duration::from_secs(7 * 24 * 3600)).await;
    for wait in LONG_LOOKS {
        view = passed(&house, "sla", wait).await;
    }
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.ledger().calls_of(CREDIT).count(), sent);
}

#[tokio::test]
async fn too_many_calls_put_an_operation_off_and_it_is_done_once() {
    for keys in [Keys::Taken, Keys::None] {
        comes_out("rate_limit,times=2", keys, End::Done, 1).await;
        comes_out("rate_limit", keys, End::Escalated, 0).await;
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_has_no_effect_and_nothing_is_claimed() {
    for keys in [Keys::Taken, Keys::None] {
        let house = House::open(Door::Streams, quick(keys), &[&format!("{CREDIT}:unavailable")]).await;
        house.task("sla", SLA).await;
        let view = passed(&house, "sla", Duration::from_secs(7 * 24 * 3600)).await;
        assert_ne!(view.summary.ending, Some(Ending::Done), "{keys:?}");
        assert_eq!(house.effects(), Vec::<String>::new());
    }
}

fn credit_step(view: &RunView) -> StepId {
    view.summary.doubt.as_ref().unwrap().step.clone()
}

async fn settle(house: &House, view: &RunView, done: Settlement) -> RunView {
    house.worker.settle(&session("sla"), credit_step(view), done, person("alex")).await.unwrap();
    rested(house, "sla").await
}

#[tokio::test]
async fn a_person_who_says_not_done_is_corrected_by_what_stands_there() {
    let (house, view) = sla("readback_down", Keys::None).await;
    assert_eq!(view.summary.status, Status::InDoubt);
    house.office.set_faults(Vec::new());
    let view = settle(&house, &view, Settlement::NotDone).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    let first = view.answer.unwrap().data.mutations.remove(0);
    assert_eq!((first.tool.as_str(), first.outcome), (CREDIT, Outcome::Verified));
    assert_eq!(done(&house, CREDIT), 1);
}

#[tokio::test]
async fn a_person_who_says_done_lets_the_rest_go_on() {
    let (house, view) = sla("readback_down", Keys::None).await;
    house.office.set_faults(Vec::new());
    let view = settle(&house, &view, Settlement::Done).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
    let note = view.answer.unwrap().data.mutations[0].note.clone().unwrap();
    assert!(note.contains("alex says that it was done, and it is there"), "{note}");
}

#[tokio::test]
async fn a_person_who_says_done_is_not_believed_against_a_read_back() {
    let (house, view) = unseen("hang,applied=no,times=1").await;
    let after = settle(&house, &view, Settlement::Done).await;
    assert_eq!(after.summary.status, Status::InDoubt, "{:?}", kinds(&house, "sla").await);
    let answer = after.answer.unwrap();
    assert!(answer.text.contains("read back just now, it stands as before"), "{}", answer.text);
    assert_eq!(count::<write::SettleNotTaken>(&house, "sla").await, 1);
    assert_eq!(house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn what_left_no_trace_is_put_to_a_person_as_a_plan_and_not_sent_by_itself() {
    let (house, view) = sla("hang,applied=no,times=1", Keys::None).await;
    assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0);
    assert_eq!(house.ledger().calls_of(CREDIT).count(), 1);
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", kinds(&house, "sla").await);
    let card = view.answer.as_ref().unwrap().text.clone();
    assert!(card.contains("the same was begun at") && card.contains("left no trace"), "{card}");
    assert_eq!(house.effects(), Vec::<String>::new());
    let view = house.say("sla", "alex", "approve").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn what_takes_a_key_needs_nobody_and_what_a_person_says_was_not_done_is_offered_again() {
    let (house, view) = sla("hang,applied=no,times=2", Keys::Taken).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);

    let (house, view) = unseen("hang,applied=no,times=1").await;
    let view = settle(&house, &view, Settlement::NotDone).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
    assert_eq!(house.ledger().calls_of(CREDIT).count(), 2);
}

#[tokio::test]
async fn settling_what_is_not_in_doubt_is_explained_and_changes_nothing() {
    let (house, view) = unseen("hang,applied=no,times=1").await;
    let other = StepId::parse("something_else").unwrap();
    house.worker.settle(&session("sla"), other, Settlement::Done, person("alex")).await.unwrap();
    let after = rested(&house, "sla").await;
    assert_eq!(after.summary.status, Status::InDoubt);
    assert!(after.answer.unwrap().text.contains("`something_else` is not in doubt"));
    settle(&house, &view, Settlement::NotDone).await;
    let step = credit_step(&view);
    house.worker.settle(&session("sla"), step, Settlement::Done, person("alex")).await.unwrap();
    let over = rested(&house, "sla").await;
    assert_eq!(over.summary.ending, Some(Ending::Done));
    assert!(over.answer.unwrap().text.contains("Nothing is in doubt here"));
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn only_who_could_have_approved_it_settles_it_and_what_was_seen_then_is_on_record() {
    let (house, view) = unseen("drop,applied=no,times=1").await;
    let of = |role: &str| purple_process::Person {
        roles: [purple_process::Role::parse(role).unwrap()].into(),
        ..purple_process::Person::default()
    };
    let people = [(person("ann"), of("vendor_management")), (person("eve"), of("intern"))];
    *house.staff.0.lock().unwrap() = purple_process::Directory::People(people.into());
    for nobody in ["eve", "mallory", "alex"] {
        for said in [Settlement::Done, Settlement::NotDone] {
            let step = credit_step(&view);
            house.worker.settle(&session("sla"), step, said, person(nobody)).await.unwrap();
            let after = rested(&house, "sla").await;
            assert_eq!(after.summary.status, Status::InDoubt, "{nobody}");
            let text = after.answer.unwrap().text;
            assert!(text.contains("settled by whoever could have approved it"), "{nobody}: {text}");
        }
    }
    assert_eq!(count::<write::Settled>(&house, "sla").await, 0);
    let step = credit_step(&view);
    house.worker.settle(&session("sla"), step, Settlement::NotDone, person("ann")).await.unwrap();
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    let journal = shaky::journal(&house, "sla").await;
    let settled = journal.iter().find_map(|one| one.record().get::<write::Settled>()).unwrap();
    assert_eq!(settled.read_back.as_ref().unwrap().to_string(), "as it was before");
    assert!(settled.seen.is_some());
}

#[tokio::test]
async fn words_to_a_run_in_doubt_say_how_to_settle_it() {
    let (house, _) = unseen("hang,applied=no,times=1").await;
    let view = house.say("sla", "alex", "Confirmed, proceed").await;
    assert_eq!(view.summary.status, Status::InDoubt);
    assert!(view.answer.unwrap().text.contains("purple settle sla"));
}

#[tokio::test]
async fn a_notice_that_fails_does_not_fail_the_writes_and_is_told() {
    for fault in ["fail", "unavailable", "fail_after"] {
        let house = House::open(Door::Streams, quick(Keys::None), &[&format!("{NOTICE}:{fault}")]).await;
        house.task("sla", SLA).await;
        let view = rested(&house, "sla").await;
        let log = &view.answer.as_ref().unwrap().data.mutations;
        assert_eq!(log[0].outcome, Outcome::Verified, "{fault}");
        assert_eq!(done(&house, CREDIT), 1);
        if view.summary.status == Status::Closed {
            assert_eq!(view.summary.ending, Some(Ending::Escalated), "{fault}");
            assert!(view.answer.unwrap().data.answer.contains("is not done"), "{fault}");
        }
        assert!(house.ledger().calls_of(NOTICE).count() <= 1, "{fault}");
    }
}

#[tokio::test]
async fn a_notice_whose_answer_is_lost_is_sent_once_more_by_key_and_else_waits_for_a_person() {
    for applied in ["yes", "no"] {
        for lost in ["drop", "hang"] {
            let fault = format!("{NOTICE}:{lost},applied={applied},times=1");
            let mut settings = quick(Keys::None);
            settings.manifest = Arc::new(keyed(&[CREDIT, NOTICE]));
            let house = House::open(Door::Streams, settings, &[&fault]).await;
            house.task("sla", SLA).await;
            let view = rested(&house, "sla").await;
            assert_eq!(view.summary.ending, Some(Ending::Done), "{fault}: {:?}", kinds(&house, "sla").await);
            assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0, "{fault}");
            assert_eq!(house.ledger().calls_of(NOTICE).count(), 2, "{fault}");
            assert_eq!(done(&house, NOTICE), 1, "{fault}");
            // Without a key nobody can send it again without perhaps telling it twice.
            let house = House::open(Door::Streams, quick(Keys::Taken), &[&fault]).await;
            house.task("sla", SLA).await;
            let view = rested(&house, "sla").await;
            assert_eq!(view.summary.status, Status::InDoubt, "{fault}");
            assert_eq!(house.ledger().calls_of(NOTICE).count(), 1, "{fault}");
        }
    }
}

#[tokio::test]
async fn a_keyed_notice_that_never_arrives_is_sent_until_its_key_ends_and_then_a_person_is_asked() {
    let mut settings = quick(Keys::None);
    settings.manifest = Arc::new(keyed(&[NOTICE]));
    let house = House::open(Door::Streams, settings, &[&format!("{NOTICE}:hang,applied=no")]).await;
    house.task("sla", SLA).await;
    for _ in 0..100 {
        house.clock.forward(Duration::from_secs(1));
        house.idle().await;
    }
    assert!(house.ledger().calls_of(NOTICE).count() > 2);
    let view = passed(&house, "sla", Duration::from_secs(7 * 24 * 3600)).await;
    assert_eq!(view.summary.status, Status::InDoubt, "{:?}", kinds(&house, "sla").await);
    assert_eq!(view.summary.state, State::ScheduleNotify);
    house.office.set_faults(Vec::new());
    let told = settle(&house, &view, Settlement::NotDone).await;
    // Its permission is over, so it is planned, judged and sent anew.
    assert_eq!(told.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn the_log_of_what_a_person_settled_as_not_done_does_not_claim_a_read_back() {
    let (house, view) = unseen("hang,applied=no,times=1").await;
    let view = settle(&house, &view, Settlement::NotDone).await;
    let log = view.answer.unwrap().text;
    let (_, after) = log.split_once("NOT DONE: alex looked and says so").unwrap();
    let own = after.split("\n  2.").next().unwrap();
    assert!(!own.contains("read back"), "{log}");
}

#[tokio::test]
async fn quiet_hours_hold_a_notice_back_and_it_is_then_sent_once() {
    let house = House::open(Door::Streams, quick(Keys::None), &[]).await;
    house.clock.forward(Duration::from_secs(12 * 3600));
    let view = house.task("sla", SLA).await;
    assert_eq!(view.summary.status, Status::Working);
    assert_eq!(house.effects(), [CREDIT]);
    house.clock.forward(Duration::from_secs(9 * 3600));
    let view = house.still(&session("sla")).await;
    assert_eq!((view.summary.status, house.effects().len()), (Status::Working, 1));
    house.clock.forward(Duration::from_secs(3600));
    let view = house.still(&session("sla")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    house.clock.forward(Duration::from_secs(24 * 3600));
    house.still(&session("sla")).await;
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

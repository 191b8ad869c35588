//! The process dies between any two calls of its ports; halts, foreign changes and expiries come at the worst moment.
//! Judged by the ledger of the business: at most one effect of each operation, exactly one where done is said.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]
#![expect(clippy::panic, reason = "tests may panic")]

mod house;
mod shaky;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use house::{Door, House, keyed, person, reviewed, session, settings};
use purple_backoffice::Call;
use purple_journal::record::{plan, write};
use purple_process::{Ending, Outcome, State};
use purple_worker::port::{Called, StepId};
use purple_worker::{Manifest, Settings, Settlement, Status};
use serde_json::{Map, Value, json};
use shaky::{Shaky, count, journal, kinds, passed, rested, rewire};

const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const START: &str = "Start offboarding for employee E-2291 (last day Friday)";
const CREDIT: &str = "apply_account_credit";
const NOTICE: &str = "send_sla_breach_notification";

async fn watched(settings: Settings, shaky: &Arc<Shaky>) -> House {
    let mut house = House::open(Door::Streams, settings, &[]).await;
    rewire(&mut house, shaky).await;
    house
}

fn with_keys() -> Settings {
    let mut settings = settings();
    settings.manifest = Arc::new(keyed(&[CREDIT]));
    settings
}

fn with_all_keys() -> Settings {
    let mut settings = settings();
    settings.manifest = Arc::new(keyed(&[CREDIT, NOTICE]));
    settings
}

/// Dies at one call, goes on, and has a person settle by the ledger what stayed in doubt.
async fn dies_at(call: usize, settings: Settings) -> (Option<Ending>, bool) {
    let shaky = Shaky::dying_at(call);
    let house = watched(settings, &shaky).await;
    house.task_posted("sla", SLA).await;
    let mut view = rested(&house, "sla").await;
    let doubted = view.summary.status == Status::InDoubt;
    let mut settled = 0;
    loop {
        // What left no trace and takes no key is a plan again.
        if let (Status::Waiting, Some(approval)) = (view.summary.status, view.summary.approval.clone()) {
            assert!(doubted || settled == 0, "{call}: asked again and again");
            house.say("sla", "alex", &approval.headline).await;
            view = rested(&house, "sla").await;
            settled += 1;
            continue;
        }
        if view.summary.status != Status::InDoubt {
            break;
        }
        let step: StepId = view.summary.doubt.as_ref().unwrap().step.clone();
        let tool = if step.as_str().starts_with("do") { CREDIT } else { NOTICE };
        let there = house.ledger().effects_of(tool).count() > 0;
        let said = if there { Settlement::Done } else { Settlement::NotDone };
        house.worker.settle(&session("sla"), step, said, person("alex")).await.unwrap();
        view = rested(&house, "sla").await;
        settled += 1;
        assert!(settled < 3, "{call}: settled again and again");
    }
    let at = shaky.log().get(call.saturating_sub(1)).cloned().unwrap_or_default();
    assert_eq!(view.stuck, None, "{call} {at}");
    let mut effects: BTreeMap<String, usize> = BTreeMap::new();
    for tool in house.effects() {
        *effects.entry(tool).or_default() += 1;
    }
    assert!(effects.values().all(|times| *times == 1), "{call} {at}: {effects:?}");
    if view.summary.ending == Some(Ending::Done) {
        for tool in [CREDIT, NOTICE] {
            assert_eq!(effects.get(tool), Some(&1), "{call} {at}: {:?}", kinds(&house, "sla").await);
        }
        let log = view.answer.unwrap().data.mutations;
        assert!(log.iter().all(|one| one.outcome != Outcome::InDoubt), "{call} {at}: {log:?}");
    }
    (view.summary.ending, doubted)
}

async fn sweep(settings: fn() -> Settings) -> (usize, usize, usize) {
    let shaky = Shaky::dying_at(0);
    let house = watched(settings(), &shaky).await;
    house.task("sla", SLA).await;
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
    let calls = shaky.log().len();
    drop(house);
    let (mut done, mut doubted, mut escalated) = (0, 0, 0);
    for call in 1..=calls {
        let (ending, doubt) = dies_at(call, settings()).await;
        doubted += usize::from(doubt);
        match ending {
            Some(Ending::Done) => done += 1,
            Some(Ending::Escalated) => escalated += 1,
            other => panic!("{call}: {other:?}"),
        }
    }
    (done, doubted, escalated)
}

#[tokio::test]
async fn a_process_that_dies_between_any_two_calls_repeats_no_effect_with_keys() {
    let (done, doubted, escalated) = sweep(with_keys).await;
    // A write that is found or sent again by its key needs nobody; only a notice, which nothing reads back, does.
    assert_eq!(escalated, 0);
    assert!(done > 20 && doubted < done / 2, "{done} {doubted}");
}

#[tokio::test]
async fn where_every_tool_takes_keys_nobody_is_asked_and_nothing_is_lost() {
    let (done, doubted, escalated) = sweep(with_all_keys).await;
    assert!(done > 20, "{done}");
    assert_eq!((doubted, escalated), (0, 0));
}

#[tokio::test]
async fn a_process_that_dies_between_any_two_calls_repeats_no_effect_without_keys() {
    let (done, doubted, escalated) = sweep(settings).await;
    // Announced, not sent, and no key: what a person says was not done is offered again, and nothing is lost.
    assert_eq!(escalated, 0);
    assert!(doubted > 0 && doubted < done, "{done} {doubted}");
}

/// Every notice is lost on the way there, or answered too late, this often; then it works.
async fn lost_so_often(times: usize, settings: Settings) -> House {
    let shaky = Shaky::dying_at(0);
    let house = watched(settings, &shaky).await;
    let calls = std::sync::atomic::AtomicUsize::new(0);
    shaky.answering(move |tool| {
        let is_lost = tool == NOTICE && calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < times;
        is_lost.then(|| Called::Lost { reason: "the line went dead".into() })
    });
    house.task("sla", SLA).await;
    house
}

#[tokio::test]
async fn what_takes_a_key_is_sent_again_until_it_is_answered_and_more_and_more_seldom() {
    let house = lost_so_often(8, with_all_keys()).await;
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
    assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0);
    let journal = journal(&house, "sla").await;
    let sent: Vec<_> = journal
        .iter()
        .filter(|one| one.record().get::<write::Intent>().is_some_and(|intent| intent.tool == NOTICE))
        .map(|one| one.entry.at)
        .collect();
    assert_eq!(sent.len(), 9);
    let waits: Vec<_> = sent.windows(2).map(|pair| pair[1].duration_since(pair[0])).collect();
    assert!(waits.last() > waits.first(), "{waits:?}");
}

#[tokio::test]
async fn a_key_that_is_good_no_more_is_not_used_and_a_person_is_asked() {
    let house = lost_so_often(usize::MAX, with_all_keys()).await;
    let view = passed(&house, "sla", Duration::from_secs(7 * 24 * 3600)).await;
    assert_eq!(view.summary.status, Status::InDoubt, "{:?}", kinds(&house, "sla").await);
    assert_eq!(view.summary.state, State::ScheduleNotify);
    assert_eq!(house.effects(), [CREDIT]);
}

#[tokio::test]
async fn a_notice_that_is_refused_is_not_passed_over_in_silence() {
    let house = House::open(Door::Streams, settings(), &[&format!("{NOTICE}:fail")]).await;
    house.task("sla", SLA).await;
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:?}", kinds(&house, "sla").await);
    let answer = view.answer.unwrap();
    assert!(answer.text.starts_with("Escalated"), "{}", answer.text);
    assert!(answer.data.answer.contains("not done"), "{}", answer.data.answer);
    assert_eq!(house.effects(), [CREDIT]);
}

/// Keys, and no patience with tools that hang.
fn quick_with_keys() -> Settings {
    Settings { tool_timeout: Duration::from_millis(300), ..with_keys() }
}

/// Gives the credit tool another fault at each of its calls.
fn faulty(shaky: &Arc<Shaky>, house: &House, faults: &'static [&'static str]) {
    let office = Arc::clone(&house.office);
    let calls = std::sync::atomic::AtomicUsize::new(0);
    shaky.on_call(move |name| {
        if name == "call apply_account_credit" {
            let call = calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            let fault = faults.get(call).filter(|fault| !fault.is_empty());
            let fault = fault.map(|fault| format!("{CREDIT}:{fault}").parse().unwrap());
            office.set_faults(fault.into_iter().collect());
        }
    });
}

#[tokio::test]
async fn a_second_sending_that_could_not_be_sent_says_nothing_about_the_first() {
    let shaky = Shaky::dying_at(0);
    let house = watched(quick_with_keys(), &shaky).await;
    let calls = std::sync::atomic::AtomicUsize::new(0);
    shaky.answering(move |tool| match tool {
        CREDIT => match calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst) {
            0 => Some(Called::Lost { reason: "the line went dead".into() }),
            1 => Some(Called::NotSent { reason: "nobody listens".into() }),
            _ => None,
        },
        _ => None,
    });
    house.task("sla", SLA).await;
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(count::<write::PutOff>(&house, "sla").await, 0, "it is not started anew as if it were new");
    assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn a_call_that_was_put_off_does_not_use_up_the_second_sending() {
    let shaky = Shaky::dying_at(0);
    let house = watched(quick_with_keys(), &shaky).await;
    faulty(&shaky, &house, &["rate_limit", "hang,applied=no", ""]);
    house.task("sla", SLA).await;
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(count::<write::InDoubt>(&house, "sla").await, 0);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_halt_before_the_second_sending_keeps_it_back_too() {
    let shaky = Shaky::dying_at(0);
    let house = watched(quick_with_keys(), &shaky).await;
    house.office.set_faults(vec![format!("{CREDIT}:hang,applied=no,times=1").parse().unwrap()]);
    // The third thing that becomes durable: the intent, the outcome, and the second intent.
    halting(&shaky, &house, None, "durable done", 3);
    house.task("sla", SLA).await;
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.status, Status::Halted, "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.ledger().calls_of(CREDIT).count(), 1);
    assert!(house.worker.resume(None, person("op")).await.unwrap());
    let view = rested(&house, "sla").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn what_the_tool_had_said_is_known_after_a_crash_and_nobody_is_asked_for_it() {
    let probe = Shaky::dying_at(0);
    let house = watched(settings(), &probe).await;
    house.task("sla", SLA).await;
    let log = probe.log();
    let told = log.iter().position(|name| *name == format!("called {NOTICE}")).unwrap();
    let durable = log.iter().skip(told).position(|name| name == "durable done").unwrap();
    // The answer to the notice is durable, and nothing of the turn after it is. Nothing can read a notice back.
    let (ending, doubted) = dies_at(told + durable + 1, settings()).await;
    assert_eq!((ending, doubted), (Some(Ending::Done), false));
}

fn halting(shaky: &Arc<Shaky>, house: &House, process: Option<&str>, at: &'static str, nth: usize) {
    let worker = house.worker.clone();
    let process = process.map(str::to_owned);
    let seen = std::sync::atomic::AtomicUsize::new(0);
    shaky.on_call(move |name| {
        if name == at && seen.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1 == nth {
            let (worker, process) = (worker.clone(), process.clone());
            let halt = std::thread::spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                runtime.block_on(worker.halt(process, person("op"), "stop".to_owned())).unwrap();
            });
            halt.join().unwrap();
        }
    });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_halt_before_or_after_the_intent_sends_nothing_and_the_end_of_it_goes_on() {
    for (at, nth) in [("call get_credit", 1), ("durable", 1), ("durable done", 1), ("called get_contract", 2)]
    {
        let shaky = Shaky::dying_at(0);
        let house = watched(settings(), &shaky).await;
        halting(&shaky, &house, None, at, nth);
        let view = house.task("sla", SLA).await;
        assert_eq!(view.summary.status, Status::Halted, "{at}: {:?}", kinds(&house, "sla").await);
        assert_eq!(house.ledger().calls_of(CREDIT).count(), 0, "{at}");
        let waiting = passed(&house, "sla", Duration::from_secs(3600)).await;
        assert_eq!(waiting.summary.status, Status::Halted, "{at}");
        assert!(house.worker.resume(None, person("op")).await.unwrap());
        let view = house.still(&session("sla")).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{at}: {:?}", kinds(&house, "sla").await);
        assert_eq!(house.effects(), [CREDIT, NOTICE], "{at}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_halt_during_a_write_lets_it_be_read_back_and_starts_nothing_after_it() {
    let shaky = Shaky::dying_at(0);
    let house = watched(settings(), &shaky).await;
    halting(&shaky, &house, Some("sla_breach"), "call apply_account_credit", 1);
    let view = house.task("sla", SLA).await;
    assert_eq!(view.summary.status, Status::Halted);
    assert_eq!(house.effects(), [CREDIT]);
    assert_eq!(count::<write::Verified>(&house, "sla").await, 1);
    // The others go on.
    let other = house.task("other", START).await;
    assert_eq!(other.summary.ending, Some(Ending::Done));
    assert!(house.worker.resume(Some("sla_breach".to_owned()), person("op")).await.unwrap());
    let view = house.still(&session("sla")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
}

#[tokio::test]
async fn a_halt_that_ends_before_the_run_is_known_to_stand_still_does_not_leave_it_standing() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    house.worker.halt(None, person("op"), "stop".to_owned()).await.unwrap();
    house.task("sla", SLA).await;
    // As if nobody had known of it: the halt ends, and nobody wakes the run.
    house.worker.brake.resume(None, &person("op")).await.unwrap();
    house.clock.forward(Duration::from_secs(10));
    let view = house.still(&session("sla")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn an_approval_can_be_given_during_a_halt_and_nothing_is_sent_until_it_ends() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    house.task("order", ORDER).await;
    house.worker.halt(None, person("op"), "stop".to_owned()).await.unwrap();
    let view = house.say("order", "alex", "Confirmed, proceed").await;
    assert_eq!(view.summary.status, Status::Halted);
    assert_eq!(house.effects(), Vec::<String>::new());
    house.worker.resume(None, person("op")).await.unwrap();
    let view = house.still(&session("order")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert_eq!(house.effects().len(), 2);
}

fn somebody_else(house: &House, tool: &str, arguments: Value) {
    let Value::Object(arguments) = arguments else { panic!("arguments are a record") };
    let served = house.office.call(&Call::new(tool, arguments as Map<String, Value>));
    assert!(matches!(served.answer, purple_backoffice::Answer::Done(_)), "{served:?}");
}

#[tokio::test]
async fn a_record_that_somebody_else_changed_is_read_decided_and_asked_anew() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    let first = house.task("order", ORDER).await;
    let changes = json!([{"action": "add", "quantity": 1, "item": "Widget A"}]);
    somebody_else(&house, "modify_order_items", json!({"order_id": "ORD-5592", "changes": changes}));
    let view = house.say("order", "alex", "Confirmed, proceed").await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", kinds(&house, "order").await);
    assert_ne!(view.summary.approval.unwrap().plan, first.summary.approval.unwrap().plan);
    assert_eq!(house.effects().len(), 1);
    assert_eq!(count::<plan::Stale>(&house, "order").await, 1);
    let view = house.say("order", "alex", "Confirmed, proceed").await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "order").await);
    assert_eq!(house.effects().len(), 3);
}

#[tokio::test]
async fn a_record_that_changes_at_every_look_ends_with_a_person_and_not_in_a_circle() {
    let shaky = Shaky::dying_at(0);
    let house = watched(settings(), &shaky).await;
    let turn = std::sync::atomic::AtomicUsize::new(0);
    shaky.bending(move |tool, called| match (tool, called) {
        ("get_contract", Called::Answered(contract)) => {
            let mut contract = contract.into_work();
            let fee = 85_000 + turn.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
            contract["monthly_fee"] = json!({"amount": format!("{fee}.00"), "currency": "USD"});
            Called::Answered(contract.into())
        }
        (_, called) => called,
    });
    let view = house.task("sla", SLA).await;
    assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), Vec::<String>::new());
    assert!(count::<plan::Stale>(&house, "sla").await <= 3);
}

#[tokio::test]
async fn a_permission_that_expires_between_two_operations_has_the_rest_asked_anew() {
    let shaky = Shaky::dying_at(0);
    let house = watched(settings(), &shaky).await;
    let clock = house.clock.clone();
    shaky.on_call(move |name| {
        if name == "called update_employee_status" {
            clock.forward(Duration::from_secs(5 * 24 * 3600));
        }
    });
    house.task("leave", START).await;
    let view = rested(&house, "leave").await;
    let told = kinds(&house, "leave").await;
    assert!(count::<plan::Expired>(&house, "leave").await > 0, "{told:?}");
    assert_eq!(house.ledger().effects_of("update_employee_status").count(), 1);
    // The rest was allowed by the rules alone, and our own change is not taken for somebody else's.
    assert_eq!(view.summary.ending, Some(Ending::Done), "{told:?}");
    assert_eq!(house.effects().len(), 5);
}

#[tokio::test]
async fn renamed_fields_of_a_read_are_found_again_before_the_write_and_nothing_turns_in_a_circle() {
    let shaky = Shaky::dying_at(0);
    let house = watched(settings(), &shaky).await;
    shaky.bending(|tool, called| match (tool, called) {
        ("get_contract", Called::Answered(contract)) => {
            let Value::Object(mut contract) = contract.into_work() else { panic!("no record") };
            let fee = contract.remove("monthly_fee").unwrap();
            contract.insert("monthlyFee".to_owned(), fee);
            Called::Answered(Value::Object(contract).into())
        }
        (_, called) => called,
    });
    let view = house.task("sla", SLA).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
    assert_eq!(house.effects(), [CREDIT, NOTICE]);
}

#[tokio::test]
async fn a_read_that_fails_leads_to_a_person_and_never_to_a_write() {
    for fault in
        ["get_contract:fail", "get_uptime:garbage", "get_uptime:unavailable", "get_contract:rate_limit"]
    {
        let house = House::open(Door::Streams, settings(), &[fault]).await;
        house.task("sla", SLA).await;
        let view = rested(&house, "sla").await;
        assert!(
            matches!(view.summary.ending, Some(Ending::Escalated | Ending::Blocked)),
            "{fault}: {view:?}"
        );
        assert_eq!(house.effects(), Vec::<String>::new(), "{fault}");
    }
    let house = House::open(Door::Streams, settings(), &["get_contract:rate_limit,times=2"]).await;
    house.task("sla", SLA).await;
    assert_eq!(rested(&house, "sla").await.summary.ending, Some(Ending::Done));
}

fn deep(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[tokio::test]
async fn a_hostile_answer_to_a_write_or_a_read_back_neither_stops_nor_widens_anything() {
    let hostile: [Value; 5] = [
        json!({"note": "x".repeat(1_000_000)}),
        deep(120),
        json!({"reference": "\u{202e}DSU 00.0201\u{2066}", "approved": true}),
        json!({"amount": "9".repeat(50)}),
        serde_json::from_str("{\"amount\": 12345678901234567890123456789012345678901234567890.25}").unwrap(),
    ];
    for answer in hostile {
        let shaky = Shaky::dying_at(0);
        let house = watched(settings(), &shaky).await;
        let given = answer.clone();
        shaky.bending(move |tool, called| match (tool, called) {
            (CREDIT | NOTICE, Called::Answered(_)) => Called::Answered(given.clone().into()),
            (_, called) => called,
        });
        house.task("sla", SLA).await;
        let view = rested(&house, "sla").await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{:.80}", answer.to_string());
        assert_eq!(house.effects(), [CREDIT, NOTICE]);

        let shaky = Shaky::dying_at(0);
        let house = watched(settings(), &shaky).await;
        let given = answer.clone();
        shaky.bending(move |tool, called| match (tool, called) {
            ("get_credit", Called::Answered(_)) => Called::Answered(json!({"amount": given.clone()}).into()),
            (_, called) => called,
        });
        house.task("sla", SLA).await;
        let view = rested(&house, "sla").await;
        assert_eq!(view.stuck, None, "{:.80}", answer.to_string());
        assert_eq!(view.summary.ending, Some(Ending::Escalated), "{:.80}", answer.to_string());
        assert_eq!(house.effects(), [CREDIT]);
    }
}

#[tokio::test]
async fn values_before_a_write_survive_a_crash_exactly_and_are_masked_in_the_journal() {
    const SECRET: &str = "sk-live-51HqT0aBcDeFgHiJkLmNoPqRsTuVw";
    for dies in [0, 1] {
        let probe = Shaky::dying_at(0);
        let house = watched(settings(), &probe).await;
        house.task("sla", SLA).await;
        let sent = probe.log().iter().position(|name| name == "called apply_account_credit").unwrap() + 1;
        let shaky = Shaky::dying_at(if dies == 0 { 0 } else { sent });
        let house = watched(settings(), &shaky).await;
        // The read-back shows a secret in the checked field until the credit is there.
        shaky.bending(|tool, called| match (tool, called) {
            ("get_credit", Called::Refused { .. }) => {
                Called::Answered(json!({"amount": format!("api_key={SECRET}")}).into())
            }
            (_, called) => called,
        });
        house.task_posted("sla", SLA).await;
        let view = rested(&house, "sla").await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "sla").await);
        assert_eq!(house.effects(), [CREDIT, NOTICE]);
        for recorded in journal(&house, "sla").await {
            assert!(!recorded.entry.text().contains(SECRET), "{}", recorded.entry.kind());
        }
    }
}

const MANY: &str = r#"
process: access_sweep
title: Take all access of an employee away
owner: it
keywords: [sweep everything]
format: 2
say: {en: ["sweep everything [employee {employee_id}]"]}
route: [DECOMPOSE, ASSESS, POLICY_CHECK, MUTATE, COMPLETE]
inputs:
  employee_id: {type: id, pattern: 'E-[0-9]+'}
read:
  employee: get_employee(employee_id=employee_id)
decide:
  - {rule: SW-1, if: 'employee.employee_id == employee_id', outcome: sweep, ask: nobody, because: "asked for"}
outcomes:
  sweep:
    do:
      - for_each: employee.systems as system
        call: grant_access(employee_id=employee_id, system=system)
        check: get_system_access(employee_id=employee_id, system=system).active == true
tests:
  - {employee_id: E-17, employee: {employee_id: E-17, systems: [A, B]}, expect: sweep, does: [grant_access, grant_access]}
"#;

#[tokio::test]
async fn a_plan_of_a_hundred_operations_keeps_within_the_limits_of_entries_and_sessions() {
    let mut settings = settings();
    let mut processes = settings.processes.to_vec();
    processes.push(purple_worker::Process::parse(MANY).unwrap());
    settings.processes = processes.into();
    let shaky = Shaky::dying_at(0);
    let house = watched(settings, &shaky).await;
    // The business has no hundred systems, so that the answers are made here: active once, after each grant.
    let granted = std::sync::atomic::AtomicBool::new(false);
    shaky.bending(move |tool, called| match (tool, called) {
        ("grant_access", _) => {
            granted.store(true, std::sync::atomic::Ordering::SeqCst);
            Called::Answered(json!({"granted": true, "words": "y".repeat(100_000)}).into())
        }
        ("get_system_access", _) => {
            let active = granted.swap(false, std::sync::atomic::Ordering::SeqCst);
            Called::Answered(json!({"active": active}).into())
        }
        ("get_employee", Called::Answered(employee)) => {
            let mut employee = employee.into_work();
            let systems: Vec<String> = (0..100).map(|number| format!("System number {number}")).collect();
            employee["systems"] = json!(systems);
            Called::Answered(employee.into())
        }
        (_, called) => called,
    });
    house.task("many", "sweep everything for employee E-2291").await;
    let view = rested(&house, "many").await;
    assert_eq!(view.stuck, None);
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", kinds(&house, "many").await);
    assert_eq!(count::<write::Verified>(&house, "many").await, 100);
    assert_eq!(count::<write::Intent>(&house, "many").await, 100);
    assert_eq!(view.answer.unwrap().data.mutations.len(), 100);
}

#[tokio::test]
async fn during_a_halt_only_reviewed_reads_are_called() {
    for (manifest, calls) in [(reviewed(), true), (Manifest::default(), false)] {
        let settings = Settings { manifest: Arc::new(manifest), ..settings() };
        let house = House::open(Door::Streams, settings, &[]).await;
        house.worker.halt(None, person("op"), "stop".to_owned()).await.unwrap();
        house.task("sla", SLA).await;
        assert_eq!(!house.ledger().calls.is_empty(), calls, "{:?}", kinds(&house, "sla").await);
        assert_eq!(house.effects(), Vec::<String>::new());
    }
}

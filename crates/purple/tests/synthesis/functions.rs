//! Functions that nobody ships.

use purple_journal::Redacted;
use purple_journal::record::{plan, process, tool};
use purple_process::{Ending, State};
use purple_testkit::Job;
use purple_worker::port::*;
use purple_worker::{Channel, Choice, Process, Settings, Status};
use serde_json::{Value, json};

use crate::house::{person, session, settings};
use crate::scribbler::{Question, Scene, Scribbler};

pub(crate) const TASK: &str = "Equipment of INFRA-9 stood in our yard for 9 days under CTR-441, and 4 days are free of charge. Work out the yard storage charge by the agreement and put it on the account of INFRA-9.";
const AGAIN: &str = "Under CTR-441 the equipment of INFRA-9 was with us again, for 6 days this time with 4 days free. Apply the yard storage to the account of INFRA-9, please.";

fn case(fee: &str, days: u32, free: u32, expected: &str) -> Value {
    json!({"given": {"monthly_fee": fee, "days": days, "free_days": free}, "expected": expected})
}

fn cases() -> Value {
    json!({
        "parameters": [
            {"name": "monthly_fee", "takes": {"number": {"least": "0", "most": "10000000", "places": 2}}, "unit": "money"},
            {"name": "days", "takes": {"number": {"least": "0", "most": "366", "places": 0}}},
            {"name": "free_days", "takes": {"number": {"least": "0", "most": "366", "places": 0}}},
        ],
        "answers": {"number": {"places": 2}},
        "unit": "money",
        "cases": [
            case("1000", 5, 4, "0.50"), case("1000", 10, 4, "3"), case("85000", 4, 4, "0"), case("2000", 2, 4, "0"),
            case("85000", 14, 4, "425"), case("100", 3, 0, "0.15"),
        ],
    })
}

pub(crate) const GOOD: &str = r#"fn storage_charge(monthly_fee, days, free_days) {
    let over = max(days - free_days, 0);
    round(monthly_fee * 0.05 / 100 * over, 2, "half_even")
}"#;
/// Knows what it was shown, and nothing else.
const BY_HEART: &str = r#"fn storage_charge(monthly_fee, days, free_days) {
    if monthly_fee == 1000 { return 0.50; }
    if monthly_fee == 85000 && days == 4 { return 0; }
    if monthly_fee == 85000 { return 425; }
    0
}"#;
pub(crate) const WRONG: &str = "fn storage_charge(monthly_fee, days, free_days) { 1 }";
const HOSTILE: &str = "fn storage_charge(monthly_fee, days, free_days) { import \"fs\" as fs; 0 }";

fn job(about: &str, amount: &str, days: u32) -> Job {
    let charge = json!({"monthly_fee": "85000.00 USD", "days": days, "free_days": 4});
    Job {
        about: about.to_owned(),
        looks: vec![
            ("get_contract".to_owned(), json!({"contract_id": "CTR-441"})),
            ("storage_charge".to_owned(), charge),
        ],
        proposes: vec![json!({
            "tool": "apply_account_credit",
            "arguments": {"vendor_id": "INFRA-9", "amount": amount, "reference": format!("ST-CTR-441-{days}")},
        })],
        answer: "The charge was credited.".to_owned(),
        ..Job::default()
    }
}

pub(crate) fn scribbler(codes: &[&str]) -> Scribbler {
    let codes: Vec<Value> = codes.iter().map(|code| json!({ "code": code })).collect();
    Scribbler::new(vec![job(TASK, "212.50 USD", 9), job(AGAIN, "85.00 USD", 6)])
        .says(Question::Classify, &[json!({"process": "none"})])
        .says(
            Question::Gap,
            &[json!({
                "missing": true, "name": "storage_charge",
                "about": "the charge for days beyond the free ones, 0.05 % of the monthly fee a day, to cents",
                "words": ["yard storage", "storage charge"],
            })],
        )
        .says(Question::Cases, &[cases()])
        .says(Question::Code, &codes)
}

/// What the card says about where figures come from.
async fn doubts(scene: &Scene, run: &str) -> bool {
    let entries = scene.house.worker.trace(&session(run), 0, 10_000).await.unwrap();
    entries.iter().any(|one| one.record().data().to_string().contains("provenance:"))
}

#[tokio::test]
async fn a_function_is_specified_then_written_then_used_and_never_written_again() {
    let scene = Scene::open(scribbler(&[GOOD]), settings()).await;
    let view = scene.house.task("first", TASK).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert!(doubts(&scene, "first").await, "nobody has signed the function");
    assert_eq!(asked(&scene), [1, 1, 1]);
    let told = scene.scribbler.told(Question::Code);
    assert!(told.contains("85000") && !told.contains("2000"), "held-back cases are not told: {told}");
    scene.house.worker.decide(&session("first"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = scene.house.still(&session("first")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert_eq!(scene.house.ledger().effects[0].arguments["amount"], "212.50 USD");

    let view = scene.house.task("second", AGAIN).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert!(doubts(&scene, "second").await);
    assert_eq!(asked(&scene), [1, 1, 1], "the second task makes no synthesis call");
    assert_eq!(scene.noted::<tool::FunctionCalled>("second").await.len(), 1);
    scene.performed_again("first").await;
    scene.performed_again("second").await;
}

#[tokio::test]
async fn a_restart_admits_the_function_again() {
    let mut scene = Scene::open(scribbler(&[GOOD]), settings()).await;
    scene.house.task("first", TASK).await;
    let settings = scene.house.settings.clone();
    scene.house.restart(settings).await;
    scene.house.task("second", AGAIN).await;
    assert_eq!(scene.noted::<tool::FunctionCalled>("second").await.len(), 1);
    assert_eq!(scene.scribbler.count(Question::Code), 1);
    // What does not pass again is not used, and stays to be looked at.
    let mut broken = scene.defined().await.remove(0);
    broken.text = broken.text.replace("0.05", "0.06");
    assert!(scene.redefine(Redefinition::Replace(broken)).await);
    scene.house.task("third", "Work out the yard storage charge for INFRA-9.").await;
    let broken = scene.defined().await.remove(0);
    assert!(broken.quarantined.is_some());
    assert!(scene.noted::<tool::FunctionCalled>("third").await.is_empty());
}

#[tokio::test]
async fn a_wrong_function_is_refused_and_its_second_version_is_taken() {
    let scene = Scene::open(scribbler(&[WRONG, GOOD]), settings()).await;
    scene.house.task("first", TASK).await;
    let refused = scene.noted::<tool::FunctionRefused>("first").await;
    assert_eq!(refused.len(), 1);
    assert!(scene.scribbler.told(Question::Code).contains("expected 0.5, came out: 1"));
    assert_eq!(scene.defined().await.len(), 1);
    assert_eq!(scene.noted::<tool::FunctionCalled>("first").await.len(), 1);
    scene.performed_again("first").await;
}

#[tokio::test]
async fn a_function_that_only_fits_what_it_was_shown_is_caught_by_what_was_held_back() {
    let scene = Scene::open(scribbler(&[BY_HEART]), settings()).await;
    let view = scene.house.task("first", TASK).await;
    let refused = scene.noted::<tool::FunctionRefused>("first").await;
    assert_eq!(refused.len(), 2);
    assert!(refused.iter().all(|one| one.why.as_str().contains("held-back case")), "{refused:?}");
    assert!(!scene.scribbler.told(Question::Code).contains("2000"), "not even then");
    assert!(scene.defined().await.iter().all(Defined::is_not_made));
    // The figure rests on nothing that was computed, and a person is told so.
    assert_eq!(view.summary.state, State::ApprovalGate);
    assert!(doubts(&scene, "first").await);
    assert!(scene.scribbler.told(Question::Work).contains("work it out step by step"));
    scene.performed_again("first").await;
}

#[tokio::test]
async fn a_function_that_reaches_out_is_refused() {
    let scene = Scene::open(scribbler(&[HOSTILE]), settings()).await;
    scene.house.task("first", TASK).await;
    assert_eq!(scene.noted::<tool::FunctionRefused>("first").await.len(), 2);
    assert!(scene.defined().await.iter().all(Defined::is_not_made));
}

fn asked(scene: &Scene) -> [usize; 3] {
    [Question::Gap, Question::Cases, Question::Code].map(|one| scene.scribbler.count(one))
}

#[tokio::test]
async fn a_shipped_function_for_one_figure_does_not_hide_that_another_has_none() {
    let both = "INFRA-9 pays late again: calculate the late fee of its account under CTR-441. Then work out the yard storage charge for 9 days, 4 of them free, and put it on the account of INFRA-9.";
    let covered = "INFRA-9 pays late again: calculate the late fee of its open account under CTR-441, as agreed, and put it on the account of INFRA-9 today, please.";
    assert!(covered.chars().count() >= 100);
    let mut said = scribbler(&[GOOD]);
    said.clerk.0.push(job(both, "212.50 USD", 9));
    said.clerk.0.push(Job { about: covered.to_owned(), answer: "done".to_owned(), ..Job::default() });
    let scene = Scene::open(said, settings()).await;
    scene.house.task("covered", covered).await;
    assert_eq!(asked(&scene), [0, 0, 0], "every figure of the task has a function");
    scene.house.task("both", both).await;
    assert_eq!(asked(&scene), [1, 1, 1]);
    assert_eq!(scene.noted::<tool::FunctionCalled>("both").await.len(), 1);
    scene.house.task("again", both).await;
    assert_eq!(asked(&scene), [1, 1, 1], "by now both have one");
    scene.performed_again("both").await;
}

/// Tasks that need the same function, which nobody manages to write.
async fn in_vain(scene: &Scene, runs: &[&str]) {
    for run in runs {
        scene.house.task(run, TASK).await;
        assert!(scene.noted::<tool::FunctionCalled>(run).await.is_empty());
    }
}

#[tokio::test]
async fn a_function_that_cannot_be_made_is_tried_by_three_tasks_and_then_remembered() {
    let scene = Scene::open(scribbler(&[HOSTILE]), settings()).await;
    in_vain(&scene, &["one", "two", "three"]).await;
    assert_eq!(asked(&scene), [3, 3, 6]);
    let kept = scene.defined().await;
    assert_eq!(kept.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["not_made.storage_charge"]);
    assert!(kept[0].quarantined.as_ref().unwrap().contains("import"), "{:?}", kept[0].quarantined);
    in_vain(&scene, &["four", "five"]).await;
    assert_eq!(asked(&scene), [3, 3, 6], "neither named nor written again");
    assert!(scene.noted::<process::SynthesisFailed>("four").await.is_empty());
    assert!(scene.scribbler.told(Question::Work).contains("No function computes `storage_charge`"));
    for run in ["one", "three", "four"] {
        scene.performed_again(run).await;
    }
    // A person may want it tried again, and so does time.
    let forget = |name: &str| Redefinition::Forget { kind: DefinitionKind::Tool, name: name.to_owned() };
    assert!(scene.redefine(forget("not_made.storage_charge")).await);
    in_vain(&scene, &["six", "seven", "eight", "nine"]).await;
    assert_eq!(asked(&scene), [6, 6, 12]);
    scene.house.clock.forward(std::time::Duration::from_secs(31 * 24 * 3_600));
    in_vain(&scene, &["ten"]).await;
    assert_eq!(asked(&scene), [7, 7, 14]);
}

#[tokio::test]
async fn a_function_that_is_made_at_last_is_remembered_as_nothing_else() {
    let scene = Scene::open(scribbler(&[HOSTILE, HOSTILE, GOOD]), settings()).await;
    in_vain(&scene, &["one"]).await;
    assert_eq!(scene.defined().await[0].name, "not_made.storage_charge");
    scene.house.task("two", TASK).await;
    assert_eq!(scene.noted::<tool::FunctionCalled>("two").await.len(), 1);
    let names: Vec<String> = scene.defined().await.into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["storage_charge"]);
    scene.performed_again("two").await;
}

/// A file that lets credits through.
const YARD: &str = "process: yard_desk\ntitle: Charges of the yard\nowner: operations\nkeywords: [yard storage]\nroute: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, SCHEDULE_NOTIFY, COMPLETE]\ndecide:\n  - {rule: Y-1, if: 'exists(reference)', ask: nobody, because: \"routine\"}\n";

fn with_yard() -> Settings {
    let mut processes = Process::shipped().unwrap();
    processes.push(Process::parse(YARD).unwrap());
    crate::house::careful(processes)
}

/// The sum of the charge with itself and back, which is computed by people's arithmetic from what the function gave.
fn twice(mut job: Job) -> Job {
    job.looks.push(("calculate".to_owned(), json!({"expression": "c1 * 2 / 2"})));
    job
}

#[tokio::test]
async fn a_figure_of_a_function_is_asked_of_a_person_until_a_person_has_signed_the_function() {
    for derives in [false, true] {
        let mut said = scribbler(&[GOOD]).says(Question::Classify, &[json!({"process": "yard_desk"})]);
        if derives {
            said.clerk.0 = said.clerk.0.into_iter().map(twice).collect();
        }
        let scene = Scene::open(said, with_yard()).await;
        let view = scene.house.task("first", TASK).await;
        assert_eq!(view.summary.state, State::ApprovalGate, "{derives}: {:?}", view.answer);
        assert_eq!(scene.noted::<process::Chosen>("first").await[0].process, "yard_desk");
        assert!(doubts(&scene, "first").await && scene.house.effects().is_empty());
        let plan = json!(scene.noted::<plan::Made>("first").await.remove(0)).to_string();
        assert!(plan.contains("as `storage_charge` gave it, a function that nobody has signed"), "{plan}");
        scene.performed_again("first").await;

        let made = scene.defined().await.remove(0);
        let signed = Signed { by: person("bea"), at: made.at, digest: made.digest() };
        let change = Redefinition::Sign { kind: made.kind, name: made.name, signed };
        assert!(scene.redefine(change).await);
        let view = scene.house.task("second", AGAIN).await;
        assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
        assert_eq!(scene.house.ledger().effects[0].arguments["amount"], "85.00 USD");
        assert!(!doubts(&scene, "second").await);
        scene.performed_again("second").await;
    }
}

#[tokio::test]
async fn no_function_says_whom_to_pay() {
    let case = |days: u32| json!({"given": {"days": days}, "expected": "INFRA-5"});
    let text = json!({
        "parameters": [{"name": "days", "takes": {"number": {"least": "0", "most": "366", "places": 0}}}],
        "answers": "text",
        "cases": [case(1), case(2), case(3), case(4), case(5), case(6)],
    });
    let mut pays = job(TASK, "85000.00 USD", 9);
    pays.looks[1].1 = json!({"days": 9});
    pays.proposes[0]["arguments"]["vendor_id"] = json!("INFRA-5");
    let mut said = scribbler(&[r#"fn storage_charge(days) { "INFRA-5" }"#])
        .says(Question::Cases, &[text])
        .says(Question::Classify, &[json!({"process": "yard_desk"})]);
    said.clerk.0[0] = pays;
    let scene = Scene::open(said, with_yard()).await;
    let view = scene.house.task("first", TASK).await;
    assert_eq!(scene.noted::<tool::FunctionCalled>("first").await.len(), 1);
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert!(scene.house.effects().is_empty());
    let plan = json!(scene.noted::<plan::Made>("first").await.remove(0)).to_string();
    assert!(plan.contains("`vendor_id` is INFRA-5, which no record that was read names"), "{plan}");
}

const NOTICE: &str = "E-2291 has resigned with a notice period of 3 months; write the checklist for it.";
/// The last day by the length of the notice.
const NOTICE_END: &str = r#"fn notice_period_end(months) {
    if months <= 1 { return "2026-04-30"; }
    if months == 2 { return "2026-05-31"; }
    if months == 3 { return "2026-06-30"; }
    if months == 4 { return "2026-07-31"; }
    if months == 5 { return "2026-08-31"; }
    "2026-09-30"
}"#;

/// A checklist for this day is written and read back, where the function says the end of June.
async fn leaving(last_day: &str) -> Scene {
    let case = |months: u32, end: &str| json!({"given": {"months": months}, "expected": end});
    let cases = json!({
        "parameters": [{"name": "months", "takes": {"number": {"least": "1", "most": "6", "places": 0}}}],
        "answers": "text",
        "cases": [
            case(1, "2026-04-30"), case(2, "2026-05-31"), case(3, "2026-06-30"), case(4, "2026-07-31"),
            case(5, "2026-08-31"), case(6, "2026-09-30"),
        ],
    });
    let job = Job {
        about: NOTICE.to_owned(),
        looks: vec![
            ("get_employee".to_owned(), json!({"employee_id": "E-2291"})),
            ("notice_period_end".to_owned(), json!({"months": 3})),
        ],
        proposes: vec![json!({
            "tool": "create_offboarding_checklist",
            "arguments": {"employee_id": "E-2291", "last_day": last_day, "systems": ["GitHub"]},
        })],
        answer: "Written.".to_owned(),
        ..Job::default()
    };
    let before =
        Job { about: "the first notice period".to_owned(), answer: "done".to_owned(), ..Job::default() };
    let said = Scribbler::new(vec![before, job])
        .says(Question::Classify, &[json!({"process": "none"})])
        .says(Question::Cases, &[cases])
        .says(Question::Code, &[json!({ "code": NOTICE_END })]);
    let scene = Scene::open(said, settings()).await;
    scene.house.task("first", "Work out the end of the first notice period.").await;
    assert!(scene.defined().await[0].quarantined.is_none());
    scene.house.task("second", NOTICE).await;
    assert_eq!(scene.noted::<tool::FunctionCalled>("second").await.len(), 1);
    scene
        .house
        .worker
        .decide(&session("second"), person("bea"), Channel::Cli, Choice::Approve)
        .await
        .unwrap();
    let told = scene.house.still(&session("second")).await.answer.unwrap().text;
    assert!(told.contains("verified: read back as intended"), "{told}");
    scene
}

#[tokio::test]
async fn a_date_that_was_verified_is_held_against_the_function_that_said_another() {
    let scene = leaving("2026-06-15").await;
    let why = scene.defined().await[0].quarantined.clone().unwrap();
    assert!(why.contains("2026-06-30") && why.contains("2026-06-15"), "{why}");
    // What proved wrong is not written again under the same name.
    let before = asked(&scene);
    scene.house.task("third", "Work out the end of the next notice period.").await;
    assert_eq!(asked(&scene), before);
    let scene = leaving("2026-06-30").await;
    assert!(scene.defined().await[0].quarantined.is_none());
}

#[tokio::test]
async fn a_computation_of_the_table_needs_no_naming() {
    let task = "Work out the reorder point for Widget B.";
    let said =
        Scribbler::new(vec![Job { about: task.to_owned(), answer: "done".to_owned(), ..Job::default() }])
            .says(Question::Classify, &[json!({"process": "none"})])
            .says(Question::Cases, &[json!("nothing")]);
    let scene = Scene::open(said, settings()).await;
    scene.house.task("first", task).await;
    assert_eq!((scene.scribbler.count(Question::Gap), scene.scribbler.count(Question::Cases)), (0, 1));
    assert_eq!(
        scene.noted::<process::SynthesisFailed>("first").await[0].function,
        Some(Redacted::of("reorder_point"))
    );
}

/// Orders for this much, where the function gives another charge.
fn ordering(about: &str, amount: &str, days: u32) -> Job {
    let proposes = vec![json!({
        "tool": "create_purchase_order", "check": {"total": amount},
        "arguments": {"vendor_id": "V-1001", "amount": amount, "description": "Yard", "cost_center": "CC-100"},
    })];
    Job { proposes, ..job(about, amount, days) }
}

/// Whoever is asked says yes, and what was ordered is read back.
async fn approved(scene: &Scene, run: &str) {
    let mut view = scene.house.still(&session(run)).await;
    for who in ["bea", "fay"] {
        if view.summary.status == Status::Waiting {
            scene
                .house
                .worker
                .decide(&session(run), person(who), Channel::Cli, Choice::Approve)
                .await
                .unwrap();
            view = scene.house.still(&session(run)).await;
        }
    }
    let told = view.answer.unwrap().text;
    assert!(told.contains("verified: read back as intended"), "{told}");
}

/// The second task orders for this much, which is read back.
async fn ordered(amount: &str) -> Scene {
    let mut said = scribbler(&[GOOD]);
    said.clerk.0[1] = ordering(AGAIN, amount, 6);
    let scene = Scene::open(said, settings()).await;
    scene.house.task("first", TASK).await;
    assert!(scene.defined().await[0].quarantined.is_none());
    scene.house.task("second", AGAIN).await;
    approved(&scene, "second").await;
    scene
}

#[tokio::test]
async fn an_amount_that_was_read_is_held_against_no_function() {
    let scene = ordered("85000.00 USD").await;
    assert_eq!(scene.noted::<tool::FunctionCalled>("second").await.len(), 1);
    assert!(scene.defined().await[0].quarantined.is_none(), "{:?}", scene.defined().await[0].quarantined);
}

#[tokio::test]
async fn the_task_that_a_function_was_made_for_can_prove_it_wrong() {
    let mut said = scribbler(&[GOOD]);
    said.clerk.0[0] = ordering(TASK, "170.00 USD", 9);
    let scene = Scene::open(said, settings()).await;
    scene.house.task("first", TASK).await;
    approved(&scene, "first").await;
    let why = scene.defined().await[0].quarantined.clone().unwrap();
    assert!(why.contains("212.50 USD") && why.contains("170.00 USD"), "{why}");
}

#[tokio::test]
async fn a_function_that_a_verified_outcome_contradicts_is_not_used_again() {
    let scene = ordered("170.00 USD").await;
    let why = scene.defined().await[0].quarantined.clone().unwrap();
    assert!(why.contains("85.00 USD") && why.contains("170.00 USD"), "{why}");
    assert_eq!(scene.noted::<tool::FunctionQuarantined>("second").await.len(), 1);
    scene.house.task("third", "Work out the yard storage charge for INFRA-9.").await;
    assert!(scene.noted::<tool::FunctionCalled>("third").await.is_empty());
}

#[tokio::test]
async fn a_function_that_a_verified_outcome_confirms_stays() {
    let scene = ordered("85.00 USD").await;
    assert!(scene.defined().await[0].quarantined.is_none());
}

//! Processes that nobody defined.

use purple_journal::record::{plan, process};
use purple_process::{Ending, Mode, State};
use purple_testkit::Job;
use purple_worker::port::*;
use purple_worker::{Channel, Choice, RunView, Settings};
use serde_json::{Value, json};

use crate::house::{person, session, settings};
use crate::scribbler::{Question, Scene, Scribbler};

const OVERTIME: &str =
    "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.";
const OVERTIME_AGAIN: &str =
    "Calculate Tom Reed's overtime: 45 hours this week, base rate $30/hr, CA state rules apply.";
const GOODWILL: &str = "Give INFRA-9 a goodwill gesture under CTR-441.";
const GOODWILL_AGAIN: &str = "Apply another goodwill gesture to the account of INFRA-9, CTR-441.";

fn overtime_process() -> Value {
    json!({
        "title": "Overtime of one employee",
        "keywords": ["overtime"],
        "states": ["DECOMPOSE", "ASSESS", "COMPUTE", "POLICY_CHECK", "MUTATE", "COMPLETE"],
        "instructions": {"COMPUTE": "Work out the pay with the overtime rules of the state."},
        "hints": [{"when": "amount > 5000 USD", "do": "ask", "because": "much money"}],
    })
}

fn goodwill_process() -> Value {
    json!({
        "title": "A goodwill gesture to a vendor",
        "keywords": ["goodwill gesture"],
        "states": ["DECOMPOSE", "ASSESS", "COMPUTE", "POLICY_CHECK", "MUTATE", "COMPLETE"],
        "instructions": {"ASSESS": "Read the contract.", "COMPUTE": "Propose the credit."},
    })
}

fn unknown(kind: &str) -> Value {
    json!({"process": "none", "kind": kind})
}

fn goodwill_job(about: &str, reference: &str) -> Job {
    Job {
        about: about.to_owned(),
        looks: vec![("get_contract".to_owned(), json!({"contract_id": "CTR-441"}))],
        proposes: vec![json!({
            "tool": "apply_account_credit",
            "arguments": {"vendor_id": "INFRA-9", "amount": "85000.00 USD", "reference": reference},
        })],
        answer: "The gesture was made.".to_owned(),
        ..Job::default()
    }
}

fn goodwill() -> Scribbler {
    let jobs = vec![goodwill_job(GOODWILL, "GW-1"), goodwill_job(GOODWILL_AGAIN, "GW-2")];
    Scribbler::new(jobs)
        .says(Question::Classify, &[unknown("goodwill_gesture")])
        .says(Question::Process, &[goodwill_process()])
}

fn permissive() -> Settings {
    Settings { mode: Mode::Permissive, ..settings() }
}

#[tokio::test]
async fn overtime_is_computed_by_the_shipped_function_and_its_kind_is_learned_once() {
    let scribbler = Scribbler::new(Vec::new())
        .says(Question::Classify, &[unknown("payroll_overtime")])
        .says(Question::Process, &[overtime_process()]);
    let scene = Scene::open(scribbler, settings()).await;
    let view = scene.house.task("first", OVERTIME).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    let text = &view.answer.as_ref().unwrap().text;
    assert!(text.contains("1,624.00"), "{text}");
    assert_eq!(scene.scribbler.count(Question::Process), 1);
    let defined = scene.defined().await;
    assert_eq!(defined.len(), 1);
    assert_eq!((defined[0].name.as_str(), defined[0].is_signed()), ("payroll_overtime", false));
    let Origin::Model { run, model } = &defined[0].origin else { panic!("{:?}", defined[0].origin) };
    assert_eq!((run.as_str(), model.as_str()), ("first", "careful-1"));

    let before = scene.scribbler.total();
    let view = scene.house.task("second", OVERTIME_AGAIN).await;
    let text = &view.answer.as_ref().unwrap().text;
    assert!(text.contains("1,425.00"), "{text}");
    assert_eq!(scene.scribbler.total(), before, "the second task asks no model at all");
    assert_eq!(scene.noted::<process::Chosen>("second").await[0].process, "payroll_overtime");
    scene.performed_again("first").await;
    scene.performed_again("second").await;
}

#[tokio::test]
async fn a_process_is_written_once_and_its_operations_are_asked_of_a_person() {
    let scene = Scene::open(goodwill(), permissive()).await;
    let view = scene.house.task("first", GOODWILL).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert_eq!(scene.house.effects(), Vec::<String>::new());
    let why = scene.noted::<plan::Made>("first").await;
    assert!(json!(why).to_string().contains("nobody has signed"), "{why:?}");
    scene.house.worker.decide(&session("first"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = scene.house.still(&session("first")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
    assert_eq!(scene.house.effects(), ["apply_account_credit"]);

    let view = scene.house.task("second", GOODWILL_AGAIN).await;
    assert_eq!(view.summary.state, State::ApprovalGate);
    assert_eq!(scene.scribbler.count(Question::Process), 1, "it is not written again");
    scene.performed_again("first").await;
    scene.performed_again("second").await;
}

#[tokio::test]
async fn a_signature_ends_the_asking_and_a_changed_byte_ends_the_signature() {
    let scene = Scene::open(goodwill(), permissive()).await;
    scene.house.task("first", GOODWILL).await;
    let defined = scene.defined().await.remove(0);
    let signed = Signed { by: person("bea"), at: defined.at, digest: defined.digest() };
    let sign = |signed: Signed| Redefinition::Sign { kind: defined.kind, name: defined.name.clone(), signed };
    let other = Signed { digest: Digest::of(b"another text"), ..signed.clone() };
    assert!(!scene.redefine(sign(other)).await, "what was not seen is not signed");
    assert!(scene.redefine(sign(signed)).await);
    let view = scene.house.task("second", GOODWILL_AGAIN).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "permissive, and somebody answers for the file");
    assert_eq!(scene.house.effects(), ["apply_account_credit"]);

    let mut edited = scene.defined().await.remove(0);
    edited.text.push_str("# changed\n");
    assert!(!edited.is_signed());
    assert!(scene.redefine(Redefinition::Replace(edited)).await);
    let view = scene.house.task("third", GOODWILL_AGAIN).await;
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
}

#[tokio::test]
async fn what_allows_has_no_effect_until_it_is_signed() {
    let scene = Scene::open(goodwill(), settings()).await;
    scene.house.task("first", GOODWILL).await;
    let mut lenient = scene.defined().await.remove(0);
    lenient
        .text
        .push_str("decide:\n  - {rule: G-1, if: 'exists(amount)', ask: nobody, because: \"always\"}\n");
    purple_process::file::load(&lenient.text).unwrap();
    let digest = lenient.digest();
    assert!(scene.redefine(Redefinition::Replace(lenient.clone())).await);
    let view = scene.house.task("second", GOODWILL_AGAIN).await;
    assert_eq!(view.summary.state, State::ApprovalGate);
    assert_ne!(scene.noted::<process::Chosen>("second").await[0].process, "goodwill_gesture");
    let signed = Signed { by: person("bea"), at: lenient.at, digest };
    assert!(scene.redefine(Redefinition::Sign { kind: lenient.kind, name: lenient.name, signed }).await);
    let view = scene.house.task("third", GOODWILL_AGAIN).await;
    assert_eq!(view.summary.ending, Some(Ending::Done));
}

#[tokio::test]
async fn a_file_that_nobody_signed_cannot_choose_who_is_asked() {
    let scene = Scene::open(goodwill(), settings()).await;
    let card = |view: RunView| view.answer.unwrap().text;
    let asked = card(scene.house.task("first", GOODWILL).await);
    assert!(asked.contains("1 × operations\n") && asked.contains("excluded          alex"), "{asked}");
    // As somebody else might send it: another owner, other people, and nobody left out.
    let mut theirs = scene.defined().await.remove(0);
    let head = theirs.text.replace("owner: operations", "owner: interns");
    assert_ne!(head, theirs.text);
    let head: String = head.split_inclusive('\n').filter(|line| !line.starts_with("approval:")).collect();
    theirs.text = format!(
        "{head}decide:\n  - {{rule: G-1, if: 'exists(amount)', ask: interns, because: \"always\"}}\n"
    );
    purple_process::file::load(&theirs.text).unwrap();
    assert!(scene.redefine(Redefinition::Replace(theirs)).await);
    let asked = card(scene.house.task("second", GOODWILL_AGAIN).await);
    assert_eq!(scene.noted::<process::Chosen>("second").await[0].process, "goodwill_gesture");
    assert!(asked.contains("1 × operations\n") && asked.contains("excluded          alex"), "{asked}");
    assert!(asked.contains("1 × interns"), "it may ask for more people: {asked}");
}

#[tokio::test]
async fn a_bad_file_leaves_everything_as_it_was() {
    for bad in [
        json!("no file at all"),
        json!({"title": "x", "keywords": ["goodwill"], "states": ["DECOMPOSE", "MUTATE", "COMPLETE"], "instructions": {}}),
        json!({"title": "x", "keywords": ["goodwill"], "states": ["DECOMPOSE", "ASSESS", "COMPLETE"], "instructions": {},
               "hints": [{"when": "true", "do": "allow"}]}),
    ] {
        let scene =
            Scene::open(goodwill().says(Question::Process, std::slice::from_ref(&bad)), settings()).await;
        let view = scene.house.task("first", GOODWILL).await;
        assert_eq!(view.summary.state, State::ApprovalGate, "{bad}");
        assert_eq!(scene.noted::<process::Chosen>("first").await[0].process, "general");
        assert_eq!(scene.noted::<process::SynthesisFailed>("first").await.len(), 1, "{bad}");
        assert!(scene.defined().await.is_empty());
        scene.performed_again("first").await;
    }
}

#[tokio::test]
async fn many_first_encounters_make_one_definition() {
    const RUNS: usize = 16;
    let jobs = vec![goodwill_job("goodwill gesture", "GW-1")];
    let scribbler = Scribbler::new(jobs).says(Question::Classify, &[unknown("goodwill_gesture")]).says(
        Question::Process,
        &(0..RUNS)
            .map(|at| {
                let mut file = goodwill_process();
                file["title"] = json!(format!("A goodwill gesture, version {at}"));
                file
            })
            .collect::<Vec<_>>(),
    );
    let scene = Scene::open(scribbler, settings()).await;
    for run in 0..RUNS {
        scene.house.task_posted(&format!("run-{run}"), GOODWILL).await;
    }
    scene.house.idle().await;
    let defined = scene.defined().await;
    assert_eq!(defined.len(), 1);
    let (mut firsts, mut files) = (0, std::collections::BTreeSet::new());
    for run in 0..RUNS {
        let run = format!("run-{run}");
        firsts += scene.noted::<process::Synthesized>(&run).await.iter().filter(|one| one.first).count();
        files.insert(scene.noted::<process::Chosen>(&run).await[0].file);
        scene.performed_again(&run).await;
    }
    assert_eq!(firsts, 1);
    assert_eq!(files.len(), 1, "all work by the one that was first");
}

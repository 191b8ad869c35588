//! Drafts of runs under a file: of those that the file decided itself, and of those that its rules only judged. Each draft
//! is played again on the demo business, and the ledger must be the same.

use jiff::civil::date;
use purple_backoffice::{Answer, Call, Office, Setup};
use purple_process::{Ending, State};
use purple_testkit::Job;
use purple_worker::{Channel, Choice, Drafted, NoDraft, Process, Settings, Unfit, draft_from_run};
use serde_json::{Value, json};

use crate::house::{Door, House, person, session, settings};
use crate::scribbler::{Question, Scene, Scribbler};

pub(crate) const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const OVERTIME: &str =
    "Calculate Sarah Chen's overtime: 52 hours this week, base rate $28/hr, CA state rules apply.";
pub(crate) const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
pub(crate) const START: &str = "Start offboarding for employee E-2291 (last day Friday)";
pub(crate) const REVOKE: &str = "Now revoke system access and send exit survey";

/// What people do about a run.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Say(&'static str),
    Approve,
    Reject,
}

pub(crate) async fn play(house: &House, task: &str, steps: &[Step]) {
    house.task("run", task).await;
    for step in steps {
        let run = session("run");
        let decide = |choice| house.worker.decide(&run, person("bea"), Channel::Cli, choice);
        match step {
            Step::Say(text) => drop(house.say("run", "alex", text).await),
            Step::Approve => drop(decide(Choice::Approve).await.unwrap()),
            Step::Reject => drop(decide(Choice::Reject { reason: "no".to_owned() }).await.unwrap()),
        }
        house.still(&session("run")).await;
    }
}

pub(crate) async fn drafted(house: &House, name: Option<&str>) -> Result<Drafted, NoDraft> {
    draft_from_run((&*house.worker.events, &*house.worker.blobs), &house.settings, &session("run"), name)
        .await
}

pub(crate) async fn unfit(house: &House) -> Unfit {
    match drafted(house, None).await {
        Err(NoDraft::Incomplete { what, .. }) => what,
        other => panic!("{other:?}"),
    }
}

/// What reached the business: tools, arguments and what stood there afterwards.
fn effects(house: &House) -> Vec<(String, Value)> {
    house.ledger().effects.into_iter().map(|one| (one.tool, one.arguments)).collect()
}

/// The settings with a draft in the place of whatever has its name.
pub(crate) fn with(text: &str) -> Settings {
    let mut settings = settings();
    let new = Process::parse(text).unwrap();
    let others = settings.processes.iter().filter(|one| one.file.name() != new.file.name());
    settings.processes = others.cloned().chain([new.clone()]).collect();
    settings
}

#[tokio::test]
async fn a_run_that_a_file_decided_becomes_a_test_of_that_file_which_does_the_same_again() {
    let cases: [(&str, &str, &[Step], &str, &str); 5] = [
        ("invoice_reconciliation", INVOICE, &[Step::Approve], "invoice_reconciliation", "AP-3"),
        ("order_management", ORDER, &[Step::Say("Confirmed, proceed")], "order_management", "ORD-6"),
        ("sla_breach", SLA, &[], "sla_breach", "SLA-4"),
        ("hr_offboarding", START, &[], "start", "OFF-3"),
        ("hr_offboarding", START, &[Step::Say(REVOKE)], "revoke_access", "OFF-12"),
    ];
    for (process, text, steps, task, rule) in cases {
        let house = House::open(Door::Streams, settings(), &[]).await;
        play(&house, text, steps).await;
        let draft = drafted(&house, None).await.unwrap_or_else(|why| panic!("{task}: {why}"));
        assert_eq!((draft.name.as_str(), draft.is_its_own), (process, true));
        let file = purple_process::file::load(&draft.text).unwrap();
        let before = settings().processes.iter().find(|one| one.file.name() == process).unwrap().clone();
        for one in file.tasks() {
            let more = usize::from(one.name() == task);
            let known = before.file.task(one.name()).unwrap().test_count();
            assert_eq!(one.test_count(), known + more, "{task}: {}", draft.text);
        }
        assert!(draft.text.contains(&format!("rule: \"{rule}\"\n")), "{}", draft.text);
        // Everything else of the file stays as it was written.
        assert!(before.text.lines().all(|line| draft.text.contains(line)), "{task}");
        let again = House::open(Door::Streams, with(&draft.text), &[]).await;
        play(&again, text, steps).await;
        assert!(!effects(&again).is_empty());
        assert_eq!(effects(&again), effects(&house), "{task}");
    }
}

#[tokio::test]
async fn a_test_from_a_run_guards_the_rule_that_decided_it() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, INVOICE, &[Step::Approve]).await;
    let draft = drafted(&house, None).await.unwrap();
    let text = draft.text.replace("ask: ap_lead, because", "ask: controller, because");
    let refused = purple_process::file::load(&text).unwrap_err().to_string();
    assert!(refused.contains("test 1 expects to ask `ap_lead` and got `controller`"), "{refused}");
    let renamed = drafted(&house, Some("our_invoices")).await.unwrap();
    assert_eq!((renamed.name.as_str(), renamed.is_its_own), ("our_invoices", false));
    assert_eq!(purple_process::file::load(&renamed.text).unwrap().name(), "our_invoices");
    let taken = drafted(&house, Some("sla_breach")).await;
    assert!(matches!(&taken, Err(NoDraft::NameTaken { name }) if name == "sla_breach"), "{taken:?}");
}

#[tokio::test]
async fn a_run_that_did_nothing_or_was_denied_or_not_verified_is_refused_with_its_reason() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, OVERTIME, &[]).await;
    assert_eq!(unfit(&house).await, Unfit::NothingDone);

    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, INVOICE, &[]).await;
    assert_eq!(unfit(&house).await, Unfit::NotOver);

    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, INVOICE, &[Step::Reject]).await;
    assert_eq!(unfit(&house).await, Unfit::Ended { ending: Ending::Declined });

    let house = House::open(Door::Streams, settings(), &["apply_account_credit:other_value"]).await;
    play(&house, SLA, &[]).await;
    // It is looked for again and again before it is given up.
    for _ in 0..8 {
        house.clock.forward(std::time::Duration::from_secs(10));
        house.still(&session("run")).await;
    }
    assert_eq!(unfit(&house).await, Unfit::NotVerified { tool: "apply_account_credit".to_owned() });

    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, &SLA.replace("99.1%", "99.2%"), &[]).await;
    assert_eq!(unfit(&house).await, Unfit::Ended { ending: Ending::Blocked });
}

#[tokio::test]
async fn what_was_undone_is_not_drafted_from() {
    let house = House::open(Door::Streams, settings(), &[]).await;
    play(&house, SLA, &[]).await;
    let step =
        house.worker.view(&session("run")).await.unwrap().answer.unwrap().data.mutations[0].step.clone();
    house.worker.undo(&session("run"), step, None, person("bea")).await.unwrap();
    house.still(&session("run")).await;
    if house.worker.view(&session("run")).await.unwrap().summary.state == State::ApprovalGate {
        house.worker.decide(&session("run"), person("cleo"), Channel::Cli, Choice::Approve).await.unwrap();
        house.still(&session("run")).await;
    }
    assert_eq!(unfit(&house).await, Unfit::Undone);
}

#[tokio::test]
async fn what_an_approver_changed_by_hand_is_not_drafted_from() {
    let all = settings();
    let shipped = all.processes.iter().find(|one| one.file.name() == "sla_breach").unwrap();
    let text = shipped.text.replace("approval: {never", "approval: {edit: credit, never");
    let house = House::open(Door::Streams, with(&text.replace("ask: nobody", "ask: controller")), &[]).await;
    play(&house, SLA, &[]).await;
    let fields = [("credit".to_owned(), "1000.00 USD".to_owned())].into();
    house.worker.edit(&session("run"), person("bea"), Channel::Cli, fields).await.unwrap();
    house.still(&session("run")).await;
    house.worker.decide(&session("run"), person("cleo"), Channel::Cli, Choice::Approve).await.unwrap();
    house.still(&session("run")).await;
    assert_eq!(house.ledger().effects[0].arguments["amount"], "1000.00 USD");
    assert_eq!(unfit(&house).await, Unfit::Edited { fields: vec!["credit".to_owned()] });
}

/// What the business answers, whoever asks.
fn answered(tool: &str, name: &str, id: &str) -> Value {
    let office = Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap();
    let arguments = json!({ name: id }).as_object().unwrap().clone();
    match office.call(&Call::new(tool, arguments)).answer {
        Answer::Done(answer) => answer,
        other => panic!("{other:?}"),
    }
}

fn scribbler(job: Job) -> Scribbler {
    let process = json!({"process": job.process});
    Scribbler::new(vec![job]).says(Question::Classify, &[process])
}

/// Plays a task with a model, drafts from it, and plays the draft without one.
async fn drafted_and_played(job: Job, asks: &str) -> Drafted {
    let text = job.about.clone();
    let process = job.process.clone();
    let scene = Scene::open(scribbler(job), settings()).await;
    let house = &scene.house;
    let view = house.task("run", &text).await;
    assert_eq!(view.summary.process.as_deref(), Some(process.as_str()));
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    let asked = view.summary.approval.unwrap().asks;
    assert!(asked.iter().any(|one| one.contains(asks)), "{asked:?}");
    house.worker.decide(&session("run"), person("bea"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = house.still(&session("run")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
    let draft = drafted(house, Some("as_before")).await.unwrap();
    assert!(!draft.is_its_own);

    let again = House::open(Door::Streams, with(&draft.text), &[]).await;
    let view = again.task("run", &text).await;
    assert_eq!(view.summary.process.as_deref(), Some("as_before"), "{}", draft.text);
    assert_eq!(view.summary.state, State::ApprovalGate, "{:?}", view.answer);
    assert_eq!(view.summary.approval.unwrap().asks, asked, "{}", draft.text);
    again.worker.decide(&session("run"), person("cleo"), Channel::Cli, Choice::Approve).await.unwrap();
    let view = again.still(&session("run")).await;
    assert_eq!(view.summary.ending, Some(Ending::Done), "{:?}", view.answer);
    assert_eq!(effects(&again), effects(house), "{}", draft.text);
    draft
}

fn purchase(order: &str) -> Job {
    let known = answered("get_purchase_order", "po_id", order);
    Job {
        about: format!("Purchase the same again from the same supplier, exactly as in {order}."),
        process: "procurement".to_owned(),
        looks: vec![("get_purchase_order".to_owned(), json!({"po_id": order}))],
        proposes: vec![json!({
            "tool": "create_purchase_order",
            "arguments": {
                "vendor_id": known["vendor_id"], "amount": known["total"],
                "description": known["description"], "cost_center": known["cost_center"],
            },
            "check": {"total": known["total"]},
        })],
        answer: "Ordered.".to_owned(),
        ..Job::default()
    }
}

#[tokio::test]
async fn a_draft_has_the_rules_that_judged_the_run_and_asks_whom_they_asked() {
    for (order, asks, rule) in [("PO-8821", "cfo", "PRO-2"), ("PO-8822", "procurement_lead", "PRO-3")] {
        let draft = drafted_and_played(purchase(order), asks).await;
        let file = purple_process::file::load(&draft.text).unwrap();
        let rules: Vec<&str> = file.tasks()[0].rules().iter().map(|rule| rule.id()).collect();
        assert_eq!(rules, ["FR-1", "PRO-1", "PRO-2", "PRO-3", "PRO-4"]);
        assert!(draft.text.contains(&format!("    rule: {rule}\n    ask: {asks}\n")), "{}", draft.text);
        assert_eq!(file.owner().as_str(), "procurement");
    }
}

#[tokio::test]
async fn a_draft_of_a_run_whose_restricting_rules_did_not_match_asks_the_same_person() {
    // The claim, its receipts and its budget were read and agree, so that only the last rule asks.
    let job = Job {
        about: "Please approve the travel expense claim EXP-3001 of our colleague.".to_owned(),
        process: "expense_approval".to_owned(),
        looks: vec![("get_expense_claim".to_owned(), json!({"claim_id": "EXP-3001"}))],
        proposes: vec![json!({
            "tool": "approve_expense", "arguments": {"claim_id": "EXP-3001"}, "check": {"status": "approved"},
        })],
        answer: "Approved.".to_owned(),
        ..Job::default()
    };
    let draft = drafted_and_played(job, "manager").await;
    assert!(draft.text.contains("    rule: EXP-4\n    ask: manager\n"), "{}", draft.text);
}

//! Editing declared fields before a decision: a new plan, judged and asked again.

use std::collections::BTreeMap;

use purple_journal::record::approval;
use purple_process::file::BUILTIN;
use purple_process::{Ending, Mode};
use purple_worker::{Channel, Process, RunView};
use serde_json::json;

use crate::house::{House, person, session};
use crate::scene::*;

const SLA: &str =
    "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";

/// The shipped process, with a credit that approvers may change.
fn crediting(more: &str) -> Process {
    let (_, text) = BUILTIN.into_iter().find(|(name, _)| *name == "sla_breach").unwrap();
    let text = text.replace("then: cfo}", &format!("then: cfo, edit: credit{more}}}"));
    assert!(text.contains("edit: credit"));
    Process::parse(&text).unwrap()
}

fn settings(more: &str) -> purple_worker::Settings {
    let mut processes = Process::shipped().unwrap();
    processes.retain(|one| one.file.name() != "sla_breach");
    processes.push(crediting(more));
    crate::house::careful(processes)
}

async fn edit(house: &House, run: &str, by: &str, fields: &[(&str, &str)]) -> RunView {
    let fields: BTreeMap<String, String> =
        fields.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    house.worker.edit(&session(run), person(by), Channel::Cli, fields).await.unwrap();
    house.still(&session(run)).await
}

async fn refusals(house: &House, run: &str) -> Vec<String> {
    let entries = told::<approval::EditNotTaken>(house, run).await;
    entries.iter().map(|entry| entry.why.to_string()).collect()
}

fn asks(view: &RunView) -> Vec<String> {
    view.summary.approval.as_ref().unwrap().asks.clone()
}

#[tokio::test]
async fn an_edit_makes_a_new_plan_that_is_judged_asked_marked_and_done() {
    let house = open(in_mode(settings(""), Mode::Always)).await;
    staff(
        &house,
        &[("vera", one(&["vendor_management"])), ("carl", one(&["controller"])), ("sam", one(&["sales"]))],
    );
    let first = house.task("run", SLA).await;
    waits(&first);
    assert_eq!(asks(&first), ["1 × vendor_management"]);
    let card = first.card.as_ref().unwrap();
    assert_eq!(card.editable()[0].name.as_str(), "credit");
    assert!(card.to_text(100).contains("may be edited     credit = 1020.00 USD"), "{}", card.to_text(100));
    // Above 5,000 USD a controller is asked: the rules see the new value.
    let view = edit(&house, "run", "vera", &[("credit", "6000.00 USD")]).await;
    waits(&view);
    assert_eq!(asks(&view), ["1 × controller"]);
    let text = view.card.as_ref().unwrap().to_text(100);
    assert!(text.contains("credit: 1020.00 USD → 6000.00 USD, by vera on "), "{text}");
    assert!(text.contains("SLA-3"), "{text}");
    let noted = told::<approval::Edited>(&house, "run").await;
    assert_eq!((noted[0].by.as_str(), noted[0].fields[0].after.as_str()), ("vera", "6000.00 USD"));
    // The old plan is gone, and so is whoever could decide about it.
    waits(&approve(&house, "run", "vera").await);
    assert_eq!(house.effects(), nothing());
    let done = approve(&house, "run", "carl").await;
    ended(&done, Ending::Done);
    let credit =
        house.ledger().effects.iter().find(|one| one.tool == "apply_account_credit").cloned().unwrap();
    assert!(format!("{credit:?}").contains("6000"), "{credit:?}");
}

#[tokio::test]
async fn an_edit_below_every_limit_is_still_asked_of_a_person() {
    let rules = json!({"rules": [
        {"id": "OP-1", "condition": "credit > 1000 USD", "action": "require_approval", "level": "cfo"}]});
    let house = open(under(settings(""), rules)).await;
    staff(&house, &[("cleo", one(&["cfo"])), ("vera", one(&["vendor_management"]))]);
    let first = house.task("run", SLA).await;
    assert_eq!(asks(&first), ["1 × cfo"]);
    // Who may not decide may not change it either.
    waits(&edit(&house, "run", "vera", &[("credit", "900.00 USD")]).await);
    assert_eq!(refusals(&house, "run").await.len(), 1);
    let view = edit(&house, "run", "cleo", &[("credit", "900.00 USD")]).await;
    waits(&view);
    assert_eq!(asks(&view), ["1 × vendor_management"], "no rule asks any more, and still somebody looks");
    assert!(view.card.as_ref().unwrap().to_text(120).contains("edited: credit by cleo"));
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "vera").await, Ending::Done);
}

#[tokio::test]
async fn an_edit_voids_what_was_said_before_it() {
    let house = open(in_mode(settings(", people: 2"), Mode::Always)).await;
    let lead = || one(&["controller", "vendor_management"]);
    staff(&house, &[("ann", lead()), ("bob", lead()), ("cid", lead())]);
    house.task("run", SLA).await;
    waits(&edit(&house, "run", "ann", &[("credit", "6000.00 USD")]).await);
    waits(&approve(&house, "run", "ann").await);
    let view = edit(&house, "run", "bob", &[("credit", "7000.00 USD")]).await;
    assert_eq!(told::<approval::Edited>(&house, "run").await[1].void, ["ann"]);
    assert_eq!(view.card.as_ref().unwrap().who().given.len(), 0);
    waits(&approve(&house, "run", "bob").await);
    assert_eq!(house.effects(), nothing());
    ended(&approve(&house, "run", "cid").await, Ending::Done);
}

#[tokio::test]
async fn an_edit_that_cannot_be_is_refused_and_the_plan_stays_as_it_is() {
    let house = open(in_mode(settings(""), Mode::Always)).await;
    let first = house.task("run", SLA).await;
    let plan = first.summary.approval.as_ref().unwrap().plan;
    for (fields, why) in [
        ([("shortfall", "1")].as_slice(), "`shortfall` cannot be edited; what can be is credit"),
        (&[("credit", "lots")], "not an amount in USD"),
        (&[("credit", "900.00 EUR")], "not an amount in USD"),
        (&[("credit", "1020.00 USD")], "is 1020.00 USD already"),
        (&[("credit", "90000.00 USD")], "with these values `SLA-5` leaves it to a person"),
        (&[], "it names no field"),
    ] {
        let view = edit(&house, "run", "kim", fields).await;
        waits(&view);
        let said = refusals(&house, "run").await.pop().unwrap();
        assert!(said.contains(why), "{fields:?}: {said}");
        assert_eq!(view.summary.approval.as_ref().unwrap().plan, plan, "{fields:?}");
    }
    // A card that nobody has before them any more.
    let old = first.summary.approval.clone().unwrap();
    waits(&edit(&house, "run", "kim", &[("credit", "900.00 USD")]).await);
    let fields = BTreeMap::from([("credit".to_owned(), "800.00 USD".to_owned())]);
    let late = purple_worker::Edit {
        plan: old.plan,
        fields,
        by: person("kim"),
        channel: Channel::Cli,
        account: None,
        shown: old.card.0,
    };
    house.worker.edited(session("run"), late).await.unwrap();
    waits(&house.still(&session("run")).await);
    assert_eq!(refusals(&house, "run").await.pop().unwrap(), "it is about another plan");
    assert_eq!(house.effects(), nothing());
}

#[tokio::test]
async fn a_process_without_editable_fields_and_a_run_that_does_not_wait_take_no_edit() {
    let house = open(crate::house::settings()).await;
    waits(&house.task("run", INVOICE).await);
    waits(&edit(&house, "run", "kim", &[("variance_percent", "1")]).await);
    assert!(refusals(&house, "run").await[0].contains("this process lets nothing be edited"));
    ended(&approve(&house, "run", "kim").await, Ending::Done);
    let none = house.worker.edit(&session("run"), person("kim"), Channel::Cli, BTreeMap::new()).await;
    assert!(matches!(none, Err(purple_worker::ClientError::NothingWaits { .. })), "{none:?}");
}

//! Runs one sentence as a task for a new demo company, without a language model.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use purple_backoffice::{Answer, Call, Office};
use purple_process::SessionId;
use purple_worker::{Awaited, FurtherRun, RunView, Settings};
use serde_json::{Map, Value};

use crate::house::{Door, House, settings};
use crate::row::Row;

/// A call that had an effect, or that a pending plan contains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    pub(crate) tool: String,
    /// The record that it changes or is about; empty if no argument names one.
    pub(crate) id: String,
    pub(crate) arguments: BTreeMap<String, String>,
}

impl Operation {
    fn new(office: &Office, tool: &str, arguments: BTreeMap<String, String>) -> Self {
        let id = record_of(office, &arguments).unwrap_or_default();
        Self { tool: tool.to_owned(), id, arguments }
    }

    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.tool, self.id)
    }
}

/// What a task led to.
#[derive(Debug)]
pub(crate) struct Seen {
    /// What the company's ledger recorded.
    pub(crate) effects: Vec<Operation>,
    /// The operations of all plans that wait for a person.
    pub(crate) planned: Vec<Operation>,
    /// The run of the task, and those that it was split into.
    pub(crate) runs: Vec<RunView>,
    /// Employees of the text whose offboarding was not started: their access stays.
    pub(crate) staying: BTreeSet<String>,
}

/// Hands a sentence to a new worker and a new company.
pub(crate) async fn run(row: &Row) -> Seen {
    run_after(None, row).await
}

/// The same, after an earlier task of another run, whose effects are not counted.
pub(crate) async fn run_after(earlier: Option<&str>, row: &Row) -> Seen {
    // Reading the shipped process files takes longer than most sentences.
    static SETTINGS: LazyLock<Settings> = LazyLock::new(settings);
    let mut house = House::open(Door::Streams, SETTINGS.clone(), &[]).await;
    if let Some(text) = earlier {
        house.task("earlier", text).await;
        assert!(!house.effects().is_empty(), "{text}");
    }
    let (staying, before) = (staying(&house.office, row), house.effects().len());
    // The client refuses a task without a word.
    if !row.text.trim().is_empty() {
        house.task("sentence", &row.text).await;
    }
    let runs = runs(&house, row).await;
    let seen = Seen { effects: effects(&house, before), planned: planned(&house, &runs), runs, staying };
    house.stop().await;
    seen
}

/// The run of the sentence first, then those that it began or asked something of.
async fn runs(house: &House, row: &Row) -> Vec<RunView> {
    let mut runs = Vec::new();
    if row.text.trim().is_empty() {
        return runs;
    }
    let sentence = house.worker.view(&SessionId::parse("sentence").unwrap()).await.unwrap();
    for FurtherRun { run, after } in sentence.answer.iter().flat_map(|answer| &answer.data.runs) {
        runs.push(house.worker.idle(run, &Awaited::turn_of(*after, 1)).await.unwrap());
    }
    runs.insert(0, sentence);
    runs
}

fn effects(house: &House, before: usize) -> Vec<Operation> {
    let effects = house.ledger().effects.split_off(before);
    effects.iter().map(|one| Operation::new(&house.office, &one.tool, texts(&one.arguments))).collect()
}

fn planned(house: &House, runs: &[RunView]) -> Vec<Operation> {
    let cards = runs.iter().filter_map(|view| view.card.as_ref());
    let operations = cards.flat_map(|card| card.effects());
    let named = operations.map(|one| {
        let arguments =
            one.arguments.iter().map(|named| (named.name.as_str().to_owned(), on_card(named.value.as_str())));
        Operation::new(&house.office, one.tool.as_str(), arguments.collect())
    });
    named.collect()
}

/// A card shows values as JSON.
fn on_card(value: &str) -> String {
    serde_json::from_str::<String>(value).unwrap_or_else(|_| value.to_owned())
}

fn texts(arguments: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    arguments.as_object().unwrap().iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// The record that arguments are about. A contract stands for its vendor, as in the corpus.
fn record_of(office: &Office, arguments: &BTreeMap<String, String>) -> Option<String> {
    let direct = ["invoice_id", "employee_id", "vendor_id", "order_id"];
    if let Some(id) = direct.iter().find_map(|name| arguments.get(*name)) {
        return Some(id.clone());
    }
    let contract = arguments.get("contract_id").cloned().or_else(|| {
        let parts: Vec<&str> = arguments.get("reference")?.split('-').collect();
        Some(format!("{}-{}", parts.get(1)?, parts.get(2)?))
    })?;
    let record = get(office, "get_contract", "contract_id", &contract)?;
    Some(record["vendor_id"].as_str()?.to_owned())
}

fn staying(office: &Office, row: &Row) -> BTreeSet<String> {
    let leaves = |id: &str| {
        let employee = get(office, "get_employee", "employee_id", id);
        employee.is_some_and(|one| one["status"] == "offboarding")
    };
    let ids = row.writes.iter().filter_map(|write| write.strip_prefix("revoke_access "));
    ids.filter(|id| !leaves(id)).map(str::to_owned).collect()
}

/// One record, as the company itself returns it.
pub(crate) fn get(office: &Office, tool: &str, parameter: &str, id: &str) -> Option<Value> {
    let arguments = Map::from_iter([(parameter.to_owned(), Value::from(id))]);
    match office.call(&Call::new(tool, arguments)).answer {
        Answer::Done(value) => Some(value),
        Answer::Refused { .. } | Answer::InputRequired { .. } => None,
    }
}

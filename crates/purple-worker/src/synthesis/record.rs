//! What a run did, read from its journal: its words, its reads, its computations, and the operations that were approved and
//! verified.

use std::collections::BTreeMap;

use jiff::civil::Date;
use purple_process::{Ending, Operation, OperationKey, Outcome, Plan, SessionId};
use serde_json::Value;

use crate::event::Event;
use crate::port::{BlobHash, Blobs, EngineError, Events, Recorded};
use crate::synthesis::from_run::NoDraft;

const PAGE: usize = 1_000;

/// One read that was made for a model.
#[derive(Clone, Debug)]
pub(super) struct Look {
    /// `r1`, `r2`, …
    pub name: String,
    pub tool: String,
    pub arguments: BTreeMap<String, Value>,
    pub answer: Value,
}

/// One value that was computed for a model.
#[derive(Clone, Debug)]
pub(super) struct Sum {
    /// `c1`, `c2`, …
    pub name: String,
    /// The tool that computed it.
    pub by: String,
    pub arguments: Value,
    pub value: Value,
}

/// A round that ended well.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub text: String,
    pub today: Date,
    pub looks: Vec<Look>,
    pub sums: Vec<Sum>,
    pub operations: Vec<Operation>,
}

impl Record {
    /// Reads the last round of a run. Only one that was approved, done and verified is taken.
    pub(super) async fn of(
        events: &dyn Events,
        blobs: &dyn Blobs,
        run: &SessionId,
        day: impl Fn(jiff::Timestamp) -> Date,
    ) -> Result<Self, NoDraft> {
        let journal = whole(events, run).await?;
        let round = last_round(&journal);
        let missing = |what: &'static str| NoDraft::Incomplete { run: run.clone(), what };
        let ended = round.iter().rev().find(|one| one.entry.kind == "run.ended");
        let ending: Option<Ending> =
            ended.and_then(|one| serde_json::from_value(one.entry.data.get("ending")?.clone()).ok());
        if ending != Some(Ending::Done) {
            return Err(missing("it did not end as done"));
        }
        if !round.iter().any(|one| one.entry.kind == "approval.granted") {
            return Err(missing("nobody approved it"));
        }
        let began = round.first().map_or(jiff::Timestamp::UNIX_EPOCH, |first| first.entry.at);
        Ok(Self {
            text: words(blobs, round).await?.ok_or_else(|| missing("its words were not kept"))?,
            today: day(began),
            looks: looks(blobs, round).await?,
            sums: round.iter().filter_map(sum).collect(),
            operations: operations(blobs, round)
                .await?
                .ok_or_else(|| missing("not every operation was read back as it should be"))?,
        })
    }
}

async fn whole(events: &dyn Events, run: &SessionId) -> Result<Vec<Recorded>, EngineError> {
    let mut journal: Vec<Recorded> = Vec::new();
    loop {
        let seq = journal.last().map_or(0, |last| last.seq);
        let page = events.since(run, seq, PAGE).await?;
        let last = page.len() < PAGE;
        journal.extend(page);
        if last {
            return Ok(journal);
        }
    }
}

/// From the last task that was taken in.
fn last_round(journal: &[Recorded]) -> &[Recorded] {
    let received = journal.iter().rposition(|one| one.entry.kind == "process.chosen").unwrap_or(0);
    let began = journal.iter().take(received).rposition(|one| one.entry.kind == "turn.began").unwrap_or(0);
    journal.get(began..).unwrap_or_default()
}

async fn blob<T: serde::de::DeserializeOwned>(
    blobs: &dyn Blobs,
    named: Option<&Value>,
) -> Result<Option<T>, EngineError> {
    let hash = named.and_then(|hash| serde_json::from_value::<BlobHash>(hash.clone()).ok());
    let Some(hash) = hash else { return Ok(None) };
    Ok(blobs.get(hash).await?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

async fn words(blobs: &dyn Blobs, round: &[Recorded]) -> Result<Option<String>, EngineError> {
    let kept = round.first().and_then(|first| first.entry.data.get("kept"));
    Ok(match blob::<Event>(blobs, kept).await? {
        Some(Event::Start(start)) => Some(start.text),
        Some(Event::Message(message)) => Some(message.text),
        Some(_) | None => None,
    })
}

async fn looks(blobs: &dyn Blobs, round: &[Recorded]) -> Result<Vec<Look>, EngineError> {
    let mut looks = Vec::new();
    for one in round.iter().filter(|one| one.entry.kind == "model.found") {
        let data = &one.entry.data;
        let answer: Option<Value> = blob(blobs, data.get("result")).await?;
        let text = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
        let arguments = data.get("arguments").and_then(Value::as_object).cloned().unwrap_or_default();
        if let (Some(name), Some(tool), Some(answer)) = (text("name"), text("tool"), answer) {
            looks.push(Look { name, tool, arguments: arguments.into_iter().collect(), answer });
        }
    }
    Ok(looks)
}

fn sum(one: &Recorded) -> Option<Sum> {
    if one.entry.kind != "model.computed" {
        return None;
    }
    let data = &one.entry.data;
    Some(Sum {
        name: data.get("name")?.as_str()?.to_owned(),
        by: data.get("by")?.as_str()?.to_owned(),
        arguments: data.get("arguments")?.clone(),
        value: data.get("value")?.clone(),
    })
}

/// The operations of every plan of the round that ran, if each of them came out well.
async fn operations(blobs: &dyn Blobs, round: &[Recorded]) -> Result<Option<Vec<Operation>>, EngineError> {
    let ran = |one: &Recorded| {
        let field = |name: &str| one.entry.data.get(name).cloned().unwrap_or(Value::Null);
        let key: OperationKey = serde_json::from_value(field("key")).ok()?;
        let outcome: Outcome = serde_json::from_value(field("outcome")).ok()?;
        Some((key, outcome))
    };
    let verified: Vec<(OperationKey, Outcome)> =
        round.iter().filter(|one| one.entry.kind == "write.verified").filter_map(ran).collect();
    if verified.iter().any(|(_, outcome)| !matches!(outcome, Outcome::Verified | Outcome::Unverifiable)) {
        return Ok(None);
    }
    let mut operations: Vec<Operation> = Vec::new();
    let mut taken: Vec<OperationKey> = Vec::new();
    for one in round.iter().filter(|one| one.entry.kind == "plan.made") {
        let plan: Option<Plan> = blob(blobs, one.entry.data.get("kept")).await?;
        for (operation, key) in plan.iter().flat_map(Plan::keyed) {
            let ran = verified.iter().any(|(ran, _)| *ran == key);
            if ran && !taken.contains(&key) {
                taken.push(key);
                operations.push(operation.clone());
            }
        }
    }
    Ok((!operations.is_empty() && operations.len() == verified.len()).then_some(operations))
}

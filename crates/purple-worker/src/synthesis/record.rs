//! What a run did, read from its journal: the case that it was decided on and the file of that time, what a model read and
//! computed besides, and the operations that ran and were verified.

use std::collections::BTreeMap;

use purple_process::file::{ProcessFile, Task, load};
use purple_process::{Ending, Operation, OperationKey, Outcome, Plan, Requirement, SessionId, Who};
use serde_json::Value;

use crate::dossier::Dossier;
use crate::port::{BlobHash, Blobs, EngineError, Events, Recorded, TURN_ENDED};
use crate::synthesis::from_run::NoDraft;

const PAGE: usize = 1_000;

/// Why a run is none to learn from.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It goes on, or waits for somebody.
    #[error("it is not over yet")]
    NotOver,
    /// It came to another end.
    #[error("it ended as {}", format!("{ending:?}").to_lowercase())]
    Ended {
        /// Which.
        ending: Ending,
    },
    /// Something of it was taken back.
    #[error("something of it was undone afterwards")]
    Undone,
    /// It changed nothing and told nobody anything.
    #[error("nothing was done in its last round, so there is nothing that a file could do again")]
    NothingDone,
    /// An operation was not seen as it should be.
    #[error("`{tool}` was not read back as it should be")]
    NotVerified {
        /// The tool.
        tool: String,
    },
    /// No person and no signed file answers for it.
    #[error("nobody approved it")]
    NotApproved,
    /// An approver put other values in the place of computed ones.
    #[error("an approver changed {} by hand, which no file would compute again", .fields.join(", "))]
    Edited {
        /// Which.
        fields: Vec<String>,
    },
    /// What it was decided on is gone.
    #[error("what it was decided on was not kept")]
    NotKept,
}

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

/// Whom a rule or a policy asked by name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Asked {
    /// A role, or `requester`.
    pub who: String,
    /// How many different people.
    pub people: u8,
}

/// A round that ended well.
#[derive(Clone, Debug)]
pub(super) struct Record {
    /// What it was decided on.
    pub dossier: Dossier,
    /// The file under which it ran, as it was at that time, and its text.
    pub file: ProcessFile,
    pub file_text: String,
    pub looks: Vec<Look>,
    pub sums: Vec<Sum>,
    pub operations: Vec<Operation>,
    /// Whom rules and policies asked by name about the plans that ran, each once.
    pub asked: Vec<Asked>,
}

impl Record {
    /// Reads the last round of a run. Only one that was permitted, done and verified is taken.
    pub(super) async fn of(events: &dyn Events, blobs: &dyn Blobs, run: &SessionId) -> Result<Self, NoDraft> {
        let journal = whole(events, run).await?;
        let round = last_round(&journal);
        let unfit = |what: Unfit| NoDraft::Incomplete { run: run.clone(), what };
        let outcomes = fit(round).map_err(unfit)?;
        let (operations, plans) = operations(blobs, round, &outcomes).await?;
        if operations.is_empty() || operations.len() != outcomes.len() {
            return Err(unfit(Unfit::NotKept));
        }
        let dossier = dossier(blobs, round).await?.ok_or_else(|| unfit(Unfit::NotKept))?;
        let bytes = blobs.get(dossier.chosen.file).await?.unwrap_or_default();
        let file_text = String::from_utf8(bytes).map_err(|_| unfit(Unfit::NotKept))?;
        let file = load(&file_text).map_err(|_| unfit(Unfit::NotKept))?;
        if !dossier.edits.is_empty() {
            return Err(unfit(Unfit::Edited { fields: dossier.edits.keys().cloned().collect() }));
        }
        let asked = plans.iter().flat_map(|plan| asked(plan)).fold(Vec::new(), |mut all, one| {
            if !all.contains(&one) {
                all.push(one);
            }
            all
        });
        let looks = looks(blobs, round).await?;
        let sums = round.iter().filter_map(sum).collect();
        let record = Self { dossier, file, file_text, looks, sums, operations, asked };
        let is_approved = round.iter().any(|one| one.entry.kind == "approval.granted");
        // What a signed file says itself may be permitted by its own rule; what a model proposed is asked of a person.
        if !is_approved && record.task().is_none_or(|task| task.outcomes().is_empty()) {
            return Err(unfit(Unfit::NotApproved));
        }
        Ok(record)
    }

    /// The task of the file that it was worked on by.
    pub(super) fn task(&self) -> Option<&Task> {
        self.file.task(&self.dossier.chosen.task)
    }
}

/// How each operation of a round came out, if it is a round to learn from.
fn fit(round: &[Recorded]) -> Result<Vec<OperationKey>, Unfit> {
    let of = |kind: &'static str| round.iter().filter(move |one| one.entry.kind == kind);
    let field = |one: &Recorded, name: &str| one.entry.data.get(name).cloned().unwrap_or(Value::Null);
    let mut keys = Vec::new();
    for one in of("write.verified") {
        let outcome: Option<Outcome> = serde_json::from_value(field(one, "outcome")).ok();
        let key: Option<OperationKey> = serde_json::from_value(field(one, "key")).ok();
        match (outcome, key) {
            (Some(Outcome::Verified | Outcome::Unverifiable), Some(key)) => keys.push(key),
            (Some(Outcome::InDoubt | Outcome::Mismatch | Outcome::Absent) | None, _) | (_, None) => {
                let tool = field(one, "tool").as_str().unwrap_or_default().to_owned();
                return Err(Unfit::NotVerified { tool });
            }
        }
    }
    if of("undo.asked").next().is_some() {
        return Err(Unfit::Undone);
    }
    let ended = of("run.ended").next_back().ok_or(Unfit::NotOver)?;
    match serde_json::from_value(field(ended, "ending")) {
        Ok(Ending::Done) if keys.is_empty() => Err(Unfit::NothingDone),
        Ok(Ending::Done) => Ok(keys),
        Ok(ending) => Err(Unfit::Ended { ending }),
        Err(_) => Err(Unfit::NotOver),
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

/// The case as the round left it: the last one that the end of a turn names.
async fn dossier(blobs: &dyn Blobs, round: &[Recorded]) -> Result<Option<Dossier>, EngineError> {
    for ended in round.iter().rev().filter(|one| one.entry.kind == TURN_ENDED) {
        for hash in ended.entry.blobs().into_iter().rev() {
            let bytes = blobs.get(hash).await?.unwrap_or_default();
            if let Ok(dossier) = serde_json::from_slice::<Dossier>(&bytes) {
                return Ok(Some(dossier));
            }
        }
    }
    Ok(None)
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

/// The operations that ran, in the order of their plans, and what the journal says of those plans.
async fn operations<'r>(
    blobs: &dyn Blobs,
    round: &'r [Recorded],
    ran: &[OperationKey],
) -> Result<(Vec<Operation>, Vec<&'r Value>), EngineError> {
    let (mut operations, mut plans) = (Vec::new(), Vec::new());
    let mut taken: Vec<OperationKey> = Vec::new();
    for one in round.iter().filter(|one| one.entry.kind == "plan.made") {
        let plan: Option<Plan> = blob(blobs, one.entry.data.get("kept")).await?;
        for (operation, key) in plan.iter().flat_map(Plan::keyed) {
            if ran.contains(&key) && !taken.contains(&key) {
                taken.push(key);
                operations.push(operation.clone());
                plans.push(&one.entry.data);
            }
        }
    }
    Ok((operations, plans))
}

/// Whom the rules and policies asked by name about a plan.
fn asked(plan: &Value) -> Vec<Asked> {
    let list =
        |value: &Value, name: &str| value.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let said = plan.get("ruling").map(|ruling| list(ruling, "operations")).unwrap_or_default();
    let voices = said.iter().flat_map(|operation| list(operation, "said"));
    let asks = voices.flat_map(|voice| list(&voice, "asks"));
    let one = |ask: Value| {
        let Requirement { anyone_of, people } = serde_json::from_value(ask).ok()?;
        let who = match anyone_of.first()? {
            // Whoever else may confirm in their place: a file that asks the requester says so by itself.
            _ if anyone_of.contains(&Who::Requester) => "requester".to_owned(),
            Who::Role(role) => role.to_string(),
            Who::Requester => return None,
        };
        Some(Asked { who, people: people.get() })
    };
    asks.filter_map(one).collect()
}

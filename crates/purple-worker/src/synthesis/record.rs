//! What a run did, read from its journal: the case that it was decided on and the file of that time, what a model read and
//! computed besides, the operations that ran and were verified, and what whoever signs a draft of it should know.

use std::collections::BTreeMap;

use purple_journal::Record as Journaled;
use purple_journal::record::approval::Granted;
use purple_journal::record::model::Model;
use purple_journal::record::plan::{Made, Plan as PlanRecord};
use purple_journal::record::process::Process;
use purple_journal::record::run::Run;
use purple_journal::record::turn::Turn;
use purple_journal::record::write::Write;
use purple_policy::Verdict;
use purple_process::file::{ProcessFile, Task, load};
use purple_process::{
    Ending, Mode, Operation, OperationKey, Outcome, Plan, Requirement, SessionId, ToolName, Who,
};
use serde::Serialize;
use serde_json::Value;

use crate::dossier::Dossier;
use crate::port::{BlobHash, Blobs, EngineError, Events, Recorded};
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
    /// Nothing that it did can be read back, so that nobody knows whether it came out as it should.
    #[error("nothing that it did was read back, because nothing can be: {}", .tools.join(", "))]
    NothingReadBack {
        /// The tools.
        tools: Vec<String>,
    },
    /// It did something that nothing in the request asks for.
    #[error("`{tool}` is not in the request")]
    NotOrdered {
        /// The tool.
        tool: String,
    },
    /// No person and no signed file answers for it.
    #[error("nobody approved it")]
    NotApproved,
    /// A file that nobody had signed permitted it.
    #[error("no person approved it, and nobody had signed the file `{process}` that permitted it")]
    NotSigned {
        /// The process.
        process: String,
    },
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

impl Unfit {
    /// What somebody can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::NothingReadBack { .. } => {
                "take a run in which at least one operation was read back; `check:` of an operation in a process file \
                 says how: `check: get_credit(reference=reference).amount == credit`"
            }
            Self::NotSigned { .. } => {
                "take a run that a person approved, or sign the file first: purple process sign NAME --as PERSON"
            }
            Self::NotOver
            | Self::Ended { .. }
            | Self::Undone
            | Self::NothingDone
            | Self::NotVerified { .. }
            | Self::NotOrdered { .. }
            | Self::NotApproved
            | Self::Edited { .. }
            | Self::NotKept => {
                "see what the run did: purple trace RUN; a run that was approved and read back can be drafted from"
            }
        }
    }
}

/// What whoever signs a draft should know about its run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Caveats {
    /// The tools whose operations nothing can read back, each once.
    pub not_read_back: Vec<ToolName>,
    /// What permitted the operations that no person looked at, each once.
    pub permitted_by: Vec<PermittedBy>,
}

/// What permits an operation without a person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PermittedBy {
    /// A rule of the file or of the operator's policy, by its id.
    Rule(String),
    /// No rule said anything, and the mode permits that.
    Mode(Mode),
}

impl Caveats {
    /// In sentences, without any sign that would end a line.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        let rules: Vec<String> = self.permitted_by.iter().filter_map(PermittedBy::rule).collect();
        let modes = self.permitted_by.iter().filter_map(|one| match one {
            PermittedBy::Rule(_) => None,
            PermittedBy::Mode(mode) => Some(mode.name()),
        });
        match rules.as_slice() {
            [] => {}
            [rule] => sentences.push(format!("No person looked at what rule {rule} permitted in that run.")),
            rules => {
                sentences.push(format!(
                    "No person looked at what rules {} permitted in that run.",
                    rules.join(", ")
                ));
            }
        }
        for mode in modes {
            sentences.push(format!(
                "No person looked at what mode `{mode}` permitted in that run: no rule said anything about it."
            ));
        }
        if !self.not_read_back.is_empty() {
            let tools: Vec<&str> = self.not_read_back.iter().map(ToolName::as_str).collect();
            let tools = tools.join(", ");
            sentences.push(format!(
                "Nothing can read back what {tools} did: that it was done is the tool's own word."
            ));
        }
        sentences
    }

    /// The same as comments of a process file.
    pub(super) fn comments(&self) -> String {
        self.sentences().iter().map(|sentence| format!("# {sentence}\n")).collect()
    }
}

impl PermittedBy {
    /// The id of the rule; whoever wrote it, it stays within its line.
    fn rule(&self) -> Option<String> {
        match self {
            Self::Rule(id) => {
                let plain = |sign: char| if sign.is_ascii_graphic() || sign == ' ' { sign } else { '?' };
                Some(id.chars().map(plain).collect())
            }
            Self::Mode(_) => None,
        }
    }
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
    /// What whoever signs a draft of it should know.
    pub caveats: Caveats,
}

impl Record {
    /// Reads the last round of a run. Only one that was permitted, done and verified is taken.
    pub(super) async fn of(events: &dyn Events, blobs: &dyn Blobs, run: &SessionId) -> Result<Self, NoDraft> {
        let journal = whole(events, run).await?;
        let round = last_round(&journal);
        let unfit = |what: Unfit| NoDraft::Incomplete { run: run.clone(), what };
        let Ran { keys, not_read_back } = fit(round).map_err(unfit)?;
        let (operations, plans) = operations(blobs, round, &keys).await?;
        if operations.is_empty() || operations.len() != keys.len() {
            return Err(unfit(Unfit::NotKept));
        }
        if let Some(unasked) = operations.iter().find(|one| one.order().is_missing()) {
            return Err(unfit(Unfit::NotOrdered { tool: unasked.tool.to_string() }));
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
        let granted = |plan: &Made| {
            round
                .iter()
                .any(|one| one.record().get::<Granted>().is_some_and(|granted| granted.plan == plan.plan))
        };
        let unseen: Vec<&Made> = plans.into_iter().filter(|plan| !granted(plan)).collect();
        let caveats = Caveats { not_read_back, permitted_by: permitted_by(&unseen) };
        let record = Self { dossier, file, file_text, looks, sums, operations, asked, caveats };
        record.answered_for(&unseen).map_err(unfit)?;
        Ok(record)
    }

    /// Whether somebody answers for plans that no person was asked about: what a signed file says itself may be permitted
    /// by its own rule; what a model proposed is asked of a person.
    fn answered_for(&self, unseen: &[&Made]) -> Result<(), Unfit> {
        let decides = self.task().is_some_and(|task| !task.outcomes().is_empty());
        match unseen {
            [] => Ok(()),
            _ if self.dossier.chosen.unsigned => {
                Err(Unfit::NotSigned { process: self.dossier.chosen.process.clone() })
            }
            _ if !decides => Err(Unfit::NotApproved),
            _ => Ok(()),
        }
    }

    /// The task of the file that it was worked on by.
    pub(super) fn task(&self) -> Option<&Task> {
        self.file.task(&self.dossier.chosen.task)
    }
}

/// The operations of a round that came out well.
struct Ran {
    keys: Vec<OperationKey>,
    /// The tools of those that nothing can read back.
    not_read_back: Vec<ToolName>,
}

/// How each operation of a round came out, if it is a round to learn from: at least one of them was read back.
fn fit(round: &[Recorded]) -> Result<Ran, Unfit> {
    let (mut keys, mut unread, mut read_back) = (Vec::new(), Vec::new(), 0_usize);
    for one in round {
        let Journaled::Write(Write::Verified(verified)) = one.record() else { continue };
        let tool = verified.tool.to_string();
        match verified.outcome {
            Outcome::Verified => {
                keys.push(verified.key);
                read_back += 1;
            }
            Outcome::Unverifiable => {
                keys.push(verified.key);
                if !unread.contains(&tool) {
                    unread.push(tool);
                }
            }
            Outcome::InDoubt | Outcome::Mismatch | Outcome::Absent => {
                return Err(Unfit::NotVerified { tool });
            }
        }
    }
    if round.iter().any(|one| matches!(one.record(), Journaled::Write(Write::UndoAsked(_)))) {
        return Err(Unfit::Undone);
    }
    let ended = round.iter().rev().find_map(|one| {
        let Journaled::Run(Run::Ended(ended)) = one.record() else { return None };
        ended.ending
    });
    match ended {
        Some(Ending::Done) if keys.is_empty() => Err(Unfit::NothingDone),
        Some(Ending::Done) if read_back == 0 => Err(Unfit::NothingReadBack { tools: unread }),
        Some(Ending::Done) => {
            let not_read_back = unread.iter().filter_map(|tool| ToolName::parse(tool).ok()).collect();
            Ok(Ran { keys, not_read_back })
        }
        Some(ending) => Err(Unfit::Ended { ending }),
        None => Err(Unfit::NotOver),
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
    let is_chosen = |one: &Recorded| matches!(one.record(), Journaled::Process(Process::Chosen(_)));
    let has_begun = |one: &Recorded| matches!(one.record(), Journaled::Turn(Turn::Began(_)));
    let received = journal.iter().rposition(is_chosen).unwrap_or(0);
    let began = journal.iter().take(received).rposition(has_begun).unwrap_or(0);
    journal.get(began..).unwrap_or_default()
}

async fn blob<T: serde::de::DeserializeOwned>(
    blobs: &dyn Blobs,
    hash: BlobHash,
) -> Result<Option<T>, EngineError> {
    Ok(blobs.get(hash).await?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// The case as the round left it: the last one that the end of a turn names.
async fn dossier(blobs: &dyn Blobs, round: &[Recorded]) -> Result<Option<Dossier>, EngineError> {
    for one in round.iter().rev() {
        let Journaled::Turn(Turn::Ended(ended)) = one.record() else { continue };
        for hash in ended.kept.iter().flatten().rev().copied() {
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
    for one in round {
        let Journaled::Model(Model::Found(found)) = one.record() else { continue };
        let Some(answer) = blob(blobs, found.result).await? else { continue };
        let arguments = found.arguments.value().as_object().cloned().unwrap_or_default();
        looks.push(Look {
            name: found.name.to_string(),
            tool: found.tool.to_string(),
            arguments: arguments.into_iter().collect(),
            answer,
        });
    }
    Ok(looks)
}

fn sum(one: &Recorded) -> Option<Sum> {
    let Journaled::Model(Model::Computed(computed)) = one.record() else { return None };
    Some(Sum {
        name: computed.name.to_string(),
        by: computed.by.to_string(),
        arguments: computed.arguments.value().clone(),
        value: computed.value.value().clone(),
    })
}

/// The operations that ran, in the order of their plans, and what the journal says of those plans.
async fn operations<'r>(
    blobs: &dyn Blobs,
    round: &'r [Recorded],
    ran: &[OperationKey],
) -> Result<(Vec<Operation>, Vec<&'r Made>), EngineError> {
    let (mut operations, mut plans) = (Vec::new(), Vec::new());
    let mut taken: Vec<OperationKey> = Vec::new();
    for one in round {
        let Journaled::Plan(PlanRecord::Made(made)) = one.record() else { continue };
        let plan: Option<Plan> = blob(blobs, made.kept).await?;
        for (operation, key) in plan.iter().flat_map(Plan::keyed) {
            if ran.contains(&key) && !taken.contains(&key) {
                taken.push(key);
                operations.push(operation.clone());
                plans.push(made);
            }
        }
    }
    Ok((operations, plans))
}

fn list(value: &Value, name: &str) -> Vec<Value> {
    value.get(name).and_then(Value::as_array).cloned().unwrap_or_default()
}

/// What permitted plans that no person was asked about: the rules that allowed each operation, else the mode.
fn permitted_by(plans: &[&Made]) -> Vec<PermittedBy> {
    let mut all: Vec<PermittedBy> = Vec::new();
    let mut add = |one: PermittedBy| {
        if !all.contains(&one) {
            all.push(one);
        }
    };
    let allows = |voice: &Value| {
        voice.get("counts") == Some(&Value::Bool(true))
            && voice.get("verdict").and_then(Value::as_str) == Some(Verdict::Allow.as_str())
    };
    for plan in plans {
        for operation in list(plan.ruling.value(), "operations") {
            let voices: Vec<Value> = list(&operation, "said").into_iter().filter(|one| allows(one)).collect();
            let rules: Vec<Value> = voices.iter().flat_map(|voice| list(voice, "rules")).collect();
            if rules.is_empty() {
                add(PermittedBy::Mode(plan.mode));
            }
            // `SLA-4: 0.8 > 0 (…)`: the id stands first.
            let id = |rule: &Value| Some(rule.as_str()?.split(": ").next()?.to_owned());
            rules.iter().filter_map(id).map(PermittedBy::Rule).for_each(&mut add);
        }
    }
    all
}

/// Whom the rules and policies asked by name about a plan.
fn asked(plan: &Made) -> Vec<Asked> {
    let said = list(plan.ruling.value(), "operations");
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

#[cfg(test)]
#[path = "record_tests.rs"]
mod tests;

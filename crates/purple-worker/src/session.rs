//! A session as it is saved: small, versioned, and with each fact only in the stage where it exists.

pub(crate) use purple_journal::word::Reply;
use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use purple_process::{
    Confirmation, Decision, Digest, Mode, OperationKey, PersonId, PlanHash, Started, StepId, Walk,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::conversation::Conversation;
use crate::event::Channel;
use crate::execute::drift::SchemaFixes;
use crate::execute::quarantine::Quarantine;
use crate::port::{Arm, BlobHash, ToolsAt};

/// The form of the saved session. A newer worker reads older ones; see `docs/decisions/`.
pub(crate) const SCHEMA: u32 = 1;
/// The version of this program.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// One session.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Session {
    /// Where it stands on its route.
    pub walk: Walk,
    /// Who asked in this round.
    pub requester: PersonId,
    /// The account of the operating system from which they asked, where it came by the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requester_account: Option<String>,
    /// Through which door.
    pub channel: Channel,
    /// When this round began.
    pub began: Timestamp,
    /// The latest time that was ever seen here.
    pub high_water: Timestamp,
    /// The mode of this round.
    pub mode: Mode,
    /// Where its tools are.
    pub tools_at: ToolsAt,
    /// The tools as they were first seen. A later turn does not list them again.
    pub catalogue: Option<BlobHash>,
    /// The process, once it is chosen. A later turn does not choose again.
    pub chosen: Option<Chosen>,
    /// The files that the words of this session pointed to, or by which a round of it was worked on: their rules count in
    /// every later round, whatever its words say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pointed: Vec<Also>,
    /// What a driver without a playbook is told. Other events load it.
    pub brief: Option<BlobHash>,
    /// The rules or the prose that came with the request.
    pub request_policy: Option<BlobHash>,
    /// Prose that came as a policy: shown to a model as advice, never evaluated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advisory: Option<BlobHash>,
    /// The task of this round in one line, redacted.
    pub title: String,
    /// What was said, compressed.
    pub conversation: Conversation,
    /// What the words of all messages said, by input.
    pub inputs: BTreeMap<String, Value>,
    /// Renamed columns that were found out.
    pub fixes: SchemaFixes,
    /// Business keys that this round claimed and has had no effect under yet.
    pub claims: Vec<String>,
    /// How often the gate was opened in this round.
    pub gates: u8,
    /// The last answer.
    pub answer: Option<BlobHash>,
    /// The answer that ended the last round. A remark afterwards does not take its place.
    #[serde(default)]
    pub final_answer: Option<BlobHash>,
    /// Tools that are not what they were when they were first seen.
    #[serde(default)]
    pub quarantine: Quarantine,
    /// The last earlier round in which something was done. It names the one before it.
    #[serde(default)]
    pub past: Option<BlobHash>,
    /// The operation that this round undoes, if it was begun for that.
    #[serde(default)]
    pub undoing: Option<Undoing>,
    /// The version of the program that worked on it last, as the journal records it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The way in which this round is attempted, where there was a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<Arm>,
    /// Who decided about plans of this session, each once.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub decided_by: BTreeSet<PersonId>,
    /// The exact text that the orders of this round are held against. Rounds that are older than orders have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<BlobHash>,
    /// The requester's confirmation of the restated task of this round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confirmed: Option<Confirmation>,
    /// What exists only now.
    pub stage: Stage,
}

/// A further process file that the words of a task point to; its rules count as well.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Also {
    pub chosen: Chosen,
    /// What the words say to its inputs, as inputs are stored.
    pub inputs: BTreeMap<String, Value>,
    /// Whether more than a single keyword points to it.
    pub is_sure: bool,
}

/// An earlier round in which something was done, kept so that it can be undone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PastRound {
    pub round: u32,
    pub case: BlobHash,
    pub plans: Vec<BlobHash>,
    pub started: Vec<Started>,
    /// What of a round before it undid.
    pub undid: Option<Undoing>,
    /// The round before it in which something was done.
    pub earlier: Option<BlobHash>,
}

/// The operations that a round undoes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub(crate) enum Undoing {
    /// One of them.
    One(OperationKey),
    /// Several, each by the step that undoes it.
    Several(BTreeMap<StepId, OperationKey>),
}

/// The process of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Chosen {
    pub process: String,
    pub task: String,
    /// The file's bytes, so that a later version of it does not change this run.
    pub file: BlobHash,
    pub digest: Digest,
    /// Whether nobody had signed it when it was chosen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
    /// Who had signed it here; nobody has to sign what ships and what lies in a folder of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<PersonId>,
    /// How its calls are bound to the tools of the run, where the operator mapped them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binding: Option<BlobHash>,
}

/// What exists only in a part of the walk.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Stage {
    /// Nothing is kept: an interrupted turn begins anew.
    Preparing,
    /// The task lacks something; the words so far.
    Asking { text: String },
    /// The requester is asked whether the task, as it was restated, is what they want.
    Confirming { text: String, restated: String },
    /// A model works on a state.
    Driving(Driving),
    /// A plan waits for people.
    Waiting(Waiting),
    /// A plan runs, one operation a turn.
    Running(Running),
    /// The round is over. The case stays, so that an operation can be undone.
    Closed { case: Option<BlobHash>, plans: Vec<BlobHash>, started: Vec<Started> },
}

/// A state in which a model works.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Driving {
    /// Its loop, and what belongs to it.
    pub drive: BlobHash,
    pub case: BlobHash,
    /// Why it waits for the model, if it does.
    pub waits: Option<Waits>,
    pub trail: Trail,
}

/// A model that does not answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waits {
    pub why: String,
    /// How often it was asked in vain.
    pub tries: u32,
}

/// A plan that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Waiting {
    pub plan: BlobHash,
    pub hash: PlanHash,
    pub case: BlobHash,
    pub card: BlobHash,
    pub headline: String,
    pub asks: Vec<String>,
    pub asked_at: Timestamp,
    pub expires_at: Timestamp,
    /// The yeses that count so far.
    pub decisions: Vec<Decision>,
    /// Whether those who come next were asked already.
    pub next_asked: bool,
    /// What follows when this plan is done.
    pub trail: Trail,
}

/// A plan that runs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Running {
    pub plan: BlobHash,
    /// Who had to say yes, in words; nobody where the policy allowed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
    pub case: BlobHash,
    pub decisions: Vec<Decision>,
    pub next_asked: bool,
    /// An operation that was sent, or perhaps sent, and is not settled.
    pub open: Option<Open>,
    /// What its next operation's tool wants to know first.
    #[serde(default)]
    pub inquiry: Option<Inquiry>,
    /// Why it stands still, if the operator stopped it.
    pub halted: Option<String>,
    /// How often the next operation was put off.
    pub put_off: u32,
    /// Why it ends before the next operation, if somebody called it off.
    pub cancelled: Option<String>,
    pub trail: Trail,
}

/// A question of a tool, and the answer once there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inquiry {
    pub step: StepId,
    pub asked: BlobHash,
    pub answers: Option<BlobHash>,
    /// How often it has asked about this operation.
    pub rounds: u8,
}

/// What happened and what is to come in this round, beside the present plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Trail {
    /// Every plan of this round that was given permission, in order.
    pub permitted: Vec<BlobHash>,
    /// Every operation of this round that was started and is settled.
    pub started: Vec<Started>,
    /// Plans that are asked one after the other.
    pub to_ask: Vec<BlobHash>,
    /// How often everything was read and decided anew, because a record had changed.
    #[serde(default)]
    pub anew: u8,
    /// Up to where the journal was looked through for an operation that nobody settled.
    #[serde(default)]
    pub journal_seen: u64,
    /// The model at work on this round, where one drives it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive: Option<BlobHash>,
}

/// An operation between its intent and its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Open {
    pub step: StepId,
    pub headline: String,
    /// What the tool said.
    pub reply: Reply,
    /// The checked fields before it was sent, or null where they may not be read. They may be long, so they are a blob.
    pub before: BlobHash,
    /// Of what the tool gave back, the fields that the plan refers to.
    pub result: Option<Value>,
    /// How often it was looked for.
    pub looks: u32,
    /// What the tool wants to know before it does it.
    #[serde(default)]
    pub asked: Option<BlobHash>,
    /// What was seen last, for people.
    pub why: String,
    /// Whether it waits for a person.
    pub in_doubt: bool,
}

impl Session {
    /// What was done in this round, if anything was: to be kept when the next one begins.
    pub(crate) fn done(&self) -> Option<PastRound> {
        let (case, plans, started) = match &self.stage {
            Stage::Closed { case, plans, started } => ((*case)?, plans, started),
            Stage::Waiting(waiting) => (waiting.case, &waiting.trail.permitted, &waiting.trail.started),
            Stage::Preparing
            | Stage::Asking { .. }
            | Stage::Confirming { .. }
            | Stage::Driving(_)
            | Stage::Running(_) => return None,
        };
        (!started.is_empty()).then(|| PastRound {
            round: self.round(),
            case,
            plans: plans.clone(),
            started: started.clone(),
            undid: self.undoing.clone(),
            earlier: self.past,
        })
    }

    /// The round as a number, for views.
    pub(crate) fn round(&self) -> u32 {
        self.walk.round().to_string().parse().unwrap_or(u32::MAX)
    }
}

//! A run as people and programs see it from outside: the summary of its session, its card and its answer.

use std::collections::BTreeSet;

use jiff::Timestamp;
pub use purple_journal::word::Witness;
use purple_process::{
    Ending, Mode, OperationKey, Outcome, PersonId, PlanHash, Role, SessionId, State, StepId,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::card::Card;
use purple_journal::BlobHash;

/// What a session is doing, in one word for lists and filters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A turn runs or is due.
    Working,
    /// A plan waits for people, or the run has asked something.
    Waiting,
    /// A language model does not answer; it is asked again by itself.
    WaitingModel,
    /// The outcome of an operation is unknown; a person settles it.
    InDoubt,
    /// The operator's stop keeps it waiting.
    Halted,
    /// The round is over. A later message may begin another.
    Closed,
}

/// What is saved beside every checkpoint, small, for lists. The card and the answer are blobs that it names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    /// What it is doing.
    pub status: Status,
    /// Where it stands.
    pub state: State,
    /// How the round ended.
    pub ending: Option<Ending>,
    /// The round, from 1.
    pub round: u32,
    /// The task in one line, redacted.
    pub title: String,
    /// The process; `None` before it was chosen.
    pub process: Option<String>,
    /// Who signed the file of that process; `None` where it ships or lies in a folder of the operator.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed_by: Option<PersonId>,
    /// Who asked.
    pub requester: PersonId,
    /// The mode it runs under.
    pub mode: Mode,
    /// The plan that waits for people.
    pub approval: Option<OpenApproval>,
    /// The operation that is in doubt.
    pub doubt: Option<OpenDoubt>,
    /// Where the last answer is.
    pub answer: Option<BlobHash>,
    /// Who decided about plans of this session: what somebody decided stays theirs to follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub decided_by: Vec<PersonId>,
}

/// What somebody can decide about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decides {
    /// Everything: there is one person.
    Everything,
    /// What asks one of these roles.
    As(BTreeSet<Role>),
}

/// What a run wants of people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted<'a> {
    /// A yes or a no.
    Decision(&'a OpenApproval),
    /// Somebody who finds out how an operation came out.
    Settlement(&'a OpenDoubt),
    /// An answer to its question, in words.
    Words,
}

impl Summary {
    /// Whether it waits for people of whom somebody who decides so is one: the word of each of them could count. The
    /// requester is asked by name.
    pub fn waits_for(&self, decides: &Decides) -> bool {
        let asks = match (&self.approval, &self.doubt) {
            (Some(approval), _) => &approval.asks,
            (None, Some(doubt)) => &doubt.asks,
            (None, None) => return false,
        };
        let Decides::As(roles) = decides else { return true };
        let named = |ask: &String| {
            let names = ask.split_once(" × ").map_or("", |(_, names)| names);
            names.split(" or ").any(|name| roles.iter().any(|role| role.as_str() == name))
        };
        // Where the rules ask nobody, the owner of the process could be asked, whoever that is.
        (asks.is_empty() && !roles.is_empty()) || asks.iter().any(named)
    }

    /// What it wants of people now. A yes that comes too late is no yes, so an expired approval wants nothing any more.
    pub fn wanted(&self, now: Timestamp) -> Option<Wanted<'_>> {
        match self.status {
            Status::Waiting => match &self.approval {
                Some(approval) => (now < approval.expires_at).then_some(Wanted::Decision(approval)),
                None => Some(Wanted::Words),
            },
            Status::InDoubt => self.doubt.as_ref().map(Wanted::Settlement),
            Status::Working | Status::WaitingModel | Status::Halted | Status::Closed => None,
        }
    }
}

/// A plan that waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenApproval {
    /// `apr_…`, made from the plan's hash.
    pub id: String,
    /// The plan.
    pub plan: PlanHash,
    /// The card that is shown for it.
    pub card: BlobHash,
    /// What it does, in one line.
    pub headline: String,
    /// Who must say yes, in words.
    pub asks: Vec<String>,
    /// Since when it waits.
    pub asked_at: Timestamp,
    /// When waiting ends with a no.
    pub expires_at: Timestamp,
}

/// An operation whose outcome is unknown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenDoubt {
    /// The operation.
    pub step: StepId,
    /// What it does, in one line.
    pub headline: String,
    /// What was seen.
    pub why: String,
    /// Who had to say yes, in words; nobody where the policy allowed it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<String>,
}

/// One run in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunView {
    /// The session, which is the run's id.
    pub run: SessionId,
    /// When it began.
    pub began: Timestamp,
    /// When it last changed.
    pub changed: Timestamp,
    /// How many journal entries it has.
    pub entries: u64,
    /// The summary of its last turn.
    pub summary: Summary,
    /// The card, while a plan waits.
    pub card: Option<Card>,
    /// The last answer.
    pub answer: Option<Answer>,
    /// Set when the engine gave up on it.
    pub stuck: Option<String>,
}

/// What a run says in the end, or while it waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// For people: the answer, the mutation log, the footer. A bare exact-match answer stands alone.
    pub text: String,
    /// The same as data.
    pub data: AnswerData,
}

/// An answer as data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerData {
    /// The answer without log and footer.
    pub answer: String,
    /// The process.
    pub process: Option<String>,
    /// How the round ended; `None` while it waits.
    pub ending: Option<Ending>,
    /// What was done, in order.
    pub mutations: Vec<Mutation>,
    /// What was granted and never started. Together with `mutations`, every operation of every granted plan.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_started: Vec<NotStarted>,
    /// What was computed, in order: name and exact value.
    pub figures: Vec<(String, String)>,
    /// The rules that decided, the numbers put in.
    pub policy: Option<PolicyResult>,
    /// Runs that this one began or asked something of, in order: a text with several tasks, an undo.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub runs: Vec<FurtherRun>,
    /// A stable code where the run could not do what was asked: `privacy.card_number`, `model.needed`.
    pub code: Option<String>,
    /// Quality from 0 to 1, as decimal text.
    pub quality: Option<String>,
    /// How that figure came about, line by line.
    pub quality_because: Vec<String>,
    /// From the task to this answer, waiting for people included, in milliseconds.
    pub took_ms: u64,
}

/// An operation that was granted, or wanted, and never started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NotStarted {
    /// The operation.
    pub step: StepId,
    /// What it would have done, in one line.
    pub headline: String,
    /// The tool.
    pub tool: String,
    /// The round to which it belongs.
    pub round: u32,
    /// Why it was not started.
    pub why: String,
}

/// A run that another one began or asked something of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FurtherRun {
    /// The run.
    pub run: SessionId,
    /// How many journal entries it had before; 0 where it was begun.
    pub after: u64,
}

/// What the policy said, as ground truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub struct PolicyResult {
    /// Whether everything may run without a person.
    pub passed: bool,
    /// Whether a person must say yes.
    pub requires_approval: bool,
    /// Whether a person must take over.
    pub escalation_required: bool,
    /// The highest level that a rule names.
    pub escalation_level: Option<String>,
    /// The rules that fired, with the numbers put in.
    pub triggered_rules: Vec<Value>,
    /// The rules that restrict and could not be evaluated, with what is missing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_evaluated: Vec<Value>,
}

/// One line of the mutation log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mutation {
    /// The operation.
    pub step: StepId,
    /// Its key.
    pub key: OperationKey,
    /// The round in which it ran.
    pub round: u32,
    /// What it does, in one line.
    pub headline: String,
    /// The tool.
    pub tool: String,
    /// The checked fields before.
    pub before: Value,
    /// The checked fields after.
    pub after: Value,
    /// How it came out.
    pub outcome: Outcome,
    /// What more is to be said: who settled it, what was seen.
    pub note: Option<String>,
    /// Who says how it came out; `None` in answers that are older than this line.
    #[serde(default)]
    pub witness: Option<Witness>,
    /// Whether an undo is declared.
    pub reversible: bool,
}

//! What the journal says about a round: its mutation log, its calls, and what people did. There is no second truth.

use std::collections::{BTreeMap, BTreeSet};

use purple_journal::record::approval::Approval;
use purple_journal::record::model::{self, Model};
use purple_journal::record::run;
use purple_journal::record::task::Task;
use purple_journal::record::tool::{self, Tool};
use purple_journal::record::write::{self, Write};
use purple_journal::word::{CallResult, DecisionKind};
use purple_journal::{BlobHash, Record};
use purple_process::{Ending, Event, OperationKey, Outcome, State};
use serde_json::Value;

use crate::execute::call::brief;
use crate::execute::undo::undo_step;
use crate::learn::bandit::Arm;
use crate::port::Digest;
use crate::run::{Phase, Run};
use crate::session::{Running, Stage};
use crate::synthesis::renamed;
use crate::view::Mutation;

/// What the journal says about a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub calls: u32,
    pub failed: u32,
    pub repeated: u32,
    /// Those that brought nothing.
    pub empty: u32,
    pub approved: bool,
    pub edited: bool,
    /// The earlier round of which this one undoes something.
    pub undoes: Option<Undone>,
    /// Tools that were read and answered, each once.
    pub reads: Vec<String>,
    /// What was worked out, with the tools in place of the names that only this round knows.
    pub computed: Vec<String>,
    /// The words of the round before, where people said no to what came of them: this one says it again.
    pub instead_of: Option<String>,
}

impl Seen {
    /// Counts a read. `empty` holds the digests of answers without content.
    fn read(&mut self, read: &tool::Read, asked: &mut BTreeSet<String>, empty: &[BlobHash]) {
        self.calls = self.calls.saturating_add(1);
        // Around a write the same is read before and after, on purpose.
        if !matches!(read.state, State::Assess | State::Decompose) {
            return;
        }
        let answer = match &read.result {
            CallResult::Answered(answer) => Some(answer),
            CallResult::Refused { .. }
            | CallResult::Asked(_)
            | CallResult::NotSent(_)
            | CallResult::Lost(_) => None,
        };
        self.failed = self.failed.saturating_add(u32::from(answer.is_none()));
        let call = format!("{:?}{:?}", read.tool, read.arguments);
        self.repeated = self.repeated.saturating_add(u32::from(!asked.insert(call)));
        let is_empty = answer.is_some_and(|answer| answer.is_some_and(|hash| empty.contains(&hash)));
        self.empty = self.empty.saturating_add(u32::from(is_empty));
        let is_new = !self.reads.iter().any(|known| read.tool == known.as_str());
        if answer.is_some() && !is_empty && is_new && self.reads.len() < READS_MAX {
            self.reads.push(read.tool.to_string());
        }
    }

    /// One computation of the journal: `r1.fee * 2 / 100` is `get_contract.fee * 2 / 100` to whoever reads it later.
    fn computed(&mut self, computed: &model::Computed, found: &BTreeMap<String, String>) {
        let expression = computed.arguments.value().get("expression").and_then(Value::as_str);
        let Some(expression) = expression.filter(|_| self.computed.len() < COMPUTED_MAX) else { return };
        let told = renamed(expression, found);
        if told.len() <= EXPRESSION_BYTES_MAX && !self.computed.contains(&told) {
            self.computed.push(told);
        }
    }
}

/// A round of which something is undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undone {
    pub round: u32,
    /// What its rules were worth when it ended, and the way in which it was attempted.
    pub policy: Option<String>,
    pub arm: Option<Arm>,
}

/// The most tools that are remembered of a round.
const READS_MAX: usize = 8;
/// The most computations that are remembered of a round.
const COMPUTED_MAX: usize = 2;
/// The longest computation that is remembered, in bytes.
const EXPRESSION_BYTES_MAX: usize = 160;
/// What an answer without anything in it looks like.
const NOTHING: [&str; 12] = [
    "[]",
    "{}",
    "null",
    "\"\"",
    "{\"data\":[]}",
    "{\"items\":[]}",
    "{\"records\":[]}",
    "{\"result\":[]}",
    "{\"result\":null}",
    "{\"results\":[]}",
    "{\"rows\":[]}",
    "{\"values\":[]}",
];

impl Run<'_> {
    /// The whole mutation log.
    pub(crate) async fn mutations(&self) -> Phase<Vec<Mutation>> {
        Ok(self.witnessed().await?.0)
    }

    /// The same for this round only.
    pub(crate) async fn round_log(&self) -> Phase<(Vec<Mutation>, Seen)> {
        let (mut log, seen) = self.witnessed().await?;
        log.retain(|mutation| mutation.round == self.session.round());
        Ok((log, seen))
    }

    /// The mutation log and what else the journal says: there is no second truth.
    async fn witnessed(&self) -> Phase<(Vec<Mutation>, Seen)> {
        let mut reader = RoundReader::new();
        for recorded in self.scribe.journal().await? {
            reader.take(recorded.record());
        }
        let RoundReader { mut log, seen, .. } = reader;
        if let Stage::Running(Running { open: Some(open), .. }) = &self.session.stage {
            log.extend(self.open_mutation(open).await?);
        }
        Ok((log, seen))
    }

    async fn open_mutation(&self, open: &crate::session::Open) -> Phase<Option<Mutation>> {
        let Stage::Running(running) = &self.session.stage else { return Ok(None) };
        let plan = self.plan(running.plan).await?;
        let found = plan.keyed().find(|(operation, _)| operation.step == open.step);
        let before: Option<BTreeMap<String, Value>> = self.fetch("before", open.before).await?;
        let before = before.unwrap_or_default();
        Ok(found.map(|(operation, key)| Mutation {
            step: open.step.clone(),
            key,
            round: self.session.round(),
            headline: open.headline.clone(),
            tool: operation.tool.to_string(),
            before: brief(&before),
            after: Value::Null,
            outcome: Outcome::InDoubt,
            note: Some(open.why.clone()),
            witness: None,
            reversible: operation.undo.is_some(),
        }))
    }
}

/// The operations of a journal that can be undone and were not. What cannot be verified counts as undone.
pub(crate) fn undoable_in<'r>(records: impl Iterator<Item = &'r Record>) -> Vec<Mutation> {
    let mut reader = RoundReader::new();
    records.for_each(|record| reader.take(record));
    let RoundReader { mut log, undone, .. } = reader;
    log.retain(|one| one.reversible && one.outcome == Outcome::Verified && !undone.contains(&one.key));
    log
}

/// Reads a journal record by record.
struct RoundReader {
    log: Vec<Mutation>,
    seen: Seen,
    /// The reads since the last write, to find repeated ones.
    asked: BTreeSet<String>,
    /// The tools of findings, by the name of the finding.
    found: BTreeMap<String, String>,
    /// The digests of answers without content.
    empty: Vec<BlobHash>,
    ended: BTreeMap<u32, Undone>,
    /// What the round undoes, by the step that does it, and what was undone.
    undoes: BTreeMap<String, OperationKey>,
    undone: BTreeSet<OperationKey>,
    /// The last text, the text that the round began with, and that of a round that was declined.
    heard: Option<String>,
    began: Option<String>,
    declined: Option<String>,
}

impl RoundReader {
    fn new() -> Self {
        Self {
            log: Vec::new(),
            seen: Seen::default(),
            asked: BTreeSet::new(),
            found: BTreeMap::new(),
            empty: NOTHING.iter().map(|text| BlobHash(Digest::of(text.as_bytes()))).collect(),
            ended: BTreeMap::new(),
            undoes: BTreeMap::new(),
            undone: BTreeSet::new(),
            heard: None,
            began: None,
            declined: None,
        }
    }

    fn take(&mut self, record: &Record) {
        match record {
            Record::Task(task) => self.task(task),
            Record::Model(model) => self.model(model),
            Record::Tool(tool) => self.tool(tool),
            Record::Approval(approval) => self.approval(approval),
            Record::Write(write) => self.write(write),
            Record::Run(run) => self.run(run),
            Record::Process(_)
            | Record::Plan(_)
            | Record::Turn(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => {}
        }
    }

    fn task(&mut self, task: &Task) {
        match task {
            Task::Received(received) => {
                self.heard = received.text.as_ref().map(ToString::to_string);
                if self.began.is_none() {
                    self.began.clone_from(&self.heard);
                }
            }
            Task::DecisionReceived(_)
            | Task::PrivacyRefused(_)
            | Task::Rejected(_)
            | Task::InputAsked(_)
            | Task::Confirmed(_)
            | Task::Divided(_)
            | Task::ReversalSought(_)
            | Task::PolicyAdvisory(_)
            | Task::BriefMade(_)
            | Task::ConversationFolded(_) => {}
        }
    }

    fn model(&mut self, record: &Model) {
        match record {
            Model::Found(found) => {
                self.found.insert(found.name.to_string(), found.tool.to_string());
            }
            Model::Computed(computed) => self.seen.computed(computed, &self.found),
            Model::Asked(_)
            | Model::Replied(_)
            | Model::Other(_)
            | Model::Failed(_)
            | Model::Lost(_)
            | Model::Refused(_)
            | Model::LoopRefused(_)
            | Model::Halted(_)
            | Model::Fallback(_)
            | Model::Spent(_)
            | Model::Waiting(_)
            | Model::Wants(_)
            | Model::Proposed(_)
            | Model::Note(_)
            | Model::AuditPassed(_)
            | Model::AuditFailed(_)
            | Model::AuditDoubted(_)
            | Model::AnswersCompared(_)
            | Model::FiguresCompared(_)
            | Model::AnswerGaps(_)
            | Model::AnswerNoList(_)
            | Model::AnswerReflected(_)
            | Model::TaskRead(_) => {}
        }
    }

    fn tool(&mut self, record: &Tool) {
        match record {
            Tool::Read(read) => self.seen.read(read, &mut self.asked, &self.empty),
            Tool::CataloguePinned(_)
            | Tool::Crowded(_)
            | Tool::SchemaFixed(_)
            | Tool::Asks(_)
            | Tool::Answered(_)
            | Tool::AnswerRefused(_)
            | Tool::Quarantined(_)
            | Tool::FunctionSynthesized(_)
            | Tool::FunctionRefused(_)
            | Tool::FunctionCalled(_)
            | Tool::FunctionQuarantined(_) => {}
        }
    }

    fn approval(&mut self, record: &Approval) {
        match record {
            Approval::Granted(_) => self.seen.approved = true,
            Approval::Edited(_) => self.seen.edited = true,
            Approval::Decided(decided) => {
                self.seen.edited |= decided.decision == DecisionKind::ApproveSome;
            }
            Approval::HistorySeen(_)
            | Approval::Asked(_)
            | Approval::Refused(_)
            | Approval::Expired(_)
            | Approval::Superseded(_)
            | Approval::NotTaken(_)
            | Approval::EditNotTaken(_)
            | Approval::ChannelAsked(_) => {}
        }
    }

    fn write(&mut self, record: &Write) {
        match record {
            Write::Verified(verified) => {
                let done = mutation(verified);
                if matches!(done.outcome, Outcome::Verified | Outcome::Unverifiable) {
                    self.undone.extend(self.undoes.get(done.step.as_str()));
                }
                self.log.push(done);
                self.asked.clear();
            }
            Write::UndoAsked(asked) => {
                self.undoes.insert(undo_step(&asked.step), asked.key);
                self.seen.undoes = self.ended.get(&asked.of_round).cloned();
            }
            Write::Intent(_)
            | Write::CallEnded(_)
            | Write::Withheld(_)
            | Write::PutOff(_)
            | Write::InDoubt(_)
            | Write::Settled(_)
            | Write::SettleNotTaken(_)
            | Write::NoticeHeld(_)
            | Write::UndoNotTaken(_)
            | Write::HaltSeen(_) => {}
        }
    }

    fn run(&mut self, record: &run::Run) {
        match record {
            run::Run::StateEntered(entered) if entered.event == Event::NewRound => {
                self.seen = Seen { instead_of: self.declined.take(), ..Seen::default() };
                self.began.clone_from(&self.heard);
                self.asked.clear();
                self.found.clear();
                self.undoes.clear();
            }
            run::Run::Ended(ended) => {
                let is_declined = ended.ending == Some(Ending::Declined);
                self.declined = self.began.clone().filter(|_| is_declined);
                let round = ended.round.number();
                let policy = ended.score.as_ref().map(|score| score.policy.to_string());
                let arm = ended.score.as_ref().and_then(|score| score.arm);
                self.ended.insert(round, Undone { round, policy, arm });
            }
            run::Run::StateEntered(_)
            | run::Run::Answered(_)
            | run::Run::Failed(_)
            | run::Run::Stopped(_)
            | run::Run::Cancelled(_)
            | run::Run::CancelNotTaken(_)
            | run::Run::Rescored(_) => {}
        }
    }
}

fn mutation(verified: &write::Verified) -> Mutation {
    Mutation {
        step: verified.step.clone(),
        key: verified.key,
        round: verified.round.number(),
        headline: verified.headline.to_string(),
        tool: verified.tool.to_string(),
        before: verified.before.value().clone(),
        after: verified.after.value().clone(),
        outcome: verified.outcome,
        note: verified.note.as_ref().map(ToString::to_string),
        witness: verified.witness.clone(),
        reversible: verified.reversible,
    }
}

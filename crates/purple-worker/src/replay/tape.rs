//! What the outside world said in one turn, by its journal: tools, halts, business keys, earlier cases.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::record::approval::Approval;
use purple_journal::record::learning::Learning;
use purple_journal::record::model::Model as ModelRecord;
use purple_journal::record::plan::Plan;
use purple_journal::record::task::Task;
use purple_journal::record::tool::Tool;
use purple_journal::record::write::Write;
use purple_journal::word::{CallResult, DetectedBy, HaltNote};
use purple_journal::{Record, Redacted};
use purple_process::{Digest, Json, Pass, PersonId, SessionId, Values};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Archive, NoReplay};
use crate::drive::KeptReply;
use crate::learn::bandit::Tally;
use crate::port::untrusted::Untrusted;
use crate::port::{
    BadArguments, BlobHash, BoxFuture, CallOptions, Called, Check, Claim, Clock, Definition, EngineError,
    Entity, Fact, Halt, Listing, Logged, Memory, Model, ModelError, ModelReply, ModelRequest, PastCase,
    Pause, Ranked, Recorded, StepFailed, Still, Tools, ToolsAt, ToolsDown, Whose,
};

/// A model that is never asked: what it said before is on the tape.
pub(super) struct Mute;

impl Model for Mute {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let problem = "a replay asks no model".to_owned();
        Box::pin(std::future::ready(Err(ModelError::NoModel { problem })))
    }
}

/// The answers of one turn, in their order.
pub(super) struct Tape {
    reads: Mutex<VecDeque<Called>>,
    writes: Mutex<VecDeque<Called>>,
    /// Kept replies of models, and why there were none.
    replies: Mutex<VecDeque<Result<Value, StepFailed>>>,
    /// What did not fit the schema of a tool, by tool and digest of the arguments.
    unfit: Vec<(String, Digest, String)>,
    halts: Mutex<VecDeque<Halt>>,
    tools: Option<Vec<Definition>>,
    left_out: Vec<String>,
    /// Tools that were found changed, and after how many reads.
    changed: Vec<Changed>,
    /// What did not fit in the answers of people to tools.
    misfits: Mutex<VecDeque<Vec<String>>>,
    /// How many reads the tape had in the beginning.
    reads_taped: usize,
    taken_by: Option<SessionId>,
    /// The run that a reversal found.
    reversal: Value,
    history: Vec<PastCase>,
    tallies: Vec<Tally>,
    began: Timestamp,
}

/// A tool that was found changed.
struct Changed {
    reads_before: usize,
    tool: String,
    why: String,
}

impl Tape {
    pub(super) async fn of(archive: &Archive, run: &SessionId, turn: &[Recorded]) -> Result<Self, NoReplay> {
        let mut tape = Self {
            reads: Mutex::default(),
            writes: Mutex::default(),
            replies: Mutex::default(),
            unfit: Vec::new(),
            halts: Mutex::default(),
            tools: None,
            left_out: Vec::new(),
            changed: Vec::new(),
            misfits: Mutex::default(),
            reads_taped: 0,
            taken_by: None,
            reversal: Value::Null,
            history: Vec::new(),
            tallies: Vec::new(),
            began: turn.first().map_or(Timestamp::UNIX_EPOCH, |first| first.entry.at),
        };
        for recorded in turn {
            tape.take(archive, run, recorded).await?;
        }
        Ok(tape)
    }

    async fn take(
        &mut self,
        archive: &Archive,
        run: &SessionId,
        recorded: &Recorded,
    ) -> Result<(), NoReplay> {
        let unreadable = || NoReplay::Unreadable { run: run.clone(), seq: recorded.seq };
        match recorded.record() {
            Record::Tool(tool) => self.take_tool(archive, tool).await?.ok_or_else(unreadable),
            Record::Model(model) => {
                self.take_model(model);
                Ok(())
            }
            Record::Approval(Approval::ChannelAsked(asked)) => {
                self.take_read(archive, &asked.result).await?.ok_or_else(unreadable)
            }
            Record::Approval(Approval::HistorySeen(seen)) => {
                self.history = fetch_as(archive, seen.history).await?.ok_or_else(unreadable)?;
                Ok(())
            }
            Record::Write(Write::CallEnded(ended)) => {
                let called = called(archive, &ended.called).await?.ok_or_else(unreadable)?;
                locked(&self.writes).push_back(called);
                Ok(())
            }
            Record::Write(Write::HaltSeen(seen)) => {
                locked(&self.halts).push_back(halt(&seen.halt).ok_or_else(unreadable)?);
                Ok(())
            }
            Record::Task(Task::ReversalSought(sought)) => {
                self.reversal = fetch_as(archive, sought.kept).await?.ok_or_else(unreadable)?;
                Ok(())
            }
            Record::Plan(Plan::KeyTaken(taken)) => {
                self.taken_by = SessionId::parse(taken.by.as_str()).ok();
                Ok(())
            }
            Record::Learning(Learning::StrategyChosen(chosen)) => {
                self.tallies.clone_from(&chosen.tallies);
                Ok(())
            }
            Record::Approval(_)
            | Record::Write(_)
            | Record::Plan(_)
            | Record::Learning(_)
            | Record::Task(_)
            | Record::Process(_)
            | Record::Run(_)
            | Record::Turn(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => Ok(()),
        }
    }

    /// `None` where an answer that the journal names is gone.
    async fn take_tool(&mut self, archive: &Archive, record: &Tool) -> Result<Option<()>, EngineError> {
        match record {
            Tool::Read(read) => return self.take_read(archive, &read.result).await,
            Tool::Quarantined(found) if found.by == DetectedBy::Drift => {
                let (tool, why) = (found.tool.to_string(), found.why.to_string());
                self.changed.push(Changed { reads_before: self.reads_taped, tool, why });
            }
            Tool::AnswerRefused(refused) => {
                let misfits = refused.misfits.iter().map(ToString::to_string).collect();
                locked(&self.misfits).push_back(misfits);
            }
            Tool::CataloguePinned(pinned) => {
                let Some(tools) = fetch(archive, pinned.catalogue).await? else { return Ok(None) };
                self.tools = serde_json::from_value(tools).ok();
                self.left_out = pinned.left_out.iter().map(ToString::to_string).collect();
            }
            Tool::Quarantined(_)
            | Tool::Crowded(_)
            | Tool::SchemaFixed(_)
            | Tool::Asks(_)
            | Tool::Answered(_)
            | Tool::FunctionSynthesized(_)
            | Tool::FunctionRefused(_)
            | Tool::FunctionCalled(_)
            | Tool::FunctionQuarantined(_) => {}
        }
        Ok(Some(()))
    }

    async fn take_read(&mut self, archive: &Archive, result: &CallResult) -> Result<Option<()>, EngineError> {
        let Some(called) = called(archive, result).await? else { return Ok(None) };
        locked(&self.reads).push_back(called);
        self.reads_taped += 1;
        Ok(Some(()))
    }

    fn take_model(&mut self, record: &ModelRecord) {
        match record {
            ModelRecord::Replied(replied) => {
                let kept = KeptReply { reply: replied.reply, took_ms: replied.took_ms, cost: replied.cost };
                locked(&self.replies).push_back(Ok(json!(kept)));
            }
            ModelRecord::Failed(failed) => {
                let reason = failed.error.value().to_string();
                locked(&self.replies).push_back(Err(StepFailed { reason }));
            }
            ModelRecord::Refused(refused) => {
                if let Some(digest) = refused.arguments {
                    self.unfit.push((refused.tool.to_string(), digest, refused.why.to_string()));
                }
            }
            ModelRecord::Asked(_)
            | ModelRecord::Other(_)
            | ModelRecord::Lost(_)
            | ModelRecord::LoopRefused(_)
            | ModelRecord::Halted(_)
            | ModelRecord::Fallback(_)
            | ModelRecord::Spent(_)
            | ModelRecord::Waiting(_)
            | ModelRecord::Wants(_)
            | ModelRecord::Found(_)
            | ModelRecord::Computed(_)
            | ModelRecord::Proposed(_)
            | ModelRecord::Note(_)
            | ModelRecord::AuditPassed(_)
            | ModelRecord::AuditFailed(_)
            | ModelRecord::AuditDoubted(_)
            | ModelRecord::AnswersCompared(_)
            | ModelRecord::FiguresCompared(_)
            | ModelRecord::AnswerGaps(_)
            | ModelRecord::AnswerNoList(_)
            | ModelRecord::AnswerReflected(_)
            | ModelRecord::TaskRead(_) => {}
        }
    }

    /// What a model said next, as its step kept it.
    pub(super) fn replied(&self) -> Option<Result<Value, StepFailed>> {
        locked(&self.replies).pop_front()
    }

    pub(super) fn halted(&self) -> Option<Halt> {
        locked(&self.halts).pop_front()
    }

    pub(super) fn reversal(&self) -> Value {
        self.reversal.clone()
    }

    pub(super) fn claimed(&self) -> Claim {
        match &self.taken_by {
            Some(session) => Claim::Theirs { session: session.clone() },
            None => Claim::Ours,
        }
    }
}

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn fetch(archive: &Archive, hash: BlobHash) -> Result<Option<Value>, EngineError> {
    fetch_as(archive, hash).await
}

async fn fetch_as<T: DeserializeOwned>(archive: &Archive, hash: BlobHash) -> Result<Option<T>, EngineError> {
    Ok(archive.blobs.get(hash).await?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

/// The result of a call, as the journal records it. `None`: its answer is gone.
async fn called(archive: &Archive, result: &CallResult) -> Result<Option<Called>, EngineError> {
    let text = |text: &Redacted| Untrusted::new(text.to_string());
    Ok(match result {
        CallResult::Answered(Some(hash)) => {
            fetch(archive, *hash).await?.map(|value| Called::Answered(value.into()))
        }
        CallResult::Asked(hash) => fetch_as(archive, *hash).await?.map(Called::Asked),
        CallResult::Refused { code, message } => {
            let message = message.as_ref().map(text).unwrap_or_default();
            Some(Called::Refused { code: code.as_ref().map(text), message })
        }
        CallResult::NotSent(reason) => Some(Called::NotSent { reason: text(reason) }),
        CallResult::Lost(reason) => Some(Called::Lost { reason: text(reason) }),
        // The answer was too large to be kept.
        CallResult::Answered(None) => Some(Called::Lost { reason: "".into() }),
    })
}

fn halt(note: &HaltNote) -> Option<Halt> {
    let HaltNote { process, by, reason, at } = note;
    let process = process.as_ref().map(ToString::to_string);
    Some(Halt { process, by: PersonId::parse(by.as_str()).ok()?, reason: reason.to_string(), at: *at })
}

impl Tools for Tape {
    fn list<'a>(&'a self, _: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>> {
        let listed = match &self.tools {
            Some(tools) => Ok(Listing { tools: tools.clone(), left_out: self.left_out.clone() }),
            None => Err(ToolsDown { reason: "the journal lists no tools".to_owned() }),
        };
        Box::pin(std::future::ready(listed))
    }

    fn check(&self, definition: &Definition, arguments: &Values) -> Result<(), BadArguments> {
        // A read that did not fit was not sent, and the tape says so. What a model proposed is looked up.
        if self.unfit.is_empty() {
            return Ok(());
        }
        let digest = Digest::of(Json::Record(arguments.clone()).to_wire().as_bytes());
        let tool = definition.name.as_str();
        match self.unfit.iter().find(|(name, given, _)| name == tool && *given == digest) {
            Some((_, _, why)) => {
                let said = why.split_once(": ").map_or(why.as_str(), |(_, said)| said);
                Err(BadArguments { tool: definition.name.clone(), complaints: vec![said.to_owned()] })
            }
            None => Ok(()),
        }
    }

    fn misfits(&self, _: &Value, _: &Value) -> Vec<String> {
        // What did not fit of a tool's answer is told as the answer; only of a person's it is told beside it.
        locked(&self.misfits).pop_front().unwrap_or_default()
    }

    fn still<'a>(&'a self, _: &'a ToolsAt, seen: &'a Definition) -> BoxFuture<'a, Still> {
        let read = self.reads_taped.saturating_sub(locked(&self.reads).len());
        let changed = self
            .changed
            .iter()
            .find(|changed| changed.reads_before <= read && changed.tool == seen.name.as_str());
        let still = changed.map_or(Still::Same, |changed| Still::Changed { what: changed.why.clone() });
        Box::pin(std::future::ready(still))
    }

    fn call<'a>(&'a self, _: &'a ToolsAt, pass: Pass, _: CallOptions) -> BoxFuture<'a, Called> {
        let tape = if pass.operation().is_some() { &self.writes } else { &self.reads };
        let ended = || Called::Lost { reason: "the journal ends here".into() };
        Box::pin(std::future::ready(locked(tape).pop_front().unwrap_or_else(ended)))
    }
}

impl Memory for Tape {
    // The brief is not made again: what a model said to it is on the tape.
    fn recall<'a>(&'a self, _: &'a str, _: usize) -> BoxFuture<'a, Result<Vec<Ranked>, EngineError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn log(&self, _: usize) -> BoxFuture<'_, Result<Vec<Logged>, EngineError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn tallies<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<Tally>, EngineError>> {
        Box::pin(std::future::ready(Ok(self.tallies.clone())))
    }

    fn facts<'a>(&'a self, _: &'a Entity, _: usize) -> BoxFuture<'a, Result<Vec<Fact>, EngineError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn checks<'a>(&'a self, _: &'a str, _: usize) -> BoxFuture<'a, Result<Vec<Check>, EngineError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    fn history<'a>(
        &'a self,
        _: &'a Entity,
        _: Whose,
        _: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        Box::pin(std::future::ready(Ok(self.history.clone())))
    }
}

impl Clock for Tape {
    fn now(&self) -> Timestamp {
        self.began
    }
}

impl Pause for Tape {
    fn pause(&self, _: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::ready(()))
    }
}

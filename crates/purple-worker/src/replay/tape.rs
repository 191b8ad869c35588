//! What the outside world said in one turn, by its journal: tools, halts, business keys, earlier cases.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use purple_process::{Digest, Effect, Json, Pass, SessionId, Values};
use serde_json::{Value, json};

use super::{Archive, NoReplay};
use crate::learn::bandit::Tally;
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
        let data = &recorded.entry.data;
        let unreadable = || NoReplay::Unreadable { run: run.clone(), seq: recorded.seq };
        match recorded.entry.kind.as_str() {
            "tool.read" | "approval.channel" => {
                let called = called(archive, data.get("result")).await?.ok_or_else(unreadable)?;
                locked(&self.reads).push_back(called);
                self.reads_taped += 1;
            }
            "tool.quarantined" if data.get("by").and_then(Value::as_str) == Some("drift") => {
                let (tool, why) = (words(data.get("tool")), words(data.get("why")));
                self.changed.push(Changed { reads_before: self.reads_taped, tool, why });
            }
            "write.outcome" => {
                let called = called(archive, data.get("called")).await?.ok_or_else(unreadable)?;
                locked(&self.writes).push_back(called);
            }
            "tool.answer_refused" => {
                let misfits = data.get("misfits").cloned().unwrap_or_default();
                let misfits = serde_json::from_value(misfits).map_err(|_| unreadable())?;
                locked(&self.misfits).push_back(misfits);
            }
            "model.replied" => {
                let field = |name: &str| data.get(name).cloned().unwrap_or_default();
                let kept =
                    json!({"reply": field("reply"), "took_ms": field("took_ms"), "cost": field("cost")});
                locked(&self.replies).push_back(Ok(kept));
            }
            "model.failed" => {
                let reason = data.get("error").cloned().unwrap_or_default().to_string();
                locked(&self.replies).push_back(Err(StepFailed { reason }));
            }
            "model.refused" => {
                let digest = data.get("arguments").and_then(|one| serde_json::from_value(one.clone()).ok());
                if let Some(digest) = digest {
                    self.unfit.push((words(data.get("tool")), digest, words(data.get("why"))));
                }
            }
            "catalogue.pinned" => {
                let hash = data.get("catalogue").and_then(hash).ok_or_else(unreadable)?;
                let tools = fetch(archive, hash).await?.ok_or_else(unreadable)?;
                self.tools = serde_json::from_value(tools).ok();
                let left_out = data.get("left_out").cloned().unwrap_or_default();
                self.left_out = serde_json::from_value(left_out).unwrap_or_default();
            }
            "halt.seen" => {
                let halt = data.get("halt").cloned().and_then(|halt| serde_json::from_value(halt).ok());
                locked(&self.halts).push_back(halt.ok_or_else(unreadable)?);
            }
            "business_key.taken" => {
                self.taken_by =
                    data.get("by").and_then(Value::as_str).and_then(|by| SessionId::parse(by).ok());
            }
            "strategy.chosen" => {
                let tallies = data.get("tallies").cloned().unwrap_or_default();
                self.tallies = serde_json::from_value(tallies).map_err(|_| unreadable())?;
            }
            "history.seen" => {
                if let Some(hash) = data.get("history").and_then(hash) {
                    let history = fetch(archive, hash).await?.ok_or_else(unreadable)?;
                    self.history = serde_json::from_value(history).map_err(|_| unreadable())?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What a model said next, as its step kept it.
    pub(super) fn replied(&self) -> Option<Result<Value, StepFailed>> {
        locked(&self.replies).pop_front()
    }

    pub(super) fn halted(&self) -> Option<Halt> {
        locked(&self.halts).pop_front()
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

fn hash(value: &Value) -> Option<BlobHash> {
    serde_json::from_value(value.clone()).ok()
}

async fn fetch(archive: &Archive, hash: BlobHash) -> Result<Option<Value>, EngineError> {
    Ok(archive.blobs.get(hash).await?.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
}

fn words(value: Option<&Value>) -> String {
    value.and_then(Value::as_str).unwrap_or_default().to_owned()
}

/// What became of a call, as the journal tells it. `None`: its answer is gone.
async fn called(archive: &Archive, told: Option<&Value>) -> Result<Option<Called>, EngineError> {
    let told = told.unwrap_or(&Value::Null);
    match told.get("answered").and_then(hash) {
        Some(hash) => Ok(fetch(archive, hash).await?.map(Called::Answered)),
        None => match told.get("asked").and_then(hash) {
            Some(hash) => {
                let asked = fetch(archive, hash).await?;
                Ok(asked.and_then(|asked| serde_json::from_value(asked).ok()).map(Called::Asked))
            }
            None => Ok(Some(failed(told))),
        },
    }
}

fn failed(result: &Value) -> Called {
    if let Some(refused) = result.get("refused") {
        let code = refused.get("code").and_then(Value::as_str).map(str::to_owned);
        return Called::Refused { code, message: words(refused.get("message")) };
    }
    match result.get("not_sent") {
        Some(reason) => Called::NotSent { reason: words(Some(reason)) },
        None => Called::Lost { reason: words(result.get("lost")) },
    }
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
        let tape = match pass.call().effect() {
            Effect::Write | Effect::Notify => &self.writes,
            Effect::Read | Effect::Compute | Effect::Approval => &self.reads,
        };
        let ended = || Called::Lost { reason: "the journal ends here".to_owned() };
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

//! The trace of a run that is under way: what each record adds to it.

use jiff::Timestamp;
use purple_journal::record::approval::Approval;
use purple_journal::record::plan::Plan;
use purple_journal::record::process::Process;
use purple_journal::record::tool::{Read, Tool};
use purple_journal::record::write::{Intent, Write};
use purple_journal::word::{CallResult, Outcome};
use purple_port::{Placed, SessionId, State};

use crate::span::{Kind, Span, SpanId, TraceId};

/// A stretch of work that is under way.
#[derive(Debug)]
pub(crate) struct Open {
    pub(crate) trace: TraceId,
    pub(crate) root: SpanId,
    /// The request that it is done for.
    pub(crate) parent: Option<SpanId>,
    pub(crate) began: Timestamp,
    pub(crate) link: Option<(TraceId, SpanId)>,
    pub(crate) process: Option<String>,
    pub(crate) state: Option<(State, SpanId, Timestamp)>,
    pub(crate) operation: Option<Operation>,
}

/// An operation whose intent was recorded.
#[derive(Debug)]
pub(crate) struct Operation {
    intent: Intent,
    began: Timestamp,
    answered: Option<Timestamp>,
}

/// The place and time of a record.
#[derive(Clone, Copy)]
pub(crate) struct At<'a> {
    pub(crate) session: &'a SessionId,
    place: i64,
    pub(crate) time: Timestamp,
}

impl<'a> At<'a> {
    pub(crate) fn of(placed: &'a Placed) -> Self {
        Self { session: &placed.session, place: placed.place, time: placed.entry.at }
    }

    /// The id of a span that this record makes.
    fn id(&self, what: &str) -> SpanId {
        SpanId::of(&format!("{}:{}:{what}", self.session, self.place))
    }

    fn now(&self) -> (Timestamp, Timestamp) {
        (self.time, self.time)
    }
}

impl Open {
    pub(crate) fn process(&mut self, process: &Process) -> Vec<Span> {
        match process {
            Process::Chosen(chosen) => self.process = Some(chosen.process.to_string()),
            Process::Pointed(_)
            | Process::DefinitionsKnown(_)
            | Process::Synthesized(_)
            | Process::SynthesisFailed(_) => {}
        }
        Vec::new()
    }

    pub(crate) fn tool(&self, at: At<'_>, tool: &Tool) -> Vec<Span> {
        match tool {
            Tool::Read(read) => vec![self.read(at, read)],
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
            | Tool::FunctionQuarantined(_) => Vec::new(),
        }
    }

    fn read(&self, at: At<'_>, read: &Read) -> Span {
        let tool = read.tool.to_string();
        let name = format!("execute_tool {tool}");
        let attributes =
            vec![("gen_ai.operation.name", "execute_tool".to_owned()), ("gen_ai.tool.name", tool)];
        let mut span = self.span(at.id("read"), name, at.now(), attributes);
        span.error = match read.result {
            CallResult::Answered(_) => None,
            CallResult::Refused { .. }
            | CallResult::Asked(_)
            | CallResult::NotSent(_)
            | CallResult::Lost(_) => Some("tool_error".to_owned()),
        };
        if let Some((_, state, _)) = &self.state {
            span.parent = Some(state.clone());
        }
        span
    }

    pub(crate) fn plan(&self, at: At<'_>, plan: &Plan) -> Vec<Span> {
        match plan {
            Plan::PolicyVerdict(verdict) => {
                let rule = verdict.rule.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
                let attributes = vec![
                    ("purple.policy.rule", rule),
                    ("purple.policy.outcome", verdict.leads_to.to_string()),
                ];
                let name = format!("purple.policy {}", verdict.process);
                vec![self.span(at.id("policy"), name, at.now(), attributes)]
            }
            Plan::Figures(_)
            | Plan::Calculation(_)
            | Plan::Made(_)
            | Plan::Expired(_)
            | Plan::Stale(_)
            | Plan::KeyClaimed(_)
            | Plan::KeyTaken(_)
            | Plan::KeyReleased(_) => Vec::new(),
        }
    }

    pub(crate) fn approval(&self, at: At<'_>, approval: &Approval) -> Vec<Span> {
        let (what, plan) = match approval {
            Approval::Asked(asked) => ("asked", asked.plan),
            Approval::Decided(decided) => ("decided", decided.plan),
            Approval::Expired(expired) => ("expired", expired.plan),
            Approval::HistorySeen(_)
            | Approval::Granted(_)
            | Approval::Refused(_)
            | Approval::Superseded(_)
            | Approval::Edited(_)
            | Approval::NotTaken(_)
            | Approval::EditNotTaken(_)
            | Approval::ChannelAsked(_) => return Vec::new(),
        };
        let attributes =
            vec![("purple.approval.event", what.to_owned()), ("purple.plan.hash", plan.to_string())];
        vec![self.span(at.id("approval"), "purple.approval".to_owned(), at.now(), attributes)]
    }

    pub(crate) fn write(&mut self, at: At<'_>, write: &Write) -> Vec<Span> {
        match write {
            Write::Intent(intent) => {
                self.operation = Some(Operation { intent: intent.clone(), began: at.time, answered: None });
                Vec::new()
            }
            Write::CallEnded(_) => {
                if let Some(operation) = &mut self.operation {
                    operation.answered = Some(at.time);
                }
                Vec::new()
            }
            Write::Verified(verified) => self.verified(at, verified.outcome),
            Write::Withheld(_)
            | Write::PutOff(_)
            | Write::InDoubt(_)
            | Write::Settled(_)
            | Write::SettleNotTaken(_)
            | Write::NoticeHeld(_)
            | Write::UndoAsked(_)
            | Write::UndoNotTaken(_)
            | Write::HaltSeen(_) => Vec::new(),
        }
    }

    /// An operation that was sent, answered and read back.
    fn verified(&mut self, at: At<'_>, outcome: Outcome) -> Vec<Span> {
        let Some(Operation { intent, began, answered }) = self.operation.take() else { return Vec::new() };
        let answered = answered.unwrap_or(at.time);
        let (step, tool) = (intent.step.to_string(), intent.tool.to_string());
        let mutate = self.span(
            at.id("mutate"),
            format!("purple.mutate {step}"),
            (began, answered),
            vec![
                ("purple.op.id", step.clone()),
                ("purple.plan.hash", intent.plan.to_string()),
                ("purple.idempotency_key", intent.key.to_string()),
            ],
        );
        let mut call = self.span(
            at.id("call"),
            format!("execute_tool {tool}"),
            (began, answered),
            vec![("gen_ai.operation.name", "execute_tool".to_owned()), ("gen_ai.tool.name", tool)],
        );
        call.parent = Some(mutate.id.clone());
        let verify = self.read_back(at, answered, step, outcome);
        vec![call, mutate, verify]
    }

    fn read_back(&self, at: At<'_>, from: Timestamp, step: String, outcome: Outcome) -> Span {
        let seen = match outcome {
            Outcome::Verified => "equal",
            Outcome::Mismatch => "mismatch",
            Outcome::InDoubt | Outcome::Unverifiable | Outcome::Absent => "unknown",
        };
        let name = format!("purple.verify {step}");
        let attributes = vec![("purple.op.id", step), ("purple.verify.outcome", seen.to_owned())];
        let mut span = self.span(at.id("verify"), name, (from, at.time), attributes);
        span.error = (outcome == Outcome::Mismatch).then(|| "mismatch".to_owned());
        span
    }

    /// The run enters a state; the one before it is complete.
    pub(crate) fn enter(&mut self, at: At<'_>, state: State) -> Vec<Span> {
        let left = self.leave(at);
        self.state = Some((state, at.id("state"), at.time));
        left.into_iter().collect()
    }

    /// The state that is left.
    pub(crate) fn leave(&mut self, at: At<'_>) -> Option<Span> {
        let (state, id, began) = self.state.take()?;
        let attributes = vec![("purple.state", state.to_string()), ("purple.run.id", at.session.to_string())];
        Some(self.span(id, format!("purple.state {state}"), (began, at.time), attributes))
    }

    fn span(
        &self,
        id: SpanId,
        name: String,
        (began, ended): (Timestamp, Timestamp),
        attributes: Vec<(&'static str, String)>,
    ) -> Span {
        let (trace, parent) = (self.trace.clone(), Some(self.root.clone()));
        let kind = Kind::Internal;
        Span { trace, id, parent, kind, name, began, ended, attributes, error: None, link: None }
    }
}

//! Makes spans of journal entries, in their order. Pure.

use std::collections::BTreeMap;

use purple_journal::Record;
use purple_journal::record::run::{Ended, Run};
use purple_journal::record::turn::Turn;
use purple_port::{Ending, Placed, SessionId};

use crate::open::{At, Open};
use crate::requests::Requests;
use crate::span::{Kind, Span, SpanId, TraceId};

/// The most runs whose traces are open at a time; the first ones are forgotten beyond it.
const OPEN_RUNS_MAX: usize = 10_000;

/// What is under way in all runs.
#[derive(Debug, Default)]
pub(crate) struct Weaver {
    open: BTreeMap<SessionId, Open>,
    /// The last trace of runs that wait.
    paused: BTreeMap<SessionId, (TraceId, SpanId)>,
    requests: Requests,
}

impl Weaver {
    /// Weaves what these requests lead to under them.
    pub(crate) fn under(requests: Requests) -> Self {
        Self { requests, ..Self::default() }
    }

    /// What one entry completes.
    pub(crate) fn weave(&mut self, placed: &Placed) -> Vec<Span> {
        let at = At::of(placed);
        if let Record::Turn(turn) = &placed.entry.record {
            self.turn(placed, turn);
        }
        let Some(open) = self.open.get_mut(at.session) else { return Vec::new() };
        match &placed.entry.record {
            Record::Process(process) => open.process(process),
            Record::Tool(tool) => open.tool(at, tool),
            Record::Plan(plan) => open.plan(at, plan),
            Record::Approval(approval) => open.approval(at, approval),
            Record::Write(write) => open.write(at, write),
            Record::Run(run) => self.run(at, run),
            Record::Turn(_)
            | Record::Task(_)
            | Record::Model(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => Vec::new(),
        }
    }

    fn turn(&mut self, placed: &Placed, turn: &Turn) {
        match turn {
            Turn::Began(_) if !self.open.contains_key(&placed.session) => self.begin(placed),
            Turn::Began(_)
            | Turn::Version(_)
            | Turn::Ended(_)
            | Turn::EventIgnored(_)
            | Turn::Stuck(_)
            | Turn::Retried(_)
            | Turn::Skipped(_) => {}
        }
    }

    fn run(&mut self, at: At<'_>, run: &Run) -> Vec<Span> {
        match run {
            Run::StateEntered(entered) => {
                self.open.get_mut(at.session).map(|open| open.enter(at, entered.to)).unwrap_or_default()
            }
            Run::Answered(answered) => self.end(at, &answered.clone().into(), false),
            Run::Ended(ended) => self.end(at, ended, true),
            Run::Failed(_)
            | Run::Stopped(_)
            | Run::Cancelled(_)
            | Run::CancelNotTaken(_)
            | Run::Rescored(_) => Vec::new(),
        }
    }

    fn begin(&mut self, placed: &Placed) {
        let story = format!("{}:{}", placed.session, placed.place);
        let (trace, parent) = match self.requests.lead(&placed.session, placed.entry.at) {
            Some((trace, request)) => (trace, Some(request)),
            None => (TraceId::of(&story), None),
        };
        let open = Open {
            trace,
            root: SpanId::of(&story),
            parent,
            began: placed.entry.at,
            link: self.paused.remove(&placed.session),
            process: None,
            state: None,
            operation: None,
        };
        if self.open.len() >= OPEN_RUNS_MAX {
            self.open.pop_first();
        }
        self.open.insert(placed.session.clone(), open);
    }

    /// The run waits or is over: the trace is complete.
    fn end(&mut self, at: At<'_>, ended: &Ended, is_over: bool) -> Vec<Span> {
        let session = at.session;
        let Some(mut open) = self.open.remove(session) else { return Vec::new() };
        // Messages that arrived while it worked have no trace of their own.
        self.requests.forget(session, at.time);
        let mut spans: Vec<Span> = open.leave(at).into_iter().collect();
        let process = open.process.clone().unwrap_or_else(|| "none".to_owned());
        let mut attributes = vec![
            ("gen_ai.operation.name", "invoke_workflow".to_owned()),
            ("gen_ai.workflow.name", process.clone()),
            ("gen_ai.conversation.id", session.to_string()),
            ("purple.run.id", session.to_string()),
        ];
        if is_over {
            let ending = ended.ending.map_or_else(|| "none".to_owned(), |ending| ending.to_string());
            attributes.push(("purple.ending", ending));
        } else {
            self.pause(session, &open);
        }
        spans.push(Span {
            trace: open.trace,
            id: open.root,
            parent: open.parent,
            kind: Kind::Internal,
            name: format!("invoke_workflow {process}"),
            began: open.began,
            ended: at.time,
            attributes,
            error: error(ended),
            link: open.link,
        });
        spans
    }

    /// Remembers the trace, so that the next one of this run links to it.
    fn pause(&mut self, session: &SessionId, open: &Open) {
        if self.paused.len() >= OPEN_RUNS_MAX {
            self.paused.pop_first();
        }
        self.paused.insert(session.clone(), (open.trace.clone(), open.root.clone()));
    }
}

/// The kind of the error that a run ended with.
fn error(ended: &Ended) -> Option<String> {
    let has_failed = ended.ending == Some(Ending::Failed);
    has_failed.then(|| ended.code.as_ref().map_or_else(|| "failed".to_owned(), ToString::to_string))
}

#[cfg(test)]
#[path = "weave_tests.rs"]
mod tests;

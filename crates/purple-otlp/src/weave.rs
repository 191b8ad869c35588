//! Makes spans of journal entries, in their order. Pure.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_worker::port::{Placed, SessionId};
use serde_json::Value;

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

/// A stretch of work that is under way.
#[derive(Debug)]
struct Open {
    trace: TraceId,
    root: SpanId,
    /// The request that it is done for.
    parent: Option<SpanId>,
    began: Timestamp,
    link: Option<(TraceId, SpanId)>,
    process: Option<String>,
    state: Option<(String, SpanId, Timestamp)>,
    write: Option<Write>,
}

/// An operation that was announced.
#[derive(Debug)]
struct Write {
    step: String,
    tool: String,
    key: String,
    plan: String,
    began: Timestamp,
    answered: Option<Timestamp>,
}

impl Weaver {
    /// Weaves what these requests lead to under them.
    pub(crate) fn under(requests: Requests) -> Self {
        Self { requests, ..Self::default() }
    }

    /// What one entry completes.
    pub(crate) fn weave(&mut self, placed: &Placed) -> Vec<Span> {
        let (entry, session) = (&placed.entry, &placed.session);
        let at = entry.at;
        if entry.kind == "turn.began" && !self.open.contains_key(session) {
            self.begin(placed);
        }
        let Some(open) = self.open.get_mut(session) else { return Vec::new() };
        let name = |field: &str| word(&entry.data[field]);
        let id = |what: &str| SpanId::of(&format!("{session}:{}:{what}", placed.place));
        match entry.kind.as_str() {
            "process.chosen" => {
                open.process = Some(name("process"));
                Vec::new()
            }
            "state.entered" => {
                let left = open.leave(session, at);
                open.state = Some((name("to"), id("state"), at));
                left.into_iter().collect()
            }
            "tool.read" => {
                let failed = entry.data["result"].get("answered").is_none().then(|| "tool_error".to_owned());
                let attributes = vec![
                    ("gen_ai.operation.name", "execute_tool".to_owned()),
                    ("gen_ai.tool.name", name("tool")),
                ];
                let mut span =
                    open.span(id("read"), format!("execute_tool {}", name("tool")), (at, at), attributes);
                span.error = failed;
                if let Some((_, state, _)) = &open.state {
                    span.parent = Some(state.clone());
                }
                vec![span]
            }
            "policy.verdict" => {
                let attributes =
                    vec![("purple.policy.rule", name("rule")), ("purple.policy.outcome", name("leads_to"))];
                vec![open.span(
                    id("policy"),
                    format!("purple.policy {}", name("process")),
                    (at, at),
                    attributes,
                )]
            }
            kind @ ("approval.asked" | "approval.decided" | "approval.expired") => {
                let what = kind.trim_start_matches("approval.").to_owned();
                let attributes = vec![("purple.approval.event", what), ("purple.plan.hash", name("plan"))];
                vec![open.span(id("approval"), "purple.approval".to_owned(), (at, at), attributes)]
            }
            "write.intent" => {
                let (step, tool, key, plan) = (name("step"), name("tool"), name("key"), name("plan"));
                open.write = Some(Write { step, tool, key, plan, began: at, answered: None });
                Vec::new()
            }
            "write.outcome" => {
                if let Some(write) = &mut open.write {
                    write.answered = Some(at);
                }
                Vec::new()
            }
            "write.verified" => open.written(&id, &name("outcome"), at),
            "run.answered" | "run.ended" => {
                let ended = entry.kind == "run.ended";
                self.end(session, at, &entry.data, ended)
            }
            _ => Vec::new(),
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
            write: None,
        };
        if self.open.len() >= OPEN_RUNS_MAX {
            self.open.pop_first();
        }
        self.open.insert(placed.session.clone(), open);
    }

    /// The run stands still: the trace is whole.
    fn end(&mut self, session: &SessionId, at: Timestamp, data: &Value, ended: bool) -> Vec<Span> {
        let Some(mut open) = self.open.remove(session) else { return Vec::new() };
        // Words that came while it worked led to nothing of their own.
        self.requests.forget(session, at);
        let mut spans: Vec<Span> = open.leave(session, at).into_iter().collect();
        let process = open.process.clone().unwrap_or_else(|| "none".to_owned());
        let mut attributes = vec![
            ("gen_ai.operation.name", "invoke_workflow".to_owned()),
            ("gen_ai.workflow.name", process.clone()),
            ("gen_ai.conversation.id", session.to_string()),
            ("purple.run.id", session.to_string()),
        ];
        let ending = word(&data["ending"]);
        if ended {
            attributes.push(("purple.ending", ending.clone()));
        } else {
            if self.paused.len() >= OPEN_RUNS_MAX {
                self.paused.pop_first();
            }
            self.paused.insert(session.clone(), (open.trace.clone(), open.root.clone()));
        }
        spans.push(Span {
            trace: open.trace,
            id: open.root,
            parent: open.parent,
            kind: Kind::Internal,
            name: format!("invoke_workflow {process}"),
            began: open.began,
            ended: at,
            attributes,
            error: (ending == "failed").then(|| data["code"].as_str().unwrap_or("failed").to_owned()),
            link: open.link,
        });
        spans
    }
}

impl Open {
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

    /// The state that is left.
    fn leave(&mut self, session: &SessionId, at: Timestamp) -> Option<Span> {
        let (state, id, began) = self.state.take()?;
        let attributes = vec![("purple.state", state.clone()), ("purple.run.id", session.to_string())];
        Some(self.span(id, format!("purple.state {state}"), (began, at), attributes))
    }

    /// An operation that was announced, answered and read back.
    fn written(&mut self, id: &dyn Fn(&str) -> SpanId, outcome: &str, at: Timestamp) -> Vec<Span> {
        let Some(write) = self.write.take() else { return Vec::new() };
        let answered = write.answered.unwrap_or(at);
        let seen = match outcome {
            "verified" => "equal",
            "mismatch" => "mismatch",
            _ => "unknown",
        };
        let mutate = self.span(
            id("mutate"),
            format!("purple.mutate {}", write.step),
            (write.began, answered),
            vec![
                ("purple.op.id", write.step.clone()),
                ("purple.plan.hash", write.plan),
                ("purple.idempotency_key", write.key),
            ],
        );
        let mut call = self.span(
            id("call"),
            format!("execute_tool {}", write.tool),
            (write.began, answered),
            vec![("gen_ai.operation.name", "execute_tool".to_owned()), ("gen_ai.tool.name", write.tool)],
        );
        call.parent = Some(mutate.id.clone());
        let mut verify = self.span(
            id("verify"),
            format!("purple.verify {}", write.step),
            (answered, at),
            vec![("purple.op.id", write.step), ("purple.verify.outcome", seen.to_owned())],
        );
        verify.error = (seen == "mismatch").then(|| "mismatch".to_owned());
        vec![call, mutate, verify]
    }
}

fn word(value: &Value) -> String {
    value.as_str().map_or_else(|| "none".to_owned(), str::to_owned)
}

#[cfg(test)]
#[path = "weave_tests.rs"]
mod tests;

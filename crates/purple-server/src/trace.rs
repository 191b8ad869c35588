//! Where a request stands in its caller's trace (W3C Trace Context), and what is told of it when it was served.

use std::sync::Arc;

use axum::http::HeaderMap;
use jiff::Timestamp;
use purple_port::{Digest, SessionId};

use crate::a2a::fault::Fault;
use crate::a2a::model::{Operation, Push, Task};
use crate::a2a::rpc::Reply;
use crate::a2a::v1;
use crate::ids::IdMaker;

/// A place in a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanContext {
    /// The trace: 32 hexadecimal digits, not all zero.
    pub trace: String,
    /// The span in it: 16 hexadecimal digits, not all zero.
    pub span: String,
}

impl SpanContext {
    /// Reads a `traceparent`. What is not one is nothing: a caller's mistake about traces stops no request.
    pub fn parse(traceparent: &str) -> Option<Self> {
        let mut parts = traceparent.trim().split('-');
        let (version, trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let known = is_hex(version, 2) && version != "ff";
        // Version 00 has four parts; a later one may have more.
        let whole = version != "00" || parts.next().is_none();
        let given = |text: &str, digits| is_hex(text, digits) && text.bytes().any(|digit| digit != b'0');
        (known && whole && given(trace, 32) && given(span, 16) && is_hex(flags, 2))
            .then(|| Self { trace: trace.to_owned(), span: span.to_owned() })
    }
}

fn is_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
}

/// A request that was served, for a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestSpan {
    /// Its own place.
    pub at: SpanContext,
    /// The caller's span that it belongs to, if the caller said so.
    pub parent: Option<String>,
    /// When it came.
    pub began: Timestamp,
    /// When it was answered. A stream is answered when it begins.
    pub ended: Timestamp,
    /// What was asked for, by the name of version 1.0.
    pub method: &'static str,
    /// The message, where it has an id.
    pub message: Option<String>,
    /// The task.
    pub task: Option<String>,
    /// The context of the task.
    pub conversation: Option<String>,
    /// Where the task stands.
    pub state: Option<&'static str>,
    /// Why it was refused, if it was.
    pub error: Option<&'static str>,
}

/// Hears of requests, for traces.
///
/// # Contract
///
/// It keeps nobody waiting, and bounds what it keeps: whoever was let in decides how often it is called.
pub trait Tracer: Send + Sync {
    /// What a session does next, it does for this request.
    fn leads_to(&self, session: &SessionId, at: Timestamp, request: &SpanContext);

    /// A request was served.
    fn served(&self, request: RequestSpan);
}

/// A request under way whose trace somebody wants.
#[derive(Clone)]
pub(crate) struct Traced {
    tracer: Arc<dyn Tracer>,
    at: SpanContext,
    parent: Option<String>,
    began: Timestamp,
}

impl Traced {
    /// Begins with what the caller says of its own trace. Without randomness there is no trace.
    pub(crate) fn begin(
        tracer: &Arc<dyn Tracer>,
        ids: &dyn IdMaker,
        headers: &HeaderMap,
        began: Timestamp,
    ) -> Option<Self> {
        let mut given = headers.get_all("traceparent").iter();
        // Several of them are none.
        let caller = match (given.next(), given.next()) {
            (Some(one), None) => one.to_str().ok().and_then(SpanContext::parse),
            (Some(_), Some(_)) | (None, _) => None,
        };
        let fresh = Digest::of(ids.fresh().ok()?.as_str().as_bytes()).to_string();
        let digits = fresh.trim_start_matches("sha256:");
        let (trace, span) = (digits.get(..32)?.to_owned(), digits.get(32..48)?.to_owned());
        let (trace, parent) = match caller {
            Some(caller) => (caller.trace, Some(caller.span)),
            None => (trace, None),
        };
        Some(Self { tracer: tracer.clone(), at: SpanContext { trace, span }, parent, began })
    }

    /// Says that a session works for this request now.
    pub(crate) fn leads_to(&self, session: &SessionId, now: Timestamp) {
        self.tracer.leads_to(session, now, &self.at);
    }

    /// Tells how it went.
    pub(crate) fn served(self, about: About, came: Came<'_>, ended: Timestamp) {
        let Self { tracer, at, parent, began } = self;
        let About { method, message, task } = about;
        let mut span = RequestSpan {
            at,
            parent,
            began,
            ended: ended.max(began),
            method,
            message,
            task,
            conversation: None,
            state: None,
            error: None,
        };
        match came {
            Came::Reply(Reply::Sent(task) | Reply::Task(task)) => {
                let Task { id, context, status, .. } = task;
                span.task = Some(id.clone());
                span.conversation = Some(context.clone());
                span.state = Some(v1::state(status.state));
            }
            Came::Reply(_) => {}
            Came::Stream { task, conversation } => {
                span.task = Some(task.to_owned());
                span.conversation = Some(conversation.to_string());
            }
            Came::Fault(fault) => span.error = Some(fault.reason()),
        }
        tracer.served(span);
    }
}

/// What came of a request.
pub(crate) enum Came<'a> {
    Reply(&'a Reply),
    Stream { task: &'a str, conversation: &'a SessionId },
    Fault(&'a Fault),
}

/// What a request is about, before it is served.
pub(crate) struct About {
    method: &'static str,
    message: Option<String>,
    task: Option<String>,
}

impl About {
    pub(crate) fn of(operation: &Operation) -> Self {
        let (method, message, task) = match operation {
            Operation::Send(send) => ("SendMessage", send.message_id.clone(), send.task.clone()),
            Operation::Stream(send) => ("SendStreamingMessage", send.message_id.clone(), send.task.clone()),
            Operation::Get { id, .. } => ("GetTask", None, Some(id.clone())),
            Operation::List(_) => ("ListTasks", None, None),
            Operation::Cancel { id } => ("CancelTask", None, Some(id.clone())),
            Operation::Subscribe { id } => ("SubscribeToTask", None, Some(id.clone())),
            Operation::Push(push) => match push {
                Push::Set { task, .. } => ("CreateTaskPushNotificationConfig", None, Some(task.clone())),
                Push::Get { task, .. } => ("GetTaskPushNotificationConfig", None, Some(task.clone())),
                Push::List { task } => ("ListTaskPushNotificationConfigs", None, Some(task.clone())),
                Push::Delete { task, .. } => ("DeleteTaskPushNotificationConfig", None, Some(task.clone())),
            },
            Operation::ExtendedCard => ("GetExtendedAgentCard", None, None),
        };
        Self { method, message, task }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_traceparent_is_taken_up() {
        let (trace, span) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
        let good = Some(SpanContext { trace: trace.to_owned(), span: span.to_owned() });
        for text in [format!("00-{trace}-{span}-01"), format!(" cc-{trace}-{span}-00-what-is-new")] {
            assert_eq!(SpanContext::parse(&text), good, "{text}");
        }
        let zero = |digits| "0".repeat(digits);
        for text in [
            String::new(),
            format!("00-{trace}-{span}"),
            format!("00-{trace}-{span}-01-more"),
            format!("ff-{trace}-{span}-01"),
            format!("0-{trace}-{span}-01"),
            format!("00-{}-{span}-01", zero(32)),
            format!("00-{trace}-{}-01", zero(16)),
            format!("00-{}-{span}-01", trace.to_uppercase()),
            format!("00-{trace}x-{span}-01"),
            format!("00-{trace}-{span}-0g"),
            "x".repeat(100_000),
        ] {
            assert_eq!(SpanContext::parse(&text), None, "{text}");
        }
    }
}

//! Requests from outside: each one is a span of its own, and the runs that it leads to are woven under it.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use purple_port::SessionId;

use crate::span::{Kind, Span, SpanId, TraceId};

/// The most requests that wait to be sent; beyond it the first ones are dropped.
const WAITING_MAX: usize = 4_096;
/// The most sessions of which it is known for whom they work next.
const LEADS_MAX: usize = 10_000;
/// The most requests that are remembered for one session.
const LEADS_OF_ONE_MAX: usize = 8;

/// A request that was served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// Its trace: 32 hexadecimal digits.
    pub trace: String,
    /// Its span: 16 hexadecimal digits.
    pub span: String,
    /// The caller's span, if there is one.
    pub parent: Option<String>,
    /// When it came.
    pub began: Timestamp,
    /// When it was answered.
    pub ended: Timestamp,
    /// What was asked for; a name out of few.
    pub method: &'static str,
    /// What else is known of it, by the names of the conventions.
    pub attributes: Vec<(&'static str, String)>,
    /// The kind of the error, if it was refused.
    pub error: Option<&'static str>,
}

/// Where requests are told of. Clones are handles of the same place.
#[derive(Clone, Debug, Default)]
pub struct Requests(Arc<Mutex<Inner>>);

#[derive(Debug, Default)]
struct Inner {
    waiting: VecDeque<Request>,
    leads: BTreeMap<SessionId, VecDeque<Lead>>,
}

/// A request for which a session works from a moment on.
#[derive(Debug)]
struct Lead {
    at: Timestamp,
    trace: TraceId,
    span: SpanId,
}

impl Requests {
    /// What a session does from `at` on, it does for the request with this span.
    pub fn leads_to(&self, session: &SessionId, at: Timestamp, trace: &str, span: &str) {
        let mut inner = self.lock();
        if inner.leads.len() >= LEADS_MAX && !inner.leads.contains_key(session) {
            inner.leads.pop_first();
        }
        let of_one = inner.leads.entry(session.clone()).or_default();
        if of_one.len() >= LEADS_OF_ONE_MAX {
            of_one.pop_front();
        }
        of_one.push_back(Lead { at, trace: TraceId(trace.to_owned()), span: SpanId(span.to_owned()) });
    }

    /// A request was served.
    pub fn served(&self, request: Request) {
        let mut inner = self.lock();
        if inner.waiting.len() >= WAITING_MAX {
            inner.waiting.pop_front();
        }
        inner.waiting.push_back(request);
    }

    /// The request for which a session began to work at a moment: the last one before it.
    pub(crate) fn lead(&self, session: &SessionId, began: Timestamp) -> Option<(TraceId, SpanId)> {
        self.until(session, began).pop().map(|lead| (lead.trace, lead.span))
    }

    /// Forgets for whom a session worked until a moment.
    pub(crate) fn forget(&self, session: &SessionId, until: Timestamp) {
        drop(self.until(session, until));
    }

    /// The spans of what was served since the last time.
    pub(crate) fn take(&self) -> Vec<Span> {
        std::mem::take(&mut self.lock().waiting).into_iter().map(span).collect()
    }

    fn until(&self, session: &SessionId, until: Timestamp) -> Vec<Lead> {
        let mut inner = self.lock();
        let Some(of_one) = inner.leads.get_mut(session) else { return Vec::new() };
        let count = of_one.iter().take_while(|lead| lead.at <= until).count();
        let taken = of_one.drain(..count).collect();
        if of_one.is_empty() {
            inner.leads.remove(session);
        }
        taken
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn span(request: Request) -> Span {
    let Request { trace, span, parent, began, ended, method, mut attributes, error } = request;
    attributes.insert(0, ("a2a.method.name", method.to_owned()));
    Span {
        trace: TraceId(trace),
        id: SpanId(span),
        parent: parent.map(SpanId),
        kind: Kind::Server,
        name: method.to_owned(),
        began,
        ended,
        attributes,
        error: error.map(str::to_owned),
        link: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_session_works_for_the_last_request_before_it_began() {
        let (requests, session) = (Requests::default(), SessionId::parse("run_1").unwrap());
        assert_eq!(requests.lead(&session, at(9)), None);
        for second in [1, 2, 5] {
            requests.leads_to(&session, at(second), &second.to_string(), "s");
        }
        let lead = |found: Option<(TraceId, SpanId)>| found.map(|(trace, _)| trace.0);
        assert_eq!(lead(requests.lead(&session, at(3))).as_deref(), Some("2"));
        assert_eq!(requests.lead(&session, at(4)), None, "a request leads to one stretch of work");
        requests.forget(&session, at(5));
        assert_eq!(requests.lead(&session, at(9)), None);
        assert!(requests.lock().leads.is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded() {
        let requests = Requests::default();
        let request = Request {
            trace: "a".repeat(32),
            span: "b".repeat(16),
            parent: None,
            began: at(0),
            ended: at(1),
            method: "GetTask",
            attributes: Vec::new(),
            error: None,
        };
        for number in 0..LEADS_MAX + 10 {
            requests.served(request.clone());
            let session = SessionId::parse(&format!("run_{number}")).unwrap();
            (0..20).for_each(|second| requests.leads_to(&session, at(second), "t", "s"));
        }
        assert_eq!(requests.take().len(), WAITING_MAX);
        assert_eq!(requests.take(), []);
        let inner = requests.lock();
        assert!(inner.leads.len() <= LEADS_MAX);
        assert!(inner.leads.values().all(|of_one| of_one.len() <= LEADS_OF_ONE_MAX));
    }
}

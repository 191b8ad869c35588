//! One read, what is needed around it, and what is remembered of it.

use std::time::Duration;

use purple_process::{Effect, ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::port::{BoxFuture, Called};

use super::call::said;
use super::catalogue::{Catalogue, Known};
use super::drift::{Repair, SchemaFixes};
use super::masked::{Expected, shows_records, unmask};
use super::verify::id_text;

/// The most calls that one read may come to, whatever happens.
pub(crate) const READ_CALLS_MAX: usize = 256;

/// Makes one read through check and gate. It never repeats it.
pub(crate) trait ReadOnce: Send + Sync {
    fn read<'a>(&'a self, tool: &'a Known, arguments: Values) -> BoxFuture<'a, Called>;
}

/// Lets time pass between tries. Reads never sleep by themselves.
pub(crate) trait Wait: Send + Sync {
    fn wait(&self, how_long: Duration) -> BoxFuture<'_, Patience>;
}

/// Whether a read may go on after a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    Waited,
    /// The turn has no time for it.
    OutOfTime,
}

/// Somebody who may know another read; later a model. What they say is checked like anything else.
pub(crate) trait Advice: Send + Sync {
    fn advise<'a>(&'a self, failed: FailedRead<'a>) -> BoxFuture<'a, Option<Suggestion>>;
}

/// What failed, for an adviser.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FailedRead<'a> {
    pub(crate) tool: &'a Known,
    pub(crate) arguments: &'a Values,
    pub(crate) called: &'a Called,
}

/// Another read to try.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Suggestion {
    pub(crate) tool: ToolName,
    pub(crate) arguments: Values,
}

/// What reads need.
#[derive(Clone, Copy)]
pub(crate) struct ReadPorts<'a> {
    pub(crate) reader: &'a dyn ReadOnce,
    pub(crate) catalogue: &'a Catalogue,
    pub(crate) wait: &'a dyn Wait,
    pub(crate) advice: Option<&'a dyn Advice>,
}

/// One call that a read came to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ReadCall {
    pub(crate) tool: ToolName,
    pub(crate) arguments: Values,
    pub(crate) why: Why,
    pub(crate) seen: Seen,
}

/// Why a call was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Why {
    /// It is what was asked for.
    Asked,
    NextPage,
    /// The same once more, after a passing failure.
    Retry,
    /// To learn the columns of a table.
    Describe,
    /// With the names of columns put right.
    Corrected,
    /// To see whether a filter is why nothing came.
    Unfiltered,
    /// By a tool that does the same.
    Synonym,
    /// One of several that were asked for at once.
    Part,
    Advised,
}

/// What came of a call, in short.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Seen {
    Answered,
    Refused { code: Option<String>, message: String },
    NotSent { reason: String },
    Lost { reason: String },
}

/// Whether everything is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Completeness {
    /// Nothing says that there is more.
    Whole,
    /// There is more, or may be.
    Cut { reason: String },
}

/// What a read came to: the answer of a tool, and which tool and arguments it was in the end.
#[derive(Debug)]
pub(crate) struct Got<'a> {
    pub(crate) called: Called,
    pub(crate) tool: &'a Known,
    pub(crate) arguments: Values,
    /// Set where the answer was put together already: there is no next page of it.
    pub(crate) merged: Option<Completeness>,
}

/// How far a read may go to succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Other tools, other arguments, advice.
    Anything,
    /// This tool with these arguments: a later page, or a part.
    ThisTool,
}

/// A read on its way: paging around drift around recovery around single calls.
pub(crate) struct Reading<'a> {
    pub(super) ports: ReadPorts<'a>,
    pub(super) fixes: &'a mut SchemaFixes,
    pub(super) calls: Vec<ReadCall>,
    pub(super) repairs: Vec<Repair>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(ports: ReadPorts<'a>, fixes: &'a mut SchemaFixes) -> Self {
        Self { ports, fixes, calls: Vec::new(), repairs: Vec::new() }
    }

    /// One call, and its line in the story.
    ///
    /// INVARIANT: every call of every layer goes through here, and only reads get out.
    pub(super) async fn call(&mut self, tool: &Known, arguments: &Values, why: Why) -> Called {
        if let Some(reason) = self.refusal(tool) {
            return Called::NotSent { reason: reason.into() };
        }
        let asked: Vec<String> = arguments.values().filter_map(id_text).collect();
        let expected = Expected { asked: &asked, records: self.fixes.gave_records(tool.name()) };
        let called = unmask(self.ports.reader.read(tool, arguments.clone()).await, expected);
        if let Called::Answered(answer) = &called
            && shows_records(answer.for_work())
        {
            self.fixes.gives_records(tool.name());
        }
        let seen = Seen::of(&called);
        self.calls.push(ReadCall { tool: tool.name().clone(), arguments: arguments.clone(), why, seen });
        called
    }

    /// Why a tool is not called, whatever the arguments.
    pub(super) fn refusal(&self, tool: &Known) -> Option<String> {
        if !tool.tool.may(Effect::Read) {
            return Some(format!("`{}` does not only read", tool.name()));
        }
        (self.calls.len() >= READ_CALLS_MAX).then(|| format!("one read makes at most {READ_CALLS_MAX} calls"))
    }

    /// Whether exactly this was called already.
    pub(super) fn was_called(&self, tool: &ToolName, arguments: &Values) -> bool {
        self.calls.iter().any(|call| call.tool == *tool && call.arguments == *arguments)
    }
}

impl Seen {
    pub(super) fn of(called: &Called) -> Self {
        match called {
            Called::Answered(_) => Self::Answered,
            Called::Refused { code, message } => {
                Self::Refused { code: code.as_ref().map(said), message: said(message) }
            }
            Called::Asked(_) => {
                Self::Refused { code: None, message: "it wants to know something first".to_owned() }
            }
            Called::NotSent { reason } => Self::NotSent { reason: said(reason) },
            Called::Lost { reason } => Self::Lost { reason: said(reason) },
        }
    }

    /// In words.
    pub(super) fn said(&self) -> &str {
        match self {
            Self::Answered => "it answered",
            Self::Refused { message, .. } => message,
            Self::NotSent { reason } | Self::Lost { reason } => reason,
        }
    }
}

impl Completeness {
    pub(super) fn cut(reason: impl Into<String>) -> Self {
        Self::Cut { reason: reason.into() }
    }

    /// Writes itself into a record.
    pub(super) fn mark(&self, value: &mut Value) {
        let Value::Object(fields) = value else { return };
        match self {
            // A field of the tool's own with that name stays what it is.
            Self::Whole => {
                fields.entry("complete").or_insert(Value::Bool(true));
            }
            Self::Cut { reason } => {
                fields.insert("complete".to_owned(), Value::Bool(false));
                fields.insert("incomplete_because".to_owned(), Value::String(reason.clone()));
            }
        }
    }
}

//! A read from question to story: paging around drift around recovery around single calls.

use std::fmt;
use std::time::Duration;

use purple_process::{ToolName, Values};
use serde_json::Value;

use crate::dossier::NoAnswer;
use crate::port::Called;

use super::catalogue::Known;
use super::complaint::{Trouble, trouble};
use super::drift::{Repair, SchemaFixes};
use super::reader::{Completeness, Reach, ReadCall, ReadPorts, Reading, Seen, Why};

/// What a read came to, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ReadStory {
    pub(crate) outcome: Result<Value, Unread>,
    pub(crate) completeness: Completeness,
    /// Columns that were put right.
    pub(crate) repairs: Vec<Repair>,
    /// Every call, in order.
    pub(crate) calls: Vec<ReadCall>,
}

/// A read that gave nothing, and what can be said about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Unread {
    pub(crate) tool: ToolName,
    pub(crate) trouble: Trouble,
    pub(crate) seen: Seen,
    /// Other tools that were tried.
    pub(crate) tried: Vec<ToolName>,
    /// How many calls it took to know.
    pub(crate) calls: usize,
}

impl Unread {
    /// What it means for whoever asks whether there is such a thing. A table that is gone says nothing about rows.
    pub(crate) fn no_answer(&self) -> NoAnswer {
        let is_of_record = |code: &str| !code.eq_ignore_ascii_case("NO_SUCH_TABLE");
        match (&self.trouble, &self.seen) {
            (Trouble::Absent, Seen::Refused { code: Some(code), .. }) if is_of_record(code) => {
                NoAnswer::Absent
            }
            (Trouble::Denied, _) => NoAnswer::Refused,
            (Trouble::Absent | Trouble::Passing { .. } | Trouble::Drift { .. } | Trouble::Other, _) => {
                NoAnswer::Failed
            }
        }
    }

    /// When the server wants to be asked again, if it said so.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match &self.trouble {
            Trouble::Passing { retry_after } => *retry_after,
            Trouble::Drift { .. } | Trouble::Absent | Trouble::Denied | Trouble::Other => None,
        }
    }
}

impl fmt::Display for Unread {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "`{}` ", self.tool)?;
        match &self.trouble {
            Trouble::Passing { .. } => write!(out, "does not answer at the moment")?,
            Trouble::Drift { column } => {
                write!(out, "does not know `{column}`, and nothing like it was found")?
            }
            Trouble::Absent => write!(out, "finds nothing")?,
            Trouble::Denied => write!(out, "may not be read")?,
            Trouble::Other => write!(out, "cannot be read")?,
        }
        write!(out, ": {}", self.seen.said())?;
        if self.calls > 1 {
            write!(out, " ({} calls", self.calls)?;
            for (place, tool) in self.tried.iter().enumerate() {
                write!(out, "{} `{tool}`", if place == 0 { ", also by" } else { "," })?;
            }
            write!(out, ")")?;
        }
        if let Some(after) = self.retry_after() {
            write!(out, "; it may be asked again in {} s", after.as_secs())?;
        }
        Ok(())
    }
}

/// Reads. It fails into an explanation, never into a write.
pub(crate) async fn read<'a>(
    ports: ReadPorts<'a>,
    tool: &'a Known,
    arguments: Values,
    fixes: &'a mut SchemaFixes,
) -> ReadStory {
    let mut reading = Reading::new(ports, fixes);
    let (got, completeness) = reading.paged(tool, &arguments, (Reach::Anything, Why::Asked)).await;
    let Reading { calls, repairs, .. } = reading;
    let seen = Seen::of(&got.called);
    let outcome = match (trouble(&got.called), got.called) {
        (None, Called::Answered(value)) => Ok(value.into_work()),
        (trouble, _) => {
            let mut tried: Vec<ToolName> =
                calls.iter().filter(|call| call.tool != *tool.name()).map(|call| call.tool.clone()).collect();
            tried.sort();
            tried.dedup();
            Err(Unread {
                tool: tool.name().clone(),
                trouble: trouble.unwrap_or(Trouble::Other),
                seen,
                tried,
                calls: calls.len(),
            })
        }
    };
    ReadStory { outcome, completeness, repairs, calls }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;

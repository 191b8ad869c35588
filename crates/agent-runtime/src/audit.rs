//! What an auditor gets to see: every move, refusal and ending, numbered.
//!
//! A run keeps its entries until somebody takes them, so that none is lost when it is stored and continued elsewhere.

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::ending::{Because, Halt, SummaryFault};
use crate::history::Transition;
use crate::tools::ToolError;

/// One thing that happened in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditEntry {
    /// Counts from 0 within one run, without gaps.
    pub sequence: u32,
    /// How many times EXECUTE had been entered.
    pub iteration: u16,
    /// What happened.
    pub event: AuditEvent,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AuditEvent {
    /// A move was taken.
    Moved(Transition),
    /// A call was answered by the outside; the result itself stays in the run.
    Observed {
        /// The call.
        call_id: String,
        /// The tool.
        tool: String,
        /// The error, if it was one.
        error: Option<ToolError>,
    },
    /// A call was answered by the loop and did not run.
    Refused {
        /// The call.
        call_id: String,
        /// The tool's name, as the model wrote it.
        tool: String,
        /// Why.
        error: ToolError,
    },
    /// FINALIZE dropped tool calls from the summary's reply.
    CallsDropped {
        /// How many.
        calls: usize,
    },
    /// FINALIZE could not use the summary and took the last text.
    SummaryUnusable(SummaryFault),
    /// The run gave its answer.
    Finished(Because),
    /// The run stopped; the last entry of a halted run.
    Halted(Halt),
}

/// Receives the entries of runs.
///
/// # Contract
///
/// Entries of one run arrive in order. A driver that crashed may hand over an entry again: `sequence` tells.
pub trait AuditLog: Send + Sync {
    /// Keeps one entry.
    fn record(&self, entry: AuditEntry);
}

impl<L: AuditLog + ?Sized> AuditLog for std::sync::Arc<L> {
    fn record(&self, entry: AuditEntry) {
        (**self).record(entry);
    }
}

/// Keeps nothing. The run itself still has its history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoAuditLog;

impl AuditLog for NoAuditLog {
    fn record(&self, _entry: AuditEntry) {}
}

/// Keeps entries in memory.
#[derive(Debug, Default)]
pub struct MemoryAuditLog(Mutex<Vec<AuditEntry>>);

impl MemoryAuditLog {
    /// The entries so far.
    pub fn entries(&self) -> Vec<AuditEntry> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl AuditLog for MemoryAuditLog {
    fn record(&self, entry: AuditEntry) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }
}

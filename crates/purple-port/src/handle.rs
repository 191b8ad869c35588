//! What a channel is given: where commands go in, and runs as every channel reads them.

use std::sync::Arc;

use purple_journal::record::approval::Asked;
use purple_journal::{BlobHash, Recorded};
use purple_process::{PersonId, SessionId};
use serde::de::DeserializeOwned;

use crate::blobs::Blobs;
use crate::brake::Brake;
use crate::card::Card;
use crate::client::{ClientError, WorkerClient};
use crate::clock::Clock;
use crate::command::{Awaited, Command, Receipt, Reviewed};
use crate::journal::{Events, SessionRow};
use crate::view::{RunView, Summary};

/// The most runs that are searched for a prefix.
const PREFIX_RUNS_MAX: usize = 5_000;
const PAGE: usize = 500;
/// The most runs that are named where a prefix is ambiguous.
const NAMED_MAX: usize = 8;

/// What a channel is given: the client to submit commands to, and the ports to read runs from.
#[derive(Clone)]
pub struct WorkerHandle {
    /// Where commands go in.
    pub client: Arc<dyn WorkerClient>,
    /// Sessions and their journals.
    pub events: Arc<dyn Events>,
    /// Cards and answers.
    pub blobs: Arc<dyn Blobs>,
    /// The halts that hold now.
    pub brake: Arc<dyn Brake>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl WorkerHandle {
    /// Submits a command.
    pub async fn submit(&self, command: Command) -> Result<Receipt, ClientError> {
        self.client.submit(command).await
    }

    /// Waits until the run is idle after the turn that is awaited.
    pub async fn idle(&self, run: &SessionId, awaited: &Awaited) -> Result<RunView, ClientError> {
        self.client.idle(run, awaited).await?;
        self.view(run).await
    }

    /// Stops the start of operations.
    pub async fn halt(
        &self,
        process: Option<String>,
        by: PersonId,
        reason: String,
    ) -> Result<(), ClientError> {
        self.client.halt(process, by, reason).await
    }

    /// Ends a halt. Answers whether there was one.
    pub async fn resume(&self, process: Option<String>, by: PersonId) -> Result<bool, ClientError> {
        self.client.resume(process, by).await
    }

    /// One run in full.
    pub async fn view(&self, run: &SessionId) -> Result<RunView, ClientError> {
        let row = self.row(run).await?;
        let summary = summary(&row)?;
        let card = match &summary.approval {
            Some(approval) => Some(self.blob(run, approval.card, "card").await?),
            None => None,
        };
        let answer = match summary.answer {
            Some(hash) => Some(self.blob(run, hash, "answer").await?),
            None => None,
        };
        let SessionRow { session, began, changed, entries, stuck, .. } = row;
        let stuck = stuck.map(|stuck| stuck.reason);
        Ok(RunView { run: session, began, changed, entries, summary, card, answer, stuck })
    }

    /// One run at a glance.
    pub async fn row(&self, run: &SessionId) -> Result<SessionRow, ClientError> {
        let missing = || ClientError::NoSuchRun { run: run.to_string() };
        self.events.session(run).await?.ok_or_else(missing)
    }

    /// The plan that waits and its card.
    pub async fn pending(&self, run: &SessionId) -> Result<Reviewed, ClientError> {
        let approval = summary(&self.row(run).await?)?.approval;
        let open = approval.ok_or_else(|| ClientError::NothingWaits { run: run.clone() })?;
        Ok(Reviewed { plan: open.plan, card: open.card })
    }

    /// The card that people were shown last, also after they decided.
    pub async fn last_card(
        &self,
        run: &SessionId,
        journal: &[Recorded],
    ) -> Result<Option<Card>, ClientError> {
        match journal.iter().rev().find_map(|one| one.record().get::<Asked>()) {
            Some(asked) => Ok(Some(self.blob(run, asked.card, "card").await?)),
            None => Ok(None),
        }
    }

    /// The runs, the last changed first, at a glance. A run without a turn has no summary and is left out.
    pub async fn runs(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<(SessionRow, Summary)>, ClientError> {
        let rows = self.events.sessions(after, limit).await?;
        let summed = rows.into_iter().filter_map(|row| {
            let summary = summary(&row).ok()?;
            Some((row, summary))
        });
        Ok(summed.collect())
    }

    /// The run whose id begins so.
    pub async fn find(&self, prefix: &str) -> Result<SessionId, ClientError> {
        let mut found: Vec<SessionId> = Vec::new();
        let mut after: Option<SessionId> = None;
        let mut seen = 0;
        while seen < PREFIX_RUNS_MAX {
            let rows = self.events.sessions(after.as_ref(), PAGE).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.session.clone());
            seen += rows.len();
            for row in rows {
                if row.session.as_str() == prefix {
                    return Ok(row.session);
                }
                if row.session.as_str().starts_with(prefix) {
                    found.push(row.session);
                }
            }
        }
        match found.len() {
            0 => Err(ClientError::NoSuchRun { run: prefix.to_owned() }),
            1 => Ok(found.swap_remove(0)),
            _ => {
                let runs = found.iter().take(NAMED_MAX).map(ToString::to_string).collect();
                Err(ClientError::Ambiguous { prefix: prefix.to_owned(), runs })
            }
        }
    }

    /// Entries of a run's journal after `seq`.
    pub async fn trace(&self, run: &SessionId, seq: u64, limit: usize) -> Result<Vec<Recorded>, ClientError> {
        Ok(self.events.since(run, seq, limit).await?)
    }

    async fn blob<T: DeserializeOwned>(
        &self,
        run: &SessionId,
        hash: BlobHash,
        what: &'static str,
    ) -> Result<T, ClientError> {
        let unreadable = || ClientError::Unreadable { what, run: run.clone() };
        let bytes = self.blobs.get(hash).await?.ok_or_else(unreadable)?;
        serde_json::from_slice(&bytes).map_err(|_| unreadable())
    }
}

fn summary(row: &SessionRow) -> Result<Summary, ClientError> {
    serde_json::from_value(row.summary.clone())
        .map_err(|_| ClientError::Unreadable { what: "summary", run: row.session.clone() })
}

//! A round of a run as a task, read from what the desk shows.

use std::cmp::Ordering;

use purple_worker::port::{BlobHash, SessionId, SessionRow};
use purple_worker::{Desk, Summary};

use super::fault::Fault;
use super::history;
use super::model::{Task, TaskState};
use super::snapshot::{self, Look, Told};

/// A round of a run as it is now.
pub(super) async fn task(desk: &Desk, run: &SessionId, round: u32, look: Look) -> Result<Task, Fault> {
    let row = desk.events.session(run).await?;
    let row = row.ok_or_else(|| Fault::NoSuchTask { id: run.to_string() })?;
    let now = summary(&row).map_or(0, |summary| summary.round);
    let told = match round.cmp(&now) {
        Ordering::Less => past(desk, run, round, row.changed).await?,
        Ordering::Equal => snapshot::told(&desk.view(run).await?),
        // It was taken, and its turn has not ended.
        Ordering::Greater => Told::nothing(TaskState::Submitted, row.changed),
    };
    Ok(snapshot::task(run, round, told, look))
}

/// What an earlier round said in the end.
async fn past(desk: &Desk, run: &SessionId, round: u32, now: jiff::Timestamp) -> Result<Told, Fault> {
    let journal = history::journal(desk, run, 0).await?;
    let Some(ended) = history::ended(&journal, round) else {
        let words = Some("A later message of this context took its place.".to_owned());
        return Ok(Told { words, ..Told::nothing(TaskState::Canceled, now) });
    };
    let state = snapshot::state_of(ended.ending);
    let answer = match ended.answer {
        Some(hash) => answer(desk, hash).await?,
        None => None,
    };
    Ok(match answer {
        Some(answer) => snapshot::answered(answer, state, ended.at, ended.seq),
        None => Told::nothing(state, ended.at),
    })
}

/// An answer that a turn kept.
pub(super) async fn answer(desk: &Desk, hash: BlobHash) -> Result<Option<purple_worker::Answer>, Fault> {
    let bytes = desk.blobs.get(hash).await?;
    bytes.map(|bytes| serde_json::from_slice(&bytes).map_err(|_| Fault::Internal)).transpose()
}

/// The summary of the last turn; none before the first.
pub(super) fn summary(row: &SessionRow) -> Option<Summary> {
    serde_json::from_value(row.summary.clone()).ok()
}

//! A place in a run as a task, read from what the worker shows.

use std::cmp::Ordering;

use purple_port::WorkerHandle;
use purple_port::view::{Status, Summary};
use purple_port::{BlobHash, Ending, SessionId, SessionRow};

use super::fault::Fault;
use super::model::Task;
use super::snapshot::{self, Look, Told};
use super::story::{Ended, Place, Story};

/// A task as it is now. The story is read on, so that it knows all that the run shows.
pub(super) async fn task(
    worker: &WorkerHandle,
    run: &SessionId,
    story: &mut Story,
    place: &Place,
    look: Look,
) -> Result<Task, Fault> {
    let row = worker.events.session(run).await?;
    let row = row.ok_or_else(|| Fault::NoSuchTask { id: run.to_string() })?;
    let told = match place {
        Place::Queued(_) => snapshot::taken(&row),
        Place::Aside(seq) => {
            let heard = story.heard.iter().find(|heard| heard.seq == *seq);
            match heard.and_then(|heard| heard.aside.as_ref()) {
                // A remark keeps the answer of the round before it, and so its ending.
                Some(ended) => kept(worker, ended, None).await?,
                None => snapshot::taken(&row),
            }
        }
        Place::Round(round) => of_round(worker, (run, row), story, *round).await?,
    };
    Ok(snapshot::task(story.task_id(run, place), run, told, look))
}

async fn of_round(
    worker: &WorkerHandle,
    (run, row): (&SessionId, SessionRow),
    story: &mut Story,
    round: u32,
) -> Result<Told, Fault> {
    let Some(now) = summary(&row) else { return Ok(snapshot::taken(&row)) };
    // In this order: what the run shows has ended, the story tells how.
    let view = worker.view(run).await?;
    story.read_on(worker, run, u64::MAX).await?;
    let closed = view.summary.status == Status::Closed && view.stuck.is_none();
    match round.cmp(&view.summary.round.max(now.round)) {
        // It was taken, and its turn has not ended.
        Ordering::Greater => Ok(snapshot::taken(&row)),
        Ordering::Equal if !closed => Ok(snapshot::told(&view)),
        // A remark after the end does not take the place of the answer.
        Ordering::Equal => match story.ended(round) {
            Some(ended) => {
                let told = kept(worker, ended, Some(ended.ending)).await?;
                Ok(Told { at: view.changed, ..told })
            }
            None => Ok(snapshot::told(&view)),
        },
        Ordering::Less => match story.ended(round) {
            Some(ended) => kept(worker, ended, Some(ended.ending)).await,
            None => Ok(snapshot::replaced(story.began(round.saturating_add(1)).unwrap_or(view.changed))),
        },
    }
}

/// What was said in the end, with the ending of its round; without one, with that which the answer states.
async fn kept(worker: &WorkerHandle, ended: &Ended, ending: Option<Option<Ending>>) -> Result<Told, Fault> {
    let Some(answer) = answer(worker, ended.answer).await? else {
        return Ok(Told::nothing(snapshot::state_of(ending.flatten()), ended.at));
    };
    let state = snapshot::state_of(ending.unwrap_or(answer.data.ending));
    let mut results = String::new();
    for further in &answer.data.runs {
        results.push_str(&snapshot::further(&worker.view(&further.run).await?));
    }
    let mut told = snapshot::answered(answer, state, ended.at, ended.seq);
    if let Some(words) = &mut told.words {
        words.push_str(&results);
    }
    Ok(told)
}

/// An answer that a turn kept.
pub(super) async fn answer(
    worker: &WorkerHandle,
    hash: BlobHash,
) -> Result<Option<purple_port::view::Answer>, Fault> {
    let bytes = worker.blobs.get(hash).await?;
    bytes.map(|bytes| serde_json::from_slice(&bytes).map_err(|_| Fault::Internal)).transpose()
}

/// The summary of the last turn; none before the first.
pub(super) fn summary(row: &SessionRow) -> Option<Summary> {
    serde_json::from_value(row.summary.clone()).ok()
}

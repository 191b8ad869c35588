//! The tasks of a caller, the last changed first.

use std::sync::{Arc, Mutex, PoisonError};

use jiff::Timestamp;
use purple_port::view::Status;
use purple_port::{SessionId, SessionRow};

use super::counter::Counter;
use super::fault::Fault;
use super::history;
use super::known::{name_of, standing};
use super::model::{Accepts, List, Page, TaskState, WithArtifacts};
use super::rounds::{self, summary};
use super::snapshot;
use super::story::{Place, Story};
use crate::auth::Caller;
use crate::config::PauseAs;
use crate::permit::Power;

/// A run that the caller may see, as much of it as a list needs.
struct Glance {
    run: SessionId,
    changed: Timestamp,
    /// The last round, and where it stands.
    round: u32,
    state: TaskState,
    /// Messages that begin rounds of their own when their turn comes.
    queued: Vec<Place>,
}

/// A task before it is looked at.
struct Listed {
    run: SessionId,
    id: String,
    place: Place,
    at: Timestamp,
    state: TaskState,
}

impl Counter {
    /// A page of the tasks that a caller may see.
    pub(crate) async fn list(&self, caller: &Caller, list: &List) -> Result<Page, Fault> {
        let from = list.page_token.as_deref().map(Cursor::read).transpose()?;
        let mut fitting = self.fitting(caller, list).await?;
        fitting.sort_by_key(|listed| std::cmp::Reverse(listed.cursor()));
        let total = fitting.len();
        fitting.retain(|one| from.as_ref().is_none_or(|from| one.cursor() < *from));
        let page_size = usize::try_from(list.page_size).unwrap_or(usize::MAX);
        let next = match fitting.get(page_size.saturating_sub(1)) {
            Some(last) if fitting.len() > page_size => last.cursor().to_string(),
            Some(_) | None => String::new(),
        };
        let mut tasks = Vec::new();
        for listed in fitting.into_iter().take(page_size) {
            let mut story = Story::of(&self.worker, &listed.run).await?;
            let look = self.look(Accepts::Data);
            let mut task = rounds::task(&self.worker, &listed.run, &mut story, &listed.place, look).await?;
            if list.artifacts == WithArtifacts::No {
                task.artifacts.clear();
            }
            let place = (&listed.run, &listed.place);
            task.history = history::messages(&self.worker, &story, place, list.history).await?;
            tasks.push(task);
        }
        Ok(Page { page_size: list.page_size, total, next, tasks })
    }

    /// Every task that a caller may see and wants to.
    async fn fitting(&self, caller: &Caller, list: &List) -> Result<Vec<Listed>, Fault> {
        let mut fitting = Vec::new();
        for glance in self.glances(caller, list).await? {
            let Glance { run, changed, round, state, queued } = glance;
            // A run that has had one round needs no look into its journal.
            let story = match round == 1 && queued.is_empty() {
                true => Story::default(),
                false => Story::of(&self.worker, &run).await?,
            };
            let now = (Place::Round(round), changed, state);
            let past = (1..round).map(|past| {
                let (at, state) = match story.ended(past) {
                    Some(ended) => (ended.at, snapshot::state_of(ended.ending)),
                    None => (story.began(past.saturating_add(1)).unwrap_or(changed), TaskState::Canceled),
                };
                (Place::Round(past), at, state)
            });
            let queued = queued.into_iter().map(|place| (place, changed, TaskState::Working));
            let all = past.chain([now]).chain(queued).map(|(place, at, state)| Listed {
                id: story.task_id(&run, &place),
                run: run.clone(),
                place,
                at,
                state,
            });
            fitting.extend(all.filter(|one| {
                list.after.is_none_or(|after| one.at > after)
                    && list.state.is_none_or(|state| one.state == state)
            }));
        }
        Ok(fitting)
    }

    async fn glances(&self, caller: &Caller, list: &List) -> Result<Vec<Glance>, Fault> {
        let seen: Arc<Mutex<Vec<Glance>>> = Arc::default();
        let kept = Arc::clone(&seen);
        let (caller, context, pause_as) = (caller.clone(), list.context.clone(), self.pause_as);
        let show = move |row: SessionRow| {
            if context.as_deref().is_none_or(|context| row.session.as_str() == context)
                && let Some(glance) = glance(&caller, row, pause_as)
            {
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(glance);
            }
        };
        self.worker.events.each(Box::new(show)).await?;
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(std::mem::take(&mut *seen))
    }
}

/// What a list needs of a run, if the caller may see it.
fn glance(caller: &Caller, row: SessionRow, pause_as: PauseAs) -> Option<Glance> {
    let summary = summary(&row);
    if !caller.may_to(Power::Look, standing(caller, &row, summary.as_ref())) {
        return None;
    }
    let stuck = row.stuck.is_some();
    let over = summary.as_ref().is_some_and(|summary| summary.status == Status::Closed);
    let queued = row.queued.iter().filter(|_| over).filter_map(name_of).map(Place::Queued).collect();
    let (round, state) = match &summary {
        Some(summary) => (summary.round, snapshot::standing(summary, stuck, pause_as)),
        None => (1, snapshot::shown_as(snapshot::taken(&row).state, pause_as)),
    };
    Some(Glance { run: row.session, changed: row.changed, round, state, queued })
}

/// A place in a list that stays where it is when tasks change.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Cursor {
    nanoseconds: i128,
    id: String,
}

impl Cursor {
    fn read(token: &str) -> Result<Self, Fault> {
        let read = token.split_once('.').and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())));
        let (nanoseconds, id) =
            read.ok_or_else(|| Fault::params("params.pageToken", "is no token of a page"))?;
        Ok(Self { nanoseconds, id })
    }
}

impl std::fmt::Display for Cursor {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "{}.{}", self.nanoseconds, self.id)
    }
}

impl Listed {
    fn cursor(&self) -> Cursor {
        Cursor { nanoseconds: self.at.as_nanosecond(), id: self.id.clone() }
    }
}

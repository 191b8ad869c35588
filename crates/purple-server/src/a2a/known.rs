//! Runs and tasks as a caller may see them. A foreign one is answered like one that does not exist.

use purple_port::view::Summary;
use purple_port::{AcceptedTask, Event, SessionId, SessionRow};

use super::counter::Counter;
use super::fault::{Fault, echo};
use super::rounds::summary;
use super::snapshot::ROUND_MARK;
use super::story::{Name, Place, Story};
use crate::auth::Caller;
use crate::permit::{Power, Standing};

/// A run that may be shown to the caller, and what it is to them.
pub(super) struct Known {
    pub row: SessionRow,
    /// `None` before its first turn.
    pub summary: Option<Summary>,
    pub standing: Standing,
}

impl Known {
    pub(super) fn round(&self) -> u32 {
        self.summary.as_ref().map_or(1, |summary| summary.round)
    }
}

/// A task that was found by its id.
pub(super) struct Found {
    pub known: Known,
    pub story: Story,
    pub place: Place,
}

impl Counter {
    /// The task that an id means. The bare name of a session is its last round.
    pub(super) async fn find(&self, caller: &Caller, id: &str) -> Result<Found, Fault> {
        let none = || Fault::NoSuchTask { id: echo(id) };
        let (name, which) = match id.rsplit_once(ROUND_MARK) {
            Some((name, which)) => (name, Some(which)),
            None => (id, None),
        };
        let run = SessionId::parse(name).map_err(|_| none())?;
        let known = self.known(caller, &run).await.map_err(|fault| match fault {
            Fault::NoSuchTask { .. } => none(),
            other => other,
        })?;
        let known = known.ok_or_else(none)?;
        // The row is read before the story: what left the queue in between is in the story.
        let story = Story::of(&self.worker, &run).await?;
        let place = match which {
            None => Some(Place::Round(known.round())),
            Some(which) => match which.parse::<u32>() {
                Ok(round) => {
                    (1..=known.round().max(story.round)).contains(&round).then_some(Place::Round(round))
                }
                Err(_) => by_mark(&known.row, &story, which),
            },
        };
        Ok(Found { place: place.ok_or_else(none)?, known, story })
    }

    /// A run that the caller may see.
    pub(super) async fn known(&self, caller: &Caller, run: &SessionId) -> Result<Option<Known>, Fault> {
        let Some(row) = self.worker.events.session(run).await? else { return Ok(None) };
        let summary = summary(&row);
        let standing = standing(caller, &row, summary.as_ref());
        if !caller.may_to(Power::Look, standing) {
            return Err(Fault::NoSuchTask { id: run.to_string() });
        }
        Ok(Some(Known { row, summary, standing }))
    }
}

/// What a run is to a caller.
pub(super) fn standing(caller: &Caller, row: &SessionRow, summary: Option<&Summary>) -> Standing {
    match summary {
        Some(summary) => Standing {
            own: caller.asked(&summary.requester),
            to_decide: summary.waits_for(&caller.decides) || summary.decided_by.contains(&caller.person),
        },
        // It was taken and has had no turn yet.
        None => {
            let own = AcceptedTask::read(row).is_some_and(|taken| caller.asked(&taken.taken_from));
            Standing { own, to_decide: false }
        }
    }
}

/// Where the message of a mark is to be found.
fn by_mark(row: &SessionRow, story: &Story, mark: &str) -> Option<Place> {
    if let Some(heard) = story.marked(mark) {
        let name = heard.name()?;
        return Some(story.place(heard).unwrap_or(Place::Queued(name)));
    }
    row.queued.iter().filter_map(name_of).find(|name| name.mark() == mark).map(Place::Queued)
}

/// Where a message is to be found that was taken in. The first one of a session begins its first round.
pub(super) fn by_name(row: &SessionRow, story: &Story, name: &Name) -> Place {
    let queued =
        || match story.heard.is_empty() && row.queued.first().and_then(name_of).as_ref() == Some(name) {
            true => Place::Round(1),
            false => Place::Queued(name.clone()),
        };
    story.find(name).and_then(|heard| story.place(heard)).unwrap_or_else(queued)
}

/// A message that waits for its turn.
pub(super) fn queued<'a>(row: &'a SessionRow, name: &Name) -> Option<&'a Event> {
    row.queued.iter().find(|event| name_of(event).as_ref() == Some(name))
}

/// What a message that waits for its turn is called.
pub(super) fn name_of(event: &Event) -> Option<Name> {
    let (by, id) = event.said()?;
    id.map(|id| Name::of(by, id))
}

//! The one wait: until a turn has ended and its run is idle.

use purple_journal::Record;
use purple_journal::record::run::StateEntered;
use purple_journal::record::turn::{Began, Ended, EventIgnored, Skipped};
use purple_journal::word::EventName;
use purple_port::client::ClientError;
use purple_port::command::{Awaited, AwaitedEvent};
use purple_process::SessionId;

use super::Client;
use crate::event::Event;
use crate::port::{Recorded, SessionRow};
use crate::view::{Status, Summary};

/// How many entries are read at once.
const PAGE: usize = 500;

/// The journal of a run as far as it was read for a turn.
struct Search {
    seen: u64,
    round: u32,
    /// Whether the turn that is read now is the awaited one.
    reached: bool,
    /// The round in which the awaited turn ended.
    ended_in: Option<u32>,
}

impl Client {
    pub(super) async fn until_idle(&self, run: &SessionId, awaited: &Awaited) -> Result<(), ClientError> {
        let Awaited { after, round, event } = awaited;
        let mut search = Search { seen: *after, round: *round, reached: event.is_none(), ended_in: None };
        loop {
            let Some(row) = self.events.session(run).await? else {
                self.events.changed(run, *after).await?;
                continue;
            };
            if is_queued(&row, event.as_ref()) {
                self.events.changed(run, row.entries).await?;
                continue;
            }
            if row.stuck.is_some() || is_at_rest(&row, *after) {
                return Ok(());
            }
            if !search.may_end(&row) {
                self.events.changed(run, row.entries).await?;
                continue;
            }
            // The journal before another look at the row: where it says that a turn has ended, the row shows its result.
            self.read_on(run, awaited, &mut search).await?;
            let row = self.events.session(run).await?;
            if row.is_some_and(|row| row.stuck.is_some() || search.is_idle(&row)) {
                return Ok(());
            }
            self.events.changed(run, search.seen).await?;
        }
    }

    async fn read_on(
        &self,
        run: &SessionId,
        awaited: &Awaited,
        search: &mut Search,
    ) -> Result<(), ClientError> {
        loop {
            let page = self.events.since(run, search.seen, PAGE).await?;
            page.iter().for_each(|one| search.read(awaited, one));
            if page.len() < PAGE {
                return Ok(());
            }
        }
    }
}

impl Search {
    fn read(&mut self, awaited: &Awaited, one: &Recorded) {
        self.seen = one.seq;
        let record = one.record();
        if let Some(entered) = record.get::<StateEntered>() {
            self.round = entered.round.number();
        }
        if let Some(began) = record.get::<Began>() {
            self.reached = awaited.event.as_ref().is_none_or(|event| is_turn_of(event, began));
        }
        if self.reached && ends_turn(record) {
            self.ended_in = self.ended_in.or(Some(self.round));
        }
    }

    /// Whether the row allows that the run is idle. Rounds only grow: as long as it works in the round that was last
    /// read, no turn of the journal needs to be looked at.
    fn may_end(&self, row: &SessionRow) -> bool {
        is_beyond(row, self.ended_in.unwrap_or(self.round))
    }

    /// Whether the awaited turn has ended, and the run works on nothing that belongs to it.
    fn is_idle(&self, row: &SessionRow) -> bool {
        self.ended_in.is_some_and(|round| is_beyond(row, round))
    }
}

/// Whether the run does not work, or works in a later round.
fn is_beyond(row: &SessionRow, round: u32) -> bool {
    let summary = serde_json::from_value::<Summary>(row.summary.clone());
    summary.is_ok_and(|now| now.round > round || now.status != Status::Working)
}

/// Whether the event waits for its turn, or is in it.
fn is_queued(row: &SessionRow, event: Option<&AwaitedEvent>) -> bool {
    let Some(awaited) = event.filter(|_| row.stuck.is_none()) else { return false };
    let same =
        |queued: &Event| Awaited::event((0, 1), queued).is_ok_and(|one| one.event.as_ref() == Some(awaited));
    row.queued.iter().any(same)
}

/// Whether nothing waits for a turn and the run does not work: then every turn has ended.
fn is_at_rest(row: &SessionRow, after: u64) -> bool {
    let summary = serde_json::from_value::<Summary>(row.summary.clone());
    row.queued.is_empty() && row.entries > after && summary.is_ok_and(|now| now.status != Status::Working)
}

/// The round of a run as its last turn left it.
pub(super) fn round_of(row: &SessionRow) -> u32 {
    serde_json::from_value::<Summary>(row.summary.clone()).map_or(1, |summary| summary.round)
}

/// Whether a record is the last one of a turn; a turn that got stuck is over when somebody has its event skipped.
fn ends_turn(record: &Record) -> bool {
    let ended = record.get::<Ended>().is_some() || record.get::<EventIgnored>().is_some();
    ended || record.get::<Skipped>().is_some()
}

/// Whether a turn began with this event. Earlier versions kept no event that the privacy guard refused.
fn is_turn_of(event: &AwaitedEvent, began: &Began) -> bool {
    match began.kept {
        Some(kept) => kept == event.kept,
        None => event.name == EventName::Refused && began.event == EventName::Refused,
    }
}

//! Runs as a caller may see them. A foreign one is answered like one that does not exist.

use purple_worker::port::{SessionId, SessionRow, State};
use purple_worker::{Status, Summary, Taken};

use super::counter::Counter;
use super::fault::{Fault, echo};
use super::history;
use super::rounds::summary;
use super::snapshot::ROUND_MARK;
use crate::auth::Caller;
use crate::limits::FIRST_TURN_WITHIN;
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

    /// The round that further words will belong to.
    pub(super) fn next_round(&self) -> u32 {
        let over = |summary: &&Summary| summary.status == Status::Closed && summary.state == State::Complete;
        self.round() + u32::from(self.summary.as_ref().filter(over).is_some())
    }
}

impl Counter {
    /// The run and the round that an id means. The bare name of a session is its last round.
    pub(super) async fn find_round(&self, caller: &Caller, id: &str) -> Result<(SessionId, u32), Fault> {
        let (known, round) = self.find(caller, id).await?;
        Ok((known.row.session, round))
    }

    pub(super) async fn find(&self, caller: &Caller, id: &str) -> Result<(Known, u32), Fault> {
        let none = || Fault::NoSuchTask { id: echo(id) };
        let (name, round) = match id.rsplit_once(ROUND_MARK) {
            Some((name, round)) => (name, Some(round.parse::<u32>().map_err(|_| none())?)),
            None => (id, None),
        };
        let run = SessionId::parse(name).map_err(|_| none())?;
        let known = self.known(caller, &run).await.map_err(|fault| match fault {
            Fault::NoSuchTask { .. } => none(),
            other => other,
        })?;
        let known = known.ok_or_else(none)?;
        let round = round.unwrap_or_else(|| known.round());
        // A round exists from the moment its message was taken, a little before the run knows.
        let begun = (1..=known.round()).contains(&round);
        let taken = || self.expected.is(&known.row.session, None, round);
        if begun || taken() { Ok((known, round)) } else { Err(none()) }
    }

    /// A run that the caller may see.
    pub(super) async fn known(&self, caller: &Caller, run: &SessionId) -> Result<Option<Known>, Fault> {
        let Some(row) = self.desk.events.session(run).await? else { return Ok(None) };
        let (row, summary) = self.begun(caller, row).await?;
        let standing = match &summary {
            Some(summary) => {
                self.expected.forget(run, summary.round);
                self.standing(caller, run, summary).await?
            }
            None => Standing { own: self.asked_for(caller, &row), to_decide: false },
        };
        if !caller.may_to(Power::Look, standing) {
            return Err(Fault::NoSuchTask { id: run.to_string() });
        }
        Ok(Some(Known { row, summary, standing }))
    }

    /// A run shows who asked for it when its first turn has ended. After a restart nobody else remembers, so it is
    /// waited for a little.
    async fn begun(&self, caller: &Caller, row: SessionRow) -> Result<(SessionRow, Option<Summary>), Fault> {
        let found = summary(&row);
        let run = row.session.clone();
        if found.is_some() || caller.sees_all() || self.asked_for(caller, &row) {
            return Ok((row, found));
        }
        let turn = async {
            let mut row = row.clone();
            while summary(&row).is_none() {
                self.desk.events.changed(&run, row.entries).await?;
                row = self.desk.events.session(&run).await?.unwrap_or(row);
            }
            Ok::<_, Fault>(row)
        };
        match tokio::time::timeout(FIRST_TURN_WITHIN, turn).await {
            Ok(Ok(row)) => {
                let found = summary(&row);
                Ok((row, found))
            }
            Ok(Err(fault)) => Err(fault),
            Err(_) => Ok((row, None)),
        }
    }

    /// Whether a run that has had no turn yet is the caller's.
    fn asked_for(&self, caller: &Caller, row: &SessionRow) -> bool {
        Taken::read(row).is_some_and(|taken| caller.asked(&taken.taken_from))
            || self.expected.is(&row.session, Some(&caller.person), 1)
    }

    /// What a run is to a caller.
    async fn standing(&self, caller: &Caller, run: &SessionId, summary: &Summary) -> Result<Standing, Fault> {
        let own = caller.asked(&summary.requester);
        let open = Standing { own, to_decide: true };
        let shut = Standing { own, to_decide: false };
        if summary.approval.is_some() {
            return Ok(open);
        }
        // Only for somebody whom nothing else would let see it: what they decided about stays theirs to follow.
        if caller.may_to(Power::Look, shut) || !caller.may_to(Power::Look, open) {
            return Ok(shut);
        }
        let journal = history::journal(&self.desk, run, 0).await?;
        let decided = journal.iter().any(|one| {
            one.entry.kind == "approval.decided"
                && one.entry.data["by"].as_str() == Some(caller.person.as_str())
        });
        Ok(if decided { open } else { shut })
    }
}

//! Waiting for the answer to what was accepted.

use std::time::Duration;

use purple_worker::Status;
use purple_worker::port::SessionRow;

use super::counter::{Counter, Freshness, Ticket};
use super::fault::Fault;
use super::history;
use super::rounds::summary;

impl Counter {
    /// Waits until what was accepted was worked on and the run stands still; tells the round it is in then.
    /// `None`: it works still, and the caller waits no longer.
    pub(super) async fn settled(&self, ticket: &Ticket) -> Result<Option<u32>, Fault> {
        self.settled_within(ticket, self.answer_within).await
    }

    /// The same within a time of its own.
    pub(super) async fn settled_within(&self, ticket: &Ticket, time: Duration) -> Result<Option<u32>, Fault> {
        let mut closing = self.closing.clone();
        tokio::select! {
            settled = self.until_still(ticket) => settled.map(Some),
            () = tokio::time::sleep(time) => Ok(None),
            _ = closing.wait_for(|closing| *closing) => Ok(None),
        }
    }

    async fn until_still(&self, ticket: &Ticket) -> Result<u32, Fault> {
        loop {
            let row = self.desk.events.session(&ticket.run).await?;
            let entries = row.as_ref().map_or(0, |row| row.entries);
            if let Some(row) = &row
                && let Some(round) = self.still(ticket, row).await?
            {
                return Ok(round);
            }
            let seen = if row.is_some() { entries } else { ticket.since };
            self.desk.events.changed(&ticket.run, seen).await?;
        }
    }

    /// The round in which a run stands still after the turn of this ticket, if it does.
    ///
    /// The summary is that of the last turn that ended, and the journal may be ahead of it in the middle of a turn. So
    /// an unchanged status counts only when the journal shows the answer, which commits with the end of its turn.
    async fn still(&self, ticket: &Ticket, row: &SessionRow) -> Result<Option<u32>, Fault> {
        let Some(summary) = summary(row) else { return Ok(row.stuck.as_ref().map(|_| ticket.round)) };
        if row.stuck.is_some() {
            return Ok(Some(summary.round));
        }
        if summary.status == Status::Working {
            return Ok(None);
        }
        if ticket.freshness == Freshness::Repeated {
            return Ok(Some(ticket.round));
        }
        let journal = history::journal(&self.desk, &ticket.run, ticket.since).await?;
        let began = journal
            .iter()
            .position(|one| one.entry.kind == "turn.began" && began(&one.entry.data, ticket.event));
        let answered = journal
            .iter()
            .skip(began.unwrap_or(usize::MAX))
            .any(|one| matches!(one.entry.kind.as_str(), "run.answered" | "run.ended"));
        let moved = began.is_some() && ticket.before != Some(summary.status);
        Ok((answered || moved).then_some(summary.round))
    }
}

/// Whether a turn is that of our event. Words that the guard refused at the door come in as `refused`.
fn began(data: &serde_json::Value, event: &str) -> bool {
    let told = data["event"].as_str();
    told == Some(event) || (event == "start" && told == Some("refused"))
}

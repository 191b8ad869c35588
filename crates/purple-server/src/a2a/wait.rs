//! Waiting for the answer to what was accepted.

use std::time::Duration;

use purple_port::Awaited;
use purple_port::view::FurtherRun;

use super::counter::{Counter, Ticket};
use super::fault::Fault;
use super::story::{Place, Story};

/// Where what was accepted was found, and the story up to there.
pub(super) struct Settled {
    pub place: Place,
    pub story: Story,
}

impl Counter {
    /// Waits until what was accepted was worked on and its run is idle; tells where it is then.
    /// `None`: it works still, and the caller waits no longer.
    pub(super) async fn settled(&self, ticket: &Ticket) -> Result<Option<Settled>, Fault> {
        self.settled_within(ticket, self.answer_within).await
    }

    /// The same within a time of its own.
    pub(super) async fn settled_within(
        &self,
        ticket: &Ticket,
        time: Duration,
    ) -> Result<Option<Settled>, Fault> {
        let mut closing = self.closing.clone();
        tokio::select! {
            idle = self.until_idle(ticket) => idle?,
            () = tokio::time::sleep(time) => return Ok(None),
            _ = closing.wait_for(|closing| *closing) => return Ok(None),
        }
        self.so_far(ticket).await.map(Some)
    }

    async fn until_idle(&self, ticket: &Ticket) -> Result<(), Fault> {
        for awaited in &ticket.awaited {
            self.worker.client.idle(&ticket.run, awaited).await?;
        }
        // Several tasks of one message are answered together.
        let view = self.worker.view(&ticket.run).await?;
        for FurtherRun { run, after } in view.answer.iter().flat_map(|answer| &answer.data.runs) {
            self.worker.client.idle(run, &Awaited::turn_of(*after, 1)).await?;
        }
        Ok(())
    }
}

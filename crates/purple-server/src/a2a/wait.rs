//! Waiting for the answer to what was accepted.

use std::time::Duration;

use purple_port::SessionRow;
use purple_port::view::Status;

use super::counter::{About, Counter, Ticket};
use super::fault::Fault;
use super::rounds::summary;
use super::story::{Place, Story};

/// Where what was accepted was found, and the story up to there.
pub(super) struct Settled {
    pub place: Place,
    pub story: Story,
}

impl Counter {
    /// Waits until what was accepted was worked on and its task stands still; tells where it is then.
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
            settled = self.until_still(ticket) => settled.map(Some),
            () = tokio::time::sleep(time) => Ok(None),
            _ = closing.wait_for(|closing| *closing) => Ok(None),
        }
    }

    async fn until_still(&self, ticket: &Ticket) -> Result<Settled, Fault> {
        let mut story = Story::default();
        loop {
            // In this order: where the story tells that a turn has ended, the row shows what came of it.
            story.read_on(&self.desk, &ticket.run, u64::MAX).await?;
            let row = self.desk.events.session(&ticket.run).await?;
            if let Some(place) = row.and_then(|row| still(ticket, &story, &row)) {
                return Ok(Settled { place, story });
            }
            self.desk.events.changed(&ticket.run, story.seq).await?;
        }
    }
}

/// Where a task stands still after the turn of this ticket, if it does.
fn still(ticket: &Ticket, story: &Story, row: &SessionRow) -> Option<Place> {
    let of = |heard: &super::story::Heard| heard.over.then(|| story.place(heard)).flatten();
    let place = match &ticket.about {
        About::Message(name) => story.find(name).and_then(of),
        About::Words(seq) => story.heard.iter().find(|heard| heard.seq == *seq).and_then(of),
        About::Task(place) => Some(place.clone()),
        About::CallingOff(place) => story.was_called_off(ticket.since).then(|| place.clone()),
    };
    if row.stuck.is_some() {
        let queued = || match &ticket.about {
            About::Message(name) => super::known::by_name(row, story, name),
            About::Words(_) => Place::Round(story.round),
            About::Task(place) | About::CallingOff(place) => place.clone(),
        };
        return Some(place.unwrap_or_else(queued));
    }
    match place? {
        Place::Round(round) => {
            let now = summary(row)?;
            let rests = round < now.round || (round == now.round && now.status != Status::Working);
            rests.then_some(Place::Round(round))
        }
        place @ Place::Aside(_) => Some(place),
        // A message that was called off before its turn has it all the same.
        Place::Queued(name) => {
            let heard = story.find(&name).and_then(of)?;
            still(&Ticket { about: About::Task(heard), ..ticket.clone() }, story, row)
        }
    }
}

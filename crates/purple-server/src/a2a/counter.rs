//! The operations behind all dialects, in the neutral model, over the worker. A task is a round of a session.

use std::sync::Arc;
use std::time::Duration;

use purple_port::command::{Action, Cancelled};
use purple_port::event::Channel;
use purple_port::view::Status;
use purple_port::{Awaited, Command, SessionId, Watchers, WorkerHandle};
use tokio::sync::watch;

use super::fault::{Fault, echo};
use super::history;
use super::known::{Found, by_name, queued};
use super::model::{Accepts, HistoryLength, Message, Send, Task, TaskState, Wait};
use super::push::PushRules;
use super::rounds;
use super::snapshot::{self, Look, Told};
use super::story::{Name, Place, Story};
use super::wait::Settled;
use crate::auth::Caller;
use crate::config::PauseAs;
use crate::ids::IdMaker;
use crate::limits::CANCEL_WITHIN;
use crate::permit::Power;
use crate::trace::Traced;

/// Where requests are served.
#[derive(Clone)]
pub(crate) struct Counter {
    pub worker: WorkerHandle,
    pub ids: Arc<dyn IdMaker>,
    pub pause_as: PauseAs,
    pub answer_within: Duration,
    /// True when the server is to stop.
    pub closing: watch::Receiver<bool>,
    /// Who is told about tasks; `None` where nobody can be.
    pub watchers: Option<Arc<dyn Watchers>>,
    pub push_rules: PushRules,
    /// The request that is served, where somebody wants its trace.
    pub traced: Option<Traced>,
}

/// Something that was accepted, and how to tell when it was worked on.
#[derive(Clone, Debug)]
pub(super) struct Ticket {
    pub run: SessionId,
    pub about: About,
    /// The turns to wait for, in order.
    pub awaited: Vec<Awaited>,
}

/// What was accepted.
#[derive(Clone, Debug)]
pub(super) enum About {
    /// The message of this name.
    Message(Name),
    /// What the journal has at this place.
    Words(u64),
    /// What becomes of this task.
    Task(Place),
}

impl Counter {
    /// Takes a message in, and answers with its task.
    pub(crate) async fn send(&self, caller: &Caller, send: Send) -> Result<Task, Fault> {
        let ticket = self.accept(caller, &send).await?;
        self.push_with(caller, &ticket, &send).await?;
        let settled = match send.wait {
            Wait::ForTheAnswer => self.settled(&ticket).await?,
            Wait::No => None,
        };
        let Settled { place, mut story } = match settled {
            Some(settled) => settled,
            None => self.so_far(&ticket).await?,
        };
        let look = self.look(send.accepts);
        let mut task = rounds::task(&self.worker, &ticket.run, &mut story, &place, look).await?;
        self.name_as_asked(caller, &send, &place, &mut task).await?;
        task.history = self.said(&story, (&ticket.run, &place), send.history).await?;
        Ok(task)
    }

    /// A caller that names a task is answered with the name that it chose, if that is the task.
    async fn name_as_asked(
        &self,
        caller: &Caller,
        send: &Send,
        place: &Place,
        task: &mut Task,
    ) -> Result<(), Fault> {
        if let Some(id) = &send.task
            && self.find(caller, id).await?.place == *place
        {
            task.id.clone_from(id);
        }
        Ok(())
    }

    /// Where what was accepted is now.
    pub(super) async fn so_far(&self, ticket: &Ticket) -> Result<Settled, Fault> {
        let row = self.worker.events.session(&ticket.run).await?;
        let row = row.ok_or_else(|| Fault::NoSuchTask { id: ticket.run.to_string() })?;
        let story = Story::of(&self.worker, &ticket.run).await?;
        let place = match &ticket.about {
            About::Message(name) => by_name(&row, &story, name),
            About::Words(seq) => {
                let heard = story.heard.iter().find(|heard| heard.seq == *seq);
                heard.and_then(|heard| story.place(heard)).unwrap_or(Place::Round(story.round))
            }
            About::Task(Place::Queued(name)) => by_name(&row, &story, name),
            About::Task(place @ (Place::Round(_) | Place::Aside(_))) => place.clone(),
        };
        Ok(Settled { place, story })
    }

    /// A task by its id.
    pub(crate) async fn get(&self, caller: &Caller, id: &str, length: HistoryLength) -> Result<Task, Fault> {
        let Found { known, mut story, place } = self.find(caller, id).await?;
        let run = known.row.session;
        let mut task = rounds::task(&self.worker, &run, &mut story, &place, self.look(Accepts::Data)).await?;
        task.history = self.said(&story, (&run, &place), length).await?;
        // A caller that chose the id itself is answered with it.
        task.id = id.to_owned();
        Ok(task)
    }

    /// Calls a task off.
    pub(crate) async fn cancel(&self, caller: &Caller, id: &str) -> Result<Task, Fault> {
        let Found { known, mut story, place } = self.find(caller, id).await?;
        if !caller.may_to(Power::Cancel, known.standing) {
            return Err(Fault::Forbidden { what: "call this task off" });
        }
        // A round that was taken and has not begun is not over because the one before it is.
        let closed = known.summary.as_ref().is_some_and(|summary| summary.status == Status::Closed);
        let over = match &place {
            Place::Round(round) => *round < known.round() || (closed && *round == known.round()),
            Place::Aside(_) | Place::Queued(_) => false,
        };
        if over {
            return Err(Fault::NotCancelable { id: echo(id) });
        }
        let run = known.row.session.clone();
        self.leads_to(&run);
        // Another task may be open by the time that this is heard.
        let (what, also) = match &place {
            Place::Round(round) => (Cancelled::Round(*round), None),
            Place::Queued(name) => (Cancelled::Message(name.called()), queued(&known.row, name)),
            Place::Aside(_) => return Err(Fault::NotCancelable { id: echo(id) }),
        };
        let action = Action::Cancel { what, reason: String::new() };
        let by = caller.person.clone();
        let command = Command { run: run.clone(), by, channel: Channel::A2a, id: None, action };
        let receipt = self.worker.submit(command).await?;
        // A message that was called off before its turn has it all the same.
        let also = also.map(|event| Awaited::event((0, 1), event)).transpose()?;
        let awaited = [receipt.awaited].into_iter().chain(also).collect();
        let ticket = Ticket { run, about: About::Task(place.clone()), awaited };
        let within = CANCEL_WITHIN.min(self.answer_within);
        let place = match self.settled_within(&ticket, within).await? {
            Some(settled) => {
                story = settled.story;
                settled.place
            }
            None => place,
        };
        let look = self.look(Accepts::Data);
        let mut task = rounds::task(&self.worker, &ticket.run, &mut story, &place, look).await?;
        task.id = id.to_owned();
        Ok(task)
    }

    /// What this session does next, it does for the request that is served.
    pub(super) fn leads_to(&self, run: &SessionId) {
        if let Some(traced) = &self.traced {
            traced.leads_to(run, self.worker.clock.now());
        }
    }

    pub(super) fn look(&self, accepts: Accepts) -> Look {
        Look { pause_as: self.pause_as, accepts }
    }

    /// A task whose turn has not ended.
    pub(super) fn underway(&self, id: String, run: &SessionId, look: Look) -> Task {
        let told = Told::nothing(TaskState::Working, self.worker.clock.now());
        snapshot::task(id, run, told, look)
    }

    async fn said(
        &self,
        story: &Story,
        place: (&SessionId, &Place),
        length: HistoryLength,
    ) -> Result<Vec<Message>, Fault> {
        if length == HistoryLength::Last(0) {
            return Ok(Vec::new());
        }
        history::messages(&self.worker, story, place, length).await
    }
}

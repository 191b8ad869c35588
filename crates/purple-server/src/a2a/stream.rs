//! The events of a task as they happen, read from the journal: what was missed can be read again.
//!
//! A stream is a reader. It keeps nothing, and the work goes on without it.

use std::collections::VecDeque;

use purple_worker::Status;
use purple_worker::port::{Recorded, SessionId, State};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::counter::{Counter, Ticket};
use super::fault::Fault;
use super::history;
use super::model::{Accepts, Send, TaskState, TaskStatus, Update};
use super::rounds;
use super::snapshot::{self, Look, Told, task_id};
use crate::auth::Caller;
use crate::limits::JOURNAL_PAGE;

/// One event and its place in the journal. An event without a place is told again together with the next one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub seq: Option<u64>,
    pub update: Update,
}

/// When a stream ends by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndsAt {
    /// When the task is over or waits for somebody.
    Pause,
    /// When the task is over.
    Ending,
}

/// The events of one task from a place in the journal on.
pub(crate) struct Reel {
    counter: Counter,
    run: SessionId,
    round: u32,
    id: String,
    seq: u64,
    look: Look,
    ends_at: EndsAt,
    ready: VecDeque<Frame>,
    over: bool,
    /// The task was over when it was asked for: everything there will ever be is in the journal.
    all_there: bool,
    closing: watch::Receiver<bool>,
}

impl Counter {
    /// Takes a message in, and follows its task.
    pub(crate) async fn stream(&self, caller: &Caller, send: Send) -> Result<Reel, Fault> {
        let ticket = self.accept(caller, &send).await?;
        self.push_with(caller, &ticket, &send).await?;
        let look = self.look(send.accepts);
        let fresh = ticket.freshness == super::counter::Freshness::New;
        let Ticket { run, round, since, .. } = ticket.clone();
        if !fresh {
            return self.reel(run, round, look, EndsAt::Pause).await;
        }
        let first = Update::Task(self.underway(&ticket, look));
        let mut reel = self.reel_at(run, round, look, EndsAt::Pause, since);
        reel.ready.push_back(Frame { seq: Some(since), update: first });
        Ok(reel)
    }

    /// Follows a task, from its present state or from the last event that the caller saw.
    pub(crate) async fn subscribe(
        &self,
        caller: &Caller,
        id: &str,
        seen: Option<u64>,
    ) -> Result<Reel, Fault> {
        let (run, round) = self.find_round(caller, id).await?;
        let look = self.look(Accepts::Data);
        if let Some(seq) = seen {
            // Nobody has seen more than there is.
            let row = self.desk.events.session(&run).await?;
            let seq = seq.min(row.map_or(0, |row| row.entries));
            let task = rounds::task(&self.desk, &run, round, look).await?;
            let mut reel = self.reel_at(run, round, look, EndsAt::Ending, seq);
            reel.id = id.to_owned();
            reel.all_there = task.status.state.is_terminal();
            return Ok(reel);
        }
        let mut reel = self.reel(run, round, look, EndsAt::Ending).await?;
        if reel.over {
            return Err(Fault::Unsupported { what: "the task is over; there is nothing to follow" });
        }
        reel.id = id.to_owned();
        Ok(reel)
    }

    /// A reel that begins with the task as it is.
    async fn reel(&self, run: SessionId, round: u32, look: Look, ends_at: EndsAt) -> Result<Reel, Fault> {
        // The place is read before the task: what happens between the two is told twice rather than never.
        let row = self.desk.events.session(&run).await?;
        let seq = row.map_or(0, |row| row.entries);
        let task = rounds::task(&self.desk, &run, round, look).await?;
        let mut reel = self.reel_at(run, round, look, ends_at, seq);
        let state = task.status.state;
        reel.over = state.is_terminal() || (state.is_still() && ends_at == EndsAt::Pause);
        reel.ready.push_back(Frame { seq: Some(seq), update: Update::Task(task) });
        Ok(reel)
    }

    fn reel_at(&self, run: SessionId, round: u32, look: Look, ends_at: EndsAt, seq: u64) -> Reel {
        let id = task_id(&run, round);
        let (counter, closing) = (self.clone(), self.closing.clone());
        let (ready, over, all_there) = (VecDeque::new(), false, false);
        Reel { counter, run, round, id, seq, look, ends_at, ready, over, all_there, closing }
    }
}

impl Reel {
    /// The task that it follows, and its context.
    pub(crate) fn follows(&self) -> (&str, &SessionId) {
        (&self.id, &self.run)
    }

    /// The next event; `None` when there are no more.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        loop {
            if let Some(frame) = self.ready.pop_front() {
                return Some(frame);
            }
            if self.over || self.read_on().await.is_err() {
                return None;
            }
        }
    }

    /// Reads what the journal has beyond what was told, or waits for it.
    async fn read_on(&mut self) -> Result<(), Fault> {
        let news = self.counter.desk.trace(&self.run, self.seq, JOURNAL_PAGE).await?;
        if news.is_empty() && self.all_there {
            // Whoever has seen the end waits for nothing.
            self.over = true;
            return Ok(());
        }
        if news.is_empty() {
            let mut closing = self.closing.clone();
            tokio::select! {
                changed = self.counter.desk.events.changed(&self.run, self.seq) => changed?,
                _ = closing.wait_for(|closing| *closing) => self.over = true,
            }
            return Ok(());
        }
        for one in news {
            self.tell(&one).await?;
            self.seq = one.seq;
            if self.over {
                break;
            }
        }
        Ok(())
    }

    /// What one entry of the journal means for this task.
    async fn tell(&mut self, one: &Recorded) -> Result<(), Fault> {
        let (data, at) = (&one.entry.data, one.entry.at);
        let round = history::round(data);
        match one.entry.kind.as_str() {
            "state.entered" if round.is_some_and(|round| round > self.round) => {
                let words = Some("A later message of this context took its place.".to_owned());
                self.told(one.seq, Told { words, ..Told::nothing(TaskState::Canceled, at) });
            }
            "state.entered" if round == Some(self.round) && !is_ending(&data["to"]) => {
                let status = TaskStatus { state: TaskState::Working, at, message: None };
                let metadata = Map::from_iter([("purple/state".to_owned(), data["to"].clone())]);
                self.status(one.seq, status, metadata);
            }
            "run.answered" if round == Some(self.round) => self.answered(one).await?,
            "run.ended" if round == Some(self.round) => {
                let ending = serde_json::from_value(data["ending"].clone()).ok();
                let state = snapshot::state_of(ending);
                let told = match self.kept(data).await? {
                    Some(answer) => snapshot::answered(answer, state, at, one.seq),
                    None => Told::nothing(state, at),
                };
                self.told(one.seq, told);
            }
            _ => {}
        }
        Ok(())
    }

    /// Words while the round goes on: a question where the run waits, a remark where it works.
    async fn answered(&mut self, one: &Recorded) -> Result<(), Fault> {
        let view = self.counter.desk.view(&self.run).await?;
        let present = view.summary.round == self.round && view.summary.status != Status::Closed;
        let mut told = match self.kept(&one.entry.data).await? {
            Some(answer) => snapshot::answered(answer, TaskState::InputRequired, one.entry.at, one.seq),
            None => Told::nothing(TaskState::InputRequired, one.entry.at),
        };
        if present {
            let now = snapshot::told(&view);
            (told.state, told.question) = (now.state, now.question);
        }
        self.told(one.seq, told);
        Ok(())
    }

    async fn kept(&self, data: &Value) -> Result<Option<purple_worker::Answer>, Fault> {
        match serde_json::from_value(data["answer"].clone()) {
            Ok(hash) => rounds::answer(&self.counter.desk, hash).await,
            Err(_) => Ok(None),
        }
    }

    /// Artifacts first, then the status, which has the place.
    fn told(&mut self, seq: u64, told: Told) {
        let state = told.state;
        let drawn = snapshot::draw(&self.id, told, self.look);
        for (artifact, place) in drawn.artifacts.into_iter().zip(0..) {
            let (task, context) = (self.id.clone(), self.run.to_string());
            let update = Update::Artifact { task, context, artifact, place };
            self.ready.push_back(Frame { seq: None, update });
        }
        self.status(seq, drawn.status, drawn.metadata);
        self.over = state.is_terminal() || (state.is_still() && self.ends_at == EndsAt::Pause);
    }

    fn status(&mut self, seq: u64, status: TaskStatus, metadata: Map<String, Value>) {
        let (task, context) = (self.id.clone(), self.run.to_string());
        self.ready
            .push_back(Frame { seq: Some(seq), update: Update::Status { task, context, status, metadata } });
    }
}

/// Whether a state of the process machine is an ending; it is told with its answer.
fn is_ending(state: &Value) -> bool {
    [State::Complete, State::Escalate, State::Failed].iter().any(|ending| json!(ending) == *state)
}

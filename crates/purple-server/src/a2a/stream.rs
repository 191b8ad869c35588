//! The events of a task as they happen, read from the journal: what was missed can be read again.
//!
//! A stream is a reader. It keeps nothing, and the work goes on without it.

use std::collections::VecDeque;

use purple_journal::Record;
use purple_journal::record::run::{Run, StateEntered};
use purple_port::view::Status;
use purple_port::{BlobHash, Recorded, SessionId};
use serde_json::{Map, Value, json};
use tokio::sync::watch;

use super::counter::{About, Counter, Ticket};
use super::fault::Fault;
use super::known::Found;
use super::model::{Accepts, Send, TaskState, TaskStatus, Update};
use super::rounds;
use super::snapshot::{self, Look, Told};
use super::story::{Name, Place, Story};
use super::wait::Settled;
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

/// What a reel follows.
#[derive(Clone, Debug)]
enum Follows {
    /// This round.
    Round(u32),
    /// This message, until it is known where it is; the story tells when.
    Message(Name, Box<Story>),
}

/// The events of one task from a place in the journal on.
pub(crate) struct Reel {
    counter: Counter,
    run: SessionId,
    follows: Follows,
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
        let Ticket { run, about, awaited } = ticket.clone();
        let since = awaited.first().map_or(0, |awaited| awaited.after);
        let Settled { place, story } = self.so_far(&ticket).await?;
        let id = match &send.task {
            Some(id) if self.find(caller, id).await?.place == place => id.clone(),
            Some(_) | None => story.task_id(&run, &place),
        };
        let name = match about {
            About::Message(name) if story.find(&name).is_none_or(|heard| heard.seq > since) => name,
            // It was said before, and is told as it is.
            About::Message(_) | About::Words(_) | About::Task(_) => {
                return self.reel(run, (id, place), story, look, EndsAt::Pause).await;
            }
        };
        let first = Update::Task(self.underway(id.clone(), &run, look));
        let mut before = Story::default();
        before.read_on(&self.worker, &run, since).await?;
        let follows = Follows::Message(name, Box::new(before));
        let mut reel = self.reel_at(run, id, follows, (look, EndsAt::Pause), since);
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
        let Found { known, mut story, place } = self.find(caller, id).await?;
        let (run, look) = (known.row.session, self.look(Accepts::Data));
        if let (Some(seq), Place::Round(round)) = (seen, &place) {
            // Nobody has seen more than there is.
            let seq = seq.min(story.seq);
            let task = rounds::task(&self.worker, &run, &mut story, &place, look).await?;
            let follows = Follows::Round(*round);
            let mut reel = self.reel_at(run, id.to_owned(), follows, (look, EndsAt::Ending), seq);
            reel.all_there = task.status.state.is_terminal();
            return Ok(reel);
        }
        let reel = self.reel(run, (id.to_owned(), place), story, look, EndsAt::Ending).await?;
        if reel.over && seen.is_none() {
            return Err(Fault::Unsupported { what: "the task is over; there is nothing to follow" });
        }
        Ok(reel)
    }

    /// A reel that begins with the task as it is.
    async fn reel(
        &self,
        run: SessionId,
        (id, place): (String, Place),
        mut story: Story,
        look: Look,
        ends_at: EndsAt,
    ) -> Result<Reel, Fault> {
        // The place is read before the task: what happens between the two is told twice rather than never.
        let seq = story.seq;
        let follows = match &place {
            Place::Round(round) => Follows::Round(*round),
            // What is aside is over, and has no events to come.
            Place::Aside(_) => Follows::Round(story.round),
            Place::Queued(name) => Follows::Message(name.clone(), Box::new(story.clone())),
        };
        let mut task = rounds::task(&self.worker, &run, &mut story, &place, look).await?;
        task.id.clone_from(&id);
        let mut reel = self.reel_at(run, id, follows, (look, ends_at), seq);
        let state = task.status.state;
        reel.over = state.is_terminal() || (state.is_still() && ends_at == EndsAt::Pause);
        reel.ready.push_back(Frame { seq: Some(seq), update: Update::Task(task) });
        Ok(reel)
    }

    fn reel_at(
        &self,
        run: SessionId,
        id: String,
        follows: Follows,
        (look, ends_at): (Look, EndsAt),
        seq: u64,
    ) -> Reel {
        let (counter, closing) = (self.clone(), self.closing.clone());
        let (ready, over, all_there) = (VecDeque::new(), false, false);
        Reel { counter, run, follows, id, seq, look, ends_at, ready, over, all_there, closing }
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
        let news = self.counter.worker.trace(&self.run, self.seq, JOURNAL_PAGE).await?;
        if news.is_empty() && self.all_there {
            // Whoever has seen the end waits for nothing.
            self.over = true;
            return Ok(());
        }
        if news.is_empty() {
            let mut closing = self.closing.clone();
            tokio::select! {
                changed = self.counter.worker.events.changed(&self.run, self.seq) => changed?,
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
        if let Follows::Message(name, story) = &mut self.follows {
            story.take(one);
            let heard = story.find(name);
            match heard.and_then(|heard| Some((heard.aside.clone(), story.place(heard)?))) {
                None | Some((_, Place::Queued(_))) => return Ok(()),
                Some((_, Place::Round(round))) => self.follows = Follows::Round(round),
                Some((aside, Place::Aside(_))) => {
                    let answer = aside.map(|ended| ended.answer);
                    let told = self.remarked(answer, one).await?;
                    self.told(one.seq, told);
                    return Ok(());
                }
            }
        }
        let Follows::Round(followed) = self.follows else { return Ok(()) };
        self.tell_of_round(followed, one).await
    }

    async fn tell_of_round(&mut self, followed: u32, one: &Recorded) -> Result<(), Fault> {
        match one.record() {
            Record::Run(run) => self.tell_of_run(followed, one, run).await,
            Record::Task(_)
            | Record::Process(_)
            | Record::Model(_)
            | Record::Tool(_)
            | Record::Plan(_)
            | Record::Approval(_)
            | Record::Write(_)
            | Record::Turn(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => Ok(()),
        }
    }

    async fn tell_of_run(&mut self, followed: u32, one: &Recorded, run: &Run) -> Result<(), Fault> {
        match run {
            Run::StateEntered(entered) => self.entered(followed, one, entered),
            Run::Answered(answered) if answered.round.number() == followed => {
                self.answered(followed, answered.answer, one).await?;
            }
            Run::Ended(ended) if ended.round.number() == followed => {
                let state = snapshot::state_of(ended.ending);
                let told = self.ended(Some(ended.answer), state, one).await?;
                self.told(one.seq, told);
            }
            Run::Answered(_)
            | Run::Ended(_)
            | Run::Failed(_)
            | Run::Stopped(_)
            | Run::Cancelled(_)
            | Run::CancelNotTaken(_)
            | Run::Rescored(_) => {}
        }
        Ok(())
    }

    /// A state of this round, or of one that replaces it. An ending is sent together with its answer.
    fn entered(&mut self, followed: u32, one: &Recorded, entered: &StateEntered) {
        let (at, round) = (one.entry.at, entered.round.number());
        if round > followed {
            self.told(one.seq, snapshot::replaced(at));
        } else if round == followed && !entered.to.is_ending() {
            let status = TaskStatus { state: TaskState::Working, at, message: None };
            let metadata = Map::from_iter([("purple/state".to_owned(), json!(entered.to))]);
            self.status(one.seq, status, metadata);
        }
    }

    /// What was said in the end.
    async fn ended(&self, answer: Option<BlobHash>, state: TaskState, one: &Recorded) -> Result<Told, Fault> {
        let at = one.entry.at;
        let answer = match answer {
            Some(hash) => rounds::answer(&self.counter.worker, hash).await?,
            None => None,
        };
        Ok(match answer {
            Some(answer) => snapshot::answered(answer, state, at, one.seq),
            None => Told::nothing(state, at),
        })
    }

    /// What a remark says beside the answer of a round that is over, with the ending that this states.
    async fn remarked(&self, answer: Option<BlobHash>, one: &Recorded) -> Result<Told, Fault> {
        let kept = match answer {
            Some(hash) => rounds::answer(&self.counter.worker, hash).await?,
            None => None,
        };
        let state = snapshot::state_of(kept.and_then(|kept| kept.data.ending));
        self.ended(answer, state, one).await
    }

    /// Words while the round goes on: a question where the run waits, a remark where it works.
    async fn answered(&mut self, followed: u32, answer: BlobHash, one: &Recorded) -> Result<(), Fault> {
        let view = self.counter.worker.view(&self.run).await?;
        let present = view.summary.round == followed && view.summary.status != Status::Closed;
        let mut told = self.ended(Some(answer), TaskState::InputRequired, one).await?;
        if present {
            let now = snapshot::told(&view);
            (told.state, told.question) = (now.state, now.question);
        }
        self.told(one.seq, told);
        Ok(())
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

//! The operations behind all dialects, in the neutral model, over the desk. A task is a round of a session.

use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use purple_worker::port::{BlobHash, DedupKey, PersonId, Posted, SessionId, SessionRow, State, StepId};
use purple_worker::{Channel, Choice, Desk, Start, Status, Summary, Verdict};
use tokio::sync::watch;

use super::expected::Expected;
use super::fault::{Fault, echo};
use super::history::{self, Heard};
use super::model::{
    Accepts, Answer, Decision, HistoryLength, List, Page, Send, Task, TaskState, Wait, WithArtifacts,
};
use super::snapshot::{self, Look, ROUND_MARK, Told};
use crate::auth::{Caller, Sees};
use crate::config::PauseAs;
use crate::ids::IdMaker;
use crate::limits::LIST_RUNS_MAX;

/// Where requests are served.
#[derive(Clone)]
pub(crate) struct Counter {
    pub desk: Desk,
    pub ids: Arc<dyn IdMaker>,
    pub pause_as: PauseAs,
    pub answer_within: Duration,
    /// True when the server is to stop.
    pub closing: watch::Receiver<bool>,
    /// What was taken and not begun.
    pub expected: Arc<Expected>,
}

/// An accepted message, and how to tell when it was worked on.
#[derive(Clone, Debug)]
pub(super) struct Ticket {
    pub run: SessionId,
    /// The round that it belongs to, as far as can be told now.
    pub round: u32,
    /// The entries of the journal before it.
    pub since: u64,
    /// What the run did before it.
    pub before: Option<Status>,
    /// The event whose turn answers it.
    pub event: &'static str,
    pub freshness: Freshness,
}

/// Whether a message was taken now or before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Freshness {
    New,
    Repeated,
}

/// A run that may be shown to the caller.
struct Known {
    row: SessionRow,
    /// `None` before its first turn.
    summary: Option<Summary>,
}

impl Known {
    fn round(&self) -> u32 {
        self.summary.as_ref().map_or(1, |summary| summary.round)
    }

    /// The round that further words will belong to.
    fn next_round(&self) -> u32 {
        let over = |summary: &&Summary| summary.status == Status::Closed && summary.state == State::Complete;
        self.round() + u32::from(self.summary.as_ref().filter(over).is_some())
    }
}

impl Counter {
    /// Takes a message in, and answers with its task.
    pub(crate) async fn send(&self, caller: &Caller, send: Send) -> Result<Task, Fault> {
        let ticket = self.accept(caller, &send).await?;
        let look = self.look(send.accepts);
        let settled = match (send.wait, ticket.freshness) {
            (Wait::ForTheAnswer, _) => self.settled(&ticket).await?,
            (Wait::No, Freshness::Repeated) => Some(ticket.round),
            (Wait::No, Freshness::New) => None,
        };
        let mut task = match settled {
            Some(round) => self.task(&ticket.run, round, look).await?,
            None => self.underway(&ticket, look),
        };
        task.history = self.said(&ticket.run, &task, send.history).await?;
        Ok(task)
    }

    /// A task by its id.
    pub(crate) async fn get(&self, caller: &Caller, id: &str, length: HistoryLength) -> Result<Task, Fault> {
        let (known, round) = self.find(caller, id).await?;
        let run = known.row.session;
        let mut task = self.task(&run, round, self.look(Accepts::Data)).await?;
        task.history = self.said(&run, &task, length).await?;
        // A caller that chose the id itself is answered with it.
        task.id = id.to_owned();
        Ok(task)
    }

    /// Calls a task off.
    pub(crate) async fn cancel(&self, caller: &Caller, id: &str) -> Result<Task, Fault> {
        let (known, round) = self.find(caller, id).await?;
        let over = known.summary.as_ref().is_some_and(|summary| summary.status == Status::Closed);
        if over || round < known.round() {
            return Err(Fault::NotCancelable { id: echo(id) });
        }
        let ticket = Ticket {
            run: known.row.session.clone(),
            round,
            since: known.row.entries,
            before: known.summary.as_ref().map(|summary| summary.status),
            event: "cancel",
            freshness: Freshness::New,
        };
        self.desk.cancel(&ticket.run, caller.person.clone(), String::new()).await?;
        let look = self.look(Accepts::Data);
        let mut task = match self.settled(&ticket).await? {
            Some(round) => self.task(&ticket.run, round, look).await?,
            None => self.underway(&ticket, look),
        };
        task.id = id.to_owned();
        Ok(task)
    }

    /// The last task of each session, the last changed first.
    pub(crate) async fn list(&self, caller: &Caller, list: &List) -> Result<Page, Fault> {
        let rows = self.desk.runs(None, LIST_RUNS_MAX).await?;
        let look = self.look(Accepts::Data);
        let mut fitting = Vec::new();
        for (row, summary) in rows {
            let of_context = list.context.as_deref().is_none_or(|context| row.session.as_str() == context);
            if !of_context || !caller.may_see(&summary.requester) {
                continue;
            }
            let view = self.desk.view(&row.session).await?;
            let told = snapshot::told(&view);
            let task = snapshot::task(&row.session, summary.round, told, look);
            if list.state.is_none_or(|state| task.status.state == state) {
                fitting.push((row.session, task));
            }
        }
        let total = fitting.len();
        let page_size = usize::try_from(list.page_size).unwrap_or(usize::MAX);
        let from = match &list.page_token {
            None => 0,
            Some(token) => {
                let last = fitting.iter().position(|(_, task)| task.id == *token);
                last.map(|at| at + 1)
                    .ok_or_else(|| Fault::params("params.pageToken", "is no token of a page"))?
            }
        };
        let mut tasks = Vec::new();
        for (run, mut task) in fitting.into_iter().skip(from).take(page_size) {
            if list.artifacts == WithArtifacts::No {
                task.artifacts.clear();
            }
            task.history = self.said(&run, &task, list.history).await?;
            tasks.push(task);
        }
        let more = from + tasks.len() < total;
        let next = tasks.last().filter(|_| more).map(|task| task.id.clone()).unwrap_or_default();
        Ok(Page { page_size: list.page_size, total, next, tasks })
    }

    pub(super) fn look(&self, accepts: Accepts) -> Look {
        Look { pause_as: self.pause_as, accepts }
    }

    /// Takes a message in.
    pub(super) async fn accept(&self, caller: &Caller, send: &Send) -> Result<Ticket, Fault> {
        let (run, known) = self.place(caller, send).await?;
        if let Some(decision) = &send.decision {
            if !send.words.trim().is_empty() {
                return Err(Fault::params("params.message.parts", "decide by data or by words, not by both"));
            }
            let known = known.ok_or_else(|| Fault::NoSuchTask { id: run.to_string() })?;
            return self.decide(caller, decision, known).await;
        }
        if send.words.trim().is_empty() {
            return Err(Fault::params("params.message.parts", "say nothing"));
        }
        let since = known.as_ref().map_or(0, |known| known.row.entries);
        let before = known.as_ref().and_then(|known| Some(known.summary.as_ref()?.status));
        let round = known.as_ref().map_or(1, Known::next_round);
        let ticket = Ticket { run, round, since, before, event: "start", freshness: Freshness::New };
        if let Some(known) = &known {
            let round = match self.over(caller, send, known).await? {
                Some(round) => Some(round),
                None => self.heard_before(caller, send, known).await?,
            };
            if let Some(round) = round {
                return Ok(Ticket { round, freshness: Freshness::Repeated, ..ticket });
            }
        }
        let dedup = match &send.message_id {
            Some(id) => DedupKey(format!("a2a:{}:{id}", caller.person)),
            None => DedupKey(format!("send:{}:{}:{since}", caller.person, ticket.run)),
        };
        // A session that exists takes a start as further words, so that a repetition is the same event either way.
        let start = Start {
            text: send.words.clone(),
            by: caller.person.clone(),
            channel: Channel::A2a,
            policy: send.extras.policy.clone(),
            tools_endpoint: send.extras.tools_endpoint.clone(),
        };
        match self.desk.start(ticket.run.clone(), dedup, start).await? {
            Posted::Accepted => {
                self.expected.note(&ticket.run, &caller.person, ticket.round);
                Ok(ticket)
            }
            Posted::Repeated { session } | Posted::Conflicting { session } => {
                let round = self.round_of_words(caller, &session, &send.words).await?;
                Ok(Ticket { run: session, round, freshness: Freshness::Repeated, ..ticket })
            }
        }
    }

    /// The session that a message belongs to, and what is known of it.
    async fn place(&self, caller: &Caller, send: &Send) -> Result<(SessionId, Option<Known>), Fault> {
        if let Some(id) = &send.task {
            let (known, _) = self.find(caller, id).await?;
            let run = known.row.session.clone();
            if send.context.as_deref().is_some_and(|context| context != run.as_str()) {
                return Err(Fault::params("params.message.contextId", "is not that of the task"));
            }
            return Ok((run, Some(known)));
        }
        let Some(context) = send.context.as_ref().or(send.extras.session.as_ref()) else {
            let run = self.ids.fresh().map_err(|_| Fault::NotNow)?;
            return Ok((run, None));
        };
        let place = "params.message.contextId";
        let run = SessionId::parse(context).map_err(|error| Fault::params(place, error.to_string()))?;
        if context.contains(ROUND_MARK) {
            return Err(Fault::params(place, format!("must not contain `{ROUND_MARK}`")));
        }
        let known = self.known(caller, &run).await?;
        Ok((run, known))
    }

    /// A task that is over takes no further words, but a repetition of what it was told is answered.
    async fn over(&self, caller: &Caller, send: &Send, known: &Known) -> Result<Option<u32>, Fault> {
        let Some(id) = &send.task else { return Ok(None) };
        let (_, round) = self.find(caller, id).await?;
        let closed = known.summary.as_ref().is_some_and(|summary| summary.status == Status::Closed);
        if !closed && round >= known.round() {
            return Ok(None);
        }
        let heard = history::heard(&history::journal(&self.desk, &known.row.session, 0).await?);
        let same = |one: &Heard| one.round == round && is_same(one, &caller.person, &send.words);
        if heard.iter().any(same) {
            return Ok(Some(round));
        }
        Err(Fault::Unsupported { what: "the task is over; go on in its context without naming the task" })
    }

    /// Words without an id that were said before, and the round in which they were.
    ///
    /// Callers of 0.1 repeat a request when its answer is late. The last words of a run that works or is over, and the
    /// words that opened the round of a run that waits, are such a repetition; words at a gate are not, since five
    /// gates in a row may be answered alike.
    async fn heard_before(&self, caller: &Caller, send: &Send, known: &Known) -> Result<Option<u32>, Fault> {
        if send.message_id.is_some() {
            return Ok(None);
        }
        let heard = history::heard(&history::journal(&self.desk, &known.row.session, 0).await?);
        let status = known.summary.as_ref().map(|summary| summary.status);
        let candidate = match status {
            Some(Status::Waiting | Status::InDoubt | Status::Halted) => {
                heard.iter().find(|words| words.round == known.round())
            }
            Some(Status::Working | Status::WaitingModel | Status::Closed) | None => heard.last(),
        };
        Ok(candidate.filter(|words| is_same(words, &caller.person, &send.words)).map(|words| words.round))
    }

    /// The round in which these words were last said. Before their turn began they are not in the journal.
    async fn round_of_words(&self, caller: &Caller, run: &SessionId, words: &str) -> Result<u32, Fault> {
        let heard = history::heard(&history::journal(&self.desk, run, 0).await?);
        let said = heard.iter().rev().find(|one| is_same(one, &caller.person, words));
        match said {
            Some(words) => Ok(words.round),
            None => Ok(self.known(caller, run).await?.map_or(1, |known| known.round())),
        }
    }

    /// Puts a decision to the plan that waits. One that was taken before is answered with what came of it.
    async fn decide(&self, caller: &Caller, decision: &Decision, known: Known) -> Result<Ticket, Fault> {
        let round = known.round();
        let run = known.row.session.clone();
        let ticket = Ticket {
            run: run.clone(),
            round,
            since: known.row.entries,
            before: known.summary.as_ref().map(|summary| summary.status),
            event: "decision",
            freshness: Freshness::New,
        };
        let repeated = Ticket { freshness: Freshness::Repeated, ..ticket.clone() };
        let open = known.summary.and_then(|summary| summary.approval);
        let Some(open) = open.filter(|open| open.id == decision.approval) else {
            let journal = history::journal(&self.desk, &run, 0).await?;
            let taken = journal.iter().any(|one| {
                let is = |name: &str, text: &str| one.entry.data[name].as_str() == Some(text);
                one.entry.kind == "approval.decided"
                    && is("approval", &decision.approval)
                    && is("by", caller.person.as_str())
            });
            let why = format!("`{}` is not open", echo(&decision.approval));
            return if taken { Ok(repeated) } else { Err(Fault::params("approvalId", why)) };
        };
        let by = caller.person.clone();
        let posted = match &decision.answer {
            Answer::Approve => self.desk.decide(&run, by, Channel::A2a, Choice::Approve).await?,
            Answer::Reject { reason } => {
                let choice = Choice::Reject { reason: reason.clone() };
                self.desk.decide(&run, by, Channel::A2a, choice).await?
            }
            Answer::ApproveSome(names) => {
                let steps = self.steps(&run, names).await?;
                let shown = open.card.0;
                let verdict =
                    Verdict { plan: open.plan, steps, reason: None, by, channel: Channel::A2a, shown };
                self.desk.decided(run, verdict).await?
            }
        };
        match posted {
            Posted::Accepted => Ok(ticket),
            Posted::Repeated { .. } | Posted::Conflicting { .. } => Ok(repeated),
        }
    }

    /// The named steps of the plan that waits.
    async fn steps(&self, run: &SessionId, names: &[String]) -> Result<Vec<StepId>, Fault> {
        let all = self.desk.view(run).await?.card.map(|card| card.steps()).unwrap_or_default();
        let strange = names.iter().find(|name| !all.iter().any(|step| step.as_str() == name.as_str()));
        if let Some(name) = strange {
            return Err(Fault::params(
                "operations",
                format!("name no operation `{}` of the plan", echo(name)),
            ));
        }
        Ok(all.into_iter().filter(|step| names.iter().any(|name| name == step.as_str())).collect())
    }

    /// A task whose turn has not ended.
    pub(super) fn underway(&self, ticket: &Ticket, look: Look) -> Task {
        let told = Told::nothing(TaskState::Working, self.desk.clock.now());
        snapshot::task(&ticket.run, ticket.round, told, look)
    }

    /// A round of a run as it is now.
    pub(super) async fn task(&self, run: &SessionId, round: u32, look: Look) -> Result<Task, Fault> {
        let row = self.desk.events.session(run).await?;
        let row = row.ok_or_else(|| Fault::NoSuchTask { id: run.to_string() })?;
        let now = summary(&row).map_or(0, |summary| summary.round);
        let told = match round.cmp(&now) {
            Ordering::Less => self.past(run, round, row.changed).await?,
            Ordering::Equal => snapshot::told(&self.desk.view(run).await?),
            // It was taken, and its turn has not ended.
            Ordering::Greater => Told::nothing(TaskState::Submitted, row.changed),
        };
        Ok(snapshot::task(run, round, told, look))
    }

    /// What an earlier round said in the end.
    async fn past(&self, run: &SessionId, round: u32, now: jiff::Timestamp) -> Result<Told, Fault> {
        let journal = history::journal(&self.desk, run, 0).await?;
        let Some(ended) = history::ended(&journal, round) else {
            let words = Some("A later message of this context took its place.".to_owned());
            return Ok(Told { words, ..Told::nothing(TaskState::Canceled, now) });
        };
        let state = snapshot::state_of(ended.ending);
        let answer = match ended.answer {
            Some(hash) => self.answer(hash).await?,
            None => None,
        };
        Ok(match answer {
            Some(answer) => snapshot::answered(answer, state, ended.at, ended.seq),
            None => Told::nothing(state, ended.at),
        })
    }

    /// An answer that a turn kept.
    pub(super) async fn answer(&self, hash: BlobHash) -> Result<Option<purple_worker::Answer>, Fault> {
        let bytes = self.desk.blobs.get(hash).await?;
        bytes.map(|bytes| serde_json::from_slice(&bytes).map_err(|_| Fault::Internal)).transpose()
    }

    async fn said(
        &self,
        run: &SessionId,
        task: &Task,
        length: HistoryLength,
    ) -> Result<Vec<super::model::Message>, Fault> {
        if length == HistoryLength::Last(0) {
            return Ok(Vec::new());
        }
        let round = task.id.rsplit_once(ROUND_MARK).and_then(|(_, round)| round.parse().ok()).unwrap_or(1);
        let heard = history::heard(&history::journal(&self.desk, run, 0).await?);
        Ok(history::messages(&heard, run, round, length))
    }

    /// The run and the round that an id means. The bare name of a session is its last round.
    pub(super) async fn find_round(&self, caller: &Caller, id: &str) -> Result<(SessionId, u32), Fault> {
        let (known, round) = self.find(caller, id).await?;
        Ok((known.row.session, round))
    }

    async fn find(&self, caller: &Caller, id: &str) -> Result<(Known, u32), Fault> {
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

    /// A run that the caller may see. A foreign one is answered like one that does not exist.
    async fn known(&self, caller: &Caller, run: &SessionId) -> Result<Option<Known>, Fault> {
        let Some(row) = self.desk.events.session(run).await? else { return Ok(None) };
        let summary = summary(&row);
        let visible = match &summary {
            Some(summary) => {
                self.expected.forget(run, summary.round);
                caller.may_see(&summary.requester)
            }
            None => caller.sees == Sees::Everything || self.expected.is(run, Some(&caller.person), 1),
        };
        if !visible {
            return Err(Fault::NoSuchTask { id: run.to_string() });
        }
        Ok(Some(Known { row, summary }))
    }
}

fn is_same(heard: &Heard, by: &PersonId, words: &str) -> bool {
    heard.by == by.as_str() && heard.text == words
}

/// The summary of the last turn; none before the first.
pub(super) fn summary(row: &SessionRow) -> Option<Summary> {
    serde_json::from_value(row.summary.clone()).ok()
}

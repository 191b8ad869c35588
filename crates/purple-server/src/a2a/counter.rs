//! The operations behind all dialects, in the neutral model, over the desk. A task is a round of a session.

use std::sync::Arc;
use std::time::Duration;

use purple_worker::port::{DedupKey, PersonId, Posted, SessionId, SessionRow, StepId, Watchers};
use purple_worker::{Channel, Choice, Desk, Start, Status, Summary, Verdict, endpoint_allowed};
use tokio::sync::watch;

use super::expected::Expected;
use super::fault::{Fault, echo};
use super::history::{self, Heard};
use super::known::Known;
use super::model::{
    Accepts, Answer, Decision, HistoryLength, List, Page, Send, Task, TaskState, Wait, WithArtifacts,
};
use super::push::PushRules;
use super::rounds;
use super::snapshot::{self, Look, ROUND_MARK, Told, task_id};
use crate::auth::Caller;
use crate::config::PauseAs;
use crate::ids::IdMaker;
use crate::limits::{CANCEL_WITHIN, LIST_RUNS_MAX};
use crate::permit::{Power, Standing};
use crate::trace::Traced;

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
    /// Who is told about tasks; `None` where nobody can be.
    pub watchers: Option<Arc<dyn Watchers>>,
    pub push_rules: PushRules,
    /// Origins that a request may name as its tools.
    pub tools_allowed: Vec<String>,
    /// The request that is served, where somebody wants its trace.
    pub traced: Option<Traced>,
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

impl Counter {
    /// Takes a message in, and answers with its task.
    pub(crate) async fn send(&self, caller: &Caller, send: Send) -> Result<Task, Fault> {
        let ticket = self.accept(caller, &send).await?;
        self.push_with(caller, &ticket, &send).await?;
        let look = self.look(send.accepts);
        let settled = match (send.wait, ticket.freshness) {
            (Wait::ForTheAnswer, _) => self.settled(&ticket).await?,
            (Wait::No, Freshness::Repeated) => Some(ticket.round),
            (Wait::No, Freshness::New) => None,
        };
        let mut task = match settled {
            Some(round) => rounds::task(&self.desk, &ticket.run, round, look).await?,
            None => self.underway(&ticket, look),
        };
        task.history = self.said(&ticket.run, &task, send.history).await?;
        Ok(task)
    }

    /// A task by its id.
    pub(crate) async fn get(&self, caller: &Caller, id: &str, length: HistoryLength) -> Result<Task, Fault> {
        let (known, round) = self.find(caller, id).await?;
        let run = known.row.session;
        let mut task = rounds::task(&self.desk, &run, round, self.look(Accepts::Data)).await?;
        task.history = self.said(&run, &task, length).await?;
        // A caller that chose the id itself is answered with it.
        task.id = id.to_owned();
        Ok(task)
    }

    /// Calls a task off.
    pub(crate) async fn cancel(&self, caller: &Caller, id: &str) -> Result<Task, Fault> {
        let (known, round) = self.find(caller, id).await?;
        if !caller.may_to(Power::Cancel, known.standing) {
            return Err(Fault::Forbidden { what: "call this task off" });
        }
        // A round that was taken and has not begun is not over because the one before it is.
        let over = known.summary.as_ref().is_some_and(|summary| summary.status == Status::Closed);
        if (over && round == known.round()) || round < known.round() {
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
        self.leads_to(&ticket.run);
        self.desk.cancel(&ticket.run, caller.person.clone(), String::new()).await?;
        let look = self.look(Accepts::Data);
        let within = CANCEL_WITHIN.min(self.answer_within);
        let mut task = match self.settled_within(&ticket, within).await? {
            Some(round) => rounds::task(&self.desk, &ticket.run, round, look).await?,
            None => self.underway(&ticket, look),
        };
        task.id = id.to_owned();
        Ok(task)
    }

    /// The last task of each session, the last changed first.
    pub(crate) async fn list(&self, caller: &Caller, list: &List) -> Result<Page, Fault> {
        let rows = self.desk.runs(None, LIST_RUNS_MAX).await?;
        let fits = |(row, summary): &(SessionRow, Summary)| {
            let (own, to_decide) = (caller.asked(&summary.requester), summary.approval.is_some());
            let state = snapshot::standing(summary, row.stuck.is_some(), self.pause_as);
            list.context.as_deref().is_none_or(|context| row.session.as_str() == context)
                && list.after.is_none_or(|after| row.changed > after)
                && list.state.is_none_or(|wanted| state == wanted)
                && caller.may_to(Power::Look, Standing { own, to_decide })
        };
        let fitting: Vec<(SessionRow, Summary)> = rows.into_iter().filter(fits).collect();
        let total = fitting.len();
        let page_size = usize::try_from(list.page_size).unwrap_or(usize::MAX);
        let id = |(row, summary): &(SessionRow, Summary)| task_id(&row.session, summary.round);
        let from = match &list.page_token {
            None => 0,
            Some(token) => {
                let last = fitting.iter().position(|one| id(one) == *token);
                last.map(|at| at + 1)
                    .ok_or_else(|| Fault::params("params.pageToken", "is no token of a page"))?
            }
        };
        let look = self.look(Accepts::Data);
        let mut tasks = Vec::new();
        for (row, summary) in fitting.into_iter().skip(from).take(page_size) {
            let mut task = rounds::task(&self.desk, &row.session, summary.round, look).await?;
            if list.artifacts == WithArtifacts::No {
                task.artifacts.clear();
            }
            task.history = self.said(&row.session, &task, list.history).await?;
            tasks.push(task);
        }
        let more = from + tasks.len() < total;
        let next = tasks.last().filter(|_| more).map(|task| task.id.clone()).unwrap_or_default();
        Ok(Page { page_size: list.page_size, total, next, tasks })
    }

    /// What this session does next, it does for the request that is served.
    fn leads_to(&self, run: &SessionId) {
        if let Some(traced) = &self.traced {
            traced.leads_to(run, self.desk.clock.now());
        }
    }

    pub(super) fn look(&self, accepts: Accepts) -> Look {
        Look { pause_as: self.pause_as, accepts }
    }

    /// Takes a message in.
    pub(super) async fn accept(&self, caller: &Caller, send: &Send) -> Result<Ticket, Fault> {
        self.may_push(caller, send)?;
        let (run, known) = self.place(caller, send).await?;
        if let Some(decision) = &send.decision {
            if !send.words.trim().is_empty() {
                return Err(Fault::params("params.message.parts", "decide by data or by words, not by both"));
            }
            let known = known.ok_or_else(|| Fault::NoSuchTask { id: run.to_string() })?;
            if !caller.may_to(Power::Decide, known.standing) {
                return Err(Fault::Forbidden { what: "decide about this task" });
            }
            self.leads_to(&run);
            return self.decide(caller, decision, known).await;
        }
        if send.words.trim().is_empty() {
            return Err(Fault::params("params.message.parts", "say nothing"));
        }
        may_speak(caller, known.as_ref())?;
        self.check_tools(send)?;
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
            message_id: send.message_id.clone(),
        };
        self.leads_to(&ticket.run);
        match self.desk.start(ticket.run.clone(), dedup, start).await? {
            Posted::Accepted => {
                self.expected.note(&ticket.run, &caller.person, ticket.round);
                Ok(ticket)
            }
            Posted::Repeated { session } | Posted::Conflicting { session } => {
                if send.context.as_deref().is_some_and(|context| context != session.as_str()) {
                    return Err(Fault::IdUsed { context: session.to_string() });
                }
                let round = self.round_of(caller, &session, send).await?;
                Ok(Ticket { run: session, round, freshness: Freshness::Repeated, ..ticket })
            }
        }
    }

    /// A tool server of a request must be one that the operator allows. The worker refuses it too; here it is said at
    /// once, and nothing is taken in.
    fn check_tools(&self, send: &Send) -> Result<(), Fault> {
        let Some(url) = &send.extras.tools_endpoint else { return Ok(()) };
        if endpoint_allowed(&self.tools_allowed, url) {
            return Ok(());
        }
        let origin = reqwest::Url::parse(url).map(|url| url.origin().ascii_serialization());
        Err(Fault::ToolsNotAllowed { origin: echo(&origin.unwrap_or_default()) })
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
        if round > known.round() || (!closed && round == known.round()) {
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

    /// The round in which a repeated message was said first. Before its turn began it is not in the journal.
    async fn round_of(&self, caller: &Caller, run: &SessionId, send: &Send) -> Result<u32, Fault> {
        let heard = history::heard(&history::journal(&self.desk, run, 0).await?);
        let by_id = heard
            .iter()
            .find(|one| one.by == caller.person.as_str() && one.id.is_some() && one.id == send.message_id);
        // What was said before names were taken down is known by its words.
        let by_words = || heard.iter().rev().find(|one| is_same(one, &caller.person, &send.words));
        match by_id.or_else(by_words) {
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
        if let (Some(open), Some(plan)) = (&open, &decision.plan)
            && open.id == decision.approval
            && open.plan.to_string() != *plan
        {
            return Err(Fault::params("planHash", "is not that of the plan that waits"));
        }
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
}

/// Whether a caller may say something here: a requester for themselves, an approver where a plan waits.
fn may_speak(caller: &Caller, known: Option<&Known>) -> Result<(), Fault> {
    let Some(known) = known else { return caller.may(Power::Ask) };
    let waits = known.summary.as_ref().is_some_and(|summary| summary.approval.is_some());
    let decides = waits && caller.may_to(Power::Decide, known.standing);
    if decides || caller.may_to(Power::Ask, known.standing) {
        return Ok(());
    }
    Err(Fault::Forbidden { what: "send messages to this task" })
}

fn is_same(heard: &Heard, by: &PersonId, words: &str) -> bool {
    heard.by == by.as_str() && heard.text == words
}

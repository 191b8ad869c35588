//! Takes messages in: words and decisions, each name once.

use purple_port::command::{Action, Choice, Decide, Receipt, Reviewed, Words};
use purple_port::event::Channel;
use purple_port::view::Status;
use purple_port::{Awaited, Command, SessionId, redact_json};
use serde_json::{Value, json};

use super::counter::{About, Counter, Ticket};
use super::fault::{Fault, echo};
use super::known::Known;
use super::model::{Answer, Decision, Send};
use super::snapshot::ROUND_MARK;
use super::story::{Heard, Name, Place, Said, Story};
use crate::auth::Caller;
use crate::permit::Power;

impl Counter {
    /// Takes a message in.
    pub(super) async fn accept(&self, caller: &Caller, send: &Send) -> Result<Ticket, Fault> {
        self.may_push(caller, send)?;
        let (run, known, named) = self.place(caller, send).await?;
        if let Some(decision) = &send.decision {
            if !send.words.trim().is_empty() {
                return Err(Fault::params("params.message.parts", "decide by data or by words, not by both"));
            }
            let known = known.ok_or_else(|| Fault::NoSuchTask { id: run.to_string() })?;
            if !caller.may_to(Power::Decide, known.standing) {
                return Err(Fault::Forbidden { what: "decide about this task" });
            }
            return self.decide(caller, send, decision, known).await;
        }
        may_speak(caller, known.as_ref())?;
        if let Some(known) = &known
            && let Some((seq, round)) = self.said_before(caller, send, (known, named)).await?
        {
            let awaited = vec![Awaited::turn_of(seq, round)];
            return Ok(Ticket { run, about: About::Words(seq), awaited });
        }
        let words = Words {
            text: send.words.clone(),
            policy: send.extras.policy.clone(),
            tools_endpoint: send.extras.tools_endpoint.clone(),
        };
        self.submit(caller, send, run, Action::Say(words)).await
    }

    /// Submits what a message says.
    async fn submit(
        &self,
        caller: &Caller,
        send: &Send,
        run: SessionId,
        action: Action,
    ) -> Result<Ticket, Fault> {
        self.leads_to(&run);
        let (by, id) = (caller.person.clone(), send.message_id.clone());
        let command = Command { run: run.clone(), by, channel: Channel::A2a, id, action };
        let receipt = self.worker.submit(command).await?;
        let elsewhere = (send.context.is_some() || send.task.is_some()) && receipt.run != run;
        if elsewhere {
            return Err(Fault::IdUsed { context: receipt.run.to_string() });
        }
        let Receipt { run, id, awaited, .. } = receipt;
        Ok(Ticket { run, about: About::Message(Name::of(&caller.person, &id)), awaited: vec![awaited] })
    }

    /// The session that a message belongs to, what is known of it, and the task that it names.
    async fn place(
        &self,
        caller: &Caller,
        send: &Send,
    ) -> Result<(SessionId, Option<Known>, Option<Place>), Fault> {
        if let Some(id) = &send.task {
            let found = self.find(caller, id).await?;
            let run = found.known.row.session.clone();
            if send.context.as_deref().is_some_and(|context| context != run.as_str()) {
                return Err(Fault::params("params.message.contextId", "is not that of the task"));
            }
            return Ok((run, Some(found.known), Some(found.place)));
        }
        let Some(context) = send.context.as_ref().or(send.extras.session.as_ref()) else {
            let run = self.ids.fresh().map_err(|_| Fault::NotNow)?;
            return Ok((run, None, None));
        };
        let place = "params.message.contextId";
        let run = SessionId::parse(context).map_err(|error| Fault::params(place, error.to_string()))?;
        if context.contains(ROUND_MARK) {
            return Err(Fault::params(place, format!("must not contain `{ROUND_MARK}`")));
        }
        let known = self.known(caller, &run).await?;
        Ok((run, known, None))
    }

    /// Where and in which round words were said before, if they were. A task that is over takes no further ones.
    async fn said_before(
        &self,
        caller: &Caller,
        send: &Send,
        (known, named): (&Known, Option<Place>),
    ) -> Result<Option<(u64, u32)>, Fault> {
        let over = named.as_ref().is_some_and(|place| is_over(known, place));
        if !over && send.message_id.is_some() {
            return Ok(None);
        }
        let story = Story::of(&self.worker, &known.row.session).await?;
        if !over {
            return Ok(repeated(caller, send, known, &story));
        }
        let same = |heard: &&Heard| {
            let here = story.place(heard) == named;
            here && heard.by == caller.person.as_str() && heard.said.is(&send.words)
        };
        let heard = match &send.message_id {
            Some(id) => story.find(&Name::of(&caller.person, id)),
            None => story.heard.iter().find(same),
        };
        match heard {
            Some(heard) if heard.said.is(&send.words) => Ok(Some((heard.seq, heard.round))),
            Some(_) => Err(Fault::IdUsed { context: known.row.session.to_string() }),
            None => Err(Fault::Unsupported {
                what: "the task is over; go on in its context without naming the task",
            }),
        }
    }

    /// Puts a decision to the plan that waits. One that was taken before is answered with what came of it.
    async fn decide(
        &self,
        caller: &Caller,
        send: &Send,
        decision: &Decision,
        known: Known,
    ) -> Result<Ticket, Fault> {
        let run = known.row.session.clone();
        let open = known.summary.as_ref().and_then(|summary| summary.approval.clone());
        let Some(open) = open.filter(|open| open.id == decision.approval) else {
            let (about, awaited) = self.decided_before(caller, send, (decision, &run)).await?;
            self.leads_to(&run);
            return Ok(Ticket { run, about, awaited: vec![awaited] });
        };
        if decision.plan.as_ref().is_some_and(|plan| open.plan.to_string() != *plan) {
            return Err(Fault::params("planHash", "is not that of the plan that waits"));
        }
        let choice = match &decision.answer {
            Answer::Approve => Choice::Approve,
            Answer::ApproveSome(names) => Choice::ApproveSome(names.clone()),
            Answer::Reject { reason } => Choice::Reject { reason: reason.clone() },
        };
        let read = Reviewed { plan: open.plan, card: open.card };
        let action = Action::Decide(Decide { read, choice, body: Some(written(decision)) });
        self.submit(caller, send, run, action).await
    }

    /// A decision about a plan that does not wait any more, if the same was made before: by this message, or by this
    /// person.
    async fn decided_before(
        &self,
        caller: &Caller,
        send: &Send,
        (decision, run): (&Decision, &SessionId),
    ) -> Result<(About, Awaited), Fault> {
        let story = Story::of(&self.worker, run).await?;
        let name = send.message_id.as_ref().map(|id| Name::of(&caller.person, id));
        if let Some(heard) = name.and_then(|name| story.find(&name)) {
            let same = heard.said == Said::Decision(redact_json(written(decision)));
            return match same {
                true => Ok((About::Words(heard.seq), Awaited::turn_of(heard.seq, heard.round))),
                false => Err(Fault::IdUsed { context: run.to_string() }),
            };
        }
        let taken = story
            .decided
            .iter()
            .filter(|one| one.approval == decision.approval && one.by == caller.person.as_str())
            .find(|one| one.rejects == matches!(decision.answer, Answer::Reject { .. }));
        let why = format!("`{}` is not open", echo(&decision.approval));
        taken
            .map(|taken| (About::Task(Place::Round(taken.round)), Awaited::turn_of(taken.seq, taken.round)))
            .ok_or_else(|| Fault::params("approvalId", why))
    }
}

/// Words without a name that were said before.
///
/// Callers of 0.1 repeat a request when its answer is late. The last words of a run that works or is over, and the
/// words that opened the round of a run that waits, are such a repetition; words at a gate are not, since five
/// gates in a row may be answered alike.
fn repeated(caller: &Caller, send: &Send, known: &Known, story: &Story) -> Option<(u64, u32)> {
    let status = known.summary.as_ref().map(|summary| summary.status);
    let candidate = match status {
        Some(Status::Waiting | Status::InDoubt | Status::Halted) => {
            story.heard.iter().find(|heard| heard.round == known.round() && heard.aside.is_none())
        }
        Some(Status::Working | Status::WaitingModel | Status::Closed) | None => story.heard.last(),
    };
    let is_same = |heard: &&Heard| heard.by == caller.person.as_str() && heard.said.is(&send.words);
    candidate.filter(is_same).map(|heard| (heard.seq, heard.round))
}

/// Whether the named task is over.
fn is_over(known: &Known, place: &Place) -> bool {
    let closed = known.summary.as_ref().is_some_and(|summary| summary.status == Status::Closed);
    match place {
        Place::Round(round) => *round < known.round() || (closed && *round == known.round()),
        Place::Aside(_) => true,
        Place::Queued(_) => false,
    }
}

/// A decision as the data that it came as.
fn written(decision: &Decision) -> Value {
    let mut out = json!({"approvalId": decision.approval});
    match &decision.answer {
        Answer::Approve => out["decision"] = json!("approve"),
        Answer::ApproveSome(names) => {
            out["decision"] = json!("approve");
            out["operations"] = json!(names);
        }
        Answer::Reject { reason } => {
            out["decision"] = json!("reject");
            out["reason"] = json!(reason);
        }
    }
    if let Some(plan) = &decision.plan {
        out["planHash"] = json!(plan);
    }
    out
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

//! Takes messages in: words and decisions, each name once.

use purple_port::event::{Channel, Sent, Start, Verdict};
use purple_port::view::Status;
use purple_port::{DedupKey, Digest, Posted, SessionId, StepId, redact_json};
use purple_worker::endpoint_allowed;
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
            self.leads_to(&run);
            return self.decide(caller, send, decision, known).await;
        }
        if send.words.trim().is_empty() {
            return Err(Fault::params("params.message.parts", "say nothing"));
        }
        may_speak(caller, known.as_ref())?;
        self.check_tools(send)?;
        let since = known.as_ref().map_or(0, |known| known.row.entries);
        let name = self.name(caller, send, since);
        let ticket = Ticket { run, about: About::Message(name.clone()), since };
        if let Some(known) = &known
            && let Some(about) = self.said_before(caller, send, (known, named)).await?
        {
            return Ok(Ticket { about, ..ticket });
        }
        // A session that exists takes a start as further words, so that a repetition is the same event either way.
        let start = Start {
            text: send.words.clone(),
            by: caller.person.clone(),
            channel: Channel::A2a,
            policy: send.extras.policy.clone(),
            tools_endpoint: send.extras.tools_endpoint.clone(),
            message_id: Some(message_id(send, since)),
        };
        self.leads_to(&ticket.run);
        let posted =
            self.desk.start(ticket.run.clone(), key(caller, send, &ticket.run, since), start).await?;
        ours(send, ticket, posted)
    }

    /// What the message is called. One without a name is known by its words and where they were said.
    fn name(&self, caller: &Caller, send: &Send, since: u64) -> Name {
        Name::of(&caller.person, &message_id(send, since))
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

    /// Words that were said before, and where. A task that is over takes no further ones.
    async fn said_before(
        &self,
        caller: &Caller,
        send: &Send,
        (known, named): (&Known, Option<Place>),
    ) -> Result<Option<About>, Fault> {
        let over = named.as_ref().is_some_and(|place| is_over(known, place));
        if !over && send.message_id.is_some() {
            return Ok(None);
        }
        let story = Story::of(&self.desk, &known.row.session).await?;
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
            Some(heard) if heard.said.is(&send.words) => Ok(Some(About::Words(heard.seq))),
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
        let (run, since) = (known.row.session.clone(), known.row.entries);
        let about = About::Message(self.name(caller, send, since));
        let ticket = Ticket { run: run.clone(), about, since };
        let open = known.summary.as_ref().and_then(|summary| summary.approval.clone());
        let Some(open) = open.filter(|open| open.id == decision.approval) else {
            let about = self.decided_before(caller, send, (decision, &run)).await?;
            return Ok(Ticket { about, ..ticket });
        };
        if decision.plan.as_ref().is_some_and(|plan| open.plan.to_string() != *plan) {
            return Err(Fault::params("planHash", "is not that of the plan that waits"));
        }
        let (steps, reason) = match &decision.answer {
            Answer::Approve => (self.steps(&run, None).await?, None),
            Answer::ApproveSome(names) => (self.steps(&run, Some(names)).await?, None),
            Answer::Reject { reason } => (Vec::new(), Some(reason.clone())),
        };
        let verdict = Verdict {
            plan: open.plan,
            steps,
            reason,
            by: caller.person.clone(),
            channel: Channel::A2a,
            shown: open.card.0,
            message: Some(Sent { id: message_id(send, since), body: written(decision) }),
        };
        let posted = self.desk.decided_in(run.clone(), key(caller, send, &run, since), verdict).await?;
        ours(send, ticket, posted)
    }

    /// A decision about a plan that does not wait any more, if it was made before: by this message, or by this person.
    async fn decided_before(
        &self,
        caller: &Caller,
        send: &Send,
        (decision, run): (&Decision, &SessionId),
    ) -> Result<About, Fault> {
        let story = Story::of(&self.desk, run).await?;
        let name = send.message_id.as_ref().map(|id| Name::of(&caller.person, id));
        if let Some(heard) = name.and_then(|name| story.find(&name)) {
            let same = heard.said == Said::Decision(redact_json(written(decision)));
            return match same {
                true => Ok(About::Words(heard.seq)),
                false => Err(Fault::IdUsed { context: run.to_string() }),
            };
        }
        let taken = story
            .decided
            .iter()
            .find(|one| one.approval == decision.approval && one.by == caller.person.as_str());
        let why = format!("`{}` is not open", echo(&decision.approval));
        taken
            .map(|taken| About::Task(Place::Round(taken.round)))
            .ok_or_else(|| Fault::params("approvalId", why))
    }

    /// The named steps of the plan that waits, or all of them.
    async fn steps(&self, run: &SessionId, names: Option<&[String]>) -> Result<Vec<StepId>, Fault> {
        let all = self.desk.view(run).await?.card.map(|card| card.steps()).unwrap_or_default();
        let Some(names) = names else { return Ok(all) };
        let strange = names.iter().find(|name| !all.iter().any(|step| step.as_str() == name.as_str()));
        if let Some(name) = strange {
            return Err(Fault::params(
                "operations",
                format!("name no operation `{}` of the plan", echo(name)),
            ));
        }
        Ok(all.into_iter().filter(|step| names.iter().any(|name| name == step.as_str())).collect())
    }
}

/// Words without a name that were said before.
///
/// Callers of 0.1 repeat a request when its answer is late. The last words of a run that works or is over, and the
/// words that opened the round of a run that waits, are such a repetition; words at a gate are not, since five
/// gates in a row may be answered alike.
fn repeated(caller: &Caller, send: &Send, known: &Known, story: &Story) -> Option<About> {
    let status = known.summary.as_ref().map(|summary| summary.status);
    let candidate = match status {
        Some(Status::Waiting | Status::InDoubt | Status::Halted) => {
            story.heard.iter().find(|heard| heard.round == known.round() && heard.aside.is_none())
        }
        Some(Status::Working | Status::WaitingModel | Status::Closed) | None => story.heard.last(),
    };
    let is_same = |heard: &&Heard| heard.by == caller.person.as_str() && heard.said.is(&send.words);
    candidate.filter(is_same).map(|heard| About::Words(heard.seq))
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

/// The ticket of what was posted, now or before.
fn ours(send: &Send, ticket: Ticket, posted: Posted) -> Result<Ticket, Fault> {
    let session = match posted {
        Posted::Accepted => return Ok(ticket),
        Posted::Repeated { session } => session,
        Posted::Conflicting { session } => return Err(Fault::IdUsed { context: session.to_string() }),
    };
    let elsewhere = (send.context.is_some() || send.task.is_some()) && session != ticket.run;
    if elsewhere {
        return Err(Fault::IdUsed { context: session.to_string() });
    }
    // It may have been said long ago.
    Ok(Ticket { run: session, since: 0, ..ticket })
}

/// What makes a post this message and no other.
fn key(caller: &Caller, send: &Send, run: &SessionId, since: u64) -> DedupKey {
    let id = message_id(send, since);
    match &send.message_id {
        Some(_) => DedupKey(format!("a2a:{}:{id}", caller.person)),
        None => DedupKey(format!("send:{}:{run}:{id}", caller.person)),
    }
}

/// What its sender calls a message. One without a name is called by what it says and where it was said.
fn message_id(send: &Send, since: u64) -> String {
    send.message_id.clone().unwrap_or_else(|| {
        let decision = send.decision.as_ref().map(written);
        let said = format!("{since}\n{}\n{}", send.words, decision.unwrap_or_default());
        format!("words-{}", Digest::of(said.as_bytes()).to_string().rsplit(':').next().unwrap_or_default())
    })
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

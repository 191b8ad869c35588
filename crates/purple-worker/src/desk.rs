//! What every door calls: the command line, the server, tests. It parses nothing and decides nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use jiff::Timestamp;
use purple_journal::Record;
use purple_journal::record::approval::Approval;
use purple_journal::record::turn::Turn;
use purple_journal::word::EventName;
use purple_process::{Digest, PersonId, PlanHash, SessionId, StepId};

use crate::card::Card;
use crate::event::{Called, Channel, Edit, Event, Message, Refused, Sent, Settlement, Start, Verdict};
use crate::limits::TASK_BYTES_MAX;
use crate::port::{
    BlobHash, Blobs, Brake, Clock, DedupKey, Events, Halt, Inbox, Post, Posted, Recorded, SessionRow,
};
use crate::prime::privacy::{Refusal, guard, redact, redact_json};
use crate::view::{RunView, Status, Summary};

pub use purple_port::client::{Choice, ClientError as DeskError};

/// The ports behind a desk.
#[derive(Clone)]
pub struct Desk {
    /// Where events go in.
    pub inbox: Arc<dyn Inbox>,
    /// Where journals and summaries come out.
    pub events: Arc<dyn Events>,
    /// Where cards and answers are.
    pub blobs: Arc<dyn Blobs>,
    /// The operator's stop.
    pub brake: Arc<dyn Brake>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

/// The most runs that are looked through for a prefix.
const PREFIX_RUNS_MAX: usize = 5_000;
const PAGE: usize = 500;
/// Whether a record is the last one of a turn that is over.
pub(crate) const fn ends_turn(record: &Record) -> bool {
    matches!(record, Record::Turn(Turn::Ended(_) | Turn::EventIgnored(_)))
}

impl Desk {
    /// Takes a task in. `Repeated` names the run of the first one.
    pub async fn start(&self, run: SessionId, dedup: DedupKey, start: Start) -> Result<Posted, DeskError> {
        let refused = match admitted(&start.text, &start.by, start.channel, start.message_id.as_ref())? {
            Some(refused) => Some(refused),
            // What comes with a task is stored like the task, so it is guarded like it.
            None => start.policy.as_ref().and_then(|policy| guarded(policy, &start)),
        };
        let event = match refused {
            Some(refused) => Event::Refused(refused),
            None => Event::Start(start),
        };
        self.post(run, dedup, event).await
    }

    /// Takes a further message in.
    pub async fn say(&self, run: SessionId, dedup: DedupKey, message: Message) -> Result<Posted, DeskError> {
        let event = match admitted(&message.text, &message.by, message.channel, None)? {
            Some(refused) => Event::Refused(refused),
            None => Event::Message(message),
        };
        self.post(run, dedup, event).await
    }

    /// Decides about the plan that waits. The first durable decision of a person about a plan counts.
    pub async fn decide(
        &self,
        run: &SessionId,
        by: PersonId,
        channel: Channel,
        choice: Choice,
    ) -> Result<Posted, DeskError> {
        let row = self.row(run).await?;
        let nothing = || DeskError::NothingWaits { run: run.clone() };
        let approval = summary(&row)?.approval.ok_or_else(nothing)?;
        let card: Card = self.blob(run, approval.card, "card").await?;
        let (steps, reason) = match choice {
            Choice::Approve => (card.steps(), None),
            Choice::ApproveSome(steps) => (steps, None),
            Choice::Reject { reason } => (Vec::new(), Some(reason)),
        };
        let shown: Digest = approval.card.0;
        let verdict = Verdict { plan: approval.plan, steps, reason, by, channel, shown, message: None };
        self.post_decision(row, verdict).await
    }

    /// Posts a decision that names its plan itself. The same one twice at the same moment is one; whether a later one
    /// counts is for the worker to say.
    pub async fn decided(&self, run: SessionId, verdict: Verdict) -> Result<Posted, DeskError> {
        let row = self.row(&run).await?;
        self.post_decision(row, verdict).await
    }

    /// Posts a decision that came in a message of its own name: the same name means the same decision for ever.
    pub async fn decided_in(
        &self,
        run: SessionId,
        dedup: DedupKey,
        verdict: Verdict,
    ) -> Result<Posted, DeskError> {
        let message = verdict.message.map(|sent| Sent { body: redact_json(sent.body), ..sent });
        let verdict = Verdict { reason: verdict.reason.as_deref().map(redact), message, ..verdict };
        self.post(run, dedup, Event::Decision(verdict)).await
    }

    async fn post_decision(&self, row: SessionRow, verdict: Verdict) -> Result<Posted, DeskError> {
        let verdict = Verdict { reason: verdict.reason.as_deref().map(redact), ..verdict };
        let SessionRow { session: run, entries, .. } = row;
        let PlanHash(plan) = verdict.plan;
        let steps: Vec<&str> = verdict.steps.iter().map(StepId::as_str).collect();
        let reason = verdict.reason.as_deref().unwrap_or_default();
        let what = Digest::of(format!("{}:{}:{reason}", verdict.shown, steps.join(",")).as_bytes());
        let dedup = DedupKey(format!("decision:{run}:{plan}:{}:{what}:{entries}", verdict.by));
        self.post(run, dedup, Event::Decision(verdict)).await
    }

    /// Puts other values into the plan that waits. It becomes a new plan, which is judged and asked again.
    pub async fn edit(
        &self,
        run: &SessionId,
        by: PersonId,
        channel: Channel,
        fields: BTreeMap<String, String>,
    ) -> Result<Posted, DeskError> {
        let view = self.view(run).await?;
        let open = view.summary.approval.ok_or_else(|| DeskError::NothingWaits { run: run.clone() })?;
        self.edited(run.clone(), Edit { plan: open.plan, fields, by, channel, shown: open.card.0 }).await
    }

    /// Posts an edit that names its plan itself. Whether it is taken is for the worker to say.
    pub async fn edited(&self, run: SessionId, edit: Edit) -> Result<Posted, DeskError> {
        let bytes: usize = edit.fields.iter().map(|(name, text)| name.len() + text.len()).sum();
        if bytes > TASK_BYTES_MAX {
            return Err(DeskError::TooLong { bytes, bytes_max: TASK_BYTES_MAX });
        }
        let fields = edit.fields.iter().map(|(name, text)| (name.clone(), redact(text))).collect();
        let edit = Edit { fields, ..edit };
        let missing = || DeskError::NoSuchRun { run: run.to_string() };
        let entries = self.events.session(&run).await?.ok_or_else(missing)?.entries;
        let what = Digest::of(format!("{}:{:?}", edit.shown, edit.fields).as_bytes());
        let dedup = DedupKey(format!("edit:{run}:{}:{what}:{entries}", edit.by));
        self.post(run, dedup, Event::Edit(edit)).await
    }

    /// Asks for the undo of a verified operation of the session, the latest of that name. It becomes a new plan.
    pub async fn undo(
        &self,
        run: &SessionId,
        step: StepId,
        by: PersonId,
        channel: Channel,
    ) -> Result<Posted, DeskError> {
        self.undo_in(run, step, None, by, channel).await
    }

    /// The same for an operation of one round.
    pub async fn undo_in(
        &self,
        run: &SessionId,
        step: StepId,
        round: Option<u32>,
        by: PersonId,
        channel: Channel,
    ) -> Result<Posted, DeskError> {
        let dedup = DedupKey(format!("undo:{run}:{step}:{round:?}:{}", self.view(run).await?.entries));
        self.post(run.clone(), dedup, Event::Undo { step, round, by, channel }).await
    }

    /// Settles an operation that is in doubt.
    pub async fn settle(
        &self,
        run: &SessionId,
        step: StepId,
        done: Settlement,
        by: PersonId,
    ) -> Result<Posted, DeskError> {
        // Two people may find out different things; the first one that is taken counts.
        let found = match done {
            Settlement::Done => "done",
            Settlement::NotDone => "not done",
        };
        let dedup = DedupKey(format!("settle:{run}:{step}:{found}:{by}:{}", self.view(run).await?.entries));
        self.post(run.clone(), dedup, Event::Settled { step, done, by }).await
    }

    /// Calls a run off, whichever round is open.
    pub async fn cancel(&self, run: &SessionId, by: PersonId, reason: String) -> Result<Posted, DeskError> {
        self.cancel_round(run, None, by, reason).await
    }

    /// Calls one round of a run off. Where another one is open when it is its turn, nothing happens.
    pub async fn cancel_round(
        &self,
        run: &SessionId,
        round: Option<u32>,
        by: PersonId,
        reason: String,
    ) -> Result<Posted, DeskError> {
        // Also before its first turn has ended, when there is no summary to be viewed.
        let entries = self.row(run).await?.entries;
        let which = round.map(|round| format!(":{round}")).unwrap_or_default();
        let dedup = DedupKey(format!("cancel:{run}:{entries}{which}"));
        let event = Event::Cancel { by, reason: redact(&reason), round, message: None };
        self.post(run.clone(), dedup, event).await
    }

    /// Calls the task of a message off, whose turn may not have come. Other tasks of the run stay as they are.
    pub async fn cancel_message(
        &self,
        run: &SessionId,
        message: Called,
        by: PersonId,
    ) -> Result<Posted, DeskError> {
        let entries = self.row(run).await?.entries;
        let dedup = DedupKey(format!("cancel:{run}:{entries}:{}:{}", message.by, message.id));
        let event = Event::Cancel { by, reason: String::new(), round: None, message: Some(message) };
        self.post(run.clone(), dedup, event).await
    }

    /// Stops the start of operations.
    pub async fn halt(&self, process: Option<String>, by: PersonId, reason: String) -> Result<(), DeskError> {
        Ok(self.brake.halt(Halt { process, by, reason: redact(&reason), at: self.clock.now() }).await?)
    }

    /// Ends a stop and wakes the runs that it kept waiting. Answers whether there was one.
    pub async fn resume(&self, process: Option<&str>) -> Result<bool, DeskError> {
        let was = self.brake.resume(process).await?;
        for run in self.brake.held().await? {
            let entries = self.events.session(&run).await?.map_or(0, |row| row.entries);
            let dedup = DedupKey(format!("resume:{run}:{entries}"));
            self.post(run, dedup, Event::Continue).await?;
        }
        Ok(was)
    }

    /// One run in full.
    pub async fn view(&self, run: &SessionId) -> Result<RunView, DeskError> {
        let row = self.row(run).await?;
        self.view_of(row).await
    }

    async fn row(&self, run: &SessionId) -> Result<SessionRow, DeskError> {
        let missing = || DeskError::NoSuchRun { run: run.to_string() };
        self.events.session(run).await?.ok_or_else(missing)
    }

    async fn view_of(&self, row: SessionRow) -> Result<RunView, DeskError> {
        let summary = summary(&row)?;
        let card = match &summary.approval {
            Some(approval) => Some(self.blob(&row.session, approval.card, "card").await?),
            None => None,
        };
        let answer = match summary.answer {
            Some(hash) => Some(self.blob(&row.session, hash, "answer").await?),
            None => None,
        };
        let SessionRow { session, began, changed, entries, stuck, .. } = row;
        let stuck = stuck.map(|stuck| stuck.reason);
        Ok(RunView { run: session, began, changed, entries, summary, card, answer, stuck })
    }

    /// The card that people were shown last, also after they decided.
    pub async fn last_card(&self, run: &SessionId, journal: &[Recorded]) -> Result<Option<Card>, DeskError> {
        let card = |recorded: &Recorded| {
            let Record::Approval(Approval::Asked(asked)) = recorded.record() else { return None };
            Some(asked.card)
        };
        match journal.iter().rev().find_map(card) {
            Some(hash) => Ok(Some(self.blob(run, hash, "card").await?)),
            None => Ok(None),
        }
    }

    /// The runs, the last changed first, at a glance.
    pub async fn runs(
        &self,
        after: Option<&SessionId>,
        limit: usize,
    ) -> Result<Vec<(SessionRow, Summary)>, DeskError> {
        let rows = self.events.sessions(after, limit).await?;
        // A session that was accepted and has had no turn yet has no summary.
        Ok(rows.into_iter().filter_map(|row| Some((row.clone(), summary(&row).ok()?))).collect())
    }

    /// The run whose id begins so.
    pub async fn find(&self, prefix: &str) -> Result<SessionId, DeskError> {
        let mut found: Vec<SessionId> = Vec::new();
        let mut after: Option<SessionId> = None;
        let mut seen = 0;
        loop {
            let rows = self.events.sessions(after.as_ref(), PAGE).await?;
            let Some(last) = rows.last() else { break };
            after = Some(last.session.clone());
            seen += rows.len();
            for row in rows {
                if row.session.as_str() == prefix {
                    return Ok(row.session);
                }
                if row.session.as_str().starts_with(prefix) {
                    found.push(row.session);
                }
            }
            if seen >= PREFIX_RUNS_MAX {
                break;
            }
        }
        match found.len() {
            0 => Err(DeskError::NoSuchRun { run: prefix.to_owned() }),
            1 => Ok(found.swap_remove(0)),
            _ => {
                let runs = found.iter().take(8).map(ToString::to_string).collect();
                Err(DeskError::Ambiguous { prefix: prefix.to_owned(), runs })
            }
        }
    }

    /// Entries of a run's journal after `seq`.
    pub async fn trace(&self, run: &SessionId, seq: u64, limit: usize) -> Result<Vec<Recorded>, DeskError> {
        Ok(self.events.since(run, seq, limit).await?)
    }

    /// Waits until the run has moved beyond `seq` and does not work any more: it waits, is in doubt, or is closed.
    /// A timer alone, such as that of a note for a waiting card, does not move a run that waits on.
    pub async fn settled(&self, run: &SessionId, seq: u64) -> Result<RunView, DeskError> {
        loop {
            let row = self.events.session(run).await?;
            let entries = row.as_ref().map_or(0, |row| row.entries);
            if let Some(row) = row
                && entries > seq
            {
                let status = summary(&row).map(|summary| summary.status).ok();
                let rests = match status {
                    Some(Status::Working) => false,
                    Some(Status::Waiting | Status::InDoubt) => self.was_moved(run, seq, entries).await?,
                    Some(Status::WaitingModel | Status::Halted | Status::Closed) | None => true,
                };
                if row.stuck.is_some() || (rests && self.between_turns(run, entries).await?) {
                    return self.view_of(row).await;
                }
            }
            self.events.changed(run, entries.max(seq)).await?;
        }
    }

    /// Whether more than timers have begun turns after `seq`, as far as `until`: what came later is not in the row that
    /// is judged.
    async fn was_moved(&self, run: &SessionId, seq: u64, until: u64) -> Result<bool, DeskError> {
        let (mut seen, mut only_timers) = (seq, false);
        loop {
            let mut entries = self.events.since(run, seen, PAGE).await?;
            entries.retain(|one| one.seq <= until);
            for one in &entries {
                let Record::Turn(Turn::Began(began)) = one.record() else { continue };
                only_timers = began.event == EventName::Timer;
                if !only_timers {
                    return Ok(true);
                }
            }
            let Some(last) = entries.last() else { return Ok(!only_timers) };
            seen = last.seq;
        }
    }

    /// Whether the last turn ended. In the middle of one, entries may be durable before the summary that belongs to them.
    async fn between_turns(&self, run: &SessionId, entries: u64) -> Result<bool, DeskError> {
        let last = self.events.since(run, entries.saturating_sub(1), 1).await?;
        Ok(last.last().is_some_and(|last| ends_turn(last.record())))
    }

    async fn post(&self, run: SessionId, dedup: DedupKey, event: Event) -> Result<Posted, DeskError> {
        match self.inbox.post(Post { session: run, dedup, due: None::<Timestamp>, event }).await? {
            Posted::Conflicting { session } => Err(DeskError::Conflicting { run: session }),
            posted @ (Posted::Accepted | Posted::Repeated { .. }) => Ok(posted),
        }
    }

    async fn blob<T: serde::de::DeserializeOwned>(
        &self,
        run: &SessionId,
        hash: BlobHash,
        what: &'static str,
    ) -> Result<T, DeskError> {
        let unreadable = || DeskError::Unreadable { what, run: run.clone() };
        let bytes = self.blobs.get(hash).await?.ok_or_else(unreadable)?;
        serde_json::from_slice(&bytes).map_err(|_| unreadable())
    }
}

/// The no to a policy that holds a secret.
fn guarded(policy: &serde_json::Value, start: &Start) -> Option<Refused> {
    let texts = policy.as_str().map_or_else(|| policy.to_string(), str::to_owned);
    let refusal = guard(&texts).err().filter(|refusal| refusal.code.is_literal())?;
    Some(Refused {
        code: refusal.code,
        text: redact(&start.text),
        by: start.by.clone(),
        channel: start.channel,
        message_id: start.message_id.clone(),
    })
}

/// Words at the door. Those that the guard refuses go in redacted: what is not stored cannot leak.
fn admitted(
    text: &str,
    by: &PersonId,
    channel: Channel,
    message_id: Option<&String>,
) -> Result<Option<Refused>, DeskError> {
    if text.len() > TASK_BYTES_MAX {
        return Err(DeskError::TooLong { bytes: text.len(), bytes_max: TASK_BYTES_MAX });
    }
    let refused = |refusal: Refusal| Refused {
        code: refusal.code,
        text: redact(text),
        by: by.clone(),
        channel,
        message_id: message_id.cloned(),
    };
    Ok(guard(text).err().map(refused))
}

fn summary(row: &SessionRow) -> Result<Summary, DeskError> {
    serde_json::from_value(row.summary.clone())
        .map_err(|_| DeskError::Unreadable { what: "summary", run: row.session.clone() })
}

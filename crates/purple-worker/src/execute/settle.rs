//! Reads an operation back and takes down how it came out, by the table of [`crate::execute::outcome`].

use std::collections::BTreeMap;
use std::time::Duration;

use purple_journal::record::write;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{Check, Effect, Operation, Outcome, PersonId, Repeat, Started};
use serde_json::{Value, json};

use crate::execute::call::{brief, cut};
use crate::execute::dispatch::Asked;
use crate::execute::operate::{LOOK, Underway};
use crate::execute::outcome::{Found, Resend, Then, back_off, ruled, window};
use crate::execute::verify::{Compared, Look, compare, look, made_by_itself, results};
use crate::observe::changed;
use crate::run::{Phase, Run, result_of};
use crate::session::{Open, Reply, Stage, Trail};
use crate::view::Witness;

/// The longest value of a tool's result that a later step can refer to, in bytes as JSON.
const REFERRED_BYTES_MAX: usize = 4 * 1024;

/// What is known of how an operation came out.
pub(crate) struct Shown {
    /// The checked fields as they were read back.
    pub after: BTreeMap<String, Value>,
    /// What more is to be said.
    pub note: Option<String>,
    /// Who says so.
    pub witness: Witness,
}

impl Shown {
    /// A person says so, and nothing was read.
    pub(crate) fn by(person: &PersonId, note: String) -> Self {
        Self { after: BTreeMap::new(), note: Some(note), witness: Witness::Person(Redacted::of(person)) }
    }
}

impl Run<'_> {
    pub(crate) async fn look_again(&mut self, underway: Underway<'_>, open: Open) -> Phase<()> {
        let Some(operation) = underway.plan.operation(&open.step).cloned() else {
            return self.stop(underway, "an operation is gone").await;
        };
        self.reach(&underway, &operation).await?;
        self.verify(underway, operation, open).await
    }

    /// Reads back, and decides from what is seen how the operation came out.
    pub(crate) async fn verify(
        &mut self,
        mut underway: Underway<'_>,
        operation: Operation,
        mut open: Open,
    ) -> Phase<()> {
        let (found, after) = self.seen(&underway, &operation, &mut open).await?;
        let (resend, due) = self.may_resend(&underway, &operation, open.reply).await?;
        let window = window(open.looks, &self.settings.look_within, &self.settings.look_later);
        match ruled(found, open.reply, window, resend) {
            Then::PutOff => {
                let (why, key) = (open.why, underway.key(&operation.step));
                let (step, reason) = (operation.step.clone(), Redacted::of(&why));
                self.scribe.note(write::Withheld { step, key, why: reason })?;
                self.put_off(underway, &operation, &why).await
            }
            Then::Settled(outcome) => {
                let witness = if found == Found::Untold { Witness::Tool } else { Witness::ReadBack };
                let shown = Shown { after, note: None, witness };
                self.settled(underway, &operation, open, outcome, shown).await
            }
            Then::Ask => self.inquire(underway, &operation, open).await,
            Then::Offer => {
                let shown = Shown { after, note: Some(open.why.clone()), witness: Witness::ReadBack };
                Box::pin(self.offer_again(underway, &operation, open, shown)).await
            }
            Then::Resend if !due.is_zero() => {
                open.looks = open.looks.saturating_add(1);
                underway.running.open = Some(open);
                self.session.stage = Stage::Running(underway.running);
                self.wake(LOOK, due)
            }
            Then::Resend => Box::pin(self.send_again(underway, operation, open, Asked::ByLook)).await,
            Then::Look(wait) => {
                open.looks = open.looks.saturating_add(1);
                underway.running.open = Some(open);
                self.session.stage = Stage::Running(underway.running);
                self.wake(LOOK, wait)
            }
            Then::Doubt(wait) => self.doubt(underway, &operation, open, after, wait).await,
        }
    }

    /// What a look at the outside world shows, against what should be and what was.
    pub(crate) async fn seen(
        &self,
        underway: &Underway<'_>,
        operation: &Operation,
        open: &mut Open,
    ) -> Phase<(Found, BTreeMap<String, Value>)> {
        // It is found only by what it answered, and it did not answer: nothing can tell.
        if made_by_itself(operation) && open.result.is_none() && open.reply != Reply::Ok {
            return Ok((Found::Untold, BTreeMap::new()));
        }
        let mut known = results(&underway.plan, &underway.running.trail.started);
        known.extend(open.result.as_ref().and_then(result_of).map(|result| (operation.step.clone(), result)));
        let before: Option<BTreeMap<String, Value>> = self.fetch("before", open.before).await?;
        let Some(before) = before else { return Ok((Found::Untold, BTreeMap::new())) };
        Ok(match look(operation, &known, underway.catalogue, &self.reads()).await {
            Look::Nothing => (Found::Untold, BTreeMap::new()),
            Look::Blind(why) | Look::Denied(why) => {
                open.why = format!("it cannot be read back: {}", cut(&why));
                (Found::Blind, BTreeMap::new())
            }
            Look::Seen(fields) => {
                let found = match compare(operation, &known, &before, &fields) {
                    Compared::EqualBefore => Found::Untold,
                    Compared::Equal => Found::Equal,
                    Compared::Changed => Found::Changed,
                    Compared::Unchanged => Found::Unchanged,
                    Compared::Different => Found::Different,
                };
                (found, fields)
            }
        })
    }

    /// Whether it may be sent once more, and how long that has to wait. A key is good as long as the plan is.
    async fn may_resend(
        &self,
        underway: &Underway<'_>,
        operation: &Operation,
        reply: Reply,
    ) -> Phase<(Resend, Duration)> {
        let key = match reply {
            Reply::Ok => None,
            Reply::Error | Reply::NotNow | Reply::Asks | Reply::Unknown => underway.key(&operation.step),
        };
        let (Repeat::ByKey, Some(key)) = (operation.repeat, key) else {
            return Ok((Resend::Never, Duration::ZERO));
        };
        let (sent, now) = (self.sendings(key).await?, self.scribe.now());
        let is_good = now < underway.plan.draft().good_until;
        let since = Duration::try_from(now.duration_since(sent.last)).unwrap_or_default();
        let resend = match (sent.times > 1, is_good) {
            (false, true) => Resend::ByKey,
            (false, false) => Resend::Never,
            (true, true) => Resend::Again,
            (true, false) => Resend::Spent,
        };
        Ok((resend, back_off(sent.times).saturating_sub(since)))
    }

    /// Nobody knows how it came out: a person is asked, and looked for it is all the same.
    pub(crate) async fn doubt(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        mut open: Open,
        seen: BTreeMap<String, Value>,
        wait: Option<Duration>,
    ) -> Phase<()> {
        open.looks = open.looks.saturating_add(1);
        let new = !open.in_doubt;
        if new {
            open.in_doubt = true;
            self.scribe.note(write::InDoubt {
                step: operation.step.clone(),
                key: underway.key(&operation.step),
                why: Redacted::of(&open.why),
                seen: RedactedJson::from_value(brief(&seen)),
            })?;
        }
        let told = format!(
            "The outcome of `{}` is unknown ({}). Find out, then say `purple settle {} {} --done` or `--not-done`.",
            open.step,
            open.why,
            self.id(),
            open.step
        );
        let known = self.left(underway.opened, None, Trail::default(), underway.catalogue, None)?;
        underway.running.open = Some(open);
        let trail = underway.running.trail.clone();
        self.session.stage = Stage::Running(underway.running);
        if new {
            self.remark(&told)?;
            let mutations = self.mutations().await?;
            let waits = format!("it waits until it is known what became of `{}`", operation.step);
            let not_started = self.not_started(&trail, &mutations, &waits).await?;
            if let Some(told) = &mut self.told {
                (told.mutations, told.not_started) = (mutations, not_started);
                (told.left.policy, told.left.figures) = (known.policy, known.figures);
            }
        }
        match wait {
            Some(wait) => self.wake(LOOK, wait),
            None => Ok(()),
        }
    }

    /// Takes down how an operation came out, and goes on or stops.
    pub(crate) async fn settled(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        open: Open,
        outcome: Outcome,
        shown: Shown,
    ) -> Phase<()> {
        if !self.take_down(&mut underway, operation, open, outcome, shown).await? {
            return self.stop(underway, "an operation is gone").await;
        }
        // One operation a turn. Where none is left, the plan is done in the same one.
        let over = (outcome.lets_go_on() || operation.effect == Effect::Notify) && !underway.is_left();
        // From here on nothing is open: whoever ends the round tells what is.
        self.session.stage = Stage::Running(underway.running.clone());
        if over && underway.running.cancelled.is_none() {
            return Box::pin(self.plan_done(underway)).await;
        }
        self.go_on()
    }

    /// Takes down how an operation came out. `false`: the plan has no such operation.
    pub(crate) async fn take_down(
        &mut self,
        underway: &mut Underway<'_>,
        operation: &Operation,
        open: Open,
        outcome: Outcome,
        shown: Shown,
    ) -> Phase<bool> {
        let Shown { after, note, witness } = shown;
        let Some(key) = underway.key(&operation.step) else { return Ok(false) };
        let note =
            note.or_else(|| (open.reply != Reply::Ok || !outcome.lets_go_on()).then(|| open.why.clone()));
        let stood: Option<BTreeMap<String, Value>> = self.fetch("before", open.before).await?;
        let stood = stood.unwrap_or_default();
        let seen = self.keep("after", &after)?;
        let (stood, after) = match &operation.check {
            Check::Observed { .. } if !after.is_empty() => changed(&stood, &after),
            Check::Observed { .. } | Check::ReadBack { .. } | Check::Unverifiable => (stood, after),
        };
        let (before, after) = (brief(&stood), brief(&after));
        self.scribe.note(write::Verified {
            step: operation.step.clone(),
            key,
            tool: Redacted::of(&operation.tool),
            headline: Redacted::of(&operation.headline()),
            effect: operation.effect,
            before: RedactedJson::of(&before),
            after: RedactedJson::of(&after),
            seen,
            outcome,
            note: note.as_ref().map(Redacted::of),
            witness: Some(witness),
            reversible: operation.undo.is_some(),
            round: self.session.walk.round(),
        })?;
        let result = open.result.as_ref().and_then(result_of);
        underway.settle(Started { key, outcome, result });
        underway.running.open = None;
        underway.running.put_off = 0;
        underway.running.inquiry = None;
        if outcome == Outcome::Mismatch {
            self.incident(
                "a read-back does not show what was written",
                json!({"step": operation.step, "headline": operation.headline(), "before": before, "after": after}),
            )?;
        }
        Ok(true)
    }
}

/// Of a result, the fields that something refers to. A session stays small whatever a tool answers.
pub(crate) fn pruned(result: &Value, fields: &[String]) -> Option<Value> {
    let mut kept = Value::Object(serde_json::Map::new());
    for field in fields {
        let found = crate::execute::verify::at(result, field);
        let Some(value) = found.filter(|value| !value.is_object() && !value.is_array()) else { continue };
        if value.to_string().len() <= REFERRED_BYTES_MAX {
            put(&mut kept, field, value);
        }
    }
    kept.as_object().is_some_and(|kept| !kept.is_empty()).then_some(kept)
}

fn put(into: &mut Value, path: &str, value: &Value) {
    let mut place = into;
    let mut names = path.split('.').peekable();
    while let Some(name) = names.next() {
        let Value::Object(fields) = place else { return };
        let last = names.peek().is_none();
        let first = || if last { value.clone() } else { Value::Object(serde_json::Map::new()) };
        place = fields.entry(name.to_owned()).or_insert_with(first);
    }
}

//! What keeps an operation from being sent: a halt, quiet hours, an expired grant, a record that has changed.

use std::time::Duration;

use jiff::SignedDuration;
use purple_journal::Redacted;
use purple_journal::record::{plan, write};
use purple_journal::word::HaltNote;
use purple_process::file::QuietHours;
use purple_process::{Effect, Fact, GrantRefused, Operation, Outcome, Pass};
use serde_json::Value;

use crate::dossier::Dossier;
use crate::execute::adapt::adapt;
use crate::execute::call::cut;
use crate::execute::operate::{RETRY, Underway};
use crate::execute::rule::to_serde;
use crate::execute::verify::{at, same};
use crate::run::{Phase, Run};
use crate::session::Stage;

/// How often an operation is put off before a person takes over.
const PUT_OFF_MAX: u32 = 8;
const PUT_OFF_FIRST_MS: u64 = 250;
/// How often everything is read and decided anew in one round before a person takes over.
const ANEW_MAX: u8 = 3;
/// When a run that a halt has just stopped looks again, in case the halt ended before it was known to stand still.
const HALT_LOOK: Duration = Duration::from_secs(5);

/// Why an operation is not sent after all.
pub(crate) enum Hindrance {
    Halted(String),
    Expired,
    Stale(String),
}

impl Hindrance {
    /// In words, for the journal.
    pub(crate) fn why(&self) -> String {
        match self {
            Self::Halted(why) | Self::Stale(why) => cut(why),
            Self::Expired => "the permission has expired".to_owned(),
        }
    }
}

impl Run<'_> {
    /// Tries again later; after some tries a person takes over.
    pub(crate) async fn put_off(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        why: &str,
    ) -> Phase<()> {
        underway.running.open = None;
        underway.running.put_off = underway.running.put_off.saturating_add(1);
        self.scribe.note(write::PutOff {
            step: operation.step.clone(),
            why: Redacted::of(&cut(why)),
            times: underway.running.put_off,
        })?;
        if underway.running.put_off > PUT_OFF_MAX {
            let why = format!("`{}` could not be started: {}", operation.step, cut(why));
            return self.stop(underway, &why).await;
        }
        let wait = Duration::from_millis(PUT_OFF_FIRST_MS << underway.running.put_off.min(8));
        self.session.stage = Stage::Running(underway.running);
        self.wake(RETRY, wait)
    }

    /// An announced operation is not sent after all. The journal says so, so that nobody takes it for unknown.
    pub(crate) async fn withhold(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        pass: &Pass,
        hindrance: Hindrance,
    ) -> Phase<()> {
        let key = pass.operation().map(|spent| spent.key);
        let why = hindrance.why();
        self.scribe.note(write::Withheld { step: operation.step.clone(), key, why: Redacted::of(&why) })?;
        underway.running.open = None;
        match hindrance {
            Hindrance::Halted(why) => self.stand_still(underway, why),
            Hindrance::Expired => self.ask_for_the_rest(underway, "the permission has expired").await,
            Hindrance::Stale(why) => self.plan_anew(underway, &why).await,
        }
    }

    /// Who halted this process, and why, if it is halted now.
    pub(crate) async fn halted(&self, underway: &Underway<'_>) -> Phase<Option<String>> {
        let halt = self.scribe.turn.halted(underway.opened.file.name()).await?;
        if let Some(halt) = &halt {
            let crate::port::Halt { process, by, reason, at } = halt;
            let (process, by) = (process.as_ref().map(Redacted::of), Redacted::of(by));
            let halt = HaltNote { process, by, reason: Redacted::of(reason), at: *at };
            self.scribe.note(write::HaltSeen { halt })?;
        }
        Ok(halt.map(|halt| {
            let process = halt.process.as_deref().unwrap_or("all processes");
            format!("{} halted {process}: {}", halt.by, cut(&halt.reason))
        }))
    }

    /// Nothing starts until the halt ends.
    pub(crate) fn stand_still(&mut self, mut underway: Underway<'_>, why: String) -> Phase<()> {
        let already = matches!(&self.session.stage, Stage::Running(running) if running.halted.is_some());
        underway.running.halted = Some(why);
        self.session.stage = Stage::Running(underway.running);
        // Whoever ends the halt wakes the runs that are known to stand still. This one is known only when its turn has
        // ended, so the first time it looks once more by itself.
        if already { Ok(()) } else { self.wake(RETRY, HALT_LOOK) }
    }

    /// The permission does not hold any more: expired, or somebody's yes does not count any longer.
    pub(crate) async fn permission_lost(
        &mut self,
        underway: Underway<'_>,
        refused: &GrantRefused,
    ) -> Phase<()> {
        match refused {
            GrantRefused::PlanExpired { .. }
            | GrantRefused::DecisionExpired { .. }
            | GrantRefused::TooFew { .. }
            | GrantRefused::FromTheFuture { .. } => {
                let why = refused.to_string();
                self.ask_for_the_rest(underway, &why).await
            }
            GrantRefused::OtherOrder { .. }
            | GrantRefused::OtherRuling { .. }
            | GrantRefused::OtherPlan { .. }
            | GrantRefused::Blocked
            | GrantRefused::Escalated
            | GrantRefused::Superseded
            | GrantRefused::Revoked
            | GrantRefused::Rejected { .. }
            | GrantRefused::Partial { .. } => {
                let why = refused.to_string();
                self.stop(underway, &why).await
            }
        }
    }

    /// What was not started becomes a new plan, which is judged and asked anew.
    async fn ask_for_the_rest(&mut self, underway: Underway<'_>, why: &str) -> Phase<()> {
        let rest = underway.not_started();
        let (plan, reason) = (underway.plan.hash(), Redacted::of(&cut(why)));
        self.scribe.note(plan::Expired { plan, why: reason, rest: rest.clone() })?;
        self.plan_the_rest(underway, rest, why).await
    }

    /// A record that the plan was decided on has changed: everything is read and decided again.
    async fn plan_anew(&mut self, underway: Underway<'_>, why: &str) -> Phase<()> {
        let begun = underway.running.trail.started.iter().any(|record| record.outcome != Outcome::Absent);
        let enough = underway.running.trail.anew >= ANEW_MAX;
        if begun || enough || self.session.walk.state() != purple_process::State::Mutate {
            return self.stop(underway, why).await;
        }
        self.scribe.note(plan::Stale { plan: underway.plan.hash(), why: Redacted::of(&cut(why)) })?;
        let text = underway.opened.dossier.text.clone();
        let mut trail = underway.running.trail.clone();
        trail.anew = trail.anew.saturating_add(1);
        let catalogue = underway.catalogue;
        if underway.opened.dossier.driven.is_some() {
            return self.put_anew(underway, trail).await;
        }
        let before = &underway.opened.dossier;
        let (mut opened, mut case) = self.gather(before.chosen.clone(), &text, catalogue).await?;
        if !before.edits.is_empty() {
            // What an approver changed stays changed, and is asked about again.
            let (edits, edit_count) = (before.edits.clone(), before.edit_count);
            opened =
                std::sync::Arc::new(opened.with(Dossier { edits, edit_count, ..opened.dossier.clone() }));
            case = self.keep("case", &opened.dossier)?;
        }
        self.step(Fact::Captured)?;
        self.rule_on(&opened, case, catalogue, trail).await
    }

    /// Whether a value that the operation was decided on has changed; which.
    pub(crate) async fn stale(
        &self,
        underway: &Underway<'_>,
        operation: &Operation,
    ) -> Phase<Option<String>> {
        if operation.before.is_empty() {
            return Ok(None);
        }
        let mut own = self.own(underway).await?;
        // What was announced before may have had its effect by now.
        own.extend(underway.running.open.iter().map(|_| operation.clone()));
        let mut read: Vec<(&purple_process::Seen, Value)> = Vec::new();
        for seen in &operation.before {
            if own.iter().any(|operation| touches(operation, seen)) {
                continue;
            }
            let Some(known) = underway.catalogue.get(&seen.tool) else { continue };
            let same_read = |other: &&(&purple_process::Seen, Value)| {
                other.0.tool == seen.tool && other.0.arguments == seen.arguments
            };
            let answer = match read.iter().find(same_read) {
                Some((_, answer)) => answer.clone(),
                // Read as it was read for the decision, renamed columns and pages included.
                None => match self.read_again(known, seen.arguments.clone(), underway.catalogue).await {
                    Ok(answer) => answer,
                    Err(why) => return Ok(Some(format!("`{}` cannot be read: {}", seen.tool, cut(&why)))),
                },
            };
            let adapted = adapt(answer.clone(), &[seen.field.as_str()]).0;
            let now = at(&adapted, &seen.field).cloned().unwrap_or(Value::Null);
            read.push((seen, answer));
            if !same(&now, &to_serde(&seen.value)) {
                let was = to_serde(&seen.value);
                let (was, now) = (cut(&was.to_string()), cut(&now.to_string()));
                return Ok(Some(format!("`{}` of `{}` was {was} and is {now}", seen.field, seen.tool)));
            }
        }
        Ok(None)
    }

    /// The operations of this round that have run, of earlier plans too.
    async fn own(&self, underway: &Underway<'_>) -> Phase<Vec<Operation>> {
        let mut own = Vec::new();
        for hash in &underway.running.trail.permitted {
            let plan = self.plan(*hash).await?;
            let ran = plan.keyed().filter(|(_, key)| underway.has_run(*key));
            own.extend(ran.map(|(operation, _)| operation.clone()));
        }
        Ok(own)
    }

    /// How long a notification waits for the end of its quiet hours.
    pub(crate) fn quiet(&self, operation: &Operation) -> Option<Duration> {
        if operation.effect != Effect::Notify {
            return None;
        }
        let quiet = QuietHours::parse(operation.quiet.as_deref()?)?;
        let now = self.scribe.now().to_zoned(self.settings.zone.clone());
        if !quiet.hold(now.time()) {
            return None;
        }
        const MINUTES_OF_DAY: i64 = 24 * 60;
        let free = |minutes: &i64| {
            let then = now.checked_add(SignedDuration::from_mins(*minutes));
            then.is_ok_and(|then| !quiet.hold(then.time()))
        };
        let minutes = (1..=MINUTES_OF_DAY).find(free).unwrap_or(MINUTES_OF_DAY);
        u64::try_from(minutes).ok().map(|minutes| Duration::from_secs(minutes * 60))
    }
}

impl Underway<'_> {
    fn has_run(&self, key: purple_process::OperationKey) -> bool {
        self.running.trail.started.iter().any(|record| record.key == key)
    }
}

/// Whether an operation works on the record of a read, so that a change of it may be our own.
fn touches(operation: &Operation, seen: &purple_process::Seen) -> bool {
    let values = || operation.arguments.values().filter_map(|argument| argument.value());
    seen.arguments.values().any(|value| values().any(|other| other == value))
}

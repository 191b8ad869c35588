//! A person states how an operation in doubt came out. What can be read back counts more than what anybody says.

use std::collections::{BTreeMap, BTreeSet};

use purple_journal::record::write;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{At, Fact, Operation, Outcome, PersonId, Repeat, State, StepId};
use serde_json::Value;

use crate::event::Settlement;
use crate::execute::call::brief;
use crate::execute::dispatch::Asked;
use crate::execute::operate::Underway;
use crate::execute::outcome::Found;
use crate::execute::settle::Shown;
use crate::run::{Phase, Run};
use crate::session::{Open, Stage};
use crate::view::Witness;

impl Run<'_> {
    /// A person found out how an operation came out.
    pub(crate) async fn settle(&mut self, step: &StepId, done: Settlement, speaker: At<'_>) -> Phase<()> {
        let by = speaker.person;
        let Stage::Running(running) = self.session.stage.clone() else {
            return self.not_settled(step, by, "Nothing is in doubt here.");
        };
        let open = running.open.clone().filter(|open| open.in_doubt && open.step == *step);
        let Some(mut open) = open else {
            return self.not_settled(step, by, &format!("`{step}` is not in doubt."));
        };
        let plan = self.plan(running.plan).await?;
        let opened = self.opened(running.case).await?;
        let catalogue = self.catalogue().await?;
        let underway = Underway { running, plan, opened: &opened, catalogue: &catalogue };
        let Some(operation) = underway.plan.operation(step).cloned() else {
            return self.stop(underway, "an operation is gone").await;
        };
        if let Err(why) = self.may_settle(&underway, speaker)? {
            let why = format!("`{step}` is settled by whoever could have approved it: {why}.");
            return self.not_settled(step, by, &why);
        }
        self.reach(&underway, &operation).await?;
        let (found, after) = self.seen(&underway, &operation, &mut open).await?;
        if let (Settlement::Done, Some(shows)) = (done, contradicts(found)) {
            let why = format!("`{step}` is not settled as done: read back just now, it {shows}.");
            return self.not_settled(step, by, &why);
        }
        self.scribe.note(write::Settled {
            step: step.clone(),
            done,
            by: Redacted::of(by),
            read_back: Some(Redacted::of(told(found))),
            seen: Some(RedactedJson::from_value(brief(&after))),
        })?;
        self.stated(underway, operation, (open, found, after), (done, by)).await
    }

    async fn stated(
        &mut self,
        underway: Underway<'_>,
        operation: Operation,
        (open, found, after): (Open, Found, BTreeMap<String, Value>),
        (done, by): (Settlement, &PersonId),
    ) -> Phase<()> {
        let said = |words: &str| Shown::by(by, format!("{by} looked and says that it was {words}"));
        match (done, found) {
            // An interrupted turn may have sent it since, or it came late.
            (_, Found::Equal) => {
                let says = if done == Settlement::Done { "done" } else { "not done" };
                let note = Some(format!("{by} says that it was {says}, and it is there"));
                let shown = Shown { after, note, witness: Witness::ReadBack };
                self.settled(underway, &operation, open, Outcome::Verified, shown).await
            }
            (Settlement::Done, _) => {
                self.settled(underway, &operation, open, Outcome::Unverifiable, said("done")).await
            }
            (Settlement::NotDone, _) if operation.repeat == Repeat::ByKey => {
                self.send_again(underway, operation, open, Asked::ByPerson(by.clone())).await
            }
            (Settlement::NotDone, _) => self.offer_again(underway, &operation, open, said("not done")).await,
        }
    }

    /// Whether this person could have approved the plan; else why not.
    fn may_settle(&self, underway: &Underway<'_>, by: At<'_>) -> Phase<Result<(), String>> {
        let next = underway.next_role()?;
        let ruling = self.judged_again(underway.opened, underway.catalogue, &underway.plan, next)?;
        Ok(self.speaks_for(by, &underway.plan, &ruling).map(drop))
    }

    /// It was certainly not done: it and what has not started yet become a new plan, which is judged like any other.
    pub(crate) async fn offer_again(
        &mut self,
        mut underway: Underway<'_>,
        operation: &Operation,
        open: Open,
        shown: Shown,
    ) -> Phase<()> {
        if !self.take_down(&mut underway, operation, open, Outcome::Absent, shown).await? {
            return self.stop(underway, "an operation is gone").await;
        }
        self.session.stage = Stage::Running(underway.running.clone());
        if let Some(why) = underway.running.cancelled.clone() {
            return self.called_off(underway.running, why).await;
        }
        let mut rest = underway.not_started();
        rest.insert(operation.step.clone());
        let why = format!("`{}` is not done", operation.step);
        self.plan_the_rest(underway, rest, &why).await
    }

    /// Makes a new plan of operations that were granted and have not run; or a person takes over.
    pub(crate) async fn plan_the_rest(
        &mut self,
        underway: Underway<'_>,
        rest: BTreeSet<StepId>,
        why: &str,
    ) -> Phase<()> {
        let powers = matches!(self.session.walk.state(), State::Mutate | State::ScheduleNotify);
        let operations = match underway.plan.only(&rest) {
            Ok(plan) if powers => plan.operations().to_vec(),
            // A later step needs the result of an earlier one: nothing of it can be a plan of its own.
            Ok(_) | Err(_) => return self.stop(underway, why).await,
        };
        let Underway { running, opened, catalogue, .. } = underway;
        self.step(Fact::Captured)?;
        Box::pin(self.propose(opened, running.case, catalogue, operations, running.trail)).await
    }

    fn not_settled(&mut self, step: &StepId, by: &PersonId, why: &str) -> Phase<()> {
        let (by, reason) = (Redacted::of(by), Redacted::of(why));
        self.scribe.note(write::SettleNotTaken { step: step.clone(), by, why: reason })?;
        self.remark(why)
    }
}

/// What a look shows that speaks against "done".
const fn contradicts(found: Found) -> Option<&'static str> {
    match found {
        Found::Unchanged => Some("stands as before"),
        Found::Different => Some("shows something else"),
        Found::Equal | Found::Changed | Found::Blind | Found::Untold => None,
    }
}

/// What a look showed, for the journal.
const fn told(found: Found) -> &'static str {
    match found {
        Found::Equal => "as it should be",
        Found::Unchanged => "as it was before",
        Found::Different => "something else",
        Found::Changed => "changed, and not comparable",
        Found::Blind => "it could not be read",
        Found::Untold => "nothing can tell",
    }
}

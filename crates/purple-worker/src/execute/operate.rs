//! Runs one operation a turn: intent, send, outcome, read-back. Nothing is sent twice, and doubt is visible.
//!
//! The order is that of the "rules for one write": nothing is sent before its intent is durable, and an attempt that
//! was interrupted looks before anything else.

use std::collections::BTreeSet;
use std::sync::Arc;

use purple_journal::Redacted;
use purple_journal::record::run;
use purple_process::{
    ApprovedPlan, ClockReading, Effect, Evidence, Fact, GrantRefused, Next, Operation, OperationKey, Outcome,
    Plan, Ran, Reference, Standing, Started, State, StepId, restore,
};

use crate::dossier::Opened;
use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::execute::rule::{Bench, approval_tools};
use crate::port::TurnFailed;
use crate::run::{Phase, Run};
use crate::session::{Running, Stage, Trail};

/// A plan on its way, with everything that this turn needs of it.
pub(crate) struct Underway<'a> {
    pub running: Running,
    pub plan: Arc<Plan>,
    pub opened: &'a Opened,
    pub catalogue: &'a Catalogue,
}

/// The name of the timer that looks again, or tries again.
pub(crate) const LOOK: &str = "look";
pub(crate) const RETRY: &str = "retry";

impl Run<'_> {
    /// Goes on with the plan that runs.
    pub(crate) async fn operate(&mut self) -> Phase<()> {
        let Stage::Running(running) = self.session.stage.clone() else { return Ok(()) };
        let plan = self.plan(running.plan).await?;
        let opened = self.opened(running.case).await?;
        let catalogue = self.catalogue().await?;
        let mut underway = Underway { running, plan, opened: &opened, catalogue: &catalogue };
        underway.running.halted = None;
        if underway.running.open.is_none() {
            underway.running.open = self.interrupted(&mut underway).await?;
        }
        match underway.running.open.clone() {
            Some(open) => self.look_again(underway, open).await,
            None => match underway.running.cancelled.clone() {
                Some(why) => self.called_off(underway.running, why).await,
                // A tool has a question, and only a person goes on from there.
                None if underway
                    .running
                    .inquiry
                    .as_ref()
                    .is_some_and(|inquiry| inquiry.answers.is_none()) =>
                {
                    Ok(())
                }
                None => self.next_operation(underway).await,
            },
        }
    }

    async fn next_operation(&mut self, underway: Underway<'_>) -> Phase<()> {
        let approved = match self.permission(&underway).await? {
            Ok(approved) => approved,
            Err(refused) => return self.permission_lost(underway, &refused).await,
        };
        match approved.next() {
            Next::Finished => self.plan_done(underway).await,
            // The tool refused it: the model hears of it and may propose something else.
            Next::Stopped { outcome: Outcome::Absent, .. } if underway.running.trail.drive.is_some() => {
                self.back_to_model(underway).await
            }
            Next::Stopped { step, outcome } => {
                let why = format!("`{step}` is {}", word(outcome));
                self.stop(underway, &why).await
            }
            Next::MissingResult { step } => {
                let why = format!("`{step}` needs a result that an earlier operation did not give");
                self.stop(underway, &why).await
            }
            Next::Run { step, arguments } => {
                let operation = underway.plan.operation(step).cloned();
                let Some(operation) = operation else {
                    return self.stop(underway, "an operation is gone").await;
                };
                if operation.effect == Effect::Notify && self.session.walk.state() == State::Mutate {
                    return self.writes_done(underway).await;
                }
                self.send(underway, approved, operation, arguments).await
            }
        }
    }

    /// The permission, made anew from the records.
    pub(crate) async fn permission(
        &self,
        underway: &Underway<'_>,
    ) -> Phase<Result<ApprovedPlan, GrantRefused>> {
        let words = self.loaded_words().await?;
        let case = underway.opened.case()?;
        let approval_tools = approval_tools(underway.catalogue);
        let satisfied = self.satisfied(underway);
        let bench = Bench {
            opened: underway.opened,
            case: &case,
            settings: self.settings,
            mode: self.session.mode,
            next: underway.next_role()?,
            satisfied: &satisfied,
            approval_tools: &approval_tools,
        };
        let ruling = bench
            .rule(&underway.plan)
            .map_err(|error| TurnFailed::Unreadable { what: "plan", why: error.to_string() })?;
        let now = self.scribe.now();
        let directory = self.ports.directory.on(self.settings.day(now));
        let evidence = Evidence {
            ruling: &ruling,
            decisions: &underway.running.decisions,
            requester: self.asker(),
            request: words.request(),
            directory: &directory,
            standing: Standing::Open,
            started: &underway.running.trail.started,
            clock: ClockReading { now, high_water: self.session.high_water },
        };
        Ok(restore(Plan::clone(&underway.plan), &evidence))
    }

    /// Tools whose call was verified in this round.
    fn satisfied(&self, underway: &Underway<'_>) -> Vec<String> {
        let done = |key: &OperationKey| {
            let record = underway.running.trail.started.iter().find(|record| record.key == *key);
            record.is_some_and(|record| record.outcome == Outcome::Verified)
        };
        underway.plan.keyed().filter(|(_, key)| done(key)).map(|(one, _)| one.tool.to_string()).collect()
    }

    /// All writes of this plan are done: the next plan is asked, or people are told, or it is over.
    pub(crate) async fn plan_done(&mut self, underway: Underway<'_>) -> Phase<()> {
        match self.session.walk.state() {
            State::Mutate => self.writes_done(underway).await,
            State::ScheduleNotify if underway.running.trail.drive.is_some() => {
                self.back_to_model(underway).await
            }
            State::ScheduleNotify => {
                self.look_at_results(underway.opened, underway.catalogue).await?;
                if let Some(why) = self.not_executed(&underway.running.trail).await? {
                    return self.stop(underway, &why).await;
                }
                self.step(Fact::Notified)?;
                self.close_running(underway.running).await
            }
            _ if underway.running.trail.drive.is_some() => self.back_to_model(underway).await,
            _ => self.close_running(underway.running).await,
        }
    }

    async fn writes_done(&mut self, mut underway: Underway<'_>) -> Phase<()> {
        if !underway.running.trail.to_ask.is_empty() {
            let next = underway.running.trail.to_ask.remove(0);
            return self.reopen(underway.running, underway.opened, underway.catalogue, next).await;
        }
        if underway.running.trail.drive.is_some() {
            return self.back_to_model(underway).await;
        }
        let left = underway.is_left();
        // After the last state that reads, nothing can be looked at any more.
        if !left && !self.session.walk.route().visits(State::ScheduleNotify) {
            self.look_at_results(underway.opened, underway.catalogue).await?;
        }
        self.applied(&underway.running.trail).await?;
        match (self.session.walk.state(), left) {
            // No operation has run in this turn: only a notification is left, and it waited for this.
            (State::ScheduleNotify, true) => Box::pin(self.next_operation(underway)).await,
            (State::ScheduleNotify, false) => Box::pin(self.plan_done(underway)).await,
            _ => self.close_running(underway.running).await,
        }
    }

    /// Leaves MUTATE: nothing of the plans of this round keeps notifications back.
    pub(crate) async fn applied(&mut self, trail: &Trail) -> Phase<()> {
        let plans = self.permitted(trail).await?;
        let plans: Vec<&Plan> = plans.iter().map(|plan| &**plan).collect();
        self.step(Fact::Applied(&Ran::of_round(&plans, &trail.started)))
    }

    /// The plans of this round that were given permission, in order.
    async fn permitted(&self, trail: &Trail) -> Phase<Vec<Arc<Plan>>> {
        let mut plans = Vec::new();
        for hash in &trail.permitted {
            plans.push(self.plan(*hash).await?);
        }
        Ok(plans)
    }

    /// Goes to the state that an operation belongs to. A turn that announced a notification and was interrupted had left
    /// MUTATE, and what it had saved had not.
    pub(crate) async fn reach(&mut self, underway: &Underway<'_>, operation: &Operation) -> Phase<()> {
        if operation.effect == Effect::Notify && self.session.walk.state() == State::Mutate {
            self.applied(&underway.running.trail).await?;
        }
        Ok(())
    }

    /// The granted operations that were not carried out, in words, unless a later plan did the same in another way.
    pub(crate) async fn not_executed(&self, trail: &Trail) -> Phase<Option<String>> {
        self.missing(trail, |_| true).await
    }

    /// The same, where one of them is a write that keeps the walk in MUTATE.
    pub(crate) async fn not_written(&self, trail: &Trail) -> Phase<Option<String>> {
        self.missing(trail, |operation| operation.effect != Effect::Notify).await
    }

    async fn missing(&self, trail: &Trail, counts: impl Fn(&Operation) -> bool) -> Phase<Option<String>> {
        let plans = self.permitted(trail).await?;
        let outcome =
            |key: OperationKey| trail.started.iter().find(|one| one.key == key).map(|one| one.outcome);
        let done = |key| outcome(key).is_some_and(Outcome::lets_go_on);
        let mut missing = Vec::new();
        for (place, plan) in plans.iter().enumerate() {
            let later = || plans.iter().skip(place + 1).flat_map(|plan| plan.keyed());
            for (operation, key) in plan.keyed().filter(|(one, key)| counts(one) && !done(*key)) {
                if !later().any(|(other, key)| other.tool == operation.tool && done(key)) {
                    let how = outcome(key).map_or("not started", word);
                    missing.push(format!("`{}` ({}) is {how}", operation.step, operation.headline()));
                }
            }
        }
        Ok((!missing.is_empty()).then(|| missing.join("; ")))
    }

    /// Nothing more runs; a person takes over.
    pub(crate) async fn stop(&mut self, underway: Underway<'_>, why: &str) -> Phase<()> {
        self.scribe.note(run::Stopped { why: Redacted::of(&cut(why)) })?;
        self.step(Fact::Escalated)?;
        self.end_running(underway.running, Some(why.to_owned())).await
    }
}

pub(crate) fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::InDoubt => "in doubt",
        Outcome::Verified => "verified",
        Outcome::Unverifiable => "done, and cannot be read back",
        Outcome::Mismatch => "not as it should be",
        Outcome::Absent => "not done",
    }
}

impl Underway<'_> {
    pub(crate) fn key(&self, step: &StepId) -> Option<OperationKey> {
        self.plan.keyed().find(|(operation, _)| operation.step == *step).map(|(_, key)| key)
    }

    /// Whether an operation of the plan was not started yet.
    pub(crate) fn is_left(&self) -> bool {
        !self.not_started().is_empty()
    }

    /// The operations of the plan that were not started yet.
    pub(crate) fn not_started(&self) -> BTreeSet<StepId> {
        let started = |key: OperationKey| self.running.trail.started.iter().any(|record| record.key == key);
        let left = self.plan.keyed().filter(|(_, key)| !started(*key));
        left.map(|(operation, _)| operation.step.clone()).collect()
    }

    pub(crate) fn settle(&mut self, record: Started) {
        self.running.trail.started.retain(|old| old.key != record.key);
        self.running.trail.started.push(record);
    }

    /// The fields of a step's result that anything in the plan refers to.
    pub(crate) fn referred_to(&self, step: &StepId) -> Vec<String> {
        let mut found = Vec::new();
        let mut take = |arguments: &purple_process::Arguments| {
            let references = arguments.values().filter_map(|argument| argument.reference());
            let of_it = references.filter(|reference: &&Reference| reference.step == *step);
            found.extend(of_it.map(|reference| reference.field.clone()));
        };
        for operation in self.plan.operations() {
            take(&operation.arguments);
            if let Some((_, arguments, expect)) = operation.check.read() {
                take(arguments);
                take(expect);
            }
            if let Some(undo) = &operation.undo {
                take(&undo.arguments);
            }
        }
        found
    }

    pub(crate) fn next_role(&self) -> Phase<Option<&purple_process::Role>> {
        let task = self.opened.task()?;
        Ok(if self.running.next_asked { task.approval().then.as_ref() } else { None })
    }
}

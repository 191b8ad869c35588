//! How far a granted plan has come: which operations were started, how they came out, which may follow.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::effect::Effect;
use crate::grant::Next;
use crate::id::StepId;
use crate::json::{Json, Values};
use crate::operation::{Argument, Operation, Reference, Repeat};
use crate::plan::{OperationKey, Plan, PlanHash};
use crate::provenance::is_id;
use crate::tool::Call;

/// How an operation that was started came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Nobody knows yet: it may or may not have taken effect.
    InDoubt,
    /// Read back, and as it should be.
    Verified,
    /// It ran, and nothing can read it back.
    Unverifiable,
    /// Read back, and not as it should be.
    Mismatch,
    /// Read back, and there is no trace of it.
    Absent,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 5] =
        [Self::InDoubt, Self::Verified, Self::Unverifiable, Self::Mismatch, Self::Absent];

    /// Whether the next operation may follow.
    pub const fn lets_go_on(self) -> bool {
        match self {
            Self::Verified | Self::Unverifiable => true,
            Self::InDoubt | Self::Mismatch | Self::Absent => false,
        }
    }
}

impl fmt::Display for Outcome {
    /// Writes the stored spelling.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(out)
    }
}

/// An operation that was started, as the journal knows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Started {
    /// Which one.
    pub key: OperationKey,
    /// How it came out.
    pub outcome: Outcome,
    /// What the tool gave back, where that is known.
    pub result: Option<Json>,
}

/// How far one plan has come, by its records. It permits nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    pub(crate) plan: PlanHash,
    /// The first write that is not done, or not as it should be.
    pub(crate) held_back: Option<(StepId, Option<Outcome>)>,
    pub(crate) notices_due: bool,
}

impl Ran {
    /// From the plan and everything that was started in its round.
    pub fn new(plan: &Plan, started: &[Started]) -> Self {
        Progress::new(plan, started).ran(plan.hash())
    }

    /// The same for all plans of a round, in the order in which they were given permission. A write that left no trace
    /// keeps nothing back where a later plan did the same with other arguments: it was corrected.
    pub fn of_round(plans: &[&Plan], started: &[Started]) -> Vec<Self> {
        let progress: Vec<Progress> = plans.iter().map(|plan| Progress::new(plan, started)).collect();
        let ran = |(place, plan): (usize, &&Plan)| {
            let (own, later) = (progress.get(place)?, progress.get(place.saturating_add(1)..)?);
            let corrected = |one: &Tracked| {
                one.outcome == Some(Outcome::Absent)
                    && later.iter().any(|plan| plan.does(&one.operation.tool))
            };
            let held = own.operations.iter().find(|one| one.holds_back() && !corrected(one));
            let held_back = held.map(|one| (one.operation.step.clone(), one.outcome));
            Some(Self { plan: plan.hash(), held_back, notices_due: own.notices_due() })
        };
        plans.iter().enumerate().filter_map(ran).collect()
    }

    /// The first write that is not done, or not as it should be.
    pub fn held_back(&self) -> Option<(&StepId, Option<Outcome>)> {
        self.held_back.as_ref().map(|(step, outcome)| (step, *outcome))
    }
}

/// A settlement that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadSettlement {
    /// The plan has no such step.
    #[error("the plan has no step `{step}`")]
    NoSuchStep {
        /// The name.
        step: StepId,
    },
    /// It was never started.
    #[error("`{step}` was never started")]
    NotStarted {
        /// The step.
        step: StepId,
    },
    /// It is settled already.
    #[error("`{step}` is settled already")]
    Settled {
        /// The step.
        step: StepId,
    },
}

#[derive(Debug)]
pub(crate) struct Progress {
    operations: Vec<Tracked>,
}

#[derive(Debug)]
struct Tracked {
    operation: Operation,
    pin: Option<crate::plan::Pin>,
    key: OperationKey,
    /// `None`: not started.
    outcome: Option<Outcome>,
    result: Option<Json>,
}

/// Why an operation may not start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hindrance {
    NotCovered,
    Drifted,
    Spent,
    After(StepId),
    NotAbsent,
    NotByKey,
}

impl Progress {
    pub(crate) fn new(plan: &Plan, started: &[Started]) -> Self {
        let mut known: BTreeMap<OperationKey, &Started> = BTreeMap::new();
        for record in started {
            // Two records of one operation that disagree: the one that holds the rest back counts.
            let kept = known.entry(record.key).or_insert(record);
            if kept.outcome.lets_go_on() {
                *kept = record;
            }
        }
        let track = |(operation, key): (&Operation, OperationKey)| Tracked {
            operation: operation.clone(),
            pin: plan.draft().pins.get(&operation.tool).copied(),
            key,
            outcome: known.get(&key).map(|started| started.outcome),
            result: known.get(&key).and_then(|started| started.result.clone()),
        };
        Self { operations: plan.keyed().map(track).collect() }
    }

    /// Marks the operation that is exactly this call as started, if it may start now.
    pub(crate) fn start(&mut self, call: &Call) -> Result<(StepId, OperationKey), Hindrance> {
        let equal: Vec<usize> =
            (0..self.operations.len()).filter(|index| self.is_exactly(*index, call)).collect();
        let waiting = equal.iter().copied().find(|index| self.outcome(*index).is_none());
        let index = match (waiting, equal.is_empty()) {
            (Some(index), _) => index,
            (None, false) => return Err(Hindrance::Spent),
            (None, true) => return Err(Hindrance::NotCovered),
        };
        self.admit(index, call.pin())
    }

    /// Marks an operation as started once more: only one without a trace, whose target does it once per key.
    pub(crate) fn start_again(
        &mut self,
        step: &StepId,
        pin: crate::plan::Pin,
    ) -> Result<(StepId, OperationKey, Values), Hindrance> {
        let found = self.operations.iter().position(|tracked| tracked.operation.step == *step);
        let index = found.ok_or(Hindrance::NotCovered)?;
        let tracked = self.operations.get(index).ok_or(Hindrance::NotCovered)?;
        if tracked.outcome != Some(Outcome::Absent) {
            return Err(Hindrance::NotAbsent);
        }
        if tracked.operation.repeat != Repeat::ByKey {
            return Err(Hindrance::NotByKey);
        }
        let values = self.arguments(&tracked.operation).ok_or(Hindrance::NotCovered)?;
        let (step, key) = self.admit(index, pin)?;
        Ok((step, key, values))
    }

    fn admit(&mut self, index: usize, pin: crate::plan::Pin) -> Result<(StepId, OperationKey), Hindrance> {
        // Writes run in order, but for those that have nothing to do with one that was certainly not done;
        // notifications wait for all writes.
        let notifies = self.effect(index) == Some(Effect::Notify);
        let failed = self.failed();
        let is_passed_over = |other: usize| {
            failed.get(other).copied().unwrap_or_default() && self.are_independent(other, index)
        };
        let before = self.operations.iter().enumerate().find(|(other, tracked)| {
            let counts = notifies || (*other < index && !is_passed_over(*other));
            counts && tracked.holds_back()
        });
        if let Some((_, tracked)) = before {
            return Err(Hindrance::After(tracked.operation.step.clone()));
        }
        let tracked = self.operations.get_mut(index).ok_or(Hindrance::NotCovered)?;
        if tracked.pin != Some(pin) {
            return Err(Hindrance::Drifted);
        }
        tracked.outcome = Some(Outcome::InDoubt);
        Ok((tracked.operation.step.clone(), tracked.key))
    }

    /// The tool and effect of a step.
    pub(crate) fn operation(&self, step: &StepId) -> Option<&Operation> {
        self.operations.iter().map(|tracked| &tracked.operation).find(|operation| operation.step == *step)
    }

    fn is_exactly(&self, index: usize, call: &Call) -> bool {
        self.operations.get(index).is_some_and(|tracked| {
            let operation = &tracked.operation;
            operation.tool == *call.tool()
                && operation.effect == call.effect()
                && self.arguments(operation).as_ref() == Some(call.arguments())
        })
    }

    fn outcome(&self, index: usize) -> Option<Outcome> {
        self.operations.get(index)?.outcome
    }

    fn effect(&self, index: usize) -> Option<Effect> {
        Some(self.operations.get(index)?.operation.effect)
    }

    pub(crate) fn settle(
        &mut self,
        step: &StepId,
        outcome: Outcome,
        result: Option<Json>,
    ) -> Result<(), BadSettlement> {
        let found = self.operations.iter_mut().find(|tracked| tracked.operation.step == *step);
        let tracked = found.ok_or_else(|| BadSettlement::NoSuchStep { step: step.clone() })?;
        match tracked.outcome {
            None => Err(BadSettlement::NotStarted { step: step.clone() }),
            Some(Outcome::InDoubt) => {
                tracked.outcome = Some(outcome);
                tracked.result = result.or(tracked.result.take());
                Ok(())
            }
            Some(Outcome::Verified | Outcome::Unverifiable | Outcome::Mismatch | Outcome::Absent) => {
                Err(BadSettlement::Settled { step: step.clone() })
            }
        }
    }

    pub(crate) fn held_back(&self) -> Option<(&StepId, Option<Outcome>)> {
        let tracked = self.operations.iter().find(|tracked| tracked.holds_back())?;
        Some((&tracked.operation.step, tracked.outcome))
    }

    pub(crate) fn ran(&self, plan: PlanHash) -> Ran {
        let held_back = self.held_back().map(|(step, outcome)| (step.clone(), outcome));
        Ran { plan, held_back, notices_due: self.notices_due() }
    }

    pub(crate) fn notices_due(&self) -> bool {
        let due = |tracked: &Tracked| tracked.operation.effect == Effect::Notify && tracked.outcome.is_none();
        self.operations.iter().any(due)
    }

    pub(crate) fn next<'a>(&self, plan: &'a Plan) -> Next<'a> {
        let operations = || self.operations.iter().zip(plan.operations()).enumerate();
        let tells = |tracked: &Tracked| tracked.operation.effect == Effect::Notify;
        let failed = self.failed();
        let mut stopped = None;
        for (index, (tracked, operation)) in operations().filter(|(_, (tracked, _))| !tells(tracked)) {
            match tracked.outcome {
                Some(outcome) if outcome.lets_go_on() => {}
                Some(outcome) => {
                    let first = *stopped.get_or_insert((&operation.step, outcome));
                    if outcome != Outcome::Absent {
                        return Next::Stopped { step: first.0, outcome: first.1 };
                    }
                }
                None if failed.get(index).copied().unwrap_or_default() => {}
                None => return self.run(operation),
            }
        }
        if let Some((step, outcome)) = stopped {
            return Next::Stopped { step, outcome };
        }
        // A notice that went wrong does not keep the others back.
        match operations().find(|(_, (tracked, _))| tells(tracked) && tracked.outcome.is_none()) {
            Some((_, (_, operation))) => self.run(operation),
            None => Next::Finished,
        }
    }

    /// By place: whether an operation was certainly not done, or was kept from starting by one that was not.
    fn failed(&self) -> Vec<bool> {
        let mut failed: Vec<bool> = Vec::with_capacity(self.operations.len());
        for (index, tracked) in self.operations.iter().enumerate() {
            let lacks =
                |(earlier, did_not): (usize, &bool)| *did_not && !self.are_independent(earlier, index);
            failed.push(match tracked.outcome {
                Some(outcome) => outcome == Outcome::Absent,
                None => failed.iter().enumerate().any(lacks),
            });
        }
        failed
    }

    fn are_independent(&self, one: usize, other: usize) -> bool {
        match (self.operations.get(one), self.operations.get(other)) {
            (Some(one), Some(other)) => are_independent(&one.operation, &other.operation),
            _ => false,
        }
    }

    /// Whether an operation of this tool was done.
    fn does(&self, tool: &crate::id::ToolName) -> bool {
        let done = |one: &Tracked| one.outcome.is_some_and(Outcome::lets_go_on);
        self.operations.iter().any(|one| one.operation.tool == *tool && done(one))
    }

    fn run<'a>(&self, operation: &'a Operation) -> Next<'a> {
        match self.arguments(operation) {
            Some(arguments) => Next::Run { step: &operation.step, arguments },
            None => Next::MissingResult { step: &operation.step },
        }
    }

    /// The arguments with references put in. `None` while a result is missing.
    fn arguments(&self, operation: &Operation) -> Option<Values> {
        let put_in = |argument: &Argument| match argument {
            Argument::Value(value) => Some(value.clone()),
            Argument::Reference(reference) => self.look_up(reference),
        };
        operation.arguments.iter().map(|(name, argument)| Some((name.clone(), put_in(argument)?))).collect()
    }

    fn look_up(&self, reference: &Reference) -> Option<Json> {
        let made = self.operations.iter().find(|tracked| tracked.operation.step == reference.step)?;
        let mut value = made.result.as_ref()?;
        for field in reference.field.split('.') {
            match value {
                Json::Record(fields) => value = fields.get(field)?,
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::List(_) => return None,
            }
        }
        // Only a plain value is an id or a figure; a list or a record could smuggle in anything.
        match value {
            Json::Bool(_) | Json::Number(_) | Json::Text(_) => Some(value.clone()),
            Json::Null | Json::List(_) | Json::Record(_) => None,
        }
    }
}

impl Tracked {
    fn holds_back(&self) -> bool {
        self.operation.effect != Effect::Notify && !self.outcome.is_some_and(Outcome::lets_go_on)
    }
}

/// Whether an operation can be carried out although an earlier one was not: both name the records that they work on,
/// none of them in common, and the later one uses nothing that the earlier one makes. An answer that somebody was asked
/// for is waited for by all that follow.
fn are_independent(earlier: &Operation, later: &Operation) -> bool {
    let refers = later.arguments.values().filter_map(Argument::reference).any(|to| to.step == earlier.step);
    let (ours, theirs) = (records(earlier), records(later));
    let is_known = !ours.is_empty() && !theirs.is_empty();
    earlier.effect == Effect::Write && !refers && is_known && !ours.iter().any(|id| theirs.contains(id))
}

/// The ids that an operation is given.
fn records(operation: &Operation) -> Vec<&Json> {
    let ids = operation.arguments.iter().filter(|(name, _)| is_id(name));
    ids.filter_map(|(_, argument)| argument.value()).collect()
}

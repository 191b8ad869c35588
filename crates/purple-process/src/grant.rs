//! Why writes are allowed: by policy or by named people, for exactly one plan, until a time.
//!
//! A grant is never stored. Plan and decision records are, and [`restore`] checks them anew, every time.

use std::collections::BTreeSet;

use jiff::Timestamp;
use purple_policy::{Money, Verdict};
use serde::Serialize;

use crate::id::{PersonId, SessionId, StepId};
use crate::json::{Json, Values};
use crate::judge::{PlanRuling, Shape};
use crate::operation::Operation;
use crate::order::{OrderMismatch, Request};
use crate::people::{Answer, At, Decision, Directory, Electorate, NotCounted, Requirement};
use crate::plan::{Plan, PlanHash, Round};
use crate::progress::{BadSettlement, Outcome, Progress, Ran, Started};

/// What the clock says, and the latest time that was ever seen here. After a jump backwards the latter counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReading {
    /// The clock now.
    pub now: Timestamp,
    /// The latest time on record.
    pub high_water: Timestamp,
}

impl ClockReading {
    fn latest(self) -> Timestamp {
        self.now.max(self.high_water)
    }
}

/// Whether the request for approval still stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It does.
    Open,
    /// A new task took its place.
    Superseded,
    /// Somebody took it back, or the worker was halted.
    Revoked,
}

/// Everything that a grant is restored from, besides the plan.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The ruling on this plan, made anew.
    pub ruling: &'a PlanRuling,
    /// Every decision on record for this request, whatever it says.
    pub decisions: &'a [Decision],
    /// Who asked for the work, and from where.
    pub requester: At<'a>,
    /// The words of the round, as they are stored.
    pub request: Request<'a>,
    /// The people of this set-up, as of now.
    pub directory: &'a Directory,
    /// Whether the request still stands.
    pub standing: Standing,
    /// What has been started in this session, by key.
    pub started: &'a [Started],
    /// The time.
    pub clock: ClockReading,
}

/// Who allowed a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The rules and the mode.
    Policy,
    /// These people.
    People(BTreeSet<PersonId>),
}

/// A plan together with the permission to run it. Made only by [`restore`]; runs operation by operation.
#[derive(Debug)]
pub struct ApprovedPlan {
    plan: Plan,
    /// `None` covers nothing: the plan is empty.
    scope: Option<Scope>,
}

/// Permission for exactly the operations of one plan, each at most once, lent to the gate for one call.
///
/// It is lent and not given, so that no grant can be kept, or put in the place of another plan's.
#[derive(Debug)]
pub struct Grant<'a>(Option<&'a mut Scope>);

#[derive(Debug)]
pub(crate) struct Scope {
    pub(crate) plan: PlanHash,
    pub(crate) session: SessionId,
    pub(crate) round: Round,
    pub(crate) progress: Progress,
    expires_at: Timestamp,
    high_water: Timestamp,
    basis: Basis,
}

impl<'a> Grant<'a> {
    /// The permission for nothing, which everybody has.
    pub const fn nothing() -> Self {
        Self(None)
    }

    pub(crate) fn into_scope(self) -> Option<&'a mut Scope> {
        self.0
    }
}

impl Scope {
    /// Whether it is over by now. Once over, it stays over, whatever the clock says later.
    pub(crate) fn expired(&mut self, now: Timestamp) -> bool {
        self.high_water = self.high_water.max(now);
        self.high_water >= self.expires_at
    }
}

impl ApprovedPlan {
    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The permission, for the gate.
    pub fn grant(&mut self) -> Grant<'_> {
        Grant(self.scope.as_mut())
    }

    /// Who allowed it.
    pub fn basis(&self) -> &Basis {
        self.scope().map_or(&Basis::Policy, |scope| &scope.basis)
    }

    /// When the permission ends. An empty plan has none that could.
    pub fn expires_at(&self) -> Timestamp {
        self.scope().map_or(self.plan.draft().good_until, |scope| scope.expires_at)
    }

    /// What is to be done next.
    pub fn next(&self) -> Next<'_> {
        self.scope().map_or(Next::Finished, |scope| scope.progress.next(&self.plan))
    }

    /// Records how an operation that was started came out, and what the tool gave back.
    pub fn settle(
        &mut self,
        step: &StepId,
        outcome: Outcome,
        result: Option<Json>,
    ) -> Result<(), BadSettlement> {
        match self.scope.as_mut() {
            Some(scope) => scope.progress.settle(step, outcome, result),
            None => Err(BadSettlement::NoSuchStep { step: step.clone() }),
        }
    }

    /// The first write that keeps notifications back, and how it stands.
    pub fn held_back(&self) -> Option<(&StepId, Option<Outcome>)> {
        self.scope()?.progress.held_back()
    }

    /// Whether notifications are still to be sent.
    pub fn notices_due(&self) -> bool {
        self.scope().is_some_and(|scope| scope.progress.notices_due())
    }

    /// How far it has come, for the walk.
    pub fn ran(&self) -> Ran {
        match self.scope() {
            Some(scope) => scope.progress.ran(self.plan.hash()),
            None => Ran::new(&self.plan, &[]),
        }
    }

    pub(crate) fn shape(&self) -> Shape {
        Shape::of(&self.plan)
    }

    fn scope(&self) -> Option<&Scope> {
        self.scope.as_ref()
    }
}

/// What an approved plan needs next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next<'a> {
    /// Run this operation with these arguments, through the gate.
    Run {
        /// The step.
        step: &'a StepId,
        /// Its arguments, references put in.
        arguments: Values,
    },
    /// A result of an earlier step lacks the field that this one needs. Nothing more runs.
    MissingResult {
        /// The step that cannot run.
        step: &'a StepId,
    },
    /// This operation did not come out as it should have. Nothing more runs.
    Stopped {
        /// The step.
        step: &'a StepId,
        /// How it stands.
        outcome: Outcome,
    },
    /// Everything has run.
    Finished,
}

/// A grant that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GrantRefused {
    /// The ruling is about another plan.
    #[error("the ruling is about {ruled}, not about {plan}")]
    OtherRuling {
        /// The plan that was ruled on.
        ruled: PlanHash,
        /// The plan that should run.
        plan: PlanHash,
    },
    /// A decision is about another plan.
    #[error("`{person}` decided about {decided}, not about {plan}")]
    OtherPlan {
        /// Who decided.
        person: PersonId,
        /// About which plan.
        decided: PlanHash,
        /// The plan that should run.
        plan: PlanHash,
    },
    /// An operation has the order of another task, or one that the stored words do not hold.
    #[error("the order of `{step}` does not belong to this task: {cause}")]
    OtherOrder {
        /// The operation.
        step: StepId,
        /// What is wrong with it.
        cause: OrderMismatch,
    },
    /// A rule forbids it.
    #[error("a rule forbids this plan")]
    Blocked,
    /// A person must take over.
    #[error("a person must take this over")]
    Escalated,
    /// Another task took its place.
    #[error("the request for approval was superseded")]
    Superseded,
    /// Taken back.
    #[error("the request for approval was revoked")]
    Revoked,
    /// The plan is too old.
    #[error("the plan was good until {good_until}")]
    PlanExpired {
        /// Its end.
        good_until: Timestamp,
    },
    /// A decision is too old.
    #[error("the decision of `{person}` counted until {expires_at}")]
    DecisionExpired {
        /// Who decided.
        person: PersonId,
        /// Its end.
        expires_at: Timestamp,
    },
    /// A decision from the future: a record or a clock is wrong.
    #[error("the decision of `{person}` is dated {decided_at}, which has not come yet")]
    FromTheFuture {
        /// Who decided.
        person: PersonId,
        /// When, it says.
        decided_at: Timestamp,
    },
    /// Somebody said no.
    #[error("`{person}` rejected it: {}", reason.escape_debug())]
    Rejected {
        /// Who.
        person: PersonId,
        /// Why.
        reason: String,
    },
    /// A yes to some operations is a yes to another plan.
    #[error("`{person}` approved other operations than those of this plan")]
    Partial {
        /// Who.
        person: PersonId,
    },
    /// Not enough people said yes.
    #[error("{} of {requirement} said yes{}", counted.len(), list(not_counted))]
    TooFew {
        /// What was needed.
        requirement: Requirement,
        /// Whose yes counts.
        counted: BTreeSet<PersonId>,
        /// Whose does not, and why.
        not_counted: Vec<NotCounted>,
    },
}

impl GrantRefused {
    /// What a person can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::OtherRuling { .. } | Self::OtherPlan { .. } => {
                "the plan has changed since: show the present one and ask again"
            }
            Self::Blocked => "change the request or the policy; no approval helps",
            Self::Escalated => "a person does this outside of the worker; no approval helps",
            Self::OtherOrder { .. } => "start the task again: what is stored of it was changed",
            Self::Superseded | Self::Revoked => "start the task again if it is still wanted",
            Self::PlanExpired { .. } => "make the plan again: what it was decided on may have changed",
            Self::DecisionExpired { .. } => "ask this person again",
            Self::FromTheFuture { .. } => "check the clocks, then ask this person again",
            Self::Rejected { .. } => "mend what was rejected and make a new plan",
            Self::Partial { .. } => "make a plan of the approved operations and ask for that one",
            Self::TooFew { .. } => "ask somebody whose yes counts",
        }
    }
}

fn list(not_counted: &[NotCounted]) -> String {
    not_counted.iter().map(|why| format!("; {why}")).collect()
}

/// Checks plan, ruling and decisions anew, and gives the permission that follows from them.
pub fn restore(plan: Plan, evidence: &Evidence<'_>) -> Result<ApprovedPlan, GrantRefused> {
    let hash = plan.hash();
    let ruling = evidence.ruling;
    if ruling.plan() != hash {
        return Err(GrantRefused::OtherRuling { ruled: ruling.plan(), plan: hash });
    }
    check_orders(&plan, evidence)?;
    match evidence.standing {
        Standing::Open => {}
        Standing::Superseded => return Err(GrantRefused::Superseded),
        Standing::Revoked => return Err(GrantRefused::Revoked),
    }
    let now = evidence.clock.latest();
    let good_until = plan.draft().good_until;
    if now >= good_until {
        return Err(GrantRefused::PlanExpired { good_until });
    }
    // A no counts whoever was needed, so decisions are read even where the policy allows.
    let yeses = yeses(&plan, evidence.decisions, now)?;
    let basis = match ruling.verdict() {
        Verdict::Block => return Err(GrantRefused::Blocked),
        Verdict::Escalate => return Err(GrantRefused::Escalated),
        Verdict::Allow => Basis::Policy,
        Verdict::RequireApproval => Basis::People(count(&plan, &yeses, evidence)?),
    };
    let ends = yeses.iter().map(|yes| yes.expires_at);
    let expires_at = match &basis {
        Basis::Policy => good_until,
        Basis::People(_) => ends.fold(good_until, Timestamp::min),
    };
    let scope = if plan.is_empty() {
        None
    } else {
        let progress = Progress::new(&plan, evidence.started);
        let session = plan.draft().session.clone();
        let round = plan.draft().round;
        Some(Scope { plan: hash, session, round, progress, expires_at, high_water: now, basis })
    };
    Ok(ApprovedPlan { plan, scope })
}

/// Holds the order of every operation against the stored words of the round.
fn check_orders(plan: &Plan, evidence: &Evidence<'_>) -> Result<(), GrantRefused> {
    for operation in plan.operations() {
        let checked = operation.order().check(&evidence.request, evidence.requester.person);
        checked.map_err(|cause| GrantRefused::OtherOrder { step: operation.step.clone(), cause })?;
    }
    Ok(())
}

/// The decisions that say yes to all of this plan, or the reason why one of them spoils it.
fn yeses<'a>(
    plan: &Plan,
    decisions: &'a [Decision],
    now: Timestamp,
) -> Result<Vec<&'a Decision>, GrantRefused> {
    let steps: BTreeSet<&StepId> = plan.operations().iter().map(|operation| &operation.step).collect();
    for decision in decisions {
        let person = decision.person.clone();
        if decision.plan != plan.hash() {
            return Err(GrantRefused::OtherPlan { person, decided: decision.plan, plan: plan.hash() });
        }
        match &decision.answer {
            Answer::Reject { reason } => {
                return Err(GrantRefused::Rejected { person, reason: reason.clone() });
            }
            Answer::Approve { operations } if !operations.iter().eq(steps.iter().copied()) => {
                return Err(GrantRefused::Partial { person });
            }
            Answer::Approve { .. } => {}
        }
        if decision.decided_at > now {
            return Err(GrantRefused::FromTheFuture { person, decided_at: decision.decided_at });
        }
        if now >= decision.expires_at {
            return Err(GrantRefused::DecisionExpired { person, expires_at: decision.expires_at });
        }
    }
    Ok(decisions.iter().collect())
}

/// Whether this person's word about this plan counts at all: for one requirement at least. A no needs that as well as
/// a yes does. The speaker is who says it, and in whose place. Where the rules ask nobody, the owner of the process could be asked.
pub fn may_decide(
    plan: &Plan,
    ruling: &PlanRuling,
    speaker: (At<'_>, Option<&PersonId>),
    requester: At<'_>,
    directory: &Directory,
) -> Result<(), Vec<NotCounted>> {
    let amounts = amounts(plan);
    let electorate = Electorate {
        directory,
        requester,
        own_requests: ruling.own_requests(),
        excluded: ruling.excluded(),
        amounts: amounts.as_deref(),
    };
    let mut not_counted = Vec::new();
    let owner = [Requirement::role(ruling.fallback().clone())];
    let asked = if ruling.requirements().is_empty() { &owner[..] } else { ruling.requirements() };
    for requirement in asked {
        match electorate.counts(speaker, requirement) {
            Ok(()) => return Ok(()),
            Err(why) => not_counted.push(why),
        }
    }
    Err(not_counted)
}

/// The money that a plan moves; `None` where it does not tell.
fn amounts(plan: &Plan) -> Option<Vec<Money>> {
    let moved: Option<Vec<Vec<Money>>> = plan.operations().iter().map(Operation::moved).collect();
    moved.map(|moved| moved.into_iter().flatten().collect())
}

/// The people whose yes was needed and counts.
fn count(
    plan: &Plan,
    yeses: &[&Decision],
    evidence: &Evidence<'_>,
) -> Result<BTreeSet<PersonId>, GrantRefused> {
    let amounts = amounts(plan);
    let electorate = Electorate {
        directory: evidence.directory,
        requester: evidence.requester,
        own_requests: evidence.ruling.own_requests(),
        excluded: evidence.ruling.excluded(),
        amounts: amounts.as_deref(),
    };
    let mut everybody = BTreeSet::new();
    for requirement in evidence.ruling.requirements() {
        let mut counts = Vec::new();
        let mut not_counted = Vec::new();
        for yes in yeses {
            match electorate.counts((yes.at(), yes.on_behalf_of.as_ref()), requirement) {
                Ok(()) => counts.push(yes.at()),
                Err(why) => not_counted.push(why),
            }
        }
        let counted: BTreeSet<PersonId> = counts.iter().map(|at| at.person.clone()).collect();
        let different = match evidence.directory {
            Directory::Keyboard => counted.len(),
            Directory::People(_) => different(&counts),
        };
        if different < usize::from(requirement.people.get()) {
            return Err(GrantRefused::TooFew { requirement: requirement.clone(), counted, not_counted });
        }
        everybody.extend(counted);
    }
    Ok(everybody)
}

/// How many different people these are: one name is one person, and so is one account.
fn different(all: &[At<'_>]) -> usize {
    let mut people: Vec<Vec<At<'_>>> = Vec::new();
    for at in all {
        let (same, mut others): (Vec<_>, Vec<_>) =
            people.into_iter().partition(|one| one.iter().any(|known| known.is(*at)));
        others.push(same.into_iter().flatten().chain([*at]).collect());
        people = others;
    }
    people.len()
}

#[cfg(test)]
#[path = "grant_tests.rs"]
mod tests;

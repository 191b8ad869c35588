//! Decides whether a tool call may run in the present state.
//!
//! Pure. Called before every dispatch and nowhere else.

use jiff::Timestamp;

use crate::effect::Effect;
use crate::grant::{Grant, Scope};
use crate::id::{StepId, ToolName};
use crate::json::Values;
use crate::machine::{Need, State};
use crate::plan::{OperationKey, PlanHash};
use crate::progress::Hindrance;
use crate::tool::{Call, Tool};
use crate::walk::Position;

/// The gate's yes to exactly this call. Made only here, spent once.
#[derive(Debug)]
#[must_use = "a pass that is not dispatched has used up its operation"]
pub struct Pass {
    call: Call,
    operation: Option<Spent>,
}

/// The operation that a pass uses up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spent {
    /// Its step.
    pub step: StepId,
    /// The key that goes with the call, so that a target which knows keys does it once.
    pub key: OperationKey,
    /// The plan that it belongs to.
    pub plan: PlanHash,
}

impl Pass {
    /// What may be sent.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The operation that this uses up; none for reads, calculations and questions.
    pub fn operation(&self) -> Option<&Spent> {
        self.operation.as_ref()
    }

    /// Gives the call to be sent, and the pass is gone.
    pub fn into_call(self) -> (Call, Option<Spent>) {
        (self.call, self.operation)
    }
}

/// The gate's no: what, where, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tool}` ({effect}) is refused in {state}: {why}")]
pub struct Refusal {
    /// The tool.
    pub tool: ToolName,
    /// What it does.
    pub effect: Effect,
    /// Where the session stands.
    pub state: State,
    /// Why.
    pub why: Why,
}

/// Why the gate says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Why {
    /// No call of this effect passes in this state.
    #[error("this state has no such power")]
    WrongState,
    /// Nothing was granted.
    #[error("nothing was granted")]
    NoGrant,
    /// The grant is of another session.
    #[error("the grant belongs to another session")]
    OtherSession,
    /// The grant is of an earlier round. Grants end with their round.
    #[error("the grant belongs to another round")]
    OtherRound,
    /// The grant is over.
    #[error("the grant has expired")]
    Expired,
    /// No operation of the plan is exactly this call.
    #[error("no granted operation is exactly this call")]
    NotCovered,
    /// The tool is not the one that was pinned.
    #[error("the tool has changed since it was pinned")]
    Drifted,
    /// The operation was started already.
    #[error("the operation was started already")]
    Spent,
    /// Another operation comes first and is not done.
    #[error("`{0}` comes first and is not verified")]
    After(StepId),
    /// To send again, a read-back must have found no trace of the first time.
    #[error("nothing shows that the first attempt had no effect")]
    NotAbsent,
    /// To send again, the target must do an operation once per key.
    #[error("the tool is not declared to do an operation once per key")]
    NotByKey,
}

impl From<Hindrance> for Why {
    fn from(hindrance: Hindrance) -> Self {
        match hindrance {
            Hindrance::NotCovered => Self::NotCovered,
            Hindrance::Drifted => Self::Drifted,
            Hindrance::Spent => Self::Spent,
            Hindrance::After(step) => Self::After(step),
            Hindrance::NotAbsent => Self::NotAbsent,
            Hindrance::NotByKey => Self::NotByKey,
        }
    }
}

/// Answers one call. See `docs/spec/process-fsm.md`, the table of powers.
///
/// A granted operation counts as started from here on: if the pass is lost, its outcome is in doubt.
pub fn gate(at: Position<'_>, call: Call, grant: Grant<'_>, now: Timestamp) -> Result<Pass, Refusal> {
    // INVARIANT: the call inside a `Pass` is the call that was judged.
    // A flag could be checked here and used on another call later; a value cannot.
    match judge(at, &call, grant, now) {
        Ok(operation) => Ok(Pass { call, operation }),
        Err(why) => Err(refusal(at, call.tool(), call.effect(), why)),
    }
}

fn judge(at: Position<'_>, call: &Call, grant: Grant<'_>, now: Timestamp) -> Result<Option<Spent>, Why> {
    match need(at.state(), call.effect()) {
        Some(Need::Nothing) => Ok(None),
        Some(Need::Grant) => {
            let (plan, scope) = live(at, grant, now)?;
            let (step, key) = scope.progress.start(call)?;
            Ok(Some(Spent { step, key, plan }))
        }
        None => Err(Why::WrongState),
    }
}

/// An approval tool that the operator declared as a channel: our code puts the card to it, at the gate and nowhere
/// else. A model never holds one.
#[derive(Clone, Debug)]
pub struct ApprovalChannel(Tool);

impl ApprovalChannel {
    /// Takes a tool that asks somebody something; no other can be a channel.
    pub fn declare(tool: Tool) -> Option<Self> {
        if tool.effect() == Effect::Approval { Some(Self(tool)) } else { None }
    }
}

/// Answers whether a card may be put to an approval channel: only while a plan waits.
///
/// The call is no power of the state, which only reads; so it does not pass [`gate`].
pub fn ask(at: Position<'_>, channel: &ApprovalChannel, card: Values) -> Result<Pass, Refusal> {
    match at.state() {
        State::ApprovalGate => Ok(Pass { call: Call::new(&channel.0, card), operation: None }),
        _ => Err(refusal(at, channel.0.name(), Effect::Approval, Why::WrongState)),
    }
}

/// Answers whether an operation may be sent once more, after its outcome was unknown.
///
/// Only if a read-back found no trace of it, and its target does an operation once per key. The call is made from the
/// plan, so nothing else can be sent in its place.
pub fn resend(
    at: Position<'_>,
    step: &StepId,
    tool: &Tool,
    grant: Grant<'_>,
    now: Timestamp,
) -> Result<Pass, Refusal> {
    match judge_again(at, step, tool, grant, now) {
        Ok((call, operation)) => Ok(Pass { call, operation: Some(operation) }),
        Err(why) => Err(refusal(at, tool.name(), tool.effect(), why)),
    }
}

fn judge_again(
    at: Position<'_>,
    step: &StepId,
    tool: &Tool,
    grant: Grant<'_>,
    now: Timestamp,
) -> Result<(Call, Spent), Why> {
    // Before the grant is looked at: a tool that can only read has nothing to send again.
    let writes = |effect: &Effect| need(at.state(), *effect) == Some(Need::Grant);
    if !Effect::ALL.iter().any(|effect| writes(effect) && tool.may(*effect)) {
        return Err(Why::WrongState);
    }
    let (plan, scope) = live(at, grant, now)?;
    let operation = scope.progress.operation(step).ok_or(Why::NotCovered)?;
    let effect = operation.effect;
    if operation.tool != *tool.name() || !tool.may(effect) {
        return Err(Why::NotCovered);
    }
    if !writes(&effect) {
        return Err(Why::WrongState);
    }
    let (step, key, arguments) = scope.progress.start_again(step, tool.pin())?;
    let call = Call::new(tool, arguments);
    if call.effect() != effect {
        return Err(Why::NotCovered);
    }
    Ok((call, Spent { step, key, plan }))
}

/// What a call of this effect needs in this state. `None`: nothing helps.
fn need(state: State, effect: Effect) -> Option<Need> {
    state.row().allows.iter().find(|(allowed, _)| *allowed == effect).map(|(_, need)| *need)
}

/// The scope of a grant that is of this session and round and not over.
fn live<'g>(at: Position<'_>, grant: Grant<'g>, now: Timestamp) -> Result<(PlanHash, &'g mut Scope), Why> {
    let scope = grant.into_scope().ok_or(Why::NoGrant)?;
    if scope.session != *at.session() {
        return Err(Why::OtherSession);
    }
    if scope.round != at.round() {
        return Err(Why::OtherRound);
    }
    if scope.expired(now) {
        return Err(Why::Expired);
    }
    Ok((scope.plan, scope))
}

fn refusal(at: Position<'_>, tool: &ToolName, effect: Effect, why: Why) -> Refusal {
    Refusal { tool: tool.clone(), effect, state: at.state(), why }
}

#[cfg(test)]
#[path = "gate_tests.rs"]
mod tests;

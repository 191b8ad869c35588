//! The exact list of operations that is judged, shown, approved and run.
//!
//! A [`Plan`] is immutable data with a hash over all of it. It permits nothing: a grant does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::canonical::{self, Digest, NotCanonical};
use crate::effect::Effect;
use crate::id::{SessionId, StepId, ToolName};
use crate::json::{BadJson, check_text};
use crate::operation::{Arguments, Operation};

/// The most operations in one plan.
pub(crate) const OPERATIONS_MAX: usize = 500;
/// The longest canonical form of a plan, in bytes. Each operation quotes the words that order it.
pub(crate) const PLAN_BYTES_MAX: usize = 512 * 1024;

macro_rules! digest {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub Digest);

        impl fmt::Display for $name {
            fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(out)
            }
        }
    };
}

digest!(
    /// SHA-256 of a plan's canonical form. What people approve.
    PlanHash
);
digest!(
    /// What makes one operation one: put in at dispatch, so that a target which knows it does it once.
    OperationKey
);
digest!(
    /// A tool as it was first seen: name, schema and effect.
    Pin
);

/// The round of a session. The first is 1; grants end with their round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Round(u32);

impl Round {
    /// The first round.
    pub const FIRST: Self = Self(1);

    /// Its number, from 1.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The round after this one.
    pub fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }
}

impl fmt::Display for Round {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl From<Round> for String {
    fn from(round: Round) -> Self {
        round.to_string()
    }
}

impl TryFrom<String> for Round {
    type Error = BadRound;

    fn try_from(text: String) -> Result<Self, BadRound> {
        let round = text.parse::<u32>().map(Self).map_err(|_| BadRound)?;
        // One value, one form: no `+1`, no `01`, no round 0.
        if round >= Self::FIRST && round.to_string() == text { Ok(round) } else { Err(BadRound) }
    }
}

/// Text that is no round.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a round is a whole number from 1, written as text")]
pub struct BadRound;

/// A document that took part in a plan: which one, and exactly which bytes of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Version {
    /// Its name: `invoice_reconciliation`, `operator`.
    pub name: String,
    /// The digest of its text.
    pub digest: Digest,
}

/// What a plan is made of, before it is checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanDraft {
    /// The session that runs it.
    pub session: SessionId,
    /// The round of that session.
    pub round: Round,
    /// The process file that it comes from.
    pub process: Version,
    /// The policies that judge it.
    pub policies: Vec<Version>,
    /// The tools that it names, as they were first seen.
    pub pins: BTreeMap<ToolName, Pin>,
    /// No grant for this plan outlives this, whoever gave it.
    pub good_until: Timestamp,
    /// What will be done, in order, notifications included.
    pub operations: Vec<Operation>,
}

/// A checked plan and its hash. Deserializing checks it again and computes the hash anew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "PlanDraft", into = "PlanDraft")]
pub struct Plan {
    draft: PlanDraft,
    canonical: String,
    hash: PlanHash,
    keys: Vec<OperationKey>,
}

impl Plan {
    /// Checks a draft and fixes it.
    pub fn new(draft: PlanDraft) -> Result<Self, BadPlan> {
        check(&draft)?;
        let canonical = canonical::of(&draft)?;
        if canonical.len() > PLAN_BYTES_MAX {
            return Err(BadPlan::TooLong { bytes: canonical.len() });
        }
        let hash = PlanHash(Digest::of(canonical.as_bytes()));
        let keys = keys(&draft)?;
        Ok(Self { draft, canonical, hash, keys })
    }

    /// The hash of the canonical form.
    pub fn hash(&self) -> PlanHash {
        self.hash
    }

    /// The canonical form, which is hashed. It is also a form in which a plan can be stored.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// The operations, in order.
    pub fn operations(&self) -> &[Operation] {
        &self.draft.operations
    }

    /// The operations with their keys.
    pub fn keyed(&self) -> impl Iterator<Item = (&Operation, OperationKey)> {
        self.draft.operations.iter().zip(self.keys.iter().copied())
    }

    /// Everything else that the plan fixes.
    pub fn draft(&self) -> &PlanDraft {
        &self.draft
    }

    /// Whether there is nothing to do. An empty plan needs no approval and grants nothing.
    pub fn is_empty(&self) -> bool {
        self.draft.operations.is_empty()
    }

    /// Whether some operation writes, or asks somebody on the way to a write.
    pub fn writes(&self) -> bool {
        self.draft.operations.iter().any(|operation| operation.effect != Effect::Notify)
    }

    /// Whether some operation tells somebody something.
    pub fn notifies(&self) -> bool {
        self.draft.operations.iter().any(|operation| operation.effect == Effect::Notify)
    }

    /// The new plan that holds only these steps, in their old order. It has its own hash and must be judged anew.
    ///
    /// Refused where a kept step refers to one that is not.
    pub fn only(&self, steps: &BTreeSet<StepId>) -> Result<Self, BadPlan> {
        if let Some(step) = steps.iter().find(|step| self.operation(step).is_none()) {
            return Err(BadPlan::NoSuchStep { step: step.clone() });
        }
        let mut draft = self.draft.clone();
        draft.operations.retain(|operation| steps.contains(&operation.step));
        Self::new(draft)
    }

    /// The new plan in which this operation takes the place of the one of the same step. It has its own hash and must
    /// be judged anew.
    ///
    /// A whole operation, because its read-back and its amount follow from its arguments.
    pub fn replaced(&self, operation: Operation) -> Result<Self, BadPlan> {
        let mut draft = self.draft.clone();
        let found = draft.operations.iter_mut().find(|old| old.step == operation.step);
        let old = found.ok_or_else(|| BadPlan::NoSuchStep { step: operation.step.clone() })?;
        *old = operation;
        Self::new(draft)
    }

    /// The operation of a step.
    pub fn operation(&self, step: &StepId) -> Option<&Operation> {
        self.draft.operations.iter().find(|operation| operation.step == *step)
    }
}

impl TryFrom<PlanDraft> for Plan {
    type Error = BadPlan;

    fn try_from(draft: PlanDraft) -> Result<Self, BadPlan> {
        Self::new(draft)
    }
}

impl From<Plan> for PlanDraft {
    fn from(plan: Plan) -> Self {
        plan.draft
    }
}

/// A plan that is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadPlan {
    /// Two operations of one name.
    #[error("the step `{step}` comes twice")]
    DuplicateStep {
        /// The name.
        step: StepId,
    },
    /// Reads and calculations are no operations.
    #[error(
        "`{step}` would {effect}, and a plan holds only writes, notifications and calls that ask somebody"
    )]
    NoOperation {
        /// The step.
        step: StepId,
        /// Its effect.
        effect: Effect,
    },
    /// A reference to a step that is not there or comes later.
    #[error("`{step}` refers to `{to}`, which is no earlier step")]
    BadReference {
        /// The step that refers.
        step: StepId,
        /// What it refers to.
        to: StepId,
    },
    /// A tool that the plan uses was never pinned.
    #[error("`{step}` uses `{tool}`, which has no pin")]
    NoPin {
        /// The step.
        step: StepId,
        /// The tool.
        tool: ToolName,
    },
    /// A read-back by the tool that wrote proves nothing.
    #[error("`{step}` would be read back by `{tool}` itself")]
    ChecksItself {
        /// The step.
        step: StepId,
        /// The tool.
        tool: ToolName,
    },
    /// A value that could be understood in two ways.
    #[error("`{step}` holds a bad value: {cause}")]
    BadValue {
        /// The step.
        step: StepId,
        /// What is wrong with it.
        cause: BadJson,
    },
    /// A step that the plan does not have.
    #[error("the plan has no step `{step}`")]
    NoSuchStep {
        /// The name.
        step: StepId,
    },
    /// Too many operations.
    #[error("{count} operations, and a plan holds at most {OPERATIONS_MAX}")]
    TooMany {
        /// How many there are.
        count: usize,
    },
    /// Too long.
    #[error("{bytes} bytes, and a plan has at most {PLAN_BYTES_MAX}")]
    TooLong {
        /// How long it is.
        bytes: usize,
    },
    /// No canonical form.
    #[error(transparent)]
    NotCanonical(#[from] NotCanonical),
}

fn check(draft: &PlanDraft) -> Result<(), BadPlan> {
    if draft.operations.len() > OPERATIONS_MAX {
        return Err(BadPlan::TooMany { count: draft.operations.len() });
    }
    let mut earlier: BTreeSet<&StepId> = BTreeSet::new();
    for operation in &draft.operations {
        let step = &operation.step;
        match operation.effect {
            Effect::Write | Effect::Notify | Effect::Approval => {}
            effect @ (Effect::Read | Effect::Compute) => {
                return Err(BadPlan::NoOperation { step: step.clone(), effect });
            }
        }
        check_values(operation).map_err(|cause| BadPlan::BadValue { step: step.clone(), cause })?;
        check_references(step, &operation.arguments, &earlier)?;
        if !earlier.insert(step) {
            return Err(BadPlan::DuplicateStep { step: step.clone() });
        }
        // A read-back and an undo may use what the operation itself made.
        check_pin(draft, step, &operation.tool)?;
        if let Some((tool, arguments, expect)) = operation.check.read() {
            if *tool == operation.tool {
                return Err(BadPlan::ChecksItself { step: step.clone(), tool: tool.clone() });
            }
            check_pin(draft, step, tool)?;
            check_references(step, arguments, &earlier)?;
            check_references(step, expect, &earlier)?;
        }
        if let Some(undo) = &operation.undo {
            check_references(step, &undo.arguments, &earlier)?;
        }
    }
    Ok(())
}

fn check_pin(draft: &PlanDraft, step: &StepId, tool: &ToolName) -> Result<(), BadPlan> {
    if draft.pins.contains_key(tool) {
        Ok(())
    } else {
        Err(BadPlan::NoPin { step: step.clone(), tool: tool.clone() })
    }
}

fn check_references(
    step: &StepId,
    arguments: &Arguments,
    earlier: &BTreeSet<&StepId>,
) -> Result<(), BadPlan> {
    let mut references = arguments.values().filter_map(|argument| argument.reference());
    match references.find(|reference| !earlier.contains(&reference.step)) {
        Some(reference) => Err(BadPlan::BadReference { step: step.clone(), to: reference.step.clone() }),
        None => Ok(()),
    }
}

fn check_values(operation: &Operation) -> Result<(), BadJson> {
    for (name, value) in operation.values() {
        crate::json::check_key(name)?;
        value.check()?;
    }
    operation.recipients.iter().try_for_each(|recipient| check_text(recipient))
}

/// `H(session, round, tool, canonical arguments, n)`; n counts equal operations within this plan, and on from those that
/// were done before it where the plan says so.
fn keys(draft: &PlanDraft) -> Result<Vec<OperationKey>, BadPlan> {
    let mut seen: BTreeMap<(&ToolName, String), u32> = BTreeMap::new();
    let mut keys = Vec::with_capacity(draft.operations.len());
    for operation in &draft.operations {
        let arguments = canonical::of(&operation.arguments)?;
        let before = operation.done_before.as_ref().map_or(0, |done| done.times);
        let repeats = seen.entry((&operation.tool, arguments)).or_insert(before);
        keys.push(operation.key(&draft.session, draft.round, *repeats)?);
        *repeats = repeats.saturating_add(1);
    }
    Ok(keys)
}

impl Operation {
    /// Its key as the equal operation of this number, from 0, in a round.
    pub fn key(&self, session: &SessionId, round: Round, number: u32) -> Result<OperationKey, NotCanonical> {
        let parts = (session, round, &self.tool, &self.arguments, number.to_string());
        Ok(OperationKey(Digest::of(canonical::of(&parts)?.as_bytes())))
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;

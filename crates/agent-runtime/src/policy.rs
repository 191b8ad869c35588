//! The caller's say at every turn: plan, decision, continuation, convergence, fatal errors.

use serde::{Deserialize, Serialize};

use crate::model::ToolCall;
use crate::planner::{Decision, Outline};
use crate::state::State;
use crate::tools::ToolError;

/// Judges a run at its turning points.
///
/// # Contract
///
/// Every method is a pure function of its arguments: no I/O, no clock, no chance. A stored run that is continued
/// elsewhere goes on as it would have here only if its policy does too. Each default permits.
pub trait Policy: Send + Sync {
    /// PLAN → DECIDE: is this plan acceptable?
    fn validate_plan(&self, _outline: &Outline, _state: &State) -> Result<(), Violation> {
        Ok(())
    }

    /// DECIDE, where [`crate::detail::Deciding::Rule`] holds: go on or stop?
    fn decide(&self, _state: &State) -> Decision {
        Decision::go_on("no rule says otherwise")
    }

    /// DECIDE → EXECUTE or FINALIZE: is this decision safe?
    fn validate_decision(&self, _decision: &Decision, _state: &State) -> Result<(), Violation> {
        Ok(())
    }

    /// LOOP_CHECK: may the run go on after what it has seen?
    fn validate_continuation(&self, _state: &State) -> Result<(), Violation> {
        Ok(())
    }

    /// LOOP_CHECK: is the goal reached, so that the run goes to FINALIZE?
    fn converged(&self, _state: &State) -> bool {
        false
    }

    /// OBSERVE: does this error end the run? If so, LOOP_CHECK halts it; otherwise it is an observation.
    fn is_fatal(&self, _call: &ToolCall, _error: &ToolError, _state: &State) -> bool {
        false
    }
}

/// The policy of somebody who has none: it permits everything and never sees a goal reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Permissive;

impl Policy for Permissive {}

/// Why a policy says no.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("rule `{rule}`: {problem}")]
#[serde(deny_unknown_fields)]
pub struct Violation {
    /// The rule that says so.
    pub rule: String,
    /// What is wrong.
    pub problem: String,
}

impl Violation {
    /// Names the rule and what is wrong.
    pub fn new(rule: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { rule: rule.into(), problem: problem.into() }
    }
}

/// Where a policy said no.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Checkpoint {
    /// PLAN → DECIDE.
    Plan,
    /// DECIDE → EXECUTE or FINALIZE.
    Decision,
    /// LOOP_CHECK.
    Continuation,
}

impl std::fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plan => "plan",
            Self::Decision => "decision",
            Self::Continuation => "continuation",
        })
    }
}

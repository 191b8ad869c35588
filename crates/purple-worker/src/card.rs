//! The card: what an approver sees, made by our code from the plan and from nothing that a model wrote.

use purple_process::StepId;
use serde::{Deserialize, Serialize};

/// What is shown for a plan. Its digest is in every decision about it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Card {
    steps: Vec<StepId>,
}

impl Card {
    /// The steps of the plan, in order.
    pub fn steps(&self) -> Vec<StepId> {
        self.steps.clone()
    }
}

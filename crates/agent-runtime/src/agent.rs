//! The simple agent: an input, an answer, no ceremony.

use crate::driver::Clock;
use crate::fsm::{AgentError, AgentFsm};
use crate::limits::Limits;
use crate::model::Model;
use crate::planner::Planner;
use crate::tools::Executor;

/// The simple agent, for whoever only wants an answer.
///
/// It shows no states and no history. It is the formal loop all the same, with the goal as the plan, so that every
/// guard and every limit holds here too.
#[derive(Debug)]
pub struct Agent(AgentFsm);

impl Agent {
    /// An agent of a model and the tools it may call.
    pub fn new(model: impl Model + 'static, executor: Executor) -> Self {
        Self(AgentFsm::new(model, Planner::goal_only(), executor))
    }

    /// Standing instructions.
    #[must_use]
    pub fn system(self, text: impl Into<String>) -> Self {
        Self(self.0.system(text))
    }

    /// Who measures the time.
    #[must_use]
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        Self(self.0.clock(clock))
    }

    /// What one run may use.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self(self.0.limits(limits))
    }

    /// Runs one input and gives the model's last words.
    pub async fn run(&mut self, input: &str) -> Result<String, AgentError> {
        self.0.run(input).await.map(|finished| finished.answer)
    }
}

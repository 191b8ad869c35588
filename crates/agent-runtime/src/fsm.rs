//! The formal agent: owns its parts, runs inputs, and lets everybody look.

use std::fmt;

use crate::audit::{AuditLog, NoAuditLog};
use crate::driver::{Clock, Driver, StoppedClock};
use crate::ending::{Ending, Finished, Halt};
use crate::limits::Limits;
use crate::r#loop::AgentRun;
use crate::model::{Model, Sampling};
use crate::planner::Planner;
use crate::policy::{Permissive, Policy};
use crate::setup::{Finishing, Setup};
use crate::state::State;
use crate::tools::Executor;
use crate::turn::LoopError;

/// The formal agent: states, history and inspection.
///
/// Until it is given others it has a permissive policy, no audit log and a stopped clock.
pub struct AgentFsm {
    model: Box<dyn Model>,
    planner: Planner,
    executor: Executor,
    policy: Box<dyn Policy>,
    audit: Box<dyn AuditLog>,
    clock: Box<dyn Clock>,
    system: Option<String>,
    finishing: Finishing,
    sampling: Sampling,
    limits: Limits,
    run: Option<AgentRun>,
}

impl AgentFsm {
    /// An agent of its three necessary parts.
    pub fn new(model: impl Model + 'static, planner: Planner, executor: Executor) -> Self {
        Self {
            model: Box::new(model),
            planner,
            executor,
            policy: Box::new(Permissive),
            audit: Box::new(NoAuditLog),
            clock: Box::new(StoppedClock),
            system: None,
            finishing: Finishing::LastText,
            sampling: Sampling::default(),
            limits: Limits::DEFAULT,
            run: None,
        }
    }

    /// Who judges.
    #[must_use]
    pub fn policy(self, policy: impl Policy + 'static) -> Self {
        Self { policy: Box::new(policy), ..self }
    }

    /// Who receives the audit entries.
    #[must_use]
    pub fn audit(self, audit: impl AuditLog + 'static) -> Self {
        Self { audit: Box::new(audit), ..self }
    }

    /// Who measures the time.
    #[must_use]
    pub fn clock(self, clock: impl Clock + 'static) -> Self {
        Self { clock: Box::new(clock), ..self }
    }

    /// Standing instructions.
    #[must_use]
    pub fn system(self, text: impl Into<String>) -> Self {
        Self { system: Some(text.into()), ..self }
    }

    /// Where the answer comes from.
    #[must_use]
    pub fn finishing(self, finishing: Finishing) -> Self {
        Self { finishing, ..self }
    }

    /// How the model chooses its words.
    #[must_use]
    pub fn sampling(self, sampling: Sampling) -> Self {
        Self { sampling, ..self }
    }

    /// What one run may use.
    #[must_use]
    pub fn limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Runs one input to its end. Whatever happens, [`Self::fsm`] shows it afterwards.
    pub async fn run(&mut self, input: &str) -> Result<Finished, AgentError> {
        let run = AgentRun::start(self.setup(input), self.policy.as_ref())?;
        self.resume(run).await
    }

    /// Continues a run, for example one that was stored.
    pub async fn resume(&mut self, run: AgentRun) -> Result<Finished, AgentError> {
        let driver = Driver {
            model: self.model.as_ref(),
            executor: &self.executor,
            policy: self.policy.as_ref(),
            audit: self.audit.as_ref(),
            clock: self.clock.as_ref(),
        };
        match driver.drive(self.run.insert(run)).await? {
            Ending::Finished(finished) => Ok(finished),
            Ending::Halted(cause) => Err(AgentError::Halted(cause)),
        }
    }

    /// The run of the latest input: its state, history, conversation and cost.
    pub fn fsm(&self) -> Option<&AgentRun> {
        self.run.as_ref()
    }

    fn setup(&self, input: &str) -> Setup {
        let mut setup = Setup::new(input);
        let known = State::new(setup.goal.clone(), setup.data.clone());
        (setup.planning, setup.deciding) = self.planner.plan_for(&setup.goal, &known);
        setup.system.clone_from(&self.system);
        setup.finishing = self.finishing.clone();
        setup.tools = self.executor.registry().definitions();
        setup.sampling = self.sampling.clone();
        setup.limits = self.limits.clone();
        setup
    }
}

impl fmt::Debug for AgentFsm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentFsm")
            .field("planner", &self.planner)
            .field("executor", &self.executor)
            .field("limits", &self.limits)
            .field("run", &self.run)
            .finish_non_exhaustive()
    }
}

/// Why an agent has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AgentError {
    /// The run could not be started, or was told something out of turn.
    #[error(transparent)]
    Loop(#[from] LoopError),
    /// The run halted.
    #[error(transparent)]
    Halted(#[from] Halt),
}

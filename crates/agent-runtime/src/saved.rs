//! Reads a stored run and refuses one that no run could have become.
//!
//! This finds contradictions, not forgeries: whoever can write the store could write a consistent lie.

use serde::Deserialize;

use crate::audit::AuditEntry;
use crate::ending::Ending;
use crate::history::History;
use crate::json::is_too_deep;
use crate::r#loop::{AgentRun, Step};
use crate::model::Message;
use crate::planner::{Deciding, Planning};
use crate::setup::{BadSetup, Finishing, Setup, check_data, unanswered};
use crate::state::State;
use crate::states::Phase;

/// The version of the stored form. A reader takes its own version and no other.
pub(crate) const FORMAT: u16 = 1;

/// The stored form of a run, field by field, before it is believed.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedRun {
    format: u16,
    setup: Setup,
    step: Step,
    messages: Vec<Message>,
    seeded: usize,
    state: State,
    history: History,
    sent_tokens: u64,
    audit: Vec<AuditEntry>,
    audit_next: u32,
}

/// Why a stored run is not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRun {
    /// Another version wrote it.
    #[error("the run has format {found}, and this version reads format {FORMAT}")]
    Format {
        /// What it says.
        found: u16,
    },
    /// It could not have been started.
    #[error("the run could not have been started: {0}")]
    Setup(#[from] BadSetup),
    /// Two parts of it say different things.
    #[error("the run contradicts itself: {problem}")]
    Contradiction {
        /// Which parts.
        problem: &'static str,
    },
}

impl TryFrom<SavedRun> for AgentRun {
    type Error = BadRun;

    fn try_from(saved: SavedRun) -> Result<Self, BadRun> {
        let SavedRun {
            format,
            setup,
            step,
            messages,
            seeded,
            state,
            history,
            sent_tokens,
            audit,
            audit_next,
        } = saved;
        if format != FORMAT {
            return Err(BadRun::Format { found: format });
        }
        let run =
            Self { format, setup, step, messages, seeded, state, history, sent_tokens, audit, audit_next };
        run.check_saved()?;
        Ok(run)
    }
}

impl AgentRun {
    fn check_saved(&self) -> Result<(), BadRun> {
        self.setup.check()?;
        check_data(&self.state.data)?;
        self.check_history()?;
        self.check_step()?;
        self.check_knowledge()?;
        self.check_conversation()?;
        self.check_audit()
    }

    fn check_history(&self) -> Result<(), BadRun> {
        let history = self.full_history();
        holds(history.is_sound(), "the history is not a path of the table with true counts")?;
        holds(history.present() == self.phase(), "the state is not where the history ends")?;
        let within = history.iteration() <= self.setup.limits.iterations_max;
        holds(within, "there are more iterations than the limit allows")
    }

    /// A step that waits must be one that the setup can lead to, and an ending must be the one in the history.
    fn check_step(&self) -> Result<(), BadRun> {
        match &self.step {
            Step::Planning => {
                let asks = matches!(self.setup.planning, Planning::Model { .. });
                holds(asks, "it waits for a plan that was given")?;
                Ok(self.setup.check_plan_schema()?)
            }
            Step::Deciding => {
                let asks = matches!(self.setup.deciding, Deciding::Model { .. });
                holds(asks, "it waits for a decision that a rule makes")
            }
            Step::Executing => Ok(()),
            Step::Observing(_) => {
                holds(self.due().next().is_some(), "it waits for results of no call that may run")
            }
            Step::Finalizing(because) => {
                let asks = matches!(self.setup.finishing, Finishing::Summary { .. });
                holds(asks, "it waits for a summary that it does not ask for")?;
                self.check_last_reason(&because.to_string())
            }
            Step::Ended(Ending::Finished(finished)) => self.check_last_reason(&finished.because.to_string()),
            Step::Ended(Ending::Halted(cause)) => self.check_last_reason(&cause.to_string()),
        }
    }

    fn check_last_reason(&self, reason: &str) -> Result<(), BadRun> {
        let told = self.history().last().map(|last| last.reason.as_str());
        holds(told == Some(reason), "the ending is not the one in the history")
    }

    fn check_knowledge(&self) -> Result<(), BadRun> {
        let state = &self.state;
        let history = self.full_history();
        holds(state.goal == self.setup.goal, "the goal is not the one it was started with")?;
        holds(state.progress.is_sound(), "there are more signals than are remembered")?;
        let planned = history.visited(Phase::Decide);
        holds(!planned || state.outline.is_some(), "it decided without a plan")?;
        let waits_for_plan = matches!(self.step, Step::Planning);
        holds(!waits_for_plan || state.outline.is_none(), "it waits for a plan and has one")?;
        let decided = history.visited(Phase::Execute) || history.visited(Phase::Finalize);
        holds(!decided || state.decision.is_some(), "it went on without a decision")?;
        let went_on = state.decision.as_ref().is_none_or(|decision| decision.go_on);
        holds(!history.visited(Phase::Execute) || went_on, "it went on against its decision")?;
        let deep = state.outline.iter().map(|outline| &outline.raw).chain(
            state
                .observations
                .iter()
                .flat_map(|seen| [Some(&seen.call.arguments), seen.outcome.as_ref().ok()])
                .flatten(),
        );
        holds(!deep.into_iter().any(is_too_deep), "something is nested too deep")
    }

    /// Calls, results, observations and the waiting calls tell the same story.
    fn check_conversation(&self) -> Result<(), BadRun> {
        let (earlier, own) = self
            .messages
            .split_at_checked(self.seeded)
            .ok_or(BadRun::Contradiction { problem: "it has fewer messages than it was started with" })?;
        let closed = unanswered(earlier).is_ok_and(|open| open.is_empty());
        holds(closed, "the earlier messages leave calls open")?;
        let open = unanswered(own)
            .map_err(|_| BadRun::Contradiction { problem: "calls and results are out of order" })?;
        let pending = self.pending_calls().map(|call| call.id.as_str());
        holds(open.into_iter().eq(pending), "the calls that wait are not those without results")?;
        let called = own.iter().flat_map(|message| match message {
            Message::Assistant { calls, .. } => calls.as_slice(),
            Message::System { .. } | Message::User { .. } | Message::Tool { .. } => &[],
        });
        let seen = self.state.observations.iter().map(|seen| &seen.call);
        holds(called.eq(seen.chain(self.pending_calls())), "the observations are not of the calls made")?;
        let iteration = self.iteration();
        let mut last = 0;
        let counted = self.state.observations.iter().all(|seen| {
            let ordered = (last..=iteration).contains(&seen.iteration);
            last = seen.iteration;
            ordered
        });
        holds(counted, "the observations are not in order")
    }

    fn check_audit(&self) -> Result<(), BadRun> {
        let kept = u32::try_from(self.audit.len()).ok();
        let first = kept.and_then(|kept| self.audit_next.checked_sub(kept));
        let numbers = first.into_iter().flat_map(|first| first..self.audit_next);
        let counted = first.is_some() && self.audit.iter().map(|entry| entry.sequence).eq(numbers);
        holds(counted, "the audit entries are not numbered without gaps")
    }
}

fn holds(condition: bool, problem: &'static str) -> Result<(), BadRun> {
    if condition { Ok(()) } else { Err(BadRun::Contradiction { problem }) }
}

//! What everybody may see of a run, in every state.

use crate::ending::Ending;
use crate::history::{History, Transition};
use crate::r#loop::{AgentRun, Step};
use crate::model::{Message, ToolCall, Usage};
use crate::setup::Setup;
use crate::state::State;
use crate::states::Phase;

impl AgentRun {
    /// The present state of the machine.
    pub fn phase(&self) -> Phase {
        self.step.phase()
    }

    /// Its name, as in [`Phase::name`].
    pub fn state_name(&self) -> &'static str {
        self.phase().name()
    }

    /// Whether the run has ended and asks nothing more. While FINALIZE waits for a summary it has not.
    pub fn is_terminal(&self) -> bool {
        self.ending().is_some()
    }

    /// How the run ended, if it has.
    pub fn ending(&self) -> Option<&Ending> {
        match &self.step {
            Step::Ended(ending) => Some(ending),
            Step::Planning | Step::Deciding | Step::Executing | Step::Observing(_) | Step::Finalizing(_) => {
                None
            }
        }
    }

    /// What the run knows.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Every move so far.
    pub fn history(&self) -> &[Transition] {
        self.history.transitions()
    }

    /// How many times EXECUTE has been entered.
    pub fn iteration(&self) -> u16 {
        self.history.iteration()
    }

    /// The calls of the last reply that have no result yet, in order; none outside OBSERVE.
    pub fn pending_calls(&self) -> impl Iterator<Item = &ToolCall> {
        let round = match &self.step {
            Step::Observing(round) => Some(round),
            Step::Planning | Step::Deciding | Step::Executing | Step::Finalizing(_) | Step::Ended(_) => None,
        };
        round.into_iter().flat_map(|round| &round.pending)
    }

    /// The whole conversation, without the system message. It can seed another run once this one has ended.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The part of the conversation that this run added.
    pub fn new_messages(&self) -> &[Message] {
        self.messages.get(self.seeded..).unwrap_or_default()
    }

    /// Everything the model read and wrote.
    pub fn usage(&self) -> Usage {
        self.state.spent.usage
    }

    /// What the run was started with; its transcript and data have moved into the run.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(crate) fn full_history(&self) -> &History {
        &self.history
    }
}

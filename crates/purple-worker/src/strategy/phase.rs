//! Five phases over the states of the process machine: PLAN, GATHER, SYNTHESIZE, ARTIFACT, INSIGHT.
//!
//! A phase is a way to speak in a state. It has no powers of its own.

use purple_process::State;

use crate::drive::{PHASE_ARTIFACT, PHASE_GATHER, PHASE_INSIGHT, PHASE_PLAN, PHASE_SYNTHESIZE, Prompt};

/// A phase of `five_phase`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FivePhase {
    Plan,
    Gather,
    Synthesize,
    Artifact,
    Insight,
}

/// Which states each phase has, in order. States without a model have none.
pub(crate) const PHASES: &[(FivePhase, &[State], Prompt)] = &[
    (FivePhase::Plan, &[State::Decompose], PHASE_PLAN),
    (FivePhase::Gather, &[State::Assess], PHASE_GATHER),
    (FivePhase::Synthesize, &[State::Compute], PHASE_SYNTHESIZE),
    (FivePhase::Artifact, &[State::Mutate, State::ScheduleNotify], PHASE_ARTIFACT),
    (FivePhase::Insight, &[State::Complete], PHASE_INSIGHT),
];

/// What a model is told beside the words of its state.
pub(crate) fn words(state: State) -> Option<String> {
    let row = PHASES.iter().find(|(_, states, _)| states.contains(&state));
    row.map(|(.., prompt)| prompt.fill(&[]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_in_which_a_model_works_has_one_phase_and_their_order_is_that_of_the_states() {
        let all = [
            State::Decompose,
            State::Assess,
            State::Compute,
            State::PolicyCheck,
            State::ApprovalGate,
            State::Mutate,
            State::ScheduleNotify,
            State::Complete,
            State::Escalate,
            State::Failed,
        ];
        let phased: Vec<State> = PHASES.iter().flat_map(|(_, states, _)| states.iter().copied()).collect();
        let working: Vec<State> = all.into_iter().filter(|state| Prompt::of(*state).is_some()).collect();
        assert_eq!(phased, working);
        for state in all {
            assert_eq!(words(state).is_some(), Prompt::of(state).is_some(), "{state}");
        }
    }
}

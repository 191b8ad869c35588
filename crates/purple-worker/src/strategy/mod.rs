//! Ways to attempt a task: they change how a model is asked, never what it may do.
//!
//! States, offers, gates and grants are the same under all of them. Pure.

pub(crate) mod consensus;
pub(crate) mod list;
pub(crate) mod phase;
pub(crate) mod reflection;

use purple_process::{Route, State};

use crate::learn::bandit::{Arm, Permitted, Reach};

/// A route on which nothing can be written and nobody can be told. Made from the route itself, and never stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadsOnly(());

impl ReadsOnly {
    /// `None` for every route that visits a state with the power to change something.
    pub(crate) fn of(route: &Route) -> Option<Self> {
        let acts = [State::Mutate, State::ScheduleNotify].into_iter().any(|state| route.visits(state));
        (!acts).then_some(Self(()))
    }
}

/// The way in which a round is attempted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// State by state.
    Fsm,
    /// The same states in five phases: PLAN, GATHER, SYNTHESIZE, ARTIFACT, INSIGHT.
    FivePhase,
    /// The answer is made twice, and a third time where the two differ. It takes a route that only reads.
    Moa(ReadsOnly),
}

impl Strategy {
    /// The way of an arm on a route. An arm that is not lawful there is `fsm`, whoever chose it.
    pub(crate) fn of(arm: Option<Arm>, route: &Route) -> Self {
        match arm {
            Some(Arm::FivePhase) => Self::FivePhase,
            Some(Arm::Moa) => ReadsOnly::of(route).map_or(Self::Fsm, Self::Moa),
            Some(Arm::Fsm) | None => Self::Fsm,
        }
    }
}

/// The ways among which may be chosen on a route.
pub(crate) fn permitted(route: &Route) -> Permitted {
    Permitted::lawful(match ReadsOnly::of(route) {
        Some(_) => Reach::Reads,
        None => Reach::Writes,
    })
}

#[cfg(test)]
mod tests {
    use purple_process::Arithmetic;

    use super::*;

    #[test]
    fn no_route_that_can_change_something_runs_under_moa() {
        let mut writing = 0;
        for process in crate::settings::Process::shipped().unwrap() {
            for task in process.file.tasks() {
                let route = task.route();
                let acts = route.visits(State::Mutate) || route.visits(State::ScheduleNotify);
                writing += usize::from(acts);
                assert_eq!(permitted(route).contains(Arm::Moa), !acts, "{}", process.file.name());
                let way = Strategy::of(Some(Arm::Moa), route);
                assert_eq!(way == Strategy::Fsm, acts, "{}", process.file.name());
            }
        }
        assert!(writing > 10);
        let question = Route::question(Arithmetic::Needed);
        assert!(matches!(Strategy::of(Some(Arm::Moa), &question), Strategy::Moa(_)));
        assert_eq!(Strategy::of(None, &question), Strategy::Fsm);
    }
}

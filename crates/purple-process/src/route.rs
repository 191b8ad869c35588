//! A lawful path through the states: checked once, never repaired.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::machine::State;

/// The states that one process visits, in order. Only lawful routes exist as values.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Vec<State>", into = "Vec<State>")]
pub struct Route(Vec<State>);

impl Route {
    /// Accepts a lawful list of states, or says everything that is wrong with it.
    pub fn parse(states: &[State]) -> Result<Self, UnlawfulRoute> {
        let flaws = flaws(states);
        if flaws.is_empty() { Ok(Self(states.to_vec())) } else { Err(UnlawfulRoute { flaws }) }
    }

    /// The route of a pure question: look it up, work it out if need be, answer.
    pub fn question(arithmetic: Arithmetic) -> Self {
        match arithmetic {
            Arithmetic::None => Self(vec![State::Decompose, State::Assess, State::Complete]),
            Arithmetic::Needed => {
                Self(vec![State::Decompose, State::Assess, State::Compute, State::Complete])
            }
        }
    }

    /// The states, first to last.
    pub fn states(&self) -> &[State] {
        &self.0
    }

    /// Whether the route names this state.
    pub fn visits(&self, state: State) -> bool {
        self.0.contains(&state)
    }

    /// The state before POLICY_CHECK, in which operations are proposed. `None` on a route without POLICY_CHECK.
    pub fn proposes_in(&self) -> Option<State> {
        let check = self.0.iter().position(|state| *state == State::PolicyCheck)?;
        self.0.get(check.checked_sub(1)?).copied()
    }

    /// The first state of the route at or after `target` in the order of work.
    pub(crate) fn at_or_after(&self, target: State) -> State {
        // A route ends at COMPLETE, so there always is one.
        self.0.iter().copied().find(|state| *state >= target).unwrap_or(State::Complete)
    }
}

/// Whether a question needs COMPUTE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// The answer is looked up.
    None,
    /// The answer is calculated from what was looked up.
    Needed,
}

impl TryFrom<Vec<State>> for Route {
    type Error = UnlawfulRoute;

    fn try_from(states: Vec<State>) -> Result<Self, UnlawfulRoute> {
        Self::parse(&states)
    }
}

impl From<Route> for Vec<State> {
    fn from(route: Route) -> Self {
        route.0
    }
}

impl fmt::Display for Route {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, state) in self.0.iter().enumerate() {
            if index > 0 {
                out.write_str(" → ")?;
            }
            state.fmt(out)?;
        }
        Ok(())
    }
}

/// A route that is rejected, with every reason.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the route is not lawful: {}", sentences(flaws))]
pub struct UnlawfulRoute {
    /// What is wrong, in the order of the rules.
    pub flaws: Vec<RouteFlaw>,
}

/// One reason why a route is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RouteFlaw {
    /// The first state is another one, or there is none.
    #[error("it must start at DECOMPOSE")]
    WrongStart,
    /// The last state is another one, or there is none.
    #[error("it must end at COMPLETE")]
    WrongEnd,
    /// An ending was named as a stop on the way.
    #[error("{state} is an ending and cannot be named on a route")]
    Ending {
        /// The ending.
        state: State,
    },
    /// A state comes twice.
    #[error("{state} comes twice")]
    Twice {
        /// The state.
        state: State,
    },
    /// Two neighbours are in the wrong order.
    #[error("{later} cannot come before {earlier}")]
    Order {
        /// The state that belongs after.
        later: State,
        /// The state that belongs before.
        earlier: State,
    },
    /// A state lacks the state that must come before it.
    #[error("{state} needs {before} before it")]
    Without {
        /// The state that has a condition.
        state: State,
        /// The state that is missing.
        before: State,
    },
}

impl RouteFlaw {
    /// What the author can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::WrongStart => "put DECOMPOSE first",
            Self::WrongEnd => "put COMPLETE last",
            Self::Ending { .. } => "leave it out: a process reaches it by a verdict, never by its route",
            Self::Twice { .. } => "name it once; the gate reopens and rounds repeat without being named",
            Self::Order { .. } => {
                "keep the order DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, APPROVAL_GATE, MUTATE, SCHEDULE_NOTIFY, COMPLETE"
            }
            Self::Without { .. } => "add the missing state: nothing is written or sent unread and unjudged",
        }
    }
}

/// What must come before what. MUTATE's two rows are the law of routes; the others follow from the law that every
/// operation, a notification too, passes the policy first.
const NEEDS: &[(State, State)] = &[
    (State::Mutate, State::Assess),
    (State::Mutate, State::PolicyCheck),
    (State::ApprovalGate, State::PolicyCheck),
    (State::ScheduleNotify, State::PolicyCheck),
];

fn flaws(states: &[State]) -> Vec<RouteFlaw> {
    let mut flaws = Vec::new();
    if states.first() != Some(&State::Decompose) {
        flaws.push(RouteFlaw::WrongStart);
    }
    if states.last() != Some(&State::Complete) {
        flaws.push(RouteFlaw::WrongEnd);
    }
    for (index, state) in states.iter().copied().enumerate() {
        if !State::ORDER.contains(&state) {
            flaws.push(RouteFlaw::Ending { state });
        }
        if states.iter().take(index).any(|earlier| *earlier == state) {
            flaws.push(RouteFlaw::Twice { state });
        }
    }
    for pair in states.windows(2) {
        if let [first, second] = *pair
            && second < first
        {
            flaws.push(RouteFlaw::Order { later: first, earlier: second });
        }
    }
    for (state, before) in NEEDS.iter().copied() {
        // The order was judged above; here only presence counts.
        if states.contains(&state) && !states.contains(&before) {
            flaws.push(RouteFlaw::Without { state, before });
        }
    }
    flaws
}

fn sentences(flaws: &[RouteFlaw]) -> String {
    let texts: Vec<String> = flaws.iter().map(ToString::to_string).collect();
    texts.join("; ")
}

#[cfg(test)]
#[path = "route_tests.rs"]
mod tests;

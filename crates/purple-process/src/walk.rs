//! Where a session stands on its route, as plain data: the only way to compute a next state.
//!
//! What is stored is what happened, and the state is computed from it. So a stored walk cannot claim to be in MUTATE
//! without the events that lead there.

use std::collections::BTreeSet;

use purple_policy::Verdict;
use serde::{Deserialize, Serialize};

use crate::grant::ApprovedPlan;
use crate::id::{SessionId, StepId};
use crate::judge::{PlanRuling, Shape};
use crate::machine::{Ending, Event, IllegalMove, Landing, Move, State, step};
use crate::plan::{PlanHash, Round};
use crate::progress::{Outcome, Ran};
use crate::route::Route;

/// The most moves in one round.
pub(crate) const MOVES_MAX: usize = 256;

/// A session's walk along its route, in its present round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Stored", into = "Stored")]
pub struct Walk {
    stored: Stored,
    // Computed from `stored`, never read from data.
    state: State,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    session: SessionId,
    round: Round,
    route: Route,
    /// What happened in this round, in order.
    path: Vec<Event>,
    /// The plans that were given permission in this round, one for each event that gives it.
    plans: Vec<PlanHash>,
}

/// Something that happened, with what proves it where proof is needed.
#[derive(Clone, Copy, Debug)]
pub enum Fact<'a> {
    /// Entities and data needs are known.
    Decomposed,
    /// The data is there.
    Assessed,
    /// The figures are there, and operations are proposed.
    Computed,
    /// The request may not be served: it would disclose what is private.
    PrivacyRefused,
    /// The plan was judged; the ruling says how it goes on.
    Judged(&'a PlanRuling),
    /// The rules say that nothing is to be done.
    NothingToDo,
    /// The rules say stop, before any plan was made.
    Stopped,
    /// The plan may run: the people who were needed said yes.
    Granted(&'a ApprovedPlan),
    /// Somebody said no.
    Declined,
    /// Nobody answered in time.
    Expired,
    /// The plan became another one, which must be judged.
    Revised,
    /// Another task took the place of this one.
    Superseded,
    /// Operations that no grant covers form a new plan.
    Captured,
    /// The next plan, judged by this ruling, waits for a person.
    Reopened(&'a PlanRuling),
    /// How far every plan of this round has come; nothing of theirs keeps notifications back.
    Applied(&'a [Ran]),
    /// The notifications are out.
    Notified,
    /// A person must take over.
    Escalated,
    /// It was called off.
    Cancelled,
    /// Something broke that cannot be mended here.
    Failed,
    /// A later task of a session whose last round is over, however it ended.
    NewRound,
}

/// A fact that does not fit where the walk stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misstep {
    /// Not in the table of moves.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
    /// A ruling or a grant of another session or round.
    #[error("the plan belongs to round {found} of session `{session}`, and this is another")]
    OtherRound {
        /// Its session.
        session: SessionId,
        /// Its round.
        found: Round,
    },
    /// The plan writes, and the route has no MUTATE.
    #[error("the plan writes, and the route {route} has no MUTATE")]
    RouteCannotWrite {
        /// The route.
        route: Route,
    },
    /// The plan writes, and the writes of this round are over.
    #[error("the plan writes, and after SCHEDULE_NOTIFY only notifications can be planned")]
    WritesAreOver,
    /// The gate opens only for a plan that needs a person.
    #[error("the ruling is `{verdict}`, so there is nothing to ask")]
    NothingToAsk {
        /// What the ruling says.
        verdict: Verdict,
    },
    /// A write keeps notifications back.
    #[error("`{step}` is not verified: {}", outcome.map_or("it did not run", |_| "its outcome keeps the rest back"))]
    HeldBack {
        /// The step.
        step: StepId,
        /// How it stands; `None` if it did not run.
        outcome: Option<Outcome>,
    },
    /// The plans that are said to have run are not those that were given permission.
    #[error("{} of the plans of this round are not accounted for, and {} are of no such plan", missing.len(), foreign.len())]
    OtherPlans {
        /// Those that had permission and are not named.
        missing: Vec<PlanHash>,
        /// Those that are named and had none.
        foreign: Vec<PlanHash>,
    },
    /// A stored walk whose plans are not as many as its permissions.
    #[error("{permissions} permissions and {plans} plans do not fit together")]
    PlanCount {
        /// How many events gave permission.
        permissions: usize,
        /// How many plans are on record.
        plans: usize,
    },
    /// A new route in the middle of a round.
    #[error("the round has begun, and cannot change to the route {route}")]
    OnTheWay {
        /// The route that was wanted.
        route: Route,
    },
    /// Too many moves in one round.
    #[error("more than {MOVES_MAX} moves in one round")]
    TooLong,
    /// A stored walk that goes on after its round ended.
    #[error("`{event}` opens a new round and cannot be part of one")]
    InsideRound {
        /// The event.
        event: Event,
    },
}

impl Walk {
    /// A new session at the start of its route.
    pub fn new(session: SessionId, route: Route) -> Self {
        let stored = Stored { session, round: Round::FIRST, route, path: Vec::new(), plans: Vec::new() };
        Self { stored, state: State::Decompose }
    }

    /// The same round on another route. Only at its very beginning: a route is never changed on the way.
    pub fn rerouted(&self, route: Route) -> Result<Self, Misstep> {
        if !self.stored.path.is_empty() {
            return Err(Misstep::OnTheWay { route });
        }
        let stored = Stored { route, ..self.stored.clone() };
        Ok(Self { stored, state: self.state })
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        self.state
    }

    /// Its route.
    pub fn route(&self) -> &Route {
        &self.stored.route
    }

    /// Its round.
    pub fn round(&self) -> Round {
        self.stored.round
    }

    /// What happened in this round.
    pub fn path(&self) -> &[Event] {
        &self.stored.path
    }

    /// Whether this round has been in a state.
    pub fn visited(&self, wanted: State) -> bool {
        let mut state = State::Decompose;
        for event in &self.stored.path {
            if state == wanted {
                return true;
            }
            match step(state, *event) {
                Ok(row) => state = land(&self.stored.route, row),
                // A path is made of lawful steps; `after` and the reader of stored walks see to it.
                Err(_) => break,
            }
        }
        self.state == wanted || state == wanted
    }

    /// The plans that were given permission in this round, in order.
    pub fn plans(&self) -> &[PlanHash] {
        &self.stored.plans
    }

    /// The place that the gate asks for. Nothing else makes one.
    pub fn position(&self) -> Position<'_> {
        Position { session: &self.stored.session, round: self.stored.round, state: self.state }
    }

    /// How the round ended, if it has.
    pub fn ending(&self) -> Option<Ending> {
        Ending::of(*self.stored.path.last()?, self.state)
    }

    /// The walk after this fact.
    pub fn after(&self, fact: Fact<'_>) -> Result<Self, Misstep> {
        let event = self.event(fact)?;
        let row = step(self.state, event)?;
        let mut stored = self.stored.clone();
        stored.plans.extend(permitted(fact).filter(|_| event.permits()));
        if event.opens_round() {
            stored.round = stored.round.next();
            stored.path.clear();
            stored.plans.clear();
        } else if stored.path.len() < MOVES_MAX {
            stored.path.push(event);
        } else {
            return Err(Misstep::TooLong);
        }
        let state = land(&stored.route, row);
        Ok(Self { stored, state })
    }

    /// The event that a fact is, once its proof was looked at.
    fn event(&self, fact: Fact<'_>) -> Result<Event, Misstep> {
        Ok(match fact {
            Fact::Decomposed => Event::Decomposed,
            Fact::Assessed => Event::Assessed,
            Fact::Computed => Event::Computed,
            Fact::PrivacyRefused => Event::PrivacyRefused,
            Fact::Judged(ruling) => {
                self.own(ruling.session(), ruling.round())?;
                match (ruling.verdict(), ruling.shape()) {
                    (Verdict::Block, _) => Event::Blocked,
                    (Verdict::Escalate, _) => Event::Escalated,
                    (verdict, Shape::Writes) => {
                        self.may_write()?;
                        if verdict == Verdict::Allow { Event::Cleared } else { Event::NeedsApproval }
                    }
                    (Verdict::RequireApproval, Shape::Empty | Shape::Tells) => Event::NeedsApproval,
                    (Verdict::Allow, Shape::Tells) if self.tells_next() => Event::ClearedToTell,
                    // Writes of an earlier plan come first: the way to notifications is `Applied`.
                    (Verdict::Allow, Shape::Tells) => Event::Cleared,
                    (Verdict::Allow, Shape::Empty) => Event::Cleared,
                }
            }
            Fact::NothingToDo => Event::NothingToDo,
            Fact::Stopped => Event::Blocked,
            Fact::Granted(approved) => {
                let draft = approved.plan().draft();
                self.own(&draft.session, draft.round)?;
                match approved.shape() {
                    Shape::Writes => {
                        self.may_write()?;
                        Event::Granted
                    }
                    Shape::Tells if self.tells_next() => Event::GrantedToTell,
                    Shape::Tells | Shape::Empty => Event::Granted,
                }
            }
            Fact::Declined => Event::Declined,
            Fact::Expired => Event::Expired,
            Fact::Revised => Event::Revised,
            Fact::Superseded => Event::Superseded,
            Fact::Captured => Event::Captured,
            Fact::Reopened(ruling) => {
                self.own(ruling.session(), ruling.round())?;
                if ruling.verdict() != Verdict::RequireApproval {
                    return Err(Misstep::NothingToAsk { verdict: ruling.verdict() });
                }
                Event::Reopened
            }
            Fact::Applied(plans) => self.applied(plans)?,
            Fact::Notified => Event::Notified,
            Fact::Escalated => Event::Escalated,
            Fact::Cancelled => Event::Cancelled,
            Fact::Failed => Event::Failed,
            Fact::NewRound => Event::NewRound,
        })
    }

    fn applied(&self, ran: &[Ran]) -> Result<Event, Misstep> {
        let named: BTreeSet<PlanHash> = ran.iter().map(|ran| ran.plan).collect();
        let permitted: BTreeSet<PlanHash> = self.stored.plans.iter().copied().collect();
        if named != permitted {
            return Err(Misstep::OtherPlans {
                missing: permitted.difference(&named).copied().collect(),
                foreign: named.difference(&permitted).copied().collect(),
            });
        }
        if let Some((step, outcome)) = ran.iter().find_map(|ran| ran.held_back.clone()) {
            return Err(Misstep::HeldBack { step, outcome });
        }
        let due = ran.iter().any(|ran| ran.notices_due);
        Ok(if due { Event::AppliedWithNotices } else { Event::Applied })
    }

    fn own(&self, session: &SessionId, round: Round) -> Result<(), Misstep> {
        if *session == self.stored.session && round == self.stored.round {
            Ok(())
        } else {
            Err(Misstep::OtherRound { session: session.clone(), found: round })
        }
    }

    fn may_write(&self) -> Result<(), Misstep> {
        if self.writes_are_over() {
            Err(Misstep::WritesAreOver)
        } else if self.stored.route.visits(State::Mutate) {
            Ok(())
        } else {
            Err(Misstep::RouteCannotWrite { route: self.stored.route.clone() })
        }
    }

    /// Whether no write of this round can keep a notification back: there is none, or all were applied.
    fn tells_next(&self) -> bool {
        self.stored.plans.is_empty() || self.writes_are_over()
    }

    /// Whether the walk has left MUTATE behind. Nothing leads from SCHEDULE_NOTIFY to a write.
    fn writes_are_over(&self) -> bool {
        self.visited(State::ScheduleNotify)
    }
}

/// The plan that a fact gives permission to, if it is such a fact.
fn permitted(fact: Fact<'_>) -> impl Iterator<Item = PlanHash> {
    let plan = match fact {
        Fact::Judged(ruling) => Some(ruling.plan()),
        Fact::Granted(approved) => Some(approved.plan().hash()),
        Fact::Decomposed
        | Fact::Assessed
        | Fact::Computed
        | Fact::PrivacyRefused
        | Fact::NothingToDo
        | Fact::Stopped
        | Fact::Declined
        | Fact::Expired
        | Fact::Revised
        | Fact::Superseded
        | Fact::Captured
        | Fact::Reopened(_)
        | Fact::Applied(_)
        | Fact::Notified
        | Fact::Escalated
        | Fact::Cancelled
        | Fact::Failed
        | Fact::NewRound => None,
    };
    plan.into_iter()
}

/// Where a move ends on this route.
fn land(route: &Route, row: &Move) -> State {
    match row.landing {
        Landing::Demand => row.to,
        Landing::Place => route.at_or_after(row.to),
    }
}

impl TryFrom<Stored> for Walk {
    type Error = Misstep;

    fn try_from(stored: Stored) -> Result<Self, Misstep> {
        if stored.path.len() > MOVES_MAX {
            return Err(Misstep::TooLong);
        }
        let permissions = stored.path.iter().filter(|event| event.permits()).count();
        if permissions != stored.plans.len() {
            return Err(Misstep::PlanCount { permissions, plans: stored.plans.len() });
        }
        let mut state = State::Decompose;
        for event in stored.path.iter().copied() {
            if event.opens_round() {
                return Err(Misstep::InsideRound { event });
            }
            state = land(&stored.route, step(state, event)?);
        }
        Ok(Self { stored, state })
    }
}

impl From<Walk> for Stored {
    fn from(walk: Walk) -> Self {
        walk.stored
    }
}

/// Where a walk stands, for the gate. Only a [`Walk`] gives one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position<'a> {
    session: &'a SessionId,
    round: Round,
    state: State,
}

impl Position<'_> {
    /// The state.
    pub fn state(&self) -> State {
        self.state
    }

    pub(crate) fn session(&self) -> &SessionId {
        self.session
    }

    pub(crate) fn round(&self) -> Round {
        self.round
    }
}

#[cfg(test)]
#[path = "walk_tests.rs"]
mod tests;

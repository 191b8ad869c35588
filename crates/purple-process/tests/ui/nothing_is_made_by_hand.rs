//! Struct literals. They stand alone: the compiler judges privacy of fields last, and any other error hides it.

use purple_process::{ApprovedPlan, Call, Pass, Plan, PlanRuling, Position, Round, Route, SessionId, State};

fn pass(call: Call) -> Pass {
    Pass { call, operation: None }
}

fn approved_plan(plan: Plan) -> ApprovedPlan {
    ApprovedPlan { plan, scope: None }
}

fn ruling(other: PlanRuling, verdict: purple_policy::Verdict) -> PlanRuling {
    PlanRuling { verdict, ..other }
}

fn position(session: &SessionId) -> Position<'_> {
    Position { session, round: Round::FIRST, state: State::Mutate }
}

fn route() -> Route {
    Route { 0: vec![State::Mutate] }
}

fn main() {}

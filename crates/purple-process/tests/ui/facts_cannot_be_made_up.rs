//! Where a session stands, what a tool does, what a plan holds and which way a route goes: none of it by hand.

use purple_process::{Call, Effect, Plan, PlanDraft, Position, Round, Route, SessionId, State, Tool, Walk};

fn stand_in_mutate(session: &SessionId) -> Position<'_> {
    Position { session, round: Round::FIRST, state: State::Mutate }
}

fn jump_to_mutate(mut walk: Walk) -> Walk {
    walk.state = State::Mutate;
    walk
}

fn call_it_a_read(mut call: Call) -> Call {
    call.effect = Effect::Read;
    call
}

fn tool_from_data(text: &str) -> Option<Tool> {
    serde_json::from_str(text).ok()
}

fn change_after_hashing(mut plan: Plan, draft: PlanDraft) -> Plan {
    plan.draft = draft;
    plan
}

fn go_straight_to_mutate() -> Route {
    Route { 0: vec![State::Mutate] }
}

fn main() {}

//! Where a session stands, what a tool does and what a plan holds: none of it can be changed or read from data.

use purple_process::{Call, Effect, Plan, PlanDraft, State, Tool, Walk};

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

fn main() {}

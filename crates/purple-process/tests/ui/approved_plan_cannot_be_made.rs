//! Not for another plan, not by default, not by copying, not from data.

use purple_process::ApprovedPlan;

fn for_another_plan(mut approved: ApprovedPlan, plan: purple_process::Plan) -> ApprovedPlan {
    approved.plan = plan;
    approved
}

fn by_default() -> ApprovedPlan {
    ApprovedPlan::default()
}

fn by_copying(value: &ApprovedPlan) -> ApprovedPlan {
    value.clone()
}

fn from_data(text: &str) -> Option<ApprovedPlan> {
    serde_json::from_str(text).ok()
}

fn main() {}

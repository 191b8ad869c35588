//! Not softer, not by default, not by copying, not from data.

use purple_process::PlanRuling;

fn softened(mut ruling: PlanRuling, verdict: purple_policy::Verdict) -> PlanRuling {
    ruling.verdict = verdict;
    ruling
}

fn by_default() -> PlanRuling {
    PlanRuling::default()
}

fn by_copying(value: &PlanRuling) -> PlanRuling {
    value.clone()
}

fn from_data(text: &str) -> Option<PlanRuling> {
    serde_json::from_str(text).ok()
}

fn main() {}

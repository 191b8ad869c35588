//! What a file decides cannot be loosened afterwards.

use purple_policy::Verdict;
use purple_process::playbook::Decision;

fn loosen(mut decision: Decision) -> Decision {
    decision.verdict = Some(Verdict::Allow);
    decision
}

fn main() {}

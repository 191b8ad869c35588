//! A grant is lent for one call: two plans cannot swap theirs, and none outlives its plan.

use purple_process::{ApprovedPlan, Grant};

fn keep(mut approved: ApprovedPlan) -> Grant<'static> {
    approved.grant()
}

fn two_at_once(approved: &mut ApprovedPlan) {
    let first = approved.grant();
    let second = approved.grant();
    drop((first, second));
}

fn main() {}

//! The fate of every operation of every plan that was granted. The journal has those that were started; the others are
//! listed too, with the reason. Nothing is dropped in silence.

use purple_process::{Ending, Operation, Plan};

use crate::execute::close::Left;
use crate::run::{Phase, Run};
use crate::session::Trail;
use crate::view::{Mutation, NotStarted};

impl Run<'_> {
    /// The operations of a round that were granted, or were next to be asked about, and never started.
    pub(crate) async fn not_started(
        &self,
        trail: &Trail,
        log: &[Mutation],
        why: &str,
    ) -> Phase<Vec<NotStarted>> {
        let mut plans = Vec::new();
        for hash in trail.permitted.iter().chain(&trail.to_ask) {
            plans.push(self.plan(*hash).await?);
        }
        let is_settled = |key| {
            trail.started.iter().any(|record| record.key == key) || log.iter().any(|one| one.key == key)
        };
        let mut found = Vec::new();
        for (place, plan) in plans.iter().enumerate() {
            // What was planned again counts where it stands last.
            let later = plans.get(place.saturating_add(1)..).unwrap_or_default();
            let is_again = |one: &Operation| later.iter().any(|plan| holds(plan, one));
            let left = plan.keyed().filter(|(one, key)| !is_settled(*key) && !is_again(one));
            found.extend(left.map(|(one, _)| NotStarted {
                step: one.step.clone(),
                headline: one.headline(),
                tool: one.tool.to_string(),
                round: self.session.round(),
                why: why.to_owned(),
            }));
        }
        Ok(found)
    }

    /// The same when a round ends, with what a model wanted and nobody was asked about.
    pub(crate) async fn never_started(&self, left: &Left, log: &[Mutation]) -> Phase<Vec<NotStarted>> {
        let why = match (&left.stopped, self.session.walk.ending()) {
            (Some(why), _) => why.as_str(),
            (None, Some(Ending::Done)) => "it was decided anew, and this was no part of it",
            (None, Some(Ending::Declined)) => "the approval was declined",
            (None, Some(Ending::Blocked)) => "a rule forbids what was next",
            (None, Some(Ending::Cancelled)) => "the run was cancelled",
            (None, Some(Ending::Refused | Ending::Escalated | Ending::Failed) | None) => {
                "the run ended before it"
            }
        };
        let mut found = self.not_started(&left.trail, log, why).await?;
        found.extend(left.unasked.iter().map(|one| NotStarted {
            step: one.step.clone(),
            headline: one.headline(),
            tool: one.tool.to_string(),
            round: self.session.round(),
            why: format!("nobody was asked about it: {why}"),
        }));
        Ok(found)
    }
}

fn holds(plan: &Plan, operation: &Operation) -> bool {
    plan.operations().iter().any(|one| one.tool == operation.tool && one.arguments == operation.arguments)
}

//! What is known of a round when it is scored, gathered from what was told and seen.

use purple_policy::Verdict;
use purple_process::{Ending, Outcome, State};

use super::score::{Calls, End, Evidence, Fields, Form, Mutations, People, Policy, Score, Wanted, score};
use crate::execute::close::{Seen, Told};
use crate::execute::finish::is_exact_match;
use crate::execute::prepare::NO_VALUE;
use crate::run::Run;
use crate::view::{Answer, PolicyResult};

/// Quality from 0 to 1, from evidence.
pub(super) fn quality(run: &Run<'_>, told: &Told, answer: &Answer) -> Option<Score> {
    let round = run.session.round();
    let own = || told.mutations.iter().filter(|mutation| mutation.round == round);
    let count = |wanted: Outcome| {
        u32::try_from(own().filter(|one| one.outcome == wanted).count()).unwrap_or(u32::MAX)
    };
    let fields = told.left.fields.unwrap_or_else(|| {
        let figures = &told.left.figures;
        let empty = figures.iter().filter(|(_, value)| value.starts_with(NO_VALUE));
        Fields::of(figures.len(), empty.count())
    });
    let Seen { calls, failed, repeated, empty, .. } = told.seen;
    let wanted = if run.session.walk.route().visits(State::Mutate) { Wanted::Deed } else { Wanted::Words };
    let evidence = Evidence {
        answer: answer.data.answer.clone(),
        form: if is_exact_match(&answer.text) { Form::Exact } else { Form::Prose },
        end: end(told),
        wanted,
        fields,
        mutations: Mutations {
            verified: count(Outcome::Verified),
            unverifiable: count(Outcome::Unverifiable),
            mismatched: count(Outcome::Mismatch),
            absent: count(Outcome::Absent),
        },
        calls: Calls { total: calls, failed, repeated, empty },
        policy: policy(told, own().count()),
        people: people(told),
        effects: told.effects,
    };
    score(&evidence).ok()
}

/// Whether a round came to an end of its own. Who hands over because a rule says so has decided; who does so because
/// nothing else was left has not.
fn end(told: &Told) -> End {
    let by_rule = told.left.policy.as_ref().is_some_and(|policy| policy.escalation_required);
    match told.ending {
        Some(Ending::Done | Ending::Declined | Ending::Blocked | Ending::Refused) => End::Decided,
        Some(Ending::Escalated) if by_rule => End::Decided,
        Some(Ending::Escalated | Ending::Cancelled | Ending::Failed) | None => End::GaveUp,
    }
}

/// What the rules came to. Where they ask for a person, they are kept by what ran after the yes.
fn policy(told: &Told, ran: usize) -> Policy {
    let Some(policy) = &told.left.policy else { return Policy::NotApplicable };
    if policy.triggered_rules.is_empty() {
        return Policy::NotApplicable;
    }
    match (verdict(policy), told.ending) {
        (_, Some(Ending::Failed)) | (Verdict::Block | Verdict::Escalate, _) => Policy::Failed,
        // What was handed over or called off after all has not been let happen.
        (_, Some(Ending::Escalated | Ending::Cancelled)) => Policy::Failed,
        (Verdict::Allow, _) => Policy::Passed,
        (Verdict::RequireApproval, _) if told.seen.approved || told.seen.edited || ran > 0 => Policy::Passed,
        (Verdict::RequireApproval, Some(Ending::Done)) => Policy::NotApplicable,
        (Verdict::RequireApproval, _) => Policy::Failed,
    }
}

/// What people did in a round.
pub(super) fn people(told: &Told) -> People {
    match (told.ending, told.seen.edited, told.seen.approved) {
        (Some(Ending::Declined), ..) => People::Rejected,
        (_, true, _) => People::Edited,
        (_, false, true) => People::ApprovedUnchanged,
        (_, false, false) => People::NotAsked,
    }
}

pub(super) fn verdict(policy: &PolicyResult) -> Verdict {
    match (policy.passed, policy.requires_approval, policy.escalation_required) {
        (true, _, _) => Verdict::Allow,
        (false, true, _) => Verdict::RequireApproval,
        (false, false, true) => Verdict::Escalate,
        (false, false, false) => Verdict::Block,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(ending: Ending, verdict: Option<Verdict>) -> Told {
        let mut told = Told { ending: Some(ending), ..Told::default() };
        told.left.policy = verdict.map(|verdict| PolicyResult {
            not_evaluated: Vec::new(),
            passed: verdict == Verdict::Allow,
            requires_approval: verdict == Verdict::RequireApproval,
            escalation_required: verdict == Verdict::Escalate,
            escalation_level: None,
            triggered_rules: vec![json!({"id": "R-1"})],
        });
        told
    }

    #[test]
    fn the_rules_passed_only_where_they_let_it_happen() {
        use Verdict::{Allow, Block, Escalate, RequireApproval};
        let cases = [
            (Ending::Done, Some(Allow), Policy::Passed),
            (Ending::Done, None, Policy::NotApplicable),
            (Ending::Blocked, Some(Block), Policy::Failed),
            (Ending::Escalated, Some(Escalate), Policy::Failed),
            (Ending::Failed, Some(Allow), Policy::Failed),
            (Ending::Failed, None, Policy::NotApplicable),
            (Ending::Declined, Some(RequireApproval), Policy::Failed),
            (Ending::Escalated, Some(RequireApproval), Policy::Failed),
            (Ending::Done, Some(RequireApproval), Policy::NotApplicable),
        ];
        for (ending, verdict, expected) in cases {
            assert_eq!(policy(&told(ending, verdict), 0), expected, "{ending:?} {verdict:?}");
        }
        let asked = told(Ending::Done, Some(RequireApproval));
        assert_eq!(policy(&asked, 1), Policy::Passed, "what ran had its yes");
        let mut handed = told(Ending::Escalated, Some(RequireApproval));
        handed.seen.approved = true;
        assert_eq!(policy(&handed, 1), Policy::Failed, "it had its yes, and came to nothing");
        let mut quiet = told(Ending::Blocked, Some(Block));
        quiet.left.policy.as_mut().unwrap().triggered_rules.clear();
        assert_eq!(policy(&quiet, 0), Policy::NotApplicable);
    }

    #[test]
    fn a_hand_over_counts_as_an_end_only_where_a_rule_asks_for_it() {
        for ending in [Ending::Done, Ending::Declined, Ending::Blocked, Ending::Refused] {
            assert_eq!(end(&told(ending, None)), End::Decided, "{ending:?}");
        }
        for ending in [Ending::Failed, Ending::Cancelled, Ending::Escalated] {
            assert_eq!(end(&told(ending, Some(Verdict::Allow))), End::GaveUp, "{ending:?}");
        }
        assert_eq!(end(&told(Ending::Escalated, Some(Verdict::Escalate))), End::Decided);
        assert_eq!(end(&Told::default()), End::GaveUp);
    }
}

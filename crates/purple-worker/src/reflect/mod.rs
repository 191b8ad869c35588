//! The third arrow: what is said, and what is remembered. Pure: it reads what was done and changes nothing.

pub(crate) mod entities;
pub(crate) mod score;

use purple_policy::Verdict;
use purple_process::{Ending, Outcome};
use serde_json::json;

use crate::conversation::{Line, Speaker};
use crate::execute::Executed;
use crate::execute::close::Seen;
use crate::execute::close::Told;
use crate::execute::finish::{AnswerFacts, compose, is_exact_match, missing_fields};
use crate::port::PastCase;
use crate::run::Run;
use crate::view::{Answer, PolicyResult};
use entities::entities;
use score::{Calls, Evidence, Fields, Form, Mutations, People, Policy, Score, score};

/// A run with its answer and its lesson.
pub(crate) struct Reflected<'a> {
    pub run: Run<'a>,
    pub answer: Option<Answer>,
    pub learned: Option<PastCase>,
}

/// The third arrow.
pub(crate) fn reflect(executed: Executed<'_>) -> Reflected<'_> {
    let Executed { mut run } = executed;
    let Some(told) = run.told.take() else { return Reflected { run, answer: None, learned: None } };
    let now = run.scribe.now();
    let took_ms = u64::try_from(now.duration_since(run.session.began).as_millis()).unwrap_or_default();
    let plain = answer(&run, &told, None, took_ms);
    let score = told.ending.and_then(|_| quality(&run, &told, &plain));
    let answer = match &score {
        Some(score) => answer(&run, &told, Some(score), took_ms),
        None => plain,
    };
    let answer = match &told.over {
        Some(over) => {
            let text = format!("{}\n\n{}", told.left.sentences.join("\n"), over.text);
            Answer { text, data: over.data.clone() }
        }
        None => answer,
    };
    let learned = told.ending.map(|_| lesson(&run, &told, &answer));
    run.session.conversation.push(Line { who: Speaker::Worker, text: answer.data.answer.clone(), at: now });
    Reflected { run, answer: Some(answer), learned }
}

fn answer(run: &Run<'_>, told: &Told, quality: Option<&Score>, took_ms: u64) -> Answer {
    let Told { left, mutations, ending, .. } = told;
    let card = told.card_text();
    let total = quality.map(|score| score.total.to_string());
    let because = quality.map(Score::explain).unwrap_or_default();
    let shows: Vec<(String, String)> =
        left.shows.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    compose(&AnswerFacts {
        sentences: &left.sentences,
        figures: &left.figures,
        shows: &shows,
        policy: left.policy.as_ref(),
        verdict: left.policy.as_ref().map(verdict),
        mutations,
        ending: *ending,
        code: left.code.as_deref(),
        process: run.session.chosen.as_ref().map(|chosen| chosen.process.as_str()),
        quality: total.as_deref(),
        quality_because: &because,
        took_ms,
        waiting: card.as_deref(),
    })
}

fn verdict(policy: &PolicyResult) -> Verdict {
    match (policy.passed, policy.requires_approval, policy.escalation_required) {
        (true, _, _) => Verdict::Allow,
        (false, true, _) => Verdict::RequireApproval,
        (false, false, true) => Verdict::Escalate,
        (false, false, false) => Verdict::Block,
    }
}

/// Quality from 0 to 1, from evidence.
fn quality(run: &Run<'_>, told: &Told, answer: &Answer) -> Option<Score> {
    let round = run.session.round();
    let own = || told.mutations.iter().filter(|mutation| mutation.round == round);
    let count = |wanted: Outcome| {
        u32::try_from(own().filter(|one| one.outcome == wanted).count()).unwrap_or(u32::MAX)
    };
    let required: Vec<String> = told.left.figures.iter().map(|(name, _)| name.clone()).collect();
    let missing = u32::try_from(missing_fields(&required, &answer.data.answer).len()).unwrap_or(u32::MAX);
    let all = u32::try_from(required.len()).unwrap_or(u32::MAX);
    let Seen { calls, failed, repeated, approved, edited, undo } = told.seen;
    let people = match (told.ending, undo, edited, approved) {
        (Some(Ending::Declined), ..) => People::Rejected,
        (_, true, _, _) => People::Undone,
        (_, _, true, _) => People::Edited,
        (_, _, _, true) => People::ApprovedUnchanged,
        (_, false, false, false) => People::NotAsked,
    };
    let policy = match told.left.policy.as_ref().map(verdict) {
        None => Policy::NotApplicable,
        Some(Verdict::Allow | Verdict::RequireApproval | Verdict::Escalate | Verdict::Block) => {
            if told.ending == Some(Ending::Failed) { Policy::Failed } else { Policy::Passed }
        }
    };
    let evidence = Evidence {
        answer: answer.data.answer.clone(),
        form: if is_exact_match(&answer.text) { Form::Exact } else { Form::Prose },
        ending: told.ending,
        fields: Fields { present: all.saturating_sub(missing), missing },
        mutations: Mutations {
            verified: count(Outcome::Verified),
            unverifiable: count(Outcome::Unverifiable),
            mismatched: count(Outcome::Mismatch),
        },
        calls: Calls { total: calls, failed, repeated, empty: 0 },
        policy,
        people,
    };
    score(&evidence).ok()
}

/// How a round came out, as it is remembered.
fn lesson(run: &Run<'_>, told: &Told, answer: &Answer) -> PastCase {
    let session = &run.session;
    PastCase {
        session: run.id().clone(),
        round: session.round(),
        at: run.scribe.now(),
        process: session.chosen.as_ref().map_or_else(|| "none".to_owned(), |chosen| chosen.process.clone()),
        text: session.title.clone(),
        entities: entities(&session.title),
        body: json!({
            "ending": told.ending, "code": told.left.code, "figures": told.left.figures,
            "operations": told.mutations.len(), "quality": answer.data.quality,
        }),
    }
}

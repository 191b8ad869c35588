//! The third arrow: what is said, and what is remembered. Pure: it reads what was done and changes nothing.

pub(crate) mod entities;

use serde_json::json;

use crate::conversation::{Line, Speaker};
use crate::execute::Executed;
use crate::execute::close::Told;
use crate::execute::finish::{AnswerFacts, compose};
use crate::port::PastCase;
use crate::run::Run;
use crate::view::Answer;
use entities::entities;

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
    let answer = answer(&run, &told, None, took_ms);
    let learned = told.ending.map(|_| lesson(&run, &told, &answer));
    run.session.conversation.push(Line { who: Speaker::Worker, text: answer.data.answer.clone(), at: now });
    Reflected { run, answer: Some(answer), learned }
}

fn answer(run: &Run<'_>, told: &Told, quality: Option<&str>, took_ms: u64) -> Answer {
    let Told { left, mutations, ending, .. } = told;
    let card = told.card_text();
    let shows: Vec<(String, String)> =
        left.shows.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    compose(&AnswerFacts {
        sentences: &left.sentences,
        figures: &left.figures,
        shows: &shows,
        policy: left.policy.as_ref(),
        verdict: None,
        mutations,
        ending: *ending,
        code: left.code.as_deref(),
        process: run.session.chosen.as_ref().map(|chosen| chosen.process.as_str()),
        quality,
        took_ms,
        waiting: card.as_deref(),
    })
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

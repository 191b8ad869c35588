//! The third arrow: what is said, and what is remembered. Pure: it reads what was done and changes nothing.

pub(crate) mod entities;
mod evidence;
pub(crate) mod score;

use purple_policy::Exact;
use purple_process::Outcome;
use serde_json::{Value, json};

use crate::conversation::{Line, Speaker};
use crate::execute::Executed;
use crate::execute::close::{Effects, Told};
use crate::execute::finish::{AnswerFacts, compose};
use crate::learn::bandit::POINTS_MAX;
use crate::learn::glean::FACT_POINTS_MIN;
use crate::learn::prune::NOT_ORDERED;
use crate::learn::sharing::REQUESTER;
use crate::port::{Lesson, PastCase, Scored};
use crate::run::Run;
use crate::view::{Answer, Mutation};
use entities::entities;
use evidence::{people, quality, verdict};
use score::{People, Score};

/// A run with its answer and its lesson.
pub(crate) struct Reflected<'a> {
    pub run: Run<'a>,
    pub answer: Option<Answer>,
    pub learned: Learned,
}

/// What a turn that ends a round leaves.
pub(crate) enum Learned {
    /// No round ended.
    NoEnd,
    /// One did.
    Ended {
        /// Its parts, for the journal.
        score: Option<Score>,
        /// What is remembered; nothing where learning is off.
        lesson: Option<Box<Lesson>>,
    },
}

/// The third arrow.
pub(crate) fn reflect(executed: Executed<'_>) -> Reflected<'_> {
    let Executed { mut run } = executed;
    let Some(told) = run.told.take() else {
        return Reflected { run, answer: None, learned: Learned::NoEnd };
    };
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
    let learned = match told.ending {
        None => Learned::NoEnd,
        Some(_) => {
            let lesson = run.learns().then(|| Box::new(lesson(&run, &told, &answer, score.as_ref())));
            Learned::Ended { score, lesson }
        }
    };
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
        not_started: &told.not_started,
        ending: *ending,
        runs: &left.runs,
        code: left.code.as_deref(),
        process: run.session.chosen.as_ref().map(|chosen| chosen.process.as_str()),
        quality: total.as_deref(),
        quality_because: &because,
        took_ms,
        waiting: card.as_deref(),
    })
}

/// Everything that a round teaches.
fn lesson(run: &Run<'_>, told: &Told, answer: &Answer, score: Option<&Score>) -> Lesson {
    let points = score.map(Score::points);
    let trusted = points.is_some_and(|points| points >= FACT_POINTS_MIN);
    let mut scores: Vec<Scored> = score.map(|score| scored(run, score)).into_iter().collect();
    scores.extend(undone(run, told));
    Lesson {
        case: Some(case(run, told, answer)),
        scores,
        facts: if trusted { told.gleaned.facts.clone() } else { Vec::new() },
        checks: told.gleaned.checks.clone(),
        cases_max: run.settings.learning.cases_max,
    }
}

fn process(run: &Run<'_>) -> String {
    run.session.chosen.as_ref().map_or_else(|| "none".to_owned(), |chosen| chosen.process.clone())
}

fn scored(run: &Run<'_>, score: &Score) -> Scored {
    Scored {
        session: run.id().clone(),
        round: run.session.round(),
        process: process(run),
        arm: run.session.arm,
        points: score.points(),
        cause: "ended".to_owned(),
        because: score.explain(),
        at: run.scribe.now(),
    }
}

/// The new score of an earlier round, of which this one has undone something. The old one stays beside it.
pub(crate) fn undone(run: &Run<'_>, told: &Told) -> Option<Scored> {
    let of = told.seen.undoes.as_ref()?;
    let own = run.session.round();
    let undid = told.mutations.iter().any(|one| one.round == own && one.outcome == Outcome::Verified);
    let policy = Exact::parse(of.policy.as_deref()?).ok().filter(|_| undid)?;
    let score = score::undone(&policy).ok()?;
    Some(Scored {
        session: run.id().clone(),
        round: of.round,
        process: process(run),
        arm: of.arm,
        points: score.points().min(POINTS_MAX),
        cause: "undone".to_owned(),
        because: score.explain(),
        at: run.scribe.now(),
    })
}

/// How a round came out, as it is remembered.
fn case(run: &Run<'_>, told: &Told, answer: &Answer) -> PastCase {
    let session = &run.session;
    // Who says it again after a no means the same task: the next one like it will begin with the first words.
    let text = match &told.seen.instead_of {
        Some(first) => {
            let first: String = first.split_whitespace().collect::<Vec<_>>().join(" ");
            format!("{} {}", first.chars().take(CASE_FIRST_CHARS_MAX).collect::<String>(), session.title)
        }
        None => session.title.clone(),
    };
    let mut about = entities(&text);
    for found in entities(&said(told)) {
        let is_rule = told.left.policy.as_ref().is_some_and(|policy| {
            policy.triggered_rules.iter().any(|rule| rule["id"].as_str() == Some(found.name.as_str()))
        });
        if !is_rule && !about.contains(&found) && about.len() < CASE_ENTITIES_MAX {
            about.push(found);
        }
    }
    let people = match people(told) {
        People::NotAsked => None,
        People::ApprovedUnchanged => Some("approved"),
        People::Edited => Some("edited"),
        People::Rejected => Some("rejected"),
    };
    let own = |one: &&Mutation| one.round == session.round();
    let mut did: Vec<String> = Vec::new();
    for done in told.mutations.iter().filter(own).filter_map(done) {
        if !did.contains(&done) && did.len() < CASE_TOOLS_MAX {
            did.push(done);
        }
    }
    let mut body = json!({
        "ending": told.ending, "code": told.left.code, "figures": told.left.figures,
        "operations": told.mutations.len(), "quality": answer.data.quality,
        (REQUESTER): session.requester, "people": people, "reads": told.seen.reads, "computed": told.seen.computed, "did": did,
    });
    match told.effects {
        Effects::AsOrdered => {}
        Effects::NotOrdered => body[NOT_ORDERED] = json!(true),
    }
    PastCase {
        session: run.id().clone(),
        round: session.round(),
        at: run.scribe.now(),
        process: process(run),
        text,
        entities: about,
        body,
    }
}

/// What was said and found, without the rules: their names and limits are nobody's.
fn said(told: &Told) -> String {
    let figures = told.left.figures.iter().map(|(_, value)| value.clone());
    let shows = told.left.shows.iter().map(|(_, value)| value.to_string());
    told.left.sentences.iter().cloned().chain(figures).chain(shows).collect::<Vec<_>>().join("\n")
}

/// An operation as a later task is told of it: the tool, and in which state it left what it changed. Figures, ids and
/// names are of this task alone.
fn done(mutation: &Mutation) -> Option<String> {
    match mutation.outcome {
        Outcome::Unverifiable => return Some(mutation.tool.clone()),
        Outcome::Verified => {}
        _ => return None,
    }
    let state = |(name, value): (&String, &Value)| {
        let word = value.as_str().filter(|word| (1..=STATE_BYTES_MAX).contains(&word.len()))?;
        word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_').then(|| format!("{name}: {word}"))
    };
    let states: Vec<String> = mutation.after.as_object().into_iter().flatten().filter_map(state).collect();
    if states.is_empty() {
        return Some(mutation.tool.clone());
    }
    Some(format!("{} ({})", mutation.tool, states.join(" and ")))
}

/// The longest word for a state, in bytes.
const STATE_BYTES_MAX: usize = 24;
/// The most of the words that were declined first, in characters.
const CASE_FIRST_CHARS_MAX: usize = 120;
/// The most tools of one case that changed something.
const CASE_TOOLS_MAX: usize = 8;
/// The most entities of one case.
const CASE_ENTITIES_MAX: usize = 32;

//! The third arrow: what is said, and what is remembered. Pure: it reads what was done and changes nothing.

pub(crate) mod entities;
pub(crate) mod score;

use purple_policy::{Exact, Verdict};
use purple_process::{Ending, Outcome};
use serde_json::{Value, json};

use crate::conversation::{Line, Speaker};
use crate::execute::Executed;
use crate::execute::close::Seen;
use crate::execute::close::Told;
use crate::execute::finish::{AnswerFacts, compose, is_exact_match, missing_fields};
use crate::learn::bandit::POINTS_MAX;
use crate::learn::glean::FACT_POINTS_MIN;
use crate::port::{Lesson, PastCase, Scored};
use crate::run::Run;
use crate::view::{Answer, Mutation, PolicyResult};
use entities::entities;
use score::{Calls, Evidence, Fields, Form, Mutations, People, Policy, Score, score};

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
    let Seen { calls, failed, repeated, empty, .. } = told.seen;
    let policy = match &told.left.policy {
        _ if told.ending == Some(Ending::Failed) => Policy::Failed,
        None => Policy::NotApplicable,
        Some(policy) if policy.triggered_rules.is_empty() => Policy::NotApplicable,
        Some(_) => Policy::Passed,
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
            absent: count(Outcome::Absent),
        },
        calls: Calls { total: calls, failed, repeated, empty },
        policy,
        people: people(told),
    };
    score(&evidence).ok()
}

/// What people did in a round.
fn people(told: &Told) -> People {
    match (told.ending, told.seen.edited, told.seen.approved) {
        (Some(Ending::Declined), ..) => People::Rejected,
        (_, true, _) => People::Edited,
        (_, false, true) => People::ApprovedUnchanged,
        (_, false, false) => People::NotAsked,
    }
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
    for found in entities(&answer.data.answer) {
        if !about.contains(&found) && about.len() < CASE_ENTITIES_MAX {
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
    PastCase {
        session: run.id().clone(),
        round: session.round(),
        at: run.scribe.now(),
        process: process(run),
        text,
        entities: about,
        body: json!({
            "ending": told.ending, "code": told.left.code, "figures": told.left.figures,
            "operations": told.mutations.len(), "quality": answer.data.quality,
            "people": people, "reads": told.seen.reads, "computed": told.seen.computed, "did": did,
        }),
    }
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

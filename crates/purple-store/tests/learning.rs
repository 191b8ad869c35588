//! Scores, facts, checks and the case log: what counts, what stays, and what is gone when it is forgotten.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod support;

use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use purple_port::{
    Arm, Carried, Check, Citation, Defined, DefinitionKind, Definitions as _, Digest, Entity, Fact, Forget,
    Lesson, Logged, Memory as _, Origin, PastCase, PersonId, Redefinition, Scored, Seed, Tally, Whose,
};
use purple_store::Engine;
use serde_json::json;
use support::{HandClock, id, idle, message, script, stop};

fn hour(hour: u32) -> Timestamp {
    format!("2026-03-02T{hour:02}:00:00Z").parse().unwrap()
}

fn vendor() -> Entity {
    Entity { kind: "vendor".to_owned(), name: "Acme Corp".to_owned() }
}

fn case(session: &str, text: &str) -> PastCase {
    PastCase {
        session: id(session),
        round: 1,
        at: hour(9),
        process: "invoices".to_owned(),
        text: text.to_owned(),
        entities: vec![vendor()],
        body: json!({"ending": "done"}),
    }
}

fn score(session: &str, arm: Arm, points: u16) -> Scored {
    Scored {
        session: id(session),
        round: 1,
        process: "invoices".to_owned(),
        arm: Some(arm),
        points,
        cause: "ended".to_owned(),
        because: vec!["policy: passed".to_owned()],
        at: hour(9),
    }
}

fn fact(session: &str, value: &str, at: u32) -> Fact {
    Fact {
        domain: "invoices".to_owned(),
        entity: vendor(),
        field: "payment_terms".to_owned(),
        value: value.to_owned(),
        session: id(session),
        round: 1,
        evidence: Citation {
            tool: "get_vendor".to_owned(),
            digest: Digest::of(b"answer"),
            read_at: hour(at),
        },
        at: hour(at),
        superseded: None,
    }
}

fn check(session: &str, hit: bool) -> Check {
    Check {
        session: id(session),
        round: 1,
        process: "invoices".to_owned(),
        figure: "variance".to_owned(),
        given: "1".to_owned(),
        found: "2".to_owned(),
        hit,
        at: hour(9),
    }
}

/// An engine of which each turn learns the next lesson that waits for it.
struct School {
    engine: Engine,
    lessons: Arc<Mutex<Vec<(String, Lesson)>>>,
    folder: tempfile::TempDir,
}

impl School {
    async fn open() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lessons: Arc<Mutex<Vec<(String, Lesson)>>> = Arc::default();
        let waiting = Arc::clone(&lessons);
        let handler = script(move |turn, _| {
            let waiting = Arc::clone(&waiting);
            Box::pin(async move {
                let own = turn.session().as_str().to_owned();
                let lesson = waiting.lock().unwrap().iter().find(|(name, _)| *name == own).cloned();
                turn.learn(lesson.unwrap().1)?;
                Ok(())
            })
        });
        let engine = support::engine(folder.path(), &HandClock::new(), handler).await;
        Self { engine, lessons, folder }
    }

    /// Every lesson in a session of its own, all at once.
    async fn teach(&self, lessons: Vec<Lesson>) {
        let first = self.lessons.lock().unwrap().len();
        let named: Vec<(String, Lesson)> = lessons
            .into_iter()
            .enumerate()
            .map(|(at, lesson)| (format!("turn-{}", first + at), lesson))
            .collect();
        self.lessons.lock().unwrap().extend(named.iter().cloned());
        for (name, _) in &named {
            support::post(self.engine.store(), name, name, message("learn")).await;
        }
        idle(&self.engine).await;
        assert_eq!(self.engine.store().reader().health().unwrap().events, 0, "a turn failed");
    }
}

fn of_case(case: PastCase, cases_max: u32) -> Lesson {
    Lesson { case: Some(case), cases_max, ..Lesson::default() }
}

#[tokio::test(flavor = "multi_thread")]
async fn sixty_four_sessions_at_once_lose_no_update() {
    let school = School::open().await;
    let arms = [Arm::Fsm, Arm::FivePhase, Arm::Moa];
    let rewards: Vec<(Arm, u16)> = (0..64_u16).map(|n| (arms[usize::from(n) % 3], n * 150)).collect();
    let lesson = |(at, (arm, points)): (usize, &(Arm, u16))| Lesson {
        scores: vec![score(&format!("s{at}"), *arm, *points)],
        ..Lesson::default()
    };
    school.teach(rewards.iter().enumerate().map(lesson).collect()).await;
    let tallies = school.engine.store().tallies("invoices").await.unwrap();
    for arm in arms {
        let mut expected = Tally::untried(arm);
        for (_, points) in rewards.iter().filter(|(of, _)| *of == arm) {
            expected = expected.with(*points);
        }
        assert_eq!(tallies.iter().find(|tally| tally.arm == arm), Some(&expected));
    }
    assert_eq!(tallies.iter().map(|tally| tally.tries).sum::<u64>(), 64);
    assert_eq!(school.engine.store().tallies("other").await.unwrap(), []);
}

#[tokio::test]
async fn a_later_score_counts_and_the_earlier_one_stays() {
    let school = School::open().await;
    let undone = Scored { points: 3_000, cause: "undone".to_owned(), ..score("a", Arm::Fsm, 0) };
    school.teach(vec![Lesson { scores: vec![score("a", Arm::Fsm, 10_000)], ..Lesson::default() }]).await;
    school.teach(vec![Lesson { scores: vec![undone], ..Lesson::default() }]).await;
    let store = school.engine.store();
    assert_eq!(store.tallies("invoices").await.unwrap(), [Tally { arm: Arm::Fsm, tries: 1, points: 3_000 }]);
    let kept = store.reader().scores(&id("a")).await.unwrap();
    let told: Vec<(u16, &str)> = kept.iter().map(|one| (one.points, one.cause.as_str())).collect();
    assert_eq!(told, [(10_000, "ended"), (3_000, "undone")]);
    let counted = store.learned_figures().await;
    assert_eq!(counted, [("invoices".to_owned(), "fsm".to_owned(), 1, "0.3000".to_owned())]);
}

#[tokio::test]
async fn the_log_keeps_the_newest_cases_and_the_history_of_an_entity_keeps_them_all() {
    let school = School::open().await;
    for n in 0..7 {
        school.teach(vec![of_case(case(&format!("s{n}"), &format!("pay lamp number{n}")), 3)]).await;
    }
    let store = school.engine.store();
    let names = |log: Vec<Logged>| log.iter().map(|one| one.case.session.to_string()).collect::<Vec<_>>();
    assert_eq!(names(store.log(100).await.unwrap()), ["s6", "s5", "s4"]);
    assert_eq!(store.recall("lamp", 100).await.unwrap().len(), 3);
    assert_eq!(store.recall("number0", 100).await.unwrap(), [], "what left the log is not searched");
    assert_eq!(store.history(&vendor(), Whose::Ours, 100).await.unwrap().len(), 7);
}

#[tokio::test]
async fn the_log_shows_the_latest_quality_of_a_case() {
    let school = School::open().await;
    let first = Lesson { scores: vec![score("a", Arm::Fsm, 9_000)], ..of_case(case("a", "pay"), 200) };
    school.teach(vec![first, of_case(case("b", "pay too"), 200)]).await;
    let points = |log: Vec<Logged>| {
        let mut all: Vec<_> = log.iter().map(|one| (one.case.session.to_string(), one.points)).collect();
        all.sort();
        all
    };
    let store = school.engine.store();
    assert_eq!(points(store.log(9).await.unwrap()), [("a".to_owned(), Some(9_000)), ("b".to_owned(), None)]);
    school.teach(vec![Lesson { scores: vec![score("a", Arm::Fsm, 100)], ..Lesson::default() }]).await;
    assert_eq!(points(store.log(9).await.unwrap())[0].1, Some(100));
}

#[tokio::test]
async fn newer_evidence_marks_what_it_contradicts() {
    let school = School::open().await;
    let teach = async |fact: Fact| {
        school.teach(vec![Lesson { facts: vec![fact], ..Lesson::default() }]).await;
        let store = school.engine.store();
        let stands = store.facts(&Entity { name: "ACME  corp".to_owned(), ..vendor() }, 9).await.unwrap();
        stands.iter().map(|fact| (fact.value.clone(), fact.session.to_string())).collect::<Vec<_>>()
    };
    let told = |value: &str, run: &str| vec![(value.to_owned(), run.to_owned())];
    assert_eq!(teach(fact("a", "Net 30", 10)).await, told("Net 30", "a"));
    assert_eq!(teach(fact("b", "Net 30", 11)).await, told("Net 30", "b"), "the same again is fresher");
    assert_eq!(teach(fact("c", "Net 45", 12)).await, told("Net 45", "c"));
    assert_eq!(teach(fact("d", "Net 10", 9)).await, told("Net 45", "c"), "older evidence changes nothing");
    let all = school.engine.store().learned().await.unwrap().facts;
    let marked: Vec<(&str, bool)> =
        all.iter().map(|fact| (fact.value.as_str(), fact.superseded.is_some())).collect();
    assert_eq!(marked, [("Net 30", true), ("Net 45", false), ("Net 10", true)]);
    assert!(all.iter().all(|fact| fact.evidence.tool == "get_vendor"));
    let elsewhere = Fact { domain: "contracts".to_owned(), ..fact("e", "Net 60", 13) };
    assert_eq!(teach(elsewhere).await, told("Net 60", "e"), "of two domains the fresher one is told");
    let all = school.engine.store().learned().await.unwrap().facts;
    let stand = |fact: &&Fact| fact.superseded.is_none();
    let standing: Vec<&str> = all.iter().filter(stand).map(|fact| fact.value.as_str()).collect();
    assert_eq!(standing, ["Net 60"], "and the other one is marked");
    let same = Fact { domain: "invoices".to_owned(), ..fact("f", "Net 60", 14) };
    assert_eq!(teach(same).await, told("Net 60", "f"));
    let all = school.engine.store().learned().await.unwrap().facts;
    assert_eq!(all.iter().filter(stand).count(), 2, "two domains that say the same agree");
}

#[tokio::test]
async fn what_was_read_later_counts_whichever_run_ends_first() {
    let school = School::open().await;
    let quick = Fact { at: hour(12), ..fact("quick", "Net 45", 11) };
    // It read before the other one, and waited for a person until after it.
    let slow = Fact { at: hour(15), ..fact("slow", "Net 30", 10) };
    for one in [quick, slow] {
        school.teach(vec![Lesson { facts: vec![one], ..Lesson::default() }]).await;
    }
    let stands = school.engine.store().facts(&vendor(), 9).await.unwrap();
    assert_eq!(stands.iter().map(|fact| fact.value.as_str()).collect::<Vec<_>>(), ["Net 45"]);
    let all = school.engine.store().learned().await.unwrap().facts;
    let marked: Vec<_> = all.iter().map(|fact| (fact.value.as_str(), fact.superseded)).collect();
    assert_eq!(marked, [("Net 45", None), ("Net 30", Some(hour(11)))]);
}

#[tokio::test]
async fn a_seed_that_comes_again_brings_no_superseded_fact_twice() {
    let by = || PersonId::parse("kim").unwrap();
    let (here, there) = (School::open().await, School::open().await);
    for one in [fact("a", "Net 30", 9), fact("b", "Net 45", 10), fact("c", "Net 30", 11)] {
        here.teach(vec![Lesson { facts: vec![one], ..Lesson::default() }]).await;
    }
    let seed = here.engine.store().learned().await.unwrap();
    assert_eq!(seed.facts.len(), 3);
    let newer = Lesson { facts: vec![fact("d", "Net 60", 12)], ..Lesson::default() };
    there.teach(vec![newer]).await;
    let store = there.engine.store();
    for time in 1..=3 {
        let taken = store.import(seed.clone(), 200, by()).await.unwrap();
        assert_eq!(taken.rows, if time == 1 { 3 } else { 0 }, "import {time}");
        let held = store.learned().await.unwrap().facts;
        let mut held: Vec<_> =
            held.iter().map(|fact| (fact.session.as_str(), fact.superseded.is_some())).collect();
        held.sort_unstable();
        assert_eq!(held, [("a", true), ("b", true), ("c", true), ("d", false)], "import {time}");
    }
}

#[tokio::test]
async fn whom_a_forgotten_run_named_last_is_spelled_and_dated_as_the_run_before_it_did() {
    let by = || PersonId::parse("kim").unwrap();
    let school = School::open().await;
    let spelled = |session: &str, name: &str, at: u32| {
        let entity = Entity { name: name.to_owned(), ..vendor() };
        let case = PastCase { at: hour(at), entities: vec![entity], ..case(session, "pay") };
        of_case(case, 200)
    };
    let store = school.engine.store();
    let known = async || {
        let known = store.reader().known(9).await.unwrap();
        known.into_iter().map(|one| (one.entity.name, one.at, one.seen)).collect::<Vec<_>>()
    };
    school.teach(vec![spelled("a", "Acme Corp", 9)]).await;
    school.teach(vec![spelled("b", "ACME corp", 12)]).await;
    // It ended before the second one, and is kept after it.
    school.teach(vec![spelled("c", "acme corp", 10)]).await;
    assert_eq!(known().await, [("ACME corp".to_owned(), hour(12), 3)]);
    store.forget(Forget::Run(id("b")), by()).await.unwrap();
    assert_eq!(known().await, [("acme corp".to_owned(), hour(10), 2)]);
}

fn full(session: &str) -> Lesson {
    Lesson {
        case: Some(case(session, &format!("Pay Acme Corp for {session}"))),
        scores: vec![score(session, Arm::Fsm, 9_000)],
        facts: vec![fact(session, "Net 30", 10)],
        checks: vec![check(session, true)],
        cases_max: 200,
    }
}

#[tokio::test]
async fn what_is_forgotten_is_nowhere_any_more() {
    let by = || PersonId::parse("kim").unwrap();
    let cases: [(Forget, usize); 4] = [
        (Forget::Run(id("zanzibar")), 3),
        (Forget::Entity(Entity { name: "acme corp".to_owned(), ..vendor() }), 4),
        (Forget::Process("invoices".to_owned()), 0),
        (Forget::Everything, 0),
    ];
    for (what, left) in cases {
        let school = School::open().await;
        school.teach(vec![full("zanzibar"), full("other")]).await;
        let store = school.engine.store();
        assert_eq!(store.learned().await.unwrap().rows(), 7, "the same fact twice is one");
        let gone = store.forget(what.clone(), by()).await.unwrap();
        assert!(gone > 0);
        let kept = store.learned().await.unwrap();
        assert!(kept.rows() <= left, "{what:?}: {kept:?}");
        assert_eq!(store.recall("zanzibar", 9).await.unwrap(), [], "{what:?}");
        let known = store.reader().known(9).await.unwrap();
        assert_eq!(known.iter().map(|one| one.seen).sum::<u64>(), u64::from(matches!(what, Forget::Run(_))));
        assert_eq!(store.forget(what, by()).await.unwrap(), 0, "there is nothing more");
        stop(school.engine).await;
    }
}

#[tokio::test]
async fn what_is_carried_elsewhere_is_the_same_there_and_comes_only_once() {
    let by = || PersonId::parse("kim").unwrap();
    let (here, there) = (School::open().await, School::open().await);
    here.teach(vec![full("a"), full("b")]).await;
    let seed = here.engine.store().learned().await.unwrap();
    let mut read = seed.clone();
    read.scores.iter_mut().for_each(|score| score.cause = "imported".to_owned());
    let taken = there.engine.store().import(read.clone(), 200, by()).await.unwrap();
    assert_eq!((taken.rows, taken.known), (seed.rows() as u64, 0));
    let again = there.engine.store().import(read, 200, by()).await.unwrap();
    assert_eq!((again.rows, again.known), (0, seed.rows() as u64));
    let mut arrived = there.engine.store().learned().await.unwrap();
    arrived.scores.iter_mut().for_each(|score| score.cause = "ended".to_owned());
    assert_eq!(arrived, seed);
    assert_eq!(
        there.engine.store().tallies("invoices").await.unwrap(),
        here.engine.store().tallies("invoices").await.unwrap()
    );
    for (whose, cases) in [(Whose::Ours, 0), (Whose::Anybodys, 2)] {
        let found = there.engine.store().history(&vendor(), whose, 9).await.unwrap();
        assert_eq!(found.len(), cases, "{whose:?}");
    }
    // A seed that begins with a server is not taken twice: what was forgotten stays forgotten.
    let fresh = School::open().await;
    let store = fresh.engine.store();
    let carried = |seed: &Seed| Carried { seed: seed.clone(), definitions: Vec::new() };
    assert!(store.import_once(carried(&seed), 200, by()).await.unwrap().is_some());
    store.forget(Forget::Everything, by()).await.unwrap();
    assert_eq!(store.import_once(carried(&seed), 200, by()).await.unwrap(), None);
    assert_eq!(store.learned().await.unwrap().rows(), 0);
    // Nor does it come back when the seed grows: only what is new in it does.
    here.teach(vec![full("c")]).await;
    let grown = here.engine.store().learned().await.unwrap();
    let taken = store.import_once(carried(&grown), 200, by()).await.unwrap().unwrap();
    assert!(taken.rows > 0 && taken.known > 0, "{taken:?}");
    let held = store.learned().await.unwrap();
    assert!(held.cases.iter().all(|logged| logged.case.session.as_str() == "c"), "{held:?}");
    assert_eq!(held.facts, [], "the same fact, whichever run tells it");
    // Who says so by hand has it back.
    store.import(grown.clone(), 200, by()).await.unwrap();
    assert_eq!(store.learned().await.unwrap().rows(), grown.rows());
    drop((there.folder, fresh.folder));
}

#[tokio::test]
async fn a_seed_brings_processes_and_functions_and_none_that_was_forgotten() {
    let by = || PersonId::parse("kim").unwrap();
    let school = School::open().await;
    let store = school.engine.store();
    let made = Defined {
        kind: DefinitionKind::Process,
        name: "vetting".to_owned(),
        text: "process: vetting".to_owned(),
        origin: Origin::Person { by: by() },
        at: hour(1),
        signed: None,
        quarantined: None,
    };
    let carried =
        |definitions: &[Defined]| Carried { seed: Seed::default(), definitions: definitions.to_vec() };
    let before = store.revision();
    let taken = store.import_once(carried(std::slice::from_ref(&made)), 200, by()).await.unwrap().unwrap();
    assert_eq!((taken.rows, store.definitions().await.unwrap()), (1, vec![made.clone()]));
    assert!(store.revision() > before, "who works here looks again");
    assert_eq!(store.import_once(carried(std::slice::from_ref(&made)), 200, by()).await.unwrap(), None);
    let forget = Redefinition::Forget { kind: made.kind, name: made.name.clone() };
    assert!(store.redefine(forget).await.unwrap());
    let other = Defined { name: "tasting".to_owned(), text: "process: tasting".to_owned(), ..made.clone() };
    let taken = store.import_once(carried(&[made.clone(), other.clone()]), 200, by()).await.unwrap().unwrap();
    assert_eq!((taken.rows, store.definitions().await.unwrap()), (1, vec![other]));
    assert!(store.redefine(Redefinition::Define(made)).await.unwrap(), "who says so by hand has it back");
}

#[tokio::test]
async fn the_last_checks_of_a_process_come_first() {
    let school = School::open().await;
    let mut last = check("b", false);
    last.at = hour(10);
    school.teach(vec![Lesson { checks: vec![check("a", true)], ..Lesson::default() }]).await;
    school.teach(vec![Lesson { checks: vec![last.clone(), last], ..Lesson::default() }]).await;
    let hits: Vec<bool> =
        school.engine.store().checks("invoices", 9).await.unwrap().iter().map(|check| check.hit).collect();
    assert_eq!(hits, [false, true]);
}

trait InFigures {
    async fn learned_figures(&self) -> Vec<(String, String, u64, String)>;
}

impl InFigures for purple_store::Store {
    async fn learned_figures(&self) -> Vec<(String, String, u64, String)> {
        let learned = purple_port::Figures::learned(self).await.unwrap();
        learned.arms.into_iter().map(|arm| (arm.context, arm.arm, arm.tries, arm.mean)).collect()
    }
}

//! Kills the worker with `kill -9` while it works for the demo business, at random and at named points.
//!
//! The child is this test binary again: the real store, worker and tool servers on a data folder. The business is in
//! this process, behind HTTP, and its ledger is the judge. `checks/storm` makes it last.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests may unwrap and tell")]

mod approver;
mod business;
mod child;
mod driven;
mod judge;
mod points;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use approver::Mailbox;
use business::{Business, RECORDS};
use child::{Decisions, Keys, Orders, Weakness};
use judge::Figures;
use points::POINTS;
use purple_process::Mode;
use purple_testkit::ChildDeadline;
use tempfile::TempDir;

/// How often a short storm kills, for each of tools with keys and without.
const KILLS: usize = 4;
/// How often a company and its worker are killed before new ones are made.
const KILLS_A_HOUSE: usize = 25;
const SESSIONS_FIRST: u32 = 6;
/// How many sessions come with each kill, in a short storm and in a long one.
const SESSIONS_MORE: [u32; 2] = [3, 12];

/// A business, a data folder, and what a child is told about them.
struct Scene {
    orders: Orders,
    mailbox: Mailbox,
    _business: Business,
    _folder: TempDir,
}

impl Scene {
    fn set(keys: Keys) -> Self {
        let business = Business::open();
        let folder = tempfile::tempdir().unwrap();
        let mailbox = Mailbox::open();
        let orders = Orders {
            folder: folder.path().to_path_buf(),
            url: business.url.clone(),
            ledger: business.ledger.clone(),
            notify_url: mailbox.url.clone(),
            decisions: Decisions::Inside,
            sessions: SESSIONS_FIRST,
            began: child::real_time(),
            point: None,
            keys,
            weak: None,
            driven: None,
        };
        Self { orders, mailbox, _business: business, _folder: folder }
    }

    fn more_sessions(&mut self) {
        let [short, long] = SESSIONS_MORE;
        let more = if kills_wanted() > KILLS { long } else { short };
        self.orders.sessions = (self.orders.sessions + more).min(RECORDS);
    }

    /// Runs a child that dies at a point. Fails if it did not.
    fn die_at(&mut self, point: &str, times: u32) -> Result<(), Vec<String>> {
        self.orders.point = Some((point.to_owned(), times));
        let ended = watch(start(&self.orders), usize::MAX);
        self.orders.point = None;
        if ended.all_done {
            return Err(vec![format!("nobody came by `{point}` {times} times")]);
        }
        judge::beside_the_dead(&self.orders)
    }

    /// Runs a child that nobody kills, and judges.
    fn end(&self) -> Result<Figures, Vec<String>> {
        let ended = watch(start(&self.orders), usize::MAX);
        if !ended.all_done {
            return Err(vec![format!("the last run did not end: {:?}", ended.last)]);
        }
        match self.orders.driven {
            Some(_) => judge::at_the_driven_end(&self.orders),
            None => judge::at_the_end(&self.orders, &self.mailbox.got()),
        }
    }
}

fn start(orders: &Orders) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "child::this_is_the_child_and_does_nothing_when_run_alone", "--nocapture"])
        .env(child::ORDERS, serde_json::to_string(orders).unwrap())
        .stdout(Stdio::piped())
        .stderr(if std::env::var_os("PURPLE_STORM_TALK").is_some() {
            Stdio::inherit()
        } else {
            Stdio::null()
        })
        .spawn()
        .unwrap()
}

/// How a child ended.
struct Watched {
    all_done: bool,
    last: Option<String>,
}

/// Reads up to `lines` lines of what the child says, then kills it.
fn watch(mut child: Child, lines: usize) -> Watched {
    let deadline = ChildDeadline::of(&child);
    let mut watched = Watched { all_done: false, last: None };
    let out = BufReader::new(child.stdout.take().unwrap());
    for (seen, line) in (1..).zip(out.lines()) {
        // The last line of a killed process may be cut anywhere.
        let Ok(line) = line else { break };
        watched.all_done |= line == "all done";
        watched.last = Some(line);
        if lines <= seen {
            break;
        }
    }
    // It may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
    drop(deadline);
    watched
}

/// A small generator of numbers, so that a failing run can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit).unwrap()
    }
}

fn kills_wanted() -> usize {
    std::env::var_os("PURPLE_STORM_KILLS").map_or(KILLS, |kills| kills.to_str().unwrap().parse().unwrap())
}

/// Kills at random moments until it has been done often enough, in one house after the other.
fn random_storm(keys: Keys) {
    let mut dice = Dice(0x5EED + keys as u64);
    let (mut tried, mut killed) = (0, 0);
    let mut figures = Figures::default();
    while tried < kills_wanted() {
        let mut scene = Scene::set(keys);
        for _ in 0..KILLS_A_HOUSE.min(kills_wanted() - tried) {
            tried += 1;
            // What is said follows what is done closely enough; how long a turn takes differs by itself.
            let lines = 1 + dice.below(u64::from(scene.orders.sessions) * 3 / 2);
            killed += usize::from(!watch(start(&scene.orders), lines).all_done);
            judge::beside_the_dead(&scene.orders).unwrap();
            scene.more_sessions();
        }
        figures += scene.end().unwrap();
    }
    println!("keys {keys:?}: {killed} kills, {figures:?}");
    assert!(killed * 2 > tried, "only {killed} of {tried} runs were killed in the middle");
}

#[test]
fn a_storm_of_kills_doubles_and_loses_nothing_where_tools_take_keys() {
    random_storm(Keys::Declared);
}

#[test]
fn a_storm_of_kills_doubles_and_loses_nothing_where_tools_take_no_keys() {
    random_storm(Keys::Unknown);
}

/// The lines where it matters whether a tool takes a key: from the intent to the read-back.
const ONE_WRITE: [&str; 5] = ["A10", "A11", "A12", "A13", "A14"];

/// Named points, one after the other on the same data, with new sessions each time.
fn every_point(keys: Keys) {
    let mut scene = Scene::set(keys);
    let all = keys == Keys::Declared || kills_wanted() > KILLS;
    let points = POINTS.iter().filter(|(line, _)| all || ONE_WRITE.contains(line));
    let mut points_passed = 0;
    for (times, (line, point)) in (0..).zip(points) {
        scene
            .die_at(point, 1 + times % 3)
            .unwrap_or_else(|faults| unreachable!("{line} {point}: {faults:?}"));
        scene.more_sessions();
        points_passed += 1;
    }
    let figures = scene.end().unwrap();
    println!("keys {keys:?}: {points_passed} points, {figures:?}");
    assert!(figures.settled + figures.resent > 0, "no kill left anything in doubt");
    assert_eq!(figures.escalated, 0, "{figures:?}");
    if keys == Keys::Declared {
        assert_eq!(figures.settled_by_key, 0, "a person was asked about what takes a key: {figures:?}");
    }
}

#[test]
fn a_kill_at_each_named_point_doubles_and_loses_nothing_where_tools_take_keys() {
    every_point(Keys::Declared);
}

#[test]
fn a_kill_at_each_named_point_doubles_and_loses_nothing_where_tools_take_no_keys() {
    every_point(Keys::Unknown);
}

/// Runs a child whose approver is outside until a rejection waits: where its door is, which run, which approval.
fn until_a_rejection_waits(scene: &Scene) -> (Child, [String; 3]) {
    let mut child = start(&scene.orders);
    let deadline = ChildDeadline::of(&child);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut said = |prefix: &str| {
        lines.by_ref().map(Result::unwrap).find_map(|line| {
            line.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('.')).map(str::to_owned)
        })
    };
    let url = said("serving ").unwrap();
    let waits = said("waits ").unwrap();
    let (run, approval) = waits.split_once(' ').unwrap();
    // What it says from here on interests nobody, and must not hold it up.
    std::thread::spawn(move || lines.for_each(drop));
    drop(deadline);
    (child, [url, run.to_owned(), approval.to_owned()])
}

#[test]
fn a_decision_that_was_received_and_not_stored_is_an_error_to_the_approver_and_the_card_stays_open() {
    let mut scene = Scene::set(Keys::Declared);
    scene.orders.decisions = Decisions::Outside;
    scene.orders.point = Some(("decision received, not stored".to_owned(), 1));
    let (mut child, [url, run, approval]) = until_a_rejection_waits(&scene);
    let seen = approver::approve(&url, &run, &approval);
    assert!(seen.is_err(), "the approver was told {seen:?}");
    let deadline = ChildDeadline::of(&child);
    child.wait().unwrap();
    drop(deadline);
    judge::beside_the_dead(&scene.orders).unwrap();
    assert_eq!(judge::open_approval(&scene.orders, &run), Some(approval.clone()));
    // The same yes once more, to the next process: the same card, and this time it counts.
    scene.orders.point = None;
    let (mut child, [url, run, again]) = until_a_rejection_waits(&scene);
    assert_eq!(again, approval);
    let seen = approver::approve(&url, &run, &approval).unwrap();
    assert_eq!(seen["result"]["status"]["state"], "completed", "{seen}");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(judge::open_approval(&scene.orders, &run), None);
    scene.orders.decisions = Decisions::Inside;
    scene.end().unwrap();
}

/// A model drives. The child dies in the middle of MUTATE, after each of three writes, and while a model is asked.
fn driven_storm(mode: Mode) {
    let mut scene = Scene::set(Keys::Unknown);
    scene.orders.driven = Some(mode);
    scene.orders.sessions = 2;
    for (line, point) in driven::POINTS {
        for times in 1..=3 {
            scene
                .die_at(point, times)
                .unwrap_or_else(|faults| unreachable!("{line} {point} {times}: {faults:?}"));
            scene.orders.sessions += 1;
        }
    }
    let figures = scene.end().unwrap();
    println!("driven, {mode:?}: {figures:?}");
    // Whatever was announced and not sent is a person's to settle, and is then offered again: every run is done.
    assert_eq!(figures.done, figures.sessions, "{figures:?}");
}

#[test]
fn a_kill_in_a_driven_run_repeats_nothing_where_a_person_decides_what_no_rule_allows() {
    driven_storm(Mode::Careful);
}

#[test]
fn a_kill_in_a_driven_run_repeats_nothing_where_everything_runs_that_no_rule_forbids() {
    driven_storm(Mode::Permissive);
}

#[test]
fn a_kill_in_a_driven_run_repeats_nothing_where_a_person_decides_everything() {
    driven_storm(Mode::Always);
}

/// The negative controls: workers that are worse than ours do not get past the same judge.
#[test]
fn an_intent_that_is_durable_only_after_the_send_is_caught() {
    let mut scene = Scene::set(Keys::Unknown);
    scene.orders.weak = Some(Weakness::IntentAfterSend);
    let faults = scene.die_at("after the answer of send_sla_breach_notification", 1).unwrap_err();
    assert!(faults.iter().any(|fault| fault.contains("was not announced")), "{faults:?}");
    let faults = scene.end().unwrap_err();
    assert!(faults.iter().any(|fault| fault.contains("2 effects")), "{faults:?}");
}

#[test]
fn a_worker_that_sends_again_without_looking_is_caught() {
    let mut scene = Scene::set(Keys::Unknown);
    scene.orders.weak = Some(Weakness::ForgetsIntents);
    scene.die_at("after the answer of send_sla_breach_notification", 1).unwrap();
    let faults = scene.end().unwrap_err();
    assert!(faults.iter().any(|fault| fault.contains("2 effects")), "{faults:?}");
    assert!(faults.iter().any(|fault| fault.contains("2 calls")), "{faults:?}");
}

#[test]
fn a_notice_that_is_called_delivered_and_was_never_posted_is_caught() {
    let mut scene = Scene::set(Keys::Declared);
    scene.orders.weak = Some(Weakness::ForgetsNotices);
    let faults = scene.end().unwrap_err();
    assert!(faults.iter().any(|fault| fault.contains("nobody was told of s4:apr_")), "{faults:?}");
}

//! Kills the process with `kill -9`, at random and at named points, and looks at what is left.
//!
//! The child is this test binary again. It runs sessions whose turns do steps, durable intents, outside effects,
//! follow-ups and timers. The outside is a file that only grows: it is the witness.
//! `PURPLE_STORM_KILLS=500 cargo test --release -p purple-store --test storm` makes it last.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "tests may unwrap and tell")]

mod child;
#[path = "../support/mod.rs"]
mod support;
mod upkeep;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use child::{OPERATIONS, Orders, POINTS, SAYINGS};
use purple_port::Events as _;
use purple_store::{OpenError, Reader};
use purple_testkit::ChildDeadline;
use serde_json::Value;

const KILLS: usize = 20;

const CHILD: [&str; 3] =
    ["--exact", "child::this_is_the_child_and_does_nothing_when_run_alone", "--nocapture"];

fn start(orders: &Orders) -> Child {
    spawn(Command::new(std::env::current_exe().unwrap()).args(CHILD), orders)
}

fn spawn(command: &mut Command, orders: &Orders) -> Child {
    command
        .env(child::ORDERS, serde_json::to_string(orders).unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads up to `lines` lines of what the child accepted, then kills it. `true` if it ended by itself.
fn watch(mut child: Child, lines: usize, accepted: &mut BTreeSet<String>) -> bool {
    let deadline = ChildDeadline::of(&child);
    let mut all_done = false;
    let mut seen = 0;
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        // The last line of a killed process may be cut anywhere.
        let Ok(line) = line else { break };
        if let Some(key) = line.strip_prefix("accepted ").and_then(|rest| rest.strip_suffix('.')) {
            accepted.insert(key.to_owned());
        }
        all_done |= line == "all done";
        seen += 1;
        if lines <= seen {
            break;
        }
    }
    // It may have ended already.
    let _ = child.kill();
    child.wait().unwrap();
    drop(deadline);
    all_done
}

/// A small generator of numbers, so that a failing run can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from((self.0 >> 33) % limit).unwrap()
    }
}

fn lines_of(path: &Path) -> Vec<String> {
    fs::read_to_string(path).unwrap_or_default().lines().map(str::to_owned).collect()
}

fn counts(lines: impl IntoIterator<Item = String>) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

/// What the journal of one session says.
async fn journal(reader: &Reader, session: &str) -> Vec<(u64, String, String, Value)> {
    let found = reader.since(&support::id(session), 0, usize::MAX).await.unwrap();
    found
        .into_iter()
        .map(|it| (it.seq, it.hash.to_string(), it.entry.kind().to_owned(), it.record().data()))
        .collect()
}

/// Looks at everything that is left after the last run, which ended by itself.
async fn judge(folder: &Path, sessions: usize, accepted: &BTreeSet<String>) {
    let reader = Reader::open(folder).unwrap();
    let report = reader.verify().unwrap();
    assert_eq!((report.sessions, report.fault), (sessions as u64, None));
    let health = reader.health().unwrap();
    assert_eq!((health.events, health.stuck, health.fault), (0, 0, None), "something never ended");

    let mut acknowledged = BTreeSet::new();
    let mut said = BTreeSet::new();
    let effects = counts(lines_of(&folder.join("effects.log")));
    for number in 0..sessions {
        let session = format!("s{number}");
        let journal = journal(&reader, &session).await;
        acknowledged.extend(journal.iter().map(|(seq, hash, ..)| format!("{session} {seq} {hash}")));
        let of_kind = |kind: &str| -> Vec<String> {
            let found = journal.iter().filter(|(_, _, found, _)| found == kind);
            found.map(|(.., data)| data.as_str().unwrap().to_owned()).collect()
        };
        let keys: Vec<String> = (1..=OPERATIONS).map(|stage| format!("{session}/op{stage}")).collect();
        assert_eq!(of_kind("intent"), keys);
        assert_eq!(of_kind("outcome"), keys);
        let done: Vec<_> = keys.iter().map(|key| (key, effects.get(key).copied())).collect();
        assert!(done.iter().all(|(_, count)| *count == Some(1)), "{done:?}");
        assert_eq!(of_kind("finished"), std::slice::from_ref(&session));
        let texts = of_kind("said");
        let expected: Vec<String> = (0..SAYINGS).map(|text| format!("{session}/m{text}")).collect();
        assert_eq!(texts, expected, "lost, doubled or out of order");
        said.extend(texts);
    }
    let lost: Vec<_> = accepted.iter().filter(|key| key.contains("/m") && !said.contains(*key)).collect();
    assert!(lost.is_empty(), "accepted and never run: {lost:?}");
    let acks = lines_of(&folder.join("acks.log"));
    let lost: Vec<_> = acks.iter().filter(|ack| !acknowledged.contains(*ack)).collect();
    assert!(lost.is_empty(), "acknowledged and gone: {lost:?}");
    assert!(!acks.is_empty());
    no_kept_step_ran_again(&lines_of(&folder.join("steps.log")));
    // Each key that all sessions wanted has one owner, whoever was killed.
    let owners: BTreeSet<String> = lines_of(&folder.join("claims.log")).into_iter().collect();
    assert_eq!(owners.len() as u64, OPERATIONS, "{owners:?}");
}

/// A reader needs no writer to have cleaned up: what was committed holds, whatever the killed process left open.
fn reads_beside_the_dead(folder: &Path) {
    match Reader::open(folder) {
        Ok(reader) => assert_eq!(reader.verify().unwrap().fault, None),
        // Killed before there was a database, or before it was finished.
        Err(OpenError::Missing { .. } | OpenError::Older { .. }) => {}
        Err(error) => unreachable!("{error}"),
    }
}

fn no_kept_step_ran_again(log: &[String]) {
    let mut kept = BTreeSet::new();
    for line in log {
        match line.split_once(' ').unwrap() {
            ("kept", step) => drop(kept.insert(step)),
            ("ran", step) => assert!(!kept.contains(step), "{step} ran after its result was kept"),
            other => unreachable!("{other:?}"),
        }
    }
    assert!(!kept.is_empty());
}

#[tokio::test]
async fn a_storm_of_kills_loses_nothing_and_doubles_nothing() {
    let kills = std::env::var_os("PURPLE_STORM_KILLS")
        .map_or(KILLS, |kills| kills.to_str().unwrap().parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let mut dice = Dice(0x5EED);
    let mut accepted = BTreeSet::new();
    let mut orders = Orders { folder: folder.path().to_path_buf(), sessions: 10, point: None, weak: false };
    let mut killed = 0;
    for _ in 0..kills {
        orders.sessions += 5;
        let lines = 1 + dice.below(60);
        killed += usize::from(!watch(start(&orders), lines, &mut accepted));
        reads_beside_the_dead(folder.path());
    }
    assert!(watch(start(&orders), usize::MAX, &mut accepted), "the last run did not end");
    let probes = counts(lines_of(&folder.path().join("probes.log")));
    println!(
        "{killed} kills, {} sessions, {} keys accepted, probes {probes:?}",
        orders.sessions,
        accepted.len()
    );
    assert!(killed * 2 > kills, "only {killed} of {kills} runs were killed in the middle");
    assert!(probes.contains_key("adopted"), "no kill came between an effect and its outcome: {probes:?}");
    judge(folder.path(), orders.sessions, &accepted).await;
}

#[tokio::test]
async fn a_kill_at_each_named_point_loses_nothing_and_doubles_nothing() {
    for point in POINTS {
        for pass in [1, 6] {
            let folder = tempfile::tempdir().unwrap();
            let mut accepted = BTreeSet::new();
            let mut orders = Orders {
                folder: folder.path().to_path_buf(),
                sessions: 3,
                point: Some((point.to_string(), pass)),
                weak: false,
            };
            let ended = watch(start(&orders), usize::MAX, &mut accepted);
            assert!(!ended, "nobody came by `{point}` {pass} times");
            orders.point = None;
            assert!(watch(start(&orders), usize::MAX, &mut accepted), "after `{point}`");
            judge(folder.path(), orders.sessions, &accepted).await;
        }
    }
}

/// The negative control: a worker that writes its intent down after it has sent is caught.
#[test]
fn an_intent_that_is_written_after_the_effect_doubles_it_and_the_witness_sees_it() {
    let folder = tempfile::tempdir().unwrap();
    let mut accepted = BTreeSet::new();
    let point = Some(("after effect".to_owned(), 4));
    let mut orders = Orders { folder: folder.path().to_path_buf(), sessions: 3, point, weak: true };
    assert!(!watch(start(&orders), usize::MAX, &mut accepted));
    orders.point = None;
    assert!(watch(start(&orders), usize::MAX, &mut accepted));
    let effects = counts(lines_of(&folder.path().join("effects.log")));
    let doubled: Vec<_> = effects.iter().filter(|(_, count)| **count > 1).collect();
    assert!(!doubled.is_empty(), "the weakened worker was not caught");
}

#[test]
fn a_second_process_on_the_folder_is_refused_while_the_first_lives_and_let_in_when_it_is_killed() {
    let folder = tempfile::tempdir().unwrap();
    let mut accepted = BTreeSet::new();
    let orders = Orders { folder: folder.path().to_path_buf(), sessions: 40, point: None, weak: false };
    let mut first = start(&orders);
    let first_deadline = ChildDeadline::of(&first);
    let mut lines = BufReader::new(first.stdout.take().unwrap()).lines();
    let opened = lines.by_ref().map(Result::unwrap).any(|line| line == "opened");
    assert!(opened);
    let mut second = start(&orders);
    let second_deadline = ChildDeadline::of(&second);
    let said: Vec<String> =
        BufReader::new(second.stdout.take().unwrap()).lines().map(Result::unwrap).collect();
    let refusal =
        format!("refused: the data folder `{}` is in use by process {}", folder.path().display(), first.id());
    assert!(said.contains(&refusal), "{said:?}");
    second.wait().unwrap();
    drop(second_deadline);
    first.kill().unwrap();
    first.wait().unwrap();
    drop(first_deadline);
    assert!(watch(start(&orders), usize::MAX, &mut accepted));
}

/// A write that fails for another reason than a full disk leaves nobody knowing what is on the disk.
#[cfg(unix)]
#[tokio::test]
async fn a_failed_write_ends_the_engine_at_once_and_the_next_start_finds_all_that_was_promised() {
    let folder = tempfile::tempdir().unwrap();
    let mut accepted = BTreeSet::new();
    let orders = Orders { folder: folder.path().to_path_buf(), sessions: 60, point: None, weak: false };
    // No file may grow beyond this many blocks; the write fails instead of killing the process.
    let limited = "trap '' XFSZ; ulimit -f 1200; exec \"$0\" \"$@\"";
    let mut shell = Command::new("sh");
    shell.args(["-c", limited]).arg(std::env::current_exe().unwrap()).args(CHILD);
    let mut child = spawn(&mut shell, &orders);
    let deadline = ChildDeadline::of(&child);
    let mut said = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap) {
        if let Some(key) = line.strip_prefix("accepted ").and_then(|rest| rest.strip_suffix('.')) {
            accepted.insert(key.to_owned());
        }
        said.push(line);
    }
    child.wait().unwrap();
    drop(deadline);
    assert!(said.iter().any(|line| line.starts_with("failed: the commit failed: ")), "{said:?}");
    assert!(!accepted.is_empty());
    assert!(watch(start(&orders), usize::MAX, &mut accepted));
    judge(folder.path(), orders.sessions, &accepted).await;
}

//! Commands over a client whose engine is a list: what they post, and how they end.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use clap::Parser;
use jiff::Timestamp;
use purple_journal::Record;
use purple_process::{Digest, Ending, Mode, PersonId, PlanHash, SessionId, State, StepId};
use purple_testkit::records;
use purple_worker::port::{
    BlobHash, Blobs, BoxFuture, Brake, Clock, EngineError, Entry, Events, Halt, Inbox, Post, Posted,
    Recorded, SessionRow,
};
use purple_worker::{Client, Event, OpenApproval, OpenDoubt, Status, Summary, Words, WorkerHandle};

use crate::cli::{Command, Typed};
use crate::commands::{brake, decide, look, task};
use crate::config::Environment;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::Screen;

const NOON: &str = "2026-03-02T12:00:00Z";

/// An engine that runs nothing: every post gives its session the next prepared summary.
#[derive(Default)]
struct Ledger {
    rows: Mutex<BTreeMap<SessionId, SessionRow>>,
    journal: Mutex<Vec<Recorded>>,
    blobs: Mutex<BTreeMap<BlobHash, Vec<u8>>>,
    posts: Mutex<Vec<Post>>,
    halts: Mutex<Vec<Halt>>,
    next: Mutex<VecDeque<Summary>>,
}

impl Ledger {
    fn turn(&self, session: &SessionId, summary: &Summary, event: Option<&Event>) {
        let mut rows = self.rows.lock().unwrap();
        let now = noon();
        let row = rows.entry(session.clone()).or_insert_with(|| SessionRow {
            session: session.clone(),
            summary: serde_json::Value::Null,
            began: now,
            changed: now,
            entries: 0,
            stuck: None,
            queued: Vec::new(),
        });
        row.summary = serde_json::to_value(summary).unwrap();
        let moved: Record = records::entered(State::Assess, summary.state).into();
        let hash = Digest::of(b"entry");
        let began = event.map(|event| records::turn_of(event).into());
        for record in began.into_iter().chain([moved, records::turn_ended().into()]) {
            row.entries += 1;
            let entry = Entry { at: now, record };
            let recorded = Recorded { session: session.clone(), seq: row.entries, prev: hash, hash, entry };
            self.journal.lock().unwrap().push(recorded);
        }
    }
}

impl Inbox for Ledger {
    fn post(&self, post: Post) -> BoxFuture<'_, Result<Posted, EngineError>> {
        let mut posts = self.posts.lock().unwrap();
        if let Some(first) = posts.iter().find(|old| old.dedup == post.dedup) {
            let session = first.session.clone();
            return ready(if first.event == post.event {
                Posted::Repeated { session }
            } else {
                Posted::Conflicting { session }
            });
        }
        let summary = self.next.lock().unwrap().pop_front().unwrap_or_else(|| closed(Ending::Done));
        self.turn(&post.session, &summary, Some(&post.event));
        posts.push(post);
        ready(Posted::Accepted)
    }
}

impl Events for Ledger {
    fn since<'a>(
        &'a self,
        session: &'a SessionId,
        seq: u64,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<Recorded>, EngineError>> {
        let journal = self.journal.lock().unwrap();
        let after = journal.iter().filter(|one| one.session == *session && one.seq > seq);
        ready(after.take(limit).cloned().collect())
    }

    fn changed<'a>(&'a self, session: &'a SessionId, seq: u64) -> BoxFuture<'a, Result<(), EngineError>> {
        let entries = self.rows.lock().unwrap().get(session).map_or(0, |row| row.entries);
        if entries > seq { ready(()) } else { Box::pin(std::future::pending()) }
    }

    fn sessions<'a>(
        &'a self,
        cursor: Option<&'a SessionId>,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<SessionRow>, EngineError>> {
        let rows = self.rows.lock().unwrap();
        let after = rows.values().filter(|row| cursor.is_none_or(|cursor| row.session > *cursor));
        ready(after.take(limit).cloned().collect())
    }

    fn session<'a>(
        &'a self,
        session: &'a SessionId,
    ) -> BoxFuture<'a, Result<Option<SessionRow>, EngineError>> {
        ready(self.rows.lock().unwrap().get(session).cloned())
    }
}

impl Blobs for Ledger {
    fn get(&self, hash: BlobHash) -> BoxFuture<'_, Result<Option<Vec<u8>>, EngineError>> {
        ready(self.blobs.lock().unwrap().get(&hash).cloned())
    }
}

impl Brake for Ledger {
    fn halt(&self, halt: Halt) -> BoxFuture<'_, Result<(), EngineError>> {
        self.halts.lock().unwrap().push(halt);
        ready(())
    }

    fn resume<'a>(
        &'a self,
        process: Option<&'a str>,
        _: &'a PersonId,
    ) -> BoxFuture<'a, Result<bool, EngineError>> {
        let mut halts = self.halts.lock().unwrap();
        let before = halts.len();
        halts.retain(|halt| halt.process.as_deref() != process);
        ready(halts.len() < before)
    }

    fn halts(&self) -> BoxFuture<'_, Result<Vec<Halt>, EngineError>> {
        ready(self.halts.lock().unwrap().clone())
    }

    fn held(&self) -> BoxFuture<'_, Result<Vec<SessionId>, EngineError>> {
        ready(Vec::new())
    }
}

struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        noon()
    }
}

fn ready<'a, T: Send + 'a>(value: T) -> BoxFuture<'a, Result<T, EngineError>> {
    Box::pin(std::future::ready(Ok(value)))
}

fn noon() -> Timestamp {
    NOON.parse().unwrap()
}

fn closed(ending: Ending) -> Summary {
    Summary {
        status: Status::Closed,
        state: State::Complete,
        ending: Some(ending),
        round: 1,
        title: "a task".to_owned(),
        process: Some("sla_breach".to_owned()),
        requester: PersonId::parse("kim").unwrap(),
        mode: Mode::Careful,
        approval: None,
        doubt: None,
        answer: None,
        signed_by: None,
        decided_by: Vec::new(),
    }
}

fn in_doubt() -> Summary {
    let step = StepId::parse("op_1").unwrap();
    let doubt =
        OpenDoubt { step, headline: "Pay INV-1".to_owned(), why: "no answer".to_owned(), asks: Vec::new() };
    Summary { status: Status::InDoubt, ending: None, doubt: Some(doubt), ..closed(Ending::Done) }
}

/// The worker of a test.
struct Room {
    ledger: Arc<Ledger>,
    worker: WorkerHandle,
    runtime: tokio::runtime::Runtime,
}

impl Room {
    fn new(next: impl IntoIterator<Item = Summary>) -> Self {
        let ledger = Arc::new(Ledger { next: Mutex::new(next.into_iter().collect()), ..Ledger::default() });
        let client = Client {
            inbox: ledger.clone(),
            events: ledger.clone(),
            blobs: ledger.clone(),
            brake: ledger.clone(),
            clock: Arc::new(Noon),
            endpoints_allowed: Vec::new(),
            account: None,
        };
        let worker = client.handle();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        Self { ledger, worker, runtime }
    }

    /// A session whose plan of two steps waits for people.
    fn waiting(&self, run: &str) -> Summary {
        // A real card, as `show --json` gave it, made to have two steps.
        let mut card: serde_json::Value = serde_json::from_str(include_str!("card.json")).unwrap();
        let effects = card["effects"].as_array_mut().unwrap();
        effects.push(effects[0].clone());
        effects[0]["step"] = "op_1".into();
        effects[1]["step"] = "op_2".into();
        let card = card.to_string().into_bytes();
        let hash = BlobHash(Digest::of(&card));
        self.ledger.blobs.lock().unwrap().insert(hash, card);
        let approval = OpenApproval {
            id: "apr_1".to_owned(),
            plan: PlanHash(Digest::of(b"plan")),
            card: hash,
            headline: "Reject invoice INV-1".to_owned(),
            asks: vec!["1 × ap_lead".to_owned()],
            asked_at: noon(),
            expires_at: noon(),
        };
        let summary = Summary {
            status: Status::Waiting,
            state: State::ApprovalGate,
            ending: None,
            approval: Some(approval),
            ..closed(Ending::Done)
        };
        self.ledger.turn(&SessionId::parse(run).unwrap(), &summary, None);
        summary
    }

    /// Types a command, with nobody to ask.
    fn types(&self, words: &[&str]) -> Result<Exit, Failure> {
        let typed =
            Typed::try_parse_from([&["purple", "-q", "--json", "--no-input"], words].concat()).unwrap();
        let screen = Screen::of(&typed.global, &Environment::default());
        let kim = PersonId::parse("kim").unwrap();
        self.runtime.block_on(async {
            match &typed.command {
                Command::Run(args) => {
                    let words = Words { text: args.task.task.clone(), ..Words::default() };
                    task::begin(&self.worker, screen, args, words, kim).await
                }
                Command::Plan(args) => {
                    let words = Words { text: args.task.task.clone(), ..Words::default() };
                    task::rehearse(&self.worker, screen, args, (words, kim), Mode::Careful).await
                }
                Command::Runs(args) => look::list(&self.worker, screen, args).await,
                Command::Show(args) => look::one(&self.worker, screen, args).await,
                Command::Trace(args) => look::journal(&self.worker, screen, args).await,
                Command::Inbox => look::waiting(&self.worker, screen).await,
                Command::Approve(args) => decide::yes(&self.worker, screen, args, kim).await,
                Command::Reject(args) => decide::no(&self.worker, screen, args, kim).await,
                Command::Settle(args) => decide::known(&self.worker, screen, args, kim).await,
                Command::Cancel(args) => {
                    let decides = purple_worker::port::view::Decides::Everything;
                    let kim = decide::Canceller { person: kim, is_operator: true, decides };
                    decide::called_off(&self.worker, screen, args, kim).await
                }
                Command::Halt(args) => brake::stop(&self.worker, screen, args, kim).await,
                Command::Resume(args) => brake::go_on(&self.worker, screen, args, kim, None).await,
                other => panic!("{other:?} is not about a run"),
            }
        })
    }

    fn posts(&self) -> Vec<Post> {
        self.ledger.posts.lock().unwrap().clone()
    }

    /// The last decision: its steps and its reason.
    fn decision(&self) -> (Vec<String>, Option<String>) {
        let Some(Post { event: Event::Decision(verdict), .. }) = self.posts().pop() else {
            panic!("no decision was posted")
        };
        assert_eq!(verdict.plan, PlanHash(Digest::of(b"plan")));
        (verdict.steps.iter().map(ToString::to_string).collect(), verdict.reason)
    }
}

fn steps(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_run_ends_the_program_as_it_ended() {
    for (ending, exit) in [
        (Ending::Done, Exit::Done),
        (Ending::Declined, Exit::Denied),
        (Ending::Blocked, Exit::Denied),
        (Ending::Refused, Exit::Denied),
        (Ending::Escalated, Exit::Denied),
        (Ending::Cancelled, Exit::Denied),
        (Ending::Failed, Exit::Error),
    ] {
        assert_eq!(Room::new([closed(ending)]).types(&["run", "do it"]).unwrap(), exit, "{ending:?}");
    }
    let halted = Summary { status: Status::Halted, ending: None, ..closed(Ending::Done) };
    assert_eq!(Room::new([halted]).types(&["run", "do it"]).unwrap(), Exit::Halted);
    assert_eq!(Room::new([in_doubt()]).types(&["run", "do it"]).unwrap(), Exit::Unknown);
    let room = Room::new([]);
    let waiting = room.waiting("other");
    room.ledger.next.lock().unwrap().push_back(waiting);
    assert_eq!(room.types(&["run", "do it"]).unwrap(), Exit::Waiting);
}

#[test]
fn every_task_is_posted_as_a_task_whether_its_run_exists_or_not() {
    let room = Room::new([]);
    room.types(&["run", "first", "--session", "s1"]).unwrap();
    room.types(&["run", "second", "--session", "s1"]).unwrap();
    room.types(&["run", "third"]).unwrap();
    let kinds: Vec<_> = room
        .posts()
        .iter()
        .map(|post| (post.session.to_string(), matches!(post.event, Event::Start(_))))
        .collect();
    assert_eq!(kinds[..2], [("s1".to_owned(), true), ("s1".to_owned(), true)]);
    assert!(kinds[2].0.starts_with("run_") && kinds[2].1, "{kinds:?}");
}

#[test]
fn the_same_request_sent_again_is_the_first_run() {
    let room = Room::new([closed(Ending::Done)]);
    let words = ["run", "pay", "--request-id", "r1"];
    assert_eq!(room.types(&words).unwrap(), Exit::Done);
    assert_eq!(room.types(&words).unwrap(), Exit::Done);
    assert_eq!(room.posts().len(), 1);
    let other = room.types(&["run", "pay more", "--request-id", "r1"]).unwrap_err();
    assert_eq!(other.code(), "run.conflicting");
}

#[test]
fn a_plan_says_by_its_number_whether_something_would_be_done() {
    let plan = |more: &[&str], summary: Option<Summary>| {
        let room = Room::new([]);
        let waiting = room.waiting("other");
        room.ledger.next.lock().unwrap().push_back(summary.unwrap_or(waiting));
        room.types(&[&["plan", "do it"], more].concat()).unwrap()
    };
    assert_eq!(plan(&[], None), Exit::Done);
    assert_eq!(plan(&["--detailed-exitcode"], None), Exit::Changes);
    assert_eq!(plan(&["--detailed-exitcode"], Some(closed(Ending::Done))), Exit::Done);
    assert_eq!(plan(&[], Some(closed(Ending::Blocked))), Exit::Denied);
}

#[test]
fn a_yes_is_for_the_plan_that_was_shown_and_needs_a_confirmation() {
    let room = Room::new([]);
    room.waiting("run_1");
    let nobody = room.types(&["approve", "run_1"]).unwrap_err();
    assert_eq!(
        (nobody.code(), nobody.exit(), room.posts().len()),
        ("approval.nobody_to_ask", Exit::Usage, 0)
    );
    assert!(nobody.help().unwrap().contains("--card sha256:"));
    assert_eq!(room.types(&["approve", "run_1", "--yes"]).unwrap(), Exit::Done);
    assert_eq!(room.decision(), (steps(&["op_1", "op_2"]), None));
}

#[test]
fn a_yes_can_name_its_card_and_another_card_is_refused() {
    let room = Room::new([]);
    let card = room.waiting("run_1").approval.unwrap().card.0.to_string();
    let other = room.types(&["approve", "run_1", "--card", "sha256:00000000"]).unwrap_err();
    assert_eq!(other.code(), "approval.other_card");
    assert_eq!(
        room.types(&["approve", "run_1", "--card", &card[..12]]).unwrap_err().code(),
        "approval.other_card"
    );
    assert!(room.posts().is_empty());
    assert_eq!(room.types(&["approve", "run_1", "--card", &card[..15]]).unwrap(), Exit::Done);
}

#[test]
fn some_steps_can_be_approved_and_a_strange_one_is_refused() {
    let room = Room::new([]);
    room.waiting("run_1");
    let strange = room.types(&["approve", "run_1", "--yes", "--step", "op_3"]).unwrap_err();
    assert_eq!((strange.code(), room.posts().len()), ("approval.no_such_step", 0));
    room.types(&["approve", "run_1", "--yes", "--step", "op_2"]).unwrap();
    assert_eq!(room.decision(), (steps(&["op_2"]), None));
}

#[test]
fn a_no_carries_its_reason() {
    let room = Room::new([closed(Ending::Declined)]);
    room.waiting("run_1");
    assert_eq!(room.types(&["reject", "run_1", "--reason", "wrong vendor"]).unwrap(), Exit::Denied);
    assert_eq!(room.decision(), (steps(&[]), Some("wrong vendor".to_owned())));
}

#[test]
fn where_nothing_waits_nothing_is_decided() {
    let room = Room::new([]);
    room.ledger.turn(&SessionId::parse("run_1").unwrap(), &closed(Ending::Done), None);
    assert_eq!(room.types(&["approve", "run_1", "--yes"]).unwrap_err().code(), "approval.no_card");
    assert_eq!(room.types(&["approve", "run_9", "--yes"]).unwrap_err().code(), "run.unknown");
    assert!(room.posts().is_empty());
}

#[test]
fn an_operation_in_doubt_is_settled_as_the_person_says() {
    for (flag, done) in [("--done", true), ("--not-done", false)] {
        let room = Room::new([]);
        room.ledger.turn(&SessionId::parse("run_1").unwrap(), &in_doubt(), None);
        room.types(&["settle", "run_1", "op_1", flag]).unwrap();
        let Event::Settled { done: found, .. } = &room.posts()[0].event else {
            panic!("nothing was settled")
        };
        assert_eq!(*found == purple_worker::Settlement::Done, done);
    }
}

#[test]
fn a_run_is_found_by_how_its_id_begins() {
    let room = Room::new([]);
    room.waiting("run_abc");
    room.waiting("run_abd");
    assert_eq!(room.types(&["show", "run_abc"]).unwrap(), Exit::Done);
    assert_eq!(room.types(&["show", "run_ab"]).unwrap_err().code(), "run.ambiguous");
    assert_eq!(room.types(&["show", "nope"]).unwrap_err().code(), "run.unknown");
    assert_eq!(room.types(&["trace", "run_abd"]).unwrap(), Exit::Done);
    assert_eq!(room.types(&["runs", "--status", "waiting"]).unwrap(), Exit::Done);
    assert_eq!(room.types(&["inbox"]).unwrap(), Exit::Done);
}

#[test]
fn following_a_journal_ends_with_the_run() {
    let room = Room::new([]);
    room.ledger.turn(&SessionId::parse("run_1").unwrap(), &closed(Ending::Done), None);
    assert_eq!(room.types(&["trace", "run_1", "--follow"]).unwrap(), Exit::Done);
}

#[test]
fn a_stop_holds_until_it_is_ended_by_name() {
    let room = Room::new([]);
    room.types(&["halt", "--process", "payroll", "--reason", "audit"]).unwrap();
    room.types(&["resume"]).unwrap();
    assert_eq!(room.ledger.halts.lock().unwrap().len(), 1);
    room.types(&["resume", "--process", "payroll"]).unwrap();
    assert!(room.ledger.halts.lock().unwrap().is_empty());
}

#[test]
fn a_stop_of_a_process_that_is_gone_can_be_ended_and_another_name_is_refused() {
    let room = Room::new([]);
    room.types(&["halt", "--process", "gone"]).unwrap();
    let screen = Screen::of(
        &Typed::try_parse_from(["purple", "-q", "--json", "runs"]).unwrap().global,
        &Environment::default(),
    );
    let resume = |name: &str| {
        let args = crate::cli::Resume { process: Some(name.to_owned()) };
        let kim = PersonId::parse("kim").unwrap();
        let strange = Failure::NoSuchProcess { name: name.to_owned(), near: None, known: Vec::new() };
        room.runtime.block_on(brake::go_on(&room.worker, screen, &args, kim, Some(strange)))
    };
    assert_eq!(resume("nope").unwrap_err().code(), "process.unknown");
    assert_eq!(room.ledger.halts.lock().unwrap().len(), 1);
    assert_eq!(resume("gone").unwrap(), Exit::Done);
    assert!(room.ledger.halts.lock().unwrap().is_empty());
}

#[test]
fn a_run_can_be_called_off() {
    let room = Room::new([closed(Ending::Cancelled)]);
    room.waiting("run_1");
    assert_eq!(room.types(&["cancel", "run_1", "--reason", "twice"]).unwrap(), Exit::Done);
    assert!(matches!(&room.posts()[0].event, Event::Cancel { reason, .. } if reason == "twice"));
}

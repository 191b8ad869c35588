//! A house whose ports can be watched and made to fail at a chosen call: the process dies there, as far as the worker
//! can tell, and the engine runs the event again.

#![allow(dead_code, reason = "each test file uses a part of it")]

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use purple_journal::{Record, RecordType};
use purple_process::SessionId;
use purple_store::{Engine, Store};
use purple_testkit::TestClient;
use purple_worker::port::*;
use purple_worker::{Client, Event, Ports, RunView, Status, Worker};
use serde_json::Value;

use crate::house::{House, NoPause, Silent};

/// What a watcher may do at a call.
pub(crate) type AtCall = Box<dyn Fn(&str) + Send + Sync>;
/// What is answered instead of a tool, which is then not called.
pub(crate) type Instead = Box<dyn Fn(&str) -> Option<Called> + Send + Sync>;
/// What a liar makes of the answer of a tool.
pub(crate) type Bend = Box<dyn Fn(&str, Called) -> Called + Send + Sync>;

/// Where the ports fail, and who watches.
#[derive(Default)]
pub(crate) struct Shaky {
    /// The call at which the process dies, from 1; 0 is never.
    dies_at: AtomicUsize,
    calls: AtomicUsize,
    dead: AtomicBool,
    died: tokio::sync::Notify,
    log: Mutex<Vec<String>>,
    pub(crate) at_call: Mutex<Option<AtCall>>,
    pub(crate) bend: Mutex<Option<Bend>>,
    pub(crate) instead: Mutex<Option<Instead>>,
    /// Whether answers must have the form that their tools declare.
    pub(crate) minds_forms: AtomicBool,
}

impl Shaky {
    pub(crate) fn dying_at(call: usize) -> Arc<Self> {
        Arc::new(Self { dies_at: AtomicUsize::new(call), ..Self::default() })
    }

    /// The names of all counted calls.
    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn on_call(&self, what: impl Fn(&str) + Send + Sync + 'static) {
        *self.at_call.lock().unwrap() = Some(Box::new(what));
    }

    pub(crate) fn bending(&self, bend: impl Fn(&str, Called) -> Called + Send + Sync + 'static) {
        *self.bend.lock().unwrap() = Some(Box::new(bend));
    }

    pub(crate) fn answering(&self, instead: impl Fn(&str) -> Option<Called> + Send + Sync + 'static) {
        *self.instead.lock().unwrap() = Some(Box::new(instead));
    }

    /// Ends when the process dies. A word about an earlier death, which that turn heard in another way, is none.
    async fn death(&self) {
        loop {
            self.died.notified().await;
            if self.dead.load(Ordering::SeqCst) {
                return;
            }
        }
    }

    /// Counts a call. `false`: the process is dead.
    fn passes(&self, name: &str) -> bool {
        if self.dead.load(Ordering::SeqCst) {
            return false;
        }
        if let Some(watch) = &*self.at_call.lock().unwrap() {
            watch(name);
        }
        self.log.lock().unwrap().push(name.to_owned());
        let call = self.calls.fetch_add(1, Ordering::SeqCst) + 1;
        if call == self.dies_at.load(Ordering::SeqCst) {
            self.dead.store(true, Ordering::SeqCst);
            self.died.notify_one();
            return false;
        }
        true
    }
}

fn gone() -> EngineError {
    EngineError::Storage(Box::new(std::io::Error::other("the process is gone")))
}

async fn never<T>() -> T {
    std::future::pending().await
}

struct ShakyTools(Arc<dyn Tools>, Arc<Shaky>);

impl Tools for ShakyTools {
    fn list<'a>(&'a self, at: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>> {
        self.0.list(at)
    }

    fn check(&self, definition: &Definition, arguments: &Values) -> Result<(), BadArguments> {
        self.0.check(definition, arguments)
    }

    /// Most tests bend answers into forms of their own.
    fn misfits(&self, schema: &Value, value: &Value) -> Vec<String> {
        if self.1.minds_forms.load(Ordering::SeqCst) { self.0.misfits(schema, value) } else { Vec::new() }
    }

    fn still<'a>(&'a self, at: &'a ToolsAt, seen: &'a Definition) -> BoxFuture<'a, Still> {
        self.0.still(at, seen)
    }

    fn call<'a>(&'a self, at: &'a ToolsAt, pass: Pass, options: CallOptions) -> BoxFuture<'a, Called> {
        Box::pin(async move {
            let name = pass.call().tool().to_string();
            if !self.1.passes(&format!("call {name}")) {
                return never().await;
            }
            let instead = self.1.instead.lock().unwrap().as_ref().and_then(|instead| instead(&name));
            let called = match instead {
                Some(called) => called,
                None => self.0.call(at, pass, options).await,
            };
            if !self.1.passes(&format!("called {name}")) {
                return never().await;
            }
            match &*self.1.bend.lock().unwrap() {
                Some(bend) => bend(&name, called),
                None => called,
            }
        })
    }
}

struct ShakyTurn<'t>(&'t dyn Turn, &'t Shaky);

impl ShakyTurn<'_> {
    fn sync(&self, name: &str) -> Result<(), EngineError> {
        if self.1.passes(name) { Ok(()) } else { Err(gone()) }
    }
}

impl Turn for ShakyTurn<'_> {
    fn session(&self) -> &SessionId {
        self.0.session()
    }

    fn attempt(&self) -> u32 {
        self.0.attempt()
    }

    fn began(&self) -> Timestamp {
        self.0.began()
    }

    fn load(&self) -> BoxFuture<'_, Result<Option<Checkpoint>, EngineError>> {
        self.0.load()
    }

    fn journal(&self, seq: u64) -> BoxFuture<'_, Result<Vec<Arc<Recorded>>, EngineError>> {
        self.0.journal(seq)
    }

    fn step<'a>(
        &'a self,
        name: &'a str,
        work: BoxFuture<'a, Result<Value, StepFailed>>,
    ) -> BoxFuture<'a, Result<Value, EngineError>> {
        Box::pin(async move {
            // Before the work of a step, and after it: its result is not kept yet.
            let kind = name.split(':').next().unwrap_or(name);
            if !self.1.passes(kind) {
                return never().await;
            }
            let done = self.0.step(name, work).await?;
            if !self.1.passes(&format!("{kind} done")) {
                return never().await;
            }
            Ok(done)
        })
    }

    fn record(&self, entry: Entry) -> Result<(), EngineError> {
        if matches!(entry.record, Record::Write(_)) {
            self.sync(&format!("record {}", entry.kind()))?;
        }
        self.0.record(entry)
    }

    fn keep(&self, bytes: Vec<u8>) -> Result<BlobHash, EngineError> {
        self.0.keep(bytes)
    }

    fn durable(&self) -> BoxFuture<'_, Result<(), EngineError>> {
        Box::pin(async move {
            if !self.1.passes("durable") {
                return never().await;
            }
            self.0.durable().await?;
            if !self.1.passes("durable done") {
                return never().await;
            }
            Ok(())
        })
    }

    fn save(&self, checkpoint: Checkpoint) -> Result<Digest, EngineError> {
        self.sync("save")?;
        self.0.save(checkpoint)
    }

    fn later(&self, after: Duration, event: Event) -> Result<(), EngineError> {
        self.0.later(after, event)
    }

    fn post(&self, post: Post) -> Result<(), EngineError> {
        self.0.post(post)
    }

    fn claim<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<Claim, EngineError>> {
        Box::pin(async move {
            let claim = self.0.claim(key).await;
            if !self.1.passes("claimed") {
                return never().await;
            }
            claim
        })
    }

    fn release(&self, key: &str) -> Result<(), EngineError> {
        self.0.release(key)
    }

    fn halted<'a>(&'a self, process: &'a str) -> BoxFuture<'a, Result<Option<Halt>, EngineError>> {
        Box::pin(async move {
            if !self.1.passes("halted?") {
                return never().await;
            }
            self.0.halted(process).await
        })
    }

    fn learn(&self, lesson: Lesson) -> Result<(), EngineError> {
        self.0.learn(lesson)
    }

    fn notify(&self, notice: Notice) -> Result<(), EngineError> {
        self.0.notify(notice)
    }
}

struct ShakyWorker(Worker, Arc<Shaky>);

impl Handler for ShakyWorker {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(async move {
            let turn = ShakyTurn(turn, &self.1);
            let result = tokio::select! {
                result = self.0.handle(&turn, event) => result,
                () = self.1.death() => Err(TurnFailed::Engine(gone())),
            };
            // The next attempt is made by a process that lives.
            self.1.dead.store(false, Ordering::SeqCst);
            result
        })
    }
}

/// Puts watched ports between the house's engine and its worker.
pub(crate) async fn rewire(house: &mut House, shaky: &Arc<Shaky>) {
    house.stop().await;
    let store =
        Store::open(house.folder.path(), purple_store::Settings::default(), house.clock.clone()).unwrap();
    let shared = Arc::new(store.clone());
    let ports = Ports {
        tools: Arc::new(ShakyTools(house.tools.clone(), shaky.clone())),
        blobs: shared.clone(),
        events: shared.clone(),
        memory: shared.clone(),
        directory: house.staff.clone(),
        clock: house.clock.clone(),
        pause: Arc::new(NoPause),
        models: house.models.clone(),
        workshop: None,
    };
    let worker = ShakyWorker(Worker::new(ports, house.settings.clone()), shaky.clone());
    house.engine = Some(Engine::start(store, Arc::new(worker), Arc::new(Silent)));
    house.worker = TestClient::new(Client {
        inbox: shared.clone(),
        events: shared.clone(),
        blobs: shared.clone(),
        brake: shared,
        clock: house.clock.clone(),
        endpoints_allowed: Vec::new(),
        account: None,
    });
}

/// Lets time pass until the run does not work any more.
pub(crate) async fn rested(house: &House, run: &str) -> RunView {
    let run = crate::house::session(run);
    for _ in 0..400 {
        house.idle().await;
        match house.worker.view(&run).await {
            Ok(view) if view.summary.status != Status::Working => return view,
            Ok(view) if view.stuck.is_some() => return view,
            Ok(_) | Err(_) => house.clock.forward(Duration::from_millis(500)),
        }
    }
    panic!("{run} works and works")
}

/// Lets this much time pass, and waits until nothing is due.
pub(crate) async fn passed(house: &House, run: &str, time: Duration) -> RunView {
    house.clock.forward(time);
    rested(house, run).await
}

/// What the journal of a run tells, by kind.
pub(crate) async fn journal(house: &House, run: &str) -> Vec<Recorded> {
    house.worker.trace(&crate::house::session(run), 0, 10_000).await.unwrap()
}

pub(crate) async fn kinds(house: &House, run: &str) -> Vec<String> {
    journal(house, run).await.iter().map(|one| one.entry.kind().to_owned()).collect()
}

pub(crate) async fn count<T: RecordType>(house: &House, run: &str) -> usize {
    journal(house, run).await.iter().filter(|one| one.record().get::<T>().is_some()).count()
}

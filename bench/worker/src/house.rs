//! A worker on a data folder, as the product wires it, with tools inside the process.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use purple_process::Directory as People;
use purple_store::{Engine, Store};
use purple_worker::port::{
    BoxFuture, Clock, Delivery, Directory, Notice, Outbox, Pause, PersonId, SessionId,
};
use purple_worker::{
    Channel, Choice, Client, Command, Ports, Process, Receipt, Settings, Status, Worker, WorkerHandle,
};

use crate::office::Office;

pub type Failed = Box<dyn std::error::Error + Send + Sync>;

struct System;

impl Clock for System {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

struct Keyboard;

impl Directory for Keyboard {
    fn on(&self, _: jiff::civil::Date) -> People {
        People::Keyboard
    }
}

struct Real;

impl Pause for Real {
    fn pause(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

struct Silent;

impl Outbox for Silent {
    fn deliver<'a>(&'a self, _: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(std::future::ready(Delivery::Delivered))
    }
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    Null,
    Tools,
    Llm,
}

impl Workload {
    pub fn parse(word: &str) -> Option<Self> {
        match word {
            "null" => Some(Self::Null),
            "tools" => Some(Self::Tools),
            "llm" => Some(Self::Llm),
            _ => None,
        }
    }

    fn process(self) -> &'static str {
        match self {
            Self::Null => include_str!("null.yaml"),
            Self::Tools => include_str!("tools.yaml"),
            Self::Llm => include_str!("llm.yaml"),
        }
    }
}

/// An open house.
pub struct House {
    pub worker: WorkerHandle,
    pub office: Arc<Office>,
    engine: Engine,
}

impl House {
    pub fn open(folder: &Path, workload: Workload) -> Result<Self, Failed> {
        let process = Process::parse(workload.process()).map_err(|refused| format!("{refused:?}"))?;
        let settings = Settings::careful(vec![process]);
        let clock = Arc::new(System);
        // The room held back for a full disk is no session's; without it the folder is what sessions take.
        let kept = purple_store::Settings { reserve_bytes: 0, ..purple_store::Settings::default() };
        let store = Store::open(folder, kept, clock.clone())?;
        let shared = Arc::new(store.clone());
        let office = Arc::new(Office::default());
        let ports = Ports {
            tools: office.clone(),
            blobs: shared.clone(),
            events: shared.clone(),
            memory: shared.clone(),
            directory: Arc::new(Keyboard),
            clock: clock.clone(),
            pause: Arc::new(Real),
            models: match workload {
                Workload::Null | Workload::Tools => None,
                Workload::Llm => Some(crate::model::models(&std::env::var(crate::model::URL)?)?),
            },
            workshop: None,
        };
        let engine = Engine::start(store, Arc::new(Worker::new(ports, settings)), Arc::new(Silent));
        let client = Client {
            inbox: shared.clone(),
            events: shared.clone(),
            blobs: shared.clone(),
            brake: shared,
            clock,
            endpoints_allowed: Vec::new(),
        };
        Ok(Self { worker: client.handle(), office, engine })
    }

    pub async fn accept(&self, run: &SessionId, number: u64) -> Result<Receipt, Failed> {
        let text = format!("Approve expense claim EXP-{number} of $900.00");
        let task = Command::say(run.clone(), PersonId::parse("alex")?, Channel::Cli, text);
        Ok(self.worker.submit(task.named(format!("start:{run}"))).await?)
    }

    /// One task: to the gate, a decision, to the end.
    pub async fn task(&self, number: u64) -> Result<(), Failed> {
        let run = SessionId::parse(&format!("t{number}"))?;
        let accepted = self.accept(&run, number).await?;
        let view = self.worker.idle(&run, &accepted.awaited).await?;
        if view.summary.status != Status::Waiting {
            return Err(format!("{:?} {:?}", view.summary, view.answer).into());
        }
        let (by, read) = (PersonId::parse("bea")?, self.worker.pending(&run).await?);
        let yes = Command::decide(run.clone(), by, Channel::Cli, read, Choice::Approve);
        let decided = self.worker.submit(yes).await?;
        let view = self.worker.idle(&run, &decided.awaited).await?;
        if view.summary.ending != Some(purple_process::Ending::Done) {
            return Err(format!("{:?} {:?}", view.summary, view.answer).into());
        }
        Ok(())
    }

    pub async fn close(self) -> Result<(), Failed> {
        Ok(self.engine.stop().await?)
    }
}

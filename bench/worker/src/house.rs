//! A worker on a data folder, as the product wires it, with tools inside the process.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use purple_process::Directory as People;
use purple_store::{Engine, Store};
use purple_worker::port::{
    BoxFuture, Clock, DedupKey, Delivery, Directory, Notice, Outbox, Pause, PersonId, SessionId,
};
use purple_worker::{Channel, Choice, Desk, Ports, Process, Settings, Start, Status, Worker};

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
    pub desk: Desk,
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
        let desk = Desk {
            inbox: shared.clone(),
            events: shared.clone(),
            blobs: shared.clone(),
            brake: shared,
            clock,
        };
        Ok(Self { desk, office, engine })
    }

    pub async fn accept(&self, run: &SessionId, number: u64) -> Result<(), Failed> {
        let start = Start {
            text: format!("Approve expense claim EXP-{number} of $900.00"),
            by: PersonId::parse("alex")?,
            channel: Channel::Cli,
            policy: None,
            tools_endpoint: None,
            message_id: None,
        };
        self.desk.start(run.clone(), DedupKey(format!("start:{run}")), start).await?;
        Ok(())
    }

    /// One task: to the gate, a decision, to the end.
    pub async fn task(&self, number: u64) -> Result<(), Failed> {
        let run = SessionId::parse(&format!("t{number}"))?;
        self.accept(&run, number).await?;
        let view = self.desk.settled(&run, 0).await?;
        if view.summary.status != Status::Waiting {
            return Err(format!("{:?} {:?}", view.summary, view.answer).into());
        }
        self.desk.decide(&run, PersonId::parse("bea")?, Channel::Cli, Choice::Approve).await?;
        let view = self.desk.settled(&run, view.entries).await?;
        if view.summary.ending != Some(purple_process::Ending::Done) {
            return Err(format!("{:?} {:?}", view.summary, view.answer).into());
        }
        Ok(())
    }

    pub async fn close(self) -> Result<(), Failed> {
        Ok(self.engine.stop().await?)
    }
}

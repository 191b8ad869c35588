//! The one way into the worker: commands are admitted, named, and posted as events.

mod admission;
mod idle;

use std::sync::Arc;

use purple_port::WorkerHandle;
use purple_port::client::{ClientError, WorkerClient};
use purple_port::command::{Awaited, Command, Receipt};
use purple_process::{Digest, PersonId, SessionId};

use crate::event::Event;
use crate::port::{Blobs, BoxFuture, Brake, Clock, DedupKey, EngineError, Events, Halt, Inbox, Post, Posted};
use crate::prime::privacy::redact;

/// Admits commands and posts them to an engine.
#[derive(Clone)]
pub struct Client {
    /// Where events go in.
    pub inbox: Arc<dyn Inbox>,
    /// Where journals and summaries are read.
    pub events: Arc<dyn Events>,
    /// Where cards and answers are read.
    pub blobs: Arc<dyn Blobs>,
    /// The halts.
    pub brake: Arc<dyn Brake>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Origins that a request may name as its tools.
    pub endpoints_allowed: Vec<String>,
    /// The account of the operating system under which this process runs, as commands at the keyboard record it.
    pub account: Option<String>,
}

impl Client {
    /// The handle that channels are given.
    pub fn handle(self) -> WorkerHandle {
        WorkerHandle {
            events: self.events.clone(),
            blobs: self.blobs.clone(),
            brake: self.brake.clone(),
            clock: self.clock.clone(),
            client: Arc::new(self),
        }
    }

    async fn accept(&self, command: Command) -> Result<Receipt, ClientError> {
        self.check(&command)?;
        let row = self.events.session(&command.run).await?;
        let (after, round) = match row {
            Some(row) => (row.entries, idle::round_of(&row)),
            None if admission::begins_a_run(&command) => (0, 1),
            None => return Err(ClientError::NoSuchRun { run: command.run.to_string() }),
        };
        let (id, dedup) = name_of(&command, after);
        let run = command.run.clone();
        let event = self.event(command, &id).await?;
        admission::check_size(&event)?;
        let awaited = Awaited::event((after, round), &event)?;
        let receipt = Receipt { run, repeated: false, id, awaited };
        match self.post(receipt.run.clone(), dedup, event).await? {
            Posted::Accepted => Ok(receipt),
            Posted::Repeated { session } => {
                // It may have been accepted long ago.
                let awaited = Awaited { after: 0, round: 1, ..receipt.awaited };
                Ok(Receipt { run: session, repeated: true, awaited, ..receipt })
            }
            Posted::Conflicting { session } => Err(ClientError::Conflicting { run: session }),
        }
    }

    /// The only place that posts events of people and programs.
    async fn post(&self, run: SessionId, dedup: DedupKey, event: Event) -> Result<Posted, EngineError> {
        self.inbox.post(Post { session: run, dedup, due: None, event }).await
    }

    async fn end_halt(&self, process: Option<&str>, by: &PersonId) -> Result<bool, ClientError> {
        let was = self.brake.resume(process, by).await?;
        for run in self.brake.held().await? {
            let entries = self.events.session(&run).await?.map_or(0, |row| row.entries);
            let dedup = DedupKey(format!("resume:{run}:{entries}"));
            self.post(run, dedup, Event::Continue).await?;
        }
        Ok(was)
    }
}

impl WorkerClient for Client {
    fn submit(&self, command: Command) -> BoxFuture<'_, Result<Receipt, ClientError>> {
        Box::pin(self.accept(command))
    }

    fn idle<'a>(
        &'a self,
        run: &'a SessionId,
        awaited: &'a Awaited,
    ) -> BoxFuture<'a, Result<(), ClientError>> {
        Box::pin(self.until_idle(run, awaited))
    }

    fn halt(
        &self,
        process: Option<String>,
        by: PersonId,
        reason: String,
    ) -> BoxFuture<'_, Result<(), ClientError>> {
        let halt = Halt { process, by, reason: redact(&reason), at: self.clock.now() };
        Box::pin(async move { Ok(self.brake.halt(halt).await?) })
    }

    fn resume(&self, process: Option<String>, by: PersonId) -> BoxFuture<'_, Result<bool, ClientError>> {
        Box::pin(async move { self.end_halt(process.as_deref(), &by).await })
    }
}

/// What a command is called, and the key under which it is accepted once. One without an id is called by what it wants
/// and where the run was: five questions in a row may be answered alike, and each answer counts.
fn name_of(command: &Command, after: u64) -> (String, DedupKey) {
    let Command { run, by, channel, id, action } = command;
    if let Some(id) = id {
        return (id.clone(), DedupKey(format!("{channel}:{by}:{id}")));
    }
    let wanted = serde_json::to_string(action).unwrap_or_default();
    let digest = Digest::of(format!("{after}\n{wanted}").as_bytes()).to_string();
    let id = format!("auto-{}", digest.rsplit(':').next().unwrap_or_default());
    let key = DedupKey(format!("send:{by}:{run}:{id}"));
    (id, key)
}

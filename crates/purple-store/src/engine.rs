//! Runs turns: strictly one after the other within a session, many sessions at a time.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use purple_port::{EngineError, Handler, Outbox};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::deliver;
use crate::dispatch;
use crate::store::Store;

/// How far an engine is in stopping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    Running,
    /// No new turns; those that run may end.
    Draining,
}

/// A store whose events are being run.
pub struct Engine {
    store: Store,
    phase: watch::Sender<Phase>,
    idle: watch::Receiver<bool>,
    dispatcher: JoinHandle<()>,
    deliverer: JoinHandle<()>,
}

impl Engine {
    /// Starts to run what is due, what the last process left unfinished first.
    pub fn start(store: Store, handler: Arc<dyn Handler>, outbox: Arc<dyn Outbox>) -> Self {
        let phase = watch::Sender::new(Phase::Running);
        let (idle_tell, idle) = watch::channel(false);
        let dispatcher =
            tokio::spawn(dispatch::run(Arc::clone(&store.core), handler, phase.subscribe(), idle_tell));
        let deliverer = tokio::spawn(deliver::run(Arc::clone(&store.core), outbox, phase.subscribe()));
        Self { store, phase, idle, dispatcher, deliverer }
    }

    /// The store that it runs on.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Ends when no turn runs and none is due. Events that are due later do not count.
    pub async fn idle(&self) -> Result<(), EngineError> {
        let mut idle = self.idle.clone();
        loop {
            tokio::select! {
                failed = self.store.core.writer.failed() => return Err(EngineError::Storage(Box::new(failed))),
                told = idle.wait_for(|idle| *idle) => drop(told.map_err(|_| EngineError::ShuttingDown)?),
            }
            // What was posted just now may not have reached the dispatcher.
            if self.store.core.board.is_idle(self.store.core.time.now()) {
                return Ok(());
            }
            idle.changed().await.map_err(|_| EngineError::ShuttingDown)?;
        }
    }

    /// Ends when the storage has failed. Then the process should end, and start again.
    pub async fn failed(&self) -> EngineError {
        EngineError::Storage(Box::new(self.store.core.writer.failed().await))
    }

    /// Takes no more events, lets running turns end within the grace, writes what waits, and lets go of the folder.
    ///
    /// A turn that does not end in time is dropped at its next await; its event is run again at the next start.
    pub async fn stop(self) -> Result<(), EngineError> {
        self.store.core.closing.store(true, Ordering::Release);
        self.phase.send_replace(Phase::Draining);
        // Neither of the two panics; if one did, the store is closed all the same.
        let _ = self.dispatcher.await;
        let _ = self.deliverer.await;
        self.store.close().await
    }
}

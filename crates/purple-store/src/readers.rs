//! Connections that only read, beside the writer, on threads where waiting for a disk holds nobody up.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use purple_port::EngineError;
use rusqlite::Connection;
use tokio::sync::Semaphore;

use crate::board::lock;
use crate::error::{OpenError, StorageFailed, storage};
use crate::open::open_reader;

/// How many read at a time.
const READERS_MAX: usize = 4;

/// A few connections, opened when they are needed first.
#[derive(Clone, Debug)]
pub(crate) struct Readers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    places: Semaphore,
}

/// What a look at the database may end with.
pub(crate) type Looked<T> = Result<T, ReadError>;

/// Why a look failed.
#[derive(Debug)]
pub(crate) enum ReadError {
    Database(rusqlite::Error),
    Engine(EngineError),
}

impl From<rusqlite::Error> for ReadError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

impl From<EngineError> for ReadError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

impl From<ReadError> for EngineError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Database(error) => storage("reading", &error),
            ReadError::Engine(error) => error,
        }
    }
}

impl Readers {
    pub(crate) fn new(path: PathBuf) -> Self {
        let shared = Shared { path, idle: Mutex::default(), places: Semaphore::new(READERS_MAX) };
        Self { shared: Arc::new(shared) }
    }

    /// Opens one connection now, so that a database which cannot be read is found at the door.
    pub(crate) fn warm(&self) -> Result<(), OpenError> {
        let connection = open_reader(&self.shared.path)?;
        lock(&self.shared.idle).push(connection);
        Ok(())
    }

    /// Lets `look` read, in one transaction: it sees one state of the database.
    pub(crate) async fn look<T, F>(&self, look: F) -> Result<T, EngineError>
    where
        T: Send + 'static,
        F: FnOnce(&Connection) -> Looked<T> + Send + 'static,
    {
        let shared = Arc::clone(&self.shared);
        let _place = self.shared.places.acquire().await.map_err(|_| EngineError::ShuttingDown)?;
        let read = tokio::task::spawn_blocking(move || shared.look(look));
        read.await.map_err(|error| {
            EngineError::Storage(Box::new(StorageFailed { what: "reading", said: error.to_string() }))
        })?
    }

    /// The same on this thread: for a few rows, which cost less than the way to another thread and back, and for
    /// programs that have nothing else to do.
    pub(crate) fn look_here<T>(&self, look: impl FnOnce(&Connection) -> Looked<T>) -> Result<T, EngineError> {
        self.shared.look(look)
    }

    /// The same for one statement, which needs no transaction around it.
    pub(crate) fn glance<T>(&self, look: impl FnOnce(&Connection) -> Looked<T>) -> Result<T, EngineError> {
        self.shared.with(look)
    }
}

impl Shared {
    fn look<T>(&self, look: impl FnOnce(&Connection) -> Looked<T>) -> Result<T, EngineError> {
        self.with(|connection| in_transaction(connection, look))
    }

    fn with<T>(&self, look: impl FnOnce(&Connection) -> Looked<T>) -> Result<T, EngineError> {
        let idle = lock(&self.idle).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open_reader(&self.path).map_err(|error| {
                EngineError::Storage(Box::new(StorageFailed { what: "reading", said: error.to_string() }))
            })?,
        };
        let result = look(&connection);
        // One that has just failed is not used again.
        if result.is_ok() {
            lock(&self.idle).push(connection);
        }
        Ok(result?)
    }
}

fn in_transaction<T>(connection: &Connection, look: impl FnOnce(&Connection) -> Looked<T>) -> Looked<T> {
    // A connection whose look failed is dropped, and its transaction with it.
    connection.prepare_cached("BEGIN")?.execute([])?;
    let result = look(connection)?;
    connection.prepare_cached("COMMIT")?.execute([])?;
    Ok(result)
}

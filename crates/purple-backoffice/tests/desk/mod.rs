//! One way to the office for all tests.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use jiff::civil::{Date, date};
use purple_backoffice::{Answer, Call, Fault, Ledger, Office, Served, Setup};
use serde_json::{Map, Value};

/// A Wednesday; last month is February 2026.
pub(crate) const TODAY: Date = date(2026, 3, 4);

/// An office in memory.
#[derive(Clone)]
pub(crate) struct Desk(pub(crate) Arc<Office>);

impl Desk {
    pub(crate) fn open() -> Self {
        Self(Arc::new(Office::open(Setup::in_memory(TODAY)).unwrap()))
    }

    pub(crate) fn faulty(specs: &[&str]) -> Self {
        let desk = Self::open();
        desk.set_faults(specs);
        desk
    }

    pub(crate) fn set_faults(&self, specs: &[&str]) {
        self.0.set_faults(specs.iter().map(|spec| spec.parse::<Fault>().unwrap()).collect());
    }

    pub(crate) fn serve(&self, tool: &str, arguments: Value) -> Served {
        self.0.call(&Call::new(tool, fields(arguments)))
    }

    pub(crate) fn keyed(&self, tool: &str, arguments: Value, key: &str) -> Served {
        self.0.call(&Call::new(tool, fields(arguments)).key(Some(key)))
    }

    /// The answer of a call that is done.
    pub(crate) fn done(&self, tool: &str, arguments: Value) -> Value {
        answer(self.serve(tool, arguments))
    }

    /// Code and words of a call that is refused.
    pub(crate) fn refused(&self, tool: &str, arguments: Value) -> (String, String) {
        match self.serve(tool, arguments).answer {
            Answer::Refused { code, message } => (code.to_owned(), message),
            other => panic!("`{tool}` was not refused: {other:?}"),
        }
    }

    pub(crate) fn ledger(&self) -> Ledger {
        self.0.ledger().unwrap()
    }

    pub(crate) fn effects(&self) -> usize {
        self.ledger().effects.len()
    }
}

pub(crate) fn answer(served: Served) -> Value {
    match served.answer {
        Answer::Done(value) => value,
        other => panic!("not done: {other:?}"),
    }
}

pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("not an object: {other}"),
    }
}

/// A folder that goes when the test does.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let next = NEXT.fetch_add(1, Ordering::Relaxed);
        let path =
            PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{next}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        std::fs::remove_dir_all(&self.0).unwrap();
    }
}

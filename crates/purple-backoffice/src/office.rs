//! The company, open for business: the one way in for every transport.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::civil::Date;
use rusqlite::{Connection, OpenFlags, OptionalExtension};
use serde_json::{Map, Value};

use crate::catalogue::{self, Definition};
use crate::clock::Clock;
use crate::fault::Fault;
use crate::ledger::Ledger;
use crate::seed;
use crate::serve::{Desktop, State};

/// How long a call waits for another process that writes to the same file.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Statements kept ready.
const STATEMENTS_MAX: usize = 256;

/// How a company is set up.
#[derive(Debug)]
pub struct Setup {
    /// Its file; without one it lives in memory.
    pub data: Option<PathBuf>,
    /// Its clock.
    pub clock: Clock,
    /// What its rows are made from: the same number, the same rows.
    pub seed: u64,
    /// What goes wrong in it.
    pub faults: Vec<Fault>,
}

impl Setup {
    /// A faultless company in memory whose clock stands still.
    #[must_use]
    pub fn in_memory(today: Date) -> Self {
        Self { data: None, clock: Clock::still(today), seed: 1, faults: Vec::new() }
    }
}

/// Why a company did not open.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The database refused.
    #[error("the company's database cannot be used: {0}")]
    Storage(#[from] rusqlite::Error),
    /// The file belongs to another day or another seed.
    #[error("this company was founded with {name} {found}, not {wanted}")]
    Founded {
        /// What differs: `today` or `seed`.
        name: &'static str,
        /// What the file says.
        found: String,
        /// What was asked for.
        wanted: String,
    },
    /// A date is too far away to count months from.
    #[error("no company can be founded on {today}: its calendar would leave the known years")]
    Calendar {
        /// The day asked for.
        today: Date,
    },
}

/// One call of a tool.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    pub(crate) tool: &'a str,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) key: Option<&'a str>,
    pub(crate) session: &'a str,
    pub(crate) input_given: bool,
}

impl<'a> Call<'a> {
    /// A call without a key, from nobody in particular.
    #[must_use]
    pub fn new(tool: &'a str, arguments: Map<String, Value>) -> Self {
        Self { tool, arguments, key: None, session: "", input_given: false }
    }

    /// With an idempotency key outside the arguments.
    #[must_use]
    pub fn key(mut self, key: Option<&'a str>) -> Self {
        self.key = key;
        self
    }

    /// From this session.
    #[must_use]
    pub fn session(mut self, session: &'a str) -> Self {
        self.session = session;
        self
    }

    /// Sent again with the input that was asked for.
    #[must_use]
    pub fn with_input(mut self) -> Self {
        self.input_given = true;
        self
    }
}

/// What a call came to, and how the transport is to deliver it.
#[derive(Clone, Debug, PartialEq)]
pub struct Served {
    /// The answer, even where the caller never sees it.
    pub answer: Answer,
    /// Milliseconds to wait before delivering.
    pub slow_ms: u64,
    /// What becomes of the answer on its way.
    pub delivery: Delivery,
}

/// A tool's answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    /// It was done, or so the tool says.
    Done(Value),
    /// It was not done, or so the tool says.
    Refused {
        /// A stable word.
        code: &'static str,
        /// What a person reads.
        message: String,
    },
    /// The tool wants to be told something first.
    InputRequired {
        /// What it asks.
        message: String,
        /// What the answer is called.
        field: &'static str,
    },
}

/// How an answer travels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// As it is.
    Plain,
    /// Never: the call stays open.
    Never,
    /// Not at all: the connection is cut.
    Cut,
    /// As an error of the transport.
    Unavailable,
    /// With this many bytes too many.
    Huge(u64),
    /// As something that is no answer.
    Garbage,
}

/// What the person behind the approval tools says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Approver {
    /// Nothing yet.
    Silent,
    /// Yes.
    Approves,
    /// No.
    Rejects,
}

impl Approver {
    fn word(self) -> &'static str {
        match self {
            Self::Silent => "pending",
            Self::Approves => "approved",
            Self::Rejects => "rejected",
        }
    }
}

/// The company: rows, tools, faults and the witness. Shared by all its doors.
pub struct Office {
    desktop: Desktop,
    state: Mutex<State>,
}

impl std::fmt::Debug for Office {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Office").field("clock", &self.desktop.clock).finish_non_exhaustive()
    }
}

impl Office {
    /// Opens a company; a new one is founded first.
    ///
    /// # Errors
    /// If the file cannot be used, or belongs to a company founded otherwise.
    pub fn open(setup: Setup) -> Result<Self, OpenError> {
        let today = setup.clock.today();
        let db = match &setup.data {
            None => seed::in_memory(today, setup.seed)?,
            Some(file) => {
                let mut db = Connection::open_with_flags(file, OpenFlags::default())?;
                db.busy_timeout(BUSY_TIMEOUT)?;
                // A killed process loses nothing under WAL; only a power cut could, and no promise hangs on that.
                db.pragma_update(None, "journal_mode", "WAL")?;
                db.pragma_update(None, "synchronous", "NORMAL")?;
                seed::found(&mut db, today, setup.seed)?;
                db
            }
        };
        db.set_prepared_statement_cache_capacity(STATEMENTS_MAX);
        let desktop = Desktop { clock: setup.clock };
        let mut state = State::new(db)?;
        state.switches.set(setup.faults);
        Ok(Self { desktop, state: Mutex::new(state) })
    }

    /// Carries out one call. Quick and synchronous: faults of delivery are left to the transport.
    pub fn call(&self, call: &Call<'_>) -> Served {
        self.desktop.serve(&mut self.lock(), call)
    }

    /// The tools as they are listed now; each listing counts for drift.
    #[must_use]
    pub fn definitions(&self) -> Vec<Definition> {
        let untrue = self.lock().switches.listing(catalogue::tools());
        catalogue::definitions(&untrue)
    }

    /// What every call and effect so far looked like.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn ledger(&self) -> Result<Ledger, OpenError> {
        Ledger::of(&self.lock().db)
    }

    /// Replaces all faults. Counts start anew, lags end.
    pub fn set_faults(&self, faults: Vec<Fault>) {
        let mut state = self.lock();
        state.switches.set(faults);
        state.stale = None;
    }

    /// Decides what the person behind the approval tools says from now on.
    ///
    /// # Errors
    /// If the database refuses.
    pub fn set_approver(&self, approver: Approver) -> Result<(), OpenError> {
        let sql = "INSERT INTO about (name, value) VALUES ('approver', ?1) \
                   ON CONFLICT (name) DO UPDATE SET value = excluded.value";
        self.lock().db.execute(sql, [approver.word()])?;
        Ok(())
    }

    /// Adds `count` records of each kind, numbered from 20000: `INV-2026-20000` is 2 % above `PO-20000`, the next
    /// one 3 %, and so on by turns; `INFRA-20000` missed 0.8 % of the uptime of `CTR-20000`; `ORD-20000` of `C-8821`
    /// has five times Widget A; `E-20000` uses two systems.
    ///
    /// # Errors
    /// If the database refuses, as it does when they are there already.
    pub fn enlarge(&self, count: u32) -> Result<(), OpenError> {
        seed::enlarge(&self.lock().db, self.desktop.clock.today(), count)
    }

    /// The company's clock.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.desktop.clock
    }

    /// The day a company's file was founded for, if it is one.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn founded_on(file: &Path) -> Result<Option<Date>, OpenError> {
        if !file.exists() {
            return Ok(None);
        }
        let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        db.busy_timeout(BUSY_TIMEOUT)?;
        let founded = db.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'about'", [], |row| {
            row.get::<_, i64>(0)
        })?;
        if founded == 0 {
            return Ok(None);
        }
        let today: Option<String> =
            db.query_row("SELECT value FROM about WHERE name = 'today'", [], |row| row.get(0)).optional()?;
        Ok(today.and_then(|today| today.parse().ok()))
    }

    /// Whether a fault lists tools without their schema.
    pub(crate) fn omits_schemas(&self) -> bool {
        self.lock().switches.omits_schemas()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

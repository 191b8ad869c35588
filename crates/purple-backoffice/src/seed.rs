//! Founds the company: the same day and the same seed give the same rows.
//!
//! Four people, vendors and customers of well-known cases are written down in `cases`; hundreds of others are
//! made up around them, so that nothing about them is special.

mod books;
mod cases;
mod customers;
mod more;
mod people;
mod random;
mod service;
mod vendors;

use std::sync::{Mutex, PoisonError};

use jiff::civil::Date;
use jiff::{Span, ToSpan};
use rusqlite::backup::Backup;
use rusqlite::{Connection, OptionalExtension, ToSql, TransactionBehavior};

use crate::office::OpenError;
use random::Random;

/// A new company in memory. The last one that was founded is kept as a model, so that hundreds open quickly.
pub(crate) fn in_memory(today: Date, seed: u64) -> Result<Connection, OpenError> {
    static MODEL: Mutex<Option<(Date, u64, Connection)>> = Mutex::new(None);
    let mut model = MODEL.lock().unwrap_or_else(PoisonError::into_inner);
    if model.as_ref().is_none_or(|(day, number, _)| (*day, *number) != (today, seed)) {
        let mut db = Connection::open_in_memory()?;
        found(&mut db, today, seed)?;
        *model = Some((today, seed, db));
    }
    let mut db = Connection::open_in_memory()?;
    if let Some((_, _, model)) = &*model {
        Backup::new(model, &mut db)?.step(-1)?;
    }
    Ok(db)
}

/// Makes a company out of an empty database. One that exists must have been founded alike.
pub(crate) fn found(db: &mut Connection, today: Date, seed: u64) -> Result<(), OpenError> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let exists: i64 =
        tx.query_row("SELECT count(*) FROM sqlite_schema WHERE name = 'about'", [], |row| row.get(0))?;
    if exists > 0 {
        same(&tx, "today", &today.to_string())?;
        return same(&tx, "seed", &seed.to_string());
    }
    tx.execute_batch(include_str!("schema.sql"))?;
    let ground = Ground { db: &tx, today };
    // A stream of numbers each, so that one part may grow without changing the others.
    let random = |part: u64| Random::new(seed.wrapping_mul(1_000_003).wrapping_add(part));
    ground.put("INSERT INTO about (name, value) VALUES ('today', ?1)", &[&today.to_string()])?;
    ground.put("INSERT INTO about (name, value) VALUES ('seed', ?1)", &[&seed.to_string()])?;
    cases::put(&ground)?;
    vendors::put(&ground, &mut random(1))?;
    customers::put(&ground, &mut random(2))?;
    people::put(&ground, &mut random(3))?;
    books::put(&ground, &mut random(4))?;
    service::put(&ground, &mut random(5))?;
    tx.commit()?;
    Ok(())
}

/// Adds so many records of each kind to a company that has none of them yet.
pub(crate) fn enlarge(db: &Connection, today: Date, count: u32) -> Result<(), OpenError> {
    let tx = db.unchecked_transaction()?;
    more::put(&Ground { db: &tx, today }, count)?;
    tx.commit()?;
    Ok(())
}

fn same(db: &Connection, name: &'static str, wanted: &str) -> Result<(), OpenError> {
    let found: Option<String> =
        db.query_row("SELECT value FROM about WHERE name = ?1", [name], |row| row.get(0)).optional()?;
    let found = found.unwrap_or_default();
    if found == wanted { Ok(()) } else { Err(OpenError::Founded { name, found, wanted: wanted.to_owned() }) }
}

/// Where rows are put, and the day they are counted from.
struct Ground<'a> {
    db: &'a Connection,
    today: Date,
}

impl Ground<'_> {
    fn put(&self, sql: &str, values: &[&dyn ToSql]) -> Result<(), OpenError> {
        self.db.prepare_cached(sql)?.execute(values)?;
        Ok(())
    }

    /// The day so many days ago; in the future if negative.
    fn days_ago(&self, days: i64) -> Result<String, OpenError> {
        self.shifted(self.today, (-days).days()).map(|date| date.to_string())
    }

    /// The first day of the month so many months ago; in the future if negative.
    fn month_ago(&self, months: i64) -> Result<Date, OpenError> {
        self.shifted(self.today.first_of_month(), (-months).months())
    }

    fn shifted(&self, date: Date, span: Span) -> Result<Date, OpenError> {
        date.checked_add(span).map_err(|_| OpenError::Calendar { today: self.today })
    }
}

/// The month as it is written: `2026-02`.
fn month_name(date: Date) -> String {
    format!("{:04}-{:02}", date.year(), date.month())
}

//! Where a tool does its work: reads and writes of one call, inside one transaction.
//!
//! The writing methods know the present *fidelity*: a faulty company applies half of a change, or another one.

use jiff::civil::Date;
use rusqlite::{Connection, OptionalExtension, ToSql, types::Value as Cell};
use serde_json::{Map, Value, json};

use crate::parameter::day;
use crate::record::Record;
use crate::refusal::Refusal;

/// Rows of one page at most.
pub(crate) const PAGE_ROWS_MAX: i64 = 200;

/// How truly a write is applied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fidelity {
    Faithful,
    /// The value that matters is left out or cut.
    Partial,
    /// Another value than the one asked for.
    Other,
    /// Once more; what would refuse a repetition does not.
    Again,
}

/// What an effect did: one row in the ledger, and the tool's answer.
#[derive(Debug)]
pub(crate) struct Change {
    pub(crate) target: String,
    pub(crate) before: Value,
    pub(crate) after: Value,
    pub(crate) answer: Value,
}

impl Change {
    /// The same change once more, where nothing is left to change.
    pub(crate) fn repeated(&self) -> Self {
        Self {
            target: self.target.clone(),
            before: self.after.clone(),
            after: self.after.clone(),
            answer: self.answer.clone(),
        }
    }
}

/// A column and its new value.
pub(crate) type Put<'a> = (&'a str, Cell);

/// A row as it is told to the outside.
pub(crate) type Told = Map<String, Value>;

/// One call's view of the company.
pub(crate) struct Desk<'a> {
    pub(crate) db: &'a Connection,
    pub(crate) today: Date,
    /// The time of this call, as it is stored.
    pub(crate) now: &'a str,
    pub(crate) fidelity: Fidelity,
}

impl Desk<'_> {
    /// The row, or nothing.
    pub(crate) fn find(&self, record: &Record, id: &str) -> Result<Option<Told>, Refusal> {
        let sql = format!("{} WHERE {} = ?1", record.select(), record.key);
        let mut statement = self.db.prepare_cached(&sql)?;
        let mut rows = statement.query([id])?;
        rows.next()?.map(|row| record.told(row)).transpose()
    }

    /// The row; that it does not exist is a refusal.
    pub(crate) fn one(&self, record: &Record, id: &str) -> Result<Told, Refusal> {
        self.find(record, id)?.ok_or_else(|| Refusal::NotFound { noun: record.noun, id: id.to_owned() })
    }

    /// All rows under a condition, which ends with an order and may end with a limit.
    pub(crate) fn rows(
        &self,
        record: &Record,
        condition: &str,
        values: &[&dyn ToSql],
    ) -> Result<Vec<Value>, Refusal> {
        let sql = format!("{} {condition}", record.select());
        let mut statement = self.db.prepare_cached(&sql)?;
        let mut rows = statement.query(values)?;
        let mut told = Vec::new();
        while let Some(row) = rows.next()? {
            told.push(Value::Object(record.told(row)?));
        }
        Ok(told)
    }

    /// One whole number, zero if there is none.
    pub(crate) fn number(&self, sql: &str, values: &[&dyn ToSql]) -> Result<i64, Refusal> {
        let mut statement = self.db.prepare_cached(sql)?;
        let found: Option<Option<i64>> = statement.query_row(values, |row| row.get(0)).optional()?;
        Ok(found.flatten().unwrap_or(0))
    }

    /// One text, if there is one.
    pub(crate) fn word(&self, sql: &str, values: &[&dyn ToSql]) -> Result<Option<String>, Refusal> {
        let mut statement = self.db.prepare_cached(sql)?;
        let found: Option<Option<String>> = statement.query_row(values, |row| row.get(0)).optional()?;
        Ok(found.flatten())
    }

    pub(crate) fn run(&self, sql: &str, values: &[&dyn ToSql]) -> Result<usize, Refusal> {
        Ok(self.db.prepare_cached(sql)?.execute(values)?)
    }

    /// The next free number of a series: `PO-9001`.
    pub(crate) fn next_id(&self, series: &str) -> Result<String, Refusal> {
        self.run(
            "INSERT INTO series (name, next) VALUES (?1, 9002) ON CONFLICT (name) DO UPDATE SET next = next + 1",
            &[&series],
        )?;
        let next = self.number("SELECT next FROM series WHERE name = ?1", &[&series])?;
        Ok(format!("{series}-{}", next - 1))
    }

    /// A rule of the business. A write that is applied a second time by fault is not held up by it.
    pub(crate) fn require(&self, holds: bool, otherwise: impl FnOnce() -> Refusal) -> Result<(), Refusal> {
        if holds || self.fidelity == Fidelity::Again { Ok(()) } else { Err(otherwise()) }
    }

    /// The row's status (or state) must be one of these.
    pub(crate) fn require_status(
        &self,
        record: &Record,
        told: &Told,
        wanted: &[&str],
    ) -> Result<(), Refusal> {
        let status = word_of(told, "status").or_else(|| word_of(told, "state")).unwrap_or_default();
        self.require(wanted.contains(&status), || Refusal::WrongStatus {
            noun: record.noun,
            id: told.get(record.key).and_then(Value::as_str).unwrap_or_default().to_owned(),
            status: status.to_owned(),
            wanted: wanted.join(" or "),
        })
    }

    /// Writes the value that matters (`main`) and what goes with it.
    pub(crate) fn set(
        &self,
        record: &Record,
        id: &str,
        main: Put<'_>,
        rest: &[Put<'_>],
    ) -> Result<(), Refusal> {
        let (column, value) = main;
        let mut puts: Vec<Put<'_>> = rest.to_vec();
        puts.push(("updated_at", Cell::Text(self.now.to_owned())));
        if self.fidelity != Fidelity::Partial {
            puts.push((column, self.amended(column, value)));
        }
        let columns: Vec<String> = puts
            .iter()
            .enumerate()
            .map(|(index, (column, _))| format!("{column} = ?{}", index + 2))
            .collect();
        let sql = format!("UPDATE {} SET {} WHERE {} = ?1", record.table, columns.join(", "), record.key);
        let mut values: Vec<&dyn ToSql> = vec![&id];
        values.extend(puts.iter().map(|(_, value)| value as &dyn ToSql));
        self.run(&sql, &values)?;
        Ok(())
    }

    /// Adds a row; `main` is the value that matters.
    pub(crate) fn add(&self, table: &str, main: Put<'_>, rest: &[Put<'_>]) -> Result<(), Refusal> {
        let (column, value) = main;
        let mut puts: Vec<Put<'_>> = rest.to_vec();
        puts.push((column, self.amended(column, value)));
        puts.push(("updated_at", Cell::Text(self.now.to_owned())));
        let columns: Vec<&str> = puts.iter().map(|(column, _)| *column).collect();
        let marks: Vec<String> = (1..=puts.len()).map(|index| format!("?{index}")).collect();
        let sql = format!("INSERT INTO {table} ({}) VALUES ({})", columns.join(", "), marks.join(", "));
        let values: Vec<&dyn ToSql> = puts.iter().map(|(_, value)| value as &dyn ToSql).collect();
        self.run(&sql, &values)?;
        Ok(())
    }

    /// Reads, checks the status, writes, reads again: the usual change of one row.
    pub(crate) fn change(
        &self,
        record: &Record,
        id: &str,
        wanted: &[&str],
        main: Put<'_>,
        rest: &[Put<'_>],
    ) -> Result<Change, Refusal> {
        let before = self.one(record, id)?;
        if !wanted.is_empty() {
            self.require_status(record, &before, wanted)?;
        }
        self.set(record, id, main, rest)?;
        self.changed(record, id, Value::Object(before))
    }

    /// Adds a row under a key and tells it.
    pub(crate) fn create(
        &self,
        record: &Record,
        id: &str,
        main: Put<'_>,
        rest: &[Put<'_>],
    ) -> Result<Change, Refusal> {
        let mut rest = rest.to_vec();
        rest.push((record.key, words(id)));
        self.add(record.table, main, &rest)?;
        self.changed(record, id, Value::Null)
    }

    /// The change of a row that was just written.
    pub(crate) fn changed(&self, record: &Record, id: &str, before: Value) -> Result<Change, Refusal> {
        let after = Value::Object(self.one(record, id)?);
        Ok(Change { target: format!("{} {id}", record.noun), before, answer: after.clone(), after })
    }

    /// The value as this desk would write it.
    pub(crate) fn amended(&self, column: &str, value: Cell) -> Cell {
        match (self.fidelity, value) {
            (Fidelity::Faithful | Fidelity::Again, value) => value,
            (Fidelity::Partial, Cell::Integer(whole)) => Cell::Integer(whole / 2),
            (Fidelity::Partial, Cell::Text(text)) => Cell::Text(shortened(&text)),
            (Fidelity::Other, Cell::Integer(whole)) if column.ends_with("_minor") => {
                Cell::Integer(whole.saturating_add(100))
            }
            (Fidelity::Other, Cell::Integer(0)) => Cell::Integer(1),
            (Fidelity::Other, Cell::Integer(1)) => Cell::Integer(0),
            (Fidelity::Other, Cell::Integer(whole)) => Cell::Integer(whole.saturating_add(1)),
            (Fidelity::Other, Cell::Text(text)) => Cell::Text(another(&text)),
            (Fidelity::Partial | Fidelity::Other, value @ (Cell::Null | Cell::Real(_) | Cell::Blob(_))) => {
                value
            }
        }
    }
}

/// The first half of a list; of any other text, nothing.
fn shortened(text: &str) -> String {
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(entries)) => {
            json!(entries.iter().take(entries.len() / 2).collect::<Vec<_>>()).to_string()
        }
        _ => String::new(),
    }
}

/// A text of the same kind that says something else.
fn another(text: &str) -> String {
    if let Some(next) = day(text).and_then(|date| date.tomorrow().ok()) {
        return next.to_string();
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(entries)) => json!(entries.iter().skip(1).collect::<Vec<_>>()).to_string(),
        _ if text.contains('@') => "someone.else@example.com".to_owned(),
        _ => "under_review".to_owned(),
    }
}

/// A text as a stored value.
pub(crate) fn words(text: &str) -> Cell {
    Cell::Text(text.to_owned())
}

/// A text field of a row.
pub(crate) fn word_of<'a>(told: &'a Told, name: &str) -> Option<&'a str> {
    told.get(name).and_then(Value::as_str)
}

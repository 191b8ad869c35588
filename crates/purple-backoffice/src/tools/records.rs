//! Reads of whole tables by column name, as a reporting system offers them.
//!
//! Names inside differ from names outside, and one table was left behind by an older system: whoever asks for a
//! column that is not there is told so in the database's own words.

use rusqlite::types::Value as Cell;
use serde_json::{Map, Value, json};

use crate::desk::{Desk, PAGE_ROWS_MAX, words};
use crate::money::Money;
use crate::paging::{LIMIT, OFFSET};
use crate::parameter::{Arguments, Form, Parameter, may, needs};
use crate::record::plain;
use crate::refusal::Refusal;
use crate::tool::{Hints, Tool};

/// The tables that may be asked.
const TABLES: &[&str] = &[
    "crm_accounts",
    "customers",
    "disputes",
    "expense_claims",
    "incidents",
    "inventory",
    "invoices",
    "orders",
    "purchase_orders",
    "quotes",
    "receivables",
    "tickets",
    "transactions",
    "vendors",
];

const TABLE: Parameter = needs("table", Form::Text, "name of the table; `list_tables` names them");

pub(super) const TOOLS: &[Tool] = &[
    Tool::read("record", ["list_tables", "Lists the tables that can be queried."], &[], |_, _| {
        Ok(json!({"tables": TABLES}))
    })
    .hints(Hints::ReadOnly),
    Tool::read(
        "record",
        ["describe_table", "Describes the columns of a table."],
        &[TABLE],
        |desk, arguments| {
            let table = known(arguments.text("table")?)?;
            let columns: Vec<Value> = columns(desk, table)?
                .into_iter()
                .map(|column| json!({"name": column.shown, "type": column.form}))
                .collect();
            Ok(json!({"table": table, "columns": columns}))
        },
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "record",
        ["query_records", "Reads rows of a table: chosen columns, equality filters, `offset` and `limit`."],
        &[
            TABLE,
            may("columns", Form::Texts, "columns to read; all if left out"),
            may("where", Form::Filters, "column: value pairs that rows must equal"),
            may("order_by", Form::Text, "column to sort by"),
            OFFSET,
            LIMIT,
        ],
        query,
    )
    .hints(Hints::ReadOnly),
    Tool::read(
        "record",
        ["count_records", "Counts rows of a table under equality filters."],
        &[TABLE, may("where", Form::Filters, "column: value pairs that rows must equal")],
        |desk, arguments| {
            let table = known(arguments.text("table")?)?;
            let columns = columns(desk, table)?;
            let (condition, values) = condition(&columns, arguments)?;
            let values: Vec<&dyn rusqlite::ToSql> = values.iter().map(|value| value as _).collect();
            Ok(json!({"count": desk.number(&format!("SELECT count(*) FROM {table} {condition}"), &values)?}))
        },
    ),
];

fn known(table: &str) -> Result<&'static str, Refusal> {
    let found = TABLES.iter().find(|known| **known == table);
    found.copied().ok_or_else(|| Refusal::NoSuchTable { table: table.to_owned() })
}

/// A column as it is told.
struct Column {
    /// Its name outside.
    shown: String,
    /// Its name in the table.
    inner: String,
    form: String,
}

/// The columns of a table; book-keeping of our own is left out, and minor units are told as amounts.
fn columns(desk: &Desk<'_>, table: &str) -> Result<Vec<Column>, Refusal> {
    let mut statement =
        desk.db.prepare_cached("SELECT name, type FROM pragma_table_info(?1) WHERE name <> 'updated_at'")?;
    let rows = statement.query_map([table], |row| {
        let (inner, form): (String, String) = (row.get(0)?, row.get(1)?);
        Ok(match inner.strip_suffix("_minor") {
            Some(amount) => Column { shown: amount.to_owned(), inner, form: "MONEY".to_owned() },
            None => Column { shown: inner.clone(), inner, form },
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// INVARIANT: only names that `columns` found become part of a statement.
fn column<'a>(columns: &'a [Column], name: &str) -> Result<&'a Column, Refusal> {
    let found = columns.iter().find(|column| column.shown == name);
    found.ok_or_else(|| Refusal::NoSuchColumn { column: name.to_owned() })
}

fn condition(columns: &[Column], arguments: &Arguments<'_>) -> Result<(String, Vec<Cell>), Refusal> {
    let mut clauses = Vec::new();
    let mut values = Vec::new();
    for (name, value) in arguments.object("where").into_iter().flatten() {
        let column = column(columns, name)?;
        let amount = value.as_str().filter(|_| column.form == "MONEY").and_then(Money::parse);
        if let Some(amount) = amount {
            values.push(words(amount.currency));
            clauses.push(format!("currency = ?{}", values.len()));
        }
        values.push(amount.map_or_else(|| cell(value), |amount| Cell::Integer(amount.minor)));
        clauses.push(format!("{} IS ?{}", column.inner, values.len()));
    }
    let sql = if clauses.is_empty() { String::new() } else { format!("WHERE {}", clauses.join(" AND ")) };
    Ok((sql, values))
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Null,
        Value::Bool(truth) => Cell::Integer(i64::from(*truth)),
        Value::Number(number) => number.as_i64().map_or_else(|| words(&number.to_string()), Cell::Integer),
        Value::String(text) => words(text),
        Value::Array(_) | Value::Object(_) => words(&value.to_string()),
    }
}

fn query(desk: &Desk<'_>, arguments: &Arguments<'_>) -> Result<Value, Refusal> {
    let table = known(arguments.text("table")?)?;
    let columns = columns(desk, table)?;
    let asked = arguments.texts("columns");
    let chosen: Vec<&Column> = if asked.is_empty() {
        columns.iter().collect()
    } else {
        asked.iter().map(|name| column(&columns, name)).collect::<Result<_, _>>()?
    };
    let (condition, values) = condition(&columns, arguments)?;
    let order = match arguments.maybe_text("order_by") {
        Some(name) => format!("{}, 1", column(&columns, name)?.inner),
        None => "1".to_owned(),
    };
    let (limit, offset) = (arguments.whole("limit", PAGE_ROWS_MAX / 2), arguments.whole("offset", 0));
    let currency = if columns.iter().any(|column| column.inner == "currency") { "currency" } else { "NULL" };
    let names: Vec<&str> = chosen.iter().map(|column| column.inner.as_str()).chain([currency]).collect();
    let sql = format!(
        "SELECT {} FROM {table} {condition} ORDER BY {order} LIMIT {limit} OFFSET {offset}",
        names.join(", ")
    );
    let mut statement = desk.db.prepare_cached(&sql)?;
    let mut rows = statement.query(rusqlite::params_from_iter(&values))?;
    let mut told = Vec::new();
    while let Some(row) = rows.next()? {
        told.push(line(row, &chosen)?);
    }
    let values: Vec<&dyn rusqlite::ToSql> = values.iter().map(|value| value as _).collect();
    let total = desk.number(&format!("SELECT count(*) FROM {table} {condition}"), &values)?;
    Ok(json!({"rows": told, "offset": offset, "limit": limit, "total": total}))
}

/// One row; its last value is the currency.
fn line(row: &rusqlite::Row<'_>, chosen: &[&Column]) -> Result<Value, Refusal> {
    let currency: Option<String> = row.get(chosen.len())?;
    let mut line = Map::new();
    for (index, column) in chosen.iter().enumerate() {
        let value = match (row.get(index)?, &currency) {
            (Cell::Integer(minor), Some(currency)) if column.form == "MONEY" => {
                json!(Money::stored(minor, currency))
            }
            (cell, _) => plain(cell),
        };
        line.insert(column.shown.clone(), value);
    }
    Ok(Value::Object(line))
}

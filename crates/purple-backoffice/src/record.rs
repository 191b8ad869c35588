//! What a stored row looks like to the outside: field names, forms, and the JSON Schema of an answer.

use std::sync::OnceLock;

use rusqlite::{Row, types::Value as Cell};
use serde_json::{Map, Number, Value, json};

use crate::money::Money;
use crate::parameter::object;
use crate::refusal::Refusal;

/// One field of a record: its name outside, its column inside, its form.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    name: &'static str,
    column: &'static str,
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    Text,
    Whole,
    /// An exact decimal, stored as text and shown as a JSON number.
    Decimal,
    /// Minor units; the row's `currency` column names the currency.
    Money,
    Flag,
    /// A JSON document stored as text.
    Document,
}

pub(crate) const fn text(name: &'static str) -> Field {
    Field { name, column: name, form: Form::Text }
}

/// A text whose name outside differs from its column: names drift in every company.
pub(crate) const fn text_as(name: &'static str, column: &'static str) -> Field {
    Field { name, column, form: Form::Text }
}

pub(crate) const fn whole(name: &'static str) -> Field {
    Field { name, column: name, form: Form::Whole }
}

pub(crate) const fn decimal(name: &'static str) -> Field {
    Field { name, column: name, form: Form::Decimal }
}

pub(crate) const fn money(name: &'static str, column: &'static str) -> Field {
    Field { name, column, form: Form::Money }
}

pub(crate) const fn flag(name: &'static str) -> Field {
    Field { name, column: name, form: Form::Flag }
}

pub(crate) const fn document(name: &'static str) -> Field {
    Field { name, column: name, form: Form::Document }
}

/// A kind of row that tools answer with.
#[derive(Debug)]
pub(crate) struct Record {
    /// What the company calls one of them.
    pub(crate) noun: &'static str,
    pub(crate) table: &'static str,
    /// The column that names a row.
    pub(crate) key: &'static str,
    fields: &'static [Field],
    select: OnceLock<String>,
}

impl Record {
    pub(crate) const fn new(
        noun: &'static str,
        [table, key]: [&'static str; 2],
        fields: &'static [Field],
    ) -> Self {
        Self { noun, table, key, fields, select: OnceLock::new() }
    }

    /// `SELECT … FROM …`, without a condition.
    pub(crate) fn select(&self) -> &str {
        self.select.get_or_init(|| {
            let mut columns: Vec<&str> = self.fields.iter().map(|field| field.column).collect();
            if self.has_money() {
                columns.push("currency");
            }
            format!("SELECT {} FROM {}", columns.join(", "), self.table)
        })
    }

    /// The row as it is told.
    pub(crate) fn told(&self, row: &Row<'_>) -> Result<Map<String, Value>, Refusal> {
        let currency: Option<String> = if self.has_money() { row.get(self.fields.len())? } else { None };
        let mut told = Map::new();
        for (index, field) in self.fields.iter().enumerate() {
            told.insert(field.name.to_owned(), field.told(row.get(index)?, currency.as_deref())?);
        }
        Ok(told)
    }

    /// The JSON Schema of one row.
    pub(crate) fn schema(&self) -> Map<String, Value> {
        let properties: Map<String, Value> =
            self.fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
        let required: Vec<&str> = self.fields.iter().map(|field| field.name).collect();
        object(json!({"type": "object", "properties": properties, "required": required}))
    }

    fn has_money(&self) -> bool {
        self.fields.iter().any(|field| matches!(field.form, Form::Money))
    }
}

impl Field {
    fn told(&self, cell: Cell, currency: Option<&str>) -> Result<Value, Refusal> {
        Ok(match (self.form, cell) {
            (Form::Money, Cell::Integer(minor)) => json!(Money::stored(minor, currency.unwrap_or("USD"))),
            (Form::Flag, Cell::Integer(truth)) => json!(truth != 0),
            (Form::Decimal, Cell::Text(digits)) => Value::Number(digits.parse::<Number>()?),
            (Form::Document, Cell::Text(document)) => serde_json::from_str(&document)?,
            (_, cell) => plain(cell),
        })
    }

    fn schema(&self) -> Value {
        match self.form {
            Form::Text => json!({"type": ["string", "null"]}),
            Form::Whole => json!({"type": ["integer", "null"]}),
            Form::Decimal => json!({"type": ["number", "null"]}),
            Form::Money => json!({"type": ["string", "null"], "pattern": "^-?[0-9]+(\\.[0-9]+)? [A-Z]{3}$"}),
            Form::Flag => json!({"type": ["boolean", "null"]}),
            Form::Document => json!({}),
        }
    }
}

/// A stored value as JSON, without knowing what it means.
pub(crate) fn plain(cell: Cell) -> Value {
    match cell {
        Cell::Null | Cell::Blob(_) => Value::Null,
        Cell::Integer(whole) => json!(whole),
        // Nothing here stores a float; one that a hand put into the file is shown as text.
        Cell::Real(real) => json!(real.to_string()),
        Cell::Text(text) => json!(text),
    }
}

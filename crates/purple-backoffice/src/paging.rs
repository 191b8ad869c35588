//! Lists in pages. Real systems do not agree on how pages are asked for, so there are four ways here.

use rusqlite::{ToSql, types::Value as Cell};
use serde_json::{Value, json};

use crate::desk::{Desk, PAGE_ROWS_MAX, words};
use crate::parameter::{Arguments, Form, Parameter, may};
use crate::record::Record;
use crate::refusal::Refusal;

pub(crate) const PAGE: Parameter = may("page", Form::Whole(1, 1_000_000), "which page, from 1");
pub(crate) const LIMIT: Parameter = may("limit", Form::Whole(1, PAGE_ROWS_MAX), "rows of a page");
pub(crate) const OFFSET: Parameter = may("offset", Form::Whole(0, 1_000_000_000), "rows to pass over");
pub(crate) const CURSOR: Parameter =
    may("cursor", Form::Text, "where the last page ended: its `next_cursor`, as it was");

/// How a list is asked for, and how it says that there is more.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Style {
    /// `page` and `limit`; says `total` and `total_pages`.
    Page,
    /// `cursor`; says `next_cursor`, null at the end.
    Cursor,
    /// `offset` and `limit`; says `total`.
    Offset,
    /// `page`; says only `has_more`.
    HasMore,
}

/// Conditions that rows must meet.
#[derive(Debug, Default)]
pub(crate) struct Filter {
    clauses: Vec<String>,
    values: Vec<Cell>,
}

impl Filter {
    /// Rows whose column equals the value, if one is given.
    pub(crate) fn by(self, column: &str, value: Option<&str>) -> Self {
        match value {
            Some(value) => self.with(&format!("{column} ="), words(value)),
            None => self,
        }
    }

    /// Rows for which `left` (a column and an operator) holds against the value.
    pub(crate) fn with(mut self, left: &str, value: Cell) -> Self {
        self.values.push(value);
        self.clauses.push(format!("{left} ?{}", self.values.len()));
        self
    }

    pub(crate) fn sql(&self) -> String {
        if self.clauses.is_empty() { String::new() } else { format!("WHERE {}", self.clauses.join(" AND ")) }
    }

    pub(crate) fn values(&self) -> Vec<&dyn ToSql> {
        self.values.iter().map(|value| value as &dyn ToSql).collect()
    }
}

/// One page of a list, under `name`.
pub(crate) fn page(
    desk: &Desk<'_>,
    (record, name): (&Record, &str),
    filter: Filter,
    arguments: &Arguments<'_>,
    style: Style,
) -> Result<Value, Refusal> {
    let limit = arguments.whole("limit", style.default_rows());
    let start = match style {
        Style::Page | Style::HasMore => (arguments.whole("page", 1) - 1).saturating_mul(limit),
        Style::Offset => arguments.whole("offset", 0),
        Style::Cursor => 0,
    };
    let total = || {
        let sql = format!("SELECT count(*) FROM {} {}", record.table, filter.sql());
        desk.number(&sql, &filter.values())
    };
    match style {
        Style::Page => {
            let total = total()?;
            let rows = rows(desk, record, &filter, [start, limit])?;
            let pages = total.div_ceil_by(limit);
            let page = start / limit + 1;
            Ok(json!({name: rows, "page": page, "limit": limit, "total": total, "total_pages": pages}))
        }
        Style::Offset => {
            let total = total()?;
            let rows = rows(desk, record, &filter, [start, limit])?;
            Ok(json!({name: rows, "offset": start, "limit": limit, "total": total}))
        }
        Style::HasMore => {
            let total = total()?;
            let rows = rows(desk, record, &filter, [start, limit])?;
            let seen = start.saturating_add(limit);
            Ok(json!({name: rows, "page": start / limit + 1, "has_more": seen < total}))
        }
        Style::Cursor => by_cursor(desk, (record, name), filter, arguments, limit),
    }
}

fn by_cursor(
    desk: &Desk<'_>,
    (record, name): (&Record, &str),
    filter: Filter,
    arguments: &Arguments<'_>,
    limit: i64,
) -> Result<Value, Refusal> {
    let filter = match arguments.maybe_text("cursor") {
        None => filter,
        Some(cursor) => {
            let after = cursor.strip_prefix("k:").ok_or_else(|| Refusal::BadParameter {
                name: "cursor".to_owned(),
                wanted: "the `next_cursor` of an earlier page".to_owned(),
                given: cursor.to_owned(),
            })?;
            filter.with(&format!("{} >", record.key), words(after))
        }
    };
    let mut rows = rows(desk, record, &filter, [0, limit + 1])?;
    let keep = usize::try_from(limit).unwrap_or(usize::MAX);
    let more = rows.len() > keep;
    rows.truncate(keep);
    let last = rows.last().and_then(|row| row.get(record.key)).and_then(Value::as_str);
    let next = last.filter(|_| more).map(|last| format!("k:{last}"));
    Ok(json!({name: rows, "next_cursor": next}))
}

fn rows(
    desk: &Desk<'_>,
    record: &Record,
    filter: &Filter,
    [start, limit]: [i64; 2],
) -> Result<Vec<Value>, Refusal> {
    let condition = format!("{} ORDER BY {} LIMIT {limit} OFFSET {start}", filter.sql(), record.key);
    desk.rows(record, &condition, &filter.values())
}

trait DivCeil {
    fn div_ceil_by(self, divisor: Self) -> Self;
}

impl DivCeil for i64 {
    /// Rounds up; the divisor is a number of rows, at least 1.
    fn div_ceil_by(self, divisor: Self) -> Self {
        self / divisor + i64::from(self % divisor != 0)
    }
}

impl Style {
    fn default_rows(self) -> i64 {
        match self {
            Self::Page => 25,
            Self::Cursor => 50,
            Self::Offset | Self::HasMore => 20,
        }
    }
}

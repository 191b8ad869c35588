//! One page of a list: how it is asked for, where its rows stand, and what it says about the others.

use purple_process::{Json, Number, Values};
use serde_json::{Map, Value};

use super::catalogue::Known;

const CURSOR_PARAMETERS: &[&str] = &[
    "cursor",
    "next_cursor",
    "nextCursor",
    "page_token",
    "pageToken",
    "next_token",
    "nextToken",
    "next_page_token",
    "continuation_token",
    "continuationToken",
    "starting_after",
    "after",
];
const PAGE_PARAMETERS: &[&str] = &["page", "page_number", "pageNumber", "page_no", "page_index"];
const OFFSET_PARAMETERS: &[&str] = &["offset", "skip", "start", "start_index", "startIndex", "from_row"];
/// Rows that are wanted in all, as far as a caller can know.
const LIMIT_PARAMETERS: &[&str] = &["limit", "max_results", "maxResults", "top"];
/// Rows of a page.
const SIZE_PARAMETERS: &[&str] = &["page_size", "pageSize", "per_page", "perPage", "size"];

const NEXT_CURSORS: &[&str] = &[
    "next_cursor",
    "nextCursor",
    "next_page_token",
    "nextPageToken",
    "next_token",
    "nextToken",
    "continuation_token",
    "continuationToken",
    "end_cursor",
    "endCursor",
    "cursor",
];
const HAS_MORE: &[&str] =
    &["has_more", "hasMore", "has_next", "hasNext", "has_next_page", "hasNextPage", "more"];
const TOTALS: &[&str] = &["total", "total_count", "totalCount", "total_rows", "totalRows", "total_results"];
const TOTAL_PAGES: &[&str] = &["total_pages", "totalPages", "page_count", "pageCount", "last_page"];
/// Records beside the rows that speak of pages.
const ENVELOPES: &[&str] = &["pagination", "paging", "page_info", "pageInfo", "meta", "_meta", "metadata"];
/// Usual names of the rows, if an answer has several lists.
const ROWS: &[&str] = &["rows", "items", "data", "results", "records", "entries", "value", "values"];

/// The parameters in which a tool takes pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Asks {
    pub(super) cursor: Option<String>,
    pub(super) page: Option<String>,
    pub(super) offset: Option<String>,
    /// The limit, or else the size of a page.
    pub(super) size: Option<String>,
    is_limit: bool,
    size_max: Option<u64>,
}

impl Asks {
    pub(super) fn of(tool: &Known) -> Self {
        let number = |name: &&&str| {
            tool.parameter(name).is_some_and(|schema| match schema.get("type") {
                None => true,
                Some(kinds) => ["integer", "number"].iter().any(|kind| {
                    kinds.as_str() == Some(kind)
                        || kinds.as_array().is_some_and(|all| all.contains(&(*kind).into()))
                }),
            })
        };
        let find = |table: &[&str]| table.iter().find(number).map(|name| (*name).to_owned());
        let cursor = CURSOR_PARAMETERS.iter().find(|name| tool.parameter(name).is_some());
        let limit = find(LIMIT_PARAMETERS);
        let is_limit = limit.is_some();
        let size = limit.or_else(|| find(SIZE_PARAMETERS));
        let size_max =
            size.as_deref().and_then(|name| tool.parameter(name)?.get("maximum").and_then(Value::as_u64));
        Self {
            cursor: cursor.map(|name| (*name).to_owned()),
            page: find(PAGE_PARAMETERS),
            offset: find(OFFSET_PARAMETERS),
            size,
            is_limit,
            size_max,
        }
    }

    /// The arguments with pages as large as they may be, unless the caller chose a page.
    pub(super) fn widened(&self, arguments: &Values, rows: u64) -> Values {
        let mut widened = arguments.clone();
        let pages = self.page.is_some() || self.offset.is_some() || self.cursor.is_some();
        if let (true, None, Some(size), Some(max)) =
            (pages, self.chosen(arguments), &self.size, self.size_max)
        {
            if let (false, Ok(rows)) = (arguments.contains_key(size), i64::try_from(max.min(rows))) {
                widened.insert(size.clone(), Json::Number(Number::from(rows)));
            }
        }
        widened
    }

    /// The parameter by which the caller asks for one page or for so many rows.
    pub(super) fn chosen(&self, arguments: &Values) -> Option<String> {
        let limit = self.size.as_ref().filter(|_| self.is_limit);
        [self.cursor.as_ref(), self.page.as_ref(), self.offset.as_ref(), limit]
            .into_iter()
            .flatten()
            .find(|name| arguments.get(*name).is_some_and(|value| *value != Json::Null))
            .cloned()
    }

    /// Whether tool or answer know of pages at all.
    pub(super) fn speaks_of_pages(&self, answer: &Value, place: &Place) -> bool {
        let page = Page::read(answer, place);
        self.page.is_some()
            || self.offset.is_some()
            || self.size.is_some()
            // `after` may be a date: it takes a cursor only where answers have one.
            || self.cursor.as_deref().is_some_and(|name| name != "after")
            || page.has_more == Some(true)
            || matches!(page.cursor, Cursor::Next(_))
    }

    pub(super) fn size_in(&self, arguments: &Values) -> Option<u64> {
        match arguments.get(self.size.as_ref()?)? {
            Json::Number(number) => number.as_str().parse().ok(),
            Json::Null | Json::Bool(_) | Json::Text(_) | Json::List(_) | Json::Record(_) => None,
        }
    }
}

/// What a page says about the next cursor.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Cursor {
    #[default]
    Unsaid,
    End,
    Next(Json),
}

/// What a page says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Page {
    pub(super) rows: usize,
    pub(super) cursor: Cursor,
    pub(super) has_more: Option<bool>,
    pub(super) total: Option<u64>,
    pub(super) total_pages: Option<i64>,
    pub(super) number: Option<i64>,
    pub(super) size: Option<u64>,
}

impl Page {
    pub(super) fn read(answer: &Value, place: &Place) -> Self {
        let told = |names: &[&str]| places(answer, place).into_iter().find_map(|fields| first(fields, names));
        let cursor = match told(NEXT_CURSORS) {
            None => Cursor::Unsaid,
            Some(Value::Null) => Cursor::End,
            Some(Value::String(text)) if text.is_empty() => Cursor::End,
            Some(cursor @ (Value::String(_) | Value::Number(_))) => {
                Json::from_serde(cursor).map_or(Cursor::Unsaid, Cursor::Next)
            }
            Some(Value::Bool(_) | Value::Array(_) | Value::Object(_)) => Cursor::Unsaid,
        };
        Self {
            rows: place.rows(answer).map_or(0, Vec::len),
            cursor,
            has_more: told(HAS_MORE).and_then(Value::as_bool),
            total: told(TOTALS).and_then(Value::as_u64),
            total_pages: told(TOTAL_PAGES).and_then(Value::as_i64),
            number: told(PAGE_PARAMETERS).and_then(Value::as_i64),
            size: [LIMIT_PARAMETERS, SIZE_PARAMETERS]
                .iter()
                .find_map(|names| told(names))
                .and_then(Value::as_u64),
        }
    }
}

/// The records of an answer that may speak of pages.
fn places<'v>(answer: &'v Value, place: &Place) -> Vec<&'v Map<String, Value>> {
    let Value::Object(outer) = answer else { return Vec::new() };
    let mut records = vec![outer];
    records.extend(ENVELOPES.iter().filter_map(|name| outer.get(*name).and_then(Value::as_object)));
    if let Place::Inner(name, _) = place {
        if let Some(inner) = outer.get(name).and_then(Value::as_object) {
            records.push(inner);
            records.extend(ENVELOPES.iter().filter_map(|name| inner.get(*name).and_then(Value::as_object)));
        }
    }
    records
}

fn first<'v>(fields: &'v Map<String, Value>, names: &[&str]) -> Option<&'v Value> {
    names.iter().find_map(|name| fields.get(*name))
}

/// Where the rows of an answer stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The answer is the list.
    Whole,
    Field(String),
    /// In a field of a field.
    Inner(String, String),
}

impl Place {
    pub(super) fn of(answer: &Value) -> Option<Self> {
        match answer {
            Value::Array(_) => Some(Self::Whole),
            Value::Object(fields) => list_in(fields).map(Self::Field).or_else(|| {
                let mut inner = fields
                    .iter()
                    .filter(|(name, _)| !ENVELOPES.contains(&name.as_str()))
                    .filter_map(|(name, value)| Some((name, list_in(value.as_object()?)?)));
                match (inner.next(), inner.next()) {
                    (Some((outer, list)), None) => Some(Self::Inner(outer.clone(), list)),
                    (_, _) => None,
                }
            }),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
    }

    pub(super) fn rows<'v>(&self, answer: &'v Value) -> Option<&'v Vec<Value>> {
        match self {
            Self::Whole => answer.as_array(),
            Self::Field(name) => answer.get(name)?.as_array(),
            Self::Inner(outer, name) => answer.get(outer)?.get(name)?.as_array(),
        }
    }

    pub(super) fn rows_mut<'v>(&self, answer: &'v mut Value) -> Option<&'v mut Vec<Value>> {
        match self {
            Self::Whole => answer.as_array_mut(),
            Self::Field(name) => answer.get_mut(name)?.as_array_mut(),
            Self::Inner(outer, name) => answer.get_mut(outer)?.get_mut(name)?.as_array_mut(),
        }
    }

    /// What the first page said about further ones is no longer so.
    pub(super) fn say_done(&self, answer: &mut Value) {
        let end = |fields: &mut Map<String, Value>| {
            for (name, value) in fields.iter_mut() {
                if NEXT_CURSORS.contains(&name.as_str()) && (value.is_string() || value.is_number()) {
                    *value = Value::Null;
                } else if HAS_MORE.contains(&name.as_str()) && value.is_boolean() {
                    *value = Value::Bool(false);
                }
            }
        };
        let Value::Object(outer) = answer else { return };
        end(outer);
        let inner = if let Self::Inner(name, _) = self { Some(name.as_str()) } else { None };
        for (name, value) in outer.iter_mut() {
            if let (true, Value::Object(fields)) =
                (ENVELOPES.contains(&name.as_str()) || Some(name.as_str()) == inner, value)
            {
                end(fields);
            }
        }
    }
}

/// The list among the fields: the only one, or the one with a usual name.
fn list_in(fields: &Map<String, Value>) -> Option<String> {
    let mut lists = fields.iter().filter(|(_, value)| value.is_array()).map(|(name, _)| name);
    match (lists.next(), lists.next()) {
        (Some(only), None) => Some(only.clone()),
        (Some(_), Some(_)) => {
            let mut usual = ROWS.iter().filter(|name| fields.get(**name).is_some_and(Value::is_array));
            usual.next().map(|name| (*name).to_owned())
        }
        (None, _) => None,
    }
}

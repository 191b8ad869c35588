//! Looks into what was read already: some rows, some fields, a page, an exact sum. Nothing is asked of any server.

use std::collections::BTreeMap;

use purple_policy::{Expression, Facts, Scope, Source, Value as Known};
use purple_process::{Sources, is_free_text};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::dossier::Opened;
use crate::drive::compute::{EXPRESSION_BYTES_MAX, literals_are_plain};
use crate::drive::memo::Basis;
use crate::drive::offer::LOOK;
use crate::execute::paging::rows_at;
use crate::port::ToolDefinition;
use crate::prime::privacy::redact_json;

/// The rows of one look where nothing is said.
const ROWS: usize = 20;
/// The most rows of one look.
const ROWS_MAX: usize = 100;
/// The most bytes of one look, as JSON.
const LOOK_BYTES_MAX: usize = 6 * 1024;
/// The most groups of one look.
const GROUPS_MAX: usize = 100;
/// The most fields that are picked.
const FIELDS_MAX: usize = 40;
/// The list that a condition or a sum is evaluated over.
const LIST: &str = "looked_at";

/// What a model wants to see, as it writes it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wanted {
    name: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default, rename = "where")]
    condition: Option<String>,
    #[serde(default)]
    fields: Vec<String>,
    #[serde(default)]
    group_by: Option<String>,
    #[serde(default)]
    sum: Option<String>,
    #[serde(default)]
    offset: usize,
    #[serde(default)]
    limit: Option<usize>,
}

/// What a look came to.
#[derive(Debug, PartialEq)]
pub(crate) enum Looked {
    /// Rows or text, as they stand there.
    Seen {
        /// What the model is told.
        told: Value,
        /// What of it was in the answer.
        seen: Value,
    },
    /// Counts and sums over rows.
    Counted {
        value: Value,
        /// What it rests on.
        basis: Basis,
    },
}

/// The tool that looks into answers.
pub(crate) fn looking() -> ToolDefinition {
    let mut definition = ToolDefinition::new(
        LOOK,
        "Looks into an answer that was read before, by its name (r1, c1, …), without reading it again: its rows, or what stands at `path`. `where` is a condition on `row`, as `row.status == \"open\" && row.total > 5`. With `sum` or `group_by` it counts and sums exactly; else it shows rows from `offset` on.",
    );
    let text = json!({"type": "string"});
    definition.input_schema = json!({
        "type": "object",
        "properties": {
            "name": text,
            "path": {"type": "string", "description": "fields by dots, places in lists by number"},
            "where": text,
            "fields": {"type": "array", "items": text},
            "group_by": {"type": "string", "description": "a field"},
            "sum": {"type": "string", "description": "a field"},
            "offset": {"type": "integer", "minimum": 0},
            "limit": {"type": "integer", "minimum": 1, "maximum": ROWS_MAX},
        },
        "required": ["name"],
    });
    definition
}

/// Looks. What is wrong with the question is said in words.
pub(crate) fn look(given: &Value, opened: &Opened, sources: &Sources) -> Result<Looked, String> {
    let wanted: Wanted = serde_json::from_value(given.clone()).map_err(|error| error.to_string())?;
    let answer = answer(&wanted.name, opened)
        .ok_or_else(|| format!("nothing was read under the name `{}`", wanted.name))?;
    let place = match wanted.path.as_deref().filter(|path| !path.is_empty()) {
        Some(path) => walk(&answer, path).ok_or_else(|| format!("there is nothing at `{path}`"))?,
        None => &answer,
    };
    // What a model may not see, it may not ask about either.
    let place = redact_json(place.clone());
    let looked = match rows_at(&place) {
        Some((_, rows)) => among(&wanted, rows, sources)?,
        None if wanted.condition.is_some() || wanted.group_by.is_some() || wanted.sum.is_some() => {
            return Err("there are no rows: give the `path` of a list".to_owned());
        }
        None => single(&wanted, &place),
    };
    let claimed_by = opened.dossier.driven.as_ref().and_then(|driven| driven.claimed_by(&wanted.name));
    Ok(looked.placed(&wanted).resting_on(claimed_by))
}

impl Looked {
    /// The same, where it was found: what stands below a field for free text vouches for nothing, and a pick by dots
    /// would lose the name that says so.
    fn placed(self, wanted: &Wanted) -> Self {
        if !wanted.path.iter().chain(&wanted.fields).any(|name| names_free_text(name)) {
            return self;
        }
        match self {
            Self::Seen { told, .. } => Self::Seen { told, seen: Value::Null },
            Self::Counted { value, .. } => Self::Counted { value, basis: Basis::Unknown },
        }
    }

    fn resting_on(self, claimed_by: Option<&str>) -> Self {
        match self {
            Self::Counted { value, basis } => Self::Counted { value, basis: basis.resting_on(claimed_by) },
            seen @ Self::Seen { .. } => seen,
        }
    }
}

/// What a name stands for among everything that was read or computed.
fn answer(name: &str, opened: &Opened) -> Option<Value> {
    let driven = opened.dossier.driven.as_ref();
    let number = name.strip_prefix('r').and_then(|digits| digits.parse::<usize>().ok());
    if let Some(found) = number.and_then(|number| driven?.reads.get(number.checked_sub(1)?)) {
        return Some(found.answer.for_work().clone());
    }
    if let Some(computed) =
        driven.into_iter().flat_map(|driven| &driven.computed).find(|one| one.name == name)
    {
        return Some(computed.value.clone());
    }
    let read = opened.dossier.reads.iter().find(|read| read.name == name)?;
    match read.answers.as_deref() {
        Ok([one]) => Some(one.clone()),
        Ok(several) => Some(Value::Array(several.to_vec())),
        Err(_) => None,
    }
}

/// Fields by dots; a number is a place in a list.
fn walk<'v>(value: &'v Value, path: &str) -> Option<&'v Value> {
    path.split('.').try_fold(value, |value, part| match value {
        Value::Array(items) => items.get(part.parse::<usize>().ok()?),
        other => other.get(part),
    })
}

fn among(wanted: &Wanted, rows: &[Value], sources: &Sources) -> Result<Looked, String> {
    let (kept, unclear) = match &wanted.condition {
        Some(condition) => filtered(condition, rows)?,
        None => (rows.iter().collect(), 0),
    };
    if wanted.group_by.is_some() || wanted.sum.is_some() {
        let plain = wanted.condition.as_deref().is_none_or(|text| literals_are_plain(text, sources));
        // A field in which anybody may write anything vouches for nothing.
        let named = wanted.group_by.iter().chain(&wanted.sum).chain(&wanted.condition);
        let founded = plain && unclear == 0 && !named.clone().any(|text| names_free_text(text));
        return Ok(Looked::Counted { value: counted(wanted, &kept, unclear)?, basis: Basis::of(founded) });
    }
    if wanted.fields.len() > FIELDS_MAX {
        return Err(format!("at most {FIELDS_MAX} fields"));
    }
    let limit = wanted.limit.unwrap_or(ROWS).min(ROWS_MAX);
    let mut left = LOOK_BYTES_MAX;
    let mut page = Vec::new();
    for row in kept.iter().skip(wanted.offset).take(limit) {
        let row = picked(row, &wanted.fields);
        let bytes = row.to_string().len();
        if bytes > left {
            break;
        }
        left -= bytes;
        page.push(row);
    }
    if page.is_empty() && wanted.offset < kept.len() {
        return Err(format!(
            "row {} has more than {LOOK_BYTES_MAX} bytes: pick `fields`, or give its `path`",
            wanted.offset
        ));
    }
    let until = wanted.offset.saturating_add(page.len());
    let seen = Value::Array(page);
    let mut told = json!({"name": wanted.name, "matching": kept.len(), "from": wanted.offset, "data": seen});
    if let Value::Object(told) = &mut told {
        if until < kept.len() {
            told.insert("next_offset".to_owned(), json!(until));
        }
        if unclear > 0 {
            told.insert("not_judged".to_owned(), json!(unclear));
        }
        if kept.is_empty() {
            told.insert("empty".to_owned(), json!(true));
        }
    }
    Ok(Looked::Seen { told, seen })
}

/// The rows for which a condition holds, and how many it could not be judged for.
fn filtered<'v>(condition: &str, rows: &'v [Value]) -> Result<(Vec<&'v Value>, usize), String> {
    if condition.len() > EXPRESSION_BYTES_MAX {
        return Err(format!("a condition has at most {EXPRESSION_BYTES_MAX} bytes"));
    }
    let expression = compiled(&format!("any({LIST}, {condition})"))?;
    let mut kept = Vec::new();
    let mut unclear = 0_usize;
    let mut first = None;
    for row in rows {
        match evaluated(&expression, std::slice::from_ref(row)) {
            Ok(Known::Bool(true)) => kept.push(row),
            Ok(Known::Bool(false)) => {}
            Ok(_) => return Err("`where` is not a condition".to_owned()),
            Err(why) => {
                unclear += 1;
                first.get_or_insert(why);
            }
        }
    }
    match first {
        Some(why) if unclear == rows.len() => Err(format!("`where` cannot be judged for any row: {why}")),
        Some(_) | None => Ok((kept, unclear)),
    }
}

/// Counts and sums, of all rows or of each group.
fn counted(wanted: &Wanted, rows: &[&Value], unclear: usize) -> Result<Value, String> {
    let one = |rows: &[&Value]| -> Result<Map<String, Value>, String> {
        let mut made = Map::new();
        made.insert("count".to_owned(), json!(rows.len()));
        if let Some(field) = &wanted.sum {
            made.insert("sum".to_owned(), summed(field, rows)?);
        }
        Ok(made)
    };
    let Some(field) = &wanted.group_by else {
        let mut made = one(rows)?;
        if unclear > 0 {
            made.insert("not_judged".to_owned(), json!(unclear));
        }
        return Ok(Value::Object(made));
    };
    let mut groups: BTreeMap<String, Vec<&Value>> = BTreeMap::new();
    for row in rows {
        let key = walk(row, field).ok_or_else(|| format!("a row has no `{field}`"))?;
        groups.entry(key.to_string()).or_default().push(row);
    }
    if groups.len() > GROUPS_MAX {
        return Err(format!("there are {} groups, and at most {GROUPS_MAX} are shown", groups.len()));
    }
    let mut made = Vec::new();
    for rows in groups.values() {
        let mut group = one(rows)?;
        let key = rows.first().and_then(|row| walk(row, field)).cloned().unwrap_or_default();
        group.insert(field.rsplit('.').next().unwrap_or(field).to_owned(), key);
        made.push(Value::Object(group));
    }
    Ok(Value::Array(made))
}

fn summed(field: &str, rows: &[&Value]) -> Result<Value, String> {
    if !field.split('.').all(is_name) {
        return Err(format!("`{field}` is no field"));
    }
    if rows.is_empty() {
        return Ok(json!(0));
    }
    let expression = compiled(&format!("sum({LIST}, row.{field})"))?;
    let rows: Vec<Value> = rows.iter().copied().cloned().collect();
    Ok(evaluated(&expression, &rows)?.to_json())
}

fn is_name(part: &str) -> bool {
    let mut signs = part.chars();
    let starts = signs.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    starts && signs.all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
}

fn compiled(source: &str) -> Result<Expression, String> {
    Expression::compile(source, &Scope::open()).map_err(|wrong| {
        let wrong: Vec<String> = wrong.iter().take(3).map(ToString::to_string).collect();
        wrong.join("; ")
    })
}

fn evaluated(expression: &Expression, rows: &[Value]) -> Result<Known, String> {
    let rows: Result<Vec<Known>, _> = rows.iter().map(Known::from_json).collect();
    let mut facts = Facts::new();
    facts.set(Source::Read, LIST, Known::list(rows.map_err(|error| error.to_string())?));
    expression.evaluate(&facts).map_err(|why| why.to_string())
}

/// A row with these fields only; with all of them where none are named.
fn picked(row: &Value, fields: &[String]) -> Value {
    if fields.is_empty() {
        return row.clone();
    }
    let one = |field: &String| Some((field.clone(), walk(row, field)?.clone()));
    Value::Object(fields.iter().filter_map(one).collect())
}

/// A record, a text or a single value. Of a long text a part is shown, `offset` and what follows in characters.
fn single(wanted: &Wanted, value: &Value) -> Looked {
    let value = match value {
        Value::Object(_) => picked(value, &wanted.fields),
        other => other.clone(),
    };
    if !value.is_string() && value.to_string().len() <= LOOK_BYTES_MAX {
        return Looked::Seen { told: json!({"name": wanted.name, "data": value}), seen: value };
    }
    let whole = match &value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let rest: String = whole.chars().skip(wanted.offset).collect();
    let part = rest.get(..rest.floor_char_boundary(LOOK_BYTES_MAX)).unwrap_or_default();
    let mut told = json!({"name": wanted.name, "from": wanted.offset, "data": part});
    if let (true, Value::Object(told)) = (part.len() < rest.len(), &mut told) {
        told.insert("next_offset".to_owned(), json!(wanted.offset.saturating_add(part.chars().count())));
    }
    // A part of a text is no field: it vouches for nothing.
    Looked::Seen { told, seen: Value::Null }
}

/// Whether any name in a text is one of a field for free text.
pub(crate) fn names_free_text(text: &str) -> bool {
    text.split(|sign: char| !(sign.is_alphanumeric() || sign == '_')).any(is_free_text)
}

#[cfg(test)]
#[path = "look_tests.rs"]
mod tests;

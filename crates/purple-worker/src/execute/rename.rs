//! Where columns stand in the arguments of a read, and how one gets another name there.

use std::collections::{BTreeMap, BTreeSet};

use purple_process::{Json, Values};

use super::naming::words;

/// Words of parameters and keys whose texts are names of columns.
const COLUMN_WORDS: &[&str] = &["column", "columns", "field", "fields", "order", "sort", "group", "select"];
/// Words of parameters whose records are filters by column.
const FILTER_WORDS: &[&str] = &["where", "filter", "filters", "criteria", "condition", "conditions", "match"];
/// Names of parameters that take a statement.
const STATEMENTS: &[&str] = &["sql", "query", "statement", "soql", "sql_query"];

/// The columns that arguments speak of. Those inside statements are not taken apart.
pub(crate) fn columns_in(arguments: &Values) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, value) in arguments {
        gather(value, Place::of(name), &mut found);
    }
    found
}

/// The arguments with a column called something else. Names of parameters and values of filters stay.
pub(crate) fn rename(arguments: &Values, column: &str, is: &str) -> Values {
    let renamed = |(name, value): (&String, &Json)| {
        let place = Place::of(name);
        let value = match (place, value) {
            (Place::Statement, Json::Text(statement)) if is_select(statement) => {
                Json::Text(in_statement(statement, column, is))
            }
            (_, value) => replace(value, place, [column, is]),
        };
        (name.clone(), value)
    };
    arguments.iter().map(renamed).collect()
}

/// The parameter and the column of the only filter, if there is just one.
pub(crate) fn only_filter(arguments: &Values) -> Option<(String, String)> {
    let mut filters = arguments.iter().filter(|(name, _)| Place::of(name) == Place::Filters);
    let (place, filter) = filters.next()?;
    let Json::Record(fields) = filter else { return None };
    match (filters.next(), fields.len()) {
        (None, 1) => fields.keys().next().map(|column| (place.clone(), column.clone())),
        (None | Some(_), _) => None,
    }
}

/// The statements among the arguments.
pub(crate) fn statements(arguments: &Values) -> impl Iterator<Item = &str> {
    let stated = arguments.iter().filter(|(name, _)| Place::of(name) == Place::Statement);
    stated.filter_map(|(_, value)| value.as_text()).filter(|statement| is_select(statement))
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Columns,
    Filters,
    Statement,
    Values,
}

impl Place {
    fn of(name: &str) -> Self {
        let any = |table: &[&str]| words(name).iter().any(|word| table.contains(&word.as_str()));
        if STATEMENTS.contains(&name) {
            Self::Statement
        } else if any(FILTER_WORDS) {
            Self::Filters
        } else if any(COLUMN_WORDS) && !name.ends_with("_id") {
            Self::Columns
        } else {
            Self::Values
        }
    }
}

fn gather(value: &Json, place: Place, found: &mut BTreeSet<String>) {
    match (value, place) {
        (Json::Text(column), Place::Columns) => {
            found.insert(column.clone());
        }
        (Json::List(items), _) => items.iter().for_each(|item| gather(item, place, found)),
        (Json::Record(fields), Place::Columns | Place::Filters) => {
            let entry = is_entry(fields);
            for (name, inner) in fields {
                if entry {
                    gather(inner, Place::of(name), found);
                } else {
                    found.insert(name.clone());
                }
            }
        }
        (
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::Record(_),
            Place::Columns | Place::Filters | Place::Statement | Place::Values,
        ) => {}
    }
}

fn replace(value: &Json, place: Place, [column, is]: [&str; 2]) -> Json {
    match (value, place) {
        (Json::Text(text), Place::Columns) if text == column => Json::from(is),
        (Json::List(items), _) => {
            Json::List(items.iter().map(|item| replace(item, place, [column, is])).collect())
        }
        (Json::Record(fields), Place::Columns | Place::Filters) => {
            let entry = is_entry(fields);
            // A filter on the right name already: the wrong one is left, or one of the two would be lost.
            let taken = fields.contains_key(is);
            let each = |(name, inner): (&String, &Json)| {
                if entry {
                    (name.clone(), replace(inner, Place::of(name), [column, is]))
                } else if name == column && !taken {
                    (is.to_owned(), inner.clone())
                } else {
                    (name.clone(), inner.clone())
                }
            };
            Json::Record(fields.iter().map(each).collect())
        }
        (
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Text(_) | Json::Record(_),
            Place::Columns | Place::Filters | Place::Statement | Place::Values,
        ) => value.clone(),
    }
}

/// `{"column": "email", "op": "=", "value": …}`: one condition, not a record of them.
fn is_entry(fields: &BTreeMap<String, Json>) -> bool {
    fields.contains_key("value") && ["column", "field"].iter().any(|name| fields.contains_key(*name))
}

fn is_select(statement: &str) -> bool {
    let first = statement.split_whitespace().next().unwrap_or_default();
    first.eq_ignore_ascii_case("select") || first.eq_ignore_ascii_case("with")
}

/// Replaces a whole word outside of quoted text.
fn in_statement(statement: &str, column: &str, is: &str) -> String {
    let mut out = String::with_capacity(statement.len());
    let mut word = String::new();
    let mut in_text = false;
    let flush = |word: &mut String, out: &mut String, in_text: bool| {
        let hit = !in_text && word.eq_ignore_ascii_case(column);
        out.push_str(if hit { is } else { word });
        word.clear();
    };
    for character in statement.chars() {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
            continue;
        }
        flush(&mut word, &mut out, in_text);
        out.push(character);
        in_text ^= character == '\'';
    }
    flush(&mut word, &mut out, in_text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(json: serde_json::Value) -> Values {
        match Json::from_serde(&json).unwrap() {
            Json::Record(fields) => fields,
            other => panic!("no record: {other:?}"),
        }
    }

    #[test]
    fn a_column_is_renamed_where_columns_stand_and_nowhere_else() {
        let before = serde_json::json!({
            "email": "email", "columns": ["name", "email"], "order_by": "email", "limit": 3,
            "where": {"email": "email", "kind": "x"},
            "filters": [{"column": "email", "op": "=", "value": "email"}],
            "sql": "SELECT email, t.email, 'email' FROM emails WHERE e_mail = 'it''s email' AND EMAIL > email_x",
        });
        let after = serde_json::json!({
            "email": "email", "columns": ["name", "post"], "order_by": "post", "limit": 3,
            "where": {"post": "email", "kind": "x"},
            "filters": [{"column": "post", "op": "=", "value": "email"}],
            "sql": "SELECT post, t.post, 'email' FROM emails WHERE e_mail = 'it''s email' AND post > email_x",
        });
        assert_eq!(rename(&values(before.clone()), "email", "post"), values(after));
        let columns: Vec<String> = columns_in(&values(before)).into_iter().collect();
        assert_eq!(columns, ["email", "kind", "name"]);
    }

    #[test]
    fn what_is_no_select_is_left_alone() {
        let update = values(serde_json::json!({"sql": "UPDATE a SET email = 1", "query": "email of Anna"}));
        assert_eq!(rename(&update, "email", "post"), update);
        assert_eq!(statements(&update).count(), 0);
    }

    #[test]
    fn two_filters_never_become_one() {
        let both = values(serde_json::json!({"where": {"email": 1, "post": 2}}));
        assert_eq!(rename(&both, "email", "post"), both);
    }

    #[test]
    fn only_a_single_filter_can_be_blamed() {
        let one = values(serde_json::json!({"table": "a", "where": {"status": "x"}}));
        assert_eq!(only_filter(&one), Some(("where".to_owned(), "status".to_owned())));
        for several in [
            serde_json::json!({"where": {"a": 1, "b": 2}}),
            serde_json::json!({"where": {"a": 1}, "filter": {"b": 2}}),
            serde_json::json!({"where": {}}),
            serde_json::json!({"status": "x"}),
        ] {
            assert_eq!(only_filter(&values(several)), None);
        }
    }
}

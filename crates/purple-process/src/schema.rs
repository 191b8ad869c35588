//! The JSON Schema of process files, for editors. Generated from the records that read them.

use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::file::RawFile;

/// The JSON Schema (2020-12) of process files.
///
/// It knows shapes, not meaning: what it accepts may still be refused by [`load`](crate::file::load).
pub fn schema() -> Value {
    let generator = SchemaSettings::draft2020_12().into_generator();
    let mut schema = generator.into_root_schema_for::<RawFile>().to_value();
    without_null(&mut schema);
    rename(&mut schema);
    if let Value::Object(fields) = &mut schema {
        fields.insert("title".to_owned(), Value::from("Purple Agent process file"));
    }
    schema
}

/// A key that may be left out is still never null.
fn without_null(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(kinds)) = fields.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                if let [only] = kinds.as_slice() {
                    let only = only.clone();
                    fields.insert("type".to_owned(), only);
                }
            }
            if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
                choices.retain(|choice| choice.get("type").is_none_or(|kind| kind != "null"));
                if let [Value::Object(only)] = choices.as_slice() {
                    let only = only.clone();
                    fields.remove("anyOf");
                    fields.extend(only);
                }
            }
            if fields.get("required").is_some_and(|required| required.as_array().is_some_and(Vec::is_empty)) {
                fields.remove("required");
            }
            fields.values_mut().for_each(without_null);
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// `RawRule` is our word; a reader of the schema sees `Rule`.
fn rename(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let renamed = std::mem::take(fields).into_iter().map(|(key, mut value)| {
                rename(&mut value);
                (key.strip_prefix("Raw").map(str::to_owned).unwrap_or(key), value)
            });
            *fields = renamed.collect();
        }
        Value::Array(items) => items.iter_mut().for_each(rename),
        Value::String(text) => {
            if let Some(name) = text.strip_prefix("#/$defs/Raw") {
                *text = format!("#/$defs/{name}");
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

//! Reads the fields of a request as generously as the protocol asks: `camelCase` or `snake_case`, `null` is absent,
//! what is unknown is passed over. What is there in the wrong form is a fault that names its place.

use serde_json::{Map, Value};

use super::fault::Fault;

/// An object of a request and its place in it.
pub(crate) struct Fields<'a> {
    map: &'a Map<String, Value>,
    place: String,
}

impl<'a> Fields<'a> {
    /// An object at a place.
    pub(crate) fn of(value: &'a Value, place: impl Into<String>) -> Result<Self, Fault> {
        let place = place.into();
        match value {
            Value::Object(map) => Ok(Self { map, place }),
            _ => Err(Fault::params(place, "must be an object")),
        }
    }

    /// A field as it is.
    pub(crate) fn raw(&self, name: &str) -> Option<&'a Value> {
        let found = self.map.get(name).or_else(|| self.map.get(&snake(name)))?;
        (!found.is_null()).then_some(found)
    }

    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, Fault> {
        self.read(name, "must be a text", Value::as_str)
    }

    /// A text that must be there and not empty.
    pub(crate) fn needed(&self, name: &str) -> Result<&'a str, Fault> {
        let text = self.text(name)?.filter(|text| !text.is_empty());
        text.ok_or_else(|| Fault::params(self.at(name), "is needed"))
    }

    pub(crate) fn flag(&self, name: &str) -> Result<Option<bool>, Fault> {
        self.read(name, "must be true or false", Value::as_bool)
    }

    pub(crate) fn count(&self, name: &str) -> Result<Option<u32>, Fault> {
        let whole = |value: &Value| value.as_u64().and_then(|count| u32::try_from(count).ok());
        self.read(name, "must be a whole number, zero or more", whole)
    }

    pub(crate) fn list(&self, name: &str) -> Result<Option<&'a Vec<Value>>, Fault> {
        self.read(name, "must be a list", Value::as_array)
    }

    pub(crate) fn object(&self, name: &str) -> Result<Option<Fields<'a>>, Fault> {
        self.raw(name).map(|value| Self::of(value, self.at(name))).transpose()
    }

    pub(crate) fn needed_object(&self, name: &str) -> Result<Fields<'a>, Fault> {
        self.object(name)?.ok_or_else(|| Fault::params(self.at(name), "is needed"))
    }

    /// The place of a field, for faults.
    pub(crate) fn at(&self, name: &str) -> String {
        format!("{}.{name}", self.place)
    }

    fn read<T>(
        &self,
        name: &str,
        must: &str,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Fault> {
        let Some(value) = self.raw(name) else { return Ok(None) };
        read(value).map(Some).ok_or_else(|| Fault::params(self.at(name), must))
    }
}

fn snake(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

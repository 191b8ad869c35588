//! Turns positioned YAML into records, collecting every problem on the way.
//!
//! The `record!` macro declares a record once; its keys, their reading and their JSON Schema cannot drift apart.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use super::problem::{Mark, ProblemCode, Problems};
use super::suggest;
use super::yaml::{Node, Text, shown};

/// Reads itself from a node, or says what is wrong with it.
pub(crate) trait FromNode: Sized {
    fn from_node(node: &Node, problems: &mut Problems) -> Option<Self>;
}

fn wrong_shape(node: &Node, wanted: &str, problems: &mut Problems) {
    problems.add(
        node.at(),
        ProblemCode::WrongShape,
        format!("{} stands here", node.shape()),
        format!("write {wanted}"),
    );
}

/// The most entries of one list or mapping of the format. Real files need a dozen.
pub(crate) const ENTRIES_MAX: usize = 256;

fn refuse_too_many(at: Mark, count: usize, problems: &mut Problems) -> Option<()> {
    if count <= ENTRIES_MAX {
        return Some(());
    }
    let message = format!("{count} entries stand here, and {ENTRIES_MAX} is the most");
    problems.add(at, ProblemCode::TooMany, message, "split the process into several");
    None
}

impl FromNode for Text {
    fn from_node(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node {
            Node::Scalar(text) if text.is_nothing() => {
                let help = "write a value, or leave the key out";
                problems.add(text.at, ProblemCode::WrongShape, "there is no value here", help);
                None
            }
            Node::Scalar(text) => Some(text.clone()),
            Node::List { .. } | Node::Map { .. } => {
                wrong_shape(node, "a single value", problems);
                None
            }
        }
    }
}

impl JsonSchema for Text {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Text".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean"] })
    }
}

impl FromNode for Node {
    fn from_node(node: &Node, _: &mut Problems) -> Option<Self> {
        Some(node.clone())
    }
}

impl JsonSchema for Node {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Any".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!(true)
    }
}

impl<T: FromNode> FromNode for Vec<T> {
    fn from_node(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node {
            Node::List { at, items } => {
                refuse_too_many(*at, items.len(), problems)?;
                Some(items.iter().filter_map(|item| T::from_node(item, problems)).collect())
            }
            Node::Scalar(_) | Node::Map { .. } => {
                wrong_shape(node, "a list: `[a, b]`, or one `- item` per line", problems);
                None
            }
        }
    }
}

/// A mapping whose keys the author chooses, in the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Entries<T>(pub(crate) Vec<(Text, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: FromNode> FromNode for Entries<T> {
    fn from_node(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node {
            Node::Map { at, entries } => {
                refuse_too_many(*at, entries.len(), problems)?;
                let read = |(key, value): &(Text, Node)| Some((key.clone(), T::from_node(value, problems)?));
                Some(Self(entries.iter().filter_map(read).collect()))
            }
            Node::Scalar(_) | Node::List { .. } => {
                wrong_shape(node, "a mapping: one `name: value` per line", problems);
                None
            }
        }
    }
}

impl<T: JsonSchema> JsonSchema for Entries<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("EntriesOf{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let value = generator.subschema_for::<T>();
        json_schema!({ "type": "object", "additionalProperties": value })
    }
}

/// One thing, or a list of them.
#[derive(Clone, Debug)]
pub(crate) struct OneOrMany<T>(pub(crate) Vec<T>);

impl<T> Default for OneOrMany<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: FromNode> FromNode for OneOrMany<T> {
    fn from_node(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node {
            Node::List { .. } => Vec::from_node(node, problems).map(Self),
            Node::Scalar(_) | Node::Map { .. } => {
                Some(Self(T::from_node(node, problems).into_iter().collect()))
            }
        }
    }
}

impl<T: JsonSchema> JsonSchema for OneOrMany<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("OneOrMany{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// The short form, a single text, or the long form, a record.
#[derive(Clone, Debug)]
pub(crate) enum ShortOrFull<T> {
    Short(Text),
    Full(T),
}

impl<T: FromNode> FromNode for ShortOrFull<T> {
    fn from_node(node: &Node, problems: &mut Problems) -> Option<Self> {
        match node {
            Node::Scalar(_) => Text::from_node(node, problems).map(Self::Short),
            Node::Map { .. } | Node::List { .. } => T::from_node(node, problems).map(Self::Full),
        }
    }
}

impl<T: JsonSchema> JsonSchema for ShortOrFull<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        format!("ShortOr{}", T::schema_name()).into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let full = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "string" }, full] })
    }
}

/// The entries of a record, each to be taken once; what is left over is unknown.
pub(crate) struct Keys<'n> {
    at: Mark,
    entries: &'n [(Text, Node)],
}

impl<'n> Keys<'n> {
    /// Opens a mapping and refuses the keys that `known` does not name.
    pub(crate) fn open(
        node: &'n Node,
        what: &str,
        known: &[&'static str],
        problems: &mut Problems,
    ) -> Option<Self> {
        let Node::Map { at, entries } = node else {
            wrong_shape(node, &format!("{what} as a mapping with {}", suggest::listed(known)), problems);
            return None;
        };
        for (key, _) in entries {
            if !known.contains(&key.as_str()) {
                problems.add(
                    key.at,
                    ProblemCode::UnknownKey,
                    format!("{what} has no key `{}`", shown(key)),
                    suggest::help(key.as_str(), known),
                );
            }
        }
        Some(Self { at: *at, entries })
    }

    /// The value of a key that may be left out. The outer `None` says that it was there and was wrong.
    pub(crate) fn optional<T: FromNode>(&self, key: &str, problems: &mut Problems) -> Option<Option<T>> {
        match self.entries.iter().find(|(name, _)| name.as_str() == key) {
            None => Some(None),
            Some((_, node)) => T::from_node(node, problems).map(Some),
        }
    }

    /// The value of a key that must be there.
    pub(crate) fn required<T: FromNode>(&self, key: &str, what: &str, problems: &mut Problems) -> Option<T> {
        let found = self.optional(key, problems)?;
        if found.is_none() {
            problems.add(
                self.at,
                ProblemCode::MissingKey,
                format!("{what} has no `{key}`"),
                format!("add `{key}: …`"),
            );
        }
        found
    }
}

/// Declares a record: its struct, its JSON Schema and its reading.
///
/// `required` keys must be there, `optional` ones become an `Option`, `empty` ones default to empty. An `expected` key
/// must be there too, but whoever checks the record says so in its own words.
macro_rules! record {
    (
        $(#[$meta:meta])*
        $name:ident is $what:literal {
            $( $(#[$field_meta:meta])* $presence:ident $field:ident: $kind:ty, )*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Debug, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields, transform = $name::name_required)]
        pub(crate) struct $name {
            /// Where the record begins.
            #[schemars(skip)]
            #[allow(dead_code, reason = "not every record is complained about as a whole")]
            pub(crate) at: $crate::file::problem::Mark,
            $( $(#[$field_meta])* pub(crate) $field: $crate::file::shape::record!(@kind $presence $kind), )*
        }

        impl $name {
            fn name_required(schema: &mut schemars::Schema) {
                const REQUIRED: &[Option<&str>] = &[$($crate::file::shape::record!(@required $presence $field),)*];
                schema.insert("required".to_owned(), REQUIRED.iter().flatten().copied().collect());
            }
        }

        impl $crate::file::shape::FromNode for $name {
            fn from_node(
                node: &$crate::file::yaml::Node,
                problems: &mut $crate::file::problem::Problems,
            ) -> Option<Self> {
                const KNOWN: &[&str] = &[$($crate::file::shape::bare(stringify!($field)),)*];
                let keys = $crate::file::shape::Keys::open(node, $what, KNOWN, problems)?;
                // Every key is read before any is given up, so that all problems are seen.
                $(let $field = $crate::file::shape::record!(@read $presence $what $field keys problems);)*
                Some(Self { at: node.at(), $($field: $field?,)* })
            }
        }
    };
    (@kind required $kind:ty) => { $kind };
    (@kind optional $kind:ty) => { Option<$kind> };
    (@kind empty $kind:ty) => { $kind };
    (@kind expected $kind:ty) => { Option<$kind> };
    (@required required $field:ident) => { Some($crate::file::shape::bare(stringify!($field))) };
    (@required expected $field:ident) => { Some($crate::file::shape::bare(stringify!($field))) };
    (@required optional $field:ident) => { None };
    (@required empty $field:ident) => { None };
    (@read required $what:literal $field:ident $keys:ident $problems:ident) => {
        $keys.required($crate::file::shape::bare(stringify!($field)), $what, $problems)
    };
    (@read optional $what:literal $field:ident $keys:ident $problems:ident) => {
        $keys.optional($crate::file::shape::bare(stringify!($field)), $problems)
    };
    (@read expected $what:literal $field:ident $keys:ident $problems:ident) => {
        $crate::file::shape::record!(@read optional $what $field $keys $problems)
    };
    (@read empty $what:literal $field:ident $keys:ident $problems:ident) => {
        $keys.optional($crate::file::shape::bare(stringify!($field)), $problems).map(Option::unwrap_or_default)
    };
}
pub(crate) use record;

/// The key of a field: `r#if` is written `if`.
pub(crate) const fn bare(field: &'static str) -> &'static str {
    match field.as_bytes() {
        [b'r', b'#', ..] => field.split_at(2).1,
        _ => field,
    }
}

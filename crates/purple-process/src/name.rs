//! Which names of fields and parameters say that their value identifies something.

use crate::words;

/// Last words of a name that say that its value identifies something.
pub(crate) const ID_WORDS: [&str; 12] =
    ["id", "ids", "no", "nr", "number", "key", "code", "ref", "reference", "uuid", "guid", "handle"];

/// Whether a name says that its value identifies something.
pub(crate) fn is_id_name(name: &str) -> bool {
    words::split(name).last().is_some_and(|last| ID_WORDS.contains(&last.as_str()))
}

//! Whether a text of GraphQL plainly reads: only queries, and what they use.

/// Whether every operation of this document is a query. What cannot be parsed is not.
pub(crate) fn plainly_reads(_text: &str) -> bool {
    false
}

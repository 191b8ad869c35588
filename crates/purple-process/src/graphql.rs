//! Whether a text of GraphQL plainly reads: only queries, and the fragments that they use.

use graphql_parser::query::{Definition, OperationDefinition, parse_query};

/// The longest document that is parsed, in bytes.
const GRAPHQL_BYTES_MAX: usize = 64 * 1024;

/// Whether every operation of this document is a query, and there is one. What cannot be parsed is not.
///
/// All of them count: which one a server runs is said in another argument.
pub(crate) fn plainly_reads(text: &str) -> bool {
    if text.len() > GRAPHQL_BYTES_MAX {
        return false;
    }
    let Ok(document) = parse_query::<&str>(text) else { return false };
    let mut queries = 0_usize;
    for definition in &document.definitions {
        match definition {
            Definition::Operation(OperationDefinition::Query(_) | OperationDefinition::SelectionSet(_)) => {
                queries += 1;
            }
            Definition::Operation(
                OperationDefinition::Mutation(_) | OperationDefinition::Subscription(_),
            ) => {
                return false;
            }
            Definition::Fragment(_) => {}
        }
    }
    queries > 0
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const QUERIES: &[&str] = &[
        "{ orders { id } }",
        "query { orders(first: 10) { id total } }",
        "query Open($n: Int = 3) { orders(first: $n) @include(if: true) { ...Row } } fragment Row on Order { id }",
        "query A { a } query B { b }",
        "# mutation\n{ a(text: \"mutation { b }\") }",
    ];

    const OTHERS: &[&str] = &[
        "",
        "   ",
        "mutation { deleteOrder(id: 1) { id } }",
        "query A { a } mutation B { b }",
        "mutation B { b } query A { a }",
        "subscription { orders { id } }",
        "fragment Row on Order { id }",
        "query { a",
        "query { a } }",
        "mutation",
        "{ a } garbage",
        "type Query { a: Int }",
        "SELECT 1",
        "{}",
    ];

    #[test]
    fn only_documents_of_queries_read() {
        for text in QUERIES {
            assert!(plainly_reads(text), "{text}");
        }
        for text in OTHERS {
            assert!(!plainly_reads(text), "{text}");
        }
    }

    #[test]
    fn a_deep_or_long_document_is_answered() {
        for depth in [10_000, 20_000] {
            assert!(!plainly_reads(&format!("{}a{}", "{a".repeat(depth), "}".repeat(depth))));
        }
        assert!(!plainly_reads(&format!("{{ a {} }}", "b ".repeat(GRAPHQL_BYTES_MAX))));
    }

    proptest! {
        #[test]
        fn a_mutation_beside_a_query_makes_the_document_no_read(
            query in prop::sample::select(QUERIES), name in "[A-Za-z]{1,8}", first in any::<bool>(),
        ) {
            let mutation = format!("mutation {name} {{ change(id: 1) {{ id }} }}");
            let text = if first { format!("{mutation}\n{query}") } else { format!("{query}\n{mutation}") };
            prop_assert!(!plainly_reads(&text), "{text}");
        }

        #[test]
        fn any_text_is_answered(text in "\\PC{0,200}") {
            let _ = plainly_reads(&text);
        }
    }
}

//! The specification says what the constants say.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::path::Path;

use agent_runtime::machine::{LOOP, refresh_spec, spec_blocks};

fn document() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec/agent-loop.md");
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn the_document_is_drawn_from_the_constants() {
    let (written, fresh) = (document(), refresh_spec(&document()));
    assert!(
        written == fresh,
        "docs/spec/agent-loop.md is out of date; write it anew with\n    \
         cargo run -p agent-runtime --example print_spec -- --write\nIt should be:\n\n{fresh}"
    );
    for (name, block) in spec_blocks() {
        assert!(written.contains(&block), "the document has no place for `{name}`");
    }
}

#[test]
fn every_move_is_in_the_table_and_in_the_diagram() {
    let blocks = spec_blocks();
    let block = |wanted: &str| match blocks.iter().find(|(name, _)| *name == wanted) {
        Some((_, text)) => text.as_str(),
        None => panic!("no block `{wanted}`"),
    };
    for row in LOOP.moves() {
        assert!(block("moves").contains(&format!("| {} | {} | {} |\n", row.from, row.to, row.when)));
        assert!(block("diagram").contains(&format!("    {} --> {}: {}\n", row.from, row.to, row.when)));
    }
    assert_eq!(block("moves").lines().count(), LOOP.moves().len() + 2);
    assert_eq!(block("states").lines().count(), LOOP.states().len() + 2);
    assert_eq!(block("diagram").matches("--> [*]").count(), 2);
}

#[test]
fn a_fresh_block_replaces_the_old_one_and_nothing_else() {
    let old = "before\n<!-- generated: moves -->\nold\n<!-- end: moves -->\nafter\n";
    let fresh = refresh_spec(old);
    assert!(fresh.starts_with("before\n<!-- generated: moves -->\n\n| from | to | when |\n"));
    assert!(fresh.ends_with(" |\n\n<!-- end: moves -->\nafter\n"));
    assert!(!fresh.contains("old"));
    assert_eq!(refresh_spec(&fresh), fresh);
    assert_eq!(refresh_spec("no marks"), "no marks");
}

//! The page of all records is the one that the declarations give.

#[path = "support/document.rs"]
mod document;

#[test]
fn the_page_lists_every_kind_with_its_members() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/journal-records.md");
    let written = std::fs::read_to_string(path).unwrap();
    assert!(
        written == document::page(),
        "docs/spec/journal-records.md differs: run `cargo run -p purple-journal --example records_page -- --write`"
    );
}

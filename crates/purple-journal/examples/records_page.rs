//! Prints `docs/spec/journal-records.md`; `-- --write` writes it.

#[path = "../tests/support/document.rs"]
mod document;

#[expect(clippy::print_stdout, reason = "this is what the example is for")]
fn main() -> std::io::Result<()> {
    let page = document::page();
    if std::env::args().any(|argument| argument == "--write") {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/journal-records.md");
        return std::fs::write(path, page);
    }
    print!("{page}");
    Ok(())
}

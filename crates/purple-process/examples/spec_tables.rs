//! Draws the generated parts of `docs/spec/process-fsm.md` from the constants of the crate; `-- --write` puts them in.
#![expect(clippy::print_stdout, reason = "it prints")]

#[path = "../tests/support/tables.rs"]
mod tables;

fn main() -> std::io::Result<()> {
    let page = std::fs::read_to_string(tables::PAGE)?;
    let drawn = tables::drawn_into(&page);
    if std::env::args().any(|argument| argument == "--write") {
        std::fs::write(tables::PAGE, drawn)
    } else {
        print!("{drawn}");
        Ok(())
    }
}

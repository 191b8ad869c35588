//! Draws the loop's tables and diagram from its constants into `docs/spec/agent-loop.md`.
//!
//! `cargo run -p agent-runtime --example print_spec` shows the document as it should be;
//! with `-- --write` it puts it there.
#![expect(clippy::print_stdout, reason = "the document goes to standard output")]

use std::error::Error;
use std::path::Path;

use agent_runtime::machine::refresh_spec;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec/agent-loop.md");
    let fresh = refresh_spec(&std::fs::read_to_string(&path)?);
    if std::env::args().any(|argument| argument == "--write") {
        std::fs::write(&path, fresh)?;
    } else {
        print!("{fresh}");
    }
    Ok(())
}

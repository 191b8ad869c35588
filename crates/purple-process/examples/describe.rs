//! Writes the pages of the shipped processes and the JSON Schema of process files into `docs/`.

use std::fs;
use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    fs::create_dir_all(docs.join("processes"))?;
    fs::create_dir_all(docs.join("schema"))?;
    for file in purple_process::file::builtin()? {
        fs::write(docs.join("processes").join(format!("{}.md", file.name())), purple_process::page(&file))?;
    }
    let schema = serde_json::to_string_pretty(&purple_process::schema())?;
    fs::write(docs.join("schema/process.schema.json"), format!("{schema}\n"))?;
    Ok(())
}

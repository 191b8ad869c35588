//! The demo company: a folder with its database and a `purple.toml` that knows its tools.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::civil::date;
use purple_backoffice::{Clock, IDEMPOTENCY_META, Ledger, Office, Setup, serve_stdio};
use purple_worker::Process;

use super::config_of;
use crate::commands::{Scene, runtime};
use crate::config::Config;
use crate::exit::Exit;
use crate::failure::Failure;

const COMPANY: &str = "company.db";
pub(crate) const SETTINGS: &str = "purple.toml";
/// A Wednesday morning.
const START: &str = "2026-03-04T09:00:00Z";

/// Serves the company's tools on stdin and stdout.
pub(crate) fn serve(file: &Path) -> Result<Exit, Failure> {
    let office = Arc::new(open(file.to_owned())?);
    let runtime = runtime()?;
    runtime.block_on(serve_stdio(office)).map_err(|error| Failure::Company { cause: error.to_string() })?;
    Ok(Exit::Done)
}

/// Makes the folder, if it is not there, and gives its configuration.
pub(crate) fn found(scene: &Scene<'_>, folder: &Path) -> Result<Config, Failure> {
    let settings = folder.join(SETTINGS);
    if !settings.exists() {
        let unwritable = |cause| Failure::Write { file: settings.clone(), cause };
        std::fs::create_dir_all(folder).map_err(unwritable)?;
        let office = open(folder.join(COMPANY))?;
        let text = settings_text(folder, &office)?;
        std::fs::write(&settings, text).map_err(unwritable)?;
    }
    config_of(scene, &settings)
}

/// The same with more records and more settings, for a stream of tasks.
pub(crate) fn found_for(
    scene: &Scene<'_>,
    folder: &Path,
    more: u32,
    settings: &str,
) -> Result<Config, Failure> {
    let file = folder.join(SETTINGS);
    if file.exists() {
        let cause = format!("there is one in `{}` already, and a stream begins anew", folder.display());
        return Err(Failure::Company { cause });
    }
    found(scene, folder)?;
    let unwritable = |cause| Failure::Write { file: file.clone(), cause };
    let text = std::fs::read_to_string(&file).map_err(unwritable)?;
    std::fs::write(&file, format!("{text}\n{settings}")).map_err(unwritable)?;
    let unusable = |error: purple_backoffice::OpenError| Failure::Company { cause: error.to_string() };
    open(folder.join(COMPANY))?.enlarge(more).map_err(unusable)?;
    config_of(scene, &file)
}

/// What happened in the company.
pub(crate) fn ledger(folder: &Path) -> Result<Ledger, Failure> {
    Ledger::read(&folder.join(COMPANY)).map_err(|error| Failure::Company { cause: error.to_string() })
}

fn open(file: PathBuf) -> Result<Office, Failure> {
    let clock = Clock::running(date(2026, 3, 4));
    let setup = Setup { data: Some(file), clock, seed: 1, faults: Vec::new() };
    Office::open(setup).map_err(|error| Failure::Company { cause: error.to_string() })
}

fn settings_text(folder: &Path, office: &Office) -> Result<String, Failure> {
    let program = std::env::current_exe().map_err(Failure::Runtime)?;
    // A JSON string is a TOML string.
    let quoted = |path: &Path| serde_json::Value::String(path.display().to_string()).to_string();
    let mut text = format!(
        "# Made by `purple demo`: a demo company behind a real MCP server.\n\
         [clock]\nstart = \"{START}\"\n\n# The five cases need no model. Remove this line to let a key in the environment provide one.\n[model]\nprovider = \"offline\"\n\n[data]\ndir = {}\n\n[servers.company]\nmanifest = \"demo-company\"\ncommand = {}\nargs = [\"demo\", \"--office\", {}]\n",
        quoted(&folder.join("data")),
        quoted(&program),
        quoted(&folder.join(COMPANY)),
    );
    text.push_str(
        "\n# Tools that do an operation once per key, so that an interrupted one may be sent again.\n",
    );
    for name in keyed(office) {
        text.push_str(&format!("[tools.company.{name}]\nkey = \"meta:{IDEMPOTENCY_META}\"\n"));
    }
    Ok(text)
}

/// The tools of the shipped processes that take a key.
fn keyed(office: &Office) -> BTreeSet<String> {
    let used: BTreeSet<String> = Process::shipped()
        .unwrap_or_default()
        .iter()
        .flat_map(|process| {
            process
                .file
                .tasks()
                .iter()
                .flat_map(|task| task.tools())
                .map(|(tool, _)| tool.to_string())
                .collect::<Vec<_>>()
        })
        .collect();
    let takes = office
        .definitions()
        .into_iter()
        .filter(|tool| tool.takes_key_in_meta)
        .map(|tool| tool.name.to_owned());
    takes.filter(|tool| used.contains(tool)).collect()
}

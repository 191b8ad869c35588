//! A first configuration. Nothing is ever overwritten.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use purple_process::file::BUILTIN;
use serde_json::json;

use crate::cli::{Init, Template};
use crate::commands::Scene;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::Tone;

const CONFIG: &str = include_str!("init/purple.toml");
const CONFIG_EMPTY: &str = include_str!("init/empty.toml");
const POLICY: &str = include_str!("init/policy.json");
const IGNORED: &str = "# What purple keeps here: runs, journals, keys.\n.purple/\n";
/// The process that the template begins with: the shipped one, to be changed.
const PROCESS: &str = "invoice_reconciliation";

/// `purple init`
pub(crate) fn run(scene: &Scene<'_>, args: &Init) -> Result<Exit, Failure> {
    let folder = scene.environment.folder().join(args.folder.as_deref().unwrap_or(Path::new(".")));
    let mut files: Vec<(String, &str)> = vec![(".gitignore".to_owned(), IGNORED)];
    match args.template {
        Template::Empty => files.push(("purple.toml".to_owned(), CONFIG_EMPTY)),
        Template::Invoices => {
            files.push(("purple.toml".to_owned(), CONFIG));
            files.push(("policies/policy.json".to_owned(), POLICY));
            let process = BUILTIN.into_iter().find(|(name, _)| *name == PROCESS);
            files.extend(process.map(|(name, text)| (format!("processes/{name}.yaml"), text)));
        }
    }
    let mut report = Vec::new();
    for (name, text) in files {
        let written = write_new(&folder.join(&name), text)?;
        report.push(json!({"file": name, "written": written}));
        if !scene.screen.is_json() {
            let line = if written {
                format!("{} {name}", scene.screen.out.text(Tone::Good, "wrote"))
            } else {
                format!("{} {name} (it was there)", scene.screen.out.text(Tone::Faint, "kept"))
            };
            scene.screen.line(&line)?;
        }
    }
    if scene.screen.is_json() {
        scene.screen.document(&report)?;
    }
    scene.screen.next("purple doctor");
    Ok(Exit::Done)
}

/// Makes a file that is not there; the operating system, not a check before it, sees to it that nothing is lost.
fn write_new(file: &Path, text: &str) -> Result<bool, Failure> {
    let failed = |cause| Failure::Write { file: file.to_owned(), cause };
    if let Some(folder) = file.parent() {
        std::fs::create_dir_all(folder).map_err(failed)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    // A configuration that a group can write is not obeyed, whatever the mask of this shell.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o644);
    match options.open(file) {
        Ok(mut new) => {
            new.write_all(text.as_bytes()).map_err(failed)?;
            Ok(true)
        }
        Err(cause) if cause.kind() == ErrorKind::AlreadyExists => Ok(false),
        Err(cause) => Err(failed(cause)),
    }
}

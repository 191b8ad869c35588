//! Verifying, exporting and anchoring the journal, and copying the data.

use std::path::{Path, PathBuf};

use purple_process::SessionId;
use purple_store::Reader;
use purple_store::audit::{Anchor, AuditKey, AuditReport, Scope};
use purple_worker::DeskError;
use purple_worker::port::Clock as _;
use serde_json::json;

use crate::cli::{Audit as Args, Backup};
use crate::commands::{Scene, runtime};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Tone, one_line};
use crate::wire_up::{SystemClock, reader};

/// `purple audit …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    let folder = scene.config(Vec::new())?.settings.data_dir;
    let runtime = runtime()?;
    let _entered = runtime.enter();
    let reader = reader(&folder)?;
    match args {
        Args::Verify { anchor, key } => verify(scene, &reader, anchor.as_deref(), key.as_deref()),
        Args::Export { run, output } => export(scene, (&reader, &folder), run.as_deref(), output.as_deref()),
        Args::Anchor { output } => anchor(scene, (&reader, &folder), output.as_deref()),
    }
}

/// `purple backup DIR`
pub(crate) fn backup(scene: &Scene<'_>, args: &Backup) -> Result<Exit, Failure> {
    let folder = scene.config(Vec::new())?.settings.data_dir;
    let runtime = runtime()?;
    let _entered = runtime.enter();
    reader(&folder)?.backup(&args.to)?;
    if scene.screen.is_json() {
        scene.screen.document(&json!({"backup": args.to}))?;
    } else {
        scene.screen.line(&format!("copied to {}", args.to.display()))?;
    }
    Ok(Exit::Done)
}

fn verify(
    scene: &Scene<'_>,
    reader: &Reader,
    anchor: Option<&Path>,
    key: Option<&str>,
) -> Result<Exit, Failure> {
    let report = match (anchor, key) {
        (Some(file), Some(key)) => {
            let text = std::fs::read_to_string(file)
                .map_err(|cause| Failure::Read { file: file.to_owned(), cause })?;
            let anchor =
                Anchor::parse(&text).map_err(|cause| Failure::Anchor { file: file.to_owned(), cause })?;
            reader.verify_against(&anchor, key)
        }
        (None, _) | (_, None) => reader.verify(),
    };
    let AuditReport { sessions, entries, blobs, fault } = report.map_err(DeskError::from)?;
    if scene.screen.is_json() {
        let fault =
            fault.as_ref().map(|bad| json!({"run": bad.session, "seq": bad.seq, "fault": bad.to_string()}));
        scene.screen.document(
            &json!({"ok": fault.is_none(), "runs": sessions, "entries": entries, "blobs": blobs, "fault": fault}),
        )?;
    } else {
        match &fault {
            None => {
                let ok = scene.screen.out.text(Tone::Good, "OK");
                scene.screen.line(&format!(
                    "{ok}: {entries} records of {sessions} runs and the {blobs} blobs they name, complete, in order and unaltered"
                ))?;
            }
            Some(bad) => {
                let sign = scene.screen.out.text(Tone::Bad, "NOT OK");
                scene.screen.line(&format!("{sign}: {}", one_line(&bad.to_string())))?;
            }
        }
    }
    if fault.is_none() {
        scene.screen.next("purple audit anchor -o FILE   (keep it elsewhere, so that truncation shows)");
    }
    Ok(if fault.is_some() { Exit::Error } else { Exit::Done })
}

fn export(
    scene: &Scene<'_>,
    (reader, folder): (&Reader, &Path),
    run: Option<&str>,
    output: Option<&Path>,
) -> Result<Exit, Failure> {
    let key = AuditKey::of_folder(folder)?;
    let scope = match run {
        Some(run) => Scope::Session(SessionId::parse(run)?),
        None => Scope::All,
    };
    let now = SystemClock.now();
    match output {
        Some(file) => {
            reader.export_to(&scope, &key, now, file).map_err(DeskError::from)?;
            written(scene, file, &key)?;
        }
        None => {
            let mut bundle = Vec::new();
            reader.export(&scope, &key, now, &mut bundle).map_err(DeskError::from)?;
            scene.screen.raw(&String::from_utf8_lossy(&bundle))?;
        }
    }
    Ok(Exit::Done)
}

fn anchor(
    scene: &Scene<'_>,
    (reader, folder): (&Reader, &Path),
    output: Option<&Path>,
) -> Result<Exit, Failure> {
    let key = AuditKey::of_folder(folder)?;
    let anchor = reader.anchor(&key, SystemClock.now()).map_err(DeskError::from)?;
    match output {
        Some(file) => {
            let failed = |cause| Failure::Write { file: PathBuf::from(file), cause };
            anchor.write_to(file).map_err(failed)?;
            written(scene, file, &key)?;
        }
        None => scene.screen.raw(&format!("{}\n", anchor.text().trim_end()))?,
    }
    Ok(Exit::Done)
}

fn written(scene: &Scene<'_>, file: &Path, key: &AuditKey) -> Result<(), Failure> {
    if scene.screen.is_json() {
        return scene.screen.document(&json!({"file": file, "key": key.public()}));
    }
    scene.screen.line(&format!("wrote {}", file.display()))?;
    scene.screen.say(&format!("note the public key where you keep it: {}", key.public()));
    Ok(())
}

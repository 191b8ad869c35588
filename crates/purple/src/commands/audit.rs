//! Verifying, listing, exporting and anchoring the journal, and copying the data.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use purple_process::SessionId;
use purple_store::Reader;
use purple_store::audit::{Anchor, AuditKey, AuditReport, OperatorJournal, OperatorRecord, Scope};
use purple_worker::ClientError;
use purple_worker::port::Clock as _;
use serde_json::json;

use crate::cli::{Audit as Args, Backup};
use crate::commands::{Scene, runtime};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Table, Tone, one_line, operator_by, operator_text};
use crate::wire_up::anchor::{self, Place};
use crate::wire_up::{SystemClock, reader, reading};

/// Hexadecimal digits of a public key.
const KEY_DIGITS: usize = 64;
/// The most of a file that is looked through for a public key.
const KEY_FILE_BYTES_MAX: u64 = 64 * 1024;

/// `purple audit …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    let folder = config.settings.data_dir.clone();
    let runtime = runtime()?;
    let _entered = runtime.enter();
    let reader = reader(&folder)?;
    if !matches!(args, Args::Verify { .. }) {
        scene.oversees(&config)?;
    }
    match args {
        Args::Verify { anchor, key } => {
            let place = anchor::place(&config, scene.environment);
            verify(scene, (&reader, place.as_ref()), anchor.as_deref(), key.as_deref())
        }
        Args::Operators => operators(scene, &reader),
        Args::Export { run, output } => {
            let worker = reading(&folder, &config)?;
            let run = run.as_ref().map(|run| runtime.block_on(worker.find(run))).transpose()?;
            export(scene, (&reader, &folder), run, output.as_deref())
        }
        Args::Anchor { output } => write_anchor(scene, (&reader, &folder), output.as_deref()),
    }
}

/// `purple backup DIR`
pub(crate) fn backup(scene: &Scene<'_>, args: &Backup) -> Result<Exit, Failure> {
    let config = scene.config(Vec::new())?;
    scene.oversees(&config)?;
    let folder = config.settings.data_dir;
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
    (reader, place): (&Reader, Option<&Place>),
    anchor: Option<&Path>,
    key: Option<&str>,
) -> Result<Exit, Failure> {
    let report = match (anchor, key) {
        (Some(file), Some(key)) => {
            let text = std::fs::read_to_string(file)
                .map_err(|cause| Failure::Read { file: file.to_owned(), cause })?;
            let anchor =
                Anchor::parse(&text).map_err(|cause| Failure::Anchor { file: file.to_owned(), cause })?;
            reader.verify_against(&anchor, &public_key(key)?).map_err(ClientError::from)?
        }
        (None, _) | (_, None) => against_kept(reader, place)?,
    };
    let AuditReport { sessions, entries, operators, blobs, fault } = report;
    let (run, seq) = fault.as_ref().map_or((None, None), |bad| (Some(bad.session.clone()), Some(bad.seq)));
    let other = match (anchor, place) {
        (None, Some(place)) => place.of_another(&reader.database().map_err(ClientError::from)?),
        _ => None,
    };
    let other = other.map(|file| {
        format!(
            "another database was in this folder before, and its anchor is {}: compare with a backup, or remove that anchor if it was put away on purpose",
            file.display()
        )
    });
    let fault = fault.map(|bad| bad.to_string()).or(other);
    if scene.screen.is_json() {
        let fault = fault.as_ref().map(|fault| json!({"run": run, "seq": seq, "fault": fault}));
        scene.screen.document(
            &json!({"ok": fault.is_none(), "runs": sessions, "entries": entries, "operators": operators, "blobs": blobs, "fault": fault}),
        )?;
    } else {
        match &fault {
            None => {
                let ok = scene.screen.out.text(Tone::Good, "OK");
                scene.screen.line(&format!(
                    "{ok}: {entries} records of {sessions} runs, the {blobs} blobs they name and {operators} records of operators, complete, in order and unaltered"
                ))?;
            }
            Some(bad) => {
                let sign = scene.screen.out.text(Tone::Bad, "NOT OK");
                scene.screen.line(&format!("{sign}: {}", one_line(bad)))?;
            }
        }
    }
    if fault.is_none() {
        scene.screen.next("purple audit anchor -o FILE   (keep it elsewhere, so that truncation shows)");
    }
    Ok(if fault.is_some() { Exit::Error } else { Exit::Done })
}

/// Walks every chain, and holds it against the anchors that this program keeps outside the data folder.
fn against_kept(reader: &Reader, place: Option<&Place>) -> Result<AuditReport, Failure> {
    let database = reader.database().map_err(ClientError::from)?;
    let kept = place.map(|place| place.kept(&database)).transpose()?.unwrap_or_default();
    let mut report = None;
    for anchor in kept {
        let found = reader.verify_against(&anchor, anchor.key()).map_err(ClientError::from)?;
        if found.fault.is_some() {
            return Ok(found);
        }
        report = Some(found);
    }
    match report {
        Some(report) => Ok(report),
        None => Ok(reader.verify().map_err(ClientError::from)?),
    }
}

/// Lists the operator journal as far as it holds, and states the first fault.
fn operators(scene: &Scene<'_>, reader: &Reader) -> Result<Exit, Failure> {
    let OperatorJournal { records, fault } = reader.operator_journal().map_err(ClientError::from)?;
    if scene.screen.is_json() {
        let records: Vec<_> = records.iter().map(operator_json).collect();
        let fault = fault.as_ref().map(ToString::to_string);
        scene.screen.document(&json!({"ok": fault.is_none(), "records": records, "fault": fault}))?;
    } else {
        let mut table = Table::new(&["WHEN", "WHO", "WHAT"]);
        for OperatorRecord { entry, .. } in &records {
            let by = operator_by(&entry.record).map_or("–", |by| by.as_str());
            let what = operator_text(&entry.record);
            table.row([format!("{:.0}", entry.at), one_line(by), one_line(&what)]);
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
        if let Some(bad) = &fault {
            let sign = scene.screen.out.text(Tone::Bad, "NOT OK");
            scene.screen.line(&format!("{sign}: {}", one_line(&bad.to_string())))?;
        }
    }
    Ok(if fault.is_some() { Exit::Error } else { Exit::Done })
}

fn operator_json(OperatorRecord { seq, entry }: &OperatorRecord) -> serde_json::Value {
    json!({
        "seq": seq, "at": entry.at, "kind": entry.kind(), "by": operator_by(&entry.record),
        "what": operator_text(&entry.record), "data": entry.record.data(),
    })
}

/// The public key of a checkpoint as `ed25519:` and its digits: typed so, or only the digits, or a file with either.
fn public_key(given: &str) -> Result<String, Failure> {
    if let Some(key) = key_of(given) {
        return Ok(key);
    }
    let file = Path::new(given);
    if !file.is_file() {
        return Err(Failure::BadPublicKey { given: given.to_owned() });
    }
    let mut text = Vec::new();
    let opened = std::fs::File::open(file);
    let read = opened.and_then(|opened| opened.take(KEY_FILE_BYTES_MAX).read_to_end(&mut text));
    read.map_err(|cause| Failure::Read { file: file.to_owned(), cause })?;
    let no_key = || Failure::NoPublicKey { file: file.to_owned() };
    // What people note is a line among others: a name, a date, the key.
    let text = std::str::from_utf8(&text).map_err(|_| no_key())?;
    let mut found = text.split_whitespace().filter_map(key_of);
    match (found.next(), found.next()) {
        (Some(key), None) => Ok(key),
        (None, _) | (Some(_), Some(_)) => Err(no_key()),
    }
}

fn key_of(text: &str) -> Option<String> {
    let digits = text.strip_prefix("ed25519:").unwrap_or(text).to_ascii_lowercase();
    let fits = digits.len() == KEY_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    fits.then(|| format!("ed25519:{digits}"))
}

fn export(
    scene: &Scene<'_>,
    (reader, folder): (&Reader, &Path),
    run: Option<SessionId>,
    output: Option<&Path>,
) -> Result<Exit, Failure> {
    let key = AuditKey::of_folder(folder)?;
    let scope = run.map_or(Scope::All, Scope::Session);
    let now = SystemClock.now();
    match output {
        Some(file) => {
            reader.export_to(&scope, &key, now, file).map_err(ClientError::from)?;
            written(scene, file, &key)?;
        }
        None => {
            let mut bundle = Vec::new();
            reader.export(&scope, &key, now, &mut bundle).map_err(ClientError::from)?;
            scene.screen.raw(&String::from_utf8_lossy(&bundle))?;
        }
    }
    Ok(Exit::Done)
}

fn write_anchor(
    scene: &Scene<'_>,
    (reader, folder): (&Reader, &Path),
    output: Option<&Path>,
) -> Result<Exit, Failure> {
    let key = AuditKey::of_folder(folder)?;
    let anchor = reader.anchor(&key, SystemClock.now()).map_err(ClientError::from)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_public_key_is_typed_in_full_as_digits_or_as_a_file_and_nothing_else() {
        let digits = "0123456789abcdef".repeat(4);
        let whole = format!("ed25519:{digits}");
        assert_eq!(public_key(&whole).unwrap(), whole);
        assert_eq!(public_key(&digits).unwrap(), whole);
        assert_eq!(public_key(&digits.to_uppercase()).unwrap(), whole);
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str, text: &[u8]| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            path.display().to_string()
        };
        for text in
            [format!("{whole}\n"), format!("  {digits}"), format!("audit key of the bakery: {whole}\n")]
        {
            assert_eq!(public_key(&file("key", text.as_bytes())).unwrap(), whole, "{text}");
        }
        for (given, code) in [
            ("nope".to_owned(), "audit.bad_key"),
            (format!("rsa:{digits}"), "audit.bad_key"),
            (digits[1..].to_owned(), "audit.bad_key"),
            (file("empty", b""), "audit.no_public_key"),
            (file("two", format!("{whole} {whole}").as_bytes()), "audit.no_public_key"),
            (file("private", &[0x30, 0x53, 0xff]), "audit.no_public_key"),
        ] {
            let refused = public_key(&given).unwrap_err();
            assert_eq!(refused.code(), code, "{given}");
            assert!(refused.help().unwrap().contains("audit anchor"), "{given}");
        }
    }
}

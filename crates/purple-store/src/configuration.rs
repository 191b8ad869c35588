//! Records the settings with which a program that executes runs starts, if they differ from those recorded last.
//!
//! The operator journal is the only memory of them: its records are read from the last one backwards.

use std::collections::BTreeMap;

use purple_journal::record::operator::ConfigurationChanged;
use purple_journal::word::SettingChange;
use purple_journal::{Entry, Redacted, canonical};
use purple_port::Digest;
use purple_port::limits::ENTRY_BYTES_MAX;
use rusqlite::{Connection, Row};

use crate::migrate::has_operator_journal;
use crate::operators;
use crate::readers::Looked;
use crate::refused::Refused;
use crate::row;
use crate::time::Micros;
use crate::work::{Done, NewSettings};

/// The longest name or value that a record repeats. A longer one is replaced by its digest.
const TEXT_CHARS_MAX: usize = 300;
/// How many bytes of changes are in one record. The rest of an entry is far smaller than the other half.
const CHANGES_BYTES_MAX: usize = ENTRY_BYTES_MAX / 2;

/// Names and values as records state them.
type Recordable = BTreeMap<Redacted, Redacted>;

pub(crate) fn record(db: &Connection, new: &NewSettings, now: Micros) -> Result<Done, Refused> {
    let present: Recordable =
        new.settings.iter().map(|(key, value)| (recordable(key), recordable(value))).collect();
    let digest = digest(&present);
    let Some(changes) = changes(db, &present, digest)? else { return Ok(Done::Nothing) };
    for changed in parts(changes) {
        let by = new.by.as_ref().map(Redacted::of);
        operators::append(db, ConfigurationChanged { digest, changed, by }, now)?;
    }
    Ok(Done::Written)
}

/// The text with secrets masked, or the digest of that if it is long.
fn recordable(text: &str) -> Redacted {
    let masked = Redacted::of(text);
    let is_long = masked.as_str().chars().nth(TEXT_CHARS_MAX).is_some();
    if is_long { Redacted::of(&Digest::of(masked.as_str().as_bytes())) } else { masked }
}

fn digest(settings: &Recordable) -> Digest {
    let members = settings.iter().map(|(key, value)| (key.to_string(), value.as_str().into()));
    Digest::of(canonical::text(&serde_json::Value::Object(members.collect())).as_bytes())
}

/// What differs from the settings recorded last; `None` if nothing does.
fn changes(
    db: &Connection,
    present: &Recordable,
    digest: Digest,
) -> Result<Option<Vec<SettingChange>>, Refused> {
    let mut before: BTreeMap<Redacted, Option<Redacted>> = BTreeMap::new();
    let mut is_last = true;
    let mut read = db.prepare_cached("SELECT entry, packed FROM operator_journal ORDER BY seq DESC")?;
    let mut rows = read.query([])?;
    while let Some(found) = rows.next()? {
        let Some(recorded) = recorded(found) else { continue };
        if std::mem::take(&mut is_last) && recorded.digest == digest {
            return Ok(None);
        }
        for SettingChange { key, value } in recorded.changed {
            before.entry(key).or_insert(value);
        }
    }
    let set = present.iter().filter(|(key, value)| before.get(key) != Some(&Some((*value).clone())));
    let set = set.map(|(key, value)| SettingChange { key: key.clone(), value: Some(value.clone()) });
    let unset = before.iter().filter(|(key, value)| value.is_some() && !present.contains_key(*key));
    let unset = unset.map(|(key, _)| SettingChange { key: key.clone(), value: None });
    let mut changes: Vec<SettingChange> = set.chain(unset).collect();
    changes.sort_by(|one, other| one.key.cmp(&other.key));
    Ok(Some(changes))
}

/// The settings as the records state them: what was recorded last. Those of a database without an operator journal are
/// not known.
pub(crate) fn stated(db: &Connection) -> Looked<BTreeMap<String, String>> {
    let mut settings = BTreeMap::new();
    if !has_operator_journal(db)? {
        return Ok(settings);
    }
    let mut read = db.prepare_cached("SELECT entry, packed FROM operator_journal ORDER BY seq")?;
    let mut rows = read.query([])?;
    while let Some(found) = rows.next()? {
        for SettingChange { key, value } in recorded(found).into_iter().flat_map(|one| one.changed) {
            match value {
                Some(value) => drop(settings.insert(key.to_string(), value.to_string())),
                None => drop(settings.remove(key.as_str())),
            }
        }
    }
    Ok(settings)
}

/// The record of a row, if it is about settings. A damaged one is passed over here, and reported by the audit.
fn recorded(found: &Row<'_>) -> Option<ConfigurationChanged> {
    let text = row::text(found, 0, ENTRY_BYTES_MAX).ok()??;
    Entry::parse(&text).ok()?.record.get::<ConfigurationChanged>().cloned()
}

/// The changes in as many parts as records are needed; at least one.
fn parts(changes: Vec<SettingChange>) -> Vec<Vec<SettingChange>> {
    let (mut parts, mut bytes) = (vec![Vec::new()], 0);
    for change in changes {
        let size = serde_json::to_string(&change).map_or(0, |text| text.len());
        if bytes + size > CHANGES_BYTES_MAX && bytes > 0 {
            parts.push(Vec::new());
            bytes = 0;
        }
        bytes += size;
        if let Some(part) = parts.last_mut() {
            part.push(change);
        }
    }
    parts
}

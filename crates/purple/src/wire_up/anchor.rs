//! The audit anchor of a data folder, kept outside it: whoever changes the folder leaves the anchor as it was.

use std::path::{Path, PathBuf};

use purple_process::Digest;
use purple_store::audit::{Anchor, AuditKey};
use purple_worker::ClientError;
use purple_worker::port::Clock as _;

use crate::config::{Config, Environment};
use crate::failure::Failure;
use crate::wire_up::{SystemClock, reader};

/// Where anchors of this data folder are kept. `None` where the platform has no place outside it.
pub(crate) fn place(config: &Config, environment: &Environment) -> Option<PathBuf> {
    let folder = environment.folder().join(&config.settings.data_dir);
    let place = environment.user_state()?.join("anchors");
    let name = Digest::of(folder.as_os_str().as_encoded_bytes()).to_string();
    let name = name.rsplit(':').next()?.get(..16)?.to_owned();
    (!place.starts_with(&folder)).then(|| place.join(name))
}

/// The anchor that was kept for the database that is in the folder now.
pub(crate) fn kept(place: &Path, database: &str) -> Result<Option<Anchor>, Failure> {
    let file = place.join(database);
    match std::fs::read_to_string(&file) {
        Ok(text) => Anchor::parse(&text).map(Some).map_err(|cause| Failure::Anchor { file, cause }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(Failure::Read { file, cause }),
    }
}

/// Whether there are anchors of another database, which was in the folder before.
pub(crate) fn of_another(place: &Path, database: &str) -> bool {
    let Ok(files) = std::fs::read_dir(place) else { return false };
    let names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
    names.into_iter().any(|name| name != database && !name.starts_with(DRAFT))
}

/// What the name of an anchor begins with that is being written.
const DRAFT: &str = "draft-";

/// Writes the anchor anew, unless the one that is there does not hold: it is the evidence of that.
pub(crate) fn renew(folder: &Path, place: &Path) -> Result<(), Failure> {
    let reader = reader(folder)?;
    let key = AuditKey::of_folder(folder)?;
    let anchor = reader.anchor(&key, SystemClock.now()).map_err(ClientError::from)?;
    if let Some(before) = kept(place, anchor.database())? {
        let is_ours = before.database() == anchor.database() && before.key() == anchor.key();
        if !is_ours || reader.lost_since(&before).map_err(ClientError::from)?.is_some() {
            return Ok(());
        }
    }
    let (file, draft) = (place.join(anchor.database()), place.join(format!("{DRAFT}{}", std::process::id())));
    let failed = |cause| Failure::Write { file: file.clone(), cause };
    std::fs::create_dir_all(place).map_err(failed)?;
    let _ = std::fs::remove_file(&draft);
    anchor.write_to(&draft).map_err(failed)?;
    std::fs::rename(&draft, &file).map_err(failed)
}

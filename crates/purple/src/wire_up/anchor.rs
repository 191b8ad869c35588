//! The audit anchor of a data folder, kept outside it: whoever changes the folder leaves the anchor as it was.

use std::path::{Path, PathBuf};

use purple_process::Digest;
use purple_store::audit::{Anchor, AuditKey};
use purple_worker::ClientError;
use purple_worker::port::Clock as _;

use crate::config::{Config, Environment};
use crate::failure::Failure;
use crate::wire_up::{SystemClock, reader};

/// Where anchors are kept: by the folder that a database was in, and by the database, wherever it is.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// One file for each database that was ever in the folder.
    pub(crate) folder: PathBuf,
    /// One file for each database. A folder that is moved does not lead away from it.
    databases: PathBuf,
}

/// Where anchors of this data folder are kept. `None` where the platform has no place outside it.
pub(crate) fn place(config: &Config, environment: &Environment) -> Option<Place> {
    let data = environment.folder().join(&config.settings.data_dir);
    let anchors = environment.user_state()?.join("anchors");
    let name = Digest::of(data.as_os_str().as_encoded_bytes()).to_string();
    let name = name.rsplit(':').next()?.get(..16)?.to_owned();
    let place = Place { folder: anchors.join(name), databases: anchors.join("databases") };
    (!anchors.starts_with(&data)).then_some(place)
}

impl Place {
    fn files(&self, database: &str) -> [PathBuf; 2] {
        [&self.databases, &self.folder].map(|place| place.join(database))
    }

    /// The anchors that were kept for a database: here, and wherever its folder was before.
    pub(crate) fn kept(&self, database: &str) -> Result<Vec<Anchor>, Failure> {
        let mut kept = Vec::new();
        for file in self.files(database) {
            match std::fs::read_to_string(&file) {
                Ok(text) => kept.push(Anchor::parse(&text).map_err(|cause| Failure::Anchor { file, cause })?),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(cause) => return Err(Failure::Read { file, cause }),
            }
        }
        Ok(kept)
    }

    /// An anchor of another database, which was in the folder before.
    pub(crate) fn of_another(&self, database: &str) -> Option<PathBuf> {
        let files = std::fs::read_dir(&self.folder).ok()?;
        let mut names = files.filter_map(|file| file.ok()?.file_name().into_string().ok());
        let other = names.find(|name| name != database && !name.starts_with(DRAFT))?;
        Some(self.folder.join(other))
    }
}

/// What the name of an anchor begins with that is being written.
const DRAFT: &str = "draft-";

/// Writes the anchors anew, unless one that is there does not hold: it is the evidence of that.
pub(crate) fn renew(folder: &Path, place: &Place) -> Result<(), Failure> {
    let reader = reader(folder)?;
    let key = AuditKey::of_folder(folder)?;
    let anchor = reader.anchor(&key, SystemClock.now()).map_err(ClientError::from)?;
    for before in place.kept(anchor.database())? {
        let is_ours = before.database() == anchor.database() && before.key() == anchor.key();
        if !is_ours || reader.lost_since(&before).map_err(ClientError::from)?.is_some() {
            return Ok(());
        }
    }
    place.files(anchor.database()).iter().try_for_each(|file| write(&anchor, file))
}

/// Puts an anchor in the place of the one before, in one step.
fn write(anchor: &Anchor, file: &Path) -> Result<(), Failure> {
    let failed = |cause| Failure::Write { file: file.to_owned(), cause };
    let Some(folder) = file.parent() else { return Ok(()) };
    let draft = folder.join(format!("{DRAFT}{}", std::process::id()));
    std::fs::create_dir_all(folder).map_err(failed)?;
    let _ = std::fs::remove_file(&draft);
    anchor.write_to(&draft).map_err(failed)?;
    std::fs::rename(&draft, file).map_err(failed)
}

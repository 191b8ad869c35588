//! Logins at tool servers, a file each, hidden with a key of their own beside the database.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::files;
use crate::open::make_folder;
use crate::vault::Vault;

/// The key of a data folder, for logins.
const KEY_FILE: &str = "logins.key";
const FOLDER: &str = "logins";

/// Keeps one text a server, sealed with ChaCha20-Poly1305 and bound to the server's name. Only its owner may read the
/// files and the key, and no backup holds them.
///
/// It works beside a running store: a file is replaced as a whole.
pub struct LoginFiles {
    folder: PathBuf,
    vault: Vault,
}

impl LoginFiles {
    /// Those of a data folder. Nothing is made before the first one is kept.
    pub fn of_folder(data: &Path) -> Self {
        Self { folder: data.join(FOLDER), vault: Vault::with_key(data.join(KEY_FILE)) }
    }

    /// The text of a server; `None` if there is none, or none that this key opens.
    ///
    /// # Errors
    /// If the files cannot be read.
    pub fn load(&self, server: &str) -> io::Result<Option<String>> {
        let sealed = match std::fs::read(self.file(server)?) {
            Ok(sealed) => sealed,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let plain = self.vault.unseal(&sealed, server.as_bytes()).map_err(io::Error::other)?;
        Ok(plain.and_then(|plain| String::from_utf8(plain).ok()))
    }

    /// Keeps a text in place of the one before.
    ///
    /// # Errors
    /// If it is not durable.
    pub fn save(&self, server: &str, text: &str) -> io::Result<()> {
        let file = self.file(server)?;
        make_folder(&self.folder)?;
        let sealed = self.vault.seal(text.as_bytes(), server.as_bytes()).map_err(io::Error::other)?;
        // Two programs may keep a login at the same moment; each writes a draft of its own.
        let draft = self.folder.join(format!("{server}.{}.draft", std::process::id()));
        let written = File::create(&draft).and_then(|mut out| {
            files::own(&out)?;
            out.write_all(&sealed)?;
            out.sync_all()
        });
        let placed = written.and_then(|()| std::fs::rename(&draft, &file));
        if placed.is_err() {
            let _ = std::fs::remove_file(&draft);
        }
        placed.and_then(|()| files::sync_folder(&file))
    }

    /// Forgets the text of a server, and says whether there was one.
    ///
    /// # Errors
    /// If it may still be there.
    pub fn forget(&self, server: &str) -> io::Result<bool> {
        match std::fs::remove_file(self.file(server)?) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// A name that could lead elsewhere is no name of a server.
    fn file(&self, server: &str) -> io::Result<PathBuf> {
        let clean = server.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
        if server.is_empty() || !clean {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a server"));
        }
        Ok(self.folder.join(server))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_kept_hidden_and_for_its_own_server() {
        let data = tempfile::tempdir().unwrap();
        let logins = LoginFiles::of_folder(data.path());
        assert_eq!(logins.load("books").unwrap(), None);
        logins.save("books", "token-1").unwrap();
        logins.save("books", "token-2").unwrap();
        assert_eq!(LoginFiles::of_folder(data.path()).load("books").unwrap().as_deref(), Some("token-2"));
        let file = data.path().join("logins/books");
        let bytes = std::fs::read(&file).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"token-"), "it is sealed");
        std::fs::copy(&file, data.path().join("logins/post")).unwrap();
        assert_eq!(logins.load("post").unwrap(), None, "and opens under no other name");
        std::fs::write(data.path().join("logins/torn"), &bytes[..5]).unwrap();
        assert_eq!(logins.load("torn").unwrap(), None);
        assert!(logins.forget("books").unwrap() && !logins.forget("books").unwrap());
        assert_eq!(logins.load("books").unwrap(), None);
    }

    #[test]
    #[cfg(unix)]
    fn only_the_owner_reads_logins_and_their_key() {
        use std::os::unix::fs::PermissionsExt as _;
        let data = tempfile::tempdir().unwrap();
        LoginFiles::of_folder(data.path()).save("books", "token-1").unwrap();
        for file in ["logins/books", "logins.key"] {
            let mode = std::fs::metadata(data.path().join(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{file}");
        }
        let left: Vec<_> = std::fs::read_dir(data.path().join("logins")).unwrap().collect();
        assert_eq!(left.len(), 1, "no draft is left behind");
    }

    #[test]
    fn a_name_leads_nowhere_else() {
        let data = tempfile::tempdir().unwrap();
        let logins = LoginFiles::of_folder(data.path());
        for name in ["", "../x", "a/b", "a.b", "ä"] {
            assert!(
                logins.save(name, "x").is_err() && logins.load(name).is_err() && logins.forget(name).is_err()
            );
        }
    }
}

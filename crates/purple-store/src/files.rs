//! Files that are there in full, or not at all.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The place beside `path` where it is prepared.
pub(crate) fn draft_path(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".draft");
    path.with_file_name(name)
}

/// Writes a new file: prepared beside its place, synced, then renamed. A file that is there stays.
pub(crate) fn write_new(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let draft = draft_path(path);
    let mut out = BufWriter::new(File::create(&draft)?);
    let filled = fill(&mut out).and_then(|()| out.flush()).and_then(|()| out.get_ref().sync_all());
    drop(out);
    let placed = filled.and_then(|()| place(&draft, path));
    if placed.is_err() {
        let _ = std::fs::remove_file(&draft);
    }
    placed
}

/// Puts a synced draft in its place.
pub(crate) fn place(draft: &Path, path: &Path) -> io::Result<()> {
    if path.try_exists()? {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "there is a file of this name"));
    }
    std::fs::rename(draft, path)?;
    sync_folder(path)
}

/// Makes the name durable; what is in the file was synced before.
#[cfg(unix)]
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}

/// Other systems do not open folders as files, and make names durable by themselves.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_path: &Path) -> io::Result<()> {
    Ok(())
}

/// Makes a file its owner's alone.
#[cfg(unix)]
pub(crate) fn own(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

/// Other systems give a new file to its owner.
#[cfg(not(unix))]
pub(crate) fn own(_file: &File) -> io::Result<()> {
    Ok(())
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The bytes of hexadecimal digits, small ones only.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .bytes()
        .map(|digit| match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        })
        .collect();
    let pairs = digits?;
    let whole = pairs.chunks_exact(2);
    if !whole.remainder().is_empty() {
        return None;
    }
    Some(whole.map(|pair| pair.iter().fold(0_u8, |byte, digit| byte << 4 | digit)).collect())
}

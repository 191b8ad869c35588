//! The local socket: how commands reach the process that holds the data folder.
//!
//! One exchange per connection: both sides say which protocol they speak, the client asks once, the server answers once.
//! A frame is four bytes of length, the highest first, and that many bytes of JSON.

mod door;
mod remote;
mod wire;

use std::io;
use std::path::{Path, PathBuf};

pub use door::LocalDoor;
pub use remote::{Remote, RemoteError};

/// The socket, in the data folder.
const SOCKET: &str = "local.sock";

/// The socket of this data folder.
fn socket_path(folder: &Path) -> PathBuf {
    folder.join(SOCKET)
}

/// A socket that could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum LocalError {
    /// Others may write into the data folder, and could put their own socket in the place of ours.
    #[error("others may write into the data folder `{}` (mode {mode:03o})", folder.display())]
    FolderOpen {
        /// The folder.
        folder: PathBuf,
        /// Its mode.
        mode: u32,
    },
    /// Something else has the name of the socket.
    #[error("`{}` is there, and is no socket", path.display())]
    NotASocket {
        /// The file.
        path: PathBuf,
    },
    /// The file system refused.
    #[error("the local socket `{}`: {cause}", path.display())]
    Files {
        /// The file.
        path: PathBuf,
        /// What it said.
        #[source]
        cause: io::Error,
    },
}

impl LocalError {
    /// What a person can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::FolderOpen { .. } => "let only its owner write into it: chmod 700",
            Self::NotASocket { .. } => "move the file out of the data folder",
            Self::Files { .. } => {
                "check that the folder may be written, and that its path has fewer than 90 bytes: sockets take no longer ones"
            }
        }
    }
}

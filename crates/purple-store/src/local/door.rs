//! Serves the local socket, for whoever holds the data folder.

use std::io;
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use purple_port::{Brake as _, Definitions as _, EngineError, Imported, Inbox as _, Tokens as _};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::wire::{
    self, Fault, FrameError, HELLO_BYTES_MAX, Hello, PROTOCOL, REPLY_BYTES_MAX, REQUEST_BYTES_MAX, Refusal,
    Reply, Request,
};
use super::{LocalError, socket_path};
use crate::files::draft_path;
use crate::halts;
use crate::store::Store;

/// How many clients are served at a time; further ones wait to be accepted.
const CLIENTS_MAX: usize = 32;
/// How long a client may take to say what it wants, and to take the answer.
const CLIENT_WAIT: Duration = Duration::from_secs(5);
/// How long nobody is accepted after the system refused to accept.
const ACCEPT_AGAIN: Duration = Duration::from_millis(200);

/// The open socket. Dropped, it is gone; the store stays.
#[derive(Debug)]
pub struct LocalDoor {
    path: PathBuf,
    /// The device and the number of the socket's file: what lies there later may be another's.
    file: (u64, u64),
    stop: watch::Sender<bool>,
    serving: JoinHandle<()>,
}

/// Who is served, and how long anybody is waited for.
#[derive(Clone, Copy, Debug)]
struct House {
    owner: u32,
    client_wait: Duration,
}

impl LocalDoor {
    /// Opens the socket in the store's folder. One that a process left behind is replaced: who has the store has the folder.
    ///
    /// Needs a tokio runtime around it.
    pub fn open(store: &Store) -> Result<Self, LocalError> {
        let (listener, path, found) = listen(store.folder())?;
        // The file that was just made belongs to whom this process runs as.
        let house = House { owner: found.uid(), client_wait: CLIENT_WAIT };
        Ok(Self::serve(store.clone(), listener, path, (found.dev(), found.ino()), house))
    }

    fn serve(store: Store, listener: UnixListener, path: PathBuf, file: (u64, u64), house: House) -> Self {
        let (stop, stopping) = watch::channel(false);
        let serving = tokio::spawn(serve(store, listener, house, stopping));
        Self { path, file, stop, serving }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Accepts nobody any more, answers those who are there, and takes the socket away.
    pub async fn close(mut self) {
        self.stop.send_replace(true);
        // A task that panicked serves nobody any more either.
        let _ = (&mut self.serving).await;
    }
}

impl Drop for LocalDoor {
    fn drop(&mut self) {
        self.serving.abort();
        let ours =
            std::fs::symlink_metadata(&self.path).is_ok_and(|found| (found.dev(), found.ino()) == self.file);
        if ours {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Binds beside the place, makes it the owner's alone, and then puts it in its place: nobody ever sees it open to others.
fn listen(folder: &Path) -> Result<(UnixListener, PathBuf, std::fs::Metadata), LocalError> {
    let path = socket_path(folder);
    let files = |cause| LocalError::Files { path: path.clone(), cause };
    let mode = std::fs::metadata(folder).map_err(files)?.permissions().mode() & 0o777;
    if mode & 0o022 != 0 {
        return Err(LocalError::FolderOpen { folder: folder.to_path_buf(), mode });
    }
    let draft = draft_path(&path);
    for stale in [&path, &draft] {
        match std::fs::symlink_metadata(stale) {
            Ok(found) if !found.file_type().is_socket() => {
                return Err(LocalError::NotASocket { path: stale.clone() });
            }
            Ok(_) if *stale == draft => std::fs::remove_file(stale).map_err(files)?,
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(cause) => return Err(files(cause)),
        }
    }
    let listener = UnixListener::bind(&draft).map_err(files)?;
    std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o600)).map_err(files)?;
    std::fs::rename(&draft, &path).map_err(files)?;
    let found = std::fs::symlink_metadata(&path).map_err(files)?;
    Ok((listener, path, found))
}

async fn serve(store: Store, listener: UnixListener, house: House, mut stopping: watch::Receiver<bool>) {
    let mut clients = JoinSet::new();
    loop {
        tokio::select! {
            biased;
            _ = stopping.changed() => break,
            Some(_) = clients.join_next() => {}
            accepted = listener.accept(), if clients.len() < CLIENTS_MAX => match accepted {
                Ok((stream, _)) => {
                    clients.spawn(client(store.clone(), stream, house));
                }
                // No more open files, for the moment.
                Err(_) => tokio::time::sleep(ACCEPT_AGAIN).await,
            },
        }
    }
    drop(listener);
    while clients.join_next().await.is_some() {}
}

/// One client: what it says may be anything, and it may stop in the middle.
async fn client(store: Store, mut stream: UnixStream, house: House) {
    let asked = tokio::time::timeout(house.client_wait, hear(&mut stream, house.owner)).await;
    let reply = match asked {
        Ok(Ok(request)) => answer(&store, request).await.unwrap_or_else(|error| Reply::Failed(error.into())),
        Ok(Err(Some(refusal))) => Reply::Refused(refusal),
        // It went away, or said nothing for too long.
        Ok(Err(None)) | Err(_) => return,
    };
    let Some(frame) = reply_frame(&reply) else { return };
    // Who does not take the answer may ask again.
    let _ = tokio::time::timeout(house.client_wait, wire::send(&mut stream, &frame)).await;
}

/// What the client wants. `None` is a client that is gone.
async fn hear(stream: &mut UnixStream, owner: u32) -> Result<Request, Option<Refusal>> {
    let peer = stream.peer_cred().map_err(|_| None)?;
    if peer.uid() != owner {
        return Err(Some(Refusal::NotTheOwner));
    }
    let hello: Hello = wire::read(stream, HELLO_BYTES_MAX).await.map_err(refusal)?;
    if hello.hello != PROTOCOL {
        return Err(Some(Refusal::Protocol { spoken: PROTOCOL.to_owned() }));
    }
    let ours = wire::frame(&Hello::ours(), HELLO_BYTES_MAX).map_err(refusal)?;
    wire::send(stream, &ours).await.map_err(|_| None)?;
    wire::read(stream, REQUEST_BYTES_MAX).await.map_err(refusal)
}

fn refusal(error: FrameError) -> Option<Refusal> {
    match error {
        FrameError::Io(_) => None,
        FrameError::TooLong { bytes, bytes_max } => {
            Some(Refusal::TooLong { bytes: bytes as u64, bytes_max: bytes_max as u64 })
        }
        FrameError::NotJson(error) => Some(Refusal::NotARequest { said: error.to_string() }),
    }
}

async fn answer(store: &Store, request: Request) -> Result<Reply, EngineError> {
    Ok(match request {
        Request::Ping => Reply::Done,
        Request::Post(post) => store.post(post).await?.into(),
        Request::Halt(halt) => {
            store.halt(halt).await?;
            Reply::Done
        }
        Request::Resume { process, by } => Reply::Was(store.resume(process.as_deref(), &by).await?),
        Request::Halts => Reply::Halts(store.halts().await?),
        Request::Held { after } => Reply::Held(halts::held_page(&store.core.readers, after).await?),
        Request::KeepToken { token, by } => Reply::Was(store.keep_token(token, &by).await?),
        Request::Forget { what, by } => {
            Reply::Learned(Imported { rows: store.forget(what, by).await?, ..Imported::default() })
        }
        Request::Import { seed, cases_max, by } => Reply::Learned(store.import(*seed, cases_max, by).await?),
        Request::Redefine(change) => Reply::Was(store.redefine(change).await?),
        Request::RevokeToken { id, by, at } => Reply::Was(store.revoke_token(&id, &by, at).await?),
        Request::RecordPins { pins, by } => {
            store.record_pins(pins, &by).await?;
            Reply::Done
        }
        Request::Unstick { session, how, by } => Reply::Was(store.unstick(&session, how.into(), &by).await?),
    })
}

/// An answer that is too long becomes one that says so.
fn reply_frame(reply: &Reply) -> Option<Vec<u8>> {
    match wire::frame(reply, REPLY_BYTES_MAX) {
        Ok(frame) => Some(frame),
        Err(FrameError::TooLong { bytes, bytes_max }) => {
            let fault = Fault::from(EngineError::TooLarge { what: "reply", bytes, bytes_max });
            wire::frame(&Reply::Failed(fault), REPLY_BYTES_MAX).ok()
        }
        Err(FrameError::Io(_) | FrameError::NotJson(_)) => None,
    }
}

#[cfg(test)]
#[path = "door_tests.rs"]
mod tests;

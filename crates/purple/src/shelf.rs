//! The processes that are in force: the built-in ones and those of the operator's folders.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use purple_process::file::{ProcessFile, Refused, load_bytes};
use purple_worker::Process;

use crate::config::{Settings, nearest};
use crate::failure::Failure;

/// A process and where it came from.
pub(crate) struct Shelved {
    /// The process, and the text that it was loaded from.
    pub(crate) process: Arc<ProcessFile>,
    pub(crate) text: Arc<str>,
    /// Its file; `None` if it is built in.
    pub(crate) file: Option<PathBuf>,
}

/// Everything on the shelf, and what could not be put there.
#[derive(Default)]
pub(crate) struct Shelf {
    /// By name. A file of the operator takes the place of a built-in process of the same name.
    pub(crate) processes: Vec<Shelved>,
    /// Files that were refused.
    pub(crate) refused: Vec<(PathBuf, Refused)>,
    /// Files and folders that cannot be read.
    pub(crate) unreadable: Vec<(PathBuf, std::io::Error)>,
}

impl Shelf {
    /// Fills the shelf. What is wrong with one file does not spoil the others.
    pub(crate) fn fill(settings: &Settings) -> Self {
        let mut shelf = Self::default();
        // INVARIANT: the built-in files load; a test of their own room walks them.
        for Process { file: process, text, .. } in Process::shipped().unwrap_or_default() {
            shelf.processes.push(Shelved { process, text, file: None });
        }
        for folder in &settings.process_dirs {
            shelf.folder(folder);
        }
        shelf.processes.sort_by(|a, b| a.process.name().cmp(b.process.name()));
        shelf
    }

    fn folder(&mut self, folder: &Path) {
        let files = match std::fs::read_dir(folder) {
            Ok(entries) => entries.filter_map(Result::ok).map(|entry| entry.path()),
            Err(cause) => return self.unreadable.push((folder.to_owned(), cause)),
        };
        let is_yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
        let mut files: Vec<PathBuf> = files.filter(is_yaml).collect();
        files.sort();
        for file in files {
            match std::fs::read(&file).map(|bytes| (load_bytes(&bytes), bytes)) {
                Ok((Ok(process), bytes)) => {
                    self.processes.retain(|old| old.process.name() != process.name());
                    // What was loaded is UTF-8; nothing is lost here.
                    let text = Arc::from(String::from_utf8_lossy(&bytes));
                    self.processes.push(Shelved { process: Arc::new(process), text, file: Some(file) });
                }
                Ok((Err(refused), _)) => self.refused.push((file, refused)),
                Err(cause) => self.unreadable.push((file, cause)),
            }
        }
    }

    /// The process of this name, or of another name that it answers to.
    pub(crate) fn find(self, name: &str) -> Result<ProcessFile, Failure> {
        let near = nearest(name, self.processes.iter().map(|one| one.process.name())).map(str::to_owned);
        let found =
            self.processes.into_iter().find(|one| one.process.name() == name || one.process.answers_to(name));
        found
            .map(|one| ProcessFile::clone(&one.process))
            .ok_or_else(|| Failure::NoSuchProcess { name: name.to_owned(), near })
    }
}

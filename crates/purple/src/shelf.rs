//! The processes that are in force: the built-in ones, those of the operator's folders, and those made or signed here.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use purple_process::file::{ProcessFile, Refused, load_bytes};
use purple_worker::port::{Defined, DefinitionKind, Definitions as _, Signed};
use purple_worker::{ClientError, Process, Standing, in_effect};

use crate::commands::runtime;
use crate::config::{Config, Settings, nearest};
use crate::failure::Failure;
use crate::wire_up::reader;

/// A process and where it came from.
pub(crate) struct Shelved {
    /// The process, and the text that it was loaded from.
    pub(crate) process: Arc<ProcessFile>,
    pub(crate) text: Arc<str>,
    /// Its file, if it lies in a folder of the operator.
    pub(crate) file: Option<PathBuf>,
    /// Who answers for it.
    pub(crate) standing: Standing,
    /// The signature, if it was signed here.
    pub(crate) signed: Option<Signed>,
}

impl Shelved {
    /// Where it comes from, for people.
    pub(crate) fn whence(&self) -> String {
        let by = self.signed.as_ref().map_or_else(String::new, |signed| format!(" by {}", signed.by));
        match (self.standing, &self.file) {
            (Standing::Operator, Some(file)) => file.display().to_string(),
            (Standing::Operator, None) => "a folder of yours".to_owned(),
            (Standing::Shipped, _) => "built in".to_owned(),
            (Standing::Signed, _) => format!("signed{by}"),
            (Standing::SignedInstead, _) => format!("signed{by}, in the place of the built-in one"),
            (Standing::Unsigned, _) => "unsigned: a person is asked about everything".to_owned(),
        }
    }

    pub(crate) fn to_process(&self) -> Process {
        Process { file: Arc::clone(&self.process), text: Arc::clone(&self.text), standing: self.standing }
    }
}

/// Everything that was made or signed here.
pub(crate) fn definitions(config: &Config) -> Result<Vec<Defined>, Failure> {
    let reader = match reader(&config.settings.data_dir) {
        Ok(reader) => reader,
        Err(Failure::NothingYet { .. }) => return Ok(Vec::new()),
        Err(other) => return Err(other),
    };
    Ok(runtime()?.block_on(reader.definitions()).map_err(ClientError::from)?)
}

/// Everything on the shelf, and what could not be put there.
#[derive(Default)]
pub(crate) struct Shelf {
    /// By name. A file of the operator takes the place of a built-in process of the same name, and so does what a person
    /// signed here where the operator has no such file.
    pub(crate) processes: Vec<Shelved>,
    /// Files that were refused.
    pub(crate) refused: Vec<(PathBuf, Refused)>,
    /// Files and folders that cannot be read.
    pub(crate) unreadable: Vec<(PathBuf, std::io::Error)>,
}

impl Shelf {
    /// What is in effect, with what was made or signed here.
    pub(crate) fn in_effect(config: &Config) -> Result<Self, Failure> {
        Ok(Self::fill(&config.settings).with(&definitions(config)?, config))
    }

    /// The same with these definitions.
    pub(crate) fn with(mut self, definitions: &[Defined], config: &Config) -> Self {
        let before: Vec<Process> = self.processes.iter().map(Shelved::to_process).collect();
        let known = std::mem::take(&mut self.processes);
        let signature = |name: &str| {
            let is_it = |one: &&Defined| one.kind == DefinitionKind::Process && one.name == name;
            definitions.iter().find(is_it).and_then(|one| one.signed.clone())
        };
        for Process { file: process, text, standing } in
            in_effect(&before, definitions, config.settings.synthesis)
        {
            let is_it = |one: &&Shelved| one.process.name() == process.name();
            let file = known.iter().find(is_it).and_then(|one| one.file.clone());
            let signed = match standing {
                Standing::Signed | Standing::SignedInstead => signature(process.name()),
                Standing::Shipped | Standing::Operator | Standing::Unsigned => None,
            };
            self.processes.push(Shelved { process, text, file, standing, signed });
        }
        self.processes.sort_by(|a, b| a.process.name().cmp(b.process.name()));
        self
    }

    /// Fills the shelf with what ships and what lies in folders. What is wrong with one file does not spoil the others.
    pub(crate) fn fill(settings: &Settings) -> Self {
        let mut shelf = Self::default();
        // INVARIANT: the built-in files load; a test of their own room walks them.
        for Process { file: process, text, standing } in Process::shipped().unwrap_or_default() {
            shelf.processes.push(Shelved { process, text, file: None, standing, signed: None });
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
                    let (process, standing) = (Arc::new(process), Standing::Operator);
                    self.processes.push(Shelved { process, text, file: Some(file), standing, signed: None });
                }
                Ok((Err(refused), _)) => self.refused.push((file, refused)),
                Err(cause) => self.unreadable.push((file, cause)),
            }
        }
    }

    /// The process of this name, or of another name that it answers to.
    pub(crate) fn named(&self, name: &str) -> Option<&Shelved> {
        let own = self.processes.iter().find(|one| one.process.name() == name);
        own.or_else(|| self.processes.iter().find(|one| one.process.answers_to(name)))
    }

    /// The same, or that there is none.
    pub(crate) fn find(&self, name: &str) -> Result<ProcessFile, Failure> {
        let near = nearest(name, self.processes.iter().map(|one| one.process.name())).map(str::to_owned);
        let known = self.processes.iter().map(|one| one.process.name().to_owned()).collect();
        let found = self.named(name).map(|one| ProcessFile::clone(&one.process));
        found.ok_or_else(|| Failure::NoSuchProcess { name: name.to_owned(), near, known })
    }
}

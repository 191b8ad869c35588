//! What the settings mean, and where each value came from: flag, environment, project file, user file, built in.

mod assemble;
mod environment;
mod key;
mod layer;
mod named;
mod oauth;
mod origin;
mod people;
mod problem;
mod secret;
mod settings;
mod systems;
mod trust;
mod value;

#[cfg(test)]
#[path = "config_tests.rs"]
mod tests;

use std::path::{Path, PathBuf};

pub(crate) use environment::{Environment, TOKEN_VARIABLE};
use key::KEYS;
pub(crate) use origin::{FileKind, Mark, Origin};
#[cfg(test)]
pub(crate) use people::Entry;
pub(crate) use people::People;
pub(crate) use problem::{Refused, nearest};
pub(crate) use secret::{NoSecret, SecretRef};
pub(crate) use settings::{Auth, Era, Provider, Server, ServerAt, Settings, ToolSetting};
pub(crate) use value::Value;

use layer::{KeyPath, Layer, Set};
use problem::Problem;

/// Which files are read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Files {
    /// `purple.toml` in this folder or above it, and the user's own.
    Found,
    /// This one and no other.
    Only(PathBuf),
    /// None.
    None,
}

/// What flags say about settings: the key, the flag, the value.
pub(crate) type Flags = Vec<(&'static str, &'static str, String)>;

/// The configuration: what it means, and each value with its origin.
#[derive(Clone, Debug)]
pub(crate) struct Config {
    /// What it means.
    pub(crate) settings: Settings,
    /// The files that were read, the strongest first.
    pub(crate) files: Vec<PathBuf>,
    /// Variables that are most likely slips, and what was meant.
    pub(crate) slips: Vec<(String, String)>,
    values: Layer,
}

/// One line of `config show`.
pub(crate) struct Shown<'a> {
    pub(crate) key: String,
    pub(crate) value: Option<&'a Value>,
    pub(crate) origin: Option<&'a Origin>,
    pub(crate) says: &'static str,
}

impl Config {
    /// Reads all layers. One mistake, and all of it is refused, with every mistake told.
    pub(crate) fn load(environment: &Environment, files: &Files, flags: &Flags) -> Result<Self, Refused> {
        let mut problems = Vec::new();
        let mut values = layer::built_in(environment);
        let mut read = Vec::new();
        for (kind, path) in files_of(environment, files) {
            match layer::file(kind, &path) {
                Ok(layer) => values.extend(layer),
                Err(found) => problems.extend(found),
            }
            read.insert(0, path);
        }
        values.extend(layer::variables(environment, &mut problems));
        values.extend(flag_layer(environment, flags, &mut problems));
        problems.extend(named::problems(&values, environment));
        let settings = assemble::of(&values, &mut problems);
        if !problems.is_empty() {
            return Err(Refused { problems });
        }
        Ok(Self { settings, files: read, slips: layer::slips(environment), values })
    }

    /// Every setting, set or not, in the order of the reference; named ones by their names.
    pub(crate) fn shown(&self) -> Vec<Shown<'_>> {
        let mut lines = Vec::new();
        for key in KEYS {
            let set: Vec<(&KeyPath, &Set)> = self.values.iter().filter(|(path, _)| key.is(path)).collect();
            if set.is_empty() && !key.path.contains('*') {
                lines.push(Shown { key: key.path.to_owned(), value: None, origin: None, says: key.says });
            }
            for (path, Set { value, origin }) in set {
                let value = Some(value);
                lines.push(Shown { key: path.join("."), value, origin: Some(origin), says: key.says });
            }
        }
        lines
    }
}

/// The files from the weakest to the strongest.
fn files_of(environment: &Environment, files: &Files) -> Vec<(FileKind, PathBuf)> {
    match files {
        Files::None => Vec::new(),
        Files::Only(path) => vec![(FileKind::Named, environment.folder().join(path))],
        Files::Found => {
            let user = environment.user_config().filter(|path| path.is_file());
            let project = project_file(environment.folder());
            let user = user.filter(|path| Some(path) != project.as_ref());
            let user = user.map(|path| (FileKind::User, path));
            user.into_iter().chain(project.map(|path| (FileKind::Project, path))).collect()
        }
    }
}

/// `purple.toml` in this folder or the nearest above it.
pub(crate) fn project_file(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().map(|folder| folder.join("purple.toml")).find(|path| path.is_file())
}

fn flag_layer(environment: &Environment, flags: &Flags, problems: &mut Vec<Problem>) -> Layer {
    let mut layer = Layer::new();
    for (path, flag, text) in flags {
        let Some(key) = KEYS.iter().find(|key| key.path == *path) else { continue };
        let origin = Origin::Flag(flag);
        match value::of_text(key.kind, text) {
            Ok(value) => {
                let value = layer::absolute(key.kind, value, environment.folder());
                layer.insert(key.words().map(str::to_owned).collect(), Set { value, origin });
            }
            Err(misfit) => problems.push(layer::problem(misfit, origin)),
        }
    }
    layer
}

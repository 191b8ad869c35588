//! The environment of the process. The only file that reads it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The variable that holds a token of the command line, for scripts.
pub(crate) const TOKEN_VARIABLE: &str = "PURPLE_TOKEN";

/// What the process was given when it started.
#[derive(Clone, Debug, Default)]
pub(crate) struct Environment {
    variables: BTreeMap<String, String>,
    folder: PathBuf,
}

impl Environment {
    /// Reads it. Variables that are not text are not seen.
    pub(crate) fn read() -> Self {
        let variables = std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect();
        // Without a present folder, relative paths fail where they are used, and say so.
        let folder = std::env::current_dir().unwrap_or_default();
        Self { variables, folder }
    }

    /// A variable. An empty one counts as not set.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// The names of all variables, sorted.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.variables.keys().map(String::as_str)
    }

    /// The present folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the user's own configuration is.
    pub(crate) fn user_config(&self) -> Option<PathBuf> {
        self.home("XDG_CONFIG_HOME", ".config").map(|home| home.join("purple").join("purple.toml"))
    }

    /// Where data is kept that nobody put anywhere else.
    pub(crate) fn user_data(&self) -> PathBuf {
        self.home("XDG_DATA_HOME", ".local/share")
            .map_or_else(|| self.folder.join(".purple"), |home| home.join("purple"))
    }

    /// Where state of this user is kept that is neither configuration nor data.
    pub(crate) fn user_state(&self) -> Option<PathBuf> {
        self.home("XDG_STATE_HOME", ".local/state").map(|home| home.join("purple"))
    }

    fn home(&self, variable: &str, under: &str) -> Option<PathBuf> {
        // XDG: a relative path is to be ignored.
        let given = self.get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
        let homes = ["HOME", "USERPROFILE"];
        given.or_else(|| {
            homes.into_iter().find_map(|name| self.get(name)).map(|home| Path::new(home).join(under))
        })
    }

    /// The program of this name on the search path, or the file itself.
    pub(crate) fn program(&self, name: &str) -> Option<PathBuf> {
        let path = Path::new(name);
        if path.components().count() > 1 {
            return Some(self.folder.join(path)).filter(|file| file.is_file());
        }
        let search = self.get("PATH")?;
        std::env::split_paths(search).map(|folder| folder.join(name)).find(|file| file.is_file())
    }

    #[cfg(test)]
    pub(crate) fn of<const N: usize>(folder: &Path, variables: [(&str, &str); N]) -> Self {
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Self { variables: BTreeMap::from(variables), folder: folder.to_owned() }
    }
}

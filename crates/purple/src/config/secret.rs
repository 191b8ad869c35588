//! Secrets: where they are, and a value that cannot be printed.

use std::fmt;
use std::path::PathBuf;
use std::process::Command;

use crate::config::environment::Environment;

/// The largest secret, in bytes.
const SECRET_BYTES_MAX: usize = 64 * 1024;

/// A secret. It has no `Display`, and `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(String);

impl Secret {
    /// The secret itself, for the one place that sends it.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Secret(…)")
    }
}

/// Where a secret is. Only this is ever written down.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum SecretRef {
    /// In an environment variable.
    Variable(String),
    /// In a file, its last line end aside.
    File(PathBuf),
    /// In what a program prints: the program and its arguments.
    Command(Vec<String>),
}

/// A secret that cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoSecret {
    #[error("the variable `{0}` is not set")]
    NotSet(String),
    #[error("`{}` cannot be read: {cause}", file.display())]
    Unreadable { file: PathBuf, cause: std::io::Error },
    #[error("`{program}` cannot be run: {cause}")]
    NotRun { program: String, cause: std::io::Error },
    #[error("`{program}` failed ({status})")]
    Failed { program: String, status: std::process::ExitStatus },
    #[error("{from} gives no text of at most {SECRET_BYTES_MAX} bytes")]
    NotText { from: String },
}

impl SecretRef {
    /// Reads `env:NAME`, `file:PATH` or `cmd:PROGRAM ARGUMENTS`; `None` for anything else.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (scheme, rest) = text.split_once(':')?;
        let rest = rest.trim();
        if rest.is_empty() {
            return None;
        }
        match scheme {
            "env" => Some(Self::Variable(rest.to_owned())),
            "file" => Some(Self::File(PathBuf::from(rest))),
            "cmd" => Some(Self::Command(rest.split_whitespace().map(str::to_owned).collect())),
            _ => None,
        }
    }

    /// Fetches the secret. A program is run without a shell.
    pub(crate) fn resolve(&self, environment: &Environment) -> Result<Secret, NoSecret> {
        let not_text = || NoSecret::NotText { from: self.to_string() };
        let bytes = match self {
            Self::Variable(name) => {
                let value = environment.get(name).ok_or_else(|| NoSecret::NotSet(name.clone()))?;
                value.as_bytes().to_vec()
            }
            Self::File(file) => {
                let file = environment.folder().join(file);
                std::fs::read(&file).map_err(|cause| NoSecret::Unreadable { file, cause })?
            }
            Self::Command(words) => {
                let (program, arguments) = words.split_first().ok_or_else(not_text)?;
                let failed = |cause| NoSecret::NotRun { program: program.clone(), cause };
                let output = Command::new(program).args(arguments).output().map_err(failed)?;
                if !output.status.success() {
                    return Err(NoSecret::Failed { program: program.clone(), status: output.status });
                }
                output.stdout
            }
        };
        let text = String::from_utf8(bytes).map_err(|_| not_text())?;
        let text = text.trim_end_matches(['\r', '\n']);
        if text.is_empty() || text.len() > SECRET_BYTES_MAX {
            Err(not_text())
        } else {
            Ok(Secret(text.to_owned()))
        }
    }
}

impl fmt::Display for SecretRef {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(out, "env:{name}"),
            Self::File(file) => write!(out, "file:{}", file.display()),
            // The arguments of a program may themselves be secret.
            Self::Command(words) => write!(out, "cmd:{}", words.first().map_or("", String::as_str)),
        }
    }
}

/// Whether a name looks like that of a secret.
pub(crate) fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["key", "token", "secret", "password", "passwd", "credential"].iter().any(|word| name.contains(word))
}

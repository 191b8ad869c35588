//! What the configuration names decides and is started as the configuration is: policy, processes, seeds, keys, secrets
//! and the programs that give them. So it is held against the same rule.

use std::path::{Path, PathBuf};

use purple_worker::learn::carried::CARRIED_FILES;

use crate::config::environment::Environment;
use crate::config::key::{KEYS, Kind};
use crate::config::layer::{Layer, Set};
use crate::config::origin::{FileKind, Origin};
use crate::config::problem::{Problem, ProblemCode};
use crate::config::secret::SecretRef;
use crate::config::trust::{self, Distrust, Folder};
use crate::config::value::Value;

/// The folder of the program's own data, which it makes for its owner alone.
const DATA: &str = "data.dir";
/// Where seeds are. Others may have files beside them, where they cannot take their place.
const SEEDS: &str = "learn.dir";
/// The most files of a folder that are looked at.
const FILES_MAX: usize = 10_000;

/// Something on the way to what a setting names.
struct Step {
    path: PathBuf,
    folder: Folder,
}

/// What of that is not one's own: of each setting the first.
pub(super) fn problems(layer: &Layer, environment: &Environment) -> Vec<Problem> {
    let all = layer.iter().filter_map(|(path, set)| {
        let key = path.join(".");
        let named = named(path, set, environment);
        named.into_iter().find_map(|(file, kind)| distrusted(&key, &file, kind, set))
    });
    all.collect()
}

/// The files and folders that a setting names, each with whether its owner was chosen by naming it.
fn named(
    path: &[String],
    Set { value, origin }: &Set,
    environment: &Environment,
) -> Vec<(PathBuf, FileKind)> {
    let own = match origin {
        Origin::File { kind, .. } => *kind,
        // Whoever sets a variable or a flag names the file.
        Origin::BuiltIn | Origin::Variable(_) | Origin::Flag(_) => FileKind::Named,
    };
    let kind = KEYS.iter().find(|key| key.is(path)).map(|key| key.kind);
    match (kind, value) {
        (Some(Kind::Path), Value::Text(text)) => vec![(PathBuf::from(text), own)],
        (Some(Kind::Paths), Value::List(all)) => all.iter().map(|one| (PathBuf::from(one), own)).collect(),
        (Some(_), Value::Secret(reference)) => secret(reference, own, environment).into_iter().collect(),
        (Some(_), Value::Variables(all)) => {
            let references = all.values().filter_map(|value| value.as_ref().err());
            references.filter_map(|reference| secret(reference, own, environment)).collect()
        }
        (Some(_), Value::Text(word)) if is_command(path) => {
            program(word, own, environment).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a setting is the program of a tool server.
fn is_command(path: &[String]) -> bool {
    matches!(path, [servers, _, command] if servers == "servers" && command == "command")
}

fn secret(reference: &SecretRef, own: FileKind, environment: &Environment) -> Option<(PathBuf, FileKind)> {
    match reference {
        SecretRef::Variable(_) => None,
        SecretRef::File(file) => Some((environment.folder().join(file), own)),
        SecretRef::Command(words) => program(words.first()?, own, environment),
    }
}

/// The file of a program. One that the search path leads to is its owner's business, whoever that is.
fn program(word: &str, own: FileKind, environment: &Environment) -> Option<(PathBuf, FileKind)> {
    let is_path = Path::new(word).components().count() > 1;
    Some((environment.program(word)?, if is_path { own } else { FileKind::Named }))
}

/// The first step on the way to a file that others can write or that belongs to somebody else.
fn distrusted(key: &str, file: &Path, kind: FileKind, set: &Set) -> Option<Problem> {
    if key == DATA {
        return None;
    }
    let base = match &set.origin {
        Origin::File { path, .. } => path.parent(),
        Origin::BuiltIn | Origin::Variable(_) | Origin::Flag(_) => None,
    };
    let mut steps = way(key, file, base);
    // A link is followed: what it leads to lies in a folder as well.
    if let Ok(real) = std::fs::canonicalize(file)
        && real != file
    {
        steps.extend(way(key, &real, base));
    }
    let found = steps.into_iter().find_map(|step| {
        let distrust = trust::check_step(kind, &step.path, step.folder).err()?;
        Some((step.path, distrust))
    });
    found.map(|(path, distrust)| problem(key, &path, distrust, set))
}

/// The file, what lies in it if it is a folder, and the folders above it: up to that of the configuration where the file
/// lies below it, else the next one.
fn way(key: &str, file: &Path, base: Option<&Path>) -> Vec<Step> {
    let own = if key == SEEDS { Folder::Shared } else { Folder::Own };
    let mut steps = vec![Step { path: file.to_owned(), folder: own }];
    if file.is_dir() {
        let inside: Vec<PathBuf> = if key == SEEDS {
            CARRIED_FILES.iter().map(|name| file.join(name)).collect()
        } else {
            let entries = std::fs::read_dir(file).into_iter().flatten().filter_map(Result::ok);
            entries.take(FILES_MAX).map(|entry| entry.path()).collect()
        };
        steps.extend(inside.into_iter().map(|path| Step { path, folder: Folder::Own }));
    }
    let above = file.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
    let above: Vec<&Path> = match base.filter(|base| file.starts_with(base)) {
        Some(base) => above.take_while(|folder| *folder != base).collect(),
        None => above.take(1).collect(),
    };
    steps.extend(above.into_iter().map(|path| Step { path: path.to_owned(), folder: Folder::Shared }));
    steps
}

fn problem(key: &str, path: &Path, distrust: Distrust, set: &Set) -> Problem {
    let shown = path.display();
    let (message, help) = match distrust {
        Distrust::Writable => (
            format!("others can write `{shown}`, and `{key}` leads there"),
            format!("look at it, then: chmod go-w {shown}"),
        ),
        Distrust::Foreign { owner } => (
            format!("`{shown}` belongs to another user (number {owner}), and `{key}` leads there"),
            "look at it, then name a copy of your own; or name the configuration file with `--config`"
                .to_owned(),
        ),
    };
    Problem { at: set.origin.clone(), code: ProblemCode::Untrusted, message, help }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::config::{Config, Files};

    /// Every setting that names something, with what it names.
    const NAMING: &[(&str, &str)] = &[
        ("[policy]\nfile = \"in/it\"\n", "in/it"),
        ("[processes]\ndirs = [\"in\"]\n", "in/it"),
        ("[learn]\ndir = \"in\"\n", "in/case_log.json"),
        ("[serve]\ntls_certificate = \"in/it\"\ntls_key = \"in/other\"\n", "in/it"),
        ("[serve]\ntls_certificate = \"in/other\"\ntls_key = \"in/it\"\n", "in/it"),
        ("[model]\nanthropic_key = \"file:in/it\"\n", "in/it"),
        ("[model]\nanthropic_key = \"cmd:in/it now\"\n", "in/it"),
        ("[servers.x]\ncommand = \"in/it\"\nenv = {A = \"file:in/other\"}\n", "in/it"),
        ("[servers.x]\ncommand = \"in/other\"\nenv = {A = \"file:in/it\"}\n", "in/it"),
    ];

    fn mode(path: &Path, bits: u32) {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(bits)).unwrap();
    }

    #[test]
    fn whatever_the_configuration_names_is_refused_where_others_can_write_it_or_a_folder_on_the_way() {
        for (text, file) in NAMING {
            let place = tempfile::tempdir().unwrap();
            let folder = place.path().join("in");
            std::fs::create_dir(&folder).unwrap();
            let seed = Path::new(file).file_name().unwrap();
            for name in ["it", "other", seed.to_str().unwrap()] {
                std::fs::write(folder.join(name), "").unwrap();
                mode(&folder.join(name), 0o600);
            }
            mode(&folder, 0o700);
            std::fs::write(place.path().join("purple.toml"), text).unwrap();
            mode(&place.path().join("purple.toml"), 0o600);
            let refused = || {
                let environment = Environment::of(place.path(), [("PATH", "/usr/bin:/bin")]);
                let refused = Config::load(&environment, &Files::Found, &Vec::new()).err();
                let problems = refused.map(|refused| refused.problems).unwrap_or_default();
                problems.into_iter().find(|problem| problem.code == ProblemCode::Untrusted)
            };
            assert_eq!(refused(), None, "{text}");
            for (path, bits, back) in
                [(place.path().join(file), 0o622, 0o600), (folder.clone(), 0o777, 0o700)]
            {
                mode(&path, bits);
                let problem = refused().unwrap_or_else(|| panic!("{text}: {} is obeyed", path.display()));
                assert!(problem.message.contains(&path.display().to_string()), "{}", problem.message);
                assert!(problem.help.contains("chmod go-w"), "{}", problem.help);
                mode(&path, back);
            }
            assert_eq!(refused(), None, "{text}");
        }
    }

    #[test]
    fn a_folder_above_may_be_shared_where_nobody_can_take_the_place_of_what_others_have_there() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("in");
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(folder.join("it"), "").unwrap();
        mode(&folder, 0o1777);
        let check = |folder: Folder| trust::check_step(FileKind::Project, &place.path().join("in"), folder);
        assert_eq!(check(Folder::Shared), Ok(()));
        assert_eq!(check(Folder::Own), Err(Distrust::Writable), "others could add a process there");
    }
}

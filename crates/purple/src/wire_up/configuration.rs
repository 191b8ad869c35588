//! The settings that the operator journal states when a program starts to execute runs.

use std::collections::BTreeMap;
use std::path::Path;

use purple_process::Digest;
use purple_worker::Standing;

use crate::config::{Config, Origin};
use crate::failure::Failure;

/// Settings that permit nothing and reach nobody: the folder of the journal itself, a port, and a degree of
/// parallelism. They differ from command to command.
const NOT_RECORDED: [&str; 3] = ["data.dir", "serve.port", "limits.parallel_runs"];

/// The digest of everything that the configuration says about people.
const PEOPLE: &str = "people sha256";
/// The files that said it, or could have, each by the digest of its path: names of folders could be masked in a record.
/// Only where commands ask who somebody is.
const PEOPLE_FILES: &str = "people files";
/// What stands between two of them.
const FILES_APART: &str = " ";

/// The settings in effect by their names, as `purple config show` prints them, and the digests of the files of the
/// operator that decide about operations. Of a secret, this is the place where it is.
pub(crate) fn recorded(
    config: &Config,
    settings: &purple_worker::Settings,
    with_tokens: bool,
) -> BTreeMap<String, String> {
    let shown = config.shown().into_iter().filter(|line| !NOT_RECORDED.contains(&line.key.as_str()));
    let mut recorded: BTreeMap<String, String> =
        shown.filter_map(|line| Some((line.key, line.value?.to_string()))).collect();
    if let Some(policy) = &settings.policy {
        recorded.insert("policy.file sha256".to_owned(), digest(&policy.text));
    }
    for process in settings.processes.iter().filter(|process| process.standing == Standing::Operator) {
        recorded.insert(format!("process {} sha256", process.file.name()), digest(&process.text));
    }
    let people = people(config);
    if people.is_some() || with_tokens {
        recorded.insert(PEOPLE_FILES.to_owned(), people_files(config).join(FILES_APART));
    }
    recorded.extend(people.map(|digest| (PEOPLE.to_owned(), digest)));
    recorded
}

/// Refuses a configuration with other people than the data folder knows: whoever could swap the file could be anybody.
/// The file that named them may be changed, and what named nobody before may begin to; an operator accepts anything else.
pub(crate) fn check_people(config: &Config, known: &BTreeMap<String, String>) -> Result<(), Failure> {
    let (before, files) = (known.get(PEOPLE), known.get(PEOPLE_FILES));
    let had_people = before.is_some() || known.keys().any(|key| key.starts_with("people."));
    let now = people(config);
    if now.as_ref() == before && (now.is_some() || !had_people) {
        return Ok(());
    }
    let is_same_file =
        |file: &String| files.is_none_or(|files| files.split(FILES_APART).any(|one| one == file));
    if now.is_some() && people_files(config).iter().all(is_same_file) {
        return Ok(());
    }
    Err(Failure::OtherPeople)
}

/// Whether the settings that a data folder knows make whoever uses this account an operator.
pub(crate) fn was_operator(known: &BTreeMap<String, String>, account: &str) -> bool {
    let named = known.iter().filter_map(|(key, value)| {
        let person = key.strip_prefix("people.")?.strip_suffix(".account")?;
        (value == account).then_some(person)
    });
    let roles = named.filter_map(|person| known.get(&format!("people.{person}.roles")));
    roles.into_iter().any(|roles| roles.split(", ").any(|role| role == "operator"))
}

/// The digest of what is said about people; `None` where nobody is named.
fn people(config: &Config) -> Option<String> {
    let shown = config.shown().into_iter().filter(|line| line.key.starts_with("people."));
    let lines: Vec<String> =
        shown.filter_map(|line| Some(format!("{} = {}", line.key, line.value?))).collect();
    (!lines.is_empty()).then(|| digest(&lines.join("\n")))
}

/// The files that name people; every one that was read where nobody is named.
fn people_files(config: &Config) -> Vec<String> {
    let whole = |file: &Path| {
        digest(&std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned()).display().to_string())
    };
    let shown = config.shown().into_iter().filter(|line| line.key.starts_with("people."));
    let named = shown.filter_map(|line| match line.origin {
        Some(Origin::File { path, .. }) => Some(whole(path)),
        Some(Origin::BuiltIn | Origin::Variable(_) | Origin::Flag(_)) | None => None,
    });
    let mut files: Vec<String> = named.collect();
    if files.is_empty() {
        files = config.files.iter().map(|file| whole(file)).collect();
    }
    files.sort();
    files.dedup();
    files
}

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

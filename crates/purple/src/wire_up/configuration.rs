//! The settings that the operator journal states when a program starts to execute runs.

use std::collections::BTreeMap;

use purple_process::Digest;
use purple_worker::Standing;

use crate::config::Config;

/// Settings that permit nothing and reach nobody: the folder of the journal itself, a port, and a degree of
/// parallelism. They differ from command to command.
const NOT_RECORDED: [&str; 3] = ["data.dir", "serve.port", "limits.parallel_runs"];

/// The settings in effect by their names, as `purple config show` prints them, and the digests of the files of the
/// operator that decide about operations. Of a secret, this is the place where it is.
pub(super) fn recorded(config: &Config, settings: &purple_worker::Settings) -> BTreeMap<String, String> {
    let shown = config.shown().into_iter().filter(|line| !NOT_RECORDED.contains(&line.key.as_str()));
    let mut recorded: BTreeMap<String, String> =
        shown.filter_map(|line| Some((line.key, line.value?.to_string()))).collect();
    if let Some(policy) = &settings.policy {
        recorded.insert("policy.file sha256".to_owned(), digest(&policy.text));
    }
    for process in settings.processes.iter().filter(|process| process.standing == Standing::Operator) {
        recorded.insert(format!("process {} sha256", process.file.name()), digest(&process.text));
    }
    recorded
}

fn digest(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

//! What was learned and made as JSON files: to look at, and to carry elsewhere. What comes in is checked first, and
//! nobody has signed it: a signature is a person's word in the place where it was given.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::learn::seed::{self, BANDIT_FILE, BadSeed, CASES_FILE, FILE_BYTES_MAX, FORMAT, KNOWLEDGE_FILE};
use crate::port::{DEFINITION_BYTES_MAX, DEFINITIONS_MAX, Defined, DefinitionKind, Sandbox, Timestamp};
use crate::settings::Process;
use crate::synthesis::{Made, NotMade};

pub use purple_port::Carried;

/// The file of functions that were made.
pub const TOOLS_FILE: &str = "tool_registry.json";
/// The file of processes that were made or signed.
pub const PROCESSES_FILE: &str = "synthesized_definitions.json";
/// Everything that is carried from one place to another, file by file.
pub const CARRIED_FILES: [&str; 5] = [CASES_FILE, BANDIT_FILE, KNOWLEDGE_FILE, TOOLS_FILE, PROCESSES_FILE];
/// What the files of definitions hold, as the message about a refused row calls it.
const LIST: &str = "definitions";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    definitions: Vec<Defined>,
}

/// The files of what was learned and made, by name.
#[must_use]
pub fn files(carried: &Carried) -> Vec<(&'static str, Value)> {
    let mut files = seed::files(&carried.seed);
    for (name, kind) in [(TOOLS_FILE, DefinitionKind::Tool), (PROCESSES_FILE, DefinitionKind::Process)] {
        let of: Vec<&Defined> = carried.definitions.iter().filter(|one| one.kind == kind).collect();
        files.push((name, json!({"format": FORMAT, LIST: of})));
    }
    files
}

/// Reads one file; functions are admitted again first. If a row is rejected, nothing of the file is taken.
///
/// # Errors
///
/// [`BadSeed`] says which row and why.
pub fn take(
    carried: &mut Carried,
    file: &str,
    text: &str,
    now: Timestamp,
    sandbox: &dyn Sandbox,
) -> Result<(), BadSeed> {
    let kind = match file {
        TOOLS_FILE => DefinitionKind::Tool,
        PROCESSES_FILE => DefinitionKind::Process,
        _ => return seed::take(&mut carried.seed, file, text, now),
    };
    let name = || file.to_owned();
    if text.len() > FILE_BYTES_MAX {
        return Err(BadSeed::TooLong { file: name(), bytes: text.len() });
    }
    let form = |why: String| BadSeed::Form { file: name(), why };
    let read: File = serde_json::from_str(text).map_err(|error| form(error.to_string()))?;
    if read.format != FORMAT {
        return Err(form(format!("it says `{}`", read.format)));
    }
    let count = read.definitions.len();
    if count > DEFINITIONS_MAX {
        return Err(form(format!("it holds {count} definitions; at most {DEFINITIONS_MAX}")));
    }
    for (place, defined) in read.definitions.iter().enumerate() {
        let refused = |why| BadSeed::Row { file: name(), list: LIST, row: place + 1, why };
        if defined.kind != kind {
            return Err(refused("it belongs into the other file of definitions"));
        }
        check(defined, now, sandbox).map_err(refused)?;
    }
    let unsigned = |defined| Defined { signed: None, ..defined };
    carried.definitions.extend(read.definitions.into_iter().map(unsigned));
    Ok(())
}

fn check(defined: &Defined, now: Timestamp, sandbox: &dyn Sandbox) -> Result<(), &'static str> {
    if defined.text.len() > DEFINITION_BYTES_MAX {
        return Err("its text is too long");
    }
    if defined.at > now {
        return Err("it is from the future");
    }
    match defined.kind {
        DefinitionKind::Process => {
            let process = Process::parse(&defined.text).map_err(|_| "its process file does not load")?;
            if process.file.name() == defined.name { Ok(()) } else { Err("its file has another name") }
        }
        DefinitionKind::Tool if defined.is_not_made() => {
            // It only tells why there is no such function, and nothing of it is ever used.
            serde_json::from_str::<NotMade>(&defined.text)
                .map_err(|_| "it is no function that was not made")?;
            if defined.quarantined.is_some() { Ok(()) } else { Err("it has no reason") }
        }
        DefinitionKind::Tool => {
            let made: Made = serde_json::from_str(&defined.text).map_err(|_| "it is no function")?;
            if made.name() != defined.name {
                return Err("its function has another name");
            }
            // What is not used need not be fit for use.
            if defined.quarantined.is_none() {
                sandbox.admit(&made.program).map_err(|_| "its function is not admitted")?;
            }
            Ok(())
        }
    }
}

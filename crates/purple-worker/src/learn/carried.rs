//! Processes and functions as a JSON file: to look at, and to carry elsewhere. What comes in is checked first, and
//! nobody has signed it: a signature is a person's word in the place where it was given.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::learn::seed::{BadSeed, FILE_BYTES_MAX, FORMAT};
use crate::port::{DEFINITION_BYTES_MAX, DEFINITIONS_MAX, Defined, DefinitionKind, Sandbox, Timestamp};
use crate::settings::Process;
use crate::synthesis::{Made, NotMade};

/// The file of processes and functions that were made or signed.
pub const DEFINITIONS_FILE: &str = "definitions.json";
/// What it holds, as the message about a refused row calls it.
const LIST: &str = "definitions";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    format: String,
    definitions: Vec<Defined>,
}

/// The file of these definitions.
pub fn definitions_file(definitions: &[Defined]) -> Value {
    json!({"format": FORMAT, LIST: definitions})
}

/// The definitions of a file, each unsigned; functions are admitted again first.
///
/// # Errors
///
/// [`BadSeed`] says which row and why. Nothing of the file is taken then.
pub fn definitions_of(text: &str, now: Timestamp, sandbox: &dyn Sandbox) -> Result<Vec<Defined>, BadSeed> {
    let file = || DEFINITIONS_FILE.to_owned();
    if text.len() > FILE_BYTES_MAX {
        return Err(BadSeed::TooLong { file: file(), bytes: text.len() });
    }
    let form = |why: String| BadSeed::Form { file: file(), why };
    let read: File = serde_json::from_str(text).map_err(|error| form(error.to_string()))?;
    if read.format != FORMAT {
        return Err(form(format!("it says `{}`", read.format)));
    }
    if read.definitions.len() > DEFINITIONS_MAX {
        return Err(form(format!(
            "it holds {} definitions; at most {DEFINITIONS_MAX}",
            read.definitions.len()
        )));
    }
    let mut taken = Vec::new();
    for (place, defined) in read.definitions.into_iter().enumerate() {
        let refused = |why| BadSeed::Row { file: file(), list: LIST, row: place + 1, why };
        check(&defined, now, sandbox).map_err(refused)?;
        taken.push(Defined { signed: None, ..defined });
    }
    Ok(taken)
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

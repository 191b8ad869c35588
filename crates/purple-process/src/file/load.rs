//! The door: text in, a checked process or all that is wrong with it out.

use super::check;
use super::model::ProcessFile;
use super::problem::{Mark, ProblemCode, Problems, Refused};
use super::raw::RawFile;
use super::shape::FromNode;
use super::yaml;
use crate::canonical::Digest;

/// Reads, checks and tests a process file.
///
/// # Errors
///
/// Every problem that was found, with its line and column.
pub fn load(text: &str) -> Result<ProcessFile, Refused> {
    let mut problems = Problems::default();
    let file = yaml::read(text, &mut problems)
        .and_then(|node| RawFile::from_node(&node, &mut problems))
        .and_then(|raw| check::check(raw, Digest::of(text.as_bytes()), &mut problems));
    problems.into_result(file)
}

/// [`load`] for bytes that may not be text.
///
/// # Errors
///
/// Every problem that was found.
pub fn load_bytes(bytes: &[u8]) -> Result<ProcessFile, Refused> {
    match std::str::from_utf8(bytes) {
        Ok(text) => load(text),
        Err(error) => {
            let good = bytes.get(..error.valid_up_to()).unwrap_or_default();
            let line = good.iter().filter(|byte| **byte == b'\n').count().saturating_add(1);
            let mut problems = Problems::default();
            problems.add(
                Mark { line: u32::try_from(line).unwrap_or(u32::MAX), column: 1 },
                ProblemCode::NotUtf8,
                "this line holds bytes that are not UTF-8",
                "save the file as UTF-8",
            );
            problems.into_result(None)
        }
    }
}

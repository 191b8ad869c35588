//! The door: text in, a checked process or all that is wrong with it out.

use super::check;
use super::model::ProcessFile;
use super::problem::{Mark, ProblemCode, Problems, Refused};
use super::raw::RawFile;
use super::shape::FromNode;
use super::yaml::{self, Node, Text};
use crate::canonical::Digest;

/// Reads, checks and tests a process file.
///
/// # Errors
///
/// Every problem that was found, with its line and column.
pub fn load(text: &str) -> Result<ProcessFile, Refused> {
    let mut problems = Problems::default();
    let file = yaml::read(text, &mut problems).and_then(|node| {
        let raw = RawFile::from_node(&node, &mut problems)?;
        check::check(raw, &keys(&node), Digest::of(text.as_bytes()), &mut problems)
    });
    problems.into_result(file)
}

fn keys(node: &Node) -> Vec<Text> {
    match node {
        Node::Map { entries, .. } => entries.iter().map(|(key, _)| key.clone()).collect(),
        Node::Scalar(_) | Node::List { .. } => Vec::new(),
    }
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

/// The file as JSON, as an editor sees it: plain scalars become numbers and booleans where YAML 1.2 says so.
///
/// For tools around the format. The loader itself keeps every scalar as it was written.
///
/// # Errors
///
/// What is wrong with the file as YAML.
pub fn to_json(text: &str) -> Result<serde_json::Value, Refused> {
    let mut problems = Problems::default();
    let node = yaml::read(text, &mut problems);
    problems.into_result(node.map(|node| json_of(&node)))
}

fn json_of(node: &Node) -> serde_json::Value {
    match node {
        Node::Scalar(text) if !text.quoted => match text.as_str() {
            "" | "~" | "null" => serde_json::Value::Null,
            "true" => true.into(),
            "false" => false.into(),
            plain => plain.parse().map_or_else(|_| plain.into(), serde_json::Value::Number),
        },
        Node::Scalar(text) => text.as_str().into(),
        Node::List { items, .. } => items.iter().map(json_of).collect(),
        Node::Map { entries, .. } => {
            entries.iter().map(|(key, value)| (key.value.clone(), json_of(value))).collect()
        }
    }
}

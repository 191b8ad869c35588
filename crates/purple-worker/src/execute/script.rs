//! A server that answers by a script. For tests only.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use purple_process::{Annotations, Effect, ToolName, Values};
use serde_json::{Value, json};

use crate::port::{BoxFuture, Called, Definition, Listing};

use super::catalogue::{Catalogue, Known, Manifest, Stated, ToolId};
use super::drift::SchemaFixes;
use super::office::values;
use super::read::{ReadStory, read};
use super::reader::{Patience, ReadOnce, ReadPorts, Wait};

/// A server that answers by a function of the number of the call and its arguments.
struct Server<F> {
    answer: F,
    calls: Mutex<usize>,
}

impl<F: Fn(usize, &Values) -> Value + Send + Sync> ReadOnce for Server<F> {
    fn read<'a>(&'a self, _: &'a Known, arguments: Values) -> BoxFuture<'a, Called> {
        let mut calls = self.calls.lock().unwrap();
        *calls += 1;
        let answer = (self.answer)(*calls, &arguments);
        Box::pin(async move { Called::Answered(answer.into()) })
    }
}

struct NoWait;

impl Wait for NoWait {
    fn wait(&self, _: Duration) -> BoxFuture<'_, Patience> {
        Box::pin(async { Patience::OutOfTime })
    }
}

/// Reads `list_rows`, which has these parameters.
pub(crate) fn read_from(
    parameters: &[&str],
    arguments: Value,
    answer: impl Fn(usize, &Values) -> Value + Send + Sync,
) -> ReadStory {
    let properties: BTreeMap<&str, Value> =
        parameters.iter().map(|name| (*name, json!({"type": ["integer", "string"]}))).collect();
    let definition = Definition {
        version: None,
        server: "books".to_owned(),
        name: ToolName::parse("list_rows").unwrap(),
        description: "".into(),
        input_schema: json!({"type": "object", "properties": properties}),
        output_schema: None,
        annotations: Annotations { read_only: None, destructive: None },
    };
    let listing = Listing { tools: vec![definition], left_out: Vec::new() };
    // Reviewed, because a text in `where` may be a statement.
    let id = ToolId { server: "books".to_owned(), tool: ToolName::parse("list_rows").unwrap() };
    let reviewed = Stated { effect: Some(Effect::Read), ..Stated::default() };
    let manifest = Manifest { tools: [(id, reviewed)].into(), ..Manifest::default() };
    let catalogue = Catalogue::new(listing, &manifest);
    let server = Server { answer, calls: Mutex::new(0) };
    let ports = ReadPorts { reader: &server, catalogue: &catalogue, wait: &NoWait, advice: None };
    let mut fixes = SchemaFixes::default();
    let tool = catalogue.iter().next().unwrap();
    pollster::block_on(read(ports, tool, values(arguments), &mut fixes))
}

//! Tool servers: what they offer, and one call at a time.

use std::time::Duration;

use agent_runtime::model::BoxFuture;
use purple_process::{Annotations, Pass, ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Where the tools of a session are.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolsAt {
    /// The servers that the operator configured.
    Configured,
    /// One server, at a URL that came with the request and that the operator allows.
    Url(String),
}

/// A tool as its server describes it. Nothing in it is trusted: the worker decides the effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The configured name of the server, never the one that it gives itself.
    pub server: String,
    /// The name under which it is called here. Where two servers offer the same, it is `server__tool`.
    pub name: ToolName,
    /// What the server says that it does.
    pub description: String,
    /// JSON Schema 2020-12 of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its result, if it has one.
    pub output_schema: Option<Value>,
    /// The server's own hints.
    pub annotations: Annotations,
}

/// What servers offer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Listing {
    /// The tools, sorted by name.
    pub tools: Vec<Definition>,
    /// What was left out, and why: a bad definition, a server that is down. For people.
    pub left_out: Vec<String>,
}

/// Where a tool takes the key of an operation, so that it does it once. The operator declares it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyPlace {
    /// In this argument.
    Argument(String),
    /// In the `_meta` of the request, under this name.
    Meta(String),
}

/// How one call is made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallOptions {
    /// After this long the answer counts as lost.
    pub deadline: Duration,
    /// Where the operation's key goes; only used where the pass carries an operation.
    pub key: Option<KeyPlace>,
}

/// What became of one call.
#[derive(Clone, Debug, PartialEq)]
pub enum Called {
    /// The tool answered. `structuredContent` where there is one, else its text, read as JSON if it is JSON.
    Answered(Value),
    /// The tool answered that it could not.
    Refused {
        /// A stable word where the server gives one: `NOT_FOUND`.
        code: Option<String>,
        /// What it said.
        message: String,
    },
    /// The call was certainly not sent: no connection, or an argument that does not fit.
    NotSent {
        /// Why.
        reason: String,
    },
    /// It may or may not have been carried out: a timeout, a cut connection, an answer that cannot be read.
    Lost {
        /// What was seen.
        reason: String,
    },
}

/// No server could be asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no tool server answers: {reason}")]
pub struct ToolsDown {
    /// What was tried, and what was seen.
    pub reason: String,
}

/// Arguments that do not fit the schema of their tool.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{tool}` does not take these arguments: {}", complaints.join("; "))]
pub struct BadArguments {
    /// The tool.
    pub tool: ToolName,
    /// What is wrong, each with its place.
    pub complaints: Vec<String>,
}

/// Talks to tool servers. It decides nothing: no effects, no paging, no retries.
///
/// # Contract
///
/// - One wire call per [`Pass`], never a second one, whatever happens to the first.
/// - `Lost` unless it is certain that nothing was sent.
/// - A definition that cannot be read does not spoil the others.
pub trait Tools: Send + Sync {
    /// Everything that is offered, all pages of it.
    fn list<'a>(&'a self, at: &'a ToolsAt) -> BoxFuture<'a, Result<Listing, ToolsDown>>;

    /// Whether arguments fit the schema of a tool. Remote references are never followed.
    fn check(&self, definition: &Definition, arguments: &Values) -> Result<(), BadArguments>;

    /// Makes the call that the gate passed.
    fn call<'a>(&'a self, at: &'a ToolsAt, pass: Pass, options: CallOptions) -> BoxFuture<'a, Called>;
}

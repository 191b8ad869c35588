//! Tool servers: what they offer, and one call at a time.

use std::collections::BTreeMap;
use std::time::Duration;

use agent_runtime::model::BoxFuture;
use purple_process::{Annotations, Digest, Pass, ToolName, Values};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::untrusted::{Untrusted, kept};

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
    #[serde(with = "kept")]
    pub description: Untrusted<String>,
    /// JSON Schema 2020-12 of its arguments.
    pub input_schema: Value,
    /// JSON Schema of its result, if it has one.
    pub output_schema: Option<Value>,
    /// The server's own hints.
    pub annotations: Annotations,
    /// The version that the server gives itself, if it gives one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

impl Definition {
    /// The name that its server gives it; here it may be called `server__tool`.
    pub fn own_name(&self) -> &str {
        let name = self.name.as_str();
        name.strip_prefix(&self.server).and_then(|rest| rest.strip_prefix("__")).unwrap_or(name)
    }

    /// Everything that its server says about it, in one digest. Any other word makes another one; another version of
    /// the server that says the same does not.
    pub fn digest(&self) -> Digest {
        let Self { server, name: _, description, input_schema, output_schema, annotations, version: _ } =
            self;
        let own = self.own_name();
        let said = serde_json::json!([
            server,
            own,
            description.for_work(),
            input_schema,
            output_schema,
            annotations
        ]);
        Digest::of(said.to_string().as_bytes())
    }

    /// The same without the name under which the server is configured: what a shipped manifest covers.
    pub fn offer_digest(&self) -> Digest {
        let Self { description, input_schema, annotations, .. } = self;
        let said = serde_json::json!([self.own_name(), description.for_work(), input_schema, annotations]);
        Digest::of(said.to_string().as_bytes())
    }
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
    /// What a person answered to the questions that the tool asked the last time.
    pub answers: Option<Answers>,
}

/// What a tool wants to know from a person before it does what it was called for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Asked {
    /// The questions; at least one.
    pub questions: Vec<Question>,
    /// What the server wants to see again with the answers. Nobody here looks into it.
    pub state: Option<String>,
}

/// One question of a tool. Its words are the server's: they are shown as such, and never followed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Under which name the answer goes back.
    pub id: String,
    /// The question.
    #[serde(with = "kept")]
    pub message: Untrusted<String>,
    /// JSON Schema of the record that answers it.
    pub schema: Value,
}

/// A person's answers to the questions of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answers {
    /// By the id of the question: the record that answers it.
    pub given: BTreeMap<String, Value>,
    /// As it came with the questions.
    pub state: Option<String>,
}

/// Whether a tool is offered as it was when it was first seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Still {
    /// It is.
    Same,
    /// It is not; what is different, in words of ours.
    Changed {
        /// What: `its description`, `it is not offered any more`.
        what: String,
    },
    /// Its server cannot be asked.
    Unknown {
        /// Why.
        reason: String,
    },
}

/// What became of one call.
#[derive(Clone, Debug, PartialEq)]
pub enum Called {
    /// The tool answered. `structuredContent` where there is one, else its text, read as JSON if it is JSON.
    Answered(Untrusted<Value>),
    /// The tool answered that it could not.
    Refused {
        /// A stable word where the server gives one: `NOT_FOUND`.
        code: Option<Untrusted<String>>,
        /// What it said.
        message: Untrusted<String>,
    },
    /// The tool did not do it yet: it wants to know something from a person first.
    Asked(Box<Asked>),
    /// The call was certainly not sent: no connection, or an argument that does not fit.
    NotSent {
        /// Why.
        reason: Untrusted<String>,
    },
    /// It may or may not have been carried out: a timeout, a cut connection, an answer that cannot be read.
    Lost {
        /// What was seen.
        reason: Untrusted<String>,
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

    /// What does not fit a schema: the answer of a tool, or of a person; nothing if all of it fits. Remote references
    /// are never followed, and a schema that cannot be used fits nothing.
    fn misfits(&self, schema: &Value, value: &Value) -> Vec<String>;

    /// Whether a tool is still as it was first seen. Not a call: nothing is asked of the tool itself.
    fn still<'a>(&'a self, at: &'a ToolsAt, seen: &'a Definition) -> BoxFuture<'a, Still>;

    /// Makes the call that the gate passed.
    fn call<'a>(&'a self, at: &'a ToolsAt, pass: Pass, options: CallOptions) -> BoxFuture<'a, Called>;
}

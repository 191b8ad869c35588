//! Tools: what the loop requests, how they fail, where they are registered and how they run.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::json::{BadSchema, Mismatch, Schema};
use crate::model::{BoxFuture, ToolCall, ToolDefinition};

/// The loop's request to run one call. Only a run in OBSERVE makes it, so that holding one means
/// that the call is due.
///
/// ```compile_fail,E0451
/// use agent_runtime::{Requested, model::ToolCall};
/// // There is no other way to get one.
/// let forged = Requested { call: ToolCall { id: "1".into(), name: "pay".into(), arguments: ().into() } };
/// ```
#[derive(Debug, PartialEq)]
pub struct Requested {
    call: ToolCall,
}

impl Requested {
    /// Called by OBSERVE and nowhere else.
    pub(crate) fn new(call: ToolCall) -> Self {
        Self { call }
    }

    /// What is to run.
    pub fn call(&self) -> &ToolCall {
        &self.call
    }

    /// Spends the request on what came of it.
    pub fn answer(self, outcome: Result<Value, ToolError>) -> ToolResult {
        ToolResult { call_id: self.call.id, outcome }
    }
}

/// What came of one requested call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ToolResult {
    /// The call it answers.
    pub call_id: String,
    /// The result, or how it failed.
    pub outcome: Result<Value, ToolError>,
}

/// How a call failed. An observation like any other, unless the policy calls it fatal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ToolError {
    /// The model called something it was not offered. It did not run.
    #[error("`{tool}` is not a tool that may be called now; these are: {}", list(.offered))]
    NotOffered {
        /// The name, as the model wrote it.
        tool: String,
        /// What it may call.
        offered: Vec<String>,
    },
    /// The arguments are not what the tool takes. It did not run.
    #[error("the arguments of `{tool}` are wrong at `{at}`: {problem}")]
    BadArguments {
        /// The tool.
        tool: String,
        /// The JSON pointer of the fault; empty for the whole.
        at: String,
        /// What is wrong.
        problem: String,
    },
    /// Whoever guards the tool said no. It did not run.
    #[error("`{tool}` was refused: {problem}")]
    Refused {
        /// The tool.
        tool: String,
        /// Why.
        problem: String,
    },
    /// It ran and failed.
    #[error("`{tool}` failed: {problem}")]
    Failed {
        /// The tool.
        tool: String,
        /// What it said.
        problem: String,
    },
    /// No answer came. Whether it ran is unknown.
    #[error("`{tool}` gave no answer, and whether it ran is unknown: {problem}")]
    Unanswered {
        /// The tool.
        tool: String,
        /// What happened.
        problem: String,
    },
    /// The run was stopped before its turn came. It did not run.
    #[error("`{tool}` was not run: {problem}")]
    NotRun {
        /// The tool.
        tool: String,
        /// Why.
        problem: String,
    },
    /// It ran, and its result is too large to be recorded.
    #[error("`{tool}` ran, but its result of {bytes} bytes is above the {bytes_max} that are recorded")]
    ResultTooLarge {
        /// The tool.
        tool: String,
        /// What it has.
        bytes: usize,
        /// The limit.
        bytes_max: u32,
    },
    /// It ran, and its result is nested too deep to be recorded.
    #[error("`{tool}` ran, but its result is nested deeper than {depth_max} levels")]
    ResultTooDeep {
        /// The tool.
        tool: String,
        /// The limit.
        depth_max: usize,
    },
}

impl ToolError {
    /// Cuts what a tool said to `bytes_max` bytes, at a character.
    pub(crate) fn shortened(mut self, bytes_max: usize) -> Self {
        match &mut self {
            Self::BadArguments { problem, .. }
            | Self::Refused { problem, .. }
            | Self::Failed { problem, .. }
            | Self::Unanswered { problem, .. }
            | Self::NotRun { problem, .. } => problem.truncate(problem.floor_char_boundary(bytes_max)),
            Self::NotOffered { .. } | Self::ResultTooLarge { .. } | Self::ResultTooDeep { .. } => {}
        }
        self
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { format!("`{}`", names.join("`, `")) }
}

/// A tool's function: arguments in, result or error in words out.
type Function = Box<dyn Fn(Value) -> BoxFuture<'static, Result<Value, String>> + Send + Sync>;

struct Registered {
    definition: ToolDefinition,
    arguments: Schema,
    function: Function,
}

/// Tools by name: a definition for the model and a function for the executor.
///
/// ```
/// use agent_runtime::{ToolRegistry, model::ToolDefinition};
///
/// let mut tools = ToolRegistry::default();
/// tools.register(ToolDefinition::new("echo", "says it again"), |arguments| async move { Ok(arguments) })?;
/// assert_eq!(tools.definitions()[0].name, "echo");
/// # Ok::<(), agent_runtime::detail::BadTool>(())
/// ```
#[derive(Default)]
pub struct ToolRegistry {
    tools: BTreeMap<String, Registered>,
}

impl ToolRegistry {
    /// Adds a tool. Its arguments are checked against its schema before the function sees them.
    pub fn register<F, R>(&mut self, definition: ToolDefinition, function: F) -> Result<(), BadTool>
    where
        F: Fn(Value) -> R + Send + Sync + 'static,
        R: Future<Output = Result<Value, String>> + Send + 'static,
    {
        check_definition(&definition)?;
        if self.tools.contains_key(&definition.name) {
            return Err(BadTool::Twice { name: definition.name });
        }
        let arguments = compile_arguments(&definition)?;
        let function: Function = Box::new(move |arguments| Box::pin(function(arguments)));
        self.tools.insert(definition.name.clone(), Registered { definition, arguments, function });
        Ok(())
    }

    /// The definitions, sorted by name.
    pub fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools.values().map(|tool| tool.definition.clone()).collect()
    }
}

impl fmt::Debug for ToolRegistry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.tools.keys()).finish()
    }
}

/// Runs requested calls through a registry, each once.
#[derive(Debug, Default)]
pub struct Executor {
    registry: ToolRegistry,
}

impl Executor {
    /// An executor over `registry`.
    pub fn new(registry: ToolRegistry) -> Self {
        Self { registry }
    }

    /// The tools it can run.
    pub fn registry(&self) -> &ToolRegistry {
        &self.registry
    }

    /// Runs one requested call. A failure is a result too; nothing is tried again.
    pub async fn execute(&self, requested: Requested) -> ToolResult {
        let call = requested.call();
        let Some(tool) = self.registry.tools.get(&call.name) else {
            let offered = self.registry.tools.keys().cloned().collect();
            let error = ToolError::NotOffered { tool: call.name.clone(), offered };
            return requested.answer(Err(error));
        };
        if let Err(Mismatch { at, problem }) = tool.arguments.check(&call.arguments) {
            let error = ToolError::BadArguments { tool: call.name.clone(), at, problem };
            return requested.answer(Err(error));
        }
        let outcome = (tool.function)(call.arguments.clone()).await;
        let tool = call.name.clone();
        requested.answer(outcome.map_err(|problem| ToolError::Failed { tool, problem }))
    }
}

/// A tool that cannot be offered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTool {
    /// The name is empty, too long, or holds other signs.
    #[error(
        "`{name}` is not a tool name: 1 to {} bytes of letters, digits, `_`, `-` and `.`",
        ToolDefinition::NAME_BYTES_MAX
    )]
    Name {
        /// The name.
        name: String,
    },
    /// There is one of that name already.
    #[error("there are two tools named `{name}`")]
    Twice {
        /// The name.
        name: String,
    },
    /// The schema of its arguments cannot be used.
    #[error("the arguments of `{name}`: {fault}")]
    Schema {
        /// The tool.
        name: String,
        /// What is wrong with the schema.
        fault: BadSchema,
    },
}

/// Checks what can be offered: a name that every provider takes and a schema that can be stored.
pub(crate) fn check_definition(tool: &ToolDefinition) -> Result<(), BadTool> {
    if !tool.has_valid_name() {
        return Err(BadTool::Name { name: tool.name.clone() });
    }
    let fault = crate::json::check_depth(&tool.input_schema);
    fault.map_err(|fault| BadTool::Schema { name: tool.name.clone(), fault })
}

fn compile_arguments(tool: &ToolDefinition) -> Result<Schema, BadTool> {
    let compiled = Schema::compile(&tool.input_schema);
    compiled.map_err(|fault| BadTool::Schema { name: tool.name.clone(), fault })
}

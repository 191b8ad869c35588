//! Plans and decisions: how they are asked for, and how an answer becomes one.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::json::{BadSchema, Mismatch, Schema, is_too_deep};
use crate::model::ModelReply;
use crate::state::State;

/// The plan of a run: what for, with which abilities, in which first steps.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outline {
    /// What the run is for.
    pub goal: String,
    /// What it needs to be able to do.
    pub required_capabilities: Vec<String>,
    /// How it means to begin.
    pub initial_steps: Vec<String>,
    /// The plan as it came, with whatever else the caller's schema asks for.
    pub raw: Value,
}

impl Outline {
    /// The plan of somebody who knows what to do: only the goal.
    pub fn of_goal(goal: impl Into<String>) -> Self {
        let goal = goal.into();
        let raw = json!({ "goal": goal });
        Self { goal, required_capabilities: Vec::new(), initial_steps: Vec::new(), raw }
    }

    /// Reads a plan that satisfied its schema. A schema need not ask for every field, so that a missing one is
    /// empty and a missing goal is the run's; one of another type than it should have is a fault.
    fn from_json(raw: Value, goal: &str) -> Result<Self, BadAnswer> {
        let Value::Object(fields) = &raw else {
            return Err(field_fault("", "an object"));
        };
        let goal = match fields.get("goal") {
            None => goal.to_owned(),
            Some(Value::String(goal)) => goal.clone(),
            Some(_) => return Err(field_fault("goal", "a string")),
        };
        let required_capabilities = strings(fields, "required_capabilities")?;
        let initial_steps = strings(fields, "initial_steps")?;
        Ok(Self { goal, required_capabilities, initial_steps, raw })
    }
}

fn strings(fields: &Map<String, Value>, name: &str) -> Result<Vec<String>, BadAnswer> {
    let fault = || field_fault(name, "an array of strings");
    match fields.get(name) {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => {
            items.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(fault)).collect()
        }
        Some(_) => Err(fault()),
    }
}

fn field_fault(name: &str, expected: &str) -> BadAnswer {
    BadAnswer::Field { name: name.to_owned(), expected: expected.to_owned() }
}

/// Whether to go on, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Go on to EXECUTE, or stop and go to FINALIZE.
    #[serde(rename = "continue")]
    pub go_on: bool,
    /// Why.
    pub reason: String,
}

impl Decision {
    /// Go on to EXECUTE.
    pub fn go_on(reason: impl Into<String>) -> Self {
        Self { go_on: true, reason: reason.into() }
    }

    /// Stop and go to FINALIZE.
    pub fn stop(reason: impl Into<String>) -> Self {
        Self { go_on: false, reason: reason.into() }
    }

    pub(crate) fn schema() -> Value {
        json!({
            "type": "object",
            "properties": { "continue": { "type": "boolean" }, "reason": { "type": "string" } },
            "required": ["continue", "reason"],
            "additionalProperties": false
        })
    }
}

/// Where the plan of a run comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Planning {
    /// A model makes it in one call.
    Model {
        /// The JSON Schema that the plan must satisfy.
        schema: Value,
        /// What the model is told.
        prompt: String,
    },
    /// The caller has it; no model is asked.
    Given(Outline),
}

/// Who decides whether to go on after the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Deciding {
    /// [`crate::Policy::decide`]; no model is asked.
    Rule,
    /// A model, in one call. It is shown the goal and the plan after the prompt.
    Model {
        /// What the model is told.
        prompt: String,
    },
}

/// Builds the prompt of PLAN from the input and the state at INTAKE.
type PromptBuilder = Box<dyn Fn(&str, &State) -> String + Send + Sync>;

/// Says how runs are planned and decided. Without both a schema and a prompt builder there is no model plan.
pub struct Planner {
    source: PlanSource,
    deciding: Deciding,
}

enum PlanSource {
    Model { schema: Value, prompt: PromptBuilder },
    Given(Outline),
    Goal,
}

impl Planner {
    /// A model makes the plan: JSON that satisfies `schema`, asked for with the prompt that `prompt` builds.
    pub fn new(
        schema: Value,
        prompt: impl Fn(&str, &State) -> String + Send + Sync + 'static,
    ) -> Result<Self, BadSchema> {
        Schema::compile(&schema)?;
        let source = PlanSource::Model { schema, prompt: Box::new(prompt) };
        Ok(Self { source, deciding: Deciding::Rule })
    }

    /// The same plan for every run.
    pub fn given(outline: Outline) -> Self {
        Self { source: PlanSource::Given(outline), deciding: Deciding::Rule }
    }

    /// The plan is the goal: no ceremony.
    pub fn goal_only() -> Self {
        Self { source: PlanSource::Goal, deciding: Deciding::Rule }
    }

    /// Changes who decides; by default the policy does.
    #[must_use]
    pub fn deciding(self, deciding: Deciding) -> Self {
        Self { deciding, ..self }
    }

    pub(crate) fn plan_for(&self, input: &str, state: &State) -> (Planning, Deciding) {
        let planning = match &self.source {
            PlanSource::Model { schema, prompt } => {
                Planning::Model { schema: schema.clone(), prompt: prompt(input, state) }
            }
            PlanSource::Given(outline) => Planning::Given(outline.clone()),
            PlanSource::Goal => Planning::Given(Outline::of_goal(input)),
        };
        (planning, self.deciding.clone())
    }
}

impl fmt::Debug for Planner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match &self.source {
            PlanSource::Model { .. } => "model",
            PlanSource::Given(_) => "given",
            PlanSource::Goal => "goal",
        };
        f.debug_struct("Planner").field("source", &source).field("deciding", &self.deciding).finish()
    }
}

/// Why a reply is not the plan or the decision it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum BadAnswer {
    /// It calls tools, and none were offered.
    #[error("it calls {calls} tools where none are offered")]
    CallsTools {
        /// How many.
        calls: usize,
    },
    /// It is not JSON.
    #[error("it is not JSON (line {line}, column {column})")]
    NotJson {
        /// Where reading stopped.
        line: usize,
        /// Where reading stopped.
        column: usize,
    },
    /// It is nested too deep.
    #[error("it is nested too deep")]
    TooDeep,
    /// It does not satisfy the schema.
    #[error("it does not satisfy its schema at `{at}`: {problem}")]
    OffSchema {
        /// The JSON pointer of the fault; empty for the whole.
        at: String,
        /// What is wrong.
        problem: String,
    },
    /// A field that the loop reads has another type.
    #[error("`{name}` is not {expected}")]
    Field {
        /// The field; empty for the whole.
        name: String,
        /// What it should be.
        expected: String,
    },
    /// The schema itself cannot be used any more.
    #[error("its schema is not usable: {problem}")]
    Schema {
        /// Why.
        problem: String,
    },
}

/// Turns the one reply of PLAN into a plan.
pub(crate) fn read_plan(reply: &ModelReply, schema: &Value, goal: &str) -> Result<Outline, BadAnswer> {
    read_json(reply, schema).and_then(|raw| Outline::from_json(raw, goal))
}

/// Turns the one reply of DECIDE into a decision.
pub(crate) fn read_decision(reply: &ModelReply) -> Result<Decision, BadAnswer> {
    let answer = read_json(reply, &Decision::schema())?;
    serde_json::from_value(answer).map_err(|_| field_fault("", "a decision"))
}

fn read_json(reply: &ModelReply, schema: &Value) -> Result<Value, BadAnswer> {
    if !reply.calls.is_empty() {
        return Err(BadAnswer::CallsTools { calls: reply.calls.len() });
    }
    let answer: Value = serde_json::from_str(&reply.text)
        .map_err(|error| BadAnswer::NotJson { line: error.line(), column: error.column() })?;
    if is_too_deep(&answer) {
        return Err(BadAnswer::TooDeep);
    }
    let schema = Schema::compile(schema).map_err(|bad| BadAnswer::Schema { problem: bad.to_string() })?;
    match schema.check(&answer) {
        Ok(()) => Ok(answer),
        Err(Mismatch { at, problem }) => Err(BadAnswer::OffSchema { at, problem }),
    }
}

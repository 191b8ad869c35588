//! Runs the formal agent without a network: the model is a script, the tools are two functions.
//!
//! `cargo run -p agent-runtime --example offline`
#![expect(clippy::print_stdout, reason = "an example shows what it does")]

use std::collections::VecDeque;
use std::error::Error;
use std::sync::{Mutex, PoisonError};

use agent_runtime::detail::Finishing;
use agent_runtime::model::{
    BoxFuture, Model, ModelError, ModelReply, ModelRequest, ToolCall, ToolDefinition, Usage,
};
use agent_runtime::{AgentFsm, Executor, Planner, Policy, State, ToolRegistry, Violation};
use serde_json::{Value, json};

/// A model that says what it was written to say.
struct ScriptedModel(Mutex<VecDeque<ModelReply>>);

impl Model for ScriptedModel {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let next = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        Box::pin(async move {
            next.ok_or_else(|| ModelError::NoModel { problem: "the script has no more lines".to_owned() })
        })
    }
}

fn script() -> ScriptedModel {
    let call = |id: &str, name: &str, arguments: Value| {
        ModelReply::calls(vec![ToolCall { id: id.to_owned(), name: name.to_owned(), arguments }])
    };
    let plan = json!({
        "goal": "find out which hall has more boxes",
        "required_capabilities": ["counting"],
        "initial_steps": ["count hall 3", "count hall 4", "compare"]
    });
    let replies = [
        ModelReply::text(plan.to_string()),
        call("1", "count_boxes", json!({ "hall": 3 })),
        // A slip: this tool does not exist. The loop says so and nothing runs.
        call("2", "ask_the_foreman", json!({ "hall": 4 })),
        // Another: the hall is not a number. The executor says so.
        call("3", "count_boxes", json!({ "hall": "four" })),
        call("4", "count_boxes", json!({ "hall": 4 })),
        ModelReply::text("Hall 4, with 31 boxes against 12."),
        ModelReply::text("Hall 4 has more boxes: 31, and hall 3 has 12."),
    ];
    let costing =
        |reply: ModelReply| reply.costing(Usage { input_tokens: 40, output_tokens: 20, cached_tokens: None });
    ScriptedModel(Mutex::new(replies.into_iter().map(costing).collect()))
}

fn tools() -> Result<ToolRegistry, Box<dyn Error>> {
    let mut tools = ToolRegistry::default();
    let schema = json!({
        "type": "object",
        "properties": { "hall": { "type": "integer" } },
        "required": ["hall"],
        "additionalProperties": false
    });
    let definition = ToolDefinition {
        input_schema: schema,
        ..ToolDefinition::new("count_boxes", "counts the boxes of a hall")
    };
    tools.register(definition, |arguments| async move {
        match arguments.get("hall").and_then(Value::as_i64) {
            Some(3) => Ok(json!({ "boxes": 12 })),
            Some(4) => Ok(json!({ "boxes": 31 })),
            hall => Err(format!("there is no hall {hall:?}")),
        }
    })?;
    Ok(tools)
}

/// Stops a run that goes round without getting anywhere.
struct KeepMoving;

impl Policy for KeepMoving {
    fn validate_continuation(&self, state: &State) -> Result<(), Violation> {
        if state.progress().repeats() < 3 {
            return Ok(());
        }
        Err(Violation::new("keep moving", "three rounds in a row were alike"))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let schema = json!({
        "type": "object",
        "required": ["goal", "initial_steps"],
        "properties": {
            "goal": { "type": "string" },
            "required_capabilities": { "type": "array", "items": { "type": "string" } },
            "initial_steps": { "type": "array", "items": { "type": "string" } }
        },
        "additionalProperties": false
    });
    let planner = Planner::new(schema, |input, _| format!("Make a plan, as JSON, for: {input}"))?;
    let mut agent = AgentFsm::new(script(), planner, Executor::new(tools()?))
        .policy(KeepMoving)
        .finishing(Finishing::Summary { prompt: "Answer in one sentence.".to_owned() });

    let outcome = pollster::block_on(agent.run("Which of halls 3 and 4 has more boxes?"));

    let Some(run) = agent.fsm() else { return Ok(()) };
    println!("goal   {}", run.state().goal());
    for step in run.state().outline().map(|outline| outline.initial_steps.as_slice()).unwrap_or_default() {
        println!("plan   {step}");
    }
    println!();
    for step in run.history() {
        println!("{:>2}  {:<10} → {:<10}  {}", step.iteration, step.from.name(), step.to.name(), step.reason);
    }
    println!();
    for seen in run.state().observations() {
        let outcome = match &seen.outcome {
            Ok(value) => value.to_string(),
            Err(error) => error.to_string(),
        };
        println!("{:>2}  {} {} → {outcome}", seen.iteration, seen.call.name, seen.call.arguments);
    }
    println!(
        "\nspent  {} new tokens in {} replies",
        run.state().spent().tokens(),
        run.state().spent().model_calls()
    );
    match outcome {
        Ok(finished) => println!("answer {}", finished.answer),
        Err(error) => println!("halted {error}"),
    }
    Ok(())
}

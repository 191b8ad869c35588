//! Lines of the records before a plan exists: tasks, processes, models, tools.

use purple_journal::RedactedJson;
use purple_journal::record::model::{Failed, Model, TaskRead};
use purple_journal::record::process::{Chosen, Process};
use purple_journal::record::task::Task;
use purple_journal::record::tool::Tool;
use serde_json::Value;

use super::line::{Line, listed, pairs, shown, value};

pub(super) fn task(task: &Task) -> Line {
    match task {
        Task::Received(received) => {
            received.text.as_ref().map_or_else(Line::data, Line::quoting).trace_only()
        }
        Task::Rejected(rejected) => Line::coded(&rejected.code, &rejected.why),
        Task::BriefMade(_) => Line::data().trace_only(),
        Task::DecisionReceived(_)
        | Task::PrivacyRefused(_)
        | Task::InputAsked(_)
        | Task::Confirmed(_)
        | Task::Divided(_)
        | Task::ReversalSought(_)
        | Task::PolicyAdvisory(_)
        | Task::ConversationFolded(_) => Line::data(),
    }
}

pub(super) fn process(process: &Process) -> Line {
    match process {
        Process::Chosen(chosen) => Line::of(self::chosen(chosen)),
        Process::Pointed(pointed) => Line::of(format!("the words point to {}", shown(&pointed.process))),
        Process::DefinitionsKnown(_) => Line::data().trace_only(),
        Process::Synthesized(made) => {
            Line::of(format!("{}, written by {}", shown(&made.process), shown(&made.model)))
        }
        Process::SynthesisFailed(failed) => Line::quoting(&failed.why),
    }
}

fn chosen(chosen: &Chosen) -> String {
    let process = shown(&chosen.process);
    let Some(defined) = &chosen.defined else { return process };
    let signed = defined.by.as_ref().map(|by| format!(", signed by {}", shown(by))).unwrap_or_default();
    let instead = defined.instead_of.map_or("", |_| " in the place of the built-in one");
    format!("{process}{signed}{instead}")
}

pub(super) fn model(model: &Model) -> Line {
    match model {
        Model::Asked(asked) => Line::of(format!("asks {}", shown(&asked.model))),
        Model::Replied(replied) if replied.calls > 0 => Line::of(format!("it wants {} calls", replied.calls)),
        Model::Replied(_) => Line::of("it answers"),
        Model::Other(other) => Line::of(format!("{} answers instead", shown(&other.answered))),
        Model::Failed(failed) => self::failed(failed),
        Model::Refused(refused) => Line::of(format!("{} is refused", shown(&refused.tool))),
        Model::LoopRefused(refused) => Line::of(format!("{} is refused", shown(&refused.tool))),
        Model::Halted(halted) => Line::quoting(&halted.why),
        Model::Fallback(fallback) => Line::quoting(&fallback.why),
        Model::Spent(spent) => Line::quoting(&spent.why),
        Model::Waiting(waiting) => Line::quoting(&waiting.why),
        Model::Wants(wants) => Line::of(format!("{}: {}", shown(&wants.headline), wants.becomes)),
        Model::Found(_) => Line::data().trace_only(),
        Model::Computed(computed) => {
            Line::of(format!("{} = {}", shown(&computed.name), json(&computed.value)))
        }
        Model::Proposed(proposed) => Line::of(format!("it proposes {}", listed(&proposed.operations))),
        Model::AuditFailed(failed) => Line::of(listed(&failed.faults)),
        Model::TaskRead(read) => task_read(read),
        Model::Lost(_)
        | Model::Note(_)
        | Model::AuditPassed(_)
        | Model::AuditDoubted(_)
        | Model::AnswersCompared(_)
        | Model::FiguresCompared(_)
        | Model::AnswerGaps(_)
        | Model::AnswerNoList(_)
        | Model::AnswerReflected(_) => Line::data(),
    }
}

/// What a model takes the task for, and what counts.
fn task_read(read: &TaskRead) -> Line {
    let act = read.act.map_or_else(|| "unknown".to_owned(), |act| act.to_string());
    let polarity = read.polarity.map(|polarity| format!(" ({polarity})")).unwrap_or_default();
    Line::of(format!(
        "it reads the task as {act}{polarity}; the grammar: {}; counts: {}",
        read.grammar, read.counts
    ))
}

/// The error of a provider is a JSON object with one member, named by the kind of the error.
fn failed(failed: &Failed) -> Line {
    let error = failed.error.value().as_object().and_then(|error| error.values().next());
    let why = error.and_then(|error| error.get("problem").or_else(|| error.get("limit_ms")));
    match why.map(|why| (why, why.as_u64())) {
        Some((_, Some(limit_ms))) => Line::of(format!("no answer within {limit_ms} ms")),
        Some((why, None)) => Line::of(format!("no answer: {}", value(why))),
        None => Line::data(),
    }
}

pub(super) fn tool(tool: &Tool) -> Line {
    match tool {
        Tool::CataloguePinned(_) => Line::data().trace_only(),
        Tool::Read(read) => {
            let arguments = read.arguments.as_ref().map(RedactedJson::value).map(pairs).unwrap_or_default();
            Line::of(format!("{}({arguments})", shown(&read.tool)))
        }
        Tool::Quarantined(quarantined) => Line::quoting(&quarantined.why),
        Tool::FunctionSynthesized(made) => {
            Line::of(format!("{}, written by {}", shown(&made.function), shown(&made.model)))
        }
        Tool::FunctionRefused(refused) => Line::quoting(&refused.why),
        Tool::FunctionCalled(called) => {
            Line::of(format!("{} → {}", shown(&called.function), json(&called.value)))
        }
        Tool::FunctionQuarantined(quarantined) => Line::quoting(&quarantined.why),
        Tool::Crowded(_)
        | Tool::SchemaFixed(_)
        | Tool::Asks(_)
        | Tool::Answered(_)
        | Tool::AnswerRefused(_) => Line::data(),
    }
}

fn json(json: &RedactedJson) -> String {
    let json: &Value = json.value();
    value(json)
}

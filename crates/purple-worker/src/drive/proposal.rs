//! What a model proposes, as operations: checked against the catalogue and the schemas, nothing more.
//!
//! An operation is no permission. It is judged like any other, and only a grant lets it run.

use agent_runtime::ToolError;
use agent_runtime::model::ToolCall;
use purple_journal::Redacted;
use purple_journal::record::model;
use purple_process::{
    Argument, Arguments, Check, Digest, Effect, Json, Operation, Order, Reference, StepId, ToolName, Values,
    may_be_made,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::conversation::Speaker;
use crate::dossier::Opened;
use crate::drive::audited::Audited;
use crate::drive::carry::AtWork;
use crate::drive::mutate::CallOutcome;
use crate::drive::offer::is_operation;
use crate::drive::readback::checked;
use crate::drive::sequence::in_sequence;
use crate::drive::serves;
use crate::execute::call::cut;
use crate::execute::catalogue::Known;
use crate::port::Definition;
use crate::run::{Phase, Run};
use crate::session::Session;

/// The most operations in one proposal.
const PROPOSED_MAX: usize = 100;
/// Parameters that name whom a message goes to.
const RECIPIENTS: [&str; 8] =
    ["to", "recipient", "recipients", "email", "emails", "cc", "channel", "address"];

/// What marks an argument that an earlier operation makes.
pub(crate) const FROM: &str = "$from";

/// Where such an argument comes from, as the model writes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    operation: usize,
    field: String,
}

/// One proposed operation, as the model writes it.
#[derive(Debug, Deserialize)]
pub(crate) struct Wanted {
    pub tool: String,
    #[serde(default)]
    pub arguments: Map<String, Value>,
    #[serde(default)]
    pub check: Map<String, Value>,
    /// The words of the task that ask for it, or the number of the order.
    #[serde(default)]
    pub act: Option<Value>,
}

impl Run<'_> {
    /// Takes a proposal: all of it, audited, or nothing and what is wrong with it.
    pub(crate) async fn proposed(&mut self, work: &mut AtWork, call: &ToolCall) -> Phase<CallOutcome> {
        let bad = |problem: String| {
            let (tool, at) = (call.name.clone(), "/operations".to_owned());
            CallOutcome::Told(Err(ToolError::BadArguments { tool, at, problem }))
        };
        let operations = match self.operations(work, &call.arguments)? {
            Ok(operations) => operations,
            Err(problem) => return Ok(bad(problem)),
        };
        self.read_first(work, &operations).await?;
        match self.audited(work, &operations, &call.arguments)? {
            Audited::Passed => {}
            Audited::Blocked(why) => return Ok(bad(why)),
            Audited::Over(why) => return Ok(CallOutcome::Refuted(why)),
        }
        self.second_look(work, &operations).await?;
        let told: Vec<String> = operations.iter().map(Operation::headline).collect();
        self.scribe.note(model::Proposed { operations: Redacted::all(&told) })?;
        work.drive.proposed = Some(operations);
        Ok(CallOutcome::Told(Ok(
            json!({"proposed": told.len(), "note": "taken down; the rules and people decide, nothing has run"}),
        )))
    }

    /// The operations of a proposal, in the order in which they run; or everything that is wrong with them.
    fn operations(&mut self, work: &mut AtWork, arguments: &Value) -> Phase<Result<Vec<Operation>, String>> {
        let list = arguments.get("operations").cloned().unwrap_or(Value::Null);
        let wanted: Vec<Wanted> = match serde_json::from_value(list) {
            Ok(wanted) => wanted,
            Err(error) => return Ok(Err(format!("`operations` is not such a list: {error}"))),
        };
        if wanted.len() > PROPOSED_MAX {
            return Ok(Err(format!("at most {PROPOSED_MAX} operations")));
        }
        let mut operations = Vec::new();
        let mut complaints = Vec::new();
        for (place, wanted) in wanted.into_iter().enumerate() {
            match self.operation(work, &wanted, &operations)? {
                Ok(operation) => operations.push(operation),
                Err(why) => complaints.push(format!("operation {}: {why}", place + 1)),
            }
        }
        let writes = operations.iter().filter(|one| one.effect == Effect::Write).count();
        complaints.extend(self.too_many(work, writes)?);
        if !complaints.is_empty() {
            return Ok(Err(complaints.join("; ")));
        }
        Ok(Ok(in_sequence(operations)))
    }

    /// One operation that a model wants; or what is wrong with it. `earlier` are those of the same proposal: an id
    /// that one of them makes may stand in an argument.
    pub(crate) fn operation(
        &mut self,
        work: &mut AtWork,
        wanted: &Wanted,
        earlier: &[Operation],
    ) -> Phase<Result<Operation, String>> {
        let built = self.built(work, wanted, earlier)?;
        let operation = match built {
            Ok(operation) => operation,
            Err(why) => {
                self.refused(&wanted.tool, Some(&wanted.arguments), &why)?;
                return Ok(Err(why));
            }
        };
        work.drive.named = work.drive.named.saturating_add(1);
        work.drive.served |= operation.effect == Effect::Write && !operation.order().is_missing();
        checked(operation, &wanted.check, &work.opened, &work.catalogue).map(Ok)
    }

    fn built(
        &self,
        work: &AtWork,
        wanted: &Wanted,
        earlier: &[Operation],
    ) -> Phase<Result<Operation, String>> {
        let Wanted { tool, arguments, .. } = wanted;
        let known = ToolName::parse(tool).ok().and_then(|name| work.catalogue.get(&name));
        let Some(known) = known else { return Ok(Err(format!("there is no tool `{}`", cut(tool)))) };
        let (values, made) = match split(known, arguments, earlier) {
            Ok(split) => split,
            Err(why) => return Ok(Err(why)),
        };
        let effect = known.tool.effect_of(&values);
        if !is_operation(effect) {
            return Ok(Err(format!("`{}` changes nothing: it is {effect}", known.name())));
        }
        // What is not known yet is checked when it is: before anything is sent.
        if let Err(bad) = self.ports.tools.check(&without(&known.definition, &made), &values) {
            return Ok(Err(bad.to_string()));
        }
        let order = order_of((work, &self.session), known, (effect, &values, &made), wanted, earlier)?;
        let recipients = if effect == Effect::Notify { recipients(&values) } else { Vec::new() };
        let arguments: Arguments =
            values.into_iter().map(|(name, value)| (name, Argument::Value(value))).chain(made).collect();
        let step = format!("op{}", work.drive.named.saturating_add(1));
        let step = match StepId::parse(&step) {
            Ok(step) => step,
            Err(bad) => return Ok(Err(bad.to_string())),
        };
        let mut operation =
            Operation::new(step, known.name().clone(), effect, arguments, Check::Unverifiable, order);
        operation.recipients = recipients;
        Ok(Ok(operation))
    }

    /// More writes than the file allows in one run.
    pub(crate) fn too_many(&self, work: &AtWork, more: usize) -> Phase<Option<String>> {
        let Some(most) = work.opened.file.limits().writes else { return Ok(None) };
        let ran = work.driving.trail.started.len() + work.drive.captured.len();
        let all = ran.saturating_add(more);
        Ok((u32::try_from(all).map_or(true, |all| all > most))
            .then(|| format!("{all} writes, and the process allows {most} in one run")))
    }

    /// Takes down what a model wanted and did not get. The digest of the arguments lets a replay refuse the same.
    pub(crate) fn refused(&self, tool: &str, arguments: Option<&Map<String, Value>>, why: &str) -> Phase<()> {
        self.scribe.note(model::Refused {
            state: self.session.walk.state(),
            tool: Redacted::of(&cut(tool)),
            arguments: arguments.and_then(arguments_digest),
            why: Redacted::of(&cut(why)),
        })
    }
}

/// The order that an operation serves: the task's own words, as far as verb and target belong to them.
fn order_of(
    (work, session): (&AtWork, &Session),
    known: &Known,
    (effect, values, made): (Effect, &Values, &Arguments),
    wanted: &Wanted,
    earlier: &[Operation],
) -> Phase<Order> {
    let opened = &work.opened;
    // What an operation makes that nobody asked for is no target.
    let unasked = |argument: &Argument| {
        let reference = argument.reference();
        let maker = reference.and_then(|to| earlier.iter().find(|one| one.step == to.step));
        maker.is_some_and(|maker| maker.order().is_missing())
    };
    if made.values().any(unasked) {
        return Ok(Order::missing());
    }
    let pointed = opened.dossier.driven.as_ref().is_some_and(|driven| driven.pointed);
    if pointed && made.is_empty() && is_own(opened, known.name(), values)? {
        return Ok(of_the_task(opened, session));
    }
    let mut tools = opened.task()?.outcome_tools();
    let is_closed = |name: &&str| known.parameter(name).is_some_and(|schema| schema.get("enum").is_some());
    let closed: Vec<&str> = known.parameters().filter(is_closed).collect();
    let cited = wanted.act.as_ref().map(|act| act.as_str().map_or_else(|| act.to_string(), str::to_owned));
    let operation = serves::Wanted {
        tool: known.definition.own_name(),
        description: known.definition.description.for_work(),
        closed: &closed,
        effect,
        values,
        cited: cited.as_deref(),
        of_process: pointed && tools.any(|tool| tool == known.name()),
        follows: work.drive.served,
    };
    let reads = opened.reads();
    let said = session.conversation.said_by(Speaker::Requester).collect::<Vec<_>>();
    let earlier = said.split_last().map_or(&[][..], |(_, earlier)| earlier);
    let context = serves::Context { earlier, reads: &reads, confirmed: session.confirmed.as_ref() };
    Ok(serves::order_for(&opened.dossier.text, &operation, &context))
}

/// The order that the whole task is.
fn of_the_task(opened: &Opened, session: &Session) -> Order {
    let text = &opened.dossier.text;
    match &session.confirmed {
        Some(confirmation) => Order::confirmed(text, confirmation.clone()),
        None => Order::task(text).unwrap_or_else(|_| Order::missing()),
    }
}

/// Whether the file itself does exactly this with what was read.
fn is_own(opened: &Opened, tool: &ToolName, values: &Values) -> Phase<bool> {
    let case = opened.case()?;
    let own = case.operations(&case.decide(), &Order::missing()).unwrap_or_default();
    let given = |one: &Operation| {
        let known = |(name, argument): (&String, &Argument)| argument.value() == values.get(name);
        one.arguments.len() == values.len() && one.arguments.iter().all(known)
    };
    Ok(own.iter().any(|one| one.tool == *tool && given(one)))
}

/// The digest of arguments as they would go over the wire.
pub(crate) fn arguments_digest(arguments: &Map<String, Value>) -> Option<Digest> {
    let json = Json::from_serde(&Value::Object(arguments.clone())).ok()?;
    Some(Digest::of(json.to_wire().as_bytes()))
}

/// What is known of the arguments, and what an earlier operation will make.
fn split(
    known: &Known,
    arguments: &Map<String, Value>,
    earlier: &[Operation],
) -> Result<(Values, Arguments), String> {
    let (mut values, mut made) = (Values::new(), Arguments::new());
    for (name, value) in arguments {
        match value.as_object().and_then(|fields| fields.get(FROM)) {
            Some(from) => {
                let reference = reference(known, name, from, earlier)?;
                made.insert(name.clone(), Argument::Reference(reference));
            }
            None => {
                let value = Json::from_serde(value).map_err(|bad| bad_value(&bad))?;
                values.insert(name.clone(), value);
            }
        }
    }
    Ok((values, made))
}

/// `{"operation": 1, "field": "id"}`: an id that an earlier write of the same proposal makes.
fn reference(known: &Known, name: &str, from: &Value, earlier: &[Operation]) -> Result<Reference, String> {
    let from: Origin = serde_json::from_value(from.clone())
        .map_err(|error| format!("`{name}`: `{FROM}` takes an operation and a field: {error}"))?;
    let made = from.operation.checked_sub(1).and_then(|place| earlier.get(place));
    let Some(made) = made.filter(|one| one.effect == Effect::Write) else {
        return Err(format!("`{name}`: operation {} is no earlier write of this proposal", from.operation));
    };
    if known.parameter(name).is_none() {
        return Err(format!("`{}` has no parameter `{name}`", known.name()));
    }
    if !may_be_made(name, &from.field) {
        return Err(format!(
            "`{name}` may not be taken from `{}` of an earlier operation: only an id of what it makes may",
            cut(&from.field)
        ));
    }
    Ok(Reference { step: made.step.clone(), field: from.field })
}

/// The definition without the parameters that are not known yet.
fn without(definition: &Definition, made: &Arguments) -> Definition {
    let mut definition = definition.clone();
    if made.is_empty() {
        return definition;
    }
    if let Some(Value::Object(properties)) = definition.input_schema.get_mut("properties") {
        properties.retain(|name, _| !made.contains_key(name));
    }
    if let Some(Value::Array(required)) = definition.input_schema.get_mut("required") {
        required.retain(|name| !name.as_str().is_some_and(|name| made.contains_key(name)));
    }
    definition
}

fn bad_value(bad: &purple_process::BadJson) -> String {
    format!("an argument cannot be sent: {bad}")
}

/// Whom a message goes to, as far as its parameters say so.
fn recipients(values: &Values) -> Vec<String> {
    let named = values.iter().filter(|(name, _)| RECIPIENTS.contains(&name.as_str()));
    let texts = named.flat_map(|(_, value)| match value {
        Json::Text(text) => vec![text.clone()],
        Json::List(items) => items.iter().filter_map(|item| item.as_text().map(str::to_owned)).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Record(_) => Vec::new(),
    });
    texts.collect()
}

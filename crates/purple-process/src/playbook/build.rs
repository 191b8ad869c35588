//! From a decision to the exact operations of its outcome.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::{Condition, Expression, Money, Unevaluable, Value};

use super::{Case, Decision, ROWS_MAX};
use crate::effect::Effect;
use crate::file::names::{BECAUSE, RULE};
use crate::file::{CallTemplate, CheckTemplate, End, ForEach, Operand, Outcome, Slot, Step, Tell};
use crate::id::{StepId, ToolName};
use crate::json::{BadJson, Json, Values};
use crate::operation::{Argument, Arguments, Check, Operation, Reference, Seen, ToolUse};
use crate::order::Order;
use crate::system;

/// Why the operations of an outcome cannot be written down. A person must take over.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stuck {
    /// A value is not known.
    #[error("`{part}` of `{step}` has no value: {why}")]
    Unevaluable {
        /// The step.
        step: String,
        /// The parameter, or another part of the step.
        part: String,
        /// Why there is none.
        why: Unevaluable,
    },
    /// A number that was never rounded.
    #[error("`{part}` of `{step}` was not rounded: {value}")]
    Unrounded {
        /// The step.
        step: String,
        /// The parameter.
        part: String,
        /// The number.
        value: String,
    },
    /// A value of a kind that cannot stand there.
    #[error("`{part}` of `{step}` cannot be {kind}")]
    WrongKind {
        /// The step.
        step: String,
        /// The part.
        part: String,
        /// The kind that was found.
        kind: purple_policy::Kind,
    },
    /// Too many rows.
    #[error("`{step}` would be repeated {rows} times, and {ROWS_MAX} is the most")]
    TooManyRows {
        /// The step.
        step: String,
        /// How many rows there are.
        rows: usize,
    },
    /// A value that a tool call cannot carry.
    #[error("`{part}` of `{step}` cannot be sent: {cause}")]
    BadValue {
        /// The step.
        step: String,
        /// The parameter.
        part: String,
        /// What is wrong with it.
        cause: BadJson,
    },
    /// A reference to a step that `when` left out.
    #[error("`{part}` of `{step}` needs the result of `{to}`, which is not done")]
    LeftOut {
        /// The step.
        step: String,
        /// The parameter.
        part: String,
        /// The step that is left out.
        to: String,
    },
}

type Local<'a> = (&'a str, Value);

impl Case<'_> {
    /// The operations of the decided outcome, in order, notifications last. Empty for `stop`, `none` and `escalate`.
    /// All of them have the order of the outcome.
    ///
    /// # Errors
    ///
    /// When a value that is needed has no value, was not rounded, or cannot be sent.
    pub fn operations(&self, decision: &Decision, order: &Order) -> Result<Vec<Operation>, Stuck> {
        let Some(outcome) = self.decided(decision) else { return Ok(Vec::new()) };
        let locals = Self::locals(decision);
        let mut operations = Vec::new();
        let mut done = BTreeSet::new();
        for step in &outcome.steps {
            for (id, locals) in
                self.repeated(&step.id, step.for_each.as_ref(), step.when.as_ref(), &locals)?
            {
                done.insert(id.clone());
                operations.push(self.write(step, id, &locals, &done, (decision, order))?);
            }
        }
        for tell in &outcome.tells {
            for (id, locals) in
                self.repeated(&tell.id, tell.for_each.as_ref(), tell.when.as_ref(), &locals)?
            {
                operations.push(self.notice(tell, id, &locals, &done, (decision, order))?);
            }
        }
        Ok(match &self.task.binding {
            Some(binding) => binding.operations(operations),
            None => operations,
        })
    }

    /// The reads whose answers are shown at the end.
    ///
    /// # Errors
    ///
    /// When an argument has no value.
    pub fn shows(&self, decision: &Decision) -> Result<Vec<(ToolName, Values)>, Stuck> {
        let Some(outcome) = self.decided(decision) else { return Ok(Vec::new()) };
        let locals = Self::locals(decision);
        outcome
            .show
            .iter()
            .map(|call| {
                let own = self.known_arguments("show", call, &locals)?;
                Ok((self.task.real_tool(&call.tool).clone(), self.real_values(&call.tool, own)))
            })
            .collect()
    }

    /// How the file reads back an operation of this tool, wherever it does the same with the same arguments; `None`
    /// where it does not, or where a value that the read-back needs is not known.
    pub fn check_of(&self, operation: &Operation) -> Option<Check> {
        let operation = &*self.task.in_business(operation);
        let steps = self.task.outcomes.iter().flat_map(|outcome| &outcome.steps);
        let mut same = steps.filter(|step| step.call.tool == operation.tool && step.for_each.is_none());
        same.find_map(|step| {
            let CheckTemplate::ReadBack { call, expect } = &step.check else { return None };
            let (id, nothing) = (operation.step.as_str(), BTreeSet::new());
            let own = self.arguments(id, &step.call.arguments, &[], &nothing).ok()?;
            let shared = |(name, argument): (&String, &Argument)| {
                operation.arguments.get(name).is_some_and(|given| given == argument)
            };
            let ids = own.iter().filter(|(name, _)| call.arguments.iter().any(|(read, _)| read == *name));
            if !ids.clone().all(shared) {
                return None;
            }
            let arguments = self.arguments(id, &call.arguments, &[], &nothing).ok()?;
            let expect = self.arguments(id, expect, &[], &nothing).ok()?;
            let check = Check::ReadBack { tool: call.tool.clone(), arguments, expect };
            Some(match &self.task.binding {
                Some(binding) => binding.check(check),
                None => check,
            })
        })
    }

    fn decided(&self, decision: &Decision) -> Option<&Outcome> {
        match &decision.end {
            Some(End::Outcome(name)) => self.task.outcome(name),
            Some(End::Stop | End::Nothing | End::Escalate) | None => None,
        }
    }

    fn locals(decision: &Decision) -> Vec<Local<'static>> {
        let text = |text: &Option<String>| text.as_deref().map_or(Value::Null, Value::text);
        vec![(RULE, text(&decision.rule)), (BECAUSE, text(&decision.because))]
    }

    /// One step, or one for each row, without those that `when` leaves out.
    fn repeated<'a>(
        &self,
        id: &str,
        each: Option<&'a ForEach>,
        when: Option<&Condition>,
        locals: &[Local<'a>],
    ) -> Result<Vec<(String, Vec<Local<'a>>)>, Stuck> {
        let all = match each {
            None => vec![(id.to_owned(), locals.to_vec())],
            Some(each) => {
                let rows = self.rows(id, each)?.into_iter().zip(1_usize..);
                let with_row = |(row, number)| {
                    let locals = locals.iter().cloned().chain([(each.row.as_str(), row)]).collect();
                    (format!("{id}_{number}"), locals)
                };
                rows.map(with_row).collect()
            }
        };
        let mut kept = Vec::new();
        for (id, locals) in all {
            let wanted = match when {
                None => true,
                Some(when) => match self.value(&id, "when", when.expression(), &locals)? {
                    Value::Bool(wanted) => wanted,
                    other => {
                        return Err(Stuck::WrongKind {
                            step: id,
                            part: "when".to_owned(),
                            kind: other.kind(),
                        });
                    }
                },
            };
            if wanted {
                kept.push((id, locals));
            }
        }
        Ok(kept)
    }

    pub(super) fn rows(&self, step: &str, each: &ForEach) -> Result<Vec<Value>, Stuck> {
        match self.value(step, "for_each", &each.rows, &[])? {
            Value::List(rows) if rows.len() > ROWS_MAX => {
                Err(Stuck::TooManyRows { step: step.to_owned(), rows: rows.len() })
            }
            Value::List(rows) => Ok(rows.to_vec()),
            other => Err(Stuck::WrongKind {
                step: step.to_owned(),
                part: "for_each".to_owned(),
                kind: other.kind(),
            }),
        }
    }

    fn write(
        &self,
        step: &Step,
        id: String,
        locals: &[Local<'_>],
        done: &BTreeSet<String>,
        (decision, order): (&Decision, &Order),
    ) -> Result<Operation, Stuck> {
        let arguments = self.arguments(&id, &step.call.arguments, locals, done)?;
        let check = match &step.check {
            CheckTemplate::Unverifiable => Check::Unverifiable,
            CheckTemplate::ReadBack { call, expect } => Check::ReadBack {
                tool: call.tool.clone(),
                arguments: self.arguments(&id, &call.arguments, locals, done)?,
                expect: self.arguments(&id, expect, locals, done)?,
            },
        };
        let undo = match &step.undo {
            None => None,
            Some(undo) => {
                let arguments = self.arguments(&id, &undo.arguments, locals, done)?;
                Some(ToolUse { tool: undo.tool.clone(), arguments })
            }
        };
        // What the operation says, and what is expected after it: both were made from what was read.
        let expected: &[(String, Operand)] = match &step.check {
            CheckTemplate::Unverifiable => &[],
            CheckTemplate::ReadBack { expect, .. } => expect,
        };
        let used = step.call.arguments.iter().chain(expected).map(|(_, operand)| operand);
        let before = self.seen(used, decision);
        let tool = step.call.tool.clone();
        let mut operation =
            Operation::new(step_id(&id)?, tool, Effect::Write, arguments, check, order.shared());
        operation.undo = undo;
        operation.before = before;
        operation.amount = self.amount(step, &id, locals)?;
        Ok(operation)
    }

    /// The money that the file says a step moves. Amounts among the arguments are known anyway.
    fn amount(&self, step: &Step, id: &str, locals: &[Local<'_>]) -> Result<Option<Money>, Stuck> {
        let Some(expression) = &step.amount else { return Ok(None) };
        let part = || "amount".to_owned();
        match self.value(id, "amount", expression, locals)? {
            Value::Money { amount, currency } => Money::exact(&amount, currency).map(Some).map_err(|_| {
                let value = format!("{amount} {}", currency.code());
                Stuck::Unrounded { step: id.to_owned(), part: part(), value }
            }),
            other => Err(Stuck::WrongKind { step: id.to_owned(), part: part(), kind: other.kind() }),
        }
    }

    fn notice(
        &self,
        tell: &Tell,
        id: String,
        locals: &[Local<'_>],
        done: &BTreeSet<String>,
        (decision, order): (&Decision, &Order),
    ) -> Result<Operation, Stuck> {
        let mut arguments = self.arguments(&id, &tell.with, locals, done)?;
        let to = self.value(&id, "to", &tell.to, locals)?;
        let recipients = recipients(&id, &to)?;
        arguments.insert(tell.parameter.clone(), Argument::Value(sendable(&id, "to", &to)?));
        let used = tell.with.iter().map(|(_, operand)| operand);
        let before = self.seen(used, decision);
        let check = Check::Unverifiable;
        let (tool, order) = (tell.tool.clone(), order.shared());
        let mut operation = Operation::new(step_id(&id)?, tool, Effect::Notify, arguments, check, order);
        operation.recipients = recipients;
        operation.quiet = tell.quiet.map(|quiet| quiet.to_string());
        operation.before = before;
        Ok(operation)
    }

    fn arguments(
        &self,
        step: &str,
        operands: &[(String, Operand)],
        locals: &[Local<'_>],
        done: &BTreeSet<String>,
    ) -> Result<Arguments, Stuck> {
        let mut arguments = Arguments::new();
        for (name, operand) in operands {
            let argument = match operand {
                Operand::Expression(expression) => {
                    let value = self.value(step, name, expression, locals)?;
                    Argument::Value(sendable(step, name, &value)?)
                }
                Operand::Reference { step: to, .. } if !done.contains(to) => {
                    return Err(Stuck::LeftOut { step: step.to_owned(), part: name.clone(), to: to.clone() });
                }
                Operand::Reference { step: to, field } => {
                    Argument::Reference(Reference { step: step_id(to)?, field: field.clone() })
                }
            };
            arguments.insert(name.clone(), argument);
        }
        Ok(arguments)
    }

    /// The arguments of a read: all of them known.
    pub(super) fn known_arguments(
        &self,
        step: &str,
        call: &CallTemplate,
        locals: &[Local<'_>],
    ) -> Result<Values, Stuck> {
        let arguments = self.arguments(step, &call.arguments, locals, &BTreeSet::new())?;
        Ok(arguments
            .into_iter()
            .filter_map(|(name, argument)| Some((name, argument.value()?.clone())))
            .collect())
    }

    fn value(
        &self,
        step: &str,
        part: &str,
        expression: &Expression,
        locals: &[Local<'_>],
    ) -> Result<Value, Stuck> {
        expression.evaluate_with(self.facts(), locals).map_err(|why| Stuck::Unevaluable {
            step: step.to_owned(),
            part: part.to_owned(),
            why,
        })
    }

    /// The fields of reads that the rule and the arguments look at, with what stood there.
    ///
    /// Reads that were repeated for rows are left out: their answers are judged together.
    fn seen<'o>(&self, operands: impl Iterator<Item = &'o Operand>, decision: &Decision) -> Vec<Seen> {
        let mut paths: BTreeSet<String> = operands
            .filter_map(|operand| match operand {
                Operand::Expression(expression) => Some(expression.names()),
                Operand::Reference { .. } => None,
            })
            .flatten()
            .collect();
        // The rules before the one that decided were decided too: they did not hold.
        let last = self.task.rules.iter().position(|rule| Some(&rule.id) == decision.rule.as_ref());
        let judged = last.and_then(|last| self.task.rules.get(..=last)).unwrap_or_default();
        let conditions = judged.iter().filter_map(|rule| rule.condition.as_ref());
        paths.extend(conditions.flat_map(|condition| condition.expression().names()));
        for slot in self.task.slots.iter().rev() {
            if let Slot::Compute(compute) = slot
                && paths.contains(&compute.name)
            {
                paths.extend(compute.expression.names());
            }
        }
        let mut seen = BTreeMap::new();
        for path in paths {
            let Some((name, field)) = path.split_once('.') else { continue };
            let Some(read) = self.task.reads().find(|read| read.name == name && read.for_each.is_none())
            else {
                continue;
            };
            let Some(answered) = self.found.answered.get(name) else { continue };
            let [arguments] = answered.calls.as_slice() else { continue };
            let arguments = arguments.clone();
            let value =
                self.facts().get(&path).ok().and_then(|value| Json::from_serde(&value.to_json()).ok());
            let (tool, field) = (&read.call.tool, field.to_owned());
            let (field, value) = match (&self.task.binding, &answered.raw) {
                (Some(binding), Some(raw)) => {
                    let field = binding.field(tool, &field);
                    let value = system::at(raw, &field).cloned();
                    (field, value)
                }
                _ => (field, value),
            };
            let Some(value) = value else { continue };
            let tool = self.task.real_tool(tool).clone();
            seen.insert(path, Seen { tool, arguments, field, value });
        }
        seen.into_values().collect()
    }
}

fn step_id(id: &str) -> Result<StepId, Stuck> {
    StepId::parse(id).map_err(|_| Stuck::WrongKind {
        step: id.chars().take(60).collect(),
        part: "name".to_owned(),
        kind: purple_policy::Kind::Text,
    })
}

fn recipients(step: &str, to: &Value) -> Result<Vec<String>, Stuck> {
    let wrong =
        |value: &Value| Stuck::WrongKind { step: step.to_owned(), part: "to".to_owned(), kind: value.kind() };
    let one = |value: &Value| match value {
        Value::Text(text) if !text.trim().is_empty() => Ok(text.to_string()),
        other => Err(wrong(other)),
    };
    match to {
        Value::List(list) if list.is_empty() => Err(wrong(to)),
        Value::List(list) => list.iter().map(one).collect(),
        other => Ok(vec![one(other)?]),
    }
}

/// A value as a tool call carries it. What was never rounded is not sent.
fn sendable(step: &str, part: &str, value: &Value) -> Result<Json, Stuck> {
    if let Some(loose) = unrounded(value) {
        return Err(Stuck::Unrounded { step: step.to_owned(), part: part.to_owned(), value: loose });
    }
    Json::from_serde(&value.to_json()).map_err(|cause| Stuck::BadValue {
        step: step.to_owned(),
        part: part.to_owned(),
        cause,
    })
}

/// A number in the value that has no finite decimal form, or more digits than its currency.
fn unrounded(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) | Value::Percent(number) => {
            number.to_plain().is_none().then(|| value.to_string())
        }
        Value::Money { amount, currency } => {
            Money::exact(amount, *currency).is_err().then(|| value.to_string())
        }
        Value::List(items) => items.iter().find_map(unrounded),
        Value::Record(fields) => fields.values().find_map(unrounded),
        Value::Null | Value::Bool(_) | Value::Text(_) | Value::Date(_) => None,
    }
}

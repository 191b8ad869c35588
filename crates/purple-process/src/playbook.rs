//! One case of a process file: facts in, figures, decision and operations out.
//!
//! Pure: it says which reads are due and takes their answers; somebody else calls the tools.
//!
//! ```
//! use jiff::civil::date;
//! use purple_policy::Value;
//! use purple_process::file::load;
//! use purple_process::Order;
//! use purple_process::playbook::Case;
//!
//! let file = load(
//!     "process: close_case
//! title: Close a case that is paid
//! owner: finance
//! read: {bill: get_bill()}
//! decide: [{rule: C-1, if: 'bill.open == 0 USD', outcome: close, ask: nobody}]
//! outcomes: {close: {do: close_case(id=bill.id), check: get_case(id=bill.id).status == \"closed\"}}
//! ",
//! )?;
//! let mut case = Case::start(&file.tasks()[0], &Default::default(), date(2026, 3, 4));
//! assert_eq!(case.due()[0].tool.as_str(), "get_bill");
//! case.answer("bill", vec![Value::from_json(&serde_json::json!({"id": "B-7", "open": "0.00 USD"}))?])?;
//! let decision = case.decide();
//! assert_eq!(decision.rule(), Some("C-1"));
//! let order = Order::task("Close case B-7")?;
//! assert_eq!(case.operations(&decision, &order)?[0].tool.as_str(), "close_case");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod decide;
mod edit;

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use jiff::civil::Date;
use purple_policy::{Facts, Source, Unevaluable, Unread, Value};

use crate::fact::{Binding, Known, Subject};
use crate::file::names::TODAY;
use crate::file::{CallTemplate, Input, NotFound, Operand, Read, Slot, Task};
use crate::id::ToolName;
use crate::json::{Json, Values};
use crate::operation::Operation;

pub use build::Stuck;
pub use decide::{Decision, Demand, Doubt};
pub use edit::{BadEdit, EDIT_BYTES_MAX};

/// The most rows that a repetition may have.
pub const ROWS_MAX: usize = 500;

/// A task that is being prepared: what is known so far.
#[derive(Clone, Debug)]
pub struct Case<'t> {
    task: &'t Task,
    found: Arc<Findings>,
}

/// All that is known in a case, apart from its task. Kept where the same case is needed more than once.
#[derive(Clone, Debug)]
pub struct Findings {
    facts: Facts,
    answered: BTreeMap<String, Answered>,
    given_up: BTreeMap<String, GivenUp>,
    /// Everything that the run has read, by whomever.
    known: Arc<Known>,
    /// Computed names without a value, and why.
    doubts: BTreeMap<String, Unevaluable>,
    /// What an approver put in the place of computed values.
    edits: BTreeMap<String, Value>,
    /// What the file decides on all of this, and what it would do; made when it is asked for first.
    decided: OnceLock<Decision>,
    own: OnceLock<Vec<Operation>>,
}

/// The answer to a read, beside the facts that were made of it.
#[derive(Clone, Debug)]
struct Answered {
    /// The calls, as they were made.
    calls: Vec<Values>,
    /// The answer of a single call as it came, where it was translated.
    raw: Option<Json>,
}

/// Why a read has no answer, in the words of whoever was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
enum GivenUp {
    /// There is no such thing.
    Absent(String),
    /// Nobody knows.
    Unread(String),
}

/// A read that can be made now.
#[derive(Clone, Debug, PartialEq)]
pub struct Due<'t> {
    /// The name that its answer gets.
    pub name: &'t str,
    /// The tool to call.
    pub tool: &'t ToolName,
    /// The arguments of each call: one, or one for each row.
    pub calls: Vec<Values>,
}

/// An answer that does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// No read of that name is due.
    #[error("no read `{name}` is due")]
    NotDue {
        /// The name.
        name: String,
    },
    /// Too few or too many answers.
    #[error("the read `{name}` made {calls} calls and got {answers} answers")]
    Count {
        /// The name.
        name: String,
        /// How many calls were due.
        calls: usize,
        /// How many answers came.
        answers: usize,
    },
}

impl<'t> Case<'t> {
    /// Begins with what the words of the task said. What the file reads is in doubt until it is answered.
    pub fn start(task: &'t Task, inputs: &BTreeMap<String, Value>, today: Date) -> Self {
        let mut facts = Facts::new();
        for read in task.reads() {
            facts.doubt(Source::Read, read.name.as_str(), unread(&read.name, Unread::NotMade));
        }
        facts.set(Source::Context, TODAY, Value::Date(today));
        for (name, value) in inputs {
            facts.set(Source::Input, name.as_str(), value.clone());
        }
        Self::with_facts(task, facts)
    }

    /// Begins with facts that are known already.
    pub fn with_facts(task: &'t Task, facts: Facts) -> Self {
        let found = Findings {
            facts,
            answered: BTreeMap::new(),
            given_up: BTreeMap::new(),
            known: Arc::default(),
            doubts: BTreeMap::new(),
            edits: BTreeMap::new(),
            decided: OnceLock::new(),
            own: OnceLock::new(),
        };
        let mut case = Self { task, found: Arc::new(found) };
        for parameter in &task.parameters {
            case.find().facts.set(Source::Context, parameter.name.as_str(), parameter.value.clone());
        }
        case.compute();
        case
    }

    /// The same, with everything that the run has read: the fields of declared records are found there.
    #[must_use]
    pub fn knowing(mut self, known: Arc<Known>) -> Self {
        self.find().known = known;
        self
    }

    /// Which facts the declared fields mean for an operation, and where they were read.
    pub fn bindings(&self, operation: Option<&Operation>) -> Vec<Binding> {
        let own = operation.map(|operation| self.task.in_business(operation));
        self.found.known.bind(&self.task.records, &self.subject(own.as_deref()))
    }

    /// Which records are meant: by the operation in the names of the file; without one, by the inputs.
    fn subject(&self, operation: Option<&Operation>) -> Subject {
        let input = |input: &'t Input| Some((input.name(), self.found.facts.get(input.name()).ok()?));
        match operation {
            Some(operation) => Subject::of(Some(operation)),
            None => Subject::of_inputs(self.task.inputs().iter().filter_map(input)),
        }
    }

    /// Everything that the run has read.
    pub fn known(&self) -> &Arc<Known> {
        &self.found.known
    }

    /// Goes on with what a case of the same task had found.
    pub fn again(task: &'t Task, found: Arc<Findings>) -> Self {
        Self { task, found }
    }

    /// What was found so far.
    pub fn found(&self) -> Arc<Findings> {
        Arc::clone(&self.found)
    }

    /// What was found, to be added to. What was decided on less is forgotten.
    fn find(&mut self) -> &mut Findings {
        let found = Arc::make_mut(&mut self.found);
        (found.decided, found.own) = (OnceLock::new(), OnceLock::new());
        found
    }

    /// The task.
    pub fn task(&self) -> &'t Task {
        self.task
    }

    /// Everything that is known.
    pub fn facts(&self) -> &Facts {
        &self.found.facts
    }

    /// The reads whose arguments are known and that were not answered yet. When there are none, decide.
    ///
    /// A read whose arguments stay unknown never becomes due; rules that need it are in doubt.
    pub fn due(&self) -> Vec<Due<'t>> {
        let open = |read: &&Read| {
            !self.found.answered.contains_key(read.name.as_str())
                && !self.found.given_up.contains_key(read.name.as_str())
        };
        self.task
            .reads()
            .filter(open)
            .filter_map(|read| {
                let calls = self.calls(read).ok()?.into_iter().map(|(_, call)| call).collect();
                Some(Due { name: &read.name, tool: self.task.real_tool(&read.call.tool), calls })
            })
            .collect()
    }

    /// The calls that list the records which these inputs may be found in, under the name of the input. Where such a
    /// call needs an input that nobody had to state, the records of that one are listed first.
    pub fn look_ups(&self, missing: &[NotFound]) -> Vec<Due<'t>> {
        let mut due: Vec<Due<'t>> = Vec::new();
        for input in self.task.inputs() {
            let why = missing.iter().find(|one| one.name == input.name).map(|one| &one.why);
            let Some(find) = input.find.as_ref().filter(|_| why.is_some_and(|why| input.may_be_found(why)))
            else {
                continue;
            };
            let listed = self.look_up(input).map_or_else(|| self.needed_by(&find.call), |one| vec![one]);
            due.extend(
                listed
                    .into_iter()
                    .filter(|one| due.iter().all(|other| other.name != one.name))
                    .collect::<Vec<_>>(),
            );
        }
        due
    }

    /// The call that lists the records of an input, where all that it needs is known.
    fn look_up(&self, input: &'t Input) -> Option<Due<'t>> {
        let find = input.find.as_ref()?;
        let arguments = self.known_arguments(&input.name, &find.call, &[]).ok()?;
        let arguments = self.real_values(&find.call.tool, arguments);
        Some(Due { name: &input.name, tool: self.task.real_tool(&find.call.tool), calls: vec![arguments] })
    }

    /// The look-ups of the optional inputs that a call needs.
    fn needed_by(&self, call: &CallTemplate) -> Vec<Due<'t>> {
        let needs = |input: &&Input| {
            input.is_optional()
                && call.arguments.iter().any(|(_, operand)| match operand {
                    Operand::Expression(expression) => {
                        expression.names().iter().any(|name| *name == input.name())
                    }
                    Operand::Reference { .. } => false,
                })
        };
        self.task.inputs().iter().filter(needs).filter_map(|input| self.look_up(input)).collect()
    }

    /// Takes the answers of a due read, one for each call, in their order.
    ///
    /// # Errors
    ///
    /// When no such read is due, or the number of answers is not the number of calls.
    pub fn answer(&mut self, name: &str, answers: Vec<Value>) -> Result<(), BadAnswer> {
        let not_due = || BadAnswer::NotDue { name: name.to_owned() };
        let read = self.task.reads().find(|read| read.name == name).ok_or_else(not_due)?;
        if self.found.answered.contains_key(name) {
            return Err(not_due());
        }
        let calls = self.calls(read).map_err(|_| not_due())?;
        if calls.len() != answers.len() {
            return Err(BadAnswer::Count {
                name: name.to_owned(),
                calls: calls.len(),
                answers: answers.len(),
            });
        }
        let (rows, arguments): (Vec<Option<Value>>, Vec<Values>) = calls.into_iter().unzip();
        let raw = self.raw(&answers);
        let mut own = Vec::new();
        for answer in answers {
            match self.in_business(&read.call.tool, answer) {
                Some(answer) => own.push(answer),
                // The place where the record would stand is empty.
                None => {
                    self.absent(name, "the answer holds no such record");
                    return Ok(());
                }
            }
        }
        let answers = own;
        let value = match &read.for_each {
            None => answers.into_iter().next().unwrap_or(Value::Null),
            Some(each) => Value::list(
                answers
                    .into_iter()
                    .zip(rows)
                    .map(|(answer, row)| beside(answer, &each.row, row.unwrap_or(Value::Null))),
            ),
        };
        let found = self.find();
        found.facts.set(Source::Read, name, value);
        found.answered.insert(read.name.clone(), Answered { calls: arguments, raw });
        self.compute();
        Ok(())
    }

    /// Notes that a read was answered with "there is no such thing".
    pub fn absent(&mut self, name: &str, why: impl Into<String>) {
        self.end(name, why.into(), None);
    }

    /// Notes that a read has no answer. Nothing over it can be evaluated, and doubt is refused.
    pub fn give_up(&mut self, name: &str, how: Unread, why: impl Into<String>) {
        self.end(name, why.into(), Some(how));
    }

    fn end(&mut self, name: &str, why: String, how: Option<Unread>) {
        let Some(read) = self.task.reads().find(|read| read.name == name) else { return };
        let found = self.find();
        let given_up = match how {
            Some(how) => {
                found.facts.doubt(Source::Read, name, unread(name, how));
                GivenUp::Unread(why)
            }
            None => {
                found.facts.forget(Source::Read, name);
                GivenUp::Absent(why)
            }
        };
        found.given_up.insert(read.name.clone(), given_up);
        self.compute();
    }

    /// The computed values, in the order of their needs; those without a value say why.
    pub fn figures(&self) -> Vec<(&'t str, Result<Value, Unevaluable>)> {
        let figure = |name: &'t str| match self.found.doubts.get(name) {
            Some(why) => (name, Err(why.clone())),
            None => (name, self.facts().get(name)),
        };
        self.task.computes().map(|compute| figure(&compute.name)).collect()
    }

    /// The business key: the same one is never handled twice by accident. Empty when the file has none.
    ///
    /// # Errors
    ///
    /// Why a part of it has no value.
    pub fn business_key(&self) -> Result<Vec<Value>, Unevaluable> {
        self.task.once_per.iter().map(|part| part.evaluate(self.facts())).collect()
    }

    /// Evaluates every computation that can be evaluated by now.
    fn compute(&mut self) {
        let task = self.task;
        let found = self.find();
        for slot in &task.slots {
            let Slot::Compute(compute) = slot else { continue };
            let edited = found.edits.get(compute.name.as_str()).cloned();
            match edited.map_or_else(|| compute.expression.evaluate(&found.facts), Ok) {
                Ok(value) => {
                    found.facts.set(Source::Computed, compute.name.as_str(), value);
                    found.doubts.remove(compute.name.as_str());
                }
                Err(why) => {
                    // What is wrong or could not be read stays so for whatever is computed from it.
                    if why.is_absence() {
                        found.facts.forget(Source::Computed, &compute.name);
                    } else {
                        let (name, why) = (compute.name.clone(), Box::new(why.clone()));
                        let uncomputed = Unevaluable::Uncomputed { name, why };
                        found.facts.doubt(Source::Computed, compute.name.as_str(), uncomputed);
                    }
                    found.doubts.insert(compute.name.clone(), why);
                }
            }
        }
    }

    /// The values of a call of the file as they go to the tool that stands for it.
    fn real_values(&self, tool: &ToolName, own: Values) -> Values {
        match &self.task.binding {
            Some(binding) => binding.values(tool, own),
            None => own,
        }
    }

    /// A single answer as it came, where it is translated.
    fn raw(&self, answers: &[Value]) -> Option<Json> {
        self.task.binding.as_ref()?;
        let [only] = answers else { return None };
        Json::from_serde(&only.to_json()).ok()
    }

    /// An answer under the names of the file; `None` where the record is not in it.
    fn in_business(&self, tool: &ToolName, answer: Value) -> Option<Value> {
        let Some(binding) = &self.task.binding else { return Some(answer) };
        let Ok(given) = Json::from_serde(&answer.to_json()) else { return Some(answer) };
        match binding.answer(tool, &given) {
            Json::Null if given != Json::Null => None,
            own if own == given => Some(answer),
            own => known(&own).or(Some(Value::Null)),
        }
    }

    /// The calls of a read, each with the row it is made for.
    fn calls(&self, read: &Read) -> Result<Vec<(Option<Value>, Values)>, Stuck> {
        let Some(each) = &read.for_each else {
            let own = self.known_arguments(&read.name, &read.call, &[])?;
            return Ok(vec![(None, self.real_values(&read.call.tool, own))]);
        };
        let rows = self.rows(&read.name, each)?;
        rows.into_iter()
            .map(|row| {
                let locals = [(each.row.as_str(), row.clone())];
                let own = self.known_arguments(&read.name, &read.call, &locals)?;
                Ok((Some(row), self.real_values(&read.call.tool, own)))
            })
            .collect()
    }
}

/// A value of a tool call as a value of the language.
fn known(json: &Json) -> Option<Value> {
    let json = serde_json::from_str(&json.to_wire()).ok()?;
    Value::from_json(&json).ok()
}

fn unread(name: &str, how: Unread) -> Unevaluable {
    Unevaluable::Unread { name: name.to_owned(), how }
}

/// The answer with the row it was asked for beside its own fields.
fn beside(answer: Value, name: &str, row: Value) -> Value {
    match answer {
        Value::Record(fields) => {
            let kept = fields.iter().map(|(field, value)| (field.clone(), value.clone()));
            Value::record(kept.chain([(name.to_owned(), row)]))
        }
        other => Value::record([("value".to_owned(), other), (name.to_owned(), row)]),
    }
}

#[cfg(test)]
#[path = "playbook_tests.rs"]
mod tests;

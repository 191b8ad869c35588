//! A process file that was accepted: everything in it is checked and compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU8;
use std::sync::Arc;

use purple_intent::SayForm;
use purple_policy::{Condition, Expression, Facts, Judged, Kind, Value};

use super::input::Input;
use super::reason::Reason;
use super::sentence::Sentence;
use super::terms::{Approval, Limits};
use super::time::QuietHours;
use super::trial::Trial;
use crate::canonical::Digest;
use crate::id::{Role, ToolName};
use crate::machine::State;
use crate::route::Route;
use crate::system::Binding;

/// A process as its owner signed it.
#[derive(Clone, Debug)]
pub struct ProcessFile {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) owner: Role,
    pub(crate) also: Vec<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) format: Format,
    pub(crate) limits: Limits,
    pub(crate) tasks: Vec<Task>,
    pub(crate) digest: Digest,
}

impl ProcessFile {
    /// The name of the process.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The role that answers for it.
    pub fn owner(&self) -> &Role {
        &self.owner
    }

    /// Whether the process goes by this name, its own or another.
    pub fn answers_to(&self, name: &str) -> bool {
        self.name == name || self.also.iter().any(|also| also == name)
    }

    /// Other names that point to it.
    pub fn also(&self) -> &[String] {
        &self.also
    }

    /// The words that point to it.
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// The version of its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Bounds of one run.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Its tasks; a file without `tasks` has one, which has the name of the process.
    pub fn tasks(&self) -> &[Task] {
        &self.tasks
    }

    /// The task with this name.
    pub fn task(&self, name: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| task.name == name)
    }

    /// Which bytes were accepted. A plan carries it.
    pub fn digest(&self) -> Digest {
        self.digest
    }
}

/// The version of the format that a file is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Without `say`: only the mood of the words is read.
    One,
    /// Every complete task has `say`.
    Two,
}

/// One task of a process, with its slots.
#[derive(Clone, Debug)]
pub struct Task {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) owner: Role,
    pub(crate) keywords: Vec<String>,
    pub(crate) say: Vec<SayForm>,
    pub(crate) words: BTreeSet<String>,
    pub(crate) route: Route,
    pub(crate) instructions: BTreeMap<State, String>,
    pub(crate) inputs: Vec<Input>,
    /// Thresholds that have a name.
    pub(crate) parameters: Vec<Parameter>,
    /// The fields of records that its rules look at.
    pub(crate) records: Vec<Field>,
    /// The operations that its rules tell apart.
    pub(crate) actions: Vec<Action>,
    /// Reads and computations, each after those that it needs.
    pub(crate) slots: Vec<Slot>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) once_per: Vec<Expression>,
    pub(crate) approval: Approval,
    pub(crate) trials: Vec<Trial>,
    pub(crate) sentences: Vec<Sentence>,
    /// What stands for its calls where a company's tools have other names.
    pub(crate) binding: Option<Arc<Binding>>,
}

impl Task {
    /// The name of the task.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it does, in one line.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The role that is asked where no rule decides.
    pub fn owner(&self) -> &Role {
        &self.owner
    }

    /// The words that point to this task rather than to the others of its file.
    pub fn keywords(&self) -> &[String] {
        &self.keywords
    }

    /// How it is asked for.
    pub fn say(&self) -> &[SayForm] {
        &self.say
    }

    /// The states it visits.
    pub fn route(&self) -> &Route {
        &self.route
    }

    /// What a model is told in a state.
    pub fn instruction(&self, state: State) -> Option<&str> {
        self.instructions.get(&state).map(String::as_str)
    }

    /// What it takes from the words of a task.
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The thresholds that have a name.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The fields of records that its rules look at, by business name.
    pub fn records(&self) -> &[Field] {
        &self.records
    }

    /// The operations that its rules tell apart, by business name.
    pub fn actions(&self) -> &[Action] {
        &self.actions
    }

    /// What it reads, each after those that it needs.
    pub fn reads(&self) -> impl Iterator<Item = &Read> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Read(read) => Some(read),
            Slot::Compute(_) => None,
        })
    }

    /// What it computes, each after those that it needs.
    pub fn computes(&self) -> impl Iterator<Item = &Compute> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Compute(compute) => Some(compute),
            Slot::Read(_) => None,
        })
    }

    /// Its rules, in order.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// Its outcomes, in the order of the file.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The outcome with this name.
    pub fn outcome(&self, name: &str) -> Option<&Outcome> {
        self.outcomes.iter().find(|outcome| outcome.name == name)
    }

    /// Who decides, how long, and who is next.
    pub fn approval(&self) -> &Approval {
        &self.approval
    }

    /// How many tests it carries.
    pub fn test_count(&self) -> usize {
        self.trials.len().saturating_add(self.sentences.len())
    }

    /// Whether it runs without a model: it reads, decides and says what each outcome does.
    pub fn is_complete(&self) -> bool {
        self.reads().next().is_some()
            && !self.outcomes.is_empty()
            && !self.rules.is_empty()
            && self.rules.iter().all(|rule| rule.end.is_some())
    }
}

/// A threshold that has a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    pub(crate) name: String,
    pub(crate) value: Value,
    /// As its author wrote it.
    pub(crate) written: String,
}

impl Parameter {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it stands for.
    pub fn value(&self) -> &Value {
        &self.value
    }
}

/// A field of a record that rules look at, by business name: where a company keeps it is found when a run binds it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    pub(crate) record: String,
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// The texts that rules compare it with.
    pub(crate) words: Vec<Arc<str>>,
}

impl Field {
    /// A field of a record; `kind` is what it must be, as far as that is known.
    pub fn new(record: impl Into<String>, name: impl Into<String>, kind: Kind) -> Self {
        Self { record: record.into(), name: name.into(), kind, words: Vec::new() }
    }

    /// The same, where rules compare it with these values.
    #[must_use]
    pub fn compared_with(mut self, compared: &[(String, Value)]) -> Self {
        let (kind, words) = expected(&self.path(), compared);
        self.words = words;
        if self.kind == Kind::Unknown {
            self.kind = kind;
        }
        self
    }

    /// The record.
    pub fn record(&self) -> &str {
        &self.record
    }

    /// Its name in the record.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What it must be.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// As expressions name it.
    pub fn path(&self) -> String {
        format!("{}.{}", self.record, self.name)
    }
}

/// What a name must be for these comparisons: its kind, and the texts that it is compared with.
pub(crate) fn expected(path: &str, compared: &[(String, Value)]) -> (Kind, Vec<Arc<str>>) {
    let (mut kind, mut words) = (Kind::Unknown, Vec::new());
    for (_, value) in compared.iter().filter(|(name, _)| name == path) {
        match value {
            Value::Text(word) => words.push(Arc::clone(word)),
            other => kind = other.kind(),
        }
    }
    (kind, words)
}

/// An operation that rules tell apart, by business name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    pub(crate) name: String,
    /// What tools call it: any of these, each a few words.
    pub(crate) phrases: Vec<Vec<String>>,
}

impl Action {
    /// As expressions name it.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// Something that gets a value while a case is prepared.
#[derive(Clone, Debug)]
pub(crate) enum Slot {
    Read(Read),
    Compute(Compute),
}

impl Slot {
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Read(read) => &read.name,
            Self::Compute(compute) => &compute.name,
        }
    }
}

/// A value that a tool is asked for.
#[derive(Clone, Debug)]
pub struct Read {
    pub(crate) name: String,
    pub(crate) call: CallTemplate,
    pub(crate) for_each: Option<ForEach>,
}

impl Read {
    /// The name by which expressions know it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tool that is asked.
    pub fn tool(&self) -> &ToolName {
        &self.call.tool
    }
}

/// A value that is computed.
#[derive(Clone, Debug)]
pub struct Compute {
    pub(crate) name: String,
    pub(crate) expression: Expression,
}

impl Compute {
    /// The name by which expressions know it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The expression.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }
}

/// Repetition for each row of a list.
#[derive(Clone, Debug)]
pub(crate) struct ForEach {
    pub(crate) rows: Expression,
    /// The name of one row.
    pub(crate) row: String,
}

/// A tool and the expressions of its parameters.
#[derive(Clone, Debug)]
pub(crate) struct CallTemplate {
    pub(crate) tool: ToolName,
    pub(crate) arguments: Vec<(String, Operand)>,
}

/// What a parameter is given.
#[derive(Clone, Debug)]
pub(crate) enum Operand {
    /// Known before anything is done.
    Expression(Expression),
    /// Made by an earlier step.
    Reference { step: String, field: String },
}

/// One rule of the decision table.
#[derive(Clone, Debug)]
pub struct Rule {
    pub(crate) id: String,
    pub(crate) condition: Option<Condition>,
    pub(crate) end: Option<End>,
    pub(crate) ask: Option<Ask>,
    pub(crate) people: Option<NonZeroU8>,
    pub(crate) because: Option<Reason>,
    pub(crate) source: Option<String>,
}

impl Rule {
    /// The id, as it is cited.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The condition, as it was written; `None` matches always.
    pub fn condition(&self) -> Option<&str> {
        self.condition.as_ref().map(|condition| condition.expression().source())
    }

    /// The names that its condition compares with written values, and those values.
    pub(crate) fn compared(&self) -> Vec<(String, Value)> {
        self.condition.as_ref().map(|condition| condition.expression().compared()).unwrap_or_default()
    }

    /// The names that its condition reads.
    pub fn names(&self) -> Vec<String> {
        self.condition.as_ref().map(|condition| condition.expression().names()).unwrap_or_default()
    }

    /// Whether its condition holds. What cannot be evaluated does not.
    pub fn holds(&self, facts: &Facts) -> bool {
        let judged = |condition: &Condition| condition.judge(facts) == Judged::Fires;
        self.condition.as_ref().is_none_or(judged)
    }

    /// Where it leads; `None` judges each operation that a model proposes.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Who is asked; `None` leaves it to the mode.
    pub fn ask(&self) -> Option<&Ask> {
        self.ask.as_ref()
    }

    /// Why, in words for the card.
    pub fn because(&self) -> Option<&str> {
        self.because.as_ref().map(Reason::plain)
    }

    /// Where the rule comes from.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }
}

/// Where a rule leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// To one of the outcomes.
    Outcome(String),
    /// The case is blocked.
    Stop,
    /// There is nothing to do.
    Nothing,
    /// A person must take over.
    Escalate,
}

/// Who is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Nobody: the rule allows it.
    Nobody,
    /// The one who sent the task.
    Requester,
    /// Somebody with this role.
    Role(Role),
}

/// What an outcome does.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub(crate) name: String,
    pub(crate) steps: Vec<Step>,
    pub(crate) show: Vec<CallTemplate>,
    pub(crate) tells: Vec<Tell>,
}

impl Outcome {
    /// The name of the outcome.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tools that write and notify in it.
    pub fn tools(&self) -> impl Iterator<Item = &ToolName> {
        let writes = self.steps.iter().map(|step| &step.call.tool);
        writes.chain(self.tells.iter().map(|tell| &tell.tool))
    }
}

/// One call that writes.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) id: String,
    pub(crate) call: CallTemplate,
    pub(crate) when: Option<Condition>,
    pub(crate) for_each: Option<ForEach>,
    pub(crate) check: CheckTemplate,
    pub(crate) undo: Option<CallTemplate>,
    /// The money it moves, where no parameter says it.
    pub(crate) amount: Option<Expression>,
}

/// How a step is read back.
#[derive(Clone, Debug)]
pub(crate) enum CheckTemplate {
    ReadBack { call: CallTemplate, expect: Vec<(String, Operand)> },
    Unverifiable,
}

/// One notification.
#[derive(Clone, Debug)]
pub(crate) struct Tell {
    pub(crate) id: String,
    pub(crate) tool: ToolName,
    /// The parameter that names the recipient.
    pub(crate) parameter: String,
    pub(crate) to: Expression,
    pub(crate) with: Vec<(String, Operand)>,
    pub(crate) quiet: Option<QuietHours>,
    pub(crate) when: Option<Condition>,
    pub(crate) for_each: Option<ForEach>,
}

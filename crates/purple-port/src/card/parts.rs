//! The parts of a card, as they are stored and shown.

use jiff::Timestamp;
use purple_process::{PersonId, StepId, ToolName};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::shown::Shown;

/// What the plan does, and what is unusual about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Headline {
    /// What it does, in the words of the plan.
    pub text: Shown,
    /// What an approver should look at first.
    pub unusual: Vec<Shown>,
}

/// A name and its value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Named {
    /// The name.
    pub name: Shown,
    /// The value, exactly as it goes over the wire where it is an argument.
    pub value: Shown,
}

impl Named {
    pub(super) fn to_data(&self) -> Value {
        json!({"name": self.name.as_str(), "value": self.value.as_str()})
    }
}

/// A field that an approver changed before the decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EditedField {
    /// The field.
    pub name: Shown,
    /// What was computed.
    pub before: Shown,
    /// What stands there now.
    pub after: Shown,
    /// Who changed it.
    pub by: PersonId,
    /// When.
    pub at: Timestamp,
}

impl EditedField {
    pub(super) fn to_data(&self) -> Value {
        json!({
            "name": self.name.as_str(), "before": self.before.as_str(), "after": self.after.as_str(),
            "by": self.by.as_str(), "at": self.at.to_string(),
        })
    }
}

/// A field that an operation changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The field of the record that is read back.
    pub field: Shown,
    /// What stood there; `None` where it was not read.
    pub before: Option<Shown>,
    /// What must stand there afterwards.
    pub after: Shown,
}

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// Its name in the plan.
    pub step: StepId,
    /// What it does, in one line.
    pub headline: Shown,
    /// The tool that does it.
    pub tool: ToolName,
    /// `write` or `notify`.
    pub kind: String,
    /// What the tool is given.
    pub arguments: Vec<Named>,
    /// What changes, before and after.
    pub changes: Vec<Change>,
    /// The values that it was decided on.
    pub decided_on: Vec<Named>,
    /// The tool that reads it back; `None` where nothing can.
    pub verified_by: Option<ToolName>,
    /// The tool that undoes it; `None` where it cannot be undone.
    pub undone_by: Option<ToolName>,
    /// The first digits of its key.
    pub key: String,
    /// Who is told.
    pub recipients: Vec<Shown>,
    /// Hours in which nobody is told.
    pub quiet: Option<Shown>,
    /// What asks for it. `None` in plans that were stored before orders were recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ordered: Option<OrderedBy>,
    /// That exactly this was done before in the session, and when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Shown>,
}

/// How cards mark an operation that nothing in the request asks for.
pub const NOT_IN_THE_REQUEST: &str = "not in the request";

/// What asks for an operation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum OrderedBy {
    /// The requester's words.
    Words(Shown),
    /// The requester's confirmation of the restated task.
    Confirmed {
        /// Who confirmed it.
        by: PersonId,
        /// The restated task.
        sentence: Shown,
    },
    /// A command that names the operation.
    Command {
        /// Who gave it.
        by: PersonId,
        /// The command.
        command: Shown,
    },
    /// Nothing in the request.
    Missing,
}

impl OrderedBy {
    /// The words on the card.
    pub fn label(&self) -> String {
        match self {
            Self::Words(words) => format!("“{words}”"),
            Self::Confirmed { by, sentence } => format!("confirmed by {by}: “{sentence}”"),
            Self::Command { by, command } => format!("command of {by}: “{command}”"),
            Self::Missing => NOT_IN_THE_REQUEST.to_owned(),
        }
    }
}

impl Effect {
    pub(super) fn to_data(&self) -> Value {
        let named = |named: &Named| json!({"name": named.name.as_str(), "value": named.value.as_str()});
        let change = |change: &Change| {
            json!({"field": change.field.as_str(), "before": change.before.as_ref().map(Shown::as_str),
                "after": change.after.as_str()})
        };
        let mut data = json!({
            "step": self.step.as_str(),
            "headline": self.headline.as_str(),
            "tool": self.tool.as_str(),
            "effect": self.kind,
            "arguments": self.arguments.iter().map(named).collect::<Vec<_>>(),
            "changes": self.changes.iter().map(change).collect::<Vec<_>>(),
            "reversible": self.undone_by.is_some(),
            "verified": self.verified_by.is_some(),
            "recipients": self.recipients.iter().map(Shown::as_str).collect::<Vec<_>>(),
        });
        if let (Some(ordered), Some(fields)) = (&self.ordered, data.as_object_mut()) {
            fields.insert("orderedBy".to_owned(), json!(ordered.label()));
        }
        if let (Some(again), Some(fields)) = (&self.again, data.as_object_mut()) {
            fields.insert("doneBefore".to_owned(), json!(again.as_str()));
        }
        data
    }
}

/// Why this is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Why {
    /// The id of the rule that decided; `None` where none did.
    pub rule: Option<Shown>,
    /// The rule with the numbers put in.
    pub numbers: Option<Shown>,
    /// The reason in the words of its author.
    pub because: Option<Shown>,
    /// The policy that it comes from.
    pub source: Option<Shown>,
    /// What the names of the rules mean here, and where each value was read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Shown>,
    /// The rules that could not be evaluated, and why.
    pub doubts: Vec<Shown>,
    /// What else was said about the operations, the mode included.
    pub also: Vec<Shown>,
    /// What would change the outcome, where that is known.
    pub otherwise: Option<Shown>,
    /// The process and its version.
    pub process: Shown,
    /// The policies and their versions.
    pub policies: Vec<Shown>,
}

/// The figures, in the order in which they were computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Arithmetic {
    /// Name and exact value.
    pub lines: Vec<Named>,
    /// How many more there are.
    pub more: usize,
}

/// How far what was read can be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Provenance {
    /// The company's own record.
    SystemOfRecord,
    /// What the other side of the business says.
    Counterparty,
    /// Anybody's words.
    UntrustedText,
    /// Nobody's: the read was refused or failed.
    NotRead,
}

impl Provenance {
    /// The words on the card.
    pub const fn label(self) -> &'static str {
        match self {
            Self::SystemOfRecord => "system of record",
            Self::Counterparty => "counterparty",
            Self::UntrustedText => "untrusted text",
            Self::NotRead => "not read",
        }
    }
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// One line for each read.
    pub lines: Vec<Source>,
    /// How many more there are.
    pub more: usize,
}

/// One read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The tool that read.
    pub tool: ToolName,
    /// With these arguments.
    pub arguments: Shown,
    /// What came back, in short: its plain fields, or why nothing did. Cards of earlier builds have none.
    #[serde(default = "nothing_shown")]
    pub found: Shown,
    /// When.
    pub read_at: Timestamp,
    /// The first digits of the digest of what came back.
    pub digest: String,
    /// How far it can be trusted.
    pub trust: Provenance,
}

/// What was done before with the same vendor or person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct History {
    /// Who that is, where it is known.
    pub party: Option<Shown>,
    /// The last ones, newest first.
    pub lines: Vec<Shown>,
    /// How many more there are.
    pub more: usize,
}

/// A yes that was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Yes {
    /// Who gave it.
    pub person: PersonId,
    /// For whom they stood in.
    pub on_behalf_of: Option<PersonId>,
    /// By which way.
    pub channel: String,
    /// When.
    pub at: Timestamp,
}

/// The people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Who {
    /// Who asked for the work.
    pub requester: PersonId,
    /// Who must say yes; all of these.
    pub asks: Vec<String>,
    /// Who said yes so far.
    pub given: Vec<Yes>,
    /// Who may not, and why.
    pub excluded: Vec<Shown>,
    /// Whether exclusions are enforced. At a keyboard they are recorded, not enforced.
    pub enforced: bool,
}

/// The words of the buttons: the plan's own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Buttons {
    /// Yes.
    pub approve: Shown,
    /// No.
    pub decline: Shown,
}

fn nothing_shown() -> Shown {
    Shown::new("")
}

//! The keys of a process file, as written: shapes only, no meaning yet.
//!
//! The doc comments here become the descriptions in the JSON Schema that editors show.

use schemars::{Schema, SchemaGenerator, json_schema};

use super::problem::Problems;
use super::shape::{Entries, FromNode, OneOrMany, ShortOrFull, record};
use super::yaml::{Node, Text};

record! {
    /// A process, as a person who owns it reads and signs it.
    RawFile is "a process file" {
        /// The name of the process: small letters, digits and `_`.
        #[schemars(schema_with = "word")]
        required process: Text,
        /// What the process does, in one line.
        #[schemars(schema_with = "text")]
        required title: Text,
        /// The role that answers for the process, and is asked where no rule decides.
        #[schemars(schema_with = "word")]
        required owner: Text,
        /// The version of the format: 2 where `say` lists how the process is asked for.
        #[schemars(schema_with = "format")]
        optional format: Text,
        /// Other names that point to this process.
        #[schemars(schema_with = "words")]
        empty also: Vec<Text>,
        /// Words of a task that point to this process.
        #[schemars(schema_with = "texts")]
        empty keywords: Vec<Text>,
        /// How the process is asked for, by language (`en`, `de`, `fr`, `es`): forms with slots and optional parts.
        empty say: Entries<OneOrMany<Text>>,
        /// The states visited, from DECOMPOSE to COMPLETE. Derived from the slots when left out.
        #[schemars(schema_with = "states")]
        optional route: Vec<Text>,
        /// What a model is told, per state.
        empty instructions: Entries<Text>,
        /// What is taken from the words of the task, for look-up and comparison.
        empty inputs: Entries<RawInput>,
        /// Named thresholds: `name: value`, used in rules and, as `{name}`, in their `because`.
        empty parameters: Entries<Text>,
        /// The records that the rules look at, by business name: each with its fields and their types.
        #[schemars(schema_with = "records")]
        empty records: Entries<Entries<Text>>,
        /// The operations that the rules tell apart: a name, and the words for it with `|` between them.
        #[schemars(schema_with = "actions")]
        empty actions: Entries<Text>,
        /// What is read from tools: `name: tool(param=expression)`.
        empty read: Entries<ShortOrFull<RawRead>>,
        /// What is computed, exactly: `name: expression`.
        empty compute: Entries<Text>,
        /// The rules, in order; the first that matches decides.
        empty decide: Vec<RawRule>,
        /// What each outcome does, checks and tells.
        empty outcomes: Entries<RawOutcome>,
        /// Several named tasks, each with slots of its own.
        empty tasks: Entries<RawTask>,
        /// The business key: a second run for the same one says so instead of doing it again.
        #[schemars(schema_with = "one_or_many_texts")]
        empty once_per: OneOrMany<Text>,
        /// Who may not decide, how long, and who is next.
        optional approval: RawApproval,
        /// Bounds of one run.
        optional limits: RawLimits,
        /// Facts in, outcome and figures out. Run whenever the file is loaded.
        empty tests: Vec<RawTest>,
    }
}

record! {
    /// One of several tasks of a process.
    RawTask is "a task" {
        /// What the task does, in one line.
        #[schemars(schema_with = "text")]
        optional title: Text,
        /// Words that point to this task rather than to the others.
        #[schemars(schema_with = "texts")]
        empty keywords: Vec<Text>,
        /// How the task is asked for, by language.
        empty say: Entries<OneOrMany<Text>>,
        /// The states visited, if they differ from those of the process.
        #[schemars(schema_with = "states")]
        optional route: Vec<Text>,
        /// What a model is told, per state.
        empty instructions: Entries<Text>,
        /// What is taken from the words of the task.
        empty inputs: Entries<RawInput>,
        /// Named thresholds: `name: value`, used in rules and, as `{name}`, in their `because`.
        empty parameters: Entries<Text>,
        /// The records that the rules look at, by business name: each with its fields and their types.
        #[schemars(schema_with = "records")]
        empty records: Entries<Entries<Text>>,
        /// The operations that the rules tell apart: a name, and the words for it with `|` between them.
        #[schemars(schema_with = "actions")]
        empty actions: Entries<Text>,
        /// What is read from tools.
        empty read: Entries<ShortOrFull<RawRead>>,
        /// What is computed, exactly.
        empty compute: Entries<Text>,
        /// The rules, in order; the first that matches decides.
        empty decide: Vec<RawRule>,
        /// What each outcome does, checks and tells.
        empty outcomes: Entries<RawOutcome>,
        /// The business key.
        #[schemars(schema_with = "one_or_many_texts")]
        empty once_per: OneOrMany<Text>,
        /// Who may not decide, how long, and who is next, if it differs from the process.
        optional approval: RawApproval,
        /// Facts in, outcome and figures out.
        empty tests: Vec<RawTest>,
    }
}

record! {
    /// One value that is taken from the words of a task.
    RawInput is "an input" {
        /// The kind of value.
        #[schemars(schema_with = "input_type")]
        optional r#type: Text,
        /// A regular expression for the value; its first group, if it has one, is the value.
        #[schemars(schema_with = "text")]
        optional pattern: Text,
        /// Words for the kind of record of an id, with `|` between them: after one of them the id may be written
        /// without its prefix, as in `invoice 2024-451`.
        #[schemars(schema_with = "text")]
        optional noun: Text,
        /// Of several values, the one nearest to this word, or to one of several words with `|` between them.
        #[schemars(schema_with = "text")]
        optional near: Text,
        /// A call that lists the records which a task may name instead of the value, such as `list_employees()`.
        #[schemars(schema_with = "text")]
        optional find: Text,
        /// The field of these records by which a task names them, such as `name`. Where it is left out, there has to be
        /// exactly one record.
        #[schemars(schema_with = "text")]
        optional by: Text,
        /// A regular expression with named groups: each match is one row of a list.
        #[schemars(schema_with = "text")]
        optional each: Text,
        /// The types of the groups of `each`; the others are text.
        empty fields: Entries<Text>,
        /// What people call it, such as `invoice number`; its name in words where it is left out.
        #[schemars(schema_with = "text")]
        optional label: Text,
        /// Whether the value may come from an earlier message of the same session.
        #[schemars(schema_with = "boolean")]
        optional earlier: Text,
        /// Whether the task may leave it out. Expressions use it inside `default(value, instead)`.
        #[schemars(schema_with = "boolean")]
        optional optional: Text,
    }
}

record! {
    /// A read that is repeated for each row of a list.
    RawRead is "a read" {
        /// The tool and its parameters: `tool(param=expression)`.
        #[schemars(schema_with = "text")]
        required call: Text,
        /// The rows, and the name of one row: `rows as item`.
        #[schemars(schema_with = "text")]
        required for_each: Text,
    }
}

record! {
    /// One rule of the decision table.
    RawRule is "a rule" {
        /// The id, as it is cited: `AP-3`.
        #[schemars(schema_with = "text")]
        expected rule: Text,
        /// The condition. Without one the rule always matches.
        optional r#if: Text,
        /// One of the outcomes, or `stop`, `none`, `escalate`.
        #[schemars(schema_with = "text")]
        optional outcome: Text,
        /// Who is asked: a role, `requester` or `nobody`.
        #[schemars(schema_with = "word")]
        optional ask: Text,
        /// How many different people must agree, if not as `approval` says.
        #[schemars(schema_with = "count")]
        optional people: Text,
        /// Why, in words for the card.
        #[schemars(schema_with = "text")]
        optional because: Text,
        /// Where the rule comes from: a policy and its paragraph.
        #[schemars(schema_with = "text")]
        optional source: Text,
    }
}

record! {
    /// What is done when a rule leads here.
    RawOutcome is "an outcome" {
        /// One call, or a list of calls, in order.
        empty r#do: OneOrMany<ShortOrFull<RawStep>>,
        /// The read-back of a single call, by a different tool; `none` makes it unverifiable.
        optional check: ShortOrFull<RawCheck>,
        /// The call that takes a single call back.
        #[schemars(schema_with = "text")]
        optional undo: Text,
        /// The money that a single call moves, where no parameter says it.
        #[schemars(schema_with = "text")]
        optional amount: Text,
        /// Reads whose answers are shown at the end.
        #[schemars(schema_with = "one_or_many_texts")]
        empty show: OneOrMany<Text>,
        /// Notifications, sent after every write was read back.
        empty tell: OneOrMany<RawTell>,
    }
}

record! {
    /// One call of a list.
    RawStep is "a step" {
        /// The tool and its parameters: `tool(param=expression)`.
        #[schemars(schema_with = "text")]
        required call: Text,
        /// The name by which later steps refer to its result.
        #[schemars(schema_with = "word")]
        optional r#as: Text,
        /// Only if this holds.
        optional when: Text,
        /// Once for each row: `rows as item`.
        #[schemars(schema_with = "text")]
        optional for_each: Text,
        /// The read-back, by a different tool; `none` makes it unverifiable.
        optional check: ShortOrFull<RawCheck>,
        /// The call that takes it back.
        #[schemars(schema_with = "text")]
        optional undo: Text,
        /// The money that it moves, where no parameter says it.
        #[schemars(schema_with = "text")]
        optional amount: Text,
    }
}

record! {
    /// A read-back of several fields.
    RawCheck is "a check" {
        /// The tool and its parameters.
        #[schemars(schema_with = "text")]
        required read: Text,
        /// What each field must be: `field: expression`.
        required expect: Entries<Text>,
    }
}

record! {
    /// One notification.
    RawTell is "a notification" {
        /// The tool that sends it.
        #[schemars(schema_with = "word")]
        required tool: Text,
        /// The recipient, or `parameter: recipient` where the tool does not call it `to`.
        #[schemars(schema_with = "recipient")]
        required to: Node,
        /// The other parameters.
        empty with: Entries<Text>,
        /// Hours in which it is held back: `"20:00-07:00"`.
        #[schemars(schema_with = "hours")]
        optional quiet: Text,
        /// Only if this holds.
        optional when: Text,
        /// Once for each row: `rows as item`.
        #[schemars(schema_with = "text")]
        optional for_each: Text,
    }
}

record! {
    /// Who decides, how long, and who is next.
    RawApproval is "`approval`" {
        /// Who may not decide: `requester`, or roles.
        #[schemars(schema_with = "one_or_many_texts")]
        empty never: OneOrMany<Text>,
        /// How long the approval stays open: "2 business days".
        #[schemars(schema_with = "text")]
        optional within: Text,
        /// Who is asked next when it has expired. Expiry itself is a no.
        #[schemars(schema_with = "word")]
        optional then: Text,
        /// How many different people must agree.
        #[schemars(schema_with = "count")]
        optional people: Text,
        /// How often the gate may open in one run, when operations are confirmed one after the other.
        #[schemars(schema_with = "count")]
        optional confirmations: Text,
        /// Computed values that an approver may change. Everything is judged again.
        #[schemars(schema_with = "one_or_many_texts")]
        empty edit: OneOrMany<Text>,
    }
}

record! {
    /// Bounds of one run.
    RawLimits is "`limits`" {
        /// Calls of a language model.
        #[schemars(schema_with = "whole")]
        optional model_calls: Text,
        /// Tokens of a language model.
        #[schemars(schema_with = "whole")]
        optional tokens: Text,
        /// Operations that write.
        #[schemars(schema_with = "whole")]
        optional writes: Text,
        /// The longest time from the task to the answer, waiting for people aside: "2 hours".
        #[schemars(schema_with = "text")]
        optional deadline: Text,
        /// Which language model may answer while the wanted one is down: `other`. Never a weaker one where it writes.
        #[schemars(schema_with = "word")]
        optional fallback_model: Text,
    }
}

/// One test: dotted facts, expected figures and `expect`; or a sentence and whether it orders the task.
#[derive(Clone, Debug)]
pub(crate) struct RawTest(pub(crate) Node);

impl FromNode for RawTest {
    fn from_node(node: &Node, _: &mut Problems) -> Option<Self> {
        Some(Self(node.clone()))
    }
}

impl schemars::JsonSchema for RawTest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RawTest".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One test: facts by their dotted names, expected figures by their computed names, and `expect`; or a sentence and whether it orders this task.",
            "type": "object",
            "anyOf": [{ "required": ["expect"] }, { "required": ["sentence", "orders"] }],
            "properties": {
                "sentence": { "type": "string", "description": "A sentence that somebody may write; goes with `orders`." },
                "orders": { "type": "boolean", "description": "Whether the sentence orders this task, so that it is done without a question back." },
                "expect": { "type": "string", "description": "The outcome, or `stop`, `none`, `escalate`; for a rule without outcome `ask` or `allow`." },
                "rule": { "type": "string", "description": "The id of the rule that must decide." },
                "ask": { "type": "string", "description": "Who must be asked: a role, `requester` or `nobody`." },
                "does": { "type": "array", "items": { "type": "string" }, "description": "The tools called, in order, notifications included." },
                "today": { "type": "string", "description": "The date that `today` is." },
                "text": { "type": "string", "description": "A task in plain words from which the inputs are taken." }
            }
        })
    }
}

fn text(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string" })
}

fn texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string" } })
}

fn one_or_many_texts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array", "items": { "type": "string" } }] })
}

fn word(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[a-z][a-z0-9_]*$" })
}

fn words(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "items": { "type": "string", "pattern": "^[a-z][a-z0-9_]*$" } })
}

fn states(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "enum": [
                "DECOMPOSE", "ASSESS", "COMPUTE", "POLICY_CHECK", "APPROVAL_GATE", "MUTATE", "SCHEDULE_NOTIFY", "COMPLETE"
            ]
        }
    })
}

fn input_type(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "enum": ["text", "number", "money", "percent", "date", "month", "id", "item_changes"] })
}

fn records(_: &mut SchemaGenerator) -> Schema {
    let types = super::records::TYPES.map(|(name, _)| name);
    json_schema!({
        "type": "object",
        "additionalProperties": { "type": "object", "additionalProperties": { "enum": types } }
    })
}

fn actions(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": { "type": "string" } })
}

fn format(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "enum": [1, 2] })
}

fn boolean(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "boolean" })
}

fn count(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 1, "maximum": 9 })
}

fn whole(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "integer", "minimum": 0 })
}

fn recipient(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "anyOf": [
            { "type": "string" },
            { "type": "object", "additionalProperties": { "type": "string" }, "minProperties": 1, "maxProperties": 1 }
        ]
    })
}

fn hours(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]-[0-2][0-9]:[0-5][0-9]$" })
}

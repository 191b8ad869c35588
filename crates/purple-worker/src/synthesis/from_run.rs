//! A complete process file from one run: what was read, computed and done, said again for every task of its kind.
//!
//! A draft takes effect only when a person signs it. It is given out only if it loads, and if it makes the very operations
//! of the run from the very answers of its reads.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::Value as Known;
use purple_process::file::{ProcessFile, Refused, extract, load};
use purple_process::playbook::Case;
use purple_process::{Check, Effect, Operation, SessionId, ToolName};
use serde_json::Value;

use crate::execute::rule::to_serde;
use crate::port::{Blobs, EngineError, Events};
use crate::settings::Settings;
use crate::synthesis::origin::{Origins, quoted};
use crate::synthesis::record::Record;

/// The one outcome of a draft.
const OUTCOME: &str = "apply";
/// The most keywords of a draft.
const KEYWORDS_MAX: usize = 6;

/// A drafted process file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    /// Its name.
    pub name: String,
    /// The file.
    pub text: String,
    /// What it does, in order.
    pub does: Vec<ToolName>,
}

/// Why a run becomes no process file.
#[derive(Debug, thiserror::Error)]
pub enum NoDraft {
    /// The storage failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It is not a run to learn from.
    #[error("run `{run}` cannot be drafted from: {what}")]
    Incomplete {
        /// The run.
        run: SessionId,
        /// What it lacks.
        what: &'static str,
    },
    /// A value of an operation that a file could not work out again.
    #[error(
        "`{argument}` of {tool} was neither read, nor computed, nor named by the task in a form that can be found again"
    )]
    NoOrigin {
        /// The tool.
        tool: String,
        /// The argument.
        argument: String,
    },
    /// A computation that expressions do not have.
    #[error("`{by}` computed a figure of the run, and a process file cannot call it")]
    NotAnExpression {
        /// What computed it.
        by: String,
    },
    /// The name is taken.
    #[error("there is a process `{name}` already")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// The loader refuses the draft.
    #[error("the draft does not load: {0}")]
    Unlawful(#[from] Refused),
    /// The draft would do something else.
    #[error("the draft would not do what the run did: {what}")]
    Differs {
        /// What is other.
        what: String,
    },
}

/// Drafts a process file from the last round of a run that was approved, done and verified.
///
/// # Errors
///
/// [`NoDraft`].
pub async fn draft_from_run(
    (events, blobs): (&dyn Events, &dyn Blobs),
    settings: &Settings,
    run: &SessionId,
    name: Option<&str>,
) -> Result<Drafted, NoDraft> {
    let record = Record::of(events, blobs, run, |at| settings.day(at)).await?;
    let name = name.map_or_else(|| named_after(&record), str::to_owned);
    if settings.process(&name).is_some() {
        return Err(NoDraft::NameTaken { name });
    }
    let owner = settings.process(crate::drive::GENERAL).map(|general| general.file.owner().to_string());
    let owner = owner.unwrap_or_else(|| "operations".to_owned());
    let origins = Origins::of(&record)?;
    let text = Writer { record: &record, origins: &origins, run, name: &name, owner: &owner }.to_text()?;
    let file = load(&text)?;
    reproduces(&file, &record, &origins, settings)?;
    let does = record.operations.iter().map(|one| one.tool.clone()).collect();
    Ok(Drafted { name, text, does })
}

/// `apply_account_credit` becomes `account_credit_again`: the noun of what was done.
fn named_after(record: &Record) -> String {
    let tool = record.operations.first().map_or("task", |one| one.tool.as_str());
    let plain: String = tool
        .rsplit('/')
        .next()
        .unwrap_or(tool)
        .chars()
        .filter(|sign| sign.is_ascii_alphanumeric() || *sign == '_')
        .collect();
    format!("{}_from_run", plain.to_lowercase())
}

struct Writer<'a> {
    record: &'a Record,
    origins: &'a Origins,
    run: &'a SessionId,
    name: &'a str,
    owner: &'a str,
}

impl Writer<'_> {
    fn to_text(&self) -> Result<String, NoDraft> {
        let mut text = format!(
            "# Drafted from run {}. It takes effect when a person has signed it: purple process sign FILE --as PERSON\n\
             process: {}\ntitle: {}\nowner: {}\nkeywords: [{}]\n",
            self.run,
            self.name,
            quoted(&format!("As in run {}", self.run)),
            self.owner,
            self.keywords().join(", ")
        );
        let slots = [
            ("inputs", self.origins.inputs()),
            ("read", self.origins.reads()),
            ("compute", self.origins.computes()),
        ];
        for (slot, lines) in slots {
            if !lines.is_empty() {
                text.push_str(&format!("{slot}:\n{}", lines.concat()));
            }
        }
        text.push_str("decide:\n");
        for (number, condition) in self.origins.disagreements().iter().enumerate() {
            text.push_str(&format!(
                "  - {{rule: FR-{}, if: {}, outcome: stop, because: \"the task and the system disagree\"}}\n",
                number + 1,
                quoted(condition)
            ));
        }
        let last = self.origins.disagreements().len() + 1;
        let condition = match self.origins.presence() {
            condition if condition.is_empty() => String::new(),
            condition => format!("if: {}, ", quoted(&condition)),
        };
        text.push_str(&format!(
            "  - {{rule: FR-{last}, {condition}outcome: {OUTCOME}, ask: {}, because: {}}}\n",
            self.owner,
            quoted(&format!("as in run {}", self.run))
        ));
        text.push_str(&format!("outcomes:\n  {OUTCOME}:\n"));
        text.push_str(&self.outcome()?);
        text.push_str("approval: {never: requester}\n");
        text.push_str(&self.test());
        Ok(text)
    }

    fn keywords(&self) -> Vec<String> {
        // Words of the task that are no ids, figures or filler, longest first: those say most.
        let mut words: Vec<String> = self
            .record
            .text
            .split(|sign: char| !sign.is_alphanumeric() && sign != '-' && sign != '\'')
            .filter(|word| word.len() >= 5 && word.chars().all(|sign| sign.is_alphabetic()))
            .filter(|word| word.starts_with(|first: char| first.is_lowercase()))
            .map(str::to_lowercase)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .collect();
        words.sort_by_key(|word| std::cmp::Reverse(word.len()));
        words.truncate(KEYWORDS_MAX);
        words.iter().map(|word| quoted(word)).collect()
    }

    fn outcome(&self) -> Result<String, NoDraft> {
        let is_write = |one: &&Operation| one.effect != Effect::Notify;
        let mut text = String::new();
        let writes: Vec<&Operation> = self.record.operations.iter().filter(is_write).collect();
        if !writes.is_empty() {
            text.push_str("    do:\n");
        }
        for one in writes {
            text.push_str(&format!(
                "      - call: {}\n",
                quoted(&self.call(one.tool.as_str(), &one.tool, &one.arguments)?)
            ));
            match &one.check {
                Check::Unverifiable => text.push_str("        check: none\n"),
                Check::ReadBack { tool, arguments, expect } => {
                    let read = self.call(one.tool.as_str(), tool, arguments)?;
                    let mut fields = Vec::new();
                    for (field, value) in self.values(one.tool.as_str(), expect)? {
                        fields.push(format!("{}: {}", quoted(&field), quoted(&value)));
                    }
                    let fields = fields.join(", ");
                    text.push_str(&format!(
                        "        check: {{read: {}, expect: {{{fields}}}}}\n",
                        quoted(&read)
                    ));
                }
            }
        }
        let tells: Vec<&Operation> =
            self.record.operations.iter().filter(|one| one.effect == Effect::Notify).collect();
        if !tells.is_empty() {
            text.push_str("    tell:\n");
        }
        for one in tells {
            let mut given = self.values(one.tool.as_str(), &one.arguments)?;
            let to = ["to", "recipient", "email", "customer_id", "employee_id", "vendor_id"];
            let place = given.iter().position(|(name, _)| to.contains(&name.as_str())).unwrap_or(0);
            if given.is_empty() {
                return Err(NoDraft::NoOrigin { tool: one.tool.to_string(), argument: "to".to_owned() });
            }
            let (name, recipient) = given.remove(place);
            let with: Vec<String> =
                given.iter().map(|(name, value)| format!("{name}: {}", quoted(value))).collect();
            let to =
                if name == "to" { quoted(&recipient) } else { format!("{{{name}: {}}}", quoted(&recipient)) };
            let with =
                if with.is_empty() { String::new() } else { format!(", with: {{{}}}", with.join(", ")) };
            text.push_str(&format!("      - {{tool: {}, to: {to}{with}}}\n", one.tool));
        }
        Ok(text)
    }

    /// `tool(name=expression, …)`.
    fn call(
        &self,
        of: &str,
        tool: &ToolName,
        arguments: &purple_process::Arguments,
    ) -> Result<String, NoDraft> {
        let given: Vec<String> =
            self.values(of, arguments)?.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        Ok(format!("{tool}({})", given.join(", ")))
    }

    fn values(
        &self,
        of: &str,
        arguments: &purple_process::Arguments,
    ) -> Result<Vec<(String, String)>, NoDraft> {
        let one = |(name, argument): (&String, &purple_process::Argument)| {
            let none = || NoDraft::NoOrigin { tool: of.to_owned(), argument: name.clone() };
            let value = to_serde(argument.value().ok_or_else(none)?);
            let found = self.origins.expression(name, &value);
            let found = found.ok_or_else(|| match self.origins.computed_by(&value) {
                Some(by) => NoDraft::NotAnExpression { by: by.to_owned() },
                None => none(),
            })?;
            Ok((name.clone(), found))
        };
        arguments.iter().map(one).collect()
    }

    /// The run itself, as a test.
    fn test(&self) -> String {
        let does: Vec<String> = self.record.operations.iter().map(|one| one.tool.to_string()).collect();
        let mut text =
            format!("tests:\n  - text: {}\n    today: {}\n", quoted(&self.record.text), self.record.today);
        text.push_str(&self.origins.facts());
        text.push_str(&format!(
            "    expect: {OUTCOME}\n    ask: {}\n    does: [{}]\n",
            self.owner,
            does.join(", ")
        ));
        text
    }
}

/// Whether the file makes the very operations of the run from the answers of its reads.
fn reproduces(
    file: &ProcessFile,
    record: &Record,
    origins: &Origins,
    settings: &Settings,
) -> Result<(), NoDraft> {
    let differs = |what: String| NoDraft::Differs { what };
    let task = file.tasks().first().ok_or_else(|| differs("it has no task".to_owned()))?;
    let setting = settings.setting(record.today);
    let found = extract(&record.text, task.inputs(), &BTreeMap::new(), &setting);
    if let Some(missing) = found.missing.first() {
        return Err(differs(format!("`{}` is not found in the task", missing.name)));
    }
    let mut case = Case::start(task, &found.found, record.today);
    // Reads become due one after the other, each once.
    for _ in 0..=record.looks.len() {
        let due: Vec<String> = case.due().iter().map(|due| due.name.to_owned()).collect();
        for name in due {
            let answer = origins.answer(&name).ok_or_else(|| differs(format!("`{name}` was never read")))?;
            let known = Known::from_json(answer).map_err(|error| differs(error.to_string()))?;
            case.answer(&name, vec![known]).map_err(|error| differs(error.to_string()))?;
        }
    }
    let decision = case.decide();
    let made = case.operations(&decision).map_err(|stuck| differs(stuck.to_string()))?;
    let same = |one: &Operation, other: &Operation| one.tool == other.tool && same_arguments(one, other);
    let equal = made.len() == record.operations.len()
        && record.operations.iter().all(|one| made.iter().any(|other| same(one, other)));
    let told = |all: &[Operation]| all.iter().map(Operation::headline).collect::<Vec<_>>().join("; ");
    if equal {
        return Ok(());
    }
    Err(differs(format!("the run did {}; the draft would do {}", told(&record.operations), told(&made))))
}

/// The same arguments with the same amounts, however they are written.
fn same_arguments(one: &Operation, other: &Operation) -> bool {
    let wire = |operation: &Operation| -> BTreeMap<String, Option<Value>> {
        let value = |(name, argument): (&String, &purple_process::Argument)| {
            (name.clone(), argument.value().map(to_serde))
        };
        operation.arguments.iter().map(value).collect()
    };
    let (one, other) = (wire(one), wire(other));
    one.len() == other.len()
        && one.iter().all(|(name, value)| match (value, other.get(name)) {
            (Some(value), Some(Some(found))) => crate::synthesis::origin::equal(value, found),
            (None, Some(None)) => true,
            _ => false,
        })
}

#[cfg(test)]
#[path = "from_run_tests.rs"]
mod tests;

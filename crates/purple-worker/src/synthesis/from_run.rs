//! A complete process file from one run: what was read, computed and done, said again for every task of its kind.
//!
//! Where the file of the run says itself what is done, the draft is that file with the run as one more test. Where a model
//! drove it, the draft is written from what the model read, computed and did, under the rules of the file that judged it.
//! A draft takes effect only when a person signs it. It is given out only if it loads, and if it makes the very operations
//! of the run from the very answers of its reads.

use std::collections::BTreeMap;

use purple_process::file::Refused;
use purple_process::{Operation, SessionId, ToolName};
use serde_json::Value;

use crate::execute::rule::to_serde;
use crate::port::{Blobs, EngineError, Events, TurnFailed};
use crate::settings::Settings;
use crate::synthesis::compose::composed;
use crate::synthesis::extend::extended;
use crate::synthesis::record::{Caveats, Record, Unfit};

/// A drafted process file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drafted {
    /// Its name.
    pub name: String,
    /// The file.
    pub text: String,
    /// What it does, in order.
    pub does: Vec<ToolName>,
    /// Whether it is the file that decided the run, under its own name and with the run as one more test.
    pub is_its_own: bool,
    /// What whoever signs it should know about the run.
    pub caveats: Caveats,
}

/// Why a run becomes no process file.
#[derive(Debug, thiserror::Error)]
pub enum NoDraft {
    /// The storage failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Something that was kept cannot be read.
    #[error(transparent)]
    Unreadable(#[from] TurnFailed),
    /// It is not a run to learn from.
    #[error("run `{run}` cannot be drafted from: {what}")]
    Incomplete {
        /// The run.
        run: SessionId,
        /// What it lacks.
        what: Unfit,
    },
    /// The file that decides such tasks would do something else.
    #[error(
        "`{process}` decides such tasks itself, and would not do what the run did: the run did {did}; it would {would}"
    )]
    AgainstItsFile {
        /// The process.
        process: String,
        /// What the run did.
        did: String,
        /// What the file would do.
        would: String,
    },
    /// Nothing was looked up, so a file could only repeat the words of this one task.
    #[error("nothing was read in the run, and a file that decides by itself must read what it decides on")]
    NothingRead,
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
    /// The rules look at a value that the operations do not agree on.
    #[error(
        "the rules of `{process}` judge `{name}` of each operation by itself, and a complete file decides once for all"
    )]
    ManyValues {
        /// The process.
        process: String,
        /// The name.
        name: String,
    },
    /// Different people were asked about different operations.
    #[error("the run asked {}, and a rule of a process file asks one role", .asked.join(" and "))]
    ManyAsked {
        /// Whom.
        asked: Vec<String>,
    },
    /// The draft would ask somebody else.
    #[error("the run asked {asked}, and the draft would ask {would}")]
    AsksOtherwise {
        /// Whom the run asked.
        asked: String,
        /// Whom the draft would ask.
        would: String,
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

impl NoDraft {
    /// What somebody can do about it.
    pub fn help(&self) -> String {
        match self {
            Self::AgainstItsFile { process, .. } => {
                format!("`purple process show {process}` shows the file; change it, or take a run that it decided")
            }
            Self::NameTaken { .. } => "give the draft another name: --name NAME".to_owned(),
            Self::Incomplete { what, .. } => what.help().to_owned(),
            Self::Engine(_)
            | Self::Unreadable(_)
            | Self::NothingRead
            | Self::NoOrigin { .. }
            | Self::NotAnExpression { .. }
            | Self::ManyValues { .. }
            | Self::ManyAsked { .. }
            | Self::AsksOtherwise { .. }
            | Self::Unlawful(_)
            | Self::Differs { .. } => {
                "see what the run did: purple trace RUN; a run that was approved and read back can be drafted from"
                    .to_owned()
            }
        }
    }
}

/// Drafts a process file from the last round of a run that was permitted, done and verified.
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
    let record = Record::of(events, blobs, run).await?;
    let own_name = record.file.name().to_owned();
    let decides = record.task().is_some_and(|task| !task.outcomes().is_empty());
    let name = match name {
        Some(name) => name.to_owned(),
        None if decides => own_name.clone(),
        None => named_after(&record),
    };
    let is_its_own = decides && name == own_name;
    if settings.process(&name).is_some() && !is_its_own {
        return Err(NoDraft::NameTaken { name });
    }
    let text =
        if decides { extended(&record, run, &name)? } else { composed(&record, run, &name, settings)? };
    let does = record.operations.iter().map(|one| one.tool.clone()).collect();
    Ok(Drafted { name, text, does, is_its_own, caveats: record.caveats })
}

/// `apply_account_credit` becomes `apply_account_credit_from_run`: what was done.
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

/// Whether the same is done, in whatever order.
pub(super) fn same(made: &[Operation], did: &[Operation]) -> bool {
    let same = |one: &Operation, other: &Operation| one.tool == other.tool && same_arguments(one, other);
    let mut left: Vec<&Operation> = made.iter().collect();
    let is_found = |one: &Operation| match left.iter().position(|other| same(one, other)) {
        Some(place) => {
            left.swap_remove(place);
            true
        }
        None => false,
    };
    made.len() == did.len() && did.iter().all(is_found)
}

/// Operations in words.
pub(super) fn told(all: &[Operation]) -> String {
    match all {
        [] => "nothing".to_owned(),
        all => all.iter().map(Operation::headline).collect::<Vec<_>>().join("; "),
    }
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
pub(super) mod tests;

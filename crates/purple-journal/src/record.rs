//! One enum over every family of records.

pub mod approval;
pub(crate) mod family;
pub mod incident;
pub mod learning;
pub mod model;
pub mod operator;
pub mod plan;
pub mod process;
pub mod run;
pub mod task;
pub mod tool;
pub mod turn;
pub mod write;

use serde_json::Value;

use self::family::Kind;

/// What happened. Every reader matches on the families and on the records of those it reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Record {
    /// What was asked for, and how it was received.
    Task(task::Task),
    /// Which process file a run follows.
    Process(process::Process),
    /// Calls of language models.
    Model(model::Model),
    /// Tools and reads.
    Tool(tool::Tool),
    /// Figures, verdicts and plans.
    Plan(plan::Plan),
    /// What people were asked, and what they decided.
    Approval(approval::Approval),
    /// Operations, from intent to read-back.
    Write(write::Write),
    /// States and endings.
    Run(run::Run),
    /// Turns of the engine.
    Turn(turn::Turn),
    /// What was learned.
    Learning(learning::Learning),
    /// Incidents.
    Incident(incident::Incident),
    /// What operators changed.
    Operator(operator::Operator),
    /// A record of another version of the program: displayed and carried, never interpreted.
    Unknown(Unknown),
}

/// A struct that a record can hold. It is for looking up records of one type; a reader of all of them matches.
pub trait RecordType: Sized {
    /// The struct, if the record holds it.
    fn of(record: &Record) -> Option<&Self>;
}

/// A record whose kind or form this version does not know. It can only be read, never made.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    kind: String,
    data: Value,
}

impl Unknown {
    /// Its kind.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Its content.
    pub const fn data(&self) -> &Value {
        &self.data
    }

    /// Whether this version knows the kind, but not this form of it. Such a record must not be passed over where
    /// safety depends on having read everything.
    pub fn is_known_kind(&self) -> bool {
        Record::kinds().any(|kind| kind.name == self.kind)
    }
}

/// Applies a method of the family to whichever family it is.
macro_rules! each_family {
    ($record:expr, $family:ident => $known:expr, $unknown:ident => $other:expr) => {
        match $record {
            Record::Task($family) => $known,
            Record::Process($family) => $known,
            Record::Model($family) => $known,
            Record::Tool($family) => $known,
            Record::Plan($family) => $known,
            Record::Approval($family) => $known,
            Record::Write($family) => $known,
            Record::Run($family) => $known,
            Record::Turn($family) => $known,
            Record::Learning($family) => $known,
            Record::Incident($family) => $known,
            Record::Operator($family) => $known,
            Record::Unknown($unknown) => $other,
        }
    };
}

impl Record {
    /// The families in the order of the documentation, each with its kinds.
    pub const FAMILIES: [(&'static str, &'static [Kind]); 12] = [
        ("task", task::Task::KINDS),
        ("process", process::Process::KINDS),
        ("model", model::Model::KINDS),
        ("tool", tool::Tool::KINDS),
        ("plan", plan::Plan::KINDS),
        ("approval", approval::Approval::KINDS),
        ("write", write::Write::KINDS),
        ("run", run::Run::KINDS),
        ("turn", turn::Turn::KINDS),
        ("learning", learning::Learning::KINDS),
        ("incident", incident::Incident::KINDS),
        ("operator", operator::Operator::KINDS),
    ];

    /// Every kind that this version knows.
    pub fn kinds() -> impl Iterator<Item = &'static Kind> {
        Self::FAMILIES.iter().flat_map(|(_, kinds)| kinds.iter())
    }

    /// The record, if it is of this type.
    ///
    /// ```
    /// use purple_journal::{Record, Redacted, record::run};
    ///
    /// let record: Record = run::Stopped { why: Redacted::of("a person takes over") }.into();
    /// assert!(record.get::<run::Stopped>().is_some_and(|stopped| stopped.why == "a person takes over"));
    /// assert!(record.get::<run::Failed>().is_none());
    /// ```
    pub fn get<T: RecordType>(&self) -> Option<&T> {
        T::of(self)
    }

    /// The kind, as the entry names it.
    pub fn kind(&self) -> &str {
        each_family!(self, family => family.kind(), unknown => &unknown.kind)
    }

    /// The content, as the entry holds it.
    pub fn data(&self) -> Value {
        each_family!(self, family => family.data(), unknown => unknown.data.clone())
    }

    /// Reads the content of a record of this kind. What this version cannot read is [`Record::Unknown`].
    pub(crate) fn parse(kind: &str, data: &str) -> Result<Self, serde_json::Error> {
        let known = task::Task::parse(kind, data)
            .map(Self::Task)
            .or_else(|| process::Process::parse(kind, data).map(Self::Process))
            .or_else(|| model::Model::parse(kind, data).map(Self::Model))
            .or_else(|| tool::Tool::parse(kind, data).map(Self::Tool))
            .or_else(|| plan::Plan::parse(kind, data).map(Self::Plan))
            .or_else(|| approval::Approval::parse(kind, data).map(Self::Approval))
            .or_else(|| write::Write::parse(kind, data).map(Self::Write))
            .or_else(|| run::Run::parse(kind, data).map(Self::Run))
            .or_else(|| turn::Turn::parse(kind, data).map(Self::Turn))
            .or_else(|| learning::Learning::parse(kind, data).map(Self::Learning))
            .or_else(|| incident::Incident::parse(kind, data).map(Self::Incident))
            .or_else(|| operator::Operator::parse(kind, data).map(Self::Operator));
        match known {
            Some(record) => Ok(record),
            None => {
                let data = serde_json::from_str(data)?;
                Ok(Self::Unknown(Unknown { kind: kind.to_owned(), data }))
            }
        }
    }
}

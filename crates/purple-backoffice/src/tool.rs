//! One tool: its name, what it says about itself, what it takes, and what it does.

use crate::desk::{Change, Desk};
use crate::parameter::{Arguments, Form, Parameter, may};
use crate::record::Record;
use crate::refusal::Refusal;

use serde_json::Value;

/// What a tool does when it is called.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// Looks, and changes nothing.
    Read(fn(&Desk<'_>, &Arguments<'_>) -> Result<Value, Refusal>),
    /// Changes or sends something: one row in the ledger each time.
    Effect(fn(&Desk<'_>, &Arguments<'_>) -> Result<Change, Refusal>),
}

/// Where a tool takes an idempotency key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keys {
    /// Nowhere: a repetition is a second effect.
    None,
    /// As the parameter `idempotency_key`.
    Parameter,
    /// In the request's `_meta`.
    Meta,
    /// In either place.
    Either,
}

/// What a tool's annotations claim. They are hints, and some of them are wrong on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Hints {
    /// No annotations at all.
    Silent,
    ReadOnly,
    /// Writes, and adds only.
    Additive,
    /// Writes, and may overwrite.
    Destructive,
    /// Sends something to somebody.
    Outward,
    /// Destructive, and the same call twice does no more than once.
    Repeatable,
}

/// A tool of the company.
#[derive(Clone, Copy)]
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// What it is about: faults of reads are set by noun.
    pub(crate) noun: &'static str,
    pub(crate) takes: &'static [Parameter],
    pub(crate) work: Work,
    pub(crate) keys: Keys,
    pub(crate) hints: Hints,
    /// The record whose schema is the tool's output schema.
    pub(crate) answers: Option<&'static Record>,
}

impl Tool {
    pub(crate) const fn read(
        noun: &'static str,
        [name, about]: [&'static str; 2],
        takes: &'static [Parameter],
        work: fn(&Desk<'_>, &Arguments<'_>) -> Result<Value, Refusal>,
    ) -> Self {
        Self {
            name,
            about,
            noun,
            takes,
            work: Work::Read(work),
            keys: Keys::None,
            hints: Hints::Silent,
            answers: None,
        }
    }

    pub(crate) const fn effect(
        noun: &'static str,
        [name, about]: [&'static str; 2],
        takes: &'static [Parameter],
        work: fn(&Desk<'_>, &Arguments<'_>) -> Result<Change, Refusal>,
    ) -> Self {
        Self {
            name,
            about,
            noun,
            takes,
            work: Work::Effect(work),
            keys: Keys::None,
            hints: Hints::Silent,
            answers: None,
        }
    }

    pub(crate) const fn hints(mut self, hints: Hints) -> Self {
        self.hints = hints;
        self
    }

    pub(crate) const fn keys(mut self, keys: Keys) -> Self {
        self.keys = keys;
        self
    }

    pub(crate) const fn answers(mut self, record: &'static Record) -> Self {
        self.answers = Some(record);
        self
    }

    pub(crate) fn is_read(&self) -> bool {
        matches!(self.work, Work::Read(_))
    }
}

/// The parameter of tools that take a key in their arguments.
pub(crate) const KEY: Parameter =
    may("idempotency_key", Form::Text, "a repetition with the same key answers the first result again");

impl Keys {
    pub(crate) fn by_parameter(self) -> bool {
        matches!(self, Self::Parameter | Self::Either)
    }

    pub(crate) fn by_meta(self) -> bool {
        matches!(self, Self::Meta | Self::Either)
    }
}

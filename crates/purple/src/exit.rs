//! How the program ends: one number for each kind of ending, the same for all commands.

use std::process::ExitCode;

/// An ending of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// What was asked for is done.
    Done,
    /// Something failed.
    Error,
    /// What was typed cannot be understood.
    Usage,
    /// A plan waits for a person.
    Waiting,
    /// Nobody knows who is asking, or they may not.
    Auth,
    /// A person or a rule said no.
    Denied,
    /// An operation was not done, or what was read back is not what was written.
    Mismatch,
    /// Nobody knows whether an operation took effect.
    Unknown,
    /// The operator's stop keeps it waiting.
    Halted,
    /// All is well but for warnings.
    Warnings,
    /// `plan --detailed-exitcode` found something to do.
    Changes,
    /// Somebody pressed Ctrl-C.
    Interrupted,
}

impl Exit {
    /// Every ending, by its number.
    pub(crate) const ALL: [Self; 12] = [
        Self::Done,
        Self::Error,
        Self::Usage,
        Self::Waiting,
        Self::Auth,
        Self::Denied,
        Self::Mismatch,
        Self::Unknown,
        Self::Halted,
        Self::Warnings,
        Self::Changes,
        Self::Interrupted,
    ];

    /// The number that the shell sees.
    pub(crate) const fn number(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Error => 1,
            Self::Usage => 2,
            Self::Waiting => 3,
            Self::Auth => 4,
            Self::Denied => 5,
            Self::Mismatch => 6,
            Self::Unknown => 7,
            Self::Halted => 8,
            Self::Warnings => 9,
            Self::Changes => 10,
            Self::Interrupted => 130,
        }
    }

    /// The word for it in JSON.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Error => "error",
            Self::Usage => "usage",
            Self::Waiting => "waiting",
            Self::Auth => "auth",
            Self::Denied => "denied",
            Self::Mismatch => "mismatch",
            Self::Unknown => "unknown",
            Self::Halted => "halted",
            Self::Warnings => "warnings",
            Self::Changes => "changes",
            Self::Interrupted => "interrupted",
        }
    }

    /// What it means, for `purple help exit-codes`.
    pub(crate) const fn meaning(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Error => "an error; the message says which",
            Self::Usage => "what was typed cannot be understood",
            Self::Waiting => "waiting for an approval",
            Self::Auth => "not known or not permitted",
            Self::Denied => "rejected by a person, denied by policy, escalated or called off",
            Self::Mismatch => "an operation was not done, or what was read back is not what was written",
            Self::Unknown => "the outcome of an operation is unknown; settle it with `purple settle`",
            Self::Halted => "stopped by `purple halt`",
            Self::Warnings => "no failure, but warnings (`doctor`)",
            Self::Changes => "changes would be made (`plan --detailed-exitcode`)",
            Self::Interrupted => "interrupted",
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.number())
    }
}

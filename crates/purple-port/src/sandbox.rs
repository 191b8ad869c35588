//! A place in which functions run that nobody vouches for.

use std::collections::BTreeMap;

use purple_finance::NumberError;
use serde::{Deserialize, Serialize};

use crate::function::{Arguments, BadSignature, Datum, FunctionHash, Outcome, Program};

/// Runs functions that a model wrote.
///
/// # Contract
///
/// - A function computes and does nothing else: no files, network, environment, clock, randomness, output or memory of
///   earlier calls can be reached from it, because nothing that could reach them is there.
/// - Only what was admitted is called, and only with arguments of its declared domain.
/// - Numbers are exact. What does not terminate stays a fraction until the function rounds it, by name.
/// - Every call ends, with an outcome or a fault, within the bounds that [`Sandbox::bounds`] names.
/// - Both methods compute on the caller's time, up to those bounds. Neither depends on anything but its arguments,
///   except that a busy machine can turn an outcome into [`CallFault::TooLong`].
/// - Nothing is stored here: who keeps programs admits them again when it loads them.
pub trait Sandbox: Send + Sync {
    /// Judges a function and, if it passes everything, takes it under its hash. Admitting again is fine.
    ///
    /// # Errors
    ///
    /// [`NotAdmitted`] says the first thing that is wrong; an earlier admission under the same hash ends then.
    fn admit(&self, program: &Program) -> Result<Admission, NotAdmitted>;

    /// Calls an admitted function.
    ///
    /// # Errors
    ///
    /// [`CallFault`].
    fn call(&self, function: FunctionHash, arguments: &Arguments) -> Result<Outcome, CallFault>;

    /// Takes an admitted function away; answers whether it was there.
    fn forget(&self, function: FunctionHash) -> bool;

    /// A short guide to the language, for the prompt of whoever writes functions.
    fn guide(&self) -> &'static str;

    /// Every bound by its name, its unit in it: `steps_max`, `call_millis_max`.
    fn bounds(&self) -> BTreeMap<&'static str, u64>;
}

/// What an admission rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Admission {
    /// What was admitted.
    pub function: FunctionHash,
    /// How many shown cases it reproduced.
    pub shown: usize,
    /// How many held-back cases it reproduced.
    pub held_back: usize,
    /// On how many inputs of its domain it ended well, twice alike each.
    pub sampled: usize,
    /// The most steps that one of these calls took.
    pub steps_most: u64,
}

/// Which of the cases.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trial {
    /// Those that the author was shown.
    Shown,
    /// Those that the author never saw.
    HeldBack,
}

impl Trial {
    /// The word for it.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Shown => "shown",
            Self::HeldBack => "held-back",
        }
    }
}

/// What came out instead of what was expected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen {
    /// An outcome.
    Outcome(Outcome),
    /// A fault.
    Fault(CallFault),
}

/// Why a function is not admitted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    /// Its declaration cannot be kept.
    #[error(transparent)]
    Signature(#[from] BadSignature),
    /// Its text is too long.
    #[error("the code has {bytes} bytes; at most {bytes_max}")]
    TooLong {
        /// How long it is.
        bytes: usize,
        /// How long it may be.
        bytes_max: usize,
    },
    /// There are too few or too many cases to judge it by.
    #[error("{cases} {} cases; at least {cases_min} and at most {cases_max}", trial.word())]
    Cases {
        /// Which.
        trial: Trial,
        /// How many there are.
        cases: usize,
        /// How many there must be.
        cases_min: usize,
        /// How many there may be.
        cases_max: usize,
    },
    /// A case is not of the declared domain, or expects what the function does not declare.
    #[error("{} case {index} does not fit the declaration", trial.word())]
    CaseUnfit {
        /// Which.
        trial: Trial,
        /// Its place, from zero.
        index: usize,
    },
    /// A held-back case was shown too: it proves nothing.
    #[error("held-back case {index} is also shown")]
    CaseShown {
        /// Its place among the held-back ones, from zero.
        index: usize,
    },
    /// It is not in the language.
    #[error("line {line}, column {column}: {what}")]
    Unparsable {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
        /// What the parser says.
        what: String,
    },
    /// It uses what the sandbox does not have.
    #[error("line {line}: `{symbol}` is not allowed: {why}")]
    Disallowed {
        /// What.
        symbol: String,
        /// Where.
        line: usize,
        /// Why not.
        why: &'static str,
    },
    /// It calls a function that neither the sandbox nor itself has.
    #[error("line {line}: there is no function `{name}`")]
    UnknownFunction {
        /// Which.
        name: String,
        /// Where.
        line: usize,
    },
    /// It holds a loop that only a bound can end.
    #[error("line {line}: `{construct}` has no end of its own")]
    Unbounded {
        /// Which.
        construct: &'static str,
        /// Where.
        line: usize,
    },
    /// The declared function is not there, or takes other parameters.
    #[error("the code has no function `{declared}`")]
    NoSuchFunction {
        /// The declared name and parameters: `fee(amount, days)`.
        declared: String,
    },
    /// A case came out otherwise.
    #[error("{} case {index} came out otherwise", trial.word())]
    CaseFailed {
        /// Which.
        trial: Trial,
        /// Its place, from zero.
        index: usize,
        /// What went in.
        given: Arguments,
        /// What should have come out.
        expected: Outcome,
        /// What came out.
        seen: Box<Seen>,
    },
    /// The same input came out in two ways.
    #[error("the same input came out in two ways")]
    NotDeterministic {
        /// The input.
        given: Arguments,
    },
    /// An input of the declared domain has neither a value nor a declared refusal.
    #[error("an input of its domain has no outcome: {fault}")]
    NotTotal {
        /// The input.
        given: Arguments,
        /// How it ended.
        fault: Box<CallFault>,
    },
    /// The judgement took too long.
    #[error("judging the function took more than {millis_max} ms")]
    TooSlow {
        /// How long it may take.
        millis_max: u64,
    },
    /// There is no room for another one.
    #[error("{functions_max} functions are admitted; there is no room for another one")]
    Full {
        /// How many there may be.
        functions_max: usize,
    },
    /// The judgement itself broke down. It is a fault of the sandbox; the worker is not touched by it.
    #[error("the sandbox failed")]
    Broken,
}

impl NotAdmitted {
    /// What the author may be told, so that the next version is better. A held-back case stays unknown to the author.
    #[must_use]
    pub fn for_author(&self) -> String {
        match self {
            Self::CaseFailed { trial: Trial::HeldBack, .. } => {
                "the function does not hold on other inputs of its domain: compute, do not list answers"
                    .to_owned()
            }
            Self::CaseFailed { trial: Trial::Shown, index, given, expected, seen } => {
                let seen = match seen.as_ref() {
                    Seen::Outcome(outcome) => told(outcome),
                    Seen::Fault(fault) => fault.to_string(),
                };
                format!("case {index}: given {}, expected {}, came out: {seen}", plain(given), told(expected))
            }
            Self::NotTotal { given, .. } | Self::NotDeterministic { given } => {
                format!("{self}; the input was {}", plain(given))
            }
            Self::Signature(_)
            | Self::TooLong { .. }
            | Self::Cases { .. }
            | Self::CaseUnfit { .. }
            | Self::CaseShown { .. }
            | Self::Unparsable { .. }
            | Self::Disallowed { .. }
            | Self::UnknownFunction { .. }
            | Self::Unbounded { .. }
            | Self::NoSuchFunction { .. }
            | Self::TooSlow { .. }
            | Self::Full { .. }
            | Self::Broken => self.to_string(),
        }
    }
}

/// Why a call has no outcome. Nothing of it is left behind.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallFault {
    /// Nothing was admitted under this hash.
    #[error("{function} is not admitted")]
    NotAdmitted {
        /// The hash.
        function: FunctionHash,
    },
    /// An argument is missing, unknown, or outside of its declared domain.
    #[error("the argument `{parameter}` does not fit the declaration")]
    Outside {
        /// Which.
        parameter: String,
    },
    /// It took too many steps.
    #[error("more than {steps_max} steps")]
    TooManySteps {
        /// How many it may take.
        steps_max: u64,
    },
    /// It took too long.
    #[error("more than {millis_max} ms")]
    TooLong {
        /// How long it may take.
        millis_max: u64,
    },
    /// Its functions called each other too deeply.
    #[error("more than {levels_max} calls inside each other")]
    TooDeep {
        /// How deeply they may.
        levels_max: usize,
    },
    /// A value, or their number, grew too large.
    #[error("{what} grew beyond {most}")]
    TooLarge {
        /// What: `a text`, `a list`.
        what: &'static str,
        /// The bound, in the unit of what it is: bytes, items, fields, levels.
        most: u64,
    },
    /// There is no exact number.
    #[error(transparent)]
    Number(#[from] NumberError),
    /// The text asked for something that is not there, or of a kind that does not fit.
    #[error("line {line}: {what}")]
    Wrong {
        /// Where; zero where it is not known.
        line: usize,
        /// What the language says, cut.
        what: String,
    },
    /// The answer is not what was declared.
    #[error("the answer, a {found}, is not what was declared")]
    WrongShape {
        /// What kind of value it is; `number` also for one with too many decimals.
        found: &'static str,
    },
    /// It refused with a word that it does not declare.
    #[error("`{word}` is not a declared refusal")]
    Undeclared {
        /// The word, cut.
        word: String,
    },
    /// The language itself failed. It is a fault of the sandbox; the worker is not touched by it.
    #[error("the sandbox failed")]
    Broken,
}

fn told(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Value(datum) => shown(datum),
        Outcome::Refused(word) => format!("refusal `{word}`"),
    }
}

fn plain(arguments: &Arguments) -> String {
    let written: Vec<String> =
        arguments.iter().map(|(name, datum)| format!("{name} = {}", shown(datum))).collect();
    written.join(", ")
}

fn shown(datum: &Datum) -> String {
    match datum {
        Datum::Number(number) => number.to_string(),
        Datum::Text(text) => format!("{text:?}"),
        Datum::Truth(truth) => truth.to_string(),
        Datum::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(", ")),
        Datum::Record(fields) => format!("#{{{}}}", plain(fields)),
    }
}

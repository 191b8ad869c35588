//! What is wrong with a process file, where, and how to mend it.

use std::fmt;

/// A place in a file: both count from one, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mark {
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
}

macro_rules! codes {
    ($($(#[$meta:meta])* $variant:ident = $text:literal,)*) => {
        /// Why a process file is refused. The text of each code is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum ProblemCode {
            $($(#[$meta])* $variant,)*
        }

        impl ProblemCode {
            /// Every code there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The code as it is printed.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $text,)*
                }
            }
        }
    };
}

codes! {
    /// The file is larger than 256 KiB.
    TooLarge = "file-too-large",
    /// The bytes are not UTF-8.
    NotUtf8 = "file-not-utf8",
    /// The text is not YAML.
    Syntax = "yaml-syntax",
    /// Lists and mappings are nested too deeply.
    TooDeep = "yaml-too-deep",
    /// A mapping names a key twice.
    DuplicateKey = "yaml-duplicate-key",
    /// The file uses an anchor or an alias.
    Anchor = "yaml-anchor",
    /// The file uses a tag.
    Tag = "yaml-tag",
    /// The file uses a merge key.
    MergeKey = "yaml-merge-key",
    /// The file holds no document, or more than one.
    Documents = "yaml-documents",
    /// A key is not a plain word.
    BadKey = "yaml-bad-key",
    /// A key that the format does not know.
    UnknownKey = "unknown-key",
    /// A key that must be there is not.
    MissingKey = "missing-key",
    /// A value of the wrong shape: a list for a word, a mapping for a list.
    WrongShape = "wrong-shape",
    /// A list or mapping with more entries than anybody reads.
    TooMany = "too-many",
    /// A name that is not made of small letters, digits and `_`, or is reserved.
    BadName = "bad-name",
    /// Two things with one name.
    NameTaken = "name-taken",
    /// A slot at the top of a file that has `tasks`.
    SlotOutsideTask = "slot-outside-task",
    /// A state that does not exist.
    UnknownState = "unknown-state",
    /// A route that is not lawful.
    UnlawfulRoute = "unlawful-route",
    /// The route leaves out a state that the slots need.
    RouteTooShort = "route-too-short",
    /// Text for a state that the route does not visit.
    IdleInstruction = "idle-instruction",
    /// An input type that does not exist.
    UnknownType = "unknown-type",
    /// A regular expression that does not compile.
    BadPattern = "bad-pattern",
    /// Options of an input that do not go together, or that are missing.
    BadInput = "bad-input",
    /// A call that is not `tool(param=expression)`.
    BadCall = "bad-call",
    /// A tool that writes or notifies where only reading is allowed.
    NotARead = "not-a-read",
    /// A tool that does not write in `do` or `undo`.
    NotAWrite = "not-a-write",
    /// A tool that does not notify in `tell`.
    NotANotice = "not-a-notice",
    /// Reads or computations that need each other.
    Cycle = "cycle",
    /// An expression that does not compile.
    Expression = "expression",
    /// A number in exponent form.
    Exponent = "exponent",
    /// Amounts of two currencies in one sum or comparison.
    MixedCurrencies = "mixed-currencies",
    /// A rounding that does not name its mode.
    RoundingWithoutMode = "rounding-without-mode",
    /// A name that nothing in the file defines.
    UnknownName = "unknown-name",
    /// A condition that is not true or false.
    NotACondition = "not-a-condition",
    /// A rule without an id.
    RuleWithoutId = "rule-without-id",
    /// A rule that neither asks nor decides anything.
    EmptyRule = "empty-rule",
    /// `ask: nobody` without a condition.
    UnconditionalAllow = "unconditional-allow",
    /// A rule that can never be the first to match.
    UnreachableRule = "unreachable-rule",
    /// An outcome that is not declared.
    UnknownOutcome = "unknown-outcome",
    /// An outcome that no rule leads to.
    UnusedOutcome = "unused-outcome",
    /// A role that is not written as a role.
    BadRole = "bad-role",
    /// `ask` on a rule that has nothing to ask about.
    NothingToAsk = "nothing-to-ask",
    /// A rule that is silent where a declared field was not read.
    Guarded = "guarded-field",
    /// A figure in a `because` that its condition has too.
    Repeated = "repeated-threshold",
    /// The person asked is among those who may not decide.
    AskedAndExcluded = "asked-and-excluded",
    /// A `do` without `check`.
    Unchecked = "unchecked",
    /// `check: none` together with `ask: nobody`.
    UnverifiedAlone = "unverified-alone",
    /// A `check` by the very tool that wrote.
    SelfCheck = "self-check",
    /// A `check` that compares nothing.
    BadCheck = "bad-check",
    /// An amount, payee or account from the task that no read confirms.
    Unconfirmed = "unconfirmed-input",
    /// A result of an earlier step used in another way than as it is.
    BadReference = "bad-reference",
    /// An outcome that does and tells nothing.
    EmptyOutcome = "empty-outcome",
    /// Quiet hours that are not `HH:MM-HH:MM`.
    BadQuietHours = "bad-quiet-hours",
    /// A form under `say` that cannot be read.
    BadForm = "bad-form",
    /// Two tasks with the same keywords.
    SameKeywords = "same-keywords",
    /// An approval that would be given by waiting.
    ExpiryApproves = "expiry-approves",
    /// A duration that is not written in words.
    BadDuration = "bad-duration",
    /// A number that is not a whole number in its bounds.
    BadNumber = "bad-number",
    /// A value that an approver could change without anybody judging it, or on which more hangs than a plan.
    NotEditable = "not-editable",
    /// A test that is not written as one.
    BadTest = "bad-test",
    /// Tests that would take too long.
    CostlyTests = "costly-tests",
    /// A test of the file that fails.
    FailingTest = "failing-test",
}

impl fmt::Display for ProblemCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that is wrong with a process file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where it is.
    pub at: Mark,
    /// The stable code.
    pub code: ProblemCode,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub help: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { at, code, message, help } = self;
        write!(f, "{}:{}: {code}: {message}\n  help: {help}", at.line, at.column)
    }
}

/// A process file that was refused: every problem that was found, in the order of the file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Refused {
    problems: Vec<Problem>,
}

impl Refused {
    /// The problems, at least one.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.problems.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

/// Collects problems while a file is read, so that its author sees all of them at once.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    found: Vec<Problem>,
}

impl Problems {
    /// A hostile file could hold one problem per byte; nobody reads more than this.
    pub(crate) const COUNT_MAX: usize = 100;

    pub(crate) fn add(
        &mut self,
        at: Mark,
        code: ProblemCode,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        if self.found.len() < Self::COUNT_MAX {
            self.found.push(Problem { at, code, message: message.into(), help: help.into() });
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.found.len()
    }

    /// `Ok(value)` when nothing was found.
    pub(crate) fn into_result<T>(mut self, value: Option<T>) -> Result<T, Refused> {
        match value {
            Some(value) if self.found.is_empty() => Ok(value),
            _ => {
                self.found.sort();
                self.found.dedup();
                Err(Refused { problems: self.found })
            }
        }
    }
}

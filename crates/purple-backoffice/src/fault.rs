//! Switches for tools that lie, lag, fail, hang and repeat themselves.
//!
//! Written as `TARGET:KIND[,setting=value…]`: the target is a tool, a noun or `*`.

use std::fmt;
use std::str::FromStr;

/// A thing that goes wrong, where, and when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    target: Target,
    kind: FaultKind,
    /// Matching calls that go well before it starts.
    after: u64,
    /// How many calls it meets; without a number, all.
    times: Option<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Target {
    Everything,
    /// A tool, or the noun of several.
    Named(String),
}

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Says it was done, and does nothing.
    Lie,
    /// Says it was done, and does a part of it.
    Partial,
    /// Says it was done, and writes another value.
    OtherValue,
    /// Does it twice.
    Twice,
    /// Says it was done, and does it only after this many reads of the same noun.
    LateReads(u32),
    /// Says it was done, and does it only after this many milliseconds of the company's clock.
    LateMs(u64),
    /// Answers after this many milliseconds.
    Slow(u64),
    /// Answers with an error and does nothing.
    Fail,
    /// Does it, and answers with an error.
    FailAfter,
    /// Is not there: an error of the transport, and nothing is done.
    Unavailable,
    /// Cuts the connection after doing it, or without doing it.
    Drop(Applied),
    /// Never answers, after doing it or without doing it.
    Hang(Applied),
    /// Reads of the noun show the old state this many times after an effect.
    Lag(u32),
    /// Reads of the noun fail after an effect: this many times, or from then on.
    ReadbackDown(Option<u32>),
    /// Refuses calls beyond the first `after` ones.
    RateLimit,
    /// The tool's definition changes after `after` lists and calls.
    Drift(Drifted),
    /// The tool is listed without a schema.
    BadDefinition,
    /// Asks for a secret instead of doing it.
    InputRequired,
    /// Asks something harmless, and does it once that is answered.
    Question,
    /// Answers with this many bytes too many.
    Huge(u64),
    /// Answers with something that is no answer.
    Garbage,
}

/// Whether the effect had happened by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It had.
    Yes,
    /// It had not.
    No,
}

/// Which part of a definition drifts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drifted {
    /// The description says something else.
    Description,
    /// A parameter is called something else.
    Schema,
    /// The annotations claim that the tool only reads.
    Annotations,
}

/// Why a fault could not be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFault {
    /// There is no colon in it.
    #[error("`{spec}` is not a fault: write `TOOL:KIND`, such as `reject_invoice:lie`")]
    NoKind {
        /// What was given.
        spec: String,
    },
    /// Nothing goes wrong that way here.
    #[error("there is no fault `{kind}`; known are: {KNOWN}")]
    UnknownKind {
        /// What was given.
        kind: String,
    },
    /// A setting that this kind does not have, or a value that it cannot have.
    #[error("fault `{kind}` cannot take `{setting}`")]
    BadSetting {
        /// The kind of the fault.
        kind: String,
        /// What was given.
        setting: String,
    },
}

const KNOWN: &str = "lie, partial, other_value, twice, late, slow, fail, fail_after, unavailable, drop, hang, \
    lag, readback_down, rate_limit, drift, bad_definition, input_required, question, huge, garbage";

impl Fault {
    /// A fault of every tool.
    #[must_use]
    pub fn everywhere(kind: FaultKind) -> Self {
        Self { target: Target::Everything, kind, after: 0, times: None }
    }

    /// A fault of one tool, or of all tools of a noun.
    #[must_use]
    pub fn of(tool_or_noun: &str, kind: FaultKind) -> Self {
        Self { target: Target::Named(tool_or_noun.to_owned()), kind, after: 0, times: None }
    }

    /// Starts after this many matching calls.
    #[must_use]
    pub fn after(mut self, calls: u64) -> Self {
        self.after = calls;
        self
    }

    /// Meets this many calls and no more.
    #[must_use]
    pub fn times(mut self, calls: u64) -> Self {
        self.times = Some(calls);
        self
    }

    pub(crate) fn kind(&self) -> FaultKind {
        self.kind
    }

    pub(crate) fn targets(&self, [tool, noun]: [&str; 2]) -> bool {
        match &self.target {
            Target::Everything => true,
            Target::Named(name) => name == tool || name == noun,
        }
    }

    /// Whether it is on at this matching call (the first is 1), having met `used` calls so far.
    pub(crate) fn is_on(&self, seen: u64, used: u64) -> bool {
        seen > self.after && self.times.is_none_or(|times| used < times)
    }
}

impl FaultKind {
    /// Its name in a specification and in the log of calls.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lie => "lie",
            Self::Partial => "partial",
            Self::OtherValue => "other_value",
            Self::Twice => "twice",
            Self::LateReads(_) | Self::LateMs(_) => "late",
            Self::Slow(_) => "slow",
            Self::Fail => "fail",
            Self::FailAfter => "fail_after",
            Self::Unavailable => "unavailable",
            Self::Drop(_) => "drop",
            Self::Hang(_) => "hang",
            Self::Lag(_) => "lag",
            Self::ReadbackDown(_) => "readback_down",
            Self::RateLimit => "rate_limit",
            Self::Drift(_) => "drift",
            Self::BadDefinition => "bad_definition",
            Self::InputRequired => "input_required",
            Self::Question => "question",
            Self::Huge(_) => "huge",
            Self::Garbage => "garbage",
        }
    }

    /// Whether only tools with an effect can have it.
    pub(crate) fn is_about_effects(self) -> bool {
        match self {
            Self::Lie
            | Self::Partial
            | Self::OtherValue
            | Self::Twice
            | Self::LateReads(_)
            | Self::LateMs(_)
            | Self::FailAfter
            | Self::Lag(_)
            | Self::ReadbackDown(_) => true,
            Self::Slow(_)
            | Self::Fail
            | Self::Unavailable
            | Self::Drop(_)
            | Self::Hang(_)
            | Self::RateLimit
            | Self::Drift(_)
            | Self::BadDefinition
            | Self::InputRequired
            | Self::Question
            | Self::Huge(_)
            | Self::Garbage => false,
        }
    }
}

impl FromStr for Fault {
    type Err = BadFault;

    fn from_str(spec: &str) -> Result<Self, BadFault> {
        let no_kind = || BadFault::NoKind { spec: spec.to_owned() };
        let (target, rest) = spec.trim().split_once(':').ok_or_else(no_kind)?;
        if target.is_empty() {
            return Err(no_kind());
        }
        let mut parts = rest.split(',').map(str::trim);
        let kind = parts.next().unwrap_or_default();
        let mut fault = match target {
            "*" => Self::everywhere(named(kind)?),
            name => Self::of(name, named(kind)?),
        };
        for setting in parts {
            if fault.tune(setting).is_none() {
                return Err(BadFault::BadSetting { kind: kind.to_owned(), setting: setting.to_owned() });
            }
        }
        Ok(fault)
    }
}

fn named(kind: &str) -> Result<FaultKind, BadFault> {
    Ok(match kind {
        "lie" => FaultKind::Lie,
        "partial" => FaultKind::Partial,
        "other_value" => FaultKind::OtherValue,
        "twice" => FaultKind::Twice,
        "late" => FaultKind::LateReads(1),
        "slow" => FaultKind::Slow(1000),
        "fail" => FaultKind::Fail,
        "fail_after" => FaultKind::FailAfter,
        "unavailable" => FaultKind::Unavailable,
        "drop" => FaultKind::Drop(Applied::Yes),
        "hang" => FaultKind::Hang(Applied::Yes),
        "lag" => FaultKind::Lag(1),
        "readback_down" => FaultKind::ReadbackDown(None),
        "rate_limit" => FaultKind::RateLimit,
        "drift" => FaultKind::Drift(Drifted::Description),
        "bad_definition" => FaultKind::BadDefinition,
        "input_required" => FaultKind::InputRequired,
        "question" => FaultKind::Question,
        "huge" => FaultKind::Huge(20 * 1024 * 1024),
        "garbage" => FaultKind::Garbage,
        _ => return Err(BadFault::UnknownKind { kind: kind.to_owned() }),
    })
}

impl Fault {
    /// Applies `name=value`, if this kind has such a setting.
    fn tune(&mut self, setting: &str) -> Option<()> {
        let (name, value) = setting.split_once('=')?;
        match (name, self.kind) {
            ("after", _) => self.after = value.parse().ok()?,
            ("times", _) => self.times = Some(value.parse().ok()?),
            ("reads", FaultKind::LateReads(_)) => self.kind = FaultKind::LateReads(value.parse().ok()?),
            ("ms", FaultKind::LateReads(_)) => self.kind = FaultKind::LateMs(value.parse().ok()?),
            ("ms", FaultKind::Slow(_)) => self.kind = FaultKind::Slow(value.parse().ok()?),
            ("reads", FaultKind::Lag(_)) => self.kind = FaultKind::Lag(value.parse().ok()?),
            ("reads", FaultKind::ReadbackDown(_)) => {
                self.kind = FaultKind::ReadbackDown(Some(value.parse().ok()?));
            }
            ("bytes", FaultKind::Huge(_)) => self.kind = FaultKind::Huge(value.parse().ok()?),
            ("applied", FaultKind::Drop(_)) => self.kind = FaultKind::Drop(yes_or_no(value)?),
            ("applied", FaultKind::Hang(_)) => self.kind = FaultKind::Hang(yes_or_no(value)?),
            ("what", FaultKind::Drift(_)) => {
                self.kind = FaultKind::Drift(match value {
                    "description" => Drifted::Description,
                    "schema" => Drifted::Schema,
                    "annotations" => Drifted::Annotations,
                    _ => return None,
                });
            }
            _ => return None,
        }
        Some(())
    }
}

fn yes_or_no(value: &str) -> Option<Applied> {
    match value {
        "yes" => Some(Applied::Yes),
        "no" => Some(Applied::No),
        _ => None,
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.target {
            Target::Everything => write!(out, "*")?,
            Target::Named(name) => write!(out, "{name}")?,
        }
        write!(out, ":{}", self.kind.name())?;
        match self.kind {
            FaultKind::LateReads(reads) | FaultKind::Lag(reads) | FaultKind::ReadbackDown(Some(reads)) => {
                write!(out, ",reads={reads}")?;
            }
            FaultKind::LateMs(ms) | FaultKind::Slow(ms) => write!(out, ",ms={ms}")?,
            FaultKind::Huge(bytes) => write!(out, ",bytes={bytes}")?,
            FaultKind::Drop(Applied::No) | FaultKind::Hang(Applied::No) => write!(out, ",applied=no")?,
            FaultKind::Drift(Drifted::Schema) => write!(out, ",what=schema")?,
            FaultKind::Drift(Drifted::Annotations) => write!(out, ",what=annotations")?,
            FaultKind::Drift(Drifted::Description)
            | FaultKind::Drop(Applied::Yes)
            | FaultKind::Hang(Applied::Yes)
            | FaultKind::ReadbackDown(None)
            | FaultKind::Lie
            | FaultKind::Partial
            | FaultKind::OtherValue
            | FaultKind::Twice
            | FaultKind::Fail
            | FaultKind::FailAfter
            | FaultKind::Unavailable
            | FaultKind::RateLimit
            | FaultKind::BadDefinition
            | FaultKind::InputRequired
            | FaultKind::Question
            | FaultKind::Garbage => {}
        }
        if self.after > 0 {
            write!(out, ",after={}", self.after)?;
        }
        self.times.map_or(Ok(()), |times| write!(out, ",times={times}"))
    }
}

/// Reads a file of faults: one a line, `#` starts a comment.
///
/// # Errors
/// Names the first line that is not a fault.
pub fn parse_faults(text: &str) -> Result<Vec<Fault>, BadFault> {
    text.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim())
        .filter(|line| !line.is_empty())
        .map(str::parse)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_as_it_is_written() {
        for spec in [
            "reject_invoice:lie",
            "*:slow,ms=50",
            "approve_invoice:late,reads=2",
            "approve_invoice:late,ms=500",
            "order:lag,reads=3,times=1",
            "order:readback_down",
            "order:readback_down,reads=2",
            "get_invoice:rate_limit,after=3",
            "get_invoice:drift,what=annotations,after=1",
            "get_invoice:drift",
            "send_po:drop",
            "send_po:hang,applied=no,times=1",
            "get_invoice:huge,bytes=64",
            "get_invoice:garbage",
        ] {
            assert_eq!(spec.parse::<Fault>().unwrap().to_string(), spec);
        }
        assert_eq!("x:late".parse::<Fault>().unwrap(), Fault::of("x", FaultKind::LateReads(1)));
    }

    #[test]
    fn what_is_no_fault_is_named() {
        let read = |spec: &str| spec.parse::<Fault>().unwrap_err().to_string();
        assert!(read("lie").contains("TOOL:KIND"));
        assert!(read(":lie").contains("TOOL:KIND"));
        assert!(read("x:lies").contains("`lies`") && read("x:lies").contains("readback_down"));
        for spec in
            ["x:lie,ms=3", "x:slow,ms=soon", "x:drop,applied=perhaps", "x:lie,after", "x:drift,what=name"]
        {
            assert!(read(spec).contains("cannot take"), "{spec}");
        }
    }

    #[test]
    fn a_file_of_faults_may_have_comments() {
        let faults = parse_faults("# all of them\n\n*:slow,ms=1 # a little\n  x:lie\n").unwrap();
        assert_eq!(faults, ["*:slow,ms=1".parse().unwrap(), "x:lie".parse().unwrap()]);
        assert!(parse_faults("x:lie\nnonsense").is_err());
    }
}

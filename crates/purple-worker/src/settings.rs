//! What the operator set up: nothing here comes from a request.

use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use purple_finance::Calendar;
use purple_policy::{Currency, PolicyDocument};
use purple_process::file::{ProcessFile, Setting, Span, TimeUnit, builtin, load};
use purple_process::{Attendance, Digest, Levels, Mode, OwnRequests, ToolName};

use crate::execute::catalogue::{Known, Manifest};
use crate::learn::{Learning, Switch};
use crate::port::{Blobs, CallOptions, Clock, Directory, Events, Memory, Models, Pause, Tools};
use crate::synthesis::Workshop;

/// The ports of a worker.
#[derive(Clone)]
pub struct Ports {
    /// Tool servers.
    pub tools: Arc<dyn Tools>,
    /// Large and exact bytes.
    pub blobs: Arc<dyn Blobs>,
    /// Other runs at a glance.
    pub events: Arc<dyn Events>,
    /// What earlier runs left.
    pub memory: Arc<dyn Memory>,
    /// The people.
    pub directory: Arc<dyn Directory>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Waiting between two tries of a read.
    pub pause: Arc<dyn Pause>,
    /// Language models. Without any, playbooks run, and everything else says that it needs one.
    pub models: Option<Models>,
    /// Where processes and functions are made that nobody ships. Without it none are.
    pub workshop: Option<Workshop>,
}

/// The operator's settings.
#[derive(Clone)]
pub struct Settings {
    /// When an operation runs without a person.
    pub mode: Mode,
    /// Whether anybody is there to be asked.
    pub attendance: Attendance,
    /// Whether a requester may approve their own request.
    pub own_requests: OwnRequests,
    /// Which role a level of the policy language means.
    pub levels: Levels,
    /// How long an approval stays open where the process does not say.
    pub approval_within: Span,
    /// Whether approvers are told that a plan waits.
    pub notices: Notices,
    /// Which days are business days.
    pub calendar: Calendar,
    /// Approval tools that our code asks at the gate.
    pub channels: Vec<ToolName>,
    /// The operator's policy.
    pub policy: Option<Arc<Policy>>,
    /// The processes, the built-in ones included.
    pub processes: Arc<[Process]>,
    /// What the operator says about tools.
    pub manifest: Arc<Manifest>,
    /// Origins at which tools may be used that a request names. The client refuses others at once; this process checks
    /// again before it connects, because a client in another process may have other settings.
    pub endpoints_allowed: Vec<String>,
    /// How callers from outside say who they are.
    pub access: Access,
    /// What a bare `$` means.
    pub dollar: Currency,
    /// Where the business is: its days and quiet hours.
    pub zone: TimeZone,
    /// After this long the answer of a tool counts as lost.
    pub tool_timeout: Duration,
    /// The longest time from the task to the first pause or answer.
    pub task_timeout: Duration,
    /// When a write that cannot be seen yet is looked for again, each counted from the look before. After the last of
    /// these its outcome is unknown.
    pub look_within: Vec<Duration>,
    /// When an unknown outcome is looked for again, each counted from the look before.
    pub look_later: Vec<Duration>,
    /// What a task may use of the models.
    pub model_limits: ModelLimits,
    /// Whether anything is learned, and how much is kept.
    pub learning: Learning,
    /// Whether processes and functions are made that nobody ships. What a person signed counts either way.
    pub synthesis: Switch,
}

/// What one task may use of the models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelLimits {
    /// New tokens: output, and input that no earlier request of the task had.
    pub task_tokens_max: u64,
    /// Model calls that propose something, over all states.
    pub iterations_max: u16,
    /// Who set that number.
    pub iterations_by: LimitBy,
    /// The longest single reply, in tokens.
    pub output_tokens_max: u32,
    /// After this long a reply counts as not given. The client's own limits are usually shorter.
    pub call_deadline: Duration,
    /// When a model that does not answer is asked again, each counted from the try before. After the last of these the
    /// task fails.
    pub ask_again: Vec<Duration>,
}

/// Who set a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitBy {
    /// The operator: it holds as it stands, whatever a file says and however large the task is.
    Operator,
    /// Nobody: a file may bound it, and it grows with the task.
    Default,
}

/// How many things a task may be about without needing more calls.
const THINGS_COVERED: usize = 3;
/// Further model calls for each further thing that a task is about.
const CALLS_EACH: u16 = 4;
/// The most model calls that nobody set.
const CALLS_MAX: u16 = 200;

impl ModelLimits {
    /// How many model calls a task about so many things may have.
    pub(crate) fn calls_for(&self, of_file: Option<u16>, things: usize) -> u16 {
        match self.iterations_by {
            LimitBy::Operator => self.iterations_max,
            LimitBy::Default => {
                let base = of_file.map_or(self.iterations_max, |calls| calls.min(self.iterations_max));
                let further = u16::try_from(things.saturating_sub(THINGS_COVERED)).unwrap_or(u16::MAX);
                let grown = base.saturating_add(further.saturating_mul(CALLS_EACH));
                grown.min(CALLS_MAX.max(base))
            }
        }
    }
}

impl Default for ModelLimits {
    fn default() -> Self {
        Self {
            task_tokens_max: 10_000,
            iterations_max: 20,
            iterations_by: LimitBy::Default,
            output_tokens_max: 4_096,
            call_deadline: Duration::from_secs(120),
            ask_again: [5, 15, 60, 300, 900].map(Duration::from_secs).to_vec(),
        }
    }
}

/// Who is told outside that a plan waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Notices {
    /// Nobody: approvers look into their inbox. Nothing is put into the outbox that nobody would deliver.
    None,
    /// The approvers, by whatever the outbox delivers to.
    Approvers,
}

/// How callers from outside say who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// There are none: everybody is at this machine.
    Local,
    /// By tokens.
    Tokens,
    /// They do not: the operator left the door open, and every record and card says so.
    Open,
}

impl Access {
    /// As the journal records it: only open access is noted.
    pub(crate) fn noted(self) -> Option<purple_journal::word::Access> {
        match self {
            Self::Open => Some(purple_journal::word::Access::Open),
            Self::Local | Self::Tokens => None,
        }
    }
}

/// A process file and the text that it was loaded from.
#[derive(Clone, Debug)]
pub struct Process {
    /// As it was accepted.
    pub file: Arc<ProcessFile>,
    /// The bytes that its digest is of. Kept with a run, so that a later version does not change it.
    pub text: Arc<str>,
    /// Who answers for it.
    pub standing: Standing,
}

/// Who answers for a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It ships with the product. What a person signed under its own name takes its place.
    Shipped,
    /// The operator loads it from a folder. Nothing takes its place.
    Operator,
    /// A person signed it here.
    Signed,
    /// A person signed it here, and it has taken the place of the one that ships.
    SignedInstead,
    /// Nobody: a model wrote it, and its operations are asked of a person.
    Unsigned,
}

impl Standing {
    /// Whether somebody answers for it, so that its rules count.
    pub fn is_answered_for(self) -> bool {
        match self {
            Self::Shipped | Self::Operator | Self::Signed | Self::SignedInstead => true,
            Self::Unsigned => false,
        }
    }

    /// Whether it was made or signed here, and neither ships nor lies in a folder of the operator.
    pub fn is_defined(self) -> bool {
        match self {
            Self::Signed | Self::SignedInstead | Self::Unsigned => true,
            Self::Shipped | Self::Operator => false,
        }
    }
}

/// A policy document and the text that it was parsed from.
#[derive(Debug)]
pub struct Policy {
    /// Its name in plans and on cards.
    pub name: String,
    /// As it was accepted.
    pub document: PolicyDocument,
    /// The bytes that its digest is of.
    pub text: String,
}

impl Policy {
    /// The digest of its text.
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
}

impl Process {
    /// Every process that ships with the product.
    pub fn shipped() -> Result<Vec<Self>, purple_process::file::Refused> {
        let files = builtin()?;
        let texts = purple_process::file::BUILTIN.iter().map(|(_, text)| Arc::from(*text));
        let standing = Standing::Shipped;
        let one = |(file, text)| Self { file: Arc::new(file), text, standing };
        Ok(files.into_iter().zip(texts).map(one).collect())
    }

    /// One that the operator wrote.
    pub fn parse(text: &str) -> Result<Self, purple_process::file::Refused> {
        Ok(Self { file: Arc::new(load(text)?), text: Arc::from(text), standing: Standing::Operator })
    }
}

/// Whether a request may name this address as its tools.
pub(crate) fn endpoint_allowed(allowed: &[String], url: &str) -> bool {
    allowed.iter().any(|allowed| same_origin(allowed, url))
}

/// Whether a URL is of an origin: scheme, host and port, nothing less. One that ends in `:*` means every port.
fn same_origin(allowed: &str, url: &str) -> bool {
    let allowed = allowed.trim_end_matches('/');
    let rest = match allowed.strip_suffix('*') {
        Some(host) if host.ends_with(':') => {
            let port = url.strip_prefix(host);
            port.map(|port| port.trim_start_matches(|letter: char| letter.is_ascii_digit()))
        }
        _ => url.strip_prefix(allowed),
    };
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest.starts_with('?'))
}

impl Settings {
    /// The careful default: built-in processes, no policy of the operator, UTC, dollars.
    pub fn careful(processes: Vec<Process>) -> Self {
        Self {
            mode: Mode::Careful,
            attendance: Attendance::Attended,
            own_requests: OwnRequests::Never,
            levels: Levels::default(),
            notices: Notices::None,
            approval_within: Span::of(2, TimeUnit::Days),
            calendar: Calendar::weekends(),
            channels: Vec::new(),
            policy: None,
            processes: processes.into(),
            manifest: Arc::new(Manifest::default()),
            endpoints_allowed: Vec::new(),
            access: Access::Local,
            dollar: Currency::USD,
            zone: TimeZone::UTC,
            tool_timeout: Duration::from_secs(10),
            task_timeout: Duration::from_secs(120),
            look_within: [250, 500, 1_000, 2_000, 4_000].map(Duration::from_millis).to_vec(),
            look_later: [60, 600, 3_600].map(Duration::from_secs).to_vec(),
            model_limits: ModelLimits::default(),
            learning: Learning::default(),
            synthesis: Switch::On,
        }
    }

    /// The process of this name, else the one that answers to it.
    pub(crate) fn process(&self, name: &str) -> Option<&Process> {
        let own = self.processes.iter().find(|process| process.file.name() == name);
        own.or_else(|| self.processes.iter().find(|process| process.file.answers_to(name)))
    }

    /// How a tool is called: its own deadline, or that of all tools, and its key.
    pub(crate) fn options(&self, tool: &Known) -> CallOptions {
        let deadline = tool.deadline.unwrap_or(self.tool_timeout);
        CallOptions { deadline, key: tool.key.clone(), answers: None }
    }

    pub(crate) fn day(&self, at: Timestamp) -> Date {
        at.to_zoned(self.zone.clone()).date()
    }

    pub(crate) fn setting(&self, today: Date) -> Setting {
        Setting { today, dollar: self.dollar }
    }
}

//! What the operator set up: nothing here comes from a request.

use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use purple_policy::{Currency, PolicyDocument};
use purple_process::file::{ProcessFile, Setting, builtin, load};
use purple_process::{Attendance, Digest, Levels, Mode, OwnRequests, ToolName};

use crate::execute::catalogue::Manifest;
use crate::port::{Blobs, Clock, Directory, Events, Memory, Pause, Tools};

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
    pub approval_within: SignedDuration,
    /// Approval tools that our code asks at the gate.
    pub channels: Vec<ToolName>,
    /// The operator's policy.
    pub policy: Option<Arc<Policy>>,
    /// The processes, the built-in ones included.
    pub processes: Arc<[Process]>,
    /// What the operator says about tools.
    pub manifest: Arc<Manifest>,
    /// Origins that a request may name as its tool server.
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

/// A process file and the text that it was loaded from.
#[derive(Clone, Debug)]
pub struct Process {
    /// As it was accepted.
    pub file: Arc<ProcessFile>,
    /// The bytes that its digest is of. Kept with a run, so that a later version does not change it.
    pub text: Arc<str>,
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
        Ok(files.into_iter().zip(texts).map(|(file, text)| Self { file: Arc::new(file), text }).collect())
    }

    /// One that the operator wrote.
    pub fn parse(text: &str) -> Result<Self, purple_process::file::Refused> {
        Ok(Self { file: Arc::new(load(text)?), text: Arc::from(text) })
    }
}

impl Settings {
    /// The careful default: built-in processes, no policy of the operator, UTC, dollars.
    pub fn careful(processes: Vec<Process>) -> Self {
        Self {
            mode: Mode::Careful,
            attendance: Attendance::Attended,
            own_requests: OwnRequests::Never,
            levels: Levels::default(),
            approval_within: SignedDuration::from_hours(48),
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
        }
    }

    pub(crate) fn process(&self, name: &str) -> Option<&Process> {
        self.processes.iter().find(|process| process.file.answers_to(name))
    }

    pub(crate) fn day(&self, at: Timestamp) -> Date {
        at.to_zoned(self.zone.clone()).date()
    }

    pub(crate) fn setting(&self, today: Date) -> Setting {
        Setting { today, dollar: self.dollar }
    }
}

//! The neutral model: what all dialects say, said once.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// How a request is written, and so its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// 1.0: `SendMessage`.
    V1,
    /// 0.2 and 0.3: `message/send`.
    V03,
    /// 0.1: `tasks/send`.
    V01,
}

/// Who says something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    User,
    Agent,
}

/// Where a task stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskState {
    Submitted,
    Working,
    InputRequired,
    Completed,
    Canceled,
    Failed,
}

impl TaskState {
    pub(crate) const ALL: [Self; 6] =
        [Self::Submitted, Self::Working, Self::InputRequired, Self::Completed, Self::Canceled, Self::Failed];

    /// Whether the task is over.
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Self::Completed | Self::Canceled | Self::Failed => true,
            Self::Submitted | Self::Working | Self::InputRequired => false,
        }
    }

    /// Whether nothing happens until somebody says something.
    pub(crate) fn is_still(self) -> bool {
        self.is_terminal() || self == Self::InputRequired
    }
}

/// A piece of a message or an artifact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Part {
    Text(String),
    Data(Value),
}

/// What was said.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Message {
    pub id: String,
    pub role: Role,
    pub parts: Vec<Part>,
}

/// What came out of a task.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Artifact {
    pub id: &'static str,
    pub name: &'static str,
    pub parts: Vec<Part>,
}

/// A task: one round of a session.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Task {
    pub id: String,
    pub context: String,
    pub status: TaskStatus,
    pub artifacts: Vec<Artifact>,
    pub history: Vec<Message>,
    pub metadata: Map<String, Value>,
}

/// Where a task stands, since when, and what is said about it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TaskStatus {
    pub state: TaskState,
    pub at: Timestamp,
    pub message: Option<Message>,
}

/// One event of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Update {
    /// The task as it is. Always the first.
    Task(Task),
    /// It moved.
    Status { task: String, context: String, status: TaskStatus, metadata: Map<String, Value> },
    /// Something came out of it.
    Artifact { task: String, context: String, artifact: Artifact, place: usize },
}

/// A message on its way in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Send {
    /// What makes it this message and no other. 0.1 has none.
    pub message_id: Option<String>,
    pub context: Option<String>,
    pub task: Option<String>,
    pub words: String,
    pub decision: Option<Decision>,
    pub extras: Extras,
    pub wait: Wait,
    pub accepts: Accepts,
    pub history: HistoryLength,
    pub push: Option<PushConfig>,
}

/// A decision that came as data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub approval: String,
    /// The plan that was looked at, where the caller says.
    pub plan: Option<String>,
    pub answer: Answer,
}

/// What was decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Approve,
    ApproveSome(Vec<String>),
    Reject { reason: String },
}

/// What came with a message beside its words.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Extras {
    pub policy: Option<Value>,
    pub tools_endpoint: Option<String>,
    pub session: Option<String>,
}

/// Whether the caller waits for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wait {
    ForTheAnswer,
    No,
}

/// What the caller reads of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Accepts {
    /// Text and data.
    Data,
    /// Text only: figures and the mutation log go where no reader of text stumbles on them.
    TextOnly,
}

/// How much of what was said is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HistoryLength {
    All,
    Last(u32),
}

/// What is asked of the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Operation {
    Send(Send),
    Stream(Send),
    Get { id: String, history: HistoryLength },
    List(List),
    Cancel { id: String },
    Subscribe { id: String },
    Push(Push),
    ExtendedCard,
}

/// What is asked about the notifications of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Push {
    Set { task: String, config: PushConfig },
    Get { task: String, id: Option<String> },
    List { task: String },
    Delete { task: String, id: String },
}

/// Where and how a program is told about a task.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct PushConfig {
    /// `None` is for the server to choose.
    pub id: Option<String>,
    pub url: String,
    /// What the receiver knows us by.
    pub token: Option<String>,
    /// How we say who we are: `Bearer`.
    pub scheme: Option<String>,
    pub credentials: Option<String>,
    /// How what is told is written.
    pub dialect: Dialect,
}

impl std::fmt::Debug for PushConfig {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Neither the token nor the credentials.
        write!(out, "PushConfig({:?}, {:?}, {:?})", self.id, self.url, self.dialect)
    }
}

/// A kept config and the task that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pushed {
    pub task: String,
    pub config: PushConfig,
}

/// Which tasks are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List {
    pub context: Option<String>,
    pub state: Option<TaskState>,
    /// Only tasks that changed after this time.
    pub after: Option<Timestamp>,
    pub page_size: u32,
    pub page_token: Option<String>,
    pub history: HistoryLength,
    pub artifacts: WithArtifacts,
}

/// Whether a list shows what came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WithArtifacts {
    Yes,
    No,
}

/// A page of a list.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Page {
    pub tasks: Vec<Task>,
    pub page_size: u32,
    pub total: usize,
    pub next: String,
}

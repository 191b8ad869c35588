//! The configuration as plain structs.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use purple_finance::Calendar;
use purple_policy::{Currency, Level};
use purple_process::file::Span;
use purple_process::system::System;
use purple_process::{Attendance, Digest, Effect, HostPattern, Mode, OwnRequests, Role, ToolName, Trust};
use purple_server::{CardProfile, PauseAs};
use purple_worker::learn::{Learning, Switch};
use purple_worker::port::KeyPlace;
use purple_worker::{Shipped, ToolId};

use crate::config::oauth::OAuth;
use crate::config::people::People;
use crate::config::secret::SecretRef;

/// What the operator set.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) currency: Currency,
    pub(crate) timezone: String,
    /// Where the clock starts; `None` is now.
    pub(crate) clock_start: Option<jiff::Timestamp>,
    pub(crate) mode: Mode,
    pub(crate) attendance: Attendance,
    pub(crate) own_requests: OwnRequests,
    pub(crate) within: Span,
    pub(crate) calendar: Calendar,
    pub(crate) channel_tools: Vec<ToolName>,
    /// Whether questions of tools take their defaults.
    pub(crate) tool_defaults: bool,
    pub(crate) levels: BTreeMap<Level, Role>,
    pub(crate) people: People,
    pub(crate) tools: BTreeMap<ToolId, ToolSetting>,
    pub(crate) servers: BTreeMap<String, Server>,
    /// What stands for the calls of process files.
    pub(crate) systems: Vec<System>,
    /// Where approvers are told.
    pub(crate) notify_url: Option<String>,
    /// Origins that a request may name as its tools.
    pub(crate) allowed_origins: Vec<String>,
    /// Hosts that may lead into a private network when a request names them.
    pub(crate) private_hosts: Vec<String>,
    /// The tools of requests that name none.
    pub(crate) default_endpoint: Option<String>,
    /// The shipped manifest that holds for them.
    pub(crate) default_shipped: Option<&'static Shipped>,
    pub(crate) tool_timeout: Duration,
    /// How long a list of tools stands.
    pub(crate) tools_fresh: Duration,
    pub(crate) task_timeout: Duration,
    pub(crate) tokens: u64,
    pub(crate) model_calls: u64,
    /// Who set that number.
    pub(crate) model_calls_by: purple_worker::LimitBy,
    pub(crate) parallel_runs: usize,
    pub(crate) data_dir: PathBuf,
    pub(crate) learning: Learning,
    pub(crate) synthesis: Switch,
    pub(crate) learning_bucket: Option<String>,
    pub(crate) learning_dir: Option<PathBuf>,
    pub(crate) policy_file: Option<PathBuf>,
    pub(crate) process_dirs: Vec<PathBuf>,
    pub(crate) model: Model,
    pub(crate) serve: Serve,
}

/// What the operator says about a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ToolSetting {
    pub(crate) effect: Option<Effect>,
    pub(crate) key: Option<KeyPlace>,
    /// After this long its answer counts as lost.
    pub(crate) timeout: Option<Duration>,
    /// The argument whose SQL decides each call.
    pub(crate) sql: Option<String>,
    /// The argument whose GraphQL decides each call.
    pub(crate) graphql: Option<String>,
    /// The hosts that its addresses may lead to.
    pub(crate) hosts: Vec<HostPattern>,
    /// The definition that the operator looked at.
    pub(crate) pin: Option<Digest>,
}

/// A tool server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Server {
    pub(crate) at: ServerAt,
    pub(crate) trust: Trust,
    /// The shipped manifest that holds for it.
    pub(crate) shipped: Option<&'static Shipped>,
    pub(crate) era: Era,
    pub(crate) oauth: OAuth,
}

/// How a tool server is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ServerAt {
    /// As a child process that speaks on stdin and stdout.
    Command {
        program: String,
        arguments: Vec<String>,
        environment: BTreeMap<String, Result<String, SecretRef>>,
    },
    /// By HTTP.
    Url(String),
}

/// Which protocol a tool server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// It is asked.
    Auto,
    /// MCP with sessions.
    Sessions,
    /// MCP without sessions.
    Stateless,
    /// The plain bridge.
    Bridge,
}

/// Which language models are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Model {
    pub(crate) provider: Provider,
    pub(crate) fast: Option<String>,
    pub(crate) strong: Option<String>,
    pub(crate) anthropic_key: Option<SecretRef>,
    pub(crate) anthropic_url: Option<String>,
    pub(crate) openai_key: Option<SecretRef>,
    pub(crate) openai_url: Option<String>,
    pub(crate) ollama_url: Option<String>,
    /// Who is asked before the provider, if anybody.
    pub(crate) brainos: Option<BrainOs>,
    /// Whether answers come in pieces.
    pub(crate) streamed: bool,
    /// For one answer, tries and waits included.
    pub(crate) timeout: Duration,
}

/// A BrainOS platform that tasks are delegated to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BrainOs {
    pub(crate) url: String,
    pub(crate) key: Option<SecretRef>,
    /// For one answer.
    pub(crate) timeout: Duration,
}

/// Who provides language models.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    Auto,
    Anthropic,
    OpenAi,
    Ollama,
    Offline,
}

impl Model {
    /// The provider that is really used: a key decides, then Ollama, else offline.
    pub(crate) fn chosen(&self) -> Provider {
        match self.provider {
            Provider::Auto if self.anthropic_key.is_some() => Provider::Anthropic,
            Provider::Auto if self.openai_key.is_some() => Provider::OpenAi,
            Provider::Auto if self.ollama_url.is_some() => Provider::Ollama,
            Provider::Auto => Provider::Offline,
            set @ (Provider::Anthropic | Provider::OpenAi | Provider::Ollama | Provider::Offline) => set,
        }
    }
}

impl Provider {
    /// The name in the configuration.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
            Self::Offline => "offline",
        }
    }
}

/// The HTTP door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Serve {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) card_url: Option<String>,
    pub(crate) auth: Auth,
    pub(crate) tls: Option<(PathBuf, PathBuf)>,
    pub(crate) requests_per_minute: u32,
    pub(crate) answer_within: Duration,
    pub(crate) card_profile: CardProfile,
    pub(crate) pause_as: PauseAs,
    /// Origins that may be notified although they are not public.
    pub(crate) push_allowed: Vec<String>,
    /// The collector of traces.
    pub(crate) otlp_endpoint: Option<String>,
}

/// How callers say who they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Auth {
    /// By tokens once there are any; before that, only callers on this machine are served.
    Auto,
    /// By tokens.
    Tokens,
    /// They do not.
    Open,
}

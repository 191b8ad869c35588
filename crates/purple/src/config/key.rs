//! Every key of the configuration: what it means, its default, and the variables that set it.

use purple_finance::Calendar;
use purple_worker::Shipped;

/// What a value must look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Any text.
    Text,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// `true` or `false`.
    Flag,
    /// A whole number in these bounds.
    Count { min: u64, max: u64 },
    /// A file or folder, relative to the file that names it.
    Path,
    /// Files or folders.
    Paths,
    /// An HTTP address.
    Url,
    /// HTTP addresses of which only the origin counts.
    Origins,
    /// Where a secret is, never the secret.
    Secret,
    /// A length of time in words: `2 business days`.
    Span,
    /// An amount with its currency: `10000 EUR`.
    Money,
    /// A currency code.
    Currency,
    /// A time zone.
    Zone,
    /// A moment.
    Moment,
    /// A business role.
    Role,
    /// Business roles.
    Roles,
    /// Names of tools.
    Tools,
    /// Any words.
    Words,
    /// Names and values, of which secrets are references.
    Variables,
    /// Names that stand for other names; tables within are written with dots.
    Names,
    /// Who stands in, and when.
    Substitutes,
    /// Where a tool takes the key of an operation: `argument:NAME` or `meta:NAME`.
    KeyPlace,
    /// The digest of a tool's definition: `sha256:…`.
    Pin,
    /// Hosts, or patterns of them.
    Hosts,
    /// The name of a shipped manifest.
    Manifest,
}

impl Kind {
    /// What is expected, for messages.
    pub(crate) fn expected(self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
                format!("one of {}", words.join(", "))
            }
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Count { min, max } => format!("a whole number from {min} to {max}"),
            Self::Path => "a path".to_owned(),
            Self::Paths => "a list of paths".to_owned(),
            Self::Url => "an address such as `https://tools.example.com`".to_owned(),
            Self::Origins => "a list of addresses such as `https://tools.example.com`".to_owned(),
            Self::Secret => "`env:NAME`, `file:PATH` or `cmd:PROGRAM`".to_owned(),
            Self::Span => {
                "a time such as `2 business days`, `4 hours`, `4h` or `PT4H`, at most 1000 of its unit"
                    .to_owned()
            }
            Self::Money => "an amount in quotes, such as `\"10000.00 EUR\"`".to_owned(),
            Self::Currency => "a currency code such as `EUR`".to_owned(),
            Self::Zone => "a time zone such as `Europe/Berlin` or `UTC`".to_owned(),
            Self::Moment => "a moment in quotes, such as `\"2026-03-04T09:00:00Z\"`".to_owned(),
            Self::Role => "a role in small letters, such as `ap_lead`".to_owned(),
            Self::Roles => "a list of roles in small letters, such as `[\"ap_lead\"]`".to_owned(),
            Self::Tools => "a list of tool names".to_owned(),
            Self::Words => "a list of texts".to_owned(),
            Self::Variables => "a table of names and texts".to_owned(),
            Self::Names => "a table of names and texts, such as `{ total = \"gross\" }`".to_owned(),
            Self::Substitutes => {
                "a list such as `[{ person = \"kim\", from = 2026-03-01, until = 2026-03-14 }]`".to_owned()
            }
            Self::KeyPlace => "`argument:NAME` or `meta:NAME`".to_owned(),
            Self::Hosts => "a list of hosts such as `docs.example.com` or `*.example.com`".to_owned(),
            Self::Manifest => {
                let names: Vec<String> =
                    Shipped::all().iter().map(|shipped| format!("`{}`", shipped.name)).collect();
                format!("one of {}", names.join(", "))
            }
            Self::Pin => "a digest such as `sha256:…`, as `purple tools list --json` shows it".to_owned(),
        }
    }
}

/// One key. A `*` in its path stands for a name that the operator chooses.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) path: &'static str,
    pub(crate) kind: Kind,
    pub(crate) default: Option<&'static str>,
    /// Variables beside `PURPLE_…` that set it: names that people have set already.
    pub(crate) variables: &'static [&'static str],
    pub(crate) says: &'static str,
}

impl Key {
    /// The words of its path.
    pub(crate) fn words(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('.')
    }

    /// Whether this is the key of that path.
    pub(crate) fn is(&self, path: &[String]) -> bool {
        self.words().count() == path.len() && self.begins(path)
    }

    /// Whether the path leads to this key, or towards it.
    pub(crate) fn begins(&self, path: &[String]) -> bool {
        let words: Vec<&str> = self.words().collect();
        path.len() <= words.len() && path.iter().zip(words).all(|(given, word)| word == "*" || word == given)
    }

    /// `PURPLE_…`; `None` where the path has a name in it, which a variable cannot spell.
    pub(crate) fn variable(&self) -> Option<String> {
        let plain = !self.path.contains('*');
        plain.then(|| format!("PURPLE_{}", self.path.replace('.', "_").to_ascii_uppercase()))
    }
}

/// The seconds of a day.
const DAY_S: u64 = 86_400;
const MODES: Kind = Kind::Choice(&["careful", "permissive", "always"]);
const EFFECTS: Kind = Kind::Choice(&["read", "compute", "write", "notify", "approval"]);
const ERAS: Kind = Kind::Choice(&["auto", "2025", "2026", "bridge"]);
const GRANTS: Kind = Kind::Choice(&["person", "client"]);
const PROVIDERS: Kind = Kind::Choice(&["auto", "anthropic", "openai", "ollama", "offline"]);

const SHARING: Kind = Kind::Choice(&["structure", "requester", "group", "all"]);
const AUTHS: Kind = Kind::Choice(&["auto", "tokens", "open"]);
const PROFILES: Kind = Kind::Choice(&["hybrid", "v1"]);
const PAUSES: Kind = Kind::Choice(&["input-required", "completed"]);

const fn key(path: &'static str, kind: Kind, default: Option<&'static str>, says: &'static str) -> Key {
    Key { path, kind, default, variables: &[], says }
}

const fn known(
    path: &'static str,
    kind: Kind,
    default: Option<&'static str>,
    variables: &'static [&'static str],
    says: &'static str,
) -> Key {
    Key { path, kind, default, variables, says }
}

/// Every key there is.
pub(crate) const KEYS: &[Key] = &[
    key("currency", Kind::Currency, Some("USD"), "the currency of `$` and of amounts without one"),
    key("timezone", Kind::Zone, Some("UTC"), "the time zone of business days and quiet hours"),
    key("calendar", Kind::Choice(Calendar::NAMES), Some("weekends"), "which days are business days"),
    key(
        "clock.start",
        Kind::Moment,
        None,
        "where the clock starts, for demos and rehearsals; the present time if not set",
    ),
    key("approvals.mode", MODES, Some("careful"), "when an operation runs without a person"),
    key("approvals.unattended", Kind::Flag, Some("false"), "nothing waits; what needs a person is escalated"),
    key("approvals.own_requests", Kind::Flag, Some("false"), "requesters may approve their own requests"),
    key(
        "approvals.within",
        Kind::Span,
        Some("2 days"),
        "how long a plan waits where its process does not say",
    ),
    key("approvals.notify_url", Kind::Url, None, "where a notice is posted as JSON when a plan waits"),
    key("approvals.channel_tools", Kind::Tools, None, "approval tools whose answer counts for the plan"),
    key(
        "approvals.tool_defaults",
        Kind::Flag,
        Some("false"),
        "a tool's question during a call takes its defaults, where it has one for everything",
    ),
    key("levels.manager", Kind::Role, None, "the role that a rule means by `manager`"),
    key("levels.hr", Kind::Role, None, "the role that a rule means by `hr`"),
    key("levels.finance", Kind::Role, None, "the role that a rule means by `finance`"),
    key("levels.committee", Kind::Role, None, "the role that a rule means by `committee`"),
    key("levels.legal", Kind::Role, None, "the role that a rule means by `legal`"),
    key("levels.cfo", Kind::Role, None, "the role that a rule means by `cfo`"),
    key("levels.ciso", Kind::Role, None, "the role that a rule means by `ciso`"),
    key("people.*.roles", Kind::Roles, None, "the roles that this person holds"),
    key(
        "people.*.account",
        Kind::Text,
        None,
        "the account of the operating system by which the command line knows this person",
    ),
    key("people.*.limit", Kind::Money, None, "the most that this person may approve in one plan"),
    key("people.*.substitutes", Kind::Substitutes, None, "who stands in for this person, and when"),
    key("tools.*.*.effect", EFFECTS, None, "what this tool of this server does to the world"),
    key("tools.*.*.key", Kind::KeyPlace, None, "where this tool takes the key of an operation"),
    key(
        "tools.*.*.timeout_s",
        Kind::Count { min: 1, max: 3600 },
        None,
        "seconds after which the answer of this tool counts as lost",
    ),
    key("tools.*.*.sql", Kind::Text, None, "the argument whose SQL decides whether a call reads or writes"),
    key(
        "tools.*.*.graphql",
        Kind::Text,
        None,
        "the argument whose GraphQL decides whether a call reads or writes",
    ),
    key(
        "tools.*.*.hosts",
        Kind::Hosts,
        None,
        "hosts that its URLs may lead to, so that a call reads: `docs.example.com`, `*.example.com`",
    ),
    key("tools.*.*.pin", Kind::Pin, None, "the definition that the operator saw; another one is not called"),
    key("systems.*.processes", Kind::Words, None, "the processes that this mapping is for; without it, all"),
    key(
        "systems.*.inputs",
        Kind::Names,
        None,
        "what ids look like here, by the inputs of process files: regular expressions",
    ),
    key("systems.*.records.*.tool", Kind::Text, None, "the read that stands for this record: `SERVER/TOOL`"),
    key(
        "systems.*.records.*.arguments",
        Kind::Names,
        None,
        "its parameters, by those of the process file: `{ invoice_id = \"bill_no\" }`",
    ),
    key("systems.*.records.*.constants", Kind::Names, None, "what it is given beside them"),
    key("systems.*.records.*.at", Kind::Text, None, "where in its answer the record or its rows are"),
    key(
        "systems.*.records.*.fields",
        Kind::Names,
        None,
        "where its answer holds the fields of the process file: `{ total = \"amounts.gross\" }`",
    ),
    key(
        "systems.*.records.*.values",
        Kind::Names,
        None,
        "words for those of the process file: `{ status = { received = \"OPEN\" } }`",
    ),
    key(
        "systems.*.records.*.currency",
        Kind::Names,
        None,
        "the currency of bare numbers: `{ total = \"EUR\" }`, or the field that holds it: `\"@currency\"`",
    ),
    key("systems.*.records.*.minor", Kind::Words, None, "fields that count cents"),
    key("systems.*.records.*.pin", Kind::Pin, None, "the definition that was confirmed for this"),
    key("systems.*.actions.*.tool", Kind::Text, None, "the tool that stands for this call: `SERVER/TOOL`"),
    key("systems.*.actions.*.arguments", Kind::Names, None, "its parameters, by those of the process file"),
    key("systems.*.actions.*.constants", Kind::Names, None, "what it is given beside them"),
    key("systems.*.actions.*.at", Kind::Text, None, "where in its answer the result is"),
    key(
        "systems.*.actions.*.fields",
        Kind::Names,
        None,
        "where its answer holds what later steps of the process file use",
    ),
    key("systems.*.actions.*.values", Kind::Names, None, "words for those of the process file"),
    key("systems.*.actions.*.currency", Kind::Names, None, "the currency of bare numbers"),
    key("systems.*.actions.*.minor", Kind::Words, None, "arguments that count cents"),
    key("systems.*.actions.*.pin", Kind::Pin, None, "the definition that was confirmed for this"),
    key("servers.*.command", Kind::Text, None, "the program of a tool server that speaks MCP over stdio"),
    key("servers.*.args", Kind::Words, None, "its arguments"),
    key("servers.*.env", Kind::Variables, None, "its environment"),
    key("servers.*.url", Kind::Url, None, "the address of a tool server that speaks HTTP"),
    key("servers.*.trusted", Kind::Flag, None, "its hints may make an effect milder"),
    key(
        "servers.*.manifest",
        Kind::Manifest,
        None,
        "the shipped manifest with the reviewed effects of its tools",
    ),
    key("servers.*.era", ERAS, None, "the protocol that it speaks"),
    key(
        "servers.*.client_id",
        Kind::Text,
        None,
        "who we are at its authorization server, if we are known there",
    ),
    key("servers.*.client_secret", Kind::Secret, None, "the secret of that client"),
    key("servers.*.issuer", Kind::Url, None, "the authorization server that the secret is for"),
    key(
        "servers.*.client_document",
        Kind::Url,
        None,
        "an https address that says who we are, in place of an id",
    ),
    key(
        "servers.*.scopes",
        Kind::Words,
        None,
        "what a login asks for, and nothing beyond; else what the server wants",
    ),
    key(
        "servers.*.grant",
        GRANTS,
        None,
        "who agrees to a login: a person in a browser, or the client by itself",
    ),
    key(
        "servers.*.redirect_port",
        Kind::Count { min: 0, max: 65_535 },
        None,
        "the port on this machine to which the browser is sent back after a login; 0 is any that is free",
    ),
    key("tools_endpoints.allow", Kind::Origins, None, "origins that a request may name as its tools"),
    key(
        "tools_endpoints.private",
        Kind::Words,
        None,
        "names of hosts that may lead into a private network when a request gives them",
    ),
    key("tools_endpoints.manifest", Kind::Manifest, None, "the shipped manifest of the default tools"),
    known(
        "tools_endpoints.default",
        Kind::Url,
        None,
        &["GREEN_AGENT_MCP_URL"],
        "the tools of requests that name none; its origin is allowed",
    ),
    known(
        "limits.tool_timeout_s",
        Kind::Count { min: 1, max: 3600 },
        Some("10"),
        &["TOOL_TIMEOUT"],
        "seconds after which the answer of a tool counts as lost",
    ),
    key(
        "limits.tools_fresh_s",
        Kind::Count { min: 0, max: 3600 },
        Some("5"),
        "seconds for which a list of tools stands when a tool is compared with what was first seen",
    ),
    known(
        "limits.task_timeout_s",
        Kind::Count { min: 1, max: DAY_S },
        Some("120"),
        &["TASK_TIMEOUT"],
        "seconds of work on one task, waiting for people aside",
    ),
    key("limits.tokens", Kind::Count { min: 0, max: 10_000_000 }, Some("10000"), "model tokens for one task"),
    key("limits.model_calls", Kind::Count { min: 0, max: 1000 }, Some("20"), "model calls for one task"),
    key(
        "limits.parallel_runs",
        Kind::Count { min: 1, max: 1024 },
        Some("8"),
        "runs that are worked on at once",
    ),
    key("data.dir", Kind::Path, None, "where runs and their journals are kept"),
    key(
        "learn.enabled",
        Kind::Flag,
        Some("true"),
        "outcomes are remembered, and tasks are told of earlier ones",
    ),
    key(
        "learn.sharing",
        SHARING,
        Some("structure"),
        "what a task is told of the cases of other requesters; their words by `group` and `all` only",
    ),
    key("learn.cases_max", Kind::Count { min: 1, max: 10_000 }, Some("200"), "cases that the log keeps"),
    known(
        "learn.bucket",
        Kind::Text,
        None,
        &["S3_TRAINING_BUCKET"],
        "an S3 bucket, or `bucket/prefix`, whose seed `serve` takes up when it starts",
    ),
    known(
        "learn.dir",
        Kind::Path,
        None,
        &["RL_CACHE_DIR"],
        "where learning is imported from and exported to",
    ),
    key(
        "synthesis.enabled",
        Kind::Flag,
        Some("true"),
        "missing processes and functions are made, and runs can be drafted from; what is signed counts either way",
    ),
    key("policy.file", Kind::Path, None, "the operator's policy document"),
    key(
        "processes.dirs",
        Kind::Paths,
        None,
        "folders with process files beside the built-in ones, or in their place",
    ),
    key("model.provider", PROVIDERS, Some("auto"), "which provider of language models is used"),
    key("model.fast", Kind::Text, None, "the model of the fast tier"),
    known("model.strong", Kind::Text, None, &["FALLBACK_MODEL"], "the model of the strong tier"),
    known("model.anthropic_key", Kind::Secret, None, &["ANTHROPIC_API_KEY"], "the key for Anthropic"),
    known("model.anthropic_url", Kind::Url, None, &["ANTHROPIC_BASE_URL"], "where Anthropic is"),
    known(
        "model.openai_key",
        Kind::Secret,
        None,
        &["OPENAI_API_KEY"],
        "the key for an OpenAI-compatible server",
    ),
    known("model.openai_url", Kind::Url, None, &["OPENAI_BASE_URL"], "where that server is"),
    known(
        "model.ollama_url",
        Kind::Text,
        None,
        &["OLLAMA_HOST"],
        "where Ollama is: a host, a host with its port, or an address",
    ),
    known(
        "model.brainos_url",
        Kind::Url,
        None,
        &["BRAINOS_API_URL"],
        "a BrainOS platform that is asked first; where it gives no answer, the provider is",
    ),
    known("model.brainos_key", Kind::Secret, None, &["BRAINOS_API_KEY"], "the key for that platform"),
    key(
        "model.brainos_timeout_s",
        Kind::Count { min: 1, max: 3600 },
        Some("30"),
        "seconds after which that platform counts as not answering",
    ),
    key(
        "model.streamed",
        Kind::Flag,
        Some("true"),
        "answers come word by word, so that a silent provider is noticed",
    ),
    key(
        "model.timeout_s",
        Kind::Count { min: 1, max: 3600 },
        Some("120"),
        "seconds after which one answer of a model counts as not given, tries and waits included",
    ),
    key("serve.host", Kind::Text, Some("127.0.0.1"), "the address that `serve` listens on"),
    key("serve.port", Kind::Count { min: 0, max: 65_535 }, Some("9010"), "the port that `serve` listens on"),
    key(
        "serve.auth",
        AUTHS,
        Some("auto"),
        "how callers say who they are; `auto` is by tokens once there are any",
    ),
    key(
        "serve.tls_certificate",
        Kind::Path,
        None,
        "the certificate of `serve`, in PEM; with it `serve` speaks TLS",
    ),
    key("serve.tls_key", Kind::Path, None, "the private key of that certificate, in PEM"),
    key(
        "serve.requests_per_minute",
        Kind::Count { min: 0, max: 10_000_000 },
        Some("6000"),
        "requests that one caller may make in a minute; 0 is no bound",
    ),
    key(
        "serve.answer_within_s",
        Kind::Count { min: 1, max: 3600 },
        Some("80"),
        "seconds that a request which waits for its answer is held",
    ),
    key(
        "serve.card_profile",
        PROFILES,
        Some("hybrid"),
        "the fields of the agent card: of 0.3 and 1.0, or of 1.0 only",
    ),
    key(
        "a2a.pause_as",
        PAUSES,
        Some("input-required"),
        "how a task that waits for a person looks to its caller",
    ),
    known(
        "telemetry.otlp_endpoint",
        Kind::Url,
        None,
        &["OTEL_EXPORTER_OTLP_ENDPOINT"],
        "the collector that `serve` sends traces to, by OTLP over HTTP",
    ),
    key("push.allow", Kind::Origins, None, "origins that may be notified although they are not public"),
    known(
        "serve.card_url",
        Kind::Url,
        None,
        &["PURPLE_AGENT_CARD_URL"],
        "the public address in the agent card",
    ),
];

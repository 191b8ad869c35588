//! From checked values to the structs of the configuration.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::time::Duration;

use purple_finance::Calendar;
use purple_policy::{Currency, Level, Money};
use purple_process::file::{Span, TimeUnit};
use purple_process::{
    Attendance, Digest, Effect, HostPattern, Mode, OwnRequests, PersonId, Role, ToolName, Trust,
};
use purple_server::{CardProfile, PauseAs};
use purple_worker::learn::{Learning, Sharing, Switch};
use purple_worker::port::KeyPlace;
use purple_worker::{Shipped, ToolId};

use crate::config::layer::{Layer, Set};
use crate::config::oauth;
use crate::config::origin::Origin;
use crate::config::people::{Entry, People};
use crate::config::problem::{Problem, ProblemCode, nearest};
use crate::config::secret::SecretRef;
use crate::config::settings::{
    Auth, BrainOs, Era, Model, Provider, Serve, Server, ServerAt, Settings, ToolSetting,
};
use crate::config::systems;
use crate::config::value::{Value, key_place, origin_of, span_of};

/// How long a plan waits where nobody says.
const WITHIN: Span = Span::of(2, TimeUnit::Days);

/// Makes settings of values that were checked one by one; what does not go together becomes a problem.
pub(crate) fn of(values: &Layer, problems: &mut Vec<Problem>) -> Settings {
    let it = Values(values);
    let default_endpoint = it.text("tools_endpoints.default");
    let mut allowed_origins: Vec<String> =
        it.list("tools_endpoints.allow").iter().filter_map(|url| origin_of(url)).collect();
    allowed_origins.extend(default_endpoint.as_deref().and_then(origin_of));
    allowed_origins.sort();
    allowed_origins.dedup();
    Settings {
        currency: it.text("currency").and_then(|code| Currency::parse(&code).ok()).unwrap_or(Currency::USD),
        timezone: it.text("timezone").unwrap_or_else(|| "UTC".to_owned()),
        clock_start: it.text("clock.start").and_then(|text| text.parse().ok()),
        mode: mode(it.text("approvals.mode").as_deref()),
        attendance: if it.flag("approvals.unattended") {
            Attendance::Unattended
        } else {
            Attendance::Attended
        },
        own_requests: if it.flag("approvals.own_requests") {
            OwnRequests::Allowed
        } else {
            OwnRequests::Never
        },
        // Both values were checked.
        within: it.text("approvals.within").and_then(|text| span_of(&text)).unwrap_or(WITHIN),
        calendar: it
            .text("calendar")
            .and_then(|name| Calendar::named(&name).ok())
            .unwrap_or_else(Calendar::weekends),
        channel_tools: it
            .list("approvals.channel_tools")
            .iter()
            .filter_map(|n| ToolName::parse(n).ok())
            .collect(),
        notify_url: it.text("approvals.notify_url"),
        tool_defaults: it.flag("approvals.tool_defaults"),
        levels: levels(&it),
        people: people(&it, problems),
        tools: tools(&it, problems),
        servers: servers(&it, problems),
        systems: systems::of(values, problems),
        allowed_origins,
        default_endpoint,
        default_shipped: it.text("tools_endpoints.manifest").and_then(|name| Shipped::find(&name)),
        private_hosts: it.list("tools_endpoints.private"),
        tools_fresh: Duration::from_secs(it.count("limits.tools_fresh_s")),
        tool_timeout: Duration::from_secs(it.count("limits.tool_timeout_s")),
        task_timeout: Duration::from_secs(it.count("limits.task_timeout_s")),
        tokens: it.count("limits.tokens"),
        model_calls: it.count("limits.model_calls"),
        model_calls_by: match it.origin("limits.model_calls") {
            Origin::BuiltIn => purple_worker::LimitBy::Default,
            Origin::File { .. } | Origin::Variable(_) | Origin::Flag(_) => purple_worker::LimitBy::Operator,
        },
        parallel_runs: usize::try_from(it.count("limits.parallel_runs")).unwrap_or(usize::MAX),
        data_dir: it.text("data.dir").map(PathBuf::from).unwrap_or_default(),
        learning: Learning {
            switch: if it.flag("learn.enabled") { Switch::On } else { Switch::Off },
            cases_max: u32::try_from(it.count("learn.cases_max")).unwrap_or(u32::MAX),
            sharing: match it.text("learn.sharing").as_deref() {
                Some("requester") => Sharing::Requester,
                Some("group") => Sharing::Group,
                Some("all") => Sharing::All,
                _ => Sharing::Structure,
            },
        },
        synthesis: if it.flag("synthesis.enabled") { Switch::On } else { Switch::Off },
        learning_bucket: it.text("learn.bucket"),
        learning_dir: it.text("learn.dir").map(PathBuf::from),
        policy_file: it.text("policy.file").map(PathBuf::from),
        process_dirs: it.list("processes.dirs").into_iter().map(PathBuf::from).collect(),
        model: model(&it),
        serve: serve(&it, problems),
    }
}

struct Values<'a>(&'a Layer);

impl<'a> Values<'a> {
    fn get(&self, path: &str) -> Option<&'a Value> {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        self.0.get(&path).map(|set| &set.value)
    }

    fn text(&self, path: &str) -> Option<String> {
        text(self.get(path))
    }

    fn origin(&self, path: &str) -> Origin {
        let path: Vec<String> = path.split('.').map(str::to_owned).collect();
        self.0.get(&path).map_or(Origin::BuiltIn, |set| set.origin.clone())
    }

    fn secret(&self, path: &str) -> Option<SecretRef> {
        secret(self.get(path))
    }

    fn list(&self, path: &str) -> Vec<String> {
        list(self.get(path))
    }

    fn flag(&self, path: &str) -> bool {
        matches!(self.get(path), Some(Value::Flag(true)))
    }

    fn count(&self, path: &str) -> u64 {
        match self.get(path) {
            Some(Value::Count(number)) => *number,
            _ => 0,
        }
    }

    /// The values of a section with names, by name: `people`, `servers`.
    fn named(&self, section: &str) -> BTreeMap<&'a str, Named<'a>> {
        let mut all: BTreeMap<&str, Named<'_>> = BTreeMap::new();
        for (path, set) in self.0 {
            if let [first, name, key] = path.as_slice()
                && first == section
            {
                all.entry(name)
                    .or_insert_with(|| Named { first: set, keys: BTreeMap::new() })
                    .keys
                    .insert(key, set);
            }
        }
        all
    }
}

impl<'a> Values<'a> {
    /// The values of a section with the names of a server and of something of it: `tools`.
    fn of_servers(&self, section: &str) -> BTreeMap<(&'a str, &'a str), Named<'a>> {
        let mut all: BTreeMap<(&str, &str), Named<'_>> = BTreeMap::new();
        for (path, set) in self.0 {
            if let [first, server, name, key] = path.as_slice()
                && first == section
            {
                all.entry((server, name))
                    .or_insert_with(|| Named { first: set, keys: BTreeMap::new() })
                    .keys
                    .insert(key, set);
            }
        }
        all
    }
}

pub(super) struct Named<'a> {
    first: &'a Set,
    keys: BTreeMap<&'a str, &'a Set>,
}

impl<'a> Named<'a> {
    pub(super) fn get(&self, key: &str) -> Option<&'a Value> {
        self.keys.get(key).map(|set| &set.value)
    }

    pub(super) fn at(&self) -> Origin {
        self.first.origin.clone()
    }
}

pub(super) fn text(value: Option<&Value>) -> Option<String> {
    match value {
        Some(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

pub(super) fn secret(value: Option<&Value>) -> Option<SecretRef> {
    match value {
        Some(Value::Secret(reference)) => Some(reference.clone()),
        _ => None,
    }
}

pub(super) fn list(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::List(items)) => items.clone(),
        _ => Vec::new(),
    }
}

fn mode(word: Option<&str>) -> Mode {
    let found = Mode::ALL.into_iter().find(|mode| Some(mode.name()) == word);
    // The value was checked; doubt is strict.
    found.unwrap_or(Mode::Always)
}

fn levels(it: &Values<'_>) -> BTreeMap<Level, Role> {
    let role = |level: &Level| Role::parse(&it.text(&format!("levels.{level}"))?).ok();
    Level::ALL.into_iter().filter_map(|level| Some((level, role(&level)?))).collect()
}

fn people(it: &Values<'_>, problems: &mut Vec<Problem>) -> People {
    let named = it.named("people");
    let known: BTreeSet<PersonId> = named.keys().filter_map(|name| PersonId::parse(name).ok()).collect();
    let mut people = People::default();
    for (name, set) in &named {
        let Ok(id) = PersonId::parse(name) else {
            let help = "a person's name is ASCII and has no spaces: `kim` or `kim@example.com`";
            problems.push(bad_name(set.at(), name, help));
            continue;
        };
        if let Some(other) = people.like(&id) {
            problems.push(like_another(set.at(), name, other));
        }
        let substitutes = match set.get("substitutes") {
            Some(Value::Substitutes(all)) => all.clone(),
            _ => Vec::new(),
        };
        for one in substitutes.iter().filter(|one| !known.contains(&one.person)) {
            let near = nearest(one.person.as_str(), named.keys().copied());
            let declare = format!("declare them: `[people.{}]`", one.person);
            let help = near.map_or(declare, |near| format!("did you mean `{near}`?"));
            let message = format!("`{}` stands in for `{name}` and is nobody here", one.person);
            problems.push(Problem { at: set.at(), code: ProblemCode::UnknownPerson, message, help });
        }
        let account = text(set.get("account"));
        if let Some((other, _)) = account.as_deref().and_then(|account| people.of_account(account)) {
            let message = format!("`{name}` and `{other}` have the same account");
            let help =
                "give each person an account of the operating system of their own, or tokens".to_owned();
            problems.push(Problem { at: set.at(), code: ProblemCode::BadValue, message, help });
        }
        let roles = list(set.get("roles")).iter().filter_map(|role| Role::parse(role).ok()).collect();
        let limit = text(set.get("limit")).and_then(|amount| Money::parse(&amount).ok());
        people.entries.insert(id, Entry { roles, limit, substitutes, account });
    }
    people
}

fn like_another(at: Origin, name: &str, other: &PersonId) -> Problem {
    let message = format!("`{name}` cannot be told apart from `{other}`");
    let help = "names of people differ in more than case and letters that look alike".to_owned();
    Problem { at, code: ProblemCode::BadValue, message, help }
}

fn tools(it: &Values<'_>, problems: &mut Vec<Problem>) -> BTreeMap<ToolId, ToolSetting> {
    let mut tools = BTreeMap::new();
    for ((server, name), set) in it.of_servers("tools") {
        let Ok(tool) = ToolName::parse(name) else {
            problems.push(bad_name(set.at(), name, "write the name as the tool server gives it"));
            continue;
        };
        let id = ToolId { server: server.to_owned(), tool };
        let effect = text(set.get("effect"));
        let effect = Effect::ALL.into_iter().find(|known| Some(known.name()) == effect.as_deref());
        let key = text(set.get("key"));
        let key = key.as_deref().and_then(key_place).map(|(place, name)| match place {
            "meta" => KeyPlace::Meta(name.to_owned()),
            _ => KeyPlace::Argument(name.to_owned()),
        });
        let timeout = match set.get("timeout_s") {
            Some(Value::Count(seconds)) => Some(Duration::from_secs(*seconds)),
            _ => None,
        };
        let pin = text(set.get("pin")).and_then(|pin| Digest::parse(&pin).ok());
        let hosts = list(set.get("hosts")).iter().filter_map(|host| HostPattern::parse(host).ok()).collect();
        let (sql, graphql) = (text(set.get("sql")), text(set.get("graphql")));
        tools.insert(id, ToolSetting { effect, key, timeout, sql, graphql, hosts, pin });
    }
    tools
}

fn servers(it: &Values<'_>, problems: &mut Vec<Problem>) -> BTreeMap<String, Server> {
    let mut servers = BTreeMap::new();
    for (name, set) in it.named("servers") {
        let incomplete = |message: String, help: &str| Problem {
            at: set.at(),
            code: ProblemCode::Incomplete,
            message,
            help: help.to_owned(),
        };
        let at = match (text(set.get("command")), text(set.get("url"))) {
            (Some(program), None) => {
                let environment = match set.get("env") {
                    Some(Value::Variables(all)) => all.clone(),
                    _ => BTreeMap::new(),
                };
                ServerAt::Command { program, arguments: list(set.get("args")), environment }
            }
            (None, Some(url)) => ServerAt::Url(url),
            (Some(_), Some(_)) => {
                let message = format!("server `{name}` has both `command` and `url`");
                problems.push(incomplete(message, "keep the one by which it is reached"));
                continue;
            }
            (None, None) => {
                let message = format!("server `{name}` has neither `command` nor `url`");
                problems.push(incomplete(message, "write `command = \"program\"` or `url = \"https://…\"`"));
                continue;
            }
        };
        let trusted = matches!(set.get("trusted"), Some(Value::Flag(true)));
        let trust = if trusted { Trust::Trusted } else { Trust::Untrusted };
        let era = match text(set.get("era")).as_deref() {
            Some("2025") => Era::Sessions,
            Some("2026") => Era::Stateless,
            Some("bridge") => Era::Bridge,
            _ => Era::Auto,
        };
        let oauth = oauth::of(name, &set, problems);
        let shipped = text(set.get("manifest")).and_then(|name| Shipped::find(&name));
        servers.insert(name.to_owned(), Server { at, trust, shipped, era, oauth });
    }
    servers
}

fn serve(it: &Values<'_>, problems: &mut Vec<Problem>) -> Serve {
    let path = |key: &str| it.text(key).map(PathBuf::from);
    let tls = match (path("serve.tls_certificate"), path("serve.tls_key")) {
        (Some(certificate), Some(key)) => Some((certificate, key)),
        (None, None) => None,
        (given, _) => {
            let (there, missing) = match given {
                Some(_) => ("serve.tls_certificate", "serve.tls_key"),
                None => ("serve.tls_key", "serve.tls_certificate"),
            };
            let message = format!("`{there}` is of no use without `{missing}`");
            let help = format!("give `{missing}` as well");
            problems.push(Problem { at: it.origin(there), code: ProblemCode::Incomplete, message, help });
            None
        }
    };
    Serve {
        host: it.text("serve.host").unwrap_or_default(),
        port: u16::try_from(it.count("serve.port")).unwrap_or_default(),
        card_url: it.text("serve.card_url"),
        auth: match it.text("serve.auth").as_deref() {
            Some("tokens") => Auth::Tokens,
            Some("open") => Auth::Open,
            _ => Auth::Auto,
        },
        tls,
        requests_per_minute: u32::try_from(it.count("serve.requests_per_minute")).unwrap_or(u32::MAX),
        answer_within: Duration::from_secs(it.count("serve.answer_within_s")),
        card_profile: match it.text("serve.card_profile").as_deref() {
            Some("v1") => CardProfile::PureV1,
            _ => CardProfile::Hybrid,
        },
        pause_as: match it.text("a2a.pause_as").as_deref() {
            Some("completed") => PauseAs::Completed,
            _ => PauseAs::InputRequired,
        },
        push_allowed: it.list("push.allow").iter().filter_map(|url| origin_of(url)).collect(),
        otlp_endpoint: it.text("telemetry.otlp_endpoint"),
    }
}

fn model(it: &Values<'_>) -> Model {
    let provider = match it.text("model.provider").as_deref() {
        Some("anthropic") => Provider::Anthropic,
        Some("openai") => Provider::OpenAi,
        Some("ollama") => Provider::Ollama,
        Some("offline") => Provider::Offline,
        _ => Provider::Auto,
    };
    Model {
        provider,
        fast: it.text("model.fast"),
        strong: it.text("model.strong"),
        anthropic_key: it.secret("model.anthropic_key"),
        anthropic_url: it.text("model.anthropic_url"),
        openai_key: it.secret("model.openai_key"),
        openai_url: it.text("model.openai_url"),
        ollama_url: it.text("model.ollama_url"),
        // Who says `offline` wants nobody to be asked.
        brainos: it.text("model.brainos_url").filter(|_| provider != Provider::Offline).map(|url| BrainOs {
            url,
            key: it.secret("model.brainos_key"),
            timeout: Duration::from_secs(it.count("model.brainos_timeout_s")),
        }),
        streamed: it.flag("model.streamed"),
        timeout: Duration::from_secs(it.count("model.timeout_s")),
    }
}

fn bad_name(at: Origin, name: &str, help: &str) -> Problem {
    let message = format!("`{name}` cannot be a name here");
    Problem { at, code: ProblemCode::BadValue, message, help: help.to_owned() }
}

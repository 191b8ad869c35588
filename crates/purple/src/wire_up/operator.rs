//! What the operator set, in the words of the worker and of the tool client.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use jiff::tz::TimeZone;
use purple_policy::{Authority, Kind, PolicyDocument};
use purple_process::Levels;
use purple_tools::{Program, ServerConfig, ServerKind, ToolServers};
use purple_worker::{Manifest, Notices, Policy, Process, ServerStated, Stated};

use crate::config::{Config, Environment, Era, Server, ServerAt, ToolSetting};
use crate::failure::Failure;
use crate::shelf::Shelf;

/// The name of the server behind `tools_endpoints.default`.
const DEFAULT_SERVER: &str = "default";
/// What a tool server sees of our own environment; the rest is the operator's to give.
const PASSED_ON: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "TMPDIR", "SystemRoot", "USERPROFILE"];

/// The settings of the worker. One file that is refused, and nothing runs.
pub(crate) fn settings(config: &Config) -> Result<purple_worker::Settings, Failure> {
    let set = &config.settings;
    let zone = match set.timezone.as_str() {
        "UTC" => TimeZone::UTC,
        name => TimeZone::get(name).map_err(|_| Failure::NoZone { zone: name.to_owned() })?,
    };
    let processes = processes(config)?;
    Ok(purple_worker::Settings {
        mode: set.mode,
        attendance: set.attendance,
        own_requests: set.own_requests,
        levels: Levels::new(set.levels.clone()),
        approval_within: set.within,
        notices: if set.notify_url.is_some() { Notices::Approvers } else { Notices::None },
        calendar: set.calendar.clone(),
        channels: set.channel_tools.clone(),
        policy: set.policy_file.as_deref().map(|file| policy(file, &processes)).transpose()?,
        manifest: Arc::new(manifest(config)),
        dollar: set.currency,
        zone,
        tool_timeout: set.tool_timeout,
        task_timeout: set.task_timeout,
        model_limits: super::models::limits(set),
        learning: set.learning,
        synthesis: set.synthesis,
        ..purple_worker::Settings::careful(processes)
    })
}

/// What the operator says about tools and their servers.
pub(crate) fn manifest(config: &Config) -> Manifest {
    let tools = config.settings.tools.iter();
    let stated = tools.map(|(name, tool)| {
        let ToolSetting { effect, key, timeout, sql, graphql, hosts, pin } = tool.clone();
        (name.clone(), Stated { effect, key, deadline: timeout, sql, graphql, hosts, pin })
    });
    let servers =
        config.settings.servers.iter().map(|(name, server)| {
            (name.clone(), ServerStated { trust: server.trust, shipped: server.shipped })
        });
    let systems = config.settings.systems.clone();
    let manifest =
        Manifest { tools: stated.collect(), servers: servers.collect(), systems, ..Manifest::default() };
    match config.settings.default_shipped {
        Some(shipped) => manifest.with_shipped(DEFAULT_SERVER, shipped),
        None => manifest,
    }
}

/// The tool servers, their secrets fetched.
pub(crate) fn tool_servers(config: &Config, environment: &Environment) -> Result<ToolServers, Failure> {
    let servers = each_server(config, environment).into_iter().map(|(_, server)| server);
    let servers = ToolServers::new(servers.collect::<Result<_, _>>()?)?
        .with_private_hosts(&config.settings.private_hosts)?
        .with_logins(&super::logins(config, environment)?)
        .with_fresh_lists(config.settings.tools_fresh);
    Ok(if config.settings.tool_defaults { servers.with_default_answers() } else { servers })
}

/// Every tool server by its name, or why it cannot be reached.
pub(crate) fn each_server(
    config: &Config,
    environment: &Environment,
) -> Vec<(String, Result<ServerConfig, Failure>)> {
    let named = config.settings.servers.iter().map(|(name, server)| {
        let found = kind(server, environment);
        let found = found.map(|kind| ServerConfig { name: name.clone(), kind, era: era(server.era) });
        (name.clone(), found)
    });
    let default = config.settings.default_endpoint.iter().map(|url| {
        let (name, kind) = (DEFAULT_SERVER.to_owned(), ServerKind::Url(url.clone()));
        (name.clone(), Ok(ServerConfig { name, kind, era: purple_tools::Era::Auto }))
    });
    named.chain(default).collect()
}

fn kind(server: &Server, environment: &Environment) -> Result<ServerKind, Failure> {
    Ok(match (&server.at, server.era) {
        (ServerAt::Url(url), Era::Bridge) => ServerKind::Bridge(url.clone()),
        (ServerAt::Url(url), Era::Auto | Era::Sessions | Era::Stateless) => ServerKind::Url(url.clone()),
        (ServerAt::Command { program, arguments, environment: given }, _) => {
            let passed = PASSED_ON
                .iter()
                .filter_map(|name| Some(((*name).to_owned(), environment.get(name)?.to_owned())));
            let mut env: BTreeMap<String, String> = passed.collect();
            for (name, value) in given {
                let value = match value {
                    Ok(text) => text.clone(),
                    Err(reference) => reference.resolve(environment)?.expose().to_owned(),
                };
                env.insert(name.clone(), value);
            }
            let found = environment.program(program).map(|file| file.display().to_string());
            let command = found.unwrap_or_else(|| program.clone());
            ServerKind::Stdio(Program { command, args: arguments.clone(), env, cwd: None })
        }
    })
}

fn era(era: Era) -> purple_tools::Era {
    match era {
        Era::Auto | Era::Bridge => purple_tools::Era::Auto,
        Era::Sessions => purple_tools::Era::Legacy,
        Era::Stateless => purple_tools::Era::Modern,
    }
}

/// Names that a process file declares as money and that a rule compares with a number without a currency: such a rule
/// can never be evaluated.
pub(crate) fn bare_amounts(document: &PolicyDocument, processes: &[Process]) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in document.compared().iter().filter(|(_, value)| value.kind() == Kind::Number) {
        let declares = |process: &&Process| {
            let mut fields = process.file.tasks().iter().flat_map(|task| task.records());
            fields.any(|field| field.path() == *name && field.kind() == Kind::Money)
        };
        if let Some(process) = processes.iter().find(declares) {
            found.push(format!(
                "`{name}` is money in `{}` and is compared with {value}, which has no currency: write `{value} USD`",
                process.file.name()
            ));
        }
    }
    found
}

fn policy(file: &Path, processes: &[Process]) -> Result<Arc<Policy>, Failure> {
    let unread = |cause| Failure::Read { file: file.to_owned(), cause };
    let text = std::fs::read_to_string(file).map_err(unread)?;
    let document = PolicyDocument::parse(&text, Authority::Operator)
        .ok()
        .filter(|document| bare_amounts(document, processes).is_empty())
        .ok_or_else(|| Failure::RefusedFiles { files: vec![file.to_owned()], checked: 1 })?;
    let name =
        file.file_stem().map_or_else(|| "policy".to_owned(), |name| name.to_string_lossy().into_owned());
    Ok(Arc::new(Policy { name, document, text }))
}

/// A process that reads ids as the operator's systems write them.
fn with_id_forms(process: Process, config: &Config) -> Result<Process, Failure> {
    let mut forms: BTreeMap<String, String> = BTreeMap::new();
    let systems = config.settings.systems.iter().filter(|system| system.is_for(process.file.name()));
    for (input, form) in systems.flat_map(|system| &system.inputs) {
        let known = forms.entry(input.clone()).or_default();
        *known = if known.is_empty() { form.clone() } else { format!("(?:{known})|(?:{form})") };
    }
    if forms.is_empty() {
        return Ok(process);
    }
    let file = process.file.with_id_forms(&forms).map_err(|why| Failure::BadIdForm { why })?;
    Ok(Process { file: Arc::new(file), ..process })
}

/// The processes, those that ship included.
pub(crate) fn processes(config: &Config) -> Result<Vec<Process>, Failure> {
    let shelf = Shelf::fill(&config.settings);
    if let Some((file, cause)) = shelf.unreadable.into_iter().next() {
        return Err(Failure::Read { file, cause });
    }
    if !shelf.refused.is_empty() {
        let checked = shelf.processes.len() + shelf.refused.len();
        let files = shelf.refused.into_iter().map(|(file, _)| file).collect();
        return Err(Failure::RefusedFiles { files, checked });
    }
    shelf.processes.iter().map(|one| with_id_forms(one.to_process(), config)).collect()
}

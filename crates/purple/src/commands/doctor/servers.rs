//! Asks every configured tool server what it offers.

use std::collections::BTreeMap;
use std::time::Duration;

use purple_process::DecidedBy;
use purple_tools::{Dialect, Logins, ServerConfig, ToolServers};
use purple_worker::ToolRow;
use purple_worker::port::{Tools as _, ToolsAt};
use serde_json::json;
use tokio::task::JoinSet;

use super::{Check, Checks, Health, secret};
use crate::commands::tools::{Accepted, id, rows};
use crate::commands::{Scene, runtime};
use crate::config::{Config, Server, ServerAt, nearest};
use crate::failure::Failure;
use crate::wire_up::{each_server, logins};

/// How long a server has to say what it offers.
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

/// What one server said.
struct Said {
    listing: purple_worker::port::Listing,
    dialect: Option<Dialect>,
}

/// Why one said nothing.
enum Mute {
    /// It wants a login.
    NoLogin,
    Down(String),
}

/// Asks them all at once, and tells of each.
pub(super) fn ask(scene: &Scene<'_>, config: &Config, checks: &mut Checks) -> Result<(), Failure> {
    let settings = &config.settings;
    if settings.servers.is_empty() && settings.default_endpoint.is_none() {
        let fix = "add `[servers.NAME]` to purple.toml, or try `purple demo`, which brings its own";
        checks.warn("tools", "no tool server is configured", fix);
        return Ok(());
    }
    for reference in settings.servers.values().flat_map(secrets_of) {
        secret(scene, "tools", reference, checks);
    }
    // A secret that is missing was told above; without it the server is asked all the same.
    let logins = logins(config, scene.environment).ok();
    let runtime = runtime()?;
    scene.screen.redraw("asking the tool servers …");
    let mut answers = runtime.block_on(async {
        let mut asked = JoinSet::new();
        for (name, server) in each_server(config, scene.environment) {
            let logins = logins.clone();
            asked.spawn(async move {
                let said = match server {
                    Ok(server) => listed(server, logins.as_ref()).await,
                    Err(failure) => Err(Mute::Down(failure.to_string())),
                };
                (name, said)
            });
        }
        asked.join_all().await
    });
    scene.screen.redraw("");
    runtime.shutdown_background();
    answers.sort_by(|(one, _), (other, _)| one.cmp(other));
    let mut offered = Vec::new();
    let mut all_answered = true;
    for (name, said) in answers {
        match said {
            Ok(said) => offered.extend(tell(&name, said, config, checks)),
            Err(Mute::NoLogin) => {
                all_answered = false;
                let data = Some(json!({"server": name, "wants_login": true}));
                let (found, fix) = (
                    format!("`{name}` is there and wants a login"),
                    Some(format!("purple tools login {name}")),
                );
                checks.0.push(Check { name: "tools", health: Health::Warning, found, fix, data });
            }
            Err(Mute::Down(why)) => {
                all_answered = false;
                let found = format!("`{name}` does not answer: {why}");
                let fix = mend(scene, &name, settings.servers.get(&name));
                let data = Some(json!({"server": name, "error": why}));
                checks.0.push(Check { name: "tools", health: Health::Bad, found, fix: Some(fix), data });
            }
        }
    }
    if all_answered {
        unknown_tools(config, &offered, checks);
    }
    Ok(())
}

async fn listed(server: ServerConfig, logins: Option<&Logins>) -> Result<Said, Mute> {
    let servers = ToolServers::new(vec![server]).map_err(|error| Mute::Down(error.to_string()))?;
    let servers = match logins {
        Some(logins) => servers.with_logins(logins),
        None => servers,
    };
    let listing = tokio::time::timeout(ANSWER_WITHIN, servers.list(&ToolsAt::Configured)).await;
    let late = |_| Mute::Down(format!("nothing came within {} s", ANSWER_WITHIN.as_secs()));
    let listing = listing.map_err(late)?.map_err(|down| {
        if servers.wanting_logins().is_empty() { Mute::Down(down.reason) } else { Mute::NoLogin }
    })?;
    let dialect = servers.dialects().await.into_iter().map(|(_, dialect)| dialect).next();
    Ok(Said { listing, dialect })
}

/// Tells what a server offers, and what about it needs a look.
fn tell(name: &str, said: Said, config: &Config, checks: &mut Checks) -> Vec<ToolRow> {
    let (rows, left_out) = rows(said.listing, config);
    let mut effects: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        *effects.entry(row.effect.name()).or_default() += 1;
    }
    let spoken = said.dialect.map_or("unknown", era);
    let by_effect: Vec<String> = effects.iter().map(|(effect, count)| format!("{count} {effect}")).collect();
    let guessed = rows.iter().filter(|row| row.decided_by == DecidedBy::Definition).count();
    let found = format!(
        "`{name}` speaks {spoken} and offers {} tools ({}); {guessed} effects come from definitions only",
        rows.len(),
        by_effect.join(", "),
    );
    let pinned = |accepted: Accepted| rows.iter().filter(move |row| Accepted::of(row, config) == accepted);
    let data = json!({
        "server": name, "era": spoken, "tools": effects, "effects_by_definition": guessed, "left_out": left_out,
        "pinned": pinned(Accepted::Same).count(), "changed": pinned(Accepted::Changed).count(),
    });
    checks.0.push(Check { name: "tools", health: Health::Well, found, fix: None, data: Some(data) });
    let changed: Vec<&str> = pinned(Accepted::Changed).map(|row| row.name.as_str()).collect();
    if !changed.is_empty() {
        let found = format!(
            "of `{name}`, these are not the tools that were pinned, and are not used: {}",
            changed.join(", ")
        );
        checks.bad("tools", found, "see what changed: purple tools pin; then accept it with `--write`");
    }
    for one in left_out {
        checks.warn("tools", format!("left out: {one}"), format!("mend the server `{name}`"));
    }
    rows
}

/// Tools that the configuration speaks of and nobody offers.
fn unknown_tools(config: &Config, offered: &[ToolRow], checks: &mut Checks) {
    let known = || offered.iter().map(|row| row.name.as_str());
    let settings = &config.settings;
    let stated = settings.tools.keys().filter(|stated| !offered.iter().any(|row| id(row) == **stated));
    let channels = settings.channel_tools.iter().filter(|name| !known().any(|tool| tool == name.as_str()));
    for name in stated.map(|stated| &stated.tool).chain(channels) {
        let fix = match nearest(name.as_str(), known()) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "`purple tools list` shows every tool; take the others out of purple.toml".to_owned(),
        };
        checks.warn("tools", format!("the configuration speaks of `{name}`, which no server offers"), fix);
    }
}

/// What to do about a server that does not answer.
fn mend(scene: &Scene<'_>, name: &str, server: Option<&Server>) -> String {
    match server.map(|server| &server.at) {
        Some(ServerAt::Command { program, .. }) if scene.environment.program(program).is_none() => {
            format!("there is no program `{program}`: install it, or mend `[servers.{name}] command`")
        }
        Some(ServerAt::Command { program, arguments, .. }) => {
            let line: Vec<&str> = std::iter::once(program).chain(arguments).map(String::as_str).collect();
            format!("start it by hand and see what it says: {}", line.join(" "))
        }
        Some(ServerAt::Url(url)) => {
            format!(
                "see that it runs and that {url} can be reached from here, or mend `[servers.{name}] url`"
            )
        }
        None => "see that it runs, or mend `[tools_endpoints] default` or GREEN_AGENT_MCP_URL".to_owned(),
    }
}

fn secrets_of(server: &Server) -> impl Iterator<Item = &crate::config::SecretRef> {
    let variables = match &server.at {
        ServerAt::Command { environment, .. } => Some(environment),
        ServerAt::Url(_) => None,
    };
    let client = server.oauth.client.as_ref().and_then(|client| client.secret.as_ref());
    let variables = variables.into_iter().flat_map(BTreeMap::values).filter_map(|value| value.as_ref().err());
    variables.chain(client.map(|(reference, _)| reference))
}

const fn era(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sessions => "MCP with sessions (2025)",
        Dialect::Stateless => "MCP without sessions (2026)",
        Dialect::Bridge => "the plain bridge",
    }
}

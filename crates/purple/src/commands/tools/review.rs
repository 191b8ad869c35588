//! Reviewing the tools of one server: what each does is proposed, and the operator accepts or changes it.

use std::collections::BTreeMap;

use purple_process::{Class, DecidedBy, Effect};
use purple_tools::LoginFailed;
use purple_worker::ToolRow;
use serde_json::{Value, json};

use super::pins::{self, Line};
use super::{Accepted, offered, tell_left_out};
use crate::commands::Scene;
use crate::config::{Config, nearest};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Table, Tone, one_line};

/// What was typed.
pub(super) struct Wanted<'a> {
    pub(super) server: &'a str,
    /// Accept what is proposed.
    pub(super) accept: bool,
    /// `TOOL=EFFECT` in place of what is proposed.
    pub(super) set: &'a [String],
}

/// `purple tools review SERVER`
pub(super) fn review(scene: &Scene<'_>, config: &Config, wanted: &Wanted<'_>) -> Result<Exit, Failure> {
    let (rows, left_out) = offered(scene, config)?;
    let rows: Vec<ToolRow> = rows.into_iter().filter(|row| row.server == wanted.server).collect();
    if rows.is_empty() && !config.settings.servers.contains_key(wanted.server) {
        return Err(Failure::Login(LoginFailed::NoServer { server: wanted.server.to_owned() }));
    }
    let changes = changes(&rows, wanted.set)?;
    let open: Vec<&ToolRow> =
        rows.iter().filter(|row| is_open(row, config) || changes.contains_key(row.tool.as_str())).collect();
    let proposed = |row: &ToolRow| changes.get(row.tool.as_str()).copied().unwrap_or(row.effect.effect());
    let lines = if wanted.accept {
        open.iter().map(|row| Line::of(row, Some(proposed(row)))).collect()
    } else if scene.screen.may_ask() && !scene.screen.is_json() {
        ask(scene, config, &open, proposed)?
    } else {
        return show(scene, config, &rows, &left_out);
    };
    let file = pins::write(scene, config, &lines)?;
    let reviewed: Vec<Value> = lines
        .iter()
        .map(|line| json!({"tool": line.id.tool, "effect": line.effect, "pin": line.pin}))
        .collect();
    if scene.screen.is_json() {
        scene.screen.document(&json!({"server": wanted.server, "file": file, "reviewed": reviewed}))?;
    } else {
        scene.screen.line(&format!(
            "reviewed {} tools of `{}` in {}",
            lines.len(),
            wanted.server,
            file.display()
        ))?;
    }
    Ok(tell_left_out(scene, &left_out))
}

/// Whether a tool waits for a review: nobody stated its effect, or it is not what was reviewed.
fn is_open(row: &ToolRow, config: &Config) -> bool {
    row.decided_by != DecidedBy::Review || Accepted::of(row, config) != Accepted::Same
}

/// The effects that were typed, by tool.
fn changes(rows: &[ToolRow], set: &[String]) -> Result<BTreeMap<String, Effect>, Failure> {
    let mut changes = BTreeMap::new();
    for given in set {
        let bad = || Failure::BadEffect { given: given.clone() };
        let (tool, effect) = given.split_once('=').ok_or_else(bad)?;
        let effect = Effect::ALL.into_iter().find(|known| known.name() == effect).ok_or_else(bad)?;
        if !rows.iter().any(|row| row.tool.as_str() == tool) {
            let near = nearest(tool, rows.iter().map(|row| row.tool.as_str())).map(str::to_owned);
            return Err(Failure::NoSuchTool { tool: tool.to_owned(), near });
        }
        changes.insert(tool.to_owned(), effect);
    }
    Ok(changes)
}

/// Asks about each tool. An empty answer accepts what is proposed.
fn ask(
    scene: &Scene<'_>,
    config: &Config,
    open: &[&ToolRow],
    proposed: impl Fn(&ToolRow) -> Effect,
) -> Result<Vec<Line>, Failure> {
    let mut lines = Vec::new();
    for (at, row) in open.iter().enumerate() {
        let effect = proposed(row);
        for text in described(row, config) {
            scene.screen.line(&text)?;
        }
        let question = format!(
            "[{} of {}] Enter for `{effect}`, or read, compute, write, notify, approval, skip, stop:",
            at + 1,
            open.len()
        );
        let chosen = loop {
            let answer = scene.screen.ask(&question)?;
            let named = Effect::ALL.into_iter().find(|known| known.name() == answer);
            match (answer.as_str(), named) {
                ("", _) => break Some(effect),
                (_, Some(named)) => break Some(named),
                ("skip", None) => break None,
                ("stop", None) => return Ok(lines),
                (_, None) => scene.screen.say("that is not one of them"),
            }
        };
        if let Some(effect) = chosen {
            lines.push(Line::of(row, Some(effect)));
        }
    }
    Ok(lines)
}

/// One tool, for somebody who decides about it.
fn described(row: &ToolRow, config: &Config) -> Vec<String> {
    let changed = match Accepted::of(row, config) {
        Accepted::Changed => " (changed since it was reviewed)",
        Accepted::Same | Accepted::Not => "",
    };
    vec![
        String::new(),
        format!("{}{changed}", row.tool),
        format!("  says:     {}", one_line(row.description.as_str())),
        format!("  proposed: {}, because {}", row.effect, one_line(&row.reason)),
        format!("  hints:    {}", hints(row)),
    ]
}

fn hints(row: &ToolRow) -> String {
    let word = |name: &str, hint: Option<bool>| hint.map(|hint| format!("{name}={hint}"));
    let given =
        [word("readOnly", row.annotations.read_only), word("destructive", row.annotations.destructive)];
    let given: Vec<String> = given.into_iter().flatten().collect();
    if given.is_empty() { "none".to_owned() } else { given.join(", ") }
}

/// Shows what would be asked, where nobody can be.
fn show(scene: &Scene<'_>, config: &Config, rows: &[ToolRow], left_out: &[String]) -> Result<Exit, Failure> {
    let open = rows.iter().filter(|row| is_open(row, config)).count();
    if scene.screen.is_json() {
        let tools: Vec<Value> = rows
            .iter()
            .map(|row| {
                json!({
                    "server": row.server, "tool": row.tool, "proposed": row.effect, "reason": row.reason,
                    "decided_by": row.decided_by, "annotations": row.annotations,
                    "description": row.description, "statements": row.statements, "pin": row.pin,
                    "definition": row.definition, "reviewed": !is_open(row, config),
                })
            })
            .collect();
        scene.screen.document(&json!({"tools": tools, "left_out": left_out}))?;
    } else {
        let mut table = Table::new(&["REVIEWED", "PROPOSED", "TOOL", "HINTS", "BECAUSE"]);
        for row in rows {
            let tone = if row.effect == Class::Unclear { Tone::Warning } else { Tone::Faint };
            let reviewed = if is_open(row, config) { "no" } else { "yes" };
            let (effect, tool) = (row.effect.to_string(), row.tool.to_string());
            table.toned(tone, [reviewed.to_owned(), effect, tool, hints(row), one_line(&row.reason)]);
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
        if open > 0 {
            scene.screen.next("purple tools review SERVER --accept   (with --set TOOL=EFFECT for others)");
        }
    }
    let exit = tell_left_out(scene, left_out);
    Ok(if open > 0 { Exit::Warnings } else { exit })
}

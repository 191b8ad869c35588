//! Looking at the tools.

use purple_process::{DecidedBy, Effect};
use purple_worker::port::{Tools as _, ToolsAt};
use purple_worker::{ToolRow, toolbox};
use serde_json::json;

use crate::cli::Tools as Args;
use crate::commands::{Scene, runtime};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::{Table, Tone, one_line};
use crate::wire_up::{manifest, tool_servers};

/// `purple tools …`
pub(crate) fn run(scene: &Scene<'_>, args: &Args) -> Result<Exit, Failure> {
    match args {
        Args::List => list(scene),
        Args::Pin { tool } => pin(scene, tool),
    }
}

/// What the configured servers offer, with effects decided.
fn offered(scene: &Scene<'_>) -> Result<(Vec<ToolRow>, Vec<String>), Failure> {
    let config = scene.config(Vec::new())?;
    let runtime = runtime()?;
    let listing = runtime.block_on(async {
        let servers = tool_servers(&config, scene.environment)?;
        scene.screen.redraw("asking the tool servers …");
        let listed = servers.list(&ToolsAt::Configured).await;
        scene.screen.redraw("");
        Ok::<_, Failure>(listed?)
    });
    runtime.shutdown_background();
    Ok(toolbox(listing?, &manifest(&config)))
}

fn list(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let (rows, left_out) = offered(scene)?;
    if scene.screen.is_json() {
        scene.screen.document(&json!({"tools": rows, "left_out": left_out}))?;
    } else {
        let mut table = Table::new(&["EFFECT", "TOOL", "SERVER", "READ BACK BY", "BECAUSE"]);
        for row in &rows {
            let tone = if row.effect == Effect::Write { Tone::Warning } else { Tone::Faint };
            let back = row.read_back.as_ref().map_or_else(|| "–".to_owned(), ToString::to_string);
            let (name, server) = (row.name.to_string(), one_line(&row.server));
            let (tone, reason) = match &row.quarantined {
                Some(why) => (Tone::Bad, format!("QUARANTINED: {why}")),
                None => (tone, row.reason.clone()),
            };
            table.toned(tone, [row.effect.to_string(), name, server, back, one_line(&reason)]);
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
    }
    let guessed = rows.iter().filter(|row| row.decided_by == DecidedBy::Name).count();
    if guessed > 0 {
        scene.screen.say(&format!("{guessed} of {} effects come from names only", rows.len()));
        scene.screen.next("purple tools pin >> purple.toml   (then look through it)");
    }
    tell_left_out(scene, &left_out)
}

/// The manifest of these tools, as lines for `purple.toml`: from then on the operator decides, not a name.
fn pin(scene: &Scene<'_>, wanted: &[String]) -> Result<Exit, Failure> {
    let (rows, left_out) = offered(scene)?;
    if let Some(tool) = wanted.iter().find(|tool| !rows.iter().any(|row| row.name.as_str() == *tool)) {
        return Err(Failure::NoSuchTool { tool: tool.clone() });
    }
    for row in
        rows.iter().filter(|row| wanted.is_empty() || wanted.iter().any(|tool| row.name.as_str() == tool))
    {
        if row.decided_by == DecidedBy::Manifest {
            continue;
        }
        scene.screen.line(&format!(
            "[tools.\"{}\"]   # {}\neffect = \"{}\"",
            row.name,
            one_line(&row.reason),
            row.effect
        ))?;
    }
    tell_left_out(scene, &left_out)
}

fn tell_left_out(scene: &Scene<'_>, left_out: &[String]) -> Result<Exit, Failure> {
    for left_out in left_out {
        scene.screen.say(&format!("left out: {}", one_line(left_out)));
    }
    Ok(if left_out.is_empty() { Exit::Done } else { Exit::Warnings })
}

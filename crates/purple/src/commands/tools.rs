//! Looking at the tools.

use purple_process::{Declared, Json, Tool, Trust};
use purple_worker::port::{Definition, Tools as _, ToolsAt};
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
        Args::Pin { .. } => Err(Failure::NotWired { command: "tools pin" }),
    }
}

fn list(scene: &Scene<'_>) -> Result<Exit, Failure> {
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
    let listing = listing?;
    let manifest = manifest(&config);
    let decided = |definition: &Definition| {
        let stated = manifest.tools.get(&definition.name);
        let declared = Declared {
            manifest: stated.and_then(|stated| stated.effect),
            annotations: definition.annotations,
            server: manifest.servers.get(&definition.server).copied().unwrap_or(Trust::Untrusted),
        };
        let schema = Json::from_serde(&definition.input_schema).unwrap_or(Json::Null);
        Tool::new(definition.name.clone(), &schema, declared)
    };
    if scene.screen.is_json() {
        let one = |definition: &Definition| {
            let tool = decided(definition);
            json!({
                "name": definition.name, "server": definition.server, "effect": tool.effect(),
                "decided_by": tool.decided_by(), "reason": tool.reason(), "pin": tool.pin(),
                "description": definition.description,
            })
        };
        let all: Vec<_> = listing.tools.iter().map(one).collect();
        scene.screen.document(&json!({"tools": all, "left_out": listing.left_out}))?;
    } else {
        let mut table = Table::new(&["EFFECT", "TOOL", "SERVER", "BECAUSE"]);
        for definition in &listing.tools {
            let tool = decided(definition);
            let tone =
                if tool.effect() == purple_process::Effect::Write { Tone::Warning } else { Tone::Faint };
            let (name, server) = (definition.name.to_string(), one_line(&definition.server));
            table.toned(tone, [tool.effect().to_string(), name, server, one_line(tool.reason())]);
        }
        for line in table.lines(scene.screen.out) {
            scene.screen.line(&line)?;
        }
    }
    for left_out in &listing.left_out {
        scene.screen.say(&format!("left out: {}", one_line(left_out)));
    }
    Ok(if listing.left_out.is_empty() { Exit::Done } else { Exit::Warnings })
}

//! What this program is, and how to use it.

use clap::CommandFactory;

use crate::cli::{Help, Typed};
use crate::commands::Scene;
use crate::commands::process::examples;
use crate::config::nearest;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::show::Table;

/// The topics that are not commands.
const EXIT_CODES: &str = "exit-codes";
const TASKS: &str = "tasks";

/// `purple version`
pub(crate) fn version(scene: &Scene<'_>) -> Result<Exit, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    if scene.screen.is_json() {
        let (os, machine) = (std::env::consts::OS, std::env::consts::ARCH);
        let about = serde_json::json!({"name": "purple", "version": version, "os": os, "arch": machine});
        scene.screen.document(&about)?;
    } else {
        scene.screen.line(&format!("purple {version}"))?;
    }
    Ok(Exit::Done)
}

/// `purple help [TOPIC]`
pub(crate) fn help(scene: &Scene<'_>, args: &Help) -> Result<Exit, Failure> {
    if args.topic.first().is_some_and(|topic| topic == EXIT_CODES) {
        return exit_codes(scene);
    }
    if args.topic.first().is_some_and(|topic| topic == TASKS) {
        return examples::page(scene);
    }
    let mut command = Typed::command();
    command.build();
    for topic in &args.topic {
        let names: Vec<String> = command.get_subcommands().map(|one| one.get_name().to_owned()).collect();
        let known = names.iter().map(String::as_str).chain([EXIT_CODES, TASKS]);
        let near = nearest(topic, known).map(str::to_owned);
        let missing = || Failure::NoSuchTopic { topic: topic.clone(), near };
        command = command.find_subcommand(topic).ok_or_else(missing)?.clone();
    }
    scene.screen.raw(&command.render_long_help().to_string())?;
    Ok(Exit::Done)
}

fn exit_codes(scene: &Scene<'_>) -> Result<Exit, Failure> {
    if scene.screen.is_json() {
        let all = Exit::ALL.map(
            |exit| serde_json::json!({"code": exit.number(), "name": exit.word(), "meaning": exit.meaning()}),
        );
        scene.screen.document(&all)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new(&["CODE", "NAME", "MEANING"]);
    for exit in Exit::ALL {
        table.row([exit.number().to_string(), exit.word().to_owned(), exit.meaning().to_owned()]);
    }
    for line in table.lines(scene.screen.out) {
        scene.screen.line(&line)?;
    }
    Ok(Exit::Done)
}

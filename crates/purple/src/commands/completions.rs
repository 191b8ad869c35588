//! Completion scripts.

use clap::CommandFactory;
use clap_complete::shells;

use crate::cli::{Completions, Shell, Typed};
use crate::commands::Scene;
use crate::exit::Exit;
use crate::failure::Failure;

/// `purple completions SHELL`
pub(crate) fn run(scene: &Scene<'_>, args: &Completions) -> Result<Exit, Failure> {
    let (mut command, mut script) = (Typed::command(), Vec::new());
    let (name, out) = ("purple", &mut script);
    match args.shell {
        Shell::Bash => clap_complete::generate(shells::Bash, &mut command, name, out),
        Shell::Zsh => clap_complete::generate(shells::Zsh, &mut command, name, out),
        Shell::Fish => clap_complete::generate(shells::Fish, &mut command, name, out),
        Shell::Power => clap_complete::generate(shells::PowerShell, &mut command, name, out),
    }
    scene.screen.raw(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

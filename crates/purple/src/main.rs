//! `purple`: an AI worker for business processes, as one program.

mod account;
mod cli;
mod commands;
mod config;
mod exit;
mod failure;
mod identity;
mod shelf;
mod show;
mod wire_up;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::Typed;
use crate::config::Environment;
use crate::exit::Exit;
use crate::show::Screen;

/// See the decision on the allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let environment = Environment::read();
    let typed = match Typed::try_parse() {
        Ok(typed) => typed,
        // Help and version are data; mistakes are usage. If nobody reads either, the number still tells.
        Err(asked) => {
            let _ = asked.print();
            return if asked.use_stderr() { Exit::Usage.into() } else { Exit::Done.into() };
        }
    };
    let screen = Screen::of(&typed.global, &environment);
    match commands::run(typed, &environment, screen) {
        Ok(exit) => exit.into(),
        // Whoever read our output has seen enough.
        Err(failure) if failure.is_closed_pipe() => Exit::Done.into(),
        Err(failure) => {
            screen.fail(&failure);
            failure.exit().into()
        }
    }
}

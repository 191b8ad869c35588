//! Starts a program that speaks MCP on its stdin and stdout.

use std::io;
use std::process::Stdio;

use process_wrap::tokio::{CommandWrap, KillOnDrop, ProcessGroup};

use super::Closed;
use super::lines::Lines;
use crate::config::{Program, Streams};

/// A fresh process, the leader of a group of its own, so that what it starts ends with it.
pub(super) fn start(program: &Program, closed: Closed) -> io::Result<Lines> {
    let mut command = CommandWrap::with_new(&program.command, |command| {
        command.args(&program.args).env_clear().envs(&program.env);
        if let Some(folder) = &program.cwd {
            command.current_dir(folder);
        }
        // What it says beside the protocol is not for our terminal.
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    });
    command.wrap(KillOnDrop).wrap(ProcessGroup::leader());
    let mut child = command.spawn()?;
    let missing = || io::Error::other("the program has no pipes");
    let writer = child.stdin().take().ok_or_else(missing)?;
    let reader = child.stdout().take().ok_or_else(missing)?;
    let streams = Streams { reader: Box::new(reader), writer: Box::new(writer) };
    Ok(Lines::new(streams, closed).with_child(child))
}

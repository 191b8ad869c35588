//! Where output goes: stdout for data, stderr for talk.

use std::io::{self, BufRead, IsTerminal, Write};

use serde::Serialize;

use crate::cli::Global;
use crate::config::Environment;
use crate::failure::Failure;
use crate::show::style::{Paint, Tone};

/// The two streams, and what is known about who reads them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Screen {
    /// How stdout is painted.
    pub(crate) out: Paint,
    /// How stderr is painted.
    pub(crate) talk: Paint,
    /// Whether data is JSON.
    pub(crate) format: Format,
    /// Whether stderr is a terminal, where a line can be drawn over.
    pub(crate) live: bool,
    may_ask: bool,
    quiet: bool,
}

/// The form of data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// For people.
    Text,
    /// For programs.
    Json,
}

impl Screen {
    pub(crate) fn of(global: &Global, environment: &Environment) -> Self {
        let (out, talk) = (io::stdout().is_terminal(), io::stderr().is_terminal());
        let format = if global.json { Format::Json } else { Format::Text };
        Self {
            out: Paint::for_stream(global.color, environment, out),
            talk: Paint::for_stream(global.color, environment, talk),
            format,
            live: talk && !global.quiet && format == Format::Text && environment.get("TERM") != Some("dumb"),
            may_ask: !global.no_input && io::stdin().is_terminal() && talk,
            quiet: global.quiet,
        }
    }

    /// Whether data is JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.format == Format::Json
    }

    /// Whether somebody can be asked.
    pub(crate) fn may_ask(&self) -> bool {
        self.may_ask
    }

    /// One line of data.
    pub(crate) fn line(&self, text: &str) -> Result<(), Failure> {
        Ok(writeln!(io::stdout().lock(), "{text}")?)
    }

    /// Data that ends its own lines.
    pub(crate) fn raw(&self, text: &str) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// One JSON document.
    pub(crate) fn document(&self, value: &impl Serialize) -> Result<(), Failure> {
        self.line(&serde_json::to_string_pretty(value).map_err(io::Error::from)?)
    }

    /// One JSON document on one line, for streams.
    pub(crate) fn record(&self, value: &impl Serialize) -> Result<(), Failure> {
        let mut out = io::stdout().lock();
        writeln!(out, "{}", serde_json::to_string(value).map_err(io::Error::from)?)?;
        Ok(out.flush()?)
    }

    /// Talk. If nobody listens, nothing is lost.
    pub(crate) fn say(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(io::stderr().lock(), "{text}");
        }
    }

    /// What to do next.
    pub(crate) fn next(&self, command: &str) {
        if !self.is_json() {
            self.say(&format!("{} {command}", self.talk.text(Tone::Faint, "Next:")));
        }
    }

    /// Draws over the present line of a terminal.
    pub(crate) fn redraw(&self, text: &str) {
        if self.live {
            let mut talk = io::stderr().lock();
            let _ = write!(talk, "\r\u{1b}[2K{text}");
            let _ = talk.flush();
        }
    }

    /// Says that it is somebody's turn to type.
    pub(crate) fn prompt(&self, text: &str) {
        let mut talk = io::stderr().lock();
        let _ = write!(talk, "{text} ");
        let _ = talk.flush();
    }

    /// Asks a question and reads one line.
    pub(crate) fn ask(&self, question: &str) -> Result<String, Failure> {
        let mut talk = io::stderr().lock();
        write!(talk, "{question} ")?;
        talk.flush()?;
        let mut answer = String::new();
        io::stdin().lock().read_line(&mut answer)?;
        Ok(answer.trim().to_owned())
    }

    /// Says what went wrong and what to do about it.
    pub(crate) fn fail(&self, failure: &Failure) {
        let mut talk = io::stderr().lock();
        if self.is_json() {
            let exit = failure.exit();
            let error = serde_json::json!({"error": {
                "code": failure.code(), "message": failure.to_string(), "help": failure.help(),
                "exit": exit.number(), "kind": exit.word(),
            }});
            let _ = writeln!(talk, "{error}");
            return;
        }
        let _ = writeln!(talk, "{} {failure}", self.talk.text(Tone::Bad, "purple:"));
        if let Some(help) = failure.help() {
            let _ = writeln!(talk, "  help: {help}");
        }
    }
}

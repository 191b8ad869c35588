//! Draws the machine for people: the tables and the diagram of `docs/spec/agent-loop.md`.

use std::fmt::Write;

use crate::ending::Halt;
use crate::limits::Limits;
use crate::states::{LOOP, Needs, Phase};

/// The parts of the specification that are generated, by name.
pub fn spec_blocks() -> [(&'static str, String); 5] {
    [
        ("diagram", diagram()),
        ("states", states()),
        ("moves", moves()),
        ("limits", limits()),
        ("causes", causes()),
    ]
}

/// Puts fresh blocks into a document, between `<!-- generated: name -->` and `<!-- end: name -->`.
///
/// A block without its marks is left out; the test of the document then fails, for it is not in it.
pub fn refresh_spec(document: &str) -> String {
    spec_blocks().iter().fold(document.to_owned(), |text, (name, block)| {
        let (open, close) = (format!("<!-- generated: {name} -->\n"), format!("<!-- end: {name} -->"));
        let Some((before, rest)) = text.split_once(&open) else { return text };
        let Some((_, after)) = rest.split_once(&close) else { return text };
        format!("{before}{open}\n{block}\n{close}{after}")
    })
}

fn diagram() -> String {
    let mut text = "```mermaid\nstateDiagram-v2\n".to_owned();
    let _ = writeln!(text, "    [*] --> {}", LOOP.start());
    for row in LOOP.moves() {
        let _ = writeln!(text, "    {} --> {}: {}", row.from, row.to, row.when);
    }
    for state in LOOP.states().iter().filter(|state| LOOP.is_terminal(**state)) {
        let _ = writeln!(text, "    {state} --> [*]");
    }
    text + "```\n"
}

fn states() -> String {
    let rows = LOOP.states().iter().map(|state| {
        let next: Vec<&str> = LOOP.next(*state).map(Phase::name).collect();
        let next = if next.is_empty() { "terminal".to_owned() } else { next.join(", ") };
        let needs = match state.needs() {
            Needs::Nothing => "nothing",
            Needs::ModelOrRule => "one model reply, or a rule",
            Needs::Model => "a model reply, each time",
            Needs::Tools => "tool results",
            Needs::ModelOrLastText => "one model reply without tools, or the last text",
        };
        [state.to_string(), state.purpose().to_owned(), needs.to_owned(), next]
    });
    table(["state", "purpose", "asks for", "next"], rows)
}

fn moves() -> String {
    let rows = LOOP.moves().iter().map(|row| [row.from.to_string(), row.to.to_string(), row.when.to_owned()]);
    table(["from", "to", "when"], rows)
}

fn limits() -> String {
    let rows = Limits::DEFAULT.rows();
    let rows =
        rows.into_iter().map(|(name, value, at)| [format!("`{name}`"), value.to_string(), at.to_owned()]);
    table(["limit", "default", "at the limit"], rows)
}

fn causes() -> String {
    let rows = Halt::CODES.into_iter().map(|(code, when)| [format!("`{code}`"), when.to_owned()]);
    table(["code", "when"], rows)
}

fn table<const N: usize>(head: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

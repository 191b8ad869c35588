//! The generated parts of `docs/spec/process-fsm.md`.

use std::collections::BTreeMap;
use std::fmt::Write;

use purple_process::{Ending, Landing, MOVES, Need, STATES, State};

/// The page that holds them.
pub(crate) const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/process-fsm.md");

/// The page with its generated parts drawn anew.
pub(crate) fn drawn_into(page: &str) -> String {
    let parts = [("states", states()), ("powers", powers()), ("moves", moves()), ("diagram", diagram())];
    parts.iter().fold(page.to_owned(), |page, (name, text)| {
        let (start, end) = (format!("<!-- generated: {name} -->"), format!("<!-- end: {name} -->"));
        let cut = page.split_once(&start).and_then(|(before, rest)| Some((before, rest.split_once(&end)?.1)));
        match cut {
            Some((before, after)) => format!("{before}{start}\n\n{text}\n{end}{after}"),
            // A page without the marker differs from the drawn one, and the test says so.
            None => format!("{page}\n{start}\n\n{text}\n{end}\n"),
        }
    })
}

fn states() -> String {
    let mut text = String::from("| state | purpose | model |\n|---|---|---|\n");
    for row in STATES {
        let _ = writeln!(text, "| {} | {} | {} |", row.state, row.purpose, row.tier);
    }
    text
}

fn powers() -> String {
    let mut text =
        String::from("| state | read | compute | approval | write | notify |\n|---|---|---|---|---|---|\n");
    for row in STATES {
        let _ = write!(text, "| {} |", row.state);
        for name in ["read", "compute", "approval", "write", "notify"] {
            let allowed = row.allows.iter().find(|(effect, _)| effect.name() == name);
            let cell = match allowed {
                Some((_, Need::Nothing)) => "yes",
                Some((_, Need::Grant)) => "granted",
                None => "–",
            };
            let _ = write!(text, " {cell} |");
        }
        text.push('\n');
    }
    text
}

fn moves() -> String {
    let mut text = String::from("| from | event | to | ending |\n|---|---|---|---|\n");
    for row in MOVES {
        let to = match row.landing {
            Landing::Demand => row.to.to_string(),
            Landing::Place => format!("{}, or the next state of the route", row.to),
        };
        let ending = Ending::of(row.event, row.to)
            .map_or(String::new(), |ending| format!("{ending:?}").to_lowercase());
        let _ = writeln!(text, "| {} | `{}` | {to} | {ending} |", row.from, row.event);
    }
    text
}

fn diagram() -> String {
    // One arrow for each pair of states; the three ways out of every working state are drawn once.
    let everywhere = ["escalated", "cancelled", "failed"];
    let mut arrows: BTreeMap<(State, State), Vec<&str>> = BTreeMap::new();
    for row in MOVES.iter().filter(|row| !everywhere.contains(&row.event.name())) {
        arrows.entry((row.from, row.to)).or_default().push(row.event.name());
    }
    let mut text = String::from("```mermaid\nstateDiagram-v2\n    [*] --> DECOMPOSE\n");
    for ((from, to), events) in arrows {
        let _ = writeln!(text, "    {from} --> {to}: {}", events.join(", "));
    }
    text.push_str("    state \"every working state\" as ANY\n");
    text.push_str(
        "    ANY --> ESCALATE: escalated\n    ANY --> COMPLETE: cancelled\n    ANY --> FAILED: failed\n",
    );
    text.push_str("    COMPLETE --> [*]\n    ESCALATE --> [*]\n    FAILED --> [*]\n```\n");
    text
}

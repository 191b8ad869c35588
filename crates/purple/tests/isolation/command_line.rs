//! The command line, with people who log in by token.

use crate::operations::{all_have_rows, commands};
use crate::{NOBODY, OVER, Scene, TASK, WAITS, like_nobody};

/// How a command is tried.
enum Row {
    /// With a run: a foreign one is answered like one that does not exist.
    Run(&'static [&'static str]),
    /// Nothing of others is told.
    All(&'static [&'static str]),
    /// Refused to whoever does not see the work of everybody.
    Refused(&'static [&'static str]),
    /// It shows no run of anybody: tools, files and settings, a folder of its own, a token.
    NoRun,
}

/// Each command; `RUN` stands for the run.
const ROWS: &[(&str, Row)] = &[
    ("demo", Row::NoRun),
    ("run", Row::All(&["run", "What is the status of the invoice?", "--session", WAITS])),
    ("chat", Row::All(&["chat", "--session", WAITS])),
    ("plan", Row::All(&["plan", TASK])),
    ("runs", Row::All(&["runs", "--limit", "500"])),
    ("show", Row::Run(&["show", "RUN"])),
    ("trace", Row::Run(&["trace", "RUN"])),
    ("inbox", Row::All(&["inbox"])),
    ("approve", Row::Run(&["approve", "RUN", "--yes"])),
    ("reject", Row::Run(&["reject", "RUN", "--reason", "no"])),
    ("settle", Row::Run(&["settle", "RUN", "write", "--done"])),
    ("undo", Row::Run(&["undo", "RUN", "write"])),
    ("cancel", Row::Run(&["cancel", "RUN"])),
    ("halt", Row::Refused(&["halt"])),
    ("resume", Row::Refused(&["resume"])),
    ("tools list", Row::NoRun),
    ("tools show", Row::NoRun),
    ("tools sign", Row::NoRun),
    ("tools forget", Row::NoRun),
    ("tools login", Row::NoRun),
    ("tools logout", Row::NoRun),
    ("tools review", Row::NoRun),
    ("tools pin", Row::NoRun),
    ("process list", Row::All(&["process", "list"])),
    ("process show", Row::NoRun),
    ("process edit", Row::NoRun),
    ("process forget", Row::NoRun),
    ("process sign", Row::NoRun),
    ("process from-run", Row::Run(&["process", "from-run", "RUN", "--name", "mine"])),
    ("process bind", Row::NoRun),
    ("process validate", Row::NoRun),
    ("process examples", Row::NoRun),
    ("process graph", Row::NoRun),
    ("process describe", Row::NoRun),
    ("policy check", Row::NoRun),
    ("policy explain", Row::Run(&["policy", "explain", "RUN"])),
    ("learn status", Row::Refused(&["learn", "status"])),
    ("learn cases", Row::Refused(&["learn", "cases", "--all"])),
    ("learn knowledge", Row::Refused(&["learn", "knowledge", "--all"])),
    ("learn checks", Row::Refused(&["learn", "checks"])),
    ("learn entities", Row::Refused(&["learn", "entities"])),
    ("learn forget", Row::Refused(&["learn", "forget", "--all"])),
    ("learn export", Row::Refused(&["learn", "export", "out"])),
    ("learn import", Row::Refused(&["learn", "import", "out"])),
    ("audit verify", Row::All(&["audit", "verify"])),
    ("audit operators", Row::Refused(&["audit", "operators"])),
    ("audit export", Row::Refused(&["audit", "export"])),
    ("audit anchor", Row::Refused(&["audit", "anchor"])),
    ("replay", Row::Run(&["replay", "RUN"])),
    ("backup", Row::Refused(&["backup", "copy"])),
    ("doctor", Row::All(&["doctor"])),
    ("init", Row::NoRun),
    ("config show", Row::NoRun),
    ("config accept", Row::Refused(&["config", "accept"])),
    ("completions", Row::NoRun),
    ("serve", Row::NoRun),
    ("token create", Row::Refused(&["token", "create", "--name", "eve", "--role", "operator"])),
    ("token list", Row::Refused(&["token", "list"])),
    ("token revoke", Row::Refused(&["token", "revoke", "x"])),
    ("login", Row::NoRun),
    ("logout", Row::NoRun),
    ("whoami", Row::All(&["whoami"])),
    ("version", Row::NoRun),
    ("help", Row::NoRun),
];

fn ids() -> [&'static str; 4] {
    [WAITS, OVER, "quokka", "quokka-w"]
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_tells_one_person_of_another() {
    let scene = Scene::open().await;
    all_have_rows("commands", &commands(&scene.running), ROWS.iter().map(|(name, _)| *name));
    let before = scene.running.effects();
    // The ids are right, and lists are not empty for whoever asked.
    let (code, out, talk) = scene.running.purple_as(&scene.ada, &["show", WAITS]);
    assert!(code == 0 && out.contains("INV-2024-447"), "{out}{talk}");
    assert!(scene.running.purple_as(&scene.ada, &["runs"]).1.contains(WAITS));
    for (name, row) in ROWS {
        match row {
            Row::NoRun => {}
            Row::Run(arguments) => {
                for id in ids() {
                    let with = |id: &'static str| -> Vec<&'static str> {
                        arguments.iter().map(|one| if *one == "RUN" { id } else { one }).collect()
                    };
                    let foreign = scene.running.purple_as(&scene.eve, &with(id));
                    let nobody = scene.running.purple_as(&scene.eve, &with(NOBODY));
                    let like =
                        |text: &str| like_nobody(text).replace(&format!("`{id}`"), &format!("`{NOBODY}`"));
                    let alike = (foreign.0, like(&foreign.1), like(&foreign.2));
                    assert_eq!(alike, nobody, "{name} {id}");
                    assert_ne!(foreign.0, 0, "{name} {id}");
                }
            }
            Row::All(arguments) => {
                let (_, out, talk) = scene.running.purple_as(&scene.eve, arguments);
                let told =
                    format!("{out}{talk}").replace(&scene.running.folder.path().display().to_string(), "");
                scene.hides(name, &arguments.join(" "), &told);
            }
            Row::Refused(arguments) => {
                let (code, out, talk) = scene.running.purple_as(&scene.eve, arguments);
                assert_eq!(code, 4, "{name}: {out}{talk}");
                scene.hides(name, "", &format!("{out}{talk}"));
            }
        }
    }
    assert_eq!(scene.running.effects(), before);
    let (_, out, _) = scene.running.purple_as(&scene.ada, &["show", WAITS]);
    assert!(out.contains("INV-2024-447"), "it still waits: {out}");
    let (_, trace, _) = scene.running.purple_as(&scene.ada, &["trace", WAITS, "--json"]);
    assert!(!trace.contains("\"eve\"") && !trace.contains("What is the status"), "{trace}");
}

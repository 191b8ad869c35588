//! Who may know whom. An edge that is not drawn here fails, and so does a room that nobody drew.

use std::collections::{BTreeMap, BTreeSet};

use purple_testkit::{EdgeKind, Workspace};

const LAYER_0: &[&str] = &[
    "agent-runtime",
    "purple-finance",
    "purple-intent",
    "purple-journal",
    "purple-policy",
    "purple-privacy",
    "purple-process",
];

/// Crates that reach out of the process. Layer 0 is built without any of them.
const OUTSIDE_WORLD: &[&str] = &[
    "async-std",
    "axum",
    "hyper",
    "mio",
    "notify",
    "object_store",
    "reqwest",
    "rmcp",
    "rusqlite",
    "smol",
    "socket2",
    "tokio",
    "tracing-subscriber",
    "ureq",
];

/// The drawing of the rooms: each room, and the rooms that its product code may name.
fn drawn() -> BTreeMap<&'static str, Vec<&'static str>> {
    let adapters = ["purple-model", "purple-otlp", "purple-sandbox", "purple-store", "purple-tools"];
    let mut rooms = BTreeMap::from([
        ("agent-runtime", vec![]),
        ("purple-finance", vec![]),
        ("purple-intent", vec!["purple-finance"]),
        ("purple-policy", vec!["purple-finance"]),
        ("purple-journal", vec!["purple-privacy", "purple-process"]),
        ("purple-privacy", vec!["purple-intent"]),
        ("purple-process", vec!["purple-intent", "purple-policy"]),
        ("purple-port", vec!["agent-runtime", "purple-finance", "purple-journal", "purple-process"]),
        ("purple-worker", [LAYER_0, &["purple-port"]].concat()),
        ("purple-server", vec!["purple-journal", "purple-port"]),
        ("purple-backoffice", vec![]),
        ("purple-testkit", [LAYER_0, &["purple-port", "purple-worker"]].concat()),
    ]);
    for adapter in adapters {
        rooms.insert(adapter, vec!["purple-journal", "purple-port"]);
    }
    let everything = rooms.keys().copied().filter(|room| *room != "purple-testkit").collect();
    rooms.insert("purple", everything);
    rooms
}

/// Tests of a room may use its own allowed rooms and the two dev rooms.
fn allowed_in_tests(room: &str) -> Vec<&'static str> {
    let mut allowed = drawn().get(room).cloned().unwrap_or_default();
    allowed.extend(["purple-testkit", "purple-backoffice"]);
    if room == "purple-testkit" {
        // `a2a-conformance` mounts the server's own code.
        allowed.push("purple-server");
    }
    allowed
}

#[test]
fn every_edge_between_rooms_is_drawn() {
    let workspace = Workspace::read().unwrap();
    let drawn = drawn();
    let ours: BTreeSet<&str> = workspace.rooms().iter().map(|room| room.name()).collect();
    let mut walked = 0;
    let mut wrong = Vec::new();
    for room in workspace.rooms() {
        let Some(allowed) = drawn.get(room.name()) else {
            wrong.push(format!(
                "`{}` is not drawn: a new room needs a decision in docs/decisions/",
                room.name()
            ));
            continue;
        };
        for edge in room.edges().iter().filter(|edge| ours.contains(edge.to.as_str())) {
            walked += 1;
            let allowed = match edge.kind {
                EdgeKind::Normal | EdgeKind::Build => allowed.clone(),
                EdgeKind::Dev => allowed_in_tests(room.name()),
            };
            if !allowed.contains(&edge.to.as_str()) {
                wrong.push(format!("`{}` may not know `{}` ({:?})", room.name(), edge.to, edge.kind));
            }
        }
    }
    println!("{walked} edges between {} rooms", ours.len());
    assert!(walked > 0, "no edge was read: the test looks at nothing");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn layer_0_is_built_without_the_outside_world() {
    let workspace = Workspace::read().unwrap();
    for room in LAYER_0 {
        let closure = workspace.closure(room);
        assert!(closure.contains("serde"), "the closure of `{room}` was not read");
        let found: Vec<_> = OUTSIDE_WORLD.iter().filter(|name| closure.contains(**name)).collect();
        assert!(found.is_empty(), "`{room}` is built with {found:?}");
    }
}

#[test]
fn no_room_has_features_that_change_the_program() {
    for room in Workspace::read().unwrap().rooms() {
        assert!(room.features().is_empty(), "`{}` declares features {:?}", room.name(), room.features());
    }
}

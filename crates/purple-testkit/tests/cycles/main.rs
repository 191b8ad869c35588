//! Import cycles between the top-level modules of one crate.
//!
//! A cycle that is not listed here fails, and so does a listed one that no longer exists: the lists only shrink.

#![expect(clippy::unwrap_used, clippy::panic, reason = "what a test cannot read fails it")]

mod imports;
mod reader_tests;

use std::collections::{BTreeMap, BTreeSet};

use imports::{Imports, imports_of};
use purple_testkit::Workspace;

/// Modules that import each other, by crate.
const PAIRS: &[(&str, &[(&str, &str)])] = &[
    ("agent-runtime", &[("loop", "saved"), ("planner", "state")]),
    ("purple", &[("commands", "shelf"), ("commands", "wire_up"), ("shelf", "wire_up")]),
    ("purple-backoffice", &[("ledger", "office"), ("office", "seed"), ("office", "serve")]),
    ("purple-finance", &[("catalogue", "formula"), ("catalogue", "given"), ("formula", "given")]),
    (
        "purple-policy",
        &[
            ("check", "check_call"),
            ("compile", "eval"),
            ("document", "judgement"),
            ("document", "wire"),
            ("facts", "unevaluable"),
            ("wire", "wire_rule"),
        ],
    ),
    ("purple-process", &[("file", "playbook"), ("grant", "progress"), ("judge", "people")]),
    ("purple-server", &[("a2a", "config"), ("a2a", "permit"), ("a2a", "trace"), ("health", "router")]),
    (
        "purple-store",
        &[
            ("deliver", "engine"),
            ("dispatch", "engine"),
            ("forgotten", "learning"),
            ("halts", "turn"),
            ("learning", "work"),
            ("store", "turn"),
            ("tokens", "work"),
            ("watchers", "work"),
        ],
    ),
    // There were 23 before the ports were a crate of their own.
    (
        "purple-worker",
        &[
            ("dossier", "drive"),
            ("dossier", "run"),
            ("drive", "execute"),
            ("drive", "learn"),
            ("drive", "strategy"),
            ("drive", "synthesis"),
            ("execute", "learn"),
            ("execute", "prime"),
            ("execute", "reflect"),
            ("execute", "run"),
            ("execute", "session"),
            ("execute", "settings"),
            ("execute", "synthesis"),
            ("learn", "reflect"),
            ("learn", "settings"),
            ("learn", "synthesis"),
            ("prime", "synthesis"),
            ("run", "synthesis"),
            ("settings", "synthesis"),
        ],
    ),
];

/// Imports that close a cycle of more than two modules, by crate: who imports, and what.
const LONGER: &[(&str, &[(&str, &str)])] = &[(
    "purple-store",
    &[
        ("definitions", "store"),
        ("halts", "store"),
        ("learning", "store"),
        ("tokens", "store"),
        ("watchers", "store"),
    ],
)];

type Pairs = BTreeSet<(String, String)>;

fn listed(list: &[(&str, &[(&str, &str)])], name: &str) -> Pairs {
    let of_crate = list.iter().filter(|(of, _)| *of == name).flat_map(|(_, pairs)| pairs.iter());
    of_crate.map(|(one, other)| ((*one).to_owned(), (*other).to_owned())).collect()
}

/// The imports of every crate; those of a library and of its program are kept apart.
fn crates() -> Vec<(String, Imports)> {
    let mut all = Vec::new();
    for member in Workspace::read().unwrap().rooms() {
        let roots = ["src/lib.rs", "src/main.rs"].map(|root| member.folder().join(root));
        let imports: Vec<Imports> =
            roots.iter().filter(|root| root.exists()).map(|root| imports_of(root)).collect();
        assert!(!imports.is_empty(), "`{}` has no source", member.name());
        all.extend(imports.into_iter().map(|imports| (member.name().to_owned(), imports)));
    }
    all
}

fn mutual(imports: &Imports) -> Pairs {
    let uses = |from: &String, to: &String| imports.get(from).is_some_and(|used| used.contains(to));
    let edges = imports.iter().flat_map(|(from, used)| used.iter().map(move |to| (from, to)));
    edges.filter(|(from, to)| from < to && uses(to, from)).map(|(a, b)| (a.clone(), b.clone())).collect()
}

/// What is left of the imports when every module that is part of no cycle is removed.
fn cyclic(mut imports: Imports) -> Imports {
    loop {
        let before = imports.len();
        let used: BTreeSet<String> = imports.values().flatten().cloned().collect();
        imports.retain(|module, uses| !uses.is_empty() && used.contains(module));
        let left: BTreeSet<String> = imports.keys().cloned().collect();
        imports.values_mut().for_each(|uses| uses.retain(|to| left.contains(to)));
        if imports.len() == before {
            return imports;
        }
    }
}

fn without(mut imports: Imports, edges: impl IntoIterator<Item = (String, String)>) -> Imports {
    for (from, to) in edges {
        imports.entry(from).or_default().remove(&to);
    }
    imports
}

#[test]
fn modules_that_import_each_other_are_listed_and_the_list_is_exact() {
    let mut found: BTreeMap<String, Pairs> = BTreeMap::new();
    for (name, imports) in crates() {
        found.entry(name).or_default().extend(mutual(&imports));
    }
    let mut wrong = Vec::new();
    for (name, found) in &found {
        let allowed = listed(PAIRS, name);
        let new = found.difference(&allowed);
        wrong.extend(new.map(|(a, b)| format!("`{name}`: modules `{a}` and `{b}` import each other")));
        let gone = allowed.difference(found);
        wrong.extend(gone.map(|(a, b)| format!("`{name}`: remove ({a}, {b}) from the list, it is resolved")));
    }
    println!("{} pairs in {} crates", found.values().map(BTreeSet::len).sum::<usize>(), found.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let unknown: Vec<_> = PAIRS.iter().chain(LONGER).filter(|(name, _)| !found.contains_key(*name)).collect();
    assert!(unknown.is_empty(), "no such crate: {unknown:?}");
}

#[test]
fn no_longer_cycle_exists_beyond_the_listed_ones() {
    for (name, imports) in crates() {
        let both = mutual(&imports).into_iter().flat_map(|(a, b)| [(a.clone(), b.clone()), (b, a)]);
        let rest = without(imports, both);
        let allowed = listed(LONGER, &name);
        let left = cyclic(without(rest.clone(), allowed.clone()));
        assert!(left.is_empty(), "`{name}` has a cycle among these imports: {left:#?}");
        for edge in &allowed {
            let others = allowed.iter().filter(|other| *other != edge).cloned();
            let closes = !cyclic(without(rest.clone(), others)).is_empty();
            assert!(closes, "`{name}`: remove {edge:?} from the list, it closes no cycle");
        }
    }
}

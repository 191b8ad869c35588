//! What the program offers, as its source and its help say it.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::running::Running;

fn source(file: &str) -> String {
    let server: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../purple-server/src");
    std::fs::read_to_string(server.join(file)).unwrap()
}

/// The text between the first `start` and the next `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> &'t str {
    let (_, rest) = text.split_once(start).unwrap_or_else(|| panic!("no `{start}`"));
    rest.split_once(end).unwrap_or_else(|| panic!("no `{end}`")).0
}

/// Texts in quotes.
fn quoted(text: &str) -> Vec<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The methods of every dialect: what its `read` matches.
pub(crate) fn methods() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for file in ["a2a/v1.rs", "a2a/v03.rs", "a2a/v01.rs"] {
        let text = source(file);
        let body = between(&text, "pub(super) fn read(method", "\n}\n");
        let is_method = |text: &String| {
            let word = text.chars().all(|c| c.is_ascii_alphabetic() || c == '/');
            word && (text.contains('/') || text.starts_with(char::is_uppercase))
        };
        let names: Vec<String> = quoted(body).into_iter().filter(is_method).collect();
        assert!(names.len() >= 4, "{file}: {names:?}");
        found.extend(names);
    }
    found
}

/// The paths of the router.
pub(crate) fn routes() -> BTreeSet<String> {
    let text = source("router.rs");
    let body = between(&text, "Router::new()", ".fallback(");
    let routes: BTreeSet<String> =
        body.split(".route(").skip(1).map(|line| quoted(line)[0].clone()).collect();
    assert!(routes.len() > 5, "{routes:?}");
    routes
}

/// The arms of HTTP+JSON: methods, and the parts of the path.
pub(crate) fn plain_paths() -> BTreeSet<String> {
    let text = source("a2a/rest.rs");
    let main = between(&text, "match (method.as_str(), segments.as_slice()) {", "(_, segments)");
    let of_task = between(&text, "match (method.as_str(), task.rsplit_once(':')) {", "_ => return");
    let arms = main.lines().chain(of_task.lines()).map(str::trim);
    let found: BTreeSet<String> = arms
        .filter(|line| line.starts_with("(\"") && line.contains(" => "))
        .map(|line| line.split(" => ").next().unwrap().to_owned())
        .collect();
    assert!(found.len() > 8, "{found:?}");
    found
}

/// Every command of the program with its subcommands, as `--help` lists them.
pub(crate) fn commands(running: &Running) -> BTreeSet<String> {
    fn below(running: &Running, command: &[&str], found: &mut BTreeSet<String>) {
        let (code, out, talk) = running.purple(&[command, &["--help"]].concat());
        assert_eq!(code, 0, "{command:?}: {talk}");
        let Some((_, list)) = out.split_once("\nCommands:\n") else {
            found.insert(command.join(" "));
            return;
        };
        let names = list.lines().take_while(|line| !line.trim().is_empty());
        let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        for name in names.filter_map(|line| line.split_whitespace().next()) {
            below(running, &[command, &[name]].concat(), found);
        }
    }
    let mut found = BTreeSet::new();
    below(running, &[], &mut found);
    assert!(found.len() > 40, "{found:?}");
    found
}

/// What has no row, and rows for what is gone.
#[track_caller]
pub(crate) fn all_have_rows(
    what: &str,
    found: &BTreeSet<String>,
    rows: impl IntoIterator<Item = &'static str>,
) {
    let rows: BTreeSet<String> = rows.into_iter().map(str::to_owned).collect();
    let missing: Vec<_> = found.difference(&rows).collect();
    let gone: Vec<_> = rows.difference(found).collect();
    assert!(missing.is_empty(), "{what} without a row here: {missing:#?}");
    assert!(gone.is_empty(), "{what} that are gone: {gone:#?}");
}

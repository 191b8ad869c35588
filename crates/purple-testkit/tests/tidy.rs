//! Keeps the house rules that no compiler knows: sizes, names, and documents that must exist.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::fs;
use std::path::{Path, PathBuf};

use purple_testkit::Workspace;

const SOURCE_LINES_MAX: usize = 600;
const DRAWER_NAMES: &[&str] = &["utils", "helpers", "common", "misc", "manager", "types"];

fn files_below(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = fs::read_dir(&next) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if name.ends_with(ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn source_files_stay_small_enough_to_read() {
    let workspace = Workspace::read().unwrap();
    let mut looked_at = 0;
    let mut long = Vec::new();
    for room in workspace.rooms() {
        for file in files_below(&room.folder().join("src"), ".rs") {
            looked_at += 1;
            let name = file.file_name().unwrap().to_string_lossy().into_owned();
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            if SOURCE_LINES_MAX < lines && !name.ends_with("_tests.rs") {
                long.push(format!("{} has {lines} lines; at most {SOURCE_LINES_MAX}", file.display()));
            }
        }
    }
    assert!(looked_at > 10, "only {looked_at} files were looked at");
    assert!(long.is_empty(), "{}", long.join("\n"));
}

#[test]
fn no_file_is_a_drawer() {
    let workspace = Workspace::read().unwrap();
    for file in files_below(&workspace.root().join("crates"), ".rs") {
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(
            !DRAWER_NAMES.contains(&stem.as_str()),
            "{} says nothing about what is in it",
            file.display()
        );
    }
}

#[test]
fn every_room_says_what_it_is_not() {
    let workspace = Workspace::read().unwrap();
    let architecture = fs::read_to_string(workspace.root().join("ARCHITECTURE.md")).unwrap();
    for room in workspace.rooms() {
        let readme = room.folder().join("README.md");
        let text = fs::read_to_string(&readme).unwrap_or_default();
        assert!(
            text.contains("not"),
            "{} is missing, or does not say what the room is not",
            readme.display()
        );
        let heading = format!("### `{}`", room.name());
        assert!(architecture.contains(&heading), "ARCHITECTURE.md has no section {heading}");
        let section = architecture.split(&heading).nth(1).unwrap().split("\n### ").next().unwrap();
        assert!(section.contains("must never know"), "{heading} does not say what it must never know");
    }
}

#[test]
fn every_decision_is_numbered_and_listed() {
    let root = Workspace::read().unwrap().root().join("docs/decisions");
    let index = fs::read_to_string(root.join("README.md")).unwrap();
    let pages: Vec<_> =
        files_below(&root, ".md").into_iter().filter(|path| !path.ends_with("README.md")).collect();
    assert!(!pages.is_empty());
    for page in pages {
        let name = page.file_name().unwrap().to_string_lossy().into_owned();
        let numbered = name.len() > 5 && name[..4].bytes().all(|b| b.is_ascii_digit()) && &name[4..5] == "-";
        assert!(numbered, "{name} wants a number of four digits in front");
        assert!(index.contains(&name), "docs/decisions/README.md does not list {name}");
        let text = fs::read_to_string(&page).unwrap();
        for heading in ["## Context", "## Decision", "## Price", "## When to revisit"] {
            assert!(text.contains(heading), "{name} has no `{heading}`");
        }
    }
}

#[test]
fn the_readme_and_ci_run_the_same_test_command() {
    let root = Workspace::read().unwrap().root().to_path_buf();
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let ci = fs::read_to_string(root.join(".ci/run")).unwrap();
    let marker = "# The README's test command.\n";
    let command = ci.split(marker).nth(1).unwrap().lines().next().unwrap();
    assert!(readme.contains(command), "README.md does not show `{command}`");
}

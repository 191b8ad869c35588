//! The pages of the shipped processes are the generated ones, and the specification names every code.

use std::path::{Path, PathBuf};

use purple_process::file::{ProblemCode, builtin};
use purple_process::{diagram, page};

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

#[test]
fn every_shipped_process_has_its_generated_page() {
    for file in builtin().unwrap() {
        let path = docs().join("processes").join(format!("{}.md", file.name()));
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert_eq!(committed, page(&file), "regenerate it: cargo run -p purple-process --example describe");
    }
}

#[test]
fn a_drawing_names_every_rule_and_outcome() {
    for file in builtin().unwrap() {
        for task in file.tasks() {
            let drawing = diagram(task);
            for rule in task.rules() {
                assert!(drawing.contains(&format!("\"{}<br/>", rule.id())), "{} in\n{drawing}", rule.id());
            }
            for outcome in task.outcomes() {
                assert!(drawing.contains(&format!("outcome_{}[", outcome.name())), "{drawing}");
            }
            let named: Vec<&str> = drawing
                .lines()
                .filter(|line| line.contains("-->"))
                .filter_map(|line| line.rsplit(' ').next())
                .collect();
            let known = |name: &str| {
                drawing.lines().any(|line| line.starts_with(&format!("    {name}")) && line.contains('"'))
            };
            for target in named {
                assert!(known(target), "{target} is drawn to and not drawn:\n{drawing}");
            }
        }
    }
}

#[test]
fn the_specification_names_every_code() {
    let text = std::fs::read_to_string(docs().join("spec/process-files.md")).unwrap();
    let missing: Vec<&str> = ProblemCode::ALL
        .iter()
        .map(|code| code.as_str())
        .filter(|code| !text.contains(&format!("`{code}`")))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

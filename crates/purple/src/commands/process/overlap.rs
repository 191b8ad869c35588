//! Warnings about forms: of different files that the same words satisfy, and of files that have none.

use purple_process::file::{Overlap, ProcessFile, overlaps};
use serde_json::Value;

use crate::commands::Scene;
use crate::shelf::Shelf;
use crate::show::{Tone, visible};

/// Warns where forms of the processes in effect overlap.
pub(super) fn warn_all(scene: &Scene<'_>, shelf: &Shelf) {
    let all: Vec<&ProcessFile> = shelf.processes.iter().map(|one| &*one.process).collect();
    warn(scene, overlaps(&all).iter().map(text).chain(without_forms(all.iter().copied())));
}

/// Warns where forms of checked files overlap with one another, or with those of the other processes in effect.
/// In JSON the warnings are part of the reports.
pub(super) fn warn_checked(scene: &Scene<'_>, files: &[ProcessFile], reports: &mut [Value]) {
    let shelf = scene.config(Vec::new()).map(|config| Shelf::fill(&config.settings)).unwrap_or_default();
    let is_checked = |name: &str| files.iter().any(|file| file.name() == name);
    let others = shelf.processes.iter().map(|one| &*one.process).filter(|one| !is_checked(one.name()));
    let all: Vec<&ProcessFile> = files.iter().chain(others).collect();
    let mut found = overlaps(&all);
    found.retain(|one| is_checked(&one.first.process) || is_checked(&one.second.process));
    for report in reports {
        let name = report["about"]["process"].as_str().unwrap_or_default().to_owned();
        let of_file = |one: &&Overlap| one.first.process == name || one.second.process == name;
        let own = files.iter().filter(|file| file.name() == name);
        report["warnings"] = found.iter().filter(of_file).map(text).chain(without_forms(own)).collect();
    }
    warn(scene, found.iter().map(text).chain(without_forms(files)));
}

/// Complete files of format 1 do not say how they are asked for.
fn without_forms<'a>(files: impl IntoIterator<Item = &'a ProcessFile>) -> Vec<String> {
    let lacks =
        |file: &ProcessFile| file.tasks().iter().any(|task| task.is_complete() && task.say().is_empty());
    let warning = |file: &ProcessFile| {
        format!(
            "`{}` does not say how it is asked for, so that the requester confirms each of its orders; add `format: 2` and `say:`",
            file.name()
        )
    };
    files.into_iter().filter(|file| lacks(file)).map(warning).collect()
}

fn warn(scene: &Scene<'_>, warnings: impl Iterator<Item = String>) {
    if scene.screen.is_json() {
        return;
    }
    for text in warnings {
        let warning = scene.screen.talk.text(Tone::Warning, "warning:");
        scene.screen.say(&format!("{warning} {}", visible(&text)));
    }
}

fn text(overlap: &Overlap) -> String {
    let Overlap { first, second } = overlap;
    format!(
        "words for `{}` of `{}` can also be words for `{}` of `{}`; the inputs and keywords of a task decide between them",
        first.form, first.process, second.form, second.process
    )
}

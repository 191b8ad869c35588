//! Checks the fields that an approver may change: every change of them must reach the rules, and nothing that was
//! read or claimed may hang on them.

use std::collections::BTreeSet;

use purple_policy::Expression;

use super::model::{End, Operand, Read, Rule, Task};
use super::problem::{Mark, ProblemCode, Problems};
use super::suggest;

/// Complains about every editable field of a task that an edit would make unsafe.
pub(crate) fn check(task: &Task, problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    for (name, at) in &task.approval.edit {
        if !seen.insert(name) {
            let message = format!("`{name}` is given twice");
            problems.add(*at, ProblemCode::NameTaken, message, "keep one of the two");
            continue;
        }
        let computed: Vec<&str> = task.computes().map(|compute| compute.name.as_str()).collect();
        if !computed.contains(&name.as_str()) {
            let message = format!("nothing computes `{name}`, so it cannot be edited");
            let help = suggest::help(name, &computed);
            problems.add(*at, ProblemCode::UnknownName, message, help);
            continue;
        }
        check_one(task, name, *at, problems);
    }
}

fn check_one(task: &Task, name: &str, at: Mark, problems: &mut Problems) {
    let mut refuse =
        |message: String, help: &str| problems.add(at, ProblemCode::NotEditable, message, help.to_owned());
    let after = depending_on(task, name);
    let before = needed_by(task, name);
    if let Some(read) = task.reads().find(|read| read_looks_at(read, &after)) {
        let message = format!("`{name}` decides what `{}` reads, and an edit reads nothing again", read.name);
        refuse(message, "let only outcomes and rules use what may be edited");
    }
    if task.once_per.iter().any(|part| looks_at(part, &after)) {
        let message = format!("`{name}` is part of the business key");
        refuse(message, "a case that is another one after an edit needs a task of its own");
    }
    let conditions =
        || task.rules.iter().filter_map(|rule| Some((rule, rule.condition.as_ref()?.expression())));
    // A rule on what the field was computed from would judge the old figure, whatever the new one is. Only one that
    // leads to nothing does no harm.
    let judges_the_old = |(rule, condition): &(&Rule, &Expression)| {
        rule.end != Some(End::Nothing) && looks_at(condition, &before)
    };
    if let Some((rule, _)) = conditions().find(judges_the_old) {
        let message =
            format!("rule `{}` looks at what `{name}` is computed from, and would not see an edit", rule.id);
        refuse(message, "let the rule look at the field itself, or let the earlier value be edited");
    }
    if !conditions().any(|(_, condition)| looks_at(condition, &after)) {
        let message = format!("no rule looks at `{name}`, so nobody would judge an edit of it");
        refuse(message, "add a rule on it, or leave it out of `edit`");
    }
}

/// The field and every computed value that hangs on it.
fn depending_on<'t>(task: &'t Task, name: &'t str) -> BTreeSet<&'t str> {
    let mut found = BTreeSet::from([name]);
    // Computations stand after those that they need.
    for compute in task.computes() {
        if looks_at(&compute.expression, &found) {
            found.insert(&compute.name);
        }
    }
    found
}

/// The computed values that the field hangs on, without itself.
fn needed_by<'t>(task: &'t Task, name: &str) -> BTreeSet<&'t str> {
    let computes: Vec<_> = task.computes().collect();
    let mut wanted: BTreeSet<String> = BTreeSet::from([name.to_owned()]);
    let mut found = BTreeSet::new();
    for compute in computes.into_iter().rev() {
        if wanted.contains(&compute.name) {
            wanted.extend(compute.expression.names().iter().map(|path| head(path).to_owned()));
            if compute.name != name {
                found.insert(compute.name.as_str());
            }
        }
    }
    found
}

fn read_looks_at(read: &Read, names: &BTreeSet<&str>) -> bool {
    let rows = read.for_each.iter().any(|each| looks_at(&each.rows, names));
    rows || read.call.arguments.iter().any(|(_, operand)| match operand {
        Operand::Expression(expression) => looks_at(expression, names),
        Operand::Reference { .. } => false,
    })
}

fn looks_at(expression: &Expression, names: &BTreeSet<&str>) -> bool {
    expression.names().iter().any(|path| names.contains(head(path)))
}

fn head(path: &str) -> &str {
    path.split_once('.').map_or(path, |(head, _)| head)
}

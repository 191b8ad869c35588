//! Mermaid drawings of processes: states, rules and outcomes of a file, and the states of a route.

use std::fmt::Write as _;

use crate::file::{Ask, CheckTemplate, End, Outcome, Rule, Task};
use crate::machine::State;
use crate::route::Route;

/// Draws a task: what is taken, read and computed, each rule in order, and what it leads to.
pub fn diagram(task: &Task) -> String {
    let mut drawing = Drawing { lines: vec!["flowchart TD".to_owned()] };
    let last = drawing.preparation(task);
    drawing.rules(task, last);
    drawing.outcomes(task);
    drawing.finish()
}

/// Draws a route: the states it visits, and the endings that a verdict may lead to.
pub fn route_diagram(route: &Route) -> String {
    let mut text = "stateDiagram-v2\n".to_owned();
    let mut before = "[*]";
    for state in route.states() {
        let _ = writeln!(text, "    {before} --> {state}");
        before = state.name();
    }
    let _ = writeln!(text, "    {before} --> [*]");
    if route.visits(State::PolicyCheck) {
        let _ = writeln!(text, "    {} --> {}: a person must take over", State::PolicyCheck, State::Escalate);
        if !route.visits(State::ApprovalGate) && route.visits(State::Mutate) {
            let _ = writeln!(text, "    {} --> {}: a rule asks", State::PolicyCheck, State::ApprovalGate);
            let _ = writeln!(text, "    {} --> {}: granted", State::ApprovalGate, State::Mutate);
        }
    }
    text
}

struct Drawing {
    lines: Vec<String>,
}

impl Drawing {
    /// The states before the rules; returns the last of them.
    fn preparation(&mut self, task: &Task) -> &'static str {
        let inputs: Vec<String> = task.inputs.iter().map(|input| input.name.clone()).collect();
        let reads: Vec<String> =
            task.reads().map(|read| format!("{} = {}", read.name, read.call.tool)).collect();
        let figures: Vec<String> = task.computes().map(|compute| compute.name.clone()).collect();
        let mut last = "start";
        self.lines.push(r#"    start(["task"])"#.to_owned());
        for (state, held) in [(State::Decompose, inputs), (State::Assess, reads), (State::Compute, figures)] {
            if !task.route.visits(state) {
                continue;
            }
            let mut label = vec![state.to_string()];
            label.extend(held);
            self.node(state.name(), ("[", "]"), &label);
            self.edge(last, state.name(), None);
            last = state.name();
        }
        last
    }

    fn rules(&mut self, task: &Task, mut last: &'static str) {
        if task.rules.is_empty() {
            self.node(
                "mode",
                ("{{", "}}"),
                &["POLICY_CHECK".to_owned(), "the operator's policy and mode decide".to_owned()],
            );
            self.edge(last, "mode", None);
            return;
        }
        let mut before: Option<String> = None;
        for (place, rule) in task.rules.iter().enumerate() {
            let name = format!("rule{}", place + 1);
            let condition = rule.condition().unwrap_or("always").to_owned();
            self.node(&name, ("{{", "}}"), &[rule.id.clone(), condition]);
            match &before {
                None => self.edge(last, &name, None),
                Some(before) => self.edge(before, &name, Some("no")),
            }
            last = "";
            self.consequence(rule, &name, place);
            before = rule.condition.is_some().then_some(name);
        }
        if let Some(before) = before {
            let end = if task.outcomes.is_empty() { "mode" } else { "escalate" };
            self.edge(&before, end, Some("no"));
        }
    }

    fn consequence(&mut self, rule: &Rule, name: &str, place: usize) {
        let to = match &rule.end {
            Some(End::Outcome(outcome)) => format!("outcome_{outcome}"),
            Some(End::Stop) => "stop".to_owned(),
            Some(End::Nothing) => "none".to_owned(),
            Some(End::Escalate) => "escalate".to_owned(),
            None => "operation".to_owned(),
        };
        let label = if rule.condition.is_some() { Some("yes") } else { None };
        let asked = match &rule.ask {
            None => None,
            Some(Ask::Nobody) => return self.edge(name, &to, Some("yes, nobody is asked")),
            Some(Ask::Requester) => Some("the requester".to_owned()),
            Some(Ask::Role(role)) => Some(role.to_string()),
        };
        match asked {
            None => self.edge(name, &to, label),
            Some(who) => {
                let gate = format!("gate{}", place + 1);
                let people = rule.people.filter(|people| people.get() > 1);
                let people = people.map(|people| format!(", {people} people")).unwrap_or_default();
                self.node(&gate, ("[/", "/]"), &["APPROVAL_GATE".to_owned(), format!("asks {who}{people}")]);
                self.edge(name, &gate, label);
                self.edge(&gate, &to, Some("granted"));
            }
        }
    }

    fn outcomes(&mut self, task: &Task) {
        for outcome in &task.outcomes {
            let name = format!("outcome_{}", outcome.name);
            self.node(&name, ("[", "]"), &outcome_label(outcome));
            if outcome.tells.is_empty() {
                self.edge(&name, "complete", None);
            } else {
                let tells = format!("tell_{}", outcome.name);
                let mut label = vec![State::ScheduleNotify.to_string()];
                label.extend(outcome.tells.iter().map(|tell| tell.tool.to_string()));
                self.node(&tells, ("[", "]"), &label);
                self.edge(&name, &tells, None);
                self.edge(&tells, "complete", None);
            }
        }
        let ends: [(&str, &[&str]); 6] = [
            ("stop", &["stop", "blocked"]),
            ("none", &["none", "nothing to do"]),
            ("operation", &["MUTATE", "the operation"]),
            ("mode", &["the operator's policy and mode decide"]),
            ("complete", &["COMPLETE"]),
            ("escalate", &["ESCALATE", "a person takes over"]),
        ];
        for (name, label) in ends {
            let declared = self.lines.iter().any(|line| line.starts_with(&format!("    {name}{{{{")));
            let used = self.lines.iter().any(|line| line.ends_with(&format!(" {name}")));
            if used && !declared {
                let label: Vec<String> = label.iter().map(|part| (*part).to_owned()).collect();
                self.node(name, ("([", "])"), &label);
            }
        }
    }

    fn node(&mut self, name: &str, (open, close): (&str, &str), label: &[String]) {
        let label: Vec<String> = label.iter().map(|part| escaped(part)).collect();
        self.lines.push(format!("    {name}{open}\"{}\"{close}", label.join("<br/>")));
    }

    fn edge(&mut self, from: &str, to: &str, label: Option<&str>) {
        let label = label.map(|label| format!("|{label}|")).unwrap_or_default();
        self.lines.push(format!("    {from} -->{label} {to}"));
    }

    fn finish(self) -> String {
        let mut text = self.lines.join("\n");
        text.push('\n');
        text
    }
}

fn outcome_label(outcome: &Outcome) -> Vec<String> {
    let mut label = vec![format!("{}: {}", State::Mutate, outcome.name)];
    for step in &outcome.steps {
        let each = step
            .for_each
            .as_ref()
            .map(|each| format!(" for each {}", each.rows.source()))
            .unwrap_or_default();
        label.push(format!("{}{each}", step.call.tool));
        label.push(match &step.check {
            CheckTemplate::ReadBack { call, .. } => format!("read back: {}", call.tool),
            CheckTemplate::Unverifiable => "cannot be read back".to_owned(),
        });
    }
    label
}

/// A text that Mermaid shows as it is.
fn escaped(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '"' => "#quot;".to_owned(),
            '<' => "#lt;".to_owned(),
            '>' => "#gt;".to_owned(),
            '#' => "#35;".to_owned(),
            '|' => "#124;".to_owned(),
            c if c.is_control() => " ".to_owned(),
            c => c.to_string(),
        })
        .collect()
}

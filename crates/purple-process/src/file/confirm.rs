//! Refuses amounts, payees and accounts that go from the task into a write without a read that confirms them.
//!
//! The words of a task are for look-up and comparison. What is paid, and to whom, comes from a system of record.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use purple_policy::Expression;
use regex::Regex;

use super::call;
use super::check::RawSlots;
use super::input::{Input, InputType, Shape};
use super::model::{CallTemplate, End, ForEach, Operand, Slot, Task};
use super::names::{root, roots};
use super::problem::{Mark, ProblemCode, Problems};
use super::shape::ShortOrFull;
use crate::provenance::PAYEE_WORDS;

/// Looks at every argument of every write and notification.
pub(crate) fn check(task: &Task, raw: &RawSlots, problems: &mut Problems) {
    let slots = Slots { task };
    let confirmed = slots.confirmed();
    for (outcome, (_, raw_outcome)) in task.outcomes.iter().zip(&raw.outcomes.0) {
        let guard =
            Guard { slots: &slots, confirmed: &confirmed, led_to_by: first_rule_to(task, &outcome.name) };
        for (step, raw_step) in outcome.steps.iter().zip(&raw_outcome.r#do.0) {
            let at = match raw_step {
                ShortOrFull::Short(text) => text.at,
                ShortOrFull::Full(full) => full.call.at,
            };
            guard.call(&step.call, step.for_each.as_ref(), at, problems);
        }
        for (tell, raw_tell) in outcome.tells.iter().zip(&raw_outcome.tell.0) {
            let each = tell.for_each.as_ref();
            guard.argument(&tell.parameter, &tell.to, Use::Payee, each, raw_tell.tool.at, problems);
            for (parameter, operand) in &tell.with {
                guard.operand(parameter, operand, each, raw_tell.tool.at, problems);
            }
        }
    }
}

/// How a parameter is used.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    Payee,
    Other,
}

/// Where the first rule stands that leads to an outcome.
fn first_rule_to(task: &Task, outcome: &str) -> usize {
    let leads_here = |end: &Option<End>| matches!(end, Some(End::Outcome(name)) if name == outcome);
    task.rules.iter().position(|rule| leads_here(&rule.end)).unwrap_or(0)
}

/// For each confirmed input the place of the first rule that may rely on it.
type Confirmed = BTreeMap<String, usize>;

/// One outcome, and what is confirmed before any rule leads to it.
struct Guard<'t> {
    slots: &'t Slots<'t>,
    confirmed: &'t Confirmed,
    led_to_by: usize,
}

impl Guard<'_> {
    fn call(&self, call: &CallTemplate, each: Option<&ForEach>, at: Mark, problems: &mut Problems) {
        for (parameter, operand) in &call.arguments {
            self.operand(parameter, operand, each, at, problems);
        }
    }

    fn operand(
        &self,
        parameter: &str,
        operand: &Operand,
        each: Option<&ForEach>,
        at: Mark,
        problems: &mut Problems,
    ) {
        match operand {
            Operand::Reference { .. } => {}
            Operand::Expression(expression) => {
                let payee = parameter
                    .split(['_', '-'])
                    .any(|word| PAYEE_WORDS.contains(&word.to_lowercase().as_str()));
                let usage = if payee { Use::Payee } else { Use::Other };
                self.argument(parameter, expression, usage, each, at, problems);
            }
        }
    }

    fn argument(
        &self,
        parameter: &str,
        expression: &Expression,
        usage: Use,
        each: Option<&ForEach>,
        at: Mark,
        problems: &mut Problems,
    ) {
        let mut used = roots(expression);
        if let Some(each) = each.filter(|each| used.remove(&each.row)) {
            used.extend(roots(&each.rows));
        }
        let values = self.slots.values_from(&used);
        for input in self.slots.task.inputs.iter().filter(|input| values.contains(input.name())) {
            let confirmed = self.confirmed.get(input.name()).is_some_and(|place| *place <= self.led_to_by);
            if needs_confirming(input, usage) && !confirmed {
                problems.add(
                    at,
                    ProblemCode::Unconfirmed,
                    format!("`{parameter}` takes `{}` from the words of the task, and no read confirms it", input.name),
                    format!(
                        "use the value of a read, or add a rule before it: `{{if: 'some_read.field != {}', outcome: stop}}`",
                        input.name
                    ),
                );
            }
        }
    }
}

fn needs_confirming(input: &Input, usage: Use) -> bool {
    let amount = match &input.shape {
        Shape::One { kind, .. } => kind.is_amount(),
        Shape::Each { fields, .. } => fields.values().any(|kind| kind.is_amount()),
        Shape::ItemChanges => true,
    };
    amount || usage == Use::Payee
}

/// The slots of a task and what stands behind what.
struct Slots<'t> {
    task: &'t Task,
}

impl Slots<'_> {
    /// Everything that rules and reads confirm.
    fn confirmed(&self) -> Confirmed {
        let mut confirmed = Confirmed::new();
        // A look-up is made before all rules; a rule confirms for the rules after it.
        for input in self.task.inputs.iter().filter(|input| input.kind() == Some(InputType::Id)) {
            if self.is_look_up_key(&input.name) {
                confirmed.insert(input.name.clone(), 0);
            }
        }
        for (place, rule) in self.task.rules.iter().enumerate() {
            let stops = matches!(rule.end, Some(End::Stop | End::Escalate));
            let Some(condition) = rule.condition.as_ref().filter(|_| stops) else { continue };
            let weighed = self.weighed(condition.expression());
            for input in self.compared(condition.expression()).into_iter().chain(weighed) {
                confirmed.entry(input).or_insert(place + 1);
            }
        }
        confirmed
    }

    /// The inputs that a part of the condition, joined by `||`, compares with a read: `input != read.field`.
    fn compared(&self, condition: &Expression) -> Vec<String> {
        let mut found = Vec::new();
        for part in call::alternatives(condition.source()) {
            let Some(sides) = UNEQUAL.as_ref().and_then(|pattern| pattern.captures(part)) else { continue };
            let (left, right) = (&sides["left"], &sides["right"]);
            for (input, other) in [(left, right), (right, left)] {
                let declared =
                    self.task.inputs.iter().any(|known| known.name == *input && known.kind().is_some());
                if declared && self.is_from_a_read(other, input) {
                    found.push(input.to_owned());
                }
            }
        }
        found
    }

    /// The lists that the condition looks at together with what a read says.
    fn weighed(&self, condition: &Expression) -> Vec<String> {
        let used = self.everything_behind(&roots(condition));
        if !self.reads_in(&used) {
            return Vec::new();
        }
        let lists =
            self.task.inputs.iter().filter(|input| input.kind().is_none() && used.contains(&input.name));
        lists.map(|input| input.name.clone()).collect()
    }

    fn is_from_a_read(&self, path: &str, input: &str) -> bool {
        let used = BTreeSet::from([root(path).to_owned()]);
        self.reads_in(&self.everything_behind(&used)) && !self.values_from(&used).contains(input)
    }

    fn reads_in(&self, used: &BTreeSet<String>) -> bool {
        self.task.reads().any(|read| used.contains(&read.name))
    }

    /// Whether a read that is used further on is looked up by exactly this input.
    fn is_look_up_key(&self, input: &str) -> bool {
        let looked_up =
            |operand: &Operand| matches!(operand, Operand::Expression(e) if e.source().trim() == input);
        let keyed = self
            .task
            .reads()
            .filter(|read| read.call.arguments.iter().any(|(_, operand)| looked_up(operand)));
        let used: BTreeSet<String> = self
            .task
            .rules
            .iter()
            .filter_map(|rule| rule.condition.as_ref())
            .flat_map(|condition| roots(condition.expression()))
            .collect();
        let used = self.everything_behind(&used);
        keyed.into_iter().any(|read| used.contains(&read.name))
    }

    /// The names whose values these names hold, through computations; a read holds its own.
    fn values_from(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        self.closure(names, |slot| match slot {
            Slot::Compute(compute) => roots(&compute.expression),
            Slot::Read(_) => BTreeSet::new(),
        })
    }

    /// The same, and through the rows for which a read was repeated, since they stand beside its answers.
    fn everything_behind(&self, names: &BTreeSet<String>) -> BTreeSet<String> {
        self.closure(names, |slot| match slot {
            Slot::Compute(compute) => roots(&compute.expression),
            Slot::Read(read) => read.for_each.as_ref().map(|each| roots(&each.rows)).unwrap_or_default(),
        })
    }

    fn closure(
        &self,
        names: &BTreeSet<String>,
        behind: impl Fn(&Slot) -> BTreeSet<String>,
    ) -> BTreeSet<String> {
        let mut all = names.clone();
        // Slots stand in the order of their needs, so one pass from the last to the first reaches everything.
        for slot in self.task.slots.iter().rev() {
            if all.contains(slot.name()) {
                all.extend(behind(slot));
            }
        }
        all
    }
}

static UNEQUAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"^\s*(?P<left>[A-Za-z0-9_.]+)\s*!==?\s*(?P<right>[A-Za-z0-9_.]+)\s*$").ok());

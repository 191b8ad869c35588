//! What a file needs of a company's tools: its calls, with what each is given and what of each answer is used.

use std::collections::{BTreeMap, BTreeSet};

use purple_policy::Expression;

use super::model::{CallTemplate, CheckTemplate, Operand, ProcessFile, Task};
use crate::effect::Effect;
use crate::id::ToolName;

/// One call of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallNeeds {
    /// The tool, as the file names it.
    pub tool: ToolName,
    /// What it does.
    pub effect: Effect,
    /// What it is given.
    pub parameters: BTreeSet<String>,
    /// The fields of its answer that expressions use, as far as they are no rows of a list.
    pub fields: BTreeSet<String>,
    /// What the file calls the answer.
    pub name: Option<String>,
}

impl ProcessFile {
    /// Its calls, in the order of the file, each once.
    pub fn needs(&self) -> Vec<CallNeeds> {
        let mut all: Vec<CallNeeds> = Vec::new();
        let mut places: BTreeMap<(ToolName, Effect), usize> = BTreeMap::new();
        for task in &self.tasks {
            let finds = task.inputs.iter().filter_map(|input| input.find.as_ref());
            let finds = finds.map(|find| (&find.call.tool, Effect::Read));
            for (tool, effect) in task.own_tools().into_iter().chain(finds) {
                let place = *places.entry((tool.clone(), effect)).or_insert_with(|| {
                    let (parameters, fields) = Default::default();
                    all.push(CallNeeds { tool: tool.clone(), effect, parameters, fields, name: None });
                    all.len() - 1
                });
                if let Some(needs) = all.get_mut(place) {
                    task.add_needs(needs);
                }
            }
        }
        all
    }
}

impl Task {
    /// The fields of a read that its expressions look at: `total` of `invoice.total`. Deeper paths are not among them.
    pub fn fields_of(&self, read: &str) -> Vec<String> {
        let mut paths: Vec<String> = self.computes().flat_map(|compute| compute.expression.names()).collect();
        paths.extend(
            self.rules
                .iter()
                .filter_map(|rule| rule.condition.as_ref())
                .flat_map(|one| one.expression().names()),
        );
        paths.extend(self.once_per.iter().flat_map(Expression::names));
        let calls = self.reads().map(|read| &read.call).chain(
            self.outcomes.iter().flat_map(|one| one.steps.iter().map(|step| &step.call).chain(&one.show)),
        );
        let operands = calls.flat_map(|call| call.arguments.iter().map(|(_, operand)| operand));
        let tells = self.outcomes.iter().flat_map(|one| one.tells.iter());
        let told = tells.clone().flat_map(|tell| tell.with.iter().map(|(_, operand)| operand));
        for operand in operands.chain(told) {
            match operand {
                Operand::Expression(expression) => paths.extend(expression.names()),
                Operand::Reference { .. } => {}
            }
        }
        paths.extend(tells.flat_map(|tell| tell.to.names()));
        let of = |path: &String| {
            let (name, field) = path.split_once('.')?;
            (name == read && !field.contains('.')).then(|| field.to_owned())
        };
        let fields: BTreeSet<String> = paths.iter().filter_map(of).collect();
        fields.into_iter().collect()
    }

    fn add_needs(&self, needs: &mut CallNeeds) {
        for call in self.calls().into_iter().filter(|call| call.tool == needs.tool) {
            needs.parameters.extend(call.arguments.iter().map(|(name, _)| name.clone()));
        }
        for read in self.reads().filter(|read| read.call.tool == needs.tool) {
            needs.name.get_or_insert_with(|| read.name.clone());
            needs.fields.extend(self.fields_of(&read.name));
        }
        for input in &self.inputs {
            let find = input.find.as_ref().filter(|find| find.call.tool == needs.tool);
            needs.fields.extend(
                find.into_iter().flat_map(|find| std::iter::once(input.name.clone()).chain(find.by.clone())),
            );
        }
        for outcome in &self.outcomes {
            for tell in outcome.tells.iter().filter(|tell| tell.tool == needs.tool) {
                needs.parameters.insert(tell.parameter.clone());
                needs.parameters.extend(tell.with.iter().map(|(name, _)| name.clone()));
            }
            for step in &outcome.steps {
                let CheckTemplate::ReadBack { call, expect } = &step.check else { continue };
                if call.tool == needs.tool {
                    needs.fields.extend(expect.iter().map(|(field, _)| field.clone()));
                }
            }
            // What later steps use of the result of this one.
            let own = outcome.steps.iter().filter(|step| step.call.tool == needs.tool);
            let ids: Vec<&str> = own.map(|step| step.id.as_str()).collect();
            for operand in self.calls().iter().flat_map(|call| call.arguments.iter().map(|(_, one)| one)) {
                if let Operand::Reference { step, field } = operand
                    && ids.contains(&step.as_str())
                {
                    needs.fields.insert(field.clone());
                }
            }
        }
    }

    /// Every call, notifications aside.
    fn calls(&self) -> Vec<&CallTemplate> {
        let mut calls: Vec<&CallTemplate> = self.reads().map(|read| &read.call).collect();
        calls.extend(self.inputs.iter().filter_map(|input| Some(&input.find.as_ref()?.call)));
        for outcome in &self.outcomes {
            for step in &outcome.steps {
                calls.push(&step.call);
                if let CheckTemplate::ReadBack { call, .. } = &step.check {
                    calls.push(call);
                }
                calls.extend(&step.undo);
            }
            calls.extend(&outcome.show);
        }
        calls
    }
}

//! What a file needs of a company's tools: its calls, with what each is given and what of each answer is used.

use std::collections::{BTreeMap, BTreeSet};

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

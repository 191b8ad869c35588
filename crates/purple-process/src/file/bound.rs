//! A file on the tools of a company, which have other names than the file's.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{CheckTemplate, Outcome, ProcessFile, Read, Task};
use crate::effect::Effect;
use crate::id::ToolName;
use crate::operation::Operation;
use crate::system::Binding;

impl ProcessFile {
    /// The same on tools with other names.
    #[must_use]
    pub fn bound(&self, binding: &Arc<Binding>) -> Self {
        let mut bound = self.clone();
        for task in &mut bound.tasks {
            task.binding = Some(Arc::clone(binding));
        }
        bound
    }

    /// The same with ids that look like this, by the names of inputs: regular expressions.
    ///
    /// # Errors
    ///
    /// What an expression is that cannot be read.
    pub fn with_id_forms(&self, forms: &BTreeMap<String, String>) -> Result<Self, String> {
        let mut made = self.clone();
        for input in made.tasks.iter_mut().flat_map(|task| &mut task.inputs) {
            if let Some(form) = forms.get(input.name()) {
                input.take_form(form)?;
            }
        }
        Ok(made)
    }
}

impl Task {
    /// Every tool that a run may call, with the effect that the file expects of it, in the order of the file, once each.
    pub fn tools(&self) -> Vec<(&ToolName, Effect)> {
        let mut tools = self.own_tools();
        for (tool, _) in &mut tools {
            *tool = self.real_tool(tool);
        }
        let mut seen = std::collections::BTreeSet::new();
        tools.retain(|tool| seen.insert(*tool));
        tools
    }

    /// The tool that stands for one of the file's.
    pub fn real_tool<'t>(&'t self, tool: &'t ToolName) -> &'t ToolName {
        self.binding.as_ref().map_or(tool, |binding| binding.tool(tool))
    }

    /// An operation on a company's tools under the names of the file.
    pub fn in_business<'o>(&self, operation: &'o Operation) -> Cow<'o, Operation> {
        match &self.binding {
            Some(binding) => binding.business(operation),
            None => Cow::Borrowed(operation),
        }
    }

    /// Where the company keeps what [`fields_of`](Self::fields_of) a read names.
    pub fn real_fields_of(&self, read: &str) -> Vec<String> {
        let own = self.fields_of(read);
        let tool = self.reads().find(|one| one.name == read).map(Read::tool);
        match (&self.binding, tool) {
            (Some(binding), Some(tool)) => own.iter().map(|field| binding.field(tool, field)).collect(),
            _ => own,
        }
    }

    /// What stands for its calls, where a company's tools have other names.
    pub fn binding(&self) -> Option<&Arc<Binding>> {
        self.binding.as_ref()
    }

    /// The tools that write and notify in its outcomes.
    pub fn outcome_tools(&self) -> impl Iterator<Item = &ToolName> {
        self.outcomes.iter().flat_map(Outcome::tools).map(|tool| self.real_tool(tool))
    }

    /// Every tool as the file names it, with the effect that it expects, in its order, once each.
    pub fn own_tools(&self) -> Vec<(&ToolName, Effect)> {
        let mut tools: Vec<(&ToolName, Effect)> =
            self.reads().map(|read| (&read.call.tool, Effect::Read)).collect();
        for outcome in &self.outcomes {
            for step in &outcome.steps {
                tools.push((&step.call.tool, Effect::Write));
                if let CheckTemplate::ReadBack { call, .. } = &step.check {
                    tools.push((&call.tool, Effect::Read));
                }
                tools.extend(step.undo.iter().map(|undo| (&undo.tool, Effect::Write)));
            }
            tools.extend(outcome.show.iter().map(|call| (&call.tool, Effect::Read)));
            tools.extend(outcome.tells.iter().map(|tell| (&tell.tool, Effect::Notify)));
        }
        let mut seen = std::collections::BTreeSet::new();
        tools.retain(|tool| seen.insert(*tool));
        tools
    }
}

//! Answers to tasks that cannot be done as they are written: what comes nearest, what is missing, how to go on.

use crate::execute::prepare::model_needed;
use crate::prime::choose::Fit;
use crate::prime::suggest::{lacking, nearest, sentence};
use crate::run::Run;
use crate::settings::Process;

impl Run<'_> {
    /// Why nothing was done without a model, with sentences that would work.
    pub(crate) fn no_model(&self, text: &str, process: Option<&Process>) -> String {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let suggestions = nearest(text, &self.settings.processes, &setting);
        let mut lines = vec![model_needed(process)];
        lines.push(match suggestions.is_empty() {
            true => {
                "Without a model, the sentences that `purple help tasks` lists are understood.".to_owned()
            }
            false => {
                "Without a model, these sentences are understood (`purple help tasks` lists more):".to_owned()
            }
        });
        lines.extend(suggestions.iter().map(|one| format!("  \"{}\" ({})", one.sentence, one.title)));
        lines.join("\n")
    }

    /// What a task needs beside its words, and a whole sentence that has it.
    pub(crate) fn needs(&self, text: &str, fit: &Fit<'_>) -> (Vec<String>, String) {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let missing: Vec<String> = fit.missing.iter().map(|one| lacking(fit.task, one)).collect();
        let example = sentence(text, fit.task, &setting);
        let example = example.map(|one| format!(" For example: \"{one}\".")).unwrap_or_default();
        let why = format!(
            "\"{}\" needs more than the task says: {}.{example}",
            fit.task.title(),
            missing.join("; ")
        );
        (missing, why)
    }
}

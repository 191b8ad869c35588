//! Tasks that a language model works on. What the words order is decided before, and not by the model.

use purple_intent::{Cover, Doubt};
use purple_process::{Arithmetic, is_question};

use crate::drive::Taken;
use crate::execute::stance::{Stance, stance};
use crate::prime::choose::Fit;
use crate::prime::way::Way;
use crate::run::{Phase, Run};

impl<'a> Run<'a> {
    /// A language model works on the task. What the words order is decided before.
    pub(crate) async fn with_model(&mut self, text: &str, way: Way<'a>) -> Phase<()> {
        let asks = || Some(is_question(text).unwrap_or(Arithmetic::Needed));
        let fit = match &way {
            Way::LookUp(fit, ..) | Way::Playbook(fit) | Way::Advise(fit, _) | Way::Unclear(fit, _) => {
                Some(fit)
            }
            Way::NeedsModel(fit) => fit.as_ref(),
            Way::Calculate(_) | Way::Reverse | Way::Several(_) => None,
        };
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let is_form = fit.is_some_and(|fit| {
            matches!(fit.cover(text, &setting), Cover::Covered { .. } | Cover::Doubtful(Doubt::Words(_)))
        });
        let question = match stance(text) {
            // A file may declare that "calculate the credit" is how it is ordered.
            _ if is_form || self.session.confirmed.is_some() => None,
            Stance::Orders => None,
            Stance::ReadOnly => asks(),
            Stance::Doubtful(mood) => return self.restate_words(text, mood).await,
        };
        let (fit, question) = match way {
            Way::Advise(fit, _) => (Some(fit), question.or_else(asks)),
            // Words that order nothing of a complete process write nothing through a model either.
            Way::LookUp(fit, arithmetic, _) if fit.task.is_complete() => (Some(fit), Some(arithmetic)),
            Way::LookUp(fit, ..) | Way::Playbook(fit) | Way::Unclear(fit, _) => (Some(fit), question),
            Way::NeedsModel(fit) => (fit, question),
            Way::Calculate(_) | Way::Reverse | Way::Several(_) => (None, question),
        };
        self.driven(text, Taken { fit, question }).await
    }

    /// A complete file with all its inputs: without its tools a model drives it, if there is one.
    pub(crate) async fn complete_file(&mut self, text: &str, fit: Fit<'a>) -> Phase<()> {
        if self.ports.models.is_some()
            && let Ok(catalogue) = self.toolbox().await?
            && !self.lacking(&fit, &catalogue).is_empty()
        {
            return self.driven(text, Taken { fit: Some(fit), question: None }).await;
        }
        self.playbook(text, fit).await
    }
}

//! Tasks that a language model works on. What the words order is decided before, and not by the model.

use purple_intent::{Cover, Doubt};

use crate::drive::{Aim, Taken};
use crate::execute::stance::{Stance, WriteBasis, stance};
use crate::prime::choose::Fit;
use crate::prime::way::Way;
use crate::run::{OrderRecords, Phase, Run};

impl<'a> Run<'a> {
    /// A language model works on the task. What the words order is decided before.
    pub(crate) async fn with_model(&mut self, text: &str, way: Way<'a>) -> Phase<()> {
        let (fit, doubt) = match way {
            // Words that order nothing of a complete process write nothing through a model either.
            Way::Advise(fit, _) => {
                return self.driven(text, Taken { fit: Some(fit), aim: Aim::answer(text) }).await;
            }
            Way::LookUp(fit, arithmetic, _) if fit.task.is_complete() => {
                return self.driven(text, Taken { fit: Some(fit), aim: Aim::Answer(arithmetic) }).await;
            }
            Way::LookUp(fit, ..) | Way::Playbook(fit) => (Some(fit), None),
            Way::Unclear(fit, doubt) => (Some(fit), Some(doubt)),
            Way::NeedsModel(fit) => (fit, None),
            Way::Calculate(_) | Way::Open(_) | Way::Reverse | Way::Several(_) => (None, None),
        };
        let aim = match (self.stance(text, fit.as_ref()), &fit, doubt) {
            (Stance::Writes(basis), _, _) => Aim::Write(basis),
            (Stance::ReadOnly, _, _) => Aim::answer(text),
            // Where a complete file would do it, the requester sees what exactly.
            (Stance::Unclear(_), Some(fit), Some(doubt)) => {
                return self.restate(text, fit, &doubt).await;
            }
            (Stance::Unclear(why), _, _) => return self.restate_words(text, why).await,
        };
        self.driven(text, Taken { fit, aim }).await
    }

    /// What the words permit, before any model is asked.
    fn stance(&self, text: &str, fit: Option<&Fit<'_>>) -> Stance {
        if self.session.confirmed.is_some() {
            return Stance::Writes(WriteBasis::Confirmed);
        }
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let by_grammar = stance(text, &|word| fit.is_some_and(|fit| fit.task.uses(word)));
        let has_form = |fit: &&Fit<'_>| !fit.task.say().is_empty();
        let declared = Stance::Writes(WriteBasis::Declared);
        match (fit.filter(has_form).map(|fit| fit.cover(text, &setting)), by_grammar) {
            (Some(Cover::Covered { .. }), _) => declared,
            // A file may declare that "calculate the credit" is how it is ordered.
            (Some(Cover::Doubtful(Doubt::Words(_))), Stance::ReadOnly) => declared,
            (Some(Cover::Doubtful(_) | Cover::ReadOnly(_)) | None, by_grammar) => by_grammar,
        }
    }

    /// A complete file with all its inputs: without its tools a model drives it, if there is one.
    pub(crate) async fn complete_file(&mut self, text: &str, fit: Fit<'a>) -> Phase<()> {
        if self.ports.models.is_some()
            && let Ok(catalogue) = self.toolbox().await?
            && !self.lacking(&fit, &catalogue).is_empty()
        {
            let basis =
                if self.session.confirmed.is_some() { WriteBasis::Confirmed } else { WriteBasis::Declared };
            return self.driven(text, Taken { fit: Some(fit), aim: Aim::Write(basis) }).await;
        }
        self.playbook(text, fit).await
    }
}

impl Run<'_> {
    /// A complete file that a model or a keyword chose runs only for words that order it, or that the requester
    /// confirmed as the task of this file.
    pub(crate) async fn complete_by_model(&mut self, text: &str, fit: Fit<'_>) -> Phase<()> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let doubt = match fit.cover(text, &setting) {
            Cover::Covered { .. } if !fit.task.say().is_empty() || self.orders == OrderRecords::NotYet => {
                None
            }
            Cover::Covered { .. } => Some(Doubt::NoForm),
            Cover::Doubtful(doubt) => Some(doubt),
            Cover::ReadOnly(mood) => return self.advise(text, fit, mood).await,
        };
        match doubt {
            Some(doubt) if !self.has_confirmed(text, &fit, &doubt) => self.restate(text, &fit, &doubt).await,
            Some(_) | None => self.playbook(text, fit).await,
        }
    }
}

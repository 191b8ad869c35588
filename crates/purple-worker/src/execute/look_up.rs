//! Tasks that change nothing: look-ups and calculations without a language model.

use purple_intent::Mood;
use purple_journal::Redacted;
use purple_journal::record::plan;
use purple_process::{Arithmetic, Fact, Route, State};

use crate::execute::advise::{asked_for, nothing_changed};
use crate::execute::close::Left;
use crate::execute::finish::MODEL_NEEDED;
use crate::execute::prepare::{figures, found};
use crate::prime::calculate::Calculation;
use crate::prime::choose::Fit;
use crate::run::{Phase, Run};

/// Whether words of this mood want an answer.
pub(super) const fn asks(mood: Mood) -> bool {
    match mood {
        Mood::Question | Mood::Calculation => true,
        Mood::Order
        | Mood::Negated
        | Mood::Conditional
        | Mood::Reversal
        | Mood::Draft
        | Mood::Reported
        | Mood::OtherTime
        | Mood::Statement => false,
    }
}

impl Run<'_> {
    /// A question: what can be looked up is looked up, and nothing else happens.
    pub(crate) async fn look_up(
        &mut self,
        text: &str,
        fit: Fit<'_>,
        arithmetic: Arithmetic,
        mood: Mood,
    ) -> Phase<()> {
        if !fit.finds_something() {
            if !asks(mood) {
                return self.left_alone(mood).await;
            }
            let why = self.no_model(text, Some(fit.process));
            return self.fail(MODEL_NEEDED, &why).await;
        }
        let catalogue = match self.toolbox().await? {
            Ok(catalogue) => catalogue,
            Err(why) => return self.fail("tools.down", &why).await,
        };
        let chosen = self.take(&fit).await?;
        self.route(Route::question(arithmetic))?;
        self.step(Fact::Decomposed)?;
        let (opened, case_hash) = self.gather(chosen, text, &catalogue).await?;
        let found = found(&opened);
        if found.is_empty() && !asks(mood) {
            self.step(Fact::Assessed)?;
            if self.session.walk.state() == State::Compute {
                self.step(Fact::Computed)?;
            }
            let sentences = vec![nothing_changed(mood)];
            return self.close(Left { case: Some(case_hash), sentences, ..Left::default() }).await;
        }
        if found.is_empty() {
            let why: Vec<String> = opened
                .dossier
                .reads
                .iter()
                .filter_map(|read| Some(format!("`{}`: {}", read.tool, read.answers.as_ref().err()?)))
                .collect();
            return self
                .fail("data.not_found", &format!("Nothing could be looked up. {}", why.join("; ")))
                .await;
        }
        self.step(Fact::Assessed)?;
        let sentences = vec![nothing_changed(mood)];
        let mut left = Left { case: Some(case_hash), sentences, shows: found, ..Left::default() };
        if self.session.walk.state() == State::Compute {
            left.figures = figures(&opened)?;
            let headline = asked_for(text, &left.figures, &left.shows).filter(|_| mood == Mood::Calculation);
            left.sentences.splice(0..0, headline);
            self.step(Fact::Computed)?;
        }
        self.close(left).await
    }

    /// Words that ask for nothing to be done and for no answer: nothing is looked up.
    pub(crate) async fn left_alone(&mut self, mood: Mood) -> Phase<()> {
        self.route(Route::question(Arithmetic::Needed))?;
        for fact in [Fact::Decomposed, Fact::Assessed, Fact::Computed] {
            self.step(fact)?;
        }
        self.close(Left { sentences: vec![nothing_changed(mood)], ..Left::default() }).await
    }

    /// A pure calculation, by a shipped function: an empty plan, and no tool.
    pub(crate) async fn calculated(&mut self, calculation: Calculation) -> Phase<()> {
        self.route(Route::question(Arithmetic::Needed))?;
        for fact in [Fact::Decomposed, Fact::Assessed] {
            self.step(fact)?;
        }
        let Calculation { function, given, result, lines, notes } = calculation;
        self.scribe.note(plan::Calculation {
            function: Redacted::of(function),
            given: given.iter().map(|(name, value)| (Redacted::of(name), Redacted::of(value))).collect(),
            result: Redacted::of(&result),
            lines: Redacted::all(&lines),
            notes: Redacted::all(&notes),
        })?;
        self.step(Fact::Computed)?;
        let mut sentences = vec![result.clone()];
        sentences.extend(lines);
        sentences.extend(notes.into_iter().map(|note| format!("Note: {note}")));
        let left = Left { sentences, figures: vec![(function.to_owned(), result)], ..Left::default() };
        self.close(left).await
    }
}

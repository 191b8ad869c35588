//! Tasks that change nothing: look-ups and calculations without a language model.

use purple_intent::Mood;
use purple_journal::Redacted;
use purple_journal::record::plan;
use purple_process::{Arithmetic, Fact, Route, State};

use crate::execute::advise::{First, answer_first, asked_for, nothing_changed};
use crate::execute::close::Left;
use crate::execute::field::summary;
use crate::execute::finish::MODEL_NEEDED;
use crate::execute::prepare::{NO_VALUE, figures, found};
use crate::prime::calculate::Calculation;
use crate::prime::choose::Fit;
use crate::run::{Phase, Run};

/// Whether words of this mood want an answer.
pub(crate) const fn asks(mood: Mood) -> bool {
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
            self.step(Fact::Computed)?;
        }
        if asks(mood) {
            // Nobody asked for what has no value.
            left.figures.retain(|(_, value)| !value.starts_with(NO_VALUE));
            let first = answer_first(text, mood, &left.figures, &left.shows).map(First::into_sentence);
            let first = first.or_else(|| {
                asked_for(text, &left.figures, &left.shows).filter(|_| mood == Mood::Calculation)
            });
            let said = first.map_or_else(|| summary(&left.shows), |first| vec![first]);
            left.sentences.splice(0..0, said);
        }
        self.close(left).await
    }

    /// Words that ask for nothing to be done and for no answer: nothing is looked up.
    pub(crate) async fn left_alone(&mut self, mood: Mood) -> Phase<()> {
        self.chatted(nothing_changed(mood)).await
    }

    /// Words that are answered in a sentence, without any record.
    pub(crate) async fn chatted(&mut self, said: String) -> Phase<()> {
        self.route(Route::question(Arithmetic::Needed))?;
        for fact in [Fact::Decomposed, Fact::Assessed, Fact::Computed] {
            self.step(fact)?;
        }
        self.close(Left { sentences: vec![said], ..Left::default() }).await
    }

    /// A pure calculation, by a shipped function: an empty plan, and no tool.
    pub(crate) async fn calculated(&mut self, calculation: Calculation) -> Phase<()> {
        self.route(Route::question(Arithmetic::Needed))?;
        for fact in [Fact::Decomposed, Fact::Assessed] {
            self.step(fact)?;
        }
        let Calculation { function, given, result, assumed, beside, lines, notes } = calculation;
        self.scribe.note(plan::Calculation {
            function: Redacted::of(function),
            given: given.iter().map(|(name, value)| (Redacted::of(name), Redacted::of(value))).collect(),
            result: Redacted::of(&result),
            lines: Redacted::all(&lines),
            notes: Redacted::all(&notes),
        })?;
        self.step(Fact::Computed)?;
        let said = assumed.map_or_else(|| result.clone(), |assumed| format!("{result}, {assumed}"));
        let mut sentences = vec![said];
        sentences.extend(lines);
        sentences.extend(notes.into_iter().map(|note| format!("Note: {note}")));
        let mut figures = vec![(function.to_owned(), result)];
        figures.extend(beside);
        self.close(Left { sentences, figures, ..Left::default() }).await
    }
}

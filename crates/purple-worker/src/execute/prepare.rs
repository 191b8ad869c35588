//! From words to a plan: the process is chosen, the data is gathered, the figures are computed, the rules decide.

use std::collections::BTreeMap;
use std::sync::Arc;

use purple_intent::{Cover, Doubt, Item, Mood};
use purple_journal::record::{plan, process, run, task, tool};
use purple_journal::word::{ChosenBy, Figure};
use purple_journal::{Redacted, RedactedJson};
use purple_policy::Value as Known;
use purple_process::{Arithmetic, Fact, Route, State, is_question};
use serde_json::{Value, json};

use crate::dossier::{StoredInput, known};
use crate::drive::Taken;
use crate::execute::advise::{asked_for, nothing_changed};
use crate::execute::catalogue::Catalogue;
use crate::execute::close::Left;
use crate::execute::finish::MODEL_NEEDED;
use crate::execute::reverse::is_reversal;
use crate::execute::stance::{Stance, only_states, stance, unwanted};
use crate::limits::TASK_BYTES_MAX;
use crate::port::TurnFailed;
use crate::prime::calculate::{Calculation, calculate};
use crate::prime::choose::{Fit, by_ids, choose, choose_again, to_look_up};
use crate::prime::privacy::Refusal;
use crate::run::{OrderRecords, Phase, Run};
use crate::session::{Chosen, Stage, Trail};
use crate::settings::{Process, Settings, Standing};

/// What a text leads to without a language model.
pub(crate) enum Way<'p> {
    /// A shipped function answers it.
    Calculate(Calculation),
    /// It only asks something.
    LookUp(Fit<'p>, Arithmetic, Mood),
    /// A complete file does it.
    Playbook(Fit<'p>),
    /// A complete file says what it would do: the words order nothing.
    Advise(Fit<'p>, Mood),
    /// A complete file would do it, if the requester confirms that it is meant.
    Unclear(Fit<'p>, Doubt),
    /// It asks to undo something.
    Reverse,
    /// It holds several tasks, each of them clear.
    Several(Vec<Item>),
    /// Nothing here does; what it looks like.
    NeedsModel(Option<Fit<'p>>),
}

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

/// Why a task cannot be done without a language model, and which setting provides one.
pub(crate) fn model_needed(process: Option<&Process>) -> String {
    let about = match process {
        Some(process) => {
            format!("it looks like `{}`, which is not complete enough to run alone", process.file.name())
        }
        None => "no process file points to it".to_owned(),
    };
    format!(
        "This task needs a language model: {about}. To use one, set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST."
    )
}

impl<'a> Run<'a> {
    /// Chooses how a text is worked on. Nothing is recorded yet.
    pub(crate) fn way(&self, text: &str) -> Phase<Way<'a>> {
        if is_reversal(text) {
            return Ok(Way::Reverse);
        }
        let whole = self.way_of(text)?;
        let is_clear = match &whole {
            Way::Playbook(fit) => fit.missing.is_empty(),
            Way::Calculate(_) | Way::Advise(..) | Way::Reverse | Way::Several(_) => true,
            Way::LookUp(..) | Way::Unclear(..) | Way::NeedsModel(_) => false,
        };
        if is_clear {
            return Ok(whole);
        }
        Ok(self.listed(text)?.map_or(whole, Way::Several))
    }

    /// The same for a text with one task.
    pub(crate) fn way_of(&self, text: &str) -> Phase<Way<'a>> {
        let settings: &'a Settings = self.settings;
        let setting = settings.setting(settings.day(self.scribe.began()));
        let earlier = known(&self.session.inputs)?;
        let before = self.session.chosen.as_ref().and_then(|chosen| settings.process(&chosen.process));
        let fit = match before {
            Some(process) => {
                let again = choose_again(text, process, &earlier, &setting);
                let again = again.filter(|fit| fit.missing.is_empty());
                // Without a word of its own, the process of the session yields to one that has some.
                match again {
                    Some(again) if !again.hits.is_empty() => Some(again),
                    again => {
                        let other = choose(text, &settings.processes, &earlier, &setting);
                        other.filter(|other| again.is_none() || other.missing.is_empty()).or(again)
                    }
                }
            }
            None => choose(text, &settings.processes, &earlier, &setting),
        };
        // A model finds out itself what words mean that no file explains.
        let fit = match fit {
            None if self.ports.models.is_none() => by_ids(text, &settings.processes, &earlier, &setting),
            fit => fit,
        };
        // A calculation that needs no look-up is answered by a shipped function, with or without a process for it.
        if let Some(calculation) = calculate(text, &setting)
            && fit.as_ref().is_none_or(|fit| !fit.task.is_complete() || !fit.missing.is_empty())
        {
            return Ok(Way::Calculate(calculation));
        }
        let Some(fit) = fit else {
            return Ok(match self.to_look_up(text).map(|fit| (fit.cover(text, &setting), fit)) {
                Some((Cover::ReadOnly(mood), fit)) => Way::LookUp(fit, arithmetic(text), mood),
                Some((Cover::Covered { .. } | Cover::Doubtful(_), _)) | None => Way::NeedsModel(None),
            });
        };
        Ok(self.way_with(text, fit))
    }

    /// A question about a record that no process explains is answered with the record.
    fn to_look_up(&self, text: &str) -> Option<Fit<'a>> {
        let settings: &'a Settings = self.settings;
        match self.ports.models {
            None => {
                to_look_up(text, &settings.processes, &settings.setting(settings.day(self.scribe.began())))
            }
            Some(_) => None,
        }
    }

    /// How a text is worked on that leads to a task with these inputs.
    pub(crate) fn way_with(&self, text: &str, fit: Fit<'a>) -> Way<'a> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let complete = fit.task.is_complete();
        match fit.cover(text, &setting) {
            Cover::ReadOnly(mood) if complete && fit.missing.is_empty() => Way::Advise(fit, mood),
            Cover::ReadOnly(mood) if fit.finds_something() => Way::LookUp(fit, arithmetic(text), mood),
            Cover::ReadOnly(mood) => {
                Way::LookUp(self.to_look_up(text).unwrap_or(fit), arithmetic(text), mood)
            }
            _ if !complete => Way::NeedsModel(Some(fit)),
            // A file of format 1 does not say how it is asked for: its orders are confirmed, since orders are recorded.
            Cover::Covered { .. } if fit.task.say().is_empty() && self.orders == OrderRecords::Kept => {
                Way::Unclear(fit, Doubt::NoForm)
            }
            Cover::Covered { .. } => Way::Playbook(fit),
            // What is missing is asked first; the words are read again with the answer.
            Cover::Doubtful(_) if !fit.missing.is_empty() => Way::Playbook(fit),
            // What is cancelled or reopened here is a record, and this process does not do that.
            Cover::Doubtful(Doubt::Mood(Mood::Reversal)) => Way::NeedsModel(None),
            Cover::Doubtful(doubt) => Way::Unclear(fit, doubt),
        }
    }
}

fn arithmetic(text: &str) -> Arithmetic {
    is_question(text).unwrap_or(Arithmetic::Needed)
}

impl Run<'_> {
    /// The guard refused the words: nobody sees them, and nothing is done.
    pub(crate) async fn refuse(&mut self, refusal: &Refusal) -> Phase<()> {
        let code = refusal.code.code();
        self.scribe.note(task::PrivacyRefused { code: Redacted::of(code) })?;
        let sentence = format!("It was not looked at: {}. To go on, {}.", refusal.message, refusal.help);
        if matches!(&self.session.stage, Stage::Closed { .. }) && self.session.walk.state() == State::Complete
        {
            self.begin_round(Fact::NewRound, "refused")?;
        }
        match self.session.stage {
            Stage::Preparing => {
                self.step(Fact::PrivacyRefused)?;
                let left = Left { sentences: vec![sentence], code: Some(code.to_owned()), ..Left::default() };
                self.close(left).await
            }
            Stage::Asking { .. }
            | Stage::Confirming { .. }
            | Stage::Driving(_)
            | Stage::Waiting(_)
            | Stage::Running(_)
            | Stage::Closed { .. } => self.remark_with(&sentence, Some(code.to_owned())),
        }
    }

    /// The request cannot be served as it came.
    pub(crate) async fn reject(&mut self, code: &str, why: &str) -> Phase<()> {
        self.scribe.note(task::Rejected { code: Redacted::of(code), why: Redacted::of(why) })?;
        self.step(Fact::Failed)?;
        let left = Left { sentences: vec![why.to_owned()], code: Some(code.to_owned()), ..Left::default() };
        self.close(left).await
    }
}

impl<'a> Run<'a> {
    /// Takes a task up to its plan.
    pub(crate) async fn prepare(&mut self, text: &str) -> Phase<()> {
        self.tell_definitions()?;
        let way: Way<'a> = self.way_known(text).await?;
        match way {
            Way::Calculate(calculation) => {
                self.kind_of_calculation(text).await?;
                self.calculated(calculation).await
            }
            Way::Playbook(fit) if fit.missing.is_empty() => self.complete_file(text, fit).await,
            Way::Advise(fit, mood) => self.advise(text, fit, mood).await,
            Way::Reverse => self.reverse(text).await,
            Way::Several(items) => self.several(items).await,
            way if self.ports.models.is_some() => self.with_model(text, way).await,
            way => self.unaided(text, way).await,
        }
    }

    /// A language model works on the task. What the words order is decided before.
    async fn with_model(&mut self, text: &str, way: Way<'a>) -> Phase<()> {
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

    /// Takes a task up without a model, as far as that goes.
    pub(crate) async fn unaided(&mut self, text: &str, way: Way<'a>) -> Phase<()> {
        match way {
            Way::Calculate(calculation) => self.calculated(calculation).await,
            Way::LookUp(fit, arithmetic, mood) => self.look_up(text, fit, arithmetic, mood).await,
            Way::Playbook(fit) => self.playbook(text, fit).await,
            Way::Advise(fit, mood) => self.advise(text, fit, mood).await,
            Way::Unclear(fit, doubt) => self.restate(text, &fit, &doubt).await,
            Way::Reverse => self.reverse(text).await,
            Way::Several(items) => self.several(items).await,
            Way::NeedsModel(None) if let Some(mood) = unwanted(text) => self.left_alone(mood).await,
            Way::NeedsModel(None) if only_states(text) => self.left_alone(Mood::Statement).await,
            Way::NeedsModel(fit) => {
                let why = self.no_model(text, fit.map(|fit| fit.process));
                self.fail(MODEL_NEEDED, &why).await
            }
        }
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

impl Run<'_> {
    /// A complete file runs without a model, if all its inputs and tools are there.
    pub(crate) async fn playbook(&mut self, text: &str, fit: Fit<'_>) -> Phase<()> {
        if json!(stored(&fit.found)?).to_string().len() > INPUTS_BYTES_MAX {
            let why = format!("What the task names is more than {INPUTS_BYTES_MAX} bytes. Split it up.");
            return self.fail("input.too_large", &why).await;
        }
        if !fit.missing.is_empty() {
            return self.ask_for_inputs(text, &fit).await;
        }
        let catalogue = match self.toolbox().await? {
            Ok(catalogue) => catalogue,
            Err(why) => return self.fail("tools.down", &why).await,
        };
        let lacking = self.lacking(&fit, &catalogue);
        if !lacking.is_empty() {
            let why = format!(
                "The process `{}` needs tools that are not there: {}.",
                fit.process.file.name(),
                lacking.join("; ")
            );
            return self.fail("tools.missing", &why).await;
        }
        let chosen = self.take(&fit)?;
        self.route(fit.task.route().clone())?;
        self.step(Fact::Decomposed)?;
        let (opened, case_hash) = self.gather(chosen, text, &catalogue).await?;
        if self.session.walk.state() == State::Assess {
            self.step(Fact::Assessed)?;
        }
        self.tell_figures(&opened)?;
        if self.session.walk.state() == State::Compute {
            self.step(Fact::Computed)?;
        }
        let misnamed = self.misnamed(text, &fit, &opened, case_hash)?;
        if let Some(left) =
            misnamed.map_or_else(|| self.differs(text, &opened, case_hash), |left| Ok(Some(left)))?
        {
            self.step(Fact::NothingToDo)?;
            return self.close(left).await;
        }
        self.rule_on(&opened, case_hash, &catalogue, Trail::default()).await
    }

    /// A question: what can be looked up is looked up, and nothing else happens.
    async fn look_up(&mut self, text: &str, fit: Fit<'_>, arithmetic: Arithmetic, mood: Mood) -> Phase<()> {
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
        let chosen = self.take(&fit)?;
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
    async fn left_alone(&mut self, mood: Mood) -> Phase<()> {
        self.route(Route::question(Arithmetic::Needed))?;
        for fact in [Fact::Decomposed, Fact::Assessed, Fact::Computed] {
            self.step(fact)?;
        }
        self.close(Left { sentences: vec![nothing_changed(mood)], ..Left::default() }).await
    }

    /// A pure calculation, by a shipped function: an empty plan, and no tool.
    async fn calculated(&mut self, calculation: Calculation) -> Phase<()> {
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

    async fn ask_for_inputs(&mut self, text: &str, fit: &Fit<'_>) -> Phase<()> {
        let (lacking, why) = self.needs(text, fit);
        let attended = self.settings.attendance == purple_process::Attendance::Attended;
        if !attended || self.session.gates >= INPUTS_ASKED_MAX {
            return self.fail("input.missing", &why).await;
        }
        self.session.gates = self.session.gates.saturating_add(1);
        self.take(fit)?;
        if json!(text).to_string().len() > TASK_BYTES_MAX {
            return self.fail("input.missing", &why).await;
        }
        self.session.stage = Stage::Asking { text: text.to_owned() };
        self.scribe.note(task::InputAsked { missing: Redacted::all(&lacking) })?;
        self.remark_with(
            &format!("{why} Answer with what is missing, or write the whole task again."),
            Some("input.missing".to_owned()),
        )
    }

    pub(crate) async fn fail(&mut self, code: &str, why: &str) -> Phase<()> {
        self.scribe.note(run::Failed { code: Redacted::of(code), why: Redacted::of(why) })?;
        self.step(Fact::Failed)?;
        let left = Left { sentences: vec![why.to_owned()], code: Some(code.to_owned()), ..Left::default() };
        self.close(left).await
    }

    /// Takes down the process and what the words said.
    pub(crate) fn take(&mut self, fit: &Fit<'_>) -> Phase<Chosen> {
        let before = self.session.chosen.as_ref().map(|before| before.process.as_str());
        let by = if before == Some(fit.process.file.name()) { ChosenBy::Session } else { ChosenBy::Keywords };
        self.take_by(fit, by)
    }

    /// The same, with who chose it.
    pub(crate) fn take_by(&mut self, fit: &Fit<'_>, by: ChosenBy) -> Phase<Chosen> {
        let file = self.keep_bytes(fit.process.text.as_bytes().to_vec())?;
        let chosen = Chosen {
            process: fit.process.file.name().to_owned(),
            task: fit.task.name().to_owned(),
            file,
            digest: fit.process.file.digest(),
            unsigned: fit.process.standing == Standing::Unsigned,
            signed_by: self.signer(fit.process),
        };
        let found = stored(&fit.found)?;
        self.scribe.note(process::Chosen {
            process: Redacted::of(&chosen.process),
            task: Redacted::of(&chosen.task),
            by,
            hits: Redacted::all(&fit.hits),
            inputs: RedactedJson::of(&found),
            file: chosen.file,
            route: fit.task.route().clone(),
            defined: self.definition_note(fit.process),
        })?;
        self.session.inputs.extend(found);
        self.session.chosen = Some(chosen.clone());
        Ok(chosen)
    }

    pub(crate) fn route(&mut self, route: Route) -> Phase<()> {
        self.session.walk = self.session.walk.rerouted(route)?;
        Ok(())
    }

    /// The tools: listed once in a session, and pinned.
    pub(crate) async fn toolbox(&mut self) -> Phase<Result<Arc<Catalogue>, String>> {
        if self.session.catalogue.is_some() {
            return self.catalogue().await.map(Ok);
        }
        let listing = match self.ports.tools.list(&self.session.tools_at).await {
            Ok(listing) => listing,
            Err(down) => return Ok(Err(format!("The tools cannot be reached: {}.", down.reason))),
        };
        let catalogue = Catalogue::new(listing, &self.settings.manifest);
        let bytes = catalogue
            .to_bytes()
            .map_err(|error| TurnFailed::Unreadable { what: "catalogue", why: error.to_string() })?;
        let hash = self.keep_bytes(bytes)?;
        self.session.catalogue = Some(hash);
        let catalogue = Arc::new(catalogue);
        self.shelf.keep_catalogue(hash, &catalogue);
        let (tools, left_out) = (catalogue.iter().count(), Redacted::all(catalogue.left_out()));
        self.scribe.note(tool::CataloguePinned { tools, catalogue: hash, left_out })?;
        Ok(Ok(catalogue))
    }

    fn tell_figures(&self, opened: &crate::dossier::Opened) -> Phase<()> {
        let noted = |(name, value): (String, String)| Figure {
            name: Redacted::of(&name),
            value: Redacted::of(&value),
        };
        self.scribe.note(plan::Figures { figures: figures(opened)?.into_iter().map(noted).collect() })
    }
}

/// The largest inputs of a task, in bytes as JSON. They are kept in the session and shown in the journal.
const INPUTS_BYTES_MAX: usize = 32 * 1024;
const _: () = assert!(INPUTS_BYTES_MAX < crate::limits::ENTRY_BYTES_MAX);

/// How often a task is asked for what it lacks.
pub(crate) const INPUTS_ASKED_MAX: u8 = 5;

/// What was read, by name.
pub(crate) fn found(opened: &crate::dossier::Opened) -> Vec<(String, Value)> {
    let reads = opened.dossier.reads.iter();
    reads.filter_map(|read| Some((read.name.clone(), read.answers.as_ref().ok()?.first()?.clone()))).collect()
}

/// What stands before the reason why something has no value.
pub(crate) const NO_VALUE: &str = "no value: ";

/// What the file computed, by name; what has no value says why.
pub(crate) fn figures(opened: &crate::dossier::Opened) -> Phase<Vec<(String, String)>> {
    let case = opened.case()?;
    let shown = |value: Result<Known, purple_policy::Unevaluable>| match value {
        Ok(value) => value.to_string(),
        Err(why) => format!("{NO_VALUE}{why}"),
    };
    Ok(case.figures().into_iter().map(|(name, value)| (name.to_owned(), shown(value))).collect())
}

pub(crate) fn stored(found: &BTreeMap<String, Known>) -> Phase<BTreeMap<String, Value>> {
    let one = |value: &Known| {
        serde_json::to_value(StoredInput::of(value))
            .map_err(|error| TurnFailed::Unreadable { what: "inputs", why: error.to_string() })
    };
    found.iter().map(|(name, value)| Ok((name.clone(), one(value)?))).collect()
}

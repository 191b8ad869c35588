//! From words to a plan: the process is chosen, the data is gathered, the figures are computed, the rules decide.

use std::collections::BTreeMap;
use std::sync::Arc;

use purple_journal::record::{plan, process, run, task, tool};
use purple_journal::word::{ChosenBy, Figure};
use purple_journal::{Redacted, RedactedJson};
use purple_policy::Value as Known;
use purple_process::{Fact, Route, State};
use serde_json::{Value, json};

use crate::dossier::{StoredInput, known};
use crate::execute::catalogue::Catalogue;
use crate::execute::close::Left;
use crate::execute::finish::MODEL_NEEDED;
use crate::execute::small_talk::small_talk;
use crate::execute::stance::orders_nothing;
use crate::limits::TASK_BYTES_MAX;
use crate::port::TurnFailed;
use crate::prime::choose::Fit;
use crate::prime::open::Open;
use crate::prime::privacy::Refusal;
use crate::prime::way::{ReadingContext, Way};
use crate::run::{Phase, Run};
use crate::session::{Chosen, Stage, Trail};
use crate::settings::{Process, Settings, Standing};

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

impl Run<'_> {
    /// The guard refused the words: nobody sees them, and nothing is done.
    pub(crate) async fn refuse(&mut self, refusal: &Refusal) -> Phase<()> {
        let code = refusal.code.code();
        self.scribe.note(task::PrivacyRefused { code: Redacted::of(code) })?;
        let sentence = format!("It was not looked at: {}. To go on, {}.", refusal.message, refusal.help);
        if matches!(&self.session.stage, Stage::Closed { .. }) {
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
    /// Chooses how a text is worked on. Nothing is recorded yet.
    pub(crate) fn way(&self, text: &str) -> Phase<Way<'a>> {
        Ok(self.reading_context()?.way(text))
    }

    /// What is known beside a text when it is read.
    pub(crate) fn reading_context(&self) -> Phase<ReadingContext<'a>> {
        let settings: &'a Settings = self.settings;
        Ok(ReadingContext {
            processes: &settings.processes,
            before: self.session.chosen.as_ref().and_then(|chosen| settings.process(&chosen.process)),
            earlier: known(&self.session.inputs)?,
            setting: settings.setting(settings.day(self.scribe.began())),
            has_model: self.ports.models.is_some(),
            orders: self.orders,
        })
    }

    /// Takes a task up to its plan.
    pub(crate) async fn prepare(&mut self, text: &str) -> Phase<()> {
        self.tell_definitions()?;
        let way: Way<'a> = self.way_known(text).await?;
        match way {
            Way::Calculate(calculation) => {
                self.kind_of_calculation(text).await?;
                self.calculated(calculation).await
            }
            Way::Open(open) => self.ask_for_figure(text, &open).await,
            Way::Playbook(fit) if fit.missing.is_empty() => self.complete_file(text, fit).await,
            Way::Advise(fit, mood) => self.advise(text, fit, mood).await,
            Way::Reverse => self.reverse(text).await,
            Way::Several(items) => self.several(items).await,
            way if self.ports.models.is_some() => self.with_model(text, way).await,
            way => self.unaided(text, way).await,
        }
    }

    /// Takes a task up without a model, as far as that goes.
    pub(crate) async fn unaided(&mut self, text: &str, way: Way<'a>) -> Phase<()> {
        match way {
            Way::Calculate(calculation) => self.calculated(calculation).await,
            Way::Open(open) => self.ask_for_figure(text, &open).await,
            Way::LookUp(fit, arithmetic, mood) => self.look_up(text, fit, arithmetic, mood).await,
            Way::Playbook(fit) => self.playbook(text, fit).await,
            Way::Advise(fit, mood) => self.advise(text, fit, mood).await,
            Way::Unclear(fit, doubt) => self.restate(text, &fit, &doubt).await,
            Way::Reverse => self.reverse(text).await,
            Way::Several(items) => self.several(items).await,
            Way::NeedsModel(None) if let Some(said) = small_talk(text, &self.settings.processes) => {
                self.chatted(said).await
            }
            Way::NeedsModel(None) if let Some(mood) = orders_nothing(text) => self.left_alone(mood).await,
            Way::NeedsModel(fit) => {
                let why = self.no_model(text, fit.map(|fit| fit.process));
                self.fail(MODEL_NEEDED, &why).await
            }
        }
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
        let chosen = self.take(&fit).await?;
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

    async fn ask_for_inputs(&mut self, text: &str, fit: &Fit<'_>) -> Phase<()> {
        let (lacking, why) = self.needs(text, fit);
        let attended = self.settings.attendance == purple_process::Attendance::Attended;
        if !attended || self.session.gates >= INPUTS_ASKED_MAX {
            return self.fail("input.missing", &why).await;
        }
        self.session.gates = self.session.gates.saturating_add(1);
        self.take(fit).await?;
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

    /// A calculation leaves something open: nothing is computed before the requester has said it.
    async fn ask_for_figure(&mut self, text: &str, open: &Open) -> Phase<()> {
        let why = open.question();
        let attended = self.settings.attendance == purple_process::Attendance::Attended;
        let too_long = json!(text).to_string().len() > TASK_BYTES_MAX;
        if !attended || too_long || self.session.gates >= INPUTS_ASKED_MAX {
            return self.fail("input.missing", &why).await;
        }
        self.session.gates = self.session.gates.saturating_add(1);
        self.session.stage = Stage::Asking { text: text.to_owned() };
        self.scribe.note(task::InputAsked { missing: vec![Redacted::of(&why)] })?;
        let how = "Answer with what is open, or write the whole calculation again.";
        self.remark_with(&format!("{why} {how}"), Some("input.missing".to_owned()))
    }

    pub(crate) async fn fail(&mut self, code: &str, why: &str) -> Phase<()> {
        self.scribe.note(run::Failed { code: Redacted::of(code), why: Redacted::of(why) })?;
        self.step(Fact::Failed)?;
        let left = Left { sentences: vec![why.to_owned()], code: Some(code.to_owned()), ..Left::default() };
        self.close(left).await
    }

    /// Takes down the process and what the words said.
    pub(crate) async fn take(&mut self, fit: &Fit<'_>) -> Phase<Chosen> {
        let before = self.session.chosen.as_ref().map(|before| before.process.as_str());
        let by = if before == Some(fit.process.file.name()) { ChosenBy::Session } else { ChosenBy::Keywords };
        self.take_by(fit, by).await
    }

    /// The same, with who chose it.
    pub(crate) async fn take_by(&mut self, fit: &Fit<'_>, by: ChosenBy) -> Phase<Chosen> {
        let file = self.keep_bytes(fit.process.text.as_bytes().to_vec())?;
        let chosen = Chosen {
            process: fit.process.file.name().to_owned(),
            task: fit.task.name().to_owned(),
            file,
            digest: fit.process.file.digest(),
            unsigned: fit.process.standing == Standing::Unsigned,
            signed_by: self.signer(fit.process),
            binding: self.keep_binding(fit.process).await?,
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
            binding: chosen.binding,
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

//! The model-driven path begins: the process is chosen, the tools are there, and each state's loop is set up.

use std::collections::BTreeMap;

use agent_runtime::detail::Planning;
use agent_runtime::{AgentRun, Limits, Setup};
use purple_journal::Redacted;
use purple_journal::record::{model, process, tool};
use purple_journal::word::ChosenBy;
use purple_process::file::{InputType, Task};
use purple_process::{Arithmetic, Effect, Fact, Outcome, Route, State, is_question};
use serde_json::Value;

use crate::dossier::{Dossier, Opened, known};
use crate::drive::ask::spent;
use crate::drive::budget::Budget;
use crate::drive::carry::{AtWork, Rules};
use crate::drive::memo::{Drive, Driven};
use crate::drive::offer::{TOOLS_MAX, crowded};
use crate::drive::opinion::{Opinion, with_reading};
use crate::drive::outline::{
    Classified, GENERAL, SecondOpinion, answer_fields, asked_inputs, inputs_of, plan_schema,
};
use crate::drive::prompt::{PROPOSE, Prompt, READING, SYSTEM, TASK, fenced, fenced_task, thrift};
use crate::execute::catalogue::Catalogue;
use crate::execute::operate::word;
use crate::execute::prepare::{figures, model_needed, stored};
use crate::execute::stance::{Stance, WriteBasis};
use crate::prime::brief::Brief;
use crate::prime::choose::{Fit, choose, fit_of};
use crate::run::{Phase, Run};
use crate::session::{Also, Chosen, Driving, Trail};
use crate::settings::{Process, Settings, Standing};
use crate::strategy::phase::words;
use crate::strategy::{Strategy, permitted};

/// How many loops MUTATE may have in one round: five confirmations in a row, and some more.
const LOOPS_MAX: u8 = 8;

/// The most files that a session remembers. There are hardly more kinds of task.
const POINTED_MAX: usize = 32;

/// Keywords that point to a file with confidence.
const SURE_HITS: usize = 2;

/// What a text is taken for.
pub(crate) struct Taken<'p> {
    /// What its words point to, if anything.
    pub fit: Option<Fit<'p>>,
    pub aim: Aim,
}

/// What a model is to do with a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Aim {
    /// To carry it out: writes are possible, for this reason.
    Write(WriteBasis),
    /// To answer it: writes are not possible.
    Answer(Arithmetic),
}

impl Aim {
    /// To answer a text.
    pub(crate) fn answer(text: &str) -> Self {
        Self::Answer(is_question(text).unwrap_or(Arithmetic::Needed))
    }

    /// Whether a model's own reading of the text can change it. What the requester confirmed is not read again.
    const fn second_opinion(self) -> SecondOpinion {
        match self {
            Self::Write(WriteBasis::Ordered | WriteBasis::Declared | WriteBasis::Named) => {
                SecondOpinion::Wanted
            }
            Self::Write(WriteBasis::Confirmed) | Self::Answer(_) => SecondOpinion::NotWanted,
        }
    }
}

/// Somebody was to be asked, and there is nobody.
struct Nobody;

/// The process of a task.
enum Fitting<'p> {
    Known(Fit<'p>, ChosenBy),
    /// One that was made for it.
    Made(Process),
    None,
}

impl<'p> Fitting<'p> {
    fn of(fit: Option<Fit<'p>>, by: ChosenBy) -> Self {
        fit.map_or(Self::None, |fit| Self::Known(fit, by))
    }
}

impl<'a> Run<'a> {
    /// Takes a task up with a model.
    pub(crate) async fn driven(&mut self, text: &str, taken: Taken<'a>) -> Phase<()> {
        let catalogue = match self.toolbox().await? {
            Ok(catalogue) => catalogue,
            Err(why) => return self.fail("tools.down", &why).await,
        };
        if let Some(tools) = crowded(&catalogue) {
            self.scribe.note(tool::Crowded { tools, offered_max: TOOLS_MAX })?;
        }
        let limits = &self.settings.model_limits;
        let mut drive = Drive::new(Budget::new(limits.task_tokens_max), limits.iterations_max);
        let Taken { fit, mut aim } = taken;
        let (classified, opinion) = match &self.session.chosen {
            Some(_) => (None, None),
            None => {
                let (classified, opinion) = self.classified(&mut drive, text, aim.second_opinion()).await?;
                (Some(classified), opinion)
            }
        };
        if let (Aim::Write(basis), Some(opinion)) = (aim, &opinion) {
            aim = match self.weigh(basis, opinion)? {
                Stance::Writes(basis) => Aim::Write(basis),
                Stance::ReadOnly => Aim::answer(text),
                Stance::Unclear(why) => return self.restate_words(text, why).await,
            };
        }
        if let (Aim::Write(basis), None, SecondOpinion::Wanted) = (aim, &opinion, aim.second_opinion()) {
            drive.unread = Some(basis);
        }
        let made: Process;
        let fitting = match self.fitting(&mut drive, text, (fit, aim), classified).await? {
            Ok(Fitting::Known(fit, by)) => Some((fit, by)),
            Ok(Fitting::Made(process)) => {
                made = process;
                self.fit_made(text, &made)?.map(|fit| (fit, ChosenBy::Model))
            }
            Ok(Fitting::None) => None,
            // What needs no model is done without one.
            Err(Nobody) => {
                let way = self.way(text)?;
                return self.unaided(text, way).await;
            }
        };
        let Some((fit, by)) = fitting else {
            let why = format!("There is no process `{GENERAL}` for it. {}", model_needed(None));
            return self.fail("process.missing", &why).await;
        };
        let lacking = self.lacking(&fit, &catalogue);
        let complete = fit.task.is_complete() && fit.missing.is_empty() && lacking.is_empty();
        if complete && let Aim::Write(_) = aim {
            return self.complete_by_model(text, fit).await;
        }
        let file_limits = fit.process.file.limits();
        if let Some(tokens) = file_limits.tokens {
            drive.budget.limit(u64::from(tokens));
        }
        let of_file = file_limits.model_calls.and_then(|calls| u16::try_from(calls).ok());
        // What was asked before the file was known counts too.
        let used = limits.iterations_max.saturating_sub(drive.calls_left);
        drive.calls_left = limits.calls_for(of_file, things(text)).saturating_sub(used);
        let pointed = self.pointed(text, fit.process)?;
        let also = self.also_pointed(text, fit.process).await?;
        let chosen = self.take_by(&fit, by).await?;
        let earlier = self.earlier(&chosen, also.as_ref());
        self.remember(&chosen, (&fit, pointed), also.as_ref())?;
        self.session.brief = Some(self.brief(text, &fit, &catalogue).await?);
        let route = match aim {
            Aim::Answer(arithmetic) => Route::question(arithmetic),
            Aim::Write(_) => fit.task.route().clone(),
        };
        self.choose_arm(permitted(&route)).await?;
        self.route(route)?;
        let driven = Driven { pointed, also, earlier, ..Driven::default() };
        let dossier = self.blank(chosen, text, driven).await?;
        let case = self.keep("case", &dossier)?;
        let opened = dossier.open(self).await?;
        let hash = self.keep("drive", &drive)?;
        let trail = Trail { drive: Some(hash), ..Trail::default() };
        let driving = Driving { drive: hash, case, waits: None, trail };
        self.carry_on(AtWork::new(driving, drive, opened, catalogue)).await
    }

    /// The process of a task: that of the session, else what a model says, else what the words say.
    async fn fitting(
        &self,
        drive: &mut Drive,
        text: &str,
        (fit, aim): (Option<Fit<'a>>, Aim),
        classified: Option<Classified<'a>>,
    ) -> Phase<Result<Fitting<'a>, Nobody>> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let earlier = known(&self.session.inputs)?;
        let of = |process: &'a Process| fit_of(text, process, &earlier, &setting);
        let Some(classified) = classified else {
            let chosen = self.session.chosen.as_ref();
            let before = chosen.and_then(|chosen| self.settings.process(&chosen.process)).and_then(of);
            return Ok(Ok(Fitting::of(fit.or(before), ChosenBy::Session)));
        };
        let general = || self.settings.process(GENERAL).and_then(of);
        Ok(Ok(match classified {
            Classified::Process(process) => Fitting::of(of(process), ChosenBy::Model),
            // A question is looked up and leaves nothing behind.
            Classified::Unknown(kind) if matches!(aim, Aim::Write(_)) => {
                match self.synthesized(drive, text, &kind).await? {
                    Some(process) => Fitting::Made(process),
                    None => Fitting::of(general(), ChosenBy::Model),
                }
            }
            Classified::Unknown(_) | Classified::None => Fitting::of(general(), ChosenBy::Model),
            Classified::Nothing => Fitting::of(fit.or_else(general), ChosenBy::Keywords),
            Classified::Nobody => return Ok(Err(Nobody)),
        }))
    }

    /// What a text says to a process that was made for it.
    fn fit_made<'p>(&self, text: &str, process: &'p Process) -> Phase<Option<Fit<'p>>> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        Ok(fit_of(text, process, &known(&self.session.inputs)?, &setting))
    }

    /// Whether the words of a task point to a process, whatever a model says.
    fn pointed(&self, text: &str, process: &Process) -> Phase<bool> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let fit = choose(text, &self.settings.processes, &known(&self.session.inputs)?, &setting);
        Ok(match fit {
            Some(fit) => fit.process.file.name() == process.file.name(),
            None => process.file.name() == GENERAL,
        })
    }

    /// The file that the words of a task point to, where it is not the chosen one.
    ///
    /// Two keywords, or all its inputs, make it sure, and so does one where the chosen file is a model's. One keyword, which may stand there by chance, is looked at only
    /// where no file was chosen at all.
    async fn also_pointed(&mut self, text: &str, chosen: &Process) -> Phase<Option<Also>> {
        let settings: &'a Settings = self.settings;
        let setting = settings.setting(settings.day(self.scribe.began()));
        let fit = choose(text, &settings.processes, &known(&self.session.inputs)?, &setting);
        let Some(fit) = fit.filter(|fit| fit.process.file.name() != chosen.file.name()) else {
            return Ok(None);
        };
        let is_named = !fit.task.inputs().is_empty() && fit.missing.is_empty();
        // Whoever wrote a process cannot leave the rules of another one behind by naming it.
        let is_own_work = chosen.standing == Standing::Unsigned;
        let is_sure = fit.hits.len() >= SURE_HITS || is_named || is_own_work;
        if !is_sure && chosen.file.name() != GENERAL {
            return Ok(None);
        }
        let also = Chosen {
            process: fit.process.file.name().to_owned(),
            task: fit.task.name().to_owned(),
            file: self.keep_bytes(fit.process.text.as_bytes().to_vec())?,
            digest: fit.process.file.digest(),
            unsigned: fit.process.standing == Standing::Unsigned,
            signed_by: self.signer(fit.process),
            binding: self.keep_binding(fit.process).await?,
        };
        let inputs = stored(&fit.found)?;
        self.scribe.note(process::Pointed {
            process: Redacted::of(&also.process),
            task: Redacted::of(&also.task),
            hits: Redacted::all(&fit.hits),
            file: also.file,
            sure: is_sure,
            defined: self.definition_note(fit.process),
        })?;
        Ok(Some(Also { chosen: also, inputs, is_sure }))
    }
}

impl Run<'_> {
    /// The files of earlier rounds whose rules count in this one, apart from those that count anyway.
    fn earlier(&self, chosen: &Chosen, also: Option<&Also>) -> Vec<Also> {
        let is_new = |one: &&Also| {
            let same = |other: &Chosen| one.chosen.digest == other.digest && one.chosen.task == other.task;
            !same(chosen) && !also.is_some_and(|also| same(&also.chosen))
        };
        self.session.pointed.iter().filter(is_new).cloned().collect()
    }

    /// Takes down what this round was about, for all that follow.
    fn remember(
        &mut self,
        chosen: &Chosen,
        (fit, pointed): (&Fit<'_>, bool),
        also: Option<&Also>,
    ) -> Phase<()> {
        let own = Also { chosen: chosen.clone(), inputs: stored(&fit.found)?, is_sure: pointed };
        let own = (chosen.process != GENERAL).then_some(own);
        for one in own.into_iter().chain(also.cloned()) {
            let pointed = &mut self.session.pointed;
            let place = pointed.iter().position(|known| known.chosen == one.chosen);
            if let Some(known) = place.and_then(|place| pointed.get_mut(place)) {
                known.is_sure |= one.is_sure;
                known.inputs.extend(one.inputs);
            } else if pointed.len() < POINTED_MAX {
                pointed.push(one);
            }
        }
        Ok(())
    }

    /// A case of which nothing was read yet.
    async fn blank(&mut self, chosen: Chosen, text: &str, driven: Driven) -> Phase<Dossier> {
        let (operator, request) = self.policies().await?;
        Ok(Dossier {
            chosen,
            text: text.to_owned(),
            today: self.settings.day(self.scribe.began()),
            inputs: BTreeMap::new(),
            reads: Vec::new(),
            operator,
            request,
            driven: Some(driven),
            edits: BTreeMap::new(),
            edit_count: 0,
        })
    }

    /// Sets up the loop of the present state. `false`: there is nothing in it for a model.
    pub(crate) async fn begin_state(&mut self, work: &mut AtWork) -> Phase<bool> {
        let state = self.session.walk.state();
        let Some(prompt) = Prompt::of(state) else { return Ok(false) };
        let nothing_to_do = match state {
            State::ScheduleNotify => {
                !work.drive.tells.is_empty() || work.catalogue.tools_of(Effect::Notify).next().is_none()
            }
            _ => false,
        };
        let ends = matches!(state, State::Mutate | State::ScheduleNotify | State::Complete);
        if nothing_to_do || (ends && self.is_spent(work)?) {
            return Ok(false);
        }
        let setup = self.setup(work, state, prompt).await?;
        let rules = Rules::of(state, &work.catalogue);
        match AgentRun::start(setup, &rules) {
            Ok(mut run) => {
                run.take_audit();
                work.drive.run = Some(run);
                Ok(true)
            }
            Err(error) => {
                work.drive.spent.get_or_insert(error.to_string());
                Ok(false)
            }
        }
    }

    /// Whether no model is asked any more. The limit that says so is named from then on.
    fn is_spent(&self, work: &mut AtWork) -> Phase<bool> {
        let drive = &mut work.drive;
        if drive.spent.is_none() && drive.calls_left == 0 {
            drive.spent = Some(spent(drive));
        } else if drive.spent.is_none() && drive.loops > LOOPS_MAX {
            drive.spent = Some(format!("a model may go on {LOOPS_MAX} times after a plan, and no more"));
        } else {
            return Ok(drive.spent.is_some());
        }
        let why = drive.spent.clone().unwrap_or_default();
        self.scribe.note(model::Spent { why: Redacted::of(&why), spent: drive.budget.spent() })?;
        Ok(true)
    }

    async fn setup(&mut self, work: &mut AtWork, state: State, prompt: Prompt) -> Phase<Setup> {
        let opening = match (work.drive.says.take(), state) {
            // A plan is asked for in one prompt, which stands alone.
            (Some(says), State::Decompose) => {
                work.drive.transcript.clear();
                format!("{}\n\n{says}", self.opening(work, state, prompt).await?)
            }
            (Some(says), _) => says,
            (None, _) => self.opening(work, state, prompt).await?,
        };
        let offer = self.offer(work);
        let settings = &self.settings.model_limits;
        let mut setup = Setup::new(opening);
        setup.system = Some(self.system(work).await?);
        setup.transcript = work.drive.transcript.clone();
        setup.tools = offer.definitions;
        let time = self.settings.task_timeout.as_millis();
        setup.limits = Limits {
            iterations_max: work.drive.calls_left.max(1),
            time_ms_max: u64::try_from(time).unwrap_or(u64::MAX).max(1),
            // The budget of the task counts over all its states; this loop only must not count against it twice.
            tokens_max: u64::MAX,
            output_tokens_max: settings.output_tokens_max.max(1),
            ..Limits::DEFAULT
        };
        if state == State::Decompose {
            let missing = missing(work.opened.task()?, &self.session.inputs);
            let schema = match work.drive.unread {
                Some(_) => with_reading(plan_schema(&missing)),
                None => plan_schema(&missing),
            };
            let prompt = std::mem::replace(
                &mut setup.goal,
                TASK.fill(&[("task", &fenced_task(&work.opened.dossier.text))]),
            );
            setup.planning = Planning::Model { schema, prompt };
        }
        Ok(setup)
    }

    /// What holds in every state: who decides, what is data, and what is known of the task.
    async fn system(&self, work: &AtWork) -> Phase<String> {
        let brief: Brief = match self.session.brief {
            Some(hash) => self.fetch("brief", hash).await?,
            None => Brief::default(),
        };
        let file = &work.opened.file;
        let process = format!("{}, {}", file.name(), work.opened.task()?.title());
        Ok(SYSTEM.fill(&[("process", &process), ("brief", &brief.to_text())]))
    }

    /// What the model is told when a state begins.
    async fn opening(&self, work: &AtWork, state: State, prompt: Prompt) -> Phase<String> {
        let task = work.opened.task()?;
        let proposes = self.session.walk.route().proposes_in() == Some(state);
        let propose = if proposes { PROPOSE.fill(&[]) } else { String::new() };
        let missing = missing(task, &self.session.inputs);
        let done = self.done_so_far().await?;
        let fields = self.form(work);
        let known = self.known_so_far(work, state)?;
        let reading = work.drive.unread.map(|_| READING.fill(&[])).unwrap_or_default();
        let opening = prompt.fill(&[
            ("instruction", task.instruction(state).unwrap_or_default()),
            ("inputs", &asked_inputs(&missing)),
            ("reading", &reading),
            ("task", &fenced_task(&work.opened.dossier.text)),
            ("known", &known),
            ("propose", &propose),
            ("done", &done),
            ("fields", &fields),
            ("thrift", thrift(work.drive.budget.thrift())),
        ]);
        Ok(match (self.strategy(), words(state)) {
            (Strategy::FivePhase, Some(phase)) => format!("{opening}\n\n{phase}"),
            (Strategy::Fsm | Strategy::FivePhase | Strategy::Moa(_), _) => opening,
        })
    }

    /// The way in which this round is attempted, as far as its route permits.
    pub(crate) fn strategy(&self) -> Strategy {
        Strategy::of(self.session.arm, self.session.walk.route())
    }

    /// What the file read and computed by itself, exactly, and what the policy said.
    fn known_so_far(&self, work: &AtWork, state: State) -> Phase<String> {
        let mut lines = Vec::new();
        if state == State::Assess || state == State::Compute {
            for read in &work.opened.dossier.reads {
                match &read.answers {
                    Ok(answers) => {
                        let texts: Vec<String> = answers.iter().map(ToString::to_string).collect();
                        lines.push(format!("{} ({}): {}", read.name, read.tool, texts.join("; ")));
                    }
                    Err(why) => {
                        lines.push(format!("{} ({}): could not be read: {why}", read.name, read.tool))
                    }
                }
            }
        }
        for (name, value) in figures(&work.opened)? {
            lines.push(format!("{name} = {value}"));
        }
        if state == State::Complete {
            let computed = work.opened.dossier.driven.iter().flat_map(|driven| &driven.computed);
            lines.extend(computed.map(|one| format!("{} = {}", one.name, one.value)));
        }
        if state == State::Compute {
            lines.extend(work.drive.craft.note.clone());
        }
        if lines.is_empty() {
            return Ok(String::new());
        }
        Ok(format!("Known exactly:\n{}", fenced(&lines.join("\n"))))
    }

    /// What was done in this round, as the journal says.
    pub(crate) async fn done_so_far(&self) -> Phase<String> {
        let round = self.session.round();
        let mutations = self.mutations().await?;
        let own = mutations.iter().filter(|mutation| mutation.round == round);
        let told = |outcome: Outcome| match outcome {
            Outcome::Verified => "done, and read back as it should be",
            other => word(other),
        };
        let lines: Vec<String> =
            own.map(|mutation| format!("{}: {}", mutation.headline, told(mutation.outcome))).collect();
        Ok(if lines.is_empty() { fenced("nothing") } else { fenced(&lines.join("\n")) })
    }

    /// DECOMPOSE is done: what the model pointed at in the task is taken in, and what the file reads is read.
    pub(crate) async fn decomposed(&mut self, work: AtWork, plan: Option<Value>) -> Phase<Option<AtWork>> {
        let mut work = work;
        if let Some(why) = work.drive.spent.clone() {
            self.fall_short(work, &why).await?;
            return Ok(None);
        }
        let text = work.opened.dossier.text.clone();
        let opinion = plan.as_ref().and_then(|plan| Opinion::of(plan, &text));
        if let (Some(basis), Some(opinion)) = (work.drive.unread.take(), opinion) {
            match self.weigh(basis, &opinion)? {
                Stance::Writes(_) => {}
                Stance::ReadOnly => match Aim::answer(&text) {
                    Aim::Answer(arithmetic) => self.route(Route::question(arithmetic))?,
                    Aim::Write(_) => {}
                },
                Stance::Unclear(why) => {
                    self.restate_words(&text, why).await?;
                    return Ok(None);
                }
            }
        }
        if let Some(plan) = plan {
            let setting = self.settings.setting(self.settings.day(self.scribe.began()));
            let found = inputs_of(&plan, work.opened.task()?, &text, &setting);
            let missing = missing(work.opened.task()?, &self.session.inputs);
            let new = found.into_iter().filter(|(name, _)| missing.iter().any(|(known, _)| known == name));
            self.session.inputs.extend(stored(&new.collect())?);
            work.drive.answer_fields = answer_fields(&plan, &text);
        }
        self.step(Fact::Decomposed)?;
        let chosen = work.opened.dossier.chosen.clone();
        let (opened, _) = self.gather(chosen, &text, &work.catalogue).await?;
        let mut opened = Opened::clone(&opened);
        *opened.driven_mut() = work.opened.dossier.driven.take().unwrap_or_default();
        opened.also = work.opened.also.take();
        opened.earlier = std::mem::take(&mut work.opened.earlier);
        work.opened = opened;
        work.changed = true;
        Ok(Some(work))
    }

    /// The tools that a complete task needs and does not find, in words.
    pub(crate) fn lacking(&self, fit: &Fit<'_>, catalogue: &Catalogue) -> Vec<String> {
        let (file, unbound) = self.on_catalogue(fit.process, catalogue);
        let task = file.task(fit.task.name()).unwrap_or(fit.task);
        let one = |(name, wanted): (&purple_process::ToolName, Effect)| match catalogue.get(name) {
            None => Some(
                unbound
                    .get(name.as_str())
                    .cloned()
                    .unwrap_or_else(|| format!("`{name}` is neither offered nor mapped")),
            ),
            Some(known) if !known.tool.may(wanted) => Some(format!(
                "`{name}` is {} and should be {wanted} ({})",
                known.tool.effect(),
                known.tool.reason()
            )),
            Some(_) => None,
        };
        task.tools().into_iter().filter_map(one).collect()
    }
}

/// How many things a task is about, as far as its words say: the records that it names, and its orders.
fn things(text: &str) -> usize {
    let ids: std::collections::BTreeSet<&str> = text
        .split(|c: char| c.is_whitespace() || ",;:()\"'".contains(c))
        .filter(|word| word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic))
        .collect();
    let reading = purple_intent::read(text, &purple_intent::value::Notation::default());
    let orders = reading.acts.iter().filter(|act| act.mood == purple_intent::Mood::Order).count();
    ids.len().max(orders).max(1)
}

/// The inputs of a file that nobody has found yet.
fn missing<'t>(task: &'t Task, found: &BTreeMap<String, Value>) -> Vec<(&'t str, Option<InputType>)> {
    let inputs = task.inputs().iter().filter(|input| !found.contains_key(input.name()));
    inputs.map(|input| (input.name(), input.kind())).collect()
}

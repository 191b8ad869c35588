//! Carries a model's loop through a state: asks the model, makes the calls that the state allows, and moves on.
//!
//! A turn is short: it rests after a while, and before every operation. What was asked and heard is on record by then.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use agent_runtime::detail::AuditEvent;
use agent_runtime::{Ask, Decision, Ending, Halt, Policy, State as LoopState, Told, ToolError, Violation};
use purple_journal::Redacted;
use purple_journal::record::{model, run};
use purple_process::file::Fallback;
use purple_process::{Effect, Fact, State};

use crate::dossier::Opened;
use crate::drive::ask::{Heard, MODEL_TIMER, spent, wanted};
use crate::drive::budget::{Stakes, Tier};
use crate::drive::memo::{Drive, Lack, OtherModel};
use crate::drive::mutate::CallOutcome;
use crate::drive::offer::{LOOK, Offer, PROPOSE, alias};
use crate::drive::prompt::REPAIR;
use crate::execute::call::cut;
use crate::execute::catalogue::Catalogue;
use crate::execute::close::Left;
use crate::execute::finish::is_exact_match;
use crate::port::{ModelError, ModelRequest, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::{Driving, Stage, Waits};
use crate::strategy::Strategy;
use crate::synthesis::Made;

/// How long the answers of a model may take within one turn, in milliseconds. Then it rests, so that words, a halt or
/// a cancellation find their way in between.
pub(crate) const TURN_MS_MAX: u64 = 1_000;
/// Refused writes that end a state.
const REFUSED_WRITES_MAX: usize = 3;
/// Equal rounds that end a state.
const REPEATS_MAX: usize = 3;
/// The longest wait that a provider may ask for, in seconds.
const ASKED_WAIT_S_MAX: u64 = 4 * 3_600;
/// How often an unusable reply is mended in one round.
const REPAIRS_MAX: u8 = 1;

/// A model at work, in one turn.
pub(crate) struct AtWork {
    pub driving: Driving,
    pub drive: Drive,
    pub opened: Opened,
    pub catalogue: Arc<Catalogue>,
    /// Whether the case has grown since it was kept.
    pub changed: bool,
    /// How long the answers of this turn took, in milliseconds.
    pub turn_ms: u64,
    /// The functions that were made and are offered.
    pub functions: Vec<Arc<Made>>,
}

impl AtWork {
    pub(crate) fn new(driving: Driving, drive: Drive, opened: Opened, catalogue: Arc<Catalogue>) -> Self {
        Self { driving, drive, opened, catalogue, changed: false, turn_ms: 0, functions: Vec::new() }
    }
}

/// The rules of one loop. Pure, and the same whenever it is continued.
pub(crate) struct Rules {
    state: State,
    /// Tools that change nothing: calling them in the wrong state is a mistake, not an attempt to write.
    harmless: BTreeSet<String>,
}

impl Rules {
    pub(crate) fn of(state: State, catalogue: &Catalogue) -> Self {
        let reads = catalogue.tools_of(Effect::Read).chain(catalogue.tools_of(Effect::Compute));
        let harmless = reads.map(|known| alias(known.name()));
        Self { state, harmless: harmless.chain([PROPOSE.to_owned(), LOOK.to_owned()]).collect() }
    }

    fn refused_writes(&self, state: &LoopState) -> usize {
        let refused = |error: &ToolError| match error {
            ToolError::NotOffered { tool, .. } => !self.harmless.contains(tool),
            ToolError::Refused { .. } => true,
            ToolError::BadArguments { .. }
            | ToolError::Failed { .. }
            | ToolError::Unanswered { .. }
            | ToolError::NotRun { .. }
            | ToolError::ResultTooLarge { .. }
            | ToolError::ResultTooDeep { .. } => false,
        };
        state.observations().iter().filter(|seen| seen.outcome.as_ref().err().is_some_and(refused)).count()
    }
}

impl Policy for Rules {
    fn decide(&self, _: &LoopState) -> Decision {
        match self.state {
            State::Decompose => Decision::stop("the plan is all that is asked for here"),
            _ => Decision::go_on("the state has work for a model"),
        }
    }

    fn validate_continuation(&self, state: &LoopState) -> Result<(), Violation> {
        let refused = self.refused_writes(state);
        if refused >= REFUSED_WRITES_MAX {
            return Err(Violation::new(
                "refused_writes",
                format!("{refused} writes were refused in this state"),
            ));
        }
        if state.progress().repeats() >= REPEATS_MAX {
            return Err(Violation::new("no_progress", "the same calls brought the same results"));
        }
        Ok(())
    }

    fn converged(&self, state: &LoopState) -> bool {
        let last = state.observations().last();
        last.is_some_and(|seen| seen.call.name == PROPOSE && seen.outcome.is_ok())
    }
}

impl Run<'_> {
    /// Goes on with the loop that is stored.
    pub(crate) async fn drive(&mut self) -> Phase<()> {
        let Stage::Driving(driving) = self.session.stage.clone() else { return Ok(()) };
        let drive: Drive = self.fetch("drive", driving.drive).await?;
        let opened = self.opened(driving.case).await?;
        let catalogue = self.catalogue().await?;
        self.carry_on(AtWork::new(driving, drive, Opened::clone(&opened), catalogue)).await
    }

    /// Carries the work on until it rests, waits or is over.
    pub(crate) async fn carry_on(&mut self, mut work: AtWork) -> Phase<()> {
        self.load_made(&mut work).await?;
        loop {
            let begins = work.drive.run.is_none() && self.session.walk.state() == State::Compute;
            if begins && !Box::pin(self.crafted(&mut work)).await? {
                return self.rest(work);
            }
            let begins = work.drive.run.is_none();
            if begins && (self.owes(&work) || !self.begin_state(&mut work).await?) {
                // Nothing for a model to do here, or nothing yet.
                match Box::pin(self.state_over(work, None)).await? {
                    Some(next) => work = next,
                    None => return Ok(()),
                }
                continue;
            }
            let Some(run) = &work.drive.run else { return Ok(()) };
            match run.ask() {
                Ask::Model(_) if work.turn_ms >= TURN_MS_MAX => return self.rest(work),
                Ask::Model(request) => match Box::pin(self.put_to_model(&mut work, request)).await? {
                    Heard::Reply(reply, took) => {
                        let took_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
                        work.turn_ms = work.turn_ms.saturating_add(took_ms);
                        work.driving.waits = None;
                        self.tell(&mut work, Told::Reply(reply), took)?;
                    }
                    Heard::Spent(why) => self.go_without(&mut work, why)?,
                    Heard::Never(error) => {
                        work.drive.lack = Lack::of(&error);
                        self.go_without(&mut work, error.to_string())?;
                    }
                    Heard::Garbage(error) => self.tell(&mut work, Told::Failed(error), Duration::ZERO)?,
                    Heard::Down(error) => match self.wait_for_model(work, &error).await? {
                        Some(next) => work = next,
                        None => return Ok(()),
                    },
                },
                Ask::Tools(requested) => {
                    // One at a time: what one call did decides whether the next one is made.
                    let Some(first) = requested.into_iter().next() else { return Ok(()) };
                    let call = first.call().clone();
                    match Box::pin(self.model_calls(&mut work, &call)).await? {
                        CallOutcome::Told(outcome) => {
                            let told = Told::Results(vec![first.answer(outcome)]);
                            self.tell(&mut work, told, Duration::ZERO)?;
                        }
                        CallOutcome::RunNow(operation) => return self.run_at_once(work, *operation).await,
                        CallOutcome::End(why) => return self.hand_over(work, &why).await,
                        CallOutcome::Refuted(why) => return self.refuted(work, &why).await,
                    }
                }
                Ask::Stop(ending) => match Box::pin(self.state_over(work, Some(ending))).await? {
                    Some(next) => work = next,
                    None => return Ok(()),
                },
            }
        }
    }

    /// Whether messages of granted plans are still to be sent. They follow the writes by code, and no model is asked
    /// before that: it could neither add to them nor hold them back.
    fn owes(&self, work: &AtWork) -> bool {
        let sends = matches!(self.session.walk.state(), State::Mutate | State::ScheduleNotify);
        sends && !work.drive.tells.is_empty()
    }

    /// Puts a question to a model, or the same to two where the answer is made so.
    async fn put_to_model(&self, work: &mut AtWork, request: ModelRequest) -> Phase<Heard> {
        let state = self.session.walk.state();
        let is_first = !work.drive.asked_again && !work.drive.reflected;
        if let (Strategy::Moa(reads_only), State::Complete, true) = (self.strategy(), state, is_first) {
            return self.ask_both(&mut work.drive, request, reads_only).await;
        }
        let (tier, stakes) = wanted(state, &work.opened.dossier.text);
        let other = match (work.opened.file.limits().fallback_model, tier, stakes) {
            (None, ..) | (Some(Fallback::Other), Tier::Strong, Stakes::Writes) => None,
            (Some(Fallback::Other), Tier::Strong, Stakes::Ordinary) => Some(Tier::Fast),
            (Some(Fallback::Other), Tier::Fast, _) => Some(Tier::Strong),
        };
        let spare = other.map(|other| (other, request.clone()));
        match (self.ask_model(&mut work.drive, request, (tier, stakes)).await?, spare) {
            (Heard::Down(error), Some((other, request))) => {
                let why = cut(&error.to_string());
                self.scribe.note(model::Fallback { why: Redacted::of(&why), tier: other })?;
                match self.ask_model(&mut work.drive, request, (other, stakes)).await? {
                    Heard::Down(_) => Ok(Heard::Down(error)),
                    heard @ (Heard::Reply(..) | Heard::Spent(_) | Heard::Garbage(_) | Heard::Never(_)) => {
                        Ok(heard)
                    }
                }
            }
            (heard, _) => Ok(heard),
        }
    }

    /// Tells the loop what it asked for, and the journal what the loop refused.
    pub(crate) fn tell(&mut self, work: &mut AtWork, told: Told, took: Duration) -> Phase<()> {
        let state = self.session.walk.state();
        let rules = Rules::of(state, &work.catalogue);
        let Some(run) = &mut work.drive.run else { return Ok(()) };
        run.tell(told, took, &rules)
            .map_err(|error| TurnFailed::Unreadable { what: "loop", why: error.to_string() })?;
        for entry in run.take_audit() {
            match entry.event {
                AuditEvent::Refused { tool, error, .. } => self.scribe.note(model::LoopRefused {
                    state,
                    tool: Redacted::of(&cut(&tool)),
                    why: Redacted::of(&cut(&error.to_string())),
                })?,
                AuditEvent::Halted(cause) => self.scribe.note(model::Halted {
                    state,
                    cause: Redacted::of(cause.code()),
                    why: Redacted::of(&cut(&cause.to_string())),
                })?,
                AuditEvent::Moved(_)
                | AuditEvent::Observed { .. }
                | AuditEvent::CallsDropped { .. }
                | AuditEvent::SummaryUnusable(_)
                | AuditEvent::Finished(_) => {}
            }
        }
        Ok(())
    }

    /// No model is asked any more in this round.
    fn go_without(&mut self, work: &mut AtWork, why: String) -> Phase<()> {
        if work.drive.spent.is_none() {
            let spent = work.drive.budget.spent();
            self.scribe.note(model::Spent { why: Redacted::of(&cut(&why)), spent })?;
        }
        let why = work.drive.spent.get_or_insert(why).clone();
        self.tell(work, Told::Failed(ModelError::NoModel { problem: why }), Duration::ZERO)
    }

    /// Waits for a model that does not answer, visibly, and not for ever. What is done already does not wait for words.
    async fn wait_for_model(&mut self, mut work: AtWork, error: &ModelError) -> Phase<Option<AtWork>> {
        let tries = work.driving.waits.as_ref().map_or(0, |waits| waits.tries);
        let again = usize::try_from(tries).ok().and_then(|at| self.settings.model_limits.ask_again.get(at));
        let over = self.session.walk.state() == State::Complete;
        let Some(after) = again.map(|after| asked_wait(error).max(*after)).filter(|_| !over) else {
            work.drive.lack = Lack::of(error);
            self.go_without(&mut work, error.to_string())?;
            return Ok(Some(work));
        };
        let why = cut(&error.to_string());
        let after_s = after.as_secs();
        self.scribe.note(model::Waiting { why: Redacted::of(&why), tries: tries + 1, after_s })?;
        let told =
            format!("Waiting for the language model: {why}. It is asked again in {} s.", after.as_secs());
        self.remark_with(&told, Some("model.waiting".to_owned()))?;
        work.driving.waits = Some(Waits { why, tries: tries.saturating_add(1) });
        self.lay_down(work)?;
        self.wake(MODEL_TIMER, after)?;
        Ok(None)
    }

    /// Another turn goes on with it.
    pub(crate) fn rest(&mut self, work: AtWork) -> Phase<()> {
        self.lay_down(work)?;
        self.go_on()
    }

    /// Keeps the work in the session.
    fn lay_down(&mut self, mut work: AtWork) -> Phase<()> {
        self.keep_case(&mut work)?;
        let drive = self.keep("drive", &work.drive)?;
        let mut driving = work.driving;
        driving.drive = drive;
        driving.trail.drive = Some(drive);
        self.session.stage = Stage::Driving(driving);
        Ok(())
    }

    /// Keeps the case, if it has grown.
    pub(crate) fn keep_case(&mut self, work: &mut AtWork) -> Phase<()> {
        if work.changed {
            work.driving.case = self.keep("case", &work.opened.dossier)?;
            work.changed = false;
        }
        Ok(())
    }

    /// The loop of a state is over, or there was none: what it found is taken down, and the walk goes on.
    async fn state_over(&mut self, mut work: AtWork, ending: Option<Ending>) -> Phase<Option<AtWork>> {
        let said = match work.drive.run.take() {
            Some(run) => {
                work.drive.transcript = run.messages().to_vec();
                run.state().outline().map(|outline| outline.raw.clone())
            }
            None => None,
        };
        if let Some(why) = work.uncorrected().filter(|_| !self.owes(&work)) {
            self.refuted(work, &why).await?;
            return Ok(None);
        }
        let is_begun = ending.is_some();
        let mut is_cut = false;
        let answer = match ending {
            Some(Ending::Finished(finished)) => Some(finished.answer),
            Some(Ending::Halted(cause)) => match fault(&cause) {
                Fault::Unusable if work.drive.repairs < REPAIRS_MAX => {
                    work.drive.repairs = work.drive.repairs.saturating_add(1);
                    let fault = cut(&cause.to_string());
                    work.drive.says = Some(REPAIR.fill(&[("fault", &fault)]));
                    return Ok(Some(work));
                }
                Fault::Unusable if self.session.walk.state() != State::Complete => {
                    let why = format!("the model's replies cannot be used: {cause}");
                    self.hand_over(work, &why).await?;
                    return Ok(None);
                }
                Fault::Spent => {
                    // What a loop has used up are the calls of the task, and their number is the limit.
                    let why = match (&cause, work.drive.calls_left) {
                        (Halt::IterationLimit { .. }, 0) => spent(&work.drive),
                        (cause, _) => cut(&cause.to_string()),
                    };
                    work.drive.spent.get_or_insert(why);
                    is_cut = true;
                    None
                }
                Fault::Unusable | Fault::Over => None,
            },
            None => None,
        };
        work.note_cut(self.session.walk.state(), is_begun, is_cut);
        match self.session.walk.state() {
            State::Decompose => self.decomposed(work, said).await,
            State::Assess => self.worked(work, Fact::Assessed).await,
            State::Compute => self.worked(work, Fact::Computed).await,
            State::Mutate => self.mutated(work).await,
            State::ScheduleNotify => self.notified(work).await,
            State::Complete => {
                let others = work.drive.others.clone();
                let next = self.answered(work, answer).await?;
                if next.is_none() {
                    self.tell_others(&others);
                }
                Ok(next)
            }
            State::PolicyCheck | State::ApprovalGate | State::Escalate | State::Failed => Ok(None),
        }
    }

    /// ASSESS or COMPUTE is done.
    async fn worked(&mut self, mut work: AtWork, fact: Fact<'_>) -> Phase<Option<AtWork>> {
        if let Some(why) = work.drive.spent.clone()
            && work.drive.proposed.is_none()
        {
            self.fall_short(work, &why).await?;
            return Ok(None);
        }
        // Before the state is left that may read: what the rules want to know.
        self.read_first(&mut work, &[]).await?;
        self.step(fact)?;
        match self.session.walk.state() {
            State::PolicyCheck => {
                Box::pin(self.check(work)).await?;
                Ok(None)
            }
            _ => Ok(Some(work)),
        }
    }

    /// The model cannot finish: the answer says why, and the log what was carried out and what was not.
    pub(crate) async fn fall_short(&mut self, work: AtWork, why: &str) -> Phase<()> {
        self.step(Fact::Failed)?;
        let (lack, others) = (work.drive.lack, work.drive.others.clone());
        let told = format!("The task could not be finished: {}.{}", cut(why), lack.help());
        let mut left = self.left_of(work)?;
        left.sentences = vec![told];
        left.stopped = Some(cut(why));
        left.code = Some(lack.code().to_owned());
        self.close(left).await?;
        self.tell_others(&others);
        Ok(())
    }

    /// Tells beside the answer that other models answered than those that were asked. A bare list stays bare.
    fn tell_others(&mut self, others: &[OtherModel]) {
        if let Some(told) = &mut self.told
            && !told.left.sentences.iter().any(|text| is_exact_match(text))
        {
            told.left.sentences.extend(others.iter().map(OtherModel::told));
        }
    }

    /// A person takes over.
    pub(crate) async fn hand_over(&mut self, work: AtWork, why: &str) -> Phase<()> {
        self.hand_over_with(work, why, None).await
    }

    /// The same, with a stable code.
    pub(crate) async fn hand_over_with(&mut self, work: AtWork, why: &str, code: Option<&str>) -> Phase<()> {
        self.scribe.note(run::Stopped { why: Redacted::of(&cut(why)) })?;
        self.step(Fact::Escalated)?;
        let others = work.drive.others.clone();
        let mut left = self.left_of(work)?;
        left.sentences = vec![format!("Stopped: {}.", cut(why))];
        left.stopped = Some(cut(why));
        left.code = code.map(str::to_owned);
        self.close(left).await?;
        self.tell_others(&others);
        Ok(())
    }

    /// What is known when a model's work ends.
    pub(crate) fn left_of(&mut self, mut work: AtWork) -> Phase<Left> {
        self.keep_case(&mut work)?;
        let AtWork { driving: Driving { case, trail, .. }, drive, opened, catalogue, .. } = work;
        let left = self.left(&opened, Some(case), trail, &catalogue, None)?;
        Ok(Left { unasked: drive.captured, ..left })
    }

    /// What a model may call now.
    pub(crate) fn offer(&self, work: &AtWork) -> Offer {
        let walk = &self.session.walk;
        let proposes = walk.route().proposes_in() == Some(walk.state());
        Offer::of(walk.state(), proposes, &work.catalogue, (&work.functions, &work.opened.dossier.text))
    }
}

impl AtWork {
    /// Notes that a limit ended the work of a model where it could change something: in the middle of it, or before it
    /// began although nothing was proposed before.
    fn note_cut(&mut self, state: State, is_begun: bool, is_cut: bool) {
        let drive = &mut self.drive;
        let has_proposed = drive.planned && drive.loops <= 1;
        let cut_off = match state {
            State::Mutate if !is_begun => drive.tells.is_empty() && !has_proposed,
            State::Mutate | State::ScheduleNotify => is_cut,
            _ => false,
        };
        drive.cut_off |= cut_off && drive.spent.is_some() && drive.lack == Lack::Limit;
    }

    /// Why the work is not done, once nothing is left that was captured or granted.
    pub(crate) fn cut_off(&self) -> Option<String> {
        let over = self.drive.cut_off && self.drive.captured.is_empty() && self.drive.tells.is_empty();
        self.drive.spent.clone().filter(|_| over)
    }
}

/// How long a provider asks to be left alone, as far as that is done.
fn asked_wait(error: &ModelError) -> Duration {
    match error {
        ModelError::Refused { retry_after_s, .. } => {
            Duration::from_secs(retry_after_s.unwrap_or(0).min(ASKED_WAIT_S_MAX))
        }
        ModelError::Unreachable { .. }
        | ModelError::Unreadable { .. }
        | ModelError::TimedOut { .. }
        | ModelError::NoModel { .. } => Duration::ZERO,
    }
}

/// What a halt means for the round.
enum Fault {
    /// The reply was of no use; another one may be.
    Unusable,
    /// Nothing more can be asked.
    Spent,
    /// The state is over.
    Over,
}

fn fault(cause: &Halt) -> Fault {
    match cause {
        Halt::ReplyTooLarge { .. }
        | Halt::ReplyTooDeep { .. }
        | Halt::TooManyCalls { .. }
        | Halt::IncompleteReply { .. }
        | Halt::InvalidPlan { .. }
        | Halt::Model { error: ModelError::Unreadable { .. } } => Fault::Unusable,
        Halt::Timeout { .. }
        | Halt::IterationLimit { .. }
        | Halt::TokenLimit { .. }
        | Halt::MessageLimit { .. }
        | Halt::Model { .. } => Fault::Spent,
        Halt::InvalidDecision { .. }
        | Halt::FatalTool { .. }
        | Halt::PolicyViolation { .. }
        | Halt::Cancelled { .. } => Fault::Over,
    }
}

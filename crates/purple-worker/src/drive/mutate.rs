//! What becomes of a model's calls: reads are made, writes are judged at once, run alone, captured or refused.

use agent_runtime::ToolError;
use agent_runtime::model::ToolCall;
use purple_journal::record::{model, tool};
use purple_journal::word::Becomes;
use purple_journal::{Redacted, RedactedJson};
use purple_process::{AtOnce, EarlierInTurn, Effect, Fact, Operation, Outcome, Ran, State};
use serde_json::{Map, Value, json};

use crate::dossier::Opened;
use crate::drive::audited::Audited;
use crate::drive::carry::AtWork;
use crate::drive::compute;
use crate::drive::held::in_part;
use crate::drive::memo::{Basis, Computed, Drive};
use crate::drive::offer::{Offered, function};
use crate::drive::proposal::Wanted;
use crate::drive::read::values;
use crate::drive::sequence::in_sequence;
use crate::execute::call::cut;
use crate::execute::catalogue::Known;
use crate::execute::finish::TAKEN_UP;
use crate::execute::operate::{Underway, word};
use crate::execute::rule::approval_tools;
use crate::run::{Phase, Run};
use crate::session::{Driving, Running, Stage, Trail};

/// The largest answer of a calculation that is kept with a case, in bytes as JSON.
const COMPUTED_BYTES_MAX: usize = 64 * 1024;

/// What becomes of one call.
pub(crate) enum CallOutcome {
    /// The model is told this.
    Told(Result<Value, ToolError>),
    /// It runs now, as a plan of its own; the model is told when it has.
    RunNow(Box<Operation>),
    /// The run ends: a person takes over.
    End(String),
    /// The run ends: figures stayed wrong.
    Refuted(String),
}

impl Run<'_> {
    /// Makes, judges or refuses one call of a model.
    pub(crate) async fn model_calls(&mut self, work: &mut AtWork, call: &ToolCall) -> Phase<CallOutcome> {
        let offer = self.offer(work);
        let nothing = Map::new();
        let arguments = call.arguments.as_object().unwrap_or(&nothing);
        let told = match offer.find(&call.name) {
            // INVARIANT: the loop has refused what is not offered before it got here.
            None => Err(ToolError::NotOffered { tool: call.name.clone(), offered: Vec::new() }),
            Some(Offered::Propose) => return self.proposed(work, call).await,
            Some(Offered::Calculate) => self.calculated_for(work, call)?,
            Some(Offered::Look) => {
                let looked = self.model_looks(work, &call.arguments)?;
                looked.map_err(|problem| failed(call, problem))
            }
            Some(Offered::Function(name)) => self.function_for(work, call, name)?,
            Some(Offered::Made(place)) => self.made_for(work, call, *place)?,
            Some(Offered::Tool(name)) => {
                let Some(known) = work.catalogue.get(name).cloned() else {
                    return Ok(CallOutcome::Told(Err(failed(call, "it is gone".to_owned()))));
                };
                match self.effect_here(&known, arguments) {
                    Effect::Read => {
                        let read = self.model_read(work, &known, arguments).await?;
                        read.map_err(|problem| failed(call, problem))
                    }
                    Effect::Compute => match self.model_call(&known, arguments).await? {
                        Ok(answer) => Ok(work.computed_outside(answer, &call.arguments)?),
                        Err(problem) => Err(failed(call, problem)),
                    },
                    Effect::Write | Effect::Notify | Effect::Approval => {
                        return self.wants(work, call, arguments, name.as_str()).await;
                    }
                }
            }
        };
        Ok(CallOutcome::Told(told))
    }

    /// What a call does, by its arguments where they decide. What this state has no power for stays what its tool is,
    /// and the gate refuses it.
    fn effect_here(&self, known: &Known, arguments: &Map<String, Value>) -> Effect {
        let powers = self.session.walk.state().row().allows;
        let by_arguments = values(arguments).map(|values| known.tool.effect_of(&values));
        match by_arguments {
            Ok(effect) if powers.iter().any(|(allowed, _)| *allowed == effect) => effect,
            Ok(_) | Err(_) => known.tool.effect(),
        }
    }

    /// An operation that a model calls: judged at once, by the same rules as any other.
    async fn wants(
        &mut self,
        work: &mut AtWork,
        call: &ToolCall,
        arguments: &Map<String, Value>,
        tool: &str,
    ) -> Phase<CallOutcome> {
        let refused =
            |problem: String| CallOutcome::Told(Err(ToolError::Refused { tool: call.name.clone(), problem }));
        if let Some(why) = self.too_many(work, 1)? {
            self.refused(tool, None, &why)?;
            return Ok(refused(why));
        }
        let (arguments, check) = (arguments.clone(), Map::new());
        let wanted = Wanted { tool: tool.to_owned(), arguments, check, act: None };
        let operation = match self.operation(work, &wanted, &[])? {
            Ok(operation) => operation,
            Err(problem) => {
                let (tool, at) = (call.name.clone(), String::new());
                return Ok(CallOutcome::Told(Err(ToolError::BadArguments { tool, at, problem })));
            }
        };
        self.read_first(work, std::slice::from_ref(&operation)).await?;
        match self.audited(work, std::slice::from_ref(&operation), &call.arguments)? {
            Audited::Passed => {}
            Audited::Blocked(why) => return Ok(refused(why)),
            Audited::Over(why) => return Ok(CallOutcome::Refuted(why)),
        }
        self.second_look(work, std::slice::from_ref(&operation)).await?;
        let (_, ruling) = self.planned(&work.opened, &work.catalogue, vec![operation.clone()], None).await?;
        let earlier = if work.drive.captured.is_empty() {
            EarlierInTurn::NothingCaptured
        } else {
            EarlierInTurn::Captured
        };
        let reasons: Vec<String> =
            ruling.operations().iter().flat_map(|one| one.reasons.iter().map(|why| cut(why))).collect();
        let why = reasons.join("; ");
        let becomes = ruling.at_once(earlier);
        self.scribe.note(model::Wants {
            state: self.session.walk.state(),
            headline: Redacted::of(&operation.headline()),
            step: operation.step.clone(),
            becomes: noted(becomes),
            why: Redacted::of(&why),
        })?;
        Ok(match becomes {
            AtOnce::Run => CallOutcome::RunNow(Box::new(operation)),
            AtOnce::Refuse => refused(format!("a rule forbids it: {why}")),
            AtOnce::End => {
                CallOutcome::End(format!("{} must be decided by a person: {why}", operation.headline()))
            }
            AtOnce::Capture => {
                work.drive.captured.push(operation);
                CallOutcome::Told(Ok(json!({
                    "captured": true,
                    "note": "it has not run; it waits for a person when you have finished",
                })))
            }
        })
    }

    fn calculated_for(&mut self, work: &mut AtWork, call: &ToolCall) -> Phase<Result<Value, ToolError>> {
        let source = call.arguments.get("expression").and_then(Value::as_str).unwrap_or_default();
        let sources = work.opened.sources(&work.opened.case()?);
        let worked = compute::calculate(source, &work.opened, &sources);
        Ok(match worked {
            Ok(worked) => {
                let told = work.computed(worked.value.clone(), &worked.value, worked.basis);
                self.tell_computed(call, &told)?;
                Ok(told)
            }
            Err(problem) => Err(failed(call, problem)),
        })
    }

    /// Tells the journal what was computed for a model, and from what.
    fn tell_computed(&self, call: &ToolCall, told: &Value) -> Phase<()> {
        let Some(name) = told.get("name").and_then(Value::as_str) else { return Ok(()) };
        self.scribe.note(model::Computed {
            name: Redacted::of(name),
            by: Redacted::of(&cut(&call.name)),
            arguments: RedactedJson::of(&call.arguments),
            value: RedactedJson::of(&told.get("data")),
        })
    }

    fn function_for(
        &mut self,
        work: &mut AtWork,
        call: &ToolCall,
        name: &str,
    ) -> Phase<Result<Value, ToolError>> {
        let sources = work.opened.sources(&work.opened.case()?);
        let worked = match function(name) {
            Some(function) => compute::call(function, &call.arguments, &sources),
            None => Err("there is no such function".to_owned()),
        };
        Ok(match worked {
            Ok(worked) => {
                let values = compute::values(&worked.value);
                let told = work.computed_by(&call.name, values, &worked.value, worked.basis);
                self.tell_computed(call, &told)?;
                Ok(told)
            }
            Err(problem) => Err(failed(call, problem)),
        })
    }

    /// A function that was made: its answer counts as computed, if every figure that went in has a source and a person
    /// answers for the function. Else a person answers for what rests on it.
    fn made_for(
        &mut self,
        work: &mut AtWork,
        call: &ToolCall,
        place: usize,
    ) -> Phase<Result<Value, ToolError>> {
        let Some(made) = work.functions.get(place).cloned() else {
            return Ok(Err(failed(call, "it is gone".to_owned())));
        };
        let sources = work.opened.sources(&work.opened.case()?);
        let founded = compute::all_founded(&call.arguments, &sources);
        let is_signed = work.drive.craft.signed.iter().any(|name| name == made.name());
        let claimed_by = (!is_signed).then(|| made.name());
        Ok(match self.call_made(&made, &call.arguments) {
            Ok(answer) => {
                let basis = Basis::of(founded).resting_on(claimed_by);
                let told = work.computed(answer.clone(), &answer, basis);
                self.scribe.note(tool::FunctionCalled {
                    function: Redacted::of(made.name()),
                    hash: made.hash().0,
                    founded,
                    value: RedactedJson::from_value(answer),
                    name: told.get("name").and_then(Value::as_str).map(Redacted::of),
                    round: self.session.round(),
                })?;
                self.tell_computed(call, &told)?;
                Ok(told)
            }
            Err(problem) => Err(failed(call, problem)),
        })
    }

    /// Runs one operation now: as a plan of its own, granted by policy, with all the steps of any other.
    pub(crate) async fn run_at_once(&mut self, mut work: AtWork, operation: Operation) -> Phase<()> {
        self.keep_case(&mut work)?;
        let operations = vec![operation];
        self.keep_words(&work.opened.dossier.text)?;
        let (plan, ruling) = self.planned(&work.opened, &work.catalogue, operations.clone(), None).await?;
        work.drive.at_once = Some(self.keep("plan", &plan)?);
        let drive = self.keep("drive", &work.drive)?;
        let AtWork { driving: Driving { case, trail, .. }, opened, catalogue, .. } = work;
        let mut trail = Trail { drive: Some(drive), ..trail };
        if self.session.walk.state() == State::ScheduleNotify {
            let hash = self.tell_plan(&plan, &ruling)?;
            trail.permitted.push(hash);
            return self.begin_plan(hash, case, trail);
        }
        self.step(Fact::Captured)?;
        Box::pin(self.propose(&opened, case, &catalogue, operations, trail)).await
    }

    /// POLICY_CHECK: no model. The rules judge what was proposed.
    pub(crate) async fn check(&mut self, mut work: AtWork) -> Phase<()> {
        self.keep_case(&mut work)?;
        if let Some(first) = self.claim(&work.opened).await? {
            let told = self.told_of(&first).await;
            let mut left = self.left_of(work)?;
            left.sentences = vec![told];
            // What another run does was not judged in this one.
            left.policy = None;
            left.code = Some(TAKEN_UP.to_owned());
            self.step(Fact::NothingToDo)?;
            return self.close(left).await;
        }
        let verdict = {
            let case = work.opened.case()?;
            let tools = approval_tools(&work.catalogue);
            self.bench(&work.opened, &case, &tools, None).task_verdict()
        };
        let fact = match verdict {
            Some(purple_policy::Verdict::Block) => Some(Fact::Stopped),
            Some(purple_policy::Verdict::Escalate) => Some(Fact::Escalated),
            Some(purple_policy::Verdict::Allow | purple_policy::Verdict::RequireApproval) | None => None,
        };
        if let Some(fact) = fact {
            let left = self.left_of(work)?;
            self.step(fact)?;
            return self.close(left).await;
        }
        match work.drive.proposed.take() {
            // It was said that nothing is to be done.
            Some(operations) if operations.is_empty() => {
                self.step(Fact::NothingToDo)?;
                self.carry_on(work).await
            }
            operations => {
                work.drive.planned = operations.is_some();
                self.put_forward(work, operations.unwrap_or_default()).await
            }
        }
    }

    /// Makes a plan of operations and has it judged; the model's loop waits beside it.
    async fn put_forward(&mut self, work: AtWork, operations: Vec<Operation>) -> Phase<()> {
        let operations = in_sequence(operations);
        let drive = self.keep("drive", &work.drive)?;
        let AtWork { driving: Driving { case, trail, .. }, opened, catalogue, .. } = work;
        let trail = Trail { drive: Some(drive), ..trail };
        Box::pin(self.propose(&opened, case, &catalogue, operations, trail)).await
    }

    /// The loop of MUTATE is over: captured writes go to the policy and the gate, else all writes are done.
    pub(crate) async fn mutated(&mut self, mut work: AtWork) -> Phase<Option<AtWork>> {
        self.keep_case(&mut work)?;
        let captured = std::mem::take(&mut work.drive.captured);
        if !captured.is_empty() {
            self.step(Fact::Captured)?;
            self.put_forward(work, captured).await?;
            return Ok(None);
        }
        if let Some(why) = work.cut_off() {
            self.fall_short(work, &why).await?;
            return Ok(None);
        }
        if let Some(why) = self.not_written(&work.driving.trail).await? {
            self.hand_over(work, &why).await?;
            return Ok(None);
        }
        self.applied(&work.driving.trail).await?;
        Ok(Some(work))
    }

    /// The loop of SCHEDULE_NOTIFY is over, or messages of approved plans are still to be sent.
    pub(crate) async fn notified(&mut self, mut work: AtWork) -> Phase<Option<AtWork>> {
        self.keep_case(&mut work)?;
        if !work.drive.tells.is_empty() {
            let next = work.drive.tells.remove(0);
            let drive = self.keep("drive", &work.drive)?;
            let trail = Trail { drive: Some(drive), ..work.driving.trail };
            self.session.stage = Stage::Running(Running { trail, ..next });
            self.go_on()?;
            return Ok(None);
        }
        let captured = std::mem::take(&mut work.drive.captured);
        if !captured.is_empty() {
            self.step(Fact::Captured)?;
            self.put_forward(work, captured).await?;
            return Ok(None);
        }
        if let Some(why) = work.cut_off() {
            self.fall_short(work, &why).await?;
            return Ok(None);
        }
        if let Some(why) = self.not_executed(&work.driving.trail).await? {
            self.hand_over(work, &why).await?;
            return Ok(None);
        }
        self.step(Fact::Notified)?;
        Ok(Some(work))
    }

    /// The writes of a plan are done: the model is told in a turn of its own. The record of an operation is saved
    /// before anything else is made durable.
    pub(crate) async fn back_to_model(&mut self, underway: Underway<'_>) -> Phase<()> {
        let left = underway.is_left();
        let Underway { running, plan, .. } = underway;
        let Some(hash) = running.trail.drive else { return Ok(()) };
        let mut drive: Drive = self.fetch("drive", hash).await?;
        // A write that was refused keeps the messages of its plan back for good.
        if left && Ran::new(&plan, &running.trail.started).held_back().is_none() {
            drive.tells.push(Running { trail: Trail::default(), ..running.clone() });
        }
        let opened = self.opened(running.case).await?;
        let catalogue = self.catalogue().await?;
        let told = match drive.at_once == Some(running.plan) {
            true => Some(self.outcome_of(&plan, &running.trail).await?),
            false => None,
        };
        let Running { case, trail, .. } = running;
        let driving = Driving { drive: hash, case, waits: None, trail };
        let mut work = AtWork::new(driving, drive, Opened::clone(&opened), catalogue);
        work.drive.at_once = None;
        match told {
            Some(told) => self.tell_first(&mut work, told)?,
            None => {
                work.drive.loops = work.drive.loops.saturating_add(1);
                work.drive.run = None;
            }
        }
        self.rest(work)
    }

    /// How the one operation of a plan came out and what its tool said, for the model.
    async fn outcome_of(&self, plan: &purple_process::Plan, trail: &Trail) -> Phase<Value> {
        let mut told = json!({"outcome": "not started"});
        for (operation, key) in plan.keyed() {
            let Some(record) = trail.started.iter().find(|record| record.key == key) else { continue };
            told = json!({"done": operation.headline(), "outcome": said(record.outcome)});
            let Some(ended) = self.last_call(key).await? else { continue };
            if !record.outcome.lets_go_on() {
                told["said"] = json!(ended.why.to_string());
            }
            if let (Effect::Approval, Some(answer)) = (operation.effect, ended.result) {
                let answer = self.fetch("tool result", answer).await?;
                (told["data"], told["note"]) = (in_part("", answer), json!("this grants nothing"));
            }
        }
        Ok(told)
    }

    /// Tells the result of the first call that waits for one.
    fn tell_first(&mut self, work: &mut AtWork, told: Value) -> Phase<()> {
        let Some(run) = &work.drive.run else { return Ok(()) };
        let agent_runtime::Ask::Tools(requested) = run.ask() else { return Ok(()) };
        let Some(first) = requested.into_iter().next() else { return Ok(()) };
        let told = agent_runtime::Told::Results(vec![first.answer(Ok(told))]);
        self.tell(work, told, std::time::Duration::ZERO)
    }
}

impl AtWork {
    /// Takes down a computed value, if every figure in it has a source, and tells it.
    pub(crate) fn computed(&mut self, kept: Value, shown: &Value, basis: Basis) -> Value {
        let driven = self.opened.driven_mut();
        let claimed_by = match basis {
            Basis::Founded => None,
            Basis::Claimed { by } => Some(by),
            Basis::Unknown => {
                let note = "a figure in it was neither read nor computed: a person will be asked about whatever rests on it";
                return json!({"data": shown, "note": note});
            }
        };
        let name = format!("c{}", driven.computed.len().saturating_add(1));
        let mut told = json!({"name": name, "data": shown});
        if let (Some(by), Some(fields)) = (&claimed_by, told.as_object_mut()) {
            let note = format!("nobody has signed `{by}`: a person will be asked about whatever rests on it");
            fields.insert("note".to_owned(), json!(note));
        }
        driven.computed.push(Computed { name, value: kept, claimed_by, function: None });
        self.changed = true;
        told
    }

    /// The same for a shipped function: its results are facts for rules under their names.
    fn computed_by(&mut self, function: &str, kept: Value, shown: &Value, basis: Basis) -> Value {
        let is_founded = matches!(basis, Basis::Founded);
        let told = self.computed(kept, shown, basis);
        if let Some(last) = self.opened.driven_mut().computed.last_mut().filter(|_| is_founded) {
            last.function = Some(function.to_owned());
        }
        told
    }

    /// What a calculation of a server answered counts, if it was given nothing but founded figures and is not too large
    /// to be kept with the case.
    fn computed_outside(&mut self, answer: Value, given: &Value) -> Phase<Value> {
        let sources = self.opened.sources(&self.opened.case()?);
        let fits = answer.to_string().len() <= COMPUTED_BYTES_MAX;
        let mut name = String::new();
        if fits && compute::all_founded(given, &sources) {
            let told = self.computed(answer.clone(), &answer, Basis::Founded);
            name = told.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        }
        Ok(in_part(&name, answer))
    }
}

fn said(outcome: Outcome) -> &'static str {
    word(outcome)
}

fn failed(call: &ToolCall, problem: String) -> ToolError {
    ToolError::Failed { tool: call.name.clone(), problem }
}

/// As the journal records it.
const fn noted(at_once: AtOnce) -> Becomes {
    match at_once {
        AtOnce::Run => Becomes::Runs,
        AtOnce::Capture => Becomes::Captured,
        AtOnce::Refuse => Becomes::Refused,
        AtOnce::End => Becomes::Ends,
    }
}

//! The formal loop as plain data: ask it what it needs, tell it what happened.
//!
//! Pure: no I/O, no clock, no async. Every move goes through [`AgentRun::go`], which knows only the table.

use std::collections::VecDeque;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::audit::{AuditEntry, AuditEvent};
use crate::ending::{AnswerSource, Because, Ending, Finished, Halt, SummaryFault};
use crate::history::{History, Transition};
use crate::model::{Message, ModelError, ModelReply, Purpose, ToolCall};
use crate::planner::{Deciding, Decision, Outline, Planning, read_decision, read_plan};
use crate::policy::{Checkpoint, Policy};
use crate::setup::{Finishing, Opening, Setup, check_data};
use crate::state::State;
use crate::states::Phase;
use crate::tools::{Requested, ToolError, ToolResult};
use crate::turn::{Ask, Interruption, LoopError, Told};

/// One run of the formal loop.
///
/// It never acts. [`AgentRun::ask`] says what it needs, and [`AgentRun::tell`] takes the answer, in turns, until it
/// asks to stop. Between any two turns it can be serialized, stored, and continued elsewhere with the same result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "crate::saved::SavedRun")]
pub struct AgentRun {
    pub(crate) format: u16,
    pub(crate) setup: Setup,
    pub(crate) step: Step,
    pub(crate) messages: Vec<Message>,
    /// How many messages came with the setup.
    pub(crate) seeded: usize,
    pub(crate) state: State,
    pub(crate) history: History,
    /// Input that the model has seen already, in tokens: it is not new when it is sent again.
    pub(crate) sent_tokens: u64,
    pub(crate) audit: Vec<AuditEntry>,
    pub(crate) audit_next: u32,
}

/// Where a run rests, with the data that exists only there. INTAKE and LOOP_CHECK need nothing from outside, so
/// that no run rests in them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Step {
    Planning,
    Deciding,
    Executing,
    Observing(Round),
    Finalizing(Because),
    Ended(Ending),
}

/// The calls of one reply that have no result yet, in order.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Round {
    pub(crate) pending: VecDeque<ToolCall>,
}

impl Step {
    pub(crate) fn phase(&self) -> Phase {
        match self {
            Self::Planning => Phase::Plan,
            Self::Deciding => Phase::Decide,
            Self::Executing => Phase::Execute,
            Self::Observing(_) => Phase::Observe,
            Self::Finalizing(_) | Self::Ended(Ending::Finished(_)) => Phase::Finalize,
            Self::Ended(Ending::Halted(_)) => Phase::Halt,
        }
    }
}

impl AgentRun {
    /// Starts a run: INTAKE, and on to the first state that needs something.
    ///
    /// A plan that the policy refuses halts the run at once; that is a run, not an error.
    pub fn start(setup: Setup, policy: &dyn Policy) -> Result<Self, LoopError> {
        let mut setup = setup.intake()?;
        let mut messages = std::mem::take(&mut setup.transcript);
        let seeded = messages.len();
        match setup.opening {
            Opening::Goal => messages.push(Message::user(setup.goal.clone())),
            Opening::Transcript => {}
        }
        let state = State::new(setup.goal.clone(), std::mem::take(&mut setup.data));
        let mut run = Self {
            format: crate::saved::FORMAT,
            sent_tokens: 0,
            setup,
            step: Step::Planning,
            messages,
            seeded,
            state,
            history: History::default(),
            audit: Vec::new(),
            audit_next: 0,
        };
        run.sent_tokens = run.resent_tokens();
        run.go(Phase::Plan, "input normalised".to_owned())?;
        if let Planning::Given(outline) = &run.setup.planning {
            let outline = outline.clone();
            run.accept_plan(outline, policy)?;
        }
        Ok(run)
    }

    /// Says what the run needs next. Asking changes nothing and may be repeated.
    pub fn ask(&self) -> Ask {
        match &self.step {
            Step::Planning => Ask::Model(self.request(Purpose::Plan)),
            Step::Deciding => Ask::Model(self.request(Purpose::Decide)),
            Step::Executing => Ask::Model(self.request(Purpose::Execute)),
            // INVARIANT: the only place that makes a `Requested`.
            Step::Observing(_) => Ask::Tools(self.due().cloned().map(Requested::new).collect()),
            Step::Finalizing(_) => Ask::Model(self.request(Purpose::Finalize)),
            Step::Ended(ending) => Ask::Stop(ending.clone()),
        }
    }

    /// Takes the answer to what was asked. `took` is how long it took, pauses of the run left out.
    ///
    /// What was not asked for is an error, and the run stays as it was.
    pub fn tell(&mut self, told: Told, took: Duration, policy: &dyn Policy) -> Result<(), LoopError> {
        self.check_turn(&told)?;
        self.state.spent.elapsed = self.state.spent.elapsed.saturating_add(took);
        match told {
            Told::Reply(reply) => self.hear(reply, policy),
            Told::Failed(error) => self.miss(error),
            Told::Results(results) => self.observe(results, policy),
            Told::Interrupted(why) => self.interrupt(why, policy),
        }
    }

    /// Puts something of the caller's beside the run, where a policy can see it.
    pub fn set_data(&mut self, name: impl Into<String>, value: Value) -> Result<(), LoopError> {
        let fresh = [(name.into(), value)].into();
        check_data(&fresh)?;
        self.state.data.extend(fresh);
        Ok(())
    }

    /// Takes the audit entries that were not taken before.
    pub fn take_audit(&mut self) -> Vec<AuditEntry> {
        std::mem::take(&mut self.audit)
    }

    /// The calls that are asked for: up to the next one that may not run, which is answered before those after it.
    pub(crate) fn due(&self) -> impl Iterator<Item = &ToolCall> {
        self.pending_calls().take_while(|call| self.refusal(call).is_none())
    }

    fn check_turn(&self, told: &Told) -> Result<(), LoopError> {
        let (asked, is_in_turn) = match (&self.step, told) {
            (Step::Ended(_), _) => ("nothing more", false),
            (Step::Observing(_), Told::Results(results)) => return self.check_results(results),
            (Step::Observing(_), Told::Interrupted(_)) => ("tool results", true),
            (Step::Observing(_), Told::Reply(_) | Told::Failed(_)) => ("tool results", false),
            (
                Step::Planning | Step::Deciding | Step::Executing | Step::Finalizing(_),
                Told::Reply(_) | Told::Failed(_) | Told::Interrupted(_),
            ) => ("a model reply", true),
            (Step::Planning | Step::Deciding | Step::Executing | Step::Finalizing(_), Told::Results(_)) => {
                ("a model reply", false)
            }
        };
        if is_in_turn {
            return Ok(());
        }
        let told = match told {
            Told::Reply(_) => "a model reply",
            Told::Failed(_) => "a model error",
            Told::Results(_) => "tool results",
            Told::Interrupted(_) => "an interruption",
        };
        Err(LoopError::OutOfTurn { phase: self.phase(), asked, told })
    }

    /// Results answer the calls that are due, in order, from the first on, and at least that one.
    fn check_results(&self, results: &[ToolResult]) -> Result<(), LoopError> {
        let mut due = self.due();
        let wrong = |expected: Option<&ToolCall>, got: Option<&ToolResult>| LoopError::WrongResult {
            expected: expected.map_or_else(String::new, |call| call.id.clone()),
            got: got.map_or_else(String::new, |result| result.call_id.clone()),
        };
        if results.is_empty() {
            return Err(wrong(due.next(), None));
        }
        results.iter().try_for_each(|result| match due.next() {
            Some(call) if call.id == result.call_id => Ok(()),
            expected => Err(wrong(expected, Some(result))),
        })
    }

    /// PLAN, DECIDE, EXECUTE or FINALIZE has its one reply.
    fn hear(&mut self, reply: ModelReply, policy: &dyn Policy) -> Result<(), LoopError> {
        self.account(&reply);
        let unusable = self.unusable(&reply);
        match (&self.step, unusable) {
            (Step::Finalizing(because), unusable) => {
                let because = because.clone();
                self.take_summary(because, reply, unusable)
            }
            (Step::Planning | Step::Deciding | Step::Executing, Some(halt)) => self.halt(halt),
            (Step::Planning, None) => match self.read_plan(&reply) {
                Ok(outline) => self.accept_plan(outline, policy),
                Err(halt) => self.halt(halt),
            },
            (Step::Deciding, None) => match read_decision(&reply) {
                Ok(decision) => self.accept_decision(decision, policy),
                Err(fault) => self.halt(Halt::InvalidDecision { fault }),
            },
            (Step::Executing, None) => self.take_turn(reply, policy),
            // INVARIANT: `check_turn` has let no reply through to here.
            (Step::Observing(_) | Step::Ended(_), _) => Ok(()),
        }
    }

    /// There is no reply. FINALIZE makes do with the last text; elsewhere it is an error.
    fn miss(&mut self, error: ModelError) -> Result<(), LoopError> {
        self.state.spent.model_calls = self.state.spent.model_calls.saturating_add(1);
        match &self.step {
            Step::Finalizing(because) => {
                let because = because.clone();
                self.finish_without_summary(because, SummaryFault::Model(error))
            }
            Step::Planning | Step::Deciding | Step::Executing => self.halt(Halt::Model { error }),
            // INVARIANT: `check_turn` has let no error through to here.
            Step::Observing(_) | Step::Ended(_) => Ok(()),
        }
    }

    fn read_plan(&self, reply: &ModelReply) -> Result<Outline, Halt> {
        match &self.setup.planning {
            Planning::Model { schema, .. } => {
                read_plan(reply, schema, &self.state.goal).map_err(|fault| Halt::InvalidPlan { fault })
            }
            Planning::Given(outline) => Ok(outline.clone()),
        }
    }

    fn accept_plan(&mut self, outline: Outline, policy: &dyn Policy) -> Result<(), LoopError> {
        let judged = policy.validate_plan(&outline, &self.state);
        if let Planning::Model { .. } = self.setup.planning {
            self.messages.push(Message::user(format!("Plan:\n{}", outline.raw)));
        }
        self.state.outline = Some(outline);
        if let Err(violation) = judged {
            return self.halt(Halt::PolicyViolation { at: Checkpoint::Plan, violation });
        }
        self.go(Phase::Decide, "plan accepted".to_owned())?;
        match &self.setup.deciding {
            Deciding::Rule => {
                let decision = policy.decide(&self.state);
                self.accept_decision(decision, policy)
            }
            Deciding::Model { .. } => match self.exhausted() {
                Some(halt) => self.halt(halt),
                None => self.rest(Step::Deciding),
            },
        }
    }

    fn accept_decision(&mut self, decision: Decision, policy: &dyn Policy) -> Result<(), LoopError> {
        let judged = policy.validate_decision(&decision, &self.state);
        self.state.decision = Some(decision.clone());
        match judged {
            Err(violation) => self.halt(Halt::PolicyViolation { at: Checkpoint::Decision, violation }),
            Ok(()) if decision.go_on => self.enter_execute(format!("decided to go on: {}", decision.reason)),
            Ok(()) => self.finalize(Because::Decided { reason: decision.reason }),
        }
    }

    /// The one way into EXECUTE, and so the one place where iterations are counted and bounded.
    fn enter_execute(&mut self, reason: String) -> Result<(), LoopError> {
        let iterations_max = self.setup.limits.iterations_max;
        if self.history.iteration() >= iterations_max {
            return self.halt(Halt::IterationLimit { iterations_max });
        }
        if let Some(halt) = self.exhausted() {
            return self.halt(halt);
        }
        self.go(Phase::Execute, reason)?;
        self.rest(Step::Executing)
    }

    /// EXECUTE has a usable reply: calls go to OBSERVE, none go to FINALIZE. Nothing runs here.
    fn take_turn(&mut self, reply: ModelReply, policy: &dyn Policy) -> Result<(), LoopError> {
        let calls = self.with_own_ids(reply.calls);
        let keepsake = reply.keepsake.filter(|keepsake| !keepsake.is_null());
        let round = Round { pending: calls.iter().cloned().collect() };
        self.messages.push(Message::Assistant { text: reply.text, calls, keepsake });
        if round.pending.is_empty() {
            return self.finalize(Because::NoToolCalls);
        }
        let reason = match round.pending.len() {
            1 => "the model calls a tool".to_owned(),
            calls => format!("the model calls {calls} tools"),
        };
        self.go(Phase::Observe, reason)?;
        self.settle(round, None, policy)
    }

    /// OBSERVE has results: records them in order.
    fn observe(&mut self, results: Vec<ToolResult>, policy: &dyn Policy) -> Result<(), LoopError> {
        let mut round = self.take_round();
        let mut stop = None;
        for result in results {
            stop = self.refuse_next(&mut round, stop, policy);
            if let Some(call) = round.pending.pop_front() {
                let fatal = self.record(call, result.outcome, policy);
                stop = stop.or(fatal);
            }
        }
        self.settle(round, stop, policy)
    }

    /// Answers what need not or must not run any more, then rests in OBSERVE or goes on to LOOP_CHECK.
    fn settle(&mut self, mut round: Round, stop: Option<Halt>, policy: &dyn Policy) -> Result<(), LoopError> {
        let stop = self.refuse_next(&mut round, stop, policy);
        let stop = stop.or_else(|| self.time_is_up().filter(|_| !round.pending.is_empty()));
        match &stop {
            None if !round.pending.is_empty() => return self.rest(Step::Observing(round)),
            None => {}
            Some(halt) => {
                let problem = halt.to_string();
                self.close(round, policy, |tool| ToolError::NotRun { tool, problem: problem.clone() });
            }
        }
        self.loop_check(stop, policy)
    }

    /// Answers the calls at the front that may not run. Gives the halt that is due, an earlier one first.
    fn refuse_next(
        &mut self,
        round: &mut Round,
        mut stop: Option<Halt>,
        policy: &dyn Policy,
    ) -> Option<Halt> {
        while let Some(error) = round.pending.front().and_then(|call| self.refusal(call)) {
            if let Some(call) = round.pending.pop_front() {
                let fatal = self.record(call, Err(error), policy);
                stop = stop.or(fatal);
            }
        }
        stop
    }

    /// Answers every remaining call without running it.
    fn close(&mut self, round: Round, policy: &dyn Policy, answer: impl Fn(String) -> ToolError) {
        for call in round.pending {
            let error = self.refusal(&call).unwrap_or_else(|| answer(call.name.clone()));
            self.record(call, Err(error), policy);
        }
    }

    fn loop_check(&mut self, stop: Option<Halt>, policy: &dyn Policy) -> Result<(), LoopError> {
        self.go(Phase::LoopCheck, "every call has its result".to_owned())?;
        self.state.note_round(self.history.iteration());
        if let Some(halt) = stop {
            return self.halt(halt);
        }
        if let Err(violation) = policy.validate_continuation(&self.state) {
            return self.halt(Halt::PolicyViolation { at: Checkpoint::Continuation, violation });
        }
        if policy.converged(&self.state) {
            return self.finalize(Because::Converged);
        }
        self.enter_execute("more to do".to_owned())
    }

    /// The driver waits no longer. From OBSERVE the way to HALT leads through LOOP_CHECK, and FINALIZE is terminal.
    fn interrupt(&mut self, why: Interruption, policy: &dyn Policy) -> Result<(), LoopError> {
        let halt = match why {
            Interruption::Cancelled { by } => Halt::Cancelled { by },
            Interruption::OutOfTime => self.timeout(),
        };
        match &self.step {
            Step::Observing(_) => {
                let round = self.take_round();
                let problem = halt.to_string();
                self.close(round, policy, |tool| ToolError::Unanswered { tool, problem: problem.clone() });
                self.loop_check(Some(halt), policy)
            }
            Step::Finalizing(because) => {
                let because = because.clone();
                self.finish_without_summary(because, SummaryFault::Unusable(Box::new(halt)))
            }
            Step::Planning | Step::Deciding | Step::Executing | Step::Ended(_) => self.halt(halt),
        }
    }

    fn finalize(&mut self, because: Because) -> Result<(), LoopError> {
        self.go(Phase::Finalize, because.to_string())?;
        match (&self.setup.finishing, self.exhausted()) {
            (Finishing::LastText, _) => {
                let answer = self.last_text();
                self.finish(Finished { answer, because, source: AnswerSource::LastText })
            }
            (Finishing::Summary { .. }, None) => self.rest(Step::Finalizing(because)),
            (Finishing::Summary { .. }, Some(halt)) => {
                self.finish_without_summary(because, SummaryFault::Unusable(Box::new(halt)))
            }
        }
    }

    /// FINALIZE has its one reply. Calls in it are dropped and recorded; nothing is asked again.
    fn take_summary(
        &mut self,
        because: Because,
        reply: ModelReply,
        unusable: Option<Halt>,
    ) -> Result<(), LoopError> {
        if !reply.calls.is_empty() {
            self.note(AuditEvent::CallsDropped { calls: reply.calls.len() });
        }
        if let Some(halt) = unusable {
            return self.finish_without_summary(because, SummaryFault::Unusable(Box::new(halt)));
        }
        if reply.text.trim().is_empty() {
            return self.finish_without_summary(because, SummaryFault::Empty);
        }
        if let Finishing::Summary { prompt } = &self.setup.finishing {
            self.messages.push(Message::user(prompt.clone()));
        }
        self.messages.push(Message::assistant(reply.text.clone()));
        self.finish(Finished { answer: reply.text, because, source: AnswerSource::Summary })
    }

    fn finish_without_summary(&mut self, because: Because, fault: SummaryFault) -> Result<(), LoopError> {
        self.note(AuditEvent::SummaryUnusable(fault.clone()));
        let source = AnswerSource::LastTextInstead(fault);
        let answer = self.last_text();
        self.finish(Finished { answer, because, source })
    }

    fn finish(&mut self, finished: Finished) -> Result<(), LoopError> {
        self.note(AuditEvent::Finished(finished.because.clone()));
        self.rest(Step::Ended(Ending::Finished(finished)))
    }

    /// HALT: keeps the cause, writes it to the audit, and with the step that is left the pending calls go.
    fn halt(&mut self, cause: Halt) -> Result<(), LoopError> {
        self.go(Phase::Halt, cause.to_string())?;
        self.note(AuditEvent::Halted(cause.clone()));
        self.rest(Step::Ended(Ending::Halted(cause)))
    }

    fn go(&mut self, to: Phase, reason: String) -> Result<(), LoopError> {
        let taken: Transition = self.history.go(to, reason)?.clone();
        self.note(AuditEvent::Moved(taken));
        Ok(())
    }

    fn rest(&mut self, step: Step) -> Result<(), LoopError> {
        self.step = step;
        Ok(())
    }

    pub(crate) fn note(&mut self, event: AuditEvent) {
        let (sequence, iteration) = (self.audit_next, self.history.iteration());
        self.audit.push(AuditEntry { sequence, iteration, event });
        self.audit_next = self.audit_next.saturating_add(1);
    }

    fn take_round(&mut self) -> Round {
        match &mut self.step {
            Step::Observing(round) => std::mem::take(round),
            Step::Planning | Step::Deciding | Step::Executing | Step::Finalizing(_) | Step::Ended(_) => {
                Round::default()
            }
        }
    }
}

//! Shared by the tests: a policy with switches, a scripted model, and the laws that hold at every moment of a run.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::Duration;

use agent_runtime::detail::{AuditEntry, AuditEvent};
use agent_runtime::machine::{LOOP, Needs, Phase};
use agent_runtime::model::{
    BoxFuture, Message, Model, ModelError, ModelReply, ModelRequest, Purpose, ToolCall, ToolDefinition,
};
use agent_runtime::{
    AgentRun, Ask, Decision, Ending, Interruption, Outline, Permissive, Policy, Setup, State, Told,
    ToolError, ToolResult, Violation,
};
use serde_json::{Value, json};

pub(crate) const MS: Duration = Duration::from_millis(1);

/// A policy whose answers are switches.
#[derive(Clone, Debug, Default)]
pub(crate) struct Switches {
    pub(crate) refuse_plan: bool,
    pub(crate) stop_at_decide: bool,
    pub(crate) refuse_decision: bool,
    /// Refuses to continue from this iteration on.
    pub(crate) refuse_from: Option<u16>,
    /// Sees the goal reached from this iteration on.
    pub(crate) converge_from: Option<u16>,
    /// Errors whose text holds this are fatal.
    pub(crate) fatal: Option<&'static str>,
}

impl Policy for Switches {
    fn validate_plan(&self, _: &Outline, _: &State) -> Result<(), Violation> {
        if self.refuse_plan { Err(Violation::new("plan", "not this plan")) } else { Ok(()) }
    }

    fn decide(&self, _: &State) -> Decision {
        if self.stop_at_decide { Decision::stop("nothing to do") } else { Decision::go_on("go") }
    }

    fn validate_decision(&self, _: &Decision, _: &State) -> Result<(), Violation> {
        if self.refuse_decision { Err(Violation::new("decision", "not this one")) } else { Ok(()) }
    }

    fn validate_continuation(&self, state: &State) -> Result<(), Violation> {
        let now = last_iteration(state);
        match self.refuse_from {
            Some(from) if from <= now => Err(Violation::new("continuation", "far enough")),
            _ => Ok(()),
        }
    }

    fn converged(&self, state: &State) -> bool {
        self.converge_from.is_some_and(|from| from <= last_iteration(state))
    }

    fn is_fatal(&self, _: &ToolCall, error: &ToolError, _: &State) -> bool {
        self.fatal.is_some_and(|word| error.to_string().contains(word))
    }
}

fn last_iteration(state: &State) -> u16 {
    state.observations().last().map_or(0, |seen| seen.iteration)
}

pub(crate) fn call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({ "id": id }) }
}

pub(crate) fn tools(names: &[&str]) -> Vec<ToolDefinition> {
    names.iter().map(|name| ToolDefinition::new(*name, "a tool")).collect()
}

pub(crate) fn setup(names: &[&str]) -> Setup {
    Setup { tools: tools(names), ..Setup::new("the goal") }
}

pub(crate) fn plan_schema() -> Value {
    json!({
        "type": "object",
        "required": ["goal"],
        "properties": {
            "goal": { "type": "string" },
            "required_capabilities": { "type": "array", "items": { "type": "string" } },
            "initial_steps": { "type": "array", "items": { "type": "string" } }
        },
        "additionalProperties": false
    })
}

pub(crate) fn failed(tool: &str, problem: &str) -> ToolError {
    ToolError::Failed { tool: tool.to_owned(), problem: problem.to_owned() }
}

pub(crate) fn unreachable_model() -> ModelError {
    ModelError::Unreachable { model: "m".to_owned(), problem: "no route".to_owned() }
}

/// Answers every requested call of the run with `outcome`, all at once.
pub(crate) fn results(run: &AgentRun, outcome: Result<Value, ToolError>) -> Told {
    match run.ask() {
        Ask::Tools(due) => Told::Results(due.into_iter().map(|one| one.answer(outcome.clone())).collect()),
        other => panic!("the run asks for {other:?}"),
    }
}

pub(crate) fn tell(run: &mut AgentRun, told: Told, policy: &dyn Policy) {
    run.tell(told, MS, policy).unwrap();
}

pub(crate) fn reply(run: &mut AgentRun, reply: ModelReply, policy: &dyn Policy) {
    tell(run, Told::Reply(reply), policy);
}

pub(crate) fn ending(run: &AgentRun) -> Ending {
    run.ending().unwrap_or_else(|| panic!("the run is in {}", run.state_name())).clone()
}

pub(crate) fn path(run: &AgentRun) -> Vec<&'static str> {
    run.history().iter().map(|step| step.to.name()).collect()
}

/// Stores the run and reads it again.
pub(crate) fn stored(run: &AgentRun) -> AgentRun {
    serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap()
}

/// Replies from a list, and keeps what it was asked. Empty, it fails.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub(crate) replies: Mutex<VecDeque<Result<ModelReply, ModelError>>>,
    pub(crate) requests: Mutex<Vec<ModelRequest>>,
}

impl Scripted {
    pub(crate) fn new(replies: impl IntoIterator<Item = Result<ModelReply, ModelError>>) -> Self {
        Self { replies: Mutex::new(replies.into_iter().collect()), requests: Mutex::default() }
    }
}

impl Model for Scripted {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.requests.lock().unwrap().push(request.clone());
        let next = self.replies.lock().unwrap().pop_front();
        Box::pin(async move {
            next.unwrap_or_else(|| Err(ModelError::NoModel { problem: "the script is over".to_owned() }))
        })
    }
}

/// What holds at every moment of every run. `audit` is everything the run has noted so far.
pub(crate) fn check_laws(run: &AgentRun, audit: &[AuditEntry]) {
    check_history(run);
    check_ask(run);
    check_out_of_turn(run);
    check_transcript(run);
    check_audit(run, audit);
    check_limits(run);
    assert_eq!(&stored(run), run, "a stored run is the same run");
}

fn check_history(run: &AgentRun) {
    let mut walked = vec![LOOP.start()];
    let mut iteration = 0;
    for step in run.history() {
        assert_eq!(Some(&step.from), walked.last(), "moves are connected");
        iteration += u16::from(step.to == Phase::Execute);
        assert_eq!(step.iteration, iteration, "iterations are counted");
        assert!(!step.reason.is_empty(), "every move has a reason");
        walked.push(step.to);
    }
    LOOP.check_path(&walked).unwrap();
    assert_eq!(Some(&run.phase()), walked.last(), "the state is where the history ends");
    assert!(iteration <= run.setup().limits.iterations_max, "iterations are bounded");
    let plans = walked.iter().filter(|state| **state == Phase::Plan).count();
    assert_eq!(plans, 1, "PLAN is entered once");
}

fn check_ask(run: &AgentRun) {
    let offered = &run.setup().tools;
    match (run.ask(), run.phase().needs()) {
        (Ask::Tools(due), Needs::Tools) => {
            assert_eq!(run.phase(), Phase::Observe);
            assert!(!due.is_empty(), "it waits for something");
            for one in due {
                assert!(offered.iter().any(|tool| tool.name == one.call().name), "only offered tools run");
                assert!(one.call().arguments.is_object(), "only with arguments");
            }
        }
        (Ask::Model(request), Needs::ModelOrRule | Needs::Model | Needs::ModelOrLastText) => {
            let purpose = match run.phase() {
                Phase::Plan => Purpose::Plan,
                Phase::Decide => Purpose::Decide,
                Phase::Execute => Purpose::Execute,
                Phase::Finalize => Purpose::Finalize,
                other => panic!("{other} asks a model"),
            };
            assert_eq!(request.purpose, purpose);
            let may_call = if purpose == Purpose::Execute { offered.as_slice() } else { &[] };
            assert_eq!(request.tools, may_call, "tools are offered in EXECUTE only");
            assert_eq!(request.output_schema.is_some(), purpose.is_single_shot());
            assert!(request.output_tokens_max >= 1);
        }
        (Ask::Stop(ending), needs) => {
            assert!(LOOP.is_terminal(run.phase()), "{needs:?}");
            assert!(run.is_terminal());
            assert_eq!(run.ending(), Some(&ending));
        }
        (ask, needs) => panic!("in {} ({needs:?}) it asks for {ask:?}", run.phase()),
    }
}

/// Whatever was not asked for is refused and changes nothing.
fn check_out_of_turn(run: &AgentRun) {
    let stray = ToolResult { call_id: "nobody's".to_owned(), outcome: Ok(json!(1)) };
    let wrong = [
        Told::Reply(ModelReply::text("unasked")),
        Told::Failed(unreachable_model()),
        Told::Results(vec![stray]),
        Told::Results(Vec::new()),
        Told::Interrupted(Interruption::OutOfTime),
    ];
    for told in wrong {
        let in_turn = match (run.ask(), &told) {
            (Ask::Stop(_), _) | (_, Told::Results(_)) => false,
            (Ask::Model(_), _) => true,
            (Ask::Tools(_), other) => matches!(other, Told::Interrupted(_)),
        };
        if !in_turn {
            let mut tried = run.clone();
            assert!(tried.tell(told, Duration::from_secs(9), &Permissive).is_err());
            assert_eq!(&tried, run, "a refused answer changes nothing");
        }
    }
}

/// Outside OBSERVE every call has its result; a transcript of an ended run can seed another.
fn check_transcript(run: &AgentRun) {
    let calls = |message: &Message| match message {
        Message::Assistant { calls, .. } => calls.len(),
        _ => 0,
    };
    let asked: usize = run.new_messages().iter().map(calls).sum();
    let answered =
        run.new_messages().iter().filter(|message| matches!(message, Message::Tool { .. })).count();
    let pending = run.pending_calls().count();
    assert_eq!(asked, answered + pending);
    assert_eq!(run.state().observations().len(), answered, "every result is an observation");
    assert_eq!(pending > 0, run.phase() == Phase::Observe, "calls are pending in OBSERVE only");
    if run.is_terminal() {
        let next = Setup { transcript: run.messages().to_vec(), ..Setup::new("go on") };
        AgentRun::start(next, &Permissive).unwrap();
    }
}

fn check_audit(run: &AgentRun, audit: &[AuditEntry]) {
    for (nth, entry) in audit.iter().enumerate() {
        assert_eq!(usize::try_from(entry.sequence).unwrap(), nth, "entries are numbered without gaps");
    }
    let moved = audit.iter().filter_map(|entry| match &entry.event {
        AuditEvent::Moved(step) => Some(step),
        _ => None,
    });
    assert!(moved.eq(run.history()), "every move is in the audit");
    let last = audit.last().map(|entry| &entry.event);
    match run.ending() {
        Some(Ending::Halted(cause)) => assert_eq!(last, Some(&AuditEvent::Halted(cause.clone()))),
        Some(Ending::Finished(done)) => assert_eq!(last, Some(&AuditEvent::Finished(done.because.clone()))),
        None => {}
    }
}

/// Nothing more is asked for at a limit.
fn check_limits(run: &AgentRun) {
    let (limits, spent) = (&run.setup().limits, run.state().spent());
    let calls = usize::from(limits.calls_per_reply_max);
    match run.ask() {
        Ask::Model(_) => {
            assert!(spent.elapsed_ms() < limits.time_ms_max, "a model is asked after time");
            assert!(spent.tokens() < limits.tokens_max, "a model is asked beyond the tokens");
            assert!(run.messages().len() <= usize::try_from(limits.messages_max).unwrap());
        }
        Ask::Tools(due) => {
            assert!(spent.elapsed_ms() < limits.time_ms_max, "a tool is asked for after time");
            assert!(due.len() <= calls);
        }
        Ask::Stop(_) => {}
    }
    assert!(run.messages().len() <= usize::try_from(limits.messages_max).unwrap() + calls + 3);
    assert!(spent.model_calls() <= u32::from(limits.iterations_max) + 3);
    assert!(run.state().observations().len() <= usize::from(limits.iterations_max) * calls);
}

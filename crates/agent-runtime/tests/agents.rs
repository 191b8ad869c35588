//! The agents and their driver, with a scripted model and a clock of the test's own.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod support;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_runtime::detail::{AuditEvent, BadTool, Because, Deciding, Finishing};
use agent_runtime::machine::Phase;
use agent_runtime::model::{
    BoxFuture, Message, Model, ModelError, ModelReply, ModelRequest, Purpose, Sampling, ToolCall,
    ToolDefinition,
};
use agent_runtime::{
    Agent, AgentError, AgentFsm, AgentRun, Clock, Driver, Ending, Executor, Halt, Limits, LoopError,
    MemoryAuditLog, NoAuditLog, Outline, Permissive, Planner, Policy, Setup, State, StoppedClock, ToolError,
    ToolRegistry, Violation,
};
use serde_json::json;
use support::{Scripted, Switches, call, path, plan_schema, setup, unreachable_model};

fn adder() -> Executor {
    let mut tools = ToolRegistry::default();
    let definition = ToolDefinition {
        input_schema: json!({
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
            "required": ["a", "b"]
        }),
        ..ToolDefinition::new("add", "adds two integers")
    };
    tools
        .register(definition, |arguments| async move {
            let number = |name: &str| arguments[name].as_i64().ok_or_else(|| format!("no `{name}`"));
            number("a")?.checked_add(number("b")?).map(|sum| json!(sum)).ok_or_else(|| "too large".to_owned())
        })
        .unwrap();
    Executor::new(tools)
}

fn add(a: i64, b: i64) -> ToolCall {
    ToolCall { arguments: json!({ "a": a, "b": b }), ..call("", "add") }
}

fn planner() -> Planner {
    Planner::new(plan_schema(), |input, state: &State| format!("plan for {input} ({})", state.goal()))
        .unwrap()
}

#[test]
fn the_formal_agent_goes_through_all_states() {
    let model = Arc::new(Scripted::new([
        Ok(ModelReply::text(r#"{ "goal": "add" }"#)),
        Ok(ModelReply::text(r#"{ "continue": true, "reason": "a tool fits" }"#)),
        Ok(ModelReply::calls(vec![add(2, 3)])),
        Ok(ModelReply::text("five")),
        Ok(ModelReply::text("It is five.")),
    ]));
    let audit = Arc::new(MemoryAuditLog::default());
    let deciding = Deciding::Model { prompt: "go on?".to_owned() };
    let mut agent = AgentFsm::new(model.clone(), planner().deciding(deciding), adder())
        .audit(audit.clone())
        .system("be exact")
        .sampling(Sampling { temperature_thousandths: Some(0), ..Sampling::default() })
        .finishing(Finishing::Summary { prompt: "sum up".to_owned() });
    assert!(agent.fsm().is_none());
    let finished = pollster::block_on(agent.run(" What is 2 + 3? ")).unwrap();
    assert_eq!((finished.answer.as_str(), finished.because), ("It is five.", Because::NoToolCalls));

    let run = agent.fsm().unwrap();
    assert_eq!(run.state_name(), "FINALIZE");
    assert!(run.is_terminal());
    assert_eq!(path(run), ["PLAN", "DECIDE", "EXECUTE", "OBSERVE", "LOOP_CHECK", "EXECUTE", "FINALIZE"]);
    assert_eq!(run.state().observations()[0].outcome, Ok(json!(5)));

    let requests = model.requests.lock().unwrap();
    let purposes: Vec<Purpose> = requests.iter().map(|request| request.purpose).collect();
    use Purpose::{Decide, Execute, Finalize, Plan};
    assert_eq!(purposes, [Plan, Decide, Execute, Execute, Finalize]);
    assert_eq!(requests[0].messages[1], Message::user("plan for What is 2 + 3? (What is 2 + 3?)"));
    assert!(requests.iter().all(|request| request.sampling.temperature_thousandths == Some(0)));
    assert!(requests.iter().all(|request| matches!(request.messages[0], Message::System { .. })));
    let moves = audit.entries().iter().filter(|entry| matches!(entry.event, AuditEvent::Moved(_))).count();
    assert_eq!(moves, run.history().len());
}

#[test]
fn a_halted_agent_says_why_and_can_be_inspected() {
    let audit = Arc::new(MemoryAuditLog::default());
    let model = Scripted::new([Ok(ModelReply::text("no plan"))]);
    let mut agent = AgentFsm::new(model, planner(), adder()).audit(audit.clone());
    let error = pollster::block_on(agent.run("anything")).unwrap_err();
    let AgentError::Halted(cause) = error else { panic!("{error}") };
    assert_eq!(cause.code(), "invalid_plan");
    let run = agent.fsm().unwrap();
    assert_eq!((run.phase(), run.history().len()), (Phase::Halt, 2));
    assert_eq!(audit.entries().last().unwrap().event, AuditEvent::Halted(cause));
    let empty = pollster::block_on(agent.run("  ")).unwrap_err();
    assert!(matches!(empty, AgentError::Loop(LoopError::Setup(_))));
}

#[test]
fn the_policy_and_the_limits_of_the_agent_are_those_of_its_runs() {
    let forever = || (0..9).map(|nth| Ok(ModelReply::calls(vec![add(nth, 1)])));
    let limits = Limits { iterations_max: 3, ..Limits::DEFAULT };
    let mut agent = AgentFsm::new(Scripted::new(forever()), Planner::goal_only(), adder()).limits(limits);
    let error = pollster::block_on(agent.run("loop")).unwrap_err();
    assert_eq!(error, AgentError::Halted(Halt::IterationLimit { iterations_max: 3 }));

    let policy = Switches { converge_from: Some(2), ..Switches::default() };
    let mut agent = AgentFsm::new(Scripted::new(forever()), Planner::goal_only(), adder()).policy(policy);
    let finished = pollster::block_on(agent.run("loop")).unwrap();
    assert_eq!(finished.because, Because::Converged);
    assert_eq!(agent.fsm().unwrap().iteration(), 2);

    /// Stops a run that goes round without getting anywhere.
    struct NoStalling;
    impl Policy for NoStalling {
        fn validate_continuation(&self, state: &State) -> Result<(), Violation> {
            let repeats = state.progress().repeats();
            if repeats < 3 { Ok(()) } else { Err(Violation::new("progress", "three rounds were alike")) }
        }
    }
    let same = (0..9).map(|_| Ok(ModelReply::calls(vec![add(1, 1)])));
    let mut agent = AgentFsm::new(Scripted::new(same), Planner::goal_only(), adder()).policy(NoStalling);
    let error = pollster::block_on(agent.run("loop")).unwrap_err();
    assert!(error.to_string().contains("three rounds were alike"));
    assert_eq!(agent.fsm().unwrap().iteration(), 3);
}

#[test]
fn the_simple_agent_answers_and_keeps_the_limits() {
    let replies = [Ok(ModelReply::calls(vec![add(2, 2)])), Ok(ModelReply::text("four"))];
    let mut agent = Agent::new(Scripted::new(replies), adder()).system("be brief");
    assert_eq!(pollster::block_on(agent.run("2 + 2?")).unwrap(), "four");

    let forever = (0..9).map(|nth| Ok(ModelReply::calls(vec![add(nth, 1)])));
    let limits = Limits { iterations_max: 2, ..Limits::DEFAULT };
    let mut agent = Agent::new(Scripted::new(forever), adder()).limits(limits);
    let error = pollster::block_on(agent.run("loop")).unwrap_err();
    assert_eq!(error, AgentError::Halted(Halt::IterationLimit { iterations_max: 2 }));
}

#[test]
fn a_given_plan_is_used_for_every_run() {
    let mut outline = Outline::of_goal("as always");
    outline.initial_steps = vec!["look".to_owned()];
    let replies = [Ok(ModelReply::text("done"))];
    let mut agent = AgentFsm::new(Scripted::new(replies), Planner::given(outline.clone()), adder());
    pollster::block_on(agent.run("today")).unwrap();
    assert_eq!(agent.fsm().unwrap().state().outline(), Some(&outline));
}

#[test]
fn the_executor_checks_arguments_and_reports_failures_without_trying_again() {
    let wrong = ToolCall { arguments: json!({ "a": "two", "b": 1 }), ..call("", "add") };
    let missing = ToolCall { arguments: json!({ "a": 1 }), ..call("", "add") };
    let replies = [Ok(ModelReply::calls(vec![wrong, missing, add(i64::MAX, 1)])), Ok(ModelReply::text("hm"))];
    let mut agent = AgentFsm::new(Scripted::new(replies), Planner::goal_only(), adder());
    pollster::block_on(agent.run("add")).unwrap();
    let outcomes: Vec<String> = agent
        .fsm()
        .unwrap()
        .state()
        .observations()
        .iter()
        .map(|seen| seen.outcome.as_ref().unwrap_err().to_string())
        .collect();
    let expected = [
        "the arguments of `add` are wrong at `/a`: value is not of type \"integer\"",
        "the arguments of `add` are wrong at ``: \"b\" is a required property",
        "`add` failed: too large",
    ];
    assert_eq!(outcomes, expected);
}

#[test]
fn an_executor_without_the_offered_tool_says_so() {
    let replies = [Ok(ModelReply::calls(vec![call("1", "look")])), Ok(ModelReply::text("hm"))];
    let model = Scripted::new(replies);
    let (executor, audit) = (adder(), NoAuditLog);
    let driver = Driver {
        model: &model,
        executor: &executor,
        policy: &Permissive,
        audit: &audit,
        clock: &StoppedClock,
    };
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    pollster::block_on(driver.drive(&mut run)).unwrap();
    let outcome = &run.state().observations()[0].outcome;
    let expected = ToolError::NotOffered { tool: "look".to_owned(), offered: vec!["add".to_owned()] };
    assert_eq!(outcome, &Err(expected));
}

#[test]
fn a_registry_refuses_bad_tools() {
    let mut tools = ToolRegistry::default();
    let mut register = |definition| tools.register(definition, |_| async { Ok(json!(1)) });
    register(ToolDefinition::new("one", "")).unwrap();
    assert_eq!(register(ToolDefinition::new("one", "")), Err(BadTool::Twice { name: "one".to_owned() }));
    assert!(matches!(register(ToolDefinition::new("a b", "")), Err(BadTool::Name { .. })));
    let broken =
        ToolDefinition { input_schema: json!({ "type": "thing" }), ..ToolDefinition::new("two", "") };
    assert!(matches!(register(broken), Err(BadTool::Schema { .. })));
    let remote = json!({ "$ref": "https://example.com/s.json" });
    let remote = ToolDefinition { input_schema: remote, ..ToolDefinition::new("three", "") };
    assert!(matches!(register(remote), Err(BadTool::Schema { .. })));
    assert_eq!(tools.definitions().len(), 1);
}

/// A clock that the test moves, and whose alarm rings when it is told to.
#[derive(Default)]
struct HandClock {
    now_ms: AtomicU64,
    rings: bool,
    set_for: Mutex<Vec<Duration>>,
}

impl Clock for HandClock {
    fn now(&self) -> Duration {
        Duration::from_millis(self.now_ms.load(Ordering::SeqCst))
    }

    fn alarm(&self, after: Duration) -> BoxFuture<'_, ()> {
        self.set_for.lock().unwrap().push(after);
        if self.rings { Box::pin(async {}) } else { Box::pin(std::future::pending()) }
    }
}

/// A model that needs 40 ms for each reply.
struct Slow(Arc<HandClock>, Scripted);

impl Model for Slow {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.0.now_ms.fetch_add(40, Ordering::SeqCst);
        self.1.complete(request)
    }
}

/// A model that never answers.
struct Silent;

impl Model for Silent {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(std::future::pending())
    }
}

#[test]
fn the_driver_measures_answers_with_its_clock() {
    let clock = Arc::new(HandClock::default());
    let forever = (0..9).map(|nth| Ok(ModelReply::calls(vec![add(nth, 1)])));
    let limits = Limits { time_ms_max: 100, ..Limits::DEFAULT };
    let mut agent = AgentFsm::new(Slow(clock.clone(), Scripted::new(forever)), Planner::goal_only(), adder())
        .clock(clock.clone())
        .limits(limits);
    let error = pollster::block_on(agent.run("loop")).unwrap_err();
    assert_eq!(error, AgentError::Halted(Halt::Timeout { elapsed_ms: 120, ms_max: 100 }));
    let set_for: Vec<u128> = clock.set_for.lock().unwrap().iter().map(Duration::as_millis).collect();
    assert_eq!(set_for, [100, 60, 60, 20, 20], "the alarm is set for what is left");
}

#[test]
fn a_model_that_never_answers_is_left_when_the_alarm_rings() {
    let clock = Arc::new(HandClock { rings: true, ..HandClock::default() });
    let mut agent = Agent::new(Silent, adder()).clock(clock);
    let error = pollster::block_on(agent.run("hello?")).unwrap_err();
    assert!(matches!(error, AgentError::Halted(Halt::Timeout { .. })));
}

#[test]
fn a_tool_that_never_answers_is_recorded_as_unanswered() {
    let mut tools = ToolRegistry::default();
    tools.register(ToolDefinition::new("hang", ""), |_| std::future::pending()).unwrap();
    let clock = Arc::new(HandClock { rings: true, ..HandClock::default() });
    let replies = [Ok(ModelReply::calls(vec![call("1", "hang"), call("2", "hang")]))];
    let mut agent =
        AgentFsm::new(Scripted::new(replies), Planner::goal_only(), Executor::new(tools)).clock(clock);
    let error = pollster::block_on(agent.run("wait")).unwrap_err();
    assert!(matches!(error, AgentError::Halted(Halt::Timeout { .. })));
    let run = agent.fsm().unwrap();
    assert_eq!(run.state().observations().len(), 2);
    assert!(matches!(run.state().observations()[0].outcome, Err(ToolError::Unanswered { .. })));
}

#[test]
fn an_answer_that_is_ready_counts_even_when_the_alarm_rings() {
    let clock = Arc::new(HandClock { rings: true, ..HandClock::default() });
    let mut agent = Agent::new(Scripted::new([Ok(ModelReply::text("in time"))]), adder()).clock(clock);
    assert_eq!(pollster::block_on(agent.run("quick")).unwrap(), "in time");
}

#[test]
fn a_stored_run_is_resumed_by_another_agent() {
    let mut run = AgentRun::start(
        Setup { tools: adder().registry().definitions(), ..Setup::new("2 + 3?") },
        &Permissive,
    )
    .unwrap();
    support::reply(&mut run, ModelReply::calls(vec![add(2, 3)]), &Permissive);
    let text = serde_json::to_string(&run).unwrap();

    let mut elsewhere =
        AgentFsm::new(Scripted::new([Ok(ModelReply::text("five"))]), Planner::goal_only(), adder());
    let finished = pollster::block_on(elsewhere.resume(serde_json::from_str(&text).unwrap())).unwrap();
    assert_eq!(finished.answer, "five");
    assert_eq!(elsewhere.fsm().unwrap().state().observations()[0].outcome, Ok(json!(5)));
}

#[test]
fn a_dropped_drive_leaves_the_run_where_its_last_answer_put_it() {
    let (executor, audit) = (adder(), NoAuditLog);
    let silent = Driver {
        model: &Silent,
        executor: &executor,
        policy: &Permissive,
        audit: &audit,
        clock: &StoppedClock,
    };
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    {
        let mut drive = std::pin::pin!(silent.drive(&mut run));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        assert!(std::future::Future::poll(drive.as_mut(), &mut context).is_pending());
    }
    assert_eq!(run.phase(), Phase::Execute);
    let model = Scripted::new([Ok(ModelReply::text("after all"))]);
    let awake = Driver { model: &model, ..silent };
    let ending = pollster::block_on(awake.drive(&mut run)).unwrap();
    assert!(matches!(ending, Ending::Finished(finished) if finished.answer == "after all"));
}

#[test]
fn agents_can_be_driven_on_any_thread() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    let mut agent = Agent::new(Scripted::new([Ok(ModelReply::text("here"))]), adder());
    let answer = std::thread::scope(|scope| {
        let work = is_send(agent.run("where?"));
        scope.spawn(move || pollster::block_on(work)).join().unwrap()
    });
    assert_eq!(answer.unwrap(), "here");
}

#[test]
fn a_failing_model_is_asked_once() {
    let model = Arc::new(Scripted::new([Err(unreachable_model()), Ok(ModelReply::text("too late"))]));
    let mut agent = Agent::new(model.clone(), adder());
    let error = pollster::block_on(agent.run("once")).unwrap_err();
    assert_eq!(error, AgentError::Halted(Halt::Model { error: unreachable_model() }));
    assert_eq!(model.requests.lock().unwrap().len(), 1);
}

//! The laws of the loop under arbitrary behaviour of models, tools, policies and time.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agent_runtime::detail::{AuditEntry, AuditEvent, Deciding, Finishing, Planning};
use agent_runtime::machine::Phase;
use agent_runtime::model::{
    BoxFuture, FinishReason, Model, ModelError, ModelReply, ModelRequest, ToolCall, ToolDefinition, Usage,
};
use agent_runtime::{
    AgentRun, Ask, AuditLog, Driver, Ending, Executor, Halt, Interruption, Limits, Permissive, Setup,
    StoppedClock, Told, ToolError, ToolRegistry,
};
use proptest::prelude::*;
use serde_json::{Value, json};
use support::{Switches, check_laws, failed, plan_schema, setup, stored, unreachable_model};

/// What the world does at one turn: the model if it is asked, the tools if they are, and how long that takes.
#[derive(Clone, Debug)]
struct Behaviour {
    model: Result<ModelReply, ModelError>,
    tool: Result<Value, ToolError>,
    /// How many of the requested calls are answered at once.
    at_once: usize,
    interruption: Option<Interruption>,
    took: Duration,
}

fn nested(levels: usize) -> Value {
    (0..levels).fold(json!(1), |inner, _| json!([inner]))
}

fn a_text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => Just(r#"{ "goal": "planned", "initial_steps": ["one"] }"#.to_owned()),
        3 => Just(r#"{ "continue": true, "reason": "yes" }"#.to_owned()),
        1 => Just(r#"{ "continue": false, "reason": "no" }"#.to_owned()),
        1 => Just(r#"{ "goal": "#.to_owned()),
        1 => Just(r#"{ "goal": 1e400 }"#.to_owned()),
        1 => Just(nested(100).to_string()),
        1 => Just("x".repeat(300_000)),
        3 => "\\PC{0,40}",
        2 => Just(String::new()),
    ]
}

fn a_call() -> impl Strategy<Value = ToolCall> {
    let id = prop_oneof![Just(String::new()), Just("same".to_owned()), "[a-z]{1,3}", Just("y".repeat(200))];
    let name = prop_oneof![4 => Just("look"), 4 => Just("write"), 1 => Just("made_up"), 1 => Just("")];
    let arguments = prop_oneof![
        6 => Just(json!({ "a": 1 })),
        1 => Just(json!("{ broken")),
        1 => Just(Value::Null),
        1 => Just(json!({ "deep": nested(70) })),
        1 => Just(json!({ "long": "z".repeat(5_000) })),
    ];
    (id, name, arguments).prop_map(|(id, name, arguments)| ToolCall { id, name: name.to_owned(), arguments })
}

fn a_usage() -> impl Strategy<Value = Option<Usage>> {
    let count = || prop_oneof![4 => 0..2_000_u64, 1 => Just(u64::MAX)];
    prop::option::of((count(), count(), prop::option::of(count())).prop_map(|(input, output, cached)| {
        Usage { input_tokens: input, output_tokens: output, cached_tokens: cached }
    }))
}

fn a_reply() -> impl Strategy<Value = ModelReply> {
    let calls = prop_oneof![2 => Just(Vec::new()), 5 => prop::collection::vec(a_call(), 1..6)];
    let finish = prop_oneof![
        12 => Just(FinishReason::Stop),
        1 => Just(FinishReason::Length),
        1 => Just(FinishReason::Filtered),
        1 => Just(FinishReason::Unknown { reason: "why".to_owned() }),
    ];
    let keepsake =
        prop_oneof![6 => Just(None), 1 => Just(Some(json!({ "signed": "s" }))), 1 => Just(Some(Value::Null))];
    (a_text(), calls, finish, a_usage(), keepsake).prop_map(|(text, calls, finish, usage, keepsake)| {
        ModelReply { text, calls, finish, usage, keepsake, model: None }
    })
}

fn an_outcome() -> impl Strategy<Value = Result<Value, ToolError>> {
    prop_oneof![
        6 => Just(Ok(json!({ "rows": [1, 2, 3] }))),
        1 => Just(Ok(json!("text"))),
        1 => Just(Ok(json!(nested(80)))),
        1 => Just(Ok(json!("w".repeat(4_000)))),
        2 => Just(Err(failed("look", "not found"))),
        1 => Just(Err(failed("look", &"long ".repeat(2_000)))),
        1 => Just(Err(failed("look", "FATAL"))),
    ]
}

fn a_behaviour() -> impl Strategy<Value = Behaviour> {
    let model = prop_oneof![12 => a_reply().prop_map(Ok), 1 => Just(Err(unreachable_model()))];
    let interruption = prop_oneof![
        30 => Just(None),
        1 => Just(Some(Interruption::OutOfTime)),
        1 => Just(Some(Interruption::Cancelled { by: "somebody".to_owned() })),
    ];
    let took = prop_oneof![
        12 => (0..50_u64).prop_map(Duration::from_millis),
        1 => Just(Duration::from_secs(86_400)),
        1 => Just(Duration::MAX),
    ];
    (model, an_outcome(), 1..4_usize, interruption, took).prop_map(
        |(model, tool, at_once, interruption, took)| Behaviour { model, tool, at_once, interruption, took },
    )
}

fn some_limits() -> impl Strategy<Value = Limits> {
    (1..6_u16, 1..2_000_u64, 1..40_000_u64, 1..5_000_u32, 50..400_000_u32, 1..6_u16, 1..6_000_u32, 2..40_u32)
        .prop_map(
            |(
                iterations_max,
                time_ms_max,
                tokens_max,
                output_tokens_max,
                bytes,
                calls_per_reply_max,
                result,
                messages,
            )| {
                Limits {
                    iterations_max,
                    time_ms_max,
                    tokens_max,
                    output_tokens_max,
                    reply_bytes_max: bytes,
                    calls_per_reply_max,
                    result_bytes_max: result,
                    messages_max: messages,
                }
            },
        )
}

fn a_setup() -> impl Strategy<Value = Setup> {
    let planning = prop::bool::ANY;
    let deciding = prop_oneof![Just(Deciding::Rule), Just(Deciding::Model { prompt: "decide".to_owned() })];
    let finishing =
        prop_oneof![Just(Finishing::LastText), Just(Finishing::Summary { prompt: "sum up".to_owned() })];
    let limits = prop_oneof![1 => Just(Limits::DEFAULT), 3 => some_limits()];
    (planning, deciding, finishing, limits).prop_map(|(model_plans, deciding, finishing, limits)| {
        let mut setup = Setup { deciding, finishing, limits, ..setup(&["look", "write"]) };
        if model_plans {
            setup.planning = Planning::Model { schema: plan_schema(), prompt: "plan".to_owned() };
        }
        setup
    })
}

fn a_policy() -> impl Strategy<Value = Switches> {
    let rarely = || prop::bool::weighted(0.05);
    let from = || prop_oneof![4 => Just(None), 1 => (1..5_u16).prop_map(Some)];
    let fatal = prop_oneof![2 => Just(None), 2 => Just(Some("FATAL")), 1 => Just(Some("may be called"))];
    (rarely(), rarely(), rarely(), from(), from(), fatal).prop_map(
        |(refuse_plan, stop_at_decide, refuse_decision, refuse_from, converge_from, fatal)| Switches {
            refuse_plan,
            stop_at_decide,
            refuse_decision,
            refuse_from,
            converge_from,
            fatal,
        },
    )
}

fn a_world() -> impl Strategy<Value = Vec<Behaviour>> {
    prop::collection::vec(a_behaviour(), 1..16)
}

/// One answer to what the run asks, as the world behaves. Nothing when the run has ended.
fn answer(run: &AgentRun, behaviour: &Behaviour) -> Option<Told> {
    match (run.ask(), &behaviour.interruption) {
        (Ask::Stop(_), _) => None,
        (_, Some(why)) => Some(Told::Interrupted(why.clone())),
        (Ask::Model(_), None) => Some(match &behaviour.model {
            Ok(reply) => Told::Reply(reply.clone()),
            Err(error) => Told::Failed(error.clone()),
        }),
        (Ask::Tools(due), None) => {
            assert_eq!(run.phase(), Phase::Observe, "tools run in OBSERVE only");
            let told = due.into_iter().take(behaviour.at_once);
            Some(Told::Results(told.map(|one| one.answer(behaviour.tool.clone())).collect()))
        }
    }
}

/// The most turns any run can take: one plan, one decision, one summary, and its iterations with all their calls.
fn turns_max(limits: &Limits) -> usize {
    3 + usize::from(limits.iterations_max) * (1 + usize::from(limits.calls_per_reply_max))
}

/// Plays a run to its end. The world repeats itself for ever; the run must not.
fn play(
    setup: &Setup,
    policy: &Switches,
    world: &[Behaviour],
    mut each: impl FnMut(&mut AgentRun),
) -> AgentRun {
    let mut run = AgentRun::start(setup.clone(), policy).unwrap();
    each(&mut run);
    for (turn, behaviour) in world.iter().cycle().enumerate() {
        let Some(told) = answer(&run, behaviour) else { break };
        assert!(turn < turns_max(&setup.limits), "the run takes more turns than its limits allow");
        run.tell(told, behaviour.took, policy).unwrap();
        each(&mut run);
    }
    run
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn it_always_ends_within_its_limits_and_keeps_every_law(
        setup in a_setup(), policy in a_policy(), world in a_world(),
    ) {
        let mut audit: Vec<AuditEntry> = Vec::new();
        let run = play(&setup, &policy, &world, |run| {
            audit.extend(run.take_audit());
            check_laws(run, &audit);
        });
        prop_assert!(run.is_terminal());
        prop_assert_eq!(run.pending_calls().count(), 0);
        if let Some(Ending::Halted(cause)) = run.ending() {
            prop_assert_eq!(&audit.last().unwrap().event, &AuditEvent::Halted(cause.clone()));
            prop_assert_eq!(&run.history().last().unwrap().reason, &cause.to_string());
            prop_assert!(Halt::CODES.iter().any(|(code, _)| *code == cause.code()));
        }
    }

    #[test]
    fn stored_at_every_step_it_ends_like_run_through(
        setup in a_setup(), policy in a_policy(), world in a_world(),
    ) {
        let through = play(&setup, &policy, &world, |_| {});
        let elsewhere = play(&setup, &policy, &world, |run| *run = stored(run));
        prop_assert_eq!(through, elsewhere);
    }

    #[test]
    fn a_model_alone_cannot_keep_it_running(
        iterations_max in 1..30_u16, calls in prop::collection::vec(a_call(), 1..6), text in "\\PC{0,20}",
    ) {
        // The friendliest world: free, instant, no errors, and nobody but the model to stop it.
        let limits = Limits {
            iterations_max,
            tokens_max: u64::MAX,
            messages_max: u32::MAX,
            reply_bytes_max: u32::MAX,
            ..Limits::DEFAULT
        };
        let setup = Setup { limits, ..setup(&["look", "write"]) };
        let calls: Vec<ToolCall> = calls
            .into_iter()
            .map(|call| ToolCall { arguments: json!({}), ..call })
            .collect();
        let usage = Some(Usage::default());
        let model = ModelReply { text, calls, finish: FinishReason::ToolCalls, usage, keepsake: None, model: None };
        let world =
            [Behaviour { model: Ok(model), tool: Ok(json!(1)), at_once: 9, interruption: None, took: Duration::ZERO }];
        let run = play(&setup, &Switches::default(), &world, |_| {});
        prop_assert_eq!(run.ending(), Some(&Ending::Halted(Halt::IterationLimit { iterations_max })));
        prop_assert_eq!(run.iteration(), iterations_max);
        prop_assert_eq!(run.state().spent().model_calls(), u32::from(iterations_max));
    }

    #[test]
    fn under_the_driver_tools_run_only_between_entering_and_leaving_observe(
        replies in prop::collection::vec(a_reply(), 1..8), iterations_max in 1..5_u16,
    ) {
        let diary = Diary::default();
        let mut registry = ToolRegistry::default();
        for name in ["look", "write"] {
            let diary = diary.clone();
            registry
                .register(ToolDefinition::new(name, "a tool"), move |_| {
                    let diary = diary.clone();
                    async move {
                        diary.0.lock().unwrap().push(Line::ToolRan);
                        Ok(json!(1))
                    }
                })
                .unwrap();
        }
        let executor = Executor::new(registry);
        let limits = Limits { iterations_max, ..Limits::DEFAULT };
        let setup = Setup { limits, tools: executor.registry().definitions(), ..Setup::new("the goal") };
        let mut run = AgentRun::start(setup, &Permissive).unwrap();
        let model = Endless(replies, Mutex::new(0));
        let driver =
            Driver { model: &model, executor: &executor, policy: &Permissive, audit: &diary, clock: &StoppedClock };
        pollster::block_on(driver.drive(&mut run)).unwrap();

        let mut phase = Phase::Intake;
        let mut ran = 0;
        for line in diary.0.lock().unwrap().iter() {
            match line {
                Line::Moved(to) => phase = *to,
                Line::ToolRan => {
                    prop_assert_eq!(phase, Phase::Observe);
                    ran += 1;
                }
            }
        }
        let succeeded = run.state().observations().iter().filter(|seen| seen.outcome.is_ok()).count();
        prop_assert_eq!(ran, succeeded, "what is recorded as done was done once, and nothing else was");
    }
}

/// Tool runs and audited moves in the one order in which they happened.
#[derive(Clone, Default)]
struct Diary(Arc<Mutex<Vec<Line>>>);

enum Line {
    Moved(Phase),
    ToolRan,
}

impl AuditLog for Diary {
    fn record(&self, entry: AuditEntry) {
        if let AuditEvent::Moved(step) = entry.event {
            self.0.lock().unwrap().push(Line::Moved(step.to));
        }
    }
}

/// Replies from a list, over and over.
struct Endless(Vec<ModelReply>, Mutex<usize>);

impl Model for Endless {
    fn complete<'a>(&'a self, _: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let mut nth = self.1.lock().unwrap();
        let reply = self.0[*nth % self.0.len()].clone();
        *nth += 1;
        Box::pin(async move { Ok(reply) })
    }
}

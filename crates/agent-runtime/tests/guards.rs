//! The guards that the definition of the loop names, each with the test that it is enforced in code.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod support;

use agent_runtime::detail::{Because, Checkpoint, Deciding, Finishing, Opening, Planning};
use agent_runtime::machine::Phase;
use agent_runtime::model::{Message, ModelReply, Purpose, ToolCall};
use agent_runtime::{
    AgentRun, Ask, Decision, Ending, Halt, Limits, Outline, Permissive, Planner, Setup, Told, ToolError,
};
use serde_json::json;
use support::{
    MS, Switches, call, ending, failed, path, plan_schema, reply, results, setup, tell, unreachable_model,
};

fn planned_by_model() -> Setup {
    let planning = Planning::Model { schema: plan_schema(), prompt: "make a plan".to_owned() };
    Setup { planning, ..setup(&["look"]) }
}

fn purpose(run: &AgentRun) -> Purpose {
    match run.ask() {
        Ask::Model(request) => request.purpose,
        other => panic!("{other:?}"),
    }
}

// Enforced guards, in the order of the definition.

#[test]
fn guard_planner_is_single_shot() {
    let mut run = AgentRun::start(planned_by_model(), &Permissive).unwrap();
    let Ask::Model(request) = run.ask() else { panic!() };
    assert_eq!(request.purpose, Purpose::Plan);
    assert_eq!(request.messages, [Message::user("make a plan")], "one prompt, no conversation");
    assert_eq!(request.output_schema, Some(plan_schema()));
    assert!(request.tools.is_empty());

    // A bad plan is not asked for again.
    reply(&mut run, ModelReply::text("I would rather talk"), &Permissive);
    assert!(matches!(ending(&run), Ending::Halted(Halt::InvalidPlan { .. })));
    assert_eq!(run.state().spent().model_calls(), 1);
}

#[test]
fn guard_planner_never_loops() {
    let mut run = AgentRun::start(planned_by_model(), &Permissive).unwrap();
    reply(&mut run, ModelReply::text(r#"{ "goal": "g" }"#), &Permissive);
    for nth in 0..5 {
        assert_eq!(purpose(&run), Purpose::Execute, "the plan is never asked for again");
        reply(&mut run, ModelReply::calls(vec![call(&nth.to_string(), "look")]), &Permissive);
        let told = results(&run, Ok(json!(nth)));
        tell(&mut run, told, &Permissive);
    }
    assert_eq!(run.history().iter().filter(|step| step.to == Phase::Plan).count(), 1);
}

#[test]
fn guard_executor_may_loop() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    for nth in 1..=3 {
        assert_eq!(run.iteration(), nth);
        reply(&mut run, ModelReply::calls(vec![call("", "look")]), &Permissive);
        let told = results(&run, Ok(json!(nth)));
        tell(&mut run, told, &Permissive);
    }
    reply(&mut run, ModelReply::text("done"), &Permissive);
    let round = ["OBSERVE", "LOOP_CHECK", "EXECUTE"];
    assert_eq!(
        path(&run),
        [&["PLAN", "DECIDE", "EXECUTE"], &round[..], &round, &round, &["FINALIZE"]].concat()
    );
}

#[test]
fn guard_tools_only_executed_in_observe() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    // EXECUTE does not take results, whatever they are.
    let stray = agent_runtime::ToolResult { call_id: "1".to_owned(), outcome: Ok(json!(1)) };
    assert_eq!(run.phase(), Phase::Execute);
    let refusal = run.tell(Told::Results(vec![stray]), MS, &Permissive).unwrap_err();
    assert_eq!(refusal.to_string(), "in EXECUTE the loop asked for a model reply, and was told tool results");
    // It turns a proposal into a request and asks for it in OBSERVE.
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &Permissive);
    assert_eq!(run.phase(), Phase::Observe);
    assert!(run.state().observations().is_empty());
    let Ask::Tools(due) = run.ask() else { panic!() };
    assert_eq!(due.iter().map(|one| one.call().id.as_str()).collect::<Vec<_>>(), ["1"]);
}

#[test]
fn guard_no_retries_in_execute() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    tell(&mut run, Told::Failed(unreachable_model()), &Permissive);
    assert_eq!(ending(&run), Ending::Halted(Halt::Model { error: unreachable_model() }));
    assert_eq!(run.iteration(), 1);
    // A failed call is not asked for again either: the model sees the error and decides.
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &Permissive);
    let told = results(&run, Err(failed("look", "no such row")));
    tell(&mut run, told, &Permissive);
    assert_eq!(purpose(&run), Purpose::Execute);
    let expected = Message::Tool {
        call_id: "1".to_owned(),
        tool: "look".to_owned(),
        content: "`look` failed: no such row".to_owned(),
        is_error: true,
    };
    assert_eq!(run.messages().last(), Some(&expected));
}

#[test]
fn guard_termination_is_explicit() {
    let finished = |run: &AgentRun| match ending(run) {
        Ending::Finished(finished) => finished.because,
        Ending::Halted(cause) => panic!("{cause}"),
    };
    // By decision.
    let stop = Switches { stop_at_decide: true, ..Switches::default() };
    let run = AgentRun::start(setup(&[]), &stop).unwrap();
    assert_eq!(finished(&run), Because::Decided { reason: "nothing to do".to_owned() });
    // By calling no tools.
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    reply(&mut run, ModelReply::text("done"), &Permissive);
    assert_eq!(finished(&run), Because::NoToolCalls);
    // By the policy.
    let converge = Switches { converge_from: Some(1), ..Switches::default() };
    let mut run = AgentRun::start(setup(&["look"]), &converge).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &converge);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &converge);
    assert_eq!(finished(&run), Because::Converged);
    // Saying that it is done does not end a run, as long as it calls tools.
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    let mut talks = ModelReply::calls(vec![call("1", "look")]);
    talks.text = "FINAL ANSWER: done. STOP.".to_owned();
    reply(&mut run, talks, &Permissive);
    assert!(!run.is_terminal());
}

#[test]
fn guard_max_iterations_enforced() {
    for iterations_max in 1..=4 {
        let limits = Limits { iterations_max, ..Limits::DEFAULT };
        let mut run = AgentRun::start(Setup { limits, ..setup(&["look"]) }, &Permissive).unwrap();
        for _ in 0..iterations_max {
            assert!(!run.is_terminal());
            reply(&mut run, ModelReply::calls(vec![call("", "look")]), &Permissive);
            let told = results(&run, Ok(json!(1)));
            tell(&mut run, told, &Permissive);
        }
        assert_eq!(ending(&run), Ending::Halted(Halt::IterationLimit { iterations_max }));
        assert_eq!(run.history().last().unwrap().from, Phase::LoopCheck);
    }
    // The last iteration may still finish.
    let limits = Limits { iterations_max: 1, ..Limits::DEFAULT };
    let mut run = AgentRun::start(Setup { limits, ..setup(&[]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text("done"), &Permissive);
    assert!(matches!(ending(&run), Ending::Finished(_)));
}

// Policy enforcement at its three points.

#[test]
fn policy_validates_the_plan_before_decide() {
    let policy = Switches { refuse_plan: true, ..Switches::default() };
    let run = AgentRun::start(setup(&[]), &policy).unwrap();
    assert_eq!(path(&run), ["PLAN", "HALT"]);
    let Ending::Halted(cause) = ending(&run) else { panic!() };
    assert!(matches!(cause, Halt::PolicyViolation { at: Checkpoint::Plan, .. }));
    assert_eq!(cause.to_string(), "the policy refuses the plan: rule `plan`: not this plan");
    assert!(run.state().outline().is_some(), "the refused plan can be looked at");
}

#[test]
fn policy_validates_the_decision_before_execute() {
    let policy = Switches { refuse_decision: true, ..Switches::default() };
    for stop_at_decide in [false, true] {
        let policy = Switches { stop_at_decide, ..policy.clone() };
        let run = AgentRun::start(setup(&[]), &policy).unwrap();
        assert_eq!(path(&run), ["PLAN", "DECIDE", "HALT"]);
        let Ending::Halted(cause) = ending(&run) else { panic!() };
        assert!(matches!(cause, Halt::PolicyViolation { at: Checkpoint::Decision, .. }));
    }
}

#[test]
fn policy_validates_the_continuation_in_loop_check_even_when_the_goal_is_reached() {
    let policy = Switches { refuse_from: Some(1), converge_from: Some(1), ..Switches::default() };
    let mut run = AgentRun::start(setup(&["look"]), &policy).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &policy);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &policy);
    assert_eq!(path(&run), ["PLAN", "DECIDE", "EXECUTE", "OBSERVE", "LOOP_CHECK", "HALT"]);
    let Ending::Halted(cause) = ending(&run) else { panic!() };
    assert!(matches!(cause, Halt::PolicyViolation { at: Checkpoint::Continuation, .. }));
}

// State by state.

#[test]
fn intake_normalises_the_input_and_refuses_an_empty_one() {
    let run = AgentRun::start(Setup::new("  two\r\nlines \n"), &Permissive).unwrap();
    assert_eq!(run.state().goal(), "two\nlines");
    assert_eq!(run.messages(), [Message::user("two\nlines")]);
    let first = &run.history()[0];
    assert_eq!((first.from, first.to, first.iteration), (Phase::Intake, Phase::Plan, 0));
    assert_eq!(first.reason, "input normalised");
    assert!(AgentRun::start(Setup::new(" \r\n "), &Permissive).is_err());
}

#[test]
fn plan_keeps_the_whole_answer_and_shows_it_to_execute() {
    let mut run = AgentRun::start(planned_by_model(), &Permissive).unwrap();
    let plan = json!({ "goal": "g", "required_capabilities": ["read"], "initial_steps": ["look", "say"] });
    reply(&mut run, ModelReply::text(plan.to_string()), &Permissive);
    let expected = Outline {
        goal: "g".to_owned(),
        required_capabilities: vec!["read".to_owned()],
        initial_steps: vec!["look".to_owned(), "say".to_owned()],
        raw: plan.clone(),
    };
    assert_eq!(run.state().outline(), Some(&expected));
    assert_eq!(run.messages(), [Message::user("the goal"), Message::user(format!("Plan:\n{plan}"))]);
}

#[test]
fn a_plan_without_a_goal_takes_the_runs_goal() {
    let planning = Planning::Model { schema: json!({}), prompt: "p".to_owned() };
    let mut run = AgentRun::start(Setup { planning, ..setup(&[]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text(r#"{ "other": 1 }"#), &Permissive);
    assert_eq!(run.state().outline().unwrap().goal, "the goal");
}

#[test]
fn a_planner_needs_a_schema_and_a_prompt_builder() {
    // Without a prompt builder there is no call of `new` that compiles; a schema must be one.
    let planner = Planner::new(json!({ "type": "nonsense" }), |input, _| input.to_owned());
    assert!(planner.unwrap_err().to_string().starts_with("the JSON Schema is not usable"));
    let remote = json!({ "$ref": "https://example.com/schema.json" });
    assert!(Planner::new(remote, |input, _| input.to_owned()).is_err(), "nothing is fetched");
    let schema = json!({ "$ref": "#/$defs/plan", "$defs": { "plan": { "type": "object" } } });
    assert!(Planner::new(schema, |input, _| input.to_owned()).is_ok(), "references inside the schema work");
}

#[test]
fn decide_by_model_is_single_shot_and_sees_goal_and_plan() {
    let deciding = Deciding::Model { prompt: "worth it?".to_owned() };
    let mut run = AgentRun::start(Setup { deciding, ..setup(&["look"]) }, &Permissive).unwrap();
    let Ask::Model(request) = run.ask() else { panic!() };
    assert_eq!(request.purpose, Purpose::Decide);
    let text = "worth it?\n\nGoal:\nthe goal\n\nPlan:\n{\"goal\":\"the goal\"}";
    assert_eq!(request.messages, [Message::user(text)]);
    reply(&mut run, ModelReply::text(r#"{ "continue": true, "reason": "sure" }"#), &Permissive);
    assert_eq!(run.state().decision(), Some(&Decision::go_on("sure")));
    assert_eq!(run.history().last().unwrap().reason, "decided to go on: sure");
}

#[test]
fn observe_records_every_result_in_order_and_mixes_in_what_did_not_run() {
    let mut run = AgentRun::start(setup(&["look", "write"]), &Permissive).unwrap();
    let broken = ToolCall { arguments: json!("{ broken"), ..call("c", "write") };
    let calls = vec![call("a", "look"), call("b", "made_up"), broken, call("d", "write")];
    reply(&mut run, ModelReply::calls(calls), &Permissive);
    let Ask::Tools(due) = run.ask() else { panic!() };
    assert_eq!(due.iter().map(|one| one.call().id.as_str()).collect::<Vec<_>>(), ["a"]);
    let told = results(&run, Ok(json!({ "n": 1 })));
    tell(&mut run, told, &Permissive);
    assert_eq!(run.pending_calls().map(|call| call.id.as_str()).collect::<Vec<_>>(), ["d"]);
    let told = results(&run, Ok(json!("written")));
    tell(&mut run, told, &Permissive);

    let seen: Vec<(&str, Result<(), &str>)> = run
        .state()
        .observations()
        .iter()
        .map(|seen| {
            let outcome = match &seen.outcome {
                Ok(_) => Ok(()),
                Err(ToolError::NotOffered { .. }) => Err("not offered"),
                Err(ToolError::BadArguments { .. }) => Err("bad arguments"),
                Err(_) => Err("other"),
            };
            (seen.call.id.as_str(), outcome)
        })
        .collect();
    assert_eq!(seen, [("a", Ok(())), ("b", Err("not offered")), ("c", Err("bad arguments")), ("d", Ok(()))]);
    let contents: Vec<&str> = run
        .messages()
        .iter()
        .filter_map(|message| match message {
            Message::Tool { content, .. } => Some(content.as_str()),
            _ => None,
        })
        .collect();
    let unknown = "`made_up` is not a tool that may be called now; these are: `look`, `write`";
    let not_object = "the arguments of `write` are wrong at ``: they are not a JSON object";
    assert_eq!(contents, [r#"{"n":1}"#, unknown, not_object, "written"]);
}

#[test]
fn after_a_fatal_error_the_rest_of_the_reply_does_not_run() {
    let policy = Switches { fatal: Some("FATAL"), ..Switches::default() };
    let mut run = AgentRun::start(setup(&["look"]), &policy).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("a", "look"), call("b", "look")]), &policy);
    let fatal = failed("look", "FATAL");
    let first = agent_runtime::ToolResult { call_id: "a".to_owned(), outcome: Err(fatal.clone()) };
    tell(&mut run, Told::Results(vec![first]), &policy);
    let cause = Halt::FatalTool { tool: "look".to_owned(), error: fatal };
    assert_eq!(ending(&run), Ending::Halted(cause));
    assert!(matches!(run.state().observations()[1].outcome, Err(ToolError::NotRun { .. })));
    assert_eq!(path(&run)[3..], ["OBSERVE", "LOOP_CHECK", "HALT"]);
}

#[test]
fn results_that_were_told_at_once_are_all_kept_even_after_a_fatal_one() {
    let policy = Switches { fatal: Some("failed"), ..Switches::default() };
    let mut run = AgentRun::start(setup(&["look"]), &policy).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("a", "look"), call("b", "look")]), &policy);
    let told = |id: &str, outcome| agent_runtime::ToolResult { call_id: id.to_owned(), outcome };
    let both = vec![told("a", Err(failed("look", "1"))), told("b", Err(failed("look", "2")))];
    tell(&mut run, Told::Results(both), &policy);
    let cause = Halt::FatalTool { tool: "look".to_owned(), error: failed("look", "1") };
    assert_eq!(ending(&run), Ending::Halted(cause), "the first cause counts");
    assert_eq!(
        run.state().observations()[1].outcome,
        Err(failed("look", "2")),
        "what ran is recorded as it ran"
    );
}

#[test]
fn results_out_of_order_are_refused_and_change_nothing() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("a", "look"), call("b", "look")]), &Permissive);
    let before = run.clone();
    let told = |id: &str| agent_runtime::ToolResult { call_id: id.to_owned(), outcome: Ok(json!(1)) };
    let refused = |run: &mut AgentRun, ids: &[&str]| {
        let all = ids.iter().map(|id| told(id)).collect();
        run.tell(Told::Results(all), MS, &Permissive).unwrap_err().to_string()
    };
    let text = "the result of call `a` is due, and a result of `b` was told";
    assert_eq!(refused(&mut run, &["b"]), text);
    assert_eq!(refused(&mut run, &[]), "the result of call `a` is due, and a result of `` was told");
    assert_eq!(
        refused(&mut run, &["a", "b", "a"]),
        "the result of call `` is due, and a result of `a` was told"
    );
    assert_eq!(run, before);
    tell(&mut run, Told::Results(vec![told("a"), told("b")]), &Permissive);
    assert_eq!(run.phase(), Phase::Execute);
}

#[test]
fn finalize_offers_no_tools_drops_calls_and_does_not_ask_again() {
    let finishing = Finishing::Summary { prompt: "sum up".to_owned() };
    let mut run = AgentRun::start(Setup { finishing, ..setup(&["look"]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text("last words"), &Permissive);
    assert_eq!(run.phase(), Phase::Finalize);
    assert!(!run.is_terminal(), "it waits for the summary");
    let Ask::Model(request) = run.ask() else { panic!() };
    assert_eq!((request.purpose, request.tools.len()), (Purpose::Finalize, 0));
    assert_eq!(request.messages.last(), Some(&Message::user("sum up")));

    let mut with_calls = ModelReply::text("the summary");
    with_calls.calls = vec![call("1", "look")];
    let mut dropped = run.clone();
    reply(&mut dropped, with_calls, &Permissive);
    let Ending::Finished(finished) = ending(&dropped) else { panic!() };
    assert_eq!(finished.answer, "the summary");
    let audit = dropped.take_audit();
    let noted = agent_runtime::detail::AuditEvent::CallsDropped { calls: 1 };
    assert!(audit.iter().any(|entry| entry.event == noted), "dropped calls are recorded");
    assert!(dropped.state().observations().is_empty());

    // A failed summary ends the run with the last words and says so.
    tell(&mut run, Told::Failed(unreachable_model()), &Permissive);
    let Ending::Finished(finished) = ending(&run) else { panic!() };
    assert_eq!(finished.answer, "last words");
    assert!(matches!(finished.source, agent_runtime::detail::AnswerSource::LastTextInstead(_)));
}

#[test]
fn halt_clears_pending_calls_and_leaves_everything_to_be_seen() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("a", "look"), call("b", "look")]), &Permissive);
    let why = agent_runtime::Interruption::Cancelled { by: "ada".to_owned() };
    tell(&mut run, Told::Interrupted(why), &Permissive);
    assert_eq!(ending(&run), Ending::Halted(Halt::Cancelled { by: "ada".to_owned() }));
    assert_eq!(run.pending_calls().count(), 0);
    assert_eq!(run.state_name(), "HALT");
    assert_eq!(run.state().goal(), "the goal");
    assert_eq!(run.state().observations().len(), 2);
    for seen in run.state().observations() {
        assert!(matches!(seen.outcome, Err(ToolError::Unanswered { .. })), "whether it ran is unknown");
    }
    let last = run.take_audit().pop().unwrap();
    let cause = Halt::Cancelled { by: "ada".to_owned() };
    assert_eq!(last.event, agent_runtime::detail::AuditEvent::Halted(cause));
}

// The conversation.

#[test]
fn a_new_run_starts_from_the_saved_transcript_plus_results() {
    let mut first = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    reply(&mut first, ModelReply::calls(vec![call("1", "look")]), &Permissive);
    let told = results(&first, Ok(json!(1)));
    tell(&mut first, told, &Permissive);
    reply(&mut first, ModelReply::text("looked"), &Permissive);

    let mut transcript = first.messages().to_vec();
    transcript.push(Message::user("the plan ran; these are its results"));
    let opening = Opening::Transcript;
    let next = Setup { transcript: transcript.clone(), opening, ..Setup::new("go on") };
    let mut run = AgentRun::start(next, &Permissive).unwrap();
    assert_eq!(run.messages(), transcript, "nothing is added");
    let Ask::Model(request) = run.ask() else { panic!() };
    assert_eq!(request.tools_only_mentioned(), ["look"]);
    // An old call id is not used again, and the old text is not the new answer.
    reply(&mut run, ModelReply::text(""), &Permissive);
    let Ending::Finished(finished) = ending(&run) else { panic!() };
    assert_eq!(finished.answer, "");
    assert_eq!(run.new_messages().len(), 1);
}

#[test]
fn every_call_gets_an_id_of_its_own() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    let ids = |run: &AgentRun| run.pending_calls().map(|call| call.id.clone()).collect::<Vec<_>>();
    let calls = vec![call("x", "look"), call("x", "look"), call("", "look"), call(&"l".repeat(129), "look")];
    reply(&mut run, ModelReply::calls(calls), &Permissive);
    assert_eq!(ids(&run), ["x", "call-2", "call-3", "call-4"]);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &Permissive);
    reply(
        &mut run,
        ModelReply::calls(vec![call("x", "look"), call("call-6", "look"), call("", "look")]),
        &Permissive,
    );
    assert_eq!(ids(&run), ["call-5", "call-6", "call-7"]);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &Permissive);
    reply(&mut run, ModelReply::calls(vec![call("call-9", "look"), call("", "look")]), &Permissive);
    assert_eq!(ids(&run), ["call-9", "call-10"]);
}

#[test]
fn a_keepsake_goes_back_to_the_provider_unchanged() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    let mut signed = ModelReply::calls(vec![call("1", "look")]);
    signed.keepsake = Some(json!({ "signature": "abc" }));
    reply(&mut run, signed, &Permissive);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &Permissive);
    let Ask::Model(request) = run.ask() else { panic!() };
    let Message::Assistant { keepsake, .. } = &request.messages[1] else { panic!() };
    assert_eq!(keepsake, &Some(json!({ "signature": "abc" })));
}

#[test]
fn the_system_message_is_sent_first_and_is_not_part_of_the_conversation() {
    let with_system = Setup { system: Some("be brief".to_owned()), ..setup(&[]) };
    let run = AgentRun::start(with_system, &Permissive).unwrap();
    let Ask::Model(request) = run.ask() else { panic!() };
    let system = Message::System { text: "be brief".to_owned() };
    assert_eq!(request.messages, [system, Message::user("the goal")]);
    assert_eq!(run.messages(), [Message::user("the goal")]);
}

#[test]
fn the_policy_sees_rounds_that_repeat_themselves_and_the_callers_data() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    run.set_data("captured", json!(2)).unwrap();
    assert_eq!(run.state().data()["captured"], json!(2));
    for nth in 1..=3 {
        let same = ToolCall { arguments: json!({ "row": 7 }), ..call("", "look") };
        reply(&mut run, ModelReply::calls(vec![same]), &Permissive);
        let told = results(&run, Ok(json!("unchanged")));
        tell(&mut run, told, &Permissive);
        assert_eq!(run.state().progress().repeats(), nth, "ids differ, the round is the same");
    }
    reply(&mut run, ModelReply::calls(vec![call("", "look")]), &Permissive);
    let told = results(&run, Ok(json!("changed")));
    tell(&mut run, told, &Permissive);
    assert_eq!(run.state().progress().repeats(), 1);
}

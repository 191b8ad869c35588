//! Every cause of a halt, by the shortest conversation that leads to it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod support;

use std::time::Duration;

use agent_runtime::detail::{BadAnswer, BadSetup, Deciding, Finishing, Planning};
use agent_runtime::model::{FinishReason, Message, ModelReply, ToolDefinition, Usage};
use agent_runtime::{
    AgentRun, Ask, Ending, Halt, Interruption, Limits, LoopError, Permissive, Setup, Told, ToolError,
};
use serde_json::{Value, json};
use support::{MS, call, ending, path, plan_schema, reply, results, setup, tell, unreachable_model};

fn limited(limits: Limits) -> AgentRun {
    AgentRun::start(Setup { limits, ..setup(&["look"]) }, &Permissive).unwrap()
}

fn halted(run: &AgentRun) -> Halt {
    match ending(run) {
        Ending::Halted(cause) => cause,
        Ending::Finished(finished) => panic!("{finished:?}"),
    }
}

fn planned(text: &str) -> AgentRun {
    let planning = Planning::Model { schema: plan_schema(), prompt: "plan".to_owned() };
    let mut run = AgentRun::start(Setup { planning, ..setup(&[]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text(text), &Permissive);
    run
}

fn nested(levels: usize) -> Value {
    (1..levels).fold(json!(1), |inner, _| json!([inner]))
}

#[test]
fn a_plan_that_is_not_json_or_off_its_schema_halts() {
    let fault = |text: &str| match halted(&planned(text)) {
        Halt::InvalidPlan { fault } => fault,
        other => panic!("{other}"),
    };
    assert_eq!(fault("{ \"goal\":\n  oops"), BadAnswer::NotJson { line: 2, column: 3 });
    assert_eq!(fault(""), BadAnswer::NotJson { line: 1, column: 0 });
    assert_eq!(fault("```json\n{\"goal\":\"g\"}\n```"), BadAnswer::NotJson { line: 1, column: 1 });
    assert!(matches!(fault("[]"), BadAnswer::OffSchema { at, .. } if at.is_empty()));
    assert!(matches!(fault(r#"{ "goal": 7 }"#), BadAnswer::OffSchema { at, .. } if at == "/goal"));
    assert!(matches!(fault(r#"{ "goal": "g", "more": 1 }"#), BadAnswer::OffSchema { .. }));
    assert_eq!(path(&planned("no")), ["PLAN", "HALT"]);
    assert!(matches!(planned(r#"{ "goal": "g" }"#).ask(), Ask::Model(_)));
}

#[test]
fn a_plan_under_a_loose_schema_still_has_fields_of_the_right_type() {
    let fault = |text: &str| {
        let planning = Planning::Model { schema: json!(true), prompt: "plan".to_owned() };
        let mut run = AgentRun::start(Setup { planning, ..setup(&[]) }, &Permissive).unwrap();
        reply(&mut run, ModelReply::text(text), &Permissive);
        halted(&run).to_string()
    };
    assert_eq!(fault("7"), "the plan is invalid: `` is not an object");
    assert_eq!(fault(r#"{ "goal": 7 }"#), "the plan is invalid: `goal` is not a string");
    let expected = "the plan is invalid: `initial_steps` is not an array of strings";
    assert_eq!(fault(r#"{ "initial_steps": [1] }"#), expected);
    assert_eq!(fault(r#"{ "initial_steps": "one" }"#), expected);
    assert_eq!(
        fault(&json!({ "deep": nested(65) }).to_string()),
        "the plan is invalid: it is nested too deep"
    );
}

#[test]
fn a_plan_that_calls_tools_halts() {
    let planning = Planning::Model { schema: plan_schema(), prompt: "plan".to_owned() };
    let mut run = AgentRun::start(Setup { planning, ..setup(&["look"]) }, &Permissive).unwrap();
    let mut sly = ModelReply::text(r#"{ "goal": "g" }"#);
    sly.calls = vec![call("1", "look")];
    reply(&mut run, sly, &Permissive);
    assert_eq!(halted(&run), Halt::InvalidPlan { fault: BadAnswer::CallsTools { calls: 1 } });
}

#[test]
fn a_report_on_a_bad_plan_does_not_repeat_what_the_model_wrote() {
    let secret = "4111-1111-1111-1111";
    let text = halted(&planned(&format!(r#"{{ "goal": ["{secret}"] }}"#))).to_string();
    assert!(!text.contains(secret), "{text}");
}

#[test]
fn numbers_of_any_size_in_a_plan_are_read_quickly() {
    let schema = json!({ "properties": { "n": { "type": "integer", "multipleOf": 3, "maximum": 10 } } });
    for number in ["1e999999999", "-1e-999999999", &"9".repeat(100_000)] {
        let planning = Planning::Model { schema: schema.clone(), prompt: "plan".to_owned() };
        let mut run = AgentRun::start(Setup { planning, ..setup(&[]) }, &Permissive).unwrap();
        reply(&mut run, ModelReply::text(format!(r#"{{ "n": {number} }}"#)), &Permissive);
        assert_eq!(halted(&run).code(), "invalid_plan");
    }
}

#[test]
fn a_decision_that_is_not_one_halts() {
    let decided = |text: &str| {
        let deciding = Deciding::Model { prompt: "decide".to_owned() };
        let mut run = AgentRun::start(Setup { deciding, ..setup(&[]) }, &Permissive).unwrap();
        reply(&mut run, ModelReply::text(text), &Permissive);
        run
    };
    for text in ["yes", r#"{ "continue": "yes", "reason": "r" }"#, r#"{ "continue": true }"#, "[]"] {
        let run = decided(text);
        assert_eq!(halted(&run).code(), "invalid_decision", "{text}");
        assert_eq!(path(&run), ["PLAN", "DECIDE", "HALT"]);
    }
    assert_eq!(halted(&decided(r#"{ "continue": true, "reason": "r", "x": 1 }"#)).code(), "invalid_decision");
    assert_eq!(path(&decided(r#"{ "continue": false, "reason": "r" }"#)), ["PLAN", "DECIDE", "FINALIZE"]);
}

#[test]
fn a_model_that_fails_halts_in_every_state_that_needs_it() {
    let cause = Halt::Model { error: unreachable_model() };
    let planning = Planning::Model { schema: plan_schema(), prompt: "plan".to_owned() };
    let deciding = Deciding::Model { prompt: "decide".to_owned() };
    let starts = [
        (Setup { planning, ..setup(&[]) }, vec!["PLAN", "HALT"]),
        (Setup { deciding, ..setup(&[]) }, vec!["PLAN", "DECIDE", "HALT"]),
        (setup(&[]), vec!["PLAN", "DECIDE", "EXECUTE", "HALT"]),
    ];
    for (setup, expected) in starts {
        let mut run = AgentRun::start(setup, &Permissive).unwrap();
        tell(&mut run, Told::Failed(unreachable_model()), &Permissive);
        assert_eq!(halted(&run), cause);
        assert_eq!(path(&run), expected);
        assert_eq!(run.state().spent().model_calls(), 1);
    }
}

#[test]
fn time_is_counted_from_the_answers_and_stops_what_would_come_next() {
    let limits = Limits { time_ms_max: 100, ..Limits::DEFAULT };
    let mut run = limited(limits.clone());
    let asks_for_tools = || Told::Reply(ModelReply::calls(vec![call("", "look"), call("", "look")]));
    run.tell(asks_for_tools(), Duration::from_millis(99), &Permissive).unwrap();
    assert_eq!(run.time_left(), Duration::from_millis(1));
    // Less than a millisecond counts too.
    let one = |run: &AgentRun| match run.ask() {
        Ask::Tools(due) => {
            Told::Results(due.into_iter().take(1).map(|one| one.answer(Ok(json!(1)))).collect())
        }
        other => panic!("{other:?}"),
    };
    let told = one(&run);
    run.tell(told, Duration::from_micros(500), &Permissive).unwrap();
    assert!(!run.is_terminal());
    let told = one(&run);
    run.tell(told, Duration::from_micros(500), &Permissive).unwrap();
    assert_eq!(halted(&run), Halt::Timeout { elapsed_ms: 100, ms_max: 100 });

    // Calls that came too late do not run.
    let mut run = limited(limits.clone());
    run.tell(asks_for_tools(), Duration::from_millis(100), &Permissive).unwrap();
    assert_eq!(halted(&run), Halt::Timeout { elapsed_ms: 100, ms_max: 100 });
    let outcomes: Vec<bool> = run.state().observations().iter().map(|seen| seen.outcome.is_err()).collect();
    assert_eq!(outcomes, [true, true]);
    assert!(matches!(run.state().observations()[0].outcome, Err(ToolError::NotRun { .. })));

    // An answer that needs nothing further is taken late.
    let mut run = limited(limits);
    run.tell(Told::Reply(ModelReply::text("done")), Duration::from_secs(9), &Permissive).unwrap();
    assert!(matches!(ending(&run), Ending::Finished(finished) if finished.answer == "done"));
}

#[test]
fn an_alarm_halts_wherever_the_run_waits() {
    let mut run = limited(Limits::DEFAULT);
    tell(&mut run, Told::Interrupted(Interruption::OutOfTime), &Permissive);
    assert_eq!(halted(&run).code(), "timeout");
    assert_eq!(path(&run), ["PLAN", "DECIDE", "EXECUTE", "HALT"]);
    let mut run = limited(Limits::DEFAULT);
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &Permissive);
    tell(&mut run, Told::Interrupted(Interruption::OutOfTime), &Permissive);
    assert_eq!(path(&run)[3..], ["OBSERVE", "LOOP_CHECK", "HALT"], "OBSERVE leads to LOOP_CHECK only");
    assert!(matches!(run.state().observations()[0].outcome, Err(ToolError::Unanswered { .. })));
}

#[test]
fn tokens_count_output_and_what_is_sent_for_the_first_time() {
    let limits = Limits { tokens_max: 1_000, ..Limits::DEFAULT };
    let mut run = AgentRun::start(Setup { limits, tools: Vec::new(), ..setup(&[]) }, &Permissive).unwrap();
    let costing = |input_tokens, output_tokens| {
        let cached_tokens = None;
        ModelReply::calls(vec![call("", "x")]).costing(Usage { input_tokens, output_tokens, cached_tokens })
    };
    reply(&mut run, costing(300, 100), &Permissive);
    assert_eq!(run.state().spent().tokens(), 400);
    // 400 were sent before; 50 came from the tool, 100 are written.
    reply(&mut run, costing(450, 100), &Permissive);
    assert_eq!(run.state().spent().tokens(), 550);
    let Ask::Model(request) = run.ask() else { panic!() };
    assert_eq!(request.output_tokens_max, 450, "no reply may be longer than what is left");
    assert_eq!(run.usage(), Usage { input_tokens: 750, output_tokens: 200, cached_tokens: None });
    // A conversation that shrank still pays for what is written.
    reply(&mut run, costing(10, 20), &Permissive);
    assert_eq!(run.state().spent().tokens(), 570);
    reply(&mut run, costing(30, 430), &Permissive);
    assert_eq!(halted(&run), Halt::TokenLimit { tokens: 1_000, tokens_max: 1_000 });
}

#[test]
fn tokens_are_estimated_where_nobody_counts_and_what_was_known_is_free() {
    let text = "w".repeat(400);
    let fresh = |setup: Setup| {
        let mut run = AgentRun::start(setup, &Permissive).unwrap();
        reply(&mut run, ModelReply::text("four"), &Permissive);
        run.state().spent().tokens()
    };
    // 400 bytes of goal are 100 tokens, and the reply of 4 bytes is one.
    assert_eq!(fresh(Setup::new(text.clone())), 100 + 1);
    let tools = vec![ToolDefinition::new("look", text.clone())];
    assert_eq!(fresh(Setup { tools, ..Setup::new(text.clone()) }), 100 + 1, "tool schemas are free");
    let transcript = vec![Message::user(text.clone()), Message::assistant(text.clone())];
    assert_eq!(fresh(Setup { transcript, ..Setup::new(text.clone()) }), 100 + 1, "earlier messages are free");
    let system = Some(text.clone());
    assert_eq!(fresh(Setup { system, ..Setup::new(text) }), 100 + 1, "standing instructions are free");
}

#[test]
fn a_single_shot_request_counts_whole_and_does_not_pay_for_the_conversation() {
    let deciding = Deciding::Model { prompt: "decide".to_owned() };
    let mut run = AgentRun::start(Setup { deciding, ..setup(&[]) }, &Permissive).unwrap();
    let usage = |input_tokens| Usage { input_tokens, output_tokens: 5, cached_tokens: Some(2) };
    let yes = ModelReply::text(r#"{ "continue": true, "reason": "r" }"#).costing(usage(50));
    reply(&mut run, yes, &Permissive);
    assert_eq!(run.state().spent().tokens(), 55);
    reply(&mut run, ModelReply::text("done").costing(usage(60)), &Permissive);
    assert_eq!(run.state().spent().tokens(), 55 + 65);
    assert_eq!(run.usage().cached_tokens, Some(4));
}

#[test]
fn spent_tokens_forbid_the_decision_and_the_summary_too() {
    let limits = Limits { tokens_max: 10, ..Limits::DEFAULT };
    let planning = Planning::Model { schema: json!(true), prompt: "plan".to_owned() };
    let deciding = Deciding::Model { prompt: "decide".to_owned() };
    let costly = Usage { input_tokens: 10, output_tokens: 0, cached_tokens: None };
    let mut run =
        AgentRun::start(Setup { limits: limits.clone(), planning, deciding, ..setup(&[]) }, &Permissive)
            .unwrap();
    reply(&mut run, ModelReply::text("{}").costing(costly), &Permissive);
    assert_eq!(path(&run), ["PLAN", "DECIDE", "HALT"]);
    assert_eq!(halted(&run), Halt::TokenLimit { tokens: 10, tokens_max: 10 });

    let finishing = Finishing::Summary { prompt: "sum up".to_owned() };
    let mut run = AgentRun::start(Setup { limits, finishing, ..setup(&[]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text("done").costing(costly), &Permissive);
    assert!(matches!(ending(&run), Ending::Finished(finished) if finished.answer == "done"));
}

#[test]
fn a_reply_above_the_byte_limit_is_not_kept() {
    let limits = Limits { reply_bytes_max: 100, ..Limits::DEFAULT };
    let mut run = limited(limits.clone());
    reply(&mut run, ModelReply::text("w".repeat(100)), &Permissive);
    assert!(matches!(ending(&run), Ending::Finished(_)));
    let mut run = limited(limits.clone());
    reply(&mut run, ModelReply::text("w".repeat(101)), &Permissive);
    assert_eq!(halted(&run), Halt::ReplyTooLarge { bytes: 101, bytes_max: 100 });
    assert_eq!(run.messages().len(), 1);
    // Arguments, names and keepsakes count as well.
    let mut run = limited(limits.clone());
    let mut wide = ModelReply::calls(vec![call("1", "look")]);
    wide.calls[0].arguments = json!({ "a": "w".repeat(90) });
    reply(&mut run, wide, &Permissive);
    assert_eq!(halted(&run).code(), "reply_too_large");
    let mut heavy = ModelReply::text("");
    heavy.keepsake = Some(json!("w".repeat(101)));
    let mut odd = ModelReply::text("");
    odd.finish = FinishReason::Unknown { reason: "w".repeat(101) };
    for unreadable in [heavy, odd] {
        let mut run = limited(limits.clone());
        reply(&mut run, unreadable, &Permissive);
        assert_eq!(halted(&run).code(), "reply_too_large");
    }
}

#[test]
fn a_reply_with_too_many_calls_runs_none_of_them() {
    let limits = Limits { calls_per_reply_max: 2, ..Limits::DEFAULT };
    let calls = |count: usize| ModelReply::calls((0..count).map(|_| call("", "look")).collect());
    let mut run = limited(limits.clone());
    reply(&mut run, calls(2), &Permissive);
    assert_eq!(run.pending_calls().count(), 2);
    let mut run = limited(limits);
    reply(&mut run, calls(3), &Permissive);
    assert_eq!(halted(&run), Halt::TooManyCalls { calls: 3, calls_max: 2 });
    assert!(run.state().observations().is_empty());
}

#[test]
fn a_reply_nested_too_deep_halts() {
    for (levels, goes_on) in [(63, true), (64, false)] {
        let mut run = limited(Limits::DEFAULT);
        let mut deep = ModelReply::calls(vec![call("1", "look")]);
        deep.calls[0].arguments = json!({ "deep": nested(levels) });
        reply(&mut run, deep, &Permissive);
        assert_eq!(!run.is_terminal(), goes_on, "{levels}");
        if !goes_on {
            assert_eq!(halted(&run), Halt::ReplyTooDeep { depth_max: 64 });
        }
    }
    let mut run = limited(Limits::DEFAULT);
    let mut deep = ModelReply::text("done");
    deep.keepsake = Some(nested(65));
    reply(&mut run, deep, &Permissive);
    assert_eq!(halted(&run).code(), "reply_too_deep");
}

#[test]
fn a_reply_that_is_not_whole_is_not_acted_upon() {
    let unknown = FinishReason::Unknown { reason: "tired".to_owned() };
    for finish in [FinishReason::Length, FinishReason::Filtered, unknown] {
        let mut run = limited(Limits::DEFAULT);
        let mut cut = ModelReply::calls(vec![call("1", "look")]);
        cut.finish = finish.clone();
        reply(&mut run, cut, &Permissive);
        assert_eq!(halted(&run), Halt::IncompleteReply { finish });
        assert!(run.state().observations().is_empty());
    }
}

#[test]
fn a_full_conversation_halts_before_the_next_turn() {
    let limits = Limits { messages_max: 3, ..Limits::DEFAULT };
    let mut run = limited(limits.clone());
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &Permissive);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &Permissive);
    assert!(!run.is_terminal(), "three messages are allowed");
    reply(&mut run, ModelReply::calls(vec![call("2", "look")]), &Permissive);
    let told = results(&run, Ok(json!(1)));
    tell(&mut run, told, &Permissive);
    assert_eq!(halted(&run), Halt::MessageLimit { messages: 5, messages_max: 3 });
}

#[test]
fn a_result_that_cannot_be_recorded_is_an_error_that_says_so() {
    let limits = Limits { result_bytes_max: 50, ..Limits::DEFAULT };
    let outcome = |value: Result<Value, ToolError>| {
        let mut run = limited(limits.clone());
        reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &Permissive);
        let told = results(&run, value);
        tell(&mut run, told, &Permissive);
        run.state().observations()[0].outcome.clone()
    };
    let tool = || "look".to_owned();
    assert!(outcome(Ok(json!("w".repeat(48)))).is_ok());
    let large = ToolError::ResultTooLarge { tool: tool(), bytes: 51, bytes_max: 50 };
    assert_eq!(outcome(Ok(json!("w".repeat(49)))), Err(large));
    assert_eq!(outcome(Ok(nested(65))), Err(ToolError::ResultTooDeep { tool: tool(), depth_max: 64 }));
    // What a tool says about its failure is cut at a character.
    let long = ToolError::Failed { tool: tool(), problem: "é".repeat(40) };
    assert_eq!(outcome(Err(long)), Err(ToolError::Failed { tool: tool(), problem: "é".repeat(25) }));
}

#[test]
fn a_summary_that_cannot_be_used_gives_way_to_the_last_words() {
    let finishing = Finishing::Summary { prompt: "sum up".to_owned() };
    let limits = Limits { reply_bytes_max: 40, ..Limits::DEFAULT };
    let mut run = AgentRun::start(Setup { finishing, limits, ..setup(&[]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text("last words"), &Permissive);
    let mut cut = ModelReply::text("half");
    cut.finish = FinishReason::Length;
    let unusable = [
        Told::Reply(ModelReply::text("  ")),
        Told::Reply(ModelReply::text("w".repeat(41))),
        Told::Reply(cut),
        Told::Failed(unreachable_model()),
        Told::Interrupted(Interruption::OutOfTime),
        Told::Interrupted(Interruption::Cancelled { by: "ada".to_owned() }),
    ];
    for told in unusable {
        let mut run = run.clone();
        run.tell(told, MS, &Permissive).unwrap();
        let Ending::Finished(finished) = ending(&run) else { panic!() };
        assert_eq!(finished.answer, "last words");
        assert!(matches!(finished.source, agent_runtime::detail::AnswerSource::LastTextInstead(_)));
        let noted = run
            .take_audit()
            .into_iter()
            .any(|entry| matches!(entry.event, agent_runtime::detail::AuditEvent::SummaryUnusable(_)));
        assert!(noted);
    }
    reply(&mut run, ModelReply::text("in short"), &Permissive);
    let Ending::Finished(finished) = ending(&run) else { panic!() };
    assert_eq!(
        (finished.answer.as_str(), finished.source),
        ("in short", agent_runtime::detail::AnswerSource::Summary)
    );
    let tail = &run.messages()[run.messages().len() - 2..];
    assert_eq!(tail, [Message::user("sum up"), Message::assistant("in short")]);
}

#[test]
fn a_setup_that_cannot_run_is_refused_with_the_reason() {
    let refused = |setup: Setup| match AgentRun::start(setup, &Permissive).unwrap_err() {
        LoopError::Setup(reason) => reason,
        other => panic!("{other}"),
    };
    let base = || setup(&["look"]);
    assert_eq!(refused(Setup::new("")), BadSetup::EmptyGoal);
    let huge = Setup::new("w".repeat(Setup::GOAL_BYTES_MAX + 1));
    assert!(matches!(refused(huge), BadSetup::GoalTooLarge { .. }));
    assert!(AgentRun::start(Setup::new("w".repeat(Setup::GOAL_BYTES_MAX)), &Permissive).is_ok());
    for (name, _, _) in Limits::DEFAULT.rows() {
        let mut limits = serde_json::to_value(Limits::DEFAULT).unwrap();
        limits[name] = json!(0);
        let limits = serde_json::from_value(limits).unwrap();
        assert_eq!(refused(Setup { limits, ..base() }), BadSetup::ZeroLimit { limit: name });
    }
    let twice = Setup { tools: support::tools(&["look", "look"]), ..base() };
    assert_eq!(refused(twice).to_string(), "there are two tools named `look`");
    for name in ["", "with space", "é", &"n".repeat(65)] {
        let odd = Setup { tools: support::tools(&[name]), ..base() };
        assert!(refused(odd).to_string().starts_with(&format!("`{name}` is not a tool name")));
    }
    assert!(AgentRun::start(setup(&[&"n".repeat(64), "a.b-c_D9"]), &Permissive).is_ok());
    let deep_tool = ToolDefinition { input_schema: nested(65), ..ToolDefinition::new("look", "") };
    assert!(matches!(refused(Setup { tools: vec![deep_tool], ..base() }), BadSetup::Tool(_)));
    let planning = Planning::Model { schema: json!({ "type": 7 }), prompt: "p".to_owned() };
    assert!(matches!(refused(Setup { planning, ..base() }), BadSetup::PlanSchema(_)));
    let mut outline = agent_runtime::Outline::of_goal("g");
    outline.raw = nested(65);
    let planning = Planning::Given(outline);
    assert_eq!(refused(Setup { planning, ..base() }).to_string(), "the plan is nested deeper than 64 levels");
    let data = [("deep".to_owned(), nested(65))].into();
    assert_eq!(refused(Setup { data, ..base() }).to_string(), "deep is nested deeper than 64 levels");
    let opening = agent_runtime::detail::Opening::Transcript;
    assert_eq!(refused(Setup { opening, ..base() }), BadSetup::NothingSaid);
}

#[test]
fn a_transcript_that_no_provider_would_take_is_refused() {
    let refused = |transcript: Vec<Message>| {
        let limits = Limits { messages_max: 5, ..Limits::DEFAULT };
        AgentRun::start(Setup { transcript, limits, ..setup(&[]) }, &Permissive).unwrap_err().to_string()
    };
    let calls = |ids: &[&str]| Message::Assistant {
        text: String::new(),
        calls: ids.iter().map(|id| call(id, "look")).collect(),
        keepsake: None,
    };
    let result = |id: &str| Message::Tool {
        call_id: id.to_owned(),
        tool: "look".to_owned(),
        content: "1".to_owned(),
        is_error: false,
    };
    let open = "the transcript ends before the calls `b` have their results";
    assert_eq!(refused(vec![calls(&["a", "b"]), result("a")]), open);
    let order = "calls and results are out of order in the transcript at `b`";
    assert_eq!(refused(vec![calls(&["a", "b"]), result("b"), result("a")]), order);
    assert_eq!(refused(vec![result("b")]), order);
    let between = vec![calls(&["b"]), Message::user("wait"), result("b")];
    assert_eq!(refused(between), order);
    let long = "the transcript has 5 messages, and fewer than 5 are allowed";
    assert_eq!(refused(vec![Message::user("w"); 5]), long);
    let deep = Message::Assistant { text: String::new(), calls: Vec::new(), keepsake: Some(nested(65)) };
    assert_eq!(refused(vec![deep]), "the transcript is nested deeper than 64 levels");
}

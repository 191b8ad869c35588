//! A stored run: what it promises, and how one that contradicts itself is refused.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod support;

use agent_runtime::detail::{Deciding, Finishing, Planning};
use agent_runtime::model::ModelReply;
use agent_runtime::{AgentRun, Permissive, Setup, Told};
use serde_json::{Value, json};
use support::{call, plan_schema, reply, results, setup, stored, tell, unreachable_model};

fn observing() -> AgentRun {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    reply(&mut run, ModelReply::calls(vec![call("1", "look")]), &Permissive);
    let told = results(&run, Ok(json!({ "n": 1 })));
    tell(&mut run, told, &Permissive);
    reply(&mut run, ModelReply::calls(vec![call("2", "look"), call("3", "look")]), &Permissive);
    run
}

fn planning() -> AgentRun {
    let planning = Planning::Model { schema: plan_schema(), prompt: "plan".to_owned() };
    AgentRun::start(Setup { planning, ..setup(&[]) }, &Permissive).unwrap()
}

fn deciding() -> AgentRun {
    let deciding = Deciding::Model { prompt: "decide".to_owned() };
    AgentRun::start(Setup { deciding, ..setup(&[]) }, &Permissive).unwrap()
}

fn finalizing() -> AgentRun {
    let finishing = Finishing::Summary { prompt: "sum up".to_owned() };
    let mut run = AgentRun::start(Setup { finishing, ..setup(&[]) }, &Permissive).unwrap();
    reply(&mut run, ModelReply::text("done"), &Permissive);
    run
}

fn finished() -> AgentRun {
    let mut run = observing();
    let told = results(&run, Ok(json!(2)));
    tell(&mut run, told, &Permissive);
    reply(&mut run, ModelReply::text("done"), &Permissive);
    run
}

fn halted() -> AgentRun {
    let mut run = AgentRun::start(setup(&[]), &Permissive).unwrap();
    tell(&mut run, Told::Failed(unreachable_model()), &Permissive);
    run
}

/// Stores the run, changes one thing, and reads it again.
fn tampered(run: &AgentRun, change: impl FnOnce(&mut Value)) -> Result<AgentRun, String> {
    let mut value = serde_json::to_value(run).unwrap();
    change(&mut value);
    let text = value.to_string();
    assert_ne!(text, serde_json::to_value(run).unwrap().to_string(), "nothing was changed");
    serde_json::from_str(&text).map_err(|error| error.to_string())
}

fn refused(run: &AgentRun, change: impl FnOnce(&mut Value)) -> String {
    let error = tampered(run, change).unwrap_err();
    error.strip_prefix("the run contradicts itself: ").unwrap_or(&error).to_owned()
}

#[test]
fn a_run_is_read_as_it_was_stored_in_every_state() {
    for run in [planning(), deciding(), observing(), finalizing(), finished(), halted()] {
        assert_eq!(stored(&run), run);
    }
}

#[test]
fn exact_numbers_survive_storage() {
    let mut run = AgentRun::start(setup(&["look"]), &Permissive).unwrap();
    let exact: Value = serde_json::from_str(r#"{ "amount": 0.10000000000000000001 }"#).unwrap();
    let mut asks = ModelReply::calls(vec![call("1", "look")]);
    asks.calls[0].arguments = exact.clone();
    reply(&mut run, asks, &Permissive);
    let told = results(&stored(&run), Ok(exact.clone()));
    let mut run = stored(&run);
    tell(&mut run, told, &Permissive);
    let run = stored(&run);
    assert_eq!(run.state().observations()[0].outcome, Ok(exact));
    assert_eq!(
        run.state().observations()[0].call.arguments.to_string(),
        r#"{"amount":0.10000000000000000001}"#
    );
}

#[test]
fn another_format_is_refused() {
    let error = refused(&observing(), |run| run["format"] = json!(2));
    assert_eq!(error, "the run has format 2, and this version reads format 1");
}

#[test]
fn a_field_nobody_knows_is_refused() {
    assert!(refused(&observing(), |run| run["extra"] = json!(1)).contains("unknown field `extra`"));
    assert!(refused(&observing(), |run| run["setup"]["extra"] = json!(1)).contains("unknown field `extra`"));
}

#[test]
fn a_state_that_contradicts_its_history_is_refused() {
    let elsewhere = "the state is not where the history ends";
    assert_eq!(refused(&observing(), |run| run["step"] = json!("Executing")), elsewhere);
    let answered = json!({ "Ended": { "Finished": {
        "answer": "forged", "because": "NoToolCalls", "source": "LastText"
    } } });
    assert_eq!(refused(&observing(), |run| run["step"] = answered.clone()), elsewhere);
    assert_eq!(refused(&halted(), |run| run["step"] = answered), elsewhere);
}

#[test]
fn a_history_that_is_no_path_of_the_table_is_refused() {
    let broken = "the history is not a path of the table with true counts";
    let history = |change: fn(&mut Vec<Value>)| {
        refused(&observing(), move |run| change(run["history"].as_array_mut().unwrap()))
    };
    assert_eq!(history(|moves| drop(moves.remove(0))), broken);
    assert_eq!(history(|moves| drop(moves.remove(2))), broken);
    assert_eq!(history(|moves| moves[1]["to"] = json!("OBSERVE")), broken);
    assert_eq!(history(|moves| moves[2]["iteration"] = json!(7)), broken);
    assert_eq!(history(|moves| moves[3]["from"] = json!("PLAN")), broken);
    assert_eq!(history(|moves| drop(moves.pop())), "the state is not where the history ends");
}

#[test]
fn more_iterations_than_the_limit_are_refused() {
    let error = refused(&observing(), |run| run["setup"]["limits"]["iterations_max"] = json!(1));
    assert_eq!(error, "there are more iterations than the limit allows");
    let zero = refused(&observing(), |run| run["setup"]["limits"]["iterations_max"] = json!(0));
    assert_eq!(zero, "the run could not have been started: the limit `iterations_max` is zero");
}

#[test]
fn a_wait_that_the_setup_does_not_lead_to_is_refused() {
    let given =
        json!({ "Given": { "goal": "g", "required_capabilities": [], "initial_steps": [], "raw": {} } });
    let error = refused(&planning(), |run| run["setup"]["planning"] = given);
    assert_eq!(error, "it waits for a plan that was given");
    let schema =
        refused(&planning(), |run| run["setup"]["planning"]["Model"]["schema"] = json!({ "type": 1 }));
    assert!(schema.starts_with("the run could not have been started: the schema of the plan"), "{schema}");
    let error = refused(&deciding(), |run| run["setup"]["deciding"] = json!("Rule"));
    assert_eq!(error, "it waits for a decision that a rule makes");
    let error = refused(&finalizing(), |run| run["setup"]["finishing"] = json!("LastText"));
    assert_eq!(error, "it waits for a summary that it does not ask for");
}

#[test]
fn an_ending_other_than_the_one_in_the_history_is_refused() {
    let other = "the ending is not the one in the history";
    let cause = json!({ "Ended": { "Halted": { "Cancelled": { "by": "nobody" } } } });
    assert_eq!(refused(&halted(), |run| run["step"] = cause), other);
    assert_eq!(
        refused(&finished(), |run| run["step"]["Ended"]["Finished"]["because"] = json!("Converged")),
        other
    );
    assert_eq!(refused(&finalizing(), |run| run["step"]["Finalizing"] = json!("Converged")), other);
}

#[test]
fn pending_calls_that_were_not_made_are_refused() {
    let pending = |run: &mut Value| run["step"]["Observing"]["pending"].as_array_mut().unwrap().clone();
    let forged = json!({ "id": "9", "name": "look", "arguments": { "row": 1 } });
    let unlike = "the calls that wait are not those without results";
    let more = refused(&observing(), |run| {
        let all = [pending(run), vec![forged.clone()]].concat();
        run["step"]["Observing"]["pending"] = json!(all);
    });
    assert_eq!(more, unlike);
    let fewer = refused(&observing(), |run| run["step"]["Observing"]["pending"] = json!([pending(run)[1]]));
    assert_eq!(fewer, unlike);
    // The same id with other arguments is another call.
    let swapped = refused(&observing(), |run| {
        run["step"]["Observing"]["pending"][0]["arguments"] = json!({ "amount": 1_000_000 });
    });
    assert_eq!(swapped, "the observations are not of the calls made");
    let none = refused(&observing(), |run| run["step"]["Observing"]["pending"] = json!([]));
    assert_eq!(none, "it waits for results of no call that may run");
    let unoffered = refused(&observing(), |run| run["setup"]["tools"] = json!([]));
    assert_eq!(unoffered, "it waits for results of no call that may run");
}

#[test]
fn a_conversation_that_does_not_fit_the_observations_is_refused() {
    let forged = refused(&observing(), |run| run["state"]["observations"] = json!([]));
    assert_eq!(forged, "the observations are not of the calls made");
    let later = refused(&observing(), |run| run["state"]["observations"][0]["iteration"] = json!(3));
    assert_eq!(later, "the observations are not in order");
    let disorder = refused(&observing(), |run| drop(run["messages"].as_array_mut().unwrap().remove(2)));
    assert_eq!(disorder, "calls and results are out of order");
    let short = refused(&observing(), |run| run["seeded"] = json!(9));
    assert_eq!(short, "it has fewer messages than it was started with");
    let seeded = refused(&observing(), |run| run["seeded"] = json!(2));
    assert_eq!(seeded, "the earlier messages leave calls open");
}

#[test]
fn knowledge_that_does_not_fit_the_history_is_refused() {
    let goal = refused(&observing(), |run| run["state"]["goal"] = json!("another"));
    assert_eq!(goal, "the goal is not the one it was started with");
    let plan = refused(&observing(), |run| run["state"]["outline"] = Value::Null);
    assert_eq!(plan, "it decided without a plan");
    let decision = refused(&observing(), |run| run["state"]["decision"] = Value::Null);
    assert_eq!(decision, "it went on without a decision");
    let against = refused(&observing(), |run| run["state"]["decision"]["continue"] = json!(false));
    assert_eq!(against, "it went on against its decision");
    let outline = serde_json::to_value(observing().state().outline()).unwrap();
    let early = refused(&planning(), |run| run["state"]["outline"] = outline);
    assert_eq!(early, "it waits for a plan and has one");
    let signals = refused(&observing(), |run| run["state"]["progress"]["recent"] = json!(vec![1; 65]));
    assert_eq!(signals, "there are more signals than are remembered");
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    let data = refused(&observing(), |run| run["state"]["data"] = json!({ "x": deep.clone() }));
    assert_eq!(data, "the run could not have been started: x is nested deeper than 64 levels");
    let result =
        refused(&observing(), |run| run["state"]["observations"][0]["outcome"] = json!({ "Ok": deep }));
    assert_eq!(result, "something is nested too deep");
}

#[test]
fn audit_entries_with_gaps_are_refused() {
    let gaps = "the audit entries are not numbered without gaps";
    assert_eq!(refused(&observing(), |run| drop(run["audit"].as_array_mut().unwrap().remove(1))), gaps);
    assert_eq!(refused(&observing(), |run| run["audit_next"] = json!(1)), gaps);
    // Entries that were taken are gone, and that is no gap.
    let mut run = observing();
    assert!(!run.take_audit().is_empty());
    assert_eq!(stored(&run), run);
}

#[test]
fn what_was_not_taken_from_the_audit_is_stored_with_the_run() {
    let mut here = observing();
    let mut elsewhere = stored(&here);
    assert_eq!(here.take_audit(), elsewhere.take_audit());
}

#[test]
fn every_single_value_that_is_removed_is_noticed_or_harmless() {
    // Not a promise about forgeries: no removal may make a run that breaks the protocol.
    let run = observing();
    let whole = serde_json::to_value(&run).unwrap();
    for key in whole.as_object().unwrap().keys() {
        let read = tampered(&run, |value| drop(value.as_object_mut().unwrap().remove(key)));
        assert!(read.is_err(), "a run without `{key}` was read");
    }
    let mut read_anyway = 0;
    for pointer in pointers(&whole, String::new()) {
        let nulled = tampered(&run, |value| *value.pointer_mut(&pointer).unwrap() = Value::Null);
        if let Ok(mut run) = nulled {
            read_anyway += 1;
            let told = results(&run, Ok(json!(1)));
            run.tell(told, support::MS, &Permissive).unwrap();
        }
    }
    assert!(read_anyway < 20, "{read_anyway} values could be emptied");
}

fn pointers(value: &Value, at: String) -> Vec<String> {
    let inner: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(nth, item)| (nth.to_string(), item)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| (name.replace('/', "~1"), field)).collect()
        }
        _ => Vec::new(),
    };
    let below = inner.into_iter().flat_map(|(name, part)| pointers(part, format!("{at}/{name}")));
    let own = if at.is_empty() || value.is_null() { Vec::new() } else { vec![at.clone()] };
    own.into_iter().chain(below).collect()
}

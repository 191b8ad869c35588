//! A BrainOS platform in front, over real HTTP: what it asks for meets our gate, and where it gives no answer the task
//! is done by ourselves.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod running;

use std::sync::Arc;

use purple_testkit::provider::raw::{Act, RawProvider, answer};
use purple_testkit::provider::{Copilot, Provider, Speech};
use purple_testkit::{Asked as _, Brain, Clerk, Job, call};
use purple_worker::port::{ModelReply, ModelRequest};
use serde_json::{Value, json};

use running::{Running, YES, message};

const TASK: &str = "Mark INC-902 as mitigated.";
const WRITE: &str = "update_incident_status";

fn mitigated() -> Value {
    json!({"incident_id": "INC-902", "status": "mitigated"})
}

fn clerk() -> Clerk {
    Clerk(vec![Job {
        about: TASK.to_owned(),
        looks: vec![("get_incident".to_owned(), json!({"incident_id": "INC-902"}))],
        proposes: vec![json!({"tool": WRITE, "arguments": mitigated()})],
        answer: "It is marked.".to_owned(),
        ..Job::default()
    }])
}

/// Before it does its job it calls a tool that nobody offered, and one that writes although nobody has agreed.
fn hasty() -> impl Brain {
    |request: &ModelRequest| {
        let plain = clerk().reply(request);
        let writes_early = request.offers("get_incident") && request.calls_of("no_such_tool").is_empty();
        if writes_early {
            return ModelReply::calls(vec![call(WRITE, mitigated()), call("no_such_tool", json!({}))]);
        }
        plain
    }
}

fn config(platform: &str, own: Option<&Provider>) -> String {
    let own = own.map_or_else(String::new, |own| format!("ollama_url = \"{}\"\n", own.url()));
    format!(
        "[approvals]\nown_requests = true\n[limits]\ntokens = 100000\n\
         [model]\nbrainos_url = \"{platform}\"\nbrainos_timeout_s = 1\n{own}"
    )
}

async fn platform(brain: impl Brain + 'static) -> RawProvider {
    let mut copilot = Copilot::new(brain);
    RawProvider::deciding(move |request| copilot.answer(request)).await.unwrap()
}

async fn own() -> Provider {
    Provider::open(Speech::Ollama, Arc::new(clerk())).await.unwrap()
}

/// Sends the task, and gives its context and its state.
async fn sent(running: &Running) -> (String, String) {
    let told = running.call("SendMessage", message("m-1", None, TASK)).await;
    let task = &told["result"]["task"];
    let text = |value: &Value| value.as_str().map(str::to_owned).unwrap_or_else(|| unreachable!("{told}"));
    (text(&task["contextId"]), text(&task["status"]["state"]))
}

async fn confirmed(running: &Running, context: &str) -> String {
    let told = running.call("SendMessage", message("m-2", Some(context), YES)).await;
    told["result"]["task"]["status"]["state"].as_str().unwrap_or_else(|| unreachable!("{told}")).to_owned()
}

/// The names of the models that replied, and how often a wish was refused, by the journal.
async fn journal(running: &Running, context: &str) -> (Vec<String>, usize) {
    let (code, out, talk) = running.purple(&["trace", context, "--json"]);
    assert_eq!(code, 0, "{talk}");
    let entries: Vec<Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of = |kind: &str| entries.iter().filter(|entry| entry["kind"] == kind).collect::<Vec<_>>();
    let replied =
        of("model.replied").iter().map(|entry| entry["data"]["model"].as_str().unwrap().to_owned()).collect();
    (replied, of("model.refused").len())
}

#[tokio::test]
async fn what_the_platform_asks_for_meets_our_gate() {
    let platform = platform(hasty()).await;
    let mut running = Running::start(&config(&platform.url, None)).await;
    let (context, state) = sent(&running).await;
    assert_eq!((state.as_str(), running.effects()), ("TASK_STATE_INPUT_REQUIRED", vec![]), "a write asks");
    let (replied, refused) = journal(&running, &context).await;
    assert!(replied.len() > 2 && replied.iter().all(|model| model == "brainos"), "{replied:?}");
    assert_eq!(refused, 2, "the write before its time, and the tool that nobody offered");
    let read = platform.requests().iter().any(|request| {
        request.contains("\"toolResults\"") && request.contains("get_incident") && request.contains("INC-902")
    });
    assert!(read, "the result of a read went back");
    // What was answered is not asked again after a crash.
    let asked = platform.requests().len();
    running.again();
    let (code, ..) = running.purple(&["show", &context]);
    assert_eq!((code, platform.requests().len()), (0, asked));
    assert_eq!(confirmed(&running, &context).await, "TASK_STATE_COMPLETED");
    assert_eq!(running.effects(), [WRITE]);
}

#[tokio::test]
async fn a_platform_that_is_down_leaves_the_task_to_our_own_model() {
    let platform = RawProvider::deciding(|_| Act::Say(answer("503 Unavailable", "", "later"))).await.unwrap();
    let own = own().await;
    let running = Running::start(&config(&platform.url, Some(&own))).await;
    let (context, state) = sent(&running).await;
    assert_eq!(state, "TASK_STATE_INPUT_REQUIRED");
    assert_eq!(confirmed(&running, &context).await, "TASK_STATE_COMPLETED");
    assert_eq!(running.effects(), [WRITE]);
    let (replied, _) = journal(&running, &context).await;
    assert!(replied.iter().all(|model| model.starts_with("qwen")), "{replied:?}");
    assert_eq!(platform.requests().len(), 1, "it rests after it was down");
}

#[tokio::test]
async fn a_platform_that_hangs_is_left_after_its_time() {
    let platform = RawProvider::deciding(|_| Act::Stall(Vec::new())).await.unwrap();
    let own = own().await;
    let running = Running::start(&config(&platform.url, Some(&own))).await;
    let (context, state) = sent(&running).await;
    assert_eq!((state.as_str(), platform.requests().len()), ("TASK_STATE_INPUT_REQUIRED", 1));
    assert_eq!(confirmed(&running, &context).await, "TASK_STATE_COMPLETED");
    assert_eq!(running.effects(), [WRITE]);
}

#[tokio::test]
async fn without_a_model_of_our_own_what_needs_none_is_done_all_the_same() {
    let platform = RawProvider::deciding(|_| Act::Say(answer("503 Unavailable", "", "later"))).await.unwrap();
    let running = Running::start(&config(&platform.url, None)).await;
    let question = message("m-1", None, "What is the status of order ORD-5592?");
    let told = running.call("SendMessage", question).await;
    assert_eq!(told["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{told}");
    let other = running.call("SendMessage", message("m-2", None, TASK)).await;
    let said = other.to_string();
    assert!(said.contains("needs a language model"), "{other}");
    assert!(!platform.requests().is_empty() && running.effects().is_empty());
}

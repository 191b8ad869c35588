//! The scripted system under test does what the compatibility kit expects of one.

#[path = "../examples/a2a-conformance/engine.rs"]
#[allow(dead_code, reason = "the program uses the rest")]
mod engine;

use std::sync::Arc;
use std::time::Duration;

use engine::{Conformance, End, Otherwise, Script, script};
use purple_server::{IdMaker, NoId, OpenDoor, Ports, Server, ServerConfig};
use purple_worker::port::{PersonId, SessionId};
use serde_json::{Value, json};

struct One;

impl IdMaker for One {
    fn fresh(&self) -> Result<SessionId, NoId> {
        SessionId::parse("ctx-1").map_err(|_| NoId)
    }
}

#[test]
fn the_longest_beginning_of_an_id_or_a_text_says_what_happens() {
    let of = |id: &str, words: &str| script(id, words, Otherwise::Completed);
    let at_once = |end| Script { works_for: Duration::ZERO, end };
    assert_eq!(of("tck-complete-task-7", ""), at_once(End::Completed));
    assert_eq!(of("x", "tck-input-required please"), at_once(End::InputRequired));
    assert_eq!(of("tck-reject-task", ""), at_once(End::Failed));
    assert_eq!(of("tck-artifact-file-url-1", ""), at_once(End::Completed));
    assert_eq!(of("test-resubscribe-message-id", "").works_for, Duration::from_secs(4));
    assert_eq!(of("anything", "else"), at_once(End::Completed));
    let asks = script("anything", "else", Otherwise::WorksThenAsks);
    assert_eq!(asks, Script { works_for: Duration::from_secs(3), end: End::InputRequired });
}

#[tokio::test]
async fn a_message_of_the_kit_is_served_by_the_server_itself() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let conformance = Conformance::new(Otherwise::Completed);
    let door = Arc::new(OpenDoor::on_loopback(PersonId::parse("tck").unwrap()));
    let ports = Ports {
        watchers: Some(conformance.clone()),
        ..Ports::new(conformance.worker(), door, Arc::new(One))
    };
    let server = Server::bind(ServerConfig::at("127.0.0.1:0".parse().unwrap()), ports).await.unwrap();
    let url = format!("http://{}/", server.address());
    tokio::spawn(server.run(std::future::pending()));
    let client = reqwest::Client::builder().timeout(purple_testkit::WAIT_MAX).build().unwrap();
    let call = async |method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        client.post(&url).json(&body).send().await.unwrap().json::<Value>().await.unwrap()
    };
    let send = |id: &str, task: Option<&str>| {
        let mut message = json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": "hi"}]});
        if let Some(task) = task {
            message["taskId"] = json!(task);
        }
        json!({"message": message})
    };
    let asked = call("SendMessage", send("tck-input-required-1", None)).await["result"]["task"].clone();
    assert_eq!(asked["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{asked}");
    // A follow-up with another beginning goes on with the paused task.
    let done = call("SendMessage", send("tck-complete-task-1", asked["id"].as_str())).await["result"]["task"]
        .clone();
    assert_eq!((&done["id"], &done["status"]["state"]), (&asked["id"], &json!("TASK_STATE_COMPLETED")));
    assert_eq!(done["artifacts"][0]["parts"][0]["text"], "Hello from TCK");
    assert_eq!(done["history"].as_array().unwrap().len(), 2, "{done}");
}

//! A BrainOS copilot on the loopback, well and badly behaved, in front of a model of our own.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use jiff::Timestamp;
use purple_model::limits::FRAME_BYTES_MAX;
use purple_model::{Api, Client, Delivery, Dice, Endpoint, Patience, Retries, Secret, delegated};
use purple_port::{
    BoxFuture, Clock, Message, Model, ModelError, ModelReply, ModelRequest, Models, Pause, Purpose, Sampling,
    ToolDefinition,
};
use purple_testkit::provider::raw::{Act, RawProvider, answer, chunk, chunked, end};
use purple_testkit::within;
use serde_json::{Value, json};
use tokio::sync::Notify;

const IDLE: Duration = Duration::from_secs(31);

/// The idle limit ends when the copilot has stalled; no other limit does.
#[derive(Default)]
struct Script {
    ring: Arc<Notify>,
}

impl Pause for Script {
    fn pause(&self, duration: Duration) -> BoxFuture<'_, ()> {
        if duration == IDLE {
            return Box::pin(async { self.ring.notified().await });
        }
        Box::pin(std::future::pending())
    }
}

struct NoJitter;

impl Dice for NoJitter {
    fn below(&self, _: u64) -> u64 {
        0
    }
}

struct Standing;

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

/// Our own model: it says so, and remembers what it was asked.
#[derive(Default)]
struct Own(Mutex<Vec<ModelRequest>>);

impl Model for Own {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        self.0.lock().unwrap().push(request.clone());
        Box::pin(std::future::ready(Ok(ModelReply::text("by ourselves"))))
    }
}

fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Execute,
        messages: vec![Message::user("Find it.")],
        tools: vec![ToolDefinition::new("find", "Finds.")],
        output_schema: None,
        sampling: Sampling::default(),
        output_tokens_max: 100,
    }
}

fn copilot(url: &str, ring: Arc<Notify>) -> Client {
    let endpoint = Endpoint {
        api: Api::BrainOs,
        base_url: format!("{url}/"),
        key: Some(Secret::new("bk-secret-1234")),
        model: "brainos".to_owned(),
    };
    let retries = Retries { retries_max: 0, ..Retries::default() };
    let patience = Patience { idle: IDLE, retries, ..Patience::default() };
    Client::new(endpoint, Delivery::Streamed, patience, Arc::new(Script { ring }), Arc::new(NoJitter))
        .unwrap()
}

/// One question to the pair: what was answered, and what our own model was asked.
async fn ask(url: &str, ring: Arc<Notify>) -> (ModelReply, Vec<ModelRequest>) {
    let own = Arc::new(Own::default());
    let behind = Models {
        fast: own.clone(),
        fast_name: "quick".to_owned(),
        strong: own.clone(),
        strong_name: "careful".to_owned(),
    };
    let models = delegated(Arc::new(copilot(url, ring)), "brainos", Some(behind), Arc::new(Standing));
    let reply = models.fast.complete(&request()).await.unwrap();
    let asked = own.0.lock().unwrap().clone();
    (reply, asked)
}

fn events(events: &[Value]) -> Vec<u8> {
    let said: Vec<Vec<u8>> = events.iter().map(|event| chunk(&format!("data: {event}\n\n"))).collect();
    [chunked("text/event-stream"), said.concat()].concat()
}

fn done() -> Vec<u8> {
    [chunk("data: [DONE]\n\n"), end()].concat()
}

#[tokio::test]
async fn the_request_carries_the_task_the_tools_and_the_key_in_its_headers_only() {
    let said = Act::Say([events(&[json!({"text": "Found."})]), done()].concat());
    let server = RawProvider::start(vec![said]).await.unwrap();
    let (reply, own) = ask(&server.url, Arc::default()).await;
    assert_eq!((reply.text.as_str(), reply.model.as_deref(), own.len()), ("Found.", Some("brainos"), 0));
    let sent = server.requests().remove(0);
    let (head, body) = sent.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /api/copilot/chat HTTP/1.1"), "{head}");
    for header in ["authorization: Bearer bk-secret-1234", "x-api-key: bk-secret-1234", "text/event-stream"] {
        assert!(head.contains(header), "{head}");
    }
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(body["message"], "Find it.");
    assert!(body["extraParams"]["systemContext"].as_str().unwrap().contains("\"name\":\"find\""), "{body}");
    assert!(!body.to_string().contains("bk-secret"), "{body}");
}

#[tokio::test]
async fn calls_of_any_tool_come_as_wishes_with_the_id_of_the_conversation() {
    let calls = [
        json!({"tool_call": {"name": "find", "params": {"id": 7}}, "conversationId": "c-1"}),
        json!({"tool_call": {"name": "no_such_tool", "params": {}}}),
    ];
    // Without an end mark: a call is whole in itself.
    let server = RawProvider::start(vec![Act::Say([events(&calls), end()].concat())]).await.unwrap();
    let (reply, own) = ask(&server.url, Arc::default()).await;
    let named: Vec<&str> = reply.calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!((named, own.len()), (vec!["find", "no_such_tool"], 0));
    assert_eq!(reply.keepsake, Some(json!({"brainos": "c-1"})));
}

#[tokio::test]
async fn whatever_goes_wrong_our_own_model_answers_the_same_question() {
    let refused = |status: &str| Act::Say(answer(status, "", r#"{"error":"not with bk-secret-1234"}"#));
    let giant = [chunked("text/event-stream"), b"fffffff\r\ndata: ".to_vec()].concat();
    let page = "content-type: text/html\r\n";
    let acts = [
        ("500", refused("500 Internal")),
        ("503", refused("503 Unavailable")),
        ("401", refused("401 Unauthorized")),
        ("garbage", Act::Say([chunked("text/event-stream"), chunk("data: }{\n\n"), done()].concat())),
        ("no event", Act::Say([events(&[json!([1, 2])]), done()].concat())),
        ("error event", Act::Say([events(&[json!({"error": {"message": "overloaded"}})]), done()].concat())),
        ("cut between events", Act::Say([events(&[json!({"text": "I"})]), end()].concat())),
        ("cut in the transfer", Act::Say(events(&[json!({"text": "I"})]))),
        ("nothing said", Act::Say([events(&[]), done()].concat())),
        ("a page", Act::Say(answer("200 OK", page, "<html>login</html>"))),
        ("a giant event", Act::Flood(giant, 2 * FRAME_BYTES_MAX)),
        ("an empty reply", Act::Say(Vec::new())),
    ];
    for (what, act) in acts {
        let server = RawProvider::start(vec![act]).await.unwrap();
        let (reply, own) = ask(&server.url, Arc::default()).await;
        assert_eq!((reply.text.as_str(), reply.model.as_deref()), ("by ourselves", Some("quick")), "{what}");
        assert_eq!((own, server.requests().len()), (vec![request()], 1), "{what}");
    }
}

#[tokio::test]
async fn a_copilot_that_hangs_is_left_and_our_own_model_answers() {
    let begun = events(&[json!({"text": "Let me"})]);
    let server = RawProvider::start(vec![Act::Stall(begun)]).await.unwrap();
    let (reply, own) = ask(&server.url, server.stalled.clone()).await;
    assert_eq!((reply.text.as_str(), own.len()), ("by ourselves", 1));
    within("the client to close the connection", server.left.notified()).await;
}

#[tokio::test]
async fn nobody_at_the_address_is_no_reason_to_fail() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (reply, own) = ask(&format!("http://{nobody}"), Arc::default()).await;
    assert_eq!((reply.text.as_str(), own.len()), ("by ourselves", 1));
}

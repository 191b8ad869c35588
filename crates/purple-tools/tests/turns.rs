//! Servers that change their tools, ask questions, report progress and are given up: line by line, as they see it.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod company;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use company::{PATIENCE, get_invoice, reject};
use purple_port::{Answers, CallOptions, Called, Definition, Listing, Pass, Still, Tools, ToolsAt};
use purple_tools::limits::PROGRESS_DEADLINES_MAX;
use purple_tools::{Era, ServerConfig, ServerKind, StreamFactory, Streams, ToolServers};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

/// What a server does when it hears a message: the messages that it sends, in order.
type Script = dyn Fn(&Value) -> Vec<Value> + Send + Sync;

/// A server on streams that greets in the older way and then follows a script; and all that it heard.
fn server(
    script: impl Fn(&Value) -> Vec<Value> + Send + Sync + 'static,
) -> (ServerKind, Arc<Mutex<Vec<Value>>>) {
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (script, log): (Arc<Script>, _) = (Arc::new(script), Arc::clone(&heard));
    let kind = ServerKind::Streams(StreamFactory::new(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let (script, log) = (Arc::clone(&script), Arc::clone(&log));
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let said: Value = serde_json::from_str(&line).unwrap();
                log.lock().unwrap().push(said.clone());
                let told = match said["method"].as_str() {
                    Some("initialize") => vec![result(
                        &said,
                        json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {"listChanged": true}}, "serverInfo": {"name": "x", "version": "1"}}),
                    )],
                    _ => script(&said),
                };
                for message in told {
                    if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                        return;
                    }
                }
            }
        });
        let (reader, writer) = tokio::io::split(ours);
        Ok(Streams { reader: Box::new(reader), writer: Box::new(writer) })
    }));
    (kind, heard)
}

fn result(to: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": to["id"], "result": result})
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

fn of(servers: Vec<(&str, ServerKind)>) -> ToolServers {
    let config =
        |(name, kind): (&str, ServerKind)| ServerConfig { name: name.to_owned(), kind, era: Era::Legacy };
    ToolServers::new(servers.into_iter().map(config).collect()).unwrap()
}

async fn list(servers: &ToolServers) -> Listing {
    servers.list(&ToolsAt::Configured).await.unwrap()
}

async fn still(servers: &ToolServers, seen: &Definition) -> Still {
    servers.still(&ToolsAt::Configured, seen).await
}

async fn call(servers: &ToolServers, pass: Pass, deadline: Duration, answers: Option<Answers>) -> Called {
    servers.call(&ToolsAt::Configured, pass, CallOptions { deadline, key: None, answers }).await
}

/// Waits until the server has heard such a message.
async fn until(heard: &Mutex<Vec<Value>>, wanted: impl Fn(&Value) -> bool) -> Value {
    let found = async {
        loop {
            let found = heard.lock().unwrap().iter().find(|message| wanted(message)).cloned();
            match found {
                Some(found) => break found,
                None => tokio::task::yield_now().await,
            }
        }
    };
    tokio::time::timeout(PATIENCE, found).await.unwrap()
}

#[tokio::test]
async fn a_server_that_is_given_up_is_told_so() {
    let (kind, heard) = server(|_| Vec::new());
    let servers = of(vec![("x", kind)]);
    let called = call(&servers, get_invoice(), Duration::from_millis(50), None).await;
    assert_eq!(called, Called::Lost { reason: "no answer within 50 ms".into() });
    let cancelled = until(&heard, |said| said["method"] == "notifications/cancelled").await;
    let sent = until(&heard, |said| said["method"] == "tools/call").await;
    assert_eq!(cancelled["params"]["requestId"], sent["id"]);
}

#[tokio::test]
async fn progress_gives_a_call_more_time_and_not_for_ever() {
    let token = |said: &Value| said["params"]["_meta"]["progressToken"].clone();
    let progress = move |said: &Value| json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": token(said), "progress": 1}});
    // It reports at every message, and a stranger sends one each time: a list, over and over.
    let (kind, heard) = server(move |said| match said["method"].as_str() {
        Some("tools/call") => vec![progress(said)],
        _ => Vec::new(),
    });
    let servers = of(vec![("x", kind)]);
    let deadline = Duration::from_millis(100);
    let began = tokio::time::Instant::now();
    let called = call(&servers, get_invoice(), deadline, None).await;
    assert!(matches!(called, Called::Lost { .. }), "{called:?}");
    assert!(began.elapsed() >= deadline && began.elapsed() < deadline * PROGRESS_DEADLINES_MAX + PATIENCE);
    assert!(!token(&until(&heard, |said| said["method"] == "tools/call").await).is_null());
}

#[tokio::test]
async fn a_change_that_the_server_tells_of_is_seen_at_once() {
    let version = Arc::new(Mutex::new("first"));
    let said_so = Arc::clone(&version);
    let (kind, _) = server(move |said| match said["method"].as_str() {
        Some("tools/list") => {
            vec![result(said, json!({"tools": [tool("get_invoice", *said_so.lock().unwrap())]}))]
        }
        Some("tools/call") => {
            *said_so.lock().unwrap() = "second";
            let changed = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            vec![changed, result(said, json!({"content": []}))]
        }
        _ => Vec::new(),
    });
    let servers = of(vec![("x", kind)]).with_fresh_lists(PATIENCE);
    let listing = list(&servers).await;
    assert_eq!(still(&servers, &listing.tools[0]).await, Still::Same);
    assert!(matches!(call(&servers, get_invoice(), PATIENCE, None).await, Called::Answered(_)));
    let changed = async {
        loop {
            match still(&servers, &listing.tools[0]).await {
                Still::Same => tokio::task::yield_now().await,
                other => break other,
            }
        }
    };
    let changed = tokio::time::timeout(PATIENCE, changed).await.unwrap();
    let what = "changed since it was first seen: its description".to_owned();
    assert_eq!(changed, Still::Changed { what });
}

#[tokio::test]
async fn a_server_that_came_back_as_another_version_is_asked_again() {
    let lists = Arc::new(Mutex::new(0));
    let counter = Arc::clone(&lists);
    let (kind, _) = server(move |said| match said["method"].as_str() {
        Some("tools/list") => {
            let mut lists = counter.lock().unwrap();
            *lists += 1;
            vec![result(said, json!({"tools": [tool("get_invoice", &format!("version {lists}"))]}))]
        }
        // It does not answer, so its connection is let go.
        _ => Vec::new(),
    });
    let servers = of(vec![("x", kind)]).with_fresh_lists(PATIENCE);
    let listing = list(&servers).await;
    assert_eq!(still(&servers, &listing.tools[0]).await, Still::Same);
    assert_eq!(*lists.lock().unwrap(), 1, "a list that is fresh is not read again");
    call(&servers, get_invoice(), Duration::from_millis(20), None).await;
    assert!(matches!(still(&servers, &listing.tools[0]).await, Still::Changed { .. }));
}

#[tokio::test]
async fn a_tool_that_is_gone_or_shadowed_is_not_the_one_that_was_seen() {
    let tools = Arc::new(Mutex::new(vec![tool("stamp", "of the post")]));
    let offered = Arc::clone(&tools);
    let (books, _) = server(|said| match said["method"].as_str() {
        Some("tools/list") => vec![result(said, json!({"tools": [tool("send", "of the books")]}))],
        _ => Vec::new(),
    });
    let (post, _) = server(move |said| match said["method"].as_str() {
        Some("tools/list") => vec![result(said, json!({"tools": *offered.lock().unwrap()}))],
        _ => Vec::new(),
    });
    let servers = of(vec![("books", books), ("post", post)]).with_fresh_lists(Duration::ZERO);
    let listing = list(&servers).await;
    let [send, stamp] = listing.tools.as_slice() else { panic!("{listing:?}") };
    assert_eq!((still(&servers, send).await, still(&servers, stamp).await), (Still::Same, Still::Same));
    *tools.lock().unwrap() = vec![tool("send", "of the post, and to somebody else")];
    let gone = still(&servers, stamp).await;
    assert_eq!(gone, Still::Changed { what: "it is not offered any more".to_owned() });
    let shadowed = still(&servers, send).await;
    assert_eq!(shadowed, Still::Changed { what: "another server offers a tool of its name now".to_owned() });
    let elsewhere = Definition { server: "shop".to_owned(), ..send.clone() };
    assert!(matches!(still(&servers, &elsewhere).await, Still::Changed { .. }));
}

fn elicitation(mode: &str) -> Value {
    let params = json!({"mode": mode, "message": "Which?", "url": "http://x/", "elicitationId": "e",
        "requestedSchema": {"type": "object", "properties": {"which": {"type": "string"}}}});
    json!({"jsonrpc": "2.0", "id": 77, "method": "elicitation/create", "params": params})
}

/// Asks during a call, and answers it with what it was told.
fn asking(mode: &'static str) -> (ServerKind, Arc<Mutex<Vec<Value>>>) {
    let waiting = Mutex::new(Value::Null);
    server(move |said| match (said["method"].as_str(), said["id"].as_i64()) {
        (Some("tools/call"), _) => {
            *waiting.lock().unwrap() = said.clone();
            vec![elicitation(mode)]
        }
        (None, Some(77)) => vec![result(
            &waiting.lock().unwrap(),
            json!({"content": [], "structuredContent": said["result"]}),
        )],
        _ => Vec::new(),
    })
}

#[tokio::test]
async fn a_question_during_a_call_is_left_open_and_answered_only_by_a_call_that_brings_the_answer() {
    let (kind, heard) = asking("form");
    let servers = of(vec![("x", kind)]);
    let Called::Asked(asked) = call(&servers, reject(), PATIENCE, None).await else { panic!("not asked") };
    assert_eq!(asked.questions[0].message, "Which?");
    let answered = |said: &Value| said["id"] == 77 && said.get("method").is_none();
    assert!(!heard.lock().unwrap().iter().any(answered), "nobody answers for a person");
    let given = [(asked.questions[0].id.clone(), json!({"which": "this"}))].into();
    let done = call(&servers, reject(), PATIENCE, Some(Answers { given, state: None })).await;
    let Called::Answered(told) = done else { panic!("{done:?}") };
    assert_eq!(told, json!({"action": "accept", "content": {"which": "this"}}));
    // The answer is not kept for another call.
    assert!(matches!(call(&servers, reject(), PATIENCE, None).await, Called::Asked(_)));
}

#[tokio::test]
async fn an_address_to_open_is_declined() {
    let (kind, _) = asking("url");
    let servers = of(vec![("x", kind)]);
    let Called::Answered(told) = call(&servers, reject(), PATIENCE, None).await else {
        panic!("not answered")
    };
    assert_eq!(told.for_work()["action"], "decline");
}

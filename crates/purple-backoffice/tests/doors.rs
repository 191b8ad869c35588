//! The same company behind every door.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod desk;
mod door;

use desk::{Desk, Folder, fields};
use door::{Era, arrived, call, child, mcp, open, over_http, plain, post, request, text};
use purple_backoffice::{DoorError, HttpDoor, Ledger, serve_mcp};
use serde_json::{Value, json};

/// A sequence with reads, writes, a repetition by key, refusals and a notice: tool, arguments, key.
fn script() -> Vec<(&'static str, Value, Option<&'static str>)> {
    let changes = json!([
        {"action": "remove", "quantity": 3, "item": "Widget A"}, {"action": "add", "quantity": 2, "item": "Widget B"}
    ]);
    vec![
        ("get_invoice", json!({"invoice_id": "INV-2024-447"}), None),
        ("reject_invoice", json!({"invoice_id": "INV-2024-447", "reason": "AP-3"}), Some("k-1")),
        ("reject_invoice", json!({"invoice_id": "INV-2024-447", "reason": "AP-3"}), Some("k-1")),
        ("approve_invoice", json!({"invoice_id": "INV-2024-447"}), None),
        ("modify_order_items", json!({"order_id": "ORD-5592", "changes": changes}), None),
        ("get_order", json!({"order_id": "ORD-5592"}), None),
        ("send_order_confirmation", json!({"order_id": "ORD-5592", "customer_id": "C-8821"}), None),
        ("get_contract", json!({"contract_id": "CTR-441"}), None),
        (
            "apply_account_credit",
            json!({"vendor_id": "INFRA-9", "amount": "1020.00 USD", "reference": "R"}),
            Some("k-2"),
        ),
        ("no_such_tool", json!({}), None),
    ]
}

/// What the witness saw, without times and sessions.
fn seen(mut ledger: Ledger) -> Ledger {
    for effect in &mut ledger.effects {
        effect.at.clear();
    }
    for call in &mut ledger.calls {
        call.at.clear();
        call.session.clear();
    }
    ledger
}

async fn play(client: &door::Mcp) -> Vec<Value> {
    let mut answers = Vec::new();
    for (tool, arguments, key) in script() {
        answers.push(match client.call_tool(request(tool, arguments, key)).await {
            Ok(result) => result.structured_content.unwrap(),
            Err(_) => Value::Null,
        });
    }
    answers
}

#[tokio::test]
async fn every_door_tells_the_same_and_leaves_the_same_ledger() {
    let in_process = Desk::open();
    let mut told = Vec::new();
    for (tool, arguments, key) in script() {
        let call = purple_backoffice::Call::new(tool, fields(arguments)).key(key);
        told.push(match in_process.0.call(&call).answer {
            purple_backoffice::Answer::Done(value) => value,
            purple_backoffice::Answer::Refused { code: "UNKNOWN_TOOL", .. } => Value::Null,
            purple_backoffice::Answer::Refused { code, message } => json!({"error": message, "type": code}),
            other => panic!("{other:?}"),
        });
    }
    let expected = seen(in_process.ledger());
    assert_eq!((expected.effects.len(), expected.calls.len()), (4, script().len()));
    for era in Era::BOTH {
        let folder = Folder::new("doors");
        let file = folder.path("company.db");
        let client = mcp((), child(&["--data", file.to_str().unwrap()]), era).await;
        assert_eq!(play(&client).await, told, "stdio {era:?}");
        client.cancel().await.unwrap();
        assert_eq!(seen(Ledger::read(&file).unwrap()), expected, "stdio {era:?}");

        let desk = Desk::open();
        let http = open(&desk).await;
        let client = mcp((), over_http(&http), era).await;
        assert_eq!(play(&client).await, told, "http {era:?}");
        assert_eq!(seen(desk.ledger()), expected, "http {era:?}");

        let desk = Desk::open();
        let client = inside(&desk, era).await;
        assert_eq!(play(&client).await, told, "streams {era:?}");
        assert_eq!(seen(desk.ledger()), expected, "streams {era:?}");
    }
    let desk = Desk::open();
    let http = open(&desk).await;
    for ((tool, params, key), told) in script().into_iter().zip(told) {
        let body = json!({"tool": tool, "params": params, "session_id": "s-1", "idempotency_key": key});
        let answer: Value = post(&http, body).await.unwrap().json().await.unwrap();
        if told.is_null() {
            assert_eq!(answer, json!({"error": "there is no tool `no_such_tool`", "type": "UNKNOWN_TOOL"}));
        } else {
            assert_eq!(answer, told, "bridge {tool}");
        }
    }
    assert!(desk.ledger().calls.iter().all(|call| call.session == "s-1"));
    assert_eq!(seen(desk.ledger()), expected, "bridge");
}

/// MCP on a pair of streams inside this process.
async fn inside(desk: &Desk, era: Era) -> door::Mcp {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (reader, writer) = tokio::io::split(theirs);
    tokio::spawn(serve_mcp(desk.0.clone(), reader, writer));
    mcp((), tokio::io::split(ours), era).await
}

#[tokio::test]
async fn numbers_travel_exactly() {
    let desk = Desk::open();
    let client = inside(&desk, Era::Modern).await;
    let contract = call(&client, "get_contract", json!({"contract_id": "CTR-441"})).await.unwrap();
    assert!(text(&contract).contains("\"sla_percent\":99.9,"), "{}", text(&contract));
    assert_eq!(contract.structured_content.unwrap()["multiplier"].to_string(), "1.5");
}

#[tokio::test]
async fn all_tools_are_listed_over_several_pages() {
    let desk = Desk::open();
    let http = open(&desk).await;
    let expected: Vec<&str> = desk.0.definitions().iter().map(|definition| definition.name).collect();
    for era in Era::BOTH {
        let client = mcp((), over_http(&http), era).await;
        let first = client.list_tools(None).await.unwrap();
        assert_eq!(first.tools.len(), 64);
        assert!(first.next_cursor.is_some());
        let all = client.list_all_tools().await.unwrap();
        assert_eq!(all.iter().map(|tool| tool.name.as_ref()).collect::<Vec<_>>(), expected);
        let reject = all.iter().find(|tool| tool.name == "reject_invoice").unwrap();
        assert_eq!(reject.annotations.as_ref().unwrap().destructive_hint, Some(true));
        assert_eq!(reject.meta.as_ref().unwrap().0["com.purple/idempotency-key"], true);
        assert!(reject.output_schema.is_some());
        let info = client.peer_info().unwrap();
        assert_eq!(info.server_info.as_ref().map(|info| info.name.as_str()), Some("purple-backoffice"));
    }
    let bridge: Vec<Value> = plain()
        .get(format!("{}/mcp/tools?session_id=s", http.bridge_url()))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(bridge.iter().map(|tool| tool["name"].as_str().unwrap()).collect::<Vec<_>>(), expected);
    let reject = bridge.iter().find(|tool| tool["name"] == "reject_invoice").unwrap();
    assert_eq!(reject["input_schema"]["required"], json!(["invoice_id", "reason"]));
    assert_eq!(
        reject.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["description", "input_schema", "name"]
    );
}

#[tokio::test]
async fn refusals_are_tool_errors_with_a_code() {
    let desk = Desk::open();
    let client = inside(&desk, Era::Legacy).await;
    let refused = call(&client, "get_invoice", json!({"invoice_id": "INV-0"})).await.unwrap();
    assert_eq!(refused.is_error, Some(true));
    assert_eq!(text(&refused), "invoice `INV-0` does not exist");
    assert_eq!(refused.structured_content.unwrap()["type"], "NOT_FOUND");
    let unknown = call(&client, "no_such_tool", json!({})).await.unwrap_err().to_string();
    assert!(unknown.contains("there is no tool"), "{unknown}");
}

#[tokio::test]
async fn the_bridge_says_what_is_wrong_with_a_request() {
    let desk = Desk::open();
    let http = open(&desk).await;
    let mcp_by_mistake = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}});
    let answer = post(&http, mcp_by_mistake).await.unwrap();
    assert_eq!(answer.status(), 400);
    assert_eq!(answer.json::<Value>().await.unwrap()["type"], "BAD_REQUEST");
    let foreign = plain().get(format!("{}/ledger", http.bridge_url())).header("host", "evil.example");
    assert_eq!(foreign.send().await.unwrap().status(), 421);
    let probe = plain().post(http.bridge_url()).json(&json!({})).send().await.unwrap();
    assert_eq!(probe.status(), 404, "the base URL itself is no MCP endpoint");
    assert_eq!(desk.ledger().calls.len(), 0);
}

#[tokio::test]
async fn the_ledger_can_be_read_over_http() {
    let desk = Desk::open();
    let http = open(&desk).await;
    desk.done("send_exit_survey", json!({"employee_id": "E-2291"}));
    let get = async |path: &str| {
        plain().get(format!("{}{path}", http.bridge_url())).send().await.unwrap().text().await.unwrap()
    };
    assert_eq!(get("/ledger").await, desk.ledger().effects_as_lines());
    assert_eq!(get("/ledger/calls").await, desk.ledger().calls_as_lines());
    assert_eq!(get("/ledger").await.lines().count(), 1);
    assert_eq!(get("/health").await, "ok");
    let listed = desk.0.definitions().iter().any(|definition| definition.name.contains("ledger"));
    assert!(!listed, "no tool reads it");
}

#[tokio::test]
async fn the_door_opens_on_loopback_only_and_closes() {
    let desk = Desk::open();
    let error = HttpDoor::open(desk.0.clone(), "0.0.0.0:0".parse().unwrap()).await.unwrap_err();
    assert!(matches!(error, DoorError::NotLoopback { .. }));
    let http = open(&desk).await;
    let taken = HttpDoor::open(desk.0.clone(), http.address()).await.unwrap_err();
    assert!(matches!(taken, DoorError::Listen { .. }));
    let url = format!("{}/health", http.bridge_url());
    http.close().await;
    assert!(plain().get(url).send().await.unwrap_err().is_connect());
}

#[tokio::test(flavor = "multi_thread")]
async fn hundreds_of_sessions_at_once_lose_nothing() {
    const SESSIONS: usize = 100;
    let desk = Desk::open();
    let http = open(&desk).await;
    let client = plain();
    let mut running = tokio::task::JoinSet::new();
    for session in 0..SESSIONS {
        let (client, url) = (client.clone(), format!("{}/mcp", http.bridge_url()));
        running.spawn(async move {
            for step in 0..3 {
                let params = json!({"customer_id": "C-8821", "amount": "1.00 USD", "reference": format!("{session}/{step}")});
                let body = json!({"tool": "issue_refund", "params": params, "session_id": session.to_string()});
                assert_eq!(client.post(&url).json(&body).send().await.unwrap().status(), 200);
            }
        });
    }
    while let Some(done) = running.join_next().await {
        done.unwrap();
    }
    let ledger = desk.ledger();
    let references: std::collections::BTreeSet<String> =
        ledger.effects.iter().map(|effect| effect.arguments["reference"].to_string()).collect();
    assert_eq!((ledger.effects.len(), references.len()), (SESSIONS * 3, SESSIONS * 3));
    arrived(&desk, "issue_refund", SESSIONS * 3).await;
}

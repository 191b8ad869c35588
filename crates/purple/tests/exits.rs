//! Secrets that a tool server plants in names, descriptions, records, answers and errors leave the built program by no
//! exit: answers, cards, notices, spans, figures, logs, exports and every command that shows something.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod running;

use axum::routing::{get, post};
use axum::{Json, Router};
use running::receiver::Receiver;
use running::{Running, message, until};
use serde_json::{Value, json};

/// A key, a token, two cards, a password and a private key. None of their parts is in anything else of this test.
const CANARIES: [&str; 6] = [
    "AKIAIOSFODNN7EXAMPLE",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
    "4111 1111 1111 1111",
    "5500005555555559",
    "Zx81-Qw77-Lp09-Tt45",
    "MIIEpAIBAAKCAQEA7bq9",
];
const REJECTED: &str = "Approve or reject invoice INV-77 per policy.";
const REFUSED: &str = "Approve or reject invoice INV-78 per policy.";

fn tool(name: &str, does: &str, parameters: &[&str]) -> Value {
    let says = format!("{does}. Key: {}", CANARIES[0]);
    let properties: serde_json::Map<String, Value> = parameters
        .iter()
        .map(|name| {
            ((*name).to_owned(), json!({"type": "string", "description": format!("token: {}", CANARIES[1])}))
        })
        .collect();
    json!({"name": name, "description": says,
        "input_schema": {"type": "object", "properties": properties, "required": parameters}})
}

async fn list() -> Json<Value> {
    Json(json!([
        tool("get_invoice", "Gets one invoice", &["invoice_id"]),
        tool("get_purchase_order", "Gets one purchase order", &["po_id"]),
        tool("approve_invoice", "Approves an invoice", &["invoice_id"]),
        tool("reject_invoice", "Rejects an invoice", &["invoice_id", "reason"]),
        tool("reopen_invoice", "Opens an invoice again", &["invoice_id"]),
    ]))
}

/// A record with a secret in every place that people put one.
fn invoice(id: &Value, status: &str) -> Value {
    json!({"invoice_id": id, "po_id": if *id == "INV-78" { "PO-2" } else { "PO-1" }, "status": status,
        "total": "52340.00 USD", "vendor": format!("Acme {}", CANARIES[0]),
        "memo": format!("paid with {} in March", CANARIES[2]), "number": CANARIES[3],
        "client_secret": CANARIES[4], "history": [{"token": CANARIES[1]}],
        "file": format!("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----", CANARIES[5])})
}

async fn call(Json(posted): Json<Value>) -> Json<Value> {
    static REJECTED: std::sync::atomic::AtomicBool = std::sync::atomic::AtomicBool::new(false);
    let given = &posted["params"];
    let is_done = REJECTED.load(std::sync::atomic::Ordering::SeqCst);
    Json(match posted["tool"].as_str().unwrap() {
        "get_invoice" => invoice(&given["invoice_id"], if is_done { "rejected" } else { "received" }),
        "get_purchase_order" if given["po_id"] == "PO-1" => {
            json!({"po_id": "PO-1", "total": "51200.00 USD", "password": CANARIES[4]})
        }
        "get_purchase_order" => {
            json!({"error": format!("denied: password={} card {}", CANARIES[4], CANARIES[3])})
        }
        _ => {
            REJECTED.store(true, std::sync::atomic::Ordering::SeqCst);
            json!({"status": "rejected", "api_key": CANARIES[0], "note": format!("by {}", CANARIES[1])})
        }
    })
}

async fn server() -> String {
    let router = Router::new().route("/mcp/tools", get(list)).route("/mcp", post(call));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    url
}

/// What every command says that shows something of a run, its records or the tools.
fn shown(running: &Running) -> Vec<(String, String)> {
    const COMMANDS: [&[&str]; 16] = [
        &["runs", "--json"],
        &["show", "c"],
        &["show", "c", "--json"],
        &["show", "d", "--json"],
        &["trace", "c"],
        &["trace", "c", "--json"],
        &["trace", "d"],
        &["inbox", "--json"],
        &["audit", "export"],
        &["tools", "list"],
        &["tools", "list", "--json"],
        &["learn", "cases"],
        &["learn", "knowledge"],
        &["learn", "entities"],
        &["doctor"],
        &["plan", REFUSED],
    ];
    let all = COMMANDS.iter().map(|arguments| {
        let (code, out, talk) = running.purple(arguments);
        assert_ne!(code, 2, "{arguments:?} is a command: {talk}");
        (arguments.join(" "), format!("{out}\n{talk}"))
    });
    all.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn secrets_that_a_tool_server_plants_leave_by_no_exit() {
    let collector = Receiver::open().await;
    let mut running = Running::stopped("").await;
    let config = format!(
        "[telemetry]\notlp_endpoint = \"http://{}\"\n[clock]\nstart = \"2026-03-04T09:00:00Z\"\n[data]\ndir = \"data\"\n[servers.desk]\nera = \"bridge\"\nurl = \"{}\"\n",
        collector.address,
        server().await
    );
    std::fs::write(running.folder.path().join("purple.toml"), config).unwrap();
    running.begin(&[]);
    let mut asking = message("m-1", Some("c"), REJECTED);
    asking["configuration"] = json!({"taskPushNotificationConfig": {"url": collector.url()}});
    let mut exits = vec![("answer", running.call("SendMessage", asking).await.to_string())];
    assert!(exits[0].1.contains("TASK_STATE_INPUT_REQUIRED"), "{}", exits[0].1);
    assert!(
        exits[0].1.contains("EVIDENCE") && exits[0].1.contains("[card"),
        "the record is shown: {}",
        exits[0].1
    );
    for (id, context, text) in [("m-2", "c", "Reject invoice INV-77 of 52340.00 USD"), ("m-3", "d", REFUSED)]
    {
        exits.push((
            "answer",
            running.call("SendMessage", message(id, Some(context), text)).await.to_string(),
        ));
    }
    exits.push(("task", running.call("GetTask", json!({"id": "c~1"})).await.to_string()));
    assert!(exits.iter().any(|(_, text)| text.contains("verified")), "the write is in the log");
    let arrived = until("notices and spans arrive", async || {
        let bodies: Vec<String> = collector.told().iter().map(|told| told.body.to_string()).collect();
        let has = |text: &str| bodies.iter().any(|body| body.contains(text));
        (has("execute_tool reject_invoice") && has("TASK_STATE_COMPLETED")).then_some(bodies)
    });
    exits.extend(arrived.await.into_iter().map(|body| ("notice or span", body)));
    let metrics = running.client.get(format!("{}/metrics", running.url)).send().await.unwrap();
    exits.push(("metrics", metrics.text().await.unwrap()));
    let shown = shown(&running);
    running.terminate();
    exits.push(("log", std::fs::read_to_string(running.log()).unwrap()));
    let shown = shown.iter().map(|(command, text)| (command.as_str(), text.clone()));
    for (exit, text) in exits.into_iter().chain(shown) {
        for canary in CANARIES {
            assert!(!text.contains(canary), "{canary} leaves by {exit}: {text}");
        }
    }
}

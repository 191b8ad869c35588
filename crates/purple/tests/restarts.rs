//! The built server is killed with `kill -9` in the middle, and started again: nothing is lost, and nothing is done twice.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod running;

use std::time::Duration;

use purple_journal::RecordType;
use purple_journal::record::approval::Decided;
use purple_journal::record::task::Received;
use purple_process::SessionId;
use purple_worker::port::Events as _;
use running::receiver::Receiver;
use running::{EFFECTS, ORDER, Running, YES, frames, message, until};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// A task whose write is sent again by its key where a kill cuts it short, so that no person has to settle it.
const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";
const REJECT: &str = "Reject invoice INV-2024-447 of 52340.00 USD";

fn keyed() -> String {
    format!("[tools.office.reject_invoice]\nkey = \"meta:{}\"\n", purple_backoffice::IDEMPOTENCY_META)
}

fn state(answer: &Value) -> &str {
    let task = answer["result"].get("task").unwrap_or(&answer["result"]);
    task["status"]["state"].as_str().unwrap_or("none")
}

/// Sends a request without its last byte.
async fn almost(running: &Running, method: &str, params: Value) -> TcpStream {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string();
    let host = running.url.trim_start_matches("http://");
    let head = format!(
        "POST / HTTP/1.1\r\nhost: {host}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(host).await.unwrap();
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&body.as_bytes()[..body.len() - 1]).await.unwrap();
    stream.flush().await.unwrap();
    stream
}

/// Sends a whole request, and does not listen.
async fn unheard(running: &Running, method: &str, params: Value) -> TcpStream {
    let mut stream = almost(running, method, params).await;
    stream.write_all(b"}").await.unwrap();
    stream.flush().await.unwrap();
    stream
}

/// Waits until the journal of a run has a record of this type.
async fn journaled<T: RecordType>(running: &Running, run: &str) {
    let run = SessionId::parse(run).unwrap();
    until(std::any::type_name::<T>(), async || {
        // Before the first start there is nothing to read.
        let reader = purple_store::Reader::open(&running::data(running.folder.path())).ok()?;
        let entries = reader.since(&run, 0, 1_000).await.ok()?;
        entries.iter().any(|one| one.record().get::<T>().is_some()).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a1_a_request_that_was_not_stored_is_one_task_when_it_is_sent_again() {
    let mut running = Running::start("").await;
    let half = almost(&running, "SendMessage", message("m-1", None, ORDER)).await;
    running.again();
    drop(half);
    let list = running.call("ListTasks", json!({})).await;
    assert_eq!(list["result"]["totalSize"], 0, "{list}");
    let first = running.call("SendMessage", message("m-1", None, ORDER)).await;
    assert_eq!(state(&first), "TASK_STATE_INPUT_REQUIRED", "{first}");
    let again = running.call("SendMessage", message("m-1", None, ORDER)).await;
    assert_eq!(again["result"]["task"]["id"], first["result"]["task"]["id"]);
    let list = running.call("ListTasks", json!({})).await;
    assert_eq!(list["result"]["totalSize"], 1, "{list}");
}

#[tokio::test]
async fn a2_a_task_whose_answer_was_lost_is_there_and_a_repetition_finds_it() {
    let mut running = Running::start("").await;
    let unheard = unheard(&running, "SendMessage", message("m-1", Some("c"), ORDER)).await;
    // As soon as anything of it is on the disk.
    journaled::<Received>(&running, "c").await;
    running.again();
    drop(unheard);
    let again = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(again["result"]["task"]["id"], "c~1", "{again}");
    assert_eq!(state(&again), "TASK_STATE_INPUT_REQUIRED", "{again}");
    let changed = running.call("SendMessage", message("m-1", Some("c"), YES)).await;
    assert_eq!(changed["error"]["data"][0]["reason"], "MESSAGE_ID_USED", "{changed}");
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    assert_eq!(running.effects(), EFFECTS);
}

#[tokio::test]
async fn a_task_that_waits_for_a_decision_waits_on_with_the_same_approval() {
    let mut running = Running::start(&keyed()).await;
    let asked =
        running.call("SendMessage", message("m-1", Some("c"), INVOICE)).await["result"]["task"].clone();
    running.again();
    let got = running.call("GetTask", json!({"id": "c~1"})).await["result"].clone();
    assert_eq!(got["status"], asked["status"]);
    let approval = &asked["status"]["message"]["parts"][1]["data"]["approvalId"];
    let decision = json!({"message": {"messageId": "m-2", "role": "ROLE_USER", "taskId": "c~1",
        "parts": [{"data": {"approvalId": approval, "decision": "approve"}}]}});
    // A8: a decision that was not stored leaves the card open.
    let half = almost(&running, "SendMessage", decision.clone()).await;
    running.again();
    drop(half);
    let got = running.call("GetTask", json!({"id": "c~1"})).await["result"].clone();
    assert_eq!(got["status"]["message"]["parts"][1]["data"]["approvalId"], *approval, "{got}");
    // A9: a decision whose answer was lost is answered with what came of it.
    let unheard = unheard(&running, "SendMessage", decision.clone()).await;
    journaled::<Decided>(&running, "c").await;
    running.again();
    drop(unheard);
    let again = running.call("SendMessage", decision).await;
    assert_eq!(again["result"]["task"]["id"], "c~1", "{again}");
    let done = until("the invoice is rejected", async || {
        let got = running.call("GetTask", json!({"id": "c~1"})).await;
        (state(&got) == "TASK_STATE_COMPLETED").then_some(got)
    })
    .await;
    assert_eq!(done["result"]["artifacts"][1]["parts"][0]["data"]["ending"], "done", "{done}");
    assert_eq!(running.effects(), ["reject_invoice"]);
}

/// Everything that a stream says until it ends; where it does not end, what the task is then.
async fn whole_text(running: &Running, request: reqwest::RequestBuilder) -> String {
    const LIMIT: Duration = Duration::from_secs(90);
    let text = async { request.send().await.unwrap().text().await.unwrap() };
    match tokio::time::timeout(LIMIT, text).await {
        Ok(text) => text,
        Err(_) => panic!("no end of the stream: {}", running.call("GetTask", json!({"id": "c~1"})).await),
    }
}

#[tokio::test]
async fn a_reader_of_a_stream_that_was_cut_misses_nothing() {
    let mut running = Running::start(&keyed()).await;
    let told =
        running.request("SendStreamingMessage", message("m-1", Some("c"), INVOICE)).send().await.unwrap();
    let before = frames(&told.text().await.unwrap());
    // The stream of the second turn is cut by the kill, wherever it is.
    let cut =
        running.request("SendStreamingMessage", message("m-2", Some("c"), REJECT)).send().await.unwrap();
    journaled::<Decided>(&running, "c").await;
    running.kill();
    let seen = cut.text().await.map(|text| frames(&text)).unwrap_or_default();
    running.begin(&[]);
    let last = before.iter().chain(&seen).filter_map(|(id, _)| *id).max().unwrap();
    let follow =
        running.request("SubscribeToTask", json!({"id": "c~1"})).header("last-event-id", last.to_string());
    let after = frames(&whole_text(&running, follow).await);
    // The end may have arrived before the kill: nothing is left to be sent then.
    let end = &seen.iter().chain(&after).last().unwrap().1["result"]["statusUpdate"]["status"]["state"];
    assert_eq!(end, "TASK_STATE_COMPLETED", "{seen:?} {after:?}");
    // Read from the beginning, it is the same story without a gap.
    let whole = running.request("SubscribeToTask", json!({"id": "c~1"})).header("last-event-id", "0");
    let whole = frames(&whole.send().await.unwrap().text().await.unwrap());
    let ids = |frames: &[(Option<u64>, Value)]| frames.iter().filter_map(|(id, _)| *id).collect::<Vec<u64>>();
    let missed: Vec<u64> = ids(&whole).into_iter().filter(|id| *id > last).collect();
    assert_eq!(ids(&after), missed);
    assert_eq!(running.effects(), ["reject_invoice"]);
}

#[tokio::test]
async fn a7_a_notification_that_was_not_sent_arrives_after_the_restart() {
    let mut running = Running::start("").await;
    // Nobody listens there yet.
    let place = Receiver::open().await;
    let (address, url) = (place.address, place.url());
    drop(place);
    let mut params = message("m-1", Some("c"), ORDER);
    params["configuration"] = json!({"taskPushNotificationConfig": {"url": url}});
    let asked = running.call("SendMessage", params).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    running.kill();
    let receiver = until("the place is free", async || {
        let free = tokio::net::TcpListener::bind(address).await.is_ok();
        if free { Some(Receiver::at(address, 0).await) } else { None }
    })
    .await;
    running.begin(&[]);
    let told = until("it arrives", async || receiver.told().first().cloned()).await;
    let task = &told.body["task"];
    assert_eq!((&task["id"], &task["status"]["state"]), (&json!("c~1"), &json!("TASK_STATE_INPUT_REQUIRED")));
    let approval = &asked["result"]["task"]["status"]["message"]["parts"][1]["data"]["approvalId"];
    assert_eq!(task["status"]["message"]["parts"][1]["data"]["approvalId"], *approval);
}

#[tokio::test]
async fn kills_while_twelve_tasks_work_lose_none_and_repeat_none() {
    let mut running = Running::start("").await;
    let task = |at: u32| format!("Start offboarding for employee E-{} (last day Friday)", 2291 + at);
    for at in 0..12 {
        let mut params = message(&format!("m-{at}"), Some(&format!("c{at}")), &task(at));
        params["configuration"] = json!({"returnImmediately": true});
        let sent = running.call("SendMessage", params).await;
        assert_eq!(sent["result"]["task"]["id"], format!("c{at}~1"), "{sent}");
        if at % 4 == 3 {
            running.again();
        }
    }
    for at in 0..12 {
        let done = until("it ends", async || {
            let got = running.call("GetTask", json!({"id": format!("c{at}~1")})).await;
            matches!(state(&got), "TASK_STATE_COMPLETED" | "TASK_STATE_FAILED" | "TASK_STATE_INPUT_REQUIRED")
                .then_some(got)
        })
        .await;
        assert_eq!(done["result"]["contextId"], format!("c{at}"), "{done}");
        let again = running
            .call("SendMessage", message(&format!("m-{at}"), Some(&format!("c{at}")), &task(at)))
            .await;
        assert_eq!(again["result"]["task"]["id"], format!("c{at}~1"), "{again}");
    }
    let keys: Vec<String> =
        running.office.ledger().unwrap().effects.iter().map(|effect| format!("{effect:?}")).collect();
    let effects = running.effects();
    // What was begun for an employee was begun once.
    let created = effects.iter().filter(|tool| *tool == "create_offboarding_checklist").count();
    assert!(created <= 12, "{keys:#?}");
}

#[tokio::test]
async fn a_task_in_its_first_turn_is_its_owners_before_and_after_a_kill_and_can_be_called_off() {
    // A tool server that takes calls and never answers: the first turn does not end.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let origin = format!("http://{}", silent.local_addr().unwrap());
    let held = tokio::spawn(async move {
        let mut held = Vec::new();
        while let Ok((stream, _)) = silent.accept().await {
            held.push(stream);
        }
    });
    let mut running = Running::stopped(&format!(
        "[limits]\ntool_timeout_s = 3\n[tools_endpoints]\nallow = [\"{origin}\"]\n"
    ))
    .await;
    let (ada, eve) = (running.token("ada", &["requester"], &[]), running.token("eve", &["requester"], &[]));
    running.begin(&[]);
    let mut params = message("m-1", Some("slow"), ORDER);
    params["configuration"] = json!({"returnImmediately": true});
    params["metadata"] = json!({"tools_endpoint": origin});
    let sent = running.call_as(&ada, "SendMessage", params.clone()).await;
    assert_eq!(sent["result"]["task"]["id"], "slow~1", "{sent}");
    // A second message waits behind the first, and has a task of its own already.
    let mut second = message("m-2", Some("slow"), ORDER);
    second["configuration"] = json!({"returnImmediately": true});
    let behind = running.call_as(&ada, "SendMessage", second.clone()).await;
    let behind_id = behind["result"]["task"]["id"].clone();
    assert_ne!(behind_id, "slow~1", "{behind}");
    running.kill();
    running.begin(&[]);
    let id = json!({"id": "slow~1"});
    for (id, params) in [(json!("slow~1"), params), (behind_id, second)] {
        // Whoever asks, sends again or lists hears the same.
        let found = running.call_as(&ada, "GetTask", json!({"id": id})).await;
        assert_eq!(state(&found), "TASK_STATE_WORKING", "{found}");
        let again = running.call_as(&ada, "SendMessage", params).await;
        assert_eq!(again["result"]["task"]["id"], id, "{again}");
        assert_eq!(state(&again), "TASK_STATE_WORKING", "{again}");
    }
    let works = running.call_as(&ada, "ListTasks", json!({"status": "TASK_STATE_WORKING"})).await;
    assert_eq!(works["result"]["tasks"][0]["id"], "slow~1", "{works}");
    let nothing = running.call_as(&eve, "ListTasks", json!({})).await;
    assert_eq!(nothing["result"]["totalSize"], 0, "{nothing}");
    let foreign = running.call_as(&eve, "GetTask", id.clone()).await;
    assert_eq!(foreign["error"]["code"], -32001, "{foreign}");
    let called_off = running.call_as(&ada, "CancelTask", id).await;
    assert!(called_off.get("error").is_none(), "{called_off}");
    held.abort();
}

#[tokio::test]
async fn a_reader_who_claims_to_have_seen_more_than_there_is_hears_what_comes() {
    let running = Running::start("").await;
    let asked = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let following = running.request("SubscribeToTask", json!({"id": "c~1"})).header("last-event-id", "99999");
    let (heard, said) = tokio::join!(
        async { following.send().await.unwrap().text().await.unwrap() },
        running.call("SendMessage", message("m-2", Some("c"), "reject: not now")),
    );
    assert!(said.get("error").is_none(), "{said}");
    let last = frames(&heard).pop().unwrap().1;
    assert!(last.to_string().contains("TASK_STATE_COMPLETED"), "{heard}");
}

#[tokio::test]
async fn a_decision_about_another_plan_and_a_message_of_another_context_are_refused() {
    let running = Running::start("").await;
    let asked = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    let parts = asked["result"]["task"]["status"]["message"]["parts"].as_array().unwrap();
    let data = parts.iter().find_map(|part| part.get("data")).unwrap();
    let decide = |plan: &Value| {
        json!({"message": {"messageId": "m-2", "role": "ROLE_USER", "contextId": "c", "parts": [{"data":
            {"approvalId": data["approvalId"], "planHash": plan, "decision": "approve"}}]}})
    };
    let wrong = running.call("SendMessage", decide(&json!(format!("sha256:{}", "0".repeat(64))))).await;
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    let moved = running.call("SendMessage", message("m-1", Some("elsewhere"), ORDER)).await;
    assert_eq!(moved["error"]["data"][0]["reason"], "MESSAGE_ID_USED", "{moved}");
    assert_eq!(running.effects(), Vec::<String>::new());
    let right = running.call("SendMessage", decide(&data["planHash"])).await;
    assert_eq!(state(&right), "TASK_STATE_COMPLETED", "{right}");
}

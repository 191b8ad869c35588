//! What comes late, twice, in the wrong order or to nobody: lines E3, E4, E6, E7 and E9, each at the door.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod running;

use std::collections::BTreeMap;

use running::receiver::Receiver;
use running::{EFFECTS, ORDER, Running, YES, frames, message, until};
use serde_json::{Value, json};

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";

fn state(answer: &Value) -> &str {
    answer["result"]["task"]["status"]["state"].as_str().unwrap_or("none")
}

fn said(answer: &Value) -> String {
    answer["result"]["task"]["status"]["message"]["parts"][0]["text"].as_str().unwrap_or_default().to_owned()
}

fn approval(asked: &Value) -> Value {
    asked["result"]["task"]["status"]["message"]["parts"][1]["data"]["approvalId"].clone()
}

fn decision(id: &str, context: &str, approval: &Value) -> Value {
    json!({"message": {"messageId": id, "role": "ROLE_USER", "contextId": context,
        "parts": [{"data": {"approvalId": approval, "decision": "approve"}}]}})
}

fn set(running: &Running, from: &str, to: &str) {
    let file = running.folder.path().join("purple.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    std::fs::write(&file, text.replace(from, to)).unwrap();
}

#[tokio::test]
async fn e3_notifications_that_were_lost_or_doubled_or_shuffled_still_tell_where_a_task_stands() {
    let running = Running::start("").await;
    // The first one is lost three times; each try has the same id.
    let receiver = Receiver::at("127.0.0.1:0".parse().unwrap(), 3).await;
    let mut params = message("m-1", Some("c"), ORDER);
    params["configuration"] = json!({"taskPushNotificationConfig": {"url": receiver.url()}});
    running.call("SendMessage", params).await;
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    until("the end arrives", async || {
        let is_over = |state: &Value| state == "TASK_STATE_COMPLETED";
        receiver.told().iter().any(|told| is_over(&told.body["task"]["status"]["state"])).then_some(())
    })
    .await;
    // Whoever reads them in any order, twice or not, ends with the state of the highest number.
    let mut told = receiver.told();
    told.extend(receiver.told());
    told.reverse();
    let mut by_id: BTreeMap<String, (u64, Value)> = BTreeMap::new();
    for one in &told {
        let seq: u64 = one.header("x-a2a-event-id").parse().unwrap();
        let id = one.header("x-a2a-notification-id").to_owned();
        let before = by_id.insert(id, (seq, one.body["task"]["status"]["state"].clone()));
        assert!(before.is_none_or(|before| before.0 == seq), "a repetition has the number of the first");
    }
    let last = by_id.values().max_by_key(|(seq, _)| *seq).unwrap();
    let got = running.call("GetTask", json!({"id": "c~1"})).await;
    assert_eq!(last.1, got["result"]["status"]["state"]);
    assert_eq!(last.1, "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn e4_a_reader_who_is_cut_off_after_any_event_misses_none() {
    let running = Running::start("").await;
    let text = async |request: reqwest::RequestBuilder| request.send().await.unwrap().text().await.unwrap();
    text(running.request("SendStreamingMessage", message("m-1", Some("c"), ORDER))).await;
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    let follow = async |seen: u64| {
        let request = running.request("SubscribeToTask", json!({"id": "c~1"}));
        frames(&text(request.header("last-event-id", seen.to_string())).await)
    };
    let all = follow(0).await;
    let ids: Vec<u64> = all.iter().filter_map(|(id, _)| *id).collect();
    assert!(ids.len() > 5 && ids.is_sorted(), "{ids:?}");
    for seen in &ids {
        let rest = follow(*seen).await;
        let after: Vec<&(Option<u64>, Value)> =
            all.iter().filter(|(id, _)| id.is_some_and(|id| id > *seen)).collect();
        let told: Vec<&(Option<u64>, Value)> = rest.iter().filter(|(id, _)| id.is_some()).collect();
        assert_eq!(told, after, "after {seen}");
    }
}

#[tokio::test]
async fn e6_a_yes_after_the_end_of_its_time_counts_nothing_and_says_why() {
    let mut running = Running::start("").await;
    let asked = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    running.kill();
    set(&running, "2026-03-04T09:00:00Z", "2026-03-24T09:00:00Z");
    running.begin(&[]);
    let late = running.call("SendMessage", decision("m-2", "c", &approval(&asked))).await;
    // It was asked anew meanwhile, and an answer to the old question is none to the new one. Where that came first, the
    // old question is not open any more.
    match late["error"]["message"].as_str() {
        Some(why) => assert!(why.contains("is not open"), "{late}"),
        None => {
            assert_eq!(state(&late), "TASK_STATE_INPUT_REQUIRED", "{late}");
            assert!(said(&late).contains("The decision of alex was not taken"), "{late}");
            assert_ne!(approval(&late), approval(&asked));
        }
    }
    assert_eq!(running.effects(), Vec::<String>::new());
    let (_, trace, _) = running.purple(&["trace", "c", "--json"]);
    assert!(trace.contains("approval.expired") && !trace.contains("approval.granted"), "{trace}");
}

#[tokio::test]
async fn e6_a_yes_during_a_stop_writes_nothing_until_the_stop_is_over() {
    let running = Running::start("").await;
    let asked = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(running.purple(&["halt"]).0, 0);
    let halted = running.call("SendMessage", decision("m-2", "c", &approval(&asked))).await;
    assert_ne!(state(&halted), "TASK_STATE_COMPLETED", "{halted}");
    assert!(said(&halted).to_lowercase().contains("halt") || halted.to_string().contains("stop"), "{halted}");
    assert_eq!(running.effects(), Vec::<String>::new());
}

/// A run keeps the rules that its plan was made under, and the operator's stop is what ends it; who asks anew meets the
/// new ones.
#[tokio::test]
async fn e6_a_yes_after_a_change_of_the_policy_counts_for_the_plan_it_was_asked_for_and_a_new_task_is_blocked()
 {
    let mut running = Running::stopped("[policy]\nfile = \"policy.json\"\n").await;
    let file = running.folder.path().join("policy.json");
    std::fs::write(&file, json!({"rules": []}).to_string()).unwrap();
    running.begin(&[]);
    let asked = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    running.kill();
    let freeze =
        json!({"id": "freeze", "condition": "true", "action": "block", "description": "nothing today"});
    std::fs::write(&file, json!({"rules": [freeze]}).to_string()).unwrap();
    running.begin(&[]);
    let anew = running.call("SendMessage", message("m-2", Some("d"), ORDER)).await;
    assert_eq!(anew["result"]["task"]["artifacts"][1]["parts"][0]["data"]["ending"], "blocked", "{anew}");
    assert_eq!(running.effects(), Vec::<String>::new());
    let yes = running.call("SendMessage", decision("m-3", "c", &approval(&asked))).await;
    assert_eq!(state(&yes), "TASK_STATE_COMPLETED", "{yes}");
    assert_eq!(running.effects(), EFFECTS);
    let (_, trace, _) = running.purple(&["trace", "c", "--json"]);
    assert!(!trace.contains("nothing today"), "{trace}");
}

#[tokio::test]
async fn e7_an_approver_who_lost_the_role_between_view_and_click_decides_nothing() {
    let mut running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let lea = running.token("lea", &["approver"], &["ap_lead", "controller"]);
    running.begin(&[]);
    let asked = running.call_as(&ada, "SendMessage", message("m-1", Some("inv"), INVOICE)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let seen = running.call_as(&lea, "GetTask", json!({"id": "inv~1"})).await;
    assert!(seen.get("result").is_some(), "the approver has the card before her eyes: {seen}");
    let (_, list, _) = running.purple(&["token", "list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let id =
        list["tokens"].as_array().unwrap().iter().find(|one| one["person"] == "lea").unwrap()["id"].clone();
    assert_eq!(running.purple(&["token", "revoke", id.as_str().unwrap()]).0, 0);
    let click = running.request("SendMessage", decision("m-2", "inv", &approval(&asked))).bearer_auth(&lea);
    assert_eq!(click.send().await.unwrap().status(), 401);
    // She is an approver still, and no longer one for this.
    let other = running.token("lea", &["approver"], &["hr"]);
    let click = running.call_as(&other, "SendMessage", decision("m-3", "inv", &approval(&asked))).await;
    assert_ne!(state(&click), "TASK_STATE_COMPLETED", "{click}");
    assert_eq!(running.effects(), Vec::<String>::new());
    let (_, trace, _) = running.purple(&["trace", "inv", "--json"]);
    assert!(!trace.contains("approval.granted"), "{trace}");
}

#[tokio::test]
async fn e9_while_nobody_takes_notices_the_inbox_works_and_they_arrive_in_the_end() {
    let place = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = place.local_addr().unwrap();
    drop(place);
    let config = format!("[approvals]\nnotify_url = \"http://{address}/hook\"");
    let running = Running::start(&config).await;
    let second = Receiver::open().await;
    let mut params = message("m-1", Some("c"), ORDER);
    params["configuration"] = json!({"taskPushNotificationConfig": {"url": second.url()}});
    let asked = running.call("SendMessage", params).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let data = &asked["result"]["task"]["status"]["message"]["parts"][1]["data"];
    assert!(data["expiresAt"].as_str().is_some_and(|at| at.starts_with("2026-03-")), "{data}");
    until("the second channel tells it", async || (!second.told().is_empty()).then_some(())).await;
    let (code, inbox, talk) = running.purple(&["inbox", "--json"]);
    assert_eq!(code, 0, "{talk}");
    assert!(inbox.contains("ORD-5592"), "{inbox}");
    // The first channel is back.
    let first = Receiver::at(address, 0).await;
    until("the notice arrives", async || (!first.told().is_empty()).then_some(())).await;
    assert_eq!(
        state(&running.call("SendMessage", message("m-2", Some("c"), YES)).await),
        "TASK_STATE_COMPLETED"
    );
    assert_eq!(running.effects(), EFFECTS);
}

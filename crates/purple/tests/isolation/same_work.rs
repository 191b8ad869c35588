//! The same work asked for by two callers: it is done at most once, and nobody keeps it from the other for ever.

use serde_json::{Value, json};

use crate::running::{Running, message};
use crate::{TASK, WAITS};

/// A server with tokens, whose clock stands at the beginning of March.
struct Desk {
    running: Running,
    ada: String,
    eve: String,
    lea: String,
}

impl Desk {
    async fn open() -> Self {
        let mut running = Running::stopped("").await;
        let ada = running.token("ada", &["requester"], &[]);
        let eve = running.token("eve", &["requester"], &[]);
        let lea = running.token("lea", &["approver"], &["ap_lead", "controller"]);
        running.begin(&[]);
        Self { running, ada, eve, lea }
    }

    async fn asks(&self, token: &str, id: &str, context: &str) -> Value {
        let answer = self.running.call_as(token, "SendMessage", message(id, Some(context), TASK)).await;
        answer["result"]["task"].clone()
    }

    async fn decides(&self, id: &str, context: &str, task: &Value, decision: &str) -> Value {
        let approval = &task["status"]["message"]["parts"][1]["data"]["approvalId"];
        let message = json!({"messageId": id, "role": "ROLE_USER", "contextId": context,
            "parts": [{"data": {"approvalId": approval, "decision": decision}}]});
        self.running.call_as(&self.lea, "SendMessage", json!({ "message": message })).await
    }

    /// The server ends, and whatever starts next does so on this day.
    fn on(&mut self, day: &str) {
        let file = self.running.folder.path().join("purple.toml");
        let text = std::fs::read_to_string(&file).unwrap();
        let (before, rest) = text.split_once("start = \"").unwrap();
        let (_, after) = rest.split_once('"').unwrap();
        self.running.kill();
        std::fs::write(&file, format!("{before}start = \"{day}T09:00:00Z\"{after}")).unwrap();
    }
}

fn state(task: &Value) -> &str {
    task["status"]["state"].as_str().unwrap_or("none")
}

const WAITING: &str = "TASK_STATE_INPUT_REQUIRED";
const OVER: &str = "TASK_STATE_COMPLETED";

#[tokio::test(flavor = "multi_thread")]
async fn what_nobody_decided_in_time_goes_on_for_another_caller_and_is_done_once() {
    let mut desk = Desk::open().await;
    let first = desk.asks(&desk.ada, "m-1", WAITS).await;
    assert_eq!(state(&first), WAITING, "{first}");
    let second = desk.asks(&desk.eve, "m-2", "eves").await;
    assert_eq!(state(&second), OVER, "{second}");
    assert!(second.to_string().contains("If nobody decides by"), "{second}");
    // Nobody was there when the time was over: those who come next are asked, once.
    desk.on("2026-06-01");
    desk.running.begin(&[]);
    let next = desk.asks(&desk.eve, "m-2b", "eves-next").await;
    assert_eq!(state(&next), OVER, "{next}");
    assert!(next.to_string().contains("If nobody decides by 2026-06-0"), "{next}");
    // Nobody was there again. Whoever asks now is not told to wait once more.
    desk.on("2026-07-01");
    desk.running.begin(&[]);
    let third = desk.asks(&desk.eve, "m-3", "eves-again").await;
    assert_eq!(state(&third), WAITING, "{third}");
    // The first plan can no longer be approved, and the work is done once.
    let late = desk.decides("m-4", WAITS, &first, "approve").await;
    assert!(!late.to_string().contains("Reject invoice") && desk.running.effects().is_empty(), "{late}");
    let done = desk.decides("m-5", "eves-again", &third, "approve").await;
    assert_eq!(state(&done["result"]["task"]), OVER, "{done}");
    assert_eq!(desk.running.effects(), ["reject_invoice"]);
    // Now it was done, and stays so for both.
    for (token, id) in [(&desk.ada, "m-6"), (&desk.eve, "m-7")] {
        let again = desk.asks(token, id, &format!("again-{id}")).await;
        assert_eq!(state(&again), OVER, "{again}");
    }
    assert_eq!(desk.running.effects(), ["reject_invoice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_the_next_command_takes_over_what_nobody_decided_in_time() {
    let mut desk = Desk::open().await;
    assert_eq!(state(&desk.asks(&desk.ada, "m-1", WAITS).await), WAITING);
    // Those who come next are asked in June, by a command that has nothing to do with it.
    desk.on("2026-06-01");
    desk.running.begin(&[]);
    let asked = async || {
        let (_, out, _) = desk.running.purple_as(&desk.ada, &["show", WAITS, "--json"]);
        out.contains("2026-06-03").then_some(())
    };
    crate::running::until("those who come next are asked", asked).await;
    desk.on("2026-07-01");
    let (code, out, talk) = desk.running.purple_as(&desk.eve, &["run", TASK, "--session", "eves"]);
    assert_eq!(code, 3, "it waits for a decision: {out}{talk}");
    assert!(out.contains("Reject invoice INV-2024-447"), "{out}{talk}");
    assert!(desk.running.effects().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_declined_or_called_off_goes_on_for_another_caller() {
    let desk = Desk::open().await;
    let first = desk.asks(&desk.ada, "m-1", WAITS).await;
    desk.decides("m-2", WAITS, &first, "reject").await;
    let second = desk.asks(&desk.eve, "m-3", "eves").await;
    assert_eq!(state(&second), WAITING, "{second}");
    let third = desk.asks(&desk.ada, "m-4", "adas").await;
    assert_eq!(state(&third), OVER, "{third}");
    let cancelled = desk.running.call_as(&desk.eve, "CancelTask", json!({"id": "eves~1"})).await;
    assert!(cancelled.get("result").is_some(), "{cancelled}");
    let fourth = desk.asks(&desk.ada, "m-5", "adas-again").await;
    assert_eq!(state(&fourth), WAITING, "{fourth}");
    let done = desk.decides("m-6", "adas-again", &fourth, "approve").await;
    assert_eq!(state(&done["result"]["task"]), OVER, "{done}");
    assert_eq!(desk.running.effects(), ["reject_invoice"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_taken_up_already_says_so_first_and_is_not_told_as_approved() {
    let desk = Desk::open().await;
    let first = desk.asks(&desk.ada, "m-1", WAITS).await;
    let told = |again: &Value| {
        let text = again["artifacts"][0]["parts"][0]["text"].as_str().unwrap();
        assert!(text.starts_with("Taken up already"), "{text}");
        assert!(text.contains("policy not evaluated") && !text.contains("policy approv"), "{text}");
        let status = again["status"]["message"]["parts"][0]["text"].as_str().unwrap_or_default();
        assert!(status.starts_with("Taken up already"), "{again}");
    };
    // While it waits, and when it was approved and done: for a stranger, and for whoever asked.
    told(&desk.asks(&desk.eve, "m-2", "eves").await);
    let done = desk.decides("m-3", WAITS, &first, "approve").await;
    assert_eq!(state(&done["result"]["task"]), OVER, "{done}");
    told(&desk.asks(&desk.eve, "m-4", "eves-again").await);
    let again = desk.asks(&desk.ada, "m-5", "adas").await;
    let text = again["artifacts"][0]["parts"][0]["text"].as_str().unwrap();
    assert!(text.starts_with("Taken up already"), "{text}");
    let footer = text.trim_end().lines().last().unwrap();
    assert!(footer.contains("policy not evaluated"), "{text}");
}

//! Messages and decisions that come twice, at once, late, or by accident: each counts once, or not at all.

mod running;

use running::{EFFECTS, ORDER, Running, YES, message};
use serde_json::{Value, json};

fn state(answer: &Value) -> &str {
    answer["result"]["task"]["status"]["state"].as_str().unwrap_or("none")
}

fn decision(id: usize, approval: &Value, word: &str) -> Value {
    json!({"message": {"messageId": format!("d-{id}"), "role": "ROLE_USER", "taskId": "c~1",
        "parts": [{"data": {"approvalId": approval, "decision": word, "reason": "no"}}]}})
}

#[tokio::test]
async fn e1_the_same_message_many_times_at_once_is_one_task() {
    let running = Running::start("").await;
    let calls = (0..20).map(|_| running.call("SendMessage", message("m-1", None, ORDER)));
    let answers = futures(calls).await;
    let ids: std::collections::BTreeSet<&str> =
        answers.iter().map(|answer| answer["result"]["task"]["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 1, "{ids:?}");
    let list = running.call("ListTasks", json!({})).await;
    assert_eq!(list["result"]["totalSize"], 1, "{list}");
    // E2: the same id with other words is refused, whoever is first.
    let changed = running.call("SendMessage", message("m-1", None, YES)).await;
    assert_eq!(changed["error"]["data"][0]["reason"], "MESSAGE_ID_USED", "{changed}");
}

#[tokio::test]
async fn e5_of_a_hundred_decisions_at_the_same_moment_the_first_one_counts() {
    let running = Running::start("").await;
    let asked = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    let approval = asked["result"]["task"]["status"]["message"]["parts"][1]["data"]["approvalId"].clone();
    let word = |at: usize| if at.is_multiple_of(2) { "approve" } else { "reject" };
    let calls = (0..100).map(|at| running.call("SendMessage", decision(at, &approval, word(at))));
    let answers = futures(calls).await;
    // Whoever was late is told what came of it, or that nothing waits any more.
    for answer in &answers {
        let told = answer["error"]["data"][0]["reason"].as_str().unwrap_or("served");
        assert!(matches!(told, "served" | "INVALID_PARAMS" | "UNSUPPORTED_OPERATION"), "{answer}");
    }
    let (_, trace, _) = running.purple(&["trace", "c", "--json"]);
    let decided = trace.lines().filter(|line| line.contains("\"approval.decided\"")).count();
    assert_eq!(decided, 1, "{trace}");
    let effects = running.effects();
    let approved =
        trace.lines().any(|line| line.contains("\"approval.decided\"") && line.contains("\"approve\""));
    assert_eq!(effects, if approved { EFFECTS.to_vec() } else { Vec::new() });
}

#[tokio::test]
async fn e8_looking_at_everything_decides_nothing() {
    let running = Running::start("").await;
    running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    let entries = running.purple(&["trace", "c", "--json"]).1.lines().count();
    let paths = [
        "/",
        "/.well-known/agent-card.json",
        "/.well-known/agent.json",
        "/health",
        "/livez",
        "/readyz",
        "/metrics",
        "/rl/status",
        "/tasks",
        "/tasks/c~1",
        "/tasks/c~1:cancel",
        "/tasks/c",
        "/message:send",
        "/message:stream",
        "/extendedAgentCard",
        "/tasks/c~1/pushNotificationConfigs",
        "/tasks/c~1/pushNotificationConfigs/x",
        "/api/a2a/purple-agent",
        "/message:send?message.parts.text=Confirmed,%20proceed",
        "/tasks/c~1?decision=approve",
    ];
    let mut walked = 0;
    for path in paths {
        for method in ["GET", "HEAD", "OPTIONS"] {
            for (name, value) in [
                ("purpose", "prefetch"),
                ("user-agent", "Slackbot-LinkExpanding 1.0"),
                ("sec-purpose", "prefetch"),
            ] {
                let method = reqwest::Method::from_bytes(method.as_bytes()).unwrap();
                let request =
                    running.client.request(method, format!("{}{path}", running.url)).header(name, value);
                let status = request.send().await.unwrap().status().as_u16();
                assert!(status < 500, "{path} {status}");
                walked += 1;
            }
        }
    }
    println!("{walked} requests");
    assert_eq!(running.purple(&["trace", "c", "--json"]).1.lines().count(), entries);
    assert_eq!(running.effects(), Vec::<String>::new());
    let answer = running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    assert_eq!(state(&answer), "TASK_STATE_COMPLETED", "{answer}");
}

#[tokio::test]
async fn a_stop_in_the_middle_answers_who_waits_and_loses_nothing() {
    let mut running = Running::start("").await;
    let sent = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(state(&sent), "TASK_STATE_INPUT_REQUIRED", "{sent}");
    let follow = running.request("SubscribeToTask", json!({"id": "c~1"})).send().await.unwrap();
    running.terminate();
    // The stream ends instead of breaking.
    let told = follow.text().await.unwrap();
    assert!(told.contains("TASK_STATE_INPUT_REQUIRED"), "{told}");
    running.begin(&[]);
    let answer = running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    assert_eq!(state(&answer), "TASK_STATE_COMPLETED", "{answer}");
    assert_eq!(running.effects(), EFFECTS);
}

/// All of them, at once.
async fn futures<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut open: Vec<_> = all.map(Box::pin).map(Some).collect();
    let mut done: Vec<Option<T>> = open.iter().map(|_| None).collect();
    std::future::poll_fn(move |context| {
        for (future, done) in open.iter_mut().zip(&mut done) {
            if let Some(running) = future
                && let std::task::Poll::Ready(value) = running.as_mut().poll(context)
            {
                (*done, *future) = (Some(value), None);
            }
        }
        match open.iter().all(Option::is_none) {
            true => std::task::Poll::Ready(std::mem::take(&mut done).into_iter().flatten().collect()),
            false => std::task::Poll::Pending,
        }
    })
    .await
}

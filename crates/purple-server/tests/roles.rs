//! Every role at every operation, over a real socket: what is not allowed is refused, and nothing is taken in.

#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod double;

use std::sync::Arc;

use double::{Door, Names, message};
use purple_port::DoorRole;
use serde_json::{Value, json};

/// What an operation may come to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Served,
    Forbidden,
    NotFound,
}

/// Whose task an operation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Whose {
    /// A new one.
    New,
    /// The caller's own, if they may have one.
    Own,
    /// One of somebody else, which waits for a decision.
    Waiting,
    /// One of somebody else, which is over.
    Foreign,
    /// None.
    Nobodys,
}

const OPERATIONS: [&str; 12] = [
    "SendMessage",
    "SendStreamingMessage",
    "decide",
    "GetTask",
    "ListTasks",
    "CancelTask",
    "SubscribeToTask",
    "CreateTaskPushNotificationConfig",
    "GetTaskPushNotificationConfig",
    "ListTaskPushNotificationConfigs",
    "DeleteTaskPushNotificationConfig",
    "GetExtendedAgentCard",
];

/// The table, written down once more by hand.
fn expected(role: DoorRole, operation: &str, whose: Whose) -> Answer {
    use Answer::{Forbidden, NotFound, Served};
    use DoorRole::{Approver, Auditor, Operator, Requester};
    use Whose::{Foreign, New, Nobodys, Own, Waiting};
    let sees = match (role, whose) {
        (Operator | Auditor, Waiting | Foreign) | (Approver, Waiting) | (Requester, Own) => true,
        (_, New | Nobodys | Own | Waiting | Foreign) => false,
    };
    let sends = matches!(operation, "SendMessage" | "SendStreamingMessage");
    let found = if sees { Served } else { NotFound };
    match (operation, role, whose) {
        ("GetExtendedAgentCard" | "ListTasks", _, _) => Served,
        (_, Requester, New) if sends => Served,
        (_, Approver, New) if sends => Forbidden,
        (_, Requester | Approver, _) if sends || operation == "decide" => found,
        (_, Operator | Auditor, _) if sends || operation == "decide" => Forbidden,
        ("GetTask" | "SubscribeToTask", _, _) => found,
        ("CancelTask", Requester | Operator, _) => found,
        ("CancelTask", Approver | Auditor, _) => Forbidden,
        // Notifications are for those who asked.
        (_, Requester, _) => found,
        (_, Approver | Operator | Auditor, _) => Forbidden,
    }
}

fn params(operation: &str, id: Option<&str>, at: usize) -> Value {
    let task = id.unwrap_or("nobody~1");
    let context = id.map(|id| id.trim_end_matches("~1"));
    match operation {
        "SendMessage" | "SendStreamingMessage" => {
            json!({"message": message(&format!("walk-{at}"), context, "done"), "configuration": {"returnImmediately": true}})
        }
        "decide" => {
            let decision = json!({"approvalId": "apr_1", "decision": "approve"});
            json!({"message": {"messageId": format!("walk-{at}"), "role": "ROLE_USER", "taskId": task, "parts": [{"data": decision}]}})
        }
        "CreateTaskPushNotificationConfig" => {
            json!({"taskId": task, "url": "https://hooks.example/a", "id": "c1"})
        }
        "GetTaskPushNotificationConfig" | "DeleteTaskPushNotificationConfig" => {
            json!({"taskId": task, "id": "c1"})
        }
        "ListTaskPushNotificationConfigs" => json!({"taskId": task}),
        "ListTasks" | "GetExtendedAgentCard" => json!({}),
        _ => json!({"id": task}),
    }
}

/// How a request comes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binding {
    Rpc,
    Rest,
}

fn answer(binding: Binding, status: u16, body: &Value) -> Answer {
    let details = match binding {
        Binding::Rpc => &body["error"]["data"],
        Binding::Rest => &body["error"]["details"],
    };
    let reason = details[0]["reason"].as_str().unwrap_or_default();
    match (binding, status, reason) {
        (_, 403, "FORBIDDEN") => Answer::Forbidden,
        (Binding::Rpc, 200, "TASK_NOT_FOUND") | (Binding::Rest, 404, "TASK_NOT_FOUND") => Answer::NotFound,
        // An error of another kind means that the door was passed.
        (Binding::Rpc, 200, _) | (Binding::Rest, 200, "") => Answer::Served,
        (
            Binding::Rest,
            400 | 404,
            "TASK_NOT_CANCELABLE" | "UNSUPPORTED_OPERATION" | "INVALID_PARAMS" | "PUSH_CONFIG_NOT_FOUND",
        ) => Answer::Served,
        (_, other, reason) => panic!("{other} {reason} {body}"),
    }
}

/// The same operation over HTTP and JSON.
fn plain(door: &Door, operation: &str, params: &Value) -> reqwest::RequestBuilder {
    let text = |name: &str| params[name].as_str().unwrap_or_default().to_owned();
    let at = |path: String| format!("{}{path}", door.url);
    let (get, post) = (|path| door.client.get(at(path)), |path| door.client.post(at(path)));
    let configs = format!("/tasks/{}/pushNotificationConfigs", text("taskId"));
    match operation {
        "SendMessage" | "decide" => post("/message:send".to_owned()).json(params),
        "SendStreamingMessage" => post("/message:stream".to_owned()).json(params),
        "GetTask" => get(format!("/tasks/{}", text("id"))),
        "ListTasks" => get("/tasks".to_owned()),
        "CancelTask" => post(format!("/tasks/{}:cancel", text("id"))),
        "SubscribeToTask" => get(format!("/tasks/{}:subscribe", text("id"))),
        "CreateTaskPushNotificationConfig" => post(configs).json(params),
        "ListTaskPushNotificationConfigs" => get(configs),
        "GetTaskPushNotificationConfig" => get(format!("{configs}/{}", text("id"))),
        "DeleteTaskPushNotificationConfig" => door.client.delete(at(format!("{configs}/{}", text("id")))),
        "GetExtendedAgentCard" => get("/extendedAgentCard".to_owned()),
        other => panic!("{other}"),
    }
}

async fn call(door: &Door, binding: Binding, token: &str, operation: &str, params: Value) -> (u16, Value) {
    let method = if operation == "decide" { "SendMessage" } else { operation };
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let request = match binding {
        Binding::Rpc => door.post(body.to_string()),
        Binding::Rest => plain(door, operation, &params),
    };
    let response = request.bearer_auth(token).send().await.unwrap();
    let status = response.status().as_u16();
    if response.headers()["content-type"].to_str().unwrap().starts_with("text/event-stream") {
        return (status, json!({"result": "stream"}));
    }
    (status, response.json().await.unwrap())
}

#[tokio::test]
async fn every_role_at_every_operation_gets_what_the_table_says() {
    for binding in [Binding::Rpc, Binding::Rest] {
        let walked = walk(binding).await;
        println!("{walked} combinations of role, operation and owner over {binding:?}");
        assert!(walked > 150, "{walked}");
    }
}

async fn walk(binding: Binding) -> usize {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    let mut walked = 0;
    for role in DoorRole::ALL {
        for operation in OPERATIONS {
            for whose in [Whose::New, Whose::Own, Whose::Waiting, Whose::Foreign, Whose::Nobodys] {
                let sends = matches!(operation, "SendMessage" | "SendStreamingMessage");
                let own_only = whose == Whose::Own && role != DoorRole::Requester;
                if own_only || (whose == Whose::New && !sends) || (whose == Whose::Nobodys && sends) {
                    continue;
                }
                let (owner, words) = match whose {
                    Whose::New | Whose::Nobodys => (None, ""),
                    Whose::Own => (Some(role.name()), "ask"),
                    Whose::Waiting => (Some("ada"), "ask"),
                    Whose::Foreign => (Some("ada"), "done"),
                };
                let mut id = None;
                if let Some(owner) = owner {
                    let (_, sent) = call(
                        &door,
                        Binding::Rpc,
                        owner,
                        "SendMessage",
                        json!({"message": message(&format!("m-{walked}"), None, words)}),
                    )
                    .await;
                    id = Some(sent["result"]["task"]["id"].as_str().unwrap().to_owned());
                }
                let taken = door.memory.taken();
                let params = params(operation, id.as_deref(), walked);
                let (status, body) = call(&door, binding, role.name(), operation, params).await;
                let got = answer(binding, status, &body);
                let expected = expected(role, operation, whose);
                assert_eq!(got, expected, "{binding:?} {role:?} {operation} {whose:?}: {body}");
                if got != Answer::Served {
                    assert_eq!(
                        door.memory.taken(),
                        taken,
                        "{role:?} {operation} {whose:?} took something in"
                    );
                }
                walked += 1;
            }
        }
    }
    walked
}

#[tokio::test]
async fn the_older_endpoint_takes_tasks_of_requesters_only() {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    for role in DoorRole::ALL {
        for path in ["/api/a2a/purple-agent", "/api/a2a/purple-agent/"] {
            let taken = door.memory.taken();
            let body = json!({"task_id": format!("{}{path}", role.name()), "task": "done"});
            let request =
                door.client.post(format!("{}{path}", door.url)).bearer_auth(role.name()).json(&body);
            let response = request.send().await.unwrap();
            let served = role == DoorRole::Requester;
            assert_eq!(response.status().as_u16(), if served { 200 } else { 403 }, "{role:?} {path}");
            assert_eq!(door.memory.taken() > taken, served, "{role:?} {path}");
        }
    }
    let url = format!("{}/api/a2a/purple-agent", door.url);
    assert_eq!(door.client.post(&url).json(&json!({})).send().await.unwrap().status(), 401);
    let text = door.client.post(&url).bearer_auth("ada").header("content-type", "text/plain").body("{}");
    assert_eq!(text.send().await.unwrap().status(), 415);
}

#[tokio::test]
async fn an_approver_lists_what_waits_for_them_and_what_they_decided() {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    let send = |id: &str, words: &str| json!({"message": message(id, None, words)});
    for (id, words) in [("m-1", "ask"), ("m-2", "ask"), ("m-3", "done")] {
        call(&door, Binding::Rpc, "ada", "SendMessage", send(id, words)).await;
    }
    let listed = async || {
        let (_, page) = call(&door, Binding::Rpc, "approver", "ListTasks", json!({})).await;
        let tasks = page["result"]["tasks"].as_array().unwrap().clone();
        tasks.iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed().await, ["run_1~1", "run_0~1"]);
    let (_, decided) =
        call(&door, Binding::Rpc, "approver", "decide", params("decide", Some("run_0~1"), 7)).await;
    assert_eq!(decided["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{decided}");
    assert_eq!(listed().await, ["run_1~1", "run_0~1"]);
    // It waits for nobody else any more.
    let (_, got) = call(&door, Binding::Rpc, "bob", "GetTask", json!({"id": "run_0~1"})).await;
    assert_eq!(got["error"]["code"], -32001);
}

#[tokio::test]
async fn without_a_token_nothing_is_served_but_the_card_and_health() {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    for method in OPERATIONS.iter().filter(|method| **method != "decide") {
        for token in [None, Some("nonsense")] {
            let body =
                json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params(method, None, 0)});
            let mut request = door.post(body.to_string());
            if let Some(token) = token {
                request = request.bearer_auth(token);
            }
            let response = request.send().await.unwrap();
            assert_eq!(response.status(), 401, "{method}");
            assert_eq!(response.headers()["www-authenticate"], "Bearer");
        }
    }
    for path in ["/metrics", "/rl/status", "/tasks", "/tasks/x", "/extendedAgentCard", "/nowhere"] {
        let response = door.client.get(format!("{}{path}", door.url)).send().await.unwrap();
        assert_eq!(response.status(), 401, "{path}");
    }
    for path in ["/.well-known/agent-card.json", "/.well-known/agent.json", "/health", "/livez", "/readyz"] {
        assert_eq!(
            door.client.get(format!("{}{path}", door.url)).send().await.unwrap().status(),
            200,
            "{path}"
        );
    }
    assert_eq!(door.memory.taken(), 0);
}

#[tokio::test]
async fn figures_are_for_operators_and_auditors() {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    for role in DoorRole::ALL {
        for path in ["/metrics", "/rl/status"] {
            let request = door.client.get(format!("{}{path}", door.url)).bearer_auth(role.name());
            let status = request.send().await.unwrap().status().as_u16();
            let served = matches!(role, DoorRole::Operator | DoorRole::Auditor);
            assert_eq!(status, if served { 200 } else { 403 }, "{role:?} {path}");
        }
    }
}

#[tokio::test]
async fn a_caller_who_comes_too_often_waits_and_others_do_not() {
    let door = Door::with(Arc::new(Names), |config| config.requests_per_minute = 3).await;
    let list = |token: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}});
        door.post(body.to_string()).bearer_auth(token)
    };
    for _ in 0..3 {
        assert_eq!(list("ada").send().await.unwrap().status(), 200);
    }
    let response = list("ada").send().await.unwrap();
    assert_eq!(response.status(), 429);
    let wait: u64 = response.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=21).contains(&wait), "{wait}");
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["error"]["data"][0]["reason"], "TOO_MANY_REQUESTS");
    assert_eq!(list("bob").send().await.unwrap().status(), 200);
}

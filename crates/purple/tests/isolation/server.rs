//! The server: A2A in all dialects, HTTP+JSON, the older endpoint, figures.

use serde_json::{Value, json};

use crate::operations::{all_have_rows, methods, plain_paths, routes};
use crate::{OVER, Scene, TASK, WAITS, like_nobody};

/// How an operation is tried.
enum Row {
    /// With the id of a task: a foreign one is answered like one that does not exist.
    Id(fn(&str) -> Value),
    /// With words into a context: nothing of it is told, and nothing of it moves.
    Words(fn(&str) -> Value),
    /// Without an id: nothing of others is told.
    All(Value),
}

fn v1(context: &str) -> Value {
    json!({"message": {"messageId": "m-eve", "role": "ROLE_USER", "contextId": context, "parts": [{"text": "What is the status?"}]}})
}

fn v03(context: &str) -> Value {
    json!({"message": {"messageId": "m-eve", "role": "user", "kind": "message", "contextId": context,
        "parts": [{"kind": "text", "text": "What is the status?"}]}})
}

fn v01(context: &str) -> Value {
    json!({"id": context, "message": {"role": "user", "parts": [{"type": "text", "text": "What is the status?"}]}})
}

fn rows() -> Vec<(&'static str, Row)> {
    vec![
        ("SendMessage", Row::Words(v1)),
        ("SendStreamingMessage", Row::Words(v1)),
        ("GetTask", Row::Id(|id| json!({"id": id}))),
        ("ListTasks", Row::All(json!({"includeArtifacts": true, "historyLength": 50}))),
        ("CancelTask", Row::Id(|id| json!({"id": id}))),
        ("SubscribeToTask", Row::Id(|id| json!({"id": id}))),
        (
            "CreateTaskPushNotificationConfig",
            Row::Id(|id| json!({"taskId": id, "id": "p-eve", "url": "http://127.0.0.1:7/eve"})),
        ),
        ("GetTaskPushNotificationConfig", Row::Id(|id| json!({"taskId": id, "id": "p-quokka"}))),
        ("ListTaskPushNotificationConfigs", Row::Id(|id| json!({"taskId": id}))),
        ("DeleteTaskPushNotificationConfig", Row::Id(|id| json!({"taskId": id, "id": "p-quokka"}))),
        ("GetExtendedAgentCard", Row::All(json!({}))),
        ("message/send", Row::Words(v03)),
        ("message/stream", Row::Words(v03)),
        ("tasks/get", Row::Id(|id| json!({"id": id, "historyLength": 50}))),
        ("tasks/cancel", Row::Id(|id| json!({"id": id}))),
        ("tasks/resubscribe", Row::Id(|id| json!({"id": id}))),
        (
            "tasks/pushNotificationConfig/set",
            Row::Id(|id| json!({"taskId": id, "pushNotificationConfig": {"url": "http://127.0.0.1:7/eve"}})),
        ),
        (
            "tasks/pushNotificationConfig/get",
            Row::Id(|id| json!({"id": id, "pushNotificationConfigId": "p-quokka"})),
        ),
        ("tasks/pushNotificationConfig/list", Row::Id(|id| json!({"id": id}))),
        (
            "tasks/pushNotificationConfig/delete",
            Row::Id(|id| json!({"id": id, "pushNotificationConfigId": "p-quokka"})),
        ),
        ("agent/getAuthenticatedExtendedCard", Row::All(json!({}))),
        ("tasks/send", Row::Words(v01)),
        ("tasks/sendSubscribe", Row::Words(v01)),
        (
            "tasks/pushNotification/set",
            Row::Id(|id| json!({"id": id, "pushNotificationConfig": {"url": "http://127.0.0.1:7/eve"}})),
        ),
        ("tasks/pushNotification/get", Row::Id(|id| json!({"id": id}))),
    ]
}

/// Every id by which a task of Ada's could be meant.
fn ids() -> Vec<String> {
    let marks = ["", "~1", "~2", "~m-quokka-1", "~m-quokka-3"];
    [WAITS, OVER].iter().flat_map(|run| marks.map(|mark| format!("{run}{mark}"))).collect()
}

async fn answer(scene: &Scene, token: &str, method: &str, params: &Value) -> String {
    let request = scene.running.request(method, params.clone()).bearer_auth(token);
    request.send().await.unwrap().text().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn no_method_of_any_dialect_tells_one_caller_of_another() {
    let scene = Scene::open().await;
    let rows = rows();
    all_have_rows("methods", &methods(), rows.iter().map(|(name, _)| *name));
    let before = scene.running.effects();
    // The ids are right: Ada sees what Eve does not.
    let own = answer(&scene, &scene.ada, "GetTask", &json!({"id": format!("{WAITS}~1")})).await;
    assert!(own.contains("INV-2024-447") && own.contains(&scene.approval), "{own}");
    for (method, row) in &rows {
        match row {
            Row::Id(params) => {
                for id in ids() {
                    let foreign = answer(&scene, &scene.eve, method, &params(&id)).await;
                    let nobody = answer(&scene, &scene.eve, method, &params(&like_nobody(&id))).await;
                    assert_eq!(like_nobody(&foreign), nobody, "{method} {id}");
                    assert!(foreign.contains("error"), "{method} {id}: {foreign}");
                }
            }
            Row::Words(params) => {
                for id in ids() {
                    let params = params(&id);
                    let told = answer(&scene, &scene.eve, method, &params).await;
                    scene.hides(&format!("{method} {id}"), &params.to_string(), &told);
                    assert!(told.contains("error"), "{method} {id}: {told}");
                }
            }
            Row::All(params) => {
                let told = answer(&scene, &scene.eve, method, params).await;
                scene.hides(method, "", &told);
            }
        }
    }
    // A decision with the right ids, in the task and in its context.
    for place in [json!({"taskId": format!("{WAITS}~1")}), json!({"contextId": WAITS})] {
        let mut message = json!({"messageId": "m-eve-d", "role": "ROLE_USER",
            "parts": [{"data": {"approvalId": scene.approval, "decision": "approve"}}]});
        message.as_object_mut().unwrap().extend(place.as_object().unwrap().clone());
        let told = answer(&scene, &scene.eve, "SendMessage", &json!({ "message": message })).await;
        scene.hides("decision", WAITS, &told);
    }
    assert_eq!(scene.running.effects(), before);
    // Nothing of it came to her runs.
    let own =
        answer(&scene, &scene.ada, "GetTask", &json!({"id": format!("{WAITS}~1"), "historyLength": 50}))
            .await;
    assert!(!own.contains("What is the status?") && own.contains(&scene.approval), "{own}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_work_asked_for_by_another_tells_nothing_of_the_first() {
    let scene = Scene::open().await;
    for (id, words) in [("m-1", TASK), ("m-2", crate::running::ORDER)] {
        let told = answer(&scene, &scene.eve, "SendMessage", &crate::message(id, None, words)).await;
        // What Eve said herself comes back to her; what Ada's run made of it does not.
        scene.hides("the same work", words, &told);
        for made in ["Reject invoice", "modify_order_items", "decided", "approved by"] {
            assert!(!told.contains(made), "{made}: {told}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_path_tells_one_caller_of_another() {
    let scene = Scene::open().await;
    // GET and POST of each, `{}` stands for the id.
    let rows: [(&str, &str, &str); 11] = [
        (r#"("POST", ["message:send"])"#, "POST", "/message:send"),
        (r#"("POST", ["message:stream"])"#, "POST", "/message:stream"),
        (r#"("GET", ["tasks"])"#, "GET", "/tasks?includeArtifacts=true&historyLength=50"),
        (r#"("GET" | "POST", ["tasks", task])"#, "GET", "/tasks/{}"),
        (
            r#"("POST", ["tasks", task, "pushNotificationConfigs"])"#,
            "POST",
            "/tasks/{}/pushNotificationConfigs",
        ),
        (
            r#"("GET", ["tasks", task, "pushNotificationConfigs"])"#,
            "GET",
            "/tasks/{}/pushNotificationConfigs",
        ),
        (
            r#"("GET", ["tasks", task, "pushNotificationConfigs", id])"#,
            "GET",
            "/tasks/{}/pushNotificationConfigs/p-quokka",
        ),
        (
            r#"("DELETE", ["tasks", task, "pushNotificationConfigs", id])"#,
            "DELETE",
            "/tasks/{}/pushNotificationConfigs/p-quokka",
        ),
        (r#"("GET", ["extendedAgentCard"])"#, "GET", "/extendedAgentCard"),
        (r#"("POST", Some((id, "cancel")))"#, "POST", "/tasks/{}:cancel"),
        (r#"("GET" | "POST", Some((id, "subscribe")))"#, "GET", "/tasks/{}:subscribe"),
    ];
    let mut named: Vec<&'static str> = rows.iter().map(|(arm, ..)| *arm).collect();
    named.push(r#"("GET", _)"#);
    all_have_rows("paths", &plain_paths(), named);
    let ask = async |method: &str, path: &str, body: &Value| {
        let url = format!("{}{path}", scene.running.url);
        let request = scene.running.client.request(method.parse().unwrap(), url).bearer_auth(&scene.eve);
        let request = if method == "POST" { request.json(body) } else { request };
        request.send().await.unwrap().text().await.unwrap()
    };
    for (_, method, path) in rows {
        if !path.contains("{}") {
            let body = v1(WAITS);
            let told = ask(method, path, &body).await;
            let said = if method == "POST" { body.to_string() } else { String::new() };
            scene.hides(path, &said, &told);
            continue;
        }
        for id in ids() {
            let body = json!({"id": "p-eve", "url": "http://127.0.0.1:7/eve"});
            let foreign = ask(method, &path.replace("{}", &id), &body).await;
            let nobody = ask(method, &path.replace("{}", &like_nobody(&id)), &body).await;
            assert_eq!(like_nobody(&foreign), nobody, "{method} {path} {id}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_route_tells_one_caller_of_another() {
    let scene = Scene::open().await;
    let older = |id: &str| json!({"task_id": id, "task": "What is the status?"});
    /// What is sent with the id of a task.
    type Body = fn(&str) -> Value;
    let rows: [(&str, Option<Body>); 10] = [
        // Every method of it has a row of its own.
        ("/", None),
        ("/.well-known/agent-card.json", None),
        ("/.well-known/agent.json", None),
        ("/health", None),
        ("/readyz", None),
        ("/livez", None),
        ("/api/a2a/purple-agent", Some(older)),
        ("/api/a2a/purple-agent/", Some(older)),
        ("/metrics", None),
        ("/rl/status", None),
    ];
    all_have_rows("routes", &routes(), rows.iter().map(|(path, _)| *path));
    for (path, body) in rows {
        let url = format!("{}{path}", scene.running.url.trim_end_matches('/'));
        let Some(body) = body else {
            let get = scene.running.client.get(&url).bearer_auth(&scene.eve);
            let told = get.send().await.unwrap().text().await.unwrap();
            scene.hides(path, "", &told);
            continue;
        };
        for id in ids().into_iter().chain(["m-quokka-1".to_owned(), "m-quokka-3".to_owned()]) {
            let body = body(&id);
            let told =
                scene.running.client.post(&url).bearer_auth(&scene.eve).json(&body).send().await.unwrap();
            scene.hides(&format!("{path} {id}"), &body.to_string(), &told.text().await.unwrap());
        }
    }
    // Figures of the whole server are for operators and auditors.
    for path in ["/metrics", "/rl/status"] {
        let url = format!("{}{path}", scene.running.url.trim_end_matches('/'));
        let told = scene.running.client.get(&url).bearer_auth(&scene.eve).send().await.unwrap();
        assert_eq!(told.status(), 403, "{path}");
    }
}

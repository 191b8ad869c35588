//! The door over a real socket, with an engine in memory behind it.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod double;

use std::sync::Arc;
use std::time::Duration;

use double::{Counted, Door, Memory, Names, message, person};
use purple_server::{Doorman, OpenDoor, PauseAs, Ports, ServeError, Server, ServerConfig};
use purple_testkit::becomes;
use serde_json::{Value, json};

async fn code(request: reqwest::RequestBuilder) -> (u16, i64) {
    let response = request.send().await.unwrap();
    let status = response.status().as_u16();
    let body: Value = response.json().await.unwrap();
    (status, body["error"]["code"].as_i64().unwrap())
}

/// The events of a stream: id and body.
fn frames(text: &str) -> Vec<(Option<u64>, Value)> {
    let block = |block: &str| {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let data = serde_json::from_str(field("data:")?).unwrap();
        Some((field("id:").map(|id| id.parse().unwrap()), data))
    };
    text.split("\n\n").filter_map(block).collect()
}

#[tokio::test]
async fn garbage_is_answered_with_a_code_and_takes_nothing_in() {
    let door = Door::open().await;
    assert_eq!(code(door.post("{\"jsonrpc\"")).await, (200, -32700));
    assert_eq!(code(door.post("")).await, (200, -32700));
    assert_eq!(code(door.post("[".repeat(200_000))).await, (200, -32700));
    assert_eq!(code(door.post("[]")).await, (200, -32600));
    assert_eq!(code(door.post("x".repeat(1024 * 1024 + 1))).await, (413, -32600));
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message("m", None, "x")}});
    assert_eq!(code(door.client.post(&door.url).body(request.to_string())).await, (200, -32005));
    let form = door.client.post(&door.url).header("content-type", "text/plain").body(request.to_string());
    assert_eq!(code(form).await, (200, -32005));
    assert_eq!(code(door.post(request.to_string()).header("a2a-version", "2.0")).await, (200, -32009));
    assert_eq!(code(door.post(request.to_string()).header("a2a-version", "1.0.x")).await, (200, -32009));
    let query = door.client.post(format!("{}/?A2A-Version=0.9", door.url));
    let query = query.header("content-type", "application/json").body(request.to_string());
    assert_eq!(code(query).await, (200, -32009));
    let long = "x".repeat(200_000);
    assert_eq!(door.say("m", Some("c~1"), "x").await["error"]["code"], -32602);
    assert_eq!(door.say("m", Some("two words"), "x").await["error"]["code"], -32602);
    assert_eq!(door.say(&long, None, "x").await["error"]["code"], -32602);
    assert_eq!(door.say("m", None, "  ").await["error"]["code"], -32602);
    assert_eq!(door.memory.taken(), 0);
}

#[tokio::test]
async fn a_spoken_version_is_taken_with_and_without_a_patch_and_a_slash() {
    let door = Door::open().await;
    for (at, version) in ["1.0", "1.0.1", "0.3", ""].into_iter().enumerate() {
        let params = json!({"message": message(&format!("m{at}"), None, "x")});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params}).to_string();
        let url = format!("{}/", door.url);
        let request = door.client.post(url).header("content-type", "application/a2a+json; charset=utf-8");
        let response = request.header("a2a-version", version).body(body).send().await.unwrap();
        let answer: Value = response.json().await.unwrap();
        assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{version} {answer}");
    }
}

#[tokio::test]
async fn a_web_page_cannot_use_the_open_door() {
    let door = Door::open().await;
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ListTasks", "params": {}}).to_string();
    assert_eq!(code(door.post(body.clone()).header("origin", "https://evil.example")).await, (403, -32600));
    assert_eq!(code(door.post(body.clone()).header("host", "evil.example:9010")).await, (403, -32600));
    assert!(door.rpc("ListTasks", json!({})).await.get("result").is_some());
}

#[tokio::test]
async fn a_message_id_means_one_task_for_ever() {
    let door = Door::open().await;
    let first = door.say("m-1", None, "pay").await;
    let again = door.say("m-1", None, "pay").await;
    assert_eq!(first["result"], again["result"]);
    assert_eq!(first["result"]["task"]["artifacts"][0]["parts"][0]["text"], "Heard: pay");
    let changed = door.say("m-1", None, "pay more").await;
    assert_eq!(changed["error"]["code"], -32602, "{changed}");
    assert_eq!(changed["error"]["data"][0]["reason"], "MESSAGE_ID_USED");
    assert_eq!(door.memory.taken(), 1);
}

#[tokio::test]
async fn each_round_of_a_context_is_a_task_of_its_own_and_stays_as_it_ended() {
    let door = Door::open().await;
    let first = door.say("m-1", None, "one").await["result"]["task"].clone();
    let context = first["contextId"].as_str().unwrap();
    let second = door.say("m-2", Some(context), "two").await["result"]["task"].clone();
    assert_eq!(first["id"], "run_0~1");
    // A later round is named by its message, and found by its number too.
    let numbered = door.rpc("GetTask", json!({"id": "run_0~2"})).await["result"].clone();
    assert_eq!(numbered["artifacts"], second["artifacts"]);
    assert_eq!(door.rpc("GetTask", json!({"id": second["id"]})).await["result"]["id"], second["id"]);
    assert_eq!(second["contextId"], first["contextId"]);
    let got = door.rpc("GetTask", json!({"id": "run_0~1"})).await;
    assert_eq!(got["result"]["artifacts"], first["artifacts"]);
    assert_eq!(got["result"]["history"][0]["parts"][0]["text"], "one");
    assert_eq!(got["result"]["history"][0]["messageId"], "m-1");
    // The same words again are another message, and each is found by its own id.
    let third = door.say("m-5", Some(context), "one").await["result"]["task"].clone();
    assert!(third["id"] != second["id"] && third["id"] != first["id"], "{third}");
    assert_eq!(door.say("m-1", Some(context), "one").await["result"]["task"]["id"], "run_0~1");
    // A repetition of the first message is answered with the first task.
    assert_eq!(door.say("m-1", None, "one").await["result"]["task"]["id"], "run_0~1");
    let mut late = message("m-3", None, "three");
    late["taskId"] = json!("run_0~1");
    assert_eq!(door.rpc("SendMessage", json!({"message": late})).await["error"]["code"], -32004);
    late["contextId"] = json!("other");
    assert_eq!(door.rpc("SendMessage", json!({"message": late})).await["error"]["code"], -32602);
    late["taskId"] = json!("nobody~1");
    assert_eq!(door.rpc("SendMessage", json!({"message": late})).await["error"]["code"], -32001);
    for id in ["nobody", "run_0~4", "run_0~9", "run_0~0", "run_0~x", "two words", ""] {
        let code = door.rpc("GetTask", json!({"id": id})).await["error"]["code"].clone();
        assert!(code == -32001 || (id.is_empty() && code == -32602), "{id} {code}");
    }
    assert_eq!(door.memory.taken(), 3);
}

#[tokio::test]
async fn endings_are_states_and_a_pause_is_what_the_operator_says() {
    let door = Door::open().await;
    let state = |answer: &Value| answer["result"]["task"]["status"]["state"].clone();
    assert_eq!(state(&door.say("m-1", None, "fail").await), "TASK_STATE_FAILED");
    assert_eq!(state(&door.say("m-2", None, "ask me").await), "TASK_STATE_INPUT_REQUIRED");
    let completed = |config: &mut ServerConfig| config.pause_as = PauseAs::Completed;
    let door = Door::with(Arc::new(OpenDoor::on_loopback(person("alex"))), completed).await;
    let answer = door.say("m-1", None, "ask me").await;
    assert_eq!(state(&answer), "TASK_STATE_COMPLETED");
    assert_eq!(answer["result"]["task"]["artifacts"][0]["parts"][0]["text"], "Heard: ask me");
}

#[tokio::test]
async fn a_caller_that_waits_too_long_is_told_that_it_works_and_finds_the_answer_later() {
    let soon = |config: &mut ServerConfig| config.answer_within = Duration::from_millis(20);
    let door = Door::with(Arc::new(OpenDoor::on_loopback(person("alex"))), soon).await;
    let answer = door.say("m-1", None, "wait").await;
    let task = &answer["result"]["task"];
    assert_eq!(task["status"]["state"], "TASK_STATE_WORKING", "{answer}");
    door.memory.finish("run_0", "finished");
    let got = door.rpc("GetTask", json!({"id": task["id"]})).await;
    assert_eq!(got["result"]["artifacts"][0]["parts"][0]["text"], "Heard: finished");
}

#[tokio::test]
async fn a_task_is_canceled_once_and_listed_by_state() {
    let door = Door::open().await;
    let id = door.say("m-1", None, "ask").await["result"]["task"]["id"].clone();
    door.say("m-2", None, "done").await;
    door.say("m-3", None, "done").await;
    let answer = door.rpc("CancelTask", json!({"id": id})).await;
    assert_eq!(answer["result"]["status"]["state"], "TASK_STATE_CANCELED", "{answer}");
    assert_eq!(door.rpc("tasks/cancel", json!({"id": id})).await["error"]["code"], -32002);
    let page =
        door.rpc("ListTasks", json!({"status": "TASK_STATE_COMPLETED", "pageSize": 1})).await["result"]
            .clone();
    assert_eq!((&page["totalSize"], page["tasks"].as_array().unwrap().len()), (&json!(2), 1));
    assert!(page["tasks"][0].get("artifacts").is_none());
    let token = &page["nextPageToken"];
    let rest = door
        .rpc("ListTasks", json!({"status": "TASK_STATE_COMPLETED", "pageSize": 1, "pageToken": token}))
        .await;
    assert_eq!(rest["result"]["nextPageToken"], "");
    assert_ne!(rest["result"]["tasks"][0]["id"], page["tasks"][0]["id"]);
    assert_eq!(door.rpc("ListTasks", json!({"pageToken": "x"})).await["error"]["code"], -32602);
    let count = async |after: &str| {
        let page = door.rpc("ListTasks", json!({"statusTimestampAfter": after})).await;
        page["result"]["totalSize"].as_u64()
    };
    assert_eq!(count("2026-03-04T11:59:59Z").await, Some(3));
    assert_eq!(count("2026-03-04T12:00:00Z").await, Some(0));
    assert_eq!(count("yesterday").await, None);
}

#[tokio::test]
async fn a_stream_tells_each_event_with_its_place_and_again_after_the_last_one_seen() {
    let door = Door::open().await;
    let body = |id: &str| json!({"jsonrpc": "2.0", "id": 1, "method": "SendStreamingMessage", "params": {"message": message(id, None, "go")}});
    let text = door.post(body("m-1").to_string()).send().await.unwrap().text().await.unwrap();
    let all = frames(&text);
    assert_eq!(all[0].1["result"]["task"]["status"]["state"], "TASK_STATE_WORKING", "{text}");
    let (last, end) = all.last().unwrap();
    assert_eq!(end["result"]["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED", "{text}");
    assert_eq!(text.matches("Heard: go").count(), 1, "{text}");
    assert!(last.is_some());

    let subscribe =
        json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/resubscribe", "params": {"id": "run_0~1"}});
    assert_eq!(code(door.post(subscribe.to_string())).await, (200, -32004));
    let seen = all[1].0.unwrap().to_string();
    let request = door.post(subscribe.to_string()).header("last-event-id", seen);
    let missed = frames(&request.send().await.unwrap().text().await.unwrap());
    let ids = |frames: &[(Option<u64>, Value)]| frames.iter().map(|(id, _)| *id).collect::<Vec<_>>();
    assert_eq!(ids(&missed), ids(&all[2..]));
    assert_eq!(missed.last().unwrap().1["result"]["final"], true);
    assert_eq!(door.memory.taken(), 1);
}

#[tokio::test]
async fn two_readers_follow_a_task_that_works_until_it_is_done() {
    let door = Door::open().await;
    let body =
        |method: &str, params: Value| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    let sending = body("SendStreamingMessage", json!({"message": message("m-1", None, "wait")}));
    let first = door.post(sending.to_string()).send().await.unwrap();
    let following = body("tasks/resubscribe", json!({"id": "run_0~1"}));
    let second = door.post(following.to_string()).send().await.unwrap();
    becomes("two followers", || door.memory.followers() >= 2).await;
    door.memory.finish("run_0", "finished");
    for stream in [first, second] {
        let text = tokio::time::timeout(Duration::from_secs(5), stream.text()).await.unwrap().unwrap();
        assert_eq!(text.matches("Heard: finished").count(), 1, "{text}");
    }
}

#[tokio::test]
async fn a_stop_ends_requests_that_wait_and_streams_that_follow() {
    let mut door = Door::open().await;
    let body = |method: &str| json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": {"message": message("m-1", None, "wait")}});
    let stream = door.post(body("SendStreamingMessage").to_string()).send().await.unwrap();
    let waiting = tokio::spawn(door.post(body("SendMessage").to_string()).send());
    becomes("two followers", || door.memory.followers() >= 2).await;
    door.stop().await;
    let text = stream.text().await.unwrap();
    assert!(text.contains("TASK_STATE_WORKING"), "{text}");
    let answer: Value = waiting.await.unwrap().unwrap().json().await.unwrap();
    assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_WORKING");
}

#[tokio::test]
async fn tokens_name_the_caller_and_foreign_tasks_are_not_there() {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    let request = |token: &str, method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        door.post(body.to_string()).bearer_auth(token)
    };
    let send = json!({"message": message("m-1", None, "pay")});
    assert_eq!(code(door.post(json!({}).to_string())).await, (401, -32600));
    assert_eq!(code(request("eve", "SendMessage", send.clone())).await, (401, -32600));
    let answer: Value =
        request("ada", "SendMessage", send.clone()).send().await.unwrap().json().await.unwrap();
    let id = answer["result"]["task"]["id"].clone();
    assert_eq!(code(request("bob", "GetTask", json!({"id": id}))).await, (200, -32001));
    assert_eq!(code(request("bob", "CancelTask", json!({"id": id}))).await, (200, -32001));
    assert_eq!(code(request("bob", "SubscribeToTask", json!({"id": id}))).await, (200, -32001));
    let into = json!({"message": message("m-9", Some("run_0"), "pay me")});
    assert_eq!(code(request("bob", "SendMessage", into)).await, (200, -32001));
    // The same message id of another person is another message.
    let other: Value = request("bob", "SendMessage", send).send().await.unwrap().json().await.unwrap();
    assert_ne!(other["result"]["task"]["id"], id);
    let list: Value = request("bob", "ListTasks", json!({})).send().await.unwrap().json().await.unwrap();
    assert_eq!(list["result"]["totalSize"], 1);
}

#[tokio::test]
async fn a_door_without_a_lock_does_not_open_to_other_machines() {
    let memory = Memory::new();
    let config = ServerConfig::at("0.0.0.0:0".parse().unwrap());
    let open: Arc<dyn Doorman> = Arc::new(OpenDoor::on_loopback(person("alex")));
    let ports = |door| Ports::new(memory.worker(), door, Arc::new(Counted::default()));
    let refused = Server::bind(config.clone(), ports(open)).await;
    assert!(matches!(refused, Err(ServeError::Exposed { .. })));
    let anywhere: Arc<dyn Doorman> = Arc::new(OpenDoor::anywhere(person("alex")));
    assert!(Server::bind(config, ports(anywhere)).await.is_ok());
}

#[tokio::test]
async fn the_card_is_hybrid_at_both_paths_and_pure_for_those_who_speak_1_0() {
    let door = Door::open().await;
    let get = |path: &str| door.client.get(format!("{}{path}", door.url));
    let response = get("/.well-known/agent-card.json").send().await.unwrap();
    let etag = response.headers()["etag"].clone();
    assert!(response.headers()["cache-control"].to_str().unwrap().contains("max-age="));
    let card: Value = response.json().await.unwrap();
    let older: Value = get("/.well-known/agent.json").send().await.unwrap().json().await.unwrap();
    assert_eq!(card, older);
    assert_eq!(card["url"], format!("{}/", door.url));
    assert_eq!(
        card["supportedInterfaces"][0],
        json!({"url": card["url"], "protocolBinding": "JSONRPC", "protocolVersion": "1.0"})
    );
    assert!(card.get("additionalInterfaces").is_none());
    let pure: Value = get("/.well-known/agent-card.json")
        .header("a2a-version", "1.0")
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert!(pure.get("url").is_none() && pure.get("protocolVersion").is_none(), "{pure}");
    let unchanged = get("/.well-known/agent-card.json").header("if-none-match", etag).send().await.unwrap();
    assert_eq!(unchanged.status(), 304);
    for path in ["/health", "/livez", "/readyz"] {
        assert_eq!(get(path).send().await.unwrap().json::<Value>().await.unwrap(), json!({"status": "ok"}));
    }
    assert_eq!(get("/nowhere").send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn http_and_json_serve_the_same_tasks_on_the_same_port() {
    let door = Door::open().await;
    let url = |path: &str| format!("{}{path}", door.url);
    let post = |path: &str, body: Value| door.client.post(url(path)).json(&body);
    let sent: Value = post("/message:send", json!({"message": message("m-1", Some("c"), "ask")}))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(sent["task"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{sent}");
    let got: Value = door.client.get(url("/tasks/c~1")).send().await.unwrap().json().await.unwrap();
    assert_eq!((&got["id"], &got["status"]), (&sent["task"]["id"], &sent["task"]["status"]));
    let list: Value = door.client.get(url("/tasks?contextId=c")).send().await.unwrap().json().await.unwrap();
    assert_eq!((&list["totalSize"], &list["nextPageToken"]), (&json!(1), &json!("")));
    let a2a =
        door.client.post(url("/tasks/c~1:cancel")).header("content-type", "application/a2a+json").send();
    let canceled = a2a.await.unwrap();
    assert_eq!(canceled.headers()["content-type"], "application/a2a+json");
    assert_eq!(canceled.json::<Value>().await.unwrap()["status"]["state"], "TASK_STATE_CANCELED");
    let again = door.client.post(url("/tasks/c~1:cancel")).send().await.unwrap();
    assert_eq!(again.status(), 400);
    let body: Value = again.json().await.unwrap();
    assert_eq!(
        (&body["error"]["status"], &body["error"]["details"][0]["reason"]),
        (&json!("FAILED_PRECONDITION"), &json!("TASK_NOT_CANCELABLE"))
    );
    assert_eq!(door.client.get(url("/tasks/none")).send().await.unwrap().status(), 404);
    let kind = door.client.post(url("/message:send")).header("content-type", "text/plain").body("{}");
    assert_eq!(kind.send().await.unwrap().status(), 415);
    let stream =
        post("/message:stream", json!({"message": message("m-2", None, "go")})).send().await.unwrap();
    let told = frames(&stream.text().await.unwrap());
    assert_eq!(told[0].1["task"]["status"]["state"], "TASK_STATE_WORKING");
    assert_eq!(told.last().unwrap().1["statusUpdate"]["status"]["state"], "TASK_STATE_COMPLETED");
}

#[tokio::test]
async fn every_round_is_listed_and_a_page_token_outlives_a_change() {
    let door = Door::open().await;
    for (id, context, words) in [
        ("m-1", "a", "one"),
        ("m-2", "a", "two"),
        ("m-3", "a", "ask"),
        ("m-4", "b", "done"),
        ("m-5", "c", "wait"),
    ] {
        let params = json!({"message": message(id, Some(context), words), "configuration": {"returnImmediately": true}});
        door.rpc("SendMessage", params).await;
    }
    let page = async |token: &Value| {
        let page = door.rpc("ListTasks", json!({"pageSize": 2, "pageToken": token})).await["result"].clone();
        let ids: Vec<String> = page["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .map(|task| task["id"].as_str().unwrap().to_owned())
            .collect();
        (ids, page["nextPageToken"].clone(), page["totalSize"].clone())
    };
    let (mut ids, token, total) = page(&json!("")).await;
    assert_eq!(total, 5);
    // The task that the token names moves on.
    let run = ids[1].split('~').next().unwrap().to_owned();
    door.say("m-6", Some(&run), "more").await;
    let mut token = token;
    while token != "" {
        let (more, next, _) = page(&token).await;
        ids.extend(more);
        token = next;
    }
    let all: std::collections::BTreeSet<&String> = ids.iter().collect();
    assert_eq!(all.len(), ids.len(), "{ids:?}");
    assert!(["a~1", "b~1", "c~1"].iter().all(|id| ids.iter().any(|one| one == id)), "{ids:?}");
    for id in &ids {
        assert_eq!(door.rpc("GetTask", json!({"id": id})).await["result"]["id"], **id);
    }
    let works = door.rpc("ListTasks", json!({"status": "TASK_STATE_WORKING"})).await["result"].clone();
    assert_eq!((&works["totalSize"], &works["tasks"][0]["id"]), (&json!(1), &json!("c~1")));
}

#[tokio::test]
async fn a_method_that_a_path_does_not_take_is_answered_with_those_that_it_does() {
    let door = Door::open().await;
    for (method, path, allow) in [
        ("GET", "/", "POST"),
        ("PUT", "/", "POST"),
        ("GET", "/api/a2a/purple-agent", "POST"),
        ("POST", "/health", "GET, HEAD"),
        ("DELETE", "/.well-known/agent-card.json", "GET, HEAD"),
        ("GET", "/message:send", "POST"),
        ("PUT", "/tasks/x", "GET, HEAD"),
        ("DELETE", "/tasks/x:cancel", "POST"),
    ] {
        let method: reqwest::Method = method.parse().unwrap();
        let request = door.client.request(method.clone(), format!("{}{path}", door.url));
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 405, "{method} {path}");
        assert_eq!(response.headers()["allow"], allow, "{method} {path}");
        let body: Value = response.json().await.unwrap();
        assert_eq!(
            (&body["error"]["code"], &body["error"]["details"][0]["reason"]),
            (&json!(405), &json!("METHOD_NOT_ALLOWED")),
            "{method} {path}"
        );
    }
    assert_eq!(door.client.head(format!("{}/tasks", door.url)).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_kind_of_an_answer_is_the_one_that_was_asked_for_and_a_body_of_another_kind_is_not_read() {
    let door = Door::open().await;
    let kind = async |accept: Option<&str>, sent: &str| {
        let body = json!({"message": message("m-1", None, "done")}).to_string();
        let mut request =
            door.client.post(format!("{}/message:send", door.url)).header("content-type", sent).body(body);
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        request.send().await.unwrap().headers()["content-type"].to_str().unwrap().to_owned()
    };
    let (json_kind, a2a) = ("application/json", "application/a2a+json");
    assert_eq!(kind(None, json_kind).await, json_kind);
    assert_eq!(kind(None, a2a).await, a2a);
    assert_eq!(kind(Some("application/a2a+json;q=1, */*"), json_kind).await, a2a);
    assert_eq!(kind(Some("application/json"), a2a).await, json_kind);
    assert_eq!(kind(Some("*/*"), json_kind).await, json_kind);
    for path in ["/message:send", "/api/a2a/purple-agent"] {
        let request =
            door.client.post(format!("{}{path}", door.url)).header("content-type", "text/plain").body("{}");
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 415);
        let body: Value = response.json().await.unwrap();
        assert_eq!(
            (&body["error"]["code"], &body["error"]["details"][0]["reason"]),
            (&json!(415), &json!("CONTENT_TYPE_NOT_SUPPORTED"))
        );
    }
}

#[tokio::test]
async fn a_weak_tag_in_a_list_of_tags_is_known() {
    let door = Door::open().await;
    let get = || door.client.get(format!("{}/.well-known/agent-card.json", door.url));
    let etag = get().send().await.unwrap().headers()["etag"].to_str().unwrap().to_owned();
    for (tags, status) in [
        (format!("W/{etag}"), 304),
        (format!("\"other\", W/{etag}"), 304),
        ("*".to_owned(), 304),
        ("\"other\", W/\"another\"".to_owned(), 200),
    ] {
        assert_eq!(get().header("if-none-match", &tags).send().await.unwrap().status(), status, "{tags}");
    }
}

#[tokio::test]
async fn rules_of_a_wrong_shape_are_refused_at_the_door_and_the_shape_is_told() {
    let door = Door::open().await;
    for wrong in [
        json!(7),
        json!({"rules": {}}),
        json!({"rules": [{"type": "deny"}]}),
        json!({"rules": [{"id": "a", "condition": "amount >", "action": "block"}]}),
        json!([1]),
        json!("{\"rules\": 3}"),
    ] {
        for dialect in ["SendMessage", "message/send"] {
            let mut message = message("m-1", None, "pay");
            if dialect == "message/send" {
                message =
                    json!({"messageId": "m-1", "role": "user", "parts": [{"kind": "text", "text": "pay"}]});
            }
            let answer =
                door.rpc(dialect, json!({"message": message, "metadata": {"policy_doc": wrong}})).await;
            assert_eq!(answer["error"]["code"], -32602, "{wrong} {answer}");
            let told = answer["error"]["message"].as_str().unwrap();
            assert!(told.contains("policy_doc") && told.contains("\"rules\""), "{told}");
        }
    }
    assert_eq!(door.memory.taken(), 0);
}

#[tokio::test]
async fn two_people_may_call_their_messages_alike_and_each_id_stands_once_in_the_history() {
    let door = Door::with(Arc::new(Names), |_| {}).await;
    let call = async |token: &str, method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        door.post(body.to_string()).bearer_auth(token).send().await.unwrap().json::<Value>().await.unwrap()
    };
    call("ada", "SendMessage", json!({"message": message("m-1", Some("c"), "ask")})).await;
    let mut decision = message("m-1", Some("c"), "");
    decision["parts"] = json!([{"data": {"approvalId": "apr_1", "decision": "approve"}}]);
    let decided = call("approver", "SendMessage", json!({"message": decision})).await;
    let history = decided["result"]["task"]["history"].as_array().unwrap();
    assert_eq!(history.len(), 2, "{decided}");
    assert_eq!(history[0]["messageId"], "m-1");
    assert_ne!(history[1]["messageId"], "m-1");
}

#[tokio::test]
async fn a_message_without_a_name_is_known_by_its_idempotency_key() {
    let door = Door::open().await;
    let send = async |key: &str, context: Option<&str>, text: &str| {
        let message = json!({"role": "user", "parts": [{"text": text}]});
        let params = json!({"id": context, "message": message});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/send", "params": params});
        let request = door.post(body.to_string()).header("idempotency-key", key);
        request.send().await.unwrap().json::<Value>().await.unwrap()
    };
    let first = send("k-1", None, "pay").await;
    assert_eq!(send("k-1", None, "pay").await["result"], first["result"], "{first}");
    assert_eq!(send("k-1", None, "pay more").await["error"]["data"][0]["reason"], "MESSAGE_ID_USED");
    // Two keys are two messages, though the words are the same.
    assert_ne!(send("k-2", None, "pay").await["result"]["id"], first["result"]["id"]);
    assert_eq!(send(&"k".repeat(197), None, "pay").await["error"]["code"], -32602);
    assert_eq!(door.memory.taken(), 2);
    // A message that has a name is known by that.
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {"message": message("m-1", None, "x")}});
    for key in ["a", "b"] {
        door.post(body.to_string()).header("idempotency-key", key).send().await.unwrap();
    }
    assert_eq!(door.memory.taken(), 3);
}

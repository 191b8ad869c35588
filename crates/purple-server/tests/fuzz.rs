//! Broken requests of every operation, made from whole ones: each is answered with a well-formed error or served, none
//! breaks the server, and it is as ready afterwards as before.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod double;

use double::Door;
use serde_json::{Map, Value, json};

/// How many requests, where nobody says another number; `checks/a2a-fuzz` does.
const REQUESTS: u64 = 2_000;
/// Requests at a time.
const AT_ONCE: u64 = 16;

#[expect(clippy::disallowed_methods, reason = "the length of the check is the caller's")]
fn requests() -> u64 {
    std::env::var("PURPLE_FUZZ_REQUESTS").ok().and_then(|count| count.parse().ok()).unwrap_or(REQUESTS)
}

/// The memory of this process, server and clients together, in KiB. Nothing where the system does not tell.
fn memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

/// A small generator of numbers: the same seed, the same requests.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % (bound as u64)).unwrap()
    }

    fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}

/// A whole request of each method.
fn whole(dice: &mut Dice) -> (String, Value) {
    let at = dice.below(1_000);
    let decision = json!({"data": {"approvalId": "apr_1", "decision": "approve", "operations": ["do_1"]}});
    let part = if at.is_multiple_of(3) { decision } else { json!({"text": "ask"}) };
    let mut v1 = json!({
        "messageId": format!("m{at}"), "role": "ROLE_USER", "contextId": format!("c{}", at % 50), "parts": [part],
        "metadata": {"policy_doc": {"rules": []}, "session_id": "s"}, "extensions": [], "referenceTaskIds": ["x"],
    });
    if at.is_multiple_of(4) {
        v1["taskId"] = json!(format!("c{}~1", at % 50));
    }
    if at.is_multiple_of(10) {
        v1["metadata"]["tools_endpoint"] = json!("http://127.0.0.1:1");
    }
    let mut v03 = json!({
        "kind": "message", "messageId": format!("n{at}"), "role": "user", "contextId": format!("c{}", at % 50),
        "parts": [{"kind": "text", "text": "done"}],
    });
    if at % 10 == 1 {
        v03["parts"] = json!([{"kind": "file", "file": {"uri": "x", "mimeType": "image/png"}}]);
    }
    let push = json!({"url": "https://hooks.example/x", "id": "p", "token": "t", "authentication": {"schemes": ["Bearer"], "scheme": "Bearer", "credentials": "x"}});
    let configuration = json!({
        "acceptedOutputModes": ["text/plain"], "historyLength": 3, "returnImmediately": true, "blocking": false,
        "taskPushNotificationConfig": push, "pushNotificationConfig": push,
    });
    let id = json!({"id": format!("c{}~1", at % 50), "historyLength": 2, "pushNotificationConfigId": "p"});
    let of_task = json!({"taskId": format!("c{}~1", at % 50), "id": "p", "url": "https://hooks.example/x", "pushNotificationConfig": push});
    let all = [
        ("SendMessage", json!({"message": v1, "configuration": configuration, "metadata": {}})),
        ("SendStreamingMessage", json!({"message": v1, "configuration": configuration})),
        ("GetTask", id.clone()),
        (
            "ListTasks",
            json!({"contextId": "c", "status": "TASK_STATE_WORKING", "pageSize": 10, "includeArtifacts": true}),
        ),
        ("CancelTask", id.clone()),
        ("SubscribeToTask", id.clone()),
        ("CreateTaskPushNotificationConfig", of_task.clone()),
        ("GetTaskPushNotificationConfig", of_task.clone()),
        ("ListTaskPushNotificationConfigs", of_task.clone()),
        ("DeleteTaskPushNotificationConfig", of_task.clone()),
        ("GetExtendedAgentCard", json!({})),
        ("message/send", json!({"message": v03, "configuration": configuration})),
        ("message/stream", json!({"message": v03, "configuration": configuration})),
        ("tasks/get", id.clone()),
        ("tasks/cancel", id.clone()),
        ("tasks/resubscribe", id.clone()),
        ("tasks/pushNotificationConfig/set", of_task.clone()),
        ("tasks/pushNotificationConfig/get", id.clone()),
        ("tasks/pushNotificationConfig/list", id.clone()),
        ("tasks/pushNotificationConfig/delete", id.clone()),
        ("agent/getAuthenticatedExtendedCard", json!({})),
        (
            "tasks/send",
            json!({"id": format!("s{at}"), "sessionId": "s", "message": {"role": "user", "parts": [{"type": "text", "text": "done"}]}, "pushNotification": push}),
        ),
        (
            "tasks/sendSubscribe",
            json!({"id": format!("s{at}"), "message": {"role": "user", "parts": [{"text": "done"}]}}),
        ),
        ("tasks/pushNotification/set", json!({"id": "s", "pushNotificationConfig": push})),
        ("tasks/pushNotification/get", json!({"id": "s"})),
    ];
    let (method, params) = dice.one(&all).clone();
    (method.to_owned(), params)
}

/// A value that nobody expects.
fn odd(dice: &mut Dice) -> Value {
    let long = "x".repeat(1 + dice.below(5_000));
    let deep = (0..dice.below(100)).fold(json!(1), |inner, _| json!([inner]));
    let numbers = ["1e400", "-0", "99999999999999999999", "0.1", "-1", "4294967296"];
    let number: Value = serde_json::from_str(numbers[dice.below(numbers.len())]).unwrap();
    let odd = [
        json!(null),
        json!(true),
        json!([]),
        json!({}),
        json!(""),
        json!(long),
        deep,
        number,
        json!("\u{0}\u{202e}é🦀"),
        json!("../../etc/passwd"),
        json!("~"),
        json!("c1~99999999999"),
        json!([[null], {"a": {}}]),
        json!("ROLE_AGENT"),
        json!({"": {"": ""}}),
        json!("%00"),
        json!("'; DROP TABLE sessions; --"),
        json!("http://169.254.169.254/"),
    ];
    dice.one(&odd).clone()
}

/// Breaks a value somewhere.
fn broken(dice: &mut Dice, value: &mut Value) {
    let chance = dice.below(6);
    match value {
        Value::Object(map) if !map.is_empty() && chance > 0 => {
            let names: Vec<String> = map.keys().cloned().collect();
            let name = dice.one(&names).clone();
            match dice.below(5) {
                0 => drop(map.remove(&name)),
                1 => drop(map.insert(name.to_uppercase(), odd(dice))),
                _ => broken(dice, map.get_mut(&name).unwrap()),
            }
        }
        Value::Array(items) if !items.is_empty() && chance > 0 => {
            let at = dice.below(items.len());
            match dice.below(4) {
                0 => items.clear(),
                1 => *items = vec![items[at].clone(); 1 + dice.below(100)],
                _ => broken(dice, &mut items[at]),
            }
        }
        other => *other = odd(dice),
    }
}

/// The bytes of a broken request.
fn bytes(dice: &mut Dice) -> Vec<u8> {
    let (method, params) = whole(dice);
    let mut request = Map::new();
    request.insert("jsonrpc".to_owned(), json!("2.0"));
    request.insert("id".to_owned(), json!(dice.below(100)));
    request.insert("method".to_owned(), json!(method));
    request.insert("params".to_owned(), params);
    let mut request = Value::Object(request);
    // One in eight is whole, so that there are tasks to be wrong about.
    for _ in 0..[0, 1, 1, 1, 1, 1, 2, 3][dice.below(8)] {
        broken(dice, &mut request);
    }
    let mut bytes = request.to_string().into_bytes();
    match dice.below(40) {
        0 => bytes.truncate(dice.below(bytes.len().max(1))),
        1 => {
            let at = dice.below(bytes.len());
            bytes[at] = 0xff;
        }
        2 => bytes.extend(b"}}]]"),
        3 => bytes = "[".repeat(dice.below(3_000)).into_bytes(),
        _ => {}
    }
    bytes
}

/// A path of HTTP+JSON, whole or not.
fn path(dice: &mut Dice) -> (reqwest::Method, String) {
    let methods = [
        reqwest::Method::GET,
        reqwest::Method::POST,
        reqwest::Method::DELETE,
        reqwest::Method::PUT,
        reqwest::Method::HEAD,
    ];
    let paths = [
        "/message:send",
        "/message:stream",
        "/tasks",
        "/tasks/c1~1",
        "/tasks/c1~1:cancel",
        "/tasks/c1~1:subscribe",
        "/tasks/%00",
        "/tasks/c1~1/pushNotificationConfigs",
        "/tasks/c1~1/pushNotificationConfigs/p",
        "/extendedAgentCard",
        "/api/a2a/purple-agent",
        "/tasks?pageSize=99999999999&pageToken=%ff",
        "/tasks?status=x&historyLength=-1",
        "/nowhere",
        "/metrics",
        "/rl/status",
        "/:",
        "//",
        "/.well-known/agent-card.json",
        "/tasks/:::::cancel",
        "/tasks//pushNotificationConfigs//",
    ];
    (dice.one(&methods).clone(), (*dice.one(&paths)).to_owned())
}

/// Whether an answer is one that a client can read.
fn well_formed(status: u16, kind: &str, body: &str) -> Result<(), String> {
    if body.contains("panicked") || body.contains(".rs:") || body.contains("RUST_BACKTRACE") {
        return Err(format!("a trace: {body}"));
    }
    if status >= 500 {
        return Err(format!("{status} {body}"));
    }
    if kind.starts_with("text/event-stream") || kind.starts_with("text/plain") || body.is_empty() {
        return Ok(());
    }
    let value: Value = serde_json::from_str(body).map_err(|error| format!("{error}: {body}"))?;
    match value.get("error") {
        None => Ok(()),
        Some(error) if error["code"].is_i64() && error["message"].is_string() => Ok(()),
        Some(error) => Err(format!("a bad error: {error}")),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn broken_requests_of_every_operation_are_answered_and_break_nothing() {
    let requests = requests();
    let door = std::sync::Arc::new(
        Door::with(
            std::sync::Arc::new(purple_server::OpenDoor::on_loopback(double::person("alex"))),
            |config| {
                config.requests_per_minute = 0;
                config.answer_within = std::time::Duration::from_millis(50);
            },
        )
        .await,
    );
    let before = memory_kib();
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..AT_ONCE {
        let door = door.clone();
        workers.spawn(async move {
            let mut dice = Dice(0x9E37_79B9_7F4A_7C15 ^ (worker + 1).wrapping_mul(0x00D1_B54A_32D1_92ED));
            let mut refused = 0_u64;
            for at in 0..requests / AT_ONCE {
                let body = bytes(&mut dice);
                let request = if at % 4 == 3 {
                    let (method, path) = path(&mut dice);
                    door.client.request(method, format!("{}{path}", door.url))
                } else {
                    door.client.post(&door.url)
                };
                let kind = *dice.one(&[
                    "application/json",
                    "application/json",
                    "application/json",
                    "application/a2a+json",
                    "text/plain",
                    "",
                ]);
                let request =
                    request.header("content-type", kind).header("last-event-id", dice.below(50).to_string());
                let shown = String::from_utf8_lossy(&body).into_owned();
                // A stream of a task that works does not end by itself; a few seconds are enough to see that it is one.
                let answered = tokio::time::timeout(std::time::Duration::from_secs(20), async {
                    // A connection that the door closed after a broken request may be taken up once more by a client.
                    let request = request.body(body);
                    let again = request.try_clone().unwrap();
                    let response = match request.send().await {
                        Ok(response) => response,
                        Err(_) => again.send().await.unwrap(),
                    };
                    let (status, headers) = (response.status().as_u16(), response.headers().clone());
                    let kind =
                        headers.get("content-type").map_or("", |kind| kind.to_str().unwrap()).to_owned();
                    let text = if kind.starts_with("text/event-stream") {
                        String::new()
                    } else {
                        response.text().await.unwrap()
                    };
                    (status, kind, text)
                });
                let (status, kind, text) = answered.await.unwrap_or_else(|_| panic!("it hangs: {shown}"));
                if let Err(why) = well_formed(status, &kind, &text) {
                    panic!("worker {worker}, request {at}: {why}\n{shown}");
                }
                refused += u64::from(status >= 400 || text.contains("\"error\""));
            }
            refused
        });
    }
    let mut refused = 0;
    while let Some(done) = workers.join_next().await {
        refused += done.unwrap();
    }
    let taken = door.memory.taken();
    println!(
        "{requests} requests, {refused} refused, {taken} events taken in, {} KiB before, {} KiB after",
        before,
        memory_kib()
    );
    // What was taken in is kept in memory here, and is small.
    assert!(memory_kib() < before + 200_000, "{before} KiB became {} KiB", memory_kib());
    assert!(taken > 10 && refused > requests / 2, "{refused} of {requests}");
    let last = door.say("the-last", None, "pay").await;
    assert_eq!(last["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{last}");
}

//! Callers of the built program: who is let in, who sees what, who decides, and who is told.

mod running;

use running::receiver::Receiver;
use running::{EFFECTS, ORDER, Running, YES, message, until};
use serde_json::{Value, json};

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";

fn state(answer: &Value) -> &str {
    answer["result"]["task"]["status"]["state"].as_str().unwrap_or("none")
}

fn reason(answer: &Value) -> &str {
    answer["error"]["data"][0]["reason"].as_str().unwrap_or("none")
}

#[tokio::test]
async fn an_address_that_others_reach_is_not_served_without_tokens_unless_the_operator_says_so() {
    let mut running = Running::stopped("").await;
    let serve = ["serve", "--host", "0.0.0.0", "--port", "0", "--json"];
    let (code, _, talk) = running.purple(&serve);
    assert_eq!(code, 1, "{talk}");
    assert!(
        talk.contains("can be reached from other machines") && talk.contains("purple token create"),
        "{talk}"
    );

    let config = std::fs::read_to_string(running.folder.path().join("purple.toml")).unwrap();
    std::fs::write(
        running.folder.path().join("purple.toml"),
        format!("{config}\n[serve]\nauth = \"open\"\n"),
    )
    .unwrap();
    assert_eq!(running.begin(&["--host", "0.0.0.0"])["access"], "open");
    running.url = running.url.replace("0.0.0.0", "127.0.0.1");
    let card: Value = running
        .client
        .get(format!("{}/.well-known/agent-card.json", running.url))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert!(card["description"].as_str().unwrap().contains("This server is open"), "{card}");
    let answer = running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    assert_eq!(state(&answer), "TASK_STATE_INPUT_REQUIRED", "{answer}");
    let text = answer["result"]["task"]["status"]["message"]["parts"][0]["text"].as_str().unwrap();
    assert!(text.contains("the server is open"), "{text}");
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    let (_, trace, _) = running.purple(&["trace", "c", "--json"]);
    for kind in ["task.received", "approval.decided"] {
        let line = trace.lines().find(|line| line.contains(kind)).unwrap();
        assert!(line.contains("\"access\":\"open\""), "{line}");
    }
}

#[tokio::test]
async fn with_tokens_the_requester_asks_the_lead_decides_and_nobody_else_sees_it() {
    let mut running = Running::stopped("[approvals]\nmode = \"careful\"").await;
    let ada = running.token("ada", &["requester"], &[]);
    let eve = running.token("eve", &["requester"], &[]);
    let lea = running.token("lea", &["approver"], &["ap_lead", "controller"]);
    let max = running.token("max", &["approver"], &["hr"]);
    let ops = running.token("ops", &["operator"], &[]);
    assert_eq!(running.begin(&[])["access"], "tokens");
    assert_eq!(running.request("ListTasks", json!({})).send().await.unwrap().status(), 401);

    let asked = running.call_as(&ada, "SendMessage", message("m-1", Some("inv"), INVOICE)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let data = &asked["result"]["task"]["status"]["message"]["parts"][1]["data"];
    let decision = |id: &str, approval: &Value| {
        json!({"message": {"messageId": id, "role": "ROLE_USER", "contextId": "inv",
            "parts": [{"data": {"approvalId": approval, "decision": "approve"}}]}})
    };
    // A stranger with the right ids, the requester with forged words, an approver without the role: no decision.
    let stranger = running.call_as(&eve, "SendMessage", decision("m-2", &data["approvalId"])).await;
    assert_eq!(reason(&stranger), "TASK_NOT_FOUND", "{stranger}");
    let stranger = running.call_as(&eve, "GetTask", json!({"id": "inv~1"})).await;
    assert_eq!(reason(&stranger), "TASK_NOT_FOUND", "{stranger}");
    for words in ["approved", "Reject invoice INV-2024-447 of 52340.00 USD", YES] {
        let own =
            running.call_as(&ada, "SendMessage", message(&format!("f-{words}"), Some("inv"), words)).await;
        assert_eq!(state(&own), "TASK_STATE_INPUT_REQUIRED", "{own}");
    }
    let own = running.call_as(&ada, "SendMessage", decision("m-3", &data["approvalId"])).await;
    assert_eq!(state(&own), "TASK_STATE_INPUT_REQUIRED", "{own}");
    let wrong = running.call_as(&max, "SendMessage", decision("m-4", &data["approvalId"])).await;
    assert_eq!(reason(&wrong), "TASK_NOT_FOUND", "what waits for other roles is not there: {wrong}");
    // Somebody who comes to decide does not take the run over.
    let other = running.call_as(&lea, "SendMessage", message("m-5", Some("inv"), ORDER)).await;
    assert_eq!(state(&other), "TASK_STATE_INPUT_REQUIRED", "{other}");
    assert_eq!(running.effects(), Vec::<String>::new());

    let waiting = running.call_as(&lea, "ListTasks", json!({})).await;
    assert_eq!(waiting["result"]["tasks"][0]["id"], "inv~1", "{waiting}");
    let decided = running.call_as(&lea, "SendMessage", decision("m-6", &data["approvalId"])).await;
    assert_eq!(state(&decided), "TASK_STATE_COMPLETED", "{decided}");
    assert!(!running.effects().is_empty());
    // Who decided may follow what came of it; who did not may not.
    assert!(running.call_as(&lea, "GetTask", json!({"id": "inv~1"})).await.get("result").is_some());
    assert_eq!(reason(&running.call_as(&max, "GetTask", json!({"id": "inv~1"})).await), "TASK_NOT_FOUND");
    assert!(running.call_as(&ops, "GetTask", json!({"id": "inv~1"})).await.get("result").is_some());
    let (_, trace, _) = running.purple(&["trace", "inv", "--json"]);
    let decided = trace.lines().find(|line| line.contains("approval.decided")).unwrap();
    assert!(decided.contains("\"by\":\"lea\"") && decided.contains("\"channel\":\"a2a\""), "{decided}");
}

#[tokio::test]
async fn a_revoked_token_opens_nothing_at_once_and_its_secret_is_nowhere() {
    let mut running = Running::stopped("").await;
    let ada = running.token("ada", &["requester"], &[]);
    let bob = running.token("bob", &["requester", "operator"], &[]);
    running.begin(&[]);
    let listed = async |token: &str| {
        running.request("ListTasks", json!({})).bearer_auth(token).send().await.unwrap().status().as_u16()
    };
    assert_eq!((listed(&ada).await, listed(&bob).await), (200, 200));
    let (_, list, _) = running.purple(&["token", "list", "--json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let id =
        list["tokens"].as_array().unwrap().iter().find(|one| one["person"] == "ada").unwrap()["id"].clone();
    let revoke = ["token", "revoke", id.as_str().unwrap()];
    assert_eq!(running.purple(&revoke).0, 4, "there is an operator, and nobody logged in as one");
    let (code, out, talk) = running.purple_as(&bob, &revoke);
    assert_eq!(code, 0, "{talk}");
    assert!(out.contains("opens nothing"), "{out}");
    assert_eq!((listed(&ada).await, listed(&bob).await), (401, 200));
    assert_eq!(running.purple_as(&bob, &revoke).0, 1);
    assert_eq!(
        running.purple(&["token", "create", "--name", "x", "--role", "requester", "--group", "cfo"]).0,
        2
    );
    let secret = ada.rsplit('_').next().unwrap();
    for file in std::fs::read_dir(running::data(running.folder.path())).unwrap() {
        let bytes = std::fs::read(file.unwrap().path()).unwrap_or_default();
        assert!(!bytes.windows(secret.len()).any(|window| window == secret.as_bytes()));
    }
    assert!(!running.purple(&["token", "list"]).1.contains(secret));
}

#[tokio::test]
async fn a_server_that_has_had_a_token_is_never_open_again() {
    let mut running = Running::start("").await;
    let status = async |running: &Running| {
        running.request("ListTasks", json!({})).send().await.unwrap().status().as_u16()
    };
    assert_eq!(status(&running).await, 200);
    // Created beside the running server: the next request needs it, and the card says so.
    let ada = running.token("ada", &["requester"], &[]);
    assert_eq!(status(&running).await, 401);
    let card = format!("{}/.well-known/agent-card.json", running.url);
    let card: Value = running.client.get(card).send().await.unwrap().json().await.unwrap();
    assert!(card["securitySchemes"].get("bearer").is_some(), "{card}");
    assert!(running.call_as(&ada, "ListTasks", json!({})).await.get("result").is_some());
    // Nobody holds one that counts any more, and nothing opens by that.
    let id = ada.split('_').skip(1).take(2).collect::<Vec<_>>().join("_");
    let told = running.purple(&["token", "create", "--name", "x", "--role", "requester"]).2;
    assert!(told.contains("From now on") && !told.contains("next start"), "{told}");
    let (code, _, talk) = running.purple(&["token", "revoke", &id]);
    assert_eq!(code, 0, "{talk}");
    assert_eq!(status(&running).await, 401);
    running.kill();
    assert_eq!(running.begin(&[])["access"], "tokens");
    assert_eq!(status(&running).await, 401);
}

#[tokio::test]
async fn where_people_are_configured_every_caller_shows_a_token() {
    let ops = format!("[people.ops]\nroles = [\"operator\"]\naccount = \"{}\"\n", running::account());
    let running = Running::start(&format!("[people.lea]\nroles = [\"ap_lead\"]\n{ops}")).await;
    assert_eq!(running.request("ListTasks", json!({})).send().await.unwrap().status(), 401);
    let lea = running.token("lea", &["requester"], &[]);
    assert!(running.call_as(&lea, "ListTasks", json!({})).await.get("result").is_some());
}

#[tokio::test(flavor = "multi_thread")]
async fn who_is_the_first_of_two_learns_who_is_missing_and_the_second_decides_at_the_command_line() {
    let people = ["pia", "lea"].map(|name| format!("[people.{name}]\nroles = [\"ap_lead\"]\n")).concat();
    let account = running::account();
    let kim = format!("[people.kim]\nroles = [\"ap_lead\", \"operator\"]\naccount = \"{account}\"\n");
    let mut running = Running::stopped(&format!("{people}{kim}[processes]\ndirs = [\"own\"]")).await;
    let own = running.folder.path().join("own");
    std::fs::create_dir(&own).unwrap();
    let shipped = include_str!("../../../processes/invoice_reconciliation.yaml");
    let asks =
        shipped.replacen("outcome: reject, ask: ap_lead,", "outcome: reject, ask: ap_lead, people: 2,", 1);
    assert_ne!(asks, shipped);
    // Its own cases expect one person.
    let asks = asks.split("\ntests:").next().unwrap();
    std::fs::write(own.join("invoice_reconciliation.yaml"), asks).unwrap();
    running.begin(&[]);
    let (pia, lea) = (running.token("pia", &["requester"], &[]), running.token("lea", &["approver"], &[]));
    let asked = running.call_as(&pia, "SendMessage", message("m-1", Some("inv"), INVOICE)).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let approval = &asked["result"]["task"]["status"]["message"]["parts"][1]["data"]["approvalId"];
    let decision = json!({"message": {"messageId": "m-2", "role": "ROLE_USER", "contextId": "inv",
        "parts": [{"data": {"approvalId": approval, "decision": "approve"}}]}});
    let first = running.call_as(&lea, "SendMessage", decision).await;
    assert_eq!(state(&first), "TASK_STATE_INPUT_REQUIRED", "{first}");
    let told = first.to_string();
    assert!(told.contains("1 said yes") && told.contains("Missing: kim."), "{told}");
    assert!(told.contains("purple approve inv"), "{told}");
    assert_eq!(running.effects(), Vec::<String>::new());
    let (code, out, talk) = running.purple(&["approve", "inv", "--yes"]);
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(running.effects(), ["reject_invoice"]);
}

#[tokio::test]
async fn a_tool_server_that_is_not_allowed_is_refused_with_a_code_and_nothing_is_taken_in() {
    let running = Running::start("").await;
    let mut params = message("m-1", Some("c"), ORDER);
    params["metadata"] = json!({"tools_endpoint": "http://tools.evil.example:9009"});
    let answer = running.call("SendMessage", params.clone()).await;
    assert_eq!((&answer["error"]["code"], reason(&answer)), (&json!(-32602), "TOOLS_ENDPOINT_NOT_ALLOWED"));
    assert_eq!(reason(&running.call("GetTask", json!({"id": "c"})).await), "TASK_NOT_FOUND");
    // Where everybody is on this machine, tools on this machine may be named.
    params["metadata"] = json!({"tools_endpoint": "http://127.0.0.1:1/x"});
    assert!(running.call("SendMessage", params).await.get("result").is_some());
}

#[tokio::test]
async fn a_program_is_told_about_its_task_with_its_token_until_it_is_done() {
    let running = Running::start("").await;
    let receiver = Receiver::at("127.0.0.1:0".parse().unwrap(), 2).await;
    let mut params = message("m-1", Some("c"), ORDER);
    params["configuration"] = json!({"taskPushNotificationConfig": {
        "id": "mine", "url": receiver.url(), "token": "hello",
        "authentication": {"scheme": "Bearer", "credentials": "s3cret"},
    }});
    let asked = running.call("SendMessage", params).await;
    assert_eq!(state(&asked), "TASK_STATE_INPUT_REQUIRED", "{asked}");
    let kept =
        running.call("GetTaskPushNotificationConfig", json!({"taskId": "c~1", "id": "mine"})).await["result"]
            .clone();
    assert_eq!((&kept["url"], &kept["token"]), (&json!(receiver.url()), &json!("hello")));
    assert!(!kept.to_string().contains("s3cret"), "{kept}");
    let states = || {
        let told = receiver.told();
        told.iter()
            .map(|told| told.body["task"]["status"]["state"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    until("the question arrives", async || {
        states().contains(&"TASK_STATE_INPUT_REQUIRED".to_owned()).then_some(())
    })
    .await;
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    until("the end arrives", async || states().contains(&"TASK_STATE_COMPLETED".to_owned()).then_some(()))
        .await;
    for told in receiver.told() {
        assert_eq!(told.header("authorization"), "Bearer s3cret");
        assert_eq!(told.header("x-a2a-notification-token"), "hello");
        assert_eq!(told.header("content-type"), "application/a2a+json");
        assert_eq!(told.body["task"]["metadata"]["purple/seq"].to_string(), told.header("x-a2a-event-id"));
        assert_eq!(told.body["task"]["id"], "c~1");
    }
    let files = ["purple.db", "purple.db-wal"].map(|name| running::data(running.folder.path()).join(name));
    for bytes in files.iter().filter_map(|file| std::fs::read(file).ok()) {
        assert!(
            !bytes.windows(6).any(|part| part == b"s3cret"),
            "what opens another door is not in the database"
        );
    }
    // Further words make another task, about which nobody asked to be told.
    running.call("SendMessage", message("m-3", Some("c"), "What is 10 % of $250.00?")).await;
    let listed = running.call("ListTaskPushNotificationConfigs", json!({"taskId": "c~1"})).await;
    assert_eq!(listed["result"]["configs"].as_array().unwrap().len(), 1, "{listed}");
    let gone = running.call("DeleteTaskPushNotificationConfig", json!({"taskId": "c~1", "id": "mine"})).await;
    assert_eq!(gone["result"], json!({}), "{gone}");
    let listed = running.call("ListTaskPushNotificationConfigs", json!({"taskId": "c~1"})).await;
    assert_eq!(listed["result"]["configs"], json!([]));
    assert!(receiver.told().iter().all(|told| !told.body.to_string().contains("c~2")));
}

#[tokio::test]
async fn notifications_go_nowhere_inside_unless_the_operator_named_the_place() {
    let mut running = Running::stopped("[push]\nallow = [\"http://127.0.0.1:7\"]").await;
    let ada = running.token("ada", &["requester"], &[]);
    running.begin(&[]);
    running.call_as(&ada, "SendMessage", message("m-1", Some("c"), ORDER)).await;
    let set = async |url: &str| {
        let params = json!({"taskId": "c~1", "pushNotificationConfig": {"url": url}});
        running.call_as(&ada, "tasks/pushNotificationConfig/set", params).await
    };
    for inside in [
        "http://127.0.0.1:9/",
        "https://169.254.169.254/latest",
        "http://localhost/",
        "https://10.0.0.8/",
        "file:///etc/passwd",
    ] {
        assert_eq!(reason(&set(inside).await), "PUSH_URL_REFUSED", "{inside}");
    }
    let named = set("http://127.0.0.1:7/hook").await;
    assert_eq!(named["result"]["pushNotificationConfig"]["url"], "http://127.0.0.1:7/hook", "{named}");
    let got = running.call_as(&ada, "tasks/pushNotificationConfig/get", json!({"id": "c~1"})).await;
    assert_eq!(got["result"], named["result"]);
    let mut params = message("m-2", Some("d"), ORDER);
    params["configuration"] = json!({"taskPushNotificationConfig": {"url": "http://10.0.0.8/"}});
    assert_eq!(reason(&running.call_as(&ada, "SendMessage", params).await), "PUSH_URL_REFUSED");
    assert_eq!(reason(&running.call_as(&ada, "GetTask", json!({"id": "d"})).await), "TASK_NOT_FOUND");
}

#[tokio::test]
async fn a_collector_gets_the_traces_of_a_run_without_its_words() {
    let collector = Receiver::open().await;
    let config = format!("[telemetry]\notlp_endpoint = \"http://{}\"", collector.address);
    let running = Running::start(&config).await;
    running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    let trace = until("the trace arrives", async || {
        collector
            .told()
            .iter()
            .map(|told| told.body.to_string())
            .find(|body| body.contains("invoke_workflow"))
    })
    .await;
    for name in [
        "invoke_workflow order_management",
        "purple.state ASSESS",
        "execute_tool get_order",
        "purple.approval",
    ] {
        assert!(trace.contains(name), "{name} {trace}");
    }
    assert!(!trace.contains("Widget"), "{trace}");
}

/// Every span that a collector was told of.
fn spans_of(collector: &Receiver) -> Vec<Value> {
    let bodies = collector.told();
    let all = bodies.iter().filter_map(|told| told.body.pointer("/resourceSpans/0/scopeSpans/0/spans"));
    all.filter_map(Value::as_array).flatten().cloned().collect()
}

#[tokio::test]
async fn a_request_is_a_span_in_its_callers_trace_and_the_run_is_under_it() {
    let collector = Receiver::open().await;
    let config = format!("[telemetry]\notlp_endpoint = \"http://{}\"", collector.address);
    let running = Running::start(&config).await;
    let (trace, caller) = ("4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7");
    let request = running.request("SendMessage", message("m-1", Some("c"), ORDER));
    request.header("traceparent", format!("00-{trace}-{caller}-01")).send().await.unwrap();
    let odd = running.request("GetTask", json!({"id": "nobody"})).header("traceparent", "00-zz-1-01");
    odd.send().await.unwrap();
    let found = until("the spans arrive", async || {
        let spans = spans_of(&collector);
        let named = |name: &str| spans.iter().find(|span| span["name"] == name).cloned();
        Some((named("SendMessage")?, named("invoke_workflow order_management")?, named("GetTask")?))
    });
    let (send, run, get) = found.await;
    assert_eq!(
        (&send["traceId"], &send["parentSpanId"], &send["kind"]),
        (&json!(trace), &json!(caller), &json!(2))
    );
    assert_eq!(
        (&run["traceId"], &run["parentSpanId"], &run["kind"]),
        (&json!(trace), &send["spanId"], &json!(1))
    );
    for (name, value) in [
        ("a2a.method.name", "SendMessage"),
        ("a2a.message.id", "m-1"),
        ("a2a.task.id", "c~1"),
        ("a2a.task.state", "TASK_STATE_INPUT_REQUIRED"),
        ("gen_ai.conversation.id", "c"),
    ] {
        let attribute = json!({"key": name, "value": {"stringValue": value}});
        assert!(send["attributes"].as_array().unwrap().contains(&attribute), "{name} {send}");
    }
    assert_ne!(get["traceId"], json!(trace), "what is no traceparent is not taken up");
    assert_eq!((get.get("parentSpanId"), &get["status"]["code"]), (None, &json!(2)));
    assert!(get.to_string().contains("TASK_NOT_FOUND"), "{get}");
}

#[tokio::test]
async fn a_halted_server_lives_and_is_not_ready() {
    let running = Running::start("").await;
    let get = async |path: &str| {
        running.client.get(format!("{}{path}", running.url)).send().await.unwrap().status().as_u16()
    };
    assert_eq!((get("/livez").await, get("/readyz").await), (200, 200));
    assert_eq!(running.purple(&["halt"]).0, 0);
    assert_eq!((get("/livez").await, get("/readyz").await), (200, 503));
    assert_eq!(running.purple(&["resume"]).0, 0);
    assert_eq!(get("/readyz").await, 200);
}

#[tokio::test]
async fn figures_of_the_whole_server_are_there_after_a_task() {
    let running = Running::start("").await;
    running.call("SendMessage", message("m-1", Some("c"), ORDER)).await;
    let get = async |path: &str| {
        running.client.get(format!("{}{path}", running.url)).send().await.unwrap().text().await.unwrap()
    };
    let text = get("/metrics").await;
    assert!(text.contains("purple_approvals_pending{process=\"order_management\""), "{text}");
    running.call("SendMessage", message("m-2", Some("c"), YES)).await;
    let text = get("/metrics").await;
    for line in [
        "purple_runs_total{process=\"order_management\",outcome=\"done\"} 1",
        "purple_writes_total{tool=\"modify_order_items\",outcome=\"verified\"} 1",
        "purple_approval_decisions_total{decision=\"approve\",channel=\"a2a\"} 1",
        "purple_halted 0",
    ] {
        assert!(text.lines().any(|one| one == line), "{line}\n{text}");
    }
    let learned: Value = serde_json::from_str(&get("/rl/status").await).unwrap();
    assert_eq!(learned["cases"]["by_process"]["order_management"], 1, "{learned}");
    assert_eq!(running.effects(), EFFECTS);
}

#[tokio::test]
async fn a_remark_to_a_failed_task_is_not_told_as_completed() {
    let running = Running::start("").await;
    let failed =
        running.call("SendMessage", message("m-1", Some("c"), "Write a poem about our suppliers.")).await;
    assert_eq!(state(&failed), "TASK_STATE_FAILED", "{failed}");
    for (id, words) in [("m-2", "no, reject it"), ("m-3", "no"), ("m-4", "yes"), ("m-5", "Thanks!")] {
        let remark = running.call("SendMessage", message(id, Some("c"), words)).await;
        assert_eq!(state(&remark), "TASK_STATE_FAILED", "{words}: {remark}");
    }
    let task = running.call("GetTask", json!({"id": "c~1"})).await;
    assert_eq!(task["result"]["status"]["state"], "TASK_STATE_FAILED", "{task}");
}

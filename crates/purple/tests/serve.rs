//! The HTTP door over the whole house: real store, real worker, real tools, judged by the ledger of the demo business.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod house;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use house::{Door, House, person, settings};
use purple_server::{IdMaker, NoId, OpenDoor, PauseAs, Ports, Server, ServerConfig};
use purple_testkit::{WAIT_MAX, within};
use purple_worker::Called;
use purple_worker::port::SessionId;
use serde_json::{Value, json};

const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
const YES: &str = "Confirmed, proceed";
const EFFECTS: [&str; 2] = ["modify_order_items", "send_order_confirmation"];

#[derive(Default)]
struct Counted(AtomicU32);

impl IdMaker for Counted {
    fn fresh(&self) -> Result<SessionId, NoId> {
        let next = self.0.fetch_add(1, Ordering::Relaxed);
        SessionId::parse(&format!("run_{next}")).map_err(|_| NoId)
    }
}

/// A house with an open door.
struct Served {
    house: House,
    url: String,
    client: reqwest::Client,
    stop: Option<tokio::sync::oneshot::Sender<()>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Served {
    async fn open(pause_as: PauseAs) -> Self {
        let house = House::open(Door::Bridge, settings(), &[]).await;
        Self::over(house, pause_as).await
    }

    async fn over(house: House, pause_as: PauseAs) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut config = ServerConfig::at("127.0.0.1:0".parse().unwrap());
        config.pause_as = pause_as;
        let door = Arc::new(OpenDoor::on_loopback(person("alex")));
        let ids = Arc::new(Counted::default());
        let server = Server::bind(config, Ports::new(house.worker.handle(), door, ids)).await.unwrap();
        let url = format!("http://{}/", server.address());
        let (stop, stopped) = tokio::sync::oneshot::channel();
        let serving = tokio::spawn(async move {
            let shutdown = async {
                let _ = stopped.await;
            };
            server.run(shutdown).await;
        });
        let client = reqwest::Client::builder().timeout(WAIT_MAX).build().unwrap();
        Self { house, url, client, stop: Some(stop), serving }
    }

    async fn post(&self, body: &Value) -> Value {
        let response = self.client.post(&self.url).json(body).send().await.unwrap();
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    }

    async fn call(&self, method: &str, params: Value) -> Value {
        let answer = self.post(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).await;
        assert_eq!(answer["id"], 1, "{answer}");
        answer
    }

    /// Sends a request beside others, and reads the whole answer.
    fn at_once(&self, method: &str, params: Value) -> tokio::task::JoinHandle<String> {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let request = self.client.post(&self.url).json(&body);
        tokio::spawn(async move { request.send().await.unwrap().text().await.unwrap() })
    }

    /// A task when it works no more.
    async fn settled(&self, id: &str) -> Value {
        let still = async {
            loop {
                let got = self.call("GetTask", json!({"id": id})).await["result"].clone();
                if got["status"]["state"] != "TASK_STATE_WORKING" {
                    return got;
                }
                tokio::task::yield_now().await;
            }
        };
        within(&format!("task `{id}` to stand still"), still).await
    }

    async fn close(mut self) -> House {
        self.stop.take().unwrap().send(()).unwrap();
        within("the server to stop", self.serving).await.unwrap();
        self.house
    }
}

fn v03(message_id: &str, context: Option<&str>, text: &str) -> Value {
    let mut message = json!({
        "kind": "message", "messageId": message_id, "role": "user", "parts": [{"kind": "text", "text": text}],
    });
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    json!({"configuration": {"acceptedOutputModes": [], "blocking": true}, "message": message})
}

#[tokio::test]
async fn two_turns_over_message_send_change_the_order_once() {
    let served = Served::open(PauseAs::InputRequired).await;
    let answer = served.call("message/send", v03("m-1", None, ORDER)).await;
    let task = &answer["result"];
    assert_eq!(
        (&task["kind"], &task["status"]["state"]),
        (&json!("task"), &json!("input-required")),
        "{task}"
    );
    let parts = &task["status"]["message"]["parts"];
    assert!(parts[0]["text"].as_str().unwrap().contains("ORD-5592"), "{parts}");
    let data = &parts[1]["data"];
    for field in ["approvalId", "planHash", "operations", "expiresAt", "options"] {
        assert!(!data[field].is_null(), "{field} {data}");
    }
    assert_eq!(served.house.effects(), Vec::<String>::new());

    let context = task["contextId"].as_str().unwrap();
    let answer = served.call("message/send", v03("m-2", Some(context), YES)).await;
    let task = &answer["result"];
    assert_eq!(task["status"]["state"], "completed", "{task}");
    assert_eq!(
        task["artifacts"].as_array().unwrap().len(),
        1,
        "a reader of text gets the answer once: {task}"
    );
    assert_eq!(task["artifacts"][0]["parts"].as_array().unwrap().len(), 1);
    assert_eq!(task["metadata"]["purple/record"]["ending"], "done");
    assert_eq!(task["metadata"]["purple/record"]["mutations"][0]["tool"], "modify_order_items");
    assert_eq!(served.house.effects(), EFFECTS);

    // The client did not hear the answer and asks again, with both of its messages.
    let again = served.call("message/send", v03("m-2", Some(context), YES)).await;
    assert_eq!(again["result"], *task);
    let first = served.call("message/send", v03("m-1", None, ORDER)).await;
    assert_eq!(first["result"]["id"], task["id"]);
    let changed = served.call("message/send", v03("m-1", None, "Cancel order #ORD-5592")).await;
    assert_eq!(changed["error"]["code"], -32602, "{changed}");
    assert_eq!(served.house.effects(), EFFECTS);
}

#[tokio::test]
async fn two_turns_over_send_message_with_a_decision_as_data_change_the_order_once() {
    let served = Served::open(PauseAs::InputRequired).await;
    let message = json!({"messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": ORDER}]});
    let answer = served.call("SendMessage", json!({"message": message})).await;
    let task = answer["result"]["task"].clone();
    assert_eq!(task["status"]["state"], "TASK_STATE_INPUT_REQUIRED", "{answer}");
    let approval = &task["status"]["message"]["parts"][1]["data"]["approvalId"];
    let decision = json!({"approvalId": approval, "decision": "approve"});
    let message = json!({
        "messageId": "m-2", "role": 1, "task_id": task["id"], "parts": [{"data": decision}],
    });
    let answer = served.call("SendMessage", json!({"message": message})).await;
    let done = answer["result"]["task"].clone();
    assert_eq!(done["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    assert_eq!((&done["id"], &done["contextId"]), (&task["id"], &task["contextId"]));
    assert_eq!(done["artifacts"][1]["parts"][0]["data"]["ending"], "done", "{done}");
    assert_eq!(served.house.effects(), EFFECTS);

    let again = served.call("SendMessage", json!({"message": message})).await;
    assert_eq!(again["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{again}");
    assert_eq!(served.house.effects(), EFFECTS);
    let got = served.call("GetTask", json!({"id": task["id"]})).await;
    assert_eq!(got["result"]["artifacts"], done["artifacts"]);
}

#[tokio::test]
async fn two_turns_over_tasks_send_without_an_id_change_the_order_once() {
    let served = Served::open(PauseAs::InputRequired).await;
    let body = |text: &str| {
        json!({"jsonrpc": "2.0", "method": "tasks/send", "params": {
            "id": "s-77",
            "message": {"role": "user", "parts": [{"text": text}]},
            "metadata": {"policy_doc": "Be careful with orders.", "session_id": "s-77", "difficulty": "none"},
        }})
    };
    let answer = served.post(&body(ORDER)).await;
    assert_eq!(answer["id"], Value::Null);
    assert_eq!(answer["result"]["status"]["state"], "input-required", "{answer}");
    let text =
        |answer: &Value| answer["result"]["artifacts"][0]["parts"][0]["text"].as_str().unwrap().to_owned();
    assert!(text(&answer).contains("ORD-5592"));
    // A repetition of the task does not supersede the plan that waits.
    let again = served.post(&body(ORDER)).await;
    assert_eq!(again["result"], answer["result"]);
    let answer = served.post(&body(YES)).await;
    assert_eq!(answer["result"]["status"]["state"], "completed", "{answer}");
    assert_eq!((&answer["result"]["id"], &answer["result"]["sessionId"]), (&json!("s-77"), &json!("s-77")));
    assert_eq!(served.house.effects(), EFFECTS);
    let again = served.post(&body(YES)).await;
    assert_eq!(text(&again), text(&answer));
    let got = served.call("tasks/get", json!({"id": "s-77"})).await;
    assert_eq!(
        (&got["result"]["id"], &got["result"]["status"]["state"]),
        (&json!("s-77"), &json!("completed"))
    );
    assert_eq!(served.house.effects(), EFFECTS);
}

#[tokio::test]
async fn each_turn_of_an_offboarding_is_a_task_of_its_own_that_survives_a_restart() {
    let served = Served::open(PauseAs::InputRequired).await;
    let send = |id: &str, context: Option<&str>, text: &str| v03(id, context, text);
    let start = "Start offboarding for employee E-2291 (last day Friday)";
    let first = served.call("message/send", send("m-1", None, start)).await["result"].clone();
    assert_eq!(first["status"]["state"], "completed", "{first}");
    let context = first["contextId"].as_str().unwrap().to_owned();
    let revoke = "Now revoke system access and send exit survey";
    let second = served.call("message/send", send("m-2", Some(&context), revoke)).await["result"].clone();
    assert_eq!(second["status"]["state"], "completed", "{second}");
    assert_ne!(first["id"], second["id"]);
    let effects = served.house.effects();
    assert_eq!(effects.len(), 11);

    let mut house = served.close().await;
    house.restart(settings()).await;
    let served = Served::over(house, PauseAs::InputRequired).await;
    for task in [&first, &second] {
        let got = served.call("tasks/get", json!({"id": task["id"]})).await["result"].clone();
        assert_eq!(
            (&got["status"]["state"], &got["artifacts"][0]),
            (&json!("completed"), &task["artifacts"][0])
        );
    }
    let again = served.call("message/send", send("m-1", None, start)).await["result"].clone();
    assert_eq!(again["id"], first["id"]);
    assert_eq!(served.house.effects(), effects);
}

#[tokio::test]
async fn a_stream_ends_at_the_gate_and_a_reader_who_comes_back_misses_nothing() {
    let served = Served::open(PauseAs::InputRequired).await;
    let message = |id: &str, text: &str| json!({"messageId": id, "role": "ROLE_USER", "contextId": "c-1", "parts": [{"text": text}]});
    let request = |method: &str, params: Value| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        served.client.post(&served.url).json(&body)
    };
    let text = async |request: reqwest::RequestBuilder| request.send().await.unwrap().text().await.unwrap();
    let told = text(request("SendStreamingMessage", json!({"message": message("m-1", ORDER)}))).await;
    let last = told.split("\n\n").filter(|block| block.contains("data:")).last().unwrap();
    assert!(last.contains("TASK_STATE_INPUT_REQUIRED") && last.contains("approvalId"), "{last}");
    let seen = last.lines().find_map(|line| line.strip_prefix("id:")).unwrap().trim().to_owned();

    // Nobody follows while the order is changed; what was missed is told afterwards.
    served.call("SendMessage", json!({"message": message("m-2", YES)})).await;
    let missed = text(request("SubscribeToTask", json!({"id": "c-1~1"})).header("last-event-id", seen)).await;
    assert!(missed.contains("MUTATE") && missed.contains("TASK_STATE_COMPLETED"), "{missed}");
    assert_eq!(served.house.effects(), EFFECTS);
}

#[tokio::test]
async fn a_task_at_the_gate_is_canceled_and_nothing_is_written() {
    let served = Served::open(PauseAs::InputRequired).await;
    let task = served.call("message/send", v03("m-1", None, ORDER)).await["result"].clone();
    let answer = served.call("tasks/cancel", json!({"id": task["id"]})).await;
    assert_eq!(answer["result"]["status"]["state"], "canceled", "{answer}");
    let late = served.call("message/send", v03("m-2", Some(task["contextId"].as_str().unwrap()), YES)).await;
    assert!(late.get("result").is_some(), "{late}");
    assert_eq!(served.house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn a_decision_in_words_that_is_unclear_is_asked_again_and_a_no_declines() {
    let served = Served::open(PauseAs::InputRequired).await;
    let first = served.call("message/send", v03("m-1", None, ORDER)).await["result"].clone();
    let context = first["contextId"].as_str().unwrap();
    let unclear =
        served.call("message/send", v03("m-2", Some(context), "Confirmed, but 3x")).await["result"].clone();
    assert_eq!(
        (&unclear["id"], &unclear["status"]["state"]),
        (&first["id"], &json!("input-required")),
        "{unclear}"
    );
    let strange = json!({"approvalId": "apr_none", "decision": "approve"});
    let mut params = v03("m-3", Some(context), "");
    params["message"]["parts"] = json!([{"kind": "data", "data": strange}]);
    assert_eq!(served.call("message/send", params).await["error"]["code"], -32602);
    let no = served.call("message/send", v03("m-4", Some(context), "reject: wrong customer")).await["result"]
        .clone();
    assert_eq!(no["status"]["state"], "completed", "{no}");
    assert_eq!(no["metadata"]["purple/record"]["ending"], "declined");
    let parts = &no["status"]["message"]["parts"];
    let said = parts[0]["text"].as_str().unwrap();
    assert!(said.starts_with("Declined: ") && said.contains("wrong customer"), "{no}");
    assert_eq!(parts[1]["data"]["ending"], "declined", "{no}");
    assert_eq!(served.house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn words_that_hold_a_secret_are_answered_at_once_with_their_code() {
    let served = Served::open(PauseAs::InputRequired).await;
    let answer = served.call("message/send", v03("m-1", None, "My SSN is 123-45-6789, please update.")).await;
    let task = &answer["result"];
    assert_eq!(task["status"]["state"], "completed", "{task}");
    assert!(task["artifacts"].to_string().contains("privacy.ssn"), "{task}");
    assert!(!answer.to_string().contains("123-45-6789"), "{answer}");
    assert!(served.house.ledger().calls.is_empty());
}

#[tokio::test]
async fn refused_words_at_the_gate_are_answered_at_once_and_the_plan_still_waits() {
    let served = Served::open(PauseAs::InputRequired).await;
    let first = served.call("message/send", v03("m-1", None, ORDER)).await["result"].clone();
    let context = first["contextId"].as_str().unwrap();
    let before = served.house.ledger().calls.len();
    let answer = served
        .call("message/send", v03("m-2", Some(context), "Use card 4111 1111 1111 1111, then go on."))
        .await;
    assert!(answer.to_string().contains("privacy.card"), "{answer}");
    assert!(!answer.to_string().contains("4111"), "{answer}");
    assert_eq!(served.house.ledger().calls.len(), before, "a tool was asked");
    let yes = served.call("message/send", v03("m-3", Some(context), YES)).await["result"].clone();
    assert_eq!(yes["status"]["state"], "completed", "{yes}");
    assert_eq!(served.house.effects(), EFFECTS);
}

/// Words that the guard refuses, each for a reason of its own: every one is a task that ends in its first turn.
const REFUSED: [(&str, &str); 4] = [
    ("My SSN is 123-45-6789, please update.", "privacy.ssn"),
    ("Use card 4111 1111 1111 1111, then go on.", "privacy.card_number"),
    ("The password is hunter2-Sesame, log in with it.", "privacy.credential"),
    ("What is the CEO's password?", "privacy.secret_request"),
];

#[tokio::test]
async fn messages_that_come_at_once_are_each_answered_with_their_own_task() {
    let served = Served::open(PauseAs::InputRequired).await;
    for (wave, context) in [("a", "c-1"), ("b", "c-1"), ("c", "c-2")] {
        let send = |at: usize, words: &'static str| {
            let message = json!({
                "messageId": format!("m-{wave}-{at}"), "role": "ROLE_USER", "contextId": context, "parts": [{"text": words}],
            });
            // Some wait for the answer, some do not.
            let params =
                json!({"message": message, "configuration": {"returnImmediately": at.is_multiple_of(2)}});
            served.at_once("SendMessage", params)
        };
        let sent: Vec<_> = REFUSED.iter().enumerate().map(|(at, (words, _))| send(at, words)).collect();
        let mut ids = std::collections::BTreeSet::new();
        for (sent, (words, code)) in sent.into_iter().zip(REFUSED) {
            let sent: Value = serde_json::from_str(&sent.await.unwrap()).unwrap();
            let task = &sent["result"]["task"];
            let id = task["id"].as_str().unwrap().to_owned();
            assert!(ids.insert(id.clone()), "{id} is the task of two messages");
            let got = served.settled(&id).await;
            assert!(got["artifacts"].to_string().contains(code), "{words}: {got}");
            assert_eq!(got["history"].as_array().unwrap().len(), 1, "{got}");
            if task["status"]["state"] == "TASK_STATE_COMPLETED" {
                assert_eq!(task["artifacts"], got["artifacts"]);
            }
        }
        let list = served.call("ListTasks", json!({"contextId": context})).await;
        let listed = list["result"]["tasks"].as_array().unwrap();
        let listed: std::collections::BTreeSet<String> =
            listed.iter().map(|task| task["id"].as_str().unwrap().to_owned()).collect();
        assert!(ids.is_subset(&listed), "{ids:?} {listed:?}");
    }
}

#[tokio::test]
async fn a_stream_follows_the_message_that_it_was_asked_for_whatever_comes_before_it() {
    let served = Served::open(PauseAs::InputRequired).await;
    let stream = |at: usize, words: &str| {
        let message = json!({"messageId": format!("m-{at}"), "role": "ROLE_USER", "contextId": "c", "parts": [{"text": words}]});
        served.at_once("SendStreamingMessage", json!({"message": message}))
    };
    let told: Vec<_> = REFUSED.iter().enumerate().map(|(at, (words, _))| stream(at, words)).collect();
    for (told, (words, code)) in told.into_iter().zip(REFUSED) {
        let told = told.await.unwrap();
        assert!(told.contains(code), "{words}: {told}");
        assert_eq!(told.matches("\"privacy.").count(), 1, "{words}: {told}");
        assert!(!told.contains("TASK_STATE_CANCELED"), "{words}: {told}");
    }
}

#[tokio::test]
async fn a_remark_after_the_end_is_told_to_who_spoke_and_does_not_take_the_place_of_the_answer() {
    let served = Served::open(PauseAs::InputRequired).await;
    let first = served
        .call(
            "message/send",
            v03("m-1", Some("c"), "Start offboarding for employee E-2291 (last day Friday)"),
        )
        .await;
    let first = first["result"].clone();
    assert_eq!(first["status"]["state"], "completed", "{first}");
    let thanks = served.call("message/send", v03("m-2", Some("c"), "Thanks!")).await["result"].clone();
    assert_eq!(thanks["status"]["state"], "completed", "{thanks}");
    assert_ne!((&thanks["id"], &thanks["artifacts"]), (&first["id"], &first["artifacts"]));
    for (task, said) in [(&first, "Start offboarding"), (&thanks, "Thanks!")] {
        let got = served.call("tasks/get", json!({"id": task["id"]})).await["result"].clone();
        assert_eq!(got["artifacts"][0]["parts"], task["artifacts"][0]["parts"], "{got}");
        assert_eq!(got["history"].as_array().unwrap().len(), 1, "{got}");
        assert!(got["history"][0]["parts"][0]["text"].as_str().unwrap().starts_with(said), "{got}");
    }
}

#[tokio::test]
async fn a_decision_under_a_used_name_is_the_same_one_or_refused_and_stands_in_the_history() {
    let served = Served::open(PauseAs::InputRequired).await;
    let asked = served
        .call(
            "SendMessage",
            json!({"message": {
        "messageId": "m-1", "role": "ROLE_USER", "parts": [{"text": ORDER}]}}),
        )
        .await["result"]["task"]
        .clone();
    let approval = &asked["status"]["message"]["parts"][1]["data"]["approvalId"];
    let decide = |id: &str, decision: Value| {
        let message = json!({"messageId": id, "role": "ROLE_USER", "taskId": asked["id"], "parts": [{"data": decision}]});
        served.call("SendMessage", json!({"message": message}))
    };
    let no = json!({"approvalId": approval, "decision": "reject", "reason": "wrong customer"});
    let yes = json!({"approvalId": approval, "decision": "approve"});
    let used = |answer: &Value| answer["error"]["data"][0]["reason"] == "MESSAGE_ID_USED";
    // The name of the task is no name for a decision.
    let answer = decide("m-1", yes.clone()).await;
    assert!(used(&answer), "{answer}");
    let done = decide("m-2", no.clone()).await["result"]["task"].clone();
    assert_eq!(done["artifacts"][1]["parts"][0]["data"]["ending"], "declined", "{done}");
    let again = decide("m-2", no.clone()).await["result"]["task"].clone();
    assert_eq!((&again["id"], &again["artifacts"]), (&done["id"], &done["artifacts"]));
    for changed in [yes, json!({"approvalId": approval, "decision": "reject", "reason": "another"})] {
        let answer = decide("m-2", changed).await;
        assert!(used(&answer), "{answer}");
    }
    // Under another name the same decision is the one that was made, and another decision is refused.
    let same = decide("m-3", no.clone()).await["result"]["task"].clone();
    assert_eq!((&same["id"], &same["artifacts"]), (&done["id"], &done["artifacts"]));
    let other = decide("m-4", json!({"approvalId": approval, "decision": "approve"})).await;
    assert!(other["error"]["message"].as_str().unwrap().contains("is not open"), "{other}");
    let words = json!({"messageId": "m-2", "role": "ROLE_USER", "contextId": asked["contextId"], "parts": [{"text": YES}]});
    let answer = served.call("SendMessage", json!({"message": words})).await;
    assert!(used(&answer), "{answer}");
    let got = served.call("GetTask", json!({"id": asked["id"]})).await["result"].clone();
    let said: Vec<&str> =
        got["history"].as_array().unwrap().iter().map(|one| one["messageId"].as_str().unwrap()).collect();
    assert_eq!(said, ["m-1", "m-2"], "{got}");
    assert_eq!(got["history"][1]["parts"][0]["data"], no);
    assert_eq!(served.house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn words_that_decided_are_known_by_their_name_after_the_end() {
    let served = Served::open(PauseAs::InputRequired).await;
    let asked = served.call("message/send", v03("m-1", None, ORDER)).await["result"].clone();
    let say = |id: &str, text: &str| {
        let mut params = v03(id, None, text);
        params["message"]["taskId"] = asked["id"].clone();
        served.call("message/send", params)
    };
    let done = say("m-2", YES).await["result"].clone();
    assert_eq!(done["status"]["state"], "completed", "{done}");
    assert_eq!(say("m-2", YES).await["result"]["artifacts"], done["artifacts"]);
    let changed = say("m-2", "reject: too late").await;
    assert_eq!(changed["error"]["data"][0]["reason"], "MESSAGE_ID_USED", "{changed}");
    // The same words under another name are further words to a task that is over.
    assert_eq!(say("m-3", YES).await["error"]["code"], -32004);
    assert_eq!(served.house.effects(), EFFECTS);
}

#[tokio::test]
async fn calling_a_task_off_that_is_over_by_then_leaves_the_next_one_alone() {
    let served = Served::open(PauseAs::InputRequired).await;
    let (words, _) = REFUSED[0];
    served.call("message/send", v03("m-1", Some("c"), words)).await;
    let asked = served.call("message/send", v03("m-2", Some("c"), ORDER)).await["result"].clone();
    assert_eq!(asked["status"]["state"], "input-required", "{asked}");
    let (run, alex) = (SessionId::parse("c").unwrap(), person("alex"));
    // It was asked for while the first round was open, and is heard now.
    let receipt = served.house.worker.cancel_round(&run, 1, alex).await.unwrap();
    let after = within("the cancellation", served.house.worker.done(&receipt)).await.unwrap();
    assert_eq!(after.summary.approval.map(|open| open.id), asked_for(&asked));
    let called_off = served.call("tasks/cancel", json!({"id": asked["id"]})).await["result"].clone();
    assert_eq!(called_off["status"]["state"], "canceled", "{called_off}");
    assert_eq!(served.house.effects(), Vec::<String>::new());
}

#[tokio::test]
async fn calling_the_task_of_a_message_off_leaves_every_other_one_alone() {
    let served = Served::open(PauseAs::InputRequired).await;
    let (words, _) = REFUSED[0];
    served.call("message/send", v03("m-1", Some("c"), words)).await;
    let asked = served.call("message/send", v03("m-2", Some("c"), ORDER)).await["result"].clone();
    let (run, called) =
        (SessionId::parse("c").unwrap(), |id: &str| Called { by: "alex".to_owned(), id: id.to_owned() });
    // Both were asked for while their messages waited for their turn, and are heard now.
    for (id, goes_on) in [("m-1", true), ("never", true), ("m-2", false)] {
        let receipt = served.house.worker.cancel_message(&run, called(id), person("alex")).await.unwrap();
        let after = within("the cancellation", served.house.worker.done(&receipt)).await.unwrap();
        assert_eq!(after.summary.approval.map(|open| open.id), asked_for(&asked).filter(|_| goes_on), "{id}");
    }
    assert_eq!(served.house.effects(), Vec::<String>::new());
}

fn asked_for(asked: &Value) -> Option<String> {
    asked["status"]["message"]["parts"][1]["data"]["approvalId"].as_str().map(str::to_owned)
}

/// The same words in every dialect, in this context.
async fn said(served: &Served, dialect: &str, context: &str, text: &str) -> (String, String) {
    let id = format!("{context}-{}", text.len());
    let task = match dialect {
        "1.0" => {
            let message = json!({"messageId": id, "role": "ROLE_USER", "contextId": context, "parts": [{"text": text}]});
            served.call("SendMessage", json!({"message": message})).await["result"]["task"].clone()
        }
        "0.3" => served.call("message/send", v03(&id, Some(context), text)).await["result"].clone(),
        _ => {
            let message = json!({"role": "user", "parts": [{"text": text}]});
            served.call("tasks/send", json!({"id": context, "message": message})).await["result"].clone()
        }
    };
    let state = task["status"]["state"].as_str().unwrap().to_lowercase().replace('_', "-");
    let shown = &task["artifacts"][0]["parts"][0]["text"];
    let shown = shown.as_str().or_else(|| task["status"]["message"]["parts"][0]["text"].as_str());
    (state.trim_start_matches("task-state-").to_owned(), shown.unwrap_or_default().to_owned())
}

const DIALECTS: [&str; 3] = ["1.0", "0.3", "tasks/send"];

#[tokio::test]
async fn a_context_takes_another_task_after_one_that_failed_in_every_dialect() {
    for dialect in DIALECTS {
        let served = Served::open(PauseAs::InputRequired).await;
        for (context, first) in
            [("fails", "qwertz"), ("talks", "Thanks!"), ("unclear", "Approve INV-2024-448 zorgly.")]
        {
            said(&served, dialect, context, first).await;
            let (state, shown) =
                said(&served, dialect, context, "Should we approve invoice INV-2024-448?").await;
            match context {
                "unclear" => assert_eq!(state, "input-required", "{dialect}: {shown}"),
                _ => assert_eq!(
                    (state.as_str(), shown.contains("AP-4 would approve it")),
                    ("completed", true),
                    "{dialect}: {shown}"
                ),
            }
        }
        let (state, _) = said(&served, dialect, "fails", "Approve invoice INV-2024-448.").await;
        assert_eq!((state.as_str(), served.house.effects().len()), ("completed", 1), "{dialect}");
        served.close().await.stop().await;
    }
}

#[tokio::test]
async fn several_tasks_of_one_message_are_answered_with_the_result_of_each() {
    for dialect in DIALECTS {
        let served = Served::open(PauseAs::InputRequired).await;
        let text = "Approve invoice INV-2024-448 and also offboard employee E-1020.";
        let (state, shown) = said(&served, dialect, "both", text).await;
        assert_eq!(state, "completed", "{dialect}: {shown}");
        assert!(shown.contains("1. Approve invoice INV-2024-448 of 25,500.00 USD"), "{dialect}: {shown}");
        assert!(shown.contains("Context both-1-2 waits for an answer"), "{dialect}: {shown}");
        assert_eq!(served.house.effects(), ["approve_invoice"]);
        let (state, shown) = said(&served, dialect, "both-1-2", "2026-03-20").await;
        assert_eq!(state, "completed", "{dialect}: {shown}");
        assert!(served.house.effects().len() > 1, "{dialect}: {shown}");
        served.close().await.stop().await;
    }
}

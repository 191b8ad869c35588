//! Requests and answers of each dialect as they are on the wire, and what they mean.

use serde_json::{Map, Value, json};

use super::*;
use crate::a2a::model::{
    Accepts, Answer, Artifact, Decision, Extras, HistoryLength, Message, Part, Role, Send, TaskState,
    TaskStatus, Wait,
};

fn read_value(request: &Value) -> Result<Envelope, Unread> {
    read(request.to_string().as_bytes())
}

fn sent(method: &str, params: Value) -> Send {
    let request = json!({"jsonrpc": "2.0", "id": "1", "method": method, "params": params});
    match read_value(&request).unwrap().operation {
        Operation::Send(send) | Operation::Stream(send) => send,
        other => panic!("{other:?}"),
    }
}

fn code(request: &Value) -> i32 {
    read_value(request).unwrap_err().fault.code()
}

fn params_code(method: &str, params: Value) -> i32 {
    code(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}

#[test]
fn a_message_of_0_3_is_read_as_its_clients_send_it() {
    let params = json!({
        "configuration": {"acceptedOutputModes": [], "blocking": true},
        "message": {"kind": "message", "messageId": "a1", "parts": [{"kind": "text", "text": "do it"}], "role": "user"},
    });
    let expected = Send {
        message_id: Some("a1".to_owned()),
        context: None,
        task: None,
        words: "do it".to_owned(),
        decision: None,
        extras: Extras::default(),
        wait: Wait::ForTheAnswer,
        accepts: Accepts::TextOnly,
        history: HistoryLength::All,
        push: None,
    };
    assert_eq!(sent("message/send", params), expected);
}

#[test]
fn a_message_of_1_0_is_read_with_either_spelling_and_null_is_absent() {
    let camel = json!({
        "message": {
            "messageId": "a1", "contextId": "c", "taskId": "c~1", "role": "ROLE_USER",
            "parts": [{"text": "do"}, {"text": "it"}], "extensions": null, "unheardOf": 1,
        },
        "configuration": {"acceptedOutputModes": ["text/plain", "application/json"], "returnImmediately": true, "historyLength": 0},
    });
    let snake = json!({
        "message": {
            "message_id": "a1", "context_id": "c", "task_id": "c~1", "role": 1,
            "parts": [{"text": "do", "data": null}, {"text": "it"}],
        },
        "configuration": {"accepted_output_modes": ["application/json"], "return_immediately": true, "history_length": 0},
        "metadata": null,
    });
    let expected = Send {
        message_id: Some("a1".to_owned()),
        context: Some("c".to_owned()),
        task: Some("c~1".to_owned()),
        words: "do\nit".to_owned(),
        decision: None,
        extras: Extras::default(),
        wait: Wait::No,
        accepts: Accepts::Data,
        history: HistoryLength::Last(0),
        push: None,
    };
    assert_eq!(sent("SendMessage", camel), expected);
    assert_eq!(sent("SendStreamingMessage", snake), expected);
}

#[test]
fn a_bare_tasks_send_is_read_with_its_rules_and_its_tools() {
    let request = json!({"jsonrpc": "2.0", "method": "tasks/send", "params": {
        "id": "s 1",
        "message": {"role": "user", "parts": [{"text": "do it"}]},
        "metadata": {
            "policy_doc": "{\"rules\": [], \"context\": {\"limit\": 0.10}}", "tools_endpoint": "http://host:9009",
            "session_id": "s 1", "difficulty": "none",
        },
    }});
    let envelope = read_value(&request).unwrap();
    assert_eq!((&envelope.id, envelope.dialect), (&Value::Null, Dialect::V01));
    let Operation::Send(send) = envelope.operation else { panic!("it is a message") };
    assert_eq!((send.message_id, send.context.as_deref()), (None, Some("s 1")));
    assert_eq!((send.words.as_str(), send.wait), ("do it", Wait::ForTheAnswer));
    assert_eq!(send.extras.tools_endpoint.as_deref(), Some("http://host:9009?session_id=s%201"));
    // Digits are kept as they were written.
    assert_eq!(send.extras.policy.unwrap().to_string(), r#"{"context":{"limit":0.10},"rules":[]}"#);
}

#[test]
fn rules_in_metadata_are_json_or_prose_and_broken_json_is_refused() {
    let policy = |doc: Value| {
        let message = json!({"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": "x"}], "metadata": {"policy_doc": doc}});
        read_value(
            &json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}}),
        )
    };
    let read = |doc: Value| match policy(doc).unwrap().operation {
        Operation::Send(send) => send.extras.policy,
        other => panic!("{other:?}"),
    };
    assert_eq!(read(json!("Never pay twice.")), Some(json!("Never pay twice.")));
    assert_eq!(read(json!([])), Some(json!({"rules": []})));
    let gift = json!({"id": "r", "type": "deny", "keywords": ["gift"]});
    assert_eq!(read(json!(json!([gift]).to_string())), Some(json!({"rules": [gift]})));
    assert_eq!(read(json!({"rules": []})), Some(json!({"rules": []})));
    assert_eq!(read(json!("  ")), None);
    assert_eq!(policy(json!("{\"rules\": [")).unwrap_err().fault.code(), -32602);
    for wrong in [json!(7), json!([{"id": 1}]), json!({"rules": {}}), json!("[{\"id\": 1}]")] {
        let fault = policy(wrong.clone()).unwrap_err().fault;
        assert_eq!(fault.code(), -32602, "{wrong}");
        assert!(!fault.to_string().contains('\n'), "{fault}");
    }
}

#[test]
fn a_data_part_that_names_an_approval_is_a_decision() {
    let send = |data: Value| {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]});
        sent("SendMessage", json!({"message": message}))
    };
    let decision = |answer| Some(Decision { approval: "apr_1".to_owned(), plan: None, answer });
    let yes = send(json!({"approvalId": "apr_1", "decision": "approve"}));
    assert_eq!((yes.decision, yes.words.as_str()), (decision(Answer::Approve), ""));
    let some = send(json!({"approvalId": "apr_1", "option": "approve", "operations": ["pay"]}));
    assert_eq!(some.decision, decision(Answer::ApproveSome(vec!["pay".to_owned()])));
    let no = send(json!({"approvalId": "apr_1", "decision": "reject", "reason": "wrong vendor"}));
    assert_eq!(no.decision, decision(Answer::Reject { reason: "wrong vendor".to_owned() }));
    let other = send(serde_json::from_str(r#"{"amount":0.10}"#).unwrap());
    assert_eq!((other.decision, other.words.as_str()), (None, r#"{"amount":0.10}"#));
    let bad = |data: Value| {
        let message = json!({"messageId": "m", "role": "ROLE_USER", "parts": [{"data": data}]});
        params_code("SendMessage", json!({"message": message}))
    };
    assert_eq!(bad(json!({"approvalId": "apr_1", "decision": "maybe"})), -32602);
    assert_eq!(bad(json!({"approvalId": "apr_1"})), -32602);
    assert_eq!(bad(json!({"approvalId": "apr_1", "decision": "approve", "operations": []})), -32602);
    assert_eq!(bad(json!({"approvalId": 1, "decision": "approve"})), -32602);
}

#[test]
fn what_is_no_request_gets_the_code_that_says_so() {
    assert_eq!(read(b"{\"jsonrpc\": ").unwrap_err().fault.code(), -32700);
    assert_eq!(read(&[0xff, 0xfe]).unwrap_err().fault.code(), -32700);
    assert_eq!(read("[".repeat(100_000).as_bytes()).unwrap_err().fault.code(), -32700);
    assert_eq!(code(&json!([])), -32600);
    assert_eq!(code(&json!({"jsonrpc": "1.0", "id": 1, "method": "GetTask"})), -32600);
    assert_eq!(code(&json!({"jsonrpc": "2.0", "id": 1})), -32600);
    assert_eq!(code(&json!({"jsonrpc": "2.0", "id": {}, "method": "GetTask"})), -32600);
    assert_eq!(code(&json!({"jsonrpc": "2.0", "id": 1, "method": "tasks/eat", "params": {}})), -32601);
    let unread = read_value(&json!({"jsonrpc": "2.0", "id": 12345678901234567890123_u128, "method": "x"}));
    assert_eq!(unread.unwrap_err().id.to_string(), "12345678901234567890123");
}

#[test]
fn bad_parameters_are_told_with_their_place() {
    let message = |message: Value| params_code("message/send", json!({"message": message}));
    let part = json!([{"kind": "text", "text": "x"}]);
    assert_eq!(params_code("message/send", json!([])), -32602);
    assert_eq!(params_code("message/send", json!({})), -32602);
    assert_eq!(message(json!({"role": "user", "parts": part})), -32602);
    assert_eq!(message(json!({"messageId": "m", "parts": part})), -32602);
    assert_eq!(message(json!({"messageId": "m", "role": "agent", "parts": part})), -32602);
    assert_eq!(message(json!({"messageId": "m", "role": "user"})), -32602);
    assert_eq!(message(json!({"messageId": "m", "role": "user", "parts": []})), -32602);
    assert_eq!(message(json!({"messageId": "m", "role": "user", "parts": [{"kind": "smell"}]})), -32602);
    assert_eq!(message(json!({"messageId": "m".repeat(201), "role": "user", "parts": part})), -32602);
    let file = json!([{"kind": "file", "file": {"mimeType": "image/png", "bytes": ""}}]);
    assert_eq!(message(json!({"messageId": "m", "role": "user", "parts": file})), -32005);
    assert_eq!(
        params_code(
            "SendMessage",
            json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"url": "http://x"}]}})
        ),
        -32005
    );
    assert_eq!(params_code("ListTasks", json!({"pageSize": 0})), -32602);
    assert_eq!(params_code("ListTasks", json!({"status": "TASK_STATE_LOST"})), -32602);
    let unread = read_value(&json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {
        "message": {"messageId": "m", "role": "user", "parts": [{"kind": "text", "text": 7}]},
    }}));
    assert_eq!(unread.unwrap_err().fault.to_string(), "`params.message.parts[0].text` must be a text");
}

fn task(state: TaskState) -> Task {
    let said = |id: &str, role, text: &str| Message {
        id: id.to_owned(),
        role,
        parts: vec![Part::Text(text.to_owned())],
    };
    let at = "2026-03-04T09:00:00.12Z".parse().unwrap();
    let mut task = Task {
        id: "c~1".to_owned(),
        context: "c".to_owned(),
        status: TaskStatus { state, at, message: None },
        artifacts: Vec::new(),
        history: vec![said("c-2", Role::User, "do it")],
        metadata: Map::new(),
    };
    if state == TaskState::Completed {
        let parts = vec![Part::Text("done".to_owned())];
        task.artifacts = vec![
            Artifact { id: "answer", name: "answer", parts },
            Artifact { id: "record", name: "record", parts: vec![Part::Data(json!({"n": 1}))] },
        ];
    } else {
        task.status.message = Some(said("c~1-9", Role::Agent, "may I?"));
    }
    task
}

#[test]
fn a_task_is_written_as_each_dialect_has_it() {
    let done = Reply::Sent(task(TaskState::Completed));
    let v1 = json!({"jsonrpc": "2.0", "id": 1, "result": {"task": {
        "id": "c~1",
        "contextId": "c",
        "status": {"state": "TASK_STATE_COMPLETED", "timestamp": "2026-03-04T09:00:00.120Z"},
        "artifacts": [
            {"artifactId": "answer", "name": "answer", "parts": [{"text": "done"}]},
            {"artifactId": "record", "name": "record", "parts": [{"data": {"n": 1}, "mediaType": "application/json"}]},
        ],
        "history": [{"messageId": "c-2", "role": "ROLE_USER", "parts": [{"text": "do it"}], "taskId": "c~1", "contextId": "c"}],
    }}});
    assert_eq!(done.to_rpc(&json!(1), Dialect::V1), v1);
    let v03 = json!({
        "kind": "task",
        "id": "c~1",
        "contextId": "c",
        "status": {"state": "completed", "timestamp": "2026-03-04T09:00:00.120Z"},
        "artifacts": [
            {"artifactId": "answer", "name": "answer", "parts": [{"kind": "text", "text": "done"}]},
            {"artifactId": "record", "name": "record", "parts": [{"kind": "data", "data": {"n": 1}}]},
        ],
        "history": [{
            "kind": "message", "messageId": "c-2", "role": "user", "parts": [{"kind": "text", "text": "do it"}],
            "taskId": "c~1", "contextId": "c",
        }],
    });
    assert_eq!(done.to_rpc(&json!(1), Dialect::V03)["result"], v03);
    let v01 = json!({
        "id": "c",
        "sessionId": "c",
        "status": {"state": "completed", "timestamp": "2026-03-04T09:00:00.120Z"},
        "artifacts": [
            {"name": "answer", "index": 0, "parts": [{"type": "text", "text": "done"}]},
            {"name": "record", "index": 1, "parts": [{"type": "data", "data": {"n": 1}}]},
        ],
    });
    assert_eq!(done.to_rpc(&json!(1), Dialect::V01)["result"], v01);
    // Readers of 0.1 look at artifacts only.
    let asked = Reply::Sent(task(TaskState::InputRequired)).to_rpc(&json!(1), Dialect::V01);
    assert_eq!(asked["result"]["artifacts"][0]["parts"][0]["text"], "may I?");
}

#[test]
fn a_pause_is_final_for_readers_of_0_3_and_has_no_such_word_in_1_0() {
    let Task { id, context, status, metadata, .. } = task(TaskState::InputRequired);
    let update = Reply::Update(Update::Status { task: id, context, status, metadata });
    let v03 = update.to_rpc(&json!(1), Dialect::V03);
    assert_eq!((&v03["result"]["kind"], &v03["result"]["final"]), (&json!("status-update"), &json!(true)));
    let v1 = update.to_rpc(&json!(1), Dialect::V1);
    assert_eq!(v1["result"]["statusUpdate"]["status"]["state"], "TASK_STATE_INPUT_REQUIRED");
    assert!(v1["result"]["statusUpdate"].get("final").is_none());
}

#[test]
fn an_error_has_details_as_1_0_wants_them_and_the_http_status_of_1_0_1() {
    let fault = Fault::NotCancelable { id: "c~1".to_owned() };
    let expected = json!({"jsonrpc": "2.0", "id": 1, "error": {
        "code": -32002,
        "message": "task `c~1` is over and cannot be canceled",
        "data": [{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "TASK_NOT_CANCELABLE",
            "domain": "a2a-protocol.org", "metadata": {"taskId": "c~1"},
        }],
    }});
    assert_eq!(refusal(&json!(1), &fault), expected);
    assert_eq!(fault.status(), (axum::http::StatusCode::BAD_REQUEST, "FAILED_PRECONDITION"));
    assert_eq!(fault.rpc_status(), axum::http::StatusCode::OK);
}

//! TLS, slow and silent callers, and a stop in the middle.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod double;

use std::path::PathBuf;
use std::sync::Arc;

use double::{Counted, Door, Memory, message, person};
use purple_server::{BadTls, OpenDoor, Ports, ServeError, Server, ServerConfig, TlsFiles};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/tls").join(name)
}

fn tls(certificate: &str, key: &str) -> TlsFiles {
    TlsFiles { certificate: file(certificate), key: file(key) }
}

fn open() -> Arc<OpenDoor> {
    Arc::new(OpenDoor::on_loopback(person("alex")))
}

#[tokio::test]
async fn with_a_certificate_the_door_speaks_tls_and_nothing_else() {
    let door = Door::with(open(), |config| config.tls = Some(tls("certificate.pem", "key.pem"))).await;
    let root = reqwest::Certificate::from_pem(&std::fs::read(file("root.pem")).unwrap()).unwrap();
    let client =
        reqwest::Client::builder().tls_certs_only([root]).timeout(purple_testkit::WAIT_MAX).build().unwrap();
    let url = door.url.replace("http://", "https://");
    let params = json!({"message": message("m-1", None, "pay")});
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": params});
    let answer: Value = client.post(&url).json(&body).send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["result"]["task"]["status"]["state"], "TASK_STATE_COMPLETED", "{answer}");
    let card: Value =
        client.get(format!("{url}/.well-known/agent-card.json")).send().await.unwrap().json().await.unwrap();
    assert!(card["url"].as_str().unwrap().starts_with("https://"), "{card}");
    assert!(door.client.get(format!("{}/health", door.url)).send().await.is_err());
    // Whoever does not trust the certificate does not talk.
    assert!(reqwest::get(format!("{url}/health")).await.is_err());
}

#[tokio::test]
async fn a_certificate_that_is_missing_or_not_that_of_the_key_is_refused_at_the_start() {
    let bind = async |files: TlsFiles| {
        let mut config = ServerConfig::at("127.0.0.1:0".parse().unwrap());
        config.tls = Some(files);
        let ports = Ports::new(Memory::new().worker(), open(), Arc::new(Counted::default()));
        Server::bind(config, ports).await.err()
    };
    let missing = bind(tls("nowhere.pem", "key.pem")).await;
    assert!(matches!(missing, Some(ServeError::Tls(BadTls::Unreadable { .. }))), "{missing:?}");
    let none = bind(tls("key.pem", "key.pem")).await;
    assert!(matches!(none, Some(ServeError::Tls(BadTls::NoCertificate { .. }))), "{none:?}");
    let other = bind(tls("certificate.pem", "other-key.pem")).await;
    assert!(matches!(other, Some(ServeError::Tls(BadTls::Unfit(_)))), "{other:?}");
}

#[tokio::test]
async fn a_caller_who_sends_nothing_more_is_let_go() {
    let short = std::time::Duration::from_millis(50);
    let door =
        Door::with(open(), |config| (config.headers_within, config.body_within) = (short, short)).await;
    let address = door.url.trim_start_matches("http://").to_owned();
    for said in ["", "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\n"] {
        let mut stream = TcpStream::connect(&address).await.unwrap();
        stream.write_all(said.as_bytes()).await.unwrap();
        let mut heard = Vec::new();
        let half_a_minute = std::time::Duration::from_secs(30);
        let ended = tokio::time::timeout(half_a_minute, stream.read_to_end(&mut heard)).await;
        assert!(ended.is_ok(), "`{said}` was not let go");
    }
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let head =
        "POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: 10\r\n\r\n{";
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut heard = vec![0; 4_096];
    let count = purple_testkit::within("an answer", stream.read(&mut heard)).await.unwrap();
    let heard = String::from_utf8_lossy(&heard[..count]).into_owned();
    assert!(heard.starts_with("HTTP/1.1 408"), "{heard}");
}

#[tokio::test]
async fn headers_beyond_all_bounds_are_refused() {
    let door = Door::open().await;
    let address = door.url.trim_start_matches("http://").to_owned();
    let mut stream = TcpStream::connect(&address).await.unwrap();
    let long = format!("GET /health HTTP/1.1\r\nhost: 127.0.0.1\r\nx-long: {}\r\n\r\n", "x".repeat(200_000));
    let _ = stream.write_all(long.as_bytes()).await;
    let mut heard = Vec::new();
    let _ = purple_testkit::within("the end of the answer", stream.read_to_end(&mut heard)).await;
    let heard = String::from_utf8_lossy(&heard).into_owned();
    assert!(
        heard.is_empty() || heard.starts_with("HTTP/1.1 431") || heard.starts_with("HTTP/1.1 400"),
        "{heard}"
    );
    assert_eq!(door.client.get(format!("{}/livez", door.url)).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn the_older_endpoint_answers_in_its_own_form() {
    let door = Door::open().await;
    let post = |body: Value| door.client.post(format!("{}/api/a2a/purple-agent", door.url)).json(&body);
    let rules = json!({"rules": [{"id": "r1", "type": "deny", "description": "No profanity", "keywords": ["damn"]}], "default_action": "allow"});
    let body = json!({"task_id": "task-001", "task": "List two capitals.", "policy_doc": rules});
    let answer: Value = post(body.clone()).send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["task_id"], "task-001");
    assert_eq!(answer["answers"], json!(["Heard: List two capitals."]));
    let metadata = &answer["metadata"];
    assert_eq!((&metadata["policy_compliant"], &metadata["policy_violations"]), (&json!(true), &json!([])));
    assert_eq!((&metadata["memory_compressed"], &metadata["memory_summary"]), (&json!(false), &Value::Null));
    let again: Value = post(body.clone()).send().await.unwrap().json().await.unwrap();
    assert_eq!(again, answer);
    assert_eq!(door.memory.taken(), 1);
    let changed = json!({"task_id": "task-001", "task": "Something else.", "policy_doc": rules});
    assert_eq!(post(changed).send().await.unwrap().status(), 409);
    let violates = json!({"task_id": "task-002", "task": "Say damn.", "policy_doc": rules});
    let answer: Value = post(violates).send().await.unwrap().json().await.unwrap();
    assert_eq!(answer["metadata"]["policy_compliant"], false, "{answer}");
    assert_eq!(answer["metadata"]["policy_violations"][0]["rule"], "r1");
    let waits: Value =
        post(json!({"task_id": "task-003", "task": "ask me"})).send().await.unwrap().json().await.unwrap();
    assert_eq!((&waits["answers"], &waits["metadata"]["state"]), (&json!([]), &json!("input-required")));
    assert_eq!(post(json!({"task": "x"})).send().await.unwrap().status(), 400);
}

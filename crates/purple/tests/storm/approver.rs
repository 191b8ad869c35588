//! The approver's side, in the parent: where notices arrive, and the hand that posts a decision.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

/// Takes notices in, over HTTP, and counts how often each one came. It survives every kill.
pub(crate) struct Mailbox {
    pub(crate) url: String,
    got: Arc<Mutex<BTreeMap<String, usize>>>,
}

impl Mailbox {
    pub(crate) fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/notices", listener.local_addr().unwrap());
        let got = Arc::new(Mutex::new(BTreeMap::new()));
        let shared = Arc::clone(&got);
        // It ends with this process.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let shared = Arc::clone(&shared);
                std::thread::spawn(move || take(&stream, &shared));
            }
        });
        Self { url, got }
    }

    /// The ids of the notices that came, and how often.
    pub(crate) fn got(&self) -> BTreeMap<String, usize> {
        self.got.lock().unwrap().clone()
    }
}

/// One connection: one notice. Who is killed in the middle of it has sent none.
fn take(stream: &TcpStream, got: &Mutex<BTreeMap<String, usize>>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().ok()?;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let notice: Value = serde_json::from_slice(&body).ok()?;
    let (id, run) = (notice["id"].as_str()?, notice["session"].as_str()?);
    assert_eq!(id, format!("{run}:{}", notice["body"]["approval"].as_str()?), "{notice}");
    *got.lock().unwrap().entry(id.to_owned()).or_default() += 1;
    let mut writer = stream;
    writer.write_all(b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n").ok()
}

/// Posts a yes to the door of a child, as a caller of A2A does. The error is what the approver sees.
pub(crate) fn approve(url: &str, run: &str, approval: &str) -> Result<Value, reqwest::Error> {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let data = json!({"approvalId": approval, "decision": "approve"});
    let message = json!({
        "role": "user", "messageId": format!("yes-{approval}"), "contextId": run, "kind": "message",
        "parts": [{"kind": "data", "data": data}],
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "message/send", "params": {"message": message}});
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = reqwest::Client::builder().timeout(purple_testkit::WAIT_MAX).build()?;
    runtime.block_on(async { client.post(url).json(&body).send().await?.json().await })
}

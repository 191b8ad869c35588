//! The built program as a running server, with the demo business behind it; it can be killed and started again.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

pub mod receiver;

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use jiff::civil::date;
use purple_backoffice::{HttpDoor, Office, Setup};
use purple_testkit::{ChildDeadline, WAIT_MAX, output_of};
use serde_json::{Value, json};

pub const ORDER: &str = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
pub const YES: &str = "Confirmed, proceed";
pub const EFFECTS: [&str; 2] = ["modify_order_items", "send_order_confirmation"];

/// A data folder, a configuration, a business, and a server that runs or not.
pub struct Running {
    pub folder: tempfile::TempDir,
    pub office: Arc<Office>,
    pub client: reqwest::Client,
    pub url: String,
    child: Option<Child>,
    _business: HttpDoor,
}

impl Running {
    /// Starts with what the configuration says beside the tools.
    pub async fn start(config: &str) -> Self {
        let mut running = Self::stopped(config).await;
        running.begin(&[]);
        running
    }

    /// Everything is there, and no server runs.
    pub async fn stopped(config: &str) -> Self {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let office = Arc::new(Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap());
        let business = HttpDoor::open(Arc::clone(&office), "127.0.0.1:0".parse().unwrap()).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let tools = format!(
            "[servers.office]\nmanifest = \"demo-company\"\nurl = \"http://{}\"\n",
            business.address()
        );
        let clock = "[clock]\nstart = \"2026-03-04T09:00:00Z\"\n[data]\ndir = \"data\"\n";
        std::fs::write(folder.path().join("purple.toml"), format!("{config}\n{clock}{tools}")).unwrap();
        let (url, child) = (String::new(), None);
        let client = reqwest::Client::builder().timeout(WAIT_MAX).build().unwrap();
        Self { folder, office, client, url, child, _business: business }
    }

    /// Starts the server and waits until it says where it is.
    pub fn begin(&mut self, arguments: &[&str]) -> Value {
        let mut command = self.command(&[&["serve", "--port", "0", "--json"], arguments].concat());
        let log = std::fs::File::create(self.log()).unwrap();
        let mut child = command.stdout(Stdio::piped()).stderr(log).spawn().unwrap();
        let deadline = ChildDeadline::of(&child);
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        drop(deadline);
        let told: Value = serde_json::from_str(&line).unwrap();
        self.url = told["url"].as_str().unwrap().to_owned();
        self.child = Some(child);
        told
    }

    /// What the server wrote to stderr since it began.
    pub fn log(&self) -> std::path::PathBuf {
        self.folder.path().join("server.log")
    }

    /// `kill -9`.
    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Asks it to end, as a system does, and waits until it has.
    pub fn terminate(&mut self) {
        let mut child = self.child.take().unwrap();
        let asked = Command::new("kill").arg(child.id().to_string()).status().unwrap();
        assert!(asked.success());
        let deadline = ChildDeadline::of(&child);
        assert!(child.wait().unwrap().success(), "it ends in order");
        drop(deadline);
    }

    pub fn again(&mut self) {
        self.kill();
        self.begin(&[]);
    }

    /// The process that serves.
    pub fn process(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
        command.args(arguments).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.folder.path().join("home")).env("PATH", "/usr/bin:/bin");
        command.env("USER", "alex");
        command
    }

    /// Another command beside the server: its exit code, what it gave and what it said.
    pub fn purple(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = output_of(&mut self.command(arguments)).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// The same by whoever holds this token.
    pub fn purple_as(&self, token: &str, arguments: &[&str]) -> (i32, String, String) {
        let output = output_of(self.command(arguments).env("PURPLE_TOKEN", token)).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Makes a token.
    pub fn token(&self, name: &str, roles: &[&str], groups: &[&str]) -> String {
        let mut arguments = vec!["token", "create", "--name", name];
        roles.iter().for_each(|role| arguments.extend(["--role", role]));
        groups.iter().for_each(|group| arguments.extend(["--group", group]));
        let (code, out, talk) = self.purple(&arguments);
        assert_eq!(code, 0, "{talk}");
        out.trim().to_owned()
    }

    pub fn request(&self, method: &str, params: Value) -> reqwest::RequestBuilder {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.client.post(&self.url).json(&body)
    }

    pub async fn call(&self, method: &str, params: Value) -> Value {
        self.request(method, params).send().await.unwrap().json().await.unwrap()
    }

    pub async fn call_as(&self, token: &str, method: &str, params: Value) -> Value {
        self.request(method, params).bearer_auth(token).send().await.unwrap().json().await.unwrap()
    }

    /// The tools that had an effect, in order.
    pub fn effects(&self) -> Vec<String> {
        self.office.ledger().unwrap().effects.iter().map(|effect| effect.tool.clone()).collect()
    }

    /// A reader of the data folder, beside the server or after it.
    pub fn reader(&self) -> purple_store::Reader {
        purple_store::Reader::open(&data(self.folder.path())).unwrap()
    }
}

/// The account of the operating system that the tests run under.
pub fn account() -> String {
    let told = output_of(Command::new("id").arg("-un")).unwrap();
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

/// Where the program keeps its data, as the tests call it.
pub fn data(folder: &Path) -> std::path::PathBuf {
    folder.join("data")
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// A message of 1.0.
pub fn message(id: &str, context: Option<&str>, text: &str) -> Value {
    let mut message = json!({"messageId": id, "role": "ROLE_USER", "parts": [{"text": text}]});
    if let Some(context) = context {
        message["contextId"] = json!(context);
    }
    json!({"message": message})
}

/// The events of a stream: id and body.
pub fn frames(text: &str) -> Vec<(Option<u64>, Value)> {
    let block = |block: &str| {
        let field = |name: &str| block.lines().find_map(|line| line.strip_prefix(name)).map(str::trim);
        let data = serde_json::from_str(field("data:")?).unwrap();
        Some((field("id:").map(|id| id.parse().unwrap()), data))
    };
    text.split("\n\n").filter_map(block).collect()
}

/// Looks again until it is so. Fails where it is not so within half a minute.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    // Another process does not ring; so it is looked at again and again.
    let mut again = tokio::time::interval(std::time::Duration::from_millis(20));
    let looking = async {
        loop {
            again.tick().await;
            if let Some(found) = look().await {
                return found;
            }
        }
    };
    match tokio::time::timeout(std::time::Duration::from_secs(30), looking).await {
        Ok(found) => found,
        Err(_) => panic!("it did not come to pass: {what}"),
    }
}

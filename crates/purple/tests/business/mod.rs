//! The demo business behind HTTP, for tests of the built program.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use purple_backoffice::{HttpDoor, Office, Setup};
use purple_testkit::{ChildDeadline, ended, output_of};

/// The demo business behind HTTP, and a folder of its own for the program.
pub(crate) struct Business {
    pub(crate) office: Arc<Office>,
    pub(crate) url: String,
    pub(crate) folder: tempfile::TempDir,
    _door: HttpDoor,
    _runtime: tokio::runtime::Runtime,
}

impl Business {
    pub(crate) fn open() -> Self {
        let office = Arc::new(Office::open(Setup::in_memory(jiff::civil::date(2026, 3, 4))).unwrap());
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let address = "127.0.0.1:0".parse().unwrap();
        let door = runtime.block_on(HttpDoor::open(Arc::clone(&office), address)).unwrap();
        let (url, folder) = (door.bridge_url().to_owned(), tempfile::tempdir().unwrap());
        Self { office, url, folder, _door: door, _runtime: runtime }
    }

    pub(crate) fn purple(&self, arguments: &[&str]) -> (i32, String, String) {
        self.with(&[], arguments)
    }

    pub(crate) fn with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> (i32, String, String) {
        let output = output_of(self.command(arguments).envs(variables.iter().copied())).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
        command.args(arguments).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.folder.path().join("home"));
        command.env("PURPLE_DATA_DIR", "data").env("GREEN_AGENT_MCP_URL", &self.url);
        command
    }

    /// Runs the program with these lines on its stdin.
    pub(crate) fn told(&self, arguments: &[&str], lines: impl AsRef<[u8]>) -> (i32, String, String) {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(lines.as_ref()).unwrap();
        let output = ended(child).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// A server that works in the folder until it is killed, ready.
    pub(crate) fn serve(&self) -> Served {
        self.started(&mut self.command(&["serve", "--port", "0", "--as", "alex"]))
    }

    /// Starts a `serve` command and waits until it is ready.
    pub(crate) fn started(&self, command: &mut Command) -> Served {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = ChildDeadline::of(&child);
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        assert!(lines.any(|line| line.unwrap().starts_with("access")), "it does not serve");
        drop(deadline);
        Served(child)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        let file = self.folder.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file.display().to_string()
    }

    pub(crate) fn effects(&self) -> Vec<String> {
        self.office.ledger().unwrap().effects.into_iter().map(|effect| effect.tool).collect()
    }
}

/// A server, which ends with the test.
pub(crate) struct Served(Child);

impl Served {
    pub(crate) fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

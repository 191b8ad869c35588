//! `purple tools login`: the built program, an authorization server on this machine, and a browser that agrees.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

#[allow(dead_code, reason = "the tests of the tool client use all of it")]
#[path = "../../purple-tools/tests/logins/house.rs"]
mod house;

use std::io::{BufRead as _, BufReader, Read as _};
use std::process::{Command, Stdio};

use house::House;
use purple_testkit::{ChildDeadline, WAIT_MAX, output_of};

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new(house: &House, more: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let config = format!("[servers.notes]\nurl = \"{}\"\n{more}", house.mcp());
        std::fs::write(folder.path().join("purple.toml"), config).unwrap();
        Self { folder }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
        command.args(arguments).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.folder.path().join("home")).env("NOTES_SECRET", "hunter2");
        command.args(["--data-dir", "data"]);
        command
    }

    async fn purple(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = self.command(arguments);
        let output = tokio::task::spawn_blocking(move || output_of(&mut command).unwrap()).await.unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// Logs in, with a browser that opens what is printed, after `before` was opened.
    async fn log_in(&self, before: &'static str) -> (i32, String) {
        let mut command = self.command(&["tools", "login", "notes"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let deadline = ChildDeadline::of(&child);
        let mut out = BufReader::new(child.stdout.take().unwrap());
        let (address, out) = tokio::task::spawn_blocking(move || {
            let mut line = String::new();
            out.read_line(&mut line).unwrap();
            (line.trim().to_owned(), out)
        })
        .await
        .unwrap();
        let answer = browse(&address).await;
        let back = answer.headers().get("location").unwrap().to_str().unwrap().to_owned();
        if !before.is_empty() {
            let elsewhere = back.replace("/back", before);
            assert_eq!(browse(&elsewhere).await.status(), 404);
        }
        let seen = browse(&back).await;
        assert_eq!(seen.status(), 200);
        assert!(seen.text().await.unwrap().contains("can be closed"));
        tokio::task::spawn_blocking(move || {
            let (mut rest, mut out) = (String::new(), out);
            out.read_to_string(&mut rest).unwrap();
            let status = child.wait().unwrap();
            drop(deadline);
            (status.code().unwrap(), rest)
        })
        .await
        .unwrap()
    }
}

async fn browse(address: &str) -> reqwest::Response {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let http = http.timeout(WAIT_MAX).build().unwrap();
    http.get(address).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_in_a_browser_opens_a_tool_server_for_the_commands_after_it() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let house = House::open().await;
    let place = Place::new(&house, "");
    let (code, _, talk) = place.purple(&["tools", "list"]).await;
    assert_eq!(code, 1, "{talk}");
    assert!(talk.contains("run `purple tools login notes`"), "{talk}");
    let (_, told, _) = place.purple(&["doctor"]).await;
    assert!(told.contains("wants a login") && told.contains("purple tools login notes"), "{told}");
    let (code, told) = place.log_in("/favicon.ico").await;
    assert_eq!((code, told.as_str()), (0, "logged in to `notes`, which offers 2 tools\n"));
    let (code, told, talk) = place.purple(&["tools", "list"]).await;
    assert!(told.contains("add_note"), "{code} {told} {talk}");
    for file in ["data/logins/notes", "data/logins.key"] {
        let bytes = std::fs::read(place.folder.path().join(file)).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"token-"), "{file}");
    }
    let (code, told, _) = place.purple(&["tools", "logout", "notes"]).await;
    assert_eq!((code, told.as_str()), (0, "the login at `notes` is forgotten here\n"));
    let (_, _, talk) = place.purple(&["tools", "list"]).await;
    assert!(talk.contains("wants a login"), "{talk}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_a_secret_needs_no_browser() {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let house = House::open().await;
    let client = format!(
        "client_id = \"purple\"\nclient_secret = \"env:NOTES_SECRET\"\nissuer = \"{}\"\ngrant = \"client\"\n",
        house.url
    );
    let place = Place::new(&house, &client);
    let (code, told, talk) = place.purple(&["tools", "list"]).await;
    assert!(told.contains("add_note"), "{code} {told} {talk}");
    assert_eq!(house.count("authorize"), 0);
    assert!(house.count("token client_credentials by Basic") > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_nobody_configured_cannot_be_logged_in_to() {
    let house = House::open().await;
    let place = Place::new(&house, "");
    for command in ["login", "logout"] {
        let (code, _, talk) = place.purple(&["tools", command, "nots"]).await;
        assert!(code == 4 && talk.contains("there is no tool server `nots`"), "{code} {talk}");
    }
    let (code, told, _) = place.purple(&["tools", "logout", "notes"]).await;
    assert_eq!((code, told.as_str()), (0, "there is no login at `notes`\n"));
}

//! The program itself: what it prints, what it refuses.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod desk;

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Output, Stdio};

use desk::Folder;
use purple_testkit::{ChildDeadline, output_of};
use serde_json::{Value, json};

fn program(arguments: &[&str]) -> Output {
    output_of(Command::new(env!("CARGO_BIN_EXE_purple-backoffice")).args(arguments)).unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn a_company_is_founded_once_and_its_ledger_is_printed() {
    let folder = Folder::new("program");
    let file = folder.path("company.db");
    let file = file.to_str().unwrap();
    let founded = program(&["--seed-only", "--data", file, "--today", "2026-03-04"]);
    assert!(founded.status.success(), "{}", said(&founded));
    assert!(program(&["--seed-only", "--data", file]).status.success(), "its own day is the default");
    let empty = program(&["--ledger", "--data", file]);
    assert_eq!((empty.status.success(), empty.stdout.len()), (true, 0));
    let other = program(&["--seed-only", "--data", file, "--today", "2026-03-05"]);
    assert_eq!(other.status.code(), Some(1));
    assert!(said(&other).contains("founded with today 2026-03-04, not 2026-03-05"), "{}", said(&other));
}

#[test]
fn what_cannot_be_meant_is_refused_with_advice() {
    for (arguments, words) in [
        (&["--stdio", "--http", "127.0.0.1:0"][..], "cannot be used with"),
        (&[], "required"),
        (&["--ledger"], "--data"),
        (&["--stdio", "--fault", "reject_invoice:lies"], "there is no fault `lies`"),
        (&["--stdio", "--today", "tomorrow"], "--today"),
        (&["--http", "0.0.0.0:0"], "not a loopback address"),
        (&["--stdio", "--faults", "/nowhere/faults"], "cannot be read"),
        (&["--ledger", "--data", "/nowhere/company.db"], "database cannot be used"),
    ] {
        let output = program(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        assert!(said(&output).contains(words), "{arguments:?}: {}", said(&output));
        assert!(output.stdout.is_empty(), "stdout is data");
    }
}

#[test]
fn it_says_where_it_listens_and_reads_faults_from_a_file() {
    let folder = Folder::new("listen");
    std::fs::write(folder.path("faults"), "# nothing is there\nget_plan:fail\n").unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_purple-backoffice"))
        .args([
            "--http",
            "127.0.0.1:0",
            "--faults",
            folder.path("faults").to_str().unwrap(),
            "--approver",
            "yes",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let deadline = ChildDeadline::of(&child);
    let mut line = String::new();
    BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap();
    let bridge = told["bridge"].as_str().unwrap();
    assert_eq!(told["mcp"], format!("{bridge}/rpc"));
    let call = |tool: &str, params: Value| {
        let body = json!({"tool": tool, "params": params}).to_string();
        let mut stream = std::net::TcpStream::connect(bridge.strip_prefix("http://").unwrap()).unwrap();
        let request = format!(
            "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        );
        std::io::Write::write_all(&mut stream, request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        serde_json::from_str::<Value>(answer.split_once("\r\n\r\n").unwrap().1).unwrap()
    };
    assert_eq!(call("get_plan", json!({"plan_id": "team"}))["type"], "UNAVAILABLE");
    assert_eq!(call("confirm_with_user", json!({"question": "?"}))["answer"], "approved");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(deadline);
}

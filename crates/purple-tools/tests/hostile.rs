//! Servers that misbehave, and what is made of them.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod company;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use company::{Company, Door, Folder, PATIENCE, get_invoice, office, read, reject, streams};
use purple_port::{CallOptions, Called, Listing, Pass, Tools, ToolsAt, ToolsDown};
use purple_tools::{Dialect, Era, Program, ServerConfig, ServerKind, StreamFactory, Streams, ToolServers};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// A server on streams that greets, and says to every other request what `answer` makes of method and parameters.
fn scripted(answer: impl Fn(&str, &Value) -> Vec<u8> + Send + Sync + 'static) -> ServerKind {
    let answer = Arc::new(answer);
    ServerKind::Streams(StreamFactory::new(move || {
        let (ours, theirs) = tokio::io::duplex(64 * 1024);
        let answer = Arc::clone(&answer);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(theirs);
            let mut lines = BufReader::new(reader).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                let said: Value = serde_json::from_str(&line).unwrap();
                let (Some(method), Some(id)) = (said["method"].as_str(), said.get("id")) else { continue };
                let mut told = match method {
                    "initialize" => result(
                        &json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}),
                    ),
                    _ => answer(method, &said["params"]),
                };
                let id = format!("\"id\":{id},");
                if told.starts_with(b"{") {
                    told.splice(1..1, id.into_bytes());
                }
                told.push(b'\n');
                if writer.write_all(&told).await.is_err() {
                    return;
                }
            }
        });
        let (reader, writer) = tokio::io::split(ours);
        Ok(Streams { reader: Box::new(reader), writer: Box::new(writer) })
    }))
}

fn result(result: &Value) -> Vec<u8> {
    let result = result.to_string();
    format!("{{\"jsonrpc\":\"2.0\",\"result\":{result}}}").into_bytes()
}

fn tool(name: &str) -> Value {
    json!({"name": name, "inputSchema": {"type": "object"}})
}

fn named(name: &str, kind: ServerKind) -> ServerConfig {
    ServerConfig { name: name.to_owned(), kind, era: Era::Legacy }
}

fn only(kind: ServerKind) -> ToolServers {
    ToolServers::new(vec![named("x", kind)]).unwrap()
}

async fn list(servers: &ToolServers) -> Result<Listing, ToolsDown> {
    servers.list(&ToolsAt::Configured).await
}

async fn call(servers: &ToolServers, pass: Pass) -> Called {
    servers
        .call(&ToolsAt::Configured, pass, CallOptions { deadline: PATIENCE, key: None, answers: None })
        .await
}

fn names(listing: &Listing) -> Vec<&str> {
    listing.tools.iter().map(|tool| tool.name.as_str()).collect()
}

/// Where nobody listens.
async fn nowhere() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    format!("http://{}", listener.local_addr().unwrap())
}

#[tokio::test]
async fn an_empty_cursor_leads_to_the_next_page() {
    let servers = only(scripted(|_, params| {
        result(&match params.get("cursor").and_then(Value::as_str) {
            None => json!({"tools": [tool("a")], "nextCursor": ""}),
            Some("") => json!({"tools": [tool("b"), {"name": "c"}], "_meta": {"x": 1}}),
            Some(other) => panic!("{other}"),
        })
    }));
    let listing = list(&servers).await.unwrap();
    assert_eq!(names(&listing), ["a", "b"]);
    assert_eq!(listing.left_out, ["`x`: tool 3 `c`: it has no schema"]);
}

#[tokio::test]
async fn a_server_of_the_older_era_is_found_by_asking_once() {
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let kind = scripted(move |method, _| match method {
        "server/discover" => {
            counter.fetch_add(1, Ordering::Relaxed);
            br#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"no such method"}}"#.to_vec()
        }
        "tools/list" => result(&json!({"tools": [tool("a")]})),
        // Nobody can read this, and the connection goes.
        _ => b"{\"jsonrpc\":\"2.0\",\xff}".to_vec(),
    });
    let server = ServerConfig { name: "x".to_owned(), kind, era: Era::Auto };
    let servers = ToolServers::new(vec![server]).unwrap();
    assert_eq!(names(&list(&servers).await.unwrap()), ["a"]);
    assert_eq!(servers.dialects().await, [("x".to_owned(), Dialect::Sessions)]);
    assert!(matches!(call(&servers, read("get_a", json!({}))).await, Called::Lost { .. }));
    assert_eq!(names(&list(&servers).await.unwrap()), ["a"], "on a new connection");
    assert_eq!(asked.load(Ordering::Relaxed), 1, "its era is remembered");
}

#[tokio::test]
async fn an_endless_list_and_one_in_a_circle_are_given_up() {
    let circle = only(scripted(|_, _| result(&json!({"tools": [tool("a")], "nextCursor": "again"}))));
    assert!(list(&circle).await.unwrap_err().reason.contains("circle"));
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = Arc::clone(&asked);
    let endless = only(scripted(move |_, _| {
        let page = counter.fetch_add(1, Ordering::Relaxed);
        result(&json!({"tools": [tool(&format!("t{page}"))], "nextCursor": page.to_string()}))
    }));
    assert!(list(&endless).await.unwrap_err().reason.contains("pages"));
    assert_eq!(asked.load(Ordering::Relaxed), purple_tools::limits::LIST_PAGES_MAX);
}

#[tokio::test]
async fn what_cannot_be_read_is_lost_at_once_and_not_after_the_deadline() {
    let long = "x".repeat(purple_tools::limits::ANSWER_BYTES_MAX);
    let broken: [(&str, Vec<u8>); 4] = [
        ("longer than", result(&json!({"content": [{"type": "text", "text": long}]}))),
        ("no JSON", [result(&json!({"content": []})), b"\xff\xfe".to_vec()].concat()),
        (
            "no JSON",
            b"{\"jsonrpc\":\"2.0\",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"\xff\"}]}}"
                .to_vec(),
        ),
        ("no result of a call", result(&json!({"something": 1}))),
    ];
    for (part, answer) in broken {
        let servers = only(scripted(move |_, _| answer.clone()));
        let called = call(&servers, get_invoice()).await;
        assert!(
            matches!(&called, Called::Lost { reason } if reason.for_work().contains(part)),
            "{part}: {called:?}"
        );
    }
}

#[tokio::test]
async fn numbers_travel_exactly_in_both_directions() {
    let servers = only(scripted(|_, params| {
        let told = params["arguments"]["amount"].to_string();
        result(
            &json!({"content": [], "structuredContent": {"heard": told, "told": serde_json::from_str::<Value>("0.10").unwrap()}}),
        )
    }));
    let amount: Value = serde_json::from_str("12345678901234567890.10").unwrap();
    let Called::Answered(answer) = call(&servers, read("get_sum", json!({ "amount": amount }))).await else {
        panic!("not answered");
    };
    assert_eq!(answer.for_work().to_string(), r#"{"heard":"12345678901234567890.1","told":0.10}"#);
}

#[tokio::test]
async fn a_connection_that_went_silent_is_not_used_again() {
    let made = Arc::new(AtomicUsize::new(0));
    let (counter, office) = (Arc::clone(&made), office(&["get_invoice:hang,times=1"]));
    let servers = only(ServerKind::Streams(StreamFactory::new(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        Ok(company::connect(&office))
    })));
    let options = CallOptions { deadline: company::SHORT, key: None, answers: None };
    let called = servers.call(&ToolsAt::Configured, get_invoice(), options).await;
    assert_eq!(called, Called::Lost { reason: "no answer within 2000 ms".into() });
    for _ in 0..2 {
        let called = call(&servers, get_invoice()).await;
        assert!(matches!(called, Called::Answered(_)), "{called:?}");
        assert_eq!(made.load(Ordering::Relaxed), 2, "one more, and then it stays");
    }
}

#[tokio::test]
async fn a_server_that_reads_nothing_holds_nobody_beyond_the_deadline() {
    // It greets and then never reads again, so that a long request fills the stream.
    let servers = only(ServerKind::Streams(StreamFactory::new(|| {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        tokio::spawn(async move {
            let mut asked = vec![0; 1024];
            let read = theirs.read(&mut asked).await.unwrap();
            let said: Value = serde_json::from_slice(&asked[..read]).unwrap();
            let greeting = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "x", "version": "1"}});
            let told = json!({"jsonrpc": "2.0", "id": said["id"], "result": greeting});
            theirs.write_all(format!("{told}\n").as_bytes()).await.unwrap();
            std::future::pending::<()>().await;
        });
        let (reader, writer) = tokio::io::split(ours);
        Ok(Streams { reader: Box::new(reader), writer: Box::new(writer) })
    })));
    let long = read("get_invoice", json!({"invoice_id": "x".repeat(4096)}));
    let options = CallOptions { deadline: std::time::Duration::from_millis(50), key: None, answers: None };
    let called =
        tokio::time::timeout(PATIENCE, servers.call(&ToolsAt::Configured, long, options)).await.unwrap();
    assert!(matches!(called, Called::Lost { .. }), "{called:?}");
}

#[tokio::test]
async fn two_servers_with_the_same_tools_are_told_apart() {
    let (one, other) = (office(&[]), office(&[]));
    let configs = vec![named("one", streams(Arc::clone(&one))), named("other", streams(Arc::clone(&other)))];
    let servers = ToolServers::new(configs.clone()).unwrap();
    let listing = list(&servers).await.unwrap();
    assert_eq!(listing.tools.len(), 2 * 133);
    assert!(listing.tools.iter().all(|tool| tool.name.as_str().starts_with(&format!("{}__", tool.server))));
    // A session that goes on after a restart does not list again; the name is found all the same.
    let servers = ToolServers::new(configs).unwrap();
    let arguments = json!({"invoice_id": "INV-2024-447"});
    // By such a name it is a write to the gate, which does not know that a server's name stands in front.
    let called = call(&servers, company::write("other__get_invoice", arguments.clone())).await;
    assert!(matches!(called, Called::Answered(_)), "{called:?}");
    let unnamed = call(&servers, read("get_invoice", arguments)).await;
    assert_eq!(unnamed, Called::NotSent { reason: "no server offers `get_invoice`".into() });
    let calls = |office: &purple_backoffice::Office| office.ledger().unwrap().calls.len();
    assert_eq!((calls(&one), calls(&other)), (0, 1));
}

#[tokio::test]
async fn a_server_that_is_down_leaves_the_others_and_all_down_is_an_error() {
    let down = || {
        ServerKind::Stdio(Program {
            command: "/no/such/program".to_owned(),
            args: vec![],
            env: BTreeMap::new(),
            cwd: None,
        })
    };
    let servers = ToolServers::new(vec![named("down", down()), named("up", streams(office(&[])))]).unwrap();
    let listing = list(&servers).await.unwrap();
    assert_eq!(listing.tools.len(), 133);
    assert!(
        listing.left_out[0].starts_with("`down`: `/no/such/program` cannot be started: "),
        "{:?}",
        listing.left_out
    );
    let servers =
        ToolServers::new(vec![named("a", down()), named("b", ServerKind::Url(nowhere().await))]).unwrap();
    let reason = list(&servers).await.unwrap_err().reason;
    assert!(reason.contains("`a`: ") && reason.contains("`b`: "), "{reason}");
    let called = call(&only(down()), get_invoice()).await;
    assert!(matches!(called, Called::NotSent { .. }), "{called:?}");
}

#[tokio::test]
async fn while_a_server_is_down_nothing_is_tried_and_then_it_is_found_again() {
    let tried = Arc::new(AtomicUsize::new(0));
    let (counter, office) = (Arc::clone(&tried), office(&[]));
    let servers = only(ServerKind::Streams(StreamFactory::new(move || {
        match counter.fetch_add(1, Ordering::Relaxed) {
            0 | 1 => Err(std::io::Error::other("not yet")),
            _ => Ok(company::connect(&office)),
        }
    })));
    for (attempts, part) in
        [(1, "not yet"), (2, "not yet"), (2, "it is down (not yet) and is tried again in ")]
    {
        let called = call(&servers, get_invoice()).await;
        assert!(
            matches!(&called, Called::NotSent { reason } if reason.for_work().starts_with(part)),
            "{called:?}"
        );
        assert_eq!(tried.load(Ordering::Relaxed), attempts);
    }
    let found = async {
        loop {
            match call(&servers, get_invoice()).await {
                Called::NotSent { .. } => tokio::task::yield_now().await,
                other => break other,
            }
        }
    };
    let found = tokio::time::timeout(PATIENCE, found).await.unwrap();
    assert!(matches!(found, Called::Answered(_)), "{found:?}");
    assert_eq!(tried.load(Ordering::Relaxed), 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_door_that_is_closed_is_known_to_have_got_nothing() {
    for door in [Door::Http(Era::Modern), Door::Bridge] {
        let mut company = Company::behind(door, &[]).await;
        assert!(matches!(company.call(get_invoice()).await, Called::Answered(_)));
        company.close_door().await;
        // The first call may still go into the old connection, before its end is seen. The second knows.
        let first = company.call(reject()).await;
        assert!(matches!(first, Called::Lost { .. } | Called::NotSent { .. }), "{door:?}: {first:?}");
        let second = company.call(reject()).await;
        assert!(matches!(second, Called::NotSent { .. }), "{door:?}: {second:?}");
        assert_eq!(company.arrived(), ["get_invoice"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_base_url_is_probed_once_and_mcp_comes_first() {
    let (office, http) = company::listening(&[]).await;
    let servers = ToolServers::new(vec![]).unwrap();
    for url in [http.bridge_url(), http.mcp_url()] {
        let at = ToolsAt::Url(url);
        let listing = servers.list(&at).await.unwrap();
        assert_eq!(
            (listing.tools.len(), listing.tools[0].server.as_str()),
            (133, format!("http://{}", http.address()).as_str())
        );
        assert!(
            listing.tools.iter().any(|tool| tool.annotations.destructive.is_some()),
            "only MCP has hints"
        );
        let options = CallOptions { deadline: PATIENCE, key: None, answers: None };
        assert!(matches!(servers.call(&at, get_invoice(), options).await, Called::Answered(_)));
    }
    assert_eq!(office.ledger().unwrap().calls.len(), 2);
    assert!(servers.list(&ToolsAt::Url("ftp://x".to_owned())).await.is_err());
    let none = list(&servers).await;
    assert!(none.is_err(), "no configured server answers, since there is none");
}

/// Status and body, by method and path and by what was posted.
type Answer = fn(&str, &str) -> (u16, String);

/// An HTTP server that answers by path and method, and counts what it was asked.
async fn plain_http(answer: Answer) -> (String, Arc<std::sync::Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(answer_one(stream, answer, Arc::clone(&seen)));
        }
    });
    (url, asked)
}

async fn answer_one(
    mut stream: TcpStream,
    answer: Answer,
    seen: Arc<std::sync::Mutex<Vec<String>>>,
) -> Option<()> {
    let mut reader = BufReader::new(&mut stream);
    let mut first = String::new();
    reader.read_line(&mut first).await.ok()?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).await.ok()?;
        if let Some(bytes) = line.to_lowercase().strip_prefix("content-length:") {
            length = bytes.trim().parse().ok()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).await.ok()?;
    let asked = first.rsplit_once(' ')?.0.to_owned();
    let body = String::from_utf8_lossy(&body).into_owned();
    let (status, told) = answer(&asked, &body);
    let entry = if asked.starts_with("POST") { format!("{asked} {body}") } else { asked };
    seen.lock().unwrap().push(entry);
    let length = told.len();
    let reply = format!(
        "HTTP/1.1 {status} x\r\ncontent-type: application/json\r\nlocation: /elsewhere\r\nmcp-session-id: s\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{told}"
    );
    stream.write_all(reply.as_bytes()).await.ok()
}

#[tokio::test]
async fn a_plain_bridge_is_found_and_asked_in_its_own_words() {
    let (url, asked) = plain_http(|asked, _| match asked {
        "GET /mcp/tools?session_id=s-7" => {
            (200, r#"[{"name": "get_invoice", "input_schema": {"type": "object"}}]"#.to_owned())
        }
        "POST /mcp" => (200, r#"{"status": "received", "total": 1.10}"#.to_owned()),
        _ => (404, String::new()),
    })
    .await;
    let servers = ToolServers::new(vec![]).unwrap();
    let at = ToolsAt::Url(format!("{url}?session_id=s-7"));
    // A bridge answers 200 to everything at its own address; that alone does not make it MCP.
    assert_eq!(names(&servers.list(&at).await.unwrap()), ["get_invoice"]);
    let probed = asked.lock().unwrap().len();
    let options = CallOptions { deadline: PATIENCE, key: None, answers: None };
    let Called::Answered(answer) = servers.call(&at, get_invoice(), options).await else { panic!() };
    assert_eq!(answer.for_work().to_string(), r#"{"status":"received","total":1.10}"#);
    let asked = asked.lock().unwrap();
    let calls: Vec<_> = asked.iter().skip(probed).collect();
    assert_eq!(
        calls,
        [r#"POST /mcp {"params":{"invoice_id":"INV-2024-447"},"session_id":"s-7","tool":"get_invoice"}"#]
    );
}

#[tokio::test]
async fn a_bad_definition_that_makes_a_page_look_like_something_else_is_left_out_as_well() {
    // With `_meta` beside it, a page whose definitions cannot be read has the form of a result of a call.
    let (url, asked) = plain_http(|asked, body| {
        let said: Value = serde_json::from_str(body).unwrap_or_default();
        let told = match (asked, said["method"].as_str()) {
            ("POST /", Some("initialize")) => json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}}),
            ("POST /", Some("tools/list")) => json!({"tools": [tool("a"), {"name": "b"}], "_meta": {"x": 1}}),
            ("POST /", _) => return (202, String::new()),
            _ => return (405, String::new()),
        };
        (200, json!({"jsonrpc": "2.0", "id": said["id"], "result": told}).to_string())
    })
    .await;
    let listing = list(&only(ServerKind::Url(url))).await.unwrap();
    assert_eq!(names(&listing), ["a"]);
    assert_eq!(listing.left_out, ["`x`: tool 2 `b`: it has no schema"]);
    let lists = asked.lock().unwrap().iter().filter(|asked| asked.contains("tools/list")).count();
    assert_eq!(lists, 2, "once by the library, once by us");
}

#[tokio::test]
async fn a_session_that_the_server_forgot_costs_the_call_and_is_not_made_anew_behind_our_back() {
    let (url, asked) = plain_http(|asked, body| {
        let said: Value = serde_json::from_str(body).unwrap_or_default();
        let told = match (asked, said["method"].as_str()) {
            ("POST /", Some("initialize")) => {
                json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "x", "version": "1"}})
            }
            ("POST /", Some("tools/call")) => return (404, String::new()),
            ("POST /", _) => return (202, String::new()),
            _ => return (405, String::new()),
        };
        (200, json!({"jsonrpc": "2.0", "id": said["id"], "result": told}).to_string())
    })
    .await;
    let servers = only(ServerKind::Url(url));
    for calls in 1..=2 {
        let called = call(&servers, reject()).await;
        assert!(matches!(called, Called::Lost { .. }), "{called:?}");
        let sent = |method: &str| asked.lock().unwrap().iter().filter(|asked| asked.contains(method)).count();
        assert_eq!(
            (sent("tools/call"), sent("\"initialize\"")),
            (calls, calls),
            "each call has a fresh session"
        );
    }
}

#[tokio::test]
async fn a_call_is_neither_repeated_nor_sent_on_to_elsewhere() {
    for status in [301, 307, 308, 500, 503] {
        let (url, asked) = plain_http(match status {
            301 => |_, _| (301, "{}".to_owned()),
            307 => |_, _| (307, "{}".to_owned()),
            308 => |_, _| (308, "{}".to_owned()),
            500 => |_, _| (500, "{}".to_owned()),
            _ => |_, _| (503, "{}".to_owned()),
        })
        .await;
        let called = call(&only(ServerKind::Bridge(url)), reject()).await;
        assert!(matches!(called, Called::Lost { .. }), "{status}: {called:?}");
        assert_eq!(asked.lock().unwrap().len(), 1, "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_ends_with_its_connection_and_so_does_what_it_started() {
    let folder = Folder::new();
    let (note, file) = (folder.0.join("pid"), folder.0.join("company.db"));
    let inner = company::program(&file, &[]);
    let script = format!("sleep 9999 & echo $! > {}; {} {}", note.display(), inner.command, file.display());
    let env = BTreeMap::from([("PATH".to_owned(), "/usr/bin:/bin".to_owned())]);
    let program =
        Program { command: "/bin/sh".to_owned(), args: vec!["-c".to_owned(), script], env, cwd: None };
    let servers = only(ServerKind::Stdio(program));
    assert!(matches!(call(&servers, get_invoice()).await, Called::Answered(_)));
    let started = std::fs::read_to_string(&note).unwrap();
    let running = || {
        // A process that is dead and not yet waited for by its parent is gone as well.
        let status = std::fs::read_to_string(format!("/proc/{}/stat", started.trim())).unwrap_or_default();
        status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with('Z'))
    };
    assert!(running());
    drop(servers);
    let gone = async {
        while running() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, gone).await.unwrap();
}

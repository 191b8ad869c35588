//! A company behind a plain HTTP bridge with its own tools, ids, words and cents, mapped by hand in `purple.toml` as
//! `docs/tool-servers.md` shows it. Everything goes through the built program.

use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use purple_testkit::output_of;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A change of state: number, state, reason.
type Change = (u64, String, Option<String>);

/// A bill of the company, and what it was told.
#[derive(Clone, Debug)]
struct Bills {
    /// Number, order, cents, state.
    bills: Vec<(u64, u64, u64, &'static str)>,
    states: Arc<Mutex<Vec<Change>>>,
}

impl Bills {
    fn state(&self, no: u64, first: &str) -> String {
        let states = self.states.lock().unwrap();
        states
            .iter()
            .rev()
            .find(|(of, ..)| *of == no)
            .map_or_else(|| first.to_owned(), |(_, state, _)| state.clone())
    }
}

fn tool(name: &str, says: &str, parameters: Value, required: &[&str]) -> Value {
    json!({"name": name, "description": says,
        "input_schema": {"type": "object", "properties": parameters, "required": required}})
}

async fn list() -> Json<Value> {
    Json(json!([
        tool("bill_fetch", "Reads one supplier bill.", json!({"bill_no": {"type": "string"}}), &["bill_no"]),
        tool(
            "order_fetch",
            "Reads one purchase order.",
            json!({"order_no": {"type": "integer"}}),
            &["order_no"]
        ),
        tool(
            "bill_set_state",
            "Sets the state of a bill.",
            json!({"bill_no": {"type": "string"}, "state": {"type": "string"}, "note": {"type": "string"}}),
            &["bill_no", "state"],
        ),
    ]))
}

async fn call(State(bills): State<Bills>, Json(posted): Json<Value>) -> Json<Value> {
    let given = &posted["params"];
    let no =
        || given["bill_no"].as_str().and_then(|id| id.strip_prefix("RE")?.parse::<u64>().ok()).unwrap_or(0);
    match posted["tool"].as_str().unwrap() {
        "bill_fetch" => {
            let found = bills.bills.iter().find(|(bill, ..)| *bill == no());
            let row = found.map(|(no, order, cents, first)| {
                json!({"bill_no": format!("RE{no}"), "order_no": order, "creditor": 77, "ext_ref": no.to_string(),
                    "gross_cents": cents, "curr": "USD", "status": bills.state(*no, first)})
            });
            Json(json!({"rows": row.into_iter().collect::<Vec<_>>()}))
        }
        "order_fetch" => Json(json!({"rows": [{"order_no": given["order_no"], "sum": "51200.00"}]})),
        _ => {
            let (state, note) = (given["state"].as_str().unwrap(), given["note"].as_str());
            bills.states.lock().unwrap().push((no(), state.to_owned(), note.map(str::to_owned)));
            Json(json!({"done": true}))
        }
    }
}

struct Company {
    folder: TempDir,
    bills: Bills,
}

/// The mapping as the document shows it.
fn documented() -> String {
    let text = include_str!("../../../../docs/tool-servers.md");
    let from = text.find("[servers.erp]").unwrap();
    let until = text[from..].find("```").unwrap();
    text[from..from + until].to_owned()
}

async fn company(settings: impl Fn(&str) -> String) -> Company {
    let bills = Bills {
        bills: vec![
            (100_447, 8821, 5_234_000, "OPEN"),
            (100_448, 8822, 5_120_000, "OPEN"),
            (100_449, 8823, 5_120_000, "REFUSED"),
        ],
        states: Arc::default(),
    };
    let router =
        Router::new().route("/mcp/tools", get(list)).route("/mcp", post(call)).with_state(bills.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let folder = tempfile::tempdir().unwrap();
    let text = format!("{}\n[data]\ndir = \"data\"\n[model]\nprovider = \"offline\"\n", settings(&url));
    std::fs::write(folder.path().join("purple.toml"), text).unwrap();
    Company { folder, bills }
}

impl Company {
    async fn purple(&self, arguments: &[&str]) -> (i32, String, String) {
        let folder = self.folder.path().to_owned();
        let arguments: Vec<String> = arguments.iter().map(|one| (*one).to_owned()).collect();
        tokio::task::spawn_blocking(move || run(&folder, &arguments)).await.unwrap()
    }

    /// How each call of the invoice process stands.
    async fn states(&self) -> Vec<String> {
        let (_, out, talk) = self.purple(&["process", "bind", "invoice_reconciliation", "--json"]).await;
        let shown: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{talk}"));
        let calls = shown["processes"][0]["calls"].as_array().unwrap();
        calls.iter().map(|call| call["state"].as_str().unwrap().to_owned()).collect()
    }

    fn told(&self) -> Vec<(u64, String, Option<String>)> {
        self.bills.states.lock().unwrap().clone()
    }

    fn settings(&self) -> String {
        std::fs::read_to_string(self.folder.path().join("purple.toml")).unwrap()
    }
}

fn run(folder: &Path, arguments: &[String]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
    command.args(arguments).current_dir(folder).env_clear().env("HOME", folder);
    let output = output_of(&mut command).unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code().unwrap_or(-1), text(&output.stdout), text(&output.stderr))
}

fn mapped(url: &str) -> String {
    documented().replace("http://127.0.0.1:8765", url)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_documented_mapping_runs_the_shipped_file_on_bills_with_cents_and_states() {
    let company = company(mapped).await;
    let (code, out, talk) =
        company.purple(&["run", "Approve or reject invoice RE100447 per policy.", "--session", "one"]).await;
    assert_eq!(code, 3, "{out}{talk}");
    assert!(out.contains("bill_set_state") || out.contains("REFUSED"), "{out}");
    assert_eq!(company.told(), []);
    let (code, out, talk) = company.purple(&["approve", "one", "--yes"]).await;
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(company.told(), [(100_447, "REFUSED".to_owned(), Some("AP-3".to_owned()))]);

    // Within the tolerance: nobody is asked. Once more: it was handled.
    let (code, out, talk) = company.purple(&["run", "Approve or reject invoice RE100448 per policy."]).await;
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(company.told().len(), 2);
    assert_eq!(company.told()[1], (100_448, "RELEASED".to_owned(), None));
    let (_, out, _) = company.purple(&["run", "Approve or reject invoice RE100449 per policy."]).await;
    assert!(out.contains("the invoice is rejected, not received"), "{out}");
    let (_, out, _) = company.purple(&["run", "Approve or reject invoice RE100999 per policy."]).await;
    assert!(out.contains("the invoice was not found"), "{out}");
    assert_eq!(company.told().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn bind_shows_each_call_pins_what_is_accepted_and_a_changed_tool_is_broken() {
    let company = company(mapped).await;
    let bind = ["process", "bind", "invoice_reconciliation"];
    assert_eq!(company.states().await, ["mapped"; 5]);
    let (code, out, talk) = company.purple(&[&bind[..], &["--accept"]].concat()).await;
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(company.states().await, ["confirmed"; 5]);
    assert_eq!(company.settings().matches("pin = ").count(), 5);
    let (_, out, talk) = company.purple(&["audit", "operators"]).await;
    assert!(out.contains("erp") && out.contains("bill_set_state"), "{out}{talk}");
    let (code, out, talk) = company.purple(&["run", "Approve or reject invoice RE100448 per policy."]).await;
    assert_eq!(code, 0, "{out}{talk}");

    let other = company.settings();
    let pin = other.lines().find(|line| line.starts_with("pin = ")).unwrap().to_owned();
    let stale = format!("pin = \"{}\"", purple_process::Digest::of(b"another"));
    std::fs::write(company.folder.path().join("purple.toml"), other.replace(&pin, &stale)).unwrap();
    let (code, out, _) = company.purple(&bind).await;
    assert!(out.contains(" broken ") && out.contains("is not as it was confirmed"), "{code} {out}");
    let (_, out, _) = company.purple(&["run", "Approve or reject invoice RE100447 per policy."]).await;
    assert!(out.contains("is not as it was confirmed"), "{out}");
    assert_eq!(company.told().len(), 1);
    let (code, out, talk) = company.purple(&[&bind[..], &["--accept"]].concat()).await;
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(company.states().await, ["confirmed"; 5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_only_proposed_is_used_by_no_run() {
    let server = |url: &str| {
        format!(
            "[servers.erp]\nurl = \"{url}\"\nera = \"bridge\"\n[systems.erp.inputs]\ninvoice_id = 'RE[0-9]{{6}}'\n"
        )
    };
    let company = company(server).await;
    let (code, out, talk) = company.purple(&["process", "bind", "invoice_reconciliation", "--json"]).await;
    assert_eq!(code, 9, "{out}{talk}");
    let shown: Value = serde_json::from_str(&out).unwrap();
    let calls = shown["processes"][0]["calls"].as_array().unwrap();
    let of = |name: &str| calls.iter().find(|call| call["call"] == name).unwrap();
    assert_eq!(of("get_invoice")["state"], "proposed", "{out}");
    assert_eq!(of("get_invoice")["tool"]["tool"], "bill_fetch", "{out}");
    assert_eq!(of("get_purchase_order")["tool"]["tool"], "order_fetch", "{out}");
    assert_eq!(
        of("approve_invoice")["state"],
        "none",
        "a state that is set says nothing of an approval: {out}"
    );
    let (_, out, talk) = company.purple(&["run", "Approve or reject invoice RE100448 per policy."]).await;
    assert!(out.contains("neither offered nor mapped"), "{out}{talk}");
    assert_eq!(company.told(), []);
}

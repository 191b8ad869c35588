//! A data folder of an earlier version opens, verifies, is shown, replays, resumes, and its pending plan can be approved.
//!
//! `fixture/v0/README.md` lists what the folder holds and how it was written.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use purple_backoffice::Ledger;
use purple_journal::{Entry, Record};
use purple_testkit::{ChildDeadline, output_of};
use serde_json::Value;

const ENTRIES: usize = 2_317;
const BLOBS: usize = 565;
const RUNS: usize = 58;

/// The pending plan, and the tool that it calls.
const PENDING: (&str, &str) = ("case-1-invoice", "reject_invoice");
/// The run whose worker was killed after the tool had been called and before it answered.
const INTERRUPTED: &str = "case-2-order";

/// An event of a run that never began: there is no summary, and so `show` and `trace` cannot show it.
const WITHOUT_SUMMARY: &str = "nobody-event-ignored";

const REFUSED: &str = "the privacy guard refused the task, and its words were not kept";
const MODE: &str = "written in mode `always`";
const SETTINGS: &str = "written with settings that neither configuration of this test has";

/// Runs whose words this version reads in another way, or whose shipped process file has changed since.
const READ_ANEW: [&str; 23] = [
    "case-4-sla",
    "c",
    "case-2-order",
    "empty-a-request-that-cannot-be-served-ends-with-its-code-and",
    "engine-skipped",
    "first-a-computation-of-the-table-needs-no-naming",
    "later-a-run-that-has-begun-keeps-the-file-that-ships",
    "order-a-record-that-somebody-else-changed-is-read-decided-and",
    "run-a-key-that-the-provider-does-not-take-is-said-to-be-that-and",
    "run-an-approval-that-nobody-answered-is-a-no",
    "run-keywords-decide-where-a-classification-takes-longer-than-its",
    "run-tools-crowded",
    "run-what-was-done-to-one-record-is-undone-from-the-last-to-the",
    "s-77",
    "sla-a-halt-that-ends-before-the-run-is-known-to-stand-still-does",
    "sla-a-hostile-answer-to-a-write-or-a-read-back-neither-stops-nor",
    "sla-a-question-of-a-tool-during-a-write-waits-for-a-person-and",
    "sla-a-read-that-fails-leads-to-a-person-and-never-to-a-write",
    "sla-a-tool-that-asks-for-a-secret-is-quarantined-and-nobody-is",
    "sla-quiet-hours-hold-a-notice-back-and-it-is-then-sent-once",
    "sla-renamed-fields-of-a-read-are-found-again-before-the-write",
    "sla-too-many-calls-put-an-operation-off-and-it-is-done-once",
    "unsigned-a-draft-loads-does-the-same-and-counts-once-it-is-signed",
];

/// Runs with a plan of a model whose operations this version reads back in another way, which is part of the plan.
const READ_BACK_ANEW: [&str; 8] = [
    "first-a-wrong-function-is-refused-and-its-second-version-is-taken",
    "first-the-task-that-a-function-was-made-for-can-prove-it-wrong",
    "run-a-note-stands-beside-the-card-and-is-marked",
    "run-a-run-whose-arithmetic-was-corrected-is-the-same-when",
    "run-a-run-with-a-faulty-proposal-a-gate-and-a-captured-write-is",
    "run-answer-reflected",
    "run-audit-doubted",
    "run-what-was-computed-for-a-round-that-came-to-nothing-is-no",
];

/// The runs that do not replay with the configurations of this test, and why.
const NO_REPLAY: [(&str, &str); 10] = [
    ("case-5-every-blob-that-the-cases-keep-is-named-by-their-journals", SETTINGS),
    ("inv", SETTINGS),
    ("invoice-a-declared-approval-tool-speaks-for-the-requester-and-for", SETTINGS),
    ("order-a-declared-approval-tool-speaks-for-the-requester-and-for", SETTINGS),
    ("run-a-run-that-dies-anywhere-goes-on-and-repeats-no-write", MODE),
    ("run-mode-attendance-and-the-strictest-source-decide-whether-a", SETTINGS),
    ("run_0", REFUSED),
    ("sla", MODE),
    ("sla-a-lost-answer-is-adopted-where-the-effect-is-there", SETTINGS),
    ("sla-a-process-that-dies-between-any-two-calls-repeats-no-effect", SETTINGS),
];

/// What `purple demo` writes into its `purple.toml`, with paths inside the folder.
const CONFIG: &str = r#"
[clock]
start = "2026-03-04T09:00:00Z"
[model]
provider = "offline"
[data]
dir = "data"
[push]
allow = ["http://127.0.0.1:9"]
"#;
/// The tools that `purple demo` declares to take a key. The runs that tests wrote declare none.
const KEYED: [&str; 5] = [
    "apply_account_credit",
    "approve_invoice",
    "reject_invoice",
    "send_sla_breach_notification",
    "update_employee_status",
];

/// A copy of the fixture, with the two configurations that its runs were written with.
struct Copied {
    folder: tempfile::TempDir,
}

impl Copied {
    fn new() -> Self {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture/v0");
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("data")).unwrap();
        for file in ["company.db", "data/purple.db", "data/watchers.key"] {
            std::fs::copy(from.join(file), folder.path().join(file)).unwrap();
        }
        let program = Value::from(env!("CARGO_BIN_EXE_purple"));
        let server = format!(
            "[servers.company]\nmanifest = \"demo-company\"\ncommand = {program}\nargs = [\"demo\", \"--office\", \"company.db\"]\n"
        );
        let key = format!("key = \"meta:{}\"", purple_backoffice::IDEMPOTENCY_META);
        let keyed: String = KEYED.iter().map(|tool| format!("[tools.company.{tool}]\n{key}\n")).collect();
        let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
        // The folder has tokens, so the command line asks who somebody is: the account of these tests is olga's, an operator.
        let told = output_of(Command::new("id").arg("-un")).unwrap();
        let account = String::from_utf8(told.stdout).unwrap();
        let olga = format!("[people.olga]\nroles = [\"operator\"]\naccount = \"{}\"\n", account.trim());
        write("plain.toml", format!("{CONFIG}{server}{olga}"));
        write("purple.toml", format!("{CONFIG}{server}{keyed}{olga}"));
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
        command.args(arguments).current_dir(self.folder.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.path("home")).env("PATH", "/usr/bin:/bin").env("USER", "alex");
        command
    }

    /// The exit code, and what the command printed on stdout and stderr.
    fn purple(&self, arguments: &[&str]) -> (i32, String, String) {
        let output = output_of(&mut self.command(arguments)).unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }

    /// The stdout of a command that must succeed.
    fn done(&self, arguments: &[&str]) -> String {
        let (code, out, talk) = self.purple(arguments);
        assert_eq!(code, 0, "{arguments:?}: {out}{talk}");
        out
    }

    fn view(&self, run: &str) -> Value {
        serde_json::from_str(&self.done(&["show", run, "--json"])).unwrap()
    }

    /// The records of an export, by run and in order.
    fn records(&self) -> BTreeMap<String, Vec<Value>> {
        let file = self.path("audit.jsonl");
        if !file.exists() {
            self.done(&["audit", "export", "-o", "audit.jsonl"]);
        }
        let mut runs: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let line: Value = serde_json::from_str(line).unwrap();
            if let (Some(run), true) = (line["session"].as_str(), line["entry"].is_object()) {
                runs.entry(run.to_owned()).or_default().push(line);
            }
        }
        runs
    }

    /// How often a tool had an effect in the demo business.
    fn effects(&self, tool: &str) -> usize {
        let ledger = Ledger::read(&self.path("company.db")).unwrap();
        ledger.effects.iter().filter(|effect| effect.tool == tool).count()
    }

    fn verifies(&self) -> Value {
        let report: Value = serde_json::from_str(&self.done(&["audit", "verify", "--json"])).unwrap();
        assert_eq!(report["ok"], true, "{report}");
        report
    }

    fn serve(&self) -> Server {
        let mut command = self.command(&["serve", "--port", "0", "--json"]);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = ChildDeadline::of(&child);
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        drop(deadline);
        let server = Server(child);
        assert!(line.contains("\"url\""), "{line}");
        server
    }
}

/// A running server, which ends with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Calls `look` for every run, a few at a time: most of the time goes into starting processes.
fn for_every_run(runs: &[String], look: impl Fn(&str) + Sync) {
    let left = Mutex::new(runs.iter());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let next = left.lock().unwrap().next();
                    let Some(run) = next else { break };
                    look(run);
                }
            });
        }
    });
}

#[test]
fn it_verifies_and_its_export_verifies_without_code_of_the_product() {
    let copied = Copied::new();
    let report = copied.verifies();
    let counts = ["runs", "entries", "blobs"].map(|name| report[name].as_u64().unwrap());
    assert_eq!(counts, [RUNS, ENTRIES, BLOBS].map(|count| count as u64));
    copied.done(&["audit", "export", "-o", "audit.jsonl"]);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/verify_audit.py");
    let mut python = Command::new("python3");
    let output = output_of(python.arg(script).arg(copied.path("audit.jsonl"))).unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{told}{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.starts_with(&format!("{ENTRIES} records and {BLOBS} blobs hold")), "{told}");
}

#[test]
fn every_kind_of_record_that_tests_can_produce_is_there() {
    let records = Copied::new().records();
    let kinds: BTreeSet<&str> =
        records.values().flatten().map(|line| line["entry"]["kind"].as_str().unwrap()).collect();
    let listed: BTreeSet<&str> = include_str!("fixture/v0/kinds.txt").lines().collect();
    assert_eq!(kinds, listed);
    assert_eq!((records.len(), records.values().map(Vec::len).sum::<usize>()), (RUNS, ENTRIES));
}

/// The canonical bytes of the kinds that exist are frozen.
#[test]
fn every_record_is_read_as_its_type_and_written_to_the_same_bytes() {
    let copied = Copied::new();
    copied.done(&["audit", "export", "-o", "audit.jsonl"]);
    let mut read = 0;
    for line in std::fs::read_to_string(copied.path("audit.jsonl")).unwrap().lines() {
        let Some(rest) = line.strip_prefix("{\"entry\":") else { continue };
        let (text, _) = rest.rsplit_once(",\"hash\":\"sha256:").unwrap();
        let entry = Entry::parse(text).unwrap();
        assert!(!matches!(entry.record, Record::Unknown(_)), "{text}");
        assert_eq!(entry.text(), text);
        read += 1;
    }
    assert_eq!(read, ENTRIES);
}

#[test]
fn every_run_is_shown_with_every_record() {
    let copied = Copied::new();
    let records = copied.records();
    let listed: Value = serde_json::from_str(&copied.done(&["runs", "--limit", "100", "--json"])).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), RUNS - 1, "all but `{WITHOUT_SUMMARY}`");
    let runs: Vec<String> = records.keys().filter(|run| *run != WITHOUT_SUMMARY).cloned().collect();
    assert_eq!(runs.len(), RUNS - 1);
    for_every_run(&runs, |run| {
        let expected = &records[run];
        let view = copied.view(run);
        assert_eq!(
            (view["run"].as_str(), view["entries"].as_u64()),
            (Some(run), Some(expected.len() as u64))
        );
        assert!(copied.done(&["show", run]).contains(run), "{run}");
        let traced = copied.done(&["trace", run, "--json"]);
        let traced: Vec<Value> = traced.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(&traced, expected, "{run}");
        let text = copied.done(&["trace", run]);
        for line in expected {
            let kind = line["entry"]["kind"].as_str().unwrap();
            assert!(text.contains(kind), "{run}: {kind}");
        }
    });
}

#[test]
fn every_run_replays_but_those_that_are_listed() {
    let copied = Copied::new();
    let runs: Vec<String> = copied.records().into_keys().collect();
    let differing = Mutex::new(BTreeSet::new());
    for_every_run(&runs, |run| {
        let replays = |config: &str| copied.purple(&["--config", config, "replay", run]).0 == 0;
        if !replays("purple.toml") && !replays("plain.toml") {
            differing.lock().unwrap().insert(run.to_owned());
        }
    });
    let listed = NO_REPLAY.iter().map(|(run, _)| *run).chain(READ_ANEW).chain(READ_BACK_ANEW);
    let listed: BTreeSet<String> = listed.map(str::to_owned).collect();
    assert_eq!(differing.into_inner().unwrap(), listed, "{NO_REPLAY:#?}");
}

#[test]
fn the_interrupted_run_resumes_and_repeats_no_write() {
    let copied = Copied::new();
    let last = copied.records()[INTERRUPTED].last().unwrap()["entry"]["kind"].clone();
    assert_eq!(
        (last, copied.view(INTERRUPTED)["summary"]["status"].clone()),
        ("write.intent".into(), "working".into())
    );
    let effects = || [copied.effects("modify_order_items"), copied.effects("send_order_confirmation")];
    assert_eq!(effects(), [1, 0]);
    let server = copied.serve();
    copied.done(&["trace", INTERRUPTED, "--follow"]);
    drop(server);
    let view = copied.view(INTERRUPTED);
    assert_eq!((&view["summary"]["status"], &view["summary"]["ending"]), (&"closed".into(), &"done".into()));
    assert_eq!(effects(), [1, 1]);
    assert!(copied.verifies()["entries"].as_u64() > Some(ENTRIES as u64));
}

#[test]
fn the_pending_plan_is_approved_and_carried_out_once() {
    let copied = Copied::new();
    let (run, tool) = PENDING;
    assert_eq!((copied.view(run)["summary"]["status"].as_str(), copied.effects(tool)), (Some("waiting"), 0));
    // A token of the fixture gives her the role that the card asks for.
    copied.done(&["approve", run, "--yes"]);
    let view = copied.view(run);
    assert_eq!((&view["summary"]["status"], &view["summary"]["ending"]), (&"closed".into(), &"done".into()));
    assert_eq!(copied.effects(tool), 1);
    copied.verifies();
    let (code, _, talk) = copied.purple(&["approve", run, "--yes"]);
    assert_ne!(code, 0, "{talk}");
    assert_eq!(copied.effects(tool), 1);
}

#[test]
fn what_operators_did_is_still_in_force() {
    let copied = Copied::new();
    let tokens = copied.done(&["token", "list"]);
    let state = |person: &str| tokens.lines().find(|line| line.contains(person)).unwrap().to_owned();
    assert!(state("ada").ends_with("counts") && state("olga").contains("ap_lead, order_desk"), "{tokens}");
    assert!(state("eve").ends_with("revoked"), "{tokens}");
    let processes = copied.done(&["process", "list"]);
    let signed = processes.lines().find(|line| line.starts_with("parking_permits")).unwrap();
    assert!(signed.contains("signed by olga"), "{signed}");
    let health = copied.purple(&["doctor"]);
    assert!(health.1.contains("payroll is stopped since"), "{health:?}");
    copied.done(&["resume", "--process", "payroll"]);
    assert!(!copied.purple(&["doctor"]).1.contains("payroll is stopped"));
}

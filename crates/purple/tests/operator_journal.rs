//! The operator journal by the built program: what it lists, and what `audit verify` says about changed rows.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod business;

use std::path::Path;
use std::process::Command;

use business::Business;
use rusqlite::Connection;
use serde_json::Value;

const MODE_ALWAYS: (&str, &str) = ("PURPLE_APPROVALS_MODE", "always");

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The records of the journal, which holds.
fn records(business: &Business) -> Vec<Value> {
    let (code, out, talk) = business.purple(&["audit", "operators", "--json"]);
    assert_eq!(code, 0, "{out}{talk}");
    let listed = json(&out);
    assert_eq!((&listed["ok"], &listed["fault"]), (&Value::Bool(true), &Value::Null));
    listed["records"].as_array().unwrap().clone()
}

fn of_kind(business: &Business, kind: &str) -> Vec<Value> {
    records(business).into_iter().filter(|record| record["kind"] == kind).collect()
}

/// The account of the operating system that the tests run under.
fn account() -> String {
    let told = Command::new("id").arg("-un").output().unwrap();
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

/// A folder that has or had tokens asks who is at the command line.
fn kim_is_the_operator(business: &Business) {
    let kim = format!("[people.kim]\nroles = [\"operator\"]\naccount = \"{}\"\n", account());
    business.file("purple.toml", &kim);
}

fn done(business: &Business, arguments: &[&str]) -> String {
    let (code, out, talk) = business.purple(arguments);
    assert_eq!(code, 0, "{arguments:?}: {out}{talk}");
    out
}

#[expect(clippy::disallowed_methods, reason = "damages the database, which the product never does")]
fn database(business: &Business) -> Connection {
    Connection::open(business.folder.path().join("data/purple.db")).unwrap()
}

#[test]
fn every_change_is_listed_with_its_person_and_the_newest_is_last() {
    let business = Business::open();
    done(&business, &["halt", "--reason", "inventory", "--as", "kim"]);
    done(&business, &["resume", "--as", "lea"]);
    let token = ["token", "create", "--name", "dana", "--role", "requester", "--as", "max", "--json"];
    let id = json(&done(&business, &token))["id"].as_str().unwrap().to_owned();
    done(&business, &["token", "revoke", &id, "--as", "eve"]);
    let listed = done(&business, &["audit", "operators"]);
    let lines: Vec<&str> = listed.lines().collect();
    let expected = [
        "WHEN",
        "operator journal began",
        "settings changed: a2a.pause_as = input-required; ",
        "all operations halted: inventory",
        "halt of all operations lifted",
        &format!("token `{id}` created for dana: requester"),
        &format!("token `{id}` revoked"),
    ];
    assert_eq!(lines.len(), expected.len(), "{listed}");
    for (line, part) in lines.iter().zip(expected) {
        assert!(line.contains(part), "{part}: {listed}");
    }
    let by: Vec<Value> = records(&business).into_iter().map(|record| record["by"].clone()).collect();
    // Once a token has existed nobody is taken at their word: the account of the owner of the folder is recorded.
    let account = account().into();
    assert_eq!(by, [Value::Null, "kim".into(), "kim".into(), "lea".into(), "max".into(), account]);
    assert!(lines[3].contains("  kim  ") && lines[4].contains("  lea  "), "{listed}");
}

#[test]
fn through_a_running_server_the_person_of_the_command_is_recorded() {
    let business = Business::open();
    let served = business.serve();
    done(&business, &["halt", "--as", "kim"]);
    done(&business, &["resume", "--as", "lea"]);
    done(&business, &["token", "create", "--name", "dana", "--role", "requester", "--as", "max"]);
    let found: Vec<(Value, Value)> =
        records(&business).into_iter().map(|record| (record["kind"].clone(), record["by"].clone())).collect();
    let expected = [
        ("operator.began", Value::Null),
        // `serve` was started by alex. The commands do not start to execute runs.
        ("configuration.changed", "alex".into()),
        ("halt.set", "kim".into()),
        ("halt.lifted", "lea".into()),
        ("token.created", "max".into()),
    ];
    assert_eq!(found, expected.map(|(kind, by)| (Value::from(kind), by)));
    served.kill();
}

#[test]
fn changed_settings_are_recorded_once_and_without_secrets() {
    let business = Business::open();
    let key = [("ANTHROPIC_API_KEY", "sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"), ("USER", "kim")];
    for _ in 0..2 {
        assert_eq!(business.with(&key, &["resume"]).0, 0);
    }
    let first = of_kind(&business, "configuration.changed");
    assert_eq!(first.len(), 1, "{first:?}");
    let changed = first[0]["data"]["changed"].as_array().unwrap();
    let value = |name: &str| {
        let found = changed.iter().find(|one| one["key"] == name);
        found.map(|one| one["value"].as_str().unwrap().to_owned())
    };
    assert_eq!(value("approvals.mode").as_deref(), Some("careful"));
    assert_eq!(value("model.anthropic_key").as_deref(), Some("env:ANTHROPIC_API_KEY"));
    assert_eq!(value("data.dir"), None);
    assert!(!first[0].to_string().contains("abcdefghij"), "{}", first[0]);

    // A flag, a variable or a file: the settings in effect count.
    let permissive = [key[0], key[1], MODE_ALWAYS];
    assert_eq!(business.with(&permissive, &["resume"]).0, 0);
    assert_eq!(business.with(&key, &["resume"]).0, 0);
    let all = of_kind(&business, "configuration.changed");
    let told: Vec<&str> = all[1..].iter().map(|record| record["what"].as_str().unwrap()).collect();
    assert_eq!(
        told,
        ["settings changed: approvals.mode = always", "settings changed: approvals.mode = careful"]
    );
    assert_eq!(all[0]["data"]["digest"], all[2]["data"]["digest"]);
    // Who only reads starts nothing.
    assert_eq!(business.with(&permissive, &["runs"]).0, 0);
    assert_eq!(of_kind(&business, "configuration.changed").len(), 3);
}

#[test]
fn the_content_of_the_policy_and_of_process_files_counts_as_a_setting() {
    let business = Business::open();
    business.file("purple.toml", "[policy]\nfile = \"policy.json\"\n[processes]\ndirs = [\"own\"]\n");
    let process = concat!(env!("CARGO_MANIFEST_DIR"), "/../../processes/sla_breach.yaml");
    let process = std::fs::read_to_string(process).unwrap();
    business.file("own/sla_breach.yaml", &process);
    let rule = |limit: u32| {
        format!(r#"{{"rules": [{{"id": "OP-1", "condition": "amount > {limit}", "action": "block"}}]}}"#)
    };
    business.file("policy.json", &rule(1));
    done(&business, &["resume"]);
    business.file("policy.json", &rule(1_000_000));
    done(&business, &["resume"]);
    business.file("own/sla_breach.yaml", &format!("{process}\n# reviewed\n"));
    done(&business, &["resume"]);
    let all = of_kind(&business, "configuration.changed");
    assert_eq!(all.len(), 3, "{all:?}");
    for (record, name) in all[1..].iter().zip(["policy.file", "process sla_breach"]) {
        let what = record["what"].as_str().unwrap();
        assert!(what.starts_with(&format!("settings changed: {name} sha256 = sha256:")), "{what}");
    }
}

#[test]
fn a_pin_is_recorded_with_its_person_also_beside_a_server_and_a_removed_one_is_a_changed_setting() {
    let business = Business::open();
    let config = format!("[servers.company]\nmanifest = \"demo-company\"\nurl = \"{}\"\n", business.url);
    business.file("purple.toml", &config);
    let own = [("GREEN_AGENT_MCP_URL", ""), ("USER", "alex")];
    let pin = |tool: &str, by: &str| {
        let (code, out, talk) = business.with(&own, &["tools", "pin", tool, "--write", "--as", by]);
        assert_eq!(code, 0, "{out}{talk}");
    };
    pin("reject_invoice", "kim");
    let served = {
        let mut command = business.command(&["serve", "--port", "0"]);
        business.started(command.envs(own))
    };
    pin("approve_invoice", "lea");
    // What is pinned as it is stays as it is: there is nothing to record.
    pin("approve_invoice", "max");
    served.kill();
    let pinned = of_kind(&business, "tool.pinned");
    let told: Vec<[&str; 3]> = pinned
        .iter()
        .map(|record| {
            let data = &record["data"];
            [&data["server"], &data["tool"], &data["by"]].map(|one| one.as_str().unwrap())
        })
        .collect();
    assert_eq!(told, [["company", "reject_invoice", "kim"], ["company", "approve_invoice", "lea"]]);
    let written = std::fs::read_to_string(business.folder.path().join("purple.toml")).unwrap();
    for record in &pinned {
        assert!(written.contains(record["data"]["digest"].as_str().unwrap()), "{record} {written}");
        assert_eq!(record["data"]["effect"], "write");
    }
    // Somebody takes both pins out of the file.
    assert_eq!(business.with(&own, &["resume"]).0, 0);
    business.file("purple.toml", &config);
    assert_eq!(business.with(&own, &["resume"]).0, 0);
    let last = of_kind(&business, "configuration.changed").pop().unwrap();
    let what = last["what"].as_str().unwrap();
    for part in ["tools.company.approve_invoice.pin not set", "tools.company.reject_invoice.pin not set"] {
        assert!(what.contains(part), "{what}");
    }
}

#[test]
fn a_changed_token_or_halt_row_fails_the_audit_by_its_name() {
    let business = Business::open();
    done(&business, &["halt", "--process", "payroll", "--reason", "inventory", "--as", "kim"]);
    let token = ["token", "create", "--name", "dana", "--role", "requester", "--as", "max", "--json"];
    let id = json(&done(&business, &token))["id"].as_str().unwrap().to_owned();
    kim_is_the_operator(&business);
    let sound = done(&business, &["audit", "verify"]);
    assert!(sound.contains("4 records of operators"), "{sound}");
    let cases = [
        (
            "UPDATE tokens SET token = replace(token, 'requester', 'operator')",
            format!("row `{id}` of `tokens` was changed: record 4 of the operator journal states another content"),
            "UPDATE tokens SET token = replace(token, 'operator', 'requester')",
        ),
        (
            "UPDATE halts SET halt = replace(halt, 'inventory', 'inventorx')",
            "row `process:payroll` of `halts` was changed: record 3 of the operator journal states another content"
                .to_owned(),
            "UPDATE halts SET halt = replace(halt, 'inventorx', 'inventory')",
        ),
    ];
    for (damage, expected, repair) in cases {
        assert_eq!(database(&business).execute(damage, []).unwrap(), 1);
        let (code, out, _) = business.purple(&["audit", "verify"]);
        assert_eq!((code, out.trim_end()), (1, format!("NOT OK: {expected}").as_str()));
        let (code, out, _) = business.purple(&["audit", "verify", "--json"]);
        assert_eq!((code, &json(&out)["fault"]["fault"]), (1, &Value::from(expected.clone())));
        // The list shows the records, which hold, and the fault.
        let (code, out, _) = business.purple(&["audit", "operators"]);
        assert!(
            code == 1 && out.contains("inventory") && out.contains(&format!("NOT OK: {expected}")),
            "{out}"
        );
        assert_eq!(database(&business).execute(repair, []).unwrap(), 1);
        done(&business, &["audit", "verify"]);
    }
}

#[test]
fn without_the_head_of_the_journal_a_halt_says_what_to_do() {
    let business = Business::open();
    done(&business, &["resume"]);
    assert_eq!(database(&business).execute("DELETE FROM operator_head", []).unwrap(), 1);
    let halted = |business: &Business| {
        let (code, out, talk) = business.purple(&["halt"]);
        assert_eq!(code, 1, "{out}{talk}");
        assert!(talk.contains("the operator journal is damaged: its head is missing"), "{talk}");
        assert!(talk.contains("restore its database from a backup"), "{talk}");
    };
    halted(&business);
    let served = business.serve();
    halted(&business);
    served.kill();
    let (code, out, _) = business.purple(&["audit", "verify"]);
    assert!(
        code == 1 && out.contains("record 1 of the operator journal and all after it were cut off"),
        "{out}"
    );
}

#[test]
fn the_first_halt_in_a_folder_of_an_earlier_version_works() {
    let business = Business::open();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixture/v0/data");
    std::fs::create_dir(business.folder.path().join("data")).unwrap();
    for file in ["purple.db", "watchers.key"] {
        std::fs::copy(fixture.join(file), business.folder.path().join("data").join(file)).unwrap();
    }
    kim_is_the_operator(&business);
    assert_eq!(records(&business), Vec::<Value>::new(), "a reader adds nothing");
    done(&business, &["halt", "--reason", "inventory"]);
    let last = records(&business).pop().unwrap();
    assert_eq!(
        (&last["kind"], &last["by"], &last["what"]),
        (&"halt.set".into(), &"kim".into(), &"all operations halted: inventory".into())
    );
    done(&business, &["audit", "verify"]);
}

#[test]
fn the_independent_verifier_accepts_an_export_with_every_kind_of_change() {
    let business = Business::open();
    done(&business, &["halt", "--as", "kim"]);
    done(&business, &["resume", "--as", "lea"]);
    done(
        &business,
        &["tools", "pin", "reject_invoice", "--write", "--config", &business.file("own.toml", "")],
    );
    done(&business, &["audit", "export", "-o", "export.jsonl"]);
    let tool = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tools/verify_audit.py");
    let export = business.folder.path().join("export.jsonl");
    let ran = purple_testkit::output_of(Command::new("python3").arg(tool).arg(&export)).unwrap();
    let printed = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success() && printed.starts_with("5 records and 0 blobs hold"), "{printed}");
}

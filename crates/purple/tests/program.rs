//! The built program, run as people and scripts run it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use purple_testkit::output_of;
use serde_json::Value;

/// A folder of its own, with nothing of the machine's environment.
struct Place {
    folder: tempfile::TempDir,
}

struct Ended {
    code: i32,
    out: String,
    talk: String,
}

impl Ended {
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

impl Place {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn file(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path().join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, text).unwrap();
        file
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_purple"));
        command.args(arguments).current_dir(self.path()).env_clear().stdin(Stdio::null());
        command.env("HOME", self.path().join("home")).env("PATH", "/usr/bin:/bin");
        command
    }

    fn purple(&self, arguments: &[&str]) -> Ended {
        ended(output_of(&mut self.command(arguments)).unwrap())
    }

    fn with(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Ended {
        ended(output_of(self.command(arguments).envs(variables.iter().copied())).unwrap())
    }

    /// The value and the origin of one setting.
    fn setting(&self, key: &str, variables: &[(&str, &str)], more: &[&str]) -> (String, String) {
        let shown = self.with(variables, &[&["config", "show", "--json", key], more].concat());
        assert_eq!(shown.code, 0, "{}", shown.talk);
        let all = shown.json();
        let one = all.as_array().unwrap().iter().find(|one| one["key"] == key).unwrap().clone();
        let text = |name: &str| one[name].as_str().unwrap_or("–").to_owned();
        (text("value"), text("origin"))
    }
}

fn ended(output: Output) -> Ended {
    Ended {
        code: output.status.code().unwrap(),
        out: String::from_utf8(output.stdout).unwrap(),
        talk: String::from_utf8(output.stderr).unwrap(),
    }
}

#[test]
fn the_help_names_every_command() {
    insta::assert_snapshot!("help", Place::new().purple(&["-h"]).out);
}

#[test]
fn the_exit_codes_are_the_documented_ones() {
    let place = Place::new();
    insta::assert_snapshot!("exit_codes", place.purple(&["help", "exit-codes"]).out);
    let listed = place.purple(&["help", "exit-codes", "--json"]).json();
    let numbers: Vec<_> =
        listed.as_array().unwrap().iter().map(|one| one["code"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 130]);
}

#[test]
fn every_command_has_help_of_its_own() {
    let place = Place::new();
    let help = place.purple(&["-h"]).out;
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let names: Vec<&str> = commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names.len(), 33);
    for name in names {
        let told = place.purple(&["help", name]);
        assert_eq!(told.code, 0, "{name}: {}", told.talk);
        assert!(told.out.contains(&format!("Usage: purple {name}")), "{name}: {}", told.out);
    }
}

#[test]
fn what_cannot_be_understood_is_a_usage_error_with_a_suggestion() {
    let place = Place::new();
    let ended = place.purple(&["aprove", "run_1"]);
    assert_eq!((ended.code, ended.out.as_str()), (2, ""));
    assert!(ended.talk.contains("'approve'"), "{}", ended.talk);
    let ended = place.purple(&["help", "exit-code"]);
    assert_eq!(ended.code, 2);
    assert!(ended.talk.contains("did you mean `exit-codes`?"), "{}", ended.talk);
    assert_eq!(place.purple(&["settle", "run_1", "op_1"]).code, 2);
    assert_eq!(place.purple(&["settle", "run_1", "op_1", "--done", "--not-done"]).code, 2);
    assert_eq!(place.purple(&["reject", "run_1"]).code, 2);
    assert_eq!(place.purple(&["demo", "--case", "6"]).code, 2);
}

#[test]
fn a_stronger_layer_wins_and_every_value_knows_its_origin() {
    let place = Place::new();
    let key = "approvals.mode";
    let own = |value: &str, origin: &str| (value.to_owned(), origin.to_owned());
    assert_eq!(place.setting(key, &[], &[]), own("careful", "built-in"));
    place.file("home/.config/purple/purple.toml", "[approvals]\nmode = \"permissive\"\n");
    assert_eq!(place.setting(key, &[], &[]), own("permissive", "user"));
    place.file("purple.toml", "[approvals]\nmode = \"always\"\n");
    assert_eq!(place.setting(key, &[], &[]), own("always", "project"));
    let set = [("PURPLE_APPROVALS_MODE", "careful")];
    assert_eq!(place.setting(key, &set, &[]), own("careful", "environment"));
    let only = place.file("only.toml", "[approvals]\nunattended = true\n");
    let only = only.to_str().unwrap();
    assert_eq!(place.setting(key, &[], &["--config", only]), own("careful", "built-in"));
    assert_eq!(place.setting("approvals.unattended", &[], &["--config", only]), own("true", "file"));
    assert_eq!(place.setting(key, &[], &["--no-config"]), own("careful", "built-in"));
}

#[test]
fn a_flag_is_stronger_than_the_environment() {
    let place = Place::new();
    let set = [("PURPLE_DATA_DIR", "from-env")];
    let (value, origin) = place.setting("data.dir", &set, &[]);
    assert!(value.ends_with("/from-env") && origin == "environment", "{value} {origin}");
    let (value, origin) = place.setting("data.dir", &set, &["--data-dir", "/from/flag"]);
    assert_eq!((value.as_str(), origin.as_str()), ("/from/flag", "flag"));
}

#[test]
fn the_project_file_of_a_folder_above_is_found() {
    let place = Place::new();
    place.file("purple.toml", "[data]\ndir = \"kept\"\n");
    std::fs::create_dir_all(place.path().join("a/b")).unwrap();
    let mut command = place.command(&["config", "show", "data.dir", "--origin"]);
    let shown = ended(output_of(command.current_dir(place.path().join("a/b"))).unwrap());
    assert!(shown.out.contains("purple.toml:2:1"), "{}", shown.out);
    assert!(shown.out.contains("/kept") && !shown.out.contains("a/b"), "{}", shown.out);
}

#[test]
fn names_that_people_have_set_already_are_read() {
    let place = Place::new();
    for (variable, value, key, shown) in [
        ("TOOL_TIMEOUT", "15", "limits.tool_timeout_s", "15"),
        ("TASK_TIMEOUT", "300", "limits.task_timeout_s", "300"),
        ("FALLBACK_MODEL", "big-model", "model.strong", "big-model"),
        ("RL_CACHE_DIR", "/cache", "learn.dir", "/cache"),
        ("GREEN_AGENT_MCP_URL", "http://tools:9009", "tools_endpoints.default", "http://tools:9009"),
        ("PURPLE_AGENT_CARD_URL", "https://me.example", "serve.card_url", "https://me.example"),
        ("ANTHROPIC_BASE_URL", "https://a.example", "model.anthropic_url", "https://a.example"),
        ("OPENAI_BASE_URL", "https://o.example", "model.openai_url", "https://o.example"),
        ("OLLAMA_HOST", "localhost:11434", "model.ollama_url", "localhost:11434"),
        ("BRAINOS_API_URL", "http://127.0.0.1:9", "model.brainos_url", "http://127.0.0.1:9"),
        ("BRAINOS_API_KEY", "bk-1", "model.brainos_key", "env:BRAINOS_API_KEY"),
        ("ANTHROPIC_API_KEY", "hush-hush", "model.anthropic_key", "env:ANTHROPIC_API_KEY"),
        ("OPENAI_API_KEY", "hush-hush", "model.openai_key", "env:OPENAI_API_KEY"),
    ] {
        let got = place.setting(key, &[(variable, value)], &[]);
        assert_eq!(got, (shown.to_owned(), "environment".to_owned()), "{variable}");
    }
}

#[test]
fn a_misspelt_setting_is_refused_with_its_place_and_a_suggestion() {
    let place = Place::new();
    let text = "[aprovals]\nmode = \"careful\"\n\n[approvals]\nmod = \"always\"\nmode = \"alway\"\n[serve]\nport = \"x\"\n";
    place.file("purple.toml", text);
    let ended = place.purple(&["config", "show"]);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    let talk = ended.talk.replace(&place.path().display().to_string(), "HERE");
    insta::assert_snapshot!("misspelt", talk.replace("/private", ""));
}

#[test]
fn a_file_that_is_not_toml_is_refused_with_its_place() {
    let place = Place::new();
    place.file("purple.toml", "currency = \"EUR\"\n[approvals\n");
    let ended = place.purple(&["config", "show", "--json"]);
    assert_eq!(ended.code, 1);
    let error: Value = serde_json::from_str(&ended.talk).unwrap();
    assert_eq!(error["error"]["code"], "config.refused");
    assert!(
        error["error"]["message"].as_str().unwrap().contains("purple.toml:2:11: config.syntax"),
        "{error}"
    );
}

#[test]
fn a_secret_in_the_file_is_refused_and_not_repeated() {
    let place = Place::new();
    for text in [
        "[model]\nanthropic_key = \"sk-very-secret\"\n",
        "[servers.erp]\ncommand = \"erp\"\nenv = { ERP_API_KEY = \"sk-very-secret\" }\n",
    ] {
        place.file("purple.toml", text);
        let ended = place.purple(&["config", "show"]);
        assert_eq!(ended.code, 1, "{text}");
        assert!(
            ended.talk.contains("config.inline_secret") && ended.talk.contains("env:NAME"),
            "{}",
            ended.talk
        );
        assert!(!ended.talk.contains("sk-very-secret"), "{}", ended.talk);
    }
}

#[test]
fn no_output_ever_shows_a_secret() {
    let place = Place::new();
    let set = [("ANTHROPIC_API_KEY", "sk-very-secret")];
    for arguments in [["config", "show", "--origin"].as_slice(), &["doctor"], &["doctor", "--json"]] {
        let ended = place.with(&set, arguments);
        assert!(
            !ended.out.contains("sk-very-secret") && !ended.talk.contains("sk-very-secret"),
            "{}",
            ended.out
        );
        assert!(ended.out.contains("env:ANTHROPIC_API_KEY"), "{}", ended.out);
    }
}

#[test]
fn a_misspelt_variable_is_told() {
    let ended = Place::new().with(&[("PURPLE_APROVALS_MODE", "always")], &["config", "show"]);
    assert_eq!(ended.code, 0);
    assert!(ended.talk.contains("did you mean `PURPLE_APPROVALS_MODE`?"), "{}", ended.talk);
}

#[test]
fn init_writes_a_set_up_that_is_in_order_and_never_overwrites() {
    let place = Place::new();
    let first = place.purple(&["init", "--json"]).json();
    assert!(first.as_array().unwrap().iter().all(|one| one["written"] == true), "{first}");
    assert_eq!(first.as_array().unwrap().len(), 4);
    let doctor = place.purple(&["doctor", "--json"]).json();
    let failures: Vec<_> =
        doctor["checks"].as_array().unwrap().iter().filter(|one| one["health"] == "failure").collect();
    assert!(failures.is_empty(), "{failures:?}");
    place.file("purple.toml", "currency = \"EUR\"\n");
    place.file("policies/policy.json", "mine");
    let again = place.purple(&["init", "--json"]).json();
    assert!(again.as_array().unwrap().iter().all(|one| one["written"] == false), "{again}");
    assert_eq!(std::fs::read_to_string(place.path().join("purple.toml")).unwrap(), "currency = \"EUR\"\n");
    assert_eq!(std::fs::read_to_string(place.path().join("policies/policy.json")).unwrap(), "mine");
}

#[test]
fn doctor_ends_with_what_it_found() {
    let place = Place::new();
    let warned = place.purple(&["doctor"]);
    assert_eq!(warned.code, 9, "{}", warned.out);
    let silent =
        place.with(&[("GREEN_AGENT_MCP_URL", "http://localhost:9"), ("PURPLE_SERVE_PORT", "0")], &["doctor"]);
    assert_eq!(silent.code, 1, "{}", silent.out);
    assert!(silent.out.contains("`default` does not answer"), "{}", silent.out);
    place.file("purple.toml", "[policy]\nfile = \"nowhere.json\"\n");
    let broken = place.purple(&["doctor"]);
    assert_eq!(broken.code, 1, "{}", broken.out);
    assert!(broken.out.contains("✗ policy") && broken.out.contains("fix: "), "{}", broken.out);
    place.file("purple.toml", "polcy = 1\n");
    let refused = place.purple(&["doctor"]);
    assert_eq!(refused.code, 1);
    assert!(refused.out.contains("did you mean `policy`?"), "{}", refused.out);
}

#[test]
fn doctor_names_roles_that_nobody_holds() {
    let place = Place::new();
    place.file(
        "purple.toml",
        "[people.kim]\nroles = [\"ap_lead\"]\n[levels]\nmanager = \"ap_lead\"\ncfo = \"chief\"\n",
    );
    let doctor = place.purple(&["doctor"]);
    assert!(doctor.out.contains("nobody holds `chief`, which level `cfo` asks for"), "{}", doctor.out);
    assert!(!doctor.out.contains("nobody holds `ap_lead`"), "{}", doctor.out);
}

#[test]
fn completions_know_the_commands() {
    let place = Place::new();
    for shell in ["bash", "zsh", "fish", "powershell", "pwsh"] {
        let script = place.purple(&["completions", shell]);
        assert_eq!(script.code, 0);
        assert!(
            script.out.contains("approve") && script.out.contains("--detailed-exitcode")
                || shell == "fish" && script.out.contains("detailed-exitcode"),
            "{shell}"
        );
    }
    assert_eq!(place.purple(&["completions", "tcl"]).code, 2);
}

#[test]
fn the_built_in_processes_are_listed_drawn_and_told() {
    let place = Place::new();
    let listed = place.purple(&["process", "list", "--json"]).json();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names.len(), 15);
    assert!(names.is_sorted());
    for name in names {
        let drawn = place.purple(&["process", "graph", name]);
        assert_eq!(drawn.code, 0, "{name}");
        let begins = ["flowchart TD", "stateDiagram-v2"];
        assert!(begins.iter().any(|word| drawn.out.starts_with(word)), "{name}: {}", drawn.out);
        let told = place.purple(&["process", "describe", name]);
        assert!(told.out.starts_with("# "), "{name}: {}", told.out);
    }
}

#[test]
fn a_process_file_of_the_operator_replaces_the_built_in_one() {
    let place = Place::new();
    place.purple(&["init"]);
    let listed = place.purple(&["process", "list", "--json"]).json();
    let own: Vec<_> = listed.as_array().unwrap().iter().filter(|one| !one["file"].is_null()).collect();
    assert_eq!((own.len(), listed.as_array().unwrap().len()), (1, 15));
    assert_eq!(own[0]["name"], "invoice_reconciliation");
    assert_eq!(place.purple(&["process", "validate", "processes/invoice_reconciliation.yaml"]).code, 0);
}

#[test]
fn a_bad_process_file_is_refused_with_line_and_column() {
    let place = Place::new();
    place.file(
        "bad.yaml",
        "process: pay\ntitle: Pay\nowner: finance\ndecide:\n  - {rule: P-1, ask: nobody}\n",
    );
    let ended = place.purple(&["process", "validate", "bad.yaml"]);
    assert_eq!((ended.code, ended.out.as_str()), (1, ""));
    assert!(ended.talk.contains("bad.yaml:5:12: unconditional-allow"), "{}", ended.talk);
    let json = place.purple(&["process", "validate", "bad.yaml", "--json"]).json();
    assert_eq!((json[0]["ok"].as_bool(), json[0]["problems"][0]["line"].as_u64()), (Some(false), Some(5)));
}

#[test]
fn a_bad_policy_document_is_refused_with_line_and_column() {
    let place = Place::new();
    let text = "{\"rules\": [\n  {\"id\": \"A\", \"condition\": \"x > 1\", \"action\": \"block\"},\n  {\"id\": \"B\",\n   \"condition\": \"status = 'a'\", \"action\": \"blok\"}\n]}\n";
    place.file("bad.json", text);
    let ended = place.purple(&["policy", "check", "bad.json", "--json"]);
    assert_eq!(ended.code, 1);
    let problems = ended.json()[0]["problems"].as_array().unwrap().clone();
    let at: Vec<_> = problems
        .iter()
        .map(|one| {
            (one["line"].as_u64().unwrap(), one["column"].as_u64().unwrap(), one["code"].as_str().unwrap())
        })
        .collect();
    assert!(at.contains(&(4, 25, "assignment")), "{problems:?}");
    assert!(at.contains(&(4, 43, "unknown-word")), "{problems:?}");
    place.file("broken.json", "{\"rules\": [\n  }\n");
    let talk = place.purple(&["policy", "check", "broken.json"]).talk;
    assert!(talk.contains("broken.json:2:3: error[not-json]"), "{talk}");
}

#[test]
fn a_policy_is_explained_with_the_numbers_put_in() {
    let place = Place::new();
    place.purple(&["init"]);
    let explain =
        |more: &[&str]| place.purple(&[&["policy", "explain", "policies/policy.json"], more].concat());
    let fired = explain(&["--fact", "variance_percent=2.2265625"]);
    assert_eq!(fired.code, 0);
    assert!(fired.out.contains("variance_percent (2.2265625) > 2.0"), "{}", fired.out);
    place.file("facts.json", "{\"variance_percent\": 26.0001}");
    let blocked = explain(&["--facts", "facts.json", "--json"]).json();
    assert_eq!(blocked["verdict"], "block");
    assert_eq!(blocked["triggeredRules"][1]["values"]["variance_percent"], "26.0001");
    let silent = explain(&["--fact", "variance_percent=1"]);
    assert!(silent.out.contains("no rule fired"), "{}", silent.out);
    let doubt = explain(&[]);
    assert!(doubt.out.contains("could not be checked"), "{}", doubt.out);
    assert_eq!(explain(&["--fact", "variance_percent"]).code, 2);
    assert_eq!(place.purple(&["policy", "explain", "nowhere.json"]).code, 1);
}

#[test]
fn pipes_get_no_colour_unless_it_is_asked_for() {
    let place = Place::new();
    let escape = '\u{1b}';
    for arguments in [["doctor"].as_slice(), &["process", "list"], &["config", "show"], &["runs"]] {
        let ended = place.purple(arguments);
        assert!(!ended.out.contains(escape) && !ended.talk.contains(escape), "{arguments:?}");
    }
    assert!(place.purple(&["doctor", "--color", "always"]).out.contains(escape));
    assert!(place.with(&[("CLICOLOR_FORCE", "1")], &["doctor"]).out.contains(escape));
    assert!(!place.with(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], &["doctor"]).out.contains(escape));
    assert!(!place.with(&[("CLICOLOR_FORCE", "1")], &["doctor", "--color", "never"]).out.contains(escape));
}

#[test]
fn everything_that_a_script_would_want_is_json() {
    let place = Place::new();
    place.purple(&["init"]);
    for arguments in [
        ["version"].as_slice(),
        &["config", "show"],
        &["doctor"],
        &["process", "list"],
        &["process", "validate", "processes/invoice_reconciliation.yaml"],
        &["process", "graph", "sla_breach"],
        &["process", "describe", "sla_breach"],
        &["policy", "check", "policies/policy.json"],
        &["policy", "explain", "policies/policy.json"],
        &["help", "exit-codes"],
    ] {
        let ended = place.purple(&[arguments, &["--json"]].concat());
        assert!(ended.json().is_array() || ended.json().is_object(), "{arguments:?}");
    }
}

#[test]
fn quiet_says_nothing_beside_data_and_errors() {
    let place = Place::new();
    assert!(place.purple(&["process", "list"]).talk.contains("Next: "));
    assert_eq!(place.purple(&["process", "list", "-q"]).talk, "");
    assert!(place.purple(&["-q", "process", "describe", "nope"]).talk.contains("there is no process `nope`"));
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let place = Place::new();
    // The script is larger than a pipe holds, so the writer meets the closed end.
    let mut command = place.command(&["completions", "zsh"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = purple_testkit::ended(child).unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn a_provider_without_its_key_is_refused_before_any_task() {
    let place = Place::new();
    place.file("purple.toml", "[model]\nprovider = \"openai\"\n");
    let ended = place.purple(&["run", "What is 2 + 2?", "--json"]);
    assert_eq!(ended.code, 1, "{}", ended.talk);
    let error: Value = serde_json::from_str(ended.talk.lines().last().unwrap()).unwrap();
    assert_eq!(error["error"]["code"], "model.no_key");
    assert!(error["error"]["help"].as_str().unwrap().contains("model.openai_key"), "{error}");
}

const KINDNESS: &str = "process: kindness\ntitle: A kindness to a vendor\nowner: operations\nkeywords: [kindness]\nroute: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, COMPLETE]\ndecide:\n  - {rule: K-1, if: 'amount > 5000 USD', ask: cfo, because: \"much money\"}\n";

#[test]
fn a_process_is_signed_listed_shown_edited_and_forgotten() {
    let place = Place::new();
    place.file("kindness.yaml", KINDNESS);
    assert_eq!(place.purple(&["process", "list", "--synthesized", "--json"]).json(), serde_json::json!([]));
    let signed = place.purple(&["process", "sign", "kindness.yaml", "--as", "bea"]);
    assert_eq!(signed.code, 0, "{}", signed.talk);
    assert!(signed.out.contains("kindness is signed by bea: sha256:"), "{}", signed.out);
    let state = || place.purple(&["process", "list", "--synthesized", "--json"]).json()[0]["state"].clone();
    assert_eq!(state(), "signed by bea");
    let shown = place.purple(&["process", "show", "kindness"]);
    assert!(shown.out.contains("K-1") && shown.out.contains("signed by bea"), "{}", shown.out);

    // A changed byte is another text, and nobody has signed it.
    place.file("changed.yaml", &format!("{KINDNESS}# changed\n"));
    let edited = place.purple(&["process", "edit", "kindness", "--file", "changed.yaml", "--as", "bea"]);
    assert_eq!(edited.code, 0, "{}", edited.talk);
    assert_eq!(state(), "unsigned");
    place.file("bad.yaml", "process: kindness\ntitle: x\n");
    assert_ne!(place.purple(&["process", "edit", "kindness", "--file", "bad.yaml"]).code, 0);
    assert_eq!(place.purple(&["process", "sign", "kindness", "--as", "cleo"]).code, 0);
    assert_eq!(state(), "signed by cleo");

    assert_eq!(place.purple(&["process", "forget", "kindness"]).code, 0);
    let gone = place.purple(&["process", "forget", "kindness"]);
    assert_ne!(gone.code, 0);
    assert!(
        gone.talk.contains("there is no process `kindness` that was made or signed here"),
        "{}",
        gone.talk
    );
    assert_eq!(place.purple(&["tools", "list", "--synthesized", "--json"]).json(), serde_json::json!([]));
    assert_ne!(place.purple(&["tools", "forget", "storage_charge"]).code, 0);
}

#[test]
fn a_shipped_process_is_signed_over_with_a_word_about_every_rule_and_comes_back() {
    let place = Place::new();
    let from = || {
        let all = place.purple(&["process", "list", "--json"]).json();
        let row = all.as_array().unwrap().iter().find(|row| row["name"] == "general").unwrap().clone();
        row["from"].as_str().unwrap().to_owned()
    };
    place.file("general.yaml", &KINDNESS.replace("process: kindness", "process: general"));
    assert_eq!(from(), "built in");
    let signed = place.purple(&["process", "sign", "general.yaml", "--as", "bea"]);
    assert_eq!(signed.code, 0, "{}", signed.talk);
    for said in
        ["general takes the place of the built-in process", "1 added", "  + K-1: ", "ask cfo", "keywords"]
    {
        assert!(signed.out.contains(said), "{said}: {}", signed.out);
    }
    assert_eq!(from(), "signed by bea, in the place of the built-in one");
    assert_eq!(place.purple(&["process", "forget", "general"]).code, 0);
    assert_eq!(from(), "built in");
}

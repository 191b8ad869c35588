//! The commands of an operator against the demo business: what rules said, what tools are, what needs doing.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

mod business;

use business::Business;
use serde_json::Value;

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// A configuration of the business's own, with this added.
fn configured(business: &Business, more: &str) {
    business.file(
        "purple.toml",
        &format!(
            "timezone = \"UTC\"\n[servers.company]\nmanifest = \"demo-company\"\nurl = \"{}\"\n{more}",
            business.url
        ),
    );
}

#[test]
fn a_verdict_is_explained_by_every_source_that_took_part() {
    let business = Business::open();
    configured(&business, "[policy]\nfile = \"policy.json\"\n");
    business.file(
        "policy.json",
        r#"{"rules": [{"id": "OP-1", "condition": "variance_percent > 1", "action": "require_approval", "level": "cfo"}]}"#,
    );
    let strict = business.file(
        "request.json",
        r#"{"rules": [{"id": "RQ-1", "condition": "variance_percent > 0", "action": "require_approval", "level": "legal"},
            {"id": "RQ-2", "condition": "variance_percent > 90", "action": "block"}]}"#,
    );
    let own = ("GREEN_AGENT_MCP_URL", "");
    let (code, out, talk) =
        business.with(&[own], &["run", INVOICE, "--session", "inv", "--policy", &strict, "-q"]);
    assert_eq!(code, 3, "{out}{talk}");
    let (code, out, _) = business.purple(&["policy", "explain", "inv"]);
    assert_eq!(code, 0);
    for part in [
        "require_approval   in mode `careful`",
        "process file `invoice_reconciliation`",
        "operator's policy: require_approval",
        "OP-1: require_approval (cfo) because variance_percent (2.2265625) > 1",
        "request's rules: require_approval",
        "RQ-1: require_approval (legal) because variance_percent (2.2265625) > 0",
        "variance_percent (2.2265625) > 2.0",
        "asked: ",
        "1 × cfo",
        "1 × legal",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    assert!(!out.contains("RQ-2"), "it did not fire: {out}");
    let told = json(&business.purple(&["policy", "explain", "inv", "--json"]).1);
    let sources: Vec<&str> = told["operations"][0]["sources"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["source"].as_str().unwrap())
        .collect();
    assert_eq!(sources, ["process", "operator", "request"]);
    assert_eq!(
        (told["verdict"].as_str(), told["mode"].as_str()),
        (Some("require_approval"), Some("careful"))
    );
    assert_eq!(told["policies"][0]["name"], "policy");
}

#[test]
fn a_task_that_a_rule_forbids_is_explained_without_a_plan() {
    let business = Business::open();
    let rules = business.file(
        "request.json",
        r#"{"rules": [{"id": "NO-1", "type": "deny", "keywords": ["acme"], "action": "block"}]}"#,
    );
    let (code, out, talk) = business.purple(&["run", INVOICE, "--session", "inv", "--policy", &rules, "-q"]);
    assert_eq!(code, 5, "{out}{talk}");
    let (_, out, _) = business.purple(&["policy", "explain", "inv"]);
    assert!(out.starts_with("block "), "{out}");
    assert!(out.contains("request's rules: block") && out.contains("NO-1: block"), "{out}");
}

#[test]
fn a_source_without_a_rule_that_fired_is_named_all_the_same() {
    let business = Business::open();
    configured(&business, "[policy]\nfile = \"policy.json\"\n");
    business.file(
        "policy.json",
        r#"{"rules": [{"id": "OP-1", "condition": "variance_percent > 50", "action": "block"}]}"#,
    );
    business.with(&[("GREEN_AGENT_MCP_URL", "")], &["run", INVOICE, "--session", "inv", "-q"]);
    let (_, out, _) = business.purple(&["policy", "explain", "inv"]);
    assert!(out.contains("operator's policy `policy` (sha256:"), "{out}");
    assert!(out.contains("): no rule fired"), "{out}");
}

#[test]
fn doctor_asks_every_server_and_says_what_to_do_about_those_that_are_silent() {
    let business = Business::open();
    let well = [("GREEN_AGENT_MCP_URL", ""), ("PURPLE_SERVE_PORT", "0")];
    configured(&business, "");
    let (code, out, _) = business.with(&well, &["doctor"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.contains("`company` speaks MCP without sessions (2026) and offers 133 tools ("), "{out}");
    let told = json(&business.with(&well, &["doctor", "--json"]).1);
    let server = told["checks"].as_array().unwrap().iter().find(|one| one["data"]["server"] == "company");
    let server = server.unwrap();
    assert_eq!(
        (server["health"].as_str(), server["data"]["era"].as_str()),
        (Some("ok"), Some("MCP without sessions (2026)"))
    );
    let tools = server["data"]["tools"].as_object().unwrap();
    assert!(["read", "write", "notify"].iter().all(|effect| tools[*effect].as_u64() > Some(0)), "{tools:?}");
    assert_eq!(tools.values().filter_map(Value::as_u64).sum::<u64>(), 133);
    configured(&business, "era = \"bridge\"\n");
    let (code, out, _) = business.with(&well, &["doctor"]);
    assert!(code == 0 && out.contains("`company` speaks the plain bridge"), "{out}");
    configured(
        &business,
        "[servers.gone]\nurl = \"http://127.0.0.1:9/mcp\"\n[servers.absent]\ncommand = \"no-such-program\"\n",
    );
    let (code, out, _) = business.with(&well, &["doctor"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("✗ tools      `gone` does not answer: "), "{out}");
    assert!(out.contains("fix: see that it runs and that http://127.0.0.1:9/mcp can be reached"), "{out}");
    assert!(out.contains("there is no program `no-such-program`: install it"), "{out}");
    assert!(out.contains("✓ tools      `company`"), "the others are asked all the same: {out}");
    configured(&business, "[tools.company.reject_invoce]\neffect = \"write\"\n");
    let (code, out, _) = business.with(&well, &["doctor"]);
    assert_eq!(code, 9, "{out}");
    assert!(
        out.contains("speaks of `reject_invoce`") && out.contains("did you mean `reject_invoice`?"),
        "{out}"
    );
}

#[test]
fn doctor_tells_of_a_stop_and_of_a_clock_of_its_own() {
    let business = Business::open();
    let set = [("PURPLE_CLOCK_START", "2026-03-04T09:00:00Z"), ("PURPLE_SERVE_PORT", "0")];
    assert_eq!(
        business.with(&set, &["halt", "--process", "payroll", "--reason", "audit", "--as", "kim"]).0,
        0
    );
    let (code, out, _) = business.with(&set, &["doctor"]);
    assert_eq!(code, 9, "{out}");
    assert!(out.contains("! halt       payroll is stopped since 2026-03-04T09:0"), "{out}");
    assert!(out.contains("by kim: audit") && out.contains("purple resume --process payroll"), "{out}");
    assert!(out.contains("every command starts at 2026-03-04T09:00:00Z (UTC), by `clock.start`"), "{out}");
    business.with(&set, &["resume", "--process", "payroll"]);
    let (code, out, _) = business.with(&set, &["doctor"]);
    assert!(code == 0 && !out.contains("halt"), "{out}");
}

#[test]
fn pins_are_written_compared_and_kept() {
    let business = Business::open();
    let own = [("GREEN_AGENT_MCP_URL", "")];
    let purple = |arguments: &[&str]| business.with(&own, arguments);
    configured(
        &business,
        "\n# We pay with this one.\n[tools.company.reject_invoice]\nkey = \"argument:request_id\"\n",
    );
    let (code, out, talk) = purple(&["tools", "pin", "reject_invoice"]);
    assert_eq!(code, 9, "{out}{talk}");
    assert!(out.contains("new     write   reject_invoice  sha256:"), "{out}");
    let told = json(&purple(&["tools", "pin", "--json"]).1);
    let tool = &told["tools"][0];
    assert!(
        ["name", "schema", "pin", "effect", "reason", "pinned"].iter().all(|key| !tool[*key].is_null()),
        "{tool}"
    );
    let (code, out, talk) = purple(&["tools", "pin", "--write"]);
    assert_eq!(code, 0, "{out}{talk}");
    assert!(out.contains("pinned 133 tools in "), "{out}");
    let file = business.folder.path().join("purple.toml");
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("# We pay with this one.\n[tools.company.reject_invoice]\n"), "{text}");
    assert_eq!(purple(&["tools", "pin"]).0, 0);
    assert_eq!(purple(&["tools", "list", "--json"]).0, 0);
    // Somebody else's tool under the same name is not used.
    let pin = json(&purple(&["tools", "pin", "get_invoice", "--json"]).1)["tools"][0]["pin"]
        .as_str()
        .unwrap()
        .to_owned();
    let other = format!("sha256:{}", "0".repeat(64));
    std::fs::write(&file, text.replace(&pin, &other)).unwrap();
    let (code, out, _) = purple(&["tools", "pin", "get_invoice"]);
    assert_eq!(code, 1, "{out}");
    assert!(out.contains("changed"), "{out}");
    let (code, out, _) = purple(&["doctor"]);
    assert!(
        code == 1 && out.contains("not the tools that were pinned, and are not used: get_invoice"),
        "{out}"
    );
    let (code, out, talk) = purple(&["run", INVOICE, "-q"]);
    assert!(code != 0 && code != 3, "no plan is made of it: {code} {out}{talk}");
    assert_eq!(business.effects(), Vec::<String>::new());
    assert_eq!(purple(&["tools", "pin", "get_invoice", "--write"]).0, 0);
    assert_eq!(purple(&["tools", "pin"]).0, 0);
}

#[test]
fn names_that_nobody_knows_are_refused_with_a_suggestion() {
    let business = Business::open();
    business.purple(&["run", INVOICE, "--session", "inv", "-q"]);
    for (arguments, code, says) in [
        (["resume", "--process", "nope"].as_slice(), 1, "there is no process `nope`"),
        (&["resume", "--process", "payrol"], 1, "did you mean `payroll`?"),
        (&["halt", "--process", "payrol"], 1, "did you mean `payroll`?"),
        (&["tools", "pin", "reject_invoce"], 1, "did you mean `reject_invoice`?"),
        (&["config", "show", "aprovals"], 2, "did you mean `approvals`?"),
        (&["audit", "export", "nope"], 1, "there is no run `nope`"),
        (&["process", "describe", "invoic"], 1, "did you mean `invoice_reconciliation`?"),
        (&["config", "show", "aprov"], 2, "did you mean `approvals"),
        (&["replay", "nope"], 1, "there is no run `nope`"),
        (&["undo", "nope", "op_1"], 1, "there is no run `nope`"),
        (&["settle", "nope", "op_1", "--done"], 1, "there is no run `nope`"),
        (&["cancel", "nope"], 1, "there is no run `nope`"),
        (&["approve", "nope"], 1, "there is no run `nope`"),
    ] {
        let (ended, out, talk) = business.purple(arguments);
        assert!(
            ended == code && talk.contains(says) && talk.contains("help: "),
            "{arguments:?}: {ended} {out}{talk}"
        );
    }
}

#[test]
fn a_checkpoint_is_verified_with_its_key_in_every_form() {
    let business = Business::open();
    business.purple(&["run", INVOICE, "--session", "inv", "-q"]);
    let (code, _, talk) = business.purple(&["audit", "anchor", "-o", "anchor"]);
    assert_eq!(code, 0, "{talk}");
    let key = talk.split_whitespace().find(|word| word.starts_with("ed25519:")).unwrap();
    let noted = business.file("key.txt", &format!("our key: {key}\n"));
    for form in [key, key.trim_start_matches("ed25519:"), &noted] {
        let (code, out, talk) = business.purple(&["audit", "verify", "--anchor", "anchor", "--key", form]);
        assert_eq!(code, 0, "{form}: {out}{talk}");
    }
    let (code, _, talk) = business.purple(&["audit", "verify", "--anchor", "anchor", "--key", "nope"]);
    assert_eq!(code, 2, "{talk}");
    assert!(talk.contains("`nope` is neither a public key nor a file with one"), "{talk}");
    let other = "0".repeat(64);
    assert_eq!(business.purple(&["audit", "verify", "--anchor", "anchor", "--key", &other]).0, 1);
    assert_eq!(business.purple(&["audit", "verify", "--key", key]).0, 2);
}

#[test]
fn a_declared_field_is_edited_and_asked_again_and_nothing_else_is() {
    let business = Business::open();
    let (_, shipped) =
        purple_process::file::BUILTIN.into_iter().find(|(name, _)| *name == "sla_breach").unwrap();
    business.file("processes/sla_breach.yaml", &shipped.replace("then: cfo}", "then: cfo, edit: credit}"));
    configured(&business, "[processes]\ndirs = [\"processes\"]\n[approvals]\nmode = \"always\"\n");
    let set = [("GREEN_AGENT_MCP_URL", ""), ("PURPLE_CLOCK_START", "2026-03-04T09:00:00Z")];
    let purple = |arguments: &[&str]| business.with(&set, arguments);
    let task = "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
    let (code, out, talk) = purple(&["run", task, "--session", "sla", "-q"]);
    assert_eq!(code, 3, "{out}{talk}");
    for (arguments, code, says) in [
        (["--set", "credit"].as_slice(), 2, "is no new value of a field"),
        (&["--set", "credt=1 USD"], 2, "did you mean `credit`?"),
        (&["--set", "vendor=x"], 2, "what may be edited: credit"),
        (&["--set", "credit=1.00 USD", "--set", "credit=2.00 USD"], 2, "`credit` is set twice"),
        (&["--set", "credit=much"], 1, "not an amount in USD"),
        (&["--set", "credit=1.00 USD", "--yes"], 2, "cannot be used with"),
    ] {
        let (ended, _, talk) = purple(&[&["approve", "sla"], arguments].concat());
        assert!(ended == code && talk.contains(says), "{arguments:?}: {ended} {talk}");
    }
    let (code, out, talk) = purple(&["approve", "sla", "--set", "credit=900.00 USD", "--as", "kim", "-q"]);
    assert_eq!(code, 3, "{out}{talk}");
    assert!(out.contains("credit: 1020.00 USD → 900.00 USD, by kim"), "{out}");
    assert_eq!(business.effects(), Vec::<String>::new());
    let (code, out, _) = purple(&["approve", "sla", "--yes", "-q"]);
    assert_eq!(code, 0, "{out}");
    assert_eq!(business.effects()[0], "apply_account_credit");
    // What is over cannot be edited, settled, or undone under a name that it has not.
    assert_eq!(purple(&["approve", "sla", "--set", "credit=1.00 USD"]).0, 1);
    for arguments in [
        ["cancel", "sla"].as_slice(),
        &["settle", "sla", "do_1", "--done"],
        &["undo", "sla", "nope"],
        &["undo", "sla", "do_1", "--round", "7"],
    ] {
        let (code, _, talk) = purple(arguments);
        assert!(
            code == 1 && talk.contains("nothing was done: ") && talk.contains("help: "),
            "{arguments:?}: {talk}"
        );
    }
    let (code, out, talk) = purple(&["undo", "sla", "do_1", "-q"]);
    assert_eq!(code, 3, "{out}{talk}");
}

#[test]
fn a_plan_says_what_the_own_mode_would_make_of_it() {
    let business = Business::open();
    let set = [("PURPLE_CLOCK_START", "2026-03-04T09:00:00Z")];
    let sla = "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.";
    let (_, out, _) = business.with(&set, &["plan", sla]);
    assert!(out.contains("For good, in mode `careful`, it would run without asking anybody"), "{out}");
    let (_, out, _) = business.with(&set, &["plan", INVOICE]);
    assert!(out.contains("For good, in mode `careful`, it would wait for a person too."), "{out}");
    let (_, out, _) = business.with(&[set[0], ("PURPLE_APPROVALS_MODE", "always")], &["plan", sla]);
    assert!(out.contains("in mode `always`, it would wait for a person too."), "{out}");
    assert_eq!(business.effects(), Vec::<String>::new());
}

#[test]
fn where_nothing_has_run_nothing_is_decided_and_no_folder_is_made() {
    let business = Business::open();
    for arguments in [
        ["approve", "x"].as_slice(),
        &["reject", "x", "--reason", "no"],
        &["cancel", "x"],
        &["undo", "x", "do_1"],
        &["show", "x"],
    ] {
        let (code, _, talk) = business.purple(arguments);
        assert!(code == 1 && talk.contains("nothing has run here yet"), "{arguments:?}: {talk}");
    }
    assert!(!business.folder.path().join("data").exists());
    let none = [("GREEN_AGENT_MCP_URL", "")];
    let (code, _, talk) = business.with(&none, &["tools", "list"]);
    assert!(
        code == 1 && talk.contains("no tool server is configured") && talk.contains("[servers.NAME]"),
        "{talk}"
    );
}

#[test]
fn a_review_states_effects_pins_them_and_records_who_reviewed() {
    let business = Business::open();
    let config = format!("timezone = \"UTC\"\n[servers.company]\nurl = \"{}\"\n", business.url);
    business.file("purple.toml", &config);
    let own = [("GREEN_AGENT_MCP_URL", ""), ("USER", "alex")];
    let purple = |arguments: &[&str]| business.with(&own, arguments);
    let (code, out, talk) = purple(&["tools", "review", "company", "--json"]);
    assert_eq!(code, 9, "{out}{talk}");
    let shown = json(&out);
    let days = |shown: &Value| {
        let tools = shown["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["tool"] == "calculate_business_days").unwrap().clone()
    };
    let unclear = days(&shown);
    assert_eq!((&unclear["proposed"], &unclear["reviewed"]), (&"unclear".into(), &false.into()), "{unclear}");
    assert!(["reason", "annotations", "pin", "decided_by"].iter().all(|key| !unclear[*key].is_null()));
    let set = ["tools", "review", "company", "--accept", "--as", "kim", "--set"];
    for (wrong, told) in
        [("calculate_business_days=frob", "states no effect"), ("calculate_days=read", "no server offers")]
    {
        let (code, _, talk) = purple(&[&set[..], &[wrong]].concat());
        assert!(code != 0 && talk.contains(told), "{talk}");
    }
    let (code, out, talk) = purple(&[&set[..], &["calculate_business_days=compute"]].concat());
    assert_eq!(code, 0, "{out}{talk}");
    assert!(out.contains("reviewed 133 tools of `company` in "), "{out}");
    let (code, out, talk) = purple(&["tools", "review", "company", "--json"]);
    assert_eq!(code, 0, "{out}{talk}");
    let after = json(&out);
    let reviewed = |tool: &Value| tool["reviewed"] == true && tool["decided_by"] == "review";
    assert!(after["tools"].as_array().unwrap().iter().all(reviewed), "{out}");
    assert_eq!(days(&after)["proposed"], "compute");
    let journal = purple(&["audit", "operators", "--json"]).1;
    for part in ["calculate_business_days", "kim", "compute"] {
        assert!(journal.contains(part), "{journal}");
    }
    // Another effect is one more review; nothing else is asked again.
    let (code, out, talk) = purple(&[&set[..], &["calculate_business_days=read"]].concat());
    assert!(code == 0 && out.contains("reviewed 1 tools"), "{out}{talk}");
    let text = std::fs::read_to_string(business.folder.path().join("purple.toml")).unwrap();
    assert_eq!(text.matches("calculate_business_days").count(), 1, "{text}");
}

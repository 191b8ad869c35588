//! What was made, at the command line: drafted, signed, changed, carried elsewhere and forgotten by the built program.

use std::sync::Arc;

use purple_testkit::output_of;
use purple_testkit::provider::{Provider, Speech};
use serde_json::{Value, json};

use crate::running::Running;
use crate::scribbler::{Scribbler, Shared};
use crate::{again, drafts, functions};

/// The program with a scripted model behind it; every command is a process of its own.
struct Program {
    running: Running,
    _provider: Provider,
}

impl Program {
    async fn with(scribbler: Scribbler, config: &str) -> Self {
        let provider = Provider::open(Speech::Ollama, Arc::new(Shared(Arc::new(scribbler)))).await.unwrap();
        let config = format!(
            "{config}\n[model]\nprovider = \"ollama\"\nollama_url = \"{}\"\nfast = \"quick\"\nstrong = \"careful\"\n",
            provider.url()
        );
        Self { running: Running::stopped(&config).await, _provider: provider }
    }

    /// Off the threads on which the business and the model answer.
    fn purple(&self, arguments: &[&str]) -> (i32, String, String) {
        tokio::task::block_in_place(|| self.running.purple(arguments))
    }

    fn json(&self, arguments: &[&str]) -> Value {
        let (code, out, talk) = self.purple(&[arguments, &["--json"]].concat());
        assert_eq!(code, 0, "{arguments:?}: {out}{talk}");
        serde_json::from_str(&out).unwrap()
    }

    /// Works on a task; its run.
    fn task(&self, text: &str) -> String {
        let runs = || -> Vec<String> {
            let all = self.json(&["runs"]);
            all.as_array().unwrap().iter().map(|run| run["run"].as_str().unwrap().to_owned()).collect()
        };
        // Every command has a clock that begins anew, so that no time tells which run is the youngest.
        let before = runs();
        let (_, out, talk) = self.purple(&["run", text]);
        let new = runs().into_iter().find(|run| !before.contains(run));
        new.unwrap_or_else(|| panic!("{out}\n{talk}"))
    }

    /// Works on a task, and somebody says yes.
    fn done(&self, text: &str) -> String {
        let run = self.task(text);
        let (code, out, talk) = self.purple(&["approve", &run, "--yes", "--as", "bea"]);
        assert_eq!(code, 0, "{out}{talk}");
        run
    }

    fn listed(&self, what: &str) -> Vec<(String, String)> {
        let all = self.json(&[what, "list", "--synthesized"]);
        let rows = all.as_array().unwrap();
        let text = |row: &Value, name: &str| row[name].as_str().unwrap().to_owned();
        rows.iter().map(|row| (text(row, "name"), text(row, "state"))).collect()
    }
}

fn shipped(program: &Program, name: &str) -> String {
    program.json(&["process", "show", name])["text"].as_str().unwrap().to_owned()
}

fn named(name: &str, state: &str) -> Vec<(String, String)> {
    vec![(name.to_owned(), state.to_owned())]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_drafted_from_signed_changed_and_forgotten_by_commands() {
    let program = Program::with(drafts::scribbler(), "").await;
    let file = program.running.folder.path().join("kindness.yaml");
    let path = file.to_str().unwrap();
    let waits = program.task(drafts::TASK);
    let draft = ["process", "from-run", &waits, "--name", "kindness", "--out", path];
    let (code, _, talk) = program.purple(&draft);
    assert!(code == 1 && talk.contains("cannot be drafted from") && !file.exists(), "{talk}");
    let (code, _, talk) = program.purple(&["approve", &waits, "--yes", "--as", "bea"]);
    assert_eq!(code, 0, "{talk}");
    let (code, out, talk) = program.purple(&draft);
    assert!(code == 0 && out.contains("not in effect until it is signed"), "{out}{talk}");
    assert_eq!(program.listed("process"), [], "a draft is a file, and nothing more");

    let signed = program.json(&["process", "sign", path, "--as", "bea"]);
    assert_eq!((signed["name"].as_str(), signed["signed_by"].as_str()), (Some("kindness"), Some("bea")));
    assert_eq!(program.listed("process"), named("kindness", "signed by bea"));
    let again = program.task("Credit a kindness of its fee, under CTR-441.");
    let view = program.json(&["show", &again]);
    assert_eq!(view["summary"]["process"], "kindness", "{view}");

    // A changed byte is unsigned, whoever changes it.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("process: kindness", "process: unkindness")).unwrap();
    let (code, _, talk) = program.purple(&["process", "edit", "kindness", "--file", path]);
    assert!(code == 1 && talk.contains("unkindness"), "{talk}");
    std::fs::write(&file, format!("{text}# looked through\n")).unwrap();
    let (code, out, _) = program.purple(&["process", "edit", "kindness", "--file", path]);
    assert!(code == 0 && out.contains("unsigned"), "{out}");
    assert_eq!(program.listed("process"), named("kindness", "unsigned"));
    program.json(&["process", "sign", "kindness", "--as", "bea"]);
    let mut editing = program.running.command(&["process", "edit", "kindness"]);
    let edited = output_of(editing.env("EDITOR", "sed -i s/through/twice/")).unwrap();
    assert!(edited.status.success(), "{}", String::from_utf8_lossy(&edited.stderr));
    assert_eq!(program.listed("process"), named("kindness", "unsigned"));
    let (_, shown, _) = program.purple(&["process", "show", "kindness"]);
    assert!(shown.contains("# looked twice"), "{shown}");

    program.json(&["process", "forget", "kindness"]);
    assert_eq!(program.listed("process"), []);
    let (code, _, talk) = program.purple(&["process", "forget", "kindness"]);
    assert!(code == 1 && talk.contains("--synthesized"), "{talk}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_made_is_carried_elsewhere_unsigned_and_only_as_far_as_it_is_admitted() {
    let program = Program::with(functions::scribbler(&[functions::GOOD]), "").await;
    program.done(functions::TASK);
    let signed = program.running.folder.path().join("vetted.yaml");
    std::fs::write(&signed, VETTED).unwrap();
    program.json(&["process", "sign", signed.to_str().unwrap(), "--as", "bea"]);
    let made = named("storage_charge", "admitted");
    assert_eq!(program.listed("tools"), made);
    assert_eq!(program.json(&["tools", "sign", "storage_charge", "--as", "bea"])["signed_by"], "bea");
    assert_eq!(program.listed("tools"), named("storage_charge", "signed by bea"));
    let folder = program.running.folder.path().join("carried");
    let at = folder.to_str().unwrap();
    assert_eq!(program.json(&["learn", "export", at])["definitions"], 2);

    assert_eq!(program.json(&["learn", "import", at])["definitions"]["known"], 2);
    program.json(&["tools", "forget", "storage_charge"]);
    program.json(&["process", "forget", "vetted"]);
    assert_eq!((program.listed("tools"), program.listed("process")), (Vec::new(), Vec::new()));
    assert_eq!(program.json(&["learn", "import", at])["definitions"]["taken"], 2);
    assert_eq!(program.listed("tools"), made);
    assert_eq!(program.listed("process"), named("vetted", "unsigned"), "a signature is not carried");

    program.json(&["tools", "forget", "storage_charge"]);
    let (tools, processes) = ("tool_registry.json", "synthesized_definitions.json");
    for (name, from, to, why) in [
        (tools, "0.05 / 100", "5 / 100", "its function is not admitted"),
        (tools, "\"kind\": \"tool\"", "\"kind\": \"process\"", "the other file"),
        (processes, "\"name\": \"vetted\"", "\"name\": \"general\"", "its file has another name"),
        (processes, "ask: nobody", "ask: [", "does not load"),
        (processes, "\"format\"", "\"grant\": 1, \"format\"", "grant"),
    ] {
        let file = folder.join(name);
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.contains(from), "{from}: {text}");
        std::fs::write(&file, text.replace(from, to)).unwrap();
        let (code, _, talk) = program.purple(&["learn", "import", at]);
        assert!(code == 1 && talk.contains(why), "{why}: {talk}");
        assert_eq!(program.listed("tools"), [], "nothing of it is taken");
        std::fs::write(&file, text).unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_a_file_decided_is_drafted_as_that_file_signed_in_its_place_and_forgotten() {
    let program = Program::with(Scribbler::default(), "").await;
    let run = program.task(again::SLA);
    let file = program.running.folder.path().join("sla_breach.yaml");
    let path = file.to_str().unwrap();
    let (code, out, talk) = program.purple(&["process", "from-run", &run, "--out", path]);
    assert!(
        code == 0 && out.contains("with this run as a test, not in effect until it is signed"),
        "{out}{talk}"
    );
    assert!(
        talk.contains("rule SLA-4 permitted in that run") && talk.contains("send_sla_breach_notification"),
        "{talk}"
    );
    assert!(talk.contains(&format!("purple process sign {path} --as PERSON")), "{talk}");
    let (code, _, talk) = program.purple(&["process", "validate", path]);
    assert_eq!(code, 0, "{talk}");
    let refused = program.task("What is the balance of INFRA-9?");
    let (code, _, talk) = program.purple(&["process", "from-run", &refused]);
    assert!(code == 1 && talk.contains("cannot be drafted from"), "{talk}");

    let (code, out, talk) = program.purple(&["process", "sign", path, "--as", "bea"]);
    let said = [
        "takes the place of the built-in process",
        "rules: the same",
        "decides: the same",
        "signed by bea: sha256:",
    ];
    assert!(code == 0 && said.iter().all(|said| out.contains(said)), "{out}{talk}");
    assert!(out.find("takes the place") < out.find("signed by bea"), "it is said before it is done: {out}");
    let listed = |program: &Program| -> Value {
        let all = program.json(&["process", "list"]);
        all.as_array().unwrap().iter().find(|one| one["name"] == "sla_breach").unwrap().clone()
    };
    let row = listed(&program);
    assert_eq!((&row["signed"]["by"], &row["instead_of"]), (&json!("bea"), &json!("shipped")), "{row}");
    let (_, out, _) = program.purple(&["process", "list"]);
    assert!(out.contains("signed by bea, in the place of the built-in one"), "{out}");
    let (_, shown, _) = program.purple(&["process", "show", "sla_breach"]);
    assert!(shown.starts_with("# signed by bea") && shown.contains("has taken the place"), "{shown}");
    let (_, out, _) = program.purple(&["process", "list", "--synthesized"]);
    assert!(out.contains("instead of the built-in one"), "{out}");
    let (_, doctor, _) = program.purple(&["doctor"]);
    assert!(doctor.contains("1 signed here (`sla_breach` in the place of what is built in)"), "{doctor}");
    let decided = program.task(again::SLA);
    assert_eq!(program.json(&["show", &decided])["summary"]["signed_by"], "bea");
    let (_, out, _) = program.purple(&["trace", &decided]);
    assert!(out.contains("sla_breach, signed by bea in the place of the built-in one"), "{out}");
    let (_, out, _) = program.purple(&["show", &decided]);
    assert!(out.contains("sla_breach, signed by bea"), "{out}");
    let invoice = shipped(&program, "invoice_reconciliation");
    let other = program.running.folder.path().join("invoices.yaml");
    std::fs::write(&other, format!("# looked through\n{invoice}")).unwrap();
    program.json(&["process", "sign", other.to_str().unwrap(), "--as", "bea"]);
    let (_, out, talk) = program.purple(&["policy", "explain", &program.task(again::INVOICE)]);
    assert!(out.contains("process file `invoice_reconciliation`, signed by bea, leads to"), "{out}{talk}");
    program.json(&["process", "forget", "invoice_reconciliation"]);

    // Changed, it is unsigned: the built-in one counts again, and the other text is still to be seen.
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("ask: nobody", "ask: controller").replace("\"nobody\"", "controller"))
        .unwrap();
    let (code, out, talk) = program.purple(&["process", "edit", "sla_breach", "--file", path]);
    assert!(
        code == 0 && out.contains("the built-in process of this name counts again until it is signed"),
        "{out}{talk}"
    );
    assert_eq!(listed(&program)["from"], "built in");
    let (_, shown, talk) = program.purple(&["process", "show", "sla_breach"]);
    assert!(
        !shown.contains("ask: controller, because: \"the contract") && talk.contains("does not count"),
        "{talk}"
    );
    let (_, shown, _) = program.purple(&["process", "show", "sla_breach", "--synthesized"]);
    assert!(
        shown.contains("# it does not count") && shown.contains("ask: controller, because: \"the contract"),
        "{shown}"
    );
    let signed = program.json(&["process", "sign", "sla_breach", "--as", "bea"]);
    assert_eq!(signed["instead_of"], "shipped");
    let part = json!([{"part": "ask", "before": "nobody", "after": "controller"}]);
    assert_eq!(
        signed["difference"]["rules"]["changed"],
        json!([{"rule": "SLA-4", "parts": part}]),
        "{signed}"
    );
    let (_, told, _) = program.purple(&["process", "describe", "sla_breach"]);
    assert!(!told.contains("nobody is asked"), "{told}");

    let (_, out, _) = program.purple(&["process", "forget", "sla_breach"]);
    assert!(out.contains("the built-in process of this name counts again"), "{out}");
    assert_eq!(listed(&program)["from"], "built in");
    assert_eq!(program.json(&["show", &program.task(again::SLA)])["summary"].get("signed_by"), None);

    // Nor does what comes from elsewhere count before somebody here has signed it.
    program.json(&["process", "sign", path, "--as", "bea"]);
    let folder = program.running.folder.path().join("carried");
    let at = folder.to_str().unwrap();
    assert_eq!(program.json(&["learn", "export", at])["definitions"], 1);
    let (_, out, _) = program.purple(&["learn", "status"]);
    assert!(out.contains("sla_breach signed by bea, in the place of the built-in one"), "{out}");
    program.json(&["process", "forget", "sla_breach"]);
    assert_eq!(program.json(&["learn", "import", at])["definitions"]["taken"], 1);
    assert_eq!(program.listed("process"), named("sla_breach", "unsigned"));
    assert_eq!(listed(&program)["from"], "built in");
}

#[tokio::test(flavor = "multi_thread")]
async fn neither_a_file_of_the_operator_nor_a_name_of_another_process_is_taken_by_a_signature() {
    let own = tempfile::tempdir().unwrap();
    let config = format!("[processes]\ndirs = [\"{}\"]\n", own.path().display());
    let program = Program::with(Scribbler::default(), &config).await;
    let shipped = shipped(&program, "sla_breach");
    let file = program.running.folder.path().join("theirs.yaml");
    let path = file.to_str().unwrap();
    let sign = |text: &str| {
        std::fs::write(&file, text).unwrap();
        program.purple(&["process", "sign", path, "--as", "bea"])
    };
    for (from, to, why) in [
        (
            "process: sla_breach\n",
            "process: order_modification\n",
            "`order_modification` is a name of the process `order_management`",
        ),
        (
            "process: sla_breach\n",
            "process: sla_breach\nalso: [payroll]\n",
            "`payroll` is a name of the process `payroll`",
        ),
    ] {
        let (code, _, talk) = sign(&shipped.replace(from, to));
        assert!(code == 1 && talk.contains(why) && talk.contains("purple process list"), "{talk}");
        assert_eq!(program.listed("process"), [], "nothing is kept");
    }
    let (code, _, talk) = sign(&shipped);
    assert_eq!(code, 0, "{talk}");
    assert_eq!(program.json(&["process", "list", "--synthesized"])[0]["counts"], true);

    // The operator's own file comes later, and counts all the same.
    let ours = own.path().join("sla_breach.yaml");
    std::fs::write(&ours, format!("# ours\n{shipped}")).unwrap();
    assert_eq!(program.json(&["process", "list", "--synthesized"])[0]["counts"], false);
    let (_, shown, talk) = program.purple(&["process", "show", "sla_breach"]);
    assert!(
        shown.starts_with("# ours") && talk.contains("signed by bea) and does not count"),
        "{shown}{talk}"
    );
    let run = program.task(again::SLA);
    assert_eq!(program.json(&["show", &run])["summary"].get("signed_by"), None);
    let (code, _, talk) = sign(&shipped);
    let said = ["`sla_breach` lies in a folder of yours", ours.to_str().unwrap(), "give yours another name"];
    assert!(code == 1 && said.iter().all(|said| talk.contains(said)), "{talk}");
    let (code, _, talk) = program.purple(&["process", "from-run", &run, "--out", path]);
    assert!(
        code == 0 && talk.contains("put the draft in its place") && !talk.contains("process sign"),
        "{talk}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_function_that_was_not_made_is_listed_shown_carried_and_forgotten() {
    let program = Program::with(functions::scribbler(&[functions::WRONG]), "").await;
    program.task(functions::TASK);
    let once = named("not_made.storage_charge", "not made, tried 1 ×");
    assert_eq!(program.listed("tools"), once);
    let (_, shown, _) = program.purple(&["tools", "show", "storage_charge"]);
    assert!(shown.contains("# not used: ") && shown.contains("# the charge for days"), "{shown}");
    let folder = program.running.folder.path().join("carried");
    let at = folder.to_str().unwrap();
    assert_eq!(program.json(&["learn", "export", at])["definitions"], 1);
    let (code, _, talk) = program.purple(&["tools", "sign", "storage_charge", "--as", "bea"]);
    assert!(code == 1 && talk.contains("not made, tried 1 ×"), "{talk}");
    assert_eq!(program.json(&["tools", "forget", "storage_charge"])["name"], "not_made.storage_charge");
    assert_eq!(program.listed("tools"), []);
    assert_eq!(program.json(&["learn", "import", at])["definitions"]["taken"], 1);
    assert_eq!(program.listed("tools"), once);
}

#[tokio::test(flavor = "multi_thread")]
async fn with_synthesis_off_nothing_is_made_and_nothing_is_drafted() {
    let program =
        Program::with(functions::scribbler(&[functions::GOOD]), "[synthesis]\nenabled = false\n").await;
    let run = program.task(functions::TASK);
    assert_eq!((program.listed("tools"), program.listed("process")), (Vec::new(), Vec::new()));
    let (code, _, talk) = program.purple(&["process", "from-run", &run]);
    assert!(code == 1 && talk.contains("synthesis.enabled"), "{talk}");
    let signed = program.running.folder.path().join("vetted.yaml");
    std::fs::write(&signed, VETTED).unwrap();
    program.json(&["process", "sign", signed.to_str().unwrap(), "--as", "bea"]);
    let run = program.task("A vetting of V-1002 is due.");
    assert_eq!(program.json(&["show", &run])["summary"]["process"], "vetted", "what is signed counts");
}

const VETTED: &str = r#"process: vetted
title: Look at a vendor
owner: purchasing
keywords: [vetting]
format: 2
say: {en: ["vetting {vendor_id} [due]"]}
inputs:
  vendor_id: {type: id, pattern: 'V-[0-9]+'}
read:
  vendor: get_vendor(vendor_id=vendor_id)
decide:
  - {rule: VET-1, if: 'vendor.status == "suspended"', outcome: clear, ask: nobody, because: "vetted"}
outcomes:
  clear:
    do:
      - call: update_vendor_status(vendor_id=vendor_id, status="pending")
        check: get_vendor(vendor_id=vendor_id).status == "pending"
"#;

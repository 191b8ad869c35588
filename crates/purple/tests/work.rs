//! The built program at work against the demo business, judged by the business's own ledger.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod business;

use std::process::Stdio;

use business::Business;
use purple_testkit::{ChildDeadline, becomes, ended, output_of};
use serde_json::Value;

const INVOICE: &str = "Acme Corp submitted invoice INV-2024-447 for $52,340. PO-8821 was $51,200. Approve or reject per policy.";

#[test]
fn a_task_waits_is_approved_by_its_card_and_is_done_once() {
    let business = Business::open();
    let (code, out, talk) = business.purple(&["run", INVOICE, "--session", "inv-447"]);
    assert_eq!(code, 3, "{out}{talk}");
    assert!(out.contains("Reject invoice INV-2024-447 of 52340.00 USD"), "{out}");
    for state in ["DECOMPOSE", "ASSESS", "COMPUTE", "POLICY_CHECK", "APPROVAL_GATE"] {
        assert!(talk.lines().any(|line| line.starts_with(state)), "{state}: {talk}");
    }
    assert_eq!(business.effects(), Vec::<String>::new());

    let (_, out, _) = business.purple(&["inbox", "--json"]);
    let inbox: Value = serde_json::from_str(&out).unwrap();
    let card = inbox[0]["summary"]["approval"]["card"].as_str().unwrap();
    assert_eq!(business.purple(&["approve", "inv-447"]).0, 2);
    assert_eq!(business.purple(&["approve", "inv-447", "--card", "sha256:0123456789"]).0, 1);
    assert_eq!(business.effects(), Vec::<String>::new());

    let (code, out, talk) = business.purple(&["approve", "inv", "--card", card, "--as", "kim"]);
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(business.effects(), ["reject_invoice"]);
    assert_eq!(business.purple(&["approve", "inv-447", "--yes"]).0, 1);
    assert_eq!(business.effects(), ["reject_invoice"]);

    let (code, out, _) = business.purple(&["audit", "verify", "--json"]);
    let report: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((code, report["ok"].as_bool(), report["runs"].as_u64()), (0, Some(true), Some(1)));
    let (_, out, _) = business.purple(&["policy", "explain", "inv-447"]);
    assert!(out.contains("variance_percent (2.2265625) > 2.0"), "{out}");
}

#[test]
fn a_plan_writes_nothing_and_is_forgotten() {
    let business = Business::open();
    let (code, out, talk) = business.purple(&["plan", INVOICE, "--detailed-exitcode"]);
    assert_eq!(code, 10, "{out}{talk}");
    assert!(out.contains("Reject invoice INV-2024-447"), "{out}");
    assert_eq!(business.effects(), Vec::<String>::new());
    assert_eq!(business.purple(&["runs", "--json"]).1.trim(), "[]");
}

#[test]
fn a_plan_says_which_run_has_taken_the_case_up_before_also_beside_a_server() {
    let business = Business::open();
    let (_, out, _) = business.purple(&["run", INVOICE, "--session", "inv-447", "-q"]);
    assert!(out.contains("Reject invoice"), "{out}");
    let (code, out, talk) = business.purple(&["plan", INVOICE, "--detailed-exitcode"]);
    assert_eq!(code, 0, "nothing would be done: {out}{talk}");
    assert!(out.contains("This was taken up before, by run inv-447"), "{out}");
    // The same while a server works there.
    let mut server = business.command(&["serve", "--port", "0", "--json"]);
    let mut server = server.stdout(std::process::Stdio::piped()).spawn().unwrap();
    let deadline = ChildDeadline::of(&server);
    let mut line = String::new();
    let mut said = std::io::BufReader::new(server.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
    drop(deadline);
    let (code, out, talk) = business.purple(&["plan", INVOICE, "--json", "-q"]);
    server.kill().unwrap();
    server.wait().unwrap();
    assert_eq!(code, 0, "{out}{talk}");
    assert!(out.contains("business_key.handled") && out.contains("inv-447"), "{out}");
    // It looked, and left nothing: another case is planned as ever, and only the first run is there.
    let other = "Acme Corp submitted invoice INV-2024-448 for $51,200. PO-8821 was $51,200. Approve or reject per policy.";
    assert!(!business.purple(&["plan", other]).1.contains("taken up before"));
    let runs: Value = serde_json::from_str(&business.purple(&["runs", "--json"]).1).unwrap();
    assert_eq!(runs.as_array().unwrap().len(), 1, "{runs}");
}

#[test]
fn a_rejected_plan_is_not_carried_out() {
    let business = Business::open();
    business.purple(&["run", INVOICE, "--session", "inv-447", "-q"]);
    let (code, _, talk) =
        business.purple(&["reject", "inv-447", "--reason", "the order was raised by phone"]);
    assert_eq!(code, 5, "{talk}");
    assert_eq!(business.effects(), Vec::<String>::new());
}

#[test]
fn rules_with_a_slip_in_them_are_not_taken_for_prose() {
    let business = Business::open();
    let file = business.folder.path().join("slip.json");
    std::fs::write(&file, r#"{"rules":[{"id":"R1","condition":"true","action":"block"},]}"#).unwrap();
    let (code, _, talk) = business.purple(&["run", INVOICE, "--policy", file.to_str().unwrap()]);
    assert_eq!(code, 1, "{talk}");
    assert!(talk.contains("begins like JSON and is none"), "{talk}");
    assert_eq!(business.purple(&["runs", "--json"]).1.trim(), "[]");
}

#[test]
fn a_second_process_takes_over_the_work_of_the_first_when_that_one_ends() {
    let business = Business::open();
    // The first process hangs in a read, and is killed there.
    business.office.set_faults(vec!["get_invoice:hang,times=1".parse().unwrap()]);
    let first = business.serve();
    let mut command = business.command(&["run", INVOICE, "--session", "inv-447", "--json"]);
    let second = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let has_arrived = || business.office.ledger().unwrap().calls_of("get_invoice").count() > 0;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async { becomes("the read to arrive", has_arrived).await });
    first.kill();
    let second = ended(second).unwrap();
    let told = String::from_utf8_lossy(&second.stdout).into_owned();
    assert_eq!(second.status.code(), Some(3), "{told}{}", String::from_utf8_lossy(&second.stderr));
    assert!(told.contains("Reject invoice INV-2024-447"), "{told}");
    // A third one finds the folder free, and everything in it.
    let (code, out, talk) = business.purple(&["approve", "inv-447", "--yes", "--as", "kim"]);
    assert_eq!(code, 0, "{out}{talk}");
    assert_eq!(business.effects(), ["reject_invoice"]);
}

const PEOPLE: &str = r#"
[people.alex]
roles = ["ap_lead", "controller", "cfo"]
[people.kim]
roles = ["ap_lead", "controller", "cfo"]
"#;

#[test]
fn who_may_not_decide_is_told_so_with_a_code_of_its_own_beside_a_server_too() {
    let business = Business::open();
    let token = |name: &str| {
        let (code, out, talk) = business.purple(&["token", "create", "--name", name, "--role", "requester"]);
        assert_eq!(code, 0, "{talk}");
        out.trim().to_owned()
    };
    let (alex, kim) = (token("alex"), token("kim"));
    std::fs::write(business.folder.path().join("purple.toml"), PEOPLE).unwrap();
    let as_alex = |arguments: &[&str]| business.with(&[("PURPLE_TOKEN", &alex)], arguments);
    let server = business.serve();
    let (code, out, talk) = as_alex(&["run", INVOICE, "--session", "inv-447"]);
    assert_eq!(code, 3, "{out}{talk}");
    // The requester never approves what they asked for, in their own name or by saying that they are another.
    let (code, out, talk) = as_alex(&["approve", "inv-447", "--yes"]);
    assert_eq!(code, 4, "{out}{talk}");
    assert!(talk.contains("`alex` asked for this work"), "{talk}");
    let (code, out, talk) = as_alex(&["approve", "inv-447", "--yes", "--as", "kim"]);
    assert_eq!(code, 4, "{out}{talk}");
    assert!(talk.contains("you are `alex` here, not `kim`"), "{talk}");
    for variables in [&[][..], &[("PURPLE_AS", "kim")], &[("USER", "kim")], &[("PURPLE_TOKEN", "purple_x_y")]]
    {
        let (code, out, talk) = business.with(variables, &["approve", "inv-447", "--yes", "--as", "kim"]);
        assert_eq!(code, 4, "{out}{talk}");
    }
    assert_eq!(business.effects(), Vec::<String>::new());
    // All of this went through the server's socket, and so does the token of somebody else: it is the same account.
    let (code, out, talk) = business.with(&[("PURPLE_TOKEN", &kim)], &["approve", "inv-447", "--yes"]);
    assert_eq!(code, 4, "{out}{talk}");
    assert!(talk.contains("`kim` asked for this work, is at the same account"), "{talk}");
    assert_eq!(business.effects(), Vec::<String>::new());
    server.kill();
    let (_, trace, _) = as_alex(&["trace", "inv-447", "--json"]);
    let account = format!("\"account\":\"{}\"", account());
    let began = trace.lines().filter(|line| line.contains("turn.began") && line.contains(&account));
    assert!(began.count() >= 3, "{trace}");
}

/// The account of the operating system that the tests run under.
fn account() -> String {
    let told = output_of(std::process::Command::new("id").arg("-un")).unwrap();
    String::from_utf8(told.stdout).unwrap().trim().to_owned()
}

#[test]
fn an_account_of_the_operating_system_is_a_person_if_the_configuration_says_so() {
    let business = Business::open();
    let people = format!("{PEOPLE}account = \"{}\"\n", account());
    std::fs::write(business.folder.path().join("purple.toml"), people).unwrap();
    let (code, out, talk) = business.with(&[("USER", "alex")], &["whoami", "--json"]);
    assert_eq!(code, 0, "{talk}");
    let told: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&told["person"], &told["account"]), (&"kim".into(), &account().into()));
    let (code, out, talk) = business.purple(&["run", INVOICE, "--session", "inv-447"]);
    assert_eq!(code, 3, "{out}{talk}");
    let (code, _, talk) = business.purple(&["approve", "inv-447", "--yes"]);
    assert_eq!(code, 4, "{talk}");
    assert!(talk.contains("`kim` asked for this work"), "{talk}");
    let (code, _, talk) = business.purple(&["approve", "inv-447", "--yes", "--as", "alex"]);
    assert_eq!(code, 4, "{talk}");
    assert_eq!(business.effects(), Vec::<String>::new());
}

#[test]
fn a_login_is_kept_for_its_owner_only_and_forgotten_by_logout() {
    let business = Business::open();
    let home = business.folder.path().join("home");
    let home = [("HOME", home.to_str().unwrap())];
    let (_, token, _) = business.purple(&["token", "create", "--name", "Lea", "--role", "operator"]);
    assert_eq!(business.with(&home, &["whoami"]).0, 4);
    let mut command = business.command(&["login"]);
    command.envs(home).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), token.as_bytes()).unwrap();
    assert!(ended(child).unwrap().status.success());
    assert!(business.with(&home, &["whoami"]).1.starts_with("lea (by token"));
    let kept = business.folder.path().join("home/.local/state/purple/logins");
    let file = std::fs::read_dir(kept).unwrap().next().unwrap().unwrap().path();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let (code, _, talk) = business.with(&home, &["whoami"]);
        assert!(code == 4 && talk.contains("others can read the token"), "{talk}");
    }
    assert_eq!(business.with(&home, &["logout"]).0, 0);
    assert!(!file.exists());
    assert_eq!(business.with(&home, &["whoami"]).0, 4);
}

#[test]
fn the_first_operator_is_made_by_the_owner_of_the_data_and_tokens_by_operators_from_then_on() {
    let business = Business::open();
    let create = |variables: &[(&str, &str)], name: &str, role: &str| {
        business.with(variables, &["token", "create", "--name", name, "--role", role])
    };
    let (_, ada, _) = create(&[], "ada", "requester");
    let (_, ops, _) = create(&[], "ops", "operator");
    let (ada, ops) = ([("PURPLE_TOKEN", ada.trim())], [("PURPLE_TOKEN", ops.trim())]);
    for variables in [&[][..], &ada] {
        let (code, _, talk) = create(variables, "lea", "approver");
        assert!(code == 4 && talk.contains("only an operator"), "{talk}");
    }
    assert_eq!(create(&ops, "lea", "approver").0, 0);
    // One person has one name, and nobody else has one that looks like it.
    let (code, _, talk) = create(&ops, "1ea", "approver");
    assert!(code == 1 && talk.contains("`1ea` cannot be told apart from `lea`"), "{talk}");
    assert_eq!(create(&ops, "LEA", "requester").0, 0);
    assert_eq!(create(&ops, "l\u{435}a", "requester").0, 1);
}

#[test]
fn the_inbox_shows_what_can_still_be_done_and_says_how() {
    let business = Business::open();
    let (code, out, talk) = business.purple(&["run", INVOICE, "--session", "inv-447"]);
    assert_eq!(code, 3, "{out}{talk}");
    // A task that lacks something asks for it, and nothing can be approved there.
    let (code, out, talk) =
        business.purple(&["run", "Start offboarding for an employee, last day Friday", "--session", "leave"]);
    assert_eq!(code, 3, "{out}{talk}");
    assert!(talk.contains("Next: purple run \"ANSWER\" --session leave"), "{talk}");
    let (_, out, _) = business.purple(&["inbox"]);
    let line = |run: &str| out.lines().find(|line| line.contains(run)).unwrap_or_default().to_owned();
    assert!(line("inv-447").starts_with("approve"), "{out}");
    assert!(line("leave").starts_with("answer"), "{out}");
    // Days later, by the operator's clock: a yes would come too late.
    let mut later = business.command(&["inbox", "--json"]);
    let later = output_of(later.env("PURPLE_CLOCK_START", "2126-03-04T09:00:00Z")).unwrap();
    let inbox: Value = serde_json::from_slice(&later.stdout).unwrap();
    let runs: Vec<&str> = inbox.as_array().unwrap().iter().map(|one| one["run"].as_str().unwrap()).collect();
    assert_eq!(runs, ["leave"], "{inbox}");
}

#[test]
fn a_session_at_the_keyboard_goes_on_after_its_card_and_after_it_was_left() {
    let business = Business::open();
    let order = "Customer C-8821 wants to change order #ORD-5592: remove 3x Widget A, add 2x Widget B. Check inventory first.";
    let (code, out, talk) =
        business.told(&["chat", "--session", "order"], format!("{order}\n/nonsense\n/quit\n"));
    assert_eq!(code, 3, "{out}{talk}");
    assert!(talk.contains("there is no `/nonsense`"), "{talk}");
    assert_eq!(business.effects(), Vec::<String>::new());

    let lines = "confirmed, but 5 of them\nconfirmed, proceed\n";
    let (code, out, talk) = business.told(&["chat", "--session", "order"], lines);
    assert_eq!(code, 0, "{out}{talk}");
    assert!(out.contains("-25.97"), "{out}");
    assert!(business.effects().iter().any(|tool| tool == "modify_order_items"), "{:?}", business.effects());
    let once = business.effects();
    let (_, out, _) = business.told(&["chat", "--session", "order", "--json"], "confirmed, proceed\n");
    assert_eq!(business.effects(), once, "{out}");
}

/// Puts the files of a folder in the place of another one.
fn copy(from: &std::path::Path, to: &std::path::Path) {
    let _ = std::fs::remove_dir_all(to);
    std::fs::create_dir(to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(|file| file.unwrap().path()) {
        if file.is_file() {
            std::fs::copy(&file, to.join(file.file_name().unwrap())).unwrap();
        }
    }
}

#[test]
fn a_journal_that_was_set_back_is_seen_by_the_anchor_outside_the_data_folder() {
    let business = Business::open();
    let data = business.folder.path().join("data");
    let verified = || business.purple(&["audit", "verify"]);
    assert_eq!(business.purple(&["halt", "--reason", "one"]).0, 0);
    let before = business.folder.path().join("before");
    copy(&data, &before);
    assert_eq!(business.purple(&["halt", "--reason", "two"]).0, 0);
    assert_eq!(verified().0, 0, "{}", verified().1);
    let anchors = business.folder.path().join("home/.local/state/purple/anchors");
    assert!(anchors.is_dir(), "it is kept outside the data folder");
    // The older state is whole in itself; only the anchor knows better, and no later command makes it forget.
    copy(&before, &data);
    let (code, out, _) = verified();
    assert!(code == 1 && out.contains("NOT OK"), "{out}");
    assert_eq!(business.purple(&["resume"]).0, 0);
    assert_eq!(verified().0, 1);
    let (code, out, _) = business.with(&[("PURPLE_SERVE_PORT", "0")], &["doctor"]);
    assert!(code == 1 && out.contains("✗ anchor"), "{out}");
    let (_, out, _) = business.with(&[("HOME", ""), ("PURPLE_SERVE_PORT", "0")], &["doctor"]);
    assert!(out.contains("! anchor     there is no place outside the data folder"), "{out}");
    // A new database in the place of the old one is whole in itself too.
    std::fs::remove_dir_all(&data).unwrap();
    assert_eq!(business.purple(&["halt", "--reason", "three"]).0, 0);
    let (_, out, _) = business.with(&[("PURPLE_SERVE_PORT", "0")], &["doctor"]);
    assert!(out.contains("! anchor     another database was in this folder before"), "{out}");
    let (code, out, _) = verified();
    assert!(code == 1 && out.contains("NOT OK: another database was in this folder before"), "{out}");
}

#[test]
fn a_journal_that_was_set_back_is_seen_wherever_its_folder_is() {
    let business = Business::open();
    let folder = |name: &str| business.folder.path().join(name);
    assert_eq!(business.purple(&["halt", "--reason", "one"]).0, 0);
    copy(&folder("data"), &folder("old"));
    assert_eq!(business.purple(&["halt", "--reason", "two"]).0, 0);
    // Moved as it is, it holds.
    std::fs::rename(folder("data"), folder("moved")).unwrap();
    let moved = [("PURPLE_DATA_DIR", "moved"), ("PURPLE_SERVE_PORT", "0")];
    assert_eq!(business.with(&moved, &["audit", "verify"]).0, 0);
    // Moved and set back, it does not, and no later command makes the anchor forget.
    copy(&folder("old"), &folder("moved"));
    for _ in 0..2 {
        let (code, out, _) = business.with(&moved, &["audit", "verify"]);
        assert!(code == 1 && out.contains("NOT OK"), "{out}");
        assert_eq!(business.with(&moved, &["resume"]).0, 0);
    }
    let (code, out, _) = business.with(&moved, &["doctor"]);
    assert!(code == 1 && out.contains("✗ anchor"), "{out}");
}

#[test]
#[cfg(unix)]
fn a_configuration_that_others_can_write_is_not_obeyed_and_says_how_to_trust_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let business = Business::open();
    let file = business.file("purple.toml", "[approvals]\nmode = \"permissive\"\n");
    let below = business.folder.path().join("below");
    std::fs::create_dir(&below).unwrap();
    let shown = |mode: u32| {
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
        let output = output_of(business.command(&["config", "show"]).current_dir(&below)).unwrap();
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    assert_eq!(shown(0o644).0, 0);
    for mode in [0o666, 0o664, 0o646] {
        let (code, talk) = shown(mode);
        assert!(code != 0 && talk.contains("config.untrusted") && talk.contains("chmod go-w"), "{talk}");
    }
}

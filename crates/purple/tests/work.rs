//! The built program at work against the demo business, judged by the business's own ledger.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

mod business;

use business::Business;
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
    let mut line = String::new();
    let mut said = std::io::BufReader::new(server.stdout.take().unwrap());
    std::io::BufRead::read_line(&mut said, &mut line).unwrap();
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

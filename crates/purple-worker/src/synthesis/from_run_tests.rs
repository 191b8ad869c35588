use std::collections::BTreeMap;

use jiff::civil::date;
use purple_process::file::{BUILTIN, load};
use purple_process::{Argument, Check, Digest, Effect, Json, StepId};
use serde_json::json;

use super::*;
use crate::dossier::{Dossier, Gathered};
use crate::port::BlobHash;
use crate::session::Chosen;
use crate::settings::Process;
use crate::synthesis::record::{Asked, Look, Sum};

fn arguments(given: Value) -> purple_process::Arguments {
    let Json::Record(fields) = Json::from_serde(&given).unwrap() else { panic!("{given}") };
    fields.into_iter().map(|(name, value)| (name, Argument::Value(value))).collect()
}

fn operation(step: &str, tool: &str, given: Value, check: Check) -> Operation {
    let (step, tool) = (StepId::parse(step).unwrap(), ToolName::parse(tool).unwrap());
    Operation::new(step, tool, Effect::Write, arguments(given), check, crate::fixture::order())
}

fn credit(amount: &str) -> Operation {
    let check = Check::ReadBack {
        tool: ToolName::parse("get_credit").unwrap(),
        arguments: arguments(json!({"reference": "GW-CTR-441"})),
        expect: arguments(json!({"amount": amount})),
    };
    let given = json!({"vendor_id": "INFRA-9", "amount": amount, "reference": "GW-CTR-441"});
    operation("a1", "apply_account_credit", given, check)
}

/// A run under this file, of which nothing is known but its words.
pub(in crate::synthesis) fn under(file_text: &str, text: &str) -> Record {
    let file = load(file_text).unwrap();
    let chosen = Chosen {
        process: file.name().to_owned(),
        task: file.tasks()[0].name().to_owned(),
        file: BlobHash(Digest::of(file_text.as_bytes())),
        digest: file.digest(),
        unsigned: false,
        signed_by: None,
        binding: None,
    };
    let dossier = Dossier {
        chosen,
        text: text.to_owned(),
        today: date(2026, 3, 4),
        inputs: BTreeMap::new(),
        reads: Vec::new(),
        operator: None,
        request: None,
        driven: Some(Default::default()),
        edits: BTreeMap::new(),
        edit_count: 0,
    };
    let (looks, sums, operations, asked, caveats) = Default::default();
    Record { dossier, file, file_text: file_text.to_owned(), looks, sums, operations, asked, caveats }
}

pub(in crate::synthesis) fn shipped(name: &str) -> &'static str {
    BUILTIN.iter().find(|(known, _)| *known == name).unwrap().1
}

fn look(tool: &str, parameter: &str, id: &str, answer: Value) -> Look {
    let arguments = BTreeMap::from([(parameter.to_owned(), json!(id))]);
    Look { name: "r1".to_owned(), tool: tool.to_owned(), arguments, answer }
}

fn goodwill(amount: &str) -> Record {
    let text = "Credit 2 percent of the monthly fee to vendor INFRA-9 as goodwill under contract CTR-441.";
    let contract = json!({"contract_id": "CTR-441", "vendor_id": "INFRA-9", "monthly_fee": "85000.00 USD", "ends": null});
    let sum = Sum {
        name: "c1".to_owned(),
        by: "calculate".to_owned(),
        arguments: json!({"expression": "round(r1.monthly_fee * 2 / 100, cents, half_even)"}),
        value: json!("1700.00 USD"),
    };
    Record {
        looks: vec![look("get_contract", "contract_id", "CTR-441", contract)],
        sums: vec![sum],
        operations: vec![credit(amount)],
        ..under(shipped("general"), text)
    }
}

/// A claim that is approved under rules that a file has and no outcome.
/// A file of a company that names values plainly and declares no records.
const PLAIN: &str = r#"process: expense_approval
title: Approve an expense or reimbursement claim
owner: finance_operations
keywords: [expense, reimbursement, approval, spend, budget, receipt, claim]
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, APPROVAL_GATE, MUTATE, COMPLETE]
decide:                                              # each operation is judged; a person decides in every case
  - {rule: EXP-1, if: 'exists(receipt_total) && exists(amount) && receipt_total != amount', outcome: stop, because: "the receipts do not add up to the claim"}
  - {rule: EXP-2, if: 'amount > 5000 USD', ask: controller, because: "the claim is above the budget threshold"}
  - {rule: EXP-3, if: 'exists(budget_left) && amount > budget_left', ask: budget_owner, because: "the claim is above what is left of the budget"}
  - {rule: EXP-4, ask: manager, because: "a manager signs every claim"}
approval: {never: requester, within: 5 business days, then: controller}
limits: {model_calls: 20, writes: 5}
"#;

fn claim(amount: &str, given: Value) -> Record {
    let text = "Please approve the travel claim EX-31 of last week.";
    let answer = json!({"expense_id": "EX-31", "amount": amount, "status": "submitted"});
    let check = Check::ReadBack {
        tool: ToolName::parse("get_expense").unwrap(),
        arguments: arguments(json!({"expense_id": "EX-31"})),
        expect: arguments(json!({"status": "approved"})),
    };
    Record {
        looks: vec![look("get_expense", "expense_id", "EX-31", answer)],
        operations: vec![operation("a1", "approve_expense", given, check)],
        ..under(PLAIN, text)
    }
}

fn drafted(record: &Record) -> Result<String, NoDraft> {
    let settings = Settings::careful(Process::shipped().unwrap());
    composed(record, &SessionId::parse("run_1").unwrap(), "goodwill", &settings)
}

#[test]
fn a_run_becomes_a_file_that_does_the_same() {
    insta::assert_snapshot!(drafted(&goodwill("1700.00 USD")).unwrap());
}

#[test]
fn an_amount_that_came_from_nowhere_becomes_no_file() {
    let refused = drafted(&goodwill("1700.01 USD"));
    assert!(
        matches!(&refused, Err(NoDraft::NoOrigin { argument, .. }) if argument == "amount"),
        "{refused:?}"
    );
}

#[test]
fn a_figure_of_a_function_becomes_no_file() {
    let mut record = goodwill("1700.00 USD");
    record.sums[0].by = "storage_charge".to_owned();
    assert!(drafted(&record).is_err());
}

#[test]
fn a_file_that_would_do_something_else_is_not_given_out() {
    let mut record = goodwill("1700.00 USD");
    record.sums[0].arguments = json!({"expression": "round(r1.monthly_fee * 3 / 100, cents, half_even)"});
    let refused = drafted(&record);
    assert!(matches!(&refused, Err(NoDraft::Differs { .. })), "{refused:?}");
}

#[test]
fn a_run_in_which_nothing_was_read_becomes_no_file() {
    let mut record = goodwill("1700.00 USD");
    record.looks.clear();
    record.sums.clear();
    record.operations =
        vec![operation("a1", "close_ticket", json!({"note": "as asked"}), Check::Unverifiable)];
    let refused = drafted(&record);
    assert!(matches!(&refused, Err(NoDraft::NothingRead)), "{refused:?}");
}

#[test]
fn whom_a_policy_asked_by_name_is_asked_by_the_draft() {
    let mut record = goodwill("1700.00 USD");
    record.asked = vec![Asked { who: "cfo".to_owned(), people: 2 }];
    let text = drafted(&record).unwrap();
    assert!(text.contains("outcome: apply, ask: cfo, people: 2, because:"), "{text}");
    assert!(text.contains("    ask: cfo\n"), "{text}");
    record.asked = vec![Asked { who: "requester".to_owned(), people: 1 }];
    let text = drafted(&record).unwrap();
    assert!(text.contains("ask: requester") && !text.contains("never"), "{text}");
    record.asked.push(Asked { who: "cfo".to_owned(), people: 1 });
    let refused = drafted(&record);
    assert!(matches!(&refused, Err(NoDraft::ManyAsked { asked }) if asked.len() == 2), "{refused:?}");
}

#[test]
fn the_rules_of_a_file_without_outcomes_are_taken_over_and_decide_as_they_did() {
    let record = claim("900.00 USD", json!({"expense_id": "EX-31", "amount": "900.00 USD"}));
    let text = drafted(&record).unwrap();
    insta::assert_snapshot!(text);
    let file = load(&text).unwrap();
    let rules: Vec<&str> = file.tasks()[0].rules().iter().map(|rule| rule.id()).collect();
    assert_eq!(rules, ["FR-1", "EXP-1", "EXP-2", "EXP-3", "EXP-4"]);
    let more = claim("7200.00 USD", json!({"expense_id": "EX-31", "amount": "7200.00 USD"}));
    let text = drafted(&more).unwrap();
    assert!(text.contains("    rule: EXP-2\n    ask: controller\n"), "{text}");
}

#[test]
fn what_the_rules_did_not_know_in_the_run_stays_unknown_where_it_would_change_whom_is_asked() {
    // The rule about amounts was in doubt in the run, and its people were asked too: so it is in the draft.
    for amount in ["900.00 USD", "7200.00 USD"] {
        let text = drafted(&claim(amount, json!({"expense_id": "EX-31"}))).unwrap();
        assert!(text.contains("  amount: \"expense.not_read.amount\"\n"), "{text}");
    }
}

#[test]
fn what_a_file_reads_and_computes_itself_is_taken_over() {
    let file = "process: thanks
title: Thank a vendor
owner: purchasing
keywords: [thanks]
inputs:
  contract_id: {type: id, pattern: 'CTR-[0-9]+'}
read:
  deal: get_contract(contract_id=contract_id)
compute:
  thanks: round(deal.monthly_fee * 2 / 100, cents, half_even)
decide:
  - {rule: TH-1, if: 'thanks > 5000 USD', outcome: stop, because: \"too much\"}
  - {rule: TH-2, if: 'amount <= thanks', ask: buyer, people: 2, because: \"as agreed\"}
approval: {never: requester, people: 3}
once_per: contract_id
";
    let contract = json!({"contract_id": "CTR-441", "vendor_id": "INFRA-9", "monthly_fee": "85000.00 USD"});
    let mut record = under(file, "With thanks to INFRA-9, see CTR-441.");
    record.dossier.inputs = BTreeMap::from([("contract_id".to_owned(), json!({"plain": "CTR-441"}))]);
    let at = jiff::Timestamp::UNIX_EPOCH;
    record.dossier.reads = vec![Gathered {
        name: "deal".to_owned(),
        tool: "get_contract".to_owned(),
        at,
        calls: vec![Default::default()],
        answers: Ok(vec![contract]),
        no_answer: Default::default(),
    }];
    record.operations = vec![credit("1700.00 USD")];
    let text = drafted(&record).unwrap();
    insta::assert_snapshot!(text);
}

#[test]
fn operations_that_the_rules_judge_differently_become_no_file() {
    let mut record = claim("900.00 USD", json!({"expense_id": "EX-31", "amount": "900.00 USD"}));
    let mut second = record.operations[0].clone();
    second.arguments = arguments(json!({"expense_id": "EX-31", "amount": "7200.00 USD"}));
    record.operations.push(second);
    let refused = drafted(&record);
    assert!(matches!(&refused, Err(NoDraft::ManyAsked { .. })), "{refused:?}");
    record.operations[1].arguments = arguments(json!({"expense_id": "EX-31", "amount": "901.00 USD"}));
    let refused = drafted(&record);
    assert!(matches!(&refused, Err(NoDraft::ManyValues { name, .. }) if name == "amount"), "{refused:?}");
}

/// A credit that the shipped file decides, as a model drove it.
fn breach(amount: &str) -> Record {
    let text = "Vendor INFRA-9 missed its promise under CTR-441, see to the credit.";
    let mut record = under(shipped("sla_breach"), text);
    let plain = |text: &str| json!({ "plain": text });
    record.dossier.inputs = BTreeMap::from([
        ("vendor_id".to_owned(), plain("INFRA-9")),
        ("contract_id".to_owned(), plain("CTR-441")),
        ("month".to_owned(), plain("2026-02")),
        ("stated_uptime".to_owned(), json!({"percent": "99.1"})),
    ]);
    let read = |name: &str, tool: &str, answer: Value| Gathered {
        name: name.to_owned(),
        tool: tool.to_owned(),
        at: jiff::Timestamp::UNIX_EPOCH,
        calls: vec![Default::default()],
        answers: Ok(vec![answer]),
        no_answer: Default::default(),
    };
    let contract = json!({
        "vendor_id": "INFRA-9", "sla_percent": "99.9", "monthly_fee": "85000.00 USD", "multiplier": "1.5",
        "contact": "ops@example.com", "iban": "not looked at",
    });
    record.dossier.reads = vec![
        read("contract", "get_contract", with_numbers(contract)),
        read("measured", "get_uptime", with_numbers(json!({"percent": "99.1"}))),
    ];
    let given = json!({"vendor_id": "INFRA-9", "amount": amount, "reference": "SLA-CTR-441-2026-02"});
    let notice = json!({"to": "ops@example.com", "contract_id": "CTR-441", "amount": amount});
    record.operations = vec![
        operation("a1", "apply_account_credit", given, Check::Unverifiable),
        operation("a2", "send_sla_breach_notification", notice, Check::Unverifiable),
    ];
    record
}

/// Numbers as systems give them.
fn with_numbers(answer: Value) -> Value {
    let number = |value: Value| match value.as_str().and_then(|text| text.parse().ok()) {
        Some(number) => Value::Number(number),
        None => value,
    };
    let Value::Object(fields) = answer else { panic!("{answer}") };
    Value::Object(fields.into_iter().map(|(name, value)| (name, number(value))).collect())
}

#[test]
fn what_the_file_of_a_run_does_itself_becomes_a_short_test_of_it() {
    let run = SessionId::parse("run_1").unwrap();
    let text = extended(&breach("1020.00 USD"), &run, "sla_breach").unwrap();
    let from = text.find("tests:\n").unwrap();
    insta::assert_snapshot!(&text[from..from + text[from..].find("  - {").unwrap()]);
    let head = "# `sla_breach` with run run_1 as the first test of `sla_breach`.\n# It takes effect when a person has signed it: ";
    assert!(text.starts_with(head), "{text}");
}

#[test]
fn a_run_that_did_something_else_than_its_file_decides_is_refused_by_the_name_of_that_file() {
    let run = SessionId::parse("run_1").unwrap();
    let refused = extended(&breach("1021.00 USD"), &run, "sla_breach").unwrap_err();
    let told = refused.to_string();
    assert!(
        told.contains("`sla_breach` decides such tasks itself") && told.contains("1021.00 USD"),
        "{told}"
    );
    assert!(refused.help().contains("purple process show sla_breach"), "{}", refused.help());
}

//! The process files that ship, and the two examples of the format, load and pass their own tests.

use purple_process::file::{BUILTIN, End, builtin, load};
use purple_process::{Effect, State};

const INVOICE: &str = include_str!("fixtures/invoice_reconciliation.yaml");
const SLA: &str = include_str!("fixtures/sla_breach.yaml");

#[test]
fn the_two_examples_of_the_format_load_and_pass_their_tests() {
    for (text, tests) in [(INVOICE, 3), (SLA, 2)] {
        let file = load(text).unwrap_or_else(|refused| panic!("{refused}"));
        assert!(file.tasks()[0].is_complete());
        assert_eq!(file.tasks()[0].test_count(), tests);
    }
}

#[test]
fn all_fifteen_builtin_processes_load_under_their_names() {
    for (name, text) in BUILTIN {
        let file = load(text).unwrap_or_else(|refused| panic!("{name}\n{refused}"));
        assert_eq!(file.name(), name);
    }
    assert_eq!(builtin().unwrap().len(), 15);
}

/// Routes by the first letters of their states; G is APPROVAL_GATE, N is SCHEDULE_NOTIFY, K is COMPLETE.
const TABLE: [(&str, &str, &str); 15] = [
    ("expense_approval", "DACPGMK", "expense, reimbursement, approval, spend, budget, receipt, claim"),
    ("procurement", "DACPGMNK", "vendor, purchase, order, contract, supplier, rfp, quote, procurement"),
    ("hr_offboarding", "DAPMNK", "offboarding, offboard, termination, access revocation, exit, last day"),
    ("incident_response", "DACPGMNK", "incident, outage, down, breach, alert, p1, p2, emergency, sev"),
    (
        "invoice_reconciliation",
        "DACPMK",
        "invoice, reconcile, reconciliation, statement, bill, accounts payable",
    ),
    ("customer_onboarding", "DAPMNK", "onboarding, onboard, new customer, new client, setup, provision"),
    ("compliance_audit", "DACPGMNK", "compliance, audit, kyc, gdpr, pci, sox, regulatory, review"),
    ("dispute_resolution", "DAPGMK", "dispute, chargeback, complaint, resolution, contested, claim"),
    ("order_management", "DACPGMNK", "order, shipment, delivery, fulfillment, cart, item, product"),
    ("sla_breach", "DACPMNK", "sla, service level, uptime, downtime, breach, penalty, credit"),
    ("month_end_close", "DACPGMNK", "month-end, close, p&l, financial close, accounting, books"),
    ("ar_collections", "DACPMNK", "accounts receivable, aging, overdue, collection, payment plan, bad debt"),
    ("subscription_migration", "DACPGMNK", "migrate, migration, downgrade, upgrade, plan change"),
    ("payroll", "DACPGMNK", "payroll, salary, wages, compensation, pay run"),
    ("general", "DACPMNK", ""),
];

fn letter(state: State) -> char {
    match state {
        State::Decompose => 'D',
        State::Assess => 'A',
        State::Compute => 'C',
        State::PolicyCheck => 'P',
        State::ApprovalGate => 'G',
        State::Mutate => 'M',
        State::ScheduleNotify => 'N',
        State::Complete => 'K',
        State::Escalate | State::Failed => '?',
    }
}

#[test]
fn routes_and_keywords_are_those_of_the_table() {
    for (file, (name, route, keywords)) in builtin().unwrap().iter().zip(TABLE) {
        assert_eq!(file.name(), name);
        assert_eq!(file.keywords().join(", "), keywords, "{name}");
        for task in file.tasks() {
            let walked: String = task.route().states().iter().copied().map(letter).collect();
            assert_eq!(walked, route, "{name}");
        }
    }
}

#[test]
fn the_files_of_the_worked_cases_run_without_a_model_and_the_others_do_not() {
    let complete = ["hr_offboarding", "invoice_reconciliation", "order_management", "sla_breach"];
    for file in builtin().unwrap() {
        for task in file.tasks() {
            assert_eq!(task.is_complete(), complete.contains(&file.name()), "{}", file.name());
            assert_eq!(task.tools().is_empty(), !task.is_complete(), "{}", file.name());
            for state in task.route().states().iter().filter(|_| !task.is_complete()) {
                let machine_only = matches!(state, State::PolicyCheck | State::ApprovalGate);
                assert!(machine_only || task.instruction(*state).is_some(), "{} {state}", file.name());
            }
        }
    }
}

#[test]
fn a_task_names_its_tools_with_the_effect_it_expects() {
    let file = load(SLA).unwrap();
    let tools: Vec<(&str, Effect)> =
        file.tasks()[0].tools().into_iter().map(|(tool, effect)| (tool.as_str(), effect)).collect();
    assert_eq!(
        tools,
        [
            ("get_contract", Effect::Read),
            ("get_uptime", Effect::Read),
            ("apply_account_credit", Effect::Write),
            ("get_credit", Effect::Read),
            ("reverse_credit", Effect::Write),
            ("get_account_balance", Effect::Read),
            ("send_sla_breach_notification", Effect::Notify),
        ]
    );
}

#[test]
fn what_makes_a_process_special_is_in_its_file() {
    let files = builtin().unwrap();
    let file = |name: &str| files.iter().find(|file| file.answers_to(name)).unwrap();
    assert_eq!(file("order_modification").name(), "order_management");
    assert_eq!(file("subscription_migration").tasks()[0].approval().confirmations.get(), 5);
    assert_eq!(file("payroll").tasks()[0].approval().people.get(), 2);
    assert!(file("sla_breach").tasks()[0].rules().iter().any(|rule| rule.end() == Some(&End::Escalate)));
    assert_eq!(file("hr_offboarding").tasks().len(), 2);
    assert!(file("general").tasks()[0].rules().is_empty());
}

#[test]
fn a_digest_changes_with_every_byte() {
    let digest = |text: &str| load(text).unwrap().digest();
    assert_eq!(digest(SLA), digest(SLA));
    assert_ne!(digest(SLA), digest(&format!("{SLA}\n")));
}

#[test]
fn a_route_that_is_left_out_follows_from_the_slots() {
    let file = load(SLA).unwrap();
    assert_eq!(
        file.tasks()[0].route().to_string(),
        "DECOMPOSE → ASSESS → COMPUTE → POLICY_CHECK → APPROVAL_GATE → MUTATE → SCHEDULE_NOTIFY → COMPLETE"
    );
    let bare = load("process: x\ntitle: X\nowner: x\ncompute: {a: 1 + 1}\n").unwrap();
    assert_eq!(bare.tasks()[0].route().to_string(), "DECOMPOSE → COMPUTE → COMPLETE");
}

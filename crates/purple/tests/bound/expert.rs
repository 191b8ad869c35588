//! A model that knows the right call, on catalogues that nobody mapped: naming the right process makes no right call
//! unreachable. It is executed or at the gate, except where an evaluated rule forbids it.

use purple_worker::RunView;
use serde_json::{Value, json};

use crate::foreign::{Abroad, Names, Style, abroad_in};
use crate::house::settings;
use crate::scripted::{Said, Script, calls, proposes, text};

/// How many catalogues are made in each style.
const CATALOGUES: u64 = 1;

/// A task with the call that is right for it.
struct Right {
    process: &'static str,
    task: &'static str,
    /// What an expert reads first.
    reads: &'static [(&'static str, &'static str, &'static str)],
    tool: &'static str,
    arguments: Value,
}

fn right(
    process: &'static str,
    task: &'static str,
    reads: &'static [(&'static str, &'static str, &'static str)],
    tool: &'static str,
    arguments: Value,
) -> Right {
    Right { process, task, reads, tool, arguments }
}

fn all() -> Vec<Right> {
    vec![
        right(
            "invoice_reconciliation",
            "Reject invoice INV-2024-447, it is above its order PO-8821.",
            &[("get_invoice", "invoice_id", "INV-2024-447"), ("get_purchase_order", "po_id", "PO-8821")],
            "reject_invoice",
            json!({"invoice_id": "INV-2024-447", "reason": "above its order"}),
        ),
        right(
            "invoice_reconciliation",
            "Approve invoice INV-2024-448 per policy.",
            &[("get_invoice", "invoice_id", "INV-2024-448")],
            "approve_invoice",
            json!({"invoice_id": "INV-2024-448"}),
        ),
        right(
            "order_management",
            "Change order ORD-5592: remove 1x Widget A.",
            &[("get_order", "order_id", "ORD-5592")],
            "modify_order_items",
            json!({"order_id": "ORD-5592", "changes": [{"action": "remove", "quantity": 1, "item": "Widget A"}]}),
        ),
        right(
            "sla_breach",
            "Vendor INFRA-9 had 99.1% uptime last month against 99.9% SLA. Calculate credit per contract #CTR-441.",
            &[("get_contract", "contract_id", "CTR-441")],
            "apply_account_credit",
            json!({"vendor_id": "INFRA-9", "amount": "680.00 USD", "reference": "SLA-CTR-441"}),
        ),
        right(
            "hr_offboarding",
            "Start offboarding for employee E-2291 (last day 2026-03-06).",
            &[("get_employee", "employee_id", "E-2291")],
            "create_offboarding_checklist",
            json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": ["GitHub"]}),
        ),
        right(
            "expense_approval",
            "Approve expense claim EXP-3001.",
            &[("get_expense_claim", "claim_id", "EXP-3001"), ("get_receipts", "claim_id", "EXP-3001")],
            "approve_expense",
            json!({"claim_id": "EXP-3001"}),
        ),
        right(
            "procurement",
            "Buy chairs from vendor V-1003 for 100.00 USD on cost center CC-100: create the purchase order.",
            &[("get_vendor", "vendor_id", "V-1003")],
            "create_purchase_order",
            json!({"vendor_id": "V-1003", "amount": "100.00 USD", "description": "chairs", "cost_center": "CC-100"}),
        ),
        right(
            "customer_onboarding",
            "Onboard customer C-8003: provision a workspace on plan basic.",
            &[("get_kyc_record", "customer_id", "C-8003")],
            "provision_workspace",
            json!({"customer_id": "C-8003", "plan_id": "basic"}),
        ),
        right(
            "ar_collections",
            "Write off receivable AR-1003 of the accounts receivable.",
            &[("get_receivable", "receivable_id", "AR-1003")],
            "write_off_receivable",
            json!({"receivable_id": "AR-1003", "reason": "old"}),
        ),
        right(
            "compliance_audit",
            "Record a compliance gap for customer C-8004 in the audit: control KYC-2, owner E-1002, due 2026-04-01.",
            &[("get_kyc_record", "customer_id", "C-8004")],
            "record_compliance_gap",
            json!({"control": "KYC-2", "subject": "C-8004", "owner": "E-1002", "due_on": "2026-04-01"}),
        ),
        right(
            "dispute_resolution",
            "Resolve dispute DSP-501 with a refund.",
            &[("get_dispute", "dispute_id", "DSP-501")],
            "resolve_dispute",
            json!({"dispute_id": "DSP-501", "resolution": "refund"}),
        ),
        right(
            "month_end_close",
            "Month-end close: post the journal entry of 10.00 USD to period 2026-02.",
            &[("get_period", "period", "2026-02")],
            "post_journal_entry",
            json!({
                "period": "2026-02", "debit_account": "6000", "credit_account": "2000", "amount": "10.00 USD",
                "memo": "accrual",
            }),
        ),
        right(
            "payroll",
            "Payroll: create the pay run for 2026-02 in US with a net total of 200.00 USD.",
            &[],
            "create_pay_run",
            json!({"period": "2026-02", "country": "US", "net_total": "200.00 USD"}),
        ),
        right(
            "subscription_migration",
            "Migrate subscription SUB-701 to plan basic: downgrade it.",
            &[("get_usage", "subscription_id", "SUB-701"), ("get_plan", "plan_id", "basic")],
            "change_subscription_plan",
            json!({"subscription_id": "SUB-701", "plan_id": "basic"}),
        ),
        right(
            "incident_response",
            "Incident INC-902: set its status to resolved.",
            &[("get_incident", "incident_id", "INC-902")],
            "update_incident_status",
            json!({"incident_id": "INC-902", "status": "resolved"}),
        ),
    ]
}

/// What became of the right call.
#[derive(Debug, PartialEq, Eq)]
enum Became {
    Executed,
    AtTheGate,
    /// A rule that was evaluated forbids it; its id.
    Forbidden,
    Unreachable(String),
}

async fn play(right: &Right, style: Style, seed: u64, named: bool) -> Became {
    let script = |names: &Names| {
        let read = |(tool, parameter, id): &(&str, &str, &str)| {
            calls(&[(names.tool(tool).as_str(), names.arguments(&json!({*parameter: id})))])
        };
        let call = (names.tool(right.tool), names.arguments(&right.arguments));
        let mut assess: Vec<Said> = right.reads.iter().map(read).collect();
        let proposal = proposes(json!([{"tool": call.0, "arguments": call.1}]));
        assess.extend([proposal.clone(), text("done")]);
        let process = if named { right.process } else { "none" };
        Script::new(&[
            ("CLASSIFY", &[text(&json!({"process": process}).to_string())]),
            ("ASSESS", &assess),
            ("COMPUTE", &[proposal, text("done")]),
            ("MUTATE", &[calls(&[(call.0.as_str(), call.1.clone())]), text("done")]),
        ])
    };
    let Abroad { house, names, .. } =
        abroad_in(style, seed, false, settings(), |names| script(names).models()).await;
    let mut view = house.task("run", right.task).await;
    if view.card.is_none() && told(&view).contains("task.unclear") {
        view = house.say("run", "alex", "yes").await;
    }
    let real = names.tool(right.tool);
    if house.effects() == [right.tool] {
        return Became::Executed;
    }
    let card = serde_json::to_string(&view.card).unwrap();
    if view.card.is_some() && card.contains(&format!("\"{real}\"")) {
        return Became::AtTheGate;
    }
    let answer = told(&view);
    let blocked = view.summary.ending == Some(purple_process::Ending::Blocked);
    match blocked && !answer.contains("could not be checked") {
        true => Became::Forbidden,
        false => Became::Unreachable(format!("{:?} {:?}: {answer}", view.summary.state, view.summary.ending)),
    }
}

fn told(view: &RunView) -> String {
    view.answer.as_ref().map(|answer| answer.text.clone()).unwrap_or_default()
}

#[tokio::test]
async fn naming_the_right_process_makes_no_right_call_unreachable() {
    let mut wrong = Vec::new();
    let mut figures = std::collections::BTreeMap::new();
    for style in [Style::Opaque, Style::Plausible] {
        for seed in 1..=CATALOGUES {
            for right in all() {
                for named in [false, true] {
                    let became = Box::pin(play(&right, style, seed, named)).await;
                    let word = format!("{became:?}");
                    let word = word.split('(').next().unwrap_or_default().to_owned();
                    *figures.entry((style, named, word)).or_insert(0_u32) += 1;
                    if let Became::Unreachable(why) = became {
                        wrong.push(format!("{style:?} {seed} {} named={named}: {why}", right.tool));
                    }
                }
            }
        }
    }
    println!("{figures:#?}");
    assert!(wrong.is_empty(), "{}:\n{}", wrong.len(), wrong.join("\n=====\n"));
}

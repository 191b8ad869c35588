//! Every tool once as it should go and once as it should not, judged by the ledger.

mod desk;

use std::collections::BTreeSet;

use desk::{Desk, answer};
use purple_backoffice::Answer;
use serde_json::{Value, json};

/// What a tool is to the company.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Read,
    Effect,
}
use Kind::{Effect, Read};

/// Tool, kind, arguments that go well, a field of the answer with its value, arguments that do not, and the code.
type Row = (&'static str, Kind, Value, &'static str, Value, Value, &'static str);

/// A call that prepares another one.
fn before(tool: &str) -> Vec<(&'static str, Value)> {
    match tool {
        "reopen_invoice" => vec![("approve_invoice", json!({"invoice_id": "INV-2024-448"}))],
        "get_credit" | "reverse_credit" => vec![(
            "apply_account_credit",
            json!({"vendor_id": "INFRA-9", "amount": "5.00 USD", "reference": "R-1"}),
        )],
        "get_offboarding_checklist" | "cancel_offboarding_checklist" => vec![(
            "create_offboarding_checklist",
            json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": ["GitHub"]}),
        )],
        "grant_access" => vec![("revoke_access", json!({"employee_id": "E-2291", "system": "AWS"}))],
        "get_message" => vec![("send_email", json!({"to": "a@b.example", "subject": "x", "body": "y"}))],
        "get_payment_plan" => vec![(
            "create_payment_plan",
            json!({"receivable_id": "AR-1002", "instalments": 3, "first_due_on": "2026-04-01"}),
        )],
        "get_approval_request" => vec![("confirm_with_user", json!({"question": "well?"}))],
        "get_workspace" => vec![("provision_workspace", json!({"customer_id": "C-8821", "plan_id": "team"}))],
        "get_pay_run" | "create_bank_file" => vec![pay_run()],
        "get_bank_file" => {
            vec![pay_run(), ("create_bank_file", json!({"run_id": "PR-9001", "total": "10.00 USD"}))]
        }
        "resume_subscription" => vec![("pause_subscription", json!({"subscription_id": "SUB-703"}))],
        _ => vec![],
    }
}

fn pay_run() -> (&'static str, Value) {
    ("create_pay_run", json!({"period": "2026-02", "country": "US", "net_total": "10.00 USD"}))
}

#[rustfmt::skip]
fn rows() -> Vec<Row> {
    let nobody = json!({"employee_id": "E-0"});
    vec![
        // Invoices and vendors.
        ("get_invoice", Read, json!({"invoice_id": "INV-2024-447"}), "total", json!("52340.00 USD"), json!({"invoice_id": "INV-0"}), "NOT_FOUND"),
        ("list_invoices", Read, json!({"status": "on_hold", "limit": 2}), "page", json!(1), json!({"status": "lost"}), "INVALID_ARGUMENTS"),
        ("find_duplicate_invoices", Read, json!({"invoice_id": "INV-2024-447"}), "duplicates", json!([]), json!({"invoice_id": "INV-0"}), "NOT_FOUND"),
        ("approve_invoice", Effect, json!({"invoice_id": "INV-2024-448"}), "status", json!("approved"), json!({"invoice_id": "INV-2024-390"}), "CONSTRAINT_VIOLATION"),
        ("reject_invoice", Effect, json!({"invoice_id": "INV-2024-447", "reason": "AP-3"}), "status", json!("rejected"), json!({"invoice_id": "INV-2024-450", "reason": "x"}), "CONSTRAINT_VIOLATION"),
        ("reopen_invoice", Effect, json!({"invoice_id": "INV-2024-448"}), "status", json!("received"), json!({"invoice_id": "INV-2024-447"}), "CONSTRAINT_VIOLATION"),
        ("put_invoice_on_hold", Effect, json!({"invoice_id": "INV-2024-447", "reason": "look"}), "status", json!("on_hold"), json!({"invoice_id": "INV-2024-447"}), "INVALID_ARGUMENTS"),
        ("get_vendor", Read, json!({"vendor_id": "V-1001"}), "name", json!("Acme Corp"), json!({"vendor_id": "V-0"}), "NOT_FOUND"),
        ("list_vendors", Read, json!({}), "total", json!(55), json!({"page": 0}), "INVALID_ARGUMENTS"),
        ("update_vendor_status", Effect, json!({"vendor_id": "V-1001", "status": "suspended"}), "status", json!("suspended"), json!({"vendor_id": "V-0", "status": "approved"}), "NOT_FOUND"),
        ("notify_vendor", Effect, json!({"vendor_id": "V-1001", "text": "hello"}), "recipient", json!("billing@acme.example"), json!({"vendor_id": "V-0", "text": "hello"}), "NOT_FOUND"),
        // Purchasing.
        ("get_purchase_order", Read, json!({"po_id": "PO-8821"}), "total", json!("51200.00 USD"), json!({"po_id": "PO-1"}), "NOT_FOUND"),
        ("list_purchase_orders", Read, json!({"offset": 180}), "total", json!(186), json!({"offset": -1}), "INVALID_ARGUMENTS"),
        ("create_purchase_order", Effect, json!({"vendor_id": "V-1001", "amount": "99.50 USD", "description": "desk", "cost_center": "CC-100"}), "po_id", json!("PO-9001"), json!({"vendor_id": "V-1002", "amount": "1.00 USD", "description": "desk", "cost_center": "CC-100"}), "CONSTRAINT_VIOLATION"),
        ("cancel_purchase_order", Effect, json!({"po_id": "PO-9100"}), "status", json!("cancelled"), json!({"po_id": "PO-8821"}), "CONSTRAINT_VIOLATION"),
        ("send_po", Effect, json!({"po_id": "PO-9100"}), "status", json!("sent"), json!({"po_id": "PO-8821"}), "CONSTRAINT_VIOLATION"),
        ("get_budget", Read, json!({"cost_center": "CC-100"}), "budget_left", json!("137655.00 USD"), json!({"cost_center": "CC-1"}), "NOT_FOUND"),
        ("list_quotes", Read, json!({}), "total", json!(48), json!({"vendor": "V-1001"}), "INVALID_ARGUMENTS"),
        // Orders and customers.
        ("get_order", Read, json!({"order_id": "ORD-5592"}), "total", json!("181.95 USD"), json!({"order_id": "ORD-1"}), "NOT_FOUND"),
        ("list_orders", Read, json!({"customer_id": "C-8821"}), "next_cursor", Value::Null, json!({"cursor": "page 2"}), "INVALID_ARGUMENTS"),
        ("get_inventory", Read, json!({"item": "Widget B"}), "available", json!(47), json!({"item": "Widget Z"}), "NOT_FOUND"),
        ("list_inventory", Read, json!({}), "total", json!(18), json!({"limit": 1000}), "INVALID_ARGUMENTS"),
        ("check_and_reserve_stock", Effect, json!({"item": "Widget B", "quantity": 35}), "reserved", json!(47), json!({"item": "Widget B", "quantity": 36}), "CONSTRAINT_VIOLATION"),
        ("modify_order_items", Effect, json!({"order_id": "ORD-5592", "changes": [{"action": "remove", "quantity": 3, "item": "Widget A"}, {"action": "add", "quantity": 2, "item": "Widget B"}]}), "total", json!("155.98 USD"), json!({"order_id": "ORD-5592", "changes": [{"action": "remove", "quantity": 6, "item": "Widget A"}]}), "CONSTRAINT_VIOLATION"),
        ("restore_order_items", Effect, json!({"order_id": "ORD-5592", "items": [{"item": "Widget A", "quantity": 1, "unit_price": "29.99 USD"}]}), "total", json!("29.99 USD"), json!({"order_id": "ORD-5592", "items": [{"item": "Widget A", "quantity": 1, "unit_price": 29}]}), "INVALID_ARGUMENTS"),
        ("cancel_order", Effect, json!({"order_id": "ORD-5592"}), "status", json!("cancelled"), json!({"order_id": "ORD-1"}), "NOT_FOUND"),
        ("send_order_confirmation", Effect, json!({"order_id": "ORD-5592", "customer_id": "C-8821"}), "recipient", json!("orders@northwind.example"), json!({"order_id": "ORD-5592", "customer_id": "C-8001"}), "CONSTRAINT_VIOLATION"),
        ("get_customer", Read, json!({"customer_id": "C-8821"}), "account_name", json!("Northwind Retail"), json!({"customer_id": "C-1"}), "NOT_FOUND"),
        ("search_customers", Read, json!({"account_name": "Northwind"}), "has_more", json!(false), json!({}), "INVALID_ARGUMENTS"),
        ("email_customer", Effect, json!({"customer_id": "C-8821", "text": "hello"}), "recipient", json!("orders@northwind.example"), json!({"customer_id": "C-1", "text": "hello"}), "NOT_FOUND"),
        // People and access.
        ("get_employee", Read, json!({"employee_id": "E-2291"}), "name", json!("Jordan Kim"), nobody.clone(), "NOT_FOUND"),
        ("get_employee_record", Read, json!({"name": "Sarah Chen"}), "id", json!("EMP-4421"), json!({"name": "Nobody"}), "NOT_FOUND"),
        ("list_employees", Read, json!({"department": "Platform Engineering"}), "page", json!(1), json!({"status": "gone"}), "INVALID_ARGUMENTS"),
        ("get_pay_calendar", Read, json!({"employee_id": "E-2291", "after": "2026-03-06"}), "next_pay_date", json!("2026-03-13"), json!({"employee_id": "E-2291", "after": "Friday"}), "INVALID_ARGUMENTS"),
        ("get_timesheet", Read, json!({"employee_id": "EMP-4421"}), "weeks", json!([{"employee_id": "EMP-4421", "week": "2026-03-02", "hours": 52}]), nobody.clone(), "NOT_FOUND"),
        ("update_employee_status", Effect, json!({"employee_id": "E-2291", "status": "offboarding"}), "status", json!("offboarding"), json!({"employee_id": "E-1011", "status": "active"}), "CONSTRAINT_VIOLATION"),
        ("create_offboarding_checklist", Effect, json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": ["GitHub", "AWS"]}), "systems", json!(["GitHub", "AWS"]), json!({"employee_id": "E-2291", "last_day": "2026-03-06", "systems": []}), "INVALID_ARGUMENTS"),
        ("get_offboarding_checklist", Read, json!({"employee_id": "E-2291"}), "status", json!("open"), json!({"employee_id": "E-1001"}), "NOT_FOUND"),
        ("cancel_offboarding_checklist", Effect, json!({"checklist_id": "CHK-9001"}), "status", json!("cancelled"), json!({"checklist_id": "CHK-1"}), "NOT_FOUND"),
        ("schedule_equipment_return", Effect, json!({"employee_id": "E-2291", "date": "2026-03-06", "to": "jordan.kim@backoffice.example"}), "status", json!("scheduled"), json!({"employee_id": "E-2291"}), "INVALID_ARGUMENTS"),
        ("schedule_exit_survey", Effect, json!({"employee_id": "E-2291", "date": "2026-03-06"}), "send_on", json!("2026-03-06"), nobody.clone(), "NOT_FOUND"),
        ("send_exit_survey", Effect, json!({"employee_id": "E-2291"}), "recipient", json!("jordan.kim@backoffice.example"), nobody.clone(), "NOT_FOUND"),
        ("notify_it_team", Effect, json!({"employee_id": "E-2291", "systems": ["GitHub"], "last_day": "2026-03-06", "to": ["it_team"]}), "recipient", json!("it_team"), json!({"employee_id": "E-0", "systems": ["x"]}), "NOT_FOUND"),
        ("get_system_access", Read, json!({"employee_id": "E-2291", "system": "GitHub"}), "active", json!(true), json!({"employee_id": "E-2291", "system": "NetSuite"}), "NOT_FOUND"),
        ("list_system_access", Read, json!({"employee_id": "EMP-4421"}), "access", json!([]), nobody.clone(), "NOT_FOUND"),
        ("revoke_access", Effect, json!({"employee_id": "E-2291", "system": "Okta"}), "active", json!(false), json!({"employee_id": "E-2291", "system": "Figma"}), "NOT_FOUND"),
        ("grant_access", Effect, json!({"employee_id": "E-2291", "system": "AWS"}), "active", json!(true), json!({"employee_id": "E-2291", "system": "GitHub"}), "CONSTRAINT_VIOLATION"),
        // Contracts and accounts.
        ("get_contract", Read, json!({"contract_id": "CTR-441"}), "monthly_fee", json!("85000.00 USD"), json!({"contract_id": "CTR-1"}), "NOT_FOUND"),
        ("list_contracts", Read, json!({}), "total", json!(9), json!({"limit": 0}), "INVALID_ARGUMENTS"),
        ("get_uptime", Read, json!({"vendor_id": "INFRA-9", "month": "2026-02"}), "source", json!("external probes"), json!({"vendor_id": "INFRA-9", "month": "2020-01"}), "NOT_FOUND"),
        ("list_uptime", Read, json!({"vendor_id": "V-1001"}), "months", json!([]), json!({"vendor_id": "V-0"}), "NOT_FOUND"),
        ("send_sla_breach_notification", Effect, json!({"contract_id": "CTR-441", "amount": "1020.00 USD"}), "recipient", json!("sla@ninthcloud.example"), json!({"contract_id": "CTR-441", "amount": 1020}), "INVALID_ARGUMENTS"),
        ("apply_account_credit", Effect, json!({"vendor_id": "INFRA-9", "amount": "1020.00 USD", "reference": "SLA-CTR-441-2026-02"}), "amount", json!("1020.00 USD"), json!({"vendor_id": "INFRA-9", "amount": "1020.00 EUR", "reference": "R-2"}), "CONSTRAINT_VIOLATION"),
        ("get_credit", Read, json!({"reference": "R-1"}), "amount", json!("5.00 USD"), json!({"reference": "R-2"}), "NOT_FOUND"),
        ("list_credits", Read, json!({}), "credits", json!([]), json!({"cursor": "x"}), "INVALID_ARGUMENTS"),
        ("reverse_credit", Effect, json!({"reference": "R-1"}), "status", json!("reversed"), json!({"reference": "R-2"}), "NOT_FOUND"),
        ("get_account_balance", Read, json!({"vendor_id": "INFRA-9"}), "balance", json!("0.00 USD"), json!({"vendor_id": "V-1001"}), "NOT_FOUND"),
        // Books.
        ("get_transactions", Read, json!({"month": "2026-02", "account": "none"}), "next_cursor", Value::Null, json!({"month": "February"}), "INVALID_ARGUMENTS"),
        ("get_bank_statement", Read, json!({"month": "2026-02"}), "has_more", json!(true), json!({"month": "2026-13"}), "INVALID_ARGUMENTS"),
        ("get_trial_balance", Read, json!({"month": "1999-01"}), "balances", json!([]), json!({}), "INVALID_ARGUMENTS"),
        ("get_period", Read, json!({"period": "2026-02"}), "status", json!("open"), json!({"period": "1999-01"}), "NOT_FOUND"),
        ("close_period", Effect, json!({"period": "2026-02"}), "status", json!("closed"), json!({"period": "2025-12"}), "CONSTRAINT_VIOLATION"),
        ("list_journal_entries", Read, json!({"period": "2026-02"}), "total", json!(12), json!({"period": 2}), "INVALID_ARGUMENTS"),
        ("get_journal_entry", Read, json!({"entry_id": "JE-202602-00"}), "status", json!("posted"), json!({"entry_id": "JE-0"}), "NOT_FOUND"),
        ("post_journal_entry", Effect, json!({"period": "2026-02", "debit_account": "6100 Rent", "credit_account": "2000 Accruals", "amount": "100.00 USD", "memo": "rent"}), "amount", json!("100.00 USD"), json!({"period": "2025-12", "debit_account": "a", "credit_account": "b", "amount": "1.00 USD", "memo": "x"}), "CONSTRAINT_VIOLATION"),
        ("reverse_journal_entry", Effect, json!({"entry_id": "JE-202602-00"}), "status", json!("reversed"), json!({"entry_id": "JE-0"}), "NOT_FOUND"),
        // Receivables.
        ("list_open_receivables", Read, json!({"limit": 200}), "has_more", json!(false), json!({"status": "open"}), "INVALID_ARGUMENTS"),
        ("get_receivable", Read, json!({"receivable_id": "AR-1002"}), "status", json!("open"), json!({"receivable_id": "AR-1"}), "NOT_FOUND"),
        ("get_aging_report", Read, json!({}), "", Value::Null, json!({"date": "2026-03-04"}), "INVALID_ARGUMENTS"),
        ("send_payment_reminder", Effect, json!({"receivable_id": "AR-1002"}), "status", json!("sent"), json!({"receivable_id": "AR-1000"}), "CONSTRAINT_VIOLATION"),
        ("create_payment_plan", Effect, json!({"receivable_id": "AR-1002", "instalments": 6, "first_due_on": "2026-04-01"}), "instalments", json!(6), json!({"receivable_id": "AR-1002", "instalments": 6, "first_due_on": "2026-03-03"}), "CONSTRAINT_VIOLATION"),
        ("get_payment_plan", Read, json!({"plan_id": "PP-9001"}), "instalments", json!(3), json!({"plan_id": "PP-1"}), "NOT_FOUND"),
        ("write_off_receivable", Effect, json!({"receivable_id": "AR-1002", "reason": "insolvent"}), "status", json!("written_off"), json!({"receivable_id": "AR-1000", "reason": "x"}), "CONSTRAINT_VIOLATION"),
        // Expenses.
        ("get_expense_claim", Read, json!({"claim_id": "EXP-3001"}), "status", json!("submitted"), json!({"claim_id": "EXP-1"}), "NOT_FOUND"),
        ("list_expense_claims", Read, json!({}), "total", json!(90), json!({"state": "new"}), "INVALID_ARGUMENTS"),
        ("get_receipts", Read, json!({"claim_id": "EXP-3001"}), "claim_id", json!("EXP-3001"), json!({"claim_id": "EXP-1"}), "NOT_FOUND"),
        ("approve_expense", Effect, json!({"claim_id": "EXP-3001"}), "status", json!("approved"), json!({"claim_id": "EXP-1"}), "NOT_FOUND"),
        ("reject_expense", Effect, json!({"claim_id": "EXP-3001", "reason": "no receipt"}), "notes", json!("no receipt"), json!({"claim_id": "EXP-3001", "reason": ""}), "INVALID_ARGUMENTS"),
        // Disputes.
        ("get_dispute", Read, json!({"dispute_id": "DSP-501"}), "status", json!("open"), json!({"dispute_id": "DSP-1"}), "NOT_FOUND"),
        ("list_disputes", Read, json!({}), "next_cursor", Value::Null, json!({"cursor": ""}), "INVALID_ARGUMENTS"),
        ("resolve_dispute", Effect, json!({"dispute_id": "DSP-501", "resolution": "refund"}), "status", json!("resolved"), json!({"dispute_id": "DSP-503", "resolution": "refund"}), "CONSTRAINT_VIOLATION"),
        ("issue_refund", Effect, json!({"customer_id": "C-8821", "amount": "12.00 USD", "reference": "DSP-501"}), "amount", json!("12.00 USD"), json!({"customer_id": "C-8821", "amount": "-12.00 USD", "reference": "x"}), "CONSTRAINT_VIOLATION"),
        ("list_refunds", Read, json!({}), "refunds", json!([]), json!({"limit": "all"}), "INVALID_ARGUMENTS"),
        // Subscriptions.
        ("get_subscription", Read, json!({"subscription_id": "SUB-703"}), "status", json!("active"), json!({"subscription_id": "SUB-1"}), "NOT_FOUND"),
        ("get_usage", Read, json!({"subscription_id": "SUB-703"}), "", Value::Null, json!({"subscription_id": "SUB-1"}), "NOT_FOUND"),
        ("get_plan", Read, json!({"plan_id": "team"}), "price", json!("99.00 USD"), json!({"plan_id": "gold"}), "NOT_FOUND"),
        ("list_plans", Read, json!({}), "", Value::Null, json!({"page": 1}), "INVALID_ARGUMENTS"),
        ("change_subscription_plan", Effect, json!({"subscription_id": "SUB-703", "plan_id": "enterprise"}), "plan_id", json!("enterprise"), json!({"subscription_id": "SUB-703", "plan_id": "gold"}), "NOT_FOUND"),
        ("pause_subscription", Effect, json!({"subscription_id": "SUB-703"}), "status", json!("paused"), json!({"subscription_id": "SUB-1"}), "NOT_FOUND"),
        ("resume_subscription", Effect, json!({"subscription_id": "SUB-703"}), "status", json!("active"), json!({"subscription_id": "SUB-1"}), "NOT_FOUND"),
        ("cancel_subscription", Effect, json!({"subscription_id": "SUB-703"}), "status", json!("cancelled"), json!({}), "INVALID_ARGUMENTS"),
        // Incidents.
        ("get_incident", Read, json!({"incident_id": "INC-901"}), "status", json!("open"), json!({"incident_id": "INC-1"}), "NOT_FOUND"),
        ("list_incidents", Read, json!({}), "total", json!(30), json!({"status": "closed"}), "INVALID_ARGUMENTS"),
        ("get_alerts", Read, json!({"incident_id": "INC-901"}), "", Value::Null, json!({"incident_id": "INC-1"}), "NOT_FOUND"),
        ("list_deployments", Read, json!({"service": "none"}), "deployments", json!([]), json!({"service": 7}), "INVALID_ARGUMENTS"),
        ("get_deployment", Read, json!({"deployment_id": "DEP-100"}), "status", json!("live"), json!({"deployment_id": "DEP-1"}), "NOT_FOUND"),
        ("update_incident_status", Effect, json!({"incident_id": "INC-901", "status": "mitigated"}), "status", json!("mitigated"), json!({"incident_id": "INC-901", "status": "gone"}), "INVALID_ARGUMENTS"),
        ("assign_incident", Effect, json!({"incident_id": "INC-901", "owner": "E-2291"}), "owner", json!("E-2291"), json!({"incident_id": "INC-901", "owner": "E-0"}), "NOT_FOUND"),
        ("rollback_deployment", Effect, json!({"deployment_id": "DEP-100"}), "status", json!("rolled_back"), json!({"deployment_id": "DEP-101"}), "CONSTRAINT_VIOLATION"),
        ("send_status_update", Effect, json!({"incident_id": "INC-901", "text": "better"}), "recipient", json!("incident_followers"), json!({"incident_id": "INC-1", "text": "x"}), "NOT_FOUND"),
        // Tickets.
        ("get_ticket", Read, json!({"ticket_id": "T-2001"}), "ticket_id", json!("T-2001"), json!({"ticket_id": "T-1"}), "NOT_FOUND"),
        ("list_tickets", Read, json!({"state": "new"}), "page", json!(1), json!({"status": "new"}), "INVALID_ARGUMENTS"),
        ("create_ticket", Effect, json!({"title": "Broken", "body": "It is broken"}), "state", json!("new"), json!({"title": "Broken"}), "INVALID_ARGUMENTS"),
        ("assign_ticket", Effect, json!({"ticket_id": "T-9001", "assignee_id": "E-2291"}), "assignee_id", json!("E-2291"), json!({"ticket_id": "T-2002", "assignee_id": "E-0"}), "NOT_FOUND"),
        ("close_ticket", Effect, json!({"ticket_id": "T-9001"}), "state", json!("closed"), json!({"ticket_id": "T-1"}), "NOT_FOUND"),
        // Compliance.
        ("get_kyc_record", Read, json!({"customer_id": "C-8821"}), "kyc_status", json!("passed"), json!({"customer_id": "C-1"}), "NOT_FOUND"),
        ("list_kyc_records", Read, json!({}), "total", json!(65), json!({"where": {}}), "INVALID_ARGUMENTS"),
        ("record_compliance_gap", Effect, json!({"control": "KYC-4", "subject": "C-8821", "owner": "E-1002", "due_on": "2026-04-01"}), "status", json!("open"), json!({"control": "KYC-4", "subject": "C-8821", "owner": "E-1002", "due_on": "2026-03-01"}), "CONSTRAINT_VIOLATION"),
        ("list_compliance_gaps", Read, json!({}), "total", json!(18), json!({"limit": 201}), "INVALID_ARGUMENTS"),
        ("create_audit_entry", Effect, json!({"subject": "C-8821", "text": "looked at"}), "text", json!("looked at"), json!({"subject": "C-8821"}), "INVALID_ARGUMENTS"),
        // New customers.
        ("create_customer", Effect, json!({"account_name": "New Co", "email": "a@new.example", "country": "US"}), "customer_id", json!("C-9001"), json!({"account_name": "Northwind Retail", "email": "a@b.example", "country": "US"}), "CONSTRAINT_VIOLATION"),
        ("provision_workspace", Effect, json!({"customer_id": "C-8821", "plan_id": "team"}), "status", json!("ready"), json!({"customer_id": "C-8821", "plan_id": "gold"}), "NOT_FOUND"),
        ("get_workspace", Read, json!({"workspace_id": "WS-9001"}), "plan_id", json!("team"), json!({"workspace_id": "WS-1"}), "NOT_FOUND"),
        ("send_welcome_message", Effect, json!({"customer_id": "C-8821"}), "kind", json!("welcome"), json!({"customer_id": "C-1"}), "NOT_FOUND"),
        // Payroll.
        ("create_pay_run", Effect, pay_run().1, "run_id", json!("PR-9001"), json!({"period": "2026-02", "country": "XX", "net_total": "1.00 USD"}), "CONSTRAINT_VIOLATION"),
        ("get_pay_run", Read, json!({"run_id": "PR-9001"}), "net_total", json!("10.00 USD"), json!({"run_id": "PR-1"}), "NOT_FOUND"),
        ("create_bank_file", Effect, json!({"run_id": "PR-9001", "total": "10.00 USD"}), "bank_file_total", json!("10.00 USD"), json!({"run_id": "PR-9001", "total": "10.01 USD"}), "CONSTRAINT_VIOLATION"),
        ("get_bank_file", Read, json!({"file_id": "BF-9001"}), "run_id", json!("PR-9001"), json!({"file_id": "BF-1"}), "NOT_FOUND"),
        // Messages and approvals.
        ("list_sent_messages", Read, json!({}), "messages", json!([]), json!({"cursor": "9"}), "INVALID_ARGUMENTS"),
        ("get_message", Read, json!({"message_id": "MSG-9001"}), "about", json!("x"), json!({"message_id": "MSG-1"}), "NOT_FOUND"),
        ("send_email", Effect, json!({"to": ["a@b.example", "c@d.example"], "subject": "Hi", "body": "Hello"}), "recipient", json!("a@b.example, c@d.example"), json!({"subject": "Hi", "body": "Hello"}), "INVALID_ARGUMENTS"),
        ("announce_to_team", Effect, json!({"to": "support", "text": "Hello"}), "kind", json!("announcement"), json!({"to": [], "text": "Hello"}), "INVALID_ARGUMENTS"),
        ("confirm_with_user", Effect, json!({"question": "Shall I?"}), "answer", json!("pending"), json!({}), "INVALID_ARGUMENTS"),
        ("request_manager_approval", Effect, json!({"question": "Shall I?", "employee_id": "E-2291"}), "asked", json!("E-1002"), json!({"question": "Shall I?", "employee_id": "E-1001"}), "NOT_FOUND"),
        ("require_customer_signoff", Effect, json!({"question": "Shall I?", "customer_id": "C-8821"}), "asked", json!("C-8821"), json!({"question": "Shall I?", "customer_id": "C-1"}), "NOT_FOUND"),
        ("get_approval_request", Read, json!({"request_id": "APR-9001"}), "question", json!("well?"), json!({"request_id": "APR-1"}), "NOT_FOUND"),
        // Calculations and records.
        ("calculate_business_days", Read, json!({"from": "2026-03-04", "to": "2026-03-10"}), "business_days", json!(5), json!({"from": "2026-03-04", "to": "2026-03-03"}), "INVALID_ARGUMENTS"),
        ("validate_iban", Read, json!({"iban": "GB82 WEST 1234 5698 7654 32"}), "valid", json!(true), json!({}), "INVALID_ARGUMENTS"),
        ("sum_amounts", Read, json!({"amounts": ["0.10 USD", "0.20 USD"]}), "sum", json!("0.30 USD"), json!({"amounts": ["1.00 USD", "1.00 EUR"]}), "INVALID_ARGUMENTS"),
        ("list_tables", Read, json!({}), "", Value::Null, json!({"all": true}), "INVALID_ARGUMENTS"),
        ("describe_table", Read, json!({"table": "crm_accounts"}), "table", json!("crm_accounts"), json!({"table": "employees"}), "NO_SUCH_TABLE"),
        ("query_records", Read, json!({"table": "invoices", "where": {"total": "52340.00 USD"}, "columns": ["invoice_id", "total"]}), "rows", json!([{"invoice_id": "INV-2024-447", "total": "52340.00 USD"}]), json!({"table": "crm_accounts", "columns": ["client_name"]}), "NO_SUCH_COLUMN"),
        ("count_records", Read, json!({"table": "crm_accounts"}), "count", json!(220), json!({"table": "crm_accounts", "where": {"amount": 1}}), "NO_SUCH_COLUMN"),
    ]
}

#[test]
fn every_tool_is_in_the_table_and_there_are_many() {
    let listed: BTreeSet<&str> = Desk::open().0.definitions().iter().map(|tool| tool.name).collect();
    let tested: BTreeSet<&str> = rows().iter().map(|row| row.0).collect();
    assert_eq!(listed, tested);
    assert!(listed.len() >= 60);
    println!("{} tools", listed.len());
}

#[test]
fn a_call_that_goes_well_has_exactly_the_effects_its_kind_has() {
    for (tool, kind, arguments, field, value, _, _) in rows() {
        let desk = prepared(tool);
        let effects = desk.effects();
        let answer = desk.done(tool, arguments.clone());
        if !field.is_empty() {
            assert_eq!(answer[field], value, "`{field}` of `{tool}`");
        }
        let ledger = desk.ledger();
        let call = ledger.calls.last().unwrap();
        assert_eq!((call.tool.as_str(), call.outcome.as_str()), (tool, "done"));
        assert_eq!(call.arguments, arguments);
        match kind {
            Read => assert_eq!((ledger.effects.len(), call.applied), (effects, 0), "`{tool}` has an effect"),
            Effect => {
                assert_eq!((ledger.effects.len(), call.applied), (effects + 1, 1), "`{tool}` has no effect");
                let effect = ledger.effects.last().unwrap();
                assert_eq!((effect.tool.as_str(), effect.call_seq), (tool, call.seq));
                assert_eq!(effect.arguments, arguments);
                assert_ne!(effect.before, effect.after, "`{tool}` changed nothing");
            }
        }
    }
}

#[test]
fn a_refused_call_is_logged_and_changes_nothing() {
    for (tool, _, _, _, _, arguments, code) in rows() {
        let desk = prepared(tool);
        let effects = desk.effects();
        let (found, message) = desk.refused(tool, arguments.clone());
        assert_eq!(found, code, "`{tool}` {arguments}: {message}");
        let ledger = desk.ledger();
        assert_eq!(ledger.effects.len(), effects, "`{tool}` refused and changed something");
        let call = ledger.calls.last().unwrap();
        assert_eq!((call.outcome.as_str(), call.applied), ("refused", 0));
        assert_eq!(call.message.as_deref(), Some(message.as_str()));
    }
}

#[test]
fn schemas_take_what_goes_well_and_answers_fit_their_schema() {
    let definitions = Desk::open().0.definitions();
    let mut with_output = 0;
    for (tool, _, arguments, _, _, wrong, code) in rows() {
        let definition = definitions.iter().find(|definition| definition.name == tool).unwrap();
        let input = Value::Object(definition.input_schema.as_deref().unwrap().clone());
        let input = jsonschema::validator_for(&input).unwrap();
        assert!(input.is_valid(&arguments), "`{tool}` takes {arguments}");
        if code != "INVALID_ARGUMENTS" {
            assert!(input.is_valid(&wrong), "`{tool}` refuses {wrong} for its meaning, not for its form");
        }
        if let Some(output) = &definition.output_schema {
            with_output += 1;
            let output = jsonschema::validator_for(&Value::Object(output.as_ref().clone())).unwrap();
            let answer = prepared(tool).done(tool, arguments);
            assert!(output.is_valid(&answer), "`{tool}` answers {answer}");
        }
    }
    assert!(with_output >= 20, "{with_output} output schemas");
}

#[test]
fn annotations_are_missing_here_and_wrong_there() {
    let definitions = Desk::open().0.definitions();
    let claims = |name: &str| {
        let found = definitions.iter().find(|definition| definition.name == name).unwrap();
        found.annotations.map(|claims| (claims.read_only, claims.destructive))
    };
    let without = definitions.iter().filter(|definition| definition.annotations.is_none()).count();
    assert!((20..definitions.len() - 20).contains(&without), "{without} without annotations");
    assert_eq!(claims("get_invoice"), Some((true, false)));
    assert_eq!(claims("reject_invoice"), Some((false, true)));
    assert_eq!(claims("issue_refund"), None, "moves money and says nothing");
    assert_eq!(claims("check_and_reserve_stock"), Some((true, false)), "claims to read only, and reserves");
    assert_eq!(claims("get_usage"), Some((false, true)), "only reads, and claims to destroy");
}

#[test]
fn unknown_tools_are_refused_and_logged() {
    let desk = Desk::open();
    assert_eq!(desk.refused("drop_tables", json!({})).0, "UNKNOWN_TOOL");
    assert_eq!(desk.ledger().calls_of("drop_tables").count(), 1);
}

#[test]
fn the_person_behind_the_approval_tools_says_what_they_are_told_to() {
    let desk = Desk::open();
    desk.0.set_approver(purple_backoffice::Approver::Approves).unwrap();
    assert_eq!(desk.done("confirm_with_user", json!({"question": "?"}))["answer"], "approved");
    desk.0.set_approver(purple_backoffice::Approver::Rejects).unwrap();
    assert_eq!(desk.done("confirm_with_user", json!({"question": "?"}))["answer"], "rejected");
}

/// An office in which the tool's example goes well.
fn prepared(tool: &str) -> Desk {
    let desk = Desk::open();
    for (tool, arguments) in before(tool) {
        let served = desk.serve(tool, arguments);
        assert!(matches!(served.answer, Answer::Done(_)), "{:?}", answer(served));
    }
    if matches!(tool, "assign_ticket" | "close_ticket") {
        desk.done("create_ticket", json!({"title": "x", "body": "y"}));
    }
    desk
}

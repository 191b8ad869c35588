//! A handful of records in memory, enough to read, change and read back.

use std::collections::BTreeMap;

use purple_process::{Argument, Arguments, Declared, Json, Outcome, Pin, Tool, ToolName, Values};
use serde_json::{Value, json};

pub(crate) struct Company {
    /// Kind and id of a record, to the record.
    records: BTreeMap<(&'static str, String), Value>,
    effects: Vec<String>,
}

/// Which kind of record a tool reads or changes, and which argument names it.
const READS: &[(&str, &str, &str)] = &[
    ("get_invoice", "invoice", "invoice_id"),
    ("get_purchase_order", "order", "po_id"),
    ("get_order", "sale", "order_id"),
    ("get_inventory", "stock", "item"),
    ("get_contract", "contract", "contract_id"),
    ("get_uptime", "uptime", "vendor_id"),
    ("get_credit", "credit", "reference"),
    ("get_employee", "employee", "employee_id"),
    ("get_pay_calendar", "pay", "employee_id"),
    ("get_offboarding_checklist", "checklist", "employee_id"),
    ("get_system_access", "access", "system"),
];

const WRITES: &[&str] = &[
    "reject_invoice",
    "modify_order_items",
    "apply_account_credit",
    "update_employee_status",
    "create_offboarding_checklist",
    "revoke_access",
    "send_order_confirmation",
    "send_sla_breach_notification",
    "schedule_equipment_return",
    "notify_it_team",
    "schedule_exit_survey",
    "send_exit_survey",
];

impl Company {
    pub(crate) fn new() -> Self {
        let record = |kind, id: &str, value| ((kind, id.to_owned()), value);
        let invoice = json!({"status": "received", "po_id": "PO-8821", "total": "52340.00 USD",
            "vendor_id": "V-77", "number": "INV-2024-447"});
        let sale = json!({"customer_id": "C-8821", "status": "open", "contact": "buyer@example.com",
            "total": "149.95 USD", "item_count": 5,
            "items": [{"item": "Widget A", "quantity": 5, "unit_price": "29.99 USD"}]});
        let stock = json!({"item": "Widget B", "available": 47, "reserved": 12, "unit_price": "32.00 USD"});
        let contract = json!({"vendor_id": "INFRA-9", "sla_percent": 99.9, "monthly_fee": "85000.00 USD",
            "multiplier": 1.5, "contact": "ops@example.com"});
        let employee = json!({"status": "active", "email": "jordan.kim@example.com",
            "systems": ["GitHub", "AWS", "Slack", "Jira", "Okta"]});
        let records = [
            record("invoice", "INV-2024-447", invoice),
            record("order", "PO-8821", json!({"total": "51200.00 USD"})),
            record("sale", "ORD-5592", sale),
            record("stock", "Widget B", stock),
            record("contract", "CTR-441", contract),
            record("uptime", "INFRA-9", json!({"percent": 99.1})),
            record("employee", "E-2291", employee),
            record("pay", "E-2291", json!({"next_pay_date": "2026-03-31"})),
        ];
        Self { records: records.into(), effects: Vec::new() }
    }

    pub(crate) fn effects(&self) -> &[String] {
        &self.effects
    }

    /// The tool as a catalogue would have it: its effect comes from its name.
    pub(crate) fn tool(&self, name: &ToolName) -> Tool {
        Tool::new(name.clone(), &Json::Null, Declared::NOTHING)
    }

    pub(crate) fn pins(&self) -> BTreeMap<ToolName, Pin> {
        let names = READS.iter().map(|(name, ..)| *name).chain(WRITES.iter().copied());
        names
            .map(|name| ToolName::parse(name).unwrap())
            .map(|name| (name.clone(), self.tool(&name).pin()))
            .collect()
    }

    pub(crate) fn read(&self, tool: &ToolName, arguments: &Values) -> Value {
        let (_, kind, key) = READS.iter().find(|(name, ..)| *name == tool.as_str()).unwrap();
        let id = text(arguments, key);
        self.records.get(&(*kind, id)).cloned().unwrap_or(Value::Null)
    }

    pub(crate) fn write(&mut self, tool: &ToolName, arguments: &Values) -> Json {
        let told = arguments.iter().map(|(name, value)| format!("{name}={}", value.to_wire()));
        self.effects.push(format!("{tool}({})", told.collect::<Vec<_>>().join(", ")));
        match tool.as_str() {
            "modify_order_items" => {
                let sale = self.records.get_mut(&("sale", text(arguments, "order_id"))).unwrap();
                sale["total"] = json!("123.98 USD");
                sale["item_count"] = json!(4);
            }
            "apply_account_credit" => {
                let credit = json!({"amount": text(arguments, "amount")});
                self.records.insert(("credit", text(arguments, "reference")), credit);
            }
            "update_employee_status" => {
                let employee = self.records.get_mut(&("employee", text(arguments, "employee_id"))).unwrap();
                employee["status"] = json!(text(arguments, "status"));
            }
            "create_offboarding_checklist" => {
                let id = text(arguments, "employee_id");
                self.records.insert(("checklist", id), json!({"status": "open"}));
                return Json::Record([("checklist_id".to_owned(), Json::from("CL-1"))].into());
            }
            "revoke_access" => {
                self.records.insert(("access", text(arguments, "system")), json!({"active": false}));
            }
            _ => {}
        }
        Json::Null
    }

    /// Compares what stands there now with what should.
    pub(crate) fn read_back(&self, tool: &ToolName, arguments: &Arguments, expect: &Arguments) -> Outcome {
        let known = |arguments: &Arguments| -> Values {
            arguments
                .iter()
                .filter_map(|(name, value)| Some((name.clone(), Argument::value(value)?.clone())))
                .collect()
        };
        let found = self.read(tool, &known(arguments));
        let equal = known(expect).iter().all(|(field, value)| {
            found.get(field).is_some_and(|found| Json::from_serde(found).as_ref() == Ok(value))
        });
        if equal { Outcome::Verified } else { Outcome::Mismatch }
    }
}

fn text(arguments: &Values, name: &str) -> String {
    arguments.get(name).and_then(Json::as_text).unwrap_or_default().to_owned()
}

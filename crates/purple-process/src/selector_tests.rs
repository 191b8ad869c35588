use crate::effect::Class;
use crate::evidence::{Annotations, Declared, Offered, Trust, decide};
use crate::json::Json;
use crate::verbs::{ALSO_WRITE, DOUBTS, SECOND_VERBS, WRITE};

use super::NO_ORDERS;

/// What a tool is that gets one thing and takes this parameter too.
fn class(parameter: &str, schema: &str) -> (Class, String) {
    let text = format!(r#"{{"properties":{{"item_id":{{"type":"string"}},"{parameter}":{schema}}}}}"#);
    let schema = Json::parse(&text).unwrap();
    let offered = Offered { name: "get_item", description: "Gets an item.", schema: &schema, vendor: &[] };
    let decided = decide(offered, Declared::NOTHING);
    (decided.class, decided.reason)
}

/// What is not as it should be, to be shown together.
#[derive(Default)]
struct Wrong(Vec<String>);

impl Wrong {
    fn check(&mut self, parameter: &str, schema: &str, read: bool) {
        let (class, reason) = class(parameter, schema);
        if (class == Class::Read) != read {
            self.0.push(format!("{parameter}: {schema}: {reason}"));
        }
    }

    #[track_caller]
    fn are_none(self) {
        assert!(
            self.0.is_empty(),
            "{} are wrong: {:#?}",
            self.0.len(),
            self.0.iter().take(40).collect::<Vec<_>>()
        );
    }
}

const FLAG: &str = r#"{"type":"boolean"}"#;
const TEXT: &str = r#"{"type":"string"}"#;
const NUMBER: &str = r#"{"type":"number"}"#;
const LIST: &str = r#"{"type":"array","items":{"type":"string"}}"#;

fn one_of(values: &[&str]) -> String {
    serde_json::json!({"type": "string", "enum": values}).to_string()
}

fn verbs() -> impl Iterator<Item = &'static str> {
    let more =
        ["zap", "acknowledge", "cleanup", "consume", "fulfill", "escheat", "elevate", "peek", "sell", "ship"];
    [WRITE, ALSO_WRITE, DOUBTS, SECOND_VERBS].concat().into_iter().chain(more)
}

#[test]
fn a_flag_that_orders_something_leaves_no_read() {
    let mut wrong = Wrong::default();
    for verb in verbs() {
        for form in ["{}", "and_{}", "auto_{}", "{}_after_read", "{}_on_read", "then_{}", "do_{}", "{}_only"]
        {
            wrong.check(&form.replace("{}", verb), FLAG, false);
        }
    }
    for done in ["paid", "done", "read", "sent", "approved"] {
        wrong.check(&format!("mark_as_{done}"), FLAG, false);
        wrong.check(done, FLAG, false);
    }
    for unknown in ["frob", "dry_run", "force", "persist", "cleanup", "lease"] {
        wrong.check(unknown, FLAG, false);
    }
    wrong.are_none();
}

#[test]
fn a_choice_that_can_change_something_leaves_no_read() {
    let mut wrong = Wrong::default();
    for verb in verbs().filter(|verb| !NO_ORDERS.contains(verb)) {
        for name in ["mode", "op", "operation", "action", "then", "behavior"] {
            wrong.check(name, &one_of(&["get", verb]), false);
        }
        wrong.check(verb, &one_of(&["yes", "no"]), false);
        wrong.check(verb, &one_of(&["on", "off"]), false);
    }
    for name in ["power", "frob", "target_state", "desired_status"] {
        wrong.check(name, &one_of(&["on", "off"]), false);
        wrong.check(name, &one_of(&["running", "halted"]), false);
    }
    wrong.are_none();
}

#[test]
fn a_text_that_is_no_filter_leaves_no_read() {
    let mut wrong = Wrong::default();
    for state in ["status", "state", "stage", "owner", "price", "type"] {
        for form in ["set_{}", "new_{}", "target_{}", "desired_{}", "next_{}", "{}_to_set", "update_{}"] {
            wrong.check(&form.replace("{}", state), TEXT, false);
        }
    }
    for place in ["table", "file", "folder", "account", "sheet"] {
        for form in ["destination_{}", "output_{}", "save_{}", "into_{}", "target_{}", "dest_{}"] {
            wrong.check(&form.replace("{}", place), TEXT, false);
        }
    }
    for name in "save_as function snippet link remote comment reply note message text content value data settings config args \
                 recipient send_to hook sink rpc method_name plugin callable rule logic predicate condition on_found frob"
        .split_whitespace()
    {
        wrong.check(name, TEXT, false);
        wrong.check(name, LIST, false);
    }
    for name in [
        "amount",
        "quantity",
        "counted_quantity",
        "reading",
        "price",
        "lease_seconds",
        "visibility_timeout",
        "frob",
    ] {
        wrong.check(name, NUMBER, false);
    }
    wrong.check("update", r#"{"type":"object","properties":{"status":{"type":"string"}}}"#, false);
    wrong.are_none();
}

#[test]
fn identifiers_filters_pages_and_forms_keep_a_read() {
    let mut wrong = Wrong::default();
    for name in "vendor_id invoice_number customer country_code status state order_by sort cursor page_token next_token \
                 from_date start_date due_before currency region account repo owner branch path format language timezone fields search"
        .split_whitespace()
    {
        wrong.check(name, TEXT, true);
    }
    for name in ["ids", "fields", "labels", "vendor_ids", "paths", "statuses"] {
        wrong.check(name, LIST, true);
    }
    for name in [
        "limit",
        "page",
        "per_page",
        "offset",
        "max_results",
        "min_amount",
        "days",
        "latitude",
        "depth",
        "year",
    ] {
        wrong.check(name, NUMBER, true);
    }
    for name in [
        "include_closed",
        "verbose",
        "full",
        "recursive",
        "with_details",
        "unread_only",
        "is_active",
        "descending",
    ] {
        wrong.check(name, FLAG, true);
    }
    wrong.check("include_details", &one_of(&["yes", "no"]), true);
    wrong.check("order", &one_of(&["asc", "desc"]), true);
    wrong.check("status", &one_of(&["open", "closed", "all"]), true);
    wrong.check("granularity", &one_of(&["DAILY", "MONTHLY"]), true);
    wrong.check("mode", &one_of(&["driving", "walking"]), true);
    wrong.are_none();
}

#[test]
fn the_end_of_a_range_needs_its_beginning() {
    let with = |name: &str, other: &str| {
        let text = format!(r#"{{"properties":{{"{name}":{TEXT},"{other}":{TEXT}}}}}"#);
        let schema = Json::parse(&text).unwrap();
        let offered = Offered { name: "get_rates", description: "", schema: &schema, vendor: &[] };
        decide(offered, Declared::NOTHING).class
    };
    for (end, begin) in [("to", "from"), ("to_date", "from_date"), ("destination", "origin")] {
        assert_eq!(with(end, begin), Class::Read, "{end}");
        assert_eq!(with(end, "item_id"), Class::Unclear, "{end}");
    }
}

#[test]
fn a_trusted_hint_removes_the_doubt_about_a_parameter_and_none_about_a_program() {
    let annotations = Annotations { read_only: Some(true), destructive: None };
    let trusted = Declared { annotations, server: Trust::Trusted, ..Declared::NOTHING };
    for (parameter, expected) in [("frob", Class::Read), ("script", Class::Unclear), ("url", Class::Unclear)]
    {
        let schema = Json::parse(&format!(r#"{{"properties":{{"{parameter}":{TEXT}}}}}"#)).unwrap();
        let offered = Offered { name: "get_item", description: "", schema: &schema, vendor: &[] };
        assert_eq!(decide(offered, trusted).class, expected, "{parameter}");
    }
}

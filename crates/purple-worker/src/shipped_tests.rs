use std::collections::BTreeSet;

use jiff::civil::date;
use purple_backoffice::{Office, Setup};
use purple_process::{Class, DecidedBy};
use serde_json::Value;

use super::*;
use crate::execute::office;
use crate::port::Listing;
use crate::{Manifest, toolbox};

fn office() -> Office {
    Office::open(Setup::in_memory(date(2026, 3, 4))).unwrap()
}

#[test]
fn every_file_is_read_and_names_its_server_once() {
    assert_eq!(Shipped::all().len(), FILES.len());
    for text in FILES {
        serde_json::from_str::<Shipped>(text).unwrap();
    }
    let names: BTreeSet<&str> = Shipped::all().iter().map(|shipped| shipped.name.as_str()).collect();
    assert_eq!(names.len(), FILES.len());
    assert!(Shipped::all().iter().all(|shipped| !shipped.tools.is_empty() && !shipped.version.is_empty()));
}

#[test]
fn the_manifest_of_the_demo_company_covers_every_tool_as_it_is() {
    let office = office();
    let shipped = Shipped::find("demo-company").unwrap();
    let definitions = office::listing(&office).tools;
    let digests: serde_json::Map<String, Value> = definitions
        .iter()
        .map(|definition| (definition.name.to_string(), Value::String(definition.offer_digest().to_string())))
        .collect();
    let reviewed: serde_json::Map<String, Value> = shipped
        .tools
        .iter()
        .map(|(name, tool)| (name.clone(), Value::String(tool.definition.to_string())))
        .collect();
    assert_eq!(reviewed, digests, "a tool was added or described anew: review it and write its digest");
    for definition in office.definitions() {
        let effect = shipped.tools[definition.name].effect;
        let changes = match effect {
            Effect::Read | Effect::Compute => false,
            Effect::Write | Effect::Notify | Effect::Approval => true,
        };
        assert_eq!(changes, definition.changes, "{}: {effect}", definition.name);
    }
}

#[test]
fn a_manifest_holds_for_the_server_that_the_operator_named_and_for_what_was_reviewed() {
    let shipped = Shipped::find("demo-company").unwrap();
    let manifest = Manifest::default().with_shipped("office", shipped);
    let mut definitions = office::listing(&office()).tools;
    definitions.retain(|definition| definition.name.as_str() == "calculate_business_days");
    let row = |definition: &Definition| {
        let listing = Listing { tools: vec![definition.clone()], left_out: Vec::new() };
        let (rows, _) = toolbox(listing, &manifest);
        (rows[0].effect, rows[0].decided_by)
    };
    let reviewed = definitions.remove(0);
    assert_eq!(row(&reviewed), (Class::Compute, DecidedBy::Shipped));
    let elsewhere = Definition { server: "other".to_owned(), ..reviewed.clone() };
    assert_eq!(row(&elsewhere), (Class::Unclear, DecidedBy::Definition));
    let changed = Definition { description: "Counts days, and more.".into(), ..reviewed };
    assert_eq!(row(&changed), (Class::Unclear, DecidedBy::Definition));
}

#[test]
fn a_manifest_is_stale_for_another_version_of_its_server_and_for_another_definition() {
    let schema = serde_json::json!({"type": "object"});
    let definition = |version: Option<&str>, description: &str| Definition {
        server: "clock".to_owned(),
        name: purple_process::ToolName::parse("convert_time").unwrap(),
        description: description.into(),
        input_schema: schema.clone(),
        output_schema: None,
        annotations: purple_process::Annotations { read_only: None, destructive: None },
        version: version.map(str::to_owned),
    };
    let seen = definition(Some("1.2"), "Converts");
    let tool = ShippedTool { effect: Effect::Read, sql: None, definition: seen.offer_digest() };
    let shipped = Shipped {
        name: "clock".to_owned(),
        package: "npm:clock".to_owned(),
        version: "1.2".to_owned(),
        reports: Some("1.2".to_owned()),
        tools: [("convert_time".to_owned(), tool)].into(),
    };
    assert!(shipped.about(&seen).is_some());
    for stale in [Some("1.3"), Some("1.1"), None] {
        assert_eq!(shipped.about(&definition(stale, "Converts")), None, "{stale:?}");
    }
    assert_eq!(shipped.about(&definition(Some("1.2"), "Converts, and more")), None);
}

#[test]
fn manifests_of_public_servers_name_what_they_were_reviewed_at_and_call_no_write_a_read() {
    for shipped in Shipped::all().iter().filter(|shipped| shipped.name != "demo-company") {
        assert!(shipped.package.starts_with("npm:") || shipped.package.starts_with("pypi:"));
        assert!(shipped.reports.is_some(), "{}", shipped.name);
        for (name, tool) in &shipped.tools {
            assert!(matches!(tool.effect, Effect::Read | Effect::Write), "{name}");
            let verbs =
                ["create", "write", "delete", "add", "set", "move", "edit", "commit", "reset", "toggle"];
            let changes = name.split(['_', '-']).any(|word| verbs.contains(&word));
            assert!(!changes || tool.effect == Effect::Write, "{name}");
            // What it gives away opens more than the server.
            let secrets = ["env", "environment", "secret", "credentials", "password", "token", "key", "keys"];
            let discloses = name.split(['_', '-']).any(|word| secrets.contains(&word));
            assert!(!discloses || tool.effect == Effect::Write, "{name}");
        }
    }
}

//! The classifier against definitions of public servers, labelled before it was written.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "tests may unwrap, and print what they measured"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use proptest::prelude::*;
use purple_process::{
    Annotations, Class, Declared, Effect, Json, Offered, Tool, ToolName, Trust, Values, vendor_words,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// Collected and labelled before the classifier was written.
const PUBLIC: &str = "public.jsonl";
/// Of other servers, collected and labelled when it was there, and not before.
const FURTHER: &str = "further.jsonl";
/// Of business systems, written from memory of public servers and labelled before they were run.
const BUSINESS: &str = "business.jsonl";
/// Of business systems: reads, and writes whose names sound like reads, labelled before they were run.
const HARMLESS_NAMES: &str = "harmless_names.jsonl";
/// The same, written and labelled after the rules were changed for those.
const HARMLESS_NAMES_2: &str = "harmless_names_2.jsonl";

#[derive(Deserialize)]
struct Row {
    server: String,
    label: Label,
    tool: Definition,
}

#[derive(Clone, Copy, Deserialize, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
enum Label {
    Read,
    Write,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Definition {
    name: String,
    #[serde(default)]
    description: Option<String>,
    input_schema: Value,
    #[serde(default)]
    annotations: Option<Hints>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hints {
    read_only_hint: Option<bool>,
    destructive_hint: Option<bool>,
}

/// The rows, and the vendor words of each server.
struct Set {
    rows: Vec<Row>,
    vendors: BTreeMap<String, Vec<String>>,
}

impl Set {
    fn load(files: &[&str]) -> Self {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/tool_definitions");
        let texts: Vec<String> =
            files.iter().map(|file| std::fs::read_to_string(folder.join(file)).unwrap()).collect();
        let lines = texts.iter().flat_map(|text| text.lines());
        let rows: Vec<Row> = lines.map(|line| serde_json::from_str(line).unwrap()).collect();
        let servers: BTreeSet<String> = rows.iter().map(|row| row.server.clone()).collect();
        let vendors = servers
            .into_iter()
            .map(|server| {
                let names = rows.iter().filter(|row| row.server == server).map(|row| row.tool.name.as_str());
                let words = vendor_words(names);
                (server, words)
            })
            .collect();
        Self { rows, vendors }
    }

    fn tool(&self, row: &Row, name: &str, schema: &Value, hints: Hints, server: Trust) -> Tool {
        let schema = Json::from_serde(schema).unwrap();
        let offered = Offered {
            name,
            description: row.tool.description.as_deref().unwrap_or_default(),
            schema: &schema,
            vendor: &self.vendors[&row.server],
        };
        let annotations =
            Annotations { read_only: hints.read_only_hint, destructive: hints.destructive_hint };
        let declared = Declared { annotations, server, ..Declared::NOTHING };
        Tool::of_server(ToolName::parse("tool").unwrap(), offered, declared)
    }

    fn as_offered(&self, row: &Row, server: Trust) -> Tool {
        self.tool(
            row,
            &row.tool.name,
            &row.tool.input_schema,
            row.tool.annotations.unwrap_or_default(),
            server,
        )
    }
}

/// What the classifier makes of the set under one trust: writes taken for reads, reads that it leaves open, reads.
fn measure(set: &Set, server: Trust, counts: impl Fn(&Row) -> bool) -> (Vec<String>, Vec<String>, usize) {
    let (mut wrong, mut open, mut reads) = (Vec::new(), Vec::new(), 0);
    for row in set.rows.iter().filter(|row| counts(row)) {
        let tool = set.as_offered(row, server);
        let told = format!("{} {}: {} ({})", row.server, row.tool.name, tool.class(), tool.reason());
        match (row.label, tool.class()) {
            (Label::Write, Class::Read | Class::Compute) => wrong.push(told),
            (Label::Write, Class::Write | Class::Notify | Class::Approval | Class::Unclear) => {}
            (Label::Read, Class::Read) => reads += 1,
            (Label::Read, _) => {
                reads += 1;
                open.push(told);
            }
        }
    }
    (wrong, open, reads)
}

fn percent(part: usize, whole: usize) -> usize {
    (part * 100).div_ceil(whole.max(1))
}

#[test]
fn no_write_is_taken_for_a_read_and_few_reads_stay_open() {
    let set = Set::load(&[PUBLIC]);
    assert!(set.rows.len() >= 300, "{} definitions", set.rows.len());
    check(&set, Open { untrusted: 25, trusted: 10 });
}

/// The rules were made with the others. What stays open here is mostly names without any verb (`MatrixTool`).
#[test]
fn nor_of_servers_that_the_rules_were_not_made_with() {
    let set = Set::load(&[FURTHER]);
    assert!(set.rows.len() >= 60, "{} definitions", set.rows.len());
    check(&set, Open { untrusted: 40, trusted: 10 });
}

#[test]
fn nor_of_business_systems() {
    let set = Set::load(&[BUSINESS]);
    assert!(set.rows.len() >= 120, "{} definitions", set.rows.len());
    check(&set, Open { untrusted: 25, trusted: 10 });
}

#[test]
fn nor_of_writes_whose_names_sound_like_reads() {
    let set = Set::load(&[HARMLESS_NAMES]);
    assert!(set.rows.len() >= 80, "{} definitions", set.rows.len());
    check(&set, Open { untrusted: 10, trusted: 10 });
    let set = Set::load(&[HARMLESS_NAMES_2]);
    assert!(set.rows.len() >= 70, "{} definitions", set.rows.len());
    check(&set, Open { untrusted: 10, trusted: 10 });
}

#[test]
fn no_name_of_a_write_is_a_read_without_a_description() {
    let schema = Json::parse(r#"{"properties":{"item_id":{"type":"string"}}}"#).unwrap();
    let reads = include_str!("tool_definitions/names_alone.txt").lines().filter(|name| {
        let offered = Offered { name, description: "", schema: &schema, vendor: &[] };
        let tool = Tool::of_server(ToolName::parse("tool").unwrap(), offered, Declared::NOTHING);
        tool.class() == Class::Read
    });
    assert_eq!(reads.collect::<Vec<_>>(), Vec::<&str>::new());
}

/// How many of a hundred reads may stay open.
struct Open {
    untrusted: usize,
    /// Of those with hints, where these are trusted.
    trusted: usize,
}

fn check(set: &Set, limit: Open) {
    let (wrong, open, reads) = measure(set, Trust::Untrusted, |_| true);
    println!("{} definitions; hints not trusted: {} of {reads} reads open", set.rows.len(), open.len());
    open.iter().for_each(|one| println!("  open: {one}"));
    let (wrong_trusted, open_trusted, _) = measure(set, Trust::Trusted, |_| true);
    println!("hints trusted: {} of {reads} reads open", open_trusted.len());
    let annotated = |row: &Row| row.tool.annotations.is_some_and(|hints| hints.read_only_hint.is_some());
    let (_, open_annotated, annotated_reads) = measure(set, Trust::Trusted, annotated);
    println!("  of them with hints: {} of {annotated_reads}", open_annotated.len());
    open_trusted.iter().for_each(|one| println!("  open: {one}"));
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(wrong_trusted, Vec::<String>::new());
    assert!(percent(open.len(), reads) <= limit.untrusted);
    assert!(percent(open_annotated.len(), annotated_reads) <= limit.trusted);
}

/// A parameter that can carry a program or an address, with the name that says so.
const CARRIERS: [(&str, &str); 8] = [
    ("sql", r#"{"type":"string"}"#),
    ("graphql", r#"{"type":"string"}"#),
    ("script", r#"{"type":"string"}"#),
    ("command", r#"{"type":["string","null"]}"#),
    ("callback_url", r#"{"type":"string"}"#),
    ("where", r#"{"type":"string","description":"a Cypher expression"}"#),
    ("payload", r#"{"type":"object"}"#),
    ("output_path", r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#),
];

#[test]
fn a_parameter_that_carries_a_program_leaves_no_definition_a_read() {
    let set = Set::load(&[PUBLIC, FURTHER, BUSINESS, HARMLESS_NAMES, HARMLESS_NAMES_2]);
    for row in &set.rows {
        for (name, schema) in CARRIERS {
            let mut widened = row.tool.input_schema.clone();
            let Some(fields) = widened.as_object_mut() else { continue };
            let properties = fields.entry("properties").or_insert_with(|| Value::Object(Default::default()));
            properties[name] = serde_json::from_str(schema).unwrap();
            for server in [Trust::Untrusted, Trust::Trusted] {
                let hints = row.tool.annotations.unwrap_or_default();
                let tool = set.tool(row, &row.tool.name, &widened, hints, server);
                assert_ne!(tool.class(), Class::Read, "{} {} with {name}", row.server, row.tool.name);
            }
        }
    }
}

#[test]
fn a_write_word_turns_no_definition_into_a_read() {
    let set = Set::load(&[PUBLIC, FURTHER, BUSINESS, HARMLESS_NAMES, HARMLESS_NAMES_2]);
    for row in &set.rows {
        let plain = Hints::default();
        let before = set.tool(row, &row.tool.name, &row.tool.input_schema, plain, Trust::Untrusted).class();
        for verb in ["delete", "create", "approve", "pay", "unsubscribe", "trigger", "update"] {
            for name in [format!("{verb}_{}", row.tool.name), format!("{}_and_{verb}", row.tool.name)] {
                let after = set.tool(row, &name, &row.tool.input_schema, plain, Trust::Untrusted).class();
                assert!(after != Class::Read, "{name}: {before} became {after}");
            }
        }
    }
}

#[test]
fn an_untrusted_hint_turns_no_definition_into_a_read() {
    let set = Set::load(&[PUBLIC, FURTHER, BUSINESS, HARMLESS_NAMES, HARMLESS_NAMES_2]);
    for row in &set.rows {
        let class = |read_only_hint, destructive_hint| {
            let hints = Hints { read_only_hint, destructive_hint };
            set.tool(row, &row.tool.name, &row.tool.input_schema, hints, Trust::Untrusted).class()
        };
        let without = class(None, None);
        assert_eq!(class(Some(true), Some(false)), without, "{}", row.tool.name);
        assert_ne!(class(Some(false), None), Class::Read, "{}", row.tool.name);
        assert_ne!(class(None, Some(true)), Class::Read, "{}", row.tool.name);
    }
}

/// A parameter that carries a program, an address or a body, wherever in the schema it stands.
fn carrier() -> impl Strategy<Value = Value> {
    let carriers: Vec<(String, Value)> = CARRIERS
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), serde_json::from_str(schema).unwrap()))
        .collect();
    let leaf =
        prop::sample::select(carriers).prop_map(|(name, schema)| json!({"properties": {name: schema}}));
    let deeper = |inner: BoxedStrategy<Value>| {
        let name = "[a-z]{2,9}";
        prop_oneof![
            (name, inner.clone()).prop_map(|(name, inner)| json!({"properties": {name: inner}})),
            (name, inner.clone())
                .prop_map(|(name, inner)| json!({"properties": {name: {"type": "array", "items": inner}}})),
            inner.clone().prop_map(|inner| json!({"anyOf": [{"type": "null"}, inner]})),
            inner.clone().prop_map(|inner| json!({"allOf": [inner]})),
            inner.clone().prop_map(|inner| json!({"if": {}, "then": inner})),
            inner.clone().prop_map(|inner| json!({"dependentSchemas": {"other": inner}})),
            (name, inner).prop_map(|(name, inner)| {
                json!({"properties": {name: {"patternProperties": {".*": inner}}}})
            }),
        ]
        .boxed()
    };
    leaf.boxed().prop_recursive(3, 8, 1, move |inner| deeper(inner.boxed()))
}

proptest! {
    /// Whatever a vendor calls its tools, a read verb does not make harmless what an argument may carry.
    #[test]
    fn no_name_makes_a_program_a_read(
        vendor in "[a-z]{2,8}", product in prop::sample::select(&["", "jira_", "sap_", "stripe_"][..]),
        verb in prop::sample::select(&["get", "list", "fetch", "read", "find", "show", "view", "describe", "count"][..]),
        noun in "[a-z]{3,10}", schema in carrier(), trusted in any::<bool>(),
    ) {
        let names: Vec<String> =
            ["a", "b", "c"].iter().map(|more| format!("{vendor}_{product}{verb}_{noun}_{more}")).collect();
        let vendor = vendor_words(names.iter().map(String::as_str));
        let schema = Json::from_serde(&schema).unwrap();
        let hints = Annotations { read_only: Some(true), destructive: Some(false) };
        let server = if trusted { Trust::Trusted } else { Trust::Untrusted };
        let declared = Declared { annotations: hints, server, ..Declared::NOTHING };
        for name in &names {
            let offered = Offered { name, description: "Returns things.", schema: &schema, vendor: &vendor };
            let tool = Tool::of_server(ToolName::parse("tool").unwrap(), offered, declared);
            prop_assert_ne!(tool.class(), Class::Read, "{} {:?}", name, schema);
            prop_assert_ne!(tool.effect_of(&Values::new()), Effect::Read);
        }
    }
}

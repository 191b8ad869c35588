//! Canaries in everything that a tool may say: none is left after redaction, whatever it is wrapped in; and what holds no
//! secret passes unchanged.

#![allow(clippy::unwrap_used, reason = "tests may unwrap")]

use proptest::prelude::*;
use purple_privacy::{redact, redact_json, redact_texts};
use serde_json::{Value, json};

/// The lines of a file, with ends of lines where they are written `\n`.
fn lines(file: &'static str) -> Vec<String> {
    let lines = file.lines().filter(|line| !line.starts_with("# ") && !line.is_empty());
    lines.map(|line| line.replace("\\n", "\n")).collect()
}

/// Texts, each with the secret in it.
fn texts() -> Vec<(String, String)> {
    let lines = lines(include_str!("canaries/texts.txt")).into_iter();
    lines
        .map(|line| {
            line.rsplit_once(" | ").map(|(text, secret)| (text.to_owned(), secret.to_owned())).unwrap()
        })
        .collect()
}

fn in_json(text: &str) -> String {
    Value::from(text).to_string()
}

/// The same without the quotes around it.
fn unquoted(text: &str) -> String {
    in_json(text).strip_prefix('"').unwrap().strip_suffix('"').unwrap().to_owned()
}

/// The shapes in which a text may come, each with its name.
fn wrapped(text: &str) -> Vec<(&'static str, String)> {
    let record = json!({"id": "R-1", "note": text});
    let nested = json!({"raw": record.to_string(), "rows": [[1, text]]});
    vec![
        ("plain", text.to_owned()),
        ("after prose", format!("The tool said:\n{text}")),
        ("before prose", format!("{text}\nand nothing else")),
        ("a string of JSON", in_json(text)),
        ("a field of JSON", record.to_string()),
        ("JSON after prose", format!("get_record: {record}")),
        ("JSON in JSON", nested.to_string()),
        ("JSON in JSON in JSON", json!({"body": nested.to_string()}).to_string()),
        ("JSON that is cut", format!("{{\"id\": 1, \"note\": {}, \"mo", in_json(text))),
        ("after an escape", format!("a\\n{}", unquoted(text))),
        ("after a tab as it is written", format!("x\\t{}", unquoted(text))),
        ("a line of a log", format!("2026-01-31T10:00:00Z ERROR refused msg={}", in_json(text))),
    ]
}

/// Whether a secret can be read in a text, however its ends of lines are written.
fn shows(text: &str, secret: &str) -> bool {
    let mut plain = text.to_owned();
    while plain.contains("\\\\") {
        plain = plain.replace("\\\\", "\\");
    }
    text.contains(secret) || plain.replace("\\n", "\n").contains(secret)
}

#[test]
fn no_canary_is_left_whatever_it_is_wrapped_in() {
    let mut left = Vec::new();
    let mut count = 0;
    for (text, secret) in texts() {
        assert!(text.contains(&secret), "{text}");
        for (shape, said) in wrapped(&text) {
            let record = json!({"said": said});
            let exits =
                [redact(&said), redact_json(record.clone()).to_string(), redact_texts(record).to_string()];
            for exit in exits {
                count += 1;
                if shows(&exit, &secret) {
                    left.push(format!("{shape}: {secret:?} in {exit}"));
                }
            }
        }
    }
    println!("{count} looked at");
    assert!(left.is_empty(), "{} of {count} left\n{}", left.len(), left.join("\n"));
}

/// The shapes in which a text may give a field its value.
fn fields(name: &str, value: &str) -> Vec<(&'static str, String)> {
    let element = name.replace(' ', "_");
    vec![
        ("JSON", json!({"id": 1, name: value}).to_string()),
        ("nested", json!({"a": [{"b": {name: value}}]}).to_string()),
        ("a list", json!({name: [value, "x1"]}).to_string()),
        ("a record", json!({name: {"inner": value}}).to_string()),
        ("a pair", json!([{"name": name, "value": value}]).to_string()),
        ("another pair", json!({"all": [{"key": name, "val": value}]}).to_string()),
        ("a pair in German", json!({"Feld": name, "Wert": value}).to_string()),
        ("columns", json!({"columns": ["id", name], "rows": [[1, value]]}).to_string()),
        (
            "described columns",
            json!({"fields": [{"name": "id"}, {"name": name}], "data": [[1, value]]}).to_string(),
        ),
        ("a head", json!([["id", name], [1, value]]).to_string()),
        ("a record as Python writes it", format!("{{'id': 1, '{name}': '{value}'}}")),
        ("cut", format!("{{\"id\": 1, \"{name}\": \"{value}\", \"no")),
        ("escaped", format!("{{\\\"id\\\": 1, \\\"{name}\\\": \\\"{value}\\\", \\\"no")),
        ("for XML", format!("&quot;{name}&quot;: &quot;{value}&quot;")),
        ("an element", format!("<r><{element}>{value}</{element}></r>")),
        ("an element with a namespace", format!("<r><a:{element} t=\"1\">{value}</a:{element}></r>")),
        ("marked data", format!("<{element}><![CDATA[{value}]]></{element}>")),
        ("elements inside", format!("<{element}><one>{value}</one></{element}>")),
        ("an attribute", format!("<r id=\"1\" {element}=\"{value}\"/>")),
        ("a named element", format!("<add key=\"{name}\" value=\"{value}\"/>")),
        ("a named text", format!("<entry name=\"{name}\">{value}</entry>")),
        ("commas", format!("id,{name},city\n1,{value},Bern\n")),
        ("semicolons", format!("id;{name}\r\n1;{value}\r\n")),
        ("tabs", format!("id\t{name}\n1\t{value}")),
        ("a table", format!("| id | {name} |\n|---|---|\n| 1 | {value} |")),
        ("written ends of lines", format!("id,{name}\\n1,{value}\\n")),
        ("an address", format!("https://x.example/y?a=1&{element}={value}&b=2")),
        ("settings", format!("a = 1\n{element} = \"{value}\"\n")),
        ("YAML", format!("a: 1\n{element}: \"{value}\"\n")),
        ("an option", format!("run --{element}={value} --all")),
    ]
}

#[test]
fn no_value_of_a_field_that_is_named_like_a_secret_is_left() {
    let mut left = Vec::new();
    let mut count = 0;
    for (turn, name) in lines(include_str!("canaries/names.txt")).into_iter().enumerate() {
        let value = ["canary7x", "Zx81-Qw77-Lp09"][turn % 2];
        for (shape, text) in fields(&name, value) {
            // A table has its head on a line of its own.
            let outer = wrapped(&text)
                .into_iter()
                .filter(|(outer, _)| !outer.starts_with("after a tab") && !outer.ends_with("an escape"));
            let outer: Vec<_> = outer.collect();
            // Each shape is met in each wrapping, and each name in each shape.
            for (outer, said) in [&outer[0], &outer[turn % outer.len()]] {
                count += 1;
                let exit = redact(said);
                if shows(&exit, value) {
                    left.push(format!("{name}, {shape}, {outer}: {exit}"));
                }
            }
        }
    }
    println!("{count} looked at");
    assert!(left.is_empty(), "{} of {count} left\n{}", left.len(), left.join("\n"));
}

#[test]
fn what_holds_no_secret_passes_unchanged() {
    let mut changed = Vec::new();
    for text in lines(include_str!("canaries/plain.txt")) {
        for (shape, said) in wrapped(&text) {
            let masked = redact(&said);
            if masked != said {
                changed.push(format!("{shape}: {said:?} -> {masked:?}"));
            }
        }
    }
    assert!(changed.is_empty(), "{} changed\n{}", changed.len(), changed.join("\n"));
}

/// Pieces of business text that hold no secret.
fn business() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "(INV|PO|ORD|CTR|CUST|E|MC)-[0-9]{2,12}",
        "[0-9]{1,3}(,[0-9]{3}){0,2}\\.[0-9]{2} (USD|EUR|CHF)",
        "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])",
        "sha256:[0-9a-f]{64}",
        "(DE|FR|GB)[0-9]{2}[A-Z]{4}[0-9]{14}",
        prop::sample::select(vec![
            "the password policy",
            "passwords were reset,",
            "PIN pad",
            "token usage",
            "key account",
            "credentials expire",
            "Passwortmanager",
            "contraseña caducada",
            "mot de passe expiré",
            "card on file",
            "secret santa",
            "\n",
            ", ",
            "\t",
            "{\"id\": \"C-1\"}",
            "[1, 2]",
            "<id>C-1</id>",
            "amount",
            "of Acme AG",
            "status: open",
            "\\n",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 1..16).prop_map(|pieces| pieces.join(" "))
}

proptest! {
    #[test]
    fn business_text_passes_unchanged(text in business()) {
        prop_assert_eq!(redact(&text), text.clone());
        let value = json!({"note": text, "lines": [text], "columns": ["id", "amount"], "rows": [["a", text]]});
        prop_assert_eq!(redact_json(value.clone()), value);
    }

    #[test]
    fn structured_text_is_masked_once(name in "(password|pin|token|note|id)", value in "[a-zA-Z0-9 \\\\\"',|{}\\[\\]<>&=:;-]{0,24}") {
        for (_, text) in fields(&name, &value) {
            let once = redact(&text);
            prop_assert_eq!(redact(&once), once.clone(), "{}", text);
        }
    }
}

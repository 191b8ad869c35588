//! Every example of `docs/spec/policy-language.md`, read from the page itself.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

use std::collections::BTreeSet;

use purple_policy::{
    Authority, Code, Condition, Expression, Facts, PolicyDocument, Scope, Source, Subject, Unevaluable,
    Unread, Value,
};

const PAGE: &str = include_str!("../../../docs/spec/policy-language.md");

#[test]
fn every_value_on_the_page_is_what_the_evaluator_says() {
    let facts = facts();
    let examples = tables(&["expression", "value"])
        .into_iter()
        .chain(tables(&["call", "makes", "example", "value"]).into_iter().map(|row| row[2..].to_vec()));
    let mut seen = 0;
    for row in examples {
        let (source, expected) = (code(&row[0]), &row[1]);
        let expression = Expression::compile(&source, &Scope::open())
            .unwrap_or_else(|wrong| panic!("`{source}` is refused: {}", wrong[0]));
        let told = match expression.evaluate(&facts) {
            Ok(value) => format!("`{value}`"),
            Err(reason) => format!("unevaluable: {reason}"),
        };
        assert_eq!(told, *expected, "`{source}`");
        seen += 1;
    }
    println!("{seen} values");
    assert!(seen > 80);
}

#[test]
fn every_refusal_on_the_page_happens_with_its_code_and_help() {
    let mut seen = 0;
    for row in tables(&["refused", "code", "help"]) {
        let source = code(&row[0]);
        let told = match Condition::compile(&source, &Scope::open()) {
            Ok(_) => (String::new(), String::new()),
            Err(wrong) => {
                (format!("`{}`", wrong[0].code()), wrong[0].help_text().unwrap_or_default().to_owned())
            }
        };
        assert_eq!(told, (row[1].clone(), row[2].clone()), "`{source}`");
        seen += 1;
    }
    println!("{seen} refusals");
    assert!(seen > 30);
}

#[test]
fn every_refused_document_on_the_page_names_code_and_place() {
    let mut seen = 0;
    for row in tables(&["refused document", "code", "place"]) {
        let json = code(&row[0]);
        let wrong = PolicyDocument::parse(&json, Authority::Operator).unwrap_err();
        let told = (format!("`{}`", wrong[0].code()), wrong[0].path().unwrap_or_default().to_owned());
        assert_eq!(told, (row[1].clone(), row[2].clone()), "{json}");
        seen += 1;
    }
    assert!(seen > 20);
}

#[test]
fn every_document_on_the_page_gives_the_result_below_it() {
    let mut seen = 0;
    let mut document = None;
    for (info, body) in blocks() {
        match info.split_once(' ') {
            Some(("policy", authority)) => {
                let authority = match authority {
                    "operator" => Authority::Operator,
                    "request" => Authority::Request,
                    other => panic!("no authority `{other}`"),
                };
                document = Some(PolicyDocument::parse(&body, authority).unwrap());
            }
            Some(("result", subject)) => {
                let subject = match subject.split_once(": ").unwrap() {
                    ("task", task) => Subject { task, ..Subject::default() },
                    ("tool", tool) => Subject { tool: Some(tool), ..Subject::default() },
                    other => panic!("no subject {other:?}"),
                };
                let judgement = document.take().unwrap().bind(&Facts::new()).judge(&subject);
                let expected: serde_json::Value = serde_json::from_str(&body).unwrap();
                assert_eq!(serde_json::to_value(&judgement).unwrap(), expected);
                seen += 1;
            }
            _ => {}
        }
    }
    assert_eq!(seen, 4);
}

#[test]
fn the_page_lists_every_code() {
    let listed: BTreeSet<String> =
        tables(&["code", "what is wrong"]).iter().map(|row| code(&row[0])).collect();
    let existing: BTreeSet<String> = Code::ALL.iter().map(ToString::to_string).collect();
    assert_eq!(listed, existing);
}

#[test]
fn the_page_lists_every_function() {
    let listed: BTreeSet<String> = tables(&["call", "makes", "example", "value"])
        .iter()
        .map(|row| code(&row[0]).split('(').next().unwrap().to_owned())
        .collect();
    let wrong = Expression::compile("xxxxxxxxxxxxxxxxxxxxxxxxxxxxx()", &Scope::open()).unwrap_err();
    let help = wrong[0].help_text().unwrap().strip_prefix("there are ").unwrap().to_owned();
    let existing: BTreeSet<String> = help.split(", ").map(str::to_owned).collect();
    assert_eq!(listed, existing);
}

fn facts() -> Facts {
    let block = blocks().into_iter().find(|(info, _)| info == "facts").unwrap().1;
    let mut facts = Facts::new();
    for line in block.lines() {
        let (name, text) = line.split_once(": ").unwrap();
        if text == "ambiguous" {
            facts.set(Source::Input, name, Value::from(5)).set(Source::Read, name, Value::from(7));
            continue;
        }
        let unread = [("read failed", Unread::Failed), ("read refused", Unread::Refused)];
        if let Some((_, how)) = unread.into_iter().find(|(words, _)| *words == text) {
            facts.doubt(Source::Read, name, Unevaluable::Unread { name: name.to_owned(), how });
            continue;
        }
        let value = match text.chars().next().unwrap() {
            '[' | '{' => Value::from_json(&serde_json::from_str(text).unwrap()).unwrap(),
            _ if text == "null" => Value::Null,
            _ => Value::from_literal(text),
        };
        facts.set(Source::Read, name, value);
    }
    facts
}

/// The rows of every table with exactly this head.
fn tables(head: &[&str]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in PAGE.lines() {
        let cells = cells(line);
        if cells == head {
            inside = true;
        } else if cells.is_empty() {
            inside = false;
        } else if inside && !cells[0].starts_with("---") {
            assert_eq!(cells.len(), head.len(), "{line}");
            rows.push(cells);
        }
    }
    rows
}

/// The cells of a table's line, in which `\|` is a sign of the text.
fn cells(line: &str) -> Vec<String> {
    let Some(inner) = line.strip_prefix('|').and_then(|line| line.strip_suffix('|')) else {
        return Vec::new();
    };
    let inner = inner.replace("\\|", "\u{1}");
    inner.split('|').map(|cell| cell.trim().replace('\u{1}', "|")).collect()
}

/// The text between the backticks.
fn code(cell: &str) -> String {
    cell.strip_prefix('`')
        .and_then(|cell| cell.strip_suffix('`'))
        .unwrap_or_else(|| panic!("{cell}"))
        .to_owned()
}

/// Fenced blocks: what stands behind the fence, and what is inside.
fn blocks() -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in PAGE.lines() {
        match (line.strip_prefix("```"), open.take()) {
            (Some(_), Some(block)) => blocks.push(block),
            (Some(info), None) => open = Some((info.to_owned(), String::new())),
            (None, Some((info, body))) => open = Some((info, format!("{body}{line}\n"))),
            (None, None) => {}
        }
    }
    blocks
}

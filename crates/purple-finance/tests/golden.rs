//! Every row of every golden table, and every worked example of the specification, comes out exactly.
//!
//! A table has the columns `source`, one for each argument, one for each expected value (`=name`) and `error`.
//! In a cell, items of a list are separated by ` | `, fields of a record by `; `.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use purple_finance::Figure;
use purple_finance::catalogue::{self, Answer, Kind, Parameter};
use serde_json::Value;

/// Cells by the name of their column.
type Cells = BTreeMap<String, String>;

/// One row: the arguments and the expected values as they stand in their cells.
struct Row {
    source: String,
    arguments: Cells,
    values: Cells,
    error: String,
}

fn table(function: &str) -> Vec<Row> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(format!("{function}.csv"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let mut lines = text.lines().map(cells);
    let header = lines.next().unwrap();
    lines.map(|cells| row(&header, cells)).collect()
}

fn row(header: &[String], cells: Vec<String>) -> Row {
    assert_eq!(header.len(), cells.len(), "{cells:?}");
    let mut row = Row {
        source: String::new(),
        arguments: BTreeMap::new(),
        values: BTreeMap::new(),
        error: String::new(),
    };
    for (name, cell) in header.iter().zip(cells) {
        match name.strip_prefix('=') {
            Some(value) => {
                row.values.insert(value.to_owned(), cell);
            }
            None if name == "source" => row.source = cell,
            None if name == "error" => row.error = cell,
            None if cell.is_empty() => {}
            None => {
                row.arguments.insert(name.clone(), cell);
            }
        }
    }
    row
}

/// The cells of a line; a cell in double quotes may have commas.
fn cells(line: &str) -> Vec<String> {
    let (mut cells, mut quoted) = (vec![String::new()], false);
    for character in line.chars() {
        match character {
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells.last_mut().unwrap().push(other),
        }
    }
    cells
}

fn call(function: &str, arguments: &Cells) -> Result<Answer, String> {
    let parameters = catalogue::find(function).map_err(|error| error.to_string())?.parameters;
    let figures = figures(parameters, arguments.iter())?;
    catalogue::call(function, &figures).map_err(|error| error.to_string())
}

fn figures<'a>(
    parameters: &[Parameter],
    cells: impl Iterator<Item = (&'a String, &'a String)>,
) -> Result<BTreeMap<String, Figure>, String> {
    let read = |(name, cell): (&String, &String)| {
        let parameter = parameters.iter().find(|parameter| parameter.name == name);
        let kind = parameter.unwrap_or_else(|| panic!("no parameter {name}")).kind;
        figure(&kind, cell).map(|figure| (name.clone(), figure))
    };
    cells.map(read).collect()
}

fn figure(kind: &Kind, cell: &str) -> Result<Figure, String> {
    match kind {
        Kind::List(item) => {
            cell.split(" | ").map(|cell| figure(item, cell)).collect::<Result<_, _>>().map(Figure::List)
        }
        Kind::Record(fields) => {
            let pairs: Vec<(String, String)> = cell
                .split("; ")
                .map(|field| field.split_once('=').unwrap())
                .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
                .collect();
            figures(fields, pairs.iter().map(|(name, cell)| (name, cell))).map(Figure::Record)
        }
        _ => kind.read(cell).map_err(|error| error.to_string()),
    }
}

/// A result as it stands in its cell.
fn cell(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(cell).collect::<Vec<_>>().join(" | "),
        Value::Object(fields) => {
            let field =
                |(name, value): (&String, &Value)| format!("{name}={}", cell(value).replace(" | ", "+"));
            fields.iter().map(field).collect::<Vec<_>>().join("; ")
        }
        other => other.to_string(),
    }
}

fn results(answer: &Answer) -> Cells {
    let values = answer.values.iter();
    values.map(|(name, figure)| ((*name).to_owned(), cell(&serde_json::to_value(figure).unwrap()))).collect()
}

#[test]
fn every_row_of_every_table_comes_out_exactly() {
    let mut rows = 0;
    for function in catalogue::functions() {
        for row in table(function.name) {
            rows += 1;
            let place = format!("{} ({}) {:?}", function.name, row.source, row.arguments);
            match call(function.name, &row.arguments) {
                Ok(answer) => {
                    assert_eq!(row.error, "", "{place}");
                    let mut values = results(&answer);
                    // A long schedule is `*` in the table; its sums and its shorter sisters are compared.
                    values.extend(
                        row.values
                            .iter()
                            .filter(|(_, cell)| *cell == "*")
                            .map(|(k, v)| (k.clone(), v.clone())),
                    );
                    assert_eq!(values, row.values, "{place}");
                }
                Err(error) => assert_eq!(error, row.error, "{place}"),
            }
        }
    }
    println!("{rows} golden rows");
    assert!(rows >= 332, "a row was lost: {rows}");
}

#[test]
fn every_function_has_a_table_with_refusals_in_it() {
    for function in catalogue::functions() {
        let rows = table(function.name);
        assert!(rows.len() >= 8, "{} has {} rows", function.name, rows.len());
        assert!(rows.iter().any(|row| !row.error.is_empty()), "{} has no refusal", function.name);
        assert!(rows.iter().all(|row| !row.source.is_empty()), "{}: a row without a source", function.name);
    }
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let names: BTreeSet<String> =
        files.map(|file| file.file_stem().unwrap().to_string_lossy().into()).collect();
    let functions: BTreeSet<String> = catalogue::functions().iter().map(|f| f.name.to_owned()).collect();
    assert_eq!(names, functions);
}

/// The worked examples of the specification: fenced blocks marked `example`.
fn examples() -> Vec<(String, Cells, Cells)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/spec/money.md");
    let text = fs::read_to_string(path).unwrap();
    let blocks = text.split("```example\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let example = |block: &str| {
        let (call, values) = block.split_once(")\n").unwrap();
        let (function, arguments) = call.split_once('(').unwrap();
        let pair = |text: &str, separator: &str| {
            let (name, cell) = text.trim().split_once(separator).unwrap_or_else(|| panic!("{text}"));
            (name.to_owned(), cell.to_owned())
        };
        let arguments = arguments.split(",\n").flat_map(|line| line.split(", ")).map(|text| pair(text, ": "));
        let values = values.lines().map(|line| pair(line, " = "));
        (function.to_owned(), arguments.collect(), values.collect())
    };
    blocks.map(example).collect()
}

#[test]
fn every_example_of_the_specification_is_a_golden_row() {
    let examples = examples();
    let shown: BTreeSet<_> = examples.iter().map(|(function, _, _)| function.as_str()).collect();
    let functions: BTreeSet<_> = catalogue::functions().iter().map(|function| function.name).collect();
    assert_eq!(shown, functions, "every function has an example");
    for (function, arguments, expected) in &examples {
        let computed = results(&call(function, arguments).unwrap());
        for (name, value) in expected {
            assert_eq!(computed.get(name), Some(value), "{function}: {name}");
        }
        assert!(!expected.is_empty(), "{function}");
        let parameters = catalogue::find(function).unwrap().parameters;
        let read = |cells: &Cells| figures(parameters, cells.iter());
        let given = read(arguments).unwrap();
        let stands = table(function).iter().any(|row| read(&row.arguments).is_ok_and(|row| row == given));
        assert!(stands, "{function} {arguments:?} is no golden row");
    }
}

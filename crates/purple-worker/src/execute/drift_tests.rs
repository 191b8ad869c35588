use serde_json::json;

use super::super::office::values;
use super::*;

#[test]
fn columns_are_read_from_every_usual_description() {
    for told in [
        json!({"columns": [{"name": "a", "type": "TEXT"}, {"name": "b"}]}),
        json!({"columns": ["a", "b"]}),
        json!({"table": "t", "schema": {"columns": ["a", "b"]}}),
        json!([{"column_name": "a"}, {"column_name": "b"}]),
        json!([{"Field": "a", "Type": "int"}, {"Field": "b"}]),
        json!({"properties": {"a": {"type": "string"}, "b": {}}}),
        json!({"result": {"fields": [{"name": "b"}, {"name": "a"}]}}),
    ] {
        assert_eq!(columns_told(&told), ["a", "b"], "{told}");
    }
}

#[test]
fn a_described_name_that_is_no_plain_name_never_gets_into_a_query() {
    let told = json!({"columns": ["a", "b; DROP TABLE t", "c'--", "", "d e", "x".repeat(200), "ä"]});
    assert_eq!(columns_told(&told), ["a"]);
    for nothing in [json!(null), json!("CREATE TABLE t (a TEXT)"), json!({"tables": ["a"]}), json!(3)] {
        assert!(columns_told(&nothing).is_empty(), "{nothing}");
    }
}

#[test]
fn the_table_is_found_in_its_parameter_or_after_from() {
    for (arguments, table) in [
        (json!({"table": "bills"}), Some("bills")),
        (json!({"table_name": "bills", "limit": 3}), Some("bills")),
        (json!({"sql": "select a\nFROM bills b where a = 1"}), Some("bills")),
        (json!({"query": "SELECT a FROM \"bills\";"}), Some("bills")),
        (json!({"query": "bills from Anna"}), None),
        (json!({"sql": "SELECT 1"}), None),
        (json!({"sql": "SELECT a FROM (SELECT b FROM x)"}), None),
        (json!({}), None),
    ] {
        assert_eq!(table_of(&values(arguments.clone())).as_deref(), table, "{arguments}");
    }
}

#[test]
fn a_session_remembers_a_bounded_number_of_corrections_each_once() {
    let repair = |column: &str, is: &str| Repair {
        tool: ToolName::parse("query").unwrap(),
        table: Some("bills".to_owned()),
        column: column.to_owned(),
        is: is.to_owned(),
        found: Found::Alias,
    };
    let mut fixes = SchemaFixes::default();
    for number in 0..FIXES_MAX + 5 {
        fixes.remember(repair(&number.to_string(), "a"));
    }
    fixes.remember(repair("10", "b"));
    let columns: Vec<&str> = fixes.iter().map(|fix| fix.column.as_str()).collect();
    assert_eq!((columns.len(), columns[0], columns[FIXES_MAX - 1]), (FIXES_MAX, "5", "10"));
    let tool = ToolName::parse("query").unwrap();
    assert_eq!(fixes.of(&tool, Some("bills"), "10").unwrap().is, "b");
    assert_eq!(fixes.of(&tool, None, "10"), None);
    let stored = serde_json::to_string(&fixes).unwrap();
    assert_eq!(serde_json::from_str::<SchemaFixes>(&stored).unwrap(), fixes);
}

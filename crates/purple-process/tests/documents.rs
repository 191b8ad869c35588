//! Pages of `docs/spec/` that are drawn from the code, or whose examples are.
#![expect(clippy::expect_used, reason = "tests may expect")]

#[path = "support/tables.rs"]
mod tables;

use purple_process::{Json, Plan};

#[test]
fn the_page_of_the_process_machine_is_drawn_from_the_tables() {
    let page = std::fs::read_to_string(tables::PAGE).unwrap();
    assert_eq!(
        tables::drawn_into(&page),
        page,
        "draw it anew: cargo run -p purple-process --example spec_tables -- --write"
    );
}

const APPROVALS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/spec/approvals.md");

/// The text of the fenced block that follows this line.
fn block<'a>(page: &'a str, after: &str) -> &'a str {
    let (_, rest) = page.split_once(after).expect(after);
    let (_, rest) = rest.split_once("```").expect("a block");
    let (_, rest) = rest.split_once('\n').expect("a block");
    rest.split_once("\n```").expect("the end of the block").0
}

#[test]
fn the_worked_example_of_the_plan_hash_is_true() {
    let page = std::fs::read_to_string(APPROVALS).unwrap();
    let stored = block(&page, "<!-- example: plan -->");
    let plan: Plan = serde_json::from_str(stored).unwrap();
    assert_eq!(plan.canonical(), stored, "the example is not in its canonical form");
    assert_eq!(plan.hash().to_string(), block(&page, "<!-- example: hash -->"));
    let keys: Vec<String> = plan.keyed().map(|(_, key)| key.to_string()).collect();
    assert_eq!(keys.join("\n"), block(&page, "<!-- example: keys -->"));
    assert_eq!(plan.headline(), block(&page, "<!-- example: headline -->"));
    assert_eq!(plan.decline_label(), block(&page, "<!-- example: decline -->"));
}

#[test]
fn the_coded_forms_on_the_page_are_true() {
    let page = std::fs::read_to_string(APPROVALS).unwrap();
    let (_, table) = page.split_once("<!-- example: forms -->").unwrap();
    let mut rows = 0;
    for line in
        table.lines().skip_while(|line| !line.starts_with("| `")).take_while(|line| line.starts_with("| `"))
    {
        let cells: Vec<&str> = line.split('`').collect();
        let (written, form) = (cells[1], cells[3]);
        assert_eq!(serde_json::to_string(&Json::parse(written).unwrap()).unwrap(), form, "{line}");
        rows += 1;
    }
    assert_eq!(rows, 10);
}

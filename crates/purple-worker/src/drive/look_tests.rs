//! Looking into answers: pages, conditions, fields, exact sums, and what vouches for nothing.

use purple_process::{Json, Values};

use super::*;

fn books() -> Vec<Value> {
    let row = |at: u32| {
        let account = if at.is_multiple_of(3) { "4000" } else { "5000" };
        json!({"id": format!("T-{at}"), "account": account, "amount": format!("{at}.10 USD"), "memo": "x"})
    };
    (0..300).map(row).collect()
}

fn wanted(given: Value) -> Wanted {
    let mut given = given;
    given["name"] = json!("r1");
    serde_json::from_value(given).unwrap()
}

fn seen(given: Value, rows: &[Value]) -> (Value, Value) {
    match among(&wanted(given), rows, &Sources::new("")).unwrap() {
        Looked::Seen { told, seen } => (told, seen),
        Looked::Counted { .. } => panic!("rows were expected"),
    }
}

fn counts(given: Value, rows: &[Value], task: &str) -> (Value, bool) {
    match among(&wanted(given), rows, &Sources::new(task)).unwrap() {
        Looked::Counted { value, basis } => (value, basis == Basis::Founded),
        Looked::Seen { .. } => panic!("a count was expected"),
    }
}

#[test]
fn pages_follow_one_another_without_gap_until_all_rows_were_shown() {
    let rows = books();
    let mut offset = 0;
    let mut all = Vec::new();
    loop {
        let (told, page) = seen(json!({"offset": offset, "limit": 37}), &rows);
        assert!(page.to_string().len() <= LOOK_BYTES_MAX + 1_000);
        all.extend(page.as_array().unwrap().clone());
        match told["next_offset"].as_u64() {
            Some(next) => offset = next,
            None => break,
        }
    }
    assert_eq!(all, rows);
}

#[test]
fn a_condition_keeps_its_rows_and_a_pick_its_fields() {
    let (told, page) =
        seen(json!({"where": "row.amount > 297 USD && row.account == \"5000\"", "fields": ["id"]}), &books());
    assert_eq!((told["matching"].as_u64(), page), (Some(2), json!([{"id": "T-298"}, {"id": "T-299"}])));
    let (told, page) = seen(json!({"where": "row.account == \"9\""}), &books());
    assert_eq!((told["empty"].as_bool(), page), (Some(true), json!([])));
}

#[test]
fn rows_that_cannot_be_judged_are_counted_and_never_taken_for_matches() {
    let rows = [json!({"total": 7}), json!({"other": 1}), json!({"total": 9})];
    let (told, page) = seen(json!({"where": "row.total > 8"}), &rows);
    assert_eq!((told["not_judged"].as_u64(), page), (Some(1), json!([{"total": 9}])));
    let error = among(&wanted(json!({"where": "row.nothing > 8"})), &rows, &Sources::new("")).unwrap_err();
    assert!(error.contains("cannot be judged"), "{error}");
    for odd in ["1 +", "true), any(looked_at, true", "row.total"] {
        assert!(among(&wanted(json!({"where": odd})), &rows[..1], &Sources::new("")).is_err(), "{odd}");
    }
}

#[test]
fn sums_are_exact_and_grouped_by_a_field() {
    let rows = books();
    // 0 + 1 + … + 299 = 44850, and 300 times ten cents.
    let (value, founded) = counts(json!({"sum": "amount"}), &rows, "");
    assert_eq!((value, founded), (json!({"count": 300, "sum": "44880.00 USD"}), true));
    let (value, _) = counts(json!({"sum": "amount", "group_by": "account"}), &rows, "");
    // Every third one from 0 on: 3 · (0 + … + 99) = 14850.
    assert_eq!(value[0], json!({"account": "4000", "count": 100, "sum": "14860.00 USD"}));
    assert_eq!(value[1], json!({"account": "5000", "count": 200, "sum": "30020.00 USD"}));
}

#[test]
fn a_sum_is_founded_by_the_figures_it_was_chosen_with() {
    let rows = books();
    let founded = |given: Value, task: &str| counts(given, &rows, task).1;
    assert!(!founded(json!({"sum": "amount", "where": "amount(row.amount) > 250"}), ""));
    assert!(founded(json!({"sum": "amount", "where": "amount(row.amount) > 250"}), "all above 250"));
    assert!(!founded(json!({"group_by": "memo"}), ""), "anybody may write a memo");
    assert!(among(&wanted(json!({"sum": "amount) + (1"})), &rows, &Sources::new("")).is_err());
}

#[test]
fn a_long_text_is_shown_in_parts_and_vouches_for_nothing() {
    let text = "é".repeat(9_000);
    let Looked::Seen { told, seen } = single(&wanted(json!({})), &json!(text)) else { panic!("text") };
    assert_eq!((seen, told["next_offset"].as_u64()), (Value::Null, Some(3_072)));
    let Looked::Seen { told, .. } = single(&wanted(json!({"offset": 8_990})), &json!(text)) else {
        panic!("text")
    };
    assert_eq!((told["data"].as_str(), told.get("next_offset")), (Some("é".repeat(10).as_str()), None));
    let record = json!({"a": {"b": [1, {"c": "2.00 USD"}]}});
    assert_eq!(walk(&record, "a.b.1.c"), Some(&json!("2.00 USD")));
    assert_eq!(walk(&record, "a.b.x"), None);
}

#[test]
fn what_was_looked_at_vouches_and_the_rest_of_a_large_answer_does_not() {
    let mut sources = Sources::new("");
    let (_, page) = seen(json!({"offset": 7, "limit": 1}), &books());
    sources.add_read(&Values::new(), &Json::from_serde(&page).unwrap());
    assert!(sources.founds(&Json::from("7.10 USD")) && !sources.founds(&Json::from("8.10 USD")));
}

#[test]
fn what_stands_below_a_field_for_free_text_vouches_for_nothing_by_any_way_to_it() {
    let rows = [json!({"id": "A", "notes": {"amount": 4321}})];
    for given in [json!({"fields": ["id", "notes.amount"]}), json!({"path": "0.notes"})] {
        let wanted = wanted(given.clone());
        let looked = among(&wanted, &rows, &Sources::new("")).unwrap().placed(&wanted);
        let Looked::Seen { seen, .. } = looked else { panic!("rows were expected") };
        assert_eq!(seen, Value::Null, "{given}");
    }
    let wanted = wanted(json!({"path": "0.notes", "sum": "amount"}));
    let counted = Looked::Counted { value: json!(1), basis: Basis::Founded }.placed(&wanted);
    assert_eq!(counted, Looked::Counted { value: json!(1), basis: Basis::Unknown });
}

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use proptest::prelude::*;
use purple_process::{Annotations, ToolName};
use serde_json::json;

use crate::port::{BoxFuture, Definition, Listing};

use super::super::catalogue::{Catalogue, Manifest};
use super::super::drift::SchemaFixes;
use super::super::office::values;
use super::super::read::{ReadStory, read};
use super::super::reader::{Patience, READ_CALLS_MAX, ReadOnce, ReadPorts, Wait};
use super::*;

/// A server that answers by a function of the number of the call and its arguments.
struct Server<F> {
    answer: F,
    calls: Mutex<usize>,
}

impl<F: Fn(usize, &Values) -> Value + Send + Sync> ReadOnce for Server<F> {
    fn read<'a>(&'a self, _: &'a Known, arguments: Values) -> BoxFuture<'a, Called> {
        let mut calls = self.calls.lock().unwrap();
        *calls += 1;
        let answer = (self.answer)(*calls, &arguments);
        Box::pin(async move { Called::Answered(answer) })
    }
}

struct NoWait;

impl Wait for NoWait {
    fn wait(&self, _: Duration) -> BoxFuture<'_, Patience> {
        Box::pin(async { Patience::OutOfTime })
    }
}

fn read_from(
    parameters: &[&str],
    arguments: Value,
    answer: impl Fn(usize, &Values) -> Value + Send + Sync,
) -> ReadStory {
    let properties: BTreeMap<&str, Value> =
        parameters.iter().map(|name| (*name, json!({"type": ["integer", "string"]}))).collect();
    let definition = Definition {
        server: "books".to_owned(),
        name: ToolName::parse("list_rows").unwrap(),
        description: String::new(),
        input_schema: json!({"type": "object", "properties": properties}),
        output_schema: None,
        annotations: Annotations { read_only: None, destructive: None },
    };
    let listing = Listing { tools: vec![definition], left_out: Vec::new() };
    let catalogue = Catalogue::new(listing, &Manifest::default());
    let server = Server { answer, calls: Mutex::new(0) };
    let ports = ReadPorts { reader: &server, catalogue: &catalogue, wait: &NoWait, advice: None };
    let mut fixes = SchemaFixes::default();
    let tool = catalogue.iter().next().unwrap();
    pollster::block_on(read(ports, tool, values(arguments), &mut fixes))
}

fn reason(story: &ReadStory) -> &str {
    match &story.completeness {
        Completeness::Whole => "",
        Completeness::Cut { reason } => reason,
    }
}

fn number(arguments: &Values, name: &str) -> Option<u64> {
    match arguments.get(name)? {
        Json::Number(number) => number.as_str().parse().ok(),
        other => panic!("no number: {other:?}"),
    }
}

#[test]
fn a_server_that_gives_the_same_cursor_again_is_left() {
    let story = read_from(&["cursor"], json!({}), |call, _| json!({"rows": [call], "next_cursor": "x"}));
    assert_eq!(story.calls.len(), 2);
    assert_eq!(reason(&story), "the server gave the cursor `\"x\"` before");
    let value = story.outcome.unwrap();
    assert_eq!((&value["rows"], &value["complete"]), (&json!([1, 2]), &json!(false)));
    assert_eq!(value["next_cursor"], "x", "a cut list does not say that it ended");
}

#[test]
fn a_server_that_gives_the_same_page_again_is_left() {
    let story = read_from(&["page"], json!({}), |_, _| json!({"rows": [1, 2], "has_more": true}));
    assert_eq!((story.calls.len(), reason(&story)), (2, "page 2 repeats an earlier page"));
    assert_eq!(story.outcome.unwrap()["rows"], json!([1, 2]));
}

#[test]
fn empty_pages_that_promise_more_end_soon() {
    let story = read_from(&["page"], json!({}), |_, _| json!({"rows": [], "has_more": true}));
    assert_eq!(story.calls.len(), EMPTY_PAGES_MAX);
    assert_eq!(reason(&story), "3 empty pages, and the server says that there is more");
}

#[test]
fn a_total_that_grows_with_every_page_ends_at_the_limit() {
    let story = read_from(&["offset"], json!({}), |call, _| json!({"rows": [call], "total": 10 * call + 10}));
    assert_eq!((story.calls.len(), reason(&story)), (PAGES_MAX, "more than 100 pages"));
}

#[test]
fn rows_and_bytes_have_limits() {
    let rows = |call: usize| (0..1000).map(|row| json!([call, row])).collect::<Vec<_>>();
    let story = read_from(&["page"], json!({}), |call, _| json!({"rows": rows(call), "has_more": true}));
    assert_eq!((story.calls.len(), reason(&story)), (20, "more than 20000 rows"));
    let long = "x".repeat(ROWS_BYTES_MAX / 4);
    let story = read_from(
        &["page"],
        json!({}),
        |call, _| json!({"rows": [format!("{call}{long}")], "has_more": true}),
    );
    assert_eq!((story.calls.len(), reason(&story)), (4, "more than 8388608 bytes"));
}

#[test]
fn a_server_that_stops_short_of_its_total_is_not_believed() {
    let story = read_from(&["page"], json!({}), |_, _| json!({"rows": [1], "total": 3, "has_more": false}));
    assert_eq!(reason(&story), "the server speaks of 3 rows and gave 1");
    let offset =
        |call: usize, _: &Values| json!({"rows": if call == 1 { vec![1] } else { vec![] }, "total": 3});
    assert_eq!(reason(&read_from(&["offset"], json!({}), offset)), "the server speaks of 3 rows and gave 1");
}

#[test]
fn a_list_whose_next_page_cannot_be_asked_for_is_a_part() {
    let story = read_from(&["id"], json!({}), |_, _| json!({"rows": [1], "nextCursor": "b"}));
    assert_eq!(reason(&story), "there is a next page, and no parameter takes its cursor");
    let story = read_from(&["id"], json!({}), |_, _| json!({"rows": [1], "has_more": true}));
    assert_eq!(reason(&story), "the server says that there is more, and not how to ask for it");
}

#[test]
fn a_cut_bare_list_can_not_be_taken_for_the_whole() {
    let story = read_from(&["page"], json!({}), |_, _| json!([1, 2]));
    assert_eq!(
        story.outcome.unwrap(),
        json!({
            "rows": [1, 2], "complete": false, "incomplete_because": "page 2 repeats an earlier page",
        })
    );
    let story = read_from(&["page"], json!({}), |call, _| if call < 3 { json!([call]) } else { json!([]) });
    assert_eq!((reason(&story), story.outcome.unwrap()), ("", json!([1, 2])));
}

#[test]
fn the_size_of_a_page_may_be_chosen_without_choosing_the_page() {
    let story = read_from(&["page", "per_page"], json!({"per_page": 2}), |_, arguments| {
        let page = number(arguments, "page").unwrap_or(1);
        assert_eq!(number(arguments, "per_page"), Some(2));
        if page < 3 { json!({"rows": [page, page]}) } else { json!({"rows": [page]}) }
    });
    assert_eq!(story.outcome.unwrap(), json!({"rows": [1, 1, 2, 2, 3], "complete": true}));
    assert_eq!(story.calls.len(), 3, "a page that is not full is the last");
}

#[test]
fn a_server_that_counts_from_zero_is_followed() {
    let story = read_from(&["page"], json!({}), |_, arguments| {
        let page = number(arguments, "page").unwrap_or(0);
        json!({"rows": [page], "page": page, "has_more": page < 2})
    });
    assert_eq!(story.outcome.unwrap()["rows"], json!([0, 1, 2]));
}

#[test]
fn signs_of_pages_are_found_in_envelopes() {
    let story = read_from(
        &["page_token"],
        json!({}),
        |call, _| json!({"data": {"items": [call]}, "meta": {"nextPageToken": if call < 3 { json!(call) } else { json!("") }}}),
    );
    let value = story.outcome.unwrap();
    assert_eq!(value["data"]["items"], json!([1, 2, 3]));
    assert_eq!((&value["complete"], &value["meta"]["nextPageToken"]), (&json!(true), &json!(null)));
}

#[test]
fn a_sum_that_is_called_total_is_no_number_of_rows() {
    let story = read_from(&["id"], json!({}), |_, _| json!({"items": [{"price": 900}], "total": 900}));
    assert_eq!(story.outcome.unwrap(), json!({"items": [{"price": 900}], "total": 900}));
}

fn page() -> impl Strategy<Value = Value> {
    let rows = prop::collection::vec(0..4_u8, 0..4);
    let cursor = prop_oneof![
        Just(None),
        Just(Some(json!(null))),
        (0..5_u8).prop_map(|cursor| Some(json!(cursor.to_string()))),
        any::<u64>().prop_map(|cursor| Some(json!(cursor))),
    ];
    let total = prop::option::of(prop_oneof![0..9_u64, any::<u64>()]);
    let number = prop::option::of(any::<i64>());
    let list = prop::sample::select(vec!["rows", "items", "other"]);
    (rows, cursor, prop::option::of(any::<bool>()), total, number, list).prop_map(
        |(rows, cursor, more, total, number, list)| {
            let mut page = json!({ list: rows });
            if let Some(cursor) = cursor {
                page["next_cursor"] = cursor;
            }
            if let Some(more) = more {
                page["has_more"] = json!(more);
            }
            if let Some(total) = total {
                page["total"] = json!(total);
            }
            if let Some(number) = number {
                page["page"] = json!(number);
                page["total_pages"] = json!(number.wrapping_mul(3));
            }
            page
        },
    )
}

proptest! {
    #[test]
    fn no_server_keeps_us_for_ever(
        pages in prop::collection::vec(page(), 1..6),
        parameters in prop::sample::subsequence(vec!["page", "limit", "per_page", "cursor", "offset"], 0..=5),
    ) {
        let unique = pages.len() > 3;
        let story = read_from(&parameters, json!({}), |call, _| {
            let mut page = pages[call % pages.len()].clone();
            // Some servers never repeat themselves.
            if let (true, Some(rows)) = (unique, page.get_mut("rows").and_then(Value::as_array_mut)) {
                rows.push(json!(call));
            }
            page
        });
        prop_assert!(story.calls.len() <= PAGES_MAX);
        prop_assert!(story.calls.len() < READ_CALLS_MAX);
        prop_assert!(story.outcome.is_ok());
    }

    #[test]
    fn an_honest_server_gives_every_row_once_in_any_style(
        rows in 0..60_usize,
        size in 1..17_usize,
        style in prop::sample::select(vec!["page", "offset", "cursor", "has_more"]),
        says_total in any::<bool>(),
    ) {
        let parameter = if style == "has_more" { "page" } else { style };
        let story = read_from(&[parameter], json!({}), |_, arguments| {
            let asked = arguments.get(parameter).map_or(0, |value| match value {
                Json::Number(number) => number.as_str().parse::<usize>().unwrap(),
                other => other.as_text().unwrap().parse().unwrap(),
            });
            let from = match style {
                "offset" | "cursor" => asked,
                _ => asked.max(1).saturating_sub(1) * size,
            };
            let to = rows.min(from + size);
            let mut page = json!({"rows": (from.min(to)..to).collect::<Vec<_>>()});
            match style {
                "cursor" => page["next_cursor"] = if to < rows { json!(to.to_string()) } else { json!(null) },
                "has_more" => page["has_more"] = json!(to < rows),
                _ if says_total => page["total"] = json!(rows),
                _ => {}
            }
            page
        });
        prop_assert_eq!(&story.completeness, &Completeness::Whole);
        let expected: Vec<usize> = (0..rows).collect();
        prop_assert_eq!(&story.outcome.unwrap()["rows"], &json!(expected));
    }
}

//! Signals: alike for rounds that are alike, different for all others, the same for ever.

use agent_runtime::{ProgressTracker, Signal};
use serde_json::{Value, json};

fn of(value: Value) -> Signal {
    Signal::of_values([&value])
}

#[test]
fn values_that_differ_have_signals_that_differ() {
    let values = [
        json!(null),
        json!(false),
        json!(true),
        json!("true"),
        json!("null"),
        json!(0),
        json!("0"),
        json!(10),
        json!(1.0),
        json!(""),
        json!("a"),
        json!("ab"),
        json!([]),
        json!([[]]),
        json!([[], []]),
        json!(["a", "b"]),
        json!(["ab", ""]),
        json!(["b", "a"]),
        json!([1, [2, 3]]),
        json!([[1, 2], 3]),
        json!({}),
        json!({ "a": "b" }),
        json!({ "b": "a" }),
        json!({ "a": { "b": 1 } }),
        json!({ "a": 1, "b": 2 }),
        json!({ "a": 2, "b": 1 }),
    ];
    for (nth, one) in values.iter().enumerate() {
        for (other_nth, other) in values.iter().enumerate() {
            assert_eq!(of(one.clone()) == of(other.clone()), nth == other_nth, "{one} and {other}");
        }
    }
    assert_ne!(Signal::of_values([&json!(1), &json!(2)]), Signal::of_values([&json!(2), &json!(1)]));
}

#[test]
fn fields_count_in_the_order_of_their_names() {
    let one: Value = serde_json::from_str(r#"{ "a": [1], "b": 2 }"#).unwrap();
    let other: Value = serde_json::from_str(r#"{ "b": 2, "a": [1] }"#).unwrap();
    assert_eq!(of(one), of(other));
}

#[test]
fn signals_are_the_same_in_every_version() {
    let stored = |signal: Signal| serde_json::to_value(signal).unwrap();
    // FNV-1a of the closing byte alone.
    assert_eq!(stored(Signal::of_text("")), json!(12_638_352_127_299_873_646_u64));
    assert_eq!(stored(of(json!({ "a": [1, "x", null] }))), json!(PINNED));
}

/// Written down once; a change would make stored runs forget their rounds.
const PINNED: u64 = 9_155_086_604_780_191_865;

#[test]
fn repeats_count_the_last_rounds_in_a_row() {
    let mut tracker = ProgressTracker::default();
    assert_eq!((tracker.repeats(), tracker.latest()), (0, None));
    let counted: Vec<usize> = ["a", "a", "b", "a", "a", "a"]
        .into_iter()
        .map(|text| {
            tracker.record(Signal::of_text(text));
            tracker.repeats()
        })
        .collect();
    assert_eq!(counted, [1, 2, 1, 1, 2, 3]);
    assert_eq!(tracker.times_seen(Signal::of_text("a")), 5);
    assert_eq!(tracker.times_seen(Signal::of_text("c")), 0);
    assert_eq!(tracker.latest(), Some(Signal::of_text("a")));
}

#[test]
fn the_oldest_rounds_are_forgotten() {
    let mut tracker = ProgressTracker::default();
    tracker.record(Signal::of_text("first"));
    for _ in 1..ProgressTracker::SIGNALS_MAX {
        tracker.record(Signal::of_text("later"));
    }
    assert_eq!(tracker.times_seen(Signal::of_text("first")), 1);
    tracker.record(Signal::of_text("later"));
    assert_eq!(tracker.times_seen(Signal::of_text("first")), 0);
    assert_eq!(tracker.repeats(), ProgressTracker::SIGNALS_MAX);
}

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn refused(code: &str, message: &str) -> Called {
    let code = (!code.is_empty()).then(|| code.into());
    Called::Refused { code, message: message.into() }
}

fn plainly(value: Value) -> Called {
    unmask(Called::Answered(value.into()), Expected::default())
}

fn is_failure_of(value: &Value, expected: Expected<'_>) -> bool {
    matches!(unmask(Called::Answered(value.clone().into()), expected), Called::Refused { .. })
}

#[test]
fn an_error_that_is_dressed_as_an_answer_is_an_error() {
    let unmasked = plainly;
    assert_eq!(unmasked(json!({"error": "no such column: a"})), refused("", "no such column: a"));
    assert_eq!(
        unmasked(json!({"success": false, "code": "NOT_FOUND", "message": "gone"})),
        refused("NOT_FOUND", "gone")
    );
    assert_eq!(unmasked(json!({"error": {"code": "X", "message": "bad"}})), refused("X", "bad"));
    assert_eq!(
        unmasked(json!("Database error: no such column: a")),
        refused("", "Database error: no such column: a")
    );
    for honest in [
        json!({"deployment": "d-1", "error": "disk full"}),
        json!({"error": null, "message": "fine"}),
        json!({"ok": true, "message": "done"}),
        json!("an error in our favour"),
        json!([1]),
    ] {
        assert_eq!(unmasked(honest.clone()), Called::Answered(honest.into()));
    }
}

#[test]
fn answers_without_the_error_flag_that_are_failures_are_failures() {
    for failed in [
        json!({"success": false, "reason": "unauthorized"}),
        json!({"status": "error", "message": "unavailable"}),
        json!({"ok": false}),
        json!({"code": 503}),
        json!({"code": "502", "message": "Bad Gateway"}),
        json!({"status": 500, "path": "/pages/1", "timestamp": "2026-03-04T09:00:00Z"}),
        json!("Error: connection refused"),
        json!("<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"),
        json!("<html>502 Bad Gateway</html>"),
        json!({"page": null, "errors": ["timeout"]}),
        json!({"errors": [{"message": "timeout", "extensions": {}}], "data": {"page": null}}),
        json!({"data": {"ok": false, "reason": "locked"}}),
        json!({"status": "ok", "result": {"status": "failed", "message": "no route"}}),
        json!([{"error": "timeout"}, {"error": "timeout"}]),
        json!({"status": "ok"}),
        json!({"success": true}),
        json!(""),
        json!("  \n"),
        json!("HTTP 503"),
        json!("ConnectionError: host unreachable"),
        json!("upstream timed out"),
    ] {
        if failed == json!("upstream timed out") {
            // Words from a tool that gives records are no record.
            assert!(is_failure_of(&failed, Expected { asked: &[], records: true }));
            continue;
        }
        assert!(is_failure_of(&failed, Expected::default()), "{failed}");
    }
}

#[test]
fn records_stay_records_whatever_they_say_about_themselves() {
    for record in [
        json!({"job_id": "J-1", "status": "error", "rows": 20}),
        json!({"id": "D-1", "status": "failed", "finished_at": "2026-03-04"}),
        json!({"job": "import", "errors": ["row 3 is bad"]}),
        json!({"order_id": "O-1", "code": 503, "name": "Hub"}),
        json!({"code": "SAVE_10"}),
        json!({"code": "SAVE10", "percent": 10}),
        json!({"status": "open"}),
        json!({"state": "rejected", "reason": "too late"}),
        json!({"time": "2026-03-04T09:00:00Z"}),
        json!({"data": [], "count": 0}),
        json!({"page": null}),
        json!({}),
        json!([]),
        json!([{"error": "timeout"}, {"id": 1}]),
        json!(null),
        json!(404),
        json!("Error handling in three lines"),
        json!("The error was found and corrected."),
        json!("<html><head><title>Terms of business</title></head><body>1. Scope</body></html>"),
    ] {
        assert!(!is_failure_of(&record, Expected::default()), "{record}");
    }
}

#[test]
fn what_only_repeats_the_question_is_no_record() {
    let echo = json!({"page_id": "PG-1", "status": "error"});
    let asked = ["PG-1".to_owned()];
    assert!(is_failure_of(&echo, Expected { asked: &asked, records: false }));
    assert!(!is_failure_of(&echo, Expected::default()));
}

#[test]
fn words_of_authorisation_are_a_no() {
    use crate::execute::complaint::{Trouble, trouble};
    for denied in [
        json!({"success": false, "reason": "unauthorized"}),
        json!({"status": "forbidden"}),
        json!({"code": 403}),
        json!({"error": {"code": 401, "message": "log in"}}),
        json!("Forbidden: you may not see it"),
    ] {
        assert_eq!(trouble(&plainly(denied.clone())), Some(Trouble::Denied), "{denied}");
    }
    // Whether a bare 404 is the record or the address, nobody knows.
    assert_eq!(trouble(&plainly(json!({"code": 404}))), Some(Trouble::Other));
}

#[test]
fn a_write_may_say_nothing_but_that_it_went_well() {
    for done in [json!({"ok": true}), json!({"status": "ok"}), json!(""), json!("done"), json!(null)] {
        assert_eq!(refusal(Called::Answered(done.clone().into())), Called::Answered(done.into()));
    }
    for failed in
        [json!({"ok": false}), json!({"status": "error", "message": "locked"}), json!({"code": 500})]
    {
        assert!(
            matches!(refusal(Called::Answered(failed.clone().into())), Called::Refused { .. }),
            "{failed}"
        );
    }
}

fn record() -> impl Strategy<Value = Value> {
    let fields = prop::collection::btree_map(
        prop::sample::select(vec!["order_id", "amount", "vendor", "due", "lines"]),
        prop_oneof![
            "[A-Z]{2}-[0-9]{1,4}".prop_map(Value::from),
            (1_u32..99_999).prop_map(Value::from),
            Just(json!([{"sku": "A", "quantity": 2}])),
        ],
        1..4,
    );
    fields.prop_map(|fields| json!(fields))
}

/// Fields by which an envelope says that a call failed.
fn failing() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"ok": false}),
        json!({"success": false}),
        json!({"success": "false"}),
        json!({"status": "error"}),
        json!({"status": "FAILED"}),
        json!({"status": "unavailable"}),
        json!({"error": "it broke"}),
        json!({"error": {"message": "it broke", "code": "E_1"}}),
        json!({"errors": ["it broke"]}),
        json!({"code": 503}),
        json!({"status_code": "500"}),
        json!({"statusCode": 429}),
        json!({"isError": true}),
    ])
}

/// Fields of the call that say nothing of how it ended.
fn aside() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({}),
        json!({"message": "it broke"}),
        json!({"reason": "unauthorized", "request_id": "r-1"}),
        json!({"detail": "no", "timestamp": "2026-03-04T09:00:00Z", "path": "/v1"}),
        json!({"data": null}),
        json!({"page": null, "items": []}),
    ])
}

fn joined(one: &Value, other: &Value) -> Value {
    let mut all = one.as_object().cloned().unwrap_or_default();
    all.extend(other.as_object().cloned().unwrap_or_default());
    Value::Object(all)
}

fn wrapped(value: Value, layers: &[String]) -> Value {
    layers.iter().fold(value, |value, name| json!({name.as_str(): value}))
}

proptest! {
    #[test]
    fn an_envelope_that_says_no_is_a_failure_however_it_is_wrapped(
        failing in failing(),
        aside in aside(),
        layers in prop::collection::vec(prop::sample::select(vec!["data".to_owned(), "result".to_owned(), "response".to_owned()]), 0..3),
    ) {
        let answer = wrapped(joined(&aside, &failing), &layers);
        prop_assert!(is_failure_of(&answer, Expected::default()), "{}", answer);
        let of_write = refusal(Called::Answered(answer.into()));
        prop_assert!(!matches!(of_write, Called::Answered(_)));
    }

    #[test]
    fn a_record_is_none_whatever_fields_of_its_own_it_has(
        record in record(),
        own in prop::sample::select(vec![
            json!({}),
            json!({"status": "error"}),
            json!({"status": "failed", "error": "row 3"}),
            json!({"errors": ["row 3"]}),
            json!({"code": 503}),
            json!({"state": "unavailable", "message": "sold out"}),
        ]),
        well in prop::sample::select(vec![json!({}), json!({"ok": true}), json!({"status": "ok"}), json!({"success": true, "code": 200})]),
        layers in prop::collection::vec(prop::sample::select(vec!["data".to_owned(), "result".to_owned()]), 0..2),
    ) {
        let record = joined(&record, &own);
        for records in [false, true] {
            let expected = Expected { asked: &[], records };
            prop_assert!(!is_failure_of(&wrapped(record.clone(), &layers), expected), "{}", record);
            let in_envelope = joined(&well, &json!({"data": record.clone()}));
            prop_assert!(!is_failure_of(&in_envelope, expected), "{}", in_envelope);
            prop_assert!(!is_failure_of(&json!([record.clone()]), expected));
        }
    }
}

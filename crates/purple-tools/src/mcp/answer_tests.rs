use rmcp::model::ErrorData;
use serde_json::json;

use super::*;

/// An answer as it comes over the wire.
fn told(raw: &str) -> Called {
    read(serde_json::from_str(raw).unwrap(), false).called
}

fn refusal(code: Option<&str>, message: &str) -> Called {
    refused(code, message)
}

#[test]
fn structured_content_comes_before_text_and_text_is_read_as_json() {
    let both = r#"{"content": [{"type": "text", "text": "words"}], "structuredContent": {"a": 1.50}}"#;
    let Called::Answered(value) = told(both) else { panic!("not answered") };
    assert_eq!(value.for_work().to_string(), r#"{"a":1.50}"#);
    let json = r#"{"content": [{"type": "text", "text": "{\"a\":"}, {"type": "text", "text": "0.10}"}]}"#;
    let Called::Answered(value) = told(json) else { panic!("not answered") };
    assert_eq!(value.for_work().to_string(), r#"{"a":0.10}"#);
    let words = r#"{"content": [{"type": "text", "text": "all done"}]}"#;
    assert_eq!(told(words), Called::Answered(json!("all done").into()));
    assert_eq!(told(r#"{"content": [], "structuredContent": [1]}"#), Called::Answered(json!([1]).into()));
}

#[test]
fn plain_words_are_no_answer_of_a_tool_that_declares_another() {
    let words = r#"{"content": [{"type": "text", "text": "<html>"}]}"#;
    assert!(matches!(read(serde_json::from_str(words).unwrap(), true).called, Called::Lost { .. }));
    let json = r#"{"content": [{"type": "text", "text": "{}"}]}"#;
    assert_eq!(read(serde_json::from_str(json).unwrap(), true).called, Called::Answered(json!({}).into()));
}

#[test]
fn a_tool_error_is_a_refusal_with_its_code() {
    let structured = r#"{"isError": true, "content": [{"type": "text", "text": "t"}], "structuredContent": {"error": "gone", "type": "NOT_FOUND"}}"#;
    assert_eq!(told(structured), refusal(Some("NOT_FOUND"), "gone"));
    let written =
        r#"{"isError": true, "content": [{"type": "text", "text": "{\"error\":\"gone\",\"type\":\"X\"}"}]}"#;
    assert_eq!(told(written), refusal(Some("X"), "gone"));
    let words = r#"{"isError": true, "content": [{"type": "text", "text": "no such row"}]}"#;
    assert_eq!(told(words), refusal(None, "no such row"));
}

#[test]
fn a_request_for_input_is_a_question_for_a_person_and_any_other_request_is_refused() {
    let form = json!({"method": "elicitation/create", "params": {"message": "Sure?", "requestedSchema": {"type": "object", "properties": {"ok": {"type": "boolean"}}}}});
    let required = |request: &Value| {
        let raw =
            json!({"resultType": "input_required", "inputRequests": {"a": request}, "requestState": "s"});
        told(&raw.to_string())
    };
    let Called::Asked(asked) = required(&form) else { panic!("not asked") };
    assert_eq!(asked.state.as_deref(), Some("s"));
    assert_eq!(
        (asked.questions[0].id.as_str(), asked.questions[0].message.for_work().as_str()),
        ("a", "Sure?")
    );
    assert_eq!(asked.questions[0].schema["properties"], json!({"ok": {"type": "boolean"}}));
    let mut long = form.clone();
    long["params"]["message"] = json!("x".repeat(crate::limits::QUESTION_BYTES_MAX));
    let others = [
        json!({"method": "roots/list"}),
        json!({"method": "sampling/createMessage", "params": {"messages": [], "maxTokens": 5}}),
        json!({"method": "elicitation/create", "params": {"mode": "url", "message": "go", "url": "http://x/", "elicitationId": "1"}}),
        long,
    ];
    for other in others {
        let called = required(&other);
        assert!(
            matches!(&called, Called::Refused { code: Some(code), .. } if code == "INPUT_REQUIRED"),
            "{other}: {called:?}"
        );
    }
}

#[test]
fn an_answer_of_another_kind_or_too_long_is_lost() {
    for raw in [r#"{"something": "else"}"#, "{}", r#"{"tools": []}"#] {
        assert!(matches!(told(raw), Called::Lost { .. }), "{raw}");
    }
    let long = json!({"content": [{"type": "text", "text": "x".repeat(ANSWER_BYTES_MAX + 1)}]}).to_string();
    assert_eq!(told(&long), Called::Lost { reason: too_long().into() });
}

#[test]
fn only_errors_before_the_tool_are_refusals() {
    let said =
        |code: i32| failed(&ServiceError::McpError(ErrorData::new(ErrorCode(code), "no", None)), "w").called;
    for (code, word) in
        [(-32602, "INVALID_PARAMS"), (-32601, "METHOD_NOT_FOUND"), (-32600, "INVALID_REQUEST")]
    {
        assert_eq!(said(code), refusal(Some(word), "no"));
    }
    for code in [-32603, -32000, 1] {
        assert_eq!(
            said(code),
            Called::Lost { reason: format!("the server answers error {code}: no").into() }
        );
    }
    let closed = failed(&ServiceError::TransportClosed, "it ended");
    assert_eq!((closed.called, closed.link), (Called::Lost { reason: "it ended".into() }, Then::Strike));
}

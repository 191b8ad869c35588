use serde_json::json;

use super::*;

fn told(status: u16, body: &str) -> Called {
    read(StatusCode::from_u16(status).unwrap(), body.as_bytes()).called
}

#[test]
fn an_answer_is_json_and_keeps_its_digits() {
    let Called::Answered(value) = told(200, r#"{"amount": 1020.10, "n": 12345678901234567890123}"#) else {
        panic!("not answered");
    };
    assert_eq!(value.for_work().to_string(), r#"{"amount":1020.10,"n":12345678901234567890123}"#);
    assert_eq!(told(200, "[]"), Called::Answered(json!([]).into()));
}

#[test]
fn errors_with_and_without_a_status_are_refusals() {
    let gone = Called::Refused { code: Some("NOT_FOUND".into()), message: "gone".into() };
    for status in [200, 400, 404, 422, 429] {
        assert_eq!(told(status, r#"{"error": "gone", "type": "NOT_FOUND"}"#), gone, "{status}");
    }
    let bare = Called::Refused { code: Some("HTTP_404".into()), message: "nothing here".into() };
    assert_eq!(told(404, "nothing here"), bare);
}

#[test]
fn a_fault_of_the_server_a_redirect_or_no_json_is_lost() {
    for (status, body) in [
        (500, r#"{"error": "x", "type": "Y"}"#),
        (503, ""),
        (408, "{}"),
        (200, "<html>"),
        (200, ""),
        (302, "{}"),
    ] {
        assert!(matches!(told(status, body), Called::Lost { .. }), "{status} {body}");
    }
}

#[test]
fn a_path_and_a_session_of_the_base_are_kept() {
    let base = Url::parse("http://127.0.0.1:9009/green/?session_id=s%201").unwrap();
    let bridge = Bridge::new(reqwest_client(), &base);
    assert_eq!(bridge.tools.as_str(), "http://127.0.0.1:9009/green/mcp/tools?session_id=s%201");
    assert_eq!(bridge.calls.as_str(), "http://127.0.0.1:9009/green/mcp");
    assert_eq!(bridge.session.as_deref(), Some("s 1"));
}

fn reqwest_client() -> reqwest::Client {
    crate::http::client(crate::addresses::Guard::new(crate::addresses::Reach::Configured)).unwrap()
}

//! Notices that go out: to one address, at least once, and never to where a receiver points.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::post;
use purple_port::{Delivery, Notice, Outbox as _, SessionId};
use purple_server::{BadWebhook, Webhook};
use serde_json::{Value, json};

#[derive(Clone, Default)]
struct Receiver {
    answer: Arc<Mutex<StatusCode>>,
    got: Arc<Mutex<Vec<(String, Value)>>>,
}

async fn take(State(receiver): State<Receiver>, headers: HeaderMap, body: String) -> (StatusCode, HeaderMap) {
    let key = headers.get("idempotency-key").unwrap().to_str().unwrap().to_owned();
    receiver.got.lock().unwrap().push((key, serde_json::from_str(&body).unwrap()));
    let mut answer = HeaderMap::new();
    answer.insert(header::LOCATION, "/elsewhere".parse().unwrap());
    (*receiver.answer.lock().unwrap(), answer)
}

fn notice() -> Notice {
    Notice {
        id: "run_1:apr_1".to_owned(),
        session: SessionId::parse("run_1").unwrap(),
        kind: "approval".to_owned(),
        body: purple_journal::RedactedJson::of(&json!({"what": "approval.asked", "approval": "apr_1"})),
    }
}

#[tokio::test]
async fn a_notice_is_posted_once_per_try_and_the_answer_says_what_becomes_of_it() {
    let receiver = Receiver::default();
    let app = Router::new()
        .route("/hook", post(take))
        .route("/elsewhere", post(take).get(take))
        .with_state(receiver.clone());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move { axum::serve(listener, app).await.unwrap() });
    let webhook = Webhook::to(&url).unwrap();
    let cases = [
        (200, Delivery::Delivered),
        (204, Delivery::Delivered),
        (302, Delivery::Hopeless),
        (307, Delivery::Hopeless),
        (400, Delivery::Hopeless),
        (404, Delivery::Later),
        (410, Delivery::Hopeless),
        (429, Delivery::Later),
        (500, Delivery::Later),
        (503, Delivery::Later),
    ];
    for (tries, (status, expected)) in (1..).zip(cases) {
        *receiver.answer.lock().unwrap() = StatusCode::from_u16(status).unwrap();
        assert_eq!(webhook.deliver(&notice()).await, expected, "{status}");
        assert_eq!(receiver.got.lock().unwrap().len(), tries, "{status} was followed, or tried twice");
    }
    let (key, body) = receiver.got.lock().unwrap()[0].clone();
    assert_eq!(key, "run_1:apr_1");
    assert_eq!(body, serde_json::to_value(notice()).unwrap());
    serving.abort();
    let _ = serving.await;
    assert_eq!(webhook.deliver(&notice()).await, Delivery::Later, "nobody listens");
}

#[test]
fn an_address_that_is_none_is_refused_when_it_is_set() {
    for url in ["", "approvals", "file:///etc/passwd", "mailto:cfo@example.com", "http://"] {
        assert!(matches!(Webhook::to(url), Err(BadWebhook::Address { .. })), "{url}");
    }
}

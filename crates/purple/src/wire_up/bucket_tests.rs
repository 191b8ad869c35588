use std::path::Path;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use serde_json::json;

use super::*;

fn environment<const N: usize>(variables: [(&str, &str); N]) -> Environment {
    Environment::of(Path::new("/"), variables)
}

#[test]
fn what_is_no_bucket_is_refused_before_anything_is_sent() {
    for bad in ["", "a", "Bucket?x", "seeds@host", "../etc"] {
        let refused = Bucket::of(bad, &environment([]));
        assert!(matches!(refused, Err(NoBucket::Name { .. })), "{bad}");
    }
    let file = environment([("AWS_ENDPOINT_URL", "file:///etc")]);
    assert!(matches!(Bucket::of("seeds", &file), Err(NoBucket::Endpoint { .. })));
    for good in ["seeds", "s3://seeds/team a/", "my.seeds"] {
        assert!(Bucket::of(good, &environment([])).is_ok(), "{good}");
    }
}

/// A file with one process, as `learn export` writes it.
fn processes() -> String {
    let text = include_str!("../../../../processes/hr_offboarding.yaml");
    let defined = json!({
        "kind": "process", "name": "hr_offboarding", "text": text, "at": "2026-03-19T12:00:00Z",
        "origin": {"person": {"by": "kim"}}, "signed": null, "quarantined": null,
    });
    json!({"format": "purple-learning/1", "definitions": [defined]}).to_string()
}

type Asked = Arc<Mutex<Vec<(String, String)>>>;

async fn answer(State(asked): State<Asked>, request: Request) -> (StatusCode, String) {
    let path = request.uri().path().to_owned();
    let by = request.headers().get("authorization").map_or("", |value| value.to_str().unwrap_or_default());
    asked.lock().unwrap().push((path.clone(), by.to_owned()));
    match path.as_str() {
        "/seeds/team/case_log.json" => {
            (StatusCode::OK, json!({"format": "purple-learning/1", "cases": []}).to_string())
        }
        "/seeds/team/synthesized_definitions.json" => (StatusCode::OK, processes()),
        "/broken/case_log.json" => (StatusCode::OK, "{}".to_owned()),
        "/closed/case_log.json" => (StatusCode::FORBIDDEN, String::new()),
        _ => (StatusCode::NOT_FOUND, String::new()),
    }
}

#[tokio::test]
async fn a_seed_is_read_from_a_bucket_and_what_is_wrong_with_one_is_told() {
    let asked = Asked::default();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let router = Router::new().fallback(answer).with_state(asked.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let now = "2026-03-20T12:00:00Z".parse().unwrap();
    let keys = [
        ("AWS_ENDPOINT_URL", url.as_str()),
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "s"),
        ("AWS_REGION", "eu-west-1"),
    ];
    let read = async |name: &str| Bucket::of(name, &environment(keys)).unwrap().carried(now).await;
    let carried = read("seeds/team").await.unwrap();
    assert_eq!((carried.seed.rows(), carried.definitions.len()), (0, 1), "the process comes too");
    assert_eq!(carried.definitions[0].signed, None);
    let asked_for: Vec<(String, String)> = std::mem::take(&mut *asked.lock().unwrap());
    let paths: Vec<&str> = asked_for.iter().map(|(path, _)| path.as_str()).collect();
    let expected = CARRIED_FILES.map(|file| format!("/seeds/team/{file}"));
    assert_eq!(paths, expected, "the known names, and nothing else");
    let signed =
        |by: &str| by.starts_with("AWS4-HMAC-SHA256 Credential=id/") && by.contains("/eu-west-1/s3/");
    assert!(asked_for.iter().all(|(_, by)| signed(by)), "{asked_for:?}");
    assert!(matches!(read("nothing").await, Err(NoBucket::Empty)));
    assert!(matches!(read("broken").await, Err(NoBucket::Seed(BadSeed::Form { .. }))));
    assert!(matches!(
        read("closed").await,
        Err(NoBucket::Store(object_store::Error::PermissionDenied { .. }))
    ));
    asked.lock().unwrap().clear();
    let public = environment([("AWS_ENDPOINT_URL_S3", url.as_str()), ("AWS_SKIP_SIGNATURE", "true")]);
    Bucket::of("seeds/team", &public).unwrap().carried(now).await.unwrap();
    assert!(asked.lock().unwrap().iter().all(|(_, by)| by.is_empty()), "a public bucket needs no name");
    let nowhere = environment([("AWS_ENDPOINT_URL", "http://127.0.0.1:1"), ("AWS_SKIP_SIGNATURE", "true")]);
    assert!(matches!(Bucket::of("seeds", &nowhere).unwrap().carried(now).await, Err(NoBucket::Store(_))));
}

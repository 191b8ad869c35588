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

/// The worked example that AWS gives for `GET Object`.
#[test]
fn a_request_is_signed_as_the_documentation_shows() {
    let bucket = Bucket {
        base: "https://examplebucket.s3.amazonaws.com".to_owned(),
        host: "examplebucket.s3.amazonaws.com".to_owned(),
        path: String::new(),
        region: "us-east-1".to_owned(),
        keys: Some(Keys {
            id: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            token: None,
        }),
    };
    let at = "2013-05-24T00:00:00Z".parse().unwrap();
    let headers = bucket.headers("/test.txt", &[("range", "bytes=0-9")], at);
    let (_, told) = headers.iter().find(|(name, _)| name == "authorization").unwrap();
    assert_eq!(
        told,
        "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,\
         SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,\
         Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    );
}

#[test]
fn a_bucket_is_found_by_the_usual_variables() {
    let of = |name: &str, variables| {
        let bucket = Bucket::of(name, &variables).unwrap();
        format!("{}{} {}", bucket.base, bucket.path, bucket.region)
    };
    let plain = of("seeds", environment([]));
    assert_eq!(plain, "https://seeds.s3.us-east-1.amazonaws.com us-east-1");
    let region = of("s3://seeds/team a/", environment([("AWS_DEFAULT_REGION", "eu-west-1")]));
    assert_eq!(region, "https://seeds.s3.eu-west-1.amazonaws.com/team%20a eu-west-1");
    let dotted = of("my.seeds", environment([("AWS_REGION", "eu-west-1")]));
    assert_eq!(dotted, "https://s3.eu-west-1.amazonaws.com/my.seeds eu-west-1");
    let own = of("seeds", environment([("AWS_ENDPOINT_URL", "http://127.0.0.1:9000/")]));
    assert_eq!(own, "http://127.0.0.1:9000/seeds us-east-1");
    for bad in ["", "a", "Bucket?x", "seeds@host", "../etc"] {
        assert!(Bucket::of(bad, &environment([])).is_err(), "{bad}");
    }
    assert!(Bucket::of("seeds", &environment([("AWS_ENDPOINT_URL", "file:///etc")])).is_err());
}

type Asked = Arc<Mutex<Vec<(String, bool)>>>;

async fn answer(State(asked): State<Asked>, request: Request) -> (StatusCode, String) {
    let path = request.uri().path().to_owned();
    let signed = request.headers().contains_key("authorization");
    asked.lock().unwrap().push((path.clone(), signed));
    match path.as_str() {
        "/seeds/team/case_log.json" => {
            (StatusCode::OK, json!({"format": "purple-learning/1", "cases": []}).to_string())
        }
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
    let keys =
        [("AWS_ENDPOINT_URL", url.as_str()), ("AWS_ACCESS_KEY_ID", "id"), ("AWS_SECRET_ACCESS_KEY", "s")];
    let read = async |name: &str| Bucket::of(name, &environment(keys)).unwrap().seed(now).await;
    assert_eq!(read("seeds/team").await.unwrap(), Seed::default());
    let paths: Vec<(String, bool)> = std::mem::take(&mut *asked.lock().unwrap());
    let expected = FILES.map(|file| (format!("/seeds/team/{file}"), true));
    assert_eq!(paths, expected, "the known names, signed, and nothing else");
    assert!(matches!(read("nothing").await, Err(NoBucket::Empty)));
    assert!(matches!(read("broken").await, Err(NoBucket::Seed(BadSeed::Form { .. }))));
    assert!(matches!(read("closed").await, Err(NoBucket::Status { status: 403, .. })));
    let anonymous = environment([("AWS_ENDPOINT_URL", url.as_str())]);
    Bucket::of("seeds/team", &anonymous).unwrap().seed(now).await.unwrap();
    assert!(asked.lock().unwrap().iter().rev().take(3).all(|(_, signed)| !signed));
    let nowhere = environment([("AWS_ENDPOINT_URL", "http://127.0.0.1:1")]);
    assert!(matches!(Bucket::of("seeds", &nowhere).unwrap().seed(now).await, Err(NoBucket::Http(_))));
}

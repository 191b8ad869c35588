//! Reads the files of a seed from an S3 bucket: signed GETs of known names, and nothing else.
//!
//! See `docs/decisions/0023-learning.md` for why this is no library.

use std::time::Duration;

use jiff::Timestamp;
use purple_worker::learn::seed::{BadSeed, FILE_BYTES_MAX, FILES, Seed};
use ring::{digest, hmac};

use crate::config::Environment;

const REQUEST_WITHIN: Duration = Duration::from_secs(20);
const REGION_DEFAULT: &str = "us-east-1";
const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// A bucket and how it is reached.
pub(crate) struct Bucket {
    /// Scheme, host and port, and the bucket where it stands in the path.
    base: String,
    host: String,
    path: String,
    region: String,
    keys: Option<Keys>,
}

/// Who asks.
struct Keys {
    id: String,
    secret: String,
    token: Option<String>,
}

/// Why nothing came from a bucket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoBucket {
    #[error("`{bucket}` is no name of a bucket")]
    Name { bucket: String },
    #[error("`{endpoint}` is no address of a bucket")]
    Endpoint { endpoint: String },
    #[error("the bucket cannot be reached: {0}")]
    Http(#[from] reqwest::Error),
    #[error("the bucket answers {status} to a request for `{file}`")]
    Status { file: &'static str, status: u16 },
    #[error("the bucket holds none of {}", FILES.join(", "))]
    Empty,
    #[error(transparent)]
    Seed(#[from] BadSeed),
    #[error("`{file}` is no text")]
    NoText { file: &'static str },
}

impl Bucket {
    /// The bucket of this name, `bucket` or `bucket/prefix`, by the usual variables.
    pub(crate) fn of(name: &str, environment: &Environment) -> Result<Self, NoBucket> {
        let name = name.strip_prefix("s3://").unwrap_or(name).trim_end_matches('/');
        let (bucket, prefix) = name.split_once('/').unwrap_or((name, ""));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        if !(3..=63).contains(&bucket.len()) || !bucket.chars().all(plain) {
            return Err(NoBucket::Name { bucket: name.to_owned() });
        }
        let first = |names: &[&str]| names.iter().find_map(|name| environment.get(name)).map(str::to_owned);
        let region =
            first(&["AWS_REGION", "AWS_DEFAULT_REGION"]).unwrap_or_else(|| REGION_DEFAULT.to_owned());
        let endpoint = first(&["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"]);
        let (base, in_path) = match endpoint {
            Some(url) => (url.trim_end_matches('/').to_owned(), true),
            // A certificate for `*.s3…` does not cover a name with dots.
            None if bucket.contains('.') => (format!("https://s3.{region}.amazonaws.com"), true),
            None => (format!("https://{bucket}.s3.{region}.amazonaws.com"), false),
        };
        let host = base.strip_prefix("https://").or_else(|| base.strip_prefix("http://"));
        let host = host.filter(|host| !host.is_empty() && !host.contains('/')).map(str::to_owned);
        let host = host.ok_or_else(|| NoBucket::Endpoint { endpoint: base.clone() })?;
        let parts = [if in_path { bucket } else { "" }, prefix];
        let path: String =
            parts.iter().filter(|part| !part.is_empty()).map(|part| format!("/{part}")).collect();
        let keys = first(&["AWS_ACCESS_KEY_ID"]).zip(first(&["AWS_SECRET_ACCESS_KEY"]));
        let keys = keys.map(|(id, secret)| Keys { id, secret, token: first(&["AWS_SESSION_TOKEN"]) });
        Ok(Self { base, host, path: encoded(&path), region, keys })
    }

    /// The seed that it holds. One of its files is enough.
    pub(crate) async fn seed(&self, now: Timestamp) -> Result<Seed, NoBucket> {
        // Whoever came first has set it; a second one changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .timeout(REQUEST_WITHIN)
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let mut seed = Seed::default();
        let mut found = false;
        for file in FILES {
            if let Some(text) = self.file(&client, file, now).await? {
                seed.take(file, &text, now)?;
                found = true;
            }
        }
        if found { Ok(seed) } else { Err(NoBucket::Empty) }
    }

    async fn file(
        &self,
        client: &reqwest::Client,
        file: &'static str,
        now: Timestamp,
    ) -> Result<Option<String>, NoBucket> {
        let path = format!("{}/{file}", self.path);
        let mut request = client.get(format!("{}{path}", self.base));
        for (name, value) in self.headers(&path, &[], now) {
            request = request.header(name, value);
        }
        let mut answer = request.send().await?;
        match answer.status().as_u16() {
            200 => {}
            404 => return Ok(None),
            status => return Err(NoBucket::Status { file, status }),
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = answer.chunk().await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > FILE_BYTES_MAX {
                return Err(BadSeed::TooLong { file: file.to_owned(), bytes: bytes.len() }.into());
            }
        }
        String::from_utf8(bytes).map(Some).map_err(|_| NoBucket::NoText { file })
    }

    /// The headers of a GET, signed where there are keys: Signature Version 4.
    fn headers(&self, path: &str, more: &[(&str, &str)], now: Timestamp) -> Vec<(String, String)> {
        let Some(keys) = &self.keys else { return Vec::new() };
        let nothing = hex(digest::digest(&digest::SHA256, b"").as_ref());
        let at = now.strftime("%Y%m%dT%H%M%SZ").to_string();
        let day = now.strftime("%Y%m%d").to_string();
        let mut headers = vec![
            ("host".to_owned(), self.host.clone()),
            ("x-amz-content-sha256".to_owned(), nothing.clone()),
            ("x-amz-date".to_owned(), at.clone()),
        ];
        headers.extend(keys.token.iter().map(|token| ("x-amz-security-token".to_owned(), token.clone())));
        headers.extend(more.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        headers.sort();
        let names: Vec<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let names = names.join(";");
        let lines: String = headers.iter().map(|(name, value)| format!("{name}:{value}\n")).collect();
        let asked = format!("GET\n{path}\n\n{lines}\n{names}\n{nothing}");
        let scope = format!("{day}/{}/s3/aws4_request", self.region);
        let asked = hex(digest::digest(&digest::SHA256, asked.as_bytes()).as_ref());
        let signed = format!("{ALGORITHM}\n{at}\n{scope}\n{asked}");
        let mut key = format!("AWS4{}", keys.secret).into_bytes();
        for part in [day.as_str(), &self.region, "s3", "aws4_request", &signed] {
            let with = hmac::Key::new(hmac::HMAC_SHA256, &key);
            key = hmac::sign(&with, part.as_bytes()).as_ref().to_vec();
        }
        let id = &keys.id;
        let signature = hex(&key);
        let told = format!("{ALGORITHM} Credential={id}/{scope},SignedHeaders={names},Signature={signature}");
        headers.retain(|(name, _)| name != "host");
        headers.push(("authorization".to_owned(), told));
        headers
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A path as it is signed: everything but slashes and what is unreserved is written by its bytes.
fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
    path.bytes()
        .map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

#[cfg(test)]
#[path = "bucket_tests.rs"]
mod tests;

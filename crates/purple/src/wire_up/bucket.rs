//! Reads what others learned and made from an S3 bucket: GETs of known names, and nothing else.

use std::str::FromStr as _;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStoreExt as _, RetryConfig};
use purple_sandbox::RhaiSandbox;
use purple_worker::learn::carried::{self, CARRIED_FILES, Carried};
use purple_worker::learn::seed::{BadSeed, FILE_BYTES_MAX};

use crate::config::Environment;
use crate::wire_up::SystemClock;

const CONNECT_WITHIN: Duration = Duration::from_secs(5);
const REQUEST_WITHIN: Duration = Duration::from_secs(20);
const RETRIES_MAX: usize = 2;
const RETRY_WITHIN: Duration = Duration::from_secs(20);
/// Where a bucket of one's own is, most telling name first.
const ENDPOINTS: [&str; 2] = ["AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"];

/// A bucket and how it is reached.
pub(crate) struct Bucket {
    store: AmazonS3,
    /// What stands before the names of the files.
    prefix: Path,
}

/// Why nothing came from a bucket.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoBucket {
    #[error("`{bucket}` is no name of a bucket")]
    Name { bucket: String },
    #[error("`{endpoint}` is no address of a bucket")]
    Endpoint { endpoint: String },
    #[error("the bucket cannot be read: {0}")]
    Store(#[from] object_store::Error),
    #[error("the bucket holds none of {}", CARRIED_FILES.join(", "))]
    Empty,
    #[error(transparent)]
    Seed(#[from] BadSeed),
    #[error("`{file}` is no text")]
    NoText { file: &'static str },
}

impl Bucket {
    /// The bucket of this name, `bucket` or `bucket/prefix`, by the usual variables.
    pub(crate) fn of(name: &str, environment: &Environment) -> Result<Self, NoBucket> {
        // Whoever came first has set it; a second one changes nothing.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let name = name.strip_prefix("s3://").unwrap_or(name).trim_end_matches('/');
        let (bucket, prefix) = name.split_once('/').unwrap_or((name, ""));
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.';
        let dots = bucket.starts_with('.') || bucket.contains("..");
        if !(3..=63).contains(&bucket.len()) || !bucket.chars().all(plain) || dots {
            return Err(NoBucket::Name { bucket: name.to_owned() });
        }
        let client = ClientOptions::new().with_connect_timeout(CONNECT_WITHIN).with_timeout(REQUEST_WITHIN);
        let mut builder = AmazonS3Builder::new().with_client_options(client);
        for variable in environment.names().filter(|name| name.starts_with("AWS_")) {
            let key = AmazonS3ConfigKey::from_str(&variable.to_ascii_lowercase());
            if let (Ok(key), Some(value)) = (key, environment.get(variable)) {
                builder = builder.with_config(key, value);
            }
        }
        if let Some(endpoint) = ENDPOINTS.into_iter().find_map(|name| environment.get(name)) {
            let is_http = endpoint.starts_with("http://");
            if !is_http && !endpoint.starts_with("https://") {
                return Err(NoBucket::Endpoint { endpoint: endpoint.to_owned() });
            }
            builder = builder.with_endpoint(endpoint.trim_end_matches('/')).with_allow_http(is_http);
        }
        let retry =
            RetryConfig { max_retries: RETRIES_MAX, retry_timeout: RETRY_WITHIN, ..RetryConfig::default() };
        let store = builder.with_bucket_name(bucket).with_retry(retry).build()?;
        Ok(Self { store, prefix: Path::from(prefix) })
    }

    /// What it holds. One of the files is enough.
    pub(crate) async fn carried(&self, now: Timestamp) -> Result<Carried, NoBucket> {
        let sandbox = RhaiSandbox::new(Arc::new(SystemClock));
        let mut carried = Carried::default();
        let mut found = false;
        for file in CARRIED_FILES {
            if let Some(text) = self.file(file).await? {
                carried::take(&mut carried, file, &text, now, &sandbox)?;
                found = true;
            }
        }
        if found { Ok(carried) } else { Err(NoBucket::Empty) }
    }

    async fn file(&self, file: &'static str) -> Result<Option<String>, NoBucket> {
        let answer = match self.store.get(&self.prefix.clone().join(file)).await {
            Ok(answer) => answer,
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let bytes = usize::try_from(answer.meta.size).unwrap_or(usize::MAX);
        if bytes > FILE_BYTES_MAX {
            return Err(BadSeed::TooLong { file: file.to_owned(), bytes }.into());
        }
        let bytes = answer.bytes().await?;
        String::from_utf8(bytes.into()).map(Some).map_err(|_| NoBucket::NoText { file })
    }
}

#[cfg(test)]
#[path = "bucket_tests.rs"]
mod tests;

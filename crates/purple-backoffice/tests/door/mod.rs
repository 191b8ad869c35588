//! Clients for every door.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "tests may panic")]

use std::sync::Once;
use std::time::Duration;

use purple_backoffice::{HttpDoor, IDEMPOTENCY_META};
use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, MetaObject, ProtocolVersion, RequestMetaObject,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt, RunningService, ServiceError};
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Value, json};

use crate::desk::{Desk, TODAY, fields};

/// How long a test waits for an answer that must come: a test that hangs tells nobody why.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Era {
    Legacy,
    Modern,
}

impl Era {
    pub(crate) const BOTH: [Self; 2] = [Self::Legacy, Self::Modern];

    fn lifecycle(self) -> ClientLifecycleMode {
        match self {
            Self::Legacy => ClientLifecycleMode::Initialize,
            Self::Modern => {
                ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
            }
        }
    }
}

pub(crate) type Mcp<H = ()> = RunningService<RoleClient, H>;

pub(crate) async fn mcp<H, T, E, A>(handler: H, transport: T, era: Era) -> Mcp<H>
where
    H: ClientHandler,
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    handler.serve_with_lifecycle(transport, era.lifecycle()).await.unwrap()
}

pub(crate) fn over_http(door: &HttpDoor) -> StreamableHttpClientTransport<reqwest::Client> {
    install_crypto();
    StreamableHttpClientTransport::from_uri(door.mcp_url())
}

/// The binary as a child process, with a file and faults.
pub(crate) fn child(arguments: &[&str]) -> TokioChildProcess {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_purple-backoffice"));
    command.args(["--stdio", "--today", &TODAY.to_string()]).args(arguments);
    TokioChildProcess::new(command).unwrap()
}

pub(crate) async fn open(desk: &Desk) -> HttpDoor {
    HttpDoor::open(desk.0.clone(), "127.0.0.1:0".parse().unwrap()).await.unwrap()
}

pub(crate) fn request(tool: &str, arguments: Value, key: Option<&str>) -> CallToolRequestParams {
    let mut request = CallToolRequestParams::new(tool.to_owned()).with_arguments(fields(arguments));
    if let Some(key) = key {
        let meta = fields(json!({IDEMPOTENCY_META: key}));
        request.meta = Some(RequestMetaObject(MetaObject(meta)));
    }
    request
}

pub(crate) async fn call<H: ClientHandler>(
    client: &Mcp<H>,
    tool: &str,
    arguments: Value,
) -> Result<CallToolResult, ServiceError> {
    let answered = client.call_tool(request(tool, arguments, None));
    tokio::time::timeout(PATIENCE, answered).await.unwrap_or_else(|_| panic!("`{tool}` left us waiting"))
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    match result.content.first() {
        Some(ContentBlock::Text(text)) => &text.text,
        other => panic!("not a text: {other:?}"),
    }
}

/// A plain HTTP client; the crypto provider is chosen once, even where nothing is encrypted.
pub(crate) fn plain() -> reqwest::Client {
    install_crypto();
    reqwest::Client::builder().no_proxy().timeout(purple_testkit::WAIT_MAX).build().unwrap()
}

fn install_crypto() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| rustls::crypto::ring::default_provider().install_default().unwrap());
}

pub(crate) async fn post(door: &HttpDoor, body: Value) -> Result<reqwest::Response, reqwest::Error> {
    plain().post(format!("{}/mcp", door.bridge_url())).json(&body).send().await
}

/// Until the office has seen so many calls of a tool.
pub(crate) async fn arrived(desk: &Desk, tool: &str, calls: usize) {
    let has_arrived = || desk.ledger().calls_of(tool).count() >= calls;
    purple_testkit::becomes(&format!("{calls} calls of `{tool}`"), has_arrived).await;
}

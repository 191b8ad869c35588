//! The HTTP door: MCP under `/rpc`, the plain bridge under `/mcp`, the ledger for whoever judges.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn, map_response_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{any_service, get, post};
use http_body_util::BodyExt;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::mcp::{Cut, McpDesk};
use super::severance::{SeverableListener, Severance};
use super::{DoorError, bridge, sieve};
use crate::ledger::Ledger;
use crate::office::Office;

/// An open HTTP door. It closes when it is dropped.
#[derive(Debug)]
pub struct HttpDoor {
    address: SocketAddr,
    stop: CancellationToken,
    serving: JoinHandle<()>,
}

impl HttpDoor {
    /// Opens the door on a loopback address; port 0 finds a free one.
    ///
    /// # Errors
    /// If the address is not a loopback address or cannot be listened on.
    pub async fn open(office: Arc<Office>, address: SocketAddr) -> Result<Self, DoorError> {
        if !address.ip().is_loopback() {
            return Err(DoorError::NotLoopback { address });
        }
        let listen = |source| DoorError::Listen { address, source };
        let tcp = TcpListener::bind(address).await.map_err(listen)?;
        let address = tcp.local_addr().map_err(listen)?;
        let stop = CancellationToken::new();
        let listener = SeverableListener { tcp, all: stop.clone() };
        let service = router(office, stop.clone()).into_make_service_with_connect_info::<Severance>();
        let stopped = stop.clone();
        let serving = tokio::spawn(async move {
            // It ends by being stopped; its own errors concern single connections.
            let _ = axum::serve(listener, service).with_graceful_shutdown(stopped.cancelled_owned()).await;
        });
        Ok(Self { address, stop, serving })
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The URL of the MCP endpoint.
    #[must_use]
    pub fn mcp_url(&self) -> String {
        format!("http://{}/rpc", self.address)
    }

    /// The base URL of the plain bridge.
    #[must_use]
    pub fn bridge_url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Stays until the door is closed.
    pub async fn closed(&mut self) {
        // A serving task that was aborted is closed as well.
        let _ = (&mut self.serving).await;
    }

    /// Closes the door and cuts every connection.
    pub async fn close(mut self) {
        self.stop.cancel();
        self.closed().await;
    }
}

impl Drop for HttpDoor {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn router(office: Arc<Office>, stop: CancellationToken) -> Router {
    let mcp = {
        let office = Arc::clone(&office);
        let mut config = StreamableHttpServerConfig::default();
        config.cancellation_token = stop;
        StreamableHttpService::new(
            move || Ok(McpDesk { office: Arc::clone(&office), cut: Cut::Connection }),
            Arc::new(LocalSessionManager::default()),
            config,
        )
    };
    let rpc = Router::new()
        .route("/rpc", any_service(mcp))
        .layer(map_response_with_state(Arc::clone(&office), sift));
    Router::new()
        .route("/mcp/tools", get(bridge::list))
        .route("/mcp", post(bridge::call))
        .route("/ledger", get(effects))
        .route("/ledger/calls", get(calls))
        .route("/health", get(|| async { "ok" }))
        .with_state(office)
        .merge(rpc)
        .layer(from_fn(only_local_names))
}

/// A page on the web can make a browser call us under a name of its own; such names are not answered.
async fn only_local_names(headers: HeaderMap, request: Request, next: Next) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if matches!(name, "localhost" | "127.0.0.1" | "[::1]") {
        next.run(request).await
    } else {
        StatusCode::MISDIRECTED_REQUEST.into_response()
    }
}

/// Takes the marked schemas out of listings, where a fault put any in.
async fn sift(State(office): State<Arc<Office>>, response: Response) -> Response {
    if !office.omits_schemas() {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    // Taking a schema out makes the body shorter.
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::new(body.map_frame(|frame| frame.map_data(sieve::strip_bytes))))
}

async fn effects(State(office): State<Arc<Office>>) -> Response {
    lines(&office, Ledger::effects_as_lines)
}

async fn calls(State(office): State<Arc<Office>>) -> Response {
    lines(&office, Ledger::calls_as_lines)
}

fn lines(office: &Office, of: fn(&Ledger) -> String) -> Response {
    match office.ledger() {
        Ok(ledger) => ([(header::CONTENT_TYPE, "application/jsonl")], of(&ledger)).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

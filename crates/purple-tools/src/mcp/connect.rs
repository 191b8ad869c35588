//! Opens connections, and finds out which era a server is of.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleClient;
use rmcp::model::ProtocolVersion;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{IntoTransport, StreamableHttpClientTransport};

use super::lines::Lines;
use super::questions::Questions;
use super::web::Web;
use super::{Changed, Client, Closed, Mcp, program};
use crate::config::{Era, Program, StreamFactory};
use crate::limits::ANSWER_BYTES_MAX;
use crate::oauth::Login;
use crate::said::whole;

pub(crate) async fn to_program(program: &Program, era: Era, changed: &Changed) -> Result<Mcp, String> {
    let closed = Closed::default();
    let lines = program::start(program, closed.clone())
        .map_err(|error| format!("`{}` cannot be started: {error}", program.command))?;
    greet(lines, era, closed, changed).await
}

pub(crate) async fn over_streams(
    factory: &StreamFactory,
    era: Era,
    changed: &Changed,
) -> Result<Mcp, String> {
    let closed = Closed::default();
    let streams = factory.make().map_err(|error| whole(&error))?;
    greet(Lines::new(streams, closed.clone()), era, closed, changed).await
}

/// MCP at exactly this URL. A request is not sent again after a lost session; only a broken stream of answers is
/// picked up where it broke, where the server offers that.
pub(crate) async fn over_http(
    http: &reqwest::Client,
    url: &str,
    era: Era,
    changed: &Changed,
    login: Option<Arc<Login>>,
) -> Result<Mcp, String> {
    let config = StreamableHttpClientTransportConfig::with_uri(url)
        .reinit_on_expired_session(false)
        .max_sse_event_size(ANSWER_BYTES_MAX);
    let own_lists = Arc::new(AtomicBool::new(false));
    let web = Web { http: http.clone(), own_lists: Arc::clone(&own_lists), login: login.clone() };
    let transport = StreamableHttpClientTransport::with_client(web, config);
    let greeted = greet(transport, era, Closed::default(), changed).await;
    let denied = || login.and_then(|login| login.denied()).map(|denied| denied.to_string());
    let mcp = greeted.map_err(|reason| denied().unwrap_or(reason))?;
    Ok(Mcp { own_lists, ..mcp })
}

async fn greet<T, E, A>(transport: T, era: Era, closed: Closed, changed: &Changed) -> Result<Mcp, String>
where
    T: IntoTransport<RoleClient, E, A>,
    E: std::error::Error + Send + Sync + 'static,
{
    let modern = || vec![ProtocolVersion::V_2026_07_28];
    let lifecycle = match era {
        Era::Auto => ClientLifecycleMode::Auto { preferred_versions: modern(), legacy_version: None },
        Era::Legacy => ClientLifecycleMode::Initialize,
        Era::Modern => ClientLifecycleMode::Discover { preferred_versions: modern() },
    };
    let questions = Arc::<Questions>::default();
    let running = Client { questions: Arc::clone(&questions), changed: Arc::clone(changed) }
        .serve_with_lifecycle(transport, lifecycle)
        .await
        .map_err(|error| closed.get().cloned().unwrap_or_else(|| whole(&error)))?;
    let modern = running
        .peer_info()
        .is_some_and(|info| info.protocol_version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    // Behind a new connection there may be another version of the server.
    changed.store(true, Ordering::Release);
    Ok(Mcp {
        running,
        questions,
        era: if modern { Era::Modern } else { Era::Legacy },
        closed,
        own_lists: Arc::default(),
    })
}

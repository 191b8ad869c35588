//! MCP, in both of its eras, from the official library.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ConnectInfo;
use axum::http::request::Parts;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ElicitationSchema, ErrorData, Implementation, InputRequest, InputRequests,
    InputRequiredResult, JsonObject, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, Tool as ListedTool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio_util::sync::CancellationToken;

use super::DoorError;
use super::severance::Severance;
use super::sieve::{Sieve, omitted};
use crate::catalogue::{Definition, IDEMPOTENCY_META};
use crate::office::{Answer, Call, Delivery, Office};

/// Tools of one listing: a client that reads only the first page misses the rest.
const LISTED_TOOLS_MAX: usize = 64;
/// Bytes on their way between a peer inside this process and the library.
const STREAM_BYTES_MAX: usize = 64 * 1024;
/// Bytes by which an answer is too long at most.
pub(super) const EXCESS_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// What an answer looks like that is none.
pub(super) const GARBAGE: &str =
    "<html><head><title>502 Bad Gateway</title></head><body>\u{0}\u{fffd}</body></html>";

/// Serves MCP on this process's stdin and stdout until the peer leaves.
///
/// # Errors
/// If the peer does not begin to speak MCP.
pub async fn serve_stdio(office: Arc<Office>) -> Result<(), DoorError> {
    let desk = McpDesk { office, cut: Cut::Process };
    let running = Sieve(desk).serve(rmcp::transport::stdio_pipes()).await.map_err(Box::new)?;
    // Whichever way the conversation ended, there is nobody left to tell.
    let _ = running.waiting().await;
    Ok(())
}

/// Serves MCP on a pair of streams, inside this process, until the peer leaves.
///
/// # Errors
/// If the peer does not begin to speak MCP.
pub async fn serve_mcp<R, W>(office: Arc<Office>, reader: R, writer: W) -> Result<(), DoorError>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let token = CancellationToken::new();
    let desk = McpDesk { office, cut: Cut::Streams(token.clone()) };
    // The library still answers "cancelled" to what it was doing when it is stopped. A cut must be silent, so the
    // bytes go through a pair of streams of our own, and that is what is cut.
    let (inside, mut outside) = tokio::io::duplex(STREAM_BYTES_MAX);
    let mut peer = tokio::io::join(reader, writer);
    let serving = async {
        let running = Sieve(desk).serve(tokio::io::split(inside)).await.map_err(Box::new)?;
        let _ = running.waiting().await;
        Ok(())
    };
    tokio::select! {
        biased;
        served = serving => served,
        () = token.cancelled() => Ok(()),
        _ = tokio::io::copy_bidirectional(&mut outside, &mut peer) => Ok(()),
    }
}

/// What is cut when a fault cuts the connection.
#[derive(Clone)]
pub(super) enum Cut {
    /// The process ends, as a crashed server would.
    Process,
    Streams(CancellationToken),
    /// The HTTP connection that the request came by.
    Connection,
}

/// The office, as MCP sees it.
#[derive(Clone)]
pub(super) struct McpDesk {
    pub(super) office: Arc<Office>,
    pub(super) cut: Cut,
}

impl ServerHandler for McpDesk {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("purple-backoffice", env!("CARGO_PKG_VERSION")))
            .with_instructions(
                "The back office of a small company. Amounts are exact, such as `1020.00 USD`.",
            )
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let start = match cursor.as_deref().map(str::parse::<usize>) {
            None => 0,
            Some(Ok(start)) => start,
            Some(Err(_)) => return Err(ErrorData::invalid_params("this cursor is none of ours", None)),
        };
        let definitions = self.office.definitions();
        let end = start.saturating_add(LISTED_TOOLS_MAX);
        let next_cursor = (end < definitions.len()).then(|| end.to_string());
        let tools = definitions.into_iter().skip(start).take(LISTED_TOOLS_MAX).map(listed_tool).collect();
        Ok(ListToolsResult { next_cursor, tools, ..ListToolsResult::default() })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parts = context.extensions.get::<Parts>();
        let header = parts.and_then(|parts| parts.headers.get("mcp-session-id"));
        let session = header.and_then(|header| header.to_str().ok()).unwrap_or("mcp").to_owned();
        let in_params = request.meta.as_ref().and_then(|meta| meta.0.0.get(IDEMPOTENCY_META));
        let key = context.meta.0.0.get(IDEMPOTENCY_META).or(in_params).and_then(Value::as_str);
        let mut call =
            Call::new(&request.name, request.arguments.unwrap_or_default()).key(key).session(&session);
        if request.input_responses.is_some() {
            call = call.with_input();
        }
        let served = self.office.call(&call);
        if served.slow_ms > 0 {
            tokio::time::sleep(Duration::from_millis(served.slow_ms)).await;
        }
        match served.delivery {
            Delivery::Plain => self.answer(served.answer, &context).await,
            Delivery::Huge(bytes) => Ok(huge(served.answer, bytes).into()),
            Delivery::Garbage => Ok(CallToolResult::success(vec![ContentBlock::text(GARBAGE)]).into()),
            Delivery::Unavailable => Err(ErrorData::internal_error("the server is not available", None)),
            Delivery::Never => stay_silent(&context).await,
            Delivery::Cut => {
                self.sever(&context);
                stay_silent(&context).await
            }
        }
    }
}

impl McpDesk {
    async fn answer(
        &self,
        answer: Answer,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        match answer {
            Answer::Refused { code: "UNKNOWN_TOOL", message } => {
                Err(ErrorData::invalid_params(message, None))
            }
            Answer::InputRequired { message, field } => ask(message, field, context).await,
            answer @ (Answer::Done(_) | Answer::Refused { .. }) => Ok(result(answer).into()),
        }
    }

    fn sever(&self, context: &RequestContext<RoleServer>) {
        match &self.cut {
            Cut::Process => std::process::exit(70),
            Cut::Streams(token) => token.cancel(),
            Cut::Connection => {
                let parts = context.extensions.get::<Parts>();
                if let Some(ConnectInfo(severance)) = parts.and_then(|parts| parts.extensions.get()) {
                    Severance::cut(severance);
                }
            }
        }
    }
}

/// Waits for as long as the caller does.
fn stay_silent(
    context: &RequestContext<RoleServer>,
) -> impl Future<Output = Result<CallToolResponse, ErrorData>> + use<> {
    let given_up = context.ct.clone();
    async move {
        given_up.cancelled().await;
        Err(ErrorData::internal_error("cancelled", None))
    }
}

fn result(answer: Answer) -> CallToolResult {
    match answer {
        Answer::Done(value) => {
            let mut result = CallToolResult::success(vec![ContentBlock::text(value.to_string())]);
            result.structured_content = Some(value);
            result
        }
        Answer::Refused { code, message } => {
            let mut result = CallToolResult::error(vec![ContentBlock::text(message.clone())]);
            result.structured_content = Some(json!({"error": message, "type": code}));
            result
        }
        Answer::InputRequired { message, .. } => CallToolResult::error(vec![ContentBlock::text(message)]),
    }
}

fn huge(answer: Answer, bytes: u64) -> CallToolResult {
    let mut result = result(answer);
    let bytes = usize::try_from(bytes.min(EXCESS_BYTES_MAX)).unwrap_or(0);
    result.content.push(ContentBlock::text("x".repeat(bytes)));
    result
}

/// Asks for input the way the peer's era knows. An older peer is asked at once, and whatever it says is not enough.
async fn ask(
    message: String,
    field: &str,
    context: &RequestContext<RoleServer>,
) -> Result<CallToolResponse, ErrorData> {
    let schema = ElicitationSchema::builder()
        .required_string(field)
        .build()
        .map_err(|error| ErrorData::internal_error(error, None))?;
    let params = ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message.clone(),
        requested_schema: schema,
    };
    let modern = context
        .protocol_version()
        .is_some_and(|version| version.as_str() >= ProtocolVersion::V_2026_07_28.as_str());
    if modern {
        let request = InputRequest::Elicitation(ElicitRequest::new(params));
        let requests = InputRequests::from([(field.to_owned(), request)]);
        let state = Some("asked once".to_owned());
        return Ok(InputRequiredResult::new(Some(requests), state).into());
    }
    // The answer of an older peer is not used: it could not be told apart from one that a model made up.
    let _ = context.peer.create_elicitation(params).await;
    Ok(result(Answer::Refused { code: "INPUT_REQUIRED", message }).into())
}

fn listed_tool(definition: Definition) -> ListedTool {
    let input = definition.input_schema.unwrap_or_else(omitted);
    let mut tool = ListedTool::new(definition.name, definition.description, input);
    tool.output_schema = definition.output_schema;
    tool.annotations = definition.annotations.map(|claims| {
        ToolAnnotations::new()
            .read_only(claims.read_only)
            .destructive(claims.destructive)
            .idempotent(claims.idempotent)
            .open_world(claims.open_world)
    });
    if definition.takes_key_in_meta {
        let note: JsonObject = [(IDEMPOTENCY_META.to_owned(), json!(true))].into_iter().collect();
        tool.meta = Some(MetaObject(note));
    }
    tool
}

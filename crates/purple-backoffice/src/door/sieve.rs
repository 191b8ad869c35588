//! Lets a definition without a schema pass: the library's own types cannot say that.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Bytes;
use rmcp::model::{
    ClientNotification, ClientRequest, CustomResult, ErrorData, JsonObject, ProtocolVersion, ServerConfig,
    ServerResult,
};
use rmcp::service::{NotificationContext, RequestContext, Service};
use rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

/// A schema that stands for none. It is taken out before anybody sees it.
const MARK: &str = "x-purple-omitted";
const MARKED: &[u8] = br#""inputSchema":{"x-purple-omitted":true},"#;
const MARKED_LAST: &[u8] = br#","inputSchema":{"x-purple-omitted":true}"#;

/// The schema of a tool that has none.
pub(super) fn omitted() -> Arc<JsonObject> {
    Arc::new([(MARK.to_owned(), json!(true))].into_iter().collect())
}

/// A handler whose listings lose the marked schemas.
pub(super) struct Sieve<H>(pub(super) H);

impl<H: ServerHandler> Service<RoleServer> for Sieve<H> {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let result = Service::handle_request(&self.0, request, context).await?;
        match &result {
            ServerResult::ListToolsResult(list)
                if list.tools.iter().any(|tool| tool.input_schema.contains_key(MARK)) =>
            {
                let mut list = serde_json::to_value(list)
                    .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
                strip(&mut list);
                Ok(ServerResult::CustomResult(CustomResult::new(list)))
            }
            _ => Ok(result),
        }
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        Service::handle_notification(&self.0, notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        ServerHandler::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        ServerHandler::supported_protocol_versions(&self.0)
    }
}

fn strip(list: &mut Value) {
    let tools = list.get_mut("tools").and_then(Value::as_array_mut);
    for tool in tools.into_iter().flatten().filter_map(Value::as_object_mut) {
        if tool.get("inputSchema").is_some_and(|schema| schema.get(MARK).is_some()) {
            tool.remove("inputSchema");
        }
    }
}

/// The same for a piece of an HTTP body, which the library wrote already.
pub(super) fn strip_bytes(piece: Bytes) -> Bytes {
    let found = |needle: &[u8]| piece.windows(needle.len()).position(|window| window == needle);
    let Some((start, length)) = found(MARKED)
        .map(|start| (start, MARKED.len()))
        .or_else(|| found(MARKED_LAST).map(|start| (start, MARKED_LAST.len())))
    else {
        return piece;
    };
    let mut rest = piece.slice(..start).to_vec();
    rest.extend_from_slice(&piece.slice(start + length..));
    strip_bytes(rest.into())
}

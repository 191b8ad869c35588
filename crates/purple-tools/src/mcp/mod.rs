//! MCP by the official library, behind our own limits.

mod answer;
mod connect;
mod lines;
mod listing;
mod program;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest, Implementation,
    MetaObject, RequestMetaObject, ServerResult,
};
use rmcp::service::{PeerRequestOptions, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};

use crate::config::Era;
use crate::limits::GIVE_UP_MS_MAX;
use crate::request::Request;
use crate::said::{Outcome, Then};

pub(crate) use connect::{over_http, over_streams, to_program};

/// We can do nothing for a server: no sampling, no roots, no questions to a person.
#[derive(Debug)]
struct Client;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::default(),
            Implementation::new("purple", env!("CARGO_PKG_VERSION")),
        )
    }
}

/// A connection that greeted us. It closes when it is dropped, and a program at its other end is ended.
#[derive(Debug)]
pub(crate) struct Mcp {
    running: RunningService<RoleClient, Client>,
    era: Era,
    /// Why we ourselves closed it, if we did.
    closed: Closed,
}

/// Why a connection was closed from our side.
type Closed = Arc<OnceLock<String>>;

impl Mcp {
    /// The era that was found, so that it need not be asked again.
    pub(crate) fn era(&self) -> Era {
        self.era
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.running.is_closed() && !self.running.is_transport_closed()
    }

    /// Sends the call, once.
    pub(crate) async fn call(&self, request: Request) -> Outcome {
        let Request { tool, arguments, meta, deadline, promises_json } = request;
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(
            CallToolRequestParams::new(tool).with_arguments(arguments),
        ));
        let mut options = PeerRequestOptions::with_timeout(deadline);
        if let Some((name, key)) = meta {
            let meta = Map::from_iter([(name, Value::String(key))]);
            options = options.with_meta(RequestMetaObject(MetaObject(meta)));
        }
        match self.ask(call, options, deadline).await {
            Ok(result) => answer::read(result, promises_json),
            Err(Unanswered::NotSent(error)) => Outcome::not_sent(&self.why(&error), Then::Strike),
            Err(Unanswered::Silent) => Outcome::lost(&crate::bridge::silent(deadline), Then::Discard),
            Err(Unanswered::Failed(error)) => answer::failed(&error, &self.why(&error)),
        }
    }

    /// One request and its answer. Whatever happens, it ends soon after `deadline`.
    async fn ask(
        &self,
        request: ClientRequest,
        options: PeerRequestOptions,
        deadline: Duration,
    ) -> Result<ServerResult, Unanswered> {
        // INVARIANT: an error of this first step is one of our own: nobody took the request.
        let sent = self.running.send_request_with_option(request, options).await;
        let waiting = sent.map_err(Unanswered::NotSent)?;
        // The library tells the server that it gave up, and waits until that is written. A pipe may be full.
        let patience = deadline.saturating_add(Duration::from_millis(GIVE_UP_MS_MAX));
        match tokio::time::timeout(patience, waiting.await_response()).await {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(ServiceError::Timeout { .. })) | Err(_) => Err(Unanswered::Silent),
            Ok(Err(error)) => Err(Unanswered::Failed(error)),
        }
    }

    fn why(&self, error: &ServiceError) -> String {
        self.closed.get().cloned().unwrap_or_else(|| crate::said::whole(error))
    }
}

/// A request without a result.
#[derive(Debug)]
enum Unanswered {
    /// Nobody took it.
    NotSent(ServiceError),
    /// The time is over.
    Silent,
    /// Something else came back, or nothing will.
    Failed(ServiceError),
}

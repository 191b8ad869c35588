//! MCP by the official library, behind our own limits.

mod answer;
mod connect;
mod lines;
mod listing;
mod program;
mod questions;
mod web;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientCapabilities, ClientConfig, ClientRequest,
    ElicitRequestParams, ElicitResult, ElicitationCapability, ErrorData, Implementation, MetaObject,
    RequestMetaObject, ServerResult,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RequestContext, RunningService, ServiceError};
use rmcp::{ClientHandler, RoleClient};
use serde_json::{Map, Value};

use purple_port::Called;

use crate::config::Era;
use crate::limits::{GIVE_UP_MS_MAX, PROGRESS_DEADLINES_MAX};
use crate::request::Request;
use crate::said::{Outcome, Then};

pub(crate) use connect::{over_http, over_streams, to_program};

use questions::Questions;

/// All that we do for a server: put its questions to a person. No sampling, no roots.
#[derive(Clone, Debug)]
struct Client {
    questions: Arc<Questions>,
    /// Whether the server said that its tools have changed.
    changed: Changed,
}

/// Whether what is known about a server's tools may be out of date.
pub(crate) type Changed = Arc<AtomicBool>;

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        capabilities.elicitation = Some(ElicitationCapability::new().with_form(Default::default()));
        ClientConfig::new(capabilities, Implementation::new("purple", env!("CARGO_PKG_VERSION")))
    }

    async fn create_elicitation(
        &self,
        params: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        match self.questions.hear(params) {
            Some(result) => Ok(result),
            // The call is given up, and with it the connection on which this waits.
            None => std::future::pending().await,
        }
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.changed.store(true, Ordering::Release);
    }
}

/// A connection that greeted us. It closes when it is dropped, and a program at its other end is ended.
#[derive(Debug)]
pub(crate) struct Mcp {
    running: RunningService<RoleClient, Client>,
    questions: Arc<Questions>,
    era: Era,
    /// Why we ourselves closed it, if we did.
    closed: Closed,
    /// Over HTTP: whether we read lists ourselves, since the library could not.
    own_lists: Arc<AtomicBool>,
}

/// Why a connection was closed from our side.
type Closed = Arc<OnceLock<String>>;

impl Mcp {
    /// The era that was found, so that it need not be asked again.
    pub(crate) fn era(&self) -> Era {
        self.era
    }

    /// The version that the server gives itself.
    pub(crate) fn version(&self) -> Option<String> {
        let info = self.running.peer_info()?;
        info.server_info.as_ref().map(|server| server.version.clone()).filter(|version| !version.is_empty())
    }

    pub(crate) fn is_open(&self) -> bool {
        !self.running.is_closed() && !self.running.is_transport_closed()
    }

    /// Sends the call, once.
    pub(crate) async fn call(&self, request: Request) -> Outcome {
        let Request { tool, arguments, meta, deadline, answers, defaults, promises_json } = request;
        let conversation = self.questions.begin(answers.as_ref(), defaults);
        let mut params = CallToolRequestParams::new(tool).with_arguments(arguments);
        if let (Some(answers), Era::Modern) = (answers, self.era) {
            params.input_responses = questions::responses(&answers);
            params.request_state = answers.state;
        }
        let call = ClientRequest::CallToolRequest(CallToolRequest::new(params));
        // A server that tells of its progress may take longer, but not for ever.
        let whole = deadline.saturating_mul(PROGRESS_DEADLINES_MAX);
        let mut options = PeerRequestOptions::with_timeout(deadline)
            .reset_timeout_on_progress()
            .with_max_total_timeout(whole);
        if let Some((name, key)) = meta {
            let meta = Map::from_iter([(name, Value::String(key))]);
            options = options.with_meta(RequestMetaObject(MetaObject(meta)));
        }
        let told = tokio::select! {
            told = self.ask(call, options, whole) => told,
            asked = conversation.asked() => {
                return Outcome { called: Called::Asked(Box::new(asked)), link: Then::Discard };
            }
        };
        match told {
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

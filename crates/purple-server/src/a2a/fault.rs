//! What can be wrong with a request, and how each fault is told: codes and statuses of A2A 1.0.1.

use axum::http::StatusCode;
use purple_port::EngineError;
use purple_port::client::ClientError;
use serde_json::{Value, json};

use crate::auth::TurnedAway;
use crate::limits::ECHO_CHARS_MAX;

/// A request that is not served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Fault {
    #[error("the body is not JSON: {why}")]
    NotJson { why: String },
    #[error("this is no JSON-RPC 2.0 request: {why}")]
    NotARequest { why: &'static str },
    #[error("there is no method `{method}`")]
    NoSuchMethod { method: String },
    #[error("`{field}` {why}")]
    BadParams { field: String, why: String },
    #[error("the message id was used for another message of `{context}`")]
    IdUsed { context: String },
    #[error("the body has more than {bytes_max} bytes")]
    TooLarge { bytes_max: usize },
    #[error("the body did not arrive in time")]
    TooSlow,
    #[error("the server could not do this")]
    Internal,
    #[error("the server cannot take this now; try again")]
    NotNow,
    #[error("there is no task `{id}`")]
    NoSuchTask { id: String },
    #[error("task `{id}` is over and cannot be canceled")]
    NotCancelable { id: String },
    #[error("push notifications are not offered")]
    NoPush,
    #[error("{what}")]
    Unsupported { what: &'static str },
    #[error("`{media}` is not taken here")]
    BadContent { media: String },
    #[error("a body of the kind `{media}` is not read; send `application/json`")]
    BadBody { media: String },
    #[error("this path takes {allow}")]
    WrongMethod { allow: &'static str },
    #[error("A2A version `{version}` is not spoken here; 1.0 and 0.3 are")]
    BadVersion { version: String },
    #[error("{0}")]
    TurnedAway(TurnedAway),
    #[error("requests of web pages are not taken by a door without a lock")]
    StrangePage,
    #[error("there is nothing here")]
    NoSuchPath,
    #[error("this token may not {what}")]
    Forbidden { what: &'static str },
    #[error("too many requests; try again in {wait_s} s")]
    TooOften { wait_s: u64 },
    #[error("the notifications of a task go to {why}")]
    BadPushUrl { why: String },
    #[error("there is no notification config `{id}`")]
    NoSuchPush { id: String },
    #[error("the operator does not allow tools at `{origin}`")]
    ToolsNotAllowed { origin: String },
}

impl Fault {
    /// The code in a JSON-RPC error.
    pub(crate) fn code(&self) -> i32 {
        match self {
            Self::NotJson { .. } => -32700,
            Self::NotARequest { .. } | Self::TooLarge { .. } | Self::TooSlow => -32600,
            Self::TurnedAway(_) | Self::StrangePage | Self::NoSuchPath => -32600,
            Self::WrongMethod { .. } => -32600,
            Self::Forbidden { .. } | Self::TooOften { .. } => -32600,
            Self::NoSuchMethod { .. } => -32601,
            Self::BadParams { .. } | Self::IdUsed { .. } => -32602,
            Self::BadPushUrl { .. } | Self::ToolsNotAllowed { .. } => -32602,
            Self::Internal | Self::NotNow => -32603,
            Self::NoSuchTask { .. } | Self::NoSuchPush { .. } => -32001,
            Self::NotCancelable { .. } => -32002,
            Self::NoPush => -32003,
            Self::Unsupported { .. } => -32004,
            Self::BadContent { .. } | Self::BadBody { .. } => -32005,
            Self::BadVersion { .. } => -32009,
        }
    }

    /// The HTTP status where a status carries the error, and its name in the words of gRPC.
    pub(crate) fn status(&self) -> (StatusCode, &'static str) {
        match self {
            Self::NotJson { .. }
            | Self::NotARequest { .. }
            | Self::BadParams { .. }
            | Self::BadContent { .. }
            | Self::BadPushUrl { .. } => (StatusCode::BAD_REQUEST, "INVALID_ARGUMENT"),
            Self::BadBody { .. } => (StatusCode::UNSUPPORTED_MEDIA_TYPE, "INVALID_ARGUMENT"),
            Self::WrongMethod { .. } => (StatusCode::METHOD_NOT_ALLOWED, "UNIMPLEMENTED"),
            Self::IdUsed { .. } => (StatusCode::CONFLICT, "ALREADY_EXISTS"),
            Self::TooLarge { .. } => (StatusCode::PAYLOAD_TOO_LARGE, "INVALID_ARGUMENT"),
            Self::TooSlow => (StatusCode::REQUEST_TIMEOUT, "DEADLINE_EXCEEDED"),
            Self::NoSuchMethod { .. } => (StatusCode::NOT_FOUND, "UNIMPLEMENTED"),
            Self::NoSuchTask { .. } | Self::NoSuchPath | Self::NoSuchPush { .. } => {
                (StatusCode::NOT_FOUND, "NOT_FOUND")
            }
            Self::NotCancelable { .. }
            | Self::NoPush
            | Self::Unsupported { .. }
            | Self::BadVersion { .. } => (StatusCode::BAD_REQUEST, "FAILED_PRECONDITION"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL"),
            Self::NotNow => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
            Self::TurnedAway(TurnedAway::NotNow) => (StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE"),
            Self::TurnedAway(_) => (StatusCode::UNAUTHORIZED, "UNAUTHENTICATED"),
            Self::StrangePage | Self::Forbidden { .. } | Self::ToolsNotAllowed { .. } => {
                (StatusCode::FORBIDDEN, "PERMISSION_DENIED")
            }
            Self::TooOften { .. } => (StatusCode::TOO_MANY_REQUESTS, "RESOURCE_EXHAUSTED"),
        }
    }

    /// The HTTP status of a JSON-RPC answer: 200, unless the request never became one.
    pub(crate) fn rpc_status(&self) -> StatusCode {
        match self {
            Self::TooLarge { .. }
            | Self::TooSlow
            | Self::TurnedAway(_)
            | Self::StrangePage
            | Self::Forbidden { .. }
            | Self::WrongMethod { .. }
            | Self::TooOften { .. } => self.status().0,
            Self::NotJson { .. }
            | Self::NotARequest { .. }
            | Self::NoSuchMethod { .. }
            | Self::BadParams { .. }
            | Self::IdUsed { .. }
            | Self::Internal
            | Self::NotNow
            | Self::NoSuchTask { .. }
            | Self::NotCancelable { .. }
            | Self::NoPush
            | Self::Unsupported { .. }
            | Self::BadContent { .. }
            | Self::BadBody { .. }
            | Self::BadVersion { .. }
            | Self::BadPushUrl { .. }
            | Self::NoSuchPush { .. }
            | Self::ToolsNotAllowed { .. }
            | Self::NoSuchPath => StatusCode::OK,
        }
    }

    /// A stable word for programs.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::NotJson { .. } => "PARSE_ERROR",
            Self::NotARequest { .. } => "INVALID_REQUEST",
            Self::NoSuchMethod { .. } => "METHOD_NOT_FOUND",
            Self::BadParams { .. } => "INVALID_PARAMS",
            Self::IdUsed { .. } => "MESSAGE_ID_USED",
            Self::TooLarge { .. } => "REQUEST_TOO_LARGE",
            Self::TooSlow => "REQUEST_TOO_SLOW",
            Self::Internal => "INTERNAL_ERROR",
            Self::NotNow => "UNAVAILABLE",
            Self::NoSuchTask { .. } => "TASK_NOT_FOUND",
            Self::NotCancelable { .. } => "TASK_NOT_CANCELABLE",
            Self::NoPush => "PUSH_NOTIFICATION_NOT_SUPPORTED",
            Self::Unsupported { .. } => "UNSUPPORTED_OPERATION",
            Self::BadContent { .. } | Self::BadBody { .. } => "CONTENT_TYPE_NOT_SUPPORTED",
            Self::WrongMethod { .. } => "METHOD_NOT_ALLOWED",
            Self::BadVersion { .. } => "VERSION_NOT_SUPPORTED",
            Self::TurnedAway(_) => "UNAUTHENTICATED",
            Self::StrangePage | Self::Forbidden { .. } => "FORBIDDEN",
            Self::NoSuchPath => "NOT_FOUND",
            Self::TooOften { .. } => "TOO_MANY_REQUESTS",
            Self::BadPushUrl { .. } => "PUSH_URL_REFUSED",
            Self::NoSuchPush { .. } => "PUSH_CONFIG_NOT_FOUND",
            Self::ToolsNotAllowed { .. } => "TOOLS_ENDPOINT_NOT_ALLOWED",
        }
    }

    /// The details that 1.0 asks for and that earlier readers ignore.
    fn details(&self) -> Value {
        let metadata = match self {
            Self::NoSuchTask { id } | Self::NotCancelable { id } => json!({"taskId": id}),
            Self::BadParams { field, .. } => json!({"field": field}),
            Self::BadVersion { version } => json!({"version": version, "supported": "1.0, 0.3"}),
            Self::NotJson { .. }
            | Self::NotARequest { .. }
            | Self::NoSuchMethod { .. }
            | Self::IdUsed { .. }
            | Self::TooLarge { .. }
            | Self::TooSlow
            | Self::Internal
            | Self::NotNow
            | Self::NoPush
            | Self::Unsupported { .. }
            | Self::BadContent { .. }
            | Self::BadBody { .. }
            | Self::WrongMethod { .. }
            | Self::TurnedAway(_)
            | Self::StrangePage
            | Self::Forbidden { .. }
            | Self::TooOften { .. }
            | Self::BadPushUrl { .. }
            | Self::NoSuchPush { .. }
            | Self::ToolsNotAllowed { .. }
            | Self::NoSuchPath => json!({}),
        };
        json!([{
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": self.reason(),
            "domain": "a2a-protocol.org",
            "metadata": metadata,
        }])
    }

    /// The error object of JSON-RPC.
    pub(crate) fn to_rpc(&self) -> Value {
        json!({"code": self.code(), "message": self.to_string(), "data": self.details()})
    }

    /// The error body of HTTP+JSON.
    pub(crate) fn to_rest(&self) -> Value {
        let (status, name) = self.status();
        json!({"error": {
            "code": status.as_u16(), "status": name, "message": self.to_string(), "details": self.details(),
        }})
    }

    pub(crate) fn params(field: impl Into<String>, why: impl Into<String>) -> Self {
        Self::BadParams { field: field.into(), why: why.into() }
    }
}

/// What a fault repeats of a request: short, and on one line.
pub(crate) fn echo(text: &str) -> String {
    let clean = text.chars().filter(|letter| !letter.is_control() && *letter != '`');
    let mut short: String = clean.take(ECHO_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

impl From<ClientError> for Fault {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Engine(error) => error.into(),
            ClientError::NoSuchRun { run } => Self::NoSuchTask { id: echo(&run) },
            ClientError::Conflicting { run } => Self::IdUsed { context: run.to_string() },
            ClientError::TooLong { what, bytes_max, .. } => {
                Self::params("message", format!("has more than {bytes_max} bytes of {what}"))
            }
            ClientError::Secret { what, .. } => Self::params("message", format!("has a secret as {what}")),
            ClientError::Empty => Self::params("params.message.parts", "say nothing"),
            ClientError::EndpointNotAllowed { origin } => Self::ToolsNotAllowed { origin: echo(&origin) },
            ClientError::NoSuchStep { step, .. } => {
                Self::params("operations", format!("name no operation `{}` of the plan", echo(&step)))
            }
            ClientError::NothingWaits { .. } => {
                Self::Unsupported { what: "no plan waits for a decision here" }
            }
            ClientError::Ambiguous { .. } | ClientError::Unreadable { .. } => Self::Internal,
        }
    }
}

impl From<EngineError> for Fault {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::TooLarge { bytes_max, .. } => {
                Self::params("message", format!("and what comes with it are larger than {bytes_max} bytes"))
            }
            EngineError::Full | EngineError::ShuttingDown => Self::NotNow,
            EngineError::Step { .. }
            | EngineError::StepRepeated { .. }
            | EngineError::Damaged { .. }
            | EngineError::Storage(_) => Self::Internal,
        }
    }
}

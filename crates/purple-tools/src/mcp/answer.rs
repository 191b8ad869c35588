//! What an MCP server's answer to a call comes to.

use purple_port::Called;
use rmcp::model::{CallToolResult, ContentBlock, ErrorCode, ServerResult};
use rmcp::service::ServiceError;
use rmcp::transport::auth::AuthError;
use rmcp::transport::streamable_http_client::{AuthRequiredError, HttpStatusError, InsufficientScopeError};
use serde_json::Value;

use super::questions::asked;
use crate::http::never_connected;
use crate::limits::ANSWER_BYTES_MAX;
use crate::said::{Outcome, Then, causes, error_body, refused, too_long};

/// Reads a result. What is not one for a call may hide an effect.
pub(super) fn read(result: ServerResult, promises_json: bool) -> Outcome {
    match result {
        ServerResult::CallToolResult(result) => complete(result, promises_json),
        ServerResult::InputRequiredResult(result) => match asked(result) {
            Some(asked) => Outcome::answered(Called::Asked(Box::new(asked))),
            None => Outcome::refused(Some("INPUT_REQUIRED"), "the tool asks for what no person can give"),
        },
        ServerResult::CreateTaskResult(_) => {
            Outcome::refused(Some("INPUT_REQUIRED"), "the tool made a task of the call instead of doing it")
        }
        _ => Outcome::lost("the answer is no result of a call", Then::Keep),
    }
}

fn complete(result: CallToolResult, promises_json: bool) -> Outcome {
    let CallToolResult { content, structured_content, is_error, .. } = result;
    let text = text(&content);
    let structured = structured_content.as_ref().map_or(0, |value| value.to_string().len());
    if text.len().saturating_add(structured) > ANSWER_BYTES_MAX {
        return Outcome::lost(&too_long(), Then::Keep);
    }
    let read_as_json = || serde_json::from_str::<Value>(&text).ok();
    if is_error == Some(true) {
        let told = structured_content.or_else(read_as_json);
        let said = told.as_ref().and_then(error_body);
        return Outcome::answered(said.unwrap_or_else(|| refused(None, &text)));
    }
    match structured_content.or_else(read_as_json) {
        Some(value) => Outcome::answered(Called::Answered(value.into())),
        None if promises_json => {
            Outcome::lost("the answer is not of the form that the tool declares", Then::Keep)
        }
        None => Outcome::answered(Called::Answered(Value::String(text).into())),
    }
}

fn text(content: &[ContentBlock]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        ContentBlock::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Reads an error. Only those that say that the tool was never reached are refusals.
pub(super) fn failed(error: &ServiceError, why: &str) -> Outcome {
    match error {
        ServiceError::McpError(told) => match never_ran(told.code) {
            Some(code) => Outcome::refused(Some(code), &told.message),
            None => Outcome::lost(
                &format!("the server answers error {}: {}", told.code.0, told.message),
                Then::Keep,
            ),
        },
        ServiceError::TransportSend(error) if never_connected(error) => Outcome::not_sent(why, Then::Strike),
        ServiceError::TransportSend(error) => match (login(error), turned_away(error)) {
            (Some(AuthError::TokenRefreshFailed(reason)), _) => Outcome::not_sent(reason, Then::Keep),
            (Some(AuthError::AuthorizationFailed(reason)), _) => {
                Outcome::refused(Some("UNAUTHORIZED"), reason)
            }
            (Some(AuthError::TokenExpired), _) => Outcome::refused(Some(TOKEN_RENEWED), RENEWED),
            (_, Some(code)) => Outcome::refused(Some(code), why),
            (_, None) => Outcome::lost(why, Then::Discard),
        },
        ServiceError::TransportClosed => Outcome::lost(why, Then::Strike),
        _ => Outcome::lost(why, Then::Discard),
    }
}

/// The code of a call that was refused for its token, of which there is a better one now.
const TOKEN_RENEWED: &str = "TOKEN_RENEWED";
const RENEWED: &str =
    "the server did not take the token, and says that it did nothing; there is another token now: try again";

/// What our own login said.
fn login<'a>(error: &'a (dyn std::error::Error + 'static)) -> Option<&'a AuthError> {
    causes(error).find_map(|cause| cause.downcast_ref::<AuthError>())
}

/// Protocol errors that come before any tool is run. An internal error may come after.
fn never_ran(code: ErrorCode) -> Option<&'static str> {
    Some(match code {
        ErrorCode::PARSE_ERROR => "PARSE_ERROR",
        ErrorCode::INVALID_REQUEST => "INVALID_REQUEST",
        ErrorCode::METHOD_NOT_FOUND => "METHOD_NOT_FOUND",
        ErrorCode::INVALID_PARAMS => "INVALID_PARAMS",
        ErrorCode::HEADER_MISMATCH => "HEADER_MISMATCH",
        ErrorCode::MISSING_REQUIRED_CLIENT_CAPABILITY => "MISSING_CLIENT_CAPABILITY",
        ErrorCode::UNSUPPORTED_PROTOCOL_VERSION => "UNSUPPORTED_PROTOCOL_VERSION",
        _ => return None,
    })
}

/// HTTP's ways to say that the door stayed shut.
fn turned_away(error: &(dyn std::error::Error + 'static)) -> Option<&'static str> {
    causes(error).find_map(|cause| {
        let limited = cause.downcast_ref::<HttpStatusError>().is_some_and(|error| error.status == 429);
        let stranger = cause.downcast_ref::<AuthRequiredError>().is_some();
        let forbidden = cause.downcast_ref::<InsufficientScopeError>().is_some();
        match (limited, stranger, forbidden) {
            (true, _, _) => Some("RATE_LIMITED"),
            (false, true, _) => Some("UNAUTHORIZED"),
            (false, false, true) => Some("FORBIDDEN"),
            (false, false, false) => None,
        }
    })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;

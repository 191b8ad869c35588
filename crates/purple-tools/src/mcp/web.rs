//! HTTP as the library uses it, with one difference: a list that it could not read is read by us.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::StatusCode;
use reqwest::header::{ACCEPT, HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClient, StreamableHttpError, StreamableHttpPostResponse,
};
use serde_json::Value;

use super::listing::set_aside;
use crate::limits::ANSWER_BYTES_MAX;
use crate::said::too_long;

type Failure = StreamableHttpError<reqwest::Error>;

/// An HTTP client, and whether lists are read by us.
#[derive(Clone, Debug)]
pub(super) struct Web {
    pub(super) http: reqwest::Client,
    pub(super) own_lists: Arc<AtomicBool>,
}

impl StreamableHttpClient for Web {
    type Error = reqwest::Error;

    async fn post_message(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let bytes_max = ANSWER_BYTES_MAX;
        self.post_message_with_max_sse_event_size(uri, message, session, token, headers, bytes_max).await
    }

    async fn post_message_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        message: ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        bytes_max: usize,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        if self.own_lists.load(Ordering::Relaxed) && is_list(&message) {
            return self.list(&uri, &message, session, headers).await;
        }
        self.http.post_message_with_max_sse_event_size(uri, message, session, token, headers, bytes_max).await
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        self.http.delete_session(uri, session, token, headers).await
    }

    async fn get_stream(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<BoxedSseResponse, Failure> {
        self.http
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, ANSWER_BYTES_MAX)
            .await
    }

    async fn get_stream_with_max_sse_event_size(
        &self,
        uri: Arc<str>,
        session: Option<Arc<str>>,
        last_event: Option<String>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
        bytes_max: usize,
    ) -> Result<BoxedSseResponse, Failure> {
        self.http
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, bytes_max)
            .await
    }
}

impl Web {
    /// Posts the request for a page and reads the answer ourselves, with its definitions set aside.
    async fn list(
        &self,
        uri: &str,
        message: &ClientJsonRpcMessage,
        session: Option<Arc<str>>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<StreamableHttpPostResponse, Failure> {
        let mut request = self.http.post(uri).header(ACCEPT, "text/event-stream, application/json");
        let with_session = session.is_some();
        if let Some(session) = session {
            request = request.header("Mcp-Session-Id", session.as_ref());
        }
        let mut sorted: Vec<_> = headers.into_iter().collect();
        sorted.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        for (name, value) in sorted {
            request = request.header(name, value);
        }
        let mut response = request.json(message).send().await?;
        match response.status() {
            StatusCode::NOT_FOUND if with_session => return Err(StreamableHttpError::SessionExpired),
            status if !status.is_success() => return Err(odd(format!("HTTP {status}"))),
            _ => {}
        }
        let mut body = Vec::new();
        while let Some(piece) = response.chunk().await? {
            if body.len() + piece.len() > ANSWER_BYTES_MAX {
                return Err(odd(too_long()));
            }
            body.extend_from_slice(&piece);
            // A stream of events may stay open after the answer.
            if let Some(answer) = answer_in(&body) {
                let message = serde_json::from_value(set_aside(answer))?;
                return Ok(StreamableHttpPostResponse::Json(message, None));
            }
        }
        Err(StreamableHttpError::UnexpectedEndOfStream)
    }
}

fn is_list(message: &ClientJsonRpcMessage) -> bool {
    matches!(message, JsonRpcMessage::Request(request) if matches!(request.request, ClientRequest::ListToolsRequest(_)))
}

fn odd(words: String) -> Failure {
    StreamableHttpError::UnexpectedServerResponse(words.into())
}

/// The answer in a body, which is JSON or a stream of events, once it is there as a whole.
fn answer_in(body: &[u8]) -> Option<Value> {
    if body.trim_ascii_start().first() == Some(&b'{') {
        return serde_json::from_slice(body).ok();
    }
    let text = std::str::from_utf8(body).ok()?.replace("\r\n", "\n");
    let whole = text.rsplit_once("\n\n")?.0;
    whole.split("\n\n").find_map(|event| {
        let data = event.lines().filter_map(|line| line.strip_prefix("data:"));
        let data = data.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect::<Vec<_>>().join("\n");
        let message = serde_json::from_str::<Value>(&data).ok()?;
        (message.get("result").is_some() || message.get("error").is_some()).then_some(message)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_is_found_in_json_and_among_events_once_it_is_whole() {
        let answer = json!({"id": 1, "result": {}});
        assert_eq!(answer_in(answer.to_string().as_bytes()), Some(answer.clone()));
        let events = "id: 1\ndata:\n\n: ping\n\ndata: {\"method\":\"x\"}\r\n\r\nevent: message\ndata: {\"id\":1,\ndata: \"result\":{}}\n\n";
        assert_eq!(answer_in(events.as_bytes()), Some(answer));
        for part in [&events[..events.len() - 1], "", "{\"id\":1,", "data: {}\n\n"] {
            assert_eq!(answer_in(part.as_bytes()), None, "{part}");
        }
    }
}

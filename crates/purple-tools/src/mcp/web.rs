//! HTTP as the library uses it, with two differences: a list that it could not read is read by us, and tokens of logins
//! go with requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use reqwest::header::{ACCEPT, HeaderName, HeaderValue, WWW_AUTHENTICATE};
use reqwest::{Response, StatusCode};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage};
use rmcp::transport::auth::AuthError;
use rmcp::transport::common::client_side_sse::BoxedSseResponse;
use rmcp::transport::streamable_http_client::{
    AuthRequiredError, InsufficientScopeError, StreamableHttpClient, StreamableHttpError,
    StreamableHttpPostResponse,
};
use serde_json::Value;

use super::listing::set_aside;
use crate::limits::{ANSWER_BYTES_MAX, LOGINS_IN_A_ROW_MAX};
use crate::oauth::{Challenge, Denied, Login};
use crate::said::too_long;

type Failure = StreamableHttpError<reqwest::Error>;

/// An HTTP client, whether lists are read by us, and the login at the server.
#[derive(Clone, Debug)]
pub(super) struct Web {
    pub(super) http: reqwest::Client,
    pub(super) own_lists: Arc<AtomicBool>,
    pub(super) login: Option<Arc<Login>>,
}

/// One message on its way to a server.
#[derive(Clone)]
struct Post {
    uri: Arc<str>,
    message: ClientJsonRpcMessage,
    session: Option<Arc<str>>,
    headers: HashMap<HeaderName, HeaderValue>,
    bytes_max: usize,
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
        let post = Post { uri, message, session, headers, bytes_max };
        match &self.login {
            None => self.send(post, token).await,
            Some(login) => self.send_by(login, post).await,
        }
    }

    async fn delete_session(
        &self,
        uri: Arc<str>,
        session: Arc<str>,
        token: Option<String>,
        headers: HashMap<HeaderName, HeaderValue>,
    ) -> Result<(), Failure> {
        let token = self.token(&uri, token).await?;
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
        let bytes_max = ANSWER_BYTES_MAX;
        self.get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, bytes_max).await
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
        let token = self.token(&uri, token).await?;
        self.http
            .get_stream_with_max_sse_event_size(uri, session, last_event, token, headers, bytes_max)
            .await
    }
}

impl Web {
    /// Posts with the token of a login. What does nothing goes out again with a better token; a call never does.
    async fn send_by(&self, login: &Login, post: Post) -> Result<StreamableHttpPostResponse, Failure> {
        for _ in 0..=LOGINS_IN_A_ROW_MAX {
            let token = login.token(&post.uri).await.map_err(unsent)?;
            let error = match self.send(post.clone(), token.clone()).await {
                Ok(response) => {
                    login.accepted();
                    return Ok(response);
                }
                Err(error) => error,
            };
            let Some(challenge) = Challenge::of(&error) else { return Err(error) };
            match login.answer(&post.uri, &challenge, token.as_deref()).await {
                Ok(()) => {}
                Err(Denied::NoWay) => return Err(error),
                Err(denied) => return Err(refused(denied)),
            }
            // INVARIANT: whatever may have an effect leaves here once. That a server says that it let nothing in is
            // its word alone, and nobody would know of a second effect.
            if !does_nothing(&post.message) {
                return Err(AuthError::TokenExpired.into());
            }
        }
        Err(refused(Denied::TooOften { times: LOGINS_IN_A_ROW_MAX }))
    }

    async fn send(&self, post: Post, token: Option<String>) -> Result<StreamableHttpPostResponse, Failure> {
        if self.own_lists.load(Ordering::Relaxed) && is_list(&post.message) {
            return self.list(post, token).await;
        }
        let Post { uri, message, session, headers, bytes_max } = post;
        self.http.post_message_with_max_sse_event_size(uri, message, session, token, headers, bytes_max).await
    }

    /// The token of a login, or the one that was given.
    async fn token(&self, uri: &str, given: Option<String>) -> Result<Option<String>, Failure> {
        match &self.login {
            None => Ok(given),
            Some(login) => login.token(uri).await.map_err(unsent),
        }
    }

    /// Posts the request for a page and reads the answer ourselves, with its definitions set aside.
    async fn list(&self, post: Post, token: Option<String>) -> Result<StreamableHttpPostResponse, Failure> {
        let Post { uri, message, session, headers, bytes_max: _ } = post;
        let mut request = self.http.post(uri.as_ref()).header(ACCEPT, "text/event-stream, application/json");
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let with_session = session.is_some();
        if let Some(session) = session {
            request = request.header("Mcp-Session-Id", session.as_ref());
        }
        let mut sorted: Vec<_> = headers.into_iter().collect();
        sorted.sort_by(|(one, _), (other, _)| one.as_str().cmp(other.as_str()));
        for (name, value) in sorted {
            request = request.header(name, value);
        }
        let mut response = request.json(&message).send().await?;
        if let Some(shut) = shut(&response) {
            return Err(shut);
        }
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

/// Whether a server can repeat this without anybody noticing.
fn does_nothing(message: &ClientJsonRpcMessage) -> bool {
    match message {
        JsonRpcMessage::Request(request) => matches!(
            request.request,
            ClientRequest::InitializeRequest(_)
                | ClientRequest::DiscoverRequest(_)
                | ClientRequest::PingRequest(_)
                | ClientRequest::ListToolsRequest(_)
        ),
        JsonRpcMessage::Notification(_) => true,
        // An answer to a server's question is part of a call.
        JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => false,
    }
}

/// A door that stayed shut, as the library tells it.
fn shut(response: &Response) -> Option<Failure> {
    let header = response.headers().get(WWW_AUTHENTICATE)?.to_str().ok()?.to_owned();
    match response.status() {
        StatusCode::UNAUTHORIZED => Some(StreamableHttpError::AuthRequired(AuthRequiredError::new(header))),
        StatusCode::FORBIDDEN => {
            Some(StreamableHttpError::InsufficientScope(InsufficientScopeError::new(header, None)))
        }
        _ => None,
    }
}

/// There is no token, and so nothing was sent.
fn unsent(denied: Denied) -> Failure {
    AuthError::TokenRefreshFailed(denied.to_string()).into()
}

/// The server refused what was sent, and there is no better token.
fn refused(denied: Denied) -> Failure {
    AuthError::AuthorizationFailed(denied.to_string()).into()
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

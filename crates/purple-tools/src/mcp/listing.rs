//! All pages of a server's list, read one definition at a time.

use std::collections::BTreeSet;
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, ListToolsResult, PaginatedRequestParams, ServerResult};
use rmcp::service::PeerRequestOptions;
use serde_json::{Map, Value, json};

use super::{Mcp, Unanswered};
use crate::limits::{LIST_MS_MAX, LIST_PAGES_MAX, LIST_TOOLS_MAX};

/// Where the definitions of a page are put before the library reads it.
const ASIDE: &str = "com.purple/tools";

impl Mcp {
    /// Every definition as it came. An endless list, or one that turns in a circle, is an error.
    pub(crate) async fn list(&self) -> Result<Vec<Value>, String> {
        let mut tools = Vec::new();
        let mut seen = BTreeSet::new();
        let mut cursor = None;
        for _ in 0..LIST_PAGES_MAX {
            let page = self.page(cursor).await?;
            tools.extend(page.tools);
            if tools.len() > LIST_TOOLS_MAX {
                return Err(format!("more than {LIST_TOOLS_MAX} tools"));
            }
            // An empty cursor is a cursor like any other.
            let Some(next) = page.next else { return Ok(tools) };
            if !seen.insert(next.clone()) {
                return Err("the pages of its list go round in a circle".to_owned());
            }
            cursor = Some(next);
        }
        Err(format!("more than {LIST_PAGES_MAX} pages of tools"))
    }

    async fn page(&self, cursor: Option<String>) -> Result<Page, String> {
        let deadline = Duration::from_millis(LIST_MS_MAX);
        let mut request = ListToolsRequest::default();
        request.params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
        let options = PeerRequestOptions::with_timeout(deadline);
        match self.ask(ClientRequest::ListToolsRequest(request), options, deadline).await {
            Ok(result) => Page::read(result),
            Err(Unanswered::NotSent(error) | Unanswered::Failed(error)) => Err(self.why(&error)),
            Err(Unanswered::Silent) => Err(crate::bridge::silent(deadline)),
        }
    }
}

struct Page {
    tools: Vec<Value>,
    next: Option<String>,
}

impl Page {
    /// The library fails a page as a whole if one definition does not fit its types; the page then comes as it is.
    fn read(result: ServerResult) -> Result<Self, String> {
        let unreadable = || "the answer is no list of tools".to_owned();
        match result {
            ServerResult::ListToolsResult(ListToolsResult { tools, next_cursor, meta, .. }) => {
                let aside = meta.and_then(|mut meta| meta.0.remove(ASIDE));
                let tools = match aside {
                    Some(Value::Array(raw)) => raw,
                    _ => tools.iter().filter_map(|tool| serde_json::to_value(tool).ok()).collect(),
                };
                Ok(Self { tools, next: next_cursor })
            }
            ServerResult::CustomResult(raw) => {
                let Value::Object(mut fields) = raw.0 else { return Err(unreadable()) };
                let Some(Value::Array(tools)) = fields.remove("tools") else { return Err(unreadable()) };
                let next = fields.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
                Ok(Self { tools, next })
            }
            _ => Err(unreadable()),
        }
    }
}

/// Puts the definitions of a list where the library does not look at them, so that one bad one does not spoil it.
pub(super) fn set_aside(mut message: Value) -> Value {
    if let Some(result) = message.get_mut("result").and_then(Value::as_object_mut)
        && result.get("tools").is_some_and(Value::is_array)
    {
        let tools = result.remove("tools").unwrap_or_default();
        let next = result.get("nextCursor").filter(|next| next.is_string()).cloned();
        let mut plain =
            Map::from_iter([("tools".to_owned(), json!([])), ("_meta".to_owned(), json!({ ASIDE: tools }))]);
        plain.extend(next.map(|next| ("nextCursor".to_owned(), next)));
        *result = plain;
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(result: Value) -> Page {
        let message = set_aside(json!({"jsonrpc": "2.0", "id": 1, "result": result}));
        Page::read(serde_json::from_value(message["result"].clone()).unwrap())
            .unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn a_page_is_read_whatever_is_in_its_definitions() {
        let tools = json!([{"name": "a"}, 7, {"name": "b", "inputSchema": {"type": "object", "x": 1.10}}]);
        let read = page(
            json!({"tools": tools, "_meta": {"x": 1}, "ttlMs": 5, "nextCursor": "", "resultType": "complete"}),
        );
        assert_eq!(Value::Array(read.tools).to_string(), tools.to_string());
        assert_eq!(read.next.as_deref(), Some(""));
        assert_eq!(page(json!({"tools": [], "nextCursor": null})).next, None);
    }

    #[test]
    fn other_messages_are_left_alone() {
        for message in [
            json!({"jsonrpc": "2.0", "id": 1, "result": {"structuredContent": {"tools": [1]}, "content": []}}),
            json!({"jsonrpc": "2.0", "id": 1, "result": {"tools": "none"}}),
            json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}),
        ] {
            assert_eq!(set_aside(message.clone()), message);
        }
    }
}

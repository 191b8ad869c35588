//! Faults of delivery, as each door shows them.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod desk;
mod door;

use std::future::Future;
use std::task::{Context, Poll, Waker};

use desk::{Desk, Folder};
use door::{Era, arrived, call, child, mcp, open, over_http, plain, post, request, text};
use purple_backoffice::Ledger;
use rmcp::ClientHandler;
use rmcp::model::{
    CallToolResponse, ClientCapabilities, ClientConfig, ElicitRequestParams, ElicitResult, ElicitationAction,
    Implementation,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

fn reject() -> Value {
    json!({"invoice_id": "INV-2024-447", "reason": "AP-3"})
}

fn posted(tool: &str, params: Value) -> Value {
    json!({"tool": tool, "params": params, "session_id": "s"})
}

async fn status(client: &door::Mcp) -> Value {
    let read = call(client, "get_invoice", json!({"invoice_id": "INV-2024-447"})).await.unwrap();
    read.structured_content.unwrap()["status"].clone()
}

#[tokio::test]
async fn a_child_that_dies_in_the_middle_has_applied_its_write() {
    for era in Era::BOTH {
        let folder = Folder::new("drop");
        let file = folder.path("company.db");
        let arguments = ["--data", file.to_str().unwrap()];
        let client =
            mcp((), child(&[&arguments[..], &["--fault", "reject_invoice:drop"]].concat()), era).await;
        let error = call(&client, "reject_invoice", reject()).await.unwrap_err();
        assert!(error.to_string().to_lowercase().contains("closed"), "{error}");
        let ledger = Ledger::read(&file).unwrap();
        assert_eq!((ledger.effects.len(), ledger.calls[0].outcome.as_str()), (1, "cut"));
        // The next process goes on where the last one died.
        let client = mcp((), child(&arguments), era).await;
        assert_eq!(status(&client).await, "rejected");
    }
}

#[tokio::test]
async fn a_cut_connection_breaks_one_call_and_the_company_stays_open() {
    let desk = Desk::faulty(&["reject_invoice:drop", "approve_invoice:drop,applied=no"]);
    let http = open(&desk).await;
    let error = post(&http, posted("reject_invoice", reject())).await.unwrap_err();
    assert!(!error.is_connect(), "{error:?}");
    let answer: Value = post(&http, posted("get_invoice", json!({"invoice_id": "INV-2024-447"})))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert_eq!(answer["status"], "rejected");
    post(&http, posted("approve_invoice", json!({"invoice_id": "INV-2024-448"}))).await.unwrap_err();
    assert_eq!(desk.effects(), 1);
}

#[tokio::test]
async fn a_cut_mcp_connection_leaves_the_effect_and_no_answer() {
    for era in Era::BOTH {
        let desk = Desk::faulty(&["reject_invoice:drop"]);
        let http = open(&desk).await;
        let client = mcp((), over_http(&http), era).await;
        // A legacy client may wait for ever for a stream that is gone; an answer is what none may get.
        tokio::select! {
            answered = call(&client, "reject_invoice", reject()) => assert!(answered.is_err(), "{era:?}"),
            () = arrived(&desk, "reject_invoice", 1), if era == Era::Legacy => {}
        }
        assert_eq!(desk.effects(), 1);
        let again = mcp((), over_http(&http), era).await;
        assert_eq!(status(&again).await, "rejected");
    }
}

#[tokio::test]
async fn a_hanging_call_was_applied_and_holds_nobody_else_up() {
    let desk = Desk::faulty(&["reject_invoice:hang"]);
    let http = open(&desk).await;
    let client = mcp((), over_http(&http), Era::Modern).await;
    let mut hanging = Box::pin(call(&client, "reject_invoice", reject()));
    let mut bridged =
        Box::pin(post(&http, posted("reject_invoice", json!({"invoice_id": "INV-2024-448", "reason": "x"}))));
    tokio::select! {
        biased;
        _ = &mut hanging => panic!("answered"),
        _ = &mut bridged => panic!("answered"),
        () = arrived(&desk, "reject_invoice", 2) => {}
    }
    assert_eq!(status(&client).await, "rejected", "the same connection still serves");
    let mut cx = Context::from_waker(Waker::noop());
    assert!(matches!(hanging.as_mut().poll(&mut cx), Poll::Pending));
    assert!(matches!(bridged.as_mut().poll(&mut cx), Poll::Pending));
    assert_eq!(desk.effects(), 2);
}

#[tokio::test]
async fn slow_answers_arrive() {
    let desk = Desk::faulty(&["*:slow,ms=1"]);
    let http = open(&desk).await;
    let client = mcp((), over_http(&http), Era::Modern).await;
    assert_eq!(status(&client).await, "received");
    assert_eq!(post(&http, posted("list_plans", json!({}))).await.unwrap().status(), 200);
}

#[tokio::test]
async fn errors_of_the_transport_look_like_errors_of_the_transport() {
    let desk = Desk::faulty(&["reject_invoice:unavailable", "get_plan:rate_limit"]);
    let http = open(&desk).await;
    for era in Era::BOTH {
        let client = mcp((), over_http(&http), era).await;
        call(&client, "reject_invoice", reject()).await.unwrap_err();
        let limited = call(&client, "get_plan", json!({"plan_id": "team"})).await.unwrap();
        assert_eq!(limited.is_error, Some(true));
        assert!(text(&limited).contains("rate limit exceeded"));
    }
    assert_eq!(post(&http, posted("reject_invoice", reject())).await.unwrap().status(), 503);
    let limited = post(&http, posted("get_plan", json!({"plan_id": "team"}))).await.unwrap();
    assert_eq!((limited.status().as_u16(), &limited.headers()["retry-after"]), (429, &"1".parse().unwrap()));
    assert_eq!(limited.json::<Value>().await.unwrap()["type"], "RATE_LIMITED");
    assert_eq!(desk.effects(), 0);
}

#[tokio::test]
async fn huge_and_garbled_answers_come_as_they_are() {
    let desk = Desk::faulty(&["get_plan:huge,bytes=3000000", "get_vendor:garbage"]);
    let http = open(&desk).await;
    let client = mcp((), over_http(&http), Era::Modern).await;
    let huge = call(&client, "get_plan", json!({"plan_id": "team"})).await.unwrap();
    assert!(serde_json::to_string(&huge).unwrap().len() > 3_000_000);
    let bridged = post(&http, posted("get_plan", json!({"plan_id": "team"}))).await.unwrap();
    assert!(bridged.text().await.unwrap().len() > 3_000_000);
    let garbled = call(&client, "get_vendor", json!({"vendor_id": "V-1001"})).await.unwrap();
    assert!(text(&garbled).starts_with("<html>") && garbled.structured_content.is_none());
    let bridged = post(&http, posted("get_vendor", json!({"vendor_id": "V-1001"}))).await.unwrap();
    assert!(bridged.json::<Value>().await.is_err());
}

#[tokio::test]
async fn one_tool_without_a_schema_spoils_a_strict_list_over_every_door() {
    let spec = "reject_invoice:bad_definition";
    let desk = Desk::faulty(&[spec]);
    let http = open(&desk).await;
    for era in Era::BOTH {
        for client in [mcp((), over_http(&http), era).await, mcp((), child(&["--fault", spec]), era).await] {
            assert!(client.list_all_tools().await.is_err(), "{era:?}");
            assert_eq!(status(&client).await, "received", "{era:?}: calls still work");
        }
    }
    let listed: Vec<Value> =
        plain().get(format!("{}/mcp/tools", http.bridge_url())).send().await.unwrap().json().await.unwrap();
    let without: Vec<&Value> = listed.iter().filter(|tool| tool.get("input_schema").is_none()).collect();
    assert_eq!(without.iter().map(|tool| &tool["name"]).collect::<Vec<_>>(), ["reject_invoice"]);
}

/// A client that would give away anything it is asked for.
struct Gullible;

impl ClientHandler for Gullible {
    fn get_info(&self) -> ClientConfig {
        let capabilities = ClientCapabilities::builder().enable_elicitation().build();
        ClientConfig::new(capabilities, Implementation::new("gullible", "1"))
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<rmcp::RoleClient>,
    ) -> Result<ElicitResult, rmcp::ErrorData> {
        let mut given = ElicitResult::new(ElicitationAction::Accept);
        given.content = Some(json!({"password": "hunter2"}));
        Ok(given)
    }
}

#[tokio::test]
async fn input_is_asked_for_in_the_way_of_each_era() {
    let desk = Desk::faulty(&["reject_invoice:input_required"]);
    let http = open(&desk).await;
    let modern = mcp(Gullible, over_http(&http), Era::Modern).await;
    let asked = modern.call_tool_once(request("reject_invoice", reject(), None)).await.unwrap();
    assert!(matches!(asked, CallToolResponse::InputRequired(_)), "{asked:?}");
    assert_eq!(desk.effects(), 0);
    let legacy = mcp(Gullible, over_http(&http), Era::Legacy).await;
    let refused = call(&legacy, "reject_invoice", reject()).await.unwrap();
    assert_eq!(refused.structured_content.unwrap()["type"], "INPUT_REQUIRED");
    let bridged: Value = post(&http, posted("reject_invoice", reject())).await.unwrap().json().await.unwrap();
    assert_eq!(bridged["type"], "INPUT_REQUIRED");
    assert_eq!(desk.effects(), 0);
    // Whoever answers in the newer era gets what they asked for.
    let done = call(&modern, "reject_invoice", reject()).await.unwrap();
    assert_eq!(done.structured_content.unwrap()["status"], "rejected");
    assert_eq!(desk.effects(), 1);
}

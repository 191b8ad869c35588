//! The model of the `llm` workload: a script behind a provider on the loopback, in a process of its own that both sides ask.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use purple_model::{Api, Client, Delivery, Dice, Endpoint, Patience};
use purple_testkit::provider::{Provider, Speech};
use purple_testkit::{Brain, Clerk, Job, call};
use purple_worker::port::{BoxFuture, Message, ModelReply, ModelRequest, Models, Pause};
use serde_json::json;

use crate::house::Failed;

/// Where the model is, for the processes that ask it.
pub const URL: &str = "BENCH_MODEL_URL";

/// Five answers for each side. Both read two records, approve, look again and tell somebody.
struct Script;

impl Brain for Script {
    fn reply(&self, request: &ModelRequest) -> ModelReply {
        let words = request.messages.iter().rev().find_map(|message| match message {
            Message::User { text } if text.contains("EXP-") => Some(text.as_str()),
            _ => None,
        });
        let words = words.unwrap_or_default();
        let claim: String = words
            .find("EXP-")
            .and_then(|at| words.get(at..))
            .map(|rest| {
                rest.chars().take_while(|sign| sign.is_ascii_alphanumeric() || *sign == '-').collect()
            })
            .unwrap_or_default();
        match words.strip_prefix("peer ") {
            Some(peer) => peer_reply(peer, &claim),
            None => Clerk(vec![job(&claim)]).reply(request),
        }
    }
}

fn job(claim: &str) -> Job {
    let id = json!({"claim_id": claim});
    Job {
        about: claim.to_owned(),
        process: "expense_llm".to_owned(),
        looks: vec![("get_claim".to_owned(), id.clone()), ("get_budget".to_owned(), id.clone())],
        proposes: vec![
            json!({"tool": "approve_claim", "arguments": id, "check": {"status": "approved"}}),
            json!({"tool": "send_claim_notice", "arguments": {"claim_id": claim, "to": "jo@example.com"}}),
        ],
        answer: format!("{claim} is approved."),
        ..Job::default()
    }
}

fn peer_reply(node: &str, claim: &str) -> ModelReply {
    let id = || json!({"claim_id": claim});
    match node.split(' ').next().unwrap_or_default() {
        "assess" => ModelReply::calls(vec![call("get_claim", id()), call("get_budget", id())]),
        "mutate" => ModelReply::calls(vec![call("approve_claim", id()), call("get_claim", id())]),
        "schedule_notify" => ModelReply::calls(vec![call(
            "send_claim_notice",
            json!({"claim_id": claim, "to": "jo@example.com"}),
        )]),
        _ => ModelReply::text(claim),
    }
}

/// Answers until its input ends.
pub fn serve() -> Result<(), Failed> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let provider = runtime.block_on(Provider::forgetful(Speech::OpenAi, Arc::new(Script)))?;
    println!("{}", provider.url());
    std::io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}

/// The model in a process of its own. It ends when this is dropped.
pub struct Elsewhere {
    pub url: String,
    child: Child,
}

impl Elsewhere {
    pub fn start(me: &Path) -> Result<Self, Failed> {
        let mut child = Command::new(me).arg("model").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let out = child.stdout.take().ok_or("no output")?;
        let url = BufReader::new(out).lines().next().ok_or("it said nothing")??;
        Ok(Self { url, child })
    }
}

impl Drop for Elsewhere {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // It ends by itself, since its input has.
        let _ = self.child.wait();
    }
}

struct Real;

impl Pause for Real {
    fn pause(&self, time: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(time))
    }
}

struct NoJitter;

impl Dice for NoJitter {
    fn below(&self, _: u64) -> u64 {
        0
    }
}

/// The models of the worker, as the product wires them.
pub fn models(url: &str) -> Result<Models, Failed> {
    let endpoint =
        Endpoint { api: Api::OpenAi, base_url: url.to_owned(), key: None, model: "script".to_owned() };
    let client =
        Client::new(endpoint, Delivery::Whole, Patience::default(), Arc::new(Real), Arc::new(NoJitter))?;
    let client = Arc::new(client);
    Ok(Models {
        fast: client.clone(),
        fast_name: "script".to_owned(),
        strong: client,
        strong_name: "script".to_owned(),
    })
}

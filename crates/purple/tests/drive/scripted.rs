//! A model that says what a test wrote down, state by state.

#![allow(unreachable_pub, reason = "one crate, several files")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};

use purple_journal::RecordType;
use purple_journal::record::model::{LoopRefused, Refused};
use purple_testkit::{records, within};
use purple_worker::port::*;
use purple_worker::{Archive, Process, Settings, replay};
use serde_json::{Value, json};

use crate::house::{Door, House, session, settings};

/// What a model says in a state, reply by reply. A state that is not written down says "ok" and calls nothing.
#[derive(Default)]
pub struct Script {
    replies: Mutex<BTreeMap<String, VecDeque<Said>>>,
    /// Whether a reply depends on the conversation alone, so that a question that is repeated has the same answer.
    steady: bool,
    /// Every request, with the state that asked.
    pub asked: Mutex<Vec<(String, ModelRequest)>>,
    /// Told when a question begins that is never answered.
    pub stalled: tokio::sync::Notify,
}

#[derive(Clone)]
pub enum Said {
    Reply(ModelReply),
    Fails(ModelError),
    /// No answer, ever.
    Stalls,
}

pub fn text(text: &str) -> Said {
    Said::Reply(ModelReply::text(text))
}

pub fn calls(calls: &[(&str, Value)]) -> Said {
    let one = |(name, arguments): &(&str, Value)| ToolCall {
        id: String::new(),
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    };
    Said::Reply(ModelReply::calls(calls.iter().map(one).collect()))
}

pub fn proposes(operations: Value) -> Said {
    calls(&[("propose_operations", json!({ "operations": operations }))])
}

pub fn down() -> Said {
    Said::Fails(ModelError::Unreachable { model: "fast".to_owned(), problem: "refused".to_owned() })
}

/// A reply that is not whole: cut at its length, or withheld.
pub fn unfinished(finish: FinishReason) -> Said {
    Said::Reply(ModelReply { finish, ..ModelReply::text("") })
}

/// A body that is no answer.
pub fn garbage() -> Said {
    let (model, problem) = ("fast".to_owned(), "it is HTML".to_owned());
    Said::Fails(ModelError::Unreadable { model, problem })
}

/// What a hand on a clock makes happen, happens at once; what does not come so never comes.
#[track_caller]
pub fn soon<T>(wanted: impl Future<Output = T>) -> impl Future<Output = T> {
    within("what follows from the last move of the clock", wanted)
}

impl Script {
    pub fn new(states: &[(&str, &[Said])]) -> Arc<Self> {
        let replies =
            states.iter().map(|(state, said)| ((*state).to_owned(), said.to_vec().into())).collect();
        Arc::new(Self { replies: Mutex::new(replies), steady: false, ..Self::default() })
    }

    /// The same, whatever was asked before.
    pub fn steady(states: &[(&str, &[Said])]) -> Arc<Self> {
        let replies =
            states.iter().map(|(state, said)| ((*state).to_owned(), said.to_vec().into())).collect();
        Arc::new(Self { replies: Mutex::new(replies), steady: true, ..Self::default() })
    }

    pub fn models(self: &Arc<Self>) -> Option<Models> {
        Some(Models {
            fast: self.clone(),
            fast_name: "small".to_owned(),
            strong: self.clone(),
            strong_name: "large".to_owned(),
        })
    }

    /// The same, with another one as the strong model.
    pub fn beside(self: &Arc<Self>, strong: &Arc<Self>) -> Option<Models> {
        self.models().map(|models| Models { strong: strong.clone(), ..models })
    }

    /// The names of the tools that were offered, the first time that a state asked.
    pub fn offered(&self, state: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let first = asked.iter().find(|(of, _)| of == state).map(|(_, request)| request.clone());
        first.map(|request| request.tools.iter().map(|tool| tool.name.clone()).collect()).unwrap_or_default()
    }

    /// How often each state asked, in the order of the first time.
    pub fn states(&self) -> Vec<String> {
        let mut states: Vec<String> =
            self.asked.lock().unwrap().iter().map(|(state, _)| state.clone()).collect();
        states.dedup();
        states
    }

    /// The last thing that the model was told in its last request of a state.
    pub fn told(&self, state: &str) -> String {
        let asked = self.asked.lock().unwrap();
        let last = asked.iter().rev().find(|(of, _)| of == state).map(|(_, request)| request.messages.last());
        match last.flatten() {
            Some(Message::Tool { content, .. }) => content.clone(),
            Some(Message::User { text } | Message::System { text }) => text.clone(),
            Some(Message::Assistant { text, .. }) => text.clone(),
            None => String::new(),
        }
    }
}

/// The state that asks, by the words of the latest prompt.
fn state_of(request: &ModelRequest) -> String {
    if request.output_schema.as_ref().is_some_and(|schema| schema["properties"]["process"].is_object()) {
        return "CLASSIFY".to_owned();
    }
    let fields =
        request.output_schema.as_ref().map(|schema| schema["properties"].clone()).unwrap_or_default();
    for (field, state) in [("note", "NOTE"), ("summary", "DIGEST"), ("tool", "ADVICE"), ("facts", "FACTS")] {
        if fields.get(field).is_some() {
            return state.to_owned();
        }
    }
    let said = request.messages.iter().rev().find_map(|message| match message {
        Message::User { text } => {
            text.strip_prefix("State ").map(|rest| rest.split(['.', ' ']).next().unwrap())
        }
        Message::System { .. } | Message::Assistant { .. } | Message::Tool { .. } => None,
    });
    said.unwrap_or("OTHER").to_owned()
}

/// How often the model has replied since a state first began.
fn place(request: &ModelRequest, state: &str) -> usize {
    let opening = format!("State {state}.");
    let begins = |message: &Message| matches!(message, Message::User { text } if text.starts_with(&opening));
    let since = request.messages.iter().skip_while(|message| !begins(message));
    since.filter(|message| matches!(message, Message::Assistant { .. })).count()
}

impl Model for Script {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let state = state_of(request);
        self.asked.lock().unwrap().push((state.clone(), request.clone()));
        let mut replies = self.replies.lock().unwrap();
        let said = match (replies.get_mut(&state), self.steady) {
            (Some(said), true) => said.get(place(request, &state)).cloned(),
            (Some(said), false) => said.pop_front(),
            (None, _) => None,
        };
        drop(replies);
        let plain = match state.as_str() {
            "CLASSIFY" => r#"{"process": "none"}"#,
            "DECOMPOSE" => r#"{"goal": "do it", "data_needs": []}"#,
            _ => "ok",
        };
        let reply = match said {
            Some(Said::Reply(reply)) => Ok(reply),
            Some(Said::Fails(error)) => Err(error),
            Some(Said::Stalls) => {
                self.stalled.notify_one();
                return Box::pin(std::future::pending());
            }
            None => Ok(ModelReply::text(plain)),
        };
        Box::pin(std::future::ready(reply))
    }
}

/// Rules on what a model proposes, and no outcomes.
pub const DESK: &str = r#"
process: claims_desk
title: Decide about claims at the desk
owner: accounts_payable
keywords: [deskwork]
route: [DECOMPOSE, ASSESS, COMPUTE, POLICY_CHECK, MUTATE, SCHEDULE_NOTIFY, COMPLETE]
instructions: {ASSESS: Read the invoice., COMPUTE: Propose the decision.}
decide:
  - {rule: D-1, if: 'exists(reason) && reason == "forbidden"', outcome: stop, because: "never"}
  - {rule: D-2, if: 'exists(reason) && reason == "handover"', outcome: escalate, because: "a person"}
  - {rule: D-3, if: 'exists(reason) && reason == "asked"', ask: ap_lead, because: "the lead decides"}
  - {rule: D-4, if: 'exists(invoice_id) || exists(reference) || exists(to)', ask: nobody, because: "routine"}
"#;

pub fn with_desk() -> Settings {
    let mut processes = Process::shipped().unwrap();
    processes.push(Process::parse(DESK).unwrap());
    crate::house::careful(processes)
}

pub async fn house(script: &Arc<Script>, settings: Settings, faults: &[&str]) -> House {
    House::with_models(Door::Streams, settings, faults, script.models()).await
}

pub async fn plain(script: &Arc<Script>) -> House {
    house(script, settings(), &[]).await
}

/// Performs the run again without model and tools, and finds no difference.
pub async fn performed_again(house: &House) {
    let archive = Archive {
        events: house.worker.events.clone(),
        blobs: house.worker.blobs.clone(),
        directory: house.staff.clone(),
        sandbox: None,
    };
    let calls = house.ledger().calls.len();
    let replayed = replay(&archive, &house.settings, &session("run")).await.unwrap();
    assert_eq!(replayed.difference, None);
    assert_eq!(replayed.entries as u64, house.worker.view(&session("run")).await.unwrap().entries);
    assert_eq!(house.ledger().calls.len(), calls, "a replay calls no tool");
}

/// The records of one type in the journal of a run, in order.
pub async fn noted<T: RecordType + Clone>(house: &House, run: &str) -> Vec<T> {
    records::all(&house.worker.trace(&session(run), 0, 10_000).await.unwrap())
}

/// How often something that a model asked for was refused.
pub async fn refusals(house: &House, run: &str) -> usize {
    noted::<Refused>(house, run).await.len() + noted::<LoopRefused>(house, run).await.len()
}

/// One write that is read back, and one message about it.
pub fn rejects_and_tells() -> Value {
    let rejects = json!({"invoice_id": "INV-2024-447", "reason": "as asked"});
    let mail = json!({"to": "ap@acme.example", "subject": "INV-2024-447", "body": "It was turned down."});
    json!([
        {"tool": "reject_invoice", "arguments": rejects, "check": {"status": "rejected"}},
        {"tool": "send_email", "arguments": mail},
    ])
}

pub fn read_invoice() -> Said {
    calls(&[("get_invoice", json!({"invoice_id": "INV-2024-447"}))])
}

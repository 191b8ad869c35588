//! The client and a provider that was written from the providers' own pages, on a real wire: three languages, whole and
//! streamed, and everything that a provider may do wrong.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_model::{
    Answer, Api, CallEvent, Client, Delivery, Dice, Endpoint, Fault, Patience, Retries, Secret, Witness,
};
use purple_port::{
    BoxFuture, FinishReason, Message, ModelReply, ModelRequest, Pause, Purpose, Sampling, ToolDefinition,
};
use purple_testkit::provider::{Provider, Speech, Trouble};
use purple_testkit::{Asked, call};
use serde_json::json;

const WAYS: [(Speech, Api); 3] =
    [(Speech::Anthropic, Api::Anthropic), (Speech::OpenAi, Api::OpenAi), (Speech::Ollama, Api::Ollama)];
const DELIVERIES: [Delivery; 2] = [Delivery::Whole, Delivery::Streamed];
const LIMIT: Duration = Duration::from_secs(77);

/// Waits between tries end at once; of the limits only the one that is meant ends, when the provider has stalled.
#[derive(Default)]
struct Waits {
    rings: Option<(Duration, Arc<Provider>)>,
    waited: Mutex<Vec<Duration>>,
}

impl Pause for Waits {
    fn pause(&self, duration: Duration) -> BoxFuture<'_, ()> {
        match &self.rings {
            Some((limit, provider)) if *limit == duration => Box::pin(provider.stalled()),
            _ if duration >= LIMIT => Box::pin(std::future::pending()),
            _ => {
                self.waited.lock().unwrap().push(duration);
                Box::pin(std::future::ready(()))
            }
        }
    }
}

struct NoJitter;

impl Dice for NoJitter {
    fn below(&self, _: u64) -> u64 {
        0
    }
}

#[derive(Default)]
struct Seen(Mutex<Vec<CallEvent>>);

impl Witness for Seen {
    fn saw(&self, event: &CallEvent) {
        self.0.lock().unwrap().push(event.clone());
    }
}

fn client(api: Api, url: String, delivery: Delivery, waits: Arc<Waits>) -> Client {
    let endpoint = Endpoint { api, base_url: url, key: Some(Secret::new("sk-1")), model: "asked".to_owned() };
    let patience = Patience {
        connect: Duration::from_secs(60),
        first_byte: LIMIT,
        idle: LIMIT * 2,
        total: LIMIT * 3,
        retries: Retries { retries_max: 1, ..Retries::default() },
    };
    Client::new(endpoint, delivery, patience, waits, Arc::new(NoJitter)).unwrap()
}

fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Execute,
        messages: vec![Message::System { text: "Be exact.".to_owned() }, Message::user("Find it.")],
        tools: vec![ToolDefinition::new("find", "Finds."), ToolDefinition::new("other.tool", "Does more.")],
        output_schema: None,
        sampling: Sampling::default(),
        output_tokens_max: 100,
    }
}

/// Looks twice, with numbers that no float holds, and then answers with what it found.
fn looks(request: &ModelRequest) -> ModelReply {
    match request.calls_of("find").len() {
        0 => {
            let exact: serde_json::Value =
                serde_json::from_str(r#"{"amount": 0.10000000000000000001}"#).unwrap();
            let calls = vec![call("find", exact), call("find", json!({"name": "Grüße \u{1f9fe}"}))];
            ModelReply { text: "I look.".to_owned(), ..ModelReply::calls(calls) }
        }
        _ => ModelReply::text(format!("found {}", request.last_result("find").unwrap().0)),
    }
}

#[tokio::test]
async fn a_conversation_with_tools_is_understood_in_every_language() {
    for (speech, api) in WAYS {
        for delivery in DELIVERIES {
            let provider = Provider::open(speech, Arc::new(looks)).await.unwrap();
            let client = client(api, provider.url(), delivery, Arc::default());
            let mut request = request();
            let Answer { reply, model } = client.answer(&request).await.unwrap();
            assert_eq!(
                (model.as_deref(), reply.text.as_str()),
                (Some("asked"), "I look."),
                "{api} {delivery:?}"
            );
            assert_eq!(reply.finish, FinishReason::ToolCalls);
            assert_eq!(reply.calls[0].arguments.to_string(), r#"{"amount":0.10000000000000000001}"#);
            assert_eq!(reply.calls[1].arguments, json!({"name": "Grüße \u{1f9fe}"}));
            assert!(reply.usage.unwrap().input_tokens > 20, "{api} {delivery:?}");
            request.messages.push(Message::Assistant {
                text: reply.text,
                calls: reply
                    .calls
                    .iter()
                    .enumerate()
                    .map(|(at, call)| purple_port::ToolCall { id: format!("c{at}"), ..call.clone() })
                    .collect(),
                keepsake: reply.keepsake,
            });
            for (at, content) in ["nothing", "INV-1"].into_iter().enumerate() {
                let (call_id, tool) = (format!("c{at}"), "find".to_owned());
                let content = content.to_owned();
                request.messages.push(Message::Tool { call_id, tool, content, is_error: at == 0 });
            }
            let reply = client.answer(&request).await.unwrap().reply;
            assert_eq!((reply.text.as_str(), reply.finish), ("found INV-1", FinishReason::Stop), "{api}");
            let exchanges = provider.exchanges();
            assert!(exchanges.iter().all(|one| one.is_streamed == (delivery == Delivery::Streamed)));
            let heard = exchanges[1].request.as_ref().unwrap();
            assert_eq!(heard.messages.len(), request.messages.len(), "{api}");
            assert!(matches!(&heard.messages[3], Message::Tool { is_error: true, .. }), "{api}");
        }
    }
}

#[tokio::test]
async fn a_structured_answer_is_understood_in_every_language() {
    let object = json!({"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]});
    for (schema, answer) in [(object, r#"{"kind":"order"}"#), (json!({"type": "string"}), r#""order""#)] {
        for (speech, api) in WAYS {
            for delivery in DELIVERIES {
                let brain = move |request: &ModelRequest| {
                    assert!(request.output_schema.is_some() && request.tools.is_empty());
                    ModelReply::text(answer)
                };
                let provider = Provider::open(speech, Arc::new(brain)).await.unwrap();
                let client = client(api, provider.url(), delivery, Arc::default());
                let request = ModelRequest {
                    purpose: Purpose::Plan,
                    tools: Vec::new(),
                    output_schema: Some(schema.clone()),
                    ..request()
                };
                let reply = client.answer(&request).await.unwrap().reply;
                assert_eq!(reply.text, answer, "{api} {delivery:?}");
                let heard = provider.exchanges().remove(0);
                assert_eq!(heard.request.unwrap().output_schema, Some(schema.clone()), "{api}");
                assert_eq!(heard.path == "/api/generate", api == Api::Ollama);
            }
        }
    }
}

/// Asks with one thing going wrong each time, and gives what came of it and how many requests it took.
async fn troubled(
    (speech, api): (Speech, Api),
    delivery: Delivery,
    troubles: Vec<Option<Trouble>>,
) -> (Result<Answer, Fault>, usize, Vec<Duration>) {
    let provider = Provider::open(speech, Arc::new(looks)).await.unwrap();
    provider.trouble(troubles);
    let waits = Arc::new(Waits::default());
    let answer = client(api, provider.url(), delivery, waits.clone()).answer(&request()).await;
    let waited = waits.waited.lock().unwrap().clone();
    (answer, provider.exchanges().len(), waited)
}

#[tokio::test]
async fn what_may_pass_is_tried_once_more_in_every_language() {
    let passing = |status| Trouble::Refuse { status, retry_after: None };
    for way in WAYS {
        for delivery in DELIVERIES {
            for trouble in [passing(429), passing(500), passing(503), passing(529), Trouble::CutInPiece] {
                let (answer, requests, waited) =
                    troubled(way, delivery, vec![Some(trouble.clone()), None]).await;
                assert_eq!(answer.unwrap().reply.text, "I look.", "{way:?} {trouble:?}");
                assert_eq!((requests, waited.len()), (2, 1), "{way:?} {trouble:?}");
                let (answer, requests, _) =
                    troubled(way, delivery, vec![Some(trouble.clone()), Some(trouble.clone()), None]).await;
                assert!(answer.is_err(), "{way:?} {trouble:?}");
                assert_eq!(requests, 2, "{way:?} {trouble:?}");
            }
            let asked = Trouble::Refuse { status: 429, retry_after: Some(3) };
            let (answer, _, waited) = troubled(way, delivery, vec![Some(asked), None]).await;
            assert!(answer.is_ok());
            assert_eq!(waited, [Duration::from_secs(3)], "{way:?}");
        }
    }
}

#[tokio::test]
async fn what_is_no_answer_is_never_a_reply_in_any_language() {
    let garbage = [
        Trouble::CutBeforeEnd,
        Trouble::Html,
        Trouble::Empty,
        Trouble::NotUtf8,
        Trouble::Huge(5 << 20),
        Trouble::Deep(100_000),
        Trouble::WrongSchema,
        Trouble::ErrorInside,
        Trouble::Refuse { status: 400, retry_after: None },
    ];
    for way in WAYS {
        for delivery in DELIVERIES {
            for trouble in &garbage {
                let both = vec![Some(trouble.clone()), Some(trouble.clone())];
                let (answer, ..) = troubled(way, delivery, both).await;
                assert!(answer.is_err(), "{way:?} {delivery:?} {trouble:?} {answer:?}");
            }
        }
    }
}

#[tokio::test]
async fn silence_and_stalls_have_their_own_limits_in_every_language() {
    for (speech, api) in WAYS {
        for delivery in DELIVERIES {
            for (trouble, limit) in [(Trouble::Silence, LIMIT), (Trouble::Stall, LIMIT * 2)] {
                let provider = Arc::new(Provider::open(speech, Arc::new(looks)).await.unwrap());
                provider.trouble([Some(trouble.clone())]);
                let waits = Waits { rings: Some((limit, provider.clone())), ..Waits::default() };
                let answer = client(api, provider.url(), delivery, Arc::new(waits)).answer(&request()).await;
                let told = u64::try_from(limit.as_millis()).unwrap();
                assert!(
                    matches!(answer, Err(Fault::TimedOut { limit_ms, .. }) if limit_ms == told),
                    "{api} {delivery:?} {trouble:?} {answer:?}"
                );
                provider.left().await;
            }
        }
    }
}

#[tokio::test]
async fn a_reply_that_was_cut_or_withheld_asks_for_nothing_in_any_language() {
    for (speech, api) in WAYS {
        for delivery in DELIVERIES {
            for finish in [FinishReason::Length, FinishReason::Filtered] {
                let told = finish.clone();
                let brain =
                    move |request: &ModelRequest| ModelReply { finish: told.clone(), ..looks(request) };
                let provider = Provider::open(speech, Arc::new(brain)).await.unwrap();
                let client = client(api, provider.url(), delivery, Arc::default());
                let reply = client.answer(&request()).await.unwrap().reply;
                assert!(!reply.finish.is_complete(), "{api} {delivery:?} {:?}", reply.finish);
                assert_eq!(reply.calls, [], "{api} {delivery:?}");
            }
        }
    }
}

#[tokio::test]
async fn another_model_than_was_asked_is_told_in_every_language() {
    for (speech, api) in WAYS {
        for delivery in DELIVERIES {
            let provider = Provider::open(speech, Arc::new(looks)).await.unwrap();
            provider.pretend("other-9");
            let seen = Arc::new(Seen::default());
            let client = client(api, provider.url(), delivery, Arc::default()).seen_by(seen.clone());
            client.answer(&request()).await.unwrap();
            let told = CallEvent::Answered {
                asked: "asked".to_owned(),
                answered: Some("other-9".to_owned()),
                tries: 1,
            };
            assert_eq!(*seen.0.lock().unwrap(), [told], "{api} {delivery:?}");
        }
    }
}

//! Providers that misbehave: refusals, stalls, cuts, garbage, floods. None of it becomes a reply.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use purple_model::limits::RESPONSE_BYTES_MAX;
use purple_model::{
    Answer, Api, BadAnswer, CallEvent, Client, Delivery, Dice, Endpoint, Fault, Limit, Patience, Retries,
    Secret, Witness, Words,
};
use purple_port::{
    BoxFuture, FinishReason, Message, Model, ModelError, ModelRequest, Pause, Purpose, Sampling,
    ToolDefinition,
};
use purple_testkit::provider::raw::{Act, RawProvider, answer, chunk, chunked, end};
use purple_testkit::within;
use tokio::sync::Notify;

const CONNECT: Duration = Duration::from_secs(33);
const FIRST_BYTE: Duration = Duration::from_secs(91);
const IDLE: Duration = Duration::from_secs(31);
const TOTAL: Duration = Duration::from_secs(181);

/// Waits between tries end at once and are noted; a limit ends when it is told to, and only the one that is meant.
#[derive(Default)]
struct Script {
    rings: Option<Duration>,
    ring: Arc<Notify>,
    waits: Mutex<Vec<Duration>>,
}

impl Pause for Script {
    fn pause(&self, duration: Duration) -> BoxFuture<'_, ()> {
        if self.rings == Some(duration) {
            return Box::pin(async { self.ring.notified().await });
        }
        if [FIRST_BYTE, IDLE, TOTAL].contains(&duration) {
            return Box::pin(std::future::pending());
        }
        self.waits.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}

struct NoJitter;

impl Dice for NoJitter {
    fn below(&self, _bound: u64) -> u64 {
        0
    }
}

#[derive(Default)]
struct Notes {
    words: Mutex<Vec<String>>,
    events: Mutex<Vec<CallEvent>>,
}

impl Words for Notes {
    fn words(&self, words: &str) {
        self.words.lock().unwrap().push(words.to_owned());
    }
}

impl Witness for Notes {
    fn saw(&self, event: &CallEvent) {
        self.events.lock().unwrap().push(event.clone());
    }
}

fn patience(retries_max: u32) -> Patience {
    let retries = Retries { retries_max, ..Retries::default() };
    Patience { connect: CONNECT, first_byte: FIRST_BYTE, idle: IDLE, total: TOTAL, retries }
}

fn client(api: Api, url: &str, delivery: Delivery, retries_max: u32, script: &Arc<Script>) -> Client {
    let key = Some(Secret::new("sk-secret-1234"));
    let endpoint = Endpoint { api, base_url: url.to_owned(), key, model: "asked".to_owned() };
    Client::new(endpoint, delivery, patience(retries_max), script.clone(), Arc::new(NoJitter)).unwrap()
}

fn request() -> ModelRequest {
    ModelRequest {
        purpose: Purpose::Execute,
        messages: vec![Message::user("Find it.")],
        tools: vec![ToolDefinition::new("find", "Finds.")],
        output_schema: None,
        sampling: Sampling::default(),
        output_tokens_max: 100,
    }
}

const GOOD: &str =
    r#"{"model":"answered","content":[{"type":"text","text":"Done."}],"stop_reason":"end_turn"}"#;

fn good() -> Act {
    Act::Say(answer("200 OK", "content-type: application/json\r\n", GOOD))
}

fn refused(status: &str, headers: &str) -> Act {
    let body = r#"{"type":"error","error":{"type":"some_error","message":"not with sk-secret-1234"}}"#;
    Act::Say(answer(status, headers, body))
}

/// Asks Anthropic's API at once and gives the answer, the waits in milliseconds, and how many requests came.
async fn ask(acts: Vec<Act>, retries_max: u32) -> (Result<Answer, Fault>, Vec<u128>, usize) {
    ask_by(Api::Anthropic, Delivery::Whole, acts, retries_max).await
}

async fn ask_by(
    api: Api,
    delivery: Delivery,
    acts: Vec<Act>,
    retries_max: u32,
) -> (Result<Answer, Fault>, Vec<u128>, usize) {
    let provider = RawProvider::start(acts).await.unwrap();
    let script = Arc::new(Script::default());
    let answer = client(api, &provider.url, delivery, retries_max, &script).answer(&request()).await;
    let waits = script.waits.lock().unwrap().iter().map(Duration::as_millis).collect();
    (answer, waits, provider.requests().len())
}

fn unreadable(bad: BadAnswer) -> Result<Answer, Fault> {
    Err(Fault::Unreadable(bad))
}

#[tokio::test]
async fn a_429_with_retry_after_is_waited_out_as_long_as_asked() {
    let (answer, waits, requests) = ask(vec![refused("429 Too Many", "retry-after: 7\r\n"), good()], 4).await;
    assert_eq!((answer.unwrap().model.as_deref(), waits, requests), (Some("answered"), vec![7_000], 2));
}

#[tokio::test]
async fn a_429_without_retry_after_is_waited_out_with_growing_waits() {
    let busy = || refused("429 Too Many", "");
    let (answer, waits, requests) = ask(vec![busy(), busy(), good()], 4).await;
    assert_eq!((answer.unwrap().reply.text.as_str(), waits, requests), ("Done.", vec![250, 500], 3));
}

#[tokio::test]
async fn a_wait_beyond_the_deadline_is_not_begun() {
    let (answer, waits, requests) =
        ask(vec![refused("429 Too Many", "retry-after: 3600\r\n"), good()], 4).await;
    assert!(matches!(answer, Err(Fault::Refused { status: 429, .. })), "{answer:?}");
    assert_eq!((waits, requests), (vec![], 1));
}

#[tokio::test]
async fn server_errors_are_tried_again_a_bounded_number_of_times() {
    for status in ["500 Internal", "502 Bad Gateway", "503 Unavailable", "529 Overloaded"] {
        let (answer, _, requests) = ask(vec![refused(status, ""), good()], 4).await;
        assert_eq!((answer.unwrap().reply.text.as_str(), requests), ("Done.", 2), "{status}");
        let (answer, waits, requests) = ask(vec![refused(status, ""); 3], 2).await;
        let Err(Fault::Refused { status: told, problem, retry_after: None }) = answer else {
            panic!("{answer:?}")
        };
        assert_eq!((told.to_string(), waits.len(), requests), (status[..3].to_owned(), 2, 3));
        assert_eq!(problem, "some_error: not with [key]");
    }
}

#[tokio::test]
async fn other_refusals_are_final_and_do_not_show_the_key() {
    for status in ["400 Bad Request", "401 Unauthorized", "404 Not Found", "302 Found"] {
        let (answer, waits, requests) = ask(vec![refused(status, "location: /x\r\n"), good()], 4).await;
        let fault = answer.unwrap_err();
        assert!(
            matches!(fault, Fault::Refused { .. }) && !format!("{fault:?} {fault}").contains("sk-secret"),
            "{fault:?}"
        );
        assert_eq!((waits, requests), (vec![], 1), "{status}");
    }
}

#[tokio::test]
async fn a_key_goes_into_its_header_and_nowhere_else() {
    let provider = RawProvider::start(vec![good()]).await.unwrap();
    let script = Arc::new(Script::default());
    let client = client(Api::Anthropic, &provider.url, Delivery::Whole, 0, &script);
    client.answer(&request()).await.unwrap();
    let sent = provider.requests().remove(0);
    assert!(sent.starts_with("POST /v1/messages HTTP/1.1"), "{sent}");
    assert!(
        sent.contains("x-api-key: sk-secret-1234") && sent.contains("anthropic-version: 2023-06-01"),
        "{sent}"
    );
    assert_eq!(sent.matches("sk-secret").count(), 1);
}

#[tokio::test]
async fn nobody_there_is_unreachable_after_all_tries() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let script = Arc::new(Script::default());
    let client = client(Api::Ollama, &format!("http://{nobody}"), Delivery::Streamed, 2, &script);
    let error = client.complete(&request()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert_eq!(script.waits.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_connection_that_is_never_made_has_its_own_limit() {
    // It takes the connection and never speaks TLS.
    let provider = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://{}", provider.local_addr().unwrap());
    let endpoint = Endpoint { api: Api::OpenAi, base_url: url, key: None, model: "asked".to_owned() };
    let patience = Patience { connect: Duration::from_millis(200), ..patience(0) };
    let script = Arc::new(Script::default());
    let client = Client::new(endpoint, Delivery::Whole, patience, script, Arc::new(NoJitter)).unwrap();
    let answer = client.answer(&request()).await;
    assert_eq!(answer, Err(Fault::TimedOut { limit: Limit::Connect, limit_ms: 200 }));
}

/// A limit rings once the provider has stalled; the connection is then let go.
async fn check_limit(limit: Limit, length: Duration, delivery: Delivery, said: Vec<u8>) {
    let provider = RawProvider::start(vec![Act::Stall(said)]).await.unwrap();
    let script =
        Arc::new(Script { rings: Some(length), ring: provider.stalled.clone(), waits: Mutex::default() });
    let client = client(Api::Anthropic, &provider.url, delivery, 4, &script);
    let limit_ms = u64::try_from(length.as_millis()).unwrap();
    assert_eq!(client.answer(&request()).await, Err(Fault::TimedOut { limit, limit_ms }));
    within("the client to close the connection", provider.left.notified()).await;
    assert_eq!(provider.requests().len(), 1, "what has used up its time is not tried again");
}

#[tokio::test]
async fn a_first_byte_that_never_comes_has_its_own_limit() {
    check_limit(Limit::FirstByte, FIRST_BYTE, Delivery::Whole, Vec::new()).await;
    // A head without a body is no first byte of an answer.
    check_limit(Limit::FirstByte, FIRST_BYTE, Delivery::Streamed, chunked("text/event-stream")).await;
}

#[tokio::test]
async fn a_stall_in_the_middle_has_its_own_limit() {
    let some = [chunked("text/event-stream"), chunk("event: ping\ndata: {\"type\":\"ping\"}\n\n")].concat();
    check_limit(Limit::Idle, IDLE, Delivery::Streamed, some).await;
    check_limit(Limit::Idle, IDLE, Delivery::Whole, [chunked("application/json"), chunk("{")].concat()).await;
}

#[tokio::test]
async fn everything_together_has_its_own_limit() {
    let some = [chunked("text/event-stream"), chunk(": hello\n\n")].concat();
    check_limit(Limit::Total, TOTAL, Delivery::Streamed, some).await;
}

#[tokio::test]
async fn dropping_a_call_closes_its_connection() {
    let provider = RawProvider::start(vec![Act::Stall(chunked("text/event-stream"))]).await.unwrap();
    let script = Arc::new(Script::default());
    let client = client(Api::Anthropic, &provider.url, Delivery::Streamed, 4, &script);
    let request = request();
    tokio::select! {
        answer = client.answer(&request) => panic!("{answer:?}"),
        () = within("the provider to stall", provider.stalled.notified()) => {}
    }
    within("the client to close the connection", provider.left.notified()).await;
}

/// A stream of each API that asks for a tool, in the pieces in which it may be cut.
fn streams() -> [(Api, &'static str, Vec<&'static str>); 3] {
    [
        (
            Api::Anthropic,
            "text/event-stream",
            vec![
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"answered\"}}\n\n",
                "data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n",
                "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"I look.\"}}\n\n",
                "data: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
                "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"find\",\"input\":{}}}\n\n",
                "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"amount\\\":10.10}\"}}\n\n",
                "data: {\"type\":\"content_block_stop\",\"index\":1}\n\n",
                "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n",
                "data: {\"type\":\"message_stop\"}\n\n",
            ],
        ),
        (
            Api::OpenAi,
            "text/event-stream",
            vec![
                "data: {\"model\":\"answered\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"I look.\"}}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t1\",\"function\":{\"name\":\"find\",\"arguments\":\"{\\\"amount\\\":\"}}]}}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"10.10}\"}}]}}]}\n\n",
                "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
                "data: [DONE]\n\n",
            ],
        ),
        (
            Api::Ollama,
            "application/x-ndjson",
            vec![
                "{\"model\":\"answered\",\"message\":{\"content\":\"I look.\"},\"done\":false}\n",
                "{\"message\":{\"content\":\"\",\"tool_calls\":[{\"id\":\"t1\",\"function\":{\"name\":\"find\",\"arguments\":{\"amount\":10.10}}}]},\"done\":false}\n",
                "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n",
            ],
        ),
    ]
}

#[tokio::test]
async fn a_stream_in_any_pieces_is_one_answer() {
    for (api, kind, events) in streams() {
        let text = events.concat();
        for size in [1, 7, 100_000] {
            let parts = text.as_bytes().chunks(size).map(|part| chunk(std::str::from_utf8(part).unwrap()));
            let bytes = [chunked(kind), parts.flatten().collect(), end()].concat();
            let (answer, ..) = ask_by(api, Delivery::Streamed, vec![Act::Say(bytes)], 0).await;
            let Answer { reply, model } = answer.unwrap();
            assert_eq!((model.as_deref(), reply.text.as_str()), (Some("answered"), "I look."), "{api}");
            assert_eq!((reply.finish, reply.calls[0].id.as_str()), (FinishReason::ToolCalls, "t1"), "{api}");
            assert_eq!(reply.calls[0].arguments.to_string(), "{\"amount\":10.10}", "{api}");
        }
    }
}

#[tokio::test]
async fn a_stream_that_is_cut_anywhere_is_never_a_reply() {
    for (api, kind, events) in streams() {
        let text = events.concat();
        // Where the reason of the end has been read to its end; from there on nothing of the answer is missing.
        let whole = match api {
            Api::Anthropic | Api::OpenAi => text.len() - events.last().unwrap().len(),
            Api::Ollama => text.len() - 1,
            Api::BrainOs => unreachable!("its calls are whole in themselves; see `brainos.rs`"),
        };
        let mut cuts: Vec<usize> = (0..whole).step_by(23).collect();
        cuts.push(whole - 1);
        for cut in cuts {
            // The connection breaks inside the body, and the body ends as if all had been said.
            for ending in [Vec::new(), end()] {
                let bytes = [chunked(kind), chunk_of(&text[..cut]), ending].concat();
                let (answer, ..) = ask_by(api, Delivery::Streamed, vec![Act::Say(bytes)], 0).await;
                assert_eq!(answer, unreadable(BadAnswer::Cut), "{api} cut at {cut}");
            }
        }
    }
}

/// A chunk, unless it would be the last one.
fn chunk_of(text: &str) -> Vec<u8> {
    if text.is_empty() { Vec::new() } else { chunk(text) }
}

#[tokio::test]
async fn a_cut_stream_is_tried_again_only_if_nothing_was_shown() {
    let (api, kind, events) = streams()[0].clone();
    let cut = || Act::Say([chunked(kind), chunk(&events[..4].concat())].concat());
    let (answer, waits, requests) = ask_by(api, Delivery::Streamed, vec![cut(), good()], 4).await;
    assert_eq!((answer.unwrap().reply.text.as_str(), waits.len(), requests), ("Done.", 1, 2));

    let provider = RawProvider::start(vec![cut(), good()]).await.unwrap();
    let (script, notes) = (Arc::new(Script::default()), Arc::new(Notes::default()));
    let client = client(api, &provider.url, Delivery::Streamed, 4, &script).showing(notes.clone());
    assert_eq!(client.answer(&request()).await, unreadable(BadAnswer::Cut));
    assert_eq!(*notes.words.lock().unwrap(), ["I look."]);
    assert_eq!(provider.requests().len(), 1);
}

#[tokio::test]
async fn a_witness_hears_of_waits_and_of_the_model_that_answered() {
    let provider = RawProvider::start(vec![refused("503 Unavailable", ""), good()]).await.unwrap();
    let (script, notes) = (Arc::new(Script::default()), Arc::new(Notes::default()));
    let client = client(Api::Anthropic, &provider.url, Delivery::Whole, 4, &script).seen_by(notes.clone());
    assert_eq!(client.complete(&request()).await.unwrap().text, "Done.");
    let problem = "some_error: not with [key]".to_owned();
    let fault = Fault::Refused { status: 503, problem, retry_after: None };
    let (asked, answered) = ("asked".to_owned(), Some("answered".to_owned()));
    assert_eq!(
        *notes.events.lock().unwrap(),
        [
            CallEvent::Waiting { model: asked.clone(), fault, wait: Duration::from_millis(250) },
            CallEvent::Answered { asked, answered, tries: 2 },
        ]
    );
}

#[tokio::test]
async fn garbage_is_refused_by_name_in_both_deliveries() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let html = "<!doctype html><title>Gateway</title>";
    let cases = [
        ("text/html", html, BadAnswer::Html),
        ("application/json", "", BadAnswer::Empty),
        ("application/json", "garbage", BadAnswer::NotJson { line: 1, column: 1 }),
        ("application/json", deep.as_str(), BadAnswer::TooDeep { depth_max: 96 }),
        ("application/json", "{\"content\":", BadAnswer::NotJson { line: 1, column: 11 }),
    ];
    for (kind, body, bad) in cases {
        for delivery in [Delivery::Whole, Delivery::Streamed] {
            for api in [Api::Anthropic, Api::OpenAi, Api::Ollama] {
                let said = answer("200 OK", &format!("content-type: {kind}\r\n"), body);
                let (answer, _, requests) = ask_by(api, delivery, vec![Act::Say(said)], 4).await;
                assert_eq!((answer, requests), (unreadable(bad.clone()), 1), "{api} {delivery:?}");
            }
        }
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_are_refused() {
    let mut said = answer("200 OK", "content-type: application/json\r\n", "{\"content\": \"?\"}");
    let at = said.iter().rposition(|byte| *byte == b'?').unwrap();
    said[at] = 0xff;
    let (answer, ..) = ask(vec![Act::Say(said)], 0).await;
    assert_eq!(answer, unreadable(BadAnswer::NotUtf8 { at: 13 }));
}

#[tokio::test]
async fn wrong_schemas_are_refused_and_further_fields_are_not() {
    let wrong = r#"{"content":{"type":"text"},"stop_reason":"end_turn"}"#;
    let (bad, ..) = ask(vec![Act::Say(answer("200 OK", "", wrong))], 0).await;
    assert_eq!(bad, unreadable(BadAnswer::Missing { field: "content" }));
    let more = GOOD.replacen('{', r#"{"extra":{"a":[1]},"#, 1);
    let (good, ..) = ask(vec![Act::Say(answer("200 OK", "", &more))], 0).await;
    assert_eq!(good.unwrap().reply.text, "Done.");
}

#[tokio::test]
async fn a_flood_is_let_go_at_the_bound() {
    const FIFTY_MEGABYTES: usize = 50 * 1024 * 1024;
    let cases = [
        (Delivery::Whole, "application/json", RESPONSE_BYTES_MAX),
        (Delivery::Streamed, "text/event-stream", purple_model::limits::FRAME_BYTES_MAX),
    ];
    for (delivery, kind, bytes_max) in cases {
        let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: {kind}\r\n\r\n");
        let provider =
            RawProvider::start(vec![Act::Flood(head.into_bytes(), FIFTY_MEGABYTES)]).await.unwrap();
        let script = Arc::new(Script::default());
        let client = client(Api::Anthropic, &provider.url, delivery, 4, &script);
        assert_eq!(client.answer(&request()).await, unreadable(BadAnswer::TooLarge { bytes_max }));
        within("the client to close the connection", provider.left.notified()).await;
    }
}

#[tokio::test]
async fn a_flood_of_small_events_ends_at_the_bound_of_the_whole() {
    let ping = "data: {\"type\":\"ping\"}\n\n".repeat(RESPONSE_BYTES_MAX / 20);
    let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: text/event-stream\r\n\r\n";
    let said = Act::Say([head.as_bytes(), ping.as_bytes()].concat());
    let (answer, ..) = ask_by(Api::Anthropic, Delivery::Streamed, vec![said], 4).await;
    assert_eq!(answer, unreadable(BadAnswer::TooLarge { bytes_max: RESPONSE_BYTES_MAX }));
}

#[tokio::test]
async fn a_large_refusal_is_cut_short() {
    let said = answer("400 Bad Request", "", &"n".repeat(1_000_000));
    let (answer, ..) = ask(vec![Act::Say(said)], 0).await;
    let Err(Fault::Refused { problem, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(problem, "n".repeat(512));
}

#[tokio::test]
async fn an_error_with_status_200_is_a_refusal() {
    let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#;
    let provider = RawProvider::start(vec![Act::Say(answer("200 OK", "", body))]).await.unwrap();
    let script = Arc::new(Script::default());
    let error = client(Api::Anthropic, &provider.url, Delivery::Whole, 4, &script).complete(&request()).await;
    let problem = "invalid_request_error: no".to_owned();
    let model = "asked".to_owned();
    assert_eq!(error, Err(ModelError::Refused { model, status: 200, problem, retry_after_s: None }));
}

#[tokio::test]
async fn an_overload_with_status_200_is_told_as_one_that_passes() {
    let kinds = [("overloaded_error", 529), ("rate_limit_error", 429), ("api_error", 500)];
    for (kind, expected) in kinds {
        let body = format!(r#"{{"type":"error","error":{{"type":"{kind}","message":"busy"}}}}"#);
        let provider = RawProvider::start(vec![Act::Say(answer("200 OK", "", &body))]).await.unwrap();
        let script = Arc::new(Script::default());
        let error =
            client(Api::Anthropic, &provider.url, Delivery::Whole, 0, &script).complete(&request()).await;
        let Err(ModelError::Refused { status, .. }) = error else { panic!("{error:?}") };
        assert_eq!(status, expected, "{kind}");
    }
}

#[tokio::test]
async fn a_wait_that_is_longer_than_a_call_is_told_to_who_asks_again_later() {
    let said = answer("429 Too Many Requests", "Retry-After: 3600\r\n", "busy");
    let provider = RawProvider::start(vec![Act::Say(said)]).await.unwrap();
    let script = Arc::new(Script::default());
    let error = client(Api::Anthropic, &provider.url, Delivery::Whole, 4, &script).complete(&request()).await;
    let Err(ModelError::Refused { status: 429, retry_after_s, .. }) = error else { panic!("{error:?}") };
    assert_eq!(retry_after_s, Some(3_600));
    assert_eq!(provider.requests().len(), 1);
}

#[tokio::test]
async fn an_error_with_status_200_does_not_show_the_key_either() {
    // The key lies across the place where long words are cut.
    let message = format!("{} sk-secret-1234", "x".repeat(505));
    let body = format!(r#"{{"error":{{"type":"sk-secret-1234","message":"{message}"}}}}"#);
    let stream = [chunked("text/event-stream"), chunk(&format!("data: {body}\n\n")), end()].concat();
    for (delivery, said) in [(Delivery::Whole, answer("200 OK", "", &body)), (Delivery::Streamed, stream)] {
        let (answer, ..) = ask_by(Api::OpenAi, delivery, vec![Act::Say(said)], 4).await;
        let Err(Fault::Unreadable(BadAnswer::Error { kind, message })) = answer else { panic!("{answer:?}") };
        assert_eq!((kind.as_str(), message), ("[key]", format!("{} [key]", "x".repeat(505))));
    }
}

#[tokio::test]
async fn a_reply_that_ended_at_its_length_is_told_as_cut_and_asks_for_nothing() {
    let body =
        r#"{"content":[{"type":"tool_use","id":"t","name":"find","input":{}}],"stop_reason":"max_tokens"}"#;
    let (answer, ..) = ask(vec![Act::Say(answer("200 OK", "", body))], 0).await;
    let reply = answer.unwrap().reply;
    assert_eq!((reply.finish, reply.calls.len()), (FinishReason::Length, 0));
}

#[tokio::test]
async fn a_request_that_says_nothing_is_not_sent() {
    let provider = RawProvider::start(vec![good()]).await.unwrap();
    let script = Arc::new(Script::default());
    let nothing = ModelRequest { messages: Vec::new(), ..request() };
    let error =
        client(Api::OpenAi, &provider.url, Delivery::Whole, 4, &script).complete(&nothing).await.unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 400, .. }), "{error}");
    assert_eq!(provider.requests().len(), 0);
}

#[tokio::test]
async fn addresses_and_keys_that_cannot_be_used_are_refused_at_once() {
    for base_url in ["", "localhost:1", "ftp://a", "file:///etc"] {
        let endpoint =
            Endpoint { api: Api::Ollama, base_url: base_url.to_owned(), key: None, model: "m".to_owned() };
        let script = Arc::new(Script::default());
        let made = Client::new(endpoint, Delivery::Whole, patience(0), script, Arc::new(NoJitter));
        assert!(made.is_err(), "{base_url}");
    }
    let key = Some(Secret::new("sk-\u{7}"));
    let endpoint = Endpoint { api: Api::OpenAi, base_url: "http://a".to_owned(), key, model: "m".to_owned() };
    let made =
        Client::new(endpoint, Delivery::Whole, patience(0), Arc::new(Script::default()), Arc::new(NoJitter));
    assert_eq!(
        made.err().unwrap().to_string(),
        "the key for OpenAI chat completions has characters that cannot be sent"
    );
}

#[tokio::test]
async fn without_a_model_the_refusal_says_what_would_provide_one() {
    let error = purple_model::Offline.complete(&request()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "no model can answer: working on a task without a playbook needs a language model, and none is configured; \
         set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST"
    );
}

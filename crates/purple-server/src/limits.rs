//! Every bound of the door, its unit in its name.

use std::time::Duration;

use purple_port::limits::{DEDUP_BYTES_MAX, EVENT_BYTES_MAX};

/// How long a caller who calls a task off waits for its end. What is under way ends first; the task says how it went.
pub const CANCEL_WITHIN: Duration = Duration::from_secs(3);

/// The largest request body, in bytes. Words, rules and envelope of one event fit in it.
pub const BODY_BYTES_MAX: usize = 1024 * 1024;
/// The longest time that a body may take to arrive, where the operator does not say.
pub const BODY_WITHIN: Duration = Duration::from_secs(30);
/// The longest message id, in bytes. It is kept for ever.
pub const MESSAGE_ID_BYTES_MAX: usize = 200;
/// The longest address of a tool server in a request, in bytes.
pub const ENDPOINT_BYTES_MAX: usize = 2_048;
/// The longest token, scheme, credentials or id of a notification config, in bytes.
pub const PUSH_TEXT_BYTES_MAX: usize = 2_048;
/// The most notification configs of one context.
pub const PUSH_CONFIGS_MAX: usize = 16;
/// How long the receiver of a notification may take.
pub const PUSH_WITHIN: Duration = Duration::from_secs(15);
/// How long the receiver of a notification may take to be reached.
pub const PUSH_CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// The most parts of one message.
pub const PARTS_MAX: usize = 64;
/// The longest text of a request that an error repeats, in characters.
pub const ECHO_CHARS_MAX: usize = 80;
/// Journal entries that are read at once.
pub const JOURNAL_PAGE: usize = 500;
/// The most tasks on one page of a list.
pub const PAGE_TASKS_MAX: u32 = 100;
/// Tasks on a page of a list where the request does not say.
pub const PAGE_TASKS: u32 = 50;
/// How long a request that waits for its answer is held, where the operator does not say.
/// Callers that give up after 90 s are answered before.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(80);
/// A silent stream is kept alive this often, so that no proxy cuts it.
pub const KEEP_ALIVE_EVERY: Duration = Duration::from_secs(15);
/// How long open requests may take to end after the server was told to stop.
pub const DRAIN_WITHIN: Duration = Duration::from_secs(10);
/// The most connections at a time. Further ones wait until one ends.
pub const CONNECTIONS_MAX: usize = 2_048;
/// How long the headers of a request may take to arrive, and how long a connection may be idle before them, where
/// the operator does not say.
pub const HEADERS_WITHIN: Duration = Duration::from_secs(30);
/// The largest headers of a request, in bytes.
pub const HEADER_BYTES_MAX: usize = 64 * 1024;
/// How long a TLS handshake may take.
pub const HANDSHAKE_WITHIN: Duration = Duration::from_secs(10);
/// How long to wait before the next connection is taken when there is no room for one.
pub const ACCEPT_AGAIN: Duration = Duration::from_millis(50);
/// Requests that a caller may make in a minute, where the operator does not say.
pub const REQUESTS_PER_MINUTE: u32 = 6_000;
/// How often a minute an address may show a token that opens nothing.
pub const STRANGERS_PER_MINUTE: u32 = 60;
/// The time in which an empty bucket of requests is full again.
pub const RATE_WINDOW: Duration = Duration::from_secs(60);
/// The most callers whose requests are counted at a time.
pub const BUCKETS_MAX: usize = 10_000;
/// The most streams that one caller follows at a time.
pub const STREAMS_PER_CALLER_MAX: usize = 512;
/// Journal entries that are counted at once.
pub const FIGURES_PAGE: usize = 2_000;
/// The most label sets of one metric; further ones are counted together.
pub const LABELS_MAX: usize = 1_000;
/// A decision that was made sooner than this after the question counts as fast, in milliseconds.
pub const FAST_APPROVAL_MS: u64 = 5_000;
/// Turns of a history of the older endpoint that are kept word for word.
pub const OLDER_TURNS_KEPT: usize = 6;
/// The longest history of the older endpoint that is kept word for word, in characters: some 8,000 tokens.
pub const OLDER_HISTORY_CHARS_MAX: usize = 32_000;
/// The longest summary of what is not kept word for word, in words.
pub const OLDER_SUMMARY_WORDS_MAX: usize = 200;
/// The most words of one turn in that summary.
pub const OLDER_TURN_WORDS_MAX: usize = 24;
/// When to come again where nothing can be taken now, in seconds.
pub const NOT_NOW_S: u64 = 5;
/// How long a card may be kept by those who read it, in seconds.
pub const CARD_AGE_SECONDS: u32 = 300;

const _: () = assert!(EVENT_BYTES_MAX < BODY_BYTES_MAX);
// A dedup key is a word, a person of at most 128 bytes and a message id.
const _: () = assert!(MESSAGE_ID_BYTES_MAX + 128 + 16 < DEDUP_BYTES_MAX);
/// The longest time that the receiver of a notice may take to take the connection.
pub const NOTICE_CONNECT_WITHIN: Duration = Duration::from_secs(5);
/// The longest time that the receiver of a notice may take to answer.
pub const NOTICE_WITHIN: Duration = Duration::from_secs(15);

const _: () = assert!(NOTICE_CONNECT_WITHIN.as_millis() < NOTICE_WITHIN.as_millis());

//! Every bound of this room, its unit in its name.

/// The longest answer that is read, in bytes: a line on a stream, an event or body over HTTP.
pub const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// The longest words of a server that are repeated in a reason or a refusal, in bytes.
pub const WORDS_BYTES_MAX: usize = 2 * 1024;

/// The longest wait for a server to start and to greet us, in milliseconds.
pub const CONNECT_MS_MAX: u64 = 45_000;
/// How much of that a program of unknown era has to answer the newer greeting, in milliseconds. Then it is started anew
/// and greeted in the older way: an answer that comes late must not be taken for one to the other greeting.
pub const GREETING_MS_MAX: u64 = 20_000;
/// The longest wait for one candidate address while a base URL is probed, in milliseconds.
pub const PROBE_MS_MAX: u64 = 12_000;
/// The longest wait for a TCP connection, in milliseconds.
pub const TCP_MS_MAX: u64 = 5_000;
/// The longest wait for all pages of one server's list, in milliseconds.
pub const LIST_MS_MAX: u64 = 30_000;
/// How long a server may take to hear that a request was given up, and a program to leave, in milliseconds.
pub const GIVE_UP_MS_MAX: u64 = 1_000;
/// The first pause after a server could not be reached twice, in milliseconds; it doubles each time.
pub const BACKOFF_MS_MIN: u64 = 250;
/// The longest pause between two tries to reach a server, in milliseconds.
pub const BACKOFF_MS_MAX: u64 = 30_000;

/// The most pages of a list that are read.
pub const LIST_PAGES_MAX: usize = 64;
/// The most tools of one server.
pub const LIST_TOOLS_MAX: usize = 4_096;
/// The largest definition of one tool, in bytes.
pub const DEFINITION_BYTES_MAX: usize = 256 * 1024;
/// The most servers at URLs that came with requests, at the same time. The one unused for longest is let go.
pub const VISITED_SERVERS_MAX: usize = 32;

/// How many deadlines a call may last whose server tells of its progress, before it counts as lost all the same.
pub const PROGRESS_DEADLINES_MAX: u32 = 6;
/// How old a list may be by which a tool is compared with what was first seen, in milliseconds. A server that says that
/// its tools have changed, or to which a new connection was made, is asked at once.
pub const LIST_FRESH_MS_MAX: u64 = 5_000;

/// The most questions that one call may have for a person.
pub const QUESTIONS_MAX: usize = 8;
/// The longest question, with the form of its answer, in bytes.
pub const QUESTION_BYTES_MAX: usize = 16 * 1024;
/// The longest note that a server may want to see again with the answers, in bytes.
pub const REQUEST_STATE_BYTES_MAX: usize = 64 * 1024;

/// The longest wait for one answer of an authorization server, in milliseconds.
pub const OAUTH_MS_MAX: u64 = 10_000;
/// The longest answer of an authorization server, in bytes.
pub const OAUTH_ANSWER_BYTES_MAX: usize = 256 * 1024;
/// How many logins a server may want in a row, without letting a request in between.
pub const LOGINS_IN_A_ROW_MAX: u32 = 2;

/// The most compiled schemas that are kept.
pub const VALIDATORS_MAX: usize = 1_024;
/// The most complaints about one set of arguments.
pub const COMPLAINTS_MAX: usize = 16;
/// How far a pattern in a schema may backtrack, in steps.
pub const PATTERN_STEPS_MAX: usize = 100_000;

const _: () = assert!(WORDS_BYTES_MAX < DEFINITION_BYTES_MAX);
const _: () = assert!(DEFINITION_BYTES_MAX < ANSWER_BYTES_MAX);
const _: () = assert!(TCP_MS_MAX < PROBE_MS_MAX);
const _: () = assert!(PROBE_MS_MAX < CONNECT_MS_MAX);
const _: () = assert!(2 * GREETING_MS_MAX < CONNECT_MS_MAX);
const _: () = assert!(OAUTH_MS_MAX < PROBE_MS_MAX);
const _: () = assert!(OAUTH_ANSWER_BYTES_MAX < ANSWER_BYTES_MAX);
const _: () = assert!(BACKOFF_MS_MIN < BACKOFF_MS_MAX);

//! Every bound of the worker, its unit in its name.

/// The largest saved session, in bytes. Documents and transcripts live in blobs.
pub const SESSION_BYTES_MAX: usize = 256 * 1024;
/// The longest task or message, in bytes.
pub const TASK_BYTES_MAX: usize = 64 * 1024;
/// The largest event, in bytes: the longest task in JSON, where each of its bytes may become two, and what surrounds it.
pub const EVENT_BYTES_MAX: usize = 2 * TASK_BYTES_MAX + 16 * 1024;
/// The largest journal entry, in bytes. What is longer lives in a blob, and the entry names its hash.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;
/// The largest kept result of a step, in bytes. What is longer lives in a blob, and the result names its hash.
pub const STEP_BYTES_MAX: usize = 128 * 1024;
/// The largest summary of a session, in bytes. Every commit of a session writes it again.
pub const SUMMARY_BYTES_MAX: usize = 4 * 1024;
/// The largest notice, in bytes.
pub const NOTICE_BYTES_MAX: usize = 64 * 1024;
/// The longest id that a sender gives a command, in bytes.
pub const COMMAND_ID_BYTES_MAX: usize = 256;
/// The longest dedup key, in bytes. It is kept for ever.
pub const DEDUP_BYTES_MAX: usize = 512;
/// The longest business key that a session claims, in bytes. It is kept for ever.
pub const CLAIM_BYTES_MAX: usize = 512;
/// The largest remembered case, in bytes as JSON, its text and its entities included.
pub const CASE_BYTES_MAX: usize = 64 * 1024;
/// The largest stop of the operator, in bytes as JSON, its reason included.
pub const HALT_BYTES_MAX: usize = 8 * 1024;
/// The largest token without its secret, in bytes as JSON.
pub const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// The most tokens, revoked ones included.
pub const TOKENS_MAX: usize = 10_000;
/// The largest watcher of a session, in bytes as JSON.
pub const WATCHER_BYTES_MAX: usize = 16 * 1024;
/// The most watchers of one session.
pub const WATCHERS_MAX: usize = 64;
/// The largest blob, in bytes.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;

const _: () = assert!(SUMMARY_BYTES_MAX < ENTRY_BYTES_MAX);
const _: () = assert!(ENTRY_BYTES_MAX < EVENT_BYTES_MAX);
const _: () = assert!(TASK_BYTES_MAX < EVENT_BYTES_MAX);
const _: () = assert!(EVENT_BYTES_MAX < SESSION_BYTES_MAX);
const _: () = assert!(SESSION_BYTES_MAX < BLOB_BYTES_MAX);

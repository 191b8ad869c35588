//! Every bound of the worker, its unit in its name.

/// The largest saved session, in bytes. Documents and transcripts live in blobs.
pub const SESSION_BYTES_MAX: usize = 256 * 1024;
/// The largest event, in bytes. A longer text is put into a blob first.
pub const EVENT_BYTES_MAX: usize = 128 * 1024;
/// The largest journal entry, in bytes. What is longer lives in a blob, and the entry names its hash.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;
/// The largest blob, in bytes.
pub const BLOB_BYTES_MAX: usize = 64 * 1024 * 1024;

const _: () = assert!(ENTRY_BYTES_MAX < EVENT_BYTES_MAX);
const _: () = assert!(EVENT_BYTES_MAX < SESSION_BYTES_MAX);
const _: () = assert!(SESSION_BYTES_MAX < BLOB_BYTES_MAX);

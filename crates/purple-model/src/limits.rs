//! Every bound of this room, its unit in its name.

/// The largest answer of a provider, in bytes, streamed or not.
pub const RESPONSE_BYTES_MAX: usize = 4 * 1024 * 1024;
/// The largest single event of a stream, in bytes.
pub const FRAME_BYTES_MAX: usize = 1024 * 1024;
/// How much of a refusal's body is read, in bytes.
pub const REFUSAL_BYTES_MAX: usize = 64 * 1024;
/// How much of what a provider says about a fault is kept, in bytes.
pub const PROBLEM_BYTES_MAX: usize = 512;
/// How much of the name of the model that answered is kept, in bytes.
pub const MODEL_NAME_BYTES_MAX: usize = 128;
/// How deep the JSON of an answer, or of the arguments of a call, may be nested, in levels.
pub const JSON_DEPTH_MAX: usize = 96;
/// The longest tool name on the wire, in bytes.
pub const TOOL_NAME_BYTES_MAX: usize = 64;
/// The longest id of a call on the wire, in bytes.
pub const CALL_ID_BYTES_MAX: usize = 40;
/// The longest id of a conversation that another side remembers, in bytes.
pub const CONVERSATION_ID_BYTES_MAX: usize = 128;
/// How long a delegate that was down is not asked, in seconds.
pub const DELEGATE_REST_S: u64 = 30;
/// The most tools in one request.
pub const TOOLS_MAX: usize = 128;
/// The longest description of a tool for OpenAI, in bytes.
pub const OPENAI_DESCRIPTION_BYTES_MAX: usize = 1024;
/// The most stop texts that OpenAI takes.
pub const OPENAI_STOPS_MAX: usize = 4;
/// The context that Ollama is asked for, in tokens. Its own default is smaller and cuts a prompt without a word.
pub const OLLAMA_CONTEXT_TOKENS: u32 = 16_384;

const _: () = assert!(FRAME_BYTES_MAX < RESPONSE_BYTES_MAX);
const _: () = assert!(PROBLEM_BYTES_MAX < REFUSAL_BYTES_MAX);
const _: () = assert!(JSON_DEPTH_MAX < 128, "serde_json reads no deeper than 127 levels");

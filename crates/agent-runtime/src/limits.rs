//! Bounds of one run, each with its unit in the name.

use serde::{Deserialize, Serialize};

/// What a run may use. Checked before anything more is asked for, so a run uses at most one answer more.
///
/// An answer that needs nothing further is taken even if it arrives over a limit: its price is paid already.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// How often EXECUTE may be entered.
    pub iterations_max: u16,
    /// How long the answers may take together, in milliseconds.
    pub time_ms_max: u64,
    /// How many new tokens may be spent: output, and input that was not sent before.
    pub tokens_max: u64,
    /// The longest single reply that is asked for, in tokens.
    pub output_tokens_max: u32,
    /// The largest reply that is read, in bytes of text, arguments and keepsake.
    pub reply_bytes_max: u32,
    /// How many calls one reply may hold.
    pub calls_per_reply_max: u16,
    /// The largest tool result that is recorded, in bytes.
    pub result_bytes_max: u32,
    /// How many messages the conversation may have, earlier ones included.
    pub messages_max: u32,
}

impl Limits {
    /// The limits of [`Limits::default`].
    pub const DEFAULT: Self = Self {
        iterations_max: 20,
        time_ms_max: 5 * 60 * 1000,
        tokens_max: 10_000,
        output_tokens_max: 4_096,
        reply_bytes_max: 256 * 1024,
        calls_per_reply_max: 32,
        result_bytes_max: 64 * 1024,
        messages_max: 1_000,
    };

    /// Each limit's name, its value and what happens at it, in the order of the fields.
    pub fn rows(&self) -> [(&'static str, u64, &'static str); 8] {
        let Self {
            iterations_max,
            time_ms_max,
            tokens_max,
            output_tokens_max,
            reply_bytes_max,
            calls_per_reply_max,
            result_bytes_max,
            messages_max,
        } = self;
        [
            ("iterations_max", u64::from(*iterations_max), "HALT, `iteration_limit`"),
            ("time_ms_max", *time_ms_max, "HALT, `timeout`"),
            ("tokens_max", *tokens_max, "HALT, `token_limit`"),
            ("output_tokens_max", u64::from(*output_tokens_max), "sent with each request"),
            ("reply_bytes_max", u64::from(*reply_bytes_max), "HALT, `reply_too_large`"),
            ("calls_per_reply_max", u64::from(*calls_per_reply_max), "HALT, `too_many_calls`"),
            ("result_bytes_max", u64::from(*result_bytes_max), "the observation is an error that says so"),
            ("messages_max", u64::from(*messages_max), "HALT, `message_limit`"),
        ]
    }

    /// The name of a limit that is zero: with it nothing could ever happen.
    pub(crate) fn zero(&self) -> Option<&'static str> {
        self.rows().into_iter().find(|(_, value, _)| *value == 0).map(|(name, _, _)| name)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}

const _: () = assert!(Limits::DEFAULT.output_tokens_max as u64 <= Limits::DEFAULT.tokens_max);
const _: () = assert!(Limits::DEFAULT.result_bytes_max <= Limits::DEFAULT.reply_bytes_max);
// A run may take all its iterations with several calls in each before the conversation is full.
const _: () = assert!(
    Limits::DEFAULT.iterations_max as u32 * (1 + Limits::DEFAULT.calls_per_reply_max as u32)
        <= Limits::DEFAULT.messages_max
);

//! Notices when a run goes round without getting anywhere.
//!
//! Signals are opaque: the tracker only knows whether two of them are alike.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A fingerprint of one round. Equal rounds have equal signals, on every machine and in every version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Signal(u64);

impl Signal {
    /// The signal of some text.
    pub fn of_text(text: &str) -> Self {
        let mut mixed = Mixer::new();
        mixed.text(text);
        Self(mixed.0)
    }

    /// The signal of several values in order. Fields of an object count in the order of their names.
    pub fn of_values<'a>(values: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut mixed = Mixer::new();
        for value in values {
            mixed.value(value);
        }
        Self(mixed.0)
    }
}

/// FNV-1a. It guards nothing: a collision could at worst make two rounds look alike.
struct Mixer(u64);

impl Mixer {
    const fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
        // No UTF-8 text holds this byte, so that neighbours cannot run into each other.
        self.bytes(&[0xff]);
    }

    /// Walks without recursion; each part is preceded by its kind and closed by its length.
    fn value(&mut self, value: &Value) {
        let mut open = vec![value];
        while let Some(value) = open.pop() {
            match value {
                Value::Null => self.text("null"),
                Value::Bool(truth) => self.text(if *truth { "true" } else { "false" }),
                Value::Number(number) => {
                    self.bytes(b"n");
                    self.text(number.as_str());
                }
                Value::String(text) => {
                    self.bytes(b"s");
                    self.text(text);
                }
                Value::Array(items) => {
                    self.bytes(b"a");
                    self.text(&items.len().to_string());
                    open.extend(items.iter().rev());
                }
                Value::Object(fields) => {
                    self.bytes(b"o");
                    let mut sorted: Vec<(&String, &Value)> = fields.iter().collect();
                    sorted.sort_unstable_by_key(|(name, _)| *name);
                    self.text(&sorted.len().to_string());
                    sorted.iter().for_each(|(name, _)| self.text(name));
                    open.extend(sorted.into_iter().rev().map(|(_, field)| field));
                }
            }
        }
    }
}

/// Remembers the signals of the last rounds and compares them.
///
/// The loop records one signal after each OBSERVE, made of the calls and their results.
/// A [`crate::Policy`] sees the tracker in the [`crate::State`] and decides what it means.
///
/// ```
/// use agent_runtime::{ProgressTracker, Signal};
///
/// let mut tracker = ProgressTracker::default();
/// for text in ["a", "b", "b", "b"] {
///     tracker.record(Signal::of_text(text));
/// }
/// assert_eq!(tracker.repeats(), 3);
/// assert_eq!(tracker.times_seen(Signal::of_text("a")), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProgressTracker {
    recent: VecDeque<Signal>,
}

impl ProgressTracker {
    /// How many rounds are remembered.
    pub const SIGNALS_MAX: usize = 64;

    /// Adds the signal of the latest round and forgets the oldest when there are too many.
    pub fn record(&mut self, signal: Signal) {
        if self.recent.len() >= Self::SIGNALS_MAX {
            self.recent.pop_front();
        }
        self.recent.push_back(signal);
    }

    /// How many of the last rounds in a row were alike: 0 before the first, 1 when the latest is new.
    pub fn repeats(&self) -> usize {
        let Some(latest) = self.recent.back() else { return 0 };
        self.recent.iter().rev().take_while(|signal| *signal == latest).count()
    }

    /// How many of the remembered rounds had this signal.
    pub fn times_seen(&self, signal: Signal) -> usize {
        self.recent.iter().filter(|seen| **seen == signal).count()
    }

    /// The latest signal.
    pub fn latest(&self) -> Option<Signal> {
        self.recent.back().copied()
    }

    pub(crate) fn is_sound(&self) -> bool {
        self.recent.len() <= Self::SIGNALS_MAX
    }
}

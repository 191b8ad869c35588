//! Where a model is, and how it is spoken to.

use std::fmt;

use crate::secret::Secret;

/// The language of a provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Api {
    /// Anthropic Messages.
    Anthropic,
    /// OpenAI chat completions, and whoever speaks like it.
    OpenAi,
    /// Ollama.
    Ollama,
    /// The copilot of a BrainOS platform.
    BrainOs,
}

impl fmt::Display for Api {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Anthropic => "Anthropic Messages",
            Self::OpenAi => "OpenAI chat completions",
            Self::Ollama => "Ollama",
            Self::BrainOs => "BrainOS copilot",
        })
    }
}

/// One model at one place.
#[derive(Clone, Debug)]
pub struct Endpoint {
    /// Its language.
    pub api: Api,
    /// Where it is, without a slash at the end. For OpenAI with the version (`…/v1`).
    pub base_url: String,
    /// The key, if it wants one.
    pub key: Option<Secret>,
    /// The model's name there.
    pub model: String,
}

/// Whether an answer comes in pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    /// At once, when it is complete.
    Whole,
    /// In pieces; the idle limit then notices a provider that has stopped.
    Streamed,
}

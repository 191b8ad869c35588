//! Talks to language models: Anthropic Messages, OpenAI-compatible chat completions, Ollama, a BrainOS copilot, and none.
//!
//! [`Client`] and [`Offline`] are the worker's `Model` port. [`choose()`] picks a provider from plain settings.
//!
//! ```
//! use purple_model::{Choice, ModelSettings, Secret, choose};
//!
//! let settings = ModelSettings { anthropic_key: Some(Secret::new("sk-…")), ..ModelSettings::default() };
//! let Choice::Provider { fast, strong } = choose(&settings) else { panic!("a key was set") };
//! assert_eq!((fast.model.as_str(), strong.model.as_str()), ("claude-haiku-4-5", "claude-sonnet-4-6"));
//! assert!(matches!(choose(&ModelSettings::default()), Choice::Offline));
//! ```

pub mod limits;

mod choose;
mod endpoint;
mod offline;
mod secret;

mod stream;
mod wire;

mod fault;
mod retry;

mod client;
mod delegate;

pub use choose::{Choice, ModelSettings, choose};
pub use client::{Answer, BadEndpoint, CallEvent, Client, Patience, Witness, Words};
pub use delegate::delegated;
pub use endpoint::{Api, Delivery, Endpoint};
pub use fault::{Fault, Limit};
pub use offline::Offline;
pub use retry::{Dice, Retries};
pub use secret::Secret;
pub use wire::{BadAnswer, BadRequest};

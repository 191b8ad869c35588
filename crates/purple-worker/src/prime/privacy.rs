//! Refuses a task that holds a secret, or that asks for one, before any model or tool sees it.
//!
//! There is nothing to switch: the guard takes the text and nothing else, and no words in it make it look away.
//! Everything is linear in the text, whose size the doors bound.

mod asking;
mod card;
mod fold;
mod literal;
mod number;
mod redact;

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a task is refused for, as a stable word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PrivacyCode {
    /// A social security number.
    Ssn,
    /// The number of a payment card.
    CardNumber,
    /// A password, a private key or a token.
    Credential,
    /// The key of a programming interface.
    ApiKey,
    /// The task asks to show or send a secret.
    SecretRequest,
    /// The task asks to show or send a person's number, card or medical record.
    Disclosure,
}

impl PrivacyCode {
    /// The stable word.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Ssn => "privacy.ssn",
            Self::CardNumber => "privacy.card_number",
            Self::Credential => "privacy.credential",
            Self::ApiKey => "privacy.api_key",
            Self::SecretRequest => "privacy.secret_request",
            Self::Disclosure => "privacy.disclosure",
        }
    }

    /// Whether it is a secret itself, and not only a request for one.
    pub(crate) const fn is_literal(self) -> bool {
        match self {
            Self::Ssn | Self::CardNumber | Self::Credential | Self::ApiKey => true,
            Self::SecretRequest | Self::Disclosure => false,
        }
    }

    const fn message(self) -> &'static str {
        match self {
            Self::Ssn => "the task contains a social security number",
            Self::CardNumber => "the task contains the number of a payment card",
            Self::Credential => "the task contains a password, a private key or a token",
            Self::ApiKey => "the task contains an API key",
            Self::SecretRequest => "the task asks to show or send a secret",
            Self::Disclosure => "the task asks to show or send a person's protected data",
        }
    }

    const fn help(self) -> &'static str {
        match self {
            Self::Ssn => "name the person by employee id or customer id and send the task again",
            Self::CardNumber => "name the card by its last four digits and send the task again",
            Self::Credential | Self::ApiKey => {
                "treat it as exposed and replace it, then send the task again without it"
            }
            Self::SecretRequest => "ask for a reset or a rotation, or ask the owner of the system",
            Self::Disclosure => "ask the person, or those who are in charge of the record",
        }
    }
}

impl fmt::Display for PrivacyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// The guard's no. It never repeats what it found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    /// What was found.
    pub(crate) code: PrivacyCode,
    /// What was found, for people.
    pub(crate) message: &'static str,
    /// What to do next.
    pub(crate) help: &'static str,
}

impl Refusal {
    /// The no for this reason.
    pub(crate) const fn of(code: PrivacyCode) -> Self {
        Self { code, message: code.message(), help: code.help() }
    }
}

/// Answers whether a task may be looked at.
pub(crate) fn guard(text: &str) -> Result<(), Refusal> {
    let folded = fold::fold(text);
    // What stands in the text weighs more than what is asked, and the longer of two readings is the better one.
    let found = literal::find(&folded.text)
        .into_iter()
        .min_by_key(|found| (found.range.start, std::cmp::Reverse(found.range.end)))
        .map(|found| found.code);
    match found.or_else(|| asking::find(&folded.text)) {
        Some(code) => Err(Refusal::of(code)),
        None => Ok(()),
    }
}

/// The text with its secrets masked, as it is journaled. Masking twice changes nothing more.
pub fn redact(text: &str) -> String {
    redact::redact(text)
}

/// The value with its secrets masked: in every text, and whole where a key says that it is one.
pub fn redact_json(value: Value) -> Value {
    redact::redact_json(value)
}

#[cfg(test)]
#[path = "privacy_tests.rs"]
mod tests;

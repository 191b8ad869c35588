//! Why a text is rejected.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason why the guard rejects a text.
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
    /// The stable identifier, as it is written to journals and answers.
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

    /// Whether the text contains the secret itself, as opposed to a request for one.
    pub const fn is_literal(self) -> bool {
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

/// A rejection by the guard. It never repeats the text that was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// The reason.
    pub code: PrivacyCode,
    /// The reason as a sentence without its full stop.
    pub message: &'static str,
    /// What the sender can do instead.
    pub help: &'static str,
}

impl Refusal {
    /// The rejection for this reason.
    pub const fn of(code: PrivacyCode) -> Self {
        Self { code, message: code.message(), help: code.help() }
    }
}

//! Processes and functions that were not shipped: written by a model, drafted from a run, or brought by a person.
//!
//! A definition changes how a task is attempted. What it may allow, only a person's signature on exactly its bytes adds.

use agent_runtime::model::BoxFuture;
use jiff::Timestamp;
use purple_journal::word::DefinitionKind;
use purple_process::{Digest, PersonId, SessionId};
use serde::{Deserialize, Serialize};

use crate::error::EngineError;

/// The longest text of a definition, in bytes: what a process file may have.
pub const DEFINITION_BYTES_MAX: usize = 256 * 1024;
/// The most definitions that are kept.
pub const DEFINITIONS_MAX: usize = 500;

/// What the name of a function begins with that could not be made: it is kept to be looked at, and so that not every
/// similar task asks for it again. No function has such a name.
pub const NOT_MADE: &str = "not_made.";

/// Where a definition comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Origin {
    /// A model wrote it, in a run.
    Model {
        /// The run.
        run: SessionId,
        /// The model, as the operator calls it.
        model: String,
    },
    /// It was drafted from a run that was approved and verified.
    Run {
        /// The run.
        run: SessionId,
    },
    /// A person brought or changed it.
    Person {
        /// Who.
        by: PersonId,
    },
}

/// A person's signature. It is on the digest: a changed text is unsigned.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Signed {
    /// Who signed.
    pub by: PersonId,
    /// When.
    pub at: Timestamp,
    /// What.
    pub digest: Digest,
}

/// One definition with its provenance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Defined {
    /// What it defines.
    pub kind: DefinitionKind,
    /// Its name; there is one of a kind.
    pub name: String,
    /// A process file as it was written, or a function with its cases as JSON.
    pub text: String,
    /// Where it comes from.
    pub origin: Origin,
    /// When it was written.
    pub at: Timestamp,
    /// Who signed it.
    pub signed: Option<Signed>,
    /// Why it is not used any more.
    pub quarantined: Option<String>,
}

impl Defined {
    /// The digest of its text.
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }

    /// Whether it only tells of a function that could not be made.
    #[must_use]
    pub fn is_not_made(&self) -> bool {
        self.kind == DefinitionKind::Tool && self.name.starts_with(NOT_MADE)
    }

    /// Whether a person signed exactly this text.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signed.as_ref().is_some_and(|signed| signed.digest == self.digest())
    }
}

/// A change to what is defined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Redefinition {
    /// A new one; whatever has the name already stays.
    Define(Defined),
    /// A person's own, in the place of whatever has the name.
    Replace(Defined),
    /// A person signs the text with this digest. What has another text by now is not signed.
    Sign {
        /// What it defines.
        kind: DefinitionKind,
        /// Its name.
        name: String,
        /// By whom, when, and which text.
        signed: Signed,
    },
    /// It is not used any more, and stays to be looked at.
    Quarantine {
        /// What it defines.
        kind: DefinitionKind,
        /// Its name.
        name: String,
        /// The text that failed. Another text of the name is not touched.
        digest: Digest,
        /// Why.
        why: String,
    },
    /// It is taken away.
    Forget {
        /// What it defines.
        kind: DefinitionKind,
        /// Its name.
        name: String,
    },
}

/// Keeps definitions.
///
/// # Contract
///
/// - There is one definition of a kind and name. Of many that come at once with [`Redefinition::Define`] the first one
///   stays, and the others are told so.
/// - A change is durable before it is answered, whatever becomes of the turn that made it.
pub trait Definitions: Send + Sync {
    /// A number that is another one after every change in this process.
    fn revision(&self) -> u64;

    /// All of them, by kind and name.
    fn definitions(&self) -> BoxFuture<'_, Result<Vec<Defined>, EngineError>>;

    /// Changes something; `false` where there was nothing to change, or somebody else was first.
    fn redefine(&self, change: Redefinition) -> BoxFuture<'_, Result<bool, EngineError>>;
}

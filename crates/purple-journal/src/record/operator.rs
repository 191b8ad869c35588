//! What operators changed: tokens, halts, definitions, pins, configuration.
//!
//! These records are in a chain of their own; no run holds one.

use jiff::Timestamp;
use purple_process::Digest;

use crate::Redacted;
use crate::family::family;
use crate::word::DefinitionKind;

family! {
    /// What operators changed: tokens, halts, definitions, pins, configuration.
    Operator {
        /// A token was created.
        "token.created" TokenCreated {
            /// The public id of the token.
            id: Redacted,
            /// The digest of the token as it is stored.
            digest: Digest,
            /// Whose token it is.
            person: Redacted,
            /// What it allows.
            roles: Vec<Redacted>,
            /// The business roles in which its holder decides.
            groups: Vec<Redacted>,
            /// When it expires; null for never.
            until: Option<Timestamp>,
        }
        /// A token was revoked.
        "token.revoked" TokenRevoked {
            /// The public id of the token.
            id: Redacted,
            /// The digest of the token as it is stored from now on.
            digest: Digest,
        }
        /// A halt was set: no new operation starts.
        "halt.set" HaltSet {
            /// The process; null for all of them.
            process: Option<Redacted>,
            /// The digest of the halt as it is stored.
            digest: Digest,
            /// Who set it.
            by: Redacted,
            /// The reason.
            reason: Redacted,
        }
        /// A halt was lifted.
        "halt.lifted" HaltLifted {
            /// The process; null for all of them.
            process: Option<Redacted>,
        }
        /// A definition was stored.
        "definition.stored" DefinitionStored {
            /// What it defines.
            definition: DefinitionKind,
            /// Its name.
            name: Redacted,
            /// The digest of the definition as it is stored.
            digest: Digest,
        }
        /// A person signed a definition.
        "definition.signed" DefinitionSigned {
            /// What it defines.
            definition: DefinitionKind,
            /// Its name.
            name: Redacted,
            /// The digest of the text that was signed.
            text: Digest,
            /// The digest of the definition as it is stored from now on.
            digest: Digest,
            /// Who signed.
            by: Redacted,
        }
        /// A definition is not used any more.
        "definition.quarantined" DefinitionQuarantined {
            /// What it defines.
            definition: DefinitionKind,
            /// Its name.
            name: Redacted,
            /// The digest of the definition as it is stored from now on.
            digest: Digest,
            /// The reason.
            why: Redacted,
        }
        /// A definition was removed.
        "definition.removed" DefinitionRemoved {
            /// What it defined.
            definition: DefinitionKind,
            /// Its name.
            name: Redacted,
        }
        /// An operator accepted the definition of a tool.
        "tool.pinned" ToolPinned {
            /// The server.
            server: Redacted,
            /// The tool.
            tool: Redacted,
            /// The digest of the tool's definition.
            digest: Digest,
            /// Who accepted it.
            by: Redacted,
        }
        /// The configuration in effect differs from the one recorded before.
        "configuration.changed" ConfigurationChanged {
            /// The digest of the configuration.
            digest: Digest,
        }
        /// Rows that existed when this journal began, taken over as they were.
        "operator.began" Began {
            /// The tables whose rows were taken over.
            tables: Vec<Redacted>,
        }
    }
}

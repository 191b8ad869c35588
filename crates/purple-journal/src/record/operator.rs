//! What operators changed: tokens, halts, definitions, settings and pins.
//!
//! These records are in a chain of their own; no run holds one. A record about a row states which row it is and the
//! digest of the row from then on, so that the last record of each row can be compared with what is stored.

use jiff::Timestamp;
use purple_process::{Digest, Effect};

use crate::Redacted;
use crate::record::family::family;
use crate::word::{DefinitionKind, SettingChange};

family! {
    /// What operators changed: tokens, halts, definitions, settings and pins.
    Operator {
        /// A token was created.
        "token.created" TokenCreated {
            /// The public id of the token.
            id: Redacted,
            /// Which row it is: the digest of its table and key.
            row: Digest,
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
            /// Who created it; absent in records of earlier versions.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            by: Option<Redacted>,
        }
        /// A token was revoked.
        "token.revoked" TokenRevoked {
            /// The public id of the token.
            id: Redacted,
            /// Which row it is: the digest of its table and key.
            row: Digest,
            /// The digest of the token as it is stored from now on.
            digest: Digest,
            /// Who revoked it; absent in records of earlier versions.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            by: Option<Redacted>,
        }
        /// A halt was set: no new operation starts.
        "halt.set" HaltSet {
            /// The process; null for all of them.
            process: Option<Redacted>,
            /// Which row it is: the digest of its table and key.
            row: Digest,
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
            /// Which row it is: the digest of its table and key.
            row: Digest,
            /// Who lifted it; absent in records of earlier versions.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            by: Option<Redacted>,
        }
        /// A definition was stored.
        "definition.stored" DefinitionStored {
            /// What it defines.
            definition: DefinitionKind,
            /// Its name.
            name: Redacted,
            /// Which row it is: the digest of its table and key.
            row: Digest,
            /// The digest of the definition as it is stored.
            digest: Digest,
        }
        /// A person signed a definition.
        "definition.signed" DefinitionSigned {
            /// What it defines.
            definition: DefinitionKind,
            /// Its name.
            name: Redacted,
            /// Which row it is: the digest of its table and key.
            row: Digest,
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
            /// Which row it is: the digest of its table and key.
            row: Digest,
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
            /// Which row it is: the digest of its table and key.
            row: Digest,
        }
        /// A program that executes runs started with other settings than those recorded last. Changes that do not fit
        /// in one record continue in the next one.
        "configuration.changed" ConfigurationChanged {
            /// The SHA-256 of all recorded settings from now on: a canonical object of their names and their values as in `changed`.
            digest: Digest,
            /// The settings that changed, sorted by name; in the first record every setting that has a value.
            changed: Vec<SettingChange>,
            /// Who started the program.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            by: Option<Redacted>,
        }
        /// An operator accepted the definition of a tool. The pin is in the configuration file, which `audit verify`
        /// does not read; a pin that is removed or edited there is in the next `configuration.changed`.
        "tool.pinned" ToolPinned {
            /// The server that offers the tool.
            server: Redacted,
            /// The tool.
            tool: Redacted,
            /// The digest of the definition that was pinned.
            digest: Digest,
            /// The effect that was written with the pin; null if the configuration already stated one.
            effect: Option<Effect>,
            /// Who pinned it.
            by: Redacted,
        }
        /// This journal began. Rows that existed before follow, one record each.
        "operator.began" Began {
            /// The tables that it describes.
            tables: Vec<Redacted>,
        }
        /// A row existed when this journal began, and was taken over as it was.
        "operator.row_adopted" RowAdopted {
            /// Its table.
            table: Redacted,
            /// Its key, readable.
            name: Redacted,
            /// Which row it is: the digest of its table and key.
            row: Digest,
            /// The digest that is stored in the row.
            digest: Digest,
        }
    }
}

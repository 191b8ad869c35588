//! What operators changed: tokens, halts and definitions.
//!
//! These records are in a chain of their own; no run holds one. A record about a row states which row it is and the
//! digest of the row from then on, so that the last record of each row can be compared with what is stored.

use jiff::Timestamp;
use purple_process::Digest;

use crate::Redacted;
use crate::record::family::family;
use crate::word::DefinitionKind;

family! {
    /// What operators changed: tokens, halts and definitions.
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
        }
        /// A token was revoked.
        "token.revoked" TokenRevoked {
            /// The public id of the token.
            id: Redacted,
            /// Which row it is: the digest of its table and key.
            row: Digest,
            /// The digest of the token as it is stored from now on.
            digest: Digest,
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

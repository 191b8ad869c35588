//! Incidents that people must look at.

use crate::record::family::family;
use crate::{Redacted, RedactedJson};

family! {
    /// Incidents that people must look at.
    Incident {
        /// Something happened that people must look at.
        "incident" Reported {
            /// What happened.
            what: Redacted,
            /// The details.
            detail: RedactedJson,
        }
    }
}

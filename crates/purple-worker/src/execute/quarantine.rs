//! Tools that are not what this session first saw: nothing more is asked of them, whatever they say later.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use purple_journal::Redacted;
use purple_journal::record::tool;
use purple_journal::word::DetectedBy;
use purple_process::ToolName;
use serde::{Deserialize, Serialize};

use crate::execute::call::{Reads, cut};
use crate::execute::catalogue::Known;
use crate::port::Still;

/// The tools that a session does not call any more, and why. A tool never comes out of it.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Quarantine(Mutex<BTreeMap<ToolName, String>>);

impl Clone for Quarantine {
    fn clone(&self) -> Self {
        Self(Mutex::new(self.held().clone()))
    }
}

impl Quarantine {
    fn held(&self) -> MutexGuard<'_, BTreeMap<ToolName, String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn why(&self, tool: &ToolName) -> Option<String> {
        self.held().get(tool).cloned()
    }

    fn put(&self, tool: &ToolName, why: &str) {
        self.held().insert(tool.clone(), why.to_owned());
    }
}

/// Whether a tool may be called, as far as it is what it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cleared {
    Yes,
    /// It is not what was pinned, and is not called.
    Quarantined(String),
    /// Nobody can tell at the moment.
    Unknown(String),
}

impl Reads<'_> {
    /// Compares a tool with what was pinned. A difference is told in the journal, once, and is for good.
    pub(crate) async fn cleared(&self, known: &Known) -> Cleared {
        let name = known.name();
        if let Some(why) = self.quarantine.why(name) {
            return Cleared::Quarantined(why);
        }
        let (why, by) = match &known.quarantined {
            Some(why) => (why.clone(), DetectedBy::Pin),
            None => match self.ports.tools.still(self.at, &known.definition).await {
                Still::Same => return Cleared::Yes,
                Still::Unknown { reason } => return Cleared::Unknown(cut(&reason)),
                Still::Changed { what } => (cut(&what), DetectedBy::Drift),
            },
        };
        self.isolate(known, &why, by);
        Cleared::Quarantined(why)
    }

    /// Takes a tool out of use.
    pub(crate) fn isolate(&self, known: &Known, why: &str, by: DetectedBy) {
        self.quarantine.put(known.name(), why);
        // A journal that cannot be written fails the turn by itself.
        let _ = self.scribe.note(tool::Quarantined {
            tool: Redacted::of(known.name()),
            server: Redacted::of(&known.definition.server),
            why: Redacted::of(why),
            by,
            state: self.walk.state(),
        });
    }
}

//! A task that was accepted and has had no turn.

use purple_process::PersonId;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::journal::SessionRow;

/// The summary of a session from the moment its first task is accepted until the first turn ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AcceptedTask {
    /// Who asked.
    pub taken_from: PersonId,
}

impl AcceptedTask {
    /// For an event that creates a session; `None` for every other event.
    pub fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Start(start) => Some(Self { taken_from: start.by.clone() }),
            Event::Refused(refused) => Some(Self { taken_from: refused.by.clone() }),
            Event::Message(_)
            | Event::Decision(_)
            | Event::Edit(_)
            | Event::Settled { .. }
            | Event::Undo { .. }
            | Event::Cancel { .. }
            | Event::Timer { .. }
            | Event::Continue => None,
        }
    }

    /// Reads it from the row of a session that has had no turn.
    pub fn read(row: &SessionRow) -> Option<Self> {
        serde_json::from_value(row.summary.clone()).ok()
    }
}

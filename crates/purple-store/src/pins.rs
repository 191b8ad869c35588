//! Records which definitions of tools an operator accepted. The pins themselves are in the configuration file.

use purple_journal::Redacted;
use purple_journal::record::operator::ToolPinned;
use purple_port::PersonId;
use rusqlite::Connection;

use crate::operators;
use crate::refused::Refused;
use crate::time::Micros;
use crate::work::ToolPin;

pub(crate) fn record(db: &Connection, pins: &[ToolPin], by: &PersonId, now: Micros) -> Result<(), Refused> {
    for ToolPin { server, tool, digest, effect } in pins {
        let pinned = ToolPinned {
            server: operators::short(server),
            tool: operators::short(tool.as_str()),
            digest: *digest,
            effect: *effect,
            by: Redacted::of(by),
        };
        operators::append(db, pinned, now)?;
    }
    Ok(())
}

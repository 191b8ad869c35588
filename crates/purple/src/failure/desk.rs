//! Codes and advice for what a desk refuses.

use purple_worker::DeskError;
use purple_worker::port::EngineError;

/// The stable code of what a desk refuses.
pub(super) fn desk_code(error: &DeskError) -> &'static str {
    match error {
        DeskError::Engine(_) => "engine.failed",
        DeskError::NoSuchRun { .. } => "run.unknown",
        DeskError::Ambiguous { .. } => "run.ambiguous",
        DeskError::Conflicting { .. } => "run.conflicting",
        DeskError::TooLong { .. } => "task.too_long",
        DeskError::NothingWaits { .. } => "approval.nothing_waits",
        DeskError::Unreadable { .. } => "run.unreadable",
    }
}

/// What to do next about it.
pub(super) fn desk_help(error: &DeskError) -> Option<String> {
    let text = match error {
        DeskError::NoSuchRun { .. } => "`purple runs` lists them",
        DeskError::Ambiguous { .. } => "write more of its id",
        DeskError::Conflicting { .. } => "choose another `--request-id`",
        DeskError::TooLong { .. } => "name documents in the task instead of pasting them",
        DeskError::NothingWaits { .. } => "`purple inbox` lists what waits",
        DeskError::Unreadable { .. } => "check the store: purple audit verify",
        DeskError::Engine(EngineError::Full) => "make room on the disk, then repeat the command",
        DeskError::Engine(EngineError::Damaged { .. }) => "check the store: purple audit verify",
        DeskError::Engine(
            EngineError::TooLarge { .. }
            | EngineError::Step { .. }
            | EngineError::StepRepeated { .. }
            | EngineError::Storage(_)
            | EngineError::ShuttingDown,
        ) => return None,
    };
    Some(text.to_owned())
}

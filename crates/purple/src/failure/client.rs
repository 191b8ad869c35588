//! Codes and advice for what a client of the worker is refused.

use purple_worker::ClientError;
use purple_worker::port::EngineError;

/// The stable code of what a worker refuses.
pub(super) fn client_code(error: &ClientError) -> &'static str {
    match error {
        ClientError::Engine(_) => "engine.failed",
        ClientError::NoSuchRun { .. } => "run.unknown",
        ClientError::Ambiguous { .. } => "run.ambiguous",
        ClientError::Conflicting { .. } => "run.conflicting",
        ClientError::Empty => "task.empty",
        ClientError::TooLong { .. } => "task.too_long",
        ClientError::Secret { .. } => "privacy.secret",
        ClientError::EndpointNotAllowed { .. } => "tools.endpoint_not_allowed",
        ClientError::NoSuchStep { .. } => "approval.no_such_step",
        ClientError::NothingWaits { .. } => "approval.nothing_waits",
        ClientError::Unreadable { .. } => "run.unreadable",
    }
}

/// What to do next about it.
pub(super) fn client_help(error: &ClientError) -> Option<String> {
    let text = match error {
        ClientError::NoSuchRun { .. } => "`purple runs` lists them",
        ClientError::Ambiguous { .. } => "write more of its id",
        ClientError::Conflicting { .. } => "choose another `--request-id`",
        ClientError::Empty => "say what is to be done",
        ClientError::EndpointNotAllowed { .. } => {
            "let an operator add the address to `tools_endpoints.allow`, or leave `--tools-endpoint` out"
        }
        ClientError::NoSuchStep { .. } => "`purple show RUN` lists the steps",
        ClientError::Secret { .. } => "leave the secret out",
        ClientError::TooLong { what: "text", .. } => "name documents in the task instead of pasting them",
        ClientError::TooLong { .. } => "make it shorter",
        ClientError::NothingWaits { .. } => "`purple inbox` lists what waits",
        ClientError::Unreadable { .. } => "check the store: purple audit verify",
        ClientError::Engine(EngineError::Full) => "make room on the disk, then repeat the command",
        ClientError::Engine(EngineError::Damaged { what: "operator journal", .. }) => {
            "stop the `purple` processes of this data folder, which stops all operations, and restore its database \
             from a backup; `purple audit verify` names the fault"
        }
        ClientError::Engine(EngineError::Damaged { .. }) => "check the store: purple audit verify",
        ClientError::Engine(
            EngineError::TooLarge { .. }
            | EngineError::Step { .. }
            | EngineError::StepRepeated { .. }
            | EngineError::Storage(_)
            | EngineError::ShuttingDown,
        ) => return None,
    };
    Some(text.to_owned())
}

//! What ends a call without an outcome, and how it travels through the language.

use purple_port::{CallFault, LIST_ITEMS_MAX, NumberError, RECORD_FIELDS_MAX, TEXT_BYTES_MAX};
use rhai::{Dynamic, EvalAltResult, Position};

use crate::limits::{CALL_LEVELS_MAX, CALL_MILLIS_MAX, FAULT_CHARS_MAX, STEPS_MAX, VARIABLES_MAX};

/// How a function of the sandbox ends: the language carries its own error type.
pub(crate) type Answer<T> = Result<T, Box<EvalAltResult>>;

/// A fault on its way out. A text in the language can make no value of this type, and can catch none.
#[derive(Clone)]
struct Carried(CallFault);

/// Ends the call with this fault.
pub(crate) fn end<T>(fault: CallFault) -> Answer<T> {
    Err(Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(Carried(fault)), Position::NONE)))
}

/// Ends the call because a function was given what it does not take.
pub(crate) fn wrong<T>(what: impl Into<String>) -> Answer<T> {
    end(CallFault::Wrong { line: 0, what: what.into() })
}

/// Ends the call because there is no exact number.
pub(crate) fn number(error: NumberError) -> Box<EvalAltResult> {
    Box::new(EvalAltResult::ErrorRuntime(Dynamic::from(Carried(error.into())), Position::NONE))
}

/// A text would be longer than a text may be.
pub(crate) fn long_text() -> CallFault {
    CallFault::TooLarge { what: "a text", most: wide(TEXT_BYTES_MAX) }
}

/// A list would be longer than a list may be.
pub(crate) fn long_list() -> CallFault {
    CallFault::TooLarge { what: "a list", most: wide(LIST_ITEMS_MAX) }
}

/// How a text ended that threw or failed.
pub(crate) enum Ended {
    /// It threw this value.
    Threw(Dynamic),
    /// It failed.
    Failed(CallFault),
}

/// What an error of the language means here.
pub(crate) fn read(error: EvalAltResult) -> Ended {
    let line = error.position().line().unwrap_or(0);
    read_at(error, line)
}

fn read_at(error: EvalAltResult, line: usize) -> Ended {
    Ended::Failed(match error {
        EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => {
            let line = inner.position().line().unwrap_or(line);
            return read_at(*inner, line);
        }
        EvalAltResult::ErrorRuntime(value, position) => {
            let line = position.line().unwrap_or(line);
            match value.try_cast_result::<Carried>() {
                Ok(Carried(CallFault::Wrong { what, .. })) => CallFault::Wrong { line, what },
                Ok(Carried(fault)) => fault,
                Err(thrown) => return Ended::Threw(thrown),
            }
        }
        EvalAltResult::ErrorTooManyOperations(_) => CallFault::TooManySteps { steps_max: STEPS_MAX },
        EvalAltResult::ErrorTerminated(..) => CallFault::TooLong { millis_max: CALL_MILLIS_MAX },
        EvalAltResult::ErrorStackOverflow(_) => CallFault::TooDeep { levels_max: CALL_LEVELS_MAX },
        EvalAltResult::ErrorTooManyVariables(_) => {
            CallFault::TooLarge { what: "the number of variables", most: wide(VARIABLES_MAX) }
        }
        EvalAltResult::ErrorDataTooLarge(what, _) => too_large(&what),
        other => CallFault::Wrong { line, what: cut(&other.to_string()) },
    })
}

fn too_large(what: &str) -> CallFault {
    if what.contains("map") {
        CallFault::TooLarge { what: "a record", most: wide(RECORD_FIELDS_MAX) }
    } else if what.contains("array") {
        long_list()
    } else {
        long_text()
    }
}

/// The beginning of what somebody wrote.
pub(crate) fn cut(text: &str) -> String {
    text.chars().take(FAULT_CHARS_MAX).collect()
}

pub(crate) fn wide(bound: usize) -> u64 {
    u64::try_from(bound).unwrap_or(u64::MAX)
}

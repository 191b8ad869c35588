//! What a look at the outside world means for an operation: the table of the rules for one write.
//!
//! Pure. What is not certain is looked at again, and then a person is asked; nothing is sent twice on a guess.

use std::time::Duration;

use purple_process::Outcome;

use crate::session::Reply;

/// What a look showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// As it should be.
    Equal,
    /// As it was before.
    Unchanged,
    /// Something else.
    Different,
    /// It could not be seen.
    Blind,
    /// It cannot be told: there is no read-back, or it looked so before.
    Untold,
    /// Something changed, and whether it is what was written cannot be told.
    Changed,
}

/// How much time is left for an effect to appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Window {
    /// It may be a little late: look again after this long.
    Open(Duration),
    /// It is unknown by now; look again after this long, in case it comes.
    Long(Duration),
    /// The last look was taken.
    Over,
}

/// Whether the operation may be sent once more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Resend {
    /// Its target does an operation once per key, and it was sent once.
    ByKey,
    /// The same, and it was sent again already.
    Again,
    /// It was sent again, and its key is good no more.
    Spent,
    /// Never.
    Never,
}

/// What follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Then {
    /// It came out so.
    Settled(Outcome),
    /// It left no trace, or leaves none, and is sent once more under its key.
    Resend,
    /// The tool said "not now" and did nothing: it is started anew later.
    PutOff,
    /// The tool did nothing and has a question: a person is asked.
    Ask,
    /// It left no trace as long as it could be a little late, and is put to a person again.
    Offer,
    /// It may still come: look again, nobody needs to know yet.
    Look(Duration),
    /// Nobody knows: a person is asked, and the next look, if there is one, may settle it.
    Doubt(Option<Duration>),
}

/// The window after this many looks.
pub(crate) fn window(looks: u32, within: &[Duration], later: &[Duration]) -> Window {
    let looks = looks as usize;
    match (within.get(looks), looks.checked_sub(within.len()).and_then(|looks| later.get(looks))) {
        (Some(wait), _) => Window::Open(*wait),
        (None, Some(wait)) => Window::Long(*wait),
        (None, None) => Window::Over,
    }
}

/// The table.
pub(crate) fn ruled(found: Found, reply: Reply, window: Window, resend: Resend) -> Then {
    // "Not now" to the second sending says nothing about the first. Nor does an error, where nothing can be seen.
    let reply = match (reply, resend) {
        (Reply::NotNow | Reply::Asks, Resend::Again | Resend::Spent) => Reply::Unknown,
        (Reply::Error, Resend::Again | Resend::Spent) if found == Found::Untold => Reply::Unknown,
        (reply, Resend::ByKey | Resend::Again | Resend::Spent | Resend::Never) => reply,
    };
    match (found, reply) {
        (Found::Equal, Reply::Ok | Reply::Error | Reply::NotNow | Reply::Asks | Reply::Unknown) => {
            Then::Settled(Outcome::Verified)
        }
        (Found::Untold | Found::Changed, Reply::Ok) => Then::Settled(Outcome::Unverifiable),
        (Found::Changed, Reply::Error | Reply::NotNow | Reply::Asks | Reply::Unknown) => in_doubt(window),
        (Found::Untold, Reply::Error) => Then::Settled(Outcome::Absent),
        (Found::Untold | Found::Unchanged, Reply::NotNow) => Then::PutOff,
        (Found::Untold | Found::Unchanged, Reply::Asks) => Then::Ask,
        // Nothing shows whether it was done, and its target does it once however often it is asked.
        (Found::Untold, Reply::Unknown) => match resend {
            Resend::ByKey | Resend::Again => open_or(window, Then::Resend),
            Resend::Spent | Resend::Never => Then::Doubt(None),
        },
        (Found::Blind, Reply::Ok | Reply::Error | Reply::NotNow | Reply::Asks | Reply::Unknown) => {
            in_doubt(window)
        }
        // An error may have been carried out all the same, and show late.
        (Found::Unchanged, Reply::Error) => open_or(window, Then::Settled(Outcome::Absent)),
        // It said done and there is no trace: it may be late, as long as the window is open; then it is a mismatch.
        (Found::Unchanged, Reply::Ok) => open_or(window, Then::Settled(Outcome::Mismatch)),
        // It can be told that nothing was done: that is no doubt. What may not be sent again is a new plan.
        (Found::Unchanged, Reply::Unknown) => match resend {
            Resend::ByKey | Resend::Again => open_or(window, Then::Resend),
            Resend::Spent | Resend::Never => open_or(window, Then::Offer),
        },
        (Found::Different, Reply::Ok | Reply::Error | Reply::NotNow | Reply::Asks | Reply::Unknown) => {
            open_or(window, Then::Settled(Outcome::Mismatch))
        }
    }
}

/// How long to wait after the last sending before the next one, when it was sent this often.
pub(crate) fn back_off(sendings: u32) -> Duration {
    const FIRST_MS: u64 = 500;
    const DOUBLED_MAX: u32 = 10;
    match sendings.checked_sub(2) {
        Some(more) => Duration::from_millis(FIRST_MS << more.min(DOUBLED_MAX)),
        None => Duration::ZERO,
    }
}

fn in_doubt(window: Window) -> Then {
    match window {
        Window::Open(wait) => Then::Look(wait),
        Window::Long(wait) => Then::Doubt(Some(wait)),
        Window::Over => Then::Doubt(None),
    }
}

/// Looks again while the window is open; then this.
fn open_or(window: Window, then: Then) -> Then {
    match window {
        Window::Open(wait) => Then::Look(wait),
        Window::Long(_) | Window::Over => then,
    }
}

#[cfg(test)]
#[path = "outcome_tests.rs"]
mod tests;

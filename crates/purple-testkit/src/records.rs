//! Records for tests of what reads journals. Each function gives a complete record; a test sets the members that it is
//! about with the struct update syntax.
//!
//! ```
//! use purple_journal::record::run::Ended;
//! use purple_testkit::records;
//!
//! let failed = Ended { code: None, ..records::ended(None) };
//! assert_eq!(failed.round.number(), 1);
//! ```

use jiff::Timestamp;
use purple_journal::record::approval::{Asked, Decided};
use purple_journal::record::plan::PolicyVerdict;
use purple_journal::record::process::Chosen;
use purple_journal::record::run::{Answered, Ended, StateEntered};
use purple_journal::record::task::Received;
use purple_journal::record::tool::Read;
use purple_journal::record::turn::{self, Began};
use purple_journal::record::write::{CallEnded, InDoubt, Intent, Verified};
use purple_journal::word::{
    Attempt, CallResult, Channel, ChosenBy, DecisionKind, EventName, Reply, SeparationOfDuties,
};
use purple_journal::{BlobHash, RecordType, Recorded, Redacted, RedactedJson};
use purple_process::{
    Arithmetic, Digest, Effect, Ending, Event, Mode, OperationKey, Outcome, PlanHash, Round, Route, State,
    StepId,
};
use purple_worker::port::{Awaited, event};
use serde_json::json;

/// The records of one type in a journal.
pub fn all<T: RecordType + Clone>(journal: &[Recorded]) -> Vec<T> {
    journal.iter().filter_map(|one| one.record().get::<T>()).cloned().collect()
}

fn digest() -> Digest {
    Digest::of(b"a record for a test")
}

fn blob() -> BlobHash {
    BlobHash(digest())
}

fn plan() -> PlanHash {
    PlanHash(digest())
}

/// The round with this number, from 1.
pub fn round(number: u32) -> Round {
    (1..number).fold(Round::FIRST, |round, _| round.next())
}

/// A turn that begins for the first time.
pub fn began(event: EventName) -> Began {
    Began { event, attempt: 0, began: Timestamp::UNIX_EPOCH, kept: None, account: None }
}

/// The beginning of the turn of an event.
pub fn turn_of(event: &event::Event) -> Began {
    let kept = Awaited::event((0, 1), event).ok().and_then(|awaited| awaited.event).map(|event| event.kept);
    Began { kept, ..began(event.name()) }
}

/// The end of a turn.
pub fn turn_ended() -> turn::Ended {
    turn::Ended { state: State::Complete, saved: digest(), kept: None }
}

/// A task.
pub fn received(by: &str, text: &str) -> Received {
    Received {
        by: Redacted::of(by),
        channel: Channel::A2a,
        message: None,
        text: Some(Redacted::of(text)),
        begins: None,
        whole: None,
        access: None,
    }
}

/// The process of a round.
pub fn chosen(process: &str) -> Chosen {
    Chosen {
        process: Redacted::of(process),
        task: Redacted::of("approve"),
        by: ChosenBy::Keywords,
        hits: Vec::new(),
        inputs: RedactedJson::of(&json!({})),
        file: blob(),
        route: Route::question(Arithmetic::None),
        binding: None,
        defined: None,
    }
}

/// A move of the process machine in the first round.
pub fn entered(from: State, to: State) -> StateEntered {
    StateEntered { from, to, event: Event::Assessed, round: Round::FIRST }
}

/// A read that was answered.
pub fn read(tool: &str) -> Read {
    let arguments = Some(RedactedJson::of(&json!({ "id": "INV-1" })));
    Read {
        tool: Redacted::of(tool),
        state: State::Assess,
        arguments,
        result: CallResult::Answered(Some(blob())),
    }
}

/// A verdict of a rule.
pub fn verdict(process: &str, rule: &str, leads_to: &str) -> PolicyVerdict {
    PolicyVerdict {
        process: Redacted::of(process),
        rule: Some(Redacted::of(rule)),
        explanation: Redacted::of("credit (1) <= 5"),
        because: None,
        source: None,
        doubts: Vec::new(),
        leads_to: Redacted::of(leads_to),
        sources: RedactedJson::of(&json!([])),
    }
}

/// A plan that waits for these people.
pub fn asked(asks: &[&str]) -> Asked {
    Asked {
        approval: Redacted::of("apr_1"),
        plan: plan(),
        card: blob(),
        headline: Redacted::of("Pay INV-1"),
        asks: Redacted::all(asks),
        expires_at: Timestamp::UNIX_EPOCH,
        mode: Mode::Careful,
    }
}

/// A decision about a plan.
pub fn decided(by: &str, decision: DecisionKind) -> Decided {
    Decided {
        approval: Redacted::of("apr_1"),
        plan: plan(),
        decision,
        operations: Vec::new(),
        by: Redacted::of(by),
        channel: Channel::A2a,
        reason: None,
        shown: digest(),
        mode: Mode::Careful,
        sod: SeparationOfDuties { requester: Redacted::of("ada"), same_person: false },
        access: None,
        account: None,
    }
}

/// An operation that is about to be sent.
pub fn intent(step: StepId, tool: &str) -> Intent {
    Intent {
        step,
        key: OperationKey(digest()),
        plan: plan(),
        attempt: Attempt::First,
        headline: Redacted::of("Pay INV-1"),
        tool: Redacted::of(tool),
        effect: Effect::Write,
        arguments: RedactedJson::of(&json!({ "id": "INV-1" })),
        sent: blob(),
        before: blob(),
    }
}

/// A call of an operation that was answered.
pub fn call_ended(step: StepId) -> CallEnded {
    CallEnded {
        step,
        key: OperationKey(digest()),
        reply: Some(Reply::Ok),
        why: Redacted::of(""),
        result: Some(blob()),
        called: CallResult::Answered(Some(blob())),
    }
}

/// An operation whose outcome is known.
pub fn verified(step: StepId, tool: &str, outcome: Outcome) -> Verified {
    Verified {
        step,
        key: OperationKey(digest()),
        tool: Redacted::of(tool),
        headline: Redacted::of("Pay INV-1"),
        effect: Effect::Write,
        before: RedactedJson::of(&json!({})),
        after: RedactedJson::of(&json!({})),
        seen: blob(),
        outcome,
        note: None,
        witness: None,
        reversible: false,
        round: Round::FIRST,
    }
}

/// An operation whose outcome is unknown.
pub fn in_doubt(step: StepId) -> InDoubt {
    InDoubt { step, key: None, why: Redacted::of("no answer"), seen: RedactedJson::of(&json!({})) }
}

/// An answer in the first round, which goes on.
pub fn answered() -> Answered {
    let Ended { ending, answer, code, quality, took_ms, round, score } = ended(None);
    Answered { ending, answer, code, quality, took_ms, round, score }
}

/// The end of the first round.
pub fn ended(ending: Option<Ending>) -> Ended {
    Ended { ending, answer: blob(), code: None, quality: None, took_ms: 1, round: Round::FIRST, score: None }
}

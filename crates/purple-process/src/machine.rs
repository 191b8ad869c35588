//! The process machine: ten states, the facts that move it, and the one table of moves.
//!
//! Pure. What is not in [`MOVES`] is illegal, and the refusal names state and event.
//! A `Walk` follows this table along one route; nothing else computes a next state.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::effect::Effect;

/// Where a session stands. The first eight are in the order of work, the last two are endings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum State {
    /// Find entities, enumerate data needs.
    Decompose,
    /// Gather data.
    Assess,
    /// Calculate on what was gathered; propose operations.
    Compute,
    /// Evaluate the rules on values and on every proposed operation.
    PolicyCheck,
    /// Show the plan and wait for a person.
    ApprovalGate,
    /// Run granted operations, each read back.
    Mutate,
    /// Tell people, after every write was verified.
    ScheduleNotify,
    /// Give the final answer.
    Complete,
    /// A person must take over.
    Escalate,
    /// Nothing more can be done in this round.
    Failed,
}

impl State {
    /// Every state.
    pub const ALL: [Self; 10] = [
        Self::Decompose,
        Self::Assess,
        Self::Compute,
        Self::PolicyCheck,
        Self::ApprovalGate,
        Self::Mutate,
        Self::ScheduleNotify,
        Self::Complete,
        Self::Escalate,
        Self::Failed,
    ];

    /// The states a route may visit, in the only order in which it may visit them.
    pub const ORDER: [Self; 8] = [
        Self::Decompose,
        Self::Assess,
        Self::Compute,
        Self::PolicyCheck,
        Self::ApprovalGate,
        Self::Mutate,
        Self::ScheduleNotify,
        Self::Complete,
    ];

    /// The state with this name, written as in files and documents: `POLICY_CHECK`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.name() == name)
    }

    /// The name in files, journals and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decompose => "DECOMPOSE",
            Self::Assess => "ASSESS",
            Self::Compute => "COMPUTE",
            Self::PolicyCheck => "POLICY_CHECK",
            Self::ApprovalGate => "APPROVAL_GATE",
            Self::Mutate => "MUTATE",
            Self::ScheduleNotify => "SCHEDULE_NOTIFY",
            Self::Complete => "COMPLETE",
            Self::Escalate => "ESCALATE",
            Self::Failed => "FAILED",
        }
    }

    /// Whether the round is over here.
    pub const fn is_ending(self) -> bool {
        match self {
            Self::Complete | Self::Escalate | Self::Failed => true,
            Self::Decompose
            | Self::Assess
            | Self::Compute
            | Self::PolicyCheck
            | Self::ApprovalGate
            | Self::Mutate
            | Self::ScheduleNotify => false,
        }
    }

    /// What this state is for, which powers it has, and which model works in it.
    pub fn row(self) -> &'static StateRow {
        // The order of `STATES` is the order of the enum; a law walks it.
        let index = self as usize;
        STATES.get(index).unwrap_or(&STATES[STATES.len() - 1])
    }
}

impl fmt::Display for State {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// A fact that moves the machine. Each is something that has happened, never a wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// Entities and data needs are known.
    Decomposed,
    /// The data is there.
    Assessed,
    /// The figures are there, and operations are proposed.
    Computed,
    /// The request may not be served: it would disclose what is private.
    PrivacyRefused,
    /// The plan may run without a person. An empty plan is cleared too, and grants nothing.
    Cleared,
    /// The plan may run without a person and holds notifications only.
    ClearedToTell,
    /// A verdict, the mode or the process file asks for a person.
    NeedsApproval,
    /// The rules say that nothing is to be done.
    NothingToDo,
    /// A rule forbids the plan.
    Blocked,
    /// The people who were needed said yes.
    Granted,
    /// The people who were needed said yes to a plan of notifications only.
    GrantedToTell,
    /// Somebody said no.
    Declined,
    /// Nobody answered in time. That is a no.
    Expired,
    /// Part of the plan was approved, or a field was edited: a new plan, to be judged again.
    Revised,
    /// New words at the gate made a new task; the plan is void and a new round begins.
    Superseded,
    /// Operations that no grant covers form a new plan, which is judged: writes in MUTATE, notifications in
    /// SCHEDULE_NOTIFY.
    Captured,
    /// The next plan, judged already, waits for a person.
    Reopened,
    /// Every write ran and was verified, or cannot be.
    Applied,
    /// As [`Event::Applied`], and notifications are due.
    AppliedWithNotices,
    /// The notifications are out.
    Notified,
    /// A person must take over.
    Escalated,
    /// The requester or the operator called it off.
    Cancelled,
    /// Something broke that cannot be mended here.
    Failed,
    /// A later task of a session whose last round is over, however it ended.
    NewRound,
}

impl Event {
    /// Every event.
    pub const ALL: [Self; 24] = [
        Self::Decomposed,
        Self::Assessed,
        Self::Computed,
        Self::PrivacyRefused,
        Self::Cleared,
        Self::ClearedToTell,
        Self::NeedsApproval,
        Self::NothingToDo,
        Self::Blocked,
        Self::Granted,
        Self::GrantedToTell,
        Self::Declined,
        Self::Expired,
        Self::Revised,
        Self::Superseded,
        Self::Captured,
        Self::Reopened,
        Self::Applied,
        Self::AppliedWithNotices,
        Self::Notified,
        Self::Escalated,
        Self::Cancelled,
        Self::Failed,
        Self::NewRound,
    ];

    /// The name in journals and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decomposed => "decomposed",
            Self::Assessed => "assessed",
            Self::Computed => "computed",
            Self::PrivacyRefused => "privacy_refused",
            Self::Cleared => "cleared",
            Self::ClearedToTell => "cleared_to_tell",
            Self::NeedsApproval => "needs_approval",
            Self::NothingToDo => "nothing_to_do",
            Self::Blocked => "blocked",
            Self::Granted => "granted",
            Self::GrantedToTell => "granted_to_tell",
            Self::Declined => "declined",
            Self::Expired => "expired",
            Self::Revised => "revised",
            Self::Superseded => "superseded",
            Self::Captured => "captured",
            Self::Reopened => "reopened",
            Self::Applied => "applied",
            Self::AppliedWithNotices => "applied_with_notices",
            Self::Notified => "notified",
            Self::Escalated => "escalated",
            Self::Cancelled => "cancelled",
            Self::Failed => "failed",
            Self::NewRound => "new_round",
        }
    }

    /// Whether this event gives permission to a plan.
    pub const fn permits(self) -> bool {
        matches!(self, Self::Cleared | Self::ClearedToTell | Self::Granted | Self::GrantedToTell)
    }

    /// Whether this event opens another round of the session.
    pub const fn opens_round(self) -> bool {
        matches!(self, Self::Superseded | Self::NewRound)
    }
}

impl fmt::Display for Event {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}

/// What a move does on a route that does not name its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Landing {
    /// Goes on to the next state that the route names.
    Place,
    /// Goes there all the same: the state is inserted.
    Demand,
}

/// One row of the table: from here, by this event, to there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The state before.
    pub from: State,
    /// What happened.
    pub event: Event,
    /// The state after, on a route that names it.
    pub to: State,
    /// What happens on a route that does not.
    pub landing: Landing,
}

const fn row(from: State, event: Event, to: State, landing: Landing) -> Move {
    Move { from, event, to, landing }
}

/// Every lawful move. What is not listed is illegal.
pub const MOVES: &[Move] = {
    use Event as E;
    use Landing::{Demand, Place};
    use State as S;
    &[
        row(S::Decompose, E::Decomposed, S::Assess, Place),
        row(S::Decompose, E::PrivacyRefused, S::Complete, Demand),
        row(S::Decompose, E::Escalated, S::Escalate, Demand),
        row(S::Decompose, E::Cancelled, S::Complete, Demand),
        row(S::Decompose, E::Failed, S::Failed, Demand),
        row(S::Assess, E::Assessed, S::Compute, Place),
        row(S::Assess, E::Escalated, S::Escalate, Demand),
        row(S::Assess, E::Cancelled, S::Complete, Demand),
        row(S::Assess, E::Failed, S::Failed, Demand),
        row(S::Compute, E::Computed, S::PolicyCheck, Place),
        row(S::Compute, E::Escalated, S::Escalate, Demand),
        row(S::Compute, E::Cancelled, S::Complete, Demand),
        row(S::Compute, E::Failed, S::Failed, Demand),
        row(S::PolicyCheck, E::Cleared, S::Mutate, Place),
        row(S::PolicyCheck, E::ClearedToTell, S::ScheduleNotify, Demand),
        row(S::PolicyCheck, E::NeedsApproval, S::ApprovalGate, Demand),
        row(S::PolicyCheck, E::NothingToDo, S::Complete, Demand),
        row(S::PolicyCheck, E::Blocked, S::Complete, Demand),
        row(S::PolicyCheck, E::Escalated, S::Escalate, Demand),
        row(S::PolicyCheck, E::Cancelled, S::Complete, Demand),
        row(S::PolicyCheck, E::Failed, S::Failed, Demand),
        row(S::ApprovalGate, E::Granted, S::Mutate, Place),
        row(S::ApprovalGate, E::GrantedToTell, S::ScheduleNotify, Demand),
        row(S::ApprovalGate, E::Declined, S::Complete, Demand),
        row(S::ApprovalGate, E::Expired, S::Complete, Demand),
        row(S::ApprovalGate, E::Revised, S::PolicyCheck, Demand),
        row(S::ApprovalGate, E::Superseded, S::Decompose, Demand),
        row(S::ApprovalGate, E::Escalated, S::Escalate, Demand),
        row(S::ApprovalGate, E::Cancelled, S::Complete, Demand),
        row(S::ApprovalGate, E::Failed, S::Failed, Demand),
        row(S::Mutate, E::Captured, S::PolicyCheck, Demand),
        row(S::Mutate, E::Reopened, S::ApprovalGate, Demand),
        row(S::Mutate, E::Applied, S::ScheduleNotify, Place),
        row(S::Mutate, E::AppliedWithNotices, S::ScheduleNotify, Demand),
        row(S::Mutate, E::Escalated, S::Escalate, Demand),
        row(S::Mutate, E::Cancelled, S::Complete, Demand),
        row(S::Mutate, E::Failed, S::Failed, Demand),
        row(S::ScheduleNotify, E::Captured, S::PolicyCheck, Demand),
        row(S::ScheduleNotify, E::Notified, S::Complete, Demand),
        row(S::ScheduleNotify, E::Escalated, S::Escalate, Demand),
        row(S::ScheduleNotify, E::Cancelled, S::Complete, Demand),
        row(S::ScheduleNotify, E::Failed, S::Failed, Demand),
        row(S::Complete, E::NewRound, S::Decompose, Demand),
        row(S::Escalate, E::NewRound, S::Decompose, Demand),
        row(S::Failed, E::NewRound, S::Decompose, Demand),
    ]
};

/// The row for this state and event, if the move is lawful.
pub fn step(from: State, event: Event) -> Result<&'static Move, IllegalMove> {
    MOVES.iter().find(|row| row.from == from && row.event == event).ok_or(IllegalMove { from, event })
}

/// The events that are lawful in a state, in the order of the table.
pub fn lawful(from: State) -> impl Iterator<Item = Event> {
    MOVES.iter().filter(move |row| row.from == from).map(|row| row.event)
}

/// A move that is not in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{event}` is no move from {from}; lawful there: {}", list(*from))]
pub struct IllegalMove {
    /// The state the machine was in.
    pub from: State,
    /// What was said to have happened.
    pub event: Event,
}

fn list(from: State) -> String {
    let names: Vec<&str> = lawful(from).map(Event::name).collect();
    names.join(", ")
}

/// How a round ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ending {
    /// The work is done, or nothing had to be done.
    Done,
    /// A person said no, or nobody answered in time.
    Declined,
    /// A rule forbids it.
    Blocked,
    /// It would disclose what is private.
    Refused,
    /// A person takes over.
    Escalated,
    /// It was called off.
    Cancelled,
    /// Something broke. The only ending that is a failed task.
    Failed,
}

impl Ending {
    /// The ending that this last event means, if the state it led to is an ending.
    pub const fn of(event: Event, reached: State) -> Option<Self> {
        if !reached.is_ending() {
            return None;
        }
        match event {
            Event::Decomposed
            | Event::Assessed
            | Event::Computed
            | Event::Cleared
            | Event::ClearedToTell
            | Event::NothingToDo
            | Event::Granted
            | Event::GrantedToTell
            | Event::Applied
            | Event::AppliedWithNotices
            | Event::Notified => Some(Self::Done),
            Event::Declined | Event::Expired => Some(Self::Declined),
            Event::Blocked => Some(Self::Blocked),
            Event::PrivacyRefused => Some(Self::Refused),
            Event::Escalated => Some(Self::Escalated),
            Event::Cancelled => Some(Self::Cancelled),
            Event::Failed => Some(Self::Failed),
            // No move of the table leads from these to an ending.
            Event::NeedsApproval
            | Event::Revised
            | Event::Superseded
            | Event::Captured
            | Event::Reopened
            | Event::NewRound => None,
        }
    }
}

impl fmt::Display for Ending {
    /// Writes the stored spelling.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.serialize(out)
    }
}

/// What a tool call needs, beyond the right state, to pass the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The state is enough.
    Nothing,
    /// A grant that covers exactly this call.
    Grant,
}

/// Which class of model works in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tier {
    /// No model.
    None,
    /// The fast one.
    Fast,
    /// The fast one, and only to phrase a note.
    FastForANote,
    /// The strong one if the task is analytical, else the fast one.
    StrongIfAnalytical,
    /// The strong one, never downgraded.
    Strong,
}

impl fmt::Display for Tier {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::None => "none",
            Self::Fast => "fast",
            Self::FastForANote => "fast, only to phrase a note",
            Self::StrongIfAnalytical => "strong if the task is analytical, else fast",
            Self::Strong => "strong, never downgraded",
        })
    }
}

/// One state described as data: the gate, the documents and the model choice all read it.
#[derive(Clone, Copy, Debug)]
pub struct StateRow {
    /// The state.
    pub state: State,
    /// What it is for.
    pub purpose: &'static str,
    /// The tool effects that may happen in it, and what each needs. What is not listed is refused.
    pub allows: &'static [(Effect, Need)],
    /// The model that works in it.
    pub tier: Tier,
}

/// Every state, its purpose, its powers and its model, in the order of [`State::ALL`].
pub const STATES: [StateRow; 10] = {
    const READ: &[(Effect, Need)] = &[(Effect::Read, Need::Nothing)];
    const NONE: &[(Effect, Need)] = &[];
    [
        StateRow {
            state: State::Decompose,
            purpose: "find entities, enumerate data needs",
            allows: READ,
            tier: Tier::Fast,
        },
        StateRow { state: State::Assess, purpose: "gather data", allows: READ, tier: Tier::Fast },
        StateRow {
            state: State::Compute,
            purpose: "arithmetic on gathered data; propose operations",
            allows: &[(Effect::Compute, Need::Nothing)],
            tier: Tier::StrongIfAnalytical,
        },
        StateRow {
            state: State::PolicyCheck,
            purpose: "evaluate rules on computed values and on each proposed operation",
            allows: NONE,
            tier: Tier::None,
        },
        StateRow {
            state: State::ApprovalGate,
            purpose: "render the brief; wait for a human",
            allows: READ,
            tier: Tier::FastForANote,
        },
        StateRow {
            state: State::Mutate,
            purpose: "run operations, each read back",
            allows: &[
                (Effect::Read, Need::Nothing),
                (Effect::Approval, Need::Grant),
                (Effect::Write, Need::Grant),
            ],
            tier: Tier::Strong,
        },
        StateRow {
            state: State::ScheduleNotify,
            purpose: "notifications, schedules, audit entries; only after every write verified",
            allows: &[(Effect::Read, Need::Nothing), (Effect::Notify, Need::Grant)],
            tier: Tier::Fast,
        },
        StateRow { state: State::Complete, purpose: "final answer", allows: NONE, tier: Tier::Fast },
        StateRow {
            state: State::Escalate,
            purpose: "a person must take over",
            allows: NONE,
            tier: Tier::None,
        },
        StateRow { state: State::Failed, purpose: "unrecoverable", allows: NONE, tier: Tier::None },
    ]
};

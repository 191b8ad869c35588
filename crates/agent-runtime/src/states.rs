//! Names the eight states of the loop and holds its one table of moves.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::table::{Move, Table};

/// A state of the formal loop.
///
/// It is a label: a run computes it from what it holds and never stores it beside that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Phase {
    /// Normalises the input and sets up the state.
    Intake,
    /// Makes a plan, once.
    Plan,
    /// Decides once whether to go on.
    Decide,
    /// The model proposes the next calls or gives its text. The only state that loops.
    Execute,
    /// The proposed tools run and their results are recorded. The only state with tools.
    Observe,
    /// Decides whether to go round again.
    LoopCheck,
    /// Gives the answer.
    Finalize,
    /// Gives the cause of the stop.
    Halt,
}

/// What a state may ask of the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Nothing: it is passed through.
    Nothing,
    /// One model call, or nothing where a rule answers.
    ModelOrRule,
    /// A model call each time it is entered.
    Model,
    /// Results of tool calls.
    Tools,
    /// One model call, or nothing where the last text is the answer.
    ModelOrLastText,
}

impl Phase {
    /// Every state, in reading order.
    pub const ALL: [Self; 8] = [
        Self::Intake,
        Self::Plan,
        Self::Decide,
        Self::Execute,
        Self::Observe,
        Self::LoopCheck,
        Self::Finalize,
        Self::Halt,
    ];

    /// The name as it stands in the table, in histories and in diagrams.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Intake => "INTAKE",
            Self::Plan => "PLAN",
            Self::Decide => "DECIDE",
            Self::Execute => "EXECUTE",
            Self::Observe => "OBSERVE",
            Self::LoopCheck => "LOOP_CHECK",
            Self::Finalize => "FINALIZE",
            Self::Halt => "HALT",
        }
    }

    /// What the state is for, in one line.
    pub const fn purpose(self) -> &'static str {
        match self {
            Self::Intake => "normalise the input, set up the state",
            Self::Plan => "make a plan, once",
            Self::Decide => "decide once whether to go on",
            Self::Execute => "let the model propose calls or give its text",
            Self::Observe => "run the proposed tools, record every result",
            Self::LoopCheck => "decide whether to go round again",
            Self::Finalize => "give the answer",
            Self::Halt => "give the cause of the stop",
        }
    }

    /// What a run that rests in this state may ask for.
    pub const fn needs(self) -> Needs {
        match self {
            Self::Intake | Self::LoopCheck | Self::Halt => Needs::Nothing,
            Self::Plan | Self::Decide => Needs::ModelOrRule,
            Self::Execute => Needs::Model,
            Self::Observe => Needs::Tools,
            Self::Finalize => Needs::ModelOrLastText,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The whole machine. A move that is not here cannot be taken.
pub const LOOP: Table<Phase> = Table::new(
    Phase::Intake,
    &Phase::ALL,
    &[
        Move { from: Phase::Intake, to: Phase::Plan, when: "input normalised" },
        Move { from: Phase::Plan, to: Phase::Decide, when: "plan accepted" },
        Move { from: Phase::Plan, to: Phase::Halt, when: "plan invalid or refused, or an error" },
        Move { from: Phase::Decide, to: Phase::Execute, when: "decided to go on" },
        Move { from: Phase::Decide, to: Phase::Finalize, when: "decided to stop" },
        Move { from: Phase::Decide, to: Phase::Halt, when: "decision invalid or refused, or a limit" },
        Move { from: Phase::Execute, to: Phase::Observe, when: "the model calls tools" },
        Move { from: Phase::Execute, to: Phase::Finalize, when: "the model calls no tools" },
        Move { from: Phase::Execute, to: Phase::Halt, when: "an error or an unusable reply" },
        Move { from: Phase::Observe, to: Phase::LoopCheck, when: "every call has its result" },
        Move { from: Phase::LoopCheck, to: Phase::Execute, when: "more to do" },
        Move { from: Phase::LoopCheck, to: Phase::Finalize, when: "the policy sees the goal reached" },
        Move { from: Phase::LoopCheck, to: Phase::Halt, when: "fatal tool error, violation or limit" },
    ],
);

//! The model-driven path: a language model works inside a state, and proposes; the machine decides.
//!
//! Inside each state runs one agent loop. It is plain data: stored between two calls of the model, continued in a later
//! turn. Nothing that a model says is a permission: its writes become operations, and only a
//! [`Pass`](purple_process::Pass) reaches a tool.

mod answer;
mod aside;
mod ask;
mod audited;
pub(crate) mod budget;
mod carry;
mod claims;
mod compute;
mod enter;
mod first;
mod held;
mod judge;
mod look;
pub(crate) mod memo;
mod moa;
mod mutate;
mod offer;
pub(crate) mod opinion;
mod outgoing;
mod outline;
mod prompt;
mod proposal;
mod read;
mod readback;
mod second;
mod sequence;
mod serves;
mod stale;

pub(crate) use aside::{Adviser, DIGEST_TIMER, NOTE_TIMER, purse};
pub(crate) use ask::{Heard, KeptReply, MODEL_TIMER, STEP, single};
pub(crate) use budget::{Stakes, Tier};
pub(crate) use carry::{AtWork, TURN_MS_MAX};
pub(crate) use enter::{Aim, Taken};
pub(crate) use judge::{asked_anyway, doubted, not_pointed};
pub(crate) use memo::{Drive, Driven};
pub(crate) use offer::described;
pub(crate) use outline::{Classified, GENERAL, SecondOpinion};
pub(crate) use prompt::{
    CASES, FACTS, FUNCTION, GAP, PHASE_ARTIFACT, PHASE_GATHER, PHASE_INSIGHT, PHASE_PLAN, PHASE_SYNTHESIZE,
    Prompt, SYNTHESIZE, fenced, fenced_task,
};

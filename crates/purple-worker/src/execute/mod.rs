//! The second arrow: carries a turn through the process machine. A failed run is an ending, not an error.

mod adapt;
mod advise;
mod again;
mod approve;
pub(crate) mod bind;
pub(crate) mod call;
pub(crate) mod catalogue;
mod channel;
pub(crate) mod close;
pub(crate) mod columns;
mod complaint;
mod confirm;
mod dead_end;
pub(crate) mod decide;
mod dispatch;
pub(crate) mod drift;
pub(crate) mod field;
mod field_words;
pub(crate) mod finish;
mod fit;
mod gather;
mod hold;
mod inquiry;
mod interrupted;
mod known;
mod ledger;
mod look_up;
mod masked;
mod message;
mod named;
pub(crate) mod naming;
#[cfg(test)]
pub(crate) mod office;
pub(crate) mod operate;
mod order;
mod outcome;
mod page;
pub(crate) mod paging;
pub(crate) mod prepare;
pub(crate) mod quarantine;
pub(crate) mod read;
pub(crate) mod reader;
mod recover;
pub(crate) mod reference;
mod rename;
pub(crate) mod reverse;
pub(crate) mod rule;
#[cfg(test)]
mod script;
mod settle;
mod several;
mod similar;
pub(crate) mod small_talk;
pub(crate) mod stance;
mod statement;
mod undo;
pub(crate) mod verify;
mod with_model;
pub(crate) mod witnessed;

use crate::drive::{DIGEST_TIMER, MODEL_TIMER, NOTE_TIMER};
use crate::learn::extract::FACTS_TIMER;
use crate::port::TurnFailed;
use crate::prime::{Primed, Todo};
use crate::run::Run;
use crate::session::Stage;

/// A run after its turn was carried out.
pub(crate) struct Executed<'a> {
    pub run: Run<'a>,
}

/// The second arrow.
pub(crate) async fn execute(primed: Primed<'_>) -> Result<Executed<'_>, TurnFailed> {
    let Primed { mut run, todo } = primed;
    match todo {
        Todo::Refuse(refusal) => run.refuse(&refusal).await?,
        Todo::Remark { code, why } => run.remark_with(&why, Some(code.to_owned()))?,
        Todo::Reject { code, why } => run.reject(code, &why).await?,
        Todo::Task(text) => run.prepare(&text).await?,
        Todo::Confirmed { text, by, channel } => run.confirmed(&text, &by, channel).await?,
        Todo::Withdraw => run.withdraw().await?,
        Todo::Words(message) => run.words(message).await?,
        Todo::Decide(verdict) => run.decided(verdict).await?,
        Todo::Edit(edit) => run.edit(edit).await?,
        Todo::Settle { step, done, by, account } => {
            run.settle(&step, done, approve::at(&by, account.as_deref())).await?
        }
        Todo::Undo(wanted) => run.undo(wanted).await?,
        Todo::Ring(timer) => match timer.as_str() {
            operate::LOOK | operate::RETRY => run.operate().await?,
            MODEL_TIMER => run.drive().await?,
            DIGEST_TIMER => run.shorten().await?,
            note if note.starts_with(NOTE_TIMER) => run.note_at_gate(note).await?,
            facts if facts.starts_with(FACTS_TIMER) => run.extract_facts(facts).await?,
            approval => run.expired(approval).await?,
        },
        Todo::CallOff { by, reason, round, message } => {
            let round = match &message {
                Some(called) => Some(run.round_of(called).await?),
                None => round,
            };
            run.call_off(&by, &reason, round).await?;
        }
        Todo::GoOn => match run.session.stage {
            Stage::Driving(_) => run.drive().await?,
            Stage::Preparing
            | Stage::Asking { .. }
            | Stage::Confirming { .. }
            | Stage::Waiting(_)
            | Stage::Running(_)
            | Stage::Closed { .. } => run.operate().await?,
        },
    }
    run.complete_remark().await?;
    run.attach_answer().await?;
    Ok(Executed { run })
}

//! Starts turns, hears how they ended, and decides what happens to those that failed.

use std::sync::Arc;
use std::time::Duration;

use purple_port::{EngineError, Handler, TurnFailed};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::caught::{Caught, panic_text};
use crate::claim::{Claim, Claimed, claim};
use crate::engine::Phase;
use crate::error::chain_text;
use crate::read;
use crate::store::Core;
use crate::time::{Micros, later};
use crate::turn::LiveTurn;
use crate::work::{AfterFailure, Done, SessionKey, TurnFailure, Work};

const PRUNE_EVERY: Duration = Duration::from_secs(3600);
/// How much of an error or a panic is kept.
const REASON_CHARS_MAX: usize = 500;

/// How a turn ended, for the board.
struct Ended {
    session: i64,
    more: bool,
}

/// Runs turns until the engine stops or the storage fails.
pub(crate) async fn run(
    core: Arc<Core>,
    handler: Arc<dyn Handler>,
    mut phase: watch::Receiver<Phase>,
    idle: watch::Sender<bool>,
) {
    let mut turns: JoinSet<Ended> = JoinSet::new();
    let mut prune_at = Micros::MIN;
    // The first look finds everything that is there.
    core.board.fill(Vec::new(), Some(Micros::MIN));
    loop {
        let now = core.time.now();
        if prune_at <= now {
            prune_at = later(now, PRUNE_EVERY);
            tokio::spawn(prune(Arc::clone(&core), now));
        }
        if let Err(error) = list_due(&core, now) {
            core.fail(&error);
            break;
        }
        while turns.len() < core.settings.turns_max.max(1) {
            let Some(session) = core.board.take() else { break };
            turns.spawn(one(Arc::clone(&core), Arc::clone(&handler), session));
        }
        idle.send_replace(turns.is_empty() && core.board.is_idle(core.time.now()));
        let wake = core.board.next_wake().map_or(prune_at, |at| at.min(prune_at));
        tokio::select! {
            biased;
            _ = phase.wait_for(|phase| *phase == Phase::Draining) => break,
            _ = core.writer.failed() => break,
            Some(ended) = turns.join_next() => hear(&core, ended),
            () = core.board.turn_bell.notified() => {}
            () = core.time.reached(Some(wake)) => {}
        }
        while let Some(ended) = turns.try_join_next() {
            hear(&core, ended);
        }
    }
    drain(&core, turns).await;
}

/// A turn task panics only by a fault of the engine itself; then nobody knows what its session is doing.
fn hear(core: &Core, ended: Result<Ended, tokio::task::JoinError>) {
    match ended {
        Ok(Ended { session, more }) => core.board.ended(session, more),
        Err(error) => core.fail(&EngineError::Storage(Box::new(error))),
    }
}

fn list_due(core: &Core, now: Micros) -> Result<(), EngineError> {
    if core.board.take_next_wake(now) {
        let (due, next) = core.readers.look_here(|db| read::due(db, now))?;
        core.board.fill(due, next);
    }
    Ok(())
}

/// Throws old scratch away, a little at a time: others write in between.
async fn prune(core: Arc<Core>, now: Micros) {
    let kept = i64::try_from(core.settings.steps_kept.as_micros()).unwrap_or(i64::MAX);
    let steps_before = now.saturating_sub(kept);
    // A writer that is gone prunes nothing; the loop sees it by itself.
    while let Ok(Done::Pruned { more: true }) = core.writer.write(Work::Prune { steps_before }).await {}
}

/// Lets running turns end within the grace, and drops the rest.
async fn drain(core: &Core, mut turns: JoinSet<Ended>) {
    let all_ended = async { while turns.join_next().await.is_some() {} };
    tokio::select! {
        () = all_ended => {}
        () = tokio::time::sleep(core.settings.grace) => {}
        _ = core.writer.failed() => {}
    }
    turns.shutdown().await;
}

/// One turn of one session, if it has something to run.
async fn one(core: Arc<Core>, handler: Arc<dyn Handler>, session: i64) -> Ended {
    let now = core.time.now();
    let more = match core.readers.look_here(|db| claim(db, &core.recent, session, now)) {
        Ok(Claim::Nothing) => false,
        Ok(Claim::Turn(claimed)) => {
            let more = claimed.more;
            turn(&core, &*handler, *claimed).await;
            more
        }
        Ok(Claim::Damaged { session, event, reason }) => {
            fail(&core, session, event, reason, AfterFailure::Stuck).await;
            false
        }
        Err(error) => {
            core.fail(&error);
            false
        }
    };
    Ended { session, more }
}

async fn turn(core: &Arc<Core>, handler: &dyn Handler, claimed: Claimed) {
    let (session, event, failures) = (claimed.session.clone(), claimed.id, claimed.failures);
    // Before everything that this turn writes, in the same queue: if any of that is on the disk, so is this.
    if core.writer.ride(Work::Begin { event }).await.is_err() {
        return;
    }
    let (live, said) = LiveTurn::new(Arc::clone(core), claimed);
    let mut open = OpenTurn { core, event, over: false };
    let handling = Caught::new(async { handler.handle(&live, said).await });
    let handled = tokio::time::timeout(core.settings.turn_limit, handling).await;
    let result = match handled {
        Ok(Ok(Ok(()))) => live.end().await.map_err(Failure::from),
        Ok(Ok(Err(failed))) => Err(Failure::from(failed)),
        Ok(Err(panic)) => Err(Failure::Again(format!("the turn failed: {}", panic_text(&*panic)))),
        Err(_) => {
            let limit_s = core.settings.turn_limit.as_secs();
            Err(Failure::Again(format!("the turn took longer than {limit_s} s")))
        }
    };
    // A handler may say so of its own accord; only a closing store makes it true.
    let result = result.map_err(|failure| match failure {
        Failure::Over if !core.is_closing() => Failure::Again(EngineError::ShuttingDown.to_string()),
        other => other,
    });
    match result {
        Ok(()) => open.over = true,
        Err(Failure::Again(reason)) => {
            let tries = failures.saturating_add(1);
            let next = if tries < core.settings.failures_max {
                let wake_at = later(core.time.now(), core.settings.backoff(tries, event));
                AfterFailure::Again { wake_at }
            } else {
                AfterFailure::Stuck
            };
            fail(core, session, event, reason, next).await;
            open.over = true;
        }
        Err(Failure::Hopeless(reason)) => {
            fail(core, session, event, reason, AfterFailure::Stuck).await;
            open.over = true;
        }
        // Nothing of it could be written down. The session waits in memory; the turn has lost nothing but time.
        Err(Failure::Full) => {
            core.board.hold(session.id, later(core.time.now(), core.settings.backoff_max));
        }
        // The writer is gone, and the loop sees why.
        Err(Failure::Over) => {}
    }
}

/// A turn that is dropped because the engine stops did not bring the process down, and is not counted as if it had.
struct OpenTurn<'a> {
    core: &'a Core,
    event: i64,
    over: bool,
}

impl Drop for OpenTurn<'_> {
    fn drop(&mut self) {
        if !self.over {
            self.core.writer.ride_now(Work::Dropped { event: self.event });
        }
    }
}

async fn fail(core: &Core, session: SessionKey, event: i64, reason: String, next: AfterFailure) {
    let reason = reason.chars().take(REASON_CHARS_MAX).collect();
    let (id, now) = (session.id, core.time.now());
    let failure = TurnFailure { session, event, reason, next, now };
    match core.writer.write(Work::Failed(failure)).await {
        Ok(_) | Err(EngineError::ShuttingDown) => {}
        Err(EngineError::Full) => core.board.hold(id, later(now, core.settings.backoff_max)),
        Err(error) => core.fail(&error),
    }
}

/// Why a turn did not end, as far as it matters for what comes next.
enum Failure {
    Again(String),
    Hopeless(String),
    Full,
    Over,
}

impl From<TurnFailed> for Failure {
    fn from(failed: TurnFailed) -> Self {
        match failed {
            TurnFailed::Engine(error) => Self::from(error),
            // The same event on the same session ends the same way again.
            fault @ (TurnFailed::Misstep(_)
            | TurnFailed::Unreadable { .. }
            | TurnFailed::NewerSchema { .. }) => Self::Hopeless(chain_text(&fault)),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Full => Self::Full,
            EngineError::ShuttingDown => Self::Over,
            other @ (EngineError::TooLarge { .. }
            | EngineError::Step { .. }
            | EngineError::StepRepeated { .. }
            | EngineError::Damaged { .. }
            | EngineError::Storage(_)) => Self::Again(chain_text(&other)),
        }
    }
}

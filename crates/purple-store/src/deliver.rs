//! Brings notices out of the outbox, at least once each.

use std::sync::Arc;
use std::time::Duration;

use purple_port::{Delivery, EngineError, Notice, Outbox};
use rusqlite::{Connection, params};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::caught::Caught;
use crate::engine::Phase;
use crate::readers::Looked;
use crate::store::Core;
use crate::time::{Micros, later};
use crate::work::{Told, Work};

/// How many are being delivered at a time.
const DELIVERIES_MAX: u32 = 8;
/// How long one try may take.
const DELIVERY_LIMIT: Duration = Duration::from_secs(60);

struct Waiting {
    id: i64,
    tries: u32,
    notice: String,
}

/// Delivers until the engine stops or the storage fails.
pub(crate) async fn run(core: Arc<Core>, outbox: Arc<dyn Outbox>, mut phase: watch::Receiver<Phase>) {
    loop {
        let round = async {
            match deliver_due(&core, &outbox).await {
                Ok(Some(wake)) => {
                    tokio::select! {
                        () = core.board.notice_bell.notified() => {}
                        () = core.time.reached(wake) => {}
                    }
                    true
                }
                Ok(None) => true,
                Err(EngineError::ShuttingDown) => false,
                Err(error) => {
                    core.fail(&error);
                    false
                }
            }
        };
        tokio::select! {
            biased;
            _ = phase.wait_for(|phase| *phase == Phase::Draining) => return,
            _ = core.writer.failed() => return,
            go_on = round => if !go_on { return },
        }
    }
}

/// Delivers what is due. If nothing was, says when something will be.
async fn deliver_due(
    core: &Arc<Core>,
    outbox: &Arc<dyn Outbox>,
) -> Result<Option<Option<Micros>>, EngineError> {
    let now = core.time.now();
    let (due, next) = core.readers.look(move |db| look(db, now)).await?;
    if due.is_empty() {
        return Ok(Some(next));
    }
    let mut deliveries = JoinSet::new();
    for waiting in due {
        deliveries.spawn(deliver_one(Arc::clone(core), Arc::clone(outbox), waiting));
    }
    while let Some(done) = deliveries.join_next().await {
        done.map_err(|error| EngineError::Storage(Box::new(error)))??;
    }
    Ok(None)
}

async fn deliver_one(core: Arc<Core>, outbox: Arc<dyn Outbox>, waiting: Waiting) -> Result<(), EngineError> {
    let delivery = match serde_json::from_str::<Notice>(&waiting.notice) {
        // One that hangs or panics has not delivered.
        Ok(notice) => {
            let delivered = Caught::new(async { outbox.deliver(&notice).await });
            match tokio::time::timeout(DELIVERY_LIMIT, delivered).await {
                Ok(Ok(delivery)) => delivery,
                Ok(Err(_)) | Err(_) => Delivery::Later,
            }
        }
        Err(_) => Delivery::Hopeless,
    };
    let tries = waiting.tries.saturating_add(1);
    let again = delivery == Delivery::Later && tries < core.settings.notice_tries_max;
    let wake_at = again.then(|| later(core.time.now(), core.settings.backoff(tries, waiting.id)));
    let told = Told { id: waiting.id, delivery, wake_at };
    // Waited for, so that the next look does not find the notice again.
    match core.writer.write(Work::Told(told)).await {
        // Without room to write it down it is told again later.
        Ok(_) | Err(EngineError::Full) => Ok(()),
        Err(error) => Err(error),
    }
}

fn look(db: &Connection, now: Micros) -> Looked<(Vec<Waiting>, Option<Micros>)> {
    let mut read = db.prepare_cached(
        "SELECT id, tries, notice FROM outbox WHERE dead IS NULL AND wake_at <= ?1 ORDER BY wake_at, id LIMIT ?2",
    )?;
    let due: Result<Vec<Waiting>, _> = read
        .query_map(params![now, DELIVERIES_MAX], |found| {
            Ok(Waiting { id: found.get(0)?, tries: found.get(1)?, notice: found.get(2)? })
        })?
        .collect();
    let next = db
        .prepare_cached("SELECT min(wake_at) FROM outbox WHERE dead IS NULL AND wake_at > ?1")?
        .query_row([now], |found| found.get(0))?;
    Ok((due?, next))
}

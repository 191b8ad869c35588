//! The world behind the small ports: the clock, waiting, and who delivers notices.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use purple_server::{BadWebhook, Webhook};
use purple_worker::port::{BoxFuture, Clock, Delivery, Notice, Outbox, Pause};

/// The clock of the operating system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the port's one implementation by the system clock"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that starts at a moment of its own and then runs with the world.
#[derive(Clone, Copy, Debug)]
struct StartedClock {
    start: Timestamp,
    began: Instant,
}

impl Clock for StartedClock {
    fn now(&self) -> Timestamp {
        self.start.checked_add(self.began.elapsed()).unwrap_or(self.start)
    }
}

/// The clock that the operator set.
#[expect(clippy::disallowed_methods, reason = "this is the port's one implementation by the system clock")]
pub(crate) fn clock(start: Option<Timestamp>) -> Arc<dyn Clock> {
    match start {
        None => Arc::new(SystemClock),
        Some(start) => Arc::new(StartedClock { start, began: Instant::now() }),
    }
}

/// Waits by the runtime's timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleep;

impl Pause for Sleep {
    fn pause(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// Who delivers notices.
pub(crate) fn outbox(notify_url: Option<&str>) -> Result<Arc<dyn Outbox>, BadWebhook> {
    match notify_url {
        None => Ok(Arc::new(NoDeliverer)),
        Some(url) => Ok(Arc::new(Webhook::to(url)?)),
    }
}

/// Nobody is told outside, and the worker puts nothing into the outbox. What an earlier setting left there stays, and
/// is told as undelivered.
#[derive(Clone, Copy, Debug)]
struct NoDeliverer;

impl Outbox for NoDeliverer {
    fn deliver<'a>(&'a self, _notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(std::future::ready(Delivery::Hopeless))
    }
}

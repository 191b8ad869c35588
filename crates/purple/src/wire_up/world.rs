//! The world behind the small ports: the clock, waiting, and who delivers notices.

use std::time::Duration;

use jiff::Timestamp;
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

/// Waits by the runtime's timer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sleep;

impl Pause for Sleep {
    fn pause(&self, duration: Duration) -> BoxFuture<'_, ()> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// Nobody is told outside: approvers look into their inbox.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NoDeliverer;

impl Outbox for NoDeliverer {
    fn deliver<'a>(&'a self, _notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        Box::pin(std::future::ready(Delivery::Hopeless))
    }
}

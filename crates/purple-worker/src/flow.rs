//! The four arrows: prime, execute, reflect, store. Each takes the value of the one before it.

use crate::event::Event;
use crate::execute::{Executed, execute};
use crate::port::{BoxFuture, Handler, Turn, TurnFailed};
use crate::prime::{Primed, prime};
use crate::reflect::{Reflected, reflect};
use crate::run::Bound;
use crate::settings::{Ports, Settings};
use crate::shelf::Shelf;
use crate::store::store;

/// The worker: runs one turn for one event.
pub struct Worker {
    ports: Ports,
    settings: Settings,
    shelf: Shelf,
}

impl Worker {
    /// A worker with these ports and settings.
    pub fn new(ports: Ports, settings: Settings) -> Self {
        Self { ports, settings, shelf: Shelf::default() }
    }

    async fn turn(&self, turn: &dyn Turn, event: Event) -> Result<(), TurnFailed> {
        let bound = Bound { ports: &self.ports, settings: &self.settings, shelf: &self.shelf };
        let Some(primed) = prime(bound, turn, event).await? else { return Ok(()) };
        let primed: Primed<'_> = primed;
        let executed: Executed<'_> = execute(primed).await?;
        let reflected: Reflected<'_> = reflect(executed);
        store(reflected)
    }
}

impl Handler for Worker {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(self.turn(turn, event))
    }
}

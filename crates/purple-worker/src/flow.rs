//! The four arrows: prime, execute, reflect, store. Each takes the value of the one before it.

use std::sync::Arc;

use crate::event::Event;
use crate::execute::catalogue::Manifest;
use crate::execute::{Executed, execute};
use crate::port::{BoxFuture, Handler, Turn, TurnFailed};
use crate::prime::{Primed, prime};
use crate::reflect::{Reflected, reflect};
use crate::run::{Bound, OrderRecords};
use crate::settings::{Ports, Settings};
use crate::shelf::Shelf;
use crate::store::store;
use crate::synthesis::Library;

/// The worker: runs one turn for one event.
pub struct Worker {
    ports: Ports,
    settings: Arc<Settings>,
    shelf: Shelf,
    library: Library,
    orders: OrderRecords,
}

impl Worker {
    /// A worker with these ports and settings.
    pub fn new(ports: Ports, mut settings: Settings) -> Self {
        let manifest = Manifest::clone(&settings.manifest).with_files(&settings.processes);
        settings.manifest = Arc::new(manifest);
        let settings = Arc::new(settings);
        let (shelf, library) = (Shelf::default(), Library::default());
        Self { ports, settings, shelf, library, orders: OrderRecords::Kept }
    }

    /// The same as a version that is older than orders, for the replay of what such a version did.
    pub(crate) fn with_orders(self, orders: OrderRecords) -> Self {
        Self { orders, ..self }
    }

    async fn turn(&self, turn: &dyn Turn, event: Event) -> Result<(), TurnFailed> {
        let holdings = self.library.holdings(&self.ports, &self.settings).await?;
        let (ports, settings, shelf) = (&self.ports, &*holdings.settings, &self.shelf);
        let bound = Bound { ports, settings, shelf, holdings: &holdings, orders: self.orders };
        let Some(primed) = prime(bound, turn, event).await? else { return Ok(()) };
        let primed: Primed<'_> = primed;
        let executed: Executed<'_> = execute(primed).await?;
        let reflected: Reflected<'_> = reflect(executed);
        store(reflected).await
    }
}

impl Handler for Worker {
    fn handle<'a>(&'a self, turn: &'a dyn Turn, event: Event) -> BoxFuture<'a, Result<(), TurnFailed>> {
        Box::pin(self.turn(turn, event))
    }
}

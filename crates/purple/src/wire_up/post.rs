//! Who delivers notices: each kind has its own deliverer.

use std::sync::Arc;

use purple_server::{Loopback, PushOutbox, PushRules};
use purple_store::Store;
use purple_worker::port::{BoxFuture, Delivery, MOVED_KIND, Notice, Outbox};
use purple_worker::{Access, WorkerHandle};

use crate::config::Config;
use crate::failure::Failure;
use crate::wire_up::is_loopback;
use crate::wire_up::world;

/// Where notifications of tasks may go.
pub(crate) fn push_rules(config: &Config, access: Access) -> PushRules {
    let local = access == Access::Local && is_loopback(&config.settings.serve.host);
    PushRules {
        allowed_origins: config.settings.serve.push_allowed.clone(),
        loopback: if local { Loopback::Allowed } else { Loopback::Refused },
    }
}

/// The deliverers of this set-up.
pub(crate) fn outbox(
    config: &Config,
    worker: &WorkerHandle,
    store: &Store,
    access: Access,
) -> Result<Arc<dyn Outbox>, Failure> {
    let rules = push_rules(config, access);
    let watchers = Arc::new(store.clone());
    let pushes = PushOutbox::new(worker.clone(), watchers, rules, config.settings.serve.pause_as)?;
    let others = world::outbox(config.settings.notify_url.as_deref())?;
    Ok(Arc::new(Sorted { pushes, others }))
}

/// Notices by their kind.
struct Sorted {
    pushes: PushOutbox,
    others: Arc<dyn Outbox>,
}

impl Outbox for Sorted {
    fn deliver<'a>(&'a self, notice: &'a Notice) -> BoxFuture<'a, Delivery> {
        match notice.kind.as_str() {
            MOVED_KIND => self.pushes.deliver(notice),
            _ => self.others.deliver(notice),
        }
    }
}

//! Somebody who is asked first, and our own models behind.
//!
//! A delegate is one more model in the seat: what it says is a proposal like any other. Where it gives no answer, our
//! own model answers the same question, so that no task depends on it.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use purple_port::{BoxFuture, Clock, Model, ModelError, ModelReply, ModelRequest, Models};

use crate::limits::DELEGATE_REST_S;

/// Puts `first` in front of our own models, for both tiers.
///
/// After it was down it rests for a while, and our own models answer at once. Without any of our own it is asked every
/// time, and where it gives no answer there is [`ModelError::NoModel`]: what can be done without a model is done.
pub fn delegated(first: Arc<dyn Model>, name: &str, own: Option<Models>, clock: Arc<dyn Clock>) -> Models {
    let rest = Arc::new(Rest { clock, until: Mutex::new(None) });
    let tier = |own: Option<(Arc<dyn Model>, String)>| -> (Arc<dyn Model>, String) {
        let asked = match &own {
            Some((_, own)) => format!("{name}, else {own}"),
            None => name.to_owned(),
        };
        let (first, rest) = (first.clone(), rest.clone());
        (Arc::new(Delegate { first, name: name.to_owned(), own, rest }), asked)
    };
    let (fast, strong) = match own {
        Some(Models { fast, fast_name, strong, strong_name }) => {
            (Some((fast, fast_name)), Some((strong, strong_name)))
        }
        None => (None, None),
    };
    let ((fast, fast_name), (strong, strong_name)) = (tier(fast), tier(strong));
    Models { fast, fast_name, strong, strong_name }
}

/// One tier with a delegate in front.
struct Delegate {
    first: Arc<dyn Model>,
    name: String,
    own: Option<(Arc<dyn Model>, String)>,
    rest: Arc<Rest>,
}

/// Until when nobody asks the delegate. Both tiers know it.
struct Rest {
    clock: Arc<dyn Clock>,
    until: Mutex<Option<Timestamp>>,
}

impl Rest {
    fn is_on(&self) -> bool {
        let until = *self.until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| self.clock.now() < until)
    }

    fn begin(&self) {
        let until = self.clock.now().checked_add(Duration::from_secs(DELEGATE_REST_S)).ok();
        *self.until.lock().unwrap_or_else(PoisonError::into_inner) = until;
    }
}

impl Delegate {
    async fn reply(&self, request: &ModelRequest) -> Result<ModelReply, ModelError> {
        let Some((own, own_name)) = &self.own else {
            return self.first.complete(request).await.map(|reply| by(reply, &self.name)).map_err(|error| {
                ModelError::NoModel { problem: format!("{error}, and no model of our own is configured") }
            });
        };
        if !self.rest.is_on() {
            match self.first.complete(request).await {
                Ok(reply) => return Ok(by(reply, &self.name)),
                Err(error) if is_down(&error) => self.rest.begin(),
                Err(_) => {}
            }
        }
        own.complete(request).await.map(|reply| by(reply, own_name))
    }
}

impl Model for Delegate {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(self.reply(request))
    }
}

/// A reply with the name of whoever gave it, so that the record tells one from the other.
fn by(reply: ModelReply, name: &str) -> ModelReply {
    let model = reply.model.unwrap_or_else(|| name.to_owned());
    ModelReply { model: Some(model), ..reply }
}

/// Whether the next question would hardly fare better.
fn is_down(error: &ModelError) -> bool {
    match error {
        ModelError::Unreachable { .. } | ModelError::TimedOut { .. } => true,
        ModelError::Refused { status, .. } => matches!(status, 401 | 403 | 404 | 408 | 429 | 500..=599),
        ModelError::Unreadable { .. } | ModelError::NoModel { .. } => false,
    }
}

#[cfg(test)]
#[path = "delegate_tests.rs"]
mod tests;

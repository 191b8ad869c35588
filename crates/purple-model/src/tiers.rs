//! Two models and one budget: every call of a task goes to the tier that may answer it, and is paid for.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use purple_worker::port::{BoxFuture, Model, ModelError, ModelReply, ModelRequest};

use crate::budget::{Budget, Stakes, Tier};

/// The models of one task, and what it may still spend on them.
#[derive(Clone)]
pub struct TaskModels {
    fast: Arc<dyn Model>,
    strong: Arc<dyn Model>,
    budget: Arc<Mutex<Budget>>,
}

impl TaskModels {
    /// The models of a task that may spend what is left of `budget`.
    pub fn new(fast: Arc<dyn Model>, strong: Arc<dyn Model>, budget: Budget) -> Self {
        Self { fast, strong, budget: Arc::new(Mutex::new(budget)) }
    }

    /// The budget as it is now, to be stored with the task.
    pub fn budget(&self) -> Budget {
        self.lock().clone()
    }

    /// A model for calls of one kind.
    pub fn asking(&self, wanted: Tier, stakes: Stakes) -> TierModel {
        TierModel { models: self.clone(), wanted, stakes }
    }

    fn lock(&self) -> MutexGuard<'_, Budget> {
        // Counting cannot stop half-way, so a poisoned budget is as good as any.
        self.budget.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answers calls of one kind within the budget of their task.
#[derive(Clone)]
pub struct TierModel {
    models: TaskModels,
    wanted: Tier,
    stakes: Stakes,
}

impl Model for TierModel {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        Box::pin(async move {
            let (tier, output_tokens_max) = self.allowed(request)?;
            let model = match tier {
                Tier::Fast => &self.models.fast,
                Tier::Strong => &self.models.strong,
            };
            let capped = ModelRequest { output_tokens_max, ..request.clone() };
            let reply = model.complete(&capped).await?;
            self.models.lock().count(&capped, &reply);
            Ok(reply)
        })
    }
}

impl TierModel {
    fn allowed(&self, request: &ModelRequest) -> Result<(Tier, u32), ModelError> {
        let budget = self.models.lock();
        let tier = budget.tier(self.wanted, self.stakes);
        tier.zip(budget.output_tokens(request.output_tokens_max)).ok_or_else(|| ModelError::NoModel {
            problem: format!("the task has spent {} tokens, and its budget is used up", budget.spent()),
        })
    }
}

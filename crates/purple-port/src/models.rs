//! The language models of a worker, by tier.

use std::fmt;
use std::sync::Arc;

use agent_runtime::model::Model;

/// Two models: a quick one and a careful one. They may be the same.
///
/// # Contract
///
/// One call of [`Model::complete`] is one answer, retries inside it included. Whatever a model says is a proposal:
/// nothing here gives it permission.
#[derive(Clone)]
pub struct Models {
    /// Cheap and quick.
    pub fast: Arc<dyn Model>,
    /// What the operator calls it, for the journal.
    pub fast_name: String,
    /// Careful.
    pub strong: Arc<dyn Model>,
    /// What the operator calls it, for the journal.
    pub strong_name: String,
}

impl fmt::Debug for Models {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fast_name, strong_name, fast: _, strong: _ } = self;
        out.debug_struct("Models").field("fast", fast_name).field("strong", strong_name).finish()
    }
}

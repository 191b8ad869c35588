//! The admitted functions by their hash: the worker's `Sandbox` port.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use purple_port::{
    Admission, Arguments, CallFault, Clock, FunctionHash, NotAdmitted, Outcome, Program, Sandbox,
};

use crate::admit::{Admitted, judge};
use crate::limits::{FUNCTIONS_MAX, by_name};
use crate::run::{Runner, on_own_stack};

/// The guide, with its examples; a test runs them.
pub const GUIDE: &str = include_str!("guide.md");

/// Runs functions in Rhai, with exact numbers and without a way out.
pub struct RhaiSandbox {
    runner: Runner,
    admitted: RwLock<BTreeMap<FunctionHash, Arc<Admitted>>>,
}

impl RhaiSandbox {
    /// An empty one. The clock only ends calls that take too long.
    #[must_use]
    pub fn new(clock: Arc<dyn Clock>) -> Self {
        Self { runner: Runner::new(clock), admitted: RwLock::default() }
    }

    fn find(&self, function: FunctionHash) -> Option<Arc<Admitted>> {
        // A panic while the lock is held cannot leave the map half changed.
        self.admitted.read().unwrap_or_else(PoisonError::into_inner).get(&function).cloned()
    }

    fn shelve(&self, function: FunctionHash, admitted: Admitted) -> Result<(), NotAdmitted> {
        let mut shelf = self.admitted.write().unwrap_or_else(PoisonError::into_inner);
        if shelf.len() >= FUNCTIONS_MAX && !shelf.contains_key(&function) {
            return Err(NotAdmitted::Full { functions_max: FUNCTIONS_MAX });
        }
        shelf.insert(function, Arc::new(admitted));
        Ok(())
    }
}

impl Sandbox for RhaiSandbox {
    fn admit(&self, program: &Program) -> Result<Admission, NotAdmitted> {
        self.forget(program.hash());
        let judged = on_own_stack(|| judge(&self.runner, program));
        // A judgement that broke down is no admission.
        let (admitted, admission) = judged.unwrap_or(Err(NotAdmitted::Broken))?;
        self.shelve(admission.function, admitted)?;
        Ok(admission)
    }

    fn call(&self, function: FunctionHash, arguments: &Arguments) -> Result<Outcome, CallFault> {
        let Some(admitted) = self.find(function) else { return Err(CallFault::NotAdmitted { function }) };
        if let Some(parameter) = admitted.unfit(arguments) {
            return Err(CallFault::Outside { parameter });
        }
        let ran = on_own_stack(|| self.runner.run(admitted.compiled(), arguments));
        ran.map_or(Err(CallFault::Broken), |ran| ran.ended)
    }

    fn forget(&self, function: FunctionHash) -> bool {
        self.admitted.write().unwrap_or_else(PoisonError::into_inner).remove(&function).is_some()
    }

    fn guide(&self) -> &'static str {
        GUIDE
    }

    fn bounds(&self) -> BTreeMap<&'static str, u64> {
        by_name()
    }
}

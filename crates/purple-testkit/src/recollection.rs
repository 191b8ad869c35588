//! A memory that holds what a test puts into it, whatever is asked.

use purple_worker::learn::bandit::Tally;
use purple_worker::port::{
    BoxFuture, Check, EngineError, Entity, Fact, Logged, Memory, PastCase, Ranked, Whose,
};

/// What is remembered: the same for every question, so that nothing of it is missed.
#[derive(Clone, Debug, Default)]
pub struct Recollection {
    /// Cases, the newest first. All of them fit every task equally well, and are about everybody.
    pub log: Vec<Logged>,
    /// How each way did, for every process.
    pub tallies: Vec<Tally>,
    /// Facts about everybody.
    pub facts: Vec<Fact>,
    /// Checks of every process.
    pub checks: Vec<Check>,
}

fn ready<'a, T: Send + 'a>(value: Vec<T>) -> BoxFuture<'a, Result<Vec<T>, EngineError>> {
    Box::pin(std::future::ready(Ok(value)))
}

impl Memory for Recollection {
    fn recall<'a>(&'a self, _: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<Ranked>, EngineError>> {
        ready(
            self.log
                .iter()
                .take(limit)
                .map(|one| Ranked { session: one.case.session.clone(), round: one.case.round, fit: 1 })
                .collect(),
        )
    }

    fn log(&self, limit: usize) -> BoxFuture<'_, Result<Vec<Logged>, EngineError>> {
        ready(self.log.iter().take(limit).cloned().collect())
    }

    fn history<'a>(
        &'a self,
        _: &'a Entity,
        _: Whose,
        limit: usize,
    ) -> BoxFuture<'a, Result<Vec<PastCase>, EngineError>> {
        ready(self.log.iter().take(limit).map(|one| one.case.clone()).collect())
    }

    fn tallies<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Vec<Tally>, EngineError>> {
        ready(self.tallies.clone())
    }

    fn facts<'a>(&'a self, _: &'a Entity, limit: usize) -> BoxFuture<'a, Result<Vec<Fact>, EngineError>> {
        ready(self.facts.iter().take(limit).cloned().collect())
    }

    fn checks<'a>(&'a self, _: &'a str, limit: usize) -> BoxFuture<'a, Result<Vec<Check>, EngineError>> {
        ready(self.checks.iter().take(limit).cloned().collect())
    }
}

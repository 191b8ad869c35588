//! Does what a run asks for: the only async part, and a thin one.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use crate::audit::AuditLog;
use crate::ending::Ending;
use crate::r#loop::AgentRun;
use crate::model::{BoxFuture, Model};
use crate::policy::Policy;
use crate::tools::Executor;
use crate::turn::{Ask, Interruption, LoopError, Told};

/// Tells how time passes. The loop and its driver never ask the operating system.
pub trait Clock: Send + Sync {
    /// The time since some fixed moment. It never goes back.
    fn now(&self) -> Duration;

    /// Completes when `after` has passed, so that a model or a tool that never answers cannot hold the run.
    ///
    /// By default it never rings: the time limit then only counts between answers.
    fn alarm(&self, _after: Duration) -> BoxFuture<'_, ()> {
        Box::pin(std::future::pending())
    }
}

impl<C: Clock + ?Sized> Clock for std::sync::Arc<C> {
    fn now(&self) -> Duration {
        (**self).now()
    }

    fn alarm(&self, after: Duration) -> BoxFuture<'_, ()> {
        (**self).alarm(after)
    }
}

/// A clock that stands still. With it the time limit never ends a run; the other limits do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StoppedClock;

impl Clock for StoppedClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Everything a run needs from outside.
#[derive(Clone, Copy)]
pub struct Driver<'a> {
    /// Replies.
    pub model: &'a dyn Model,
    /// Runs requested calls.
    pub executor: &'a Executor,
    /// Judges.
    pub policy: &'a dyn Policy,
    /// Receives the audit entries, after each answer.
    pub audit: &'a dyn AuditLog,
    /// Measures the answers.
    pub clock: &'a dyn Clock,
}

impl Driver<'_> {
    /// Answers what `run` asks for until it asks to stop. Tools run one after the other.
    ///
    /// Dropping the future at any point leaves `run` where its last answer put it, and driving it again asks again
    /// for what was left open: a tool that was running then may run twice.
    pub async fn drive(&self, run: &mut AgentRun) -> Result<Ending, LoopError> {
        loop {
            self.hand_over_audit(run);
            let began = self.clock.now();
            let told = match run.ask() {
                Ask::Model(request) => match self.in_time(run, self.model.complete(&request)).await {
                    Some(Ok(reply)) => Told::Reply(reply),
                    Some(Err(error)) => Told::Failed(error),
                    None => Told::Interrupted(Interruption::OutOfTime),
                },
                // One at a time: what the next one waits for is then known, recorded, and can be stored.
                Ask::Tools(requested) => match requested.into_iter().next() {
                    Some(first) => match self.in_time(run, self.executor.execute(first)).await {
                        Some(result) => Told::Results(vec![result]),
                        None => Told::Interrupted(Interruption::OutOfTime),
                    },
                    None => Told::Results(Vec::new()),
                },
                Ask::Stop(ending) => return Ok(ending),
            };
            let took = self.clock.now().saturating_sub(began);
            run.tell(told, took, self.policy)?;
        }
    }

    fn hand_over_audit(&self, run: &mut AgentRun) {
        run.take_audit().into_iter().for_each(|entry| self.audit.record(entry));
    }

    /// Waits for `work`, but not longer than the run has time. Work that is ready counts, even at the last moment.
    async fn in_time<T>(&self, run: &AgentRun, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        let mut alarm = self.clock.alarm(run.time_left());
        std::future::poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => alarm.as_mut().poll(context).map(|()| None),
        })
        .await
    }
}

//! Panics of what the engine calls, as values.

use std::any::Any;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};

use purple_port::BoxFuture;

/// What a panic said.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let said = panic.downcast_ref::<&str>().copied();
    let said = said.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", said.unwrap_or("no reason given"))
}

/// Polls what others wrote and turns its panic into a value: one bad turn must not take its neighbours along.
pub(crate) struct Caught<'a, T>(BoxFuture<'a, T>);

impl<'a, T> Caught<'a, T> {
    /// Give it the call itself, inside an `async` block: what panics before it returns its future is caught too.
    pub(crate) fn new(call: impl Future<Output = T> + Send + 'a) -> Self {
        Self(Box::pin(call))
    }
}

impl<T> Future for Caught<'_, T> {
    type Output = Result<T, Box<dyn Any + Send>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let polled = std::panic::catch_unwind(AssertUnwindSafe(|| self.0.as_mut().poll(context)));
        match polled {
            Ok(poll) => poll.map(Ok),
            Err(panic) => Poll::Ready(Err(panic)),
        }
    }
}

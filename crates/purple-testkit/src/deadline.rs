//! A deadline for everything that a test waits for: a test that waits in vain fails, and does not hang.

use std::panic::Location;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// How long a test waits for one thing: far longer than anything in these tests takes on a busy machine.
pub const WAIT_MAX: Duration = Duration::from_secs(180);

/// Waits for `awaited`, at most [`WAIT_MAX`]. `what` completes the sentence "the test waited in vain for …".
///
/// # Panics
/// If `awaited` is not ready in time.
#[track_caller]
pub fn within<T>(what: &str, awaited: impl Future<Output = T>) -> impl Future<Output = T> {
    at_most(WAIT_MAX, what, awaited)
}

#[track_caller]
#[expect(clippy::panic, reason = "a test that waits in vain fails")]
fn at_most<T>(limit: Duration, what: &str, awaited: impl Future<Output = T>) -> impl Future<Output = T> {
    let caller = Location::caller();
    async move {
        match tokio::time::timeout(limit, awaited).await {
            Ok(value) => value,
            Err(_) => panic!("{caller}: the test waited {} s in vain for {what}", limit.as_secs()),
        }
    }
}

/// Waits until `is_so` returns `true`, at most [`WAIT_MAX`], where nothing signals the change.
///
/// # Panics
/// If it does not become so in time.
#[track_caller]
pub fn becomes(what: &str, mut is_so: impl FnMut() -> bool) -> impl Future<Output = ()> {
    within(what, async move {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    })
}

/// Kills a child process that still runs when its time is over, so that reads of its output and waits for its end return.
///
/// Dropped after such a kill, it fails the test.
#[must_use = "the deadline holds as long as this value lives"]
pub struct ChildDeadline {
    caller: &'static Location<'static>,
    process: u32,
    watching: Option<(Sender<()>, JoinHandle<bool>)>,
}

impl ChildDeadline {
    /// The deadline of a wait for `child`, [`WAIT_MAX`] from now.
    #[track_caller]
    pub fn of(child: &Child) -> Self {
        Self::after(WAIT_MAX, child)
    }

    #[track_caller]
    fn after(limit: Duration, child: &Child) -> Self {
        let (caller, process) = (Location::caller(), child.id());
        let (over, waiting) = mpsc::channel::<()>();
        let thread = thread::spawn(move || match waiting.recv_timeout(limit) {
            Err(RecvTimeoutError::Timeout) => {
                // Without `kill` the wait goes on, and the test fails all the same when it ends.
                let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
                true
            }
            Ok(()) | Err(RecvTimeoutError::Disconnected) => false,
        });
        Self { caller, process, watching: Some((over, thread)) }
    }
}

impl Drop for ChildDeadline {
    #[expect(clippy::panic, reason = "a test that waits in vain fails")]
    fn drop(&mut self) {
        let Some((over, thread)) = self.watching.take() else { return };
        drop(over);
        let was_killed = thread.join().unwrap_or(true);
        if was_killed && !thread::panicking() {
            panic!("{}: process {} took too long and was killed", self.caller, self.process);
        }
    }
}

/// Runs a command to its end, at most [`WAIT_MAX`], without input.
///
/// # Errors
/// If the command cannot be started or its output cannot be read.
///
/// # Panics
/// If it does not end in time.
#[track_caller]
pub fn output_of(command: &mut Command) -> std::io::Result<Output> {
    ended(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
}

/// Waits for the end of a child process, at most [`WAIT_MAX`], and returns what is left of its output.
///
/// # Errors
/// If its output cannot be read.
///
/// # Panics
/// If it does not end in time.
#[track_caller]
pub fn ended(child: Child) -> std::io::Result<Output> {
    let deadline = ChildDeadline::of(&child);
    let output = child.wait_with_output();
    drop(deadline);
    output
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    #[should_panic(expected = "deadline.rs")]
    async fn a_wait_in_vain_fails_and_names_its_place() {
        at_most(Duration::from_millis(1), "nothing", std::future::pending::<()>()).await;
    }

    #[tokio::test]
    async fn what_becomes_so_ends_the_wait() {
        let mut looks = 0;
        becomes("the third look", || {
            looks += 1;
            looks == 3
        })
        .await;
        assert_eq!(looks, 3);
    }

    #[test]
    #[should_panic(expected = "took too long and was killed")]
    fn a_process_that_does_not_end_is_killed_and_fails_the_test() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let deadline = ChildDeadline::after(Duration::from_millis(1), &child);
        // Its input stays open, so it ends by the kill only.
        let input = child.stdin.take();
        child.wait().unwrap();
        drop((input, deadline));
    }

    #[test]
    fn a_process_that_ends_in_time_is_left_alone() {
        let output = output_of(Command::new("echo").arg("done")).unwrap();
        assert!(output.status.success());
        assert_eq!(output.stdout, b"done\n");
    }
}

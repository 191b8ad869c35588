//! Many sessions at a time, each with a stream, on the built program: no error, and memory within bounds.
//!
//! Small by default; `checks/a2a-load` makes it two hundred sessions for a minute.

mod running;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use running::{Running, frames, message};

/// Sessions at a time.
const SESSIONS: u64 = 10;
/// Seconds.
const SECONDS: u64 = 2;
/// The most that the server may grow after it is warm, in KiB.
const GROWTH_KIB_MAX: u64 = 200_000;

#[expect(clippy::disallowed_methods, reason = "the size of the check is the caller's")]
fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|count| count.parse().ok()).unwrap_or(otherwise)
}

/// The memory of a process, in KiB; 0 where the system does not tell.
fn memory_kib(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn many_sessions_with_streams_are_served_without_an_error() {
    let (sessions, seconds) =
        (asked("PURPLE_LOAD_SESSIONS", SESSIONS), asked("PURPLE_LOAD_SECONDS", SECONDS));
    let config = "[serve]\nrequests_per_minute = 0\n[limits]\nparallel_runs = 64";
    let running = Arc::new(Running::start(config).await);
    // Tasks, events, the longest time, the memory when warm.
    let counts = Arc::new((AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0)));
    let started = tokio::time::Instant::now();
    let end = started + Duration::from_secs(seconds);
    let mut workers = tokio::task::JoinSet::new();
    for session in 0..sessions {
        let (running, counts) = (running.clone(), counts.clone());
        workers.spawn(async move {
            let mut at = 0_u64;
            while tokio::time::Instant::now() < end || at == 0 {
                let context = format!("load-{session}-{at}");
                // A playbook that reads, computes, judges and waits; an odd one is called off, an even one left.
                let task = format!(
                    "Customer C-8821 wants to change order #ORD-5592: remove 1x Widget A. Case {session}.{at}"
                );
                let began = tokio::time::Instant::now();
                let sent = running.request("SendStreamingMessage", message(&context, Some(&context), &task));
                let told = frames(&sent.send().await.unwrap().text().await.unwrap());
                let took = u64::try_from(began.elapsed().as_millis()).unwrap();
                let (_, last) = told.last().unwrap();
                let state = last["result"]["statusUpdate"]["status"]["state"].as_str().unwrap_or_default();
                assert!(
                    state.starts_with("TASK_STATE_INPUT_REQUIRED")
                        || state.starts_with("TASK_STATE_COMPLETED"),
                    "{last}"
                );
                if counts.0.fetch_add(1, Ordering::Relaxed) + 1 == sessions {
                    // Every session has had a task: it is warm.
                    counts.3.store(memory_kib(running.process()), Ordering::Relaxed);
                }
                counts.1.fetch_add(told.len() as u64, Ordering::Relaxed);
                counts.2.fetch_max(took, Ordering::Relaxed);
                at += 1;
            }
        });
    }
    while let Some(done) = workers.join_next().await {
        done.unwrap();
    }
    let (warm, after) = (counts.3.load(Ordering::Relaxed), memory_kib(running.process()));
    let took = started.elapsed().as_secs().max(1);
    let (tasks, events) = (counts.0.load(Ordering::Relaxed), counts.1.load(Ordering::Relaxed));
    println!(
        "{sessions} sessions for {took} s: {tasks} tasks ({} a second), {events} events, the longest took {} ms; server {warm} KiB when warm, {after} KiB at the end",
        tasks / took,
        counts.2.load(Ordering::Relaxed)
    );
    assert!(tasks >= sessions);
    assert!(after < warm + GROWTH_KIB_MAX, "{warm} KiB became {after} KiB");
}

//! The demo business on stdin and stdout, for tests: `company [FILE [FAULT…]]`.

#![expect(clippy::unwrap_used, reason = "a program for tests may panic")]

use std::sync::Arc;

use purple_backoffice::{Clock, Office, Setup, serve_stdio};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1);
    let mut setup = Setup::in_memory(jiff::civil::date(2026, 3, 4));
    setup.data = arguments.next().map(Into::into);
    setup.clock = Clock::running(jiff::civil::date(2026, 3, 4));
    setup.faults = arguments.map(|fault| fault.parse().unwrap()).collect();
    serve_stdio(Arc::new(Office::open(setup).unwrap())).await.unwrap();
}

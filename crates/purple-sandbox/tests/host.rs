//! The host stays healthy: bombs side by side leave it with bounded memory, and with a sandbox that answers.
#![expect(clippy::unwrap_used, clippy::panic, reason = "tests may unwrap and panic")]

mod support;

use std::sync::Arc;

use purple_port::{CallFault, Sandbox};
use purple_sandbox::RhaiSandbox;
use purple_sandbox::limits::{CALL_LEVELS_MAX, VARIABLES_MAX};
use support::*;

/// What one hostile call may need at most, in bytes. It is measured, not computed: see the test.
const HOSTILE_CALL_BYTES_MAX: u64 = 96 * 1024 * 1024;

/// The most memory that this process ever had, in bytes.
fn most_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1024
}

/// Every variable of every level holds as much as a value may.
fn hoard() -> (String, String) {
    let copies: String = (0..VARIABLES_MAX - 4).map(|n| format!("let v{n} = a;\n")).collect();
    let body = "let a = []; for i in 0..1990 { a += [[]]; }\nlet m = #{}; for i in 0..1990 { m = put(m, to_text(i), []); }\nreturn g([m], 0) + g(a, 0);";
    let levels = CALL_LEVELS_MAX - 2;
    (body.to_owned(), format!("fn g(a, n) {{ {copies} if n >= {levels} {{ return 0; }} g(a, n + 1) }}"))
}

#[cfg(target_os = "linux")]
#[test]
fn the_greediest_function_needs_bounded_memory_and_others_run_beside_it() {
    let sandbox = Arc::new(sandbox());
    let (body, others) = hoard();
    let greedy = sandbox.admit(&hidden(&body, &others)).unwrap().function;
    let plain = sandbox.admit(&program("fn f(x) { x }")).unwrap().function;
    let before = most_memory();
    assert_eq!(call(&sandbox, greedy, TRIGGER), Ok(value("0")));
    let grown = most_memory() - before;
    println!("the greediest call needed {} KiB", grown / 1024);
    assert!(grown > 4 * 1024 * 1024, "the test hoards nothing: {grown}");
    assert!(grown < HOSTILE_CALL_BYTES_MAX, "{grown}");
    std::thread::scope(|scope| {
        let bomb = scope.spawn(|| call(&sandbox, greedy, TRIGGER));
        for _ in 0..200 {
            assert_eq!(call(&sandbox, plain, "1.25"), Ok(value("1.25")));
        }
        assert_eq!(bomb.join().unwrap(), Ok(value("0")));
    });
}

#[test]
fn a_bomb_ends_in_real_time_too() {
    let sandbox = RhaiSandbox::new(Arc::new(RealClock));
    let function =
        sandbox.admit(&hidden("let a = []; while x > 0 { a = sorted([x, 2, 1]); }", "")).unwrap().function;
    let ended = call(&sandbox, function, TRIGGER).unwrap_err();
    assert!(matches!(ended, CallFault::TooLong { .. } | CallFault::TooManySteps { .. }), "{ended:?}");
}

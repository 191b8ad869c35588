//! Any bytes, read as the code of a function: nothing panics, every call ends in an outcome or a fault, twice alike.
#![no_main]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use jiff::Timestamp;
use libfuzzer_sys::fuzz_target;
use purple_sandbox::RhaiSandbox;
use purple_worker::port::{
    Arguments, CallFault, Case, Clock, Datum, Domain, Exact, NotAdmitted, Outcome, Parameter, Program, Sandbox, Seen,
    Shape, Signature,
};

/// Time stands still, so that only steps and sizes end a call and every input ends alike each time.
struct Still;

impl Clock for Still {
    fn now(&self) -> Timestamp {
        Timestamp::UNIX_EPOCH
    }
}

static SANDBOX: LazyLock<RhaiSandbox> = LazyLock::new(|| RhaiSandbox::new(Arc::new(Still)));

fuzz_target!(|bytes: &[u8]| {
    let Ok(code) = std::str::from_utf8(bytes) else { return };
    // As it is, and as the body of a function.
    run(code.to_owned());
    run(format!("fn f(x, rows) {{ {code}\n }}"));
});

fn run(code: String) {
    let program = program(code);
    match SANDBOX.admit(&program) {
        Ok(admission) => {
            let first = SANDBOX.call(admission.function, &program.shown[0].given);
            assert_eq!(first, Ok(program.shown[0].expected.clone()));
            assert_ne!(first, Err(CallFault::Broken));
            assert!(SANDBOX.forget(admission.function));
        }
        Err(NotAdmitted::Broken) => panic!("the judgement broke down"),
        Err(NotAdmitted::NotDeterministic { .. }) => panic!("the same input came out in two ways"),
        Err(NotAdmitted::CaseFailed { seen, .. }) => assert_ne!(*seen, Seen::Fault(CallFault::Broken)),
        Err(refused) => assert!(!refused.for_author().is_empty()),
    }
}

/// `f(x, rows)` that must answer with `x`.
fn program(code: String) -> Program {
    let row = Domain::Record(BTreeMap::from([
        ("amount".to_owned(), Domain::Number { least: Exact::ZERO, most: Exact::from(1_000), places: 2 }),
        ("name".to_owned(), Domain::Text { chars_max: 8 }),
    ]));
    let case = |x: i64| Case {
        given: Arguments::from([("x".to_owned(), Datum::Number(Exact::from(x))), ("rows".to_owned(), Datum::List(vec![]))]),
        expected: Outcome::Value(Datum::Number(Exact::from(x))),
    };
    let takes_x = Domain::Number { least: Exact::from(-9), most: Exact::from(9_999), places: 2 };
    let takes_rows = Domain::List { of: Box::new(row), items_min: 0, items_max: 20 };
    Program {
        signature: Signature {
            name: "f".to_owned(),
            parameters: vec![
                Parameter { name: "x".to_owned(), takes: takes_x },
                Parameter { name: "rows".to_owned(), takes: takes_rows },
            ],
            answers: Shape::Number { places: 2 },
            refuses: vec!["no".to_owned()],
        },
        code,
        shown: vec![case(1)],
        held_back: vec![case(2)],
    }
}

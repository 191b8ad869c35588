//! What the tests of the sandbox share: a clock, short words for values, and a function that hides something.

#![allow(dead_code, reason = "each test program uses a part of it")]

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use jiff::Timestamp;
use purple_port::{
    Arguments, CallFault, Case, Clock, Datum, Domain, Exact, FunctionHash, NotAdmitted, Outcome, Parameter,
    Program, Sandbox, Shape, Signature,
};
use purple_sandbox::RhaiSandbox;

/// Real time: a bomb must end in it.
pub(crate) struct RealClock;

impl Clock for RealClock {
    #[expect(clippy::disallowed_methods, reason = "the tests are the outside world here")]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A clock that moves on by so many milliseconds whenever somebody looks at it.
pub(crate) struct LookedAt(AtomicI64, i64);

impl LookedAt {
    pub(crate) fn by(millis: i64) -> Arc<Self> {
        Arc::new(Self(AtomicI64::new(0), millis))
    }
}

impl Clock for LookedAt {
    fn now(&self) -> Timestamp {
        Timestamp::from_millisecond(self.0.fetch_add(self.1, Ordering::Relaxed)).unwrap()
    }
}

/// A sandbox whose clock stands still, so that a slow machine changes no outcome.
pub(crate) fn sandbox() -> RhaiSandbox {
    RhaiSandbox::new(LookedAt::by(0))
}

pub(crate) fn exact(text: &str) -> Exact {
    Exact::parse(text).unwrap()
}

pub(crate) fn number(text: &str) -> Datum {
    Datum::Number(exact(text))
}

pub(crate) fn value(text: &str) -> Outcome {
    Outcome::Value(number(text))
}

pub(crate) fn text(text: &str) -> Datum {
    Datum::Text(text.to_owned())
}

pub(crate) fn given<const N: usize>(arguments: [(&str, Datum); N]) -> Arguments {
    arguments.into_iter().map(|(name, datum)| (name.to_owned(), datum)).collect()
}

pub(crate) fn parameter(name: &str, takes: Domain) -> Parameter {
    Parameter { name: name.to_owned(), takes }
}

pub(crate) fn numbers(least: &str, most: &str, places: u8) -> Domain {
    Domain::Number { least: exact(least), most: exact(most), places }
}

/// `f(x)` for amounts up to a thousand. Its cases are `f(1) = 1` and `f(2) = 2`.
pub(crate) fn program(code: &str) -> Program {
    let case = |x: &str| Case { given: given([("x", number(x))]), expected: value(x) };
    Program {
        signature: Signature {
            name: "f".to_owned(),
            parameters: vec![parameter("x", numbers("0", "1000", 2))],
            answers: Shape::Number { places: 2 },
            refuses: vec!["no".to_owned()],
        },
        code: code.to_owned(),
        shown: vec![case("1")],
        held_back: vec![case("2")],
    }
}

/// The input on which a hidden body runs. No sample meets it.
pub(crate) const TRIGGER: &str = "777.77";

/// A function that passes every test and runs `body` on one input only.
pub(crate) fn hidden(body: &str, others: &str) -> Program {
    program(&format!("fn f(x) {{\n if x == {TRIGGER} {{\n{body}\n}}\n x }}\n{others}"))
}

pub(crate) fn call(sandbox: &RhaiSandbox, function: FunctionHash, x: &str) -> Result<Outcome, CallFault> {
    sandbox.call(function, &given([("x", number(x))]))
}

/// Admits a function that hides `body`, sets it off, and looks whether the sandbox still works.
pub(crate) fn set_off(body: &str, others: &str) -> Result<Outcome, CallFault> {
    let sandbox = sandbox();
    let admitted = sandbox.admit(&hidden(body, others));
    let function = admitted.unwrap_or_else(|refused| panic!("{refused}: {body}")).function;
    let ended = call(&sandbox, function, TRIGGER);
    assert_eq!(call(&sandbox, function, "12.34"), Ok(value("12.34")), "the sandbox still works");
    ended
}

/// Why a function that is wholly `body` is not admitted.
pub(crate) fn refused(body: &str) -> NotAdmitted {
    sandbox().admit(&hidden(body, "")).unwrap_err()
}

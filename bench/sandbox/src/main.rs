//! What one call of a function that a model wrote costs, beside a process of `python3 -I` that computes the same.
//!
//! `cargo run --release` prints the table of `README.md`. Nothing here is a test; machines differ.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use purple_sandbox::RhaiSandbox;
use purple_worker::port::{
    Arguments, Case, Clock, Datum, Domain, Exact, Outcome, Parameter, Program, Sandbox, Shape, Signature,
};

/// The clock of the machine.
struct Machine;

impl Clock for Machine {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

const CODE: &str = r#"
fn late_fee(amount, days, tiers) {
    if days <= 0 { return 0; }
    let rate = 0;
    for tier in tiers {
        if days >= tier.from_days { rate = tier.percent; }
    }
    if rate == 0 { throw "no_tier"; }
    round(amount * rate / 100, 2, "half_even")
}"#;

const PYTHON: &str = r#"
import json, sys
from decimal import Decimal, ROUND_HALF_EVEN
def late_fee(amount, days, tiers):
    if days <= 0: return Decimal(0)
    rate = Decimal(0)
    for tier in tiers:
        if days >= tier["from_days"]: rate = Decimal(tier["percent"])
    if rate == 0: raise ValueError("no_tier")
    return (amount * rate / 100).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
given = json.loads(sys.argv[1])
print(late_fee(Decimal(given["amount"]), given["days"], given["tiers"]))
"#;

const GIVEN: &str =
    r#"{"amount": "8500.00", "days": 45, "tiers": [{"from_days": 1, "percent": "1.5"}, {"from_days": 31, "percent": "4"}]}"#;

fn main() {
    let sandbox = RhaiSandbox::new(Arc::new(Machine));
    let program = program();
    let admission = sandbox.admit(&program).expect("the function is right");
    let given = program.shown[0].given.clone();
    let call = || {
        let outcome = sandbox.call(admission.function, &given);
        assert_eq!(outcome, Ok(Outcome::Value(number("340"))));
    };
    let python = || {
        let output = Command::new("python3").args(["-I", "-c", PYTHON, GIVEN]).stdin(Stdio::null()).output();
        let output = output.expect("python3 is installed");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "340.00");
    };
    println!("| what | times | median | best |\n|---|---:|---:|---:|");
    line("one call of an admitted function", 5_000, call);
    line("judging it: checks, 4 cases, 64 samples twice", 50, || {
        black_box(sandbox.admit(&program).is_ok());
    });
    line("one process of `python3 -I`", 40, python);
}

fn line(what: &str, times: usize, work: impl Fn()) {
    work();
    let mut taken: Vec<Duration> = (0..times)
        .map(|_| {
            let began = Instant::now();
            work();
            began.elapsed()
        })
        .collect();
    taken.sort();
    let micros = |time: Duration| format!("{:.1} µs", time.as_secs_f64() * 1e6);
    println!("| {what} | {times} | {} | {} |", micros(taken[times / 2]), micros(taken[0]));
}

fn number(text: &str) -> Datum {
    Datum::Number(Exact::parse(text).expect("a number"))
}

fn record(fields: [(&str, Datum); 2]) -> Datum {
    Datum::Record(fields.into_iter().map(|(name, datum)| (name.to_owned(), datum)).collect())
}

fn program() -> Program {
    let numbers = |least: &str, most: &str, places: u8| Domain::Number {
        least: Exact::parse(least).expect("a number"),
        most: Exact::parse(most).expect("a number"),
        places,
    };
    let tier = BTreeMap::from([
        ("from_days".to_owned(), numbers("1", "365", 0)),
        ("percent".to_owned(), numbers("0.1", "25", 2)),
    ]);
    let tiers = || {
        Datum::List(vec![
            record([("from_days", number("1")), ("percent", number("1.5"))]),
            record([("from_days", number("31")), ("percent", number("4"))]),
        ])
    };
    let case = |amount: &str, days: &str, fee: &str| Case {
        given: Arguments::from([
            ("amount".to_owned(), number(amount)),
            ("days".to_owned(), number(days)),
            ("tiers".to_owned(), tiers()),
        ]),
        expected: Outcome::Value(number(fee)),
    };
    let parameter = |name: &str, takes: Domain| Parameter { name: name.to_owned(), takes };
    Program {
        signature: Signature {
            name: "late_fee".to_owned(),
            parameters: vec![
                parameter("amount", numbers("0", "1000000", 2)),
                parameter("days", numbers("-30", "400", 0)),
                parameter("tiers", Domain::List { of: Box::new(Domain::Record(tier)), items_min: 0, items_max: 6 }),
            ],
            answers: Shape::Number { places: 2 },
            refuses: vec!["no_tier".to_owned()],
        },
        code: CODE.to_owned(),
        shown: vec![case("8500", "45", "340"), case("8500", "0", "0")],
        held_back: vec![case("100.10", "45", "4"), case("0.30", "1", "0")],
    }
}

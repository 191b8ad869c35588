//! Runs functions that a model wrote: exact numbers, no way out, a bound on everything.
//!
//! [`RhaiSandbox`] is the worker's `Sandbox` port. A function is admitted by what it does, not by what it says:
//! it must parse, keep to a closed list of words, reproduce cases that were made before it, shown and held back, and
//! end well on samples of its declared domain.
//!
//! ```
//! # use std::sync::Arc;
//! # use purple_sandbox::RhaiSandbox;
//! # use purple_port::*;
//! # struct Noon;
//! # impl Clock for Noon {
//! #     fn now(&self) -> jiff::Timestamp { jiff::Timestamp::UNIX_EPOCH }
//! # }
//! let number = |text| Datum::Number(Exact::parse(text).unwrap());
//! let case = |amount, fee| Case {
//!     given: Arguments::from([("amount".to_owned(), number(amount))]),
//!     expected: Outcome::Value(number(fee)),
//! };
//! let program = Program {
//!     signature: Signature {
//!         name: "fee".to_owned(),
//!         parameters: vec![Parameter {
//!             name: "amount".to_owned(),
//!             takes: Domain::Number { least: Exact::ZERO, most: Exact::from(1_000_000), places: 2 },
//!         }],
//!         answers: Shape::Number { places: 2 },
//!         refuses: vec![],
//!     },
//!     code: r#"fn fee(amount) { round(amount * 2.5 / 100, 2, "half_even") }"#.to_owned(),
//!     shown: vec![case("8500", "212.50")],
//!     held_back: vec![case("0.20", "0")],
//! };
//! let sandbox = RhaiSandbox::new(Arc::new(Noon));
//! let admission = sandbox.admit(&program)?;
//! let given = Arguments::from([("amount".to_owned(), number("99.99"))]);
//! assert_eq!(sandbox.call(admission.function, &given), Ok(Outcome::Value(number("2.50"))));
//! # Ok::<(), NotAdmitted>(())
//! ```

pub mod limits;

mod shelf;

mod admit;
mod sample;
mod source;

mod run;

mod operators;
mod vocabulary;

mod fault;
mod value;

pub use shelf::{GUIDE, RhaiSandbox};

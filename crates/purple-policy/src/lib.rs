//! Is this allowed, and why: exact expressions, rules and verdicts without a model.
#![deny(clippy::float_arithmetic)]

mod limits;

mod diagnostic;
mod token;

mod ast;
mod parse;

mod unevaluable;
mod value;

mod facts;
mod scope;

mod operate;

mod functions;

mod check;
mod check_call;

mod compile;

mod eval;

mod expression;

mod verdict;

pub use diagnostic::{Code, Diagnostic};
pub use expression::{Condition, Expression, Judged};
pub use facts::{Facts, Source};
pub use purple_finance::{Currency, Exact, Money, NumberError, Rounding};
pub use scope::Scope;
pub use unevaluable::Unevaluable;
pub use value::{Kind, Value, ValueError};
pub use verdict::{Authority, Level, Verdict, combine};

//! Is this allowed, and why: exact expressions, rules and verdicts without a model.
//!
//! Rules are compiled once and judged many times. All of them are judged, the strictest wins, and a
//! restricting rule that cannot be evaluated demands a person. The language is in `docs/spec/policy-language.md`.
//!
//! ```
//! use purple_policy::{Authority, Facts, PolicyDocument, Source, Subject, Value, Verdict};
//!
//! let policy = PolicyDocument::parse(
//!     r#"{"rules": [{"id": "AP-3", "condition": "variance_percent > 2.0", "action": "require_approval"}]}"#,
//!     Authority::Operator,
//! )
//! .map_err(|wrong| wrong[0].to_string())?;
//!
//! let facts = Facts::new().with(Source::Computed, "variance_percent", Value::from_literal("2.2265625"));
//! let judgement = policy.bind(&facts).judge(&Subject { task: "pay INV-2024-447", ..Subject::default() });
//! assert_eq!(judgement.verdict(), Some(Verdict::RequireApproval));
//! let why = judgement.triggered_rules().next().map(|rule| rule.explanation());
//! assert_eq!(why.as_deref(), Some("variance_percent (2.2265625) > 2.0"));
//! # Ok::<(), String>(())
//! ```
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

mod compared;
mod compile;

mod eval;

mod expression;

mod verdict;

mod subject;

mod deny;
mod rule;

mod document;
mod judgement;
pub mod preview;
mod wire;
mod wire_rule;

pub use diagnostic::{Code, Diagnostic};
pub use document::{Bound, PolicyDocument};
pub use expression::{Condition, Expression, Judged};
pub use facts::{Facts, Source};
pub use judgement::{Judgement, TriggeredRule, UncheckedRule};
pub use purple_finance::{Currency, Exact, Money, NumberError, Rounding, Symbols};
pub use scope::Scope;
pub use subject::Subject;
pub use unevaluable::{Unevaluable, Unread};
pub use value::{Kind, Value, ValueError};
pub use verdict::{Authority, Level, Verdict, combine};

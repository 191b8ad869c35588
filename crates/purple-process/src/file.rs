//! Process files: reading, checking, and what they say. See `docs/spec/process-files.md`.
//!
//! A public module, because words such as outcome and decision mean one thing in a file and another at the gate.
//!
//! ```
//! use purple_process::file::load;
//!
//! let refused = load("process: pay\ntitle: Pay\nowner: finance\ndecide:\n  - {rule: P-1, ask: nobody}\n").unwrap_err();
//! assert_eq!(
//!     refused.to_string(),
//!     "5:12: unconditional-allow: this rule allows everything, always\n  \
//!      help: say with `if:` when nobody has to be asked"
//! );
//! ```

mod problem;
mod suggest;
mod time;
mod yaml;

mod raw;
mod shape;

mod call;
pub(crate) mod names;
mod nearest;

mod input;
mod literal;

mod model;
mod needs;
mod terms;

mod check;
mod confirm;
mod edit;
mod example;
mod find;
mod outcomes;
mod overlap;
mod phrase;
mod reach;
mod reading;
mod reason;
mod records;
mod rules;
mod say;
mod sentence;
mod slots;
mod trial;

mod amend;
mod bound;
mod builtin;
mod load;

pub use amend::{WrittenTest, renamed, with_test};
pub use builtin::{BUILTIN, builtin};
pub use example::Example;
pub use find::Records;
pub use input::{Extracted, Input, InputType, NotFound, Setting, Why, extract};
pub use load::{load, load_bytes, to_json};
pub use model::{
    Action, Ask, Compute, End, Field, Format, Outcome, Parameter, ProcessFile, Read, Rule, Task,
};
pub use needs::CallNeeds;
pub use overlap::{Asked, Overlap, overlaps};
pub use problem::{Mark, Problem, ProblemCode, Refused};
pub use terms::{Approval, Fallback, Limits};
pub use time::{QuietHours, Span, TimeUnit};

pub(crate) use input::Shape as InputShape;
pub(crate) use literal::read_as as read_value;
pub(crate) use model::{CallTemplate, CheckTemplate, ForEach, Operand, Slot, Step, Tell, expected};
pub(crate) use raw::RawFile;

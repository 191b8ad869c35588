//! Reads what a task in plain words asks for.
//!
//! Text in, values out: acts with their mood, verb, targets and values, and the words that were not understood. Nothing
//! is guessed: where words could mean two things, the reading has both.

mod act;
mod answer;
mod change;
mod clause;
mod cover;
mod foreign;
mod language;
mod list;
mod mood;
mod nominal;
mod occasion;
mod read;
mod say;
mod span;
mod structure;
mod token;
pub mod value;

pub use act::{Act, Mood, Reading, Role, Word};
pub use answer::{AnswerDoubt, doubt_answer};
pub use change::{ChangeAction, ItemChange, item_changes};
pub use cover::{Asked, Cover, Doubt, cover};
pub use foreign::is_foreign;
pub use language::{Cue, Detected, Form, FoundVerb, Language, Lexicon, Phrase, VerbForm, lexicon};
pub use list::{Item, items};
pub use nominal::Nominal;
pub use read::{corrects, read};
pub use say::{BadSayForm, SayForm, Slot};
pub use span::Span;
pub use structure::{Part, PartKind, parts};
pub use token::{Token, TokenKind, tokens};

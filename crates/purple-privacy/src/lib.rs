//! Rejects text that contains or requests a secret, and masks secrets before text is stored or displayed.
//!
//! ```
//! use purple_privacy::{PrivacyCode, guard, redact};
//!
//! let task = "Charge card 4111 1111 1111 1111 for invoice INV-7";
//! assert_eq!(guard(task).map_err(|refusal| refusal.code), Err(PrivacyCode::CardNumber));
//! assert_eq!(redact(task), "Charge card [card …1111] for invoice INV-7");
//! assert!(guard("Charge invoice INV-7 to the card on file").is_ok());
//! ```

mod guard;
mod refusal;

mod redact;

mod assigned;
mod card;
mod fields;
mod fold;
mod form;
mod literal;
mod number;
mod pattern;
mod request;

pub use guard::guard;
pub use redact::{redact, redact_json, redact_texts};
pub use refusal::{PrivacyCode, Refusal};

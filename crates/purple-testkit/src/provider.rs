//! Providers of models on the loopback: one that thinks with a [`Brain`](crate::Brain) in three languages, with
//! switches for what goes wrong, a copilot that remembers its conversations, and one that sends bytes by a script.

mod copilot;
pub mod raw;
mod serve;
mod speech;
mod trouble;

pub use copilot::Copilot;
pub use serve::{Exchange, Provider};
pub use speech::Speech;
pub use trouble::Trouble;

//! What happens to a task before anything is done about it.

mod pattern;
mod privacy;

//! Process files: reading, checking, and what they say.

mod call;
mod problem;
mod raw;
mod shape;
mod suggest;
mod time;
mod yaml;

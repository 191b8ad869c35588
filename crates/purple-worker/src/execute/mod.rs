//! What a turn does with tools.

mod catalogue;
mod naming;
mod similar;

pub use catalogue::{Manifest, Stated};

#[cfg(test)]
mod office;

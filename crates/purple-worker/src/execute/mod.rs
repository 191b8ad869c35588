//! What a turn does with tools.

// What there is to call.
mod catalogue;
mod naming;

// Names that drifted.
mod adapt;
mod columns;
mod rename;
mod similar;

// Around reads, from the inside out.
mod complaint;
mod drift;
mod page;
mod paging;
mod read;
mod reader;
mod recover;

#[cfg(test)]
mod office;
#[cfg(test)]
mod script;

pub use catalogue::{Manifest, Stated};

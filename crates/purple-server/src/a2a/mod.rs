//! A2A: one neutral model, three dialects as pure conversions, and the operations behind them.

pub(crate) mod fault;
mod fields;
pub(crate) mod model;
mod request;

mod v01;
mod v03;
pub(crate) mod v1;

pub(crate) mod counter;
pub(crate) mod expected;
mod history;
mod snapshot;
pub(crate) mod stream;
mod wait;

pub(crate) mod card;
pub(crate) mod rest;
pub(crate) mod rpc;

//! A2A: one neutral model, three dialects as pure conversions, and the operations behind them.

mod address;
pub(crate) mod fault;
pub(crate) mod fields;
pub(crate) mod model;
pub(crate) mod request;

mod v01;
pub(crate) mod v03;
pub(crate) mod v1;

mod accept;
pub(crate) mod counter;
mod history;
mod known;
mod list;
pub(crate) mod push;
mod round_of;
mod rounds;
mod snapshot;
mod story;
pub(crate) mod stream;
mod wait;

pub(crate) mod card;
pub(crate) mod rest;
pub(crate) mod rpc;

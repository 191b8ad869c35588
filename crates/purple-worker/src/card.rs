//! Builds the approval card from the plan and from nothing that a model wrote.

mod build;

pub(crate) use build::ordered;
pub use build::{CardFacts, EvidenceLine, Exclusions, build_card};
pub use purple_port::card::{
    Arithmetic, Buttons, Card, Change, EditedField, Effect, Evidence, Headline, History, Named, OrderedBy,
    Provenance, Source, TITLES, VALUE_COLUMN, Who, Why, Yes, approval_id,
};

#[cfg(test)]
#[path = "card_tests.rs"]
mod tests;

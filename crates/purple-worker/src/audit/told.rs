//! What several readings of words share: articles, closeness, and money of one currency.

use super::quantity::{Closeness, Quantity, same_currency};
use super::relation::Relation;
use super::statement::Reader;

impl Reader<'_> {
    /// The token after articles.
    pub(super) fn past_article(&self, at: usize) -> usize {
        at + usize::from(matches!(self.word(at), Some("a" | "an" | "the" | "its" | "this" | "that" | "all")))
    }
}

/// Whether figures are amounts of money of one currency.
pub(super) fn is_one_money<'q>(quantities: impl IntoIterator<Item = &'q Quantity>) -> bool {
    let mut first: Option<&str> = None;
    quantities.into_iter().all(|quantity| match (quantity.currency.as_deref(), first) {
        (None, _) => false,
        (Some(currency), None) => {
            first = Some(currency);
            true
        }
        (Some(currency), Some(first)) => same_currency(first, currency),
    })
}

pub(super) fn closeness(relation: Relation) -> Closeness {
    if relation.is_about { Closeness::About } else { Closeness::Shown }
}

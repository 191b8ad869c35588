//! Which order the operations of a round have, and the stored words that it is held against.

use purple_process::{Confirmation, Operation, Order, Request};

use crate::dossier::Opened;
use crate::port::TurnFailed;
use crate::run::{OrderRecords, Phase, Run};

/// The words of a round, loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoadedWords {
    text: Option<String>,
    confirmed: Option<Confirmation>,
}

impl LoadedWords {
    /// The same as evidence.
    pub(crate) fn request(&self) -> Request<'_> {
        Request { text: self.text.as_deref(), confirmed: self.confirmed.as_ref() }
    }
}

impl Run<'_> {
    /// Keeps the exact text of the round, once, before its first plan. The record of each plan names it.
    pub(crate) fn keep_words(&mut self, text: &str) -> Phase<()> {
        if self.session.words.is_none() && self.orders == OrderRecords::Kept {
            self.session.words = Some(self.keep_bytes(text.as_bytes().to_vec())?);
        }
        Ok(())
    }

    /// The text of the round, and the confirmation of it.
    pub(crate) async fn loaded_words(&self) -> Phase<LoadedWords> {
        let Some(words) = self.session.words else { return Ok(LoadedWords::default()) };
        let bytes = self.bytes("task", words).await?;
        let text = String::from_utf8(bytes)
            .map_err(|error| TurnFailed::Unreadable { what: "task", why: error.to_string() })?;
        Ok(LoadedWords { text: Some(text), confirmed: self.session.confirmed.clone() })
    }

    /// The operations as a plan holds them: without orders in the replay of a version that had none.
    pub(crate) fn as_recorded(&self, operations: Vec<Operation>) -> Phase<Vec<Operation>> {
        match self.orders {
            OrderRecords::Kept => Ok(operations),
            OrderRecords::NotYet => operations
                .iter()
                .map(before_orders)
                .collect::<Result<_, _>>()
                .map_err(|error| TurnFailed::Unreadable { what: "plan", why: error.to_string() }),
        }
    }

    /// The order of what a process file does for this round: the requester's confirmation where there is one, else the
    /// words of the task. Words that order nothing give no order.
    pub(crate) fn order(&self, opened: &Opened) -> Order {
        let text = &opened.dossier.text;
        match self.session.confirmed.clone() {
            Some(confirmation) => Order::confirmed(text, confirmation),
            None => Order::task(text).unwrap_or_else(|_| Order::missing()),
        }
    }
}

/// An operation as an earlier version stored it.
fn before_orders(operation: &Operation) -> Result<Operation, serde_json::Error> {
    let mut stored = serde_json::to_value(operation)?;
    if let Some(members) = stored.as_object_mut() {
        members.remove("order");
    }
    serde_json::from_value(stored)
}

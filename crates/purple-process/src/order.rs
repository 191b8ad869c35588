//! The order behind an operation: the requester's words that ask for it, or why there are none.
//!
//! An [`Order`] is neither copied nor read from data outside of an operation, and [`restore`](crate::restore) holds it
//! against the stored words of the round before anything runs.

use std::sync::Arc;

use jiff::Timestamp;
use purple_intent::value::Notation;
use purple_intent::{Mood, PartKind, Reading, Span, parts};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::canonical::Digest;
use crate::id::PersonId;

/// The longest quote in an order, in bytes. The span tells where all of the words are.
pub(crate) const QUOTE_BYTES_MAX: usize = 160;

/// What asks for an operation.
#[derive(Debug, PartialEq, Eq)]
pub struct Order(Arc<Kind>);

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Kind {
    Words {
        text: Digest,
        span: StoredSpan,
        quote: String,
    },
    Confirmed {
        text: Digest,
        confirmation: Confirmation,
    },
    Command {
        text: Digest,
        by: PersonId,
        quote: String,
    },
    Missing,
    /// Stored before orders were recorded.
    #[serde(skip)]
    Unrecorded,
}

/// The requester's yes to a task that was restated. It is never an approval.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The restated task, as the requester saw it.
    pub sentence: String,
    /// Who confirmed it.
    pub by: PersonId,
    /// When.
    pub at: Timestamp,
}

/// The stored words of a round, which orders are held against.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Request<'a> {
    /// The exact text of the task or command; `None` in runs that are older than orders.
    pub text: Option<&'a str>,
    /// The confirmation on record.
    pub confirmed: Option<&'a Confirmation>,
}

/// What an order is, for cards and records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ordered<'a> {
    /// These words of the task ask for it.
    Words(&'a str),
    /// The requester confirmed the restated task.
    Confirmed(&'a Confirmation),
    /// A person named the operation itself.
    Command {
        /// Who.
        by: &'a PersonId,
        /// The command.
        command: &'a str,
    },
    /// Nothing in the request asks for it.
    Missing,
    /// It was stored before orders were recorded.
    Unrecorded,
}

/// Words that are no order.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotAnOrder {
    /// The place is not in the text, or empty.
    #[error("there are no words at bytes {} to {} of the task", span.start, span.end)]
    NoWords {
        /// The place.
        span: Span,
    },
    /// The words are somebody else's: quoted or forwarded.
    #[error("the words at bytes {} to {} are not the requester's own", span.start, span.end)]
    NotOwn {
        /// The place.
        span: Span,
    },
    /// The words ask, forbid, suppose or report something, and order nothing.
    #[error("the words at bytes {} to {} order nothing", span.start, span.end)]
    OtherMood {
        /// The place.
        span: Span,
    },
}

/// An order that does not belong to the stored words of the round.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderMismatch {
    /// The text of the round is not stored.
    #[error("the text of the task is not stored")]
    NoText,
    /// It was given for another text.
    #[error("it was given for another text")]
    OtherText,
    /// The quoted words are not at that place of the text.
    #[error("the quoted words are not in the text")]
    OtherWords,
    /// No such confirmation is on record.
    #[error("the requester's confirmation is not on record")]
    NotConfirmed,
    /// Somebody else gave the command.
    #[error("`{by}` gave it and did not begin this round")]
    OtherPerson {
        /// Who gave it.
        by: PersonId,
    },
}

impl Order {
    /// These words of the task order it. They must be the requester's own, and not all of them in a mood that orders
    /// nothing.
    ///
    /// # Errors
    ///
    /// Where there are no such words, or they are no order.
    pub fn words(text: &str, span: Span) -> Result<Self, NotAnOrder> {
        let words = text.get(span.start..span.end).map(str::trim).unwrap_or_default();
        if words.is_empty() {
            return Err(NotAnOrder::NoWords { span });
        }
        if !is_own(text, span) {
            return Err(NotAnOrder::NotOwn { span });
        }
        if !may_order(&purple_intent::read(text, &Notation::default()), span) {
            return Err(NotAnOrder::OtherMood { span });
        }
        let (text, quote) = (Digest::of(text.as_bytes()), quote(words).to_owned());
        Ok(Self::of(Kind::Words { text, span: StoredSpan(span), quote }))
    }

    /// All of the requester's own words order it: from the first to the last that can be an order.
    ///
    /// # Errors
    ///
    /// Where none of them can.
    pub fn task(text: &str) -> Result<Self, NotAnOrder> {
        let reading = purple_intent::read(text, &Notation::default());
        let span = hull(reading.acts.iter().filter(|act| act.orders()).map(|act| act.span));
        let span = span.or_else(|| hull(reading.own.iter().copied()));
        Self::words(text, span.unwrap_or(Span::new(0, text.len())))
    }

    /// The requester confirmed the restated task.
    pub fn confirmed(text: &str, confirmation: Confirmation) -> Self {
        Self::of(Kind::Confirmed { text: Digest::of(text.as_bytes()), confirmation })
    }

    /// A person gave a command that names the operation itself.
    pub fn command(by: PersonId, command: &str) -> Self {
        let (text, quote) = (Digest::of(command.as_bytes()), quote(command.trim()).to_owned());
        Self::of(Kind::Command { text, by, quote })
    }

    /// Nothing in the request asks for it. A person decides, in every mode.
    pub fn missing() -> Self {
        Self::of(Kind::Missing)
    }

    /// What it is, for cards and records.
    pub fn ordered(&self) -> Ordered<'_> {
        match &*self.0 {
            Kind::Words { quote, .. } => Ordered::Words(quote),
            Kind::Confirmed { confirmation, .. } => Ordered::Confirmed(confirmation),
            Kind::Command { by, quote, .. } => Ordered::Command { by, command: quote },
            Kind::Missing => Ordered::Missing,
            Kind::Unrecorded => Ordered::Unrecorded,
        }
    }

    /// Whether nothing in the request asks for the operation.
    pub fn is_missing(&self) -> bool {
        matches!(*self.0, Kind::Missing)
    }

    /// Holds it against the stored words of the round.
    pub(crate) fn check(&self, request: &Request<'_>, requester: &PersonId) -> Result<(), OrderMismatch> {
        let given_for = |digest: &Digest| match request.text {
            None => Err(OrderMismatch::NoText),
            Some(text) if Digest::of(text.as_bytes()) == *digest => Ok(text),
            Some(_) => Err(OrderMismatch::OtherText),
        };
        match &*self.0 {
            Kind::Words { text, span, quote: words } => {
                let found = given_for(text)?.get(span.0.start..span.0.end).map(str::trim);
                let same = found.is_some_and(|found| !found.is_empty() && quote(found) == words);
                if same { Ok(()) } else { Err(OrderMismatch::OtherWords) }
            }
            Kind::Confirmed { text, confirmation } => {
                given_for(text)?;
                let same = request.confirmed == Some(confirmation);
                if same { Ok(()) } else { Err(OrderMismatch::NotConfirmed) }
            }
            Kind::Command { text, by, quote: words } => {
                if by != requester {
                    return Err(OrderMismatch::OtherPerson { by: by.clone() });
                }
                let same = quote(given_for(text)?.trim()) == words;
                if same { Ok(()) } else { Err(OrderMismatch::OtherWords) }
            }
            Kind::Missing | Kind::Unrecorded => Ok(()),
        }
    }

    /// The same order for another operation that it asks for.
    pub(crate) fn shared(&self) -> Self {
        Self(Arc::clone(&self.0))
    }

    fn of(kind: Kind) -> Self {
        Self(Arc::new(kind))
    }
}

/// The order inside an operation: stored and copied with it, and only with it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Held(pub(crate) Order);

impl Held {
    pub(crate) fn unrecorded() -> Self {
        Self(Order::of(Kind::Unrecorded))
    }

    pub(crate) fn is_unrecorded(&self) -> bool {
        matches!(*self.0.0, Kind::Unrecorded)
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        Self(self.0.shared())
    }
}

impl Serialize for Held {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        self.0.0.serialize(out)
    }
}

impl<'de> Deserialize<'de> for Held {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        Kind::deserialize(input).map(|kind| Self(Order::of(kind)))
    }
}

/// A span as plans store it: plans hold no JSON numbers.
#[derive(Debug, PartialEq, Eq)]
struct StoredSpan(Span);

impl Serialize for StoredSpan {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(&format_args!("{}-{}", self.0.start, self.0.end))
    }
}

impl<'de> Deserialize<'de> for StoredSpan {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let text = String::deserialize(input)?;
        let parsed = text
            .split_once('-')
            .and_then(|(start, end)| Some(Span::new(start.parse().ok()?, end.parse().ok()?)));
        // One value, one form: no `+1`, no `01`.
        let parsed = parsed.filter(|span| format!("{}-{}", span.start, span.end) == text);
        parsed.map(Self).ok_or_else(|| D::Error::custom(format_args!("`{}` is no span", text.escape_debug())))
    }
}

/// The beginning of the words, as an order quotes them.
fn quote(words: &str) -> &str {
    let mut end = words.len().min(QUOTE_BYTES_MAX);
    while !words.is_char_boundary(end) {
        end -= 1;
    }
    words.get(..end).unwrap_or_default()
}

/// Whether a place begins and ends in the requester's own words.
fn is_own(text: &str, span: Span) -> bool {
    let own = |at: usize| {
        let here = |part: &purple_intent::Part| part.span.start <= at && at < part.span.end;
        parts(text).iter().find(|part| here(part)).is_some_and(|part| part.kind == PartKind::Own)
    };
    let words = span.of(text);
    let start = span.start + (words.len() - words.trim_start().len());
    let end = span.start + words.trim_end().len();
    own(start) && own(end.saturating_sub(1))
}

/// Whether an act at this place can be an order. A heading such as "Lockout E-2291" can, and so can a calculation that
/// a process file declares to be its order; the worker decides about both before it asks for an order.
fn may_order(reading: &Reading, span: Span) -> bool {
    let mut acts = reading.acts.iter().filter(|act| act.span.overlaps(span));
    acts.any(|act| match act.mood {
        Mood::Order | Mood::Statement | Mood::Calculation => true,
        Mood::Negated | Mood::Reversal => act.own_verb,
        Mood::Question | Mood::Conditional | Mood::Draft | Mood::Reported | Mood::OtherTime => false,
    })
}

/// The smallest place that holds all of these.
fn hull(spans: impl Iterator<Item = Span>) -> Option<Span> {
    spans.reduce(|one, other| Span::new(one.start.min(other.start), one.end.max(other.end)))
}

#[cfg(test)]
#[path = "order_tests.rs"]
mod tests;

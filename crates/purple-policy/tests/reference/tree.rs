//! The generator's own expression tree and values. Nothing here comes from the crate under test.

use std::collections::BTreeMap;

use num_rational::BigRational;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum V {
    Null,
    Bool(bool),
    Number(BigRational),
    Percent(BigRational),
    Money(BigRational, &'static str),
    Text(String),
    /// Year, month, day.
    Date(i64, i64, i64),
    List(Vec<V>),
    Record(BTreeMap<String, V>),
}

#[derive(Clone, Debug)]
pub(crate) enum E {
    /// A literal and the text it is written with.
    Literal(V, String),
    /// A dotted name: of a fact, or of a row in sight.
    Name(String),
    List(Vec<E>),
    Not(Box<E>),
    Negate(Box<E>),
    All(Vec<E>),
    Any(Vec<E>),
    Compare(&'static str, Box<E>, Box<E>),
    In(Box<E>, Box<E>),
    /// Needle, low, high; whether low and high belong to the range.
    Within(Box<E>, Box<E>, Box<E>, bool, bool),
    Arithmetic(char, Box<E>, Box<E>),
    Call(&'static str, Vec<E>),
    /// Function, list, name of the row if it is not `row`, body.
    Rows(&'static str, Box<E>, Option<String>, Box<E>),
    /// Value, decimals (`None`: cents), mode.
    Round(Box<E>, Option<u8>, &'static str),
}

impl E {
    pub(crate) fn children(&self) -> Vec<&E> {
        match self {
            Self::Literal(..) | Self::Name(_) => Vec::new(),
            Self::List(items) | Self::All(items) | Self::Any(items) | Self::Call(_, items) => {
                items.iter().collect()
            }
            Self::Not(inner) | Self::Negate(inner) | Self::Round(inner, ..) => vec![inner],
            Self::Compare(_, a, b) | Self::In(a, b) | Self::Arithmetic(_, a, b) | Self::Rows(_, a, _, b) => {
                vec![a, b]
            }
            Self::Within(a, b, c, ..) => vec![a, b, c],
        }
    }
}

/// What each name holds: one value for each source that knows it; none where a read of it did not end with an answer.
pub(crate) type Context = BTreeMap<String, Vec<V>>;

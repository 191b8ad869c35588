//! The name of a chain in an export or an anchor.

use std::fmt;

use purple_journal::chain::Chain;
use purple_port::SessionId;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Whose chain it is. Its text is the `session` member of the chain's records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChainName {
    Run(SessionId),
    Operators,
}

impl ChainName {
    pub(crate) fn chain(&self) -> Chain<'_> {
        match self {
            Self::Run(run) => Chain::Run(run),
            Self::Operators => Chain::Operators,
        }
    }
}

impl fmt::Display for ChainName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run(run) => write!(out, "session `{run}`"),
            Self::Operators => out.write_str("the operator journal"),
        }
    }
}

impl Serialize for ChainName {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.chain().name())
    }
}

impl<'de> Deserialize<'de> for ChainName {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text == Chain::Operators.name() {
            return Ok(Self::Operators);
        }
        SessionId::parse(&text).map(Self::Run).map_err(D::Error::custom)
    }
}

//! The error of the writer thread.

use purple_port::EngineError;

use crate::error;

/// Why a piece of work was not written.
#[derive(Debug)]
pub(crate) enum Refused {
    Database(rusqlite::Error),
    Engine(EngineError),
}

impl Refused {
    pub(crate) fn grade(&self) -> error::Grade {
        match self {
            Self::Database(error) => error::grade(error),
            Self::Engine(_) => error::Grade::Refused,
        }
    }

    pub(crate) fn told_plainly(&self) -> String {
        match self {
            Self::Database(error) => error.to_string(),
            Self::Engine(error) => error.to_string(),
        }
    }

    pub(crate) fn told(&self) -> EngineError {
        match self {
            Self::Database(error) => error::storage("writing", error),
            Self::Engine(EngineError::Damaged { what, detail }) => {
                EngineError::Damaged { what, detail: detail.clone() }
            }
            Self::Engine(other) => EngineError::Storage(Box::new(error::StorageFailed {
                what: "writing",
                said: other.to_string(),
            })),
        }
    }
}

impl From<rusqlite::Error> for Refused {
    fn from(error: rusqlite::Error) -> Self {
        Self::Database(error)
    }
}

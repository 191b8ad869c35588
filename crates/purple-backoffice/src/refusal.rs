//! Why a call was not carried out.

/// A tool's no. It reaches the caller as a tool error, never as a broken connection.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("there is no tool `{tool}`")]
    UnknownTool { tool: String },
    #[error("parameter `{name}` is missing")]
    Missing { name: &'static str },
    #[error("there is no parameter `{name}`; known are: {known}")]
    UnknownParameter { name: String, known: String },
    #[error("parameter `{name}` must be {wanted}, not `{given}`")]
    BadParameter { name: String, wanted: String, given: String },
    #[error("{noun} `{id}` does not exist")]
    NotFound { noun: &'static str, id: String },
    #[error("{noun} `{id}` is {status}; that needs {wanted}")]
    WrongStatus { noun: &'static str, id: String, status: String, wanted: String },
    #[error("{noun} `{id}`: {because}")]
    Rule { noun: &'static str, id: String, because: String },
    #[error("no such column: {column}")]
    NoSuchColumn { column: String },
    #[error("no such table: {table}")]
    NoSuchTable { table: String },
    #[error("idempotency key `{key}` was used for another call")]
    KeyReused { key: String },
    #[error("rate limit exceeded: try again in {retry_after_s} s")]
    RateLimited { retry_after_s: u32 },
    #[error("`{tool}` failed: the system behind it is not available")]
    Broken { tool: String },
    #[error("{noun} records cannot be read at the moment")]
    ReadsDown { noun: &'static str },
    #[error("the company's database failed")]
    Storage(#[from] rusqlite::Error),
    #[error("a stored document is not readable")]
    Document(#[from] serde_json::Error),
}

impl Refusal {
    /// A stable word for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "UNKNOWN_TOOL",
            Self::Missing { .. } | Self::UnknownParameter { .. } | Self::BadParameter { .. } => {
                "INVALID_ARGUMENTS"
            }
            Self::NotFound { .. } => "NOT_FOUND",
            Self::WrongStatus { .. } | Self::Rule { .. } => "CONSTRAINT_VIOLATION",
            Self::NoSuchColumn { .. } => "NO_SUCH_COLUMN",
            Self::NoSuchTable { .. } => "NO_SUCH_TABLE",
            Self::KeyReused { .. } => "KEY_REUSED",
            Self::RateLimited { .. } => "RATE_LIMITED",
            Self::Broken { .. } | Self::ReadsDown { .. } => "UNAVAILABLE",
            Self::Storage(_) | Self::Document(_) => "INTERNAL",
        }
    }
}

//! How requests and answers look on the wire. Pure: bytes in, bytes out, and nothing waits.

mod anthropic;
mod brainos;
mod chat;
mod conversation;
mod draft;
mod json;
mod names;
mod ollama;
mod openai;
mod schema;

use purple_port::{ModelReply, ModelRequest};
use serde_json::Value;

use crate::endpoint::{Api, Delivery};
use crate::limits::TOOLS_MAX;
use conversation::Conversation;
pub(crate) use json::cut;
pub(crate) use names::Names;

/// A request as it is sent.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// Behind the base URL.
    pub(crate) path: &'static str,
    pub(crate) body: Value,
    pub(crate) reading: Reading,
}

/// What must be known to read the answer.
#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) api: Api,
    pub(crate) names: Names,
    pub(crate) shape: Shape,
    /// The conversation under which the other side remembers what was said, where it does.
    pub(crate) conversation: Option<String>,
}

/// What kind of answer was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A message: words, calls, or both.
    Message,
    /// The text of a single completion (`/api/generate`).
    Completion,
    /// The arguments of the one tool that had to be called are the text.
    AnswerTool,
    /// The same, and the text is one field of them, since only objects can be arguments.
    AnswerField,
}

/// An answer that was read to its end.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Decoded {
    pub(crate) reply: ModelReply,
    /// The model that the provider says it was.
    pub(crate) model: Option<String>,
}

/// Why a request cannot be said in the provider's language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadRequest {
    /// Nothing to answer.
    #[error("the request has no words of a caller")]
    NothingToSay,
    /// More tools than providers take.
    #[error("the request offers {tools} tools; at most {tools_max} can be sent")]
    TooManyTools {
        /// How many.
        tools: usize,
        /// How many are possible.
        tools_max: usize,
    },
}

/// Why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadAnswer {
    /// More bytes than an answer may have.
    #[error("it is longer than {bytes_max} bytes")]
    TooLarge {
        /// The bound.
        bytes_max: usize,
    },
    /// Nested too deep.
    #[error("it is nested deeper than {depth_max} levels")]
    TooDeep {
        /// The bound.
        depth_max: usize,
    },
    /// No text.
    #[error("it is not UTF-8 from byte {at} on")]
    NotUtf8 {
        /// Where.
        at: usize,
    },
    /// Nothing there.
    #[error("it is empty")]
    Empty,
    /// A page for people, as proxies send.
    #[error("it is an HTML page")]
    Html,
    /// Something else than JSON.
    #[error("it is not JSON at line {line}, column {column}")]
    NotJson {
        /// Where.
        line: usize,
        /// Where in the line.
        column: usize,
    },
    /// A part that must be there is not, or is something else.
    #[error("it has no usable `{field}`")]
    Missing {
        /// The part.
        field: &'static str,
    },
    /// It ended before it was complete.
    #[error("it was cut before its end")]
    Cut,
    /// It says that something went wrong, with a status that says otherwise.
    #[error("it is the error `{kind}`: {message}")]
    Error {
        /// The provider's word.
        kind: String,
        /// What it said.
        message: String,
    },
}

/// Says a request in the provider's language. `fresh` names a conversation that the other side has not met.
pub(crate) fn encode(
    api: Api,
    model: &str,
    request: &ModelRequest,
    (delivery, fresh): (Delivery, &str),
) -> Result<Encoded, BadRequest> {
    if request.tools.len() > TOOLS_MAX {
        return Err(BadRequest::TooManyTools { tools: request.tools.len(), tools_max: TOOLS_MAX });
    }
    let names = Names::of(request);
    let conversation = Conversation::of(&request.messages, &names)?;
    let asked = Asked { model, request, conversation, delivery, names: &names };
    let mut conversation = None;
    let (path, body, shape) = match api {
        Api::Anthropic => anthropic::encode(&asked),
        Api::OpenAi => openai::encode(&asked),
        Api::Ollama => ollama::encode(&asked),
        Api::BrainOs => {
            let id = brainos::conversation(&asked).unwrap_or(fresh);
            conversation = Some(id.to_owned());
            brainos::encode(&asked, id)
        }
    };
    Ok(Encoded { path, body, reading: Reading { api, names, shape, conversation } })
}

/// What the encoders are given.
struct Asked<'a> {
    model: &'a str,
    request: &'a ModelRequest,
    conversation: Conversation,
    delivery: Delivery,
    names: &'a Names,
}

impl Asked<'_> {
    /// A single-shot request with its schema.
    fn schema(&self) -> Option<&Value> {
        self.request.output_schema.as_ref().filter(|_| self.request.purpose.is_single_shot())
    }

    fn output_tokens(&self) -> u32 {
        self.request.output_tokens_max.max(1)
    }

    fn is_streamed(&self) -> bool {
        match self.delivery {
            Delivery::Streamed => true,
            Delivery::Whole => false,
        }
    }
}

impl Reading {
    /// Reads an answer that came at once.
    pub(crate) fn whole(&self, bytes: &[u8]) -> Result<Decoded, BadAnswer> {
        let answer = json::parse(bytes)?;
        let draft = match self.api {
            Api::Anthropic => anthropic::decode(&answer)?,
            Api::OpenAi => openai::decode(&answer)?,
            Api::Ollama => ollama::decode(&answer, self.shape)?,
            Api::BrainOs => brainos::decode(&answer, self)?,
        };
        draft.finish(self)
    }

    /// Begins to read an answer that comes in pieces.
    pub(crate) fn pieces(&self) -> Pieces {
        match self.api {
            Api::Anthropic => Pieces::Anthropic(anthropic::Pieces::default()),
            Api::OpenAi => Pieces::OpenAi(openai::Pieces::default()),
            Api::Ollama => Pieces::Ollama(ollama::Pieces::new(self.shape)),
            Api::BrainOs => Pieces::BrainOs(brainos::Pieces::default()),
        }
    }

    /// What a refusal says, in the provider's words.
    pub(crate) fn problem(&self, bytes: &[u8]) -> Option<String> {
        let answer = json::parse(bytes).ok()?;
        json::error_of(&answer).map(|(kind, message)| format!("{kind}: {message}"))
    }
}

/// An answer that grows. Nothing of it is an answer before it is finished.
pub(crate) enum Pieces {
    Anthropic(anthropic::Pieces),
    OpenAi(openai::Pieces),
    Ollama(ollama::Pieces),
    BrainOs(brainos::Pieces),
}

/// What a piece brought.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Something that is no words.
    Silent,
    /// Words, for whoever watches.
    Words(String),
    /// The end.
    Last,
}

impl Pieces {
    /// Takes the next event of the stream.
    pub(crate) fn take(&mut self, event: &str) -> Result<Piece, BadAnswer> {
        match self {
            Self::Anthropic(pieces) => pieces.take(&json::parse(event.as_bytes())?),
            Self::OpenAi(pieces) => pieces.take(event),
            Self::Ollama(pieces) => pieces.take(&json::parse(event.as_bytes())?),
            Self::BrainOs(pieces) => pieces.take(event),
        }
    }

    /// The answer, if the stream had its end.
    pub(crate) fn finish(self, reading: &Reading) -> Result<Decoded, BadAnswer> {
        let draft = match self {
            Self::Anthropic(pieces) => pieces.into_draft()?,
            Self::OpenAi(pieces) => pieces.into_draft(),
            Self::Ollama(pieces) => pieces.into_draft(),
            Self::BrainOs(pieces) => pieces.into_draft(reading)?,
        };
        draft.finish(reading)
    }
}

#[cfg(test)]
#[path = "wire/fixture_tests.rs"]
mod fixture;
#[cfg(test)]
#[path = "wire/laws_tests.rs"]
mod laws;

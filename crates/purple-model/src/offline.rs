//! No model at all, said plainly.

use purple_port::{BoxFuture, Model, ModelError, ModelReply, ModelRequest, Purpose};

/// Answers every request with a refusal that says what needs a model and which setting provides one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offline;

/// What provides a model.
const REMEDY: &str = "set ANTHROPIC_API_KEY, OPENAI_API_KEY or OLLAMA_HOST";

impl Model for Offline {
    fn complete<'a>(&'a self, request: &'a ModelRequest) -> BoxFuture<'a, Result<ModelReply, ModelError>> {
        let what = match request.purpose {
            Purpose::Plan => "making a plan",
            Purpose::Decide => "deciding whether to go on",
            Purpose::Execute => "working on a task without a playbook",
            Purpose::Finalize => "writing the closing words",
        };
        let problem = format!("{what} needs a language model, and none is configured; {REMEDY}");
        Box::pin(std::future::ready(Err(ModelError::NoModel { problem })))
    }
}

//! Questions that servers ask during a call: kept for a person, and answered only with what a person said.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use purple_port::{Answers, Asked, Digest, Question};
use rmcp::model::{ElicitRequestParams, ElicitResult, ElicitationAction, InputRequest, InputRequiredResult};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::limits::{QUESTION_BYTES_MAX, QUESTIONS_MAX, REQUEST_STATE_BYTES_MAX};
use crate::request::Defaults;
use crate::said::cut;

/// The questions on one connection. Those of the older protocol do not say which call they belong to.
#[derive(Debug, Default)]
pub(super) struct Questions {
    state: Mutex<State>,
    asked: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// Calls that are on their way.
    calls: usize,
    /// What a person said, by question.
    answers: BTreeMap<String, Value>,
    asked: Vec<Question>,
    defaults: Defaults,
}

/// One call that is on its way, and may be asked something.
pub(super) struct Conversation<'a> {
    questions: &'a Questions,
    answered: Vec<String>,
}

impl Questions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn begin(&self, answers: Option<&Answers>, defaults: Defaults) -> Conversation<'_> {
        let mut state = self.state();
        state.defaults = defaults;
        state.calls += 1;
        let given = answers.into_iter().flat_map(|answers| &answers.given);
        let given: Vec<(String, Value)> = given.map(|(id, answer)| (id.clone(), answer.clone())).collect();
        let answered = given.iter().map(|(id, _)| id.clone()).collect();
        state.answers.extend(given);
        Conversation { questions: self, answered }
    }

    /// Hears a question of the older protocol. `None`: a person must be asked, and nobody answers meanwhile.
    pub(super) fn hear(&self, params: ElicitRequestParams) -> Option<ElicitResult> {
        // To open an address is no answer that we could give.
        let Some(question) = form(None, &params) else {
            return Some(ElicitResult::new(ElicitationAction::Decline));
        };
        let mut state = self.state();
        if let Some(answer) = state.answers.get(&question.id) {
            return Some(ElicitResult::new(ElicitationAction::Accept).with_content(answer.clone()));
        }
        if let (Defaults::Taken, Some(answer)) = (state.defaults, of_defaults(&question.schema)) {
            return Some(ElicitResult::new(ElicitationAction::Accept).with_content(answer));
        }
        // With several calls on their way nobody knows which one it belongs to.
        if state.calls != 1 || state.asked.len() >= QUESTIONS_MAX {
            return Some(ElicitResult::new(ElicitationAction::Cancel));
        }
        state.asked.push(question);
        drop(state);
        self.asked.notify_one();
        None
    }
}

impl Conversation<'_> {
    /// Waits until the server asks something that nobody has answered.
    pub(super) async fn asked(&self) -> Asked {
        loop {
            self.questions.asked.notified().await;
            let questions = std::mem::take(&mut self.questions.state().asked);
            if !questions.is_empty() {
                return Asked { questions, state: None };
            }
        }
    }
}

impl Drop for Conversation<'_> {
    fn drop(&mut self) {
        let mut state = self.questions.state();
        state.calls = state.calls.saturating_sub(1);
        for id in &self.answered {
            state.answers.remove(id);
        }
        state.asked.clear();
    }
}

/// The questions of an answer that is none yet. `None`: they are not for a person, or too long for one.
pub(super) fn asked(result: InputRequiredResult) -> Option<Asked> {
    let InputRequiredResult { input_requests, request_state: state, .. } = result;
    if state.as_ref().is_some_and(|state| state.len() > REQUEST_STATE_BYTES_MAX) {
        return None;
    }
    let requests = input_requests.unwrap_or_default();
    if requests.len() > QUESTIONS_MAX {
        return None;
    }
    let one = |(id, request): (String, InputRequest)| match request {
        InputRequest::Elicitation(request) => form(Some(id), &request.params),
        _ => None,
    };
    let questions = requests.into_iter().map(one).collect::<Option<Vec<_>>>()?;
    Some(Asked { questions, state })
}

fn form(id: Option<String>, params: &ElicitRequestParams) -> Option<Question> {
    let ElicitRequestParams::FormElicitationParams { message, requested_schema, .. } = params else {
        return None;
    };
    let schema = serde_json::to_value(requested_schema).ok()?;
    let said = json!([message, schema]).to_string();
    if said.len() > QUESTION_BYTES_MAX {
        return None;
    }
    // A question without a name is known again by its words.
    let id = id.unwrap_or_else(|| Digest::of(said.as_bytes()).to_string());
    Some(Question { id, message: cut(message).into(), schema })
}

/// The record of a form's defaults, if every field has one or can be left out.
fn of_defaults(schema: &Value) -> Option<Value> {
    let fields = schema.get("properties")?.as_object()?;
    let required = schema.get("required").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let defaults =
        fields.iter().filter_map(|(name, field)| Some((name.clone(), field.get("default")?.clone())));
    let record: serde_json::Map<String, Value> = defaults.collect();
    let complete = required.iter().filter_map(Value::as_str).all(|name| record.contains_key(name));
    (complete && !record.is_empty()).then_some(Value::Object(record))
}

/// A person's answers, as the newer protocol takes them.
pub(super) fn responses(answers: &Answers) -> Option<BTreeMap<String, Value>> {
    let given = answers.given.iter();
    let given: BTreeMap<String, Value> =
        given.map(|(id, content)| (id.clone(), json!({"action": "accept", "content": content}))).collect();
    (!given.is_empty()).then_some(given)
}

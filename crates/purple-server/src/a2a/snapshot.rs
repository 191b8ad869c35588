//! A task as it is now, from what the worker shows of a run. Pure.

use jiff::Timestamp;
use purple_port::view::{Answer, AnswerData, OpenDoubt, RunView, Status, Summary};
use purple_port::{Ending, SessionId, SessionRow};
use serde_json::{Map, Value, json};

use super::model::{Accepts, Artifact, Message, Part, Role, Task, TaskState, TaskStatus};
use crate::config::PauseAs;

/// Where figures and the mutation log are for readers of text only.
const RECORD_KEY: &str = "purple/record";

/// The name of a task: a session, and its round or the mark of a message. Sessions of clients cannot contain what
/// stands between the two, so it is taken apart in one way.
pub(super) fn task_id(run: &SessionId, which: &impl std::fmt::Display) -> String {
    format!("{run}{ROUND_MARK}{which}")
}

/// What stands between the session and the round in the name of a task.
pub(super) const ROUND_MARK: char = '~';

/// How a caller wants to see a task.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Look {
    pub pause_as: PauseAs,
    pub accepts: Accepts,
}

/// What a round says, before it is put into a task.
pub(super) struct Told {
    pub state: TaskState,
    pub at: Timestamp,
    pub words: Option<String>,
    /// What a program needs to answer a question.
    pub question: Option<Value>,
    /// Figures, rules and the mutation log.
    pub record: Option<Value>,
    /// Where in the journal it was said.
    pub seq: u64,
}

impl Told {
    /// A round that nothing is said about yet.
    pub(super) fn nothing(state: TaskState, at: Timestamp) -> Self {
        Self { state, at, words: None, question: None, record: None, seq: 0 }
    }
}

/// What a task says that was taken and whose turn has not ended.
pub(super) fn taken(row: &SessionRow) -> Told {
    match &row.stuck {
        Some(stuck) => stands_still(&stuck.reason, row.changed, row.entries),
        None => Told::nothing(TaskState::Working, row.changed),
    }
}

/// What a task says whose place another one took.
pub(super) fn replaced(at: Timestamp) -> Told {
    let words = Some("A later message of this context took its place.".to_owned());
    Told { words, ..Told::nothing(TaskState::Canceled, at) }
}

fn stands_still(reason: &str, at: Timestamp, seq: u64) -> Told {
    let words = format!("The run stands still: {reason}. Its operator must say how to go on.");
    Told { words: Some(words), seq, ..Told::nothing(TaskState::InputRequired, at) }
}

/// What the present round of a run says.
pub(super) fn told(view: &RunView) -> Told {
    let (at, seq) = (view.changed, view.entries);
    let record = || view.answer.as_ref().map(|answer| record(&answer.data));
    let words = view.answer.as_ref().map(|answer| answer.text.clone());
    if let Some(reason) = &view.stuck {
        return stands_still(reason, at, seq);
    }
    match view.summary.status {
        Status::Working => Told::nothing(TaskState::Working, at),
        Status::WaitingModel => Told { words, seq, ..Told::nothing(TaskState::Working, at) },
        Status::Halted => {
            let words =
                Some("The operator has stopped this process; the run goes on when the stop ends.".to_owned());
            Told { words, seq, ..Told::nothing(TaskState::Working, at) }
        }
        Status::InDoubt => {
            let (words, question) = match &view.summary.doubt {
                Some(doubt) => (Some(doubt_words(view, doubt)), Some(doubt_data(doubt))),
                None => (words, None),
            };
            Told { state: TaskState::InputRequired, at, words, question, record: None, seq }
        }
        Status::Waiting => {
            let question = view.card.as_ref().map(purple_port::card::Card::operations_data);
            Told { state: TaskState::InputRequired, at, words, question, record: None, seq }
        }
        Status::Closed => {
            let state = state_of(view.summary.ending);
            Told { state, at, words, question: None, record: record(), seq }
        }
    }
}

/// The state of the present round, from the summary alone: what a list needs to choose by.
pub(super) fn standing(summary: &Summary, stuck: bool, pause_as: PauseAs) -> TaskState {
    let state = match (stuck, summary.status) {
        (true, _) | (false, Status::InDoubt | Status::Waiting) => TaskState::InputRequired,
        (false, Status::Working | Status::WaitingModel | Status::Halted) => TaskState::Working,
        (false, Status::Closed) => state_of(summary.ending),
    };
    shown_as(state, pause_as)
}

/// How the operator wants a state to look.
pub(super) fn shown_as(state: TaskState, pause_as: PauseAs) -> TaskState {
    match (state, pause_as) {
        (TaskState::InputRequired, PauseAs::Completed) => TaskState::Completed,
        (state, PauseAs::Completed | PauseAs::InputRequired) => state,
    }
}

/// The state that an ending means: only a failed run is a failed task.
pub(super) fn state_of(ending: Option<Ending>) -> TaskState {
    match ending {
        Some(Ending::Failed) => TaskState::Failed,
        Some(Ending::Cancelled) => TaskState::Canceled,
        Some(Ending::Done | Ending::Declined | Ending::Blocked | Ending::Refused | Ending::Escalated)
        | None => TaskState::Completed,
    }
}

fn doubt_words(view: &RunView, doubt: &OpenDoubt) -> String {
    format!(
        "The outcome of `{step}` ({headline}) is unknown: {why}. A person finds out, and says `purple settle {run} {step} --done` or `--not-done`.",
        step = doubt.step,
        headline = doubt.headline,
        why = doubt.why,
        run = view.run
    )
}

fn doubt_data(doubt: &OpenDoubt) -> Value {
    json!({"inDoubt": {"operation": doubt.step, "headline": doubt.headline, "why": doubt.why}})
}

/// An answer as data, without its words: they are in the task once already.
pub(super) fn record(data: &AnswerData) -> Value {
    let figures = data.figures.iter().map(|(name, value)| json!({"name": name, "value": value}));
    json!({
        "ending": data.ending,
        "code": data.code,
        "process": data.process,
        "figures": figures.collect::<Vec<_>>(),
        "policy": data.policy,
        "mutations": data.mutations,
        "notStarted": data.not_started,
        "quality": data.quality,
        "tookMs": data.took_ms,
        "contexts": data.runs.iter().map(|further| &further.run).collect::<Vec<_>>(),
    })
}

/// What a run says that another one began or asked something of.
pub(super) fn further(view: &RunView) -> String {
    let told = told(view);
    let state = match told.state {
        TaskState::InputRequired => "waits for an answer in this context",
        TaskState::Submitted | TaskState::Working => "works",
        TaskState::Failed => "failed",
        TaskState::Canceled => "was cancelled",
        TaskState::Completed => "is over",
    };
    format!("\n\nContext {} {state}.\n{}", view.run, told.words.unwrap_or_default())
}

/// What an earlier answer says.
pub(super) fn answered(answer: Answer, state: TaskState, at: Timestamp, seq: u64) -> Told {
    let record = state.is_terminal().then(|| record(&answer.data));
    Told { state, at, words: Some(answer.text), question: None, record, seq }
}

/// A task that says what was told, each thing once.
pub(super) fn task(id: String, run: &SessionId, told: Told, look: Look) -> Task {
    let Drawn { status, artifacts, metadata } = draw(&id, told, look);
    Task { id, context: run.to_string(), status, artifacts, history: Vec::new(), metadata }
}

/// The code of work that another run has taken up.
const TAKEN_UP: &str = "business_key.handled";

/// The ending of a completed task that did not do what was asked, by its word.
fn not_done(record: &Value) -> Option<&str> {
    if record.get("code").and_then(Value::as_str) == Some(TAKEN_UP) {
        return Some("taken up already");
    }
    let ending = record.get("ending")?.as_str()?;
    let is_done = serde_json::to_value(Ending::Done).is_ok_and(|done| done == ending);
    (!is_done).then_some(ending)
}

/// Why a task ended so, with its ending as the first word: readers of the status see nothing else.
fn reason(words: Option<&str>, ending: &str) -> String {
    const PARAGRAPHS: usize = 2;
    let said: Vec<&str> = words.unwrap_or_default().split("\n\n").take(PARAGRAPHS).map(str::trim).collect();
    let said = said.join("\n\n");
    let has_it = said.to_lowercase().starts_with(ending);
    let mut letters = ending.chars();
    let word = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    if has_it { said } else { format!("{}: {said}", word.unwrap_or_default()) }
}

/// The parts of a task that say something.
pub(super) struct Drawn {
    pub status: TaskStatus,
    pub artifacts: Vec<Artifact>,
    pub metadata: Map<String, Value>,
}

/// Puts what was told where readers of each kind look for it: an answer into an artifact, a question into the status, and
/// beside the answer why it is not what was asked for.
pub(super) fn draw(id: &str, told: Told, look: Look) -> Drawn {
    let Told { state, at, words, question, record, seq } = told;
    let state = shown_as(state, look.pause_as);
    let mut artifacts = Vec::new();
    let mut metadata = Map::new();
    let mut message = None;
    let mut record = record;
    if state == TaskState::Completed {
        let ending = record.as_ref().and_then(not_done);
        message = ending.map(|ending| {
            let parts =
                vec![Part::Text(reason(words.as_deref(), ending)), Part::Data(json!({"ending": ending}))];
            Message { id: format!("{id}-{seq}"), role: Role::Agent, parts }
        });
        let parts = words.into_iter().map(Part::Text).collect();
        artifacts.push(Artifact { id: "answer", name: "answer", parts });
        record = record.or(question);
    } else if words.is_some() || question.is_some() {
        let parts = words.into_iter().map(Part::Text).chain(question.into_iter().map(Part::Data)).collect();
        message = Some(Message { id: format!("{id}-{seq}"), role: Role::Agent, parts });
    }
    match (record, look.accepts) {
        (Some(record), Accepts::Data) => {
            artifacts.push(Artifact { id: "record", name: "record", parts: vec![Part::Data(record)] });
        }
        (Some(record), Accepts::TextOnly) => {
            metadata.insert(RECORD_KEY.to_owned(), record);
        }
        (None, Accepts::Data | Accepts::TextOnly) => {}
    }
    Drawn { status: TaskStatus { state, at, message }, artifacts, metadata }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(ending: &str, words: &str, state: TaskState) -> Drawn {
        let told = Told {
            state,
            at: Timestamp::UNIX_EPOCH,
            words: Some(words.to_owned()),
            question: None,
            record: Some(json!({"ending": ending})),
            seq: 4,
        };
        draw("s~1", told, Look { pause_as: PauseAs::InputRequired, accepts: Accepts::Data })
    }

    #[test]
    fn a_completed_task_that_did_not_do_what_was_asked_says_so_in_the_first_words_of_its_status() {
        for ending in ["declined", "blocked", "refused", "escalated"] {
            let words = "A person must take over.\n\nMutation log: nothing was changed.\n\nfooter";
            let status = drawn(ending, words, TaskState::Completed).status;
            let message = status.message.unwrap();
            let [Part::Text(text), Part::Data(data)] = message.parts.as_slice() else {
                panic!("{ending}: {:?}", message.parts)
            };
            assert_eq!(*data, json!({"ending": ending}));
            assert!(text.to_lowercase().starts_with(&format!("{ending}: a person must")), "{text}");
            assert!(text.contains("Mutation log") && !text.contains("footer"), "{text}");
        }
        let said =
            drawn("escalated", "Escalated: a rule asks.", TaskState::Completed).status.message.unwrap();
        assert_eq!(said.parts[0], Part::Text("Escalated: a rule asks.".to_owned()));
        assert!(drawn("done", "All of it.", TaskState::Completed).status.message.is_none());
    }
}

//! Words that ask to undo something: the run that did it is found, and its undo is offered there as a plan.

use purple_journal::Redacted;
use purple_journal::record::task;
use purple_process::{Arithmetic, Fact, Outcome, Route, SessionId};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::execute::close::Left;
use crate::port::{DedupKey, EngineError, Post, SessionRow, StepFailed, TurnFailed};
use crate::reflect::entities::entities;
use crate::run::{Phase, Run};
use crate::view::{Answer, FurtherRun, Mutation, Status, Summary};

/// The name of the step that keeps what was found.
pub(crate) const STEP: &str = "reversal";
/// The most runs that are looked through, the last changed first.
const RUNS_MAX: usize = 2_000;

/// What an earlier run did and can be undone.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Undoable {
    run: SessionId,
    round: u32,
    /// How many journal entries the run had.
    entries: u64,
    /// The operations, in one line each.
    done: Vec<String>,
}

impl Run<'_> {
    /// Offers the undo of what the words are about, or says that there is nothing to reverse.
    pub(crate) async fn reverse(&mut self, text: &str) -> Phase<()> {
        self.route(Route::question(Arithmetic::None))?;
        for fact in [Fact::Decomposed, Fact::Assessed] {
            self.step(fact)?;
        }
        let found = self.undoable(text).await?;
        let kept = self.keep("runs", &found)?;
        self.scribe
            .note(task::ReversalSought { run: found.as_ref().map(|one| Redacted::of(&one.run)), kept })?;
        let (sentences, runs) = match found {
            None => (vec![nothing(text)], Vec::new()),
            Some(one) => {
                let mut sentences = vec![format!(
                    "This refers to run {}. Its undo is offered there as a plan. What was done:",
                    one.run
                )];
                sentences.extend(one.done.iter().map(|line| format!("- {line}")));
                self.ask_for_undo(&one, text)?;
                (sentences, vec![FurtherRun { run: one.run, after: one.entries }])
            }
        };
        let mut sentences = sentences;
        sentences.push("Nothing was changed.".to_owned());
        self.close(Left { sentences, runs, ..Left::default() }).await
    }

    fn ask_for_undo(&self, undoable: &Undoable, text: &str) -> Phase<()> {
        let event = Event::Undo {
            step: None,
            round: Some(undoable.round),
            by: self.session.requester.clone(),
            channel: self.session.channel,
            words: Some(text.to_owned()),
        };
        let dedup = DedupKey(format!("undo:{}:{}", self.id(), self.session.round()));
        Ok(self.scribe.turn.post(Post { session: undoable.run.clone(), dedup, due: None, event })?)
    }

    /// The latest run of this requester that did something to a record that the words name, or anything. Kept, so that a repeated
    /// turn finds the same one.
    async fn undoable(&self, text: &str) -> Phase<Option<Undoable>> {
        let names = names(text);
        let work = async {
            let found =
                self.search(&names).await.map_err(|error| StepFailed { reason: error.to_string() })?;
            serde_json::to_value(found).map_err(|error| StepFailed { reason: error.to_string() })
        };
        let found = self.scribe.turn.step(STEP, Box::pin(work)).await?;
        serde_json::from_value(found)
            .map_err(|error| TurnFailed::Unreadable { what: "runs", why: error.to_string() })
    }

    async fn search(&self, names: &[String]) -> Result<Option<Undoable>, EngineError> {
        let rows = self.ports.events.sessions(None, RUNS_MAX).await?;
        for row in &rows {
            let Some(answer) = self.answer_of(row).await? else { continue };
            let is_open = |one: &&Mutation| one.reversible && one.outcome == Outcome::Verified;
            let open: Vec<&Mutation> = answer.data.mutations.iter().filter(is_open).collect();
            // "Undo that" names nothing: the last thing is meant.
            let about = |one: &&&Mutation| names.is_empty() || names.iter().any(|name| is_about(one, name));
            let Some(last) = open.iter().rfind(about) else { continue };
            let done = open.iter().filter(|one| one.round == last.round).map(|one| one.headline.clone());
            let (run, round, entries) = (row.session.clone(), last.round, row.entries);
            return Ok(Some(Undoable { run, round, entries, done: done.collect() }));
        }
        Ok(None)
    }

    /// The last answer of a run that this requester asked for and that is over.
    async fn answer_of(&self, row: &SessionRow) -> Result<Option<Answer>, EngineError> {
        let Ok(summary) = serde_json::from_value::<Summary>(row.summary.clone()) else { return Ok(None) };
        let is_own = summary.requester == self.session.requester && summary.status == Status::Closed;
        let Some(answer) = summary.answer.filter(|_| is_own) else { return Ok(None) };
        let bytes = self.ports.blobs.get(answer).await?;
        Ok(bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()))
    }
}

/// Records and people that the words name.
fn names(text: &str) -> Vec<String> {
    let wanted = |kind: &str| matches!(kind, "id" | "person" | "vendor");
    let named = entities(text).into_iter().filter(|entity| wanted(&entity.kind));
    named.map(|entity| plain(&entity.name)).filter(|name| !name.is_empty()).collect()
}

/// Whether an operation was done to this record: its headline shows the arguments.
fn is_about(done: &Mutation, name: &str) -> bool {
    let words = done.headline.split(|letter: char| !(letter.is_alphanumeric() || letter == '-'));
    words.map(plain).any(|word| word == name)
}

fn nothing(text: &str) -> String {
    let names: Vec<String> = entities(text)
        .into_iter()
        .filter(|entity| matches!(entity.kind.as_str(), "id" | "person" | "vendor"))
        .map(|entity| entity.name)
        .collect();
    let about = if names.is_empty() { String::new() } else { format!(" for {}", names.join(", ")) };
    format!("There is nothing to reverse{about}: no finished run of yours did something that can be undone.")
}

/// Letters and digits in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

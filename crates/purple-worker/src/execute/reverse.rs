//! Words that ask to undo something: the run that did it is found, and its undo is offered as a plan.

use purple_journal::Redacted;
use purple_journal::record::task;
use purple_process::{Arithmetic, Fact, Outcome, Route, SessionId};
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::execute::close::Left;
use crate::execute::reference::{Candidate, Reference};
use crate::execute::undo::Done;
use crate::execute::witnessed::undoable_in;
use crate::port::{DedupKey, EngineError, Post, SessionRow, StepFailed, TurnFailed};
use crate::prime::Undo;
use crate::run::{Phase, Run};
use crate::view::{Answer, FurtherRun, Mutation, Status, Summary};

/// The name of the step that keeps what was found.
pub(crate) const STEP: &str = "reversal";
/// The most runs that are looked through, the last changed first.
const RUNS_MAX: usize = 2_000;
/// The most journal entries of a run that are looked through.
const ENTRIES_MAX: usize = 20_000;
/// The most operations that are listed where the words do not say which is meant.
const LISTED_MAX: usize = 5;

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

/// What other runs of the requester did that words can be about.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Found {
    undoable: Vec<Undoable>,
    /// Records that the words name and that nothing was found for.
    unfound: Vec<String>,
    /// Runs that are about such a record and not over.
    open: Vec<SessionId>,
    /// What could be undone, where the words do not say which of it is meant.
    others: Vec<String>,
}

impl Run<'_> {
    /// Offers the undo of what the words are about, or says that there is nothing to reverse.
    pub(crate) async fn reverse(&mut self, text: &str) -> Phase<()> {
        let reference = Reference::of(text, &self.settings.processes);
        let here = self.undoable_here().await?;
        if let Some(round) = round_of(&here, &reference) {
            return self.reverse_here(text, here, round).await;
        }
        let several: Vec<String> = here.iter().map(|one| one.operation.headline()).collect();
        if several.iter().any(|line| reference.names_any(line)) {
            let mut sentences = vec!["Not all of this was done at once. Say which to undo first:".to_owned()];
            sentences.extend(several.iter().take(LISTED_MAX).map(|line| format!("- {line}")));
            return self.left_as_it_is(sentences).await;
        }
        self.route(Route::question(Arithmetic::None))?;
        for fact in [Fact::Decomposed, Fact::Assessed] {
            self.step(fact)?;
        }
        let found = self.elsewhere(&reference).await?;
        let kept = self.keep("runs", &found)?;
        let first = found.undoable.first().map(|one| Redacted::of(&one.run));
        self.scribe.note(task::ReversalSought { run: first, kept })?;
        let mut runs = Vec::new();
        for one in &found.undoable {
            self.ask_for_undo(one, text)?;
            runs.push(FurtherRun { run: one.run.clone(), after: one.entries });
        }
        self.close(Left { sentences: found.sentences(), runs, ..Left::default() }).await
    }

    /// The words are about an earlier round of this run: its undo is the plan of this round.
    async fn reverse_here(&mut self, text: &str, done: Vec<Done>, round: u32) -> Phase<()> {
        let done: Vec<Done> = done.into_iter().filter(|one| one.round.round == round).collect();
        let lines: Vec<String> = done.iter().map(|one| one.operation.headline()).collect();
        let kept = self.keep("runs", &lines)?;
        self.scribe.note(task::ReversalSought { run: Some(Redacted::of(self.id())), kept })?;
        let wanted = Undo {
            step: None,
            round: Some(round),
            by: self.session.requester.clone(),
            channel: self.session.channel,
            account: self.session.requester_account.clone(),
            words: Some(text.to_owned()),
        };
        match self.reversal(done, &wanted).await? {
            Ok(reversal) => self.offer_undo(reversal, wanted).await,
            Err(why) => self.left_as_it_is(vec![why]).await,
        }
    }

    async fn left_as_it_is(&mut self, mut sentences: Vec<String>) -> Phase<()> {
        self.route(Route::question(Arithmetic::None))?;
        for fact in [Fact::Decomposed, Fact::Assessed] {
            self.step(fact)?;
        }
        sentences.push("Nothing was changed.".to_owned());
        self.close(Left { sentences, ..Left::default() }).await
    }

    fn ask_for_undo(&self, undoable: &Undoable, text: &str) -> Phase<()> {
        let event = Event::Undo {
            step: None,
            round: Some(undoable.round),
            by: self.session.requester.clone(),
            channel: self.session.channel,
            account: self.session.requester_account.clone(),
            words: Some(text.to_owned()),
        };
        let dedup = DedupKey(format!("undo:{}:{}:{}", self.id(), self.session.round(), undoable.run));
        Ok(self.scribe.turn.post(Post { session: undoable.run.clone(), dedup, due: None, event })?)
    }

    /// What other runs of this requester did to what the words name. Kept, so that a repeated turn finds the same.
    async fn elsewhere(&self, reference: &Reference) -> Phase<Found> {
        let work = async {
            let found =
                self.search(reference).await.map_err(|error| StepFailed { reason: error.to_string() })?;
            serde_json::to_value(found).map_err(|error| StepFailed { reason: error.to_string() })
        };
        let found = self.scribe.turn.step(STEP, Box::pin(work)).await?;
        serde_json::from_value(found)
            .map_err(|error| TurnFailed::Unreadable { what: "runs", why: error.to_string() })
    }

    async fn search(&self, reference: &Reference) -> Result<Found, EngineError> {
        let mut found = Found { unfound: reference.names().to_vec(), ..Found::default() };
        for row in self.ports.events.sessions(None, RUNS_MAX).await? {
            let Ok(summary) = serde_json::from_value::<Summary>(row.summary.clone()) else { continue };
            if row.session == *self.id() || summary.requester != self.session.requester {
                continue;
            }
            if summary.status != Status::Closed {
                let headline = summary.approval.iter().map(|approval| approval.headline.as_str());
                let is_about = headline.chain([summary.title.as_str()]).any(|text| reference.names_any(text));
                found.open.extend(is_about.then(|| row.session.clone()));
                continue;
            }
            let open = self.open_in(&row, &summary).await?;
            let process = summary.process.as_deref().unwrap_or_default();
            let title = if summary.round == 1 { summary.title.as_str() } else { "" };
            let candidates: Vec<Candidate<'_>> = open
                .iter()
                .map(|one| Candidate {
                    round: one.round,
                    headline: &one.headline,
                    tool: &one.tool,
                    process,
                    title,
                })
                .collect();
            match reference.find(&candidates) {
                Some(round) => {
                    let own = candidates.iter().filter(|one| one.round == round);
                    let done: Vec<String> = own.map(|one| one.headline.to_owned()).collect();
                    found.unfound.retain(|name| !done.iter().any(|line| Reference::is_in(name, line)));
                    let (run, entries) = (row.session.clone(), row.entries);
                    found.undoable.push(Undoable { run, round, entries, done });
                    if found.unfound.is_empty() {
                        return Ok(found);
                    }
                }
                None => found.others.extend(candidates.iter().rev().map(|one| one.headline.to_owned())),
            }
        }
        Ok(found)
    }

    /// The operations of a run that is over that can be undone and were not.
    async fn open_in(&self, row: &SessionRow, summary: &Summary) -> Result<Vec<Mutation>, EngineError> {
        if summary.round > 1 {
            let journal = self.ports.events.since(&row.session, 0, ENTRIES_MAX).await?;
            return Ok(undoable_in(journal.iter().map(|recorded| recorded.record())));
        }
        let Some(hash) = summary.answer else { return Ok(Vec::new()) };
        let bytes = self.ports.blobs.get(hash).await?;
        let answer = bytes.and_then(|bytes| serde_json::from_slice::<Answer>(&bytes).ok());
        let mut all = answer.map(|answer| answer.data.mutations).unwrap_or_default();
        all.retain(|one| one.reversible && one.outcome == Outcome::Verified);
        Ok(all)
    }
}

/// The round of this run that the words are about, if they are about nothing else.
fn round_of(here: &[Done], reference: &Reference) -> Option<u32> {
    let lines: Vec<(u32, String, String)> = here
        .iter()
        .rev()
        .map(|one| (one.round.round, one.operation.headline(), one.operation.tool.to_string()))
        .collect();
    let candidates: Vec<Candidate<'_>> = lines
        .iter()
        .map(|(round, headline, tool)| Candidate { round: *round, headline, tool, process: "", title: "" })
        .collect();
    let round = reference.find(&candidates)?;
    let own = || candidates.iter().filter(|one| one.round == round);
    let has_all = reference.names().iter().all(|name| own().any(|one| Reference::is_in(name, one.headline)));
    has_all.then_some(round)
}

impl Found {
    fn sentences(&self) -> Vec<String> {
        let mut sentences = Vec::new();
        for one in &self.undoable {
            sentences.push(format!(
                "This refers to run {}. Its undo is offered there as a plan. What was done:",
                one.run
            ));
            sentences.extend(one.done.iter().map(|line| format!("- {line}")));
        }
        if !self.unfound.is_empty() || self.undoable.is_empty() {
            sentences.push(self.nothing());
        }
        for run in &self.open {
            sentences.push(format!("Run {run} is about it and not over: answer \"no\" there to leave it."));
        }
        if self.undoable.is_empty() && !self.others.is_empty() {
            sentences.push("What can be undone, if you name the record:".to_owned());
            sentences.extend(self.others.iter().take(LISTED_MAX).map(|line| format!("- {line}")));
        }
        sentences.push("Nothing was changed.".to_owned());
        sentences
    }

    fn nothing(&self) -> String {
        let about = match self.unfound.is_empty() {
            true => String::new(),
            false => format!(" for {}", self.unfound.join(", ")),
        };
        let why = match self.others.is_empty() {
            true => "no finished run of yours did something that can be undone",
            false => "no finished run of yours did what these words name",
        };
        format!("There is nothing to reverse{about}: {why}.")
    }
}

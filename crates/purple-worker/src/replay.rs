//! Performs a run again from its journal, without a model and without tools, and compares.
//!
//! Every turn is given its event and its time again; what tools answered comes from the journal and its blobs. What
//! the worker writes then must be what it wrote before.

mod compare;
mod shelf;
mod stage;
mod tape;

use std::sync::Arc;

use purple_journal::record::model::Asked;
use purple_journal::record::process::{Chosen, Pointed, Process as Naming};
use purple_journal::record::run::Run;
use purple_journal::record::turn::{Began, Turn};
use purple_journal::word::{DefinitionNote, Tier};
use purple_journal::{Record, Redacted, record};
use purple_process::SessionId;
use serde::Serialize;
use serde_json::Value;

use crate::event::Event;
use crate::flow::Worker;
use crate::port::{
    BlobHash, Blobs, Directory, EngineError, Events, Handler as _, Model, Models, Recorded, Sandbox,
};
use crate::run::OrderRecords;
use crate::settings::{Ports, Process, Settings, Standing};
use crate::synthesis::Workshop;
use compare::{Exactness, compare};
use shelf::{Remembered, had_definitions};
use stage::Stage;
use tape::Tape;

/// What a replay found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Replayed {
    /// The run.
    pub run: SessionId,
    /// How many turns were performed again.
    pub turns: usize,
    /// How many of them had been interrupted, and were compared as far as they came.
    pub interrupted: usize,
    /// How many journal entries were compared.
    pub entries: usize,
    /// The first difference; `None` where there is none.
    pub difference: Option<Difference>,
}

/// Where the journal and its repetition part.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// The place in the journal.
    pub seq: u64,
    /// What the journal says there.
    pub recorded: Option<(String, Value)>,
    /// What was written now.
    pub replayed: Option<(String, Value)>,
}

/// A run that cannot be performed again.
#[derive(Debug, thiserror::Error)]
pub enum NoReplay {
    /// The storage failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// There is nothing to perform.
    #[error("run `{run}` has no journal")]
    Nothing {
        /// The run.
        run: SessionId,
    },
    /// Its words were refused and never kept.
    #[error("turn {turn} of run `{run}` was refused by the privacy guard, and its words were not kept")]
    NotKept {
        /// The run.
        run: SessionId,
        /// The turn, from 1.
        turn: usize,
    },
    /// A blob that the journal names is not there.
    #[error("the journal of run `{run}` names a blob that cannot be read, at entry {seq}")]
    Unreadable {
        /// The run.
        run: SessionId,
        /// The entry.
        seq: u64,
    },
}

/// What a replay reads. Nothing is written.
pub struct Archive {
    /// The journal.
    pub events: Arc<dyn Events>,
    /// Exact bytes.
    pub blobs: Arc<dyn Blobs>,
    /// The people, as they are now.
    pub directory: Arc<dyn Directory>,
    /// Where functions run that a model wrote. Without it, a run that used one differs.
    pub sandbox: Option<Arc<dyn Sandbox>>,
}

const PAGE: usize = 1_000;

/// Whether a record is the last one of a turn that is over.
const fn ends_turn(record: &Record) -> bool {
    matches!(record, Record::Turn(Turn::Ended(_) | Turn::EventIgnored(_)))
}

/// Performs a run again and compares it with its journal.
pub async fn replay(archive: &Archive, settings: &Settings, run: &SessionId) -> Result<Replayed, NoReplay> {
    let journal = whole(archive, run).await?;
    let turns = split(&journal);
    if turns.is_empty() {
        return Err(NoReplay::Nothing { run: run.clone() });
    }
    let settings = with_its_own_files(archive, settings, &journal).await?;
    let mut stage = Stage::new(run.clone());
    let mut done = Replayed { run: run.clone(), turns: 0, interrupted: 0, entries: 0, difference: None };
    for (place, turn) in turns.iter().enumerate() {
        let interrupted = !turn.last().is_some_and(|last| ends_turn(last.record()));
        let event = event_of(archive, run, turn, place + 1).await?;
        let tape = Arc::new(Tape::of(archive, run, turn).await?);
        let began = turn.first().map_or(jiff::Timestamp::UNIX_EPOCH, began);
        stage.begin(began, attempt(turn), Arc::clone(&tape));
        let ports = Ports {
            tools: tape.clone(),
            blobs: Arc::new(stage.blobs(archive.blobs.clone())),
            events: archive.events.clone(),
            memory: tape.clone(),
            directory: archive.directory.clone(),
            clock: tape.clone(),
            pause: tape,
            models: models(&journal, turn),
            workshop: workshop(archive, &journal, turn).await?,
        };
        // What an interrupted turn would have done next is not on the tape, so its own end does not count.
        let worker = Worker::new(ports, settings.clone()).with_orders(order_records(turn));
        let _ = worker.handle(&stage, event).await;
        done.turns += 1;
        done.interrupted += usize::from(interrupted);
        let written = stage.end(interrupted, turn.len());
        done.entries += turn.len();
        let exactness = Exactness::of(&journal, turn);
        if let Some(difference) = compare(turn, &written, interrupted, exactness) {
            done.difference = Some(difference);
            return Ok(done);
        }
    }
    Ok(done)
}

/// Whether the version that performed a turn kept orders: its plans then name the words of the task.
fn order_records(turn: &[Recorded]) -> OrderRecords {
    let is_older = |one: &Recorded| matches!(one.record(), Record::Plan(record::plan::Plan::Made(made)) if made.words.is_none());
    if turn.iter().any(is_older) { OrderRecords::NotYet } else { OrderRecords::Kept }
}

/// Whether there were models in a turn. What they said is on the tape, so these never say anything.
fn models(journal: &[Recorded], turn: &[Recorded]) -> Option<Models> {
    let is_asked = |one: &Recorded| asked(one).is_some();
    // Where one was asked and there was nobody, there was a model all the same.
    let lacked = !turn.iter().any(is_asked) && turn.iter().any(|one| lacked_model(one.record()));
    let mute: Arc<dyn Model> = Arc::new(tape::Mute);
    // The names are in the journal, and only there.
    let name = |tier: Tier| {
        let of_tier = turn.iter().filter_map(asked).find(|asked| asked.tier == tier);
        of_tier.map(|asked| asked.model.to_string()).unwrap_or_default()
    };
    (journal.iter().any(is_asked) && !lacked).then(|| Models {
        fast: mute.clone(),
        fast_name: name(Tier::Fast),
        strong: mute,
        strong_name: name(Tier::Strong),
    })
}

/// The record of a model that was asked.
fn asked(one: &Recorded) -> Option<&Asked> {
    let Record::Model(record::model::Model::Asked(asked)) = one.record() else { return None };
    Some(asked)
}

/// Whether a run answered that it needs a model and has none.
fn lacked_model(record: &Record) -> bool {
    let code = match record {
        Record::Run(Run::Answered(answered)) => answered.code.as_ref(),
        Record::Run(Run::Ended(ended)) => ended.code.as_ref(),
        Record::Run(Run::Failed(failed)) => Some(&failed.code),
        Record::Run(
            Run::StateEntered(_)
            | Run::Stopped(_)
            | Run::Cancelled(_)
            | Run::CancelNotTaken(_)
            | Run::Rescored(_),
        )
        | Record::Task(_)
        | Record::Process(_)
        | Record::Model(_)
        | Record::Tool(_)
        | Record::Plan(_)
        | Record::Approval(_)
        | Record::Write(_)
        | Record::Turn(_)
        | Record::Learning(_)
        | Record::Incident(_)
        | Record::Operator(_)
        | Record::Unknown(_) => None,
    };
    code.is_some_and(|code| *code == crate::execute::finish::MODEL_NEEDED)
}

/// What was defined when a turn was performed, if the run knew or made anything.
async fn workshop(
    archive: &Archive,
    journal: &[Recorded],
    turn: &[Recorded],
) -> Result<Option<Workshop>, EngineError> {
    let Some(sandbox) = archive.sandbox.clone().filter(|_| had_definitions(journal)) else { return Ok(None) };
    let first = turn.first().map_or(0, |first| first.seq);
    let before = journal.iter().position(|one| one.seq >= first).unwrap_or(0);
    let earlier = journal.get(..before).unwrap_or_default();
    let definitions = Arc::new(Remembered::of(archive, earlier, turn).await?);
    Ok(Some(Workshop { definitions, sandbox }))
}

async fn whole(archive: &Archive, run: &SessionId) -> Result<Vec<Recorded>, EngineError> {
    let mut journal: Vec<Recorded> = Vec::new();
    loop {
        let seq = journal.last().map_or(0, |last| last.seq);
        let page = archive.events.since(run, seq, PAGE).await?;
        let last = page.len() < PAGE;
        journal.extend(page);
        if last {
            return Ok(journal);
        }
    }
}

/// The entries of each turn, or of each attempt at one.
fn split(journal: &[Recorded]) -> Vec<&[Recorded]> {
    let starts: Vec<usize> = journal
        .iter()
        .enumerate()
        .filter(|(_, one)| turn_began(one).is_some())
        .map(|(place, _)| place)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([journal.len()]);
    starts.iter().copied().zip(ends).filter_map(|(start, end)| journal.get(start..end)).collect()
}

fn turn_began(one: &Recorded) -> Option<&Began> {
    let Record::Turn(Turn::Began(began)) = one.record() else { return None };
    Some(began)
}

fn attempt(turn: &[Recorded]) -> u32 {
    turn.first().and_then(turn_began).map_or(0, |began| began.attempt)
}

fn began(first: &Recorded) -> jiff::Timestamp {
    turn_began(first).map_or(first.entry.at, |began| began.began)
}

async fn event_of(
    archive: &Archive,
    run: &SessionId,
    turn: &[Recorded],
    place: usize,
) -> Result<Event, NoReplay> {
    let not_kept = || NoReplay::NotKept { run: run.clone(), turn: place };
    let first = turn.first().ok_or_else(not_kept)?;
    let hash = turn_began(first).and_then(|began| began.kept).ok_or_else(not_kept)?;
    let unreadable = || NoReplay::Unreadable { run: run.clone(), seq: first.seq };
    let bytes = archive.blobs.get(hash).await?.ok_or_else(unreadable)?;
    serde_json::from_slice(&bytes).map_err(|_| unreadable())
}

/// The settings with the process files that the run was decided by, whatever the operator has now.
async fn with_its_own_files(
    archive: &Archive,
    settings: &Settings,
    journal: &[Recorded],
) -> Result<Settings, EngineError> {
    let mut settings = settings.clone();
    for NamedFile { process: name, file, defined } in journal.iter().filter_map(NamedFile::of) {
        let mut processes = settings.processes.to_vec();
        if let Some(defined) = defined {
            // Those come with the definitions that the turn knew. One that took the place of a file finds it there.
            match defined.instead_of {
                Some(_) => processes
                    .iter_mut()
                    .filter(|one| *name == one.file.name())
                    .for_each(|one| one.standing = Standing::Shipped),
                None => processes.retain(|one| *name != one.file.name()),
            }
            settings.processes = processes.into();
            continue;
        }
        let text = archive.blobs.get(file).await?.and_then(|bytes| String::from_utf8(bytes).ok());
        let Some(process) = text.and_then(|text| Process::parse(&text).ok()) else { continue };
        processes.retain(|one| one.file.name() != process.file.name());
        // In the turns that chose it nothing stood in its place; in others of the run something may have.
        let standing = match was_replaced(journal, process.file.name()) {
            true => Standing::Shipped,
            false => Standing::Operator,
        };
        processes.push(Process { standing, ..process });
        processes.sort_by(|one, other| one.file.name().cmp(other.file.name()));
        settings.processes = processes.into();
    }
    Ok(settings)
}

/// Whether what a person signed stood in the place of a process that ships, in some turn.
fn was_replaced(journal: &[Recorded], name: &str) -> bool {
    let of_name = journal.iter().filter_map(NamedFile::of).filter(|one| *one.process == name);
    of_name.filter_map(|one| one.defined.as_ref()).any(|defined| defined.instead_of.is_some())
}

/// A file that a task was given to, or that judged it too.
struct NamedFile<'a> {
    process: &'a Redacted,
    file: BlobHash,
    defined: &'a Option<DefinitionNote>,
}

impl<'a> NamedFile<'a> {
    fn of(one: &'a Recorded) -> Option<Self> {
        let Record::Process(record) = one.record() else { return None };
        match record {
            Naming::Chosen(Chosen { process, file, defined, .. })
            | Naming::Pointed(Pointed { process, file, defined, .. }) => {
                Some(Self { process, file: *file, defined })
            }
            Naming::DefinitionsKnown(_) | Naming::Synthesized(_) | Naming::SynthesisFailed(_) => None,
        }
    }
}

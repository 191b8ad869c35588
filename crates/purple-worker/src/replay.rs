//! Performs a run again from its journal, without a model and without tools, and compares.
//!
//! Every turn is given its event and its time again; what tools answered comes from the journal and its blobs. What
//! the worker writes then must be what it wrote before.

mod shelf;
mod stage;
mod tape;

use std::sync::Arc;

use purple_process::SessionId;
use serde::Serialize;
use serde_json::Value;

use crate::desk::TURN_ENDS;
use crate::event::Event;
use crate::flow::Worker;
use crate::port::{Blobs, Directory, EngineError, Events, Handler as _, Model, Models, Recorded, Sandbox};
use crate::settings::{Ports, Process, Settings, Standing};
use crate::synthesis::Workshop;
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
        let interrupted = !turn.last().is_some_and(|last| TURN_ENDS.contains(&last.entry.kind.as_str()));
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
        let _ = Worker::new(ports, settings.clone()).handle(&stage, event).await;
        done.turns += 1;
        done.interrupted += usize::from(interrupted);
        let written = stage.end(interrupted, turn.len());
        done.entries += turn.len();
        if let Some(difference) = compare(turn, &written, interrupted) {
            done.difference = Some(difference);
            return Ok(done);
        }
    }
    Ok(done)
}

/// Whether there were models in a turn. What they said is on the tape, so these never say anything.
fn models(journal: &[Recorded], turn: &[Recorded]) -> Option<Models> {
    let is_asked = |one: &Recorded| one.entry.kind == "model.asked";
    let asked = journal.iter().any(is_asked);
    // Where one was asked and there was nobody, there was a model all the same.
    let lacked = !turn.iter().any(is_asked)
        && turn.iter().any(|one| {
            one.entry.data.get("code").and_then(Value::as_str) == Some(crate::execute::finish::MODEL_NEEDED)
        });
    let mute: Arc<dyn Model> = Arc::new(tape::Mute);
    // The names are in the journal, and only there.
    let name = |tier: &str| {
        let of_tier = |one: &&Recorded| {
            one.entry.kind == "model.asked"
                && one.entry.data.get("tier").and_then(Value::as_str) == Some(tier)
        };
        let data = turn.iter().find(of_tier).map(|one| &one.entry.data);
        data.and_then(|data| data.get("model")?.as_str()).unwrap_or_default().to_owned()
    };
    (asked && !lacked).then(|| Models {
        fast: mute.clone(),
        fast_name: name("fast"),
        strong: mute,
        strong_name: name("strong"),
    })
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
        .filter(|(_, one)| one.entry.kind == "turn.began")
        .map(|(place, _)| place)
        .collect();
    let ends = starts.iter().skip(1).copied().chain([journal.len()]);
    starts.iter().copied().zip(ends).filter_map(|(start, end)| journal.get(start..end)).collect()
}

fn attempt(turn: &[Recorded]) -> u32 {
    let data = turn.first().map(|first| &first.entry.data);
    data.and_then(|data| data.get("attempt")?.as_u64())
        .and_then(|attempt| u32::try_from(attempt).ok())
        .unwrap_or(0)
}

fn began(first: &Recorded) -> jiff::Timestamp {
    let told = first.entry.data.get("began").and_then(Value::as_str);
    told.and_then(|text| text.parse().ok()).unwrap_or(first.entry.at)
}

async fn event_of(
    archive: &Archive,
    run: &SessionId,
    turn: &[Recorded],
    place: usize,
) -> Result<Event, NoReplay> {
    let not_kept = || NoReplay::NotKept { run: run.clone(), turn: place };
    let first = turn.first().ok_or_else(not_kept)?;
    let kept = first.entry.data.get("kept").filter(|kept| !kept.is_null()).ok_or_else(not_kept)?;
    let unreadable = || NoReplay::Unreadable { run: run.clone(), seq: first.seq };
    let hash = serde_json::from_value(kept.clone()).map_err(|_| unreadable())?;
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
    for recorded in journal.iter().filter(|one| NAMES_A_FILE.contains(&one.entry.kind.as_str())) {
        let data = &recorded.entry.data;
        let mut processes = settings.processes.to_vec();
        if let Some(defined) = data.get("defined") {
            // Those come with the definitions that the turn knew. One that took the place of a file finds it there.
            let name = data.get("process").and_then(Value::as_str).unwrap_or_default();
            match defined.get("instead_of") {
                Some(_) => processes
                    .iter_mut()
                    .filter(|one| one.file.name() == name)
                    .for_each(|one| one.standing = Standing::Shipped),
                None => processes.retain(|one| one.file.name() != name),
            }
            settings.processes = processes.into();
            continue;
        }
        let hash = data.get("file").and_then(|hash| serde_json::from_value(hash.clone()).ok());
        let Some(hash) = hash else { continue };
        let text = archive.blobs.get(hash).await?.and_then(|bytes| String::from_utf8(bytes).ok());
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
    let named = |one: &&Recorded| {
        NAMES_A_FILE.contains(&one.entry.kind.as_str())
            && one.entry.data.get("process").and_then(Value::as_str) == Some(name)
    };
    journal.iter().filter(named).any(|one| one.entry.data.pointer("/defined/instead_of").is_some())
}

/// The journal's words for a file that a task was given to, or that judged it too.
const NAMES_A_FILE: [&str; 2] = ["process.chosen", "process.pointed"];

/// What differs each time and means nothing: how long something took, and what that was hashed into.
const FLEETING: [&str; 9] =
    ["took_ms", "answer", "brief", "bytes", "quality", "score", "saved", "kept", "at_least"];

fn compare(recorded: &[Recorded], written: &[(String, Value)], interrupted: bool) -> Option<Difference> {
    for (place, one) in recorded.iter().enumerate() {
        let before = (one.entry.kind.clone(), steady(&one.entry.data));
        let now = written.get(place).map(|(kind, data)| (kind.clone(), steady(data)));
        if now.as_ref() != Some(&before) {
            return Some(Difference { seq: one.seq, recorded: Some(before), replayed: now });
        }
    }
    let more = written.get(recorded.len()).filter(|_| !interrupted)?;
    let seq = recorded.last().map_or(0, |last| last.seq) + 1;
    Some(Difference { seq, recorded: None, replayed: Some(more.clone()) })
}

fn steady(data: &Value) -> Value {
    let mut data = data.clone();
    if let Some(fields) = data.as_object_mut() {
        fields.retain(|name, _| !FLEETING.contains(&name.as_str()));
        // Earlier builds did not write by which source a reason was given; the reasons themselves are compared.
        fields.remove("sources");
        let ruled = fields.get_mut("ruling").and_then(|ruling| ruling.get_mut("operations"));
        for operation in ruled.and_then(Value::as_array_mut).into_iter().flatten() {
            operation.as_object_mut().and_then(|operation| operation.remove("said"));
        }
    }
    data
}

//! Compares what a replay wrote with the journal.

use purple_journal::record::model::Model;
use purple_journal::record::plan::Plan;
use purple_journal::record::run::Run;
use purple_journal::record::task::Task;
use purple_journal::record::turn::{self, Turn};
use purple_journal::record::write::Write;
use purple_journal::{BlobHash, Record, Recorded};
use purple_process::Digest;
use serde_json::{Value, json};

use super::Difference;
use crate::session::VERSION;

/// How a turn is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Exactness {
    /// This version wrote it: every record is compared.
    EveryRecord,
    /// Another version wrote it, which may have recorded other things: verdicts and hashes are compared.
    Decisions,
}

impl Exactness {
    /// By the version that the run had recorded last when the turn ended.
    pub(super) fn of(journal: &[Recorded], turn: &[Recorded]) -> Self {
        let end = turn.last().map_or(0, |last| last.seq);
        let before = journal.iter().take_while(|one| one.seq <= end);
        let version = before.filter_map(|one| {
            let Record::Turn(Turn::Version(turn::Version { version })) = one.record() else { return None };
            Some(version)
        });
        match version.last() {
            Some(version) if *version == VERSION => Self::EveryRecord,
            Some(_) | None => Self::Decisions,
        }
    }
}

/// The first difference between the records of a turn and those of its replay.
pub(super) fn compare(
    recorded: &[Recorded],
    written: &[Record],
    interrupted: bool,
    exactness: Exactness,
) -> Option<Difference> {
    match exactness {
        Exactness::EveryRecord => every_record(recorded, written, interrupted),
        Exactness::Decisions => decisions(recorded, written, interrupted),
    }
}

fn every_record(recorded: &[Recorded], written: &[Record], interrupted: bool) -> Option<Difference> {
    // A replay writes the version in the first turn, whichever turn it was recorded in.
    let is_version = |record: &Record| matches!(record, Record::Turn(Turn::Version(_)));
    let mut now = written.iter().filter(|record| !is_version(record));
    for one in recorded.iter().filter(|one| !is_version(one.record())) {
        let (before, now) = (steady(one.record()), now.next().map(steady));
        if now.as_ref() != Some(&before) {
            return Some(difference(one.seq, Some(&before), now.as_ref()));
        }
    }
    let more = now.next().filter(|_| !interrupted)?;
    let seq = recorded.last().map_or(0, |last| last.seq) + 1;
    Some(difference(seq, None, Some(more)))
}

fn decisions(recorded: &[Recorded], written: &[Record], interrupted: bool) -> Option<Difference> {
    let mut now = written.iter().filter_map(|record| Some((record, decision(record)?)));
    for one in recorded {
        let Some(before) = decision(one.record()) else { continue };
        let next = now.next();
        if next.as_ref().map(|(_, now)| now) != Some(&before) {
            return Some(difference(one.seq, Some(one.record()), next.map(|(record, _)| record)));
        }
    }
    let (more, _) = now.next().filter(|_| !interrupted)?;
    let seq = recorded.last().map_or(0, |last| last.seq) + 1;
    Some(difference(seq, None, Some(more)))
}

/// What was decided, and by which hashes; `None` where a record decides nothing.
fn decision(record: &Record) -> Option<Value> {
    Some(match record {
        Record::Plan(Plan::PolicyVerdict(verdict)) => {
            json!({"process": verdict.process, "rule": verdict.rule, "leads_to": verdict.leads_to})
        }
        Record::Plan(Plan::Made(made)) => json!({"plan": made.plan, "verdict": made.verdict}),
        Record::Write(Write::Intent(intent)) => {
            json!({"key": intent.key, "plan": intent.plan, "sent": intent.sent})
        }
        Record::Write(Write::Verified(verified)) => json!({"key": verified.key, "outcome": verified.outcome}),
        Record::Run(Run::StateEntered(entered)) => json!({"to": entered.to, "event": entered.event}),
        Record::Run(Run::Ended(ended)) => json!({"ending": ended.ending}),
        Record::Plan(_)
        | Record::Write(_)
        | Record::Run(_)
        | Record::Task(_)
        | Record::Process(_)
        | Record::Model(_)
        | Record::Tool(_)
        | Record::Approval(_)
        | Record::Turn(_)
        | Record::Learning(_)
        | Record::Incident(_)
        | Record::Operator(_)
        | Record::Unknown(_) => return None,
    })
}

/// The record without what differs each time: how long something took, and what that was hashed into.
fn steady(record: &Record) -> Record {
    let nothing = Digest::of(b"");
    let mut record = record.clone();
    match &mut record {
        Record::Task(Task::BriefMade(made)) => (made.brief, made.bytes) = (BlobHash(nothing), 0),
        Record::Model(Model::Replied(replied)) => replied.took_ms = 0,
        Record::Model(Model::Lost(lost)) => lost.at_least = 0,
        Record::Run(Run::Answered(answered)) => {
            (answered.answer, answered.took_ms) = (BlobHash(nothing), 0);
            (answered.quality, answered.score) = (None, None);
        }
        Record::Run(Run::Ended(ended)) => {
            (ended.answer, ended.took_ms) = (BlobHash(nothing), 0);
            (ended.quality, ended.score) = (None, None);
        }
        Record::Run(Run::Rescored(rescored)) => rescored.score.points = 0,
        Record::Turn(Turn::Ended(ended)) => (ended.saved, ended.kept) = (nothing, None),
        Record::Task(_)
        | Record::Model(_)
        | Record::Run(_)
        | Record::Turn(_)
        | Record::Process(_)
        | Record::Tool(_)
        | Record::Plan(_)
        | Record::Approval(_)
        | Record::Write(_)
        | Record::Learning(_)
        | Record::Incident(_)
        | Record::Operator(_)
        | Record::Unknown(_) => {}
    }
    record
}

fn difference(seq: u64, recorded: Option<&Record>, replayed: Option<&Record>) -> Difference {
    let shown = |record: &Record| (record.kind().to_owned(), record.data());
    Difference { seq, recorded: recorded.map(shown), replayed: replayed.map(shown) }
}

//! What the journal of a run tells about its rounds: who said what, in which round, and how each ended. Pure, but for
//! the reading.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_journal::record::approval::Approval;
use purple_journal::record::run::{self, Run};
use purple_journal::record::task::{Received, Task};
use purple_journal::record::turn::{Began, Turn};
use purple_journal::word::DecisionKind;
use purple_journal::{Record, Redacted};
use purple_port::event::Called;
use purple_port::{BlobHash, Digest, Ending, PersonId, Recorded, SessionId, WorkerHandle, redact};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use super::snapshot::task_id;
use crate::limits::JOURNAL_PAGE;

/// What makes a message this one: who said it, and what they call it, as the journal shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Name {
    by: String,
    id: String,
}

impl Name {
    pub(super) fn of(by: &PersonId, id: &str) -> Self {
        Self { by: by.to_string(), id: redact(id) }
    }

    /// The same, for the worker.
    pub(super) fn called(&self) -> Called {
        Called { by: self.by.clone(), id: self.id.clone() }
    }

    /// What stands in the name of a task for the message that it began with.
    pub(super) fn mark(&self) -> String {
        let digest = Digest::of(format!("{}\n{}", self.by, self.id).as_bytes()).to_string();
        let hex = digest.rsplit(':').next().unwrap_or_default();
        format!("m{}", hex.chars().take(MARK_CHARS).collect::<String>())
    }
}

/// How much of the digest of a message stands in the name of a task. A session has few messages.
const MARK_CHARS: usize = 12;

/// Where a message or a task is to be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In this round.
    Round(u32),
    /// In a turn after a round was over, which began no other; this is the place of its words in the journal.
    Aside(u64),
    /// Its turn has not come, or has not got far enough to tell.
    Queued(Name),
}

/// Something that was said to a run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Heard {
    pub round: u32,
    pub seq: u64,
    pub by: String,
    /// What its sender called it; `None` where it has no name.
    pub id: Option<String>,
    pub said: Said,
    /// Whether its turn has ended.
    pub over: bool,
    /// What its turn came to, where it belongs to no round.
    pub aside: Option<Ended>,
}

/// What was said.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Said {
    Words(String),
    /// Words that are too long for the journal.
    Long(BlobHash),
    /// A decision as data.
    Decision(Value),
}

impl Said {
    /// Whether these words were said.
    pub(super) fn is(&self, words: &str) -> bool {
        match self {
            Self::Words(text) => *text == redact(words),
            Self::Long(whole) => whole.0 == Digest::of(redact(words).as_bytes()),
            Self::Decision(_) => false,
        }
    }
}

impl Heard {
    pub(super) fn name(&self) -> Option<Name> {
        self.id.clone().map(|id| Name { by: self.by.clone(), id })
    }
}

/// How a round, or a turn, ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ended {
    pub ending: Option<Ending>,
    pub answer: BlobHash,
    pub at: Timestamp,
    pub seq: u64,
}

/// A decision that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Decided {
    pub approval: String,
    pub by: String,
    pub rejects: bool,
    pub round: u32,
    /// Where the journal has it.
    pub seq: u64,
}

/// The turn that was read last.
#[derive(Clone, Debug, Default)]
struct TurnRead {
    /// What was heard before it.
    from: usize,
    over: bool,
    /// The round, and whether it was over, before it.
    before: (u32, bool),
    /// Whether it has shown its round.
    shown: bool,
    answer: Option<Ended>,
}

/// The journal of a run as far as it was read.
#[derive(Clone, Debug)]
pub(super) struct Story {
    pub seq: u64,
    /// The round at its end.
    pub round: u32,
    closed: bool,
    began: BTreeMap<u32, Timestamp>,
    ended: BTreeMap<u32, Ended>,
    pub heard: Vec<Heard>,
    pub decided: Vec<Decided>,
    turn: TurnRead,
}

impl Default for Story {
    fn default() -> Self {
        Self {
            seq: 0,
            round: 1,
            closed: false,
            began: BTreeMap::new(),
            ended: BTreeMap::new(),
            heard: Vec::new(),
            decided: Vec::new(),
            turn: TurnRead::default(),
        }
    }
}

impl Story {
    /// Everything that there is.
    pub(super) async fn of(worker: &WorkerHandle, run: &SessionId) -> Result<Self, Fault> {
        let mut story = Self::default();
        story.read_on(worker, run, u64::MAX).await?;
        Ok(story)
    }

    /// Reads what is new, as far as this place.
    pub(super) async fn read_on(
        &mut self,
        worker: &WorkerHandle,
        run: &SessionId,
        until: u64,
    ) -> Result<(), Fault> {
        loop {
            let page = worker.trace(run, self.seq, JOURNAL_PAGE).await?;
            page.iter().filter(|one| one.seq <= until).for_each(|one| self.take(one));
            if page.len() < JOURNAL_PAGE || self.seq >= until {
                return Ok(());
            }
        }
    }

    /// Takes one more entry in.
    pub(super) fn take(&mut self, one: &Recorded) {
        self.seq = one.seq;
        match one.record() {
            Record::Task(task) => self.take_task(one.seq, task),
            Record::Approval(approval) => self.take_approval(one.seq, approval),
            Record::Run(run) => self.take_run(one, run),
            Record::Turn(turn) => self.take_turn(turn),
            Record::Process(_)
            | Record::Model(_)
            | Record::Tool(_)
            | Record::Plan(_)
            | Record::Write(_)
            | Record::Learning(_)
            | Record::Incident(_)
            | Record::Operator(_)
            | Record::Unknown(_) => {}
        }
    }

    fn take_task(&mut self, seq: u64, task: &Task) {
        match task {
            Task::Received(received) => {
                let id = received.message.as_ref().map(ToString::to_string);
                self.hear(seq, &received.by, id, text_of(received));
            }
            Task::DecisionReceived(received) => {
                let said = Said::Decision(received.said.value().clone());
                self.hear(seq, &received.by, Some(received.message.to_string()), said);
            }
            Task::PrivacyRefused(_)
            | Task::Rejected(_)
            | Task::InputAsked(_)
            | Task::Confirmed(_)
            | Task::Divided(_)
            | Task::ReversalSought(_)
            | Task::PolicyAdvisory(_)
            | Task::BriefMade(_)
            | Task::ConversationFolded(_) => {}
        }
    }

    fn take_approval(&mut self, seq: u64, approval: &Approval) {
        match approval {
            Approval::Decided(decided) => self.decided.push(Decided {
                approval: decided.approval.to_string(),
                by: decided.by.to_string(),
                rejects: decided.decision == DecisionKind::Reject,
                round: self.round,
                seq,
            }),
            Approval::HistorySeen(_)
            | Approval::Asked(_)
            | Approval::Granted(_)
            | Approval::Refused(_)
            | Approval::Expired(_)
            | Approval::Superseded(_)
            | Approval::Edited(_)
            | Approval::NotTaken(_)
            | Approval::EditNotTaken(_)
            | Approval::ChannelAsked(_) => {}
        }
    }

    fn take_run(&mut self, one: &Recorded, run: &Run) {
        match run {
            Run::StateEntered(entered) => self.enter(one.entry.at, entered.round.number()),
            Run::Answered(answered) => self.answer(ended(one, &answered.clone().into())),
            Run::Ended(record) => {
                let ended = ended(one, record);
                self.closed = true;
                self.ended.insert(record.round.number(), ended.clone());
                self.answer(ended);
            }
            Run::Failed(_)
            | Run::Stopped(_)
            | Run::Cancelled(_)
            | Run::CancelNotTaken(_)
            | Run::Rescored(_) => {}
        }
    }

    fn take_turn(&mut self, turn: &Turn) {
        match turn {
            Turn::Began(began) => self.turn_began(began),
            Turn::Ended(_) | Turn::EventIgnored(_) => self.turn_ended(),
            Turn::Version(_) | Turn::Stuck(_) | Turn::Retried(_) | Turn::Skipped(_) => {}
        }
    }

    fn enter(&mut self, at: Timestamp, entered: u32) {
        self.turn.shown = true;
        self.began.entry(entered).or_insert(at);
        if entered != self.round {
            (self.round, self.closed) = (entered, false);
            let from = self.turn.from;
            self.heard.iter_mut().skip(from).for_each(|heard| heard.round = entered);
        }
    }

    fn answer(&mut self, ended: Ended) {
        self.turn.shown = true;
        self.turn.answer = Some(ended);
    }

    fn turn_began(&mut self, began: &Began) {
        // A turn that was interrupted is run again from its beginning.
        if began.attempt > 0 && !self.turn.over {
            self.heard.truncate(self.turn.from);
            (self.round, self.closed) = self.turn.before;
        }
        self.turn =
            TurnRead { from: self.heard.len(), before: (self.round, self.closed), ..TurnRead::default() };
    }

    fn turn_ended(&mut self) {
        let aside = (self.is_aside()).then(|| self.turn.answer.clone()).flatten();
        for heard in self.heard.iter_mut().skip(self.turn.from) {
            heard.over = true;
            heard.aside.clone_from(&aside);
        }
        self.turn.over = true;
    }

    /// Whether the last turn came after the end of a round and began no other.
    fn is_aside(&self) -> bool {
        self.turn.before == (self.round, true)
    }

    fn hear(&mut self, seq: u64, by: &Redacted, id: Option<String>, said: Said) {
        self.heard.push(Heard {
            round: self.round,
            seq,
            by: by.to_string(),
            id,
            said,
            over: false,
            aside: None,
        });
    }

    /// Where something that was heard is to be found; `None` while its turn has not got far enough to tell.
    pub(super) fn place(&self, heard: &Heard) -> Option<Place> {
        match (heard.over, &heard.aside) {
            (true, None) => Some(Place::Round(heard.round)),
            (true, Some(_)) => Some(Place::Aside(heard.seq)),
            (false, _) if self.turn.shown && !self.is_aside() => Some(Place::Round(heard.round)),
            (false, _) => None,
        }
    }

    /// A message by its name.
    pub(super) fn find(&self, name: &Name) -> Option<&Heard> {
        self.heard.iter().find(|heard| heard.by == name.by && heard.id.as_ref() == Some(&name.id))
    }

    /// A message by its mark.
    pub(super) fn marked(&self, mark: &str) -> Option<&Heard> {
        self.heard.iter().find(|heard| heard.name().is_some_and(|name| name.mark() == mark))
    }

    /// How a round ended, if it did.
    pub(super) fn ended(&self, round: u32) -> Option<&Ended> {
        self.ended.get(&round)
    }

    /// When a round began.
    pub(super) fn began(&self, round: u32) -> Option<Timestamp> {
        self.began.get(&round).copied()
    }

    /// The name of a task. A later round is named by the message that began it: that name could be told before the
    /// round had a number.
    pub(super) fn task_id(&self, run: &SessionId, place: &Place) -> String {
        let by_mark = |name: Name| task_id(run, &name.mark());
        match place {
            Place::Round(1) => task_id(run, &1),
            Place::Round(round) => {
                let first = self.heard.iter().find(|heard| heard.round == *round && heard.aside.is_none());
                first.and_then(Heard::name).map_or_else(|| task_id(run, round), by_mark)
            }
            Place::Aside(seq) => {
                let heard = self.heard.iter().find(|heard| heard.seq == *seq);
                heard.and_then(Heard::name).map_or_else(|| task_id(run, &self.round), by_mark)
            }
            Place::Queued(name) => by_mark(name.clone()),
        }
    }
}

/// The text of a task, or its blob where it is long.
fn text_of(received: &Received) -> Said {
    match (received.whole, &received.text) {
        (Some(whole), _) => Said::Long(whole),
        (None, text) => Said::Words(text.as_ref().map(ToString::to_string).unwrap_or_default()),
    }
}

/// How a round or a turn ended, from the record of its end.
fn ended(one: &Recorded, record: &run::Ended) -> Ended {
    Ended { ending: record.ending, answer: record.answer, at: one.entry.at, seq: one.seq }
}

#[cfg(test)]
#[path = "story_tests.rs"]
mod tests;

//! What the journal of a run tells about its rounds: who said what, and how each ended. Pure, but for the reading.

use jiff::Timestamp;
use purple_worker::Desk;
use purple_worker::port::{BlobHash, Ending, Recorded, SessionId};
use serde_json::Value;

use super::fault::Fault;
use super::model::{HistoryLength, Message, Part, Role};
use crate::limits::{JOURNAL_ENTRIES_MAX, JOURNAL_PAGE};

/// The journal of a run after a place in it.
pub(super) async fn journal(desk: &Desk, run: &SessionId, after: u64) -> Result<Vec<Recorded>, Fault> {
    let mut all: Vec<Recorded> = Vec::new();
    loop {
        let seq = all.last().map_or(after, |last| last.seq);
        let page = desk.trace(run, seq, JOURNAL_PAGE).await?;
        let full = page.len() == JOURNAL_PAGE;
        all.extend(page);
        if !full || all.len() >= JOURNAL_ENTRIES_MAX {
            return Ok(all);
        }
    }
}

/// Words that were said to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Heard {
    pub round: u32,
    pub seq: u64,
    pub by: String,
    pub text: String,
    /// What its sender called it; `None` where it has no name.
    pub id: Option<String>,
}

/// The round that an entry names, if it names one.
pub(super) fn round(data: &Value) -> Option<u32> {
    match data.get("round")? {
        Value::Number(number) => number.as_u64().and_then(|round| u32::try_from(round).ok()),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// Everything that was said to a run, in order. Words that open a round are heard just before it begins, so a turn's
/// words belong to the round in which the turn ends.
pub(super) fn heard(journal: &[Recorded]) -> Vec<Heard> {
    let mut heard: Vec<Heard> = Vec::new();
    let mut now = 1;
    let mut turn_from = 0;
    for Recorded { seq, entry, .. } in journal {
        match entry.kind.as_str() {
            "turn.began" => turn_from = heard.len(),
            "task.received" => {
                let text = |name: &str| entry.data[name].as_str().unwrap_or_default().to_owned();
                let id = entry.data["message"].as_str().map(str::to_owned);
                heard.push(Heard { round: now, seq: *seq, by: text("by"), text: text("text"), id });
            }
            "state.entered" => {
                if let Some(round) = round(&entry.data).filter(|round| *round != now) {
                    now = round;
                    heard.iter_mut().skip(turn_from).for_each(|words| words.round = round);
                }
            }
            _ => {}
        }
    }
    heard
}

/// How a round ended.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ended {
    pub ending: Option<Ending>,
    pub answer: Option<BlobHash>,
    pub at: Timestamp,
    pub seq: u64,
}

/// How a round ended, if it did.
pub(super) fn ended(journal: &[Recorded], of: u32) -> Option<Ended> {
    let is = |one: &&Recorded| one.entry.kind == "run.ended" && round(&one.entry.data) == Some(of);
    let found = journal.iter().rev().find(is)?;
    let answer = serde_json::from_value(found.entry.data["answer"].clone()).ok();
    let ending = serde_json::from_value(found.entry.data["ending"].clone()).ok();
    Some(Ended { ending, answer, at: found.entry.at, seq: found.seq })
}

/// What users said in a round, as messages.
pub(super) fn messages(heard: &[Heard], run: &SessionId, round: u32, length: HistoryLength) -> Vec<Message> {
    let of_round: Vec<&Heard> = heard.iter().filter(|words| words.round == round).collect();
    let keep = match length {
        HistoryLength::All => of_round.len(),
        HistoryLength::Last(count) => usize::try_from(count).unwrap_or(usize::MAX),
    };
    let skipped = of_round.len().saturating_sub(keep);
    let message = |words: &&Heard| Message {
        id: words.id.clone().unwrap_or_else(|| format!("{run}-{}", words.seq)),
        role: Role::User,
        parts: vec![Part::Text(words.text.clone())],
    };
    of_round.iter().skip(skipped).map(message).collect()
}

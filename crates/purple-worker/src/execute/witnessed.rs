//! What the journal says about a round: its mutation log, its calls, and what people did. There is no second truth.

use std::collections::{BTreeMap, BTreeSet};

use purple_process::Outcome;
use serde_json::{Value, json};

use crate::execute::call::brief;
use crate::learn::bandit::Arm;
use crate::port::{Digest, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::{Running, Stage};
use crate::view::Mutation;

/// What the journal says about a round.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub calls: u32,
    pub failed: u32,
    pub repeated: u32,
    /// Those that brought nothing.
    pub empty: u32,
    pub approved: bool,
    pub edited: bool,
    /// The earlier round of which this one undoes something.
    pub undoes: Option<Undone>,
    /// Tools that were read and answered, each once.
    pub reads: Vec<String>,
}

/// A round of which something is undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Undone {
    pub round: u32,
    /// What its rules were worth when it ended, and the way in which it was attempted.
    pub policy: Option<String>,
    pub arm: Option<Arm>,
}

/// The most tools that are remembered of a round.
const READS_MAX: usize = 8;
/// What an answer without anything in it looks like.
const NOTHING: [&str; 12] = [
    "[]",
    "{}",
    "null",
    "\"\"",
    "{\"data\":[]}",
    "{\"items\":[]}",
    "{\"records\":[]}",
    "{\"result\":[]}",
    "{\"result\":null}",
    "{\"results\":[]}",
    "{\"rows\":[]}",
    "{\"values\":[]}",
];

impl Run<'_> {
    /// The whole mutation log.
    pub(crate) async fn mutations(&self) -> Phase<Vec<Mutation>> {
        Ok(self.witnessed().await?.0)
    }

    /// The same for this round only.
    pub(crate) async fn round_log(&self) -> Phase<(Vec<Mutation>, Seen)> {
        let (mut log, seen) = self.witnessed().await?;
        log.retain(|mutation| mutation.round == self.session.round());
        Ok((log, seen))
    }

    /// The mutation log and what else the journal says: there is no second truth.
    async fn witnessed(&self) -> Phase<(Vec<Mutation>, Seen)> {
        let mut log = Vec::new();
        let mut seen = Seen::default();
        let mut asked = BTreeSet::new();
        let nothing: Vec<Value> = NOTHING.iter().map(|text| json!(Digest::of(text.as_bytes()))).collect();
        let mut ended: BTreeMap<String, Undone> = BTreeMap::new();
        for recorded in self.scribe.turn.journal(0).await? {
            let data = &recorded.entry.data;
            match recorded.entry.kind.as_str() {
                "write.verified" => {
                    let mutation = mutation(data).ok_or_else(|| TurnFailed::Unreadable {
                        what: "journal",
                        why: format!("entry {} is no line of the mutation log", recorded.seq),
                    })?;
                    log.push(mutation);
                    asked.clear();
                }
                "tool.read" => {
                    seen.calls = seen.calls.saturating_add(1);
                    let answered = data.get("result").is_some_and(|result| result.get("answered").is_some());
                    let gathering =
                        data.get("state").is_some_and(|state| state == "ASSESS" || state == "DECOMPOSE");
                    // Around a write the same is read before and after, on purpose.
                    if gathering {
                        seen.failed = seen.failed.saturating_add(u32::from(!answered));
                        let call = format!("{:?}{:?}", data.get("tool"), data.get("arguments"));
                        seen.repeated = seen.repeated.saturating_add(u32::from(!asked.insert(call)));
                        let answer = data.get("result").and_then(|result| result.get("answered"));
                        let empty = answer.is_some_and(|answer| nothing.contains(answer));
                        seen.empty = seen.empty.saturating_add(u32::from(empty));
                        let tool = data.get("tool").and_then(Value::as_str).filter(|_| answered && !empty);
                        if let Some(tool) = tool
                            && seen.reads.len() < READS_MAX
                            && !seen.reads.iter().any(|read| read == tool)
                        {
                            seen.reads.push(tool.to_owned());
                        }
                    }
                }
                "approval.granted" => seen.approved = true,
                "approval.edited" => seen.edited = true,
                "plan.stale" | "approval.decided"
                    if data.get("decision").is_some_and(|said| said == "approve_some") =>
                {
                    seen.edited = true;
                }
                "state.entered" if data.get("event").is_some_and(|event| event == "new_round") => {
                    seen = Seen::default();
                    asked.clear();
                }
                "run.ended" => {
                    let score = data.get("score");
                    let policy = score.and_then(|score| score.get("policy")).and_then(Value::as_str);
                    let arm = score.and_then(|score| score.get("arm")).and_then(Value::as_str);
                    let round = data.get("round").map(words).unwrap_or_default();
                    let undone = Undone {
                        round: round.parse().unwrap_or_default(),
                        policy: policy.map(str::to_owned),
                        arm: arm.and_then(Arm::parse),
                    };
                    ended.insert(round, undone);
                }
                "undo.asked" => {
                    seen.undoes =
                        data.get("of_round").map(words).and_then(|round| ended.get(&round).cloned());
                }
                _ => {}
            }
        }
        if let Stage::Running(Running { open: Some(open), .. }) = &self.session.stage {
            log.extend(self.open_mutation(open).await?);
        }
        Ok((log, seen))
    }

    async fn open_mutation(&self, open: &crate::session::Open) -> Phase<Option<Mutation>> {
        let Stage::Running(running) = &self.session.stage else { return Ok(None) };
        let plan = self.plan(running.plan).await?;
        let found = plan.keyed().find(|(operation, _)| operation.step == open.step);
        let before = self.fetch("before", open.before).await?;
        Ok(found.map(|(operation, key)| Mutation {
            step: open.step.clone(),
            key,
            round: self.session.round(),
            headline: open.headline.clone(),
            tool: operation.tool.to_string(),
            before: brief(&before),
            after: Value::Null,
            outcome: Outcome::InDoubt,
            note: Some(open.why.clone()),
            witness: None,
            reversible: operation.undo.is_some(),
        }))
    }
}

/// A number or a text, as text.
fn words(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn mutation(data: &Value) -> Option<Mutation> {
    let field = |name: &str| data.get(name).cloned().unwrap_or(Value::Null);
    let round: String = serde_json::from_value(field("round")).ok()?;
    Some(Mutation {
        step: serde_json::from_value(field("step")).ok()?,
        key: serde_json::from_value(field("key")).ok()?,
        round: round.parse().ok()?,
        headline: serde_json::from_value(field("headline")).ok()?,
        tool: serde_json::from_value(field("tool")).ok()?,
        before: field("before"),
        after: field("after"),
        outcome: serde_json::from_value(field("outcome")).ok()?,
        note: serde_json::from_value(field("note")).ok()?,
        witness: serde_json::from_value(field("witness")).ok()?,
        reversible: serde_json::from_value(field("reversible")).ok()?,
    })
}

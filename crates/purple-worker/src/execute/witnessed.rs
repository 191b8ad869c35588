//! What the journal says about a round: its mutation log, its calls, and what people did. There is no second truth.

use std::collections::{BTreeMap, BTreeSet};

use purple_process::Outcome;
use serde_json::{Value, json};

use crate::execute::call::brief;
use crate::learn::bandit::Arm;
use crate::port::{Digest, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::{Running, Stage};
use crate::synthesis::renamed;
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
    /// What was worked out, with the tools in place of the names that only this round knows.
    pub computed: Vec<String>,
    /// The words of the round before, where people said no to what came of them: this one says it again.
    pub instead_of: Option<String>,
}

impl Seen {
    /// One read of the journal. What an answer without anything in it looks like is given by digests.
    fn read(&mut self, data: &Value, asked: &mut BTreeSet<String>, nothing: &[Value]) {
        self.calls = self.calls.saturating_add(1);
        let answer = data.get("result").and_then(|result| result.get("answered"));
        // Around a write the same is read before and after, on purpose.
        if !data.get("state").is_some_and(|state| state == "ASSESS" || state == "DECOMPOSE") {
            return;
        }
        self.failed = self.failed.saturating_add(u32::from(answer.is_none()));
        let call = format!("{:?}{:?}", data.get("tool"), data.get("arguments"));
        self.repeated = self.repeated.saturating_add(u32::from(!asked.insert(call)));
        let empty = answer.is_some_and(|answer| nothing.contains(answer));
        self.empty = self.empty.saturating_add(u32::from(empty));
        let tool = data.get("tool").and_then(Value::as_str).filter(|_| answer.is_some() && !empty);
        if let Some(tool) = tool
            && self.reads.len() < READS_MAX
            && !self.reads.iter().any(|read| read == tool)
        {
            self.reads.push(tool.to_owned());
        }
    }

    /// One computation of the journal: `r1.fee * 2 / 100` is `get_contract.fee * 2 / 100` to whoever reads it later.
    fn computed(&mut self, data: &Value, found: &BTreeMap<String, String>) {
        let expression = data.pointer("/arguments/expression").and_then(Value::as_str);
        let Some(expression) = expression.filter(|_| self.computed.len() < COMPUTED_MAX) else { return };
        let told = renamed(expression, found);
        if told.len() <= EXPRESSION_BYTES_MAX && !self.computed.contains(&told) {
            self.computed.push(told);
        }
    }
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
/// The most computations that are remembered of a round.
const COMPUTED_MAX: usize = 2;
/// The longest computation that is remembered, in bytes.
const EXPRESSION_BYTES_MAX: usize = 160;
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
        let mut found = BTreeMap::new();
        let nothing: Vec<Value> = NOTHING.iter().map(|text| json!(Digest::of(text.as_bytes()))).collect();
        let mut ended: BTreeMap<String, Undone> = BTreeMap::new();
        // What was said last, what this round began with, and what a round began with that was declined.
        let (mut heard, mut began, mut declined): (Option<String>, Option<String>, Option<String>) =
            Default::default();
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
                "tool.read" => seen.read(data, &mut asked, &nothing),
                "model.found" => {
                    let word = |name: &str| data.get(name).and_then(Value::as_str).map(str::to_owned);
                    found.extend(word("name").zip(word("tool")));
                }
                "model.computed" => seen.computed(data, &found),
                "approval.granted" => seen.approved = true,
                "approval.edited" => seen.edited = true,
                "plan.stale" | "approval.decided"
                    if data.get("decision").is_some_and(|said| said == "approve_some") =>
                {
                    seen.edited = true;
                }
                "state.entered" if data.get("event").is_some_and(|event| event == "new_round") => {
                    seen = Seen { instead_of: declined.take(), ..Seen::default() };
                    began.clone_from(&heard);
                    asked.clear();
                    found.clear();
                }
                "task.received" => {
                    heard = data.get("text").and_then(Value::as_str).map(str::to_owned);
                    began = began.or_else(|| heard.clone());
                }
                "run.ended" => {
                    let no = data.get("ending").is_some_and(|ending| ending == "declined");
                    declined = began.clone().filter(|_| no);
                    let (round, undone) = worth_of(data);
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

/// What a round was worth when it ended, by its last entry.
fn worth_of(data: &Value) -> (String, Undone) {
    let score = data.get("score");
    let policy = score.and_then(|score| score.get("policy")).and_then(Value::as_str);
    let arm = score.and_then(|score| score.get("arm")).and_then(Value::as_str);
    let round = data.get("round").map(words).unwrap_or_default();
    let undone = Undone {
        round: round.parse().unwrap_or_default(),
        policy: policy.map(str::to_owned),
        arm: arm.and_then(Arm::parse),
    };
    (round, undone)
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

//! Operations that were carried out before with the same arguments: marked on the plan, so that nobody has them done
//! twice without seeing it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_journal::Record;
use purple_journal::record::write::Write;
use purple_policy::Value as PolicyValue;
use purple_process::fact::names_a_record;
use purple_process::{
    DoneBefore, Earlier, Effect, Json, Operation, OperationKey, Outcome, Plan, Round, Values,
};

use crate::port::{BlobHash, TurnFailed};
use crate::run::{Phase, Run};
use crate::session::{Reply, Trail};
use crate::view::Witness;

/// How an operation came out, as the journal has it.
struct Past {
    at: Timestamp,
    /// `None`: certainly not done, and somebody said so.
    was: Option<Earlier>,
    round: u32,
    /// The tool and its exact arguments.
    sent: Option<(String, BlobHash)>,
}

impl Run<'_> {
    /// The same operations, each marked where exactly it was carried out before in this session.
    pub(crate) async fn marked(&self, mut operations: Vec<Operation>) -> Phase<Vec<Operation>> {
        let past = self.past().await?;
        for operation in &mut operations {
            operation.done_before = match past.is_empty() {
                true => None,
                false => match self.before(operation, &past)? {
                    Some(same) => Some(same),
                    None => self.alike(operation, &past).await?,
                },
            };
        }
        Ok(operations)
    }

    fn before(
        &self,
        operation: &Operation,
        past: &BTreeMap<OperationKey, Past>,
    ) -> Phase<Option<DoneBefore>> {
        let (mut times, mut last): (u32, Option<&Past>) = (0, None);
        let mut round = Round::FIRST;
        while round <= self.session.walk.round() {
            times = 0;
            for number in 0.. {
                let key = operation
                    .key(self.id(), round, number)
                    .map_err(|error| TurnFailed::Unreadable { what: "operation", why: error.to_string() })?;
                let Some(found) = past.get(&key) else { break };
                times = times.saturating_add(u32::from(found.was == Some(Earlier::Done)));
                if found.was.is_some() {
                    last = Some(found);
                }
            }
            round = round.next();
        }
        Ok(last.and_then(|last| Some(DoneBefore { times, at: last.at, was: last.was? })))
    }

    /// Whether an earlier round did the same to the same record with another amount: what rules ask about as a whole is
    /// not passed piece by piece.
    async fn alike(
        &self,
        operation: &Operation,
        past: &BTreeMap<OperationKey, Past>,
    ) -> Phase<Option<DoneBefore>> {
        let mut latest: Option<Timestamp> = None;
        for one in past.values().filter(|one| one.was == Some(Earlier::Done)) {
            let Some((tool, sent)) = &one.sent else { continue };
            let is_earlier = one.round < self.session.walk.round().number();
            if !is_earlier || *tool != operation.tool.as_str() || latest >= Some(one.at) {
                continue;
            }
            let bytes = self.bytes("arguments", *sent).await?;
            let Ok(Json::Record(arguments)) = std::str::from_utf8(&bytes).map_or(Ok(Json::Null), Json::parse)
            else {
                continue;
            };
            if is_part_of_one(operation, &arguments) {
                latest = Some(one.at);
            }
        }
        Ok(latest.map(|at| DoneBefore { times: 0, at, was: Earlier::Alike }))
    }

    /// Every operation of this session that was carried out and settled, by its key.
    async fn past(&self) -> Phase<BTreeMap<OperationKey, Past>> {
        let (mut past, mut replies, mut sent) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        for recorded in self.scribe.journal().await? {
            match recorded.record() {
                Record::Write(Write::Intent(intent)) => {
                    sent.insert(intent.key, (intent.tool.to_string(), intent.sent));
                }
                Record::Write(Write::CallEnded(ended)) => {
                    replies.insert(ended.key, ended.reply);
                }
                Record::Write(Write::Verified(verified)) => {
                    // Who said no was asked all the same.
                    let refused = verified.effect != Effect::Approval
                        && replies.get(&verified.key) == Some(&Some(Reply::Error));
                    let said = refused || matches!(verified.witness, Some(Witness::Person(_)));
                    let was = match verified.outcome {
                        Outcome::Absent if said => None,
                        Outcome::Absent if verified.effect == Effect::Approval => Some(Earlier::Done),
                        Outcome::Absent => Some(Earlier::Untraced),
                        Outcome::InDoubt | Outcome::Verified | Outcome::Unverifiable | Outcome::Mismatch => {
                            Some(Earlier::Done)
                        }
                    };
                    let (round, sent) = (verified.round.number(), sent.get(&verified.key).cloned());
                    past.insert(verified.key, Past { at: recorded.entry.at, was, round, sent });
                }
                _ => {}
            }
        }
        Ok(past)
    }
}

/// Whether an operation does to a record what another one with these arguments did, and moves another amount.
fn is_part_of_one(operation: &Operation, earlier: &Values) -> bool {
    let (mut same_record, mut other_amount) = (false, false);
    for (name, argument) in &operation.arguments {
        let (Some(value), Some(before)) = (argument.value(), earlier.get(name)) else { continue };
        let known =
            serde_json::from_str(&value.to_wire()).ok().and_then(|json| PolicyValue::from_json(&json).ok());
        match known {
            Some(PolicyValue::Money { .. } | PolicyValue::Number(_)) => other_amount |= value != before,
            _ => same_record |= value == before && names_a_record(name, value),
        }
    }
    same_record && other_amount
}

/// What was certainly not done and is planned again starts anew.
pub(crate) fn start_anew(plan: &Plan, trail: &mut Trail) {
    let again = |key: OperationKey| plan.keyed().any(|(_, own)| own == key);
    trail.started.retain(|one| one.outcome != Outcome::Absent || !again(one.key));
}

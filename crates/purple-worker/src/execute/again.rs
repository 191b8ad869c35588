//! Operations that were carried out before with the same arguments: marked on the plan, so that nobody has them done
//! twice without seeing it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use purple_journal::Record;
use purple_journal::record::write::Write;
use purple_process::{DoneBefore, Earlier, Operation, OperationKey, Outcome, Plan, Round};

use crate::port::TurnFailed;
use crate::run::{Phase, Run};
use crate::session::{Reply, Trail};
use crate::view::Witness;

/// How an operation came out, as the journal has it.
struct Past {
    at: Timestamp,
    /// `None`: certainly not done, and somebody said so.
    was: Option<Earlier>,
}

impl Run<'_> {
    /// The same operations, each marked where exactly it was carried out before in this session.
    pub(crate) async fn marked(&self, mut operations: Vec<Operation>) -> Phase<Vec<Operation>> {
        let past = self.past().await?;
        for operation in &mut operations {
            operation.done_before = if past.is_empty() { None } else { self.before(operation, &past)? };
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

    /// Every operation of this session that was carried out and settled, by its key.
    async fn past(&self) -> Phase<BTreeMap<OperationKey, Past>> {
        let (mut past, mut replies) = (BTreeMap::new(), BTreeMap::new());
        for recorded in self.scribe.journal().await? {
            match recorded.record() {
                Record::Write(Write::CallEnded(ended)) => {
                    replies.insert(ended.key, ended.reply);
                }
                Record::Write(Write::Verified(verified)) => {
                    let said = replies.get(&verified.key) == Some(&Some(Reply::Error))
                        || matches!(verified.witness, Some(Witness::Person(_)));
                    let was = match verified.outcome {
                        Outcome::Absent if said => None,
                        Outcome::Absent => Some(Earlier::Untraced),
                        Outcome::InDoubt | Outcome::Verified | Outcome::Unverifiable | Outcome::Mismatch => {
                            Some(Earlier::Done)
                        }
                    };
                    past.insert(verified.key, Past { at: recorded.entry.at, was });
                }
                _ => {}
            }
        }
        Ok(past)
    }
}

/// What was certainly not done and is planned again starts anew.
pub(crate) fn start_anew(plan: &Plan, trail: &mut Trail) {
    let again = |key: OperationKey| plan.keyed().any(|(_, own)| own == key);
    trail.started.retain(|one| one.outcome != Outcome::Absent || !again(one.key));
}

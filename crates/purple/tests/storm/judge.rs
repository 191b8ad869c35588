//! Compares what the journals say with what the company's ledger saw. It trusts only the ledger.

use std::collections::BTreeMap;

use purple_backoffice::{EffectRecord, Ledger};
use purple_journal::record::approval::{Asked, Decided};
use purple_journal::record::write::{Intent, Settled, Verified};
use purple_journal::word::Settlement;
use purple_process::{Ending, Outcome};
use purple_store::{OpenError, Reader};
use purple_testkit::records;
use purple_worker::port::{Blobs as _, Events as _, Pass, Recorded, SessionId};
use purple_worker::{Status, Summary};
use serde_json::Value;

use crate::business::{KEYED, Kind, effects, kind, name};
use crate::child::{Keys, Orders};
use crate::driven;

/// The arguments of a call as they go over the wire.
pub(crate) fn arguments_of(pass: &Pass) -> Value {
    let arguments = pass.call().arguments();
    serde_json::to_value(arguments).unwrap()
}

/// What makes two effects the same one: the tool and its arguments. Every session has a record of its own.
type Deed = (String, String);

fn deed(tool: &str, arguments: &Value) -> Deed {
    (tool.to_owned(), arguments.to_string())
}

/// One operation as its journal tells it.
#[derive(Debug)]
struct Told {
    deed: Deed,
    key: String,
    intents: u32,
    outcome: Option<Outcome>,
}

/// One session as it is found.
struct Found {
    number: u32,
    summary: Option<Summary>,
    operations: Vec<Told>,
    kinds: Vec<String>,
    decided: bool,
    settled: Vec<Settlement>,
    /// How many of these are about tools that take a key.
    settled_by_key: usize,
    /// The ids that the notices of its approvals have.
    asked: Vec<String>,
}

/// Figures of a storm, for whoever reads the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Figures {
    pub(crate) sessions: usize,
    pub(crate) done: usize,
    pub(crate) escalated: usize,
    pub(crate) waiting: usize,
    pub(crate) operations: usize,
    pub(crate) effects: usize,
    /// Operations that a person settled.
    pub(crate) settled: usize,
    /// Those of them whose tool takes a key.
    pub(crate) settled_by_key: usize,
    /// Operations that were announced more than once.
    pub(crate) resent: usize,
    /// Approvals that an approver was told of, and how often that was said once more.
    pub(crate) told: usize,
    pub(crate) told_again: usize,
    pub(crate) entries: u64,
}

impl std::ops::AddAssign for Figures {
    fn add_assign(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.done += other.done;
        self.escalated += other.escalated;
        self.waiting += other.waiting;
        self.operations += other.operations;
        self.effects += other.effects;
        self.settled += other.settled;
        self.settled_by_key += other.settled_by_key;
        self.resent += other.resent;
        self.told += other.told;
        self.told_again += other.told_again;
        self.entries += other.entries;
    }
}

/// Whatever the killed process left: the chain holds, and no effect is there that was not announced before.
pub(crate) fn beside_the_dead(orders: &Orders) -> Result<(), Vec<String>> {
    let reader = match Reader::open(&orders.folder) {
        Ok(reader) => reader,
        // Killed before there was a database, or before it was finished.
        Err(OpenError::Missing { .. } | OpenError::Older { .. }) => return Ok(()),
        Err(error) => return Err(vec![error.to_string()]),
    };
    let ledger = Ledger::read(&orders.ledger).unwrap();
    let found = look(&reader, orders);
    let mut faults = chain(&reader);
    faults.extend(unannounced(&ledger, &found));
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// Everything, after the last process ended by itself.
pub(crate) fn at_the_end(orders: &Orders, told: &BTreeMap<String, usize>) -> Result<Figures, Vec<String>> {
    let reader = Reader::open(&orders.folder).unwrap();
    let ledger = Ledger::read(&orders.ledger).unwrap();
    let found = look(&reader, orders);
    let mut faults = chain(&reader);
    let health = reader.health().unwrap();
    // What still waits are the expiries of open approvals.
    let unanswered = (0..orders.sessions).filter(|number| kind(*number) == Kind::Unanswered).count();
    if health.stuck > 0 || health.fault.is_some() || health.notices > 0 || health.dead_notices > 0 {
        faults.push(format!("{health:?}"));
    }
    faults.extend(unannounced(&ledger, &found));
    faults.extend(untold(&found, told));
    let counted = count(&ledger.effects);
    let mut figures =
        Figures { effects: ledger.effects.len(), entries: health.entries, ..Figures::default() };
    figures.told = told.len();
    figures.told_again = told.values().map(|times| times - 1).sum();
    for session in &found {
        faults.extend(session.faults(&counted));
        figures.add(session);
    }
    if orders.keys == Keys::Unknown {
        faults.extend(called_twice(&ledger));
    }
    if figures.waiting != unanswered {
        faults.push(format!("{} wait, and {unanswered} should", figures.waiting));
    }
    if faults.is_empty() { Ok(figures) } else { Err(faults) }
}

/// Approvals that nobody was told of, and notices of approvals that nobody asked for.
fn untold(found: &[Found], told: &BTreeMap<String, usize>) -> Vec<String> {
    let asked: Vec<&String> = found.iter().flat_map(|session| &session.asked).collect();
    let silent =
        asked.iter().filter(|id| !told.contains_key(**id)).map(|id| format!("nobody was told of {id}"));
    let made_up =
        told.keys().filter(|id| !asked.contains(id)).map(|id| format!("{id} was told, and not asked"));
    silent.chain(made_up).collect()
}

/// The approval that waits in a session, by what the store says.
pub(crate) fn open_approval(orders: &Orders, run: &str) -> Option<String> {
    let reader = Reader::open(&orders.folder).unwrap();
    let number = run.trim_start_matches('s').parse().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let found = runtime.block_on(one(&reader, number));
    let open = found.summary.and_then(|summary| summary.approval);
    assert_eq!(open.is_none(), found.decided, "{run}");
    open.map(|open| open.id)
}

/// The same where a model drives: three writes each, and none of them twice.
pub(crate) fn at_the_driven_end(orders: &Orders) -> Result<Figures, Vec<String>> {
    let reader = Reader::open(&orders.folder).unwrap();
    let ledger = Ledger::read(&orders.ledger).unwrap();
    let found = look(&reader, orders);
    let mut faults = chain(&reader);
    faults.extend(unannounced(&ledger, &found));
    faults.extend(called_twice(&ledger));
    let counted = count(&ledger.effects);
    let mut figures = Figures { effects: ledger.effects.len(), ..Figures::default() };
    for session in &found {
        for (tool, arguments) in driven::writes(session.number) {
            let effects = counted.get(&deed(&tool, &arguments)).copied().unwrap_or(0);
            if effects > 1 {
                faults.push(format!("{}: {tool} {arguments} had {effects} effects", name(session.number)));
            }
            let is_done = session.summary.as_ref().is_some_and(|it| it.ending == Some(Ending::Done));
            if effects != 1 || !is_done {
                let summary = session.summary.as_ref().map(|it| (it.status, it.ending));
                let last: Vec<_> = session.kinds.iter().rev().take(8).collect();
                let name = name(session.number);
                faults
                    .push(format!("{name}: {tool} had {effects} effects, ended {summary:?}, last {last:?}"));
            }
        }
        figures.add(session);
    }
    if faults.is_empty() { Ok(figures) } else { Err(faults) }
}

fn chain(reader: &Reader) -> Vec<String> {
    reader.verify().unwrap().fault.map(|fault| format!("{fault:?}")).into_iter().collect()
}

fn count(effects: &[EffectRecord]) -> BTreeMap<Deed, usize> {
    let mut counted = BTreeMap::new();
    for effect in effects {
        *counted.entry(deed(&effect.tool, &effect.arguments)).or_default() += 1;
    }
    counted
}

/// Effects without a durable intent, and effects under a key that nobody announced.
fn unannounced(ledger: &Ledger, found: &[Found]) -> Vec<String> {
    let announced: BTreeMap<&Deed, &str> = found
        .iter()
        .flat_map(|session| &session.operations)
        .map(|told| (&told.deed, told.key.as_str()))
        .collect();
    let mut faults = Vec::new();
    for effect in &ledger.effects {
        match (announced.get(&deed(&effect.tool, &effect.arguments)), &effect.key) {
            (None, _) => faults.push(format!("{} {} was not announced", effect.tool, effect.arguments)),
            (Some(told), Some(key)) if told != key => {
                faults.push(format!("{} came under {key}, announced was {told}", effect.tool));
            }
            (Some(_), _) => {}
        }
    }
    faults
}

/// A target that takes no key must never be asked twice for the same thing.
fn called_twice(ledger: &Ledger) -> Vec<String> {
    let writes: Vec<&str> = crate::business::KINDS.iter().flat_map(|kind| effects(*kind)).copied().collect();
    let mut counted: BTreeMap<Deed, usize> = BTreeMap::new();
    for call in ledger.calls.iter().filter(|call| writes.contains(&call.tool.as_str())) {
        *counted.entry(deed(&call.tool, &call.arguments)).or_default() += 1;
    }
    counted.retain(|_, calls| *calls > 1);
    counted.iter().map(|((tool, arguments), calls)| format!("{tool} {arguments}: {calls} calls")).collect()
}

fn look(reader: &Reader, orders: &Orders) -> Vec<Found> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut found = Vec::new();
        for number in 0..orders.sessions {
            found.push(one(reader, number).await);
        }
        found
    })
}

async fn one(reader: &Reader, number: u32) -> Found {
    let run = SessionId::parse(&name(number)).unwrap();
    let row = reader.session(&run).await.unwrap();
    let summary = row.and_then(|row| serde_json::from_value(row.summary).ok());
    let journal = reader.since(&run, 0, usize::MAX).await.unwrap();
    let mut operations: BTreeMap<String, Told> = BTreeMap::new();
    for record in journal.iter().map(Recorded::record) {
        if let Some(Intent { key, tool, sent, .. }) = record.get() {
            let sent = reader.get(*sent).await.unwrap().unwrap();
            let deed = deed(tool.as_str(), &serde_json::from_slice(&sent).unwrap());
            let told = Told { deed: deed.clone(), key: key.to_string(), intents: 0, outcome: None };
            let told = operations.entry(key.to_string()).or_insert(told);
            assert_eq!(told.deed, deed, "one key, two deeds");
            told.intents += 1;
        }
        if let Some(Verified { key, outcome, .. }) = record.get() {
            operations.get_mut(&key.to_string()).unwrap().outcome = Some(*outcome);
        }
    }
    let intents: Vec<Intent> = records::all(&journal);
    let takes_key =
        |one: &&Settled| intents.iter().any(|it| it.step == one.step && KEYED.contains(&it.tool.as_str()));
    let settlements: Vec<Settled> = records::all(&journal);
    let settled_by_key = settlements.iter().filter(takes_key).count();
    let settled = settlements.iter().map(|one| one.done).collect();
    let kinds = journal.iter().map(|it| it.entry.kind().to_owned()).collect();
    let asked: Vec<Asked> = records::all(&journal);
    let asked = asked.iter().map(|one| format!("{run}:{}", one.approval)).collect();
    let decided = !records::all::<Decided>(&journal).is_empty();
    let operations = operations.into_values().collect();
    Found { number, summary, operations, kinds, decided, settled, settled_by_key, asked }
}

impl Found {
    fn faults(&self, counted: &BTreeMap<Deed, usize>) -> Vec<String> {
        let mut faults = Vec::new();
        for told in &self.operations {
            let effects = counted.get(&told.deed).copied().unwrap_or(0);
            let right = match told.outcome {
                // "Done" was said: exactly one.
                Some(Outcome::Verified | Outcome::Unverifiable) => effects == 1,
                Some(Outcome::Absent) => effects == 0,
                // Nothing lies here, and nobody else writes.
                Some(Outcome::Mismatch | Outcome::InDoubt) => false,
                // Announced and withheld, or still open at a kill. At the end nothing is open.
                None => effects == 0,
            };
            if !right {
                faults.push(format!("{}: {told:?} had {effects} effects", name(self.number)));
            }
        }
        faults.extend(self.wrong_end());
        faults
    }

    /// Every accepted task has ended, or waits in a state that has a name.
    fn wrong_end(&self) -> Option<String> {
        let Some(summary) = &self.summary else { return Some(format!("{} was lost", name(self.number))) };
        let kind = kind(self.number);
        let mut did: Vec<&str> = self
            .operations
            .iter()
            .filter(|told| told.outcome.is_some_and(Outcome::lets_go_on))
            .map(|told| told.deed.0.as_str())
            .collect();
        did.sort_unstable();
        let right = match (summary.status, summary.ending) {
            (Status::Waiting, None) => kind == Kind::Unanswered && did.is_empty(),
            // What a person found not done was offered again: nothing is lost.
            (Status::Closed, Some(Ending::Done)) => kind != Kind::Unanswered && did == effects(kind),
            _ => false,
        };
        let last: Vec<_> = self.kinds.iter().rev().take(6).collect();
        (!right).then(|| {
            format!(
                "{} ({kind:?}) ended {:?} {:?} after {did:?}, last {last:?}",
                name(self.number),
                summary.status,
                summary.ending
            )
        })
    }
}

impl Figures {
    fn add(&mut self, session: &Found) {
        self.sessions += 1;
        self.operations += session.operations.len();
        self.resent += session.operations.iter().filter(|told| told.intents > 1).count();
        self.settled += session.settled.len();
        self.settled_by_key += session.settled_by_key;
        let Some(summary) = &session.summary else { return };
        self.done += usize::from(summary.ending == Some(Ending::Done));
        self.escalated += usize::from(summary.ending == Some(Ending::Escalated));
        self.waiting += usize::from(summary.status == Status::Waiting);
    }
}

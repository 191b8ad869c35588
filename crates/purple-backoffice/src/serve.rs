//! One call, from its arrival to its row in the ledger.
//!
//! INVARIANT: a call, its effects and their ledger rows commit in one transaction, before anything is delivered.

use rusqlite::{Connection, Transaction, TransactionBehavior, backup::Backup};
use serde_json::{Map, Value};

use crate::canonical::canonical;
use crate::catalogue;
use crate::clock::Clock;
use crate::desk::{Change, Desk, Fidelity};
use crate::office::{Answer, Call, Delivery, OpenError, Served};
use crate::parameter::{self, Arguments};
use crate::refusal::Refusal;
use crate::switchboard::{Afterwards, Instead, Mode, Orders, Switchboard};
use crate::tool::{KEY, Keys, Tool, Work};
use crate::witness::{self, Entry};

/// Seconds a rate-limited caller is told to wait.
const RETRY_AFTER_S: u32 = 1;

/// What a tool does when it takes effect.
type Effect = fn(&Desk<'_>, &Arguments<'_>) -> Result<Change, Refusal>;

/// What changes from call to call.
pub(crate) struct State {
    pub(crate) db: Connection,
    pub(crate) switches: Switchboard,
    /// A copy from before an effect, for reads that lag.
    pub(crate) stale: Option<Stale>,
    /// Writes that were promised and not yet made.
    late: i64,
}

pub(crate) struct Stale {
    db: Connection,
    noun: &'static str,
    reads_left: u32,
}

impl State {
    pub(crate) fn new(db: Connection) -> Result<Self, OpenError> {
        let late = db.query_row("SELECT count(*) FROM late_writes", [], |row| row.get(0))?;
        Ok(Self { db, switches: Switchboard::default(), stale: None, late })
    }
}

/// What stays the same from call to call.
pub(crate) struct Desktop {
    pub(crate) clock: Clock,
}

/// What a call came to inside the transaction.
struct Settled {
    answer: Answer,
    /// What the ledger calls it.
    outcome: &'static str,
    applied: i64,
    delivery: Delivery,
}

impl Desktop {
    pub(crate) fn serve(&self, state: &mut State, call: &Call<'_>) -> Served {
        // If the ledger itself fails, nothing was applied and nothing recorded.
        self.try_serve(state, call).unwrap_or_else(|refusal| Served {
            answer: refused(&refusal),
            slow_ms: 0,
            delivery: Delivery::Plain,
        })
    }

    fn try_serve(&self, state: &mut State, call: &Call<'_>) -> Result<Served, Refusal> {
        let tool = catalogue::find(call.tool);
        let orders = tool.map(|tool| state.switches.orders(tool)).unwrap_or_default();
        let (key, arguments) = split_key(call, tool);
        let text = canonical(&arguments);
        let now = self.clock.now();
        if let (Some(tool), Some(reads_left)) = (tool, orders.lag_reads) {
            state.stale = Some(Stale { db: copy(&state.db)?, noun: tool.noun, reads_left });
        }
        let State { db, switches, stale, late } = state;
        let mut tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if *late > 0 {
            self.catch_up(&mut tx, tool, &now)?;
        }
        let seq = witness::arrived(&tx, call, [&text, &now], key.as_deref())?;
        let settled = match tool {
            None => Settled::refused(&Refusal::UnknownTool { tool: call.tool.to_owned() }),
            Some(tool) => {
                let entry =
                    Entry { seq, tool, arguments: &arguments, text: &text, key: key.as_deref(), now: &now };
                match instead(tool, &orders, call.input_given) {
                    Some(settled) => settled,
                    None => self.settle(&mut tx, &entry, &orders, (switches, stale))?,
                }
            }
        };
        let message = match &settled.answer {
            Answer::Done(_) => None,
            Answer::Refused { message, .. } | Answer::InputRequired { message, .. } => Some(message.as_str()),
        };
        witness::settled(&tx, seq, (settled.outcome, message), settled.applied, &orders.names)?;
        if *late > 0 || matches!(orders.mode, Mode::LateReads(_) | Mode::LateMs(_)) {
            *late = tx.query_row("SELECT count(*) FROM late_writes", [], |row| row.get(0))?;
        }
        tx.commit()?;
        Ok(Served { answer: settled.answer, slow_ms: orders.slow_ms, delivery: settled.delivery })
    }

    fn settle(
        &self,
        tx: &mut Transaction<'_>,
        entry: &Entry<'_>,
        orders: &Orders,
        (switches, stale): (&mut Switchboard, &mut Option<Stale>),
    ) -> Result<Settled, Refusal> {
        if let Err(refusal) = parameter::check(entry.tool.takes, entry.arguments) {
            return Ok(Settled::refused(&refusal));
        }
        let settled = match entry.tool.work {
            Work::Read(read) => {
                if switches.is_down(entry.tool.noun) {
                    return Ok(Settled::failed(&Refusal::ReadsDown { noun: entry.tool.noun }));
                }
                let db = match stale.as_mut().filter(|stale| stale.is_for(entry.tool)) {
                    Some(stale) => stale.look(),
                    None => &**tx,
                };
                match read(&self.desk(db, entry.now, Fidelity::Faithful), &Arguments(entry.arguments)) {
                    Ok(answer) => Settled::done(answer, 0),
                    Err(refusal) => Settled::refused(&refusal),
                }
            }
            Work::Effect(effect) => {
                let settled = self.take_effect(tx, entry, (orders.mode, effect))?;
                if let (Some(reads), Answer::Done(_)) = (orders.reads_down, &settled.answer) {
                    switches.take_down(entry.tool.noun, reads);
                }
                settled
            }
        };
        Ok(settled.afterwards(entry.tool, orders.afterwards))
    }

    fn take_effect(
        &self,
        tx: &mut Transaction<'_>,
        entry: &Entry<'_>,
        (mode, effect): (Mode, Effect),
    ) -> Result<Settled, Refusal> {
        let key = entry.key.filter(|_| entry.tool.keys != Keys::None);
        if let Some(key) = key {
            match witness::replay(tx, entry, key) {
                Ok(None) => {}
                Ok(Some(answer)) => return Ok(Settled { outcome: "replayed", ..Settled::done(answer, 0) }),
                Err(refusal) => return Ok(Settled::refused(&refusal)),
            }
        }
        let first = match mode {
            Mode::Faithful | Mode::Twice => self.apply(tx, entry, effect, Fidelity::Faithful),
            Mode::Lie | Mode::Partial | Mode::Other | Mode::LateReads(_) | Mode::LateMs(_) => {
                self.rehearse(tx, entry, effect)
            }
        };
        let first = match first {
            Ok(change) => change,
            Err(refusal) => return Ok(Settled::refused(&refusal)),
        };
        let applied = match mode {
            Mode::Faithful => witness::effect(tx, entry, &first)?,
            Mode::Twice => {
                // What cannot be repeated visibly was done twice all the same.
                let again =
                    self.apply(tx, entry, effect, Fidelity::Again).unwrap_or_else(|_| first.repeated());
                witness::effect(tx, entry, &first)? + witness::effect(tx, entry, &again)?
            }
            Mode::Partial => self.distort(tx, entry, effect, Fidelity::Partial)?,
            Mode::Other => self.distort(tx, entry, effect, Fidelity::Other)?,
            Mode::Lie => 0,
            Mode::LateReads(reads) => witness::postpone(tx, entry, (Some(reads), None))?,
            Mode::LateMs(ms) => {
                let due_ms = self.clock.elapsed_ms().saturating_add(ms);
                witness::postpone(tx, entry, (None, Some(due_ms)))?
            }
        };
        if let Some(key) = key.filter(|_| mode != Mode::Lie) {
            witness::keep(tx, entry, key, &first.answer)?;
        }
        Ok(Settled::done(first.answer, applied))
    }

    /// Applies an effect, all of it or nothing.
    fn apply(
        &self,
        tx: &mut Transaction<'_>,
        entry: &Entry<'_>,
        effect: Effect,
        fidelity: Fidelity,
    ) -> Result<Change, Refusal> {
        let savepoint = tx.savepoint()?;
        let change = effect(&self.desk(&savepoint, entry.now, fidelity), &Arguments(entry.arguments))?;
        savepoint.commit()?;
        Ok(change)
    }

    /// What the effect would come to; nothing stays.
    fn rehearse(
        &self,
        tx: &mut Transaction<'_>,
        entry: &Entry<'_>,
        effect: Effect,
    ) -> Result<Change, Refusal> {
        let savepoint = tx.savepoint()?;
        let change =
            effect(&self.desk(&savepoint, entry.now, Fidelity::Faithful), &Arguments(entry.arguments));
        savepoint.finish()?;
        change
    }

    /// Applies something else than was asked for. Where that is impossible, nothing is applied.
    fn distort(
        &self,
        tx: &mut Transaction<'_>,
        entry: &Entry<'_>,
        effect: Effect,
        fidelity: Fidelity,
    ) -> Result<i64, Refusal> {
        match self.apply(tx, entry, effect, fidelity) {
            Ok(change) => witness::effect(tx, entry, &change),
            Err(_) => Ok(0),
        }
    }

    /// Makes the promised writes that are due, before anybody looks.
    fn catch_up(&self, tx: &mut Transaction<'_>, asked: Option<&Tool>, now: &str) -> Result<(), Refusal> {
        for late in witness::late(tx)? {
            let Some(tool) = catalogue::find(&late.tool) else { continue };
            let Work::Effect(effect) = tool.work else { continue };
            let read_of_noun = asked.is_some_and(|asked| asked.is_read() && asked.noun == tool.noun);
            let due = match (late.reads_left, late.due_ms) {
                (Some(reads), _) if read_of_noun && reads > 0 => {
                    witness::one_read_less(tx, late.seq)?;
                    false
                }
                (Some(_), _) => read_of_noun,
                (None, due_ms) => due_ms.is_none_or(|due_ms| due_ms <= self.clock.elapsed_ms()),
            };
            if !due {
                continue;
            }
            let arguments: Map<String, Value> = serde_json::from_str(&late.arguments)?;
            let (text, key) = (late.arguments.as_str(), late.key.as_deref());
            let entry = Entry { seq: late.seq, tool, arguments: &arguments, text, key, now };
            if let Ok(change) = self.apply(tx, &entry, effect, Fidelity::Faithful) {
                witness::effect(tx, &entry, &change)?;
            }
            witness::made_good(tx, late.seq)?;
        }
        Ok(())
    }

    fn desk<'a>(&self, db: &'a Connection, now: &'a str, fidelity: Fidelity) -> Desk<'a> {
        Desk { db, today: self.clock.today(), now, fidelity }
    }
}

impl Settled {
    fn done(answer: Value, applied: i64) -> Self {
        Self { answer: Answer::Done(answer), outcome: "done", applied, delivery: Delivery::Plain }
    }

    fn refused(refusal: &Refusal) -> Self {
        Self { answer: refused(refusal), outcome: "refused", applied: 0, delivery: Delivery::Plain }
    }

    fn failed(refusal: &Refusal) -> Self {
        Self { outcome: "failed", ..Self::refused(refusal) }
    }

    /// What the faults make of an answer once the work is done.
    fn afterwards(mut self, tool: &Tool, afterwards: Afterwards) -> Self {
        match afterwards {
            Afterwards::Answer => self,
            Afterwards::FailAfter => Self {
                applied: self.applied,
                ..Self::failed(&Refusal::Broken { tool: tool.name.to_owned() })
            },
            Afterwards::Cut => Self { outcome: "cut", delivery: Delivery::Cut, ..self },
            Afterwards::Hang => Self { outcome: "unanswered", delivery: Delivery::Never, ..self },
            Afterwards::Huge(bytes) => {
                self.delivery = Delivery::Huge(bytes);
                self
            }
            Afterwards::Garbage => {
                self.delivery = Delivery::Garbage;
                self
            }
        }
    }
}

/// What the faults put in the place of any work.
fn instead(tool: &Tool, orders: &Orders, input_given: bool) -> Option<Settled> {
    let broken = Refusal::Broken { tool: tool.name.to_owned() };
    Some(match orders.instead? {
        Instead::Fail => Settled::failed(&broken),
        Instead::RateLimit => Settled {
            outcome: "rate_limited",
            ..Settled::refused(&Refusal::RateLimited { retry_after_s: RETRY_AFTER_S })
        },
        Instead::Unavailable => {
            Settled { outcome: "unavailable", delivery: Delivery::Unavailable, ..Settled::failed(&broken) }
        }
        Instead::Cut => Settled { outcome: "cut", delivery: Delivery::Cut, ..Settled::failed(&broken) },
        Instead::Hang => {
            Settled { outcome: "unanswered", delivery: Delivery::Never, ..Settled::failed(&broken) }
        }
        Instead::InputRequired | Instead::Question if input_given => return None,
        Instead::InputRequired => {
            asks("password", format!("`{}` wants the password of the person who asks", tool.name))
        }
        Instead::Question => asks("cost_centre", "Which cost centre does this belong to?".to_owned()),
    })
}

fn asks(field: &'static str, message: String) -> Settled {
    Settled {
        answer: Answer::InputRequired { message, field },
        outcome: "input_required",
        applied: 0,
        delivery: Delivery::Plain,
    }
}

fn refused(refusal: &Refusal) -> Answer {
    Answer::Refused { code: refusal.code(), message: refusal.to_string() }
}

/// The key, and the arguments without it. A key that the tool does not take stays where it is.
fn split_key(call: &Call<'_>, tool: Option<&Tool>) -> (Option<String>, Map<String, Value>) {
    let mut arguments = call.arguments.clone();
    let keys = tool.map_or(Keys::None, |tool| tool.keys);
    let given = arguments.get(KEY.name).and_then(Value::as_str).map(str::to_owned);
    match given.filter(|_| keys.by_parameter()) {
        Some(key) => {
            arguments.remove(KEY.name);
            (Some(key), arguments)
        }
        // A tool that takes no key ignores the one in `_meta`; the witness notes it all the same.
        None => (call.key.map(str::to_owned), arguments),
    }
}

fn copy(db: &Connection) -> Result<Connection, Refusal> {
    let mut copy = Connection::open_in_memory()?;
    Backup::new(db, &mut copy)?.step(-1)?;
    Ok(copy)
}

impl Stale {
    fn is_for(&self, tool: &Tool) -> bool {
        self.noun == tool.noun && self.reads_left > 0
    }

    fn look(&mut self) -> &Connection {
        self.reads_left -= 1;
        &self.db
    }
}

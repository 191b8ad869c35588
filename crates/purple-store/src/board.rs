//! Which sessions want a turn, and which have one. In memory only: the database knows it all again at the next start.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use purple_port::SessionId;
use tokio::sync::{Notify, oneshot};

use crate::time::Micros;
use crate::work::Signal;

/// What the writer tells, and what the dispatcher and readers wait for.
#[derive(Debug, Default)]
pub(crate) struct Board {
    turns: Mutex<Turns>,
    /// Rings when there may be a turn to start.
    pub(crate) turn_bell: Notify,
    /// Rings when there may be a notice to deliver.
    pub(crate) notice_bell: Notify,
    watchers: Mutex<HashMap<SessionId, Vec<oneshot::Sender<()>>>>,
}

#[derive(Debug, Default)]
struct Turns {
    ready: VecDeque<i64>,
    listed: HashSet<i64>,
    /// The value says whether the session wants another turn after this one.
    running: HashMap<i64, bool>,
    /// Sessions that wait in memory, because there was no room to write down that they wait.
    held: HashMap<i64, Micros>,
    /// Turns that want to know when their session wants another one.
    curious: HashMap<i64, oneshot::Sender<()>>,
    next_wake: Option<Micros>,
}

impl Turns {
    fn list(&mut self, session: i64) {
        if let Some(again) = self.running.get_mut(&session) {
            *again = true;
            if let Some(curious) = self.curious.remove(&session) {
                // Who no longer waits needs no word.
                let _ = curious.send(());
            }
        } else if self.listed.insert(session) {
            self.ready.push_back(session);
        }
    }
}

impl Board {
    /// Hears what was committed.
    pub(crate) fn hear(&self, signals: Vec<Signal>, now: Micros) {
        let (mut wakes, mut notices) = (false, false);
        for signal in signals {
            match signal {
                Signal::Wake { session, at } => {
                    wakes = true;
                    let mut turns = lock(&self.turns);
                    if at <= now {
                        turns.list(session);
                    } else {
                        turns.next_wake = Some(turns.next_wake.map_or(at, |next| next.min(at)));
                    }
                }
                Signal::Grew { session } => {
                    let waiting = lock(&self.watchers).remove(&session);
                    // Who no longer waits needs no word.
                    for watcher in waiting.into_iter().flatten() {
                        let _ = watcher.send(());
                    }
                }
                Signal::Notice => notices = true,
            }
        }
        if wakes {
            self.turn_bell.notify_one();
        }
        if notices {
            self.notice_bell.notify_one();
        }
    }

    /// Waits for the next growth of this session's journal, from now on.
    pub(crate) fn watch(&self, session: &SessionId) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        let mut watchers = lock(&self.watchers);
        let waiting = watchers.entry(session.clone()).or_default();
        waiting.retain(|watcher| !watcher.is_closed());
        waiting.push(sender);
        receiver
    }

    /// Tells the turn of a session when something else is there for it, from now on.
    pub(crate) fn watch_wishes(&self, session: i64) -> oneshot::Receiver<()> {
        let (sender, receiver) = oneshot::channel();
        lock(&self.turns).curious.insert(session, sender);
        receiver
    }

    /// Takes a session that wants a turn; it has one until [`Board::ended`].
    pub(crate) fn take(&self) -> Option<i64> {
        let mut turns = lock(&self.turns);
        let session = turns.ready.pop_front()?;
        turns.listed.remove(&session);
        turns.running.insert(session, false);
        Some(session)
    }

    /// The turn of this session is over.
    pub(crate) fn ended(&self, session: i64, more: bool) {
        let mut turns = lock(&self.turns);
        let again = turns.running.remove(&session).unwrap_or(false);
        turns.curious.remove(&session);
        if (again || more) && !turns.held.contains_key(&session) {
            turns.list(session);
        }
    }

    /// Lets a session wait in memory.
    pub(crate) fn hold(&self, session: i64, until: Micros) {
        lock(&self.turns).held.insert(session, until);
    }

    /// Whether something became due. Forgets the time: who asks looks up the next one.
    pub(crate) fn take_next_wake(&self, now: Micros) -> bool {
        let mut turns = lock(&self.turns);
        // Few, and only while the disk is full.
        let over: Vec<i64> =
            turns.held.extract_if(|_, until| *until <= now).map(|(session, _)| session).collect();
        over.into_iter().for_each(|session| turns.list(session));
        let due = turns.next_wake.is_some_and(|at| at <= now);
        if due {
            turns.next_wake = None;
        }
        due
    }

    /// Lists what the database says is due, and when the next becomes due.
    pub(crate) fn fill(&self, due: Vec<i64>, next: Option<Micros>) {
        let mut turns = lock(&self.turns);
        due.into_iter().for_each(|session| turns.list(session));
        turns.next_wake = match (turns.next_wake, next) {
            (Some(left), Some(right)) => Some(left.min(right)),
            (left, right) => left.or(right),
        };
    }

    /// When something becomes due next.
    pub(crate) fn next_wake(&self) -> Option<Micros> {
        let turns = lock(&self.turns);
        turns.held.values().copied().chain(turns.next_wake).min()
    }

    /// Nothing runs, and nothing is due.
    pub(crate) fn is_idle(&self, now: Micros) -> bool {
        let turns = lock(&self.turns);
        let due = turns.next_wake.is_some_and(|at| at <= now);
        let held = turns.held.values().any(|until| *until <= now);
        turns.ready.is_empty() && turns.running.is_empty() && !due && !held
    }
}

/// A panic while this was held would have been a fault of ours; the data are plain and stay usable.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

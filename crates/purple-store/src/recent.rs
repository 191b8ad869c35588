//! What the last turns of a few sessions left behind, so that the next turn of one need not read it again.
//!
//! In memory only. It is used where the database still has the head that it belongs to, and no turn of a session runs
//! while it is here: who takes a session's out puts the next one in, after its commit.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use purple_journal::chain::Head;
use purple_port::{Checkpoint, Recorded};

use crate::board::lock;

/// The most text of journals that is held, in bytes as it is hashed.
const BYTES_MAX: usize = 2 * 1024 * 1024;
/// The most sessions.
const SESSIONS_MAX: usize = 256;

/// A session as its last turn left it.
#[derive(Clone, Debug)]
pub(crate) struct Left {
    pub(crate) head: Head,
    pub(crate) checkpoint: Option<Checkpoint>,
    pub(crate) journal: Whole,
}

/// All entries of a journal, from the first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whole {
    pub(crate) entries: Vec<Arc<Recorded>>,
    /// How much text they are.
    pub(crate) bytes: usize,
}

/// The last sessions, the one that has been here longest first.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    left: Mutex<(VecDeque<(i64, Left)>, usize)>,
}

impl Recent {
    /// Takes out what the last turn of this session left, if it is still here.
    pub(crate) fn take(&self, session: i64) -> Option<Left> {
        let mut guard = lock(&self.left);
        let (left, bytes) = &mut *guard;
        let place = left.iter().rposition(|(known, _)| *known == session)?;
        let (_, found) = left.remove(place)?;
        *bytes = bytes.saturating_sub(found.journal.bytes);
        Some(found)
    }

    /// Puts in what a turn has left; those that have been here longest make room.
    pub(crate) fn put(&self, session: i64, new: Left) {
        let mut guard = lock(&self.left);
        let (left, bytes) = &mut *guard;
        *bytes = bytes.saturating_add(new.journal.bytes);
        left.push_back((session, new));
        while *bytes > BYTES_MAX || left.len() > SESSIONS_MAX {
            let Some((_, old)) = left.pop_front() else { break };
            *bytes = bytes.saturating_sub(old.journal.bytes);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use purple_journal::chain::Chain;
    use purple_port::SessionId;

    fn left(bytes: usize) -> Left {
        let head = Head::empty(Chain::Run(&SessionId::parse("s").unwrap()));
        Left { head, checkpoint: None, journal: Whole { entries: Vec::new(), bytes } }
    }

    #[test]
    fn the_oldest_make_room_by_their_number_and_by_their_size() {
        let recent = Recent::default();
        let sessions = i64::try_from(SESSIONS_MAX).unwrap();
        (0..=sessions).for_each(|session| recent.put(session, left(1)));
        assert!(recent.take(0).is_none());
        assert!(recent.take(1).is_some() && recent.take(1).is_none());
        recent.put(1, left(BYTES_MAX));
        assert!(recent.take(2).is_none() && recent.take(sessions).is_none());
        assert!(recent.take(1).is_some());
        recent.put(3, left(BYTES_MAX + 1));
        assert!(recent.take(3).is_none());
        recent.put(4, left(BYTES_MAX));
        assert!(recent.take(4).is_some());
    }
}

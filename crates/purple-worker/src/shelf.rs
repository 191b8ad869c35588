//! What was made or read before: every turn needs a catalogue, a plan and a case, and few of them differ.

use std::sync::{Arc, Mutex, PoisonError};

use purple_process::Plan;

use crate::dossier::Opened;
use crate::execute::catalogue::Catalogue;
use crate::port::BlobHash;

/// The most catalogues that are kept in memory.
const CATALOGUES_MAX: usize = 16;

/// The most plans that are kept in memory, and the most cases.
const PLANS_MAX: usize = 128;

/// The largest case that is kept in memory, in bytes as it is stored.
const CASE_BYTES_MAX: usize = 64 * 1024;

/// Catalogues, plans and cases by the hash of the bytes that they were read from, or written to.
///
/// It belongs to one worker, and so to one manifest and one set of files: the effects in them were decided by that
/// worker, not by a file. A hash names its bytes, so that what stands here is what would be read.
#[derive(Default)]
pub(crate) struct Shelf {
    catalogues: Board<Catalogue, CATALOGUES_MAX>,
    plans: Board<Plan, PLANS_MAX>,
    cases: Board<Opened, PLANS_MAX>,
}

/// At most so many of one kind; the one that has been there longest makes room.
struct Board<T, const MAX: usize>(Mutex<Vec<(BlobHash, Arc<T>)>>);

impl<T, const MAX: usize> Default for Board<T, MAX> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T, const MAX: usize> Board<T, MAX> {
    fn take_down(&self, hash: BlobHash) -> Option<Arc<T>> {
        let board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        board.iter().find(|(known, _)| *known == hash).map(|(_, found)| Arc::clone(found))
    }

    fn put_up(&self, hash: BlobHash, one: Arc<T>) {
        let mut board = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Another turn may have read the same bytes meanwhile; a second copy does no harm but takes room.
        board.retain(|(known, _)| *known != hash);
        if board.len() >= MAX {
            board.remove(0);
        }
        board.push((hash, one));
    }
}

impl Shelf {
    pub(crate) fn catalogue(&self, hash: BlobHash) -> Option<Arc<Catalogue>> {
        self.catalogues.take_down(hash)
    }

    pub(crate) fn keep_catalogue(&self, hash: BlobHash, catalogue: &Arc<Catalogue>) {
        self.catalogues.put_up(hash, Arc::clone(catalogue));
    }

    pub(crate) fn plan(&self, hash: BlobHash) -> Option<Arc<Plan>> {
        self.plans.take_down(hash)
    }

    pub(crate) fn keep_plan(&self, hash: BlobHash, plan: &Arc<Plan>) {
        self.plans.put_up(hash, Arc::clone(plan));
    }

    pub(crate) fn case(&self, hash: BlobHash) -> Option<Arc<Opened>> {
        self.cases.take_down(hash)
    }

    /// A case holds whole answers of tools. One that is large is read again when it is needed.
    pub(crate) fn keep_case(&self, hash: BlobHash, bytes: usize, case: &Arc<Opened>) {
        if bytes <= CASE_BYTES_MAX {
            self.cases.put_up(hash, Arc::clone(case));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::port::Digest;

    #[test]
    fn a_full_shelf_drops_its_oldest_and_finds_the_others() {
        let shelf = Shelf::default();
        let hash = |number: usize| BlobHash(Digest::of(number.to_string().as_bytes()));
        for number in 0..=CATALOGUES_MAX {
            shelf.keep_catalogue(hash(number), &Arc::default());
        }
        shelf.keep_catalogue(hash(1), &Arc::default());
        let found: Vec<bool> =
            (0..=CATALOGUES_MAX).map(|number| shelf.catalogue(hash(number)).is_some()).collect();
        assert_eq!(found.iter().filter(|found| **found).count(), CATALOGUES_MAX);
        assert!(!found[0]);
    }
}

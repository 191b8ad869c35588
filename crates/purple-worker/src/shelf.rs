//! Catalogues that were read before: every turn needs one, and few of them differ.

use std::sync::{Arc, Mutex, PoisonError};

use purple_process::Plan;

use crate::execute::catalogue::Catalogue;
use crate::port::BlobHash;

/// The most catalogues that are kept in memory.
const CATALOGUES_MAX: usize = 16;

/// The most plans that are kept in memory.
const PLANS_MAX: usize = 64;

/// Catalogues and plans by the hash of the bytes that they were read from.
///
/// It belongs to one worker, and so to one manifest: the effects in them were decided by that worker, not by a file.
#[derive(Default)]
pub(crate) struct Shelf {
    catalogues: Mutex<Vec<(BlobHash, Arc<Catalogue>)>>,
    plans: Mutex<Vec<(BlobHash, Plan)>>,
}

impl Shelf {
    pub(crate) fn take_down(&self, hash: BlobHash) -> Option<Arc<Catalogue>> {
        let shelf = self.catalogues.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.iter().find(|(known, _)| *known == hash).map(|(_, catalogue)| Arc::clone(catalogue))
    }

    /// Puts one up; the one that has been there longest makes room.
    pub(crate) fn put_up(&self, hash: BlobHash, catalogue: Catalogue) -> Arc<Catalogue> {
        let catalogue = Arc::new(catalogue);
        let mut shelf = self.catalogues.lock().unwrap_or_else(PoisonError::into_inner);
        // Another turn may have read the same bytes meanwhile; a second copy does no harm but takes room.
        shelf.retain(|(known, _)| *known != hash);
        if shelf.len() >= CATALOGUES_MAX {
            shelf.remove(0);
        }
        shelf.push((hash, Arc::clone(&catalogue)));
        catalogue
    }
}

impl Shelf {
    /// A plan that was read before. Its hash names its bytes, so it is the same plan.
    pub(crate) fn plan(&self, hash: BlobHash) -> Option<Plan> {
        let plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.iter().find(|(known, _)| *known == hash).map(|(_, plan)| plan.clone())
    }

    pub(crate) fn keep_plan(&self, hash: BlobHash, plan: &Plan) {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.retain(|(known, _)| *known != hash);
        if plans.len() >= PLANS_MAX {
            plans.remove(0);
        }
        plans.push((hash, plan.clone()));
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
            shelf.put_up(hash(number), Catalogue::default());
        }
        shelf.put_up(hash(1), Catalogue::default());
        let found: Vec<bool> =
            (0..=CATALOGUES_MAX).map(|number| shelf.take_down(hash(number)).is_some()).collect();
        assert_eq!(found.iter().filter(|found| **found).count(), CATALOGUES_MAX);
        assert!(!found[0]);
    }
}

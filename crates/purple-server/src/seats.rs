//! How many streams each caller follows. A seat is given back when its stream ends, however it ends.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use purple_port::PersonId;

use crate::a2a::fault::Fault;
use crate::limits::STREAMS_PER_CALLER_MAX;

/// The seats that are taken.
#[derive(Debug, Default)]
pub(crate) struct Seats(Mutex<BTreeMap<PersonId, usize>>);

/// A place for one stream.
pub(crate) struct Seat {
    seats: Arc<Seats>,
    person: PersonId,
}

impl Seats {
    /// Takes a seat, if this caller has not too many.
    pub(crate) fn take(self: &Arc<Self>, person: &PersonId) -> Result<Seat, Fault> {
        let mut taken = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = taken.entry(person.clone()).or_default();
        if *count >= STREAMS_PER_CALLER_MAX {
            return Err(Fault::TooOften { wait_s: 1 });
        }
        *count += 1;
        Ok(Seat { seats: Arc::clone(self), person: person.clone() })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.person) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.person);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_is_taken_once_and_given_back() {
        let seats = Arc::new(Seats::default());
        let (ada, bob) = (PersonId::parse("ada").unwrap(), PersonId::parse("bob").unwrap());
        let all: Vec<Seat> = (0..STREAMS_PER_CALLER_MAX).map(|_| seats.take(&ada).ok().unwrap()).collect();
        assert!(seats.take(&ada).is_err());
        assert!(seats.take(&bob).is_ok());
        drop(all);
        assert!(seats.0.lock().unwrap().is_empty());
        assert!(seats.take(&ada).is_ok());
    }
}

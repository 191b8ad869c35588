//! Builds the house from the settings: the store, the engine, the worker and the tools, behind one desk.

use jiff::Timestamp;
use purple_process::SessionId;
use purple_worker::Desk;
use purple_worker::port::Clock;
use ring::rand::{SecureRandom, SystemRandom};

use crate::config::Config;
use crate::failure::Failure;

/// What a command wants of the house.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Look at runs and journals.
    Look,
    /// Take events in and see them worked on.
    Act,
    /// Work on a task without writing anything, and forget it.
    Rehearse,
}

/// An open house.
pub(crate) struct House {
    /// What commands call.
    pub(crate) desk: Desk,
}

impl House {
    /// Opens the house for one command.
    pub(crate) async fn open(
        config: &Config,
        purpose: Purpose,
        command: &'static str,
    ) -> Result<Self, Failure> {
        let _ = (config, purpose);
        Err(Failure::NotWired { command })
    }

    /// Closes it: what was accepted is durable, what works on stops at a safe place.
    pub(crate) async fn close(self) -> Result<(), Failure> {
        drop(self.desk);
        Ok(())
    }
}

/// The clock of the operating system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SystemClock;

impl Clock for SystemClock {
    #[expect(
        clippy::disallowed_methods,
        reason = "this is the port's one implementation by the system clock"
    )]
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// A new run's id: it sorts by time, and nobody guesses it.
pub(crate) fn fresh_run(now: Timestamp) -> Result<SessionId, Failure> {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut random = [0_u8; 12];
    SystemRandom::new().fill(&mut random).map_err(|_| Failure::NoRandomness)?;
    let letter = |five_bits: u8| char::from(ALPHABET[usize::from(five_bits & 31)]);
    let ms = u64::try_from(now.as_millisecond()).unwrap_or_default();
    let mut id = String::from("run_");
    id.extend((0..9).rev().map(|place| letter(u8::try_from(ms >> (place * 5) & 31).unwrap_or_default())));
    id.extend(random.iter().map(|byte| letter(*byte)));
    Ok(SessionId::parse(&id)?)
}

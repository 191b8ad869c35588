//! What one task cost: steps, questions and errors, by its journal and by the company's own ledger.

use purple_backoffice::EffectRecord;
use purple_journal::Record;
use purple_journal::record::approval::Granted;
use purple_journal::record::turn::Began;
use purple_journal::word::EventName;
use serde_json::{Value, json};

use super::item::{Item, item};
use super::people::Played;
use super::stream::Task;

/// Whether a person has signed a file for a kind of task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// Nobody has.
    None,
    /// Somebody has.
    Signed,
}

/// What one task cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    /// Calls of a model and of tools.
    pub(super) steps: u32,
    /// Plans that were put before a person, and things that the requester was asked for.
    pub(super) questions: u32,
    /// Plans that people refused, calls that the machine refused, ends without what was wanted, and effects that were
    /// not wanted.
    pub(super) errors: u32,
    /// Effects that neither a person nor a signed file permitted. There are none, whatever was learned.
    pub(super) unpermitted: u32,
}

impl Cost {
    /// Counts one task.
    pub(super) fn of(task: &Task, file: Standing, played: &Played, effects: &[EffectRecord]) -> Self {
        let (journal, answer) = (&played.journal, &played.answer);
        let mut cost = Self::default();
        // Nobody waits for a turn that a timer began.
        let mut by_timer = false;
        for recorded in journal {
            if let Some(began) = recorded.record().get::<Began>() {
                by_timer = began.event == EventName::Timer;
            }
            cost.add(recorded.record(), by_timer);
        }
        let wanted =
            |one: &EffectRecord| task.wants.as_ref().is_some_and(|wants| wants.is(&one.tool, &one.arguments));
        let right = effects.iter().filter(|one| wanted(one)).count();
        cost.errors += count(effects.len() - right);
        cost.errors += u32::from(right != usize::from(task.wants.is_some()));
        cost.errors += u32::from(!answer.contains(&task.answer));
        let granted = journal.iter().any(|one| one.record().get::<Granted>().is_some());
        match (granted, file) {
            (true, _) | (false, Standing::Signed) => {}
            (false, Standing::None) => cost.unpermitted = count(effects.len()),
        }
        cost
    }

    /// Adds what one record cost. Steps of a turn that a timer began do not count.
    fn add(&mut self, record: &Record, by_timer: bool) {
        match item(record) {
            Some(Item::Step) => self.steps += u32::from(!by_timer),
            Some(Item::Question) => self.questions += 1,
            Some(Item::Error) => self.errors += 1,
            None => {}
        }
    }

    pub(super) fn as_json(self) -> Value {
        let Self { steps, questions, errors, unpermitted } = self;
        json!({"steps": steps, "questions": questions, "errors": errors, "unpermitted": unpermitted})
    }
}

pub(super) fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

//! Tasks whose words are not a clear order: the task is restated, and the requester confirms or withdraws it.

use purple_intent::{Doubt, Mood};
use purple_journal::Redacted;
use purple_journal::record::{run, task};
use purple_process::{Attendance, Confirmation, Fact, PersonId};

use crate::event::Channel;
use crate::execute::advise::describe;
use crate::execute::close::Left;
use crate::execute::prepare::INPUTS_ASKED_MAX;
use crate::prime::choose::Fit;
use crate::prime::way::Way;
use crate::run::{Phase, Run};
use crate::session::Stage;

const CODE: &str = "task.unclear";

impl<'a> Run<'a> {
    /// Restates a task and asks the requester whether it is meant. Nothing is read or written before the answer.
    pub(crate) async fn restate(&mut self, text: &str, fit: &Fit<'_>, doubt: &Doubt) -> Phase<()> {
        let restated = restated(fit);
        let reason = match fit.task.say().is_empty() {
            true => format!(
                "`{}` does not say how it is asked for, so that each of its tasks is confirmed.",
                fit.process.file.name()
            ),
            false => explain(doubt),
        };
        let why = format!("Nothing was done yet. I read this as: {restated}. {reason}");
        self.ask_whether(text, restated, why).await
    }

    /// Quotes a task for a language model whose words order it for another time, or only if something holds.
    pub(crate) async fn restate_words(&mut self, text: &str, mood: Mood) -> Phase<()> {
        const CHARS_MAX: usize = 200;
        let quoted: String = text.trim().chars().take(CHARS_MAX).collect();
        let why = format!("Nothing was done yet. {}", explain(&Doubt::Mood(mood)));
        self.ask_whether(text, quoted, why).await
    }

    async fn ask_whether(&mut self, text: &str, restated: String, why: String) -> Phase<()> {
        if self.settings.attendance != Attendance::Attended || self.session.gates >= INPUTS_ASKED_MAX {
            return self.fail(CODE, &why).await;
        }
        self.session.gates = self.session.gates.saturating_add(1);
        self.scribe.note(task::InputAsked { missing: vec![Redacted::of(&why)] })?;
        self.session.stage = Stage::Confirming { text: text.to_owned(), restated };
        let how = "Answer \"yes\" to have exactly this done, \"no\" to leave it, or say it in other words.";
        self.remark_with(&format!("{why} {how}"), Some(CODE.to_owned()))
    }

    /// The requester confirmed the task as it was restated.
    pub(crate) async fn confirmed(&mut self, text: &str, by: &PersonId, channel: Channel) -> Phase<()> {
        let Stage::Confirming { restated, .. } = &self.session.stage else {
            return self.prepare(text).await;
        };
        let restated = restated.clone();
        self.scribe.note(task::Confirmed {
            by: Redacted::of(by),
            channel,
            restated: Redacted::of(&restated),
        })?;
        self.session.stage = Stage::Preparing;
        let (by, at) = (by.clone(), self.scribe.began());
        let confirmation = Confirmation { sentence: restated.clone(), by, at };
        let way: Way<'a> = self.way(text)?;
        match way {
            // The process files may have changed since: then the words mean something else now.
            Way::Unclear(fit, doubt) if self::restated(&fit) != restated => {
                self.restate(text, &fit, &doubt).await
            }
            Way::Unclear(fit, _) => {
                self.session.confirmed = Some(confirmation);
                self.complete_file(text, fit).await
            }
            Way::NeedsModel(_) if self.ports.models.is_some() => {
                self.session.confirmed = Some(confirmation);
                self.prepare(text).await
            }
            Way::Playbook(_)
            | Way::Calculate(_)
            | Way::LookUp(..)
            | Way::Advise(..)
            | Way::Reverse
            | Way::Several(_)
            | Way::NeedsModel(_) => self.prepare(text).await,
        }
    }

    /// The requester does not want the task as it was restated.
    pub(crate) async fn withdraw(&mut self) -> Phase<()> {
        let by = Redacted::of(&self.session.requester);
        self.scribe.note(run::Cancelled { by, reason: Redacted::of("the requester withdrew the task") })?;
        self.step(Fact::Cancelled)?;
        let sentences = vec!["Nothing was changed. The task was withdrawn.".to_owned()];
        self.close(Left { sentences, ..Left::default() }).await
    }
}

/// What would be done, in one sentence without its full stop.
fn restated(fit: &Fit<'_>) -> String {
    let values = fit.found.iter().map(|(name, value)| format!("{} {value}", fit.task.label_of(name)));
    let values: Vec<String> = values.collect();
    match values.is_empty() {
        true => fit.task.title().to_owned(),
        false => format!("{} ({})", fit.task.title(), values.join(", ")),
    }
}

/// The first words, each cut.
fn some(words: &[String]) -> String {
    const WORDS_MAX: usize = 6;
    const CHARS_MAX: usize = 40;
    let mut shown: Vec<String> =
        words.iter().take(WORDS_MAX).map(|word| word.chars().take(CHARS_MAX).collect()).collect();
    if words.len() > WORDS_MAX {
        shown.push(format!("and {} more words", words.len() - WORDS_MAX));
    }
    shown.join(", ")
}

/// Why the words are not a clear order, in one sentence.
fn explain(doubt: &Doubt) -> String {
    match doubt {
        Doubt::Words(words) => format!("I did not understand: {}.", some(words)),
        Doubt::NoForm => "The process is not usually asked for in these words.".to_owned(),
        Doubt::Mood(Mood::OtherTime) => {
            "The words name another time. There are no schedules yet: it would be done now.".to_owned()
        }
        Doubt::Mood(mood) => {
            format!("The words also {}; it would be done all the same.", describe(*mood))
        }
        Doubt::Statement => "The words state something and order nothing.".to_owned(),
        Doubt::Language => {
            "The language is not known here; English, German, French and Spanish are.".to_owned()
        }
    }
}

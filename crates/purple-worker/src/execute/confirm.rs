//! Tasks whose words are not a clear order: the task is restated, and the requester confirms or withdraws it.

use purple_intent::value::Notation;
use purple_intent::{Doubt, Mood, Role, read};
use purple_journal::Redacted;
use purple_journal::record::{run, task};
use purple_process::{Attendance, Confirmation, Fact, PersonId};

use crate::event::Channel;
use crate::execute::advise::describe;
use crate::execute::close::Left;
use crate::execute::prepare::INPUTS_ASKED_MAX;
use crate::execute::stance::Uncertainty;
use crate::prime::choose::Fit;
use crate::prime::way::{Way, left_out};
use crate::run::{Phase, Run};
use crate::session::Stage;

const CODE: &str = "task.unclear";

impl<'a> Run<'a> {
    /// Restates a task and asks the requester whether it is meant. Nothing is read or written before the answer.
    pub(crate) async fn restate(&mut self, text: &str, fit: &Fit<'_>, doubt: &Doubt) -> Phase<()> {
        let restated = restated(text, fit, doubt);
        let reason = match fit.task.say().is_empty() {
            true => format!(
                "`{}` does not say how it is asked for, so that each of its tasks is confirmed.",
                fit.process.file.name()
            ),
            false => explain(text, doubt),
        };
        let mut why = format!("Nothing was done yet. I read this as: {restated}. {reason}");
        why.extend(not_part(&left_out(text, fit, &self.settings.processes)).map(|note| format!(" {note}")));
        self.ask_whether(text, restated, why).await
    }

    /// Quotes a task for a language model whose words are no clear order.
    pub(crate) async fn restate_words(&mut self, text: &str, why: Uncertainty) -> Phase<()> {
        let (restated, reason) = match why {
            Uncertainty::Mood(mood) => (quoted(text, Some(mood)), explain(text, &Doubt::Mood(mood))),
            Uncertainty::Language => {
                let known = "English, German, French and Spanish are known";
                (quoted(text, None), format!("Some words are of no language that is known here; {known}."))
            }
            Uncertainty::Opinion(mood) => {
                let reason = format!("A model reads the words otherwise: they {}.", describe(mood));
                (quoted(text, Some(mood)), reason)
            }
        };
        let why = format!("Nothing was done yet. I read this as: {restated}. {reason}");
        self.ask_whether(text, restated, why).await
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
        let sentence = restated.clone();
        self.scribe.note(task::Confirmed {
            by: Redacted::of(by),
            channel,
            restated: Redacted::of(&sentence),
        })?;
        self.session.stage = Stage::Preparing;
        let confirmation = Confirmation { sentence, by: by.clone(), at: self.scribe.began() };
        let has_models = self.has_models();
        let way: Way<'a> = self.way_known(text).await?;
        match way {
            Way::Unclear(fit, doubt) if confirmation.sentence == self::restated(text, &fit, &doubt) => {
                self.session.confirmed = Some(confirmation);
                self.complete_file(text, fit).await
            }
            Way::Unclear(fit, doubt)
                if !has_models || !confirmation.sentence.starts_with(&quoted(text, None)) =>
            {
                // The process files may have changed since: then the words mean something else now.
                self.restate(text, &fit, &doubt).await
            }
            // Here the words themselves were quoted, because a model works on them.
            Way::Unclear(..) | Way::NeedsModel(_) | Way::LookUp(..) if has_models => {
                self.session.confirmed = Some(confirmation);
                self.prepare(text).await
            }
            Way::Playbook(fit) if has_models && !fit.missing.is_empty() => {
                self.session.confirmed = Some(confirmation);
                self.prepare(text).await
            }
            Way::Playbook(_)
            | Way::Unclear(..)
            | Way::Calculate(_)
            | Way::Open(_)
            | Way::LookUp(..)
            | Way::Advise(..)
            | Way::Reverse
            | Way::Several(_)
            | Way::NeedsModel(_) => self.prepare(text).await,
        }
    }

    /// Whether the requester confirmed exactly what a complete file would do.
    pub(crate) fn has_confirmed(&self, text: &str, fit: &Fit<'_>, doubt: &Doubt) -> bool {
        self.session.confirmed.as_ref().is_some_and(|one| one.sentence == restated(text, fit, doubt))
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
fn restated(text: &str, fit: &Fit<'_>, doubt: &Doubt) -> String {
    let values = fit.found.iter().map(|(name, value)| format!("{} {value}", fit.task.label_of(name)));
    let values: Vec<String> = values.collect();
    let would = match values.is_empty() {
        true => fit.task.title().to_owned(),
        false => format!("{} ({})", fit.task.title(), values.join(", ")),
    };
    let verb = ordering_verb(text).map(|verb| format!(", asked for by \"{verb}\"")).unwrap_or_default();
    let unlike = match doubt {
        Doubt::Mood(Mood::Negated) => match clause(text, Mood::Negated) {
            Some(clause) => format!(", although the words say \"{clause}\""),
            None => unlike(Mood::Negated).to_owned(),
        },
        Doubt::Mood(mood) => unlike(*mood).to_owned(),
        Doubt::Words(_) | Doubt::NoForm | Doubt::Statement | Doubt::Language => String::new(),
    };
    format!("{would}{verb}{unlike}")
}

/// The verb by which the words order something, as they write it.
fn ordering_verb(text: &str) -> Option<String> {
    let reading = read(text, &Notation::default());
    let order = reading.acts.iter().find(|act| act.mood == Mood::Order)?;
    let verb = order.words.iter().find(|word| matches!(word.role, Role::Verb(_)))?;
    Some(verb.span.of(text).to_owned())
}

/// The first words of this mood, cut, as the text writes them.
fn clause(text: &str, mood: Mood) -> Option<String> {
    const CHARS_MAX: usize = 80;
    let reading = read(text, &Notation::default());
    let act = reading.acts.iter().find(|act| act.mood == mood)?;
    let words: Vec<&str> = act.span.of(text).split_whitespace().collect();
    let words = words.join(" ");
    let cut: String = words.trim_matches(|c: char| !c.is_alphanumeric()).chars().take(CHARS_MAX).collect();
    (!cut.is_empty()).then_some(cut)
}

/// The beginning of a task in its own words, and what would be done otherwise than they say.
fn quoted(text: &str, mood: Option<Mood>) -> String {
    const CHARS_MAX: usize = 200;
    let words: Vec<&str> = text.split_whitespace().collect();
    let quoted: String = words.join(" ").chars().take(CHARS_MAX).collect();
    format!("\"{quoted}\"{}", mood.map(unlike).unwrap_or_default())
}

/// What would be done otherwise than words of this mood say. It is part of what the requester confirms.
const fn unlike(mood: Mood) -> &'static str {
    match mood {
        Mood::OtherTime => ", now and not at another time",
        Mood::Conditional => ", whether or not the condition holds",
        Mood::Reported => ", as the requester's own wish",
        Mood::Negated => ", although something is not to be done",
        Mood::Question | Mood::Draft | Mood::Calculation => ", and not only answered",
        Mood::Order | Mood::Reversal | Mood::Statement => "",
    }
}

/// Says which records of the words belong to something else.
pub(crate) fn not_part(left: &[String]) -> Option<String> {
    let note = || format!("Not part of it: {}. Say that as a task of its own.", some(left));
    (!left.is_empty()).then(note)
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
fn explain(text: &str, doubt: &Doubt) -> String {
    match doubt {
        Doubt::Words(words) => format!("I did not understand: {}.", some(words)),
        Doubt::NoForm => "The process is not usually asked for in these words.".to_owned(),
        Doubt::Mood(Mood::OtherTime) => {
            "The words name another time, and schedules do not exist yet: it would be done now.".to_owned()
        }
        Doubt::Mood(Mood::Negated) if let Some(clause) = clause(text, Mood::Negated) => {
            format!("The words also say what is not to be done: \"{clause}\"; it would be done all the same.")
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

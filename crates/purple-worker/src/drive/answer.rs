//! The final answer: the model's words, with what they lack marked, or what is known without a model.

use purple_journal::Redacted;
use purple_journal::record::model;
use purple_process::{Ending, Outcome, State};

use crate::document::{Document, asked_for};
use crate::drive::carry::AtWork;
use crate::drive::claims::{Log, contradicts};
use crate::drive::prompt::{GAPS, IMPROVE};
use crate::execute::call::cut;
use crate::execute::close::Left;
use crate::execute::finish::{is_exact_match, missing_fields};
use crate::execute::prepare::found;
use crate::reflect::score::Fields;
use crate::run::{Phase, Run};
use crate::session::Driving;
use crate::strategy::ReadsOnly;
use crate::strategy::list::{asks_for_list, bracketed};
use crate::strategy::reflection::{Asked, Prose, better, weakness};

/// The longest answer of a model, in bytes. A longer one is cut, and says so.
const ANSWER_BYTES_MAX: usize = 32 * 1024;
/// What is said where a task asks for a list.
const LIST: &str =
    "The task asks for a list: answer with one JSON array of its items, in order, and nothing else.";

impl Run<'_> {
    /// The loop of COMPLETE is over: its answer is checked for gaps, asked for once more, and then given.
    pub(crate) async fn answered(
        &mut self,
        mut work: AtWork,
        answer: Option<String>,
    ) -> Phase<Option<AtWork>> {
        let answer = answer.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        let answer = self.in_form(&mut work, answer);
        let gaps = match &answer {
            Some(text) if !is_exact_match(text) => missing_fields(&work.drive.answer_fields, text),
            Some(_) | None => Vec::new(),
        };
        if !gaps.is_empty() && !work.drive.asked_again && work.drive.spent.is_none() {
            work.drive.asked_again = true;
            // What was answered stays, in case the second time brings nothing better.
            work.drive.improving.clone_from(&answer);
            self.scribe.note(model::AnswerGaps { missing: Redacted::all(&gaps) })?;
            work.drive.says = Some(GAPS.fill(&[("missing", &gaps.join(", "))]));
            return Ok(Some(work));
        }
        let is_list = answer.as_deref().is_some_and(is_exact_match);
        let again = answer.is_some() && !work.drive.asked_again && work.drive.spent.is_none();
        if self.wants_list(&work) && !is_list && again && work.drive.calls_left > 0 {
            work.drive.asked_again = true;
            work.drive.improving.clone_from(&answer);
            self.scribe.note(model::AnswerNoList {})?;
            work.drive.says = Some(LIST.to_owned());
            return Ok(Some(work));
        }
        if self.can_improve(&mut work, answer.as_deref())? {
            return Ok(Some(work));
        }
        let left = self.last_words(work, answer, &gaps).await?;
        self.close(left).await?;
        Ok(None)
    }

    /// The form in which the answer is asked for, in words.
    pub(crate) fn form(&self, work: &AtWork) -> String {
        if self.wants_list(work) {
            return LIST.to_owned();
        }
        if let Some(kind) = asked_for(&work.opened.dossier.text) {
            return format!(
                "The answer is a {}: Markdown with one heading for each of these sections, in order: {}. Leave a section out where nothing is known about it.",
                kind.title().to_lowercase(),
                kind.sections().join(", ")
            );
        }
        match work.drive.answer_fields.as_slice() {
            [] => String::new(),
            fields => format!("The answer must have these fields: {}.", fields.join(", ")),
        }
    }

    /// Whether the answer is a list in brackets. Where something may have been changed, the log must stand beside it.
    fn wants_list(&self, work: &AtWork) -> bool {
        let reads_only = ReadsOnly::of(self.session.walk.route()).is_some();
        reads_only && asks_for_list(&work.opened.dossier.text)
    }

    /// The answer, the better one of two, in the form that was asked for.
    fn in_form(&self, work: &mut AtWork, answer: Option<String>) -> Option<String> {
        let fields = Asked { fields: &work.drive.answer_fields };
        let answer = match work.drive.improving.take().as_deref().and_then(Prose::of) {
            // A list in brackets is what was asked for again.
            Some(_) if answer.as_deref().is_some_and(|text| is_list(self.wants_list(work), text)) => answer,
            Some(before) => Some(better(before, answer.as_deref().and_then(Prose::of), fields).into_text()),
            None => answer,
        };
        if let (Some(kind), Some(text)) = (asked_for(&work.opened.dossier.text), &answer) {
            let document = Document::from_markdown(kind, text);
            // Words without a single section are an answer, and no document.
            let is_one = document.missing().len() < kind.sections().len();
            return Some(if is_one { document.to_markdown() } else { text.clone() });
        }
        let list = answer.as_deref().filter(|_| self.wants_list(work)).and_then(bracketed);
        list.or(answer)
    }

    /// Has a weak answer improved once: words for words, after which nothing else is different.
    fn can_improve(&mut self, work: &mut AtWork, answer: Option<&str>) -> Phase<bool> {
        let over = work.drive.reflected || work.drive.asked_again || work.drive.spent.is_some();
        let Some(prose) = answer.filter(|_| !over && work.drive.calls_left > 0).and_then(Prose::of) else {
            return Ok(false);
        };
        let Some(weak) = weakness(&prose, Asked { fields: &work.drive.answer_fields }) else {
            return Ok(false);
        };
        let reasons = weak.reasons.join("; ");
        let (score, reflected) = (Redacted::of(&weak.score), Redacted::all(&weak.reasons));
        self.scribe.note(model::AnswerReflected { score, reasons: reflected })?;
        work.drive.reflected = true;
        work.drive.improving = Some(prose.into_text());
        work.drive.says = Some(IMPROVE.fill(&[("reasons", &reasons)]));
        Ok(true)
    }

    async fn last_words(&mut self, mut work: AtWork, answer: Option<String>, gaps: &[String]) -> Phase<Left> {
        self.keep_case(&mut work)?;
        let fields = Fields::of(work.drive.answer_fields.len(), gaps.len());
        let (spent, lack) = (work.drive.spent.clone(), work.drive.lack);
        let AtWork { driving: Driving { case, trail, .. }, opened, catalogue, .. } = work;
        let plan = match trail.permitted.last() {
            Some(hash) => {
                let plan = self.plan(*hash).await?;
                let ruling = self.judged_again(&opened, &catalogue, &plan, None)?;
                Some((plan, ruling))
            }
            None => None,
        };
        let ruled = plan.as_ref().map(|(plan, ruling)| (&**plan, ruling));
        let ran = trail.started.iter().filter(|one| one.outcome != Outcome::Absent).count();
        let could = self.session.walk.route().visits(State::Mutate);
        let log = if ran == 0 { Log::Empty } else { Log::Ran };
        // What the log does not show is not said above it.
        let is_told = |text: &String| !could || is_exact_match(text) || !contradicts(text, log);
        let (answer, is_left_out) = match answer {
            Some(text) if is_told(&text) => (Some(text), false),
            other => (None, other.is_some()),
        };
        let mut left = self.left(&opened, Some(case), trail, &catalogue, ruled)?;
        left.sentences.clear();
        left.fields = Some(fields);
        match answer {
            Some(text) => {
                // A model may claim what it likes: where it could have changed something and did not, that comes first.
                if could && ran == 0 && !is_exact_match(&text) {
                    left.sentences.push("Nothing was changed. In the words of the model:".to_owned());
                }
                left.sentences.push(short(text));
            }
            None if is_left_out => {
                left.sentences.push(match ran {
                    0 => "Nothing was changed.".to_owned(),
                    1 => "One operation was carried out; the log says how it came out.".to_owned(),
                    ran => format!("{ran} operations were carried out; the log says how each came out."),
                });
                left.sentences.push("The model's own words contradict the log, and are left out.".to_owned());
                left.shows.extend(found(&opened));
            }
            None if self.session.walk.ending() == Some(Ending::Done) => {
                left.sentences.push("This answer was put together without a language model.".to_owned());
                left.shows.extend(found(&opened));
            }
            None => {}
        }
        if !gaps.is_empty() {
            left.sentences.push(format!("Not found: {}.", gaps.join(", ")));
        }
        if let Some(why) = spent {
            let told = format!("The language model was not asked any more: {}.{}", cut(&why), lack.help());
            left.sentences.push(told);
            left.code = Some(lack.code().to_owned());
        }
        Ok(left)
    }
}

/// Whether a text is the list that was wanted.
fn is_list(wanted: bool, text: &str) -> bool {
    wanted && (is_exact_match(text) || bracketed(text).is_some())
}

fn short(text: String) -> String {
    if text.len() <= ANSWER_BYTES_MAX {
        return text;
    }
    let end = text.floor_char_boundary(ANSWER_BYTES_MAX);
    format!("{}… [cut: {} bytes in all]", text.get(..end).unwrap_or_default(), text.len())
}

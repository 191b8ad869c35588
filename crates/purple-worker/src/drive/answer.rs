//! The final answer: the model's words, with what they lack marked, or what is known without a model.

use purple_journal::Redacted;
use purple_journal::record::model;
use purple_process::{Ending, Operation, OperationKey, Outcome, State};

use crate::document::{Document, asked_for};
use crate::dossier::Opened;
use crate::drive::carry::AtWork;
use crate::drive::claims::{Book, Deed, Fate, Kept, kept};
use crate::drive::prompt::{GAPS, IMPROVE};
use crate::execute::call::cut;
use crate::execute::close::Left;
use crate::execute::finish::{is_exact_match, missing_fields};
use crate::execute::prepare::found;
use crate::execute::rule::to_serde;
use crate::reflect::score::Fields;
use crate::run::{Phase, Run};
use crate::session::{Driving, Trail};
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
        let captured = std::mem::take(&mut work.drive.captured);
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
        let could = self.session.walk.route().visits(State::Mutate);
        let (book, told) = self.book(&opened, &trail, &captured, could).await?;
        let mut left = self.left(&opened, Some(case), trail, &catalogue, ruled)?;
        left.sentences.clear();
        left.fields = Some(fields);
        let is_list = answer.as_deref().is_some_and(is_exact_match);
        // What the log does not show is not said beside it.
        let answer = answer.map(|text| match is_list {
            true => Kept { text, dropped: 0 },
            false => kept(&text, &book),
        });
        let dropped = answer.as_ref().map_or(0, |kept| kept.dropped);
        // What was done and what was not is said by code, and first.
        if (could || dropped > 0) && !is_list {
            left.sentences.push(told);
        }
        match answer.filter(|kept| !kept.text.is_empty()) {
            Some(Kept { text, dropped }) => {
                if could && !is_list {
                    left.sentences.push("In the words of the model:".to_owned());
                }
                left.sentences.push(short(text));
                if dropped > 0 {
                    left.sentences.push(
                        "What else the model said of operations does not match the log, and is left out."
                            .to_owned(),
                    );
                }
            }
            None if dropped > 0 => {
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

impl Run<'_> {
    /// Every operation of the round as words may tell it, with what was read; and what code says of them.
    async fn book(
        &self,
        opened: &Opened,
        trail: &Trail,
        captured: &[Operation],
        could: bool,
    ) -> Phase<(Book, String)> {
        let mut operations: Vec<(OperationKey, Operation, Fate)> = Vec::new();
        for hash in &trail.permitted {
            let plan = self.plan(*hash).await?;
            for (operation, key) in plan.keyed() {
                let outcome = trail.started.iter().find(|one| one.key == key).map(|one| one.outcome);
                operations.retain(|(known, ..)| *known != key);
                operations.push((key, operation.clone(), fate(outcome)));
            }
        }
        let seen = self.mutations().await?;
        let mut deeds: Vec<Deed> = Vec::new();
        for (key, operation, fate) in &operations {
            let mut given = given(operation);
            let of_it = seen.iter().filter(|one| one.key == *key && *fate == Fate::Done);
            given.extend(of_it.map(|one| one.after.clone()));
            deeds.push(Deed::new(operation.tool.as_str(), &given, *fate));
        }
        let unasked = captured.iter().map(|one| Deed::new(one.tool.as_str(), &given(one), Fate::NotDone));
        deeds.extend(unasked);
        let told = told(&operations);
        Ok((Book { deeds, read: read_texts(opened), could }, told))
    }
}

const fn fate(outcome: Option<Outcome>) -> Fate {
    match outcome {
        Some(Outcome::Verified | Outcome::Unverifiable) => Fate::Done,
        Some(Outcome::Absent) | None => Fate::NotDone,
        Some(Outcome::Mismatch | Outcome::InDoubt) => Fate::Unsure,
    }
}

fn given(operation: &Operation) -> Vec<serde_json::Value> {
    operation.arguments.values().filter_map(|argument| argument.value()).map(to_serde).collect()
}

/// What was carried out and what was not, in the words of the plan.
fn told(operations: &[(OperationKey, Operation, Fate)]) -> String {
    const NAMED_MAX: usize = 5;
    let named = |fate: Fate| -> Vec<String> {
        let of_it = operations.iter().filter(|(.., own)| *own == fate);
        of_it.map(|(_, operation, _)| operation.headline()).collect()
    };
    let line = |what: &str, headlines: Vec<String>| {
        let more = headlines.len().saturating_sub(NAMED_MAX);
        let shown = headlines.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>().join("; ");
        let more = if more > 0 { format!("; and {more} more") } else { String::new() };
        (!headlines.is_empty()).then(|| format!("{what}: {shown}{more}."))
    };
    let done = line("Carried out", named(Fate::Done)).unwrap_or_else(|| "Nothing was changed.".to_owned());
    let unsure = line("Not as it should be, or not known", named(Fate::Unsure));
    let done = match (&unsure, named(Fate::Done).is_empty()) {
        (Some(_), true) => None,
        _ => Some(done),
    };
    let lines = [done, unsure, line("Not done", named(Fate::NotDone))];
    lines.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// What was read, each answer as text, as far as words are held against it.
fn read_texts(opened: &Opened) -> Vec<String> {
    const ANSWERS_MAX: usize = 60;
    const CHARS_MAX: usize = 4_000;
    let declared = opened.dossier.reads.iter().flat_map(|read| read.answers.iter().flatten());
    let driven = opened.dossier.driven.iter().flat_map(|driven| &driven.reads);
    let answers =
        declared.map(ToString::to_string).chain(driven.map(|found| found.answer.for_work().to_string()));
    answers.take(ANSWERS_MAX).map(|text| text.chars().take(CHARS_MAX).collect()).collect()
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

//! The answer to a question about a task: whether it can be relied on, and the task with it.

use std::collections::BTreeMap;

use purple_finance::Exact;
use purple_intent::value::{Amount, Day, Meaning, Notation, Value, values};
use purple_intent::{Act, AnswerDoubt, Word, doubt_answer};
use purple_process::file::{Setting, Task, extract};

use super::calculate::{Outcome, calculate, outcome};
use super::open::written;
use crate::run::Run;

impl Run<'_> {
    /// Why an answer to a question about the task is not taken; `None` if it is.
    pub(crate) fn doubt_about(&self, text: &str, answer: &str) -> Option<String> {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let calculates = matches!(outcome(text, &setting), Outcome::Open(_));
        let task = if calculates { None } else { self.asked_task() };
        let is_asked = |word: &Word| match task {
            Some(task) => belongs(word, task),
            // The words of a calculation are looked at when it is read with its answer.
            None => true,
        };
        let prefixes = task.map(|task| task.prefixes().collect()).unwrap_or_default();
        let notation = setting.notation(prefixes);
        let why = match doubt_answer(answer, &notation, is_asked) {
            Some(AnswerDoubt::NotCertain(words)) => format!("it says \"{words}\""),
            Some(AnswerDoubt::Asks) => "it asks something itself".to_owned(),
            Some(AnswerDoubt::Words(words)) => format!("I did not understand: {}", words.join(", ")),
            None => two_meanings(answer, &notation)?,
        };
        Some(format!(
            "I did not take that as the answer: {why}. Nothing was done. Answer with what is certain and nothing else, or write the whole task again."
        ))
    }

    /// The task with an answer to a question about it. A whole task takes the place of the one before.
    pub(crate) fn with_answer(&self, text: &str, answer: &str) -> String {
        let setting = self.settings.setting(self.settings.day(self.scribe.began()));
        let is_whole = |task: &Task| {
            let found = extract(answer, task.inputs(), &BTreeMap::new(), &setting);
            found.missing.is_empty() && task.read(answer, &setting).acts.iter().any(Act::orders)
        };
        match self.asked_task().is_some_and(is_whole) {
            true => answer.to_owned(),
            false => with_answer(text, answer, &setting),
        }
    }

    fn asked_task(&self) -> Option<&Task> {
        let chosen = self.session.chosen.as_ref()?;
        let process = self.settings.process(&chosen.process)?;
        process.file.tasks().iter().find(|task| task.name() == chosen.task)
    }
}

/// What the first date or amount of an answer can mean, if it is more than one thing.
fn two_meanings(answer: &str, notation: &Notation) -> Option<String> {
    let is_asked = |value: &&Value| {
        let counts = |meaning: &Meaning| matches!(meaning, Meaning::Day(_) | Meaning::Amount(_));
        value.only().is_none() && value.meanings.iter().all(counts)
    };
    let found = values(answer, notation);
    let value = found.iter().find(is_asked)?;
    let meanings: Vec<String> = value.meanings.iter().map(written).collect();
    Some(format!("`{}` can mean {}", value.span.of(answer), meanings.join(" or ")))
}

/// Whether a word is one of the task: of its file, its forms or the names of its inputs.
fn belongs(word: &Word, task: &Task) -> bool {
    let labels = || task.inputs().iter().map(|input| task.label_of(input.name()).to_lowercase());
    task.uses(&word.lower)
        || task.say().iter().any(|form| form.explains(word))
        || labels().any(|label| label.split(' ').any(|part| part == word.lower))
}

/// A task with an answer. A whole calculation takes its place, the meaning of a value takes the place of the value, and
/// everything else is added.
fn with_answer(text: &str, answer: &str, setting: &Setting) -> String {
    if calculate(answer, setting).is_some() {
        return answer.to_owned();
    }
    chosen_meaning(text, answer, setting).unwrap_or_else(|| format!("{text}\n{answer}"))
}

/// The text in which the only unclear value is written as the answer says, if it is one of its meanings.
fn chosen_meaning(text: &str, answer: &str, setting: &Setting) -> Option<String> {
    let notation = setting.notation(Vec::new());
    let said = values(answer, &notation);
    let [said] = said.as_slice() else { return None };
    let found = values(text, &notation);
    let mut unclear = found.iter().filter(|value| value.only().is_none());
    let (Some(value), None) = (unclear.next(), unclear.next()) else { return None };
    let mut fitting = value.meanings.iter().filter(|meaning| is_same(meaning, said));
    let (Some(meaning), None) = (fitting.next(), fitting.next()) else { return None };
    let (before, after) = (text.get(..value.span.start)?, text.get(value.span.end..)?);
    Some(format!("{before}{}{after}", without_doubt(meaning)?))
}

/// Whether a value that somebody said is this meaning, with or without its currency.
fn is_same(meaning: &Meaning, said: &Value) -> bool {
    match (meaning, said.only()) {
        (one, Some(other)) if one == other => true,
        (Meaning::Amount(amount), Some(Meaning::Number(number))) => amount.number == *number,
        _ => false,
    }
}

/// A meaning in a notation that has only this one.
fn without_doubt(meaning: &Meaning) -> Option<String> {
    match meaning {
        Meaning::Amount(Amount { number, currency }) => Some(format!("{} {currency}", digits(number))),
        Meaning::Percent(percent) => Some(format!("{}%", digits(percent))),
        Meaning::Number(number) => Some(digits(number)),
        Meaning::Day(Day::On(date)) => Some(date.to_string()),
        Meaning::Id(_) | Meaning::Quantity { .. } | Meaning::Day(_) | Meaning::Month(_) => None,
    }
}

/// A number whose point can only mark decimals: never with three of them.
fn digits(number: &Exact) -> String {
    let written = number.to_string();
    match written.split_once('.') {
        Some((_, decimals)) if decimals.len() == 3 => format!("{written}0"),
        Some(_) => written,
        None => format!("{written}.00"),
    }
}

#[cfg(test)]
mod tests {
    use purple_finance::Currency;

    use super::*;

    #[test]
    fn an_answer_takes_the_place_of_what_was_unclear() {
        let setting = Setting { today: jiff::civil::date(2026, 3, 2), dollar: Currency::USD };
        let text = "What is 19% VAT on 1.234 EUR net?";
        for (answer, figure) in
            [("1234", "234.46 EUR"), ("1,234.00 EUR", "234.46 EUR"), ("It is 1234 EUR.", "234.46 EUR")]
        {
            let whole = with_answer(text, answer, &setting);
            assert_eq!(
                calculate(&whole, &setting).map(|found| found.result).as_deref(),
                Some(figure),
                "{whole}"
            );
        }
        // Not one of its meanings, and still unclear: nothing is computed.
        for answer in ["5,000.00 EUR", "1.234 EUR", "1.2340 EUR", "the larger one"] {
            assert_eq!(calculate(&with_answer(text, answer, &setting), &setting), None, "{answer}");
        }
        let whole = with_answer("Late fee on 1,460 EUR, 100 days late?", "5% a year", &setting);
        assert_eq!(calculate(&whole, &setting).map(|found| found.result).as_deref(), Some("20.00 EUR"));
    }
}

use std::path::Path;

use purple_finance::{Currency, Exact, Rounding};
use serde_json::Value as Json;

use super::*;

/// The part of the corpus' calculations that is answered without a model, in percent. Four of the 51 sentences name
/// records, which the processes look up.
const RIGHT_PERCENT_MIN: usize = 85;

fn setting() -> Setting {
    Setting { today: jiff::civil::date(2026, 3, 2), dollar: Currency::USD }
}

fn rows() -> Vec<Json> {
    corpus("open.jsonl")
}

fn corpus(name: &str) -> Vec<Json> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../checks/corpus").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text<'r>(row: &'r Json, field: &str) -> &'r str {
    row.get(field).and_then(Json::as_str).unwrap_or_default()
}

/// Numbers with their decimals, and the three-letter codes of currencies.
fn parts(figure: &str) -> (Vec<(Exact, u8)>, Vec<String>) {
    let split = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '%');
    let words: Vec<&str> = figure.split(split).filter(|word| !word.is_empty()).collect();
    let number = |word: &&str| {
        let places = word.split_once('.').map_or(0, |(_, after)| u8::try_from(after.len()).unwrap());
        Some((Exact::parse(word).ok()?, places))
    };
    let codes = words.iter().filter(|word| word.len() == 3 && word.chars().all(|c| c.is_ascii_uppercase()));
    (words.iter().filter_map(number).collect(), codes.map(|code| (*code).to_owned()).collect())
}

/// Whether the answer is the figure, rounded to the decimals with which the figure is written.
fn is_same(answer: &str, figure: &str) -> bool {
    if answer.contains('-') || figure.contains('-') {
        return answer == figure;
    }
    let ((answered, in_currency), (expected, currency)) = (parts(answer), parts(figure));
    let same = |((answer, _), (expected, places)): (&(Exact, u8), &(Exact, u8))| {
        &answer.rounded(*places, Rounding::HalfEven) == expected
    };
    answered.len() == expected.len() && in_currency == currency && answered.iter().zip(&expected).all(same)
}

#[test]
fn the_calculations_of_the_corpus_are_right_or_not_answered() {
    let rows: Vec<Json> = rows().into_iter().filter(|row| text(row, "expect") == "calculates").collect();
    assert!(rows.len() > 50);
    let (mut right, mut wrong, mut open) = (0, Vec::new(), Vec::new());
    for row in &rows {
        let (sentence, figure) = (text(row, "text"), text(row, "figure"));
        match calculate(sentence, &setting()) {
            Some(found) if is_same(&found.result, figure) => right += 1,
            Some(found) => {
                wrong.push(format!("{}: {sentence}\n  {found:?}, expected {figure}", text(row, "id")))
            }
            None => open.push(format!("{}: {sentence}", text(row, "id"))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let share = right * 100 / rows.len();
    assert!(share >= RIGHT_PERCENT_MIN, "{right} of {} are answered\n{}", rows.len(), open.join("\n"));
}

#[test]
fn sentences_of_the_corpus_that_ask_for_something_else_are_not_calculated() {
    let other = ["does", "undoes", "lists", "chats", "asks"];
    for row in rows().iter().filter(|row| other.contains(&text(row, "expect"))) {
        assert_eq!(calculate(text(row, "text"), &setting()), None, "{}", text(row, "id"));
    }
}

/// The part of the answerable sentences of `calculations.jsonl` that is answered, in percent.
const ANSWERED_PERCENT_MIN: usize = 94;

#[test]
fn every_figure_of_the_calculations_is_right_and_what_is_unclear_is_not_answered() {
    let rows = corpus("calculations.jsonl");
    let (mut right, mut wrong, mut open) = (0, Vec::new(), Vec::new());
    let (answerable, unclear): (Vec<&Json>, Vec<&Json>) =
        rows.iter().partition(|row| text(row, "expect") == "calculates");
    for row in &rows {
        let (sentence, figure) = (text(row, "text"), row.get("figure").and_then(Json::as_str));
        match (outcome(sentence, &setting()), figure) {
            (Outcome::Answer(found), Some(figure)) if found.result == figure => right += 1,
            (Outcome::Answer(found), _) => {
                wrong.push(format!("{}: {sentence}\n  {found:?}", text(row, "id")))
            }
            (Outcome::Open(_) | Outcome::Other, Some(_)) => {
                open.push(format!("{}: {sentence}", text(row, "id")))
            }
            (Outcome::Open(_) | Outcome::Other, None) => {}
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(answerable.len() > 150 && unclear.len() > 150);
    let share = right * 100 / answerable.len();
    assert!(
        share >= ANSWERED_PERCENT_MIN,
        "{right} of {} are answered\n{}",
        answerable.len(),
        open.join("\n")
    );
}

/// Sentences with the function and its answer, or `-` where nothing may be answered.
#[test]
fn further_sentences_are_right_or_not_answered() {
    let cases = include_str!("calculate_cases.txt");
    let mut wrong = Vec::new();
    for line in cases.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let (sentence, expected) = line.rsplit_once(" => ").unwrap();
        let found = calculate(&sentence.replace("\\n", "\n"), &setting());
        let got = found.map_or("-".to_owned(), |found| found.result);
        if got != expected {
            wrong.push(format!("{sentence}\n   {got}, expected {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

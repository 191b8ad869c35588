//! Orders of the complete shipped files in four languages: what leaves them covered orders, and what never does.
//!
//! An order is a verb and pieces in any sequence. Courtesy and the parts of a mail are put around it; negations,
//! conditions and other times are put into it at every place between two words.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use purple_intent::{Cover, Language};
use purple_policy::Currency;
use purple_process::file::{Extracted, ProcessFile, Setting, Task, builtin, extract};

#[path = "phrases/frames.rs"]
mod frames;
mod phrases;

use frames::{Frames, frames};
use phrases::{ORDERS, Order};

static FILES: LazyLock<Vec<ProcessFile>> = LazyLock::new(|| builtin().unwrap());

fn setting() -> Setting {
    Setting { today: date(2026, 3, 4), dollar: Currency::USD }
}

/// Whether a text is a covered order of a task.
fn covers(task: &Task, text: &str) -> bool {
    let Extracted { found, missing, places } = extract(text, task.inputs(), &BTreeMap::new(), &setting());
    let cover = task.cover(text, &task.read(text, &setting()), &found, &places);
    missing.is_empty() && matches!(cover, Cover::Covered { .. })
}

fn is_covered(order: &Order, text: &str) -> bool {
    let (process, task) = order.task;
    let file = FILES.iter().find(|file| file.name() == process).unwrap();
    covers(file.task(task).unwrap(), text)
}

/// All sequences of some pieces.
fn sequences(pieces: &[&'static str]) -> Vec<Vec<&'static str>> {
    if pieces.is_empty() {
        return vec![Vec::new()];
    }
    let first = |at: usize| {
        let mut rest = pieces.to_vec();
        let first = rest.remove(at);
        sequences(&rest).into_iter().map(move |rest| [&[first], rest.as_slice()].concat())
    };
    (0..pieces.len()).flat_map(first).collect()
}

/// Every order in each of these frames: alone in every sequence, and as it is in each mail.
fn every(frames_of: fn(&Frames) -> &'static [&'static str]) -> Vec<(&'static Order, String)> {
    let mut all = Vec::new();
    for order in ORDERS {
        let frames = frames(order.language);
        for frame in frames_of(frames) {
            all.extend(sequences(order.pieces).iter().map(|pieces| (order, framed(frame, order, pieces))));
            let text = framed(frame, order, order.pieces);
            all.extend(frames.mails.iter().map(|mail| (order, mail.replace("{}", &text))));
        }
    }
    all
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// A frame with the order in it, in the form that the frame wants.
fn framed(frame: &str, order: &Order, pieces: &[&str]) -> String {
    let text = frame
        .replace("{imp}", &order.imperative(pieces))
        .replace("{inf}", &order.infinitive(pieces))
        .replace("{ppl}", &order.participle(pieces));
    capitalized(&text)
}

#[test]
fn an_order_stays_one_in_every_sequence_with_courtesy_and_in_mails() {
    let all = every(|frames| frames.polite);
    let lost: Vec<&String> =
        all.iter().filter(|(order, text)| !is_covered(order, text)).map(|(_, text)| text).collect();
    assert!(lost.is_empty(), "{} of {}: {lost:#?}", lost.len(), all.len());
    assert!(all.len() > 1_000, "{}", all.len());
}

#[test]
fn what_turns_an_order_leaves_none_in_any_sequence_and_mail() {
    let all = every(|frames| frames.turned);
    let wrong: Vec<&String> =
        all.iter().filter(|(order, text)| is_covered(order, text)).map(|(_, text)| text).collect();
    assert!(wrong.is_empty(), "{} of {}: {wrong:#?}", wrong.len(), all.len());
    assert!(all.len() > 4_000, "{}", all.len());
}

/// A text with words put in at every place between two others.
fn with_words<'t>(text: &'t str, words: &'t str) -> impl Iterator<Item = String> + 't {
    let all: Vec<&str> = text.split(' ').collect();
    (0..=all.len()).map(move |at| {
        let (before, after) = all.split_at(at);
        [before, &[words], after].concat().join(" ")
    })
}

#[test]
fn what_is_put_into_an_order_anywhere_leaves_none() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for order in ORDERS {
        let frames = frames(order.language);
        for form in [order.imperative(order.pieces), order.infinitive(order.pieces)] {
            for words in frames.inserted {
                for text in with_words(&form, words) {
                    let text = format!("{}.", capitalized(&text));
                    count += 1;
                    if is_covered(order, &text) {
                        wrong.push(text);
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
    assert!(count > 2_000, "{count}");
}

#[test]
fn every_language_has_an_order_of_every_complete_task() {
    for file in FILES.iter() {
        for task in file.tasks().iter().filter(|task| task.is_complete()) {
            for language in Language::ALL {
                let is_it =
                    |order: &&Order| order.language == language && order.task == (file.name(), task.name());
                assert!(ORDERS.iter().any(|order| is_it(&order)), "{language:?} {}", task.name());
            }
        }
    }
}

#[test]
fn somebody_who_does_something_orders_nothing() {
    for text in [
        "Die Kollegen bearbeiten die Rechnung INV-7.",
        "Die Kollegin bearbeitet die Rechnung INV-7 gemäß Richtlinie.",
        "Die Rechnung INV-7 bearbeitet die Kollegin.",
        "INV-7 genehmigt der Chef.",
        "Maria genehmigt die Rechnung INV-7.",
        "Marie approuve la facture INV-7.",
        "L'équipe approuve la facture INV-7.",
        "María aprueba la factura INV-7.",
        "El equipo aprueba la factura INV-7.",
        "Our suppliers approve invoice INV-7.",
    ] {
        let file = FILES.iter().find(|file| file.name() == "invoice_reconciliation").unwrap();
        assert!(!covers(file.task("invoice_reconciliation").unwrap(), text), "{text}");
    }
}

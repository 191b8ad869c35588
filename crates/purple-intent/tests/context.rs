//! Words about the circumstances of an order, and words that make it another order.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use purple_intent::value::Notation;
use purple_intent::{Asked, Cover, Doubt, Form, Language, SayForm, cover, lexicon, read};

const ENGLISH: &str = include_str!("../data/context/en.txt");
const GERMAN: &str = include_str!("../data/context/de.txt");
const FRENCH: &str = include_str!("../data/context/fr.txt");
const SPANISH: &str = include_str!("../data/context/es.txt");

fn words(list: &str) -> impl Iterator<Item = &str> {
    list.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace)
}

/// What a text says about a process that approves invoices.
fn covered(text: &str) -> Cover {
    let forms = [
        SayForm::parse(Language::English, "approve [vendor|supplier] invoice {invoice}").unwrap(),
        SayForm::parse(Language::German, "freigeben rechnung {invoice}").unwrap(),
    ];
    let reading = read(text, &Notation::default());
    let ids: Vec<_> = reading.values.iter().map(|value| value.span).collect();
    let takes = |span: purple_intent::Span| ids.contains(&span);
    cover(
        text,
        &reading,
        &Asked { forms: &forms, known: &|_| true, uses: &|_| false, items: false, takes: &takes },
    )
}

#[test]
fn no_word_about_circumstances_can_be_an_imperative() {
    for (language, list) in [
        (Language::English, ENGLISH),
        (Language::German, GERMAN),
        (Language::French, FRENCH),
        (Language::Spanish, SPANISH),
    ] {
        // A participle and an adjective can be spelled like a verb that orders nothing by itself.
        let orders = |word: &&str| {
            let forms = lexicon(language).verb(word);
            !forms.is_empty() && forms.iter().all(|form| form.form == Form::Imperative)
        };
        let wrong: Vec<&str> = words(list).filter(orders).collect();
        assert!(wrong.is_empty(), "{language:?}: {wrong:?}");
    }
}

#[test]
fn circumstances_leave_an_order_as_it_is() {
    let mut wrong = Vec::new();
    for text in [
        "Approve invoice INV-7.",
        "Approve invoice INV-7 for the warehouse in the basement.",
        "Please approve invoice INV-7, the goods arrived and the paperwork is in the folder.",
        "Approve the urgent vendor invoice INV-7 of the logistics department.",
        "Bitte die Rechnung INV-7 freigeben, die Ware ist vollständig eingetroffen.",
    ] {
        wrong.extend((!matches!(covered(text), Cover::Covered { .. })).then(|| (text, covered(text))));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_part_and_another_record_are_other_orders() {
    let mut wrong = Vec::new();
    for text in [
        "Approve half of invoice INV-7.",
        "Approve most of invoice INV-7 today.",
        "Approve invoice INV-7 in part.",
        "Approve another invoice like INV-7.",
        "Approve the vendor of invoice INV-7.",
        "Approve the vendor behind invoice INV-7.",
        "Approve the order of invoice INV-7.",
        "Please approve the warehouse for invoice INV-7.",
        "Bitte die halbe Rechnung INV-7 freigeben.",
        "Bitte den Lieferanten der Rechnung INV-7 freigeben.",
        "Bitte den Vertrag zur Rechnung INV-7 freigeben.",
        "Bitte eine ähnliche Rechnung zu INV-7 freigeben.",
    ] {
        wrong.extend(
            (!matches!(covered(text), Cover::Doubtful(Doubt::Words(_)))).then(|| (text, covered(text))),
        );
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

//! Remarks beside covered orders in four languages: which leave them covered orders, and which never do.
//!
//! Harmless remarks are composed of somebody and something that happened; dangerous ones are a clause of each class.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use purple_intent::{Cover, Language};
use purple_policy::Currency;
use purple_process::file::{ProcessFile, Setting, builtin, extract};

#[expect(dead_code, reason = "other tests use the rest")]
mod phrases;

use phrases::{ORDERS, Order};

static FILES: LazyLock<Vec<ProcessFile>> = LazyLock::new(|| builtin().unwrap());

fn is_covered(order: &Order, text: &str) -> bool {
    let (process, name) = order.task;
    let task = FILES.iter().find(|file| file.name() == process).and_then(|file| file.task(name)).unwrap();
    let setting = Setting { today: date(2026, 3, 4), dollar: Currency::USD };
    let extracted = extract(text, task.inputs(), &BTreeMap::new(), &setting);
    let cover = task.cover(text, &task.read(text, &setting), &extracted.found, &extracted.places);
    extracted.missing.is_empty() && matches!(cover, Cover::Covered { .. })
}

/// Somebody, and what can be said of them.
fn background(language: Language) -> (&'static [&'static str], &'static [&'static str]) {
    match language {
        Language::English => (
            &["Our colleague in the warehouse", "The lady from sales", "Tom"],
            &[
                "has been on the phone twice this morning",
                "told me about it in the corridor",
                "is very grateful for the quick help",
                "was never late in all these years",
                "would be delighted",
            ],
        ),
        Language::German => (
            &["Die Kollegin aus dem Lager", "Unser Chef"],
            &["hat heute zweimal angerufen", "ist sehr dankbar für die schnelle Hilfe", "war nie krank"],
        ),
        Language::French => (
            &["Notre collègue du dépôt", "Le chef"],
            &["a appelé deux fois ce matin", "est très content de votre aide"],
        ),
        Language::Spanish => (
            &["Nuestra colega del almacén", "El jefe"],
            &["ha llamado dos veces esta mañana", "está muy contento con su ayuda"],
        ),
    }
}

/// A clause of each class of danger.
fn dangers(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            "However, Tom sees it the other way round",
            "Sorry, wrong chat",
            "Hands off for now",
            "The supplier denies it and nobody knows who is right",
            "Kidding",
            "It is the example for the slides",
            "Tom will take care of it",
            "That was already done on Tuesday",
            "Not before the end of May",
            "Maria still has to sign it",
            "She took the resignation back and is staying",
            "I want to sleep on it",
            "Disregard this",
            "He used my laptop during lunch",
        ],
        Language::German => &[
            "Ach nee, Kommando zurück",
            "Das Ganze bleibt vorerst liegen",
            "Der Lieferant bestreitet das",
            "Spaß beiseite",
            "Das ist ein Beispiel für die Schulung",
            "Das mache ich nachher selber",
            "Das ist schon erledigt, die Buchhaltung war schneller",
            "Frühestens im Juni",
            "Die Unterschrift von Maria steht noch aus",
            "Er hat die Kündigung zurückgezogen und bleibt",
        ],
        Language::French => &[
            "Non, oubliez",
            "Tout reste en l'état",
            "Le fournisseur conteste les chiffres",
            "Je plaisante",
            "C'est un exemple pour la formation",
            "Je m'en occupe moi-même",
            "C'est déjà fait",
            "Pas avant la fin avril",
            "Il manque encore la signature de Marie",
        ],
        Language::Spanish => &[
            "No, mejor déjalo",
            "Todo queda como está",
            "El proveedor niega los datos",
            "Es broma",
            "Es un ejemplo para el curso",
            "Lo hago yo mismo",
            "Ya está hecho",
            "No antes de abril",
            "Todavía falta la firma de Tom",
        ],
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    format!("{}.", first.unwrap_or_default())
}

#[test]
fn what_is_said_about_others_leaves_an_order_one() {
    let (mut lost, mut count) = (Vec::new(), 0);
    for order in ORDERS {
        let text = sentence(&order.imperative(order.pieces));
        let (who, what) = background(order.language);
        for remark in who.iter().flat_map(|who| what.iter().map(move |what| format!("{who} {what}."))) {
            for text in
                [format!("{remark} {text}"), format!("{text} {remark}"), format!("{text}\n\n{remark}")]
            {
                count += 1;
                if !is_covered(order, &text) {
                    lost.push(text);
                }
            }
        }
    }
    assert!(lost.is_empty(), "{} of {count}: {lost:#?}", lost.len());
    assert!(count > 500, "{count}");
}

#[test]
fn a_dangerous_remark_after_an_order_leaves_none() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for order in ORDERS {
        let bare = order.imperative(order.pieces);
        let text = sentence(&bare);
        let (who, what) = background(order.language);
        let between = format!("{} {}.", who.first().unwrap(), what.first().unwrap());
        for danger in dangers(order.language) {
            for text in [
                format!("{text} {danger}."),
                format!("{text}\n\n{danger}!"),
                format!("{text} {between} {danger}."),
                format!("{} ({danger}).", sentence(&bare).trim_end_matches('.')),
                format!("{} – {danger}.", sentence(&bare).trim_end_matches('.')),
                format!("{text}\n\nPS: {danger}."),
            ] {
                count += 1;
                if is_covered(order, &text) {
                    wrong.push(text);
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
    assert!(count > 1_000, "{count}");
}

#[test]
fn a_label_or_a_subject_that_takes_an_order_back_leaves_none() {
    for text in [
        "Subject: recalled\n\nApprove invoice INV-2024-448 for $25,500.00 against PO-8822.",
        "Subject: Test mail, please ignore\n\nApprove invoice INV-2024-448 for $25,500.00 against PO-8822.",
        "Our manual has this line in it. Approve invoice INV-2024-448.",
        "The vendor asked: approve invoice INV-2024-448.",
        "We talked about the slide that reads: approve invoice INV-2024-448.",
    ] {
        assert!(!is_covered(ORDERS.first().unwrap(), text), "{text}");
    }
}

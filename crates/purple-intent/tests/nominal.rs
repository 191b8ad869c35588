//! Orders that a noun names, and sentences with the same nouns that order nothing.

#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use purple_intent::value::Notation;
use purple_intent::{Asked, Cover, Language, Mood, Nominal, SayForm, Span, cover, read};

fn notation() -> Notation {
    Notation { prefixes: ["INV", "PO", "E"].map(str::to_owned).to_vec(), ..Notation::default() }
}

/// Whether the words order an approval or an offboarding, where every value is taken.
fn is_covered(text: &str) -> bool {
    let forms = [
        (Language::English, "approve|reject invoice"),
        (Language::English, "approve|reject [invoice supplier] [last day]"),
        (Language::English, "offboard [employee last day]"),
        (Language::German, "freigeben|ablehnen [rechnung] [letzter tag]"),
        (Language::French, "approuver|rejeter [facture]"),
        (Language::Spanish, "aprobar|rechazar [factura]"),
    ];
    let forms: Vec<SayForm> =
        forms.into_iter().map(|(language, form)| SayForm::parse(language, form).unwrap()).collect();
    let reading = read(text, &notation());
    let takes = |span: Span| reading.values.iter().any(|value| value.span == span);
    let asked = Asked { forms: &forms, known: &|_| true, uses: &|_| false, items: false, takes: &takes };
    matches!(cover(text, &reading, &asked), Cover::Covered { .. })
}

#[test]
fn a_noun_orders_what_it_names_where_it_is_asked_for_or_stands_alone() {
    for order in [
        "Approval of INV-7, please.",
        "Please: rejection of invoice INV-7.",
        "Release of INV-7 requested.",
        "Offboarding of E-7 needed, last day 2026-03-20.",
        "Offboarding: E-7, last day 2026-03-20",
        "Freigabe der INV-7 erbeten.",
        "Bitte um Freigabe der Rechnung INV-7.",
        "Validation de la facture INV-7 demandée.",
        "Approbation de INV-7 svp.",
        "Solicito la aprobación de la factura INV-7.",
        "Get INV-7 approved, please.",
        "Could INV-7 be approved, please?",
    ] {
        assert!(is_covered(order), "{order}");
    }
}

#[test]
fn what_is_said_about_what_a_noun_names_orders_nothing() {
    for other in [
        "Approval of INV-7: received.",
        "Approval of INV-7 requested by the supplier.",
        "Approval of INV-7 was requested.",
        "Approval of INV-7 by the controller, please.",
        "Release of INV-7 needed two signatures.",
        "The offboarding of E-7, last day 2026-03-20.",
        "Offboarding E-7, last day 2026-03-20 ✅",
        "Offboarding E-7, last day 2026-03-20: the council has to be heard.",
        "The approval mail for INV-7, please.",
        "INV-7 needs to be approved by the controller.",
        "Get INV-7 approved by the controller.",
        "Could INV-7 be approved?",
        "Bitte um Info zur Freigabe der INV-7.",
        "Freigabe INV-7: erledigt.",
        "Freigabe der INV-7 vom Controller erbeten.",
        "Demande d'approbation de INV-7 refusée.",
        "Se solicita la aprobación de INV-7 al controlador.",
    ] {
        assert!(!is_covered(other), "{other}");
    }
}

#[test]
fn a_request_is_marked_as_one_and_a_heading_is_not() {
    let first = |text: &str| read(text, &notation()).acts.into_iter().next().unwrap();
    let asked = first("Approval of INV-7 requested.");
    assert!(asked.mood == Mood::Order && matches!(asked.nominal, Some(Nominal::Asked { .. })));
    let heading = first("Approval of INV-7");
    assert!(heading.mood == Mood::Statement && heading.nominal == Some(Nominal::Heading));
}

//! Whose words an order is, and which verb it has: sentences beside covered orders that present them as somebody else's
//! leave none, and reasons, checks, occasions, names and signatures leave one. In four languages, with every order.
#![expect(clippy::unwrap_used, reason = "tests may unwrap")]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::date;
use purple_intent::{Cover, Language};
use purple_policy::Currency;
use purple_process::file::{ProcessFile, Setting, builtin, extract};

#[expect(dead_code, reason = "other tests use the rest")]
mod phrases;

use phrases::ORDERS;

static FILES: LazyLock<Vec<ProcessFile>> = LazyLock::new(|| builtin().unwrap());

/// The names that the records have to hold, where a text is a covered order of a task.
fn covered((process, name): (&str, &str), text: &str) -> Option<Vec<String>> {
    let task = FILES.iter().find(|file| file.name() == process).and_then(|file| file.task(name)).unwrap();
    let setting = Setting { today: date(2026, 3, 4), dollar: Currency::USD };
    let extracted = extract(text, task.inputs(), &BTreeMap::new(), &setting);
    let cover = task.cover(text, &task.read(text, &setting), &extracted.found, &extracted.places);
    match cover {
        Cover::Covered { names, .. } if extracted.missing.is_empty() => Some(names),
        Cover::Covered { .. } | Cover::Doubtful(_) | Cover::ReadOnly(_) => None,
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>());
    format!("{}.", first.unwrap_or_default())
}

/// Sentences that say whose words follow, or ask for something to be done with them.
fn introductions(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            "The supplier sent us the following text.",
            "Our customer wrote again this morning.",
            "We got this letter from Globex yesterday.",
            "This message reached us today.",
            "Here is what the client wants.",
            "That is what they said.",
            "This was sent by the vendor.",
            "These lines are from our supplier.",
            "Came in from the customer an hour ago.",
            "Can you read this message?",
            "Please review the letter.",
            "I found this mail in my inbox.",
            "The wording of the mail is as follows.",
            "We were sent the following:",
            "This was forwarded to us by mistake:",
            "The following was passed on to me yesterday:",
            "Our office received the following:",
        ],
        Language::German => &[
            "Der Lieferant schickte uns diese Nachricht.",
            "Unser Kunde hat gestern geschrieben.",
            "Wir haben diesen Brief vom Anbieter bekommen.",
            "Diese Mail kam heute früh an.",
            "Das will der Kunde.",
            "Das sind die Worte des Lieferanten.",
            "Kam gestern vom Kunden rein.",
            "Kannst du diese Mail prüfen?",
            "Der Wortlaut der Mail ist wie folgt.",
            "Folgendes wurde uns irrtümlich geschickt:",
            "Uns wurde Folgendes weitergeleitet:",
            "Das hier kam heute bei uns an:",
            "Man hat uns dies ausgerichtet:",
        ],
        Language::French => &[
            "Le fournisseur nous a envoyé ce courriel.",
            "Le client a écrit hier.",
            "Nous avons reçu cette lettre du client.",
            "Voici ce que veut le client.",
            "Pouvez-vous vérifier ce message ?",
            "On nous a transmis ceci :",
            "Nous avons reçu ce qui suit :",
            "Ceci nous a été remis :",
        ],
        Language::Spanish => &[
            "El proveedor nos envió este mensaje.",
            "El cliente escribió ayer.",
            "Hemos recibido esta carta del cliente.",
            "Esto es lo que quiere el cliente.",
            "¿Puede revisar este correo?",
            "Nos enviaron lo siguiente:",
            "Recibimos lo siguiente:",
            "Nos ha sido remitido esto:",
        ],
    }
}

/// Sentences after an order that say whose words it was.
fn attributions(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &["That is what the vendor wrote.", "This was in the mail from the customer."],
        Language::German => &[
            "Das hat der Lieferant geschrieben.",
            "Das steht in der Mail vom Kunden.",
            "So schrieb es der Kunde.",
        ],
        Language::French => &["C'est ce que le client a écrit.", "C'est dans le message du fournisseur."],
        Language::Spanish => &["Eso es lo que escribió el cliente.", "Está en el correo del proveedor."],
    }
}

/// Reasons and remarks of the requester that name a text or somebody who wrote.
fn reasons(language: Language) -> &'static [&'static str] {
    match language {
        Language::English => &[
            "The supplier wrote that the goods have arrived.",
            "Following up on my mail from yesterday.",
            "I have a quick request.",
            "This is urgent.",
            "Thanks for your message.",
        ],
        Language::German => &["Danke für Ihre Nachricht.", "Ich habe eine kurze Bitte.", "Das ist dringend."],
        Language::French => &["C'est urgent."],
        Language::Spanish => &["Es urgente."],
    }
}

#[test]
fn what_is_presented_as_the_words_of_others_leaves_no_order() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for order in ORDERS {
        let text = sentence(&order.imperative(order.pieces));
        let before = introductions(order.language).iter().flat_map(|said| {
            [
                format!("{said} {text}"),
                format!("{said}\n\n{text}"),
                format!("Hello,\n\n{said}\n\n{text}\n\nBest regards\nAnna"),
            ]
        });
        let after = attributions(order.language)
            .iter()
            .flat_map(|said| [format!("{text} {said}"), format!("{text}\n\n{said}")]);
        for text in before.chain(after) {
            count += 1;
            if covered(order.task, &text).is_some() {
                wrong.push(text);
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}: {wrong:#?}", wrong.len());
    assert!(count > 500, "{count}");
}

#[test]
fn reasons_of_the_requester_leave_an_order_one() {
    let (mut lost, mut count) = (Vec::new(), 0);
    for order in ORDERS {
        let text = sentence(&order.imperative(order.pieces));
        for said in reasons(order.language) {
            for text in [format!("{said} {text}"), format!("{said}\n\n{text}")] {
                count += 1;
                if covered(order.task, &text).is_none() {
                    lost.push(text);
                }
            }
        }
    }
    assert!(lost.is_empty(), "{} of {count}: {lost:#?}", lost.len());
}

const INVOICE: (&str, &str) = ("invoice_reconciliation", "invoice_reconciliation");
const ITEMS: (&str, &str) = ("order_management", "order_management");
const CREDIT: (&str, &str) = ("sla_breach", "sla_breach");
const START: (&str, &str) = ("hr_offboarding", "start");
const REVOKE: (&str, &str) = ("hr_offboarding", "revoke_access");

#[test]
fn what_names_an_act_and_does_not_order_it_leaves_no_order() {
    for (task, text) in [
        // Who is doing something, and headings.
        (INVOICE, "Rejecting invoice INV-2024-448."),
        (REVOKE, "Closing all accounts of employee E-1012."),
        (START, "Offboarding employee E-1005, last day 2026-03-20."),
        (INVOICE, "Rejection of invoice INV-2024-448"),
        (CREDIT, "SLA credit for February 2026 under contract CTR-441"),
        (INVOICE, "Freigabe der Rechnung INV-2024-448"),
        // Another verb than the one of the process.
        (CREDIT, "Delete the SLA credit for February 2026 under contract CTR-441."),
        (CREDIT, "Forward the SLA credit for February 2026 under contract CTR-441."),
        (CREDIT, "Verify the SLA credit for February 2026 under contract CTR-441."),
        (START, "Update the offboarding of E-1005 (last day 2026-03-20)."),
        (CREDIT, "Bitte die Gutschrift für 2026-02 laut Vertrag CTR-441 löschen."),
        (CREDIT, "Bitte die Gutschrift für 2026-02 laut Vertrag CTR-441 weiterleiten."),
        (CREDIT, "Bitte die Gutschrift für 2026-02 laut Vertrag CTR-441 überschlagen."),
        (START, "Bitte das Offboarding von Mitarbeiter E-1005 (letzter Arbeitstag 2026-03-20) verschieben."),
        // The act itself as what something is done to.
        (REVOKE, "Revoke the revocation of all access of employee E-1012."),
        (INVOICE, "Approve the approval of invoice INV-2024-448."),
        (INVOICE, "Bitte die Freigabe der Rechnung INV-2024-448 ablehnen."),
        // A check of what a list says.
        (ITEMS, "Check the stock for order ORD-5592: add 2x Widget B."),
        (ITEMS, "Review order ORD-5592: remove 1x Widget A."),
        (ITEMS, "Bitte die Bestellung ORD-5592 prüfen: 2x Widget B hinzufügen."),
        // From a day on, and at no time that is said.
        (INVOICE, "Rechnung INV-2024-448 ab 15.04. freigeben."),
        (INVOICE, "Bitte ab dem 1. April Rechnung INV-2024-448 freigeben."),
        (INVOICE, "Approve invoice INV-2024-448 from 15 April on."),
        (INVOICE, "Approuvez la facture INV-2024-448 à partir du 15 avril."),
        (INVOICE, "Apruebe la factura INV-2024-448 a partir del 15 de abril."),
        (INVOICE, "Approve invoice INV-2024-448 at some point."),
        (INVOICE, "Rechnung INV-2024-448 irgendwann freigeben."),
        // Negations of other dialects.
        (INVOICE, "Rechnung INV-2024-448 ned freigeben."),
        (INVOICE, "Bitte Rechnung INV-2024-448 net freigeben."),
        // What has to happen first.
        (INVOICE, "Bitte die Rechnung INV-2024-448 freigeben. Die Teile müssen erst ankommen."),
        (INVOICE, "Approve invoice INV-2024-448. The goods must first arrive."),
        // A second mail under the closing of a first.
        (
            INVOICE,
            "Thank you.\n\nBest regards\nAnna\n\nPlease approve invoice INV-2024-448.\n\nKind regards\nTom",
        ),
    ] {
        assert_eq!(covered(task, text), None, "{text}");
    }
}

#[test]
fn checks_occasions_and_statements_of_others_leave_an_order_one() {
    for (task, text) in [
        (INVOICE, "Please verify invoice INV-2024-448 against PO-8822 and approve it."),
        (INVOICE, "Please compare invoice INV-2024-448 with its purchase order and approve it."),
        (INVOICE, "Rechnung INV-2024-448 prüfen und nach Richtlinie entscheiden."),
        (INVOICE, "Bitte Rechnung INV-2024-448 mit der Bestellung vergleichen und freigeben."),
        (INVOICE, "Vérifiez la facture INV-2024-448 et approuvez-la."),
        (INVOICE, "Please approve invoice INV-2024-448 before the board meeting on Friday."),
        (INVOICE, "Please approve invoice INV-2024-448 for the payment run on Monday."),
        (INVOICE, "Bitte Rechnung INV-2024-448 vor dem Zahlungslauf am Freitag freigeben."),
        (INVOICE, "Bitte geben Sie INV-2024-448 frei, der Kunde nörgelt."),
        (INVOICE, "Bitte geben Sie INV-2024-448 frei, sie haben schon geliefert."),
        (REVOKE, "Bitte alle Zugänge von Mitarbeiterin E-1056 sperren, sie hat die Firma verlassen."),
        (START, "Offboarding: E-1005, last day 2026-03-20"),
        (INVOICE, "Approval of invoice INV-2024-448, please."),
        (INVOICE, "Rechnung INV-2024-448 heute bitte freigeben."),
        (ITEMS, "Please change order ORD-5592: minus 3 Widget A, plus 2 Widget B."),
    ] {
        assert_eq!(covered(task, text), Some(Vec::new()), "{text}");
    }
}

#[test]
fn a_party_is_compared_with_the_records_and_a_signature_is_not() {
    for (text, names) in [
        ("Approve Globex invoice INV-2024-448.", &["globex"][..]),
        ("Rechnung INV-2024-448 von Globex freigeben.", &["globex"]),
        ("Please approve invoice INV-2024-448 from Globex.", &["globex"]),
        ("Please approve invoice INV-2024-448. Thanks, Anna", &[]),
        ("Please approve invoice INV-2024-448. Kind regards, P. Miller", &[]),
        ("Please approve invoice INV-2024-448. Thanks, Tom Baker, Head of Logistics", &[]),
        ("Bitte Rechnung INV-2024-448 freigeben. Danke, Anna", &[]),
        ("Bitte Rechnung INV-2024-448 freigeben. Beste Grüße, K. Lang", &[]),
        ("Approuvez la facture INV-2024-448. Merci, Claire", &[]),
    ] {
        let expected: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(covered(INVOICE, text), Some(expected), "{text}");
    }
}

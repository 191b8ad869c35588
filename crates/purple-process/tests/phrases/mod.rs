//! Orders in four languages.

use purple_intent::Language;

/// An order: verbs and what they are about.
#[derive(Debug)]
pub(crate) struct Order {
    pub(crate) language: Language,
    /// The process and its task.
    pub(crate) task: (&'static str, &'static str),
    /// The imperative, with its second part where the verb has one.
    imperative: (&'static str, &'static str),
    infinitive: &'static str,
    participle: &'static str,
    /// What the verb is about, in any sequence.
    pub(crate) pieces: &'static [&'static str],
}

impl Order {
    pub(crate) fn imperative(&self, pieces: &[&str]) -> String {
        let (verb, particle) = self.imperative;
        [&[verb], pieces, &[particle]].concat().join(" ").trim_end().to_owned()
    }

    pub(crate) fn infinitive(&self, pieces: &[&str]) -> String {
        self.with(self.infinitive, pieces)
    }

    pub(crate) fn participle(&self, pieces: &[&str]) -> String {
        self.with(self.participle, pieces)
    }

    /// German infinitives and participles are at the end.
    fn with(&self, verb: &str, pieces: &[&str]) -> String {
        match self.language {
            Language::German => [pieces, &[verb]].concat().join(" "),
            Language::English | Language::French | Language::Spanish => [&[verb], pieces].concat().join(" "),
        }
    }
}

const fn order(
    language: Language,
    task: (&'static str, &'static str),
    imperative: (&'static str, &'static str),
    (infinitive, participle): (&'static str, &'static str),
    pieces: &'static [&'static str],
) -> Order {
    Order { language, task, imperative, infinitive, participle, pieces }
}

const INVOICE: (&str, &str) = ("invoice_reconciliation", "invoice_reconciliation");
const ITEMS: (&str, &str) = ("order_management", "order_management");
const CREDIT: (&str, &str) = ("sla_breach", "sla_breach");
const START: (&str, &str) = ("hr_offboarding", "start");
const REVOKE: (&str, &str) = ("hr_offboarding", "revoke_access");

use Language::{English, French, German, Spanish};

pub(crate) const ORDERS: &[Order] = &[
    order(
        English,
        INVOICE,
        ("approve", ""),
        ("approve", "approved"),
        &["invoice INV-2024-448", "for $25,500.00", "against PO-8822"],
    ),
    order(
        English,
        INVOICE,
        ("reconcile", ""),
        ("reconcile", "reconciled"),
        &["the invoice INV-7", "with purchase order PO-9", "per policy"],
    ),
    order(
        English,
        ITEMS,
        ("add", ""),
        ("add", "added"),
        &["2x Widget B", "to order ORD-5592", "for customer C-8821"],
    ),
    order(English, ITEMS, ("remove", ""), ("remove", "removed"), &["three Widget A", "from ORD-5592"]),
    order(
        English,
        CREDIT,
        ("apply", ""),
        ("apply", "applied"),
        &["the SLA credit", "for February 2026", "under contract CTR-441"],
    ),
    order(
        English,
        START,
        ("start", ""),
        ("start", "started"),
        &["the offboarding of employee E-1005", "with last day 2026-03-20"],
    ),
    order(
        English,
        REVOKE,
        ("revoke", ""),
        ("revoke", "revoked"),
        &["all system access", "of employee E-1002"],
    ),
    order(
        German,
        INVOICE,
        ("gib", "frei"),
        ("freigeben", "freigegeben"),
        &["die Rechnung INV-2024-448", "über 25.500,00 USD", "gegen Bestellung PO-8822"],
    ),
    order(
        German,
        INVOICE,
        ("bearbeite", ""),
        ("bearbeiten", "bearbeitet"),
        &["die Rechnung INV-7", "gemäß Richtlinie"],
    ),
    order(
        German,
        ITEMS,
        ("füge", "hinzu"),
        ("hinzufügen", "hinzugefügt"),
        &["der Bestellung ORD-5592", "2x Widget B"],
    ),
    order(
        German,
        CREDIT,
        ("buche", ""),
        ("buchen", "gebucht"),
        &["die Gutschrift", "für Februar 2026", "laut Vertrag CTR-441"],
    ),
    order(
        German,
        START,
        ("starte", ""),
        ("starten", "gestartet"),
        &["das Offboarding von Mitarbeiter E-1005", "mit letztem Tag 20.03.2026"],
    ),
    order(
        German,
        REVOKE,
        ("sperre", ""),
        ("sperren", "gesperrt"),
        &["alle Zugänge", "von Mitarbeiter E-1002"],
    ),
    order(
        French,
        INVOICE,
        ("approuvez", ""),
        ("approuver", "approuvé"),
        &["la facture INV-2024-448", "de 25 500,00 USD"],
    ),
    order(French, ITEMS, ("ajoutez", ""), ("ajouter", "ajouté"), &["2 Widget B", "à la commande ORD-5592"]),
    order(
        French,
        CREDIT,
        ("appliquez", ""),
        ("appliquer", "appliqué"),
        &["le crédit", "de février 2026", "selon le contrat CTR-441"],
    ),
    order(
        French,
        START,
        ("lancez", ""),
        ("lancer", "lancé"),
        &["le départ de l'employé E-1005", "avec dernier jour le 20 mars 2026"],
    ),
    order(French, REVOKE, ("révoquez", ""), ("révoquer", "révoqué"), &["les accès", "de l'employé E-1002"]),
    order(
        Spanish,
        INVOICE,
        ("apruebe", ""),
        ("aprobar", "aprobado"),
        &["la factura INV-2024-448", "de 25.500,00 USD"],
    ),
    order(Spanish, ITEMS, ("añada", ""), ("añadir", "añadido"), &["2 Widget B", "al pedido ORD-5592"]),
    order(
        Spanish,
        CREDIT,
        ("aplique", ""),
        ("aplicar", "aplicado"),
        &["el crédito", "de febrero de 2026", "según el contrato CTR-441"],
    ),
    order(
        Spanish,
        START,
        ("inicie", ""),
        ("iniciar", "iniciado"),
        &["la baja del empleado E-1005", "con último día el 20/03/2026"],
    ),
    order(Spanish, REVOKE, ("revoque", ""), ("revocar", "revocado"), &["los accesos", "del empleado E-1002"]),
];

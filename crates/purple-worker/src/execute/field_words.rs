//! Words that people use for the fields of business records, in English and German and the most common ones in French
//! and Spanish. A field that is not here is found by its own name.

/// A field under the names that systems give it, and the words that ask for it.
#[derive(Debug)]
pub(super) struct FieldWords {
    /// The names that systems give it.
    pub(super) names: &'static [&'static str],
    /// What it is called in an answer.
    pub(super) label: &'static str,
    /// The words that ask for it; a final `*` stands for any ending.
    pub(super) words: &'static [&'static str],
    /// Whether the words only count in a question that is answered with yes or no.
    pub(super) yes_or_no: bool,
}

const fn field(
    names: &'static [&'static str],
    label: &'static str,
    words: &'static [&'static str],
) -> FieldWords {
    FieldWords { names, label, words, yes_or_no: false }
}

/// What must, may or would be is decided by rules and stands in no record.
#[rustfmt::skip]
pub(super) const MODAL: &[&str] = &[
    "would", "could", "can", "kann", "können", "könnte*", "should", "shall", "may", "must", "might", "has to", "have to", "need to", "needs to", 
    "allowed", "policy", "tolerance", "ok", "okay", "pass", "within", "match*", "sign",
    "signature", "approve", "approved", "approval", "reject*", "würde*", "sollen", "sollte*", "soll", "dürfen",
    "darf", "muss", "müssen", "müsste*", "richtlinie", "toleranz", "passt",
    "unterschreib*", "genehmig*", "freigegeben", "freigeben", "abgelehnt", "faut-il", "peut-on", "doit",
    "devons", "politique", "debe", "debemos", "puede", "podemos", "política",
];

/// What only makes a question polite.
#[rustfmt::skip]
pub(super) const POLITE: &[&str] = &[
    "can you tell me", "could you tell me", "can you please tell me", "could you please tell me", "can you say",
    "can you show me", "could you show me", "can you look up", "could you look up", "can you check", "could you check",
    "would you tell me", "i would like to know", "kannst du mir sagen", "können sie mir sagen", "könnten sie mir sagen",
    "könntest du mir sagen", "ich würde gern wissen", "ich würde gerne wissen", "pouvez-vous me dire",
    "peux-tu me dire", "puede decirme", "puedes decirme",
];

/// The first words of a question that is answered with yes or no.
#[rustfmt::skip]
pub(super) const YES_OR_NO: &[&str] = &[
    "is", "are", "was", "were", "has", "have", "had", "did", "does", "ist", "sind", "war", "hat", "haben", "wurde",
    "wird", "est", "a", "es", "está", "ha",
];

/// The fields; the more particular words come first.
#[rustfmt::skip]
pub(super) const FIELDS: &[FieldWords] = &[
    field(&["due_on", "due_date", "due"], "due date",
        &["due", "fällig", "fälligkeit*", "zahlbar bis", "échéance", "vence", "vencimiento"]),
    field(&["issued_on", "issue_date", "invoice_date"], "issue date",
        &["issued", "invoice date", "dated", "ausgestellt", "rechnungsdatum", "émise", "emitida"]),
    field(&["paid_on", "payment_date"], "payment date", &["when was it paid", "paid on", "bezahlt am", "zahlungsdatum"]),
    field(&["placed_on", "ordered_on", "order_date"], "order date",
        &["when was it ordered", "placed on", "order date", "bestelldatum", "bestellt am", "aufgegeben"]),
    field(&["created_on", "created_at"], "creation date", &["created", "erstellt", "angelegt", "créée", "creado"]),
    field(&["item_count", "quantity_total"], "number of items",
        &["how many items", "number of items", "wie viele artikel", "wie viele stück", "anzahl der artikel"]),
    field(&["items", "lines", "line_items", "positions"], "items",
        &["items", "item", "articles", "products", "lines", "line items", "artikel", "positionen", "produkte",
          "waren", "lignes", "artículos"]),
    field(&["available", "in_stock", "on_hand"], "stock available",
        &["in stock", "available", "on hand", "stock", "auf lager", "vorrätig", "verfügbar", "lagerbestand",
          "en stock", "disponible*"]),
    field(&["reserved"], "reserved stock", &["reserved", "reserviert"]),
    field(&["unit_price", "price"], "price", &["unit price", "price", "stückpreis", "einzelpreis", "preis", "prix", "precio"]),
    field(&["sla_percent", "target_percent", "sla"], "promised uptime",
        &["promise*", "promised", "guarantee*", "target", "zugesagt*", "zusagt", "zugesichert*",
          "garantiert*", "vereinbart*", "zielwert"]),
    field(&["percent", "uptime", "uptime_percent", "availability"], "measured uptime",
        &["uptime", "availability", "measured", "verfügbarkeit", "gemessen*", "disponibilité", "disponibilidad"]),
    field(&["monthly_fee", "fee"], "monthly fee",
        &["monthly fee", "fee", "monatliche gebühr", "monatsgebühr", "gebühr", "redevance", "cuota mensual"]),
    field(&["ends_on", "end_date", "expires_on"], "end",
        &["end", "ends", "expire", "expires", "expiry", "run out", "runs out", "endet", "läuft ab", "ausläuft",
          "enddatum", "vertragsende", "ende", "se termine", "expira"]),
    field(&["starts_on", "start_date"], "start",
        &["start", "starts", "started", "begin", "begins", "beginnt", "beginn", "begonnen", "startdatum", "commence", "empieza"]),
    field(&["multiplier"], "multiplier", &["multiplier", "factor", "faktor", "multiplikator"]),
    field(&["contact", "contact_email"], "contact", &["contact", "kontakt", "ansprechpartner*", "contacto"]),
    field(&["last_day", "leaves_on", "termination_date"], "last day",
        &["last day", "last working day", "leave", "leaves", "letzte tag", "letzter tag", "letzte arbeitstag",
          "letzter arbeitstag", "letzten arbeitstag", "austritt*", "dernier jour", "último día"]),
    field(&["hired_on", "hire_date", "joined_on"], "hire date",
        &["hired", "join", "joined", "start date", "eingestellt", "eintritt*", "angefangen", "embauch*", "contratad*"]),
    field(&["manager_id", "manager", "supervisor"], "manager",
        &["manager", "boss", "supervisor", "report to", "reports to", "line manager", "vorgesetzte*", "chef",
          "chefin", "führungskraft", "responsable", "jefe", "jefa"]),
    field(&["department", "team"], "department", &["department", "team", "abteilung", "service", "departamento"]),
    field(&["title", "position", "job_title", "role"], "title",
        &["title", "position", "role", "job", "stelle", "funktion", "poste", "puesto"]),
    field(&["systems", "accounts", "access"], "systems",
        &["systems", "system", "access", "accounts", "logins", "zugänge", "zugang", "zugriff*", "systeme",
          "systemen", "konten", "accès", "accesos"]),
    field(&["email", "email_address"], "e-mail address", &["email", "e-mail", "mail", "e-mail-adresse", "correo"]),
    field(&["country"], "country", &["country", "land", "pays", "país"]),
    field(&["name", "full_name"], "name", &["name", "called", "heißt", "s'appelle", "llama"]),
    field(&["next_pay_date"], "next pay date", &["next pay", "pay date", "payday", "zahltag", "gehaltszahlung"]),
    field(&["cost_center", "cost_centre"], "cost centre", &["cost center", "cost centre", "kostenstelle", "centro de coste"]),
    field(&["description"], "description", &["description", "beschreibung", "what is it for", "wofür"]),
    field(&["vendor", "vendor_name", "supplier", "supplier_name"], "vendor",
        &["vendor", "supplier", "who sent", "lieferant*", "fournisseur", "proveedor", "kreditor"]),
    field(&["vendor_id", "supplier_id"], "vendor",
        &["vendor", "supplier", "lieferant*", "anbieter", "fournisseur", "proveedor"]),
    field(&["customer_id", "customer", "customer_name"], "customer",
        &["customer", "client", "who placed", "who ordered", "kunde*", "wer hat", "auftraggeber", "cliente"]),
    field(&["po_id", "purchase_order", "purchase_order_id"], "purchase order",
        &["purchase order", "which order", "po number", "welcher bestellung", "welche bestellung", "bestellnummer",
          "bestellung gehört", "quel bon de commande", "quelle commande", "qué pedido"]),
    field(&["invoice_id", "invoice_number"], "invoice", &["which invoice", "welche rechnung", "welcher rechnung"]),
    field(&["contract_id"], "contract", &["which contract", "welcher vertrag", "welchen vertrag"]),
    field(&["status", "state"], "status",
        &["status", "stand", "zustand", "statut", "estado", "how far"]),
    FieldWords {
        names: &["status"],
        label: "status",
        words: &["paid", "open", "closed", "active", "offboarding", "terminated", "left", "gone", "cancelled",
            "shipped", "delivered", "received", "processed", "bezahlt", "offen", "geschlossen", "aktiv",
            "gekündigt", "ausgeschieden", "storniert", "geliefert", "eingegangen", "payée", "pagada"],
        yes_or_no: true,
    },
    field(&["total", "amount", "total_amount"], "total",
        &["total", "amount", "how much is invoice", "how much is the invoice", "how much is order", "how much is the order", "how high is the invoice",
          "worth", "wie hoch ist die rechnung", "wie hoch ist die bestellung", "wie hoch ist der auftrag", "wie viel kostet", "gesamtbetrag",
          "rechnungsbetrag", "betrag", "summe", "gesamtsumme", "montant", "importe", "bestellwert"]),
];

use serde_json::json;

use super::*;

fn records() -> Vec<(String, Json)> {
    let records = [
        (
            "invoice",
            json!({"invoice_id": "INV-7", "due_on": "2026-04-02", "po_id": "PO-9", "status": "received",
                "total": "120.00 EUR", "vendor": "Nordlicht GmbH", "vendor_id": "V-3", "reason": null}),
        ),
        (
            "order",
            json!({"po_id": "PO-9", "status": "open", "total": "100.00 EUR", "vendor": "Nordlicht GmbH"}),
        ),
    ];
    records.map(|(name, value)| (name.to_owned(), value)).into()
}

fn employee() -> Vec<(String, Json)> {
    let record = json!({"employee_id": "E-8", "manager_id": "E-2", "systems": ["Okta", "Jira"], "status": "offboarding",
        "last_day": "2026-05-01", "name": "Robin Vale"});
    vec![("employee".to_owned(), record)]
}

#[test]
fn a_question_for_a_field_is_answered_with_the_field_in_one_sentence() {
    for (text, said) in [
        ("When is invoice INV-7 due?", "The due date of invoice INV-7 is 2026-04-02."),
        ("Wann ist Rechnung INV-7 fällig?", "The due date of invoice INV-7 is 2026-04-02."),
        ("Which vendor is invoice INV-7 from?", "The vendor of invoice INV-7 is Nordlicht GmbH."),
        ("Von welchem Lieferanten ist die Rechnung INV-7?", "The vendor of invoice INV-7 is Nordlicht GmbH."),
        ("Welchen Status hat die Rechnung INV-7?", "The status of invoice INV-7 is received."),
        ("Which purchase order belongs to invoice INV-7?", "The purchase order of invoice INV-7 is PO-9."),
        ("Has invoice INV-7 been paid?", "The status of invoice INV-7 is received."),
        ("What is the total of order PO-9?", "The total of order PO-9 is 100.00 EUR."),
    ] {
        assert_eq!(field_asked_for(text, &records()).as_deref(), Some(said), "{text}");
    }
    for (text, said) in [
        ("Who is the manager of E-8?", "The manager of employee E-8 is E-2."),
        ("Wer ist die Vorgesetzte von E-8?", "The manager of employee E-8 is E-2."),
        ("Welche Zugänge hat E-8?", "The systems of employee E-8: Okta, Jira."),
        ("Is E-8 already in offboarding?", "The status of employee E-8 is offboarding."),
        ("Wann ist der letzte Arbeitstag von E-8?", "The last day of employee E-8 is 2026-05-01."),
    ] {
        assert_eq!(field_asked_for(text, &employee()).as_deref(), Some(said), "{text}");
    }
}

#[test]
fn what_the_rules_decide_is_no_field() {
    for text in [
        "Who must approve invoice INV-7?",
        "Would invoice INV-7 pass the policy?",
        "Darf die Rechnung INV-7 freigegeben werden?",
        "Is invoice INV-7 within tolerance?",
        "Can we pay invoice INV-7 when it is due?",
    ] {
        assert_eq!(field_asked_for(text, &records()), None, "{text}");
    }
}

#[test]
fn lines_of_an_order_are_read_as_a_list_and_what_is_not_set_is_said() {
    let items = json!([{"item": "Widget A", "quantity": 5, "unit_price": "29.99 USD"}]);
    let records = [("order".to_owned(), json!({"order_id": "ORD-1", "items": items, "contact": null}))];
    let said = field_asked_for("Which items are on order ORD-1?", &records);
    assert_eq!(said.as_deref(), Some("The items of order ORD-1: 5 × Widget A at 29.99 USD."));
    let said = field_asked_for("Who is the contact of order ORD-1?", &records);
    assert_eq!(said.as_deref(), Some("The contact of order ORD-1 is not set."));
}

#[test]
fn a_record_is_summed_up_where_no_field_is_named() {
    let said = summary(&records());
    assert!(said[0].starts_with("Invoice INV-7: due 2026-04-02, "), "{said:?}");
}

use serde_json::json;

use super::*;
use crate::fixture::{TASK, order, ordered, person, request, time};
use crate::operation::Operation;

fn all(text: &str) -> Span {
    Span::new(0, text.len())
}

fn confirmation() -> Confirmation {
    Confirmation { sentence: "Approve INV-1.".to_owned(), by: person("rita"), at: time(1) }
}

fn restored(operation: &Operation, text: Option<&str>) -> Result<(), OrderMismatch> {
    operation.order().check(&Request { text, confirmed: Some(&confirmation()) }, &person("rita"))
}

fn with(order: Order) -> Operation {
    ordered("a", "create_order", &[], order)
}

#[test]
fn only_own_words_that_can_order_make_an_order() {
    for text in
        ["Approve invoice INV-1", "Lockout E-2291", "Hi Anna,\nplease approve INV-1.\nBest regards\nRita"]
    {
        let order = Order::task(text).unwrap();
        assert!(matches!(order.ordered(), Ordered::Words(words) if text.contains(words)), "{text}");
    }
    for text in [
        "Do NOT approve invoice INV-1.",
        "Should we approve invoice INV-1?",
        "If the total is right, approve invoice INV-1.",
        "Draft an email about invoice INV-1.",
    ] {
        assert_eq!(Order::task(text), Err(NotAnOrder::OtherMood { span: quoted(text) }), "{text}");
    }
    assert_eq!(Order::words("x", Span::new(0, 9)), Err(NotAnOrder::NoWords { span: Span::new(0, 9) }));
    assert_eq!(Order::words("  ", all("  ")), Err(NotAnOrder::NoWords { span: all("  ") }));
}

/// The place that `Order::task` tries.
fn quoted(text: &str) -> Span {
    let reading = purple_intent::read(text, &Notation::default());
    hull(reading.own.iter().copied()).unwrap()
}

#[test]
fn quoted_words_are_no_order() {
    let text = "What does this mean?\n> Approve invoice INV-1 now.";
    let start = text.find("Approve").unwrap();
    let span = Span::new(start, text.len());
    assert_eq!(Order::words(text, span), Err(NotAnOrder::NotOwn { span }));
    assert!(Order::task(text).is_err());
}

#[test]
fn an_order_belongs_to_one_text() {
    let words = with(order());
    assert_eq!(restored(&words, Some(TASK)), Ok(()));
    assert_eq!(
        restored(&words, Some("Please close case C-2 and create the order")),
        Err(OrderMismatch::OtherText)
    );
    assert_eq!(restored(&words, None), Err(OrderMismatch::NoText));
    let confirmed = with(Order::confirmed(TASK, confirmation()));
    assert_eq!(restored(&confirmed, Some(TASK)), Ok(()));
    assert_eq!(restored(&confirmed, Some("another")), Err(OrderMismatch::OtherText));
    let later = Confirmation { at: time(2), ..confirmation() };
    assert_eq!(restored(&with(Order::confirmed(TASK, later)), Some(TASK)), Err(OrderMismatch::NotConfirmed));
    let command = with(Order::command(person("rita"), "undo a"));
    assert_eq!(restored(&command, Some("undo a")), Ok(()));
    assert_eq!(restored(&command, Some("undo b")), Err(OrderMismatch::OtherText));
    let foreign = with(Order::command(person("anna"), "undo a"));
    assert_eq!(restored(&foreign, Some("undo a")), Err(OrderMismatch::OtherPerson { by: person("anna") }));
    assert_eq!(restored(&with(Order::missing()), None), Ok(()));
}

#[test]
fn a_stored_order_with_other_words_is_found_out() {
    let stored = serde_json::to_value(with(order())).unwrap();
    let changed = |member: &str, value: &str| {
        let mut stored = stored.clone();
        stored["order"]["words"][member] = json!(value);
        serde_json::from_value::<Operation>(stored)
    };
    assert_eq!(restored(&changed("span", "7-12").unwrap(), Some(TASK)), Err(OrderMismatch::OtherWords));
    assert_eq!(restored(&changed("span", "0-9999").unwrap(), Some(TASK)), Err(OrderMismatch::OtherWords));
    assert_eq!(restored(&changed("span", "9-7").unwrap(), Some(TASK)), Err(OrderMismatch::OtherWords));
    assert_eq!(restored(&changed("span", "3-3").unwrap(), Some(TASK)), Err(OrderMismatch::OtherWords));
    assert_eq!(restored(&changed("quote", "pay").unwrap(), Some(TASK)), Err(OrderMismatch::OtherWords));
    for span in ["07-12", "+7-12", "7", "x-y", ""] {
        assert!(changed("span", span).is_err(), "{span}");
    }
}

#[test]
fn an_order_is_stored_with_its_operation_and_an_absent_one_stays_absent() {
    let orders = [
        order(),
        Order::confirmed(TASK, confirmation()),
        Order::command(person("rita"), "undo a"),
        Order::missing(),
    ];
    for order in orders {
        let operation = with(order);
        let stored = serde_json::to_value(&operation).unwrap();
        assert_eq!(serde_json::from_value::<Operation>(stored.clone()).unwrap(), operation);
        let mut older = stored;
        older.as_object_mut().unwrap().remove("order").unwrap();
        let read: Operation = serde_json::from_value(older.clone()).unwrap();
        assert_eq!(read.order().ordered(), Ordered::Unrecorded);
        assert_eq!(serde_json::to_value(&read).unwrap(), older);
        assert_eq!(restored(&read, None), Ok(()));
    }
    let mut forged = serde_json::to_value(with(Order::missing())).unwrap();
    for order in [json!("unrecorded"), json!(null), json!("Missing"), json!({"words": {}})] {
        forged["order"] = order;
        assert!(serde_json::from_value::<Operation>(forged.clone()).is_err(), "{forged}");
    }
}

#[test]
fn a_long_task_is_quoted_in_part_and_checked_in_full() {
    let text = format!("Approve invoice INV-1 {}", "für Müller ".repeat(40));
    let order = Order::task(&text).unwrap();
    let Ordered::Words(words) = order.ordered() else { panic!("{order:?}") };
    assert!(words.len() <= QUOTE_BYTES_MAX && text.starts_with(words));
    let operation = with(order);
    assert_eq!(restored(&operation, Some(&text)), Ok(()));
    assert_eq!(restored(&operation, Some(text.trim())), Err(OrderMismatch::OtherText));
    assert_eq!(request().text, Some(TASK));
}

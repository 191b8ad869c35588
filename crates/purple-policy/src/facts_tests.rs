use super::*;

fn n(number: i64) -> Value {
    Value::from(number)
}

#[test]
fn a_name_is_found_as_set_or_as_a_field() {
    let facts = Facts::new().with(Source::Read, "order.total", n(5)).with(
        Source::Read,
        "invoice",
        Value::record([("total", n(7))]),
    );
    assert_eq!(facts.get("order.total"), Ok(n(5)));
    assert_eq!(facts.get("invoice.total"), Ok(n(7)));
    assert_eq!(facts.get("invoice.tax"), Err(Unevaluable::Missing { name: "invoice.tax".into() }));
}

#[test]
fn sources_that_agree_are_one() {
    let facts = Facts::new().with(Source::Input, "amount", n(5)).with(
        Source::Read,
        "amount",
        Value::from_literal("5.00"),
    );
    assert_eq!(facts.get("amount"), Ok(n(5)));
}

#[test]
fn sources_that_disagree_make_the_name_ambiguous() {
    let facts = Facts::new().with(Source::Input, "amount", n(5)).with(Source::Context, "amount", n(6));
    let doubt = facts.get("amount").unwrap_err();
    assert_eq!(doubt.to_string(), "`amount` is ambiguous: input says 5, context says 6");
    assert!(!doubt.is_absence());
}

#[test]
fn null_in_one_source_and_a_value_in_another_disagree() {
    let facts = Facts::new().with(Source::Input, "amount", n(5)).with(Source::Read, "amount", Value::Null);
    assert!(matches!(facts.get("amount"), Err(Unevaluable::Ambiguous { .. })));
}

#[test]
fn a_dotted_fact_and_a_field_that_disagree_are_ambiguous_even_within_one_source() {
    let facts = Facts::new().with(Source::Read, "order.total", n(5)).with(
        Source::Read,
        "order",
        Value::record([("total", n(6))]),
    );
    assert!(matches!(facts.get("order.total"), Err(Unevaluable::Ambiguous { .. })));
}

#[test]
fn facts_set_one_by_one_make_a_record() {
    let facts = Facts::new()
        .with(Source::Read, "order.total", n(5))
        .with(Source::Read, "order.tax", n(1))
        .with(Source::Read, "orders", n(9));
    assert_eq!(facts.get("order"), Ok(Value::record([("total", n(5)), ("tax", n(1))])));
}

#[test]
fn a_record_with_a_disputed_field_is_ambiguous() {
    let facts = Facts::new().with(Source::Read, "order.total", n(5)).with(Source::Input, "order.total", n(6));
    assert!(matches!(facts.get("order"), Err(Unevaluable::Ambiguous { name, .. }) if name == "order.total"));
}

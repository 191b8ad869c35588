use crate::{Expression, Scope, Unread};

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

#[test]
fn what_could_not_be_read_is_in_doubt_with_its_parts_and_whatever_others_say() {
    let unread = Unevaluable::Unread { name: "page".into(), how: Unread::Refused };
    let mut facts =
        Facts::new().with(Source::Argument, "page.title", n(5)).with(Source::Input, "other", n(1));
    facts.doubt(Source::Read, "page", unread.clone());
    for name in ["page", "page.title", "page.owner.name"] {
        assert_eq!(facts.get(name), Err(unread.clone()), "{name}");
    }
    assert_eq!(facts.get("pages"), Err(Unevaluable::Missing { name: "pages".into() }));
    assert_eq!(facts.get("other"), Ok(n(1)));
    facts.doubt(Source::Read, "order.lines", unread.clone());
    assert_eq!(facts.get("order"), Err(unread.clone()), "a part of it is not known");
    assert!(!unread.is_absence());
    facts.set(Source::Read, "page", Value::Null);
    assert_eq!(facts.get("page"), Ok(Value::Null), "it was read after all");
    facts.forget(Source::Read, "page").forget(Source::Argument, "page.title");
    assert_eq!(facts.get("page"), Err(Unevaluable::Missing { name: "page".into() }));
}

#[test]
fn nothing_asked_about_what_could_not_be_read_has_a_value() {
    let mut facts = Facts::new();
    facts.doubt(Source::Read, "page", Unevaluable::Unread { name: "page".into(), how: Unread::Failed });
    for source in
        ["exists(page)", "!exists(page)", "exists(page.title)", "default(page.title, \"\")", "page == null"]
    {
        let expression = Expression::compile(source, &Scope::open()).unwrap();
        let told = expression.evaluate(&facts).map_err(|why| why.to_string());
        assert_eq!(told, Err("`page` could not be read: the read failed".to_owned()), "{source}");
    }
}
